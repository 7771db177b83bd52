//! The page of the book that lists every command and flag, written from clap's own tables and held to them.

use std::fmt::Write as _;

use blinkblox_tests::book;
use clap::{Arg, ArgAction, Args, Command, CommandFactory};

use super::{Cli, direct};

/// Text that stands in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// `-p`, `--profile PROFILE`
fn spelling(arg: &Arg) -> String {
    let value = if matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) {
        let name =
            arg.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str());
        let many = arg.get_num_args().is_some_and(|count| count.max_values() > 1);
        let is_optional = arg.get_num_args().is_some_and(|count| count.min_values() == 0);
        let name = if is_optional && !arg.is_positional() { format!("[{name}]") } else { name.to_owned() };
        if many { format!("{name}...") } else { name }
    } else {
        String::new()
    };
    if arg.is_positional() {
        return format!("`{value}`");
    }
    let mut out = Vec::new();
    out.extend(arg.get_short().map(|short| format!("`-{short}`")));
    out.extend(arg.get_long().map(|long| format!("`{}`", format!("--{long} {value}").trim_end())));
    out.join(", ")
}

/// What an argument does, with the values it takes and the one it has unless given.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help()).map_or(String::new(), ToString::to_string);
    let mut text = cell(&help);
    if !text.ends_with('.') && !text.is_empty() {
        text.push('.');
    }
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if takes_value && !values.is_empty() {
        let _ = write!(text, " One of {}.", values.join(", "));
    }
    let defaults = arg.get_default_values();
    if let (true, Some(default)) = (takes_value, defaults.first().and_then(|value| value.to_str())) {
        let _ = write!(text, " Unless given: `{default}`.");
    }
    text
}

fn arguments(out: &mut String, command: &Command) {
    let shown: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version"))
        .collect();
    if shown.is_empty() {
        return;
    }
    out.push_str("\n| Argument | Does |\n|---|---|\n");
    for arg in shown {
        let _ = writeln!(out, "| {} | {} |", spelling(arg), meaning(arg));
    }
}

fn section(out: &mut String, name: &str, command: &Command) {
    let _ = writeln!(out, "\n## {name}\n");
    let about =
        command.get_long_about().or_else(|| command.get_about()).map_or(String::new(), ToString::to_string);
    let about = about.trim();
    let _ = writeln!(out, "{about}{}", if about.ends_with('.') { "" } else { "." });
    if !command.has_subcommands() {
        let usage = command.clone().bin_name(format!("blinkblox {name}")).render_usage().to_string();
        let _ = writeln!(out, "\n```text\n{}\n```", usage.trim_start_matches("Usage: ").trim());
    }
    arguments(out, command);
    if let Some(examples) = command.get_after_long_help() {
        let text = examples.to_string();
        let _ = writeln!(out, "\n```text\n{}\n```", text.trim_end());
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        section(out, &format!("{name} {}", inner.get_name()), inner);
    }
}

/// Only the command that is named is made where one runs.
#[test]
fn a_command_by_itself_is_the_one_of_all() {
    for mut of_all in Cli::command().get_subcommands().cloned() {
        let mut one = super::Command::named(of_all.get_name()).expect("a command has its name");
        assert_eq!(one.render_long_help().to_string(), of_all.render_long_help().to_string());
        let flags = |command: &Command| {
            command.get_arguments().map(|flag| flag.get_id().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(flags(&one), flags(&of_all));
    }
    assert!(super::Command::named("schema.blink").is_none());
}

/// The page.
fn page() -> String {
    let cli = Cli::command().disable_help_subcommand(true);
    let mut out = String::from(
        "<!-- Written from the command's own tables. A test holds it to them and says how to write it anew. -->\n\n\
         # Every command and flag\n\n\
         What `blinkblox COMMAND --help` prints, for every command. `-h` prints a shorter form; `--version` and `-v` print \
         the version.\n\n| Command | Does |\n|---|---|\n",
    );
    for command in cli.get_subcommands() {
        let about = command.get_about().map_or(String::new(), ToString::to_string);
        let name = command.get_name();
        let _ = writeln!(out, "| [`{name}`](#{name}) | {} |", cell(&about));
    }
    for command in cli.get_subcommands() {
        section(&mut out, command.get_name(), command);
    }
    out.push_str(
        "\n## Without a command\n\nA first argument that is no command's name is a schema, which is built; or a flag. This is \
         the form for scripts.\n\n```text\nblinkblox SCHEMA [FLAGS]\n```\n",
    );
    arguments(&mut out, &direct::DirectFlags::augment_args(Command::new("blinkblox")));
    out
}

#[test]
fn the_book_lists_every_command_and_flag() {
    let file = book::book().join("cli.md");
    let found = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    book::hold(&file, &found, &page(), "-p blinkblox --bin blinkblox the_book_lists");
}
