//! Flags that several commands share.

use blinkblox_compiler::diagnostics::{Code, Diagnostic, Severity, suggest};
use blinkblox_compiler::explain;
use blinkblox_compiler::schema::Profile;
use clap::Args;

use super::compile::Overrides;
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
    /// Draw diagnostics with ASCII characters only, as on a terminal that is not UTF-8
    #[arg(long, overrides_with = "ascii")]
    ascii: bool,
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
        Printer::new(self.format(), self.quiet, self.color).limited_to(self.max_errors).in_ascii(self.ascii)
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

    /// Whether one is named.
    pub fn is_given(&self) -> bool {
        !self.profile.is_empty()
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
    #[command(flatten)]
    pub warnings: WarningFlags,
}

/// What becomes of warnings, in every command that reports those of a schema.
#[derive(Args)]
pub struct WarningFlags {
    /// Any warning makes the run fail, with nothing written
    #[arg(long, overrides_with = "deny_warnings")]
    deny_warnings: bool,
    /// Make a warning an error, such as W3019; may be repeated
    #[arg(long, value_name = "CODE")]
    deny: Vec<String>,
    /// Drop a warning; may be repeated
    #[arg(long, value_name = "CODE")]
    allow: Vec<String>,
}

impl WarningFlags {
    /// What becomes of warnings, or the usage error of a code that is none.
    pub fn verdicts(&self) -> Result<Verdicts, Box<Diagnostic>> {
        let codes = |flag: &str, given: &[String]| -> Result<Vec<Code>, Box<Diagnostic>> {
            given.iter().map(|text| code(flag, text)).collect()
        };
        let (deny, allow) = (codes("--deny", &self.deny)?, codes("--allow", &self.allow)?);
        if let Some(both) = deny.iter().find(|code| allow.contains(code)) {
            let title = explain::title(*both);
            return Err(Box::new(usage::error(format!("{title} is given with --deny and with --allow"))));
        }
        Ok(Verdicts { all: self.deny_warnings, deny, allow })
    }

    /// One of the flags that is given, as it is written.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--deny-warnings", self.deny_warnings),
            ("--deny", !self.deny.is_empty()),
            ("--allow", !self.allow.is_empty()),
        ];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }
}

/// What becomes of warnings.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// Whether any of them fails the run.
    all: bool,
    deny: Vec<Code>,
    allow: Vec<Code>,
}

impl Verdicts {
    /// Whether warnings among diagnostics that are judged already fail the run.
    pub fn refuse(&self, judged: &[Diagnostic]) -> bool {
        self.all && judged.iter().any(|one| !one.is_error())
    }

    /// Takes away what is allowed and makes errors of what is denied. Errors stay as they are.
    pub fn judge(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain(|one| one.is_error() || !self.allow.contains(&one.code));
        for one in diagnostics.iter_mut().filter(|one| self.deny.contains(&one.code)) {
            one.severity = Severity::Error;
        }
    }
}

/// The warning a text names.
fn code(flag: &str, text: &str) -> Result<Code, Box<Diagnostic>> {
    let Some(code) = explain::find(text) else {
        let known = Code::ALL.iter().map(|code| explain::title(*code)).filter(|title| title.starts_with('W'));
        let near = suggest::nearest(text, known).map(|near| format!("Did you mean `{near}`?"));
        return Err(Box::new(
            usage::error(format!("{flag} needs a code, and there is no `{text}`")).opt_note(near),
        ));
    };
    let title = explain::title(code);
    let named_error = text.trim().starts_with(['E', 'e']) && title.eq_ignore_ascii_case(text.trim());
    if named_error && explain::is_warning(code) {
        let warning = title.replace('E', "W");
        let refusal = usage::error(format!("{flag} is for warnings, and {title} is an error"));
        return Err(Box::new(refusal.note(format!("The warning of that number is {warning}."))));
    }
    if !explain::is_warning(code) {
        let refusal = usage::error(format!("{flag} is for warnings, and {title} is an error"));
        return Err(Box::new(refusal.note("An error is an error under every flag.")));
    }
    Ok(code)
}

/// Where outputs go, in place of what the schema says.
#[derive(Args)]
pub struct OutputFlags {
    /// Write the server module to PATH, whatever the schema's option says
    #[arg(long, value_name = "PATH", overrides_with = "server_output")]
    server_output: Option<String>,
    /// Write the client module to PATH
    #[arg(long, value_name = "PATH", overrides_with = "client_output")]
    client_output: Option<String>,
    /// Write the types module to PATH
    #[arg(long, value_name = "PATH", overrides_with = "types_output")]
    types_output: Option<String>,
}

impl OutputFlags {
    /// One of the flags that is given, as it is written.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--server-output", &self.server_output),
            ("--client-output", &self.client_output),
            ("--types-output", &self.types_output),
        ];
        flags.into_iter().find_map(|(flag, path)| path.is_some().then_some(flag))
    }

    /// The paths given.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            server: self.server_output.clone(),
            client: self.client_output.clone(),
            types: self.types_output.clone(),
        }
    }
}

/// Where a schema read from standard input is taken to stand.
#[derive(Args, Clone, Debug, Default)]
pub struct StdinFlag {
    /// Path a schema read from standard input, `-`, is taken to have
    #[arg(long, value_name = "PATH", overrides_with = "stdin_path")]
    pub stdin_path: Option<String>,
}

impl StdinFlag {
    /// The usage error of a path for standard input when none of the files that a run names is `-`.
    pub fn needs_stdin(&self, named: &[&str]) -> Result<(), Box<Diagnostic>> {
        if self.stdin_path.is_none() || named.contains(&"-") {
            return Ok(());
        }
        let refusal = usage::error("--stdin-path says where standard input stands, which is not read")
            .note("Name `-` in place of the file to read standard input, or leave --stdin-path out.");
        Err(Box::new(refusal))
    }
}
