//! `blinkblox serve`: the local compile service of the Studio plugin. Source: tooling specification, 5.9.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::VERSION;
use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_emulator::shared::in_words;
use clap::Parser;
use serde_json::json;

use super::usage;
use crate::loader::forward;
use crate::printer::{Format, print_out};
use crate::serve::{Token, listen};

/// The port the plugin tries when nobody told it another.
pub const PORT: u16 = 34877;

/// Compile for the Studio plugin, on this machine alone
///
/// Studio cannot run the compiler itself, so its plugin asks this service, until it is stopped. It reads and writes no
/// file for the plugin, and answers only who shows the token it prints.
#[derive(Parser)]
#[command(
    after_long_help = "Examples:\n  blinkblox serve\n  blinkblox serve --token-file ~/.blinkblox-token\n\nIn Studio, open BlinkBlox Suite > Editor, press Connect, and give the port and the token."
)]
pub struct Serve {
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// Keep one token over restarts in this file, which is made with a fresh token when it is not there
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Print address and token as one JSON document
    #[arg(long, overrides_with = "json")]
    json: bool,
}

impl Default for Serve {
    fn default() -> Serve {
        Serve { port: PORT, token_file: None, json: false }
    }
}

impl Serve {
    /// Serves until it is interrupted, which is no failure.
    pub fn run(self) -> ExitCode {
        let format = if self.json { Format::Json } else { Format::Human };
        let token = match self.token() {
            Ok(token) => token,
            Err(diagnostic) => return usage::refuse(*diagnostic, format),
        };
        // Nothing is kept that an interrupt could leave half done.
        if ctrlc::set_handler(|| std::process::exit(0)).is_err() {
            return usage::refuse(usage::error("interrupts of this process are already taken"), format);
        }
        let shown = token.text().to_string();
        let served = listen(self.port, token, |port| self.tell(port, &shown));
        match served {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let headline = format!("port {} of this machine cannot be had: {error}", self.port);
                let refusal = usage::error(headline)
                    .note("Another `blinkblox serve` may be running. `--port 0` takes a free port.");
                usage::refuse(refusal, format)
            }
        }
    }

    fn tell(&self, port: u16, token: &str) {
        let address = format!("http://127.0.0.1:{port}");
        if self.json {
            let told = json!({ "compiler": VERSION, "address": address, "port": port, "token": token });
            print_out(&format!("{told}\n"));
            return;
        }
        print_out(&format!(
            "BlinkBlox {VERSION} compiles for Studio at {address}\n\
             port   {port}\n\
             token  {token}\n\
             In Studio: BlinkBlox Suite > Editor > Connect, then the port and the token. Ctrl+C stops.\n"
        ));
    }

    fn token(&self) -> Result<Token, Box<Diagnostic>> {
        let draw = || {
            Token::draw().map_err(|why| {
                Box::new(usage::error(format!("this machine gives no random numbers for a token: {why}")))
            })
        };
        let Some(path) = &self.token_file else { return draw() };
        let shown = forward(path);
        match std::fs::read_to_string(path) {
            Ok(text) => Token::given(&text).map_err(|why| {
                Box::new(
                    usage::error(format!("the token in {shown} is not usable: {why}"))
                        .note("Delete the file, and the next start makes a fresh token."),
                )
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let token = draw()?;
                keep(path, &token).map_err(|error| {
                    Box::new(Diagnostic::error(
                        Code::FileUnwritable,
                        format!("the token cannot be kept in {shown}: {}", in_words(&error)),
                    ))
                })?;
                Ok(token)
            }
            Err(error) => {
                let headline = format!("the token file {shown} cannot be read: {}", in_words(&error));
                Err(Box::new(Diagnostic::error(Code::FileUnreadable, headline)))
            }
        }
    }
}

/// Writes a token where only its owner reads it.
fn keep(path: &Path, token: &Token) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(path)?, "{}", token.text())
}
