//! The form without a command: `blinkblox SCHEMA`. Its flags stand for commands. Source: tooling specification, 2.1.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser};

use super::build::{Job, Mode, run_schemas};
use super::flags::{OutputFlags, SchemaFlags};
use super::{convert, diff, explain, fmt, size, usage};
use crate::printer::Format;

/// Compiles one schema and writes its modules.
#[derive(Parser)]
#[command(name = "blinkblox", disable_version_flag = true)]
pub struct Direct {
    /// Path of the schema, or `-` for standard input
    #[arg(value_name = "SCHEMA", required_unless_present_any = ["explain", "lsp", "serve"])]
    schema: Option<String>,
    #[command(flatten)]
    flags: DirectFlags,
}

/// Flags of the form without a command.
#[derive(Args)]
pub struct DirectFlags {
    /// Do all the work and write nothing
    #[arg(long, overrides_with = "check")]
    check: bool,
    /// Compile, then again whenever a file of the schema changes
    #[arg(short, long, overrides_with = "watch", conflicts_with_all = ["verify", "json", "tool"])]
    watch: bool,
    /// Compare what would be written with what is on disk
    #[arg(long, overrides_with = "verify", conflicts_with = "tool")]
    verify: bool,
    /// With --verify, a file that another release wrote is stale
    #[arg(long, overrides_with = "strict_version")]
    strict_version: bool,
    /// With --verify, a generated file beside the outputs that the schema does not write fails it too
    #[arg(long, overrides_with = "orphans")]
    orphans: bool,
    /// Print the paths of what would be written, a line each, and write nothing
    #[arg(long, overrides_with = "list_outputs", conflicts_with_all = ["check", "verify", "watch", "tool", "depfile"])]
    list_outputs: bool,
    /// As --watch, and stop when standard input closes
    #[arg(long, overrides_with = "watch_stdin", conflicts_with_all = ["verify", "json", "tool"])]
    watch_stdin: bool,
    /// With --watch, print one JSON document for every compile, a line each, and nothing else
    #[arg(long, overrides_with = "json_stream", conflicts_with_all = ["json", "verify", "tool"])]
    json_stream: bool,
    /// Rewrite the schema in the canonical layout; with --check, only say whether it would change
    #[arg(long, overrides_with = "format", group = "tool")]
    format: bool,
    /// Print what every event, function and exported type takes
    #[arg(long, overrides_with = "sizes", group = "tool")]
    sizes: bool,
    /// Compare with an older schema: what changed, and whether modules of one accept the other's
    #[arg(long, value_name = "OLD", overrides_with = "diff", group = "tool")]
    diff: Option<String>,
    /// Explain a code, such as E3004, and do nothing else
    #[arg(long, value_name = "CODE", overrides_with = "explain", group = "tool")]
    explain: Option<String>,
    /// Read SCHEMA as another tool's definitions, and write a draft schema
    #[arg(long, value_name = "TOOL", overrides_with = "from", group = "tool", value_parser = convert::tools())]
    from: Option<String>,
    #[command(flatten)]
    convert: convert::ConvertFlags,
    /// Write what the outputs are made from to PATH, as Make reads it
    #[arg(long, value_name = "PATH", overrides_with = "depfile", conflicts_with_all = ["check", "verify", "watch", "tool"])]
    depfile: Option<PathBuf>,
    /// Run the language server
    #[arg(long, overrides_with = "lsp", group = "tool")]
    lsp: bool,
    /// Run the compile service of the Studio plugin; `blinkblox serve` has its settings
    #[arg(long, overrides_with = "serve", group = "tool")]
    serve: bool,
    #[command(flatten)]
    outputs: OutputFlags,
    #[command(flatten)]
    flags: SchemaFlags,
}

/// What a flag that stands for a command makes of the schema named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// It has no use for one.
    Nothing,
    /// Its text, and no more.
    Text,
    /// What it means, and writes no modules of it.
    Schema,
}

/// A flag that is given and would be ignored by a command that reads so much, with why.
fn unused(reads: Reads, outputs: &OutputFlags, flags: &SchemaFlags) -> Option<(&'static str, &'static str)> {
    if let Some(flag) = outputs.given() {
        return Some((flag, "writes no modules"));
    }
    if reads == Reads::Schema {
        return None;
    }
    if let Some(flag) = flags.warnings.given() {
        return Some((flag, "reports no warnings"));
    }
    if flags.profile.is_given() {
        return Some(("--profile", "compiles under no profile"));
    }
    (reads == Reads::Nothing && flags.stdin.stdin_path.is_some())
        .then_some(("--stdin-path", "reads no schema"))
}

impl Direct {
    /// Does what the flags ask for; without one that stands for a command, compiles.
    pub fn run(self) -> ExitCode {
        let DirectFlags {
            check,
            watch,
            verify,
            strict_version,
            orphans,
            list_outputs,
            watch_stdin,
            json_stream,
            format,
            sizes,
            diff,
            explain,
            from,
            convert,
            depfile,
            lsp,
            serve,
            outputs,
            flags,
        } = self.flags;
        let tools = [
            (lsp, "--lsp", Reads::Nothing),
            (explain.is_some(), "--explain", Reads::Nothing),
            (serve, "--serve", Reads::Nothing),
            (from.is_some(), "--from", Reads::Text),
            (format, "--format", Reads::Text),
            (sizes, "--sizes", Reads::Schema),
            (diff.is_some(), "--diff", Reads::Schema),
        ];
        if let Some((_, tool, reads)) = tools.into_iter().find(|(given, ..)| *given)
            && let Some((flag, why)) = unused(reads, &outputs, &flags)
        {
            let refusal = usage::error(format!("{flag} cannot be given with {tool}"))
                .note(format!("{tool} {why}. Leave {flag} out."));
            return usage::refuse(refusal, flags.report.format());
        }
        let of_verify = [("--strict-version", strict_version), ("--orphans", orphans)];
        if let Some((flag, _)) = of_verify.iter().find(|(_, given)| *given && !verify) {
            let refusal = usage::error(format!("{flag} says what --verify counts, and needs it"));
            return usage::refuse(refusal, flags.report.format());
        }
        if lsp {
            return crate::lsp::serve();
        }
        if let Some(code) = explain {
            return explain::explain(&code, &flags.report);
        }
        if serve {
            return super::serve::Serve::default().run();
        }
        let schema = self.schema.unwrap_or_default();
        let placed = [("--output", &convert.output), ("--bridge", &convert.bridge)];
        if let Some((flag, _)) = placed.iter().find(|(_, path)| path.is_some() && from.is_none()) {
            let refusal = usage::error(format!("{flag} says where a draft goes, and needs --from"));
            return usage::refuse(refusal, flags.report.format());
        }
        if let Some(tool) = from {
            let settings =
                convert::Settings { tool, file: schema, check, yes: flags.yes, stdin: flags.stdin };
            return convert::run(&settings, &convert, &flags.report);
        }
        if let Some(old) = diff {
            return diff::diff(&old, &schema, &flags.profile, &flags.report, &flags.stdin, &flags.warnings);
        }
        if sizes {
            return size::sizes(&[schema], &flags.profile, &flags.report, &flags.stdin, &flags.warnings);
        }
        if format {
            let settings = fmt::Settings { check, stdin: flags.stdin, ..fmt::Settings::default() };
            return fmt::format_files(&[schema], settings, &flags.report);
        }
        let overrides = outputs.overrides();
        if watch || watch_stdin {
            if overrides.is_any() {
                let refusal = usage::error("--server-output and its like cannot be given with --watch")
                    .note("Write the paths into the schema, as `option ServerOutput`.");
                return usage::refuse(refusal, flags.report.format());
            }
            let options = super::watch::Options {
                check,
                stdin: watch_stdin,
                stream: json_stream,
                ..super::watch::Options::default()
            };
            return super::watch::watch(&[schema], &options, &flags);
        }
        if json_stream {
            let refusal =
                usage::error("--json-stream prints a document for every compile, and needs --watch")
                    .note("`--json` prints the one document of a single run.");
            return usage::refuse(refusal, Format::Json);
        }
        let mode = match (verify, check) {
            (true, _) => Mode::Verify { strict_version, orphans },
            (false, true) => Mode::Check,
            (false, false) if list_outputs => Mode::List,
            (false, false) => Mode::Write,
        };
        run_schemas(&[schema], &flags, &Job { mode, depfile, overrides })
    }
}
