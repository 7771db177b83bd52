//! What was done to the world: taken back, repeated, and saved as a spec.

use std::path::{Path, PathBuf};

use super::commands::{Outcome, Words, number};
use super::eval::Ended;
use super::keep;
use super::{Place, Repl, Reply, look, stops};
use crate::game;
use crate::network::{LinkSettings, PRESETS};
use crate::shared::Side;
use crate::testing::director::normalise;
use crate::value::Value;
use crate::world::OutputReader;

/// An input that changed something.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Where it was given: a side's name, or `director`.
    place: String,
    /// The input itself, so that it can be given again.
    input: String,
    /// What it is in a spec.
    spec: String,
    /// Frames it ran, where it does nothing else.
    frames: Option<u64>,
}

/// Inputs in order.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    entries: Vec<Entry>,
}

impl Repl {
    /// Keeps an input.
    pub(super) fn note(&mut self, input: String, spec: String) {
        let entry = Entry { place: self.place_name(), input: input.trim().to_string(), spec, frames: None };
        self.history.entries.push(entry);
    }

    /// Keeps that frames ran; those in a row are one entry as long as nothing stopped time between them.
    pub(super) fn note_frames(&mut self, frames: u64) {
        let place = self.place_name();
        let is_play = frames == 1;
        if let Some(last) = self.history.entries.last_mut().filter(|_| is_play && self.stops.is_empty())
            && let Some(count) = &mut last.frames
            && last.input.starts_with(".step")
            && last.place == place
        {
            *count += frames;
            last.input = format!(".step {count}");
            last.spec = format!("world:step({count})");
            return;
        }
        self.history.entries.push(Entry {
            place,
            input: format!(".step {frames}"),
            spec: format!("world:step({frames})"),
            frames: Some(frames),
        });
    }

    /// Keeps an input of Luau. `text` is what was compiled of it.
    pub(super) fn note_input(&mut self, side: Side, source: &str, text: &str, ended: &Ended) {
        let name = self.side_name(side);
        let call = |text: &str| format!("at({name:?}, {})", long_string(text));
        let spec = match &ended.values {
            Some(Ok(values)) => {
                match values.iter().map(|value| literal(value, 0)).collect::<Option<Vec<_>>>() {
                    Some(values) if values.is_empty() => call(text),
                    Some(values) => {
                        format!("expect({{ {} }}):toEqual({{ {} }})", call(text), values.join(", "))
                    }
                    None => call(text),
                }
            }
            Some(Err(_)) => format!("expect(function()\n\t{}\nend):toThrow()", call(text)),
            None => format!("start({name:?}, {})\nworld:step({})", long_string(text), ended.frames),
        };
        self.note(source.to_string(), spec);
    }

    /// Keeps an input of the director.
    pub(super) fn note_outside(&mut self, source: &str, text: &str, ended: &Ended) {
        let body = format!("(function()\n{text}\nend)()");
        let spec = match &ended.values {
            Some(Ok(values)) => {
                match values.iter().map(|value| literal(value, 0)).collect::<Option<Vec<_>>>() {
                    Some(values) if !values.is_empty() => {
                        format!("expect({{ {body} }}):toEqual({{ {} }})", values.join(", "))
                    }
                    _ => body,
                }
            }
            Some(Err(_)) => format!("expect(function()\n{text}\nend):toThrow()"),
            None => format!("world:step({})", ended.frames),
        };
        self.note(source.to_string(), spec);
    }

    /// A fresh world in place of this one; the prompt is on its server.
    fn start_over(&mut self) -> Result<(), String> {
        let game = game::open_game(&self.options)?;
        self.interrupt.follow(&game.world.core().shared.deadline);
        self.world = game.world.clone();
        self.game = game;
        self.place = Place::Side(Side::Server);
        self.pending.clear();
        self.output = OutputReader::default();
        self.sessions.clear();
        self.director = None;
        self.history = History::default();
        self.stops = stops::Stops::default();
        self.recording = look::Recording::default();
        Ok(())
    }

    /// Gives these inputs again. What they print has been seen before.
    fn repeat(&mut self, entries: Vec<Entry>) {
        let place = self.place_name();
        for entry in entries {
            if self.interrupt.is_set() {
                break;
            }
            if self.go_to(&entry.place).is_err() {
                continue;
            }
            self.extend_deadline();
            match entry.input.strip_prefix('.') {
                Some(command) => {
                    self.command(command);
                }
                None => {
                    self.pending = entry.input;
                    self.evaluate();
                    self.pending.clear();
                }
            }
        }
        self.new_output();
        // Where the prompt was may be gone.
        let _ = self.go_to(&place);
    }

    fn go_to(&mut self, place: &str) -> Result<(), String> {
        self.place = match place {
            "director" => Place::Director,
            name => Place::Side(self.named_side(name)?),
        };
        Ok(())
    }

    pub(super) fn undo(&mut self, words: &Words) -> Outcome {
        let count = number(words.get(0), 1.0)? as usize;
        let mut entries = self.history.entries.clone();
        if entries.is_empty() {
            return Err("nothing was done yet".into());
        }
        let undone = entries.split_off(entries.len().saturating_sub(count));
        let place = self.place_name();
        self.start_over()?;
        let _ = self.go_to(&place);
        self.repeat(entries);
        // A client's prompt may only be there again now.
        let _ = self.go_to(&place);
        let lines: Vec<String> = undone.iter().map(|entry| format!("undone: {}", entry.shown())).collect();
        Ok(Reply::Text(lines.join("\n")))
    }

    pub(super) fn reset(&mut self, _: &Words) -> Outcome {
        self.start_over()?;
        Ok(self.with_output("a fresh world"))
    }

    pub(super) fn reload(&mut self, words: &Words) -> Outcome {
        let entries = match words.get(0) {
            None => Vec::new(),
            Some("replay") => self.history.entries.clone(),
            Some(other) => return Err(format!(".reload takes `replay` or nothing, not {other}")),
        };
        let place = self.place_name();
        self.start_over()?;
        let _ = self.go_to(&place);
        let count = entries.len();
        self.repeat(entries);
        let _ = self.go_to(&place);
        let repeated = if count > 0 { format!(", {count} inputs repeated") } else { String::new() };
        Ok(self.with_output(format!("the files are read again{repeated}")))
    }

    pub(super) fn seed(&mut self, words: &Words) -> Outcome {
        if let Some(word) = words.get(0) {
            self.options.seed = word.parse().map_err(|_| format!("{word} is not a seed"))?;
            self.start_over()?;
        }
        Ok(Reply::Text(self.options.seed.to_string()))
    }

    pub(super) fn show_history(&mut self, _: &Words) -> Outcome {
        let lines: Vec<String> = self
            .history
            .entries
            .iter()
            .enumerate()
            .map(|(index, entry)| format!("{:3} {}> {}", index + 1, entry.place, entry.shown()))
            .collect();
        Ok(Reply::Text(if lines.is_empty() { "nothing was done yet".into() } else { lines.join("\n") }))
    }

    pub(super) fn save(&mut self, words: &Words) -> Outcome {
        let path = words.get(0).ok_or(".save needs a file, such as session.spec.luau")?;
        let is_ours = |text: &str| text.starts_with(FIRST_LINE);
        keep::write(path, &self.spec(Path::new(path)), words.get(1), is_ours)?;
        Ok(Reply::Text(format!(
            "{} inputs are in {path}; blinkblox test {path} repeats them",
            self.history.entries.len()
        )))
    }

    /// The session as the text of a spec at `path`.
    fn spec(&self, path: &Path) -> String {
        let options = &self.options;
        let mut fields = vec![
            format!("game = {:?}", relative(&options.path, path.parent().unwrap_or(Path::new("")))),
            format!("seed = {}", options.seed),
            format!("clients = {}", options.clients),
        ];
        if let Some(net) =
            PRESETS.iter().find(|name| LinkSettings::preset(name).as_ref() == Some(&options.link))
            && *net != "perfect"
        {
            fields.push(format!("net = {net:?}"));
        }
        for (name, value) in [("fps", options.fps), ("clientFps", options.client_fps)] {
            if value != 60.0 {
                fields.push(format!("{name} = {value}"));
            }
        }
        let mut settings: Vec<String> = options
            .settings
            .iter()
            .map(|(name, value)| {
                let key = if blinkblox_compiler::luau::is_name(name) {
                    name.clone()
                } else {
                    format!("[{name:?}]")
                };
                format!("{key} = {value:?}")
            })
            .collect();
        if !options.settings.iter().any(|(name, _)| name == "signals") {
            let mode = match self.world.core().settings().signals {
                crate::shared::SignalMode::Immediate => "immediate",
                crate::shared::SignalMode::Deferred => "deferred",
            };
            settings.push(format!("signals = {mode:?}"));
        }
        fields.push(format!("settings = {{ {} }}", settings.join(", ")));
        let mut body = String::new();
        for entry in &self.history.entries {
            for (index, line) in entry.spec.lines().enumerate() {
                // What stands in a long string keeps its columns.
                let indent = if index == 0 || !entry.spec.contains("[=") { "\t" } else { "" };
                body.push_str(&format!("{indent}{line}\n"));
            }
        }
        format!(
            "{FIRST_LINE}: what was done, and what it gave.\n\n\
             it(\"repeats the session\", function()\n\
             \tlocal world = test.world({{ {} }})\n\
             {HELPERS}\n{body}end)\n",
            fields.join(", ")
        )
    }
}

/// What a saved session begins with: a file of that beginning is replaced without a word.
const FIRST_LINE: &str = "-- A session of `blinkblox repl`";

impl Entry {
    fn shown(&self) -> String {
        let mut lines = self.input.lines();
        let first = lines.next().unwrap_or_default().to_string();
        if lines.next().is_some() { first + " ..." } else { first }
    }
}

/// What the inputs of a saved session are written with. Inputs of a side share their globals, as at the prompt.
const HELPERS: &str = "\
\tlocal function side(name)
\t\tif name == \"server\" then
\t\t\treturn world.server
\t\tend
\t\tfor _, client in world:clients() do
\t\t\tif client.name == name then
\t\t\t\treturn client
\t\t\tend
\t\tend
\t\terror(`there is no {name}`)
\tend
\tlocal function session(source)
\t\treturn \"_G.promptSession = _G.promptSession or setmetatable({}, { __index = getfenv() }) \"
\t\t\t.. \"setfenv(1, _G.promptSession) \"
\t\t\t.. source
\tend
\tlocal function at(name, source)
\t\tlocal values = table.pack(side(name):eval(session(source)))
\t\tside(name):drain()
\t\treturn table.unpack(values, 1, values.n)
\tend
\tlocal function start(name, source)
\t\tat(name, `task.spawn(function() {source}\\nend)`)
\tend
";

/// Luau's long string of a text.
fn long_string(text: &str) -> String {
    let mut level = 1;
    while text.contains(&format!("]{}]", "=".repeat(level)))
        || text.ends_with(&format!("]{}", "=".repeat(level)))
    {
        level += 1;
    }
    let marks = "=".repeat(level);
    format!("[{marks}[{text}]{marks}]")
}

/// A value as a literal, if it is made of plain values only.
fn literal(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::Nil => Some("nil".to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        Value::Number(number) if number.is_finite() => Some(format!("{number:?}")),
        Value::String(bytes) => {
            let text = std::str::from_utf8(bytes).ok()?;
            let is_plain = text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t');
            // Luau reads Rust's escapes the same way.
            is_plain.then(|| format!("\"{}\"", text.escape_default()))
        }
        Value::Table(table) if depth < 8 => {
            let mut parts: Vec<String> =
                table.array.iter().map(|value| literal(value, depth + 1)).collect::<Option<_>>()?;
            for (key, value) in &table.pairs {
                parts.push(format!("[{}] = {}", literal(key, depth + 1)?, literal(value, depth + 1)?));
            }
            Some(format!("{{ {} }}", parts.join(", ")))
        }
        _ => None,
    }
}

/// A path as it is written from a folder.
fn relative(path: &Path, folder: &Path) -> String {
    let whole = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        std::path::absolute(path).map_or_else(|_| path.to_path_buf(), |path| normalise(&path))
    };
    let (path, folder) = (whole(path), whole(folder));
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return path.display().to_string().replace('\\', "/");
    }
    let up = folder.components().skip(shared).map(|_| std::path::Component::ParentDir);
    let whole: PathBuf = up.chain(path.components().skip(shared)).collect();
    let text = whole.display().to_string().replace('\\', "/");
    if text.is_empty() { ".".to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_so_that_luau_reads_them_back() {
        assert_eq!(long_string("a"), "[=[a]=]");
        assert_eq!(long_string("a]=]b"), "[==[a]=]b]==]");
        assert_eq!(long_string("a]="), "[==[a]=]==]");
        assert_eq!(literal(&Value::from("a\n\"b\" ü"), 0).unwrap(), "\"a\\n\\\"b\\\" \\u{fc}\"");
        assert_eq!(literal(&Value::Number(0.1), 0).unwrap(), "0.1");
        assert_eq!(literal(&Value::Number(f64::NAN), 0), None);
        let table = Value::record([("a", Value::array([Value::Boolean(true)]))]);
        assert_eq!(literal(&table, 0).unwrap(), "{ [\"a\"] = { true } }");
    }

    #[test]
    fn paths_are_relative_to_the_spec() {
        assert_eq!(relative(Path::new("."), Path::new("")), ".");
        assert_eq!(relative(Path::new("game"), Path::new("specs/a")), "../../game");
        assert_eq!(relative(Path::new("."), Path::new("specs")), "..");
    }
}
