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
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !KEYWORDS.contains(&text)
}
