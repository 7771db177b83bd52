//! Messages over standard input and output.
//!
//! A message is read as a JSON value first and made a message then: with numbers of any precision, which this
//! workspace asks of its JSON library, ids that are numbers are not told apart otherwise.

use std::io::{BufRead, BufReader, Read, Stdin, Write};

use lsp_server::Message;
use serde_json::Value;

use super::Fatal;

/// Longest message that is read, in bytes.
const MAX_MESSAGE: usize = 256 << 20;
/// Longest line of a header, in bytes.
const MAX_LINE: u64 = 1 << 16;

/// What the editor says.
pub struct Reader(BufReader<Stdin>);

impl Reader {
    pub fn of_stdin() -> Reader {
        Reader(BufReader::new(std::io::stdin()))
    }

    /// The next message that can be understood; `None` at the end of the input.
    ///
    /// Errors: a header that makes no sense, after which nothing can be read.
    pub fn next(&mut self) -> Result<Option<Message>, Fatal> {
        loop {
            let Some(text) = self.body()? else { return Ok(None) };
            let value: Result<Value, _> =
                serde_json::from_slice(&text).or_else(|_| serde_json::from_slice(&without_halves(&text)));
            match value.and_then(serde_json::from_value) {
                Ok(message) => return Ok(Some(message)),
                Err(error) => eprintln!("blinkblox lsp: a message was ignored: {error}"),
            }
        }
    }

    fn body(&mut self) -> Result<Option<Vec<u8>>, Fatal> {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            let mut rest = (&mut self.0).take(MAX_LINE);
            let read = rest.read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == MAX_LINE {
                return Err("a line of a header has no end".to_string());
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let length = length.filter(|length| *length <= MAX_MESSAGE);
        let length = length.ok_or("a message does not say its Content-Length, or a length out of reason")?;
        let mut body = vec![0; length];
        match self.0.read_exact(&mut body) {
            Ok(()) => Ok(Some(body)),
            Err(_) => Ok(None),
        }
    }
}

/// The JSON text with every half of a surrogate pair that stands alone made the replacement character. Editors that count
/// in UTF-16 send such halves as escapes when the text has them; a change that is not taken over puts every later one in
/// the wrong place.
fn without_halves(text: &[u8]) -> Vec<u8> {
    let unit = |at: usize| -> Option<u32> {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let length = match (text[at], unit(at)) {
            (b'\\', Some(0xD800..=0xDBFF)) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            (b'\\', Some(0xD800..=0xDFFF)) => {
                out.extend_from_slice(b"\\uFFFD");
                at += 6;
                continue;
            }
            // An escaped backslash must not be taken for the beginning of an escape.
            (b'\\', _) => 2,
            _ => 1,
        };
        let end = (at + length).min(text.len());
        out.extend_from_slice(&text[at..end]);
        at = end;
    }
    out
}

/// What the editor is told, in the order it is told.
pub struct Writer<W>(pub W);

impl<W: Write> Writer<W> {
    /// Sends one message.
    ///
    /// Errors: the editor no longer reads.
    pub fn send(&mut self, message: &Message) -> Result<(), Fatal> {
        let out = &mut self.0;
        message.clone().write(out).and_then(|()| out.flush()).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_stay() {
        let mended = |text: &str| String::from_utf8(without_halves(text.as_bytes())).unwrap();
        for (text, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\uFFFD""#),
            (r#""a\ude00\ud83d b""#, r#""a\uFFFD\uFFFD b""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\uFFFD\ud83d\ude00""#),
            (r#""\u00""#, r#""\u00""#),
            ("\"\\", "\"\\"),
        ] {
            assert_eq!(mended(text), expected, "{text}");
        }
    }
}
