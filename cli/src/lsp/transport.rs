//! Messages over standard input and output.
//!
//! A message is read as a JSON value first and made a message then: with numbers of any precision, which this
//! workspace asks of its JSON library, ids that are numbers are not told apart otherwise.

use std::io::{BufRead, BufReader, Read, Stdin, Stdout, Write};

use lsp_server::Message;
use serde_json::Value;

use super::Fatal;

/// Longest message that is read, in bytes.
const MAX_MESSAGE: usize = 256 << 20;

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
            let value: Result<Value, _> = serde_json::from_slice(&text);
            match value.and_then(serde_json::from_value) {
                Ok(message) => return Ok(Some(message)),
                Err(error) => eprintln!("blinkblox lsp: a message was ignored: {error}"),
            }
        }
    }

    fn body(&mut self) -> Result<Option<Vec<u8>>, Fatal> {
        let mut length = None;
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line).map_err(|error| error.to_string())?;
            if read == 0 {
                return Ok(None);
            }
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

/// What the editor is told.
pub struct Writer(Stdout);

impl Writer {
    pub fn of_stdout() -> Writer {
        Writer(std::io::stdout())
    }

    /// Sends one message.
    ///
    /// Errors: the editor no longer reads.
    pub fn send(&mut self, message: &Message) -> Result<(), Fatal> {
        let mut out = self.0.lock();
        message.clone().write(&mut out).and_then(|()| out.flush()).map_err(|error| error.to_string())
    }
}
