//! What Luau itself takes: which texts are names. Nothing here knows schemas or modules.

/// Words that stand for themselves and are no names. Words such as `type` and `continue` are names outside their place.
pub const KEYWORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// Whether `text` may stand as a name: an identifier that is no keyword.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    // Keywords are of small letters, and most names that are asked about begin with a large one.
    let may_be_keyword = text.starts_with(|c: char| c.is_ascii_lowercase());
    first
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !(may_be_keyword && KEYWORDS.contains(&text))
}
