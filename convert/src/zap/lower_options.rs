//! zap's options, as options of the language.

use blinkblox_compiler::source::Span;

use super::ast::{Opt, ValueKind};
use super::lower::Lowered;
use super::lower_types::call;
use crate::draft::{Setting, quoted};
use crate::refused;
use crate::report::{Place, Report};

/// What options say.
pub(super) struct Options {
    pub(super) settings: Vec<Setting>,
    pub(super) has_outputs: bool,
    pub(super) call_default: Option<&'static str>,
    pub(super) yields: &'static str,
}

/// Options that hold a text and have a counterpart that does.
const TEXTS: &[(&str, &str)] = &[
    ("server_output", "ServerOutput"),
    ("client_output", "ClientOutput"),
    ("types_output", "TypesOutput"),
    ("remote_scope", "RemoteScope"),
    ("remote_folder", "RemotesFolder"),
];

/// Options that are on or off and have a counterpart that is.
const SWITCHES: &[(&str, &str)] = &[
    ("write_checks", "WriteValidations"),
    ("typescript", "Typescript"),
    ("manual_event_loop", "ManualReplication"),
];

/// Reads all options. Errors: a value that zap would refuse, or an async library that is needed and not named.
pub(super) fn options(
    opts: &[Opt],
    has_functions: bool,
    place: &dyn Fn(Span) -> Place,
    report: &mut Report,
) -> Lowered<Options> {
    let mut found = Options { settings: vec![], has_outputs: false, call_default: None, yields: "Coroutine" };
    let mut library = None;
    let mut yield_type = None;
    for opt in opts {
        let name = opt.name.text.as_str();
        let counterpart = |list: &[(&str, &'static str)]| {
            list.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours)
        };
        let mut set = |name: &'static str, value: String, mark: Option<&str>| {
            let comments = opt.comments.clone();
            found.settings.push(Setting { name, value, mark: mark.map(str::to_string), comments });
        };
        if let Some(ours) = counterpart(TEXTS) {
            let text = text(opt)?;
            let mark = ours.ends_with("Output").then_some("zap's own module is written here");
            match quoted(text).filter(|_| !text.is_empty()) {
                Some(value) => set(ours, value, mark),
                None => report.lost(
                    name,
                    Some(place(opt.name.span)),
                    format!("opt {name} is left out: {text:?} is no value of {ours}"),
                ),
            }
            found.has_outputs |= matches!(ours, "ServerOutput" | "ClientOutput");
        } else if let Some(ours) = counterpart(SWITCHES) {
            set(ours, boolean(opt)?.to_string(), None);
        } else {
            match name {
                "casing" => {
                    let word = one_of(
                        opt,
                        &[("PascalCase", "Pascal"), ("camelCase", "Camel"), ("snake_case", "Snake")],
                    )?;
                    set("Casing", word.to_string(), None);
                }
                "call_default" => {
                    let Some(word) = call(text(opt)?) else {
                        return Err(bad(opt, "a way of listening, such as \"ManyAsync\""));
                    };
                    found.call_default = Some(word);
                }
                "yield_type" => {
                    let words = [("yield", "Coroutine"), ("future", "Future"), ("promise", "Promise")];
                    found.yields = one_of(opt, &words)?;
                    yield_type = Some(opt);
                }
                "async_lib" => library = Some((opt, text(opt)?)),
                _ => {
                    let message = format!("opt {name} is left out: it has no counterpart");
                    report.lost(name, Some(place(opt.name.span)), message);
                }
            }
        }
    }
    // zap's default is on, and the language's is off.
    if !found.settings.iter().any(|setting| setting.name == "WriteValidations") {
        found.settings.push(Setting {
            name: "WriteValidations",
            value: "true".to_string(),
            mark: None,
            comments: vec![],
        });
    }
    let option = match found.yields {
        "Future" => Some("FutureLibrary"),
        "Promise" => Some("PromiseLibrary"),
        _ => None,
    };
    match (option, library, yield_type) {
        (Some(option), Some((opt, path)), _) => match quoted(required(path)) {
            Some(value) => found.settings.push(Setting {
                name: option,
                value,
                mark: None,
                comments: opt.comments.clone(),
            }),
            None => return Err(bad(opt, "a path without both kinds of quotes")),
        },
        (Some(_), None, Some(opt)) if has_functions => {
            let headline = "`opt async_lib` is needed with this `yield_type`";
            return Err(Box::new(refused(headline, opt.value.span, "needs a library")));
        }
        (None, Some((opt, _)), _) => {
            let message = "opt async_lib is left out: no function yields a future or a promise";
            report.lost("async_lib", Some(place(opt.name.span)), message);
        }
        _ => {}
    }
    outputs(&mut found);
    Ok(found)
}

/// Where one module's path is stated, the other's is asked for.
fn outputs(found: &mut Options) {
    if !found.has_outputs {
        return;
    }
    for (name, value) in [("ServerOutput", "\"Server\""), ("ClientOutput", "\"Client\"")] {
        if !found.settings.iter().any(|setting| setting.name == name) {
            let mark = Some("where this module goes".to_string());
            found.settings.push(Setting { name, value: value.to_string(), mark, comments: vec![] });
        }
    }
}

/// The path inside `require(..)`.
fn required(path: &str) -> &str {
    let inner = path.trim().strip_prefix("require").map(str::trim_start);
    inner
        .and_then(|rest| rest.strip_prefix('('))
        .and_then(|rest| rest.strip_suffix(')'))
        .map_or(path, str::trim)
}

fn text(opt: &Opt) -> Lowered<&str> {
    match &opt.value.kind {
        ValueKind::Text(text) => Ok(text),
        ValueKind::Boolean(_) | ValueKind::Number => Err(bad(opt, "a text")),
    }
}

fn boolean(opt: &Opt) -> Lowered<bool> {
    match opt.value.kind {
        ValueKind::Boolean(value) => Ok(value),
        ValueKind::Text(_) | ValueKind::Number => Err(bad(opt, "`true` or `false`")),
    }
}

fn one_of(opt: &Opt, words: &[(&str, &'static str)]) -> Lowered<&'static str> {
    let given = text(opt)?;
    let known = words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    words
        .iter()
        .find(|(word, _)| *word == given)
        .map(|(_, ours)| *ours)
        .ok_or_else(|| bad(opt, &format!("one of {known}")))
}

fn bad(opt: &Opt, needed: &str) -> Box<blinkblox_compiler::diagnostics::Diagnostic> {
    let headline = format!("`opt {}` does not take this value", opt.name.text);
    Box::new(refused(headline, opt.value.span, format!("{needed} is needed here")))
}
