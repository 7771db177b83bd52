//! Words as a POSIX shell reads them back, for lines people paste.

/// A word, quoted where a shell would read it differently.
pub fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_string() } else { quote_always(word) }
}

/// A word in quotes: double ones where nothing in it means anything to a shell, single ones otherwise.
pub fn quote_always(word: &str) -> String {
    let means_something = |c: char| "\"$`\\!".contains(c) || c.is_control();
    if word.contains(means_something) {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        format!("\"{word}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_a_shell_as_they_were() {
        for (word, wanted) in [
            ("a.spec.luau", "a.spec.luau"),
            ("a b", "\"a b\""),
            ("it's", "\"it's\""),
            ("$5", "'$5'"),
            ("say \"it's\"", "'say \"it'\\''s\"'"),
            ("", "\"\""),
        ] {
            assert_eq!(quote(word), wanted);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_real_shell_agrees() {
        for word in ["a b", "it's $HOME `x` \\ \"q\" !", "new\nline", "*?[a]~ #;&|<>()", "› ü", "-t", "/a.b/"]
        {
            let command = format!("printf %s {}", quote(word));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
