//! The text of a function of a spec, to run it somewhere else.

use crate::vm::compile;

/// Most `end`s that are tried for the last word of a function.
const MOST_ENDS: usize = 2000;

/// The one function that begins in `line` (from 1), without its name: `function(a, b) ... end`.
///
/// Errors: none begins there, or several do.
pub fn function_text(source: &str, line: u32) -> Result<String, String> {
    let begin =
        source.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let rest = &source[begin..];
    let first_line = rest.lines().next().unwrap_or_default();
    let starts: Vec<usize> = words(first_line, "function").collect();
    let [start] = starts[..] else {
        return Err(match starts.len() {
            0 => format!("no function begins in line {line}"),
            count => format!(
                "{count} functions begin in line {line}; give the one that is meant a line of its own"
            ),
        });
    };
    let after = &rest[start + "function".len()..];
    let signature =
        after.find(['(', '<']).ok_or_else(|| format!("the function in line {line} has no parameters"))?;
    let body = &after[signature..];
    for end in words(body, "end").take(MOST_ENDS) {
        let text = format!("function{}", &body[..end + "end".len()]);
        // The first that is whole is the function: an `end` inside it leaves something open.
        if compile(&format!("return {text}"), "call").is_ok() {
            return Ok(text);
        }
    }
    Err(format!("the function in line {line} has no end"))
}

/// Places where a word stands alone.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_name) && !text[at + word.len()..].starts_with(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "local n = 1\nside:call(function(a, b)\n\tif a then\n\t\treturn \"the end\", b\n\tend\n\
                          \tfor _ in b do end\n\treturn function() end\nend, 3)\nlocal function other<T>(x: T)\n\treturn x\nend\n\
                          local f, g = function() end, function() end\n";

    #[test]
    fn a_function_is_cut_out_whole() {
        let text = function_text(SOURCE, 2).unwrap();
        assert!(
            text.starts_with("function(a, b)\n") && text.ends_with("return function() end\nend"),
            "{text}"
        );
        assert_eq!(function_text(SOURCE, 9).unwrap(), "function<T>(x: T)\n\treturn x\nend");
    }

    #[test]
    fn one_that_cannot_be_told_is_refused() {
        assert!(function_text(SOURCE, 12).unwrap_err().starts_with("2 functions begin in line 12"));
        assert_eq!(function_text(SOURCE, 1).unwrap_err(), "no function begins in line 1");
        assert_eq!(function_text(SOURCE, 99).unwrap_err(), "no function begins in line 99");
    }
}
