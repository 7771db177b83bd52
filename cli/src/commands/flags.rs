//! Flags that several commands share.

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_compiler::schema::Profile;
use clap::Args;

use super::usage;
use crate::printer::{ColorChoice, Format, Printer};

/// How a run reports.
#[derive(Args)]
pub struct ReportFlags {
    /// Print one JSON document and nothing else
    #[arg(long, overrides_with = "json")]
    json: bool,
    /// One line per diagnostic
    #[arg(short, long, overrides_with = "compact")]
    compact: bool,
    /// Form of diagnostics [default: human]
    #[arg(long, value_name = "FORM", value_enum, action = clap::ArgAction::Append)]
    error_format: Vec<Format>,
    /// Print nothing a successful run would print
    #[arg(short, long, overrides_with = "quiet")]
    quiet: bool,
    /// Stop reporting after this many errors; 0 for no limit [default: 50, and none in documents]
    #[arg(long, value_name = "NUMBER", overrides_with = "max_errors")]
    max_errors: Option<usize>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", overrides_with = "color", value_enum, default_value_t)]
    color: ColorChoice,
}

impl ReportFlags {
    /// The form of diagnostics; JSON wins.
    pub fn format(&self) -> Format {
        match (self.json, self.error_format.first()) {
            (true, _) => Format::Json,
            (false, Some(format)) => *format,
            (false, None) if self.compact => Format::Compact,
            (false, None) => Format::Human,
        }
    }

    /// A printer for the run, or the usage error of naming two forms.
    pub fn printer(&self) -> Result<Printer, Box<Diagnostic>> {
        let Some(first) = self.error_format.first() else { return Ok(self.make()) };
        match self.error_format.iter().find(|other| *other != first) {
            Some(other) => {
                let (first, other) = (first.text(), other.text());
                Err(Box::new(usage::error(format!("--error-format is given as `{first}` and as `{other}`"))))
            }
            None => Ok(self.make()),
        }
    }

    fn make(&self) -> Printer {
        Printer::new(self.format(), self.quiet, self.color).limited_to(self.max_errors)
    }
}

/// Which profile is compiled.
#[derive(Args)]
pub struct ProfileFlag {
    /// Build profile [default: release]
    #[arg(short, long, value_name = "PROFILE", allow_hyphen_values = true, action = clap::ArgAction::Append,
        value_parser = ["dev", "debug", "test", "release"], hide_possible_values = false)]
    profile: Vec<String>,
}

impl ProfileFlag {
    /// The profile named or the default one, or the usage error of naming two.
    pub fn profile(&self) -> Result<Profile, Box<Diagnostic>> {
        self.asked().map(Option::unwrap_or_default)
    }

    /// The profile named, or the usage error of naming two.
    pub fn asked(&self) -> Result<Option<Profile>, Box<Diagnostic>> {
        let Some(first) = self.profile.first() else { return Ok(None) };
        match self.profile.iter().find(|other| *other != first) {
            Some(other) => {
                Err(Box::new(usage::error(format!("--profile is given as `{first}` and as `{other}`"))))
            }
            None => Ok(Profile::from_text(first)),
        }
    }
}

/// Flags of every command that compiles schemas.
#[derive(Args)]
pub struct SchemaFlags {
    #[command(flatten)]
    pub profile: ProfileFlag,
    #[command(flatten)]
    pub report: ReportFlags,
    #[command(flatten)]
    pub stdin: StdinFlag,
    /// Answer yes to every question
    #[arg(short, long, overrides_with = "yes")]
    pub yes: bool,
    /// Any warning makes the run fail, with nothing written
    #[arg(long, overrides_with = "deny_warnings")]
    pub deny_warnings: bool,
}

/// Where a schema read from standard input is taken to stand.
#[derive(Args)]
pub struct StdinFlag {
    /// Path a schema read from standard input, `-`, is taken to have
    #[arg(long, value_name = "PATH", overrides_with = "stdin_path")]
    pub stdin_path: Option<String>,
}
