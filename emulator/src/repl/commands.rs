//! Commands of the prompt, one line each in a table. Source: emulator requirements, 15.

use super::{Place, Repl, Reply};
use crate::network::{LinkSettings, LinkValue, Way};
use crate::peer::REQUIRE_BY_NAME;
use crate::shared::Side;
use crate::world::{JoinOptions, LeaveHow};

/// What a command gives.
pub(super) type Outcome = Result<Reply, String>;

/// A command: how it is written, what it does, and what runs it.
pub(super) struct Command {
    pub(super) name: &'static str,
    usage: &'static str,
    text: &'static str,
    run: fn(&mut Repl, &Words) -> Outcome,
}

const fn command(
    name: &'static str,
    usage: &'static str,
    text: &'static str,
    run: fn(&mut Repl, &Words) -> Outcome,
) -> Command {
    Command { name, usage, text, run }
}

/// Every command, in the order of `.help`.
pub(super) const COMMANDS: &[Command] = &[
    command("server", "", "go to the server", Repl::go_to_server),
    command("client", "[NAME]", "go to a client, the first unless named", Repl::go_to_client),
    command(
        "director",
        "",
        "go outside: `world` is this world, with all calls that specs have",
        Repl::go_to_director,
    ),
    command(
        "require",
        "PATH",
        "require a module and call it by its last name: ReplicatedStorage.Net is then Net",
        Repl::require,
    ),
    command(
        "join",
        "[NAME] [KEY=VALUE ...]",
        "a client joins; keys: userId, displayName, net, fps, offset, drift",
        Repl::join,
    ),
    command("leave", "NAME [HOW]", "a client leaves: quit, kick, timeout or crash", Repl::leave),
    command("step", "[N]", "run N server frames, 1 unless given", Repl::step),
    command("advance", "SECONDS", "run the clock", Repl::advance),
    command(
        "play",
        "[SPEED]",
        "run in real time, or SPEED times as fast, until a key is pressed",
        Repl::play,
    ),
    command("pause", "", "rest simulation as Studio's pause does; again to go on", Repl::pause),
    command("until", "EXPRESSION", "run until it is true on this side, 60 s at most", Repl::until),
    command("settle", "", "run until nothing is under way", Repl::settle),
    command("net", "[NAME] [PRESET | KEY=VALUE ...]", "show or set links", Repl::net),
    command(
        "packets",
        "[N] [FILTER ...]",
        "the last N packets, 10 unless given; filters: from=, to=, remote=, since=, fate=, reliable, unreliable, or a part of a name",
        Repl::show_packets,
    ),
    command("packet", "ID", "one packet, with its arguments and bytes", Repl::show_packet),
    command("decode", "ID", "one packet as the schema reads it", Repl::decode),
    command("tree", "[PATH] [DEPTH]", "the instances of this side", Repl::tree),
    command("props", "PATH", "an instance's properties, attributes and tags", Repl::props),
    command(
        "diff",
        "SIDE SIDE",
        "what is different on two sides, such as `.diff server Player1`",
        Repl::diff,
    ),
    command(
        "watch",
        "[EXPRESSION | off [N]]",
        "stop when the value changes, such as workspace.Door.Transparency; alone: list",
        Repl::watch,
    ),
    command(
        "break",
        "[remote | event | signal] [NAME | off [N]]",
        "stop when it fires; alone: list",
        Repl::break_,
    ),
    command("threads", "", "threads of this side that wait, and what for", Repl::threads),
    command("conns", "[PATH]", "live connections of this side, or of one instance", Repl::connections),
    command("mem", "", "memory of each side", Repl::memory),
    command("queue", "", "what waits on this side: timers, deferred work, calls, messages", Repl::queue),
    command("log", "[SIDE] [N]", "the last N lines of output, 20 unless given", Repl::show_log),
    command("errors", "", "uncaught errors", Repl::errors),
    command("sides", "", "who is in the world", Repl::sides),
    command("load", "FILE", "run a Luau file on this side, or the inputs of any other file", Repl::load),
    command(
        "run",
        "test \"NAME\"",
        "run the specs of the project whose name contains NAME, in worlds of their own",
        Repl::run_tests,
    ),
    command(
        "trace",
        "on | off | save FILE [force]",
        "record what crosses links (on from the start), and write it",
        Repl::trace,
    ),
    command("seed", "[N]", "show the seed; with N, start over with it", Repl::seed),
    command("reset", "", "start over with a fresh world", Repl::reset),
    command(
        "reload",
        "[replay]",
        "start over with the files as they are now; with `replay`, repeat what was done",
        Repl::reload,
    ),
    command("undo", "[N]", "repeat everything but the last N inputs that changed something", Repl::undo),
    command("history", "", "the inputs that changed something", Repl::show_history),
    command("save", "FILE [force]", "write what was done as a spec that repeats and checks it", Repl::save),
    command("help", "[COMMAND]", "this text, or one command's", Repl::help),
    command("quit", "", "leave the prompt", Repl::quit),
];

/// Other names of commands.
const ALIASES: [(&str, &str); 2] = [("exit", "quit"), ("queues", "queue")];

fn find(name: &str) -> Option<&'static Command> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    COMMANDS.iter().find(|command| command.name == name)
}

/// How each command is written and what it does, in the order of `.help`.
pub fn listed() -> impl Iterator<Item = (String, &'static str)> {
    COMMANDS
        .iter()
        .map(|command| (format!(".{} {}", command.name, command.usage).trim_end().to_owned(), command.text))
}

/// Whether a text begins with the name of a command and nothing that belongs to it in Luau.
pub(super) fn is_command(text: &str) -> bool {
    text.split_whitespace().next().and_then(find).is_some()
}

/// What follows a command: its words, those in quotes as one, and the text itself.
pub(super) struct Words {
    pub(super) list: Vec<String>,
    pub(super) rest: String,
}

impl Words {
    fn of(text: &str) -> Words {
        let mut list = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in text.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => word.get_or_insert_default().push(c),
                None if c == '"' || c == '\'' => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                None if c.is_whitespace() => list.extend(word.take()),
                None => word.get_or_insert_default().push(c),
            }
        }
        list.extend(word);
        Words { list, rest: text.trim().to_string() }
    }

    pub(super) fn get(&self, index: usize) -> Option<&str> {
        self.list.get(index).map(String::as_str)
    }

    /// The words as slices, from the `first`-th.
    pub(super) fn from(&self, first: usize) -> Vec<&str> {
        self.list.iter().skip(first).map(String::as_str).collect()
    }
}

impl Repl {
    /// Runs a command, without its dot.
    pub(super) fn command(&mut self, text: &str) -> Reply {
        let text = text.trim();
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let outcome = match find(name) {
            Some(command) => (command.run)(self, &Words::of(rest)),
            None => {
                let near = COMMANDS.iter().find(|command| !name.is_empty() && command.name.starts_with(name));
                let hint = near.map_or(String::new(), |near| format!(" (.{}?)", near.name));
                Err(format!("there is no command .{name}{hint}; .help lists them"))
            }
        };
        outcome.unwrap_or_else(Reply::Problem)
    }

    fn quit(&mut self, _: &Words) -> Outcome {
        Ok(Reply::Quit)
    }

    fn help(&mut self, words: &Words) -> Outcome {
        let line = |command: &Command| {
            let head = format!(".{} {}", command.name, command.usage);
            format!("{:<44} {}", head.trim_end(), command.text)
        };
        if let Some(name) = words.get(0) {
            let name = name.trim_start_matches('.');
            let command = find(name).ok_or_else(|| format!("there is no command .{name}"))?;
            return Ok(Reply::Text(line(command)));
        }
        let mut lines = vec![
            "any Luau runs on the current side; an expression shows its values, and what is not local stays."
                .to_string(),
            "An input goes on over lines until it is complete; Ctrl-C gives it up.".to_string(),
        ];
        lines.extend(COMMANDS.iter().map(line));
        Ok(Reply::Text(lines.join("\n")))
    }

    pub(super) fn named_client(&self, name: &str) -> Result<u32, String> {
        match self.world.side_named(name) {
            Some(Side::Client(index)) => Ok(index),
            Some(Side::Server) | None => Err(format!("there is no client called {name}; .sides lists them")),
        }
    }

    pub(super) fn named_side(&self, name: &str) -> Result<Side, String> {
        match name {
            "client" => self.first_client(),
            name => self
                .world
                .side_named(name)
                .ok_or_else(|| format!("there is no side called {name}; .sides lists them")),
        }
    }

    fn first_client(&self) -> Result<Side, String> {
        Ok(self.world.clients().first().map(|client| client.side).ok_or("no client is in the world")?)
    }

    fn go_to_server(&mut self, _: &Words) -> Outcome {
        self.place = Place::Side(Side::Server);
        Ok(Reply::Text(String::new()))
    }

    fn go_to_client(&mut self, words: &Words) -> Outcome {
        self.place = Place::Side(match words.get(0) {
            Some(name) => Side::Client(self.named_client(name)?),
            None => self.first_client()?,
        });
        Ok(Reply::Text(String::new()))
    }

    fn go_to_director(&mut self, _: &Words) -> Outcome {
        self.place = Place::Director;
        Ok(Reply::Text(String::new()))
    }

    fn require(&mut self, words: &Words) -> Outcome {
        let path = words.get(0).ok_or(".require needs a full name, such as ReplicatedStorage.Net")?;
        let name = path.rsplit('.').next().unwrap_or(path);
        let path = format!("{path:?}");
        self.pending = if self.place == Place::Director {
            format!("return world.server:require({path})")
        } else if blinkblox_compiler::luau::is_name(name) {
            format!("{name} = (function(...)\n{REQUIRE_BY_NAME}end)({path}, {WAIT})\nreturn {name}")
        } else {
            format!("return (function(...)\n{REQUIRE_BY_NAME}end)({path}, {WAIT})")
        };
        Ok(self.evaluate())
    }

    fn join(&mut self, words: &Words) -> Outcome {
        let mut options = JoinOptions::default();
        let mut spec = Vec::new();
        for word in words.from(0) {
            let Some((key, value)) = word.split_once('=') else {
                options.name = Some(word.to_string());
                spec.push(format!("name = {word:?}"));
                continue;
            };
            let number = || value.parse::<f64>().map_err(|_| format!("{key}: {value} is not a number"));
            match key {
                "name" => options.name = Some(value.to_string()),
                "displayName" => options.display_name = Some(value.to_string()),
                "userId" => options.user_id = Some(number()? as i64),
                "fps" => options.fps = Some(number()?),
                "offset" => options.clock_offset = crate::clock::Time::from_seconds(number()?),
                "drift" => options.clock_drift = number()?,
                "net" => {
                    let link = link(LinkSettings::default(), &[value])?;
                    options.up = Some(link.clone());
                    options.down = Some(link);
                }
                other => {
                    return Err(format!(
                        ".join knows userId, displayName, net, fps, offset and drift, not {other}"
                    ));
                }
            }
            spec.push(match key {
                "offset" | "drift" => format!("clock = {{ {key} = {value} }}"),
                "userId" | "fps" => format!("{key} = {value}"),
                _ => format!("{key} = {value:?}"),
            });
        }
        let index = self.world.join(options)?;
        let name = self.side_name(Side::Client(index));
        self.note(format!(".join {}", words.rest), format!("world:join({{ {} }})", spec.join(", ")));
        Ok(self.with_output(format!("{name} joined")))
    }

    fn leave(&mut self, words: &Words) -> Outcome {
        let name = words.get(0).ok_or(".leave needs a name")?;
        let how = words.get(1).unwrap_or("quit");
        let index = self.named_client(name)?;
        self.world.leave(index, LeaveHow::named(how)?)?;
        self.sessions.remove(&Side::Client(index));
        if self.place == Place::Side(Side::Client(index)) {
            self.place = Place::Side(Side::Server);
        }
        self.note(format!(".leave {}", words.rest), format!("world:leave(side({name:?}), {how:?})"));
        Ok(self.with_output(""))
    }

    fn net(&mut self, words: &Words) -> Outcome {
        let all = words.from(0);
        let (indices, rest, of_all) = match all.split_first() {
            Some((first, rest)) if self.named_client(first).is_ok() => {
                (vec![self.named_client(first)?], rest.to_vec(), false)
            }
            _ => (self.world.clients().iter().map(|client| client.index()).collect(), all.clone(), true),
        };
        let mut lines = Vec::new();
        let mut spec = Vec::new();
        for index in indices {
            let name = self.side_name(Side::Client(index));
            if !rest.is_empty() {
                let now = self.world.link_settings(index, Way::Up)?;
                let settings = link(now, &rest)?;
                self.world.set_links(index, &settings, &settings)?;
                for word in &rest {
                    let value = match word.split_once('=') {
                        None => format!("{word:?}"),
                        Some((key, value)) if value.parse::<f64>().is_ok() => {
                            format!("{{ {key} = {value} }}")
                        }
                        Some((key, value)) => format!("{{ {key} = {value:?} }}"),
                    };
                    spec.push(format!("side({name:?}).link:set({value})"));
                }
            }
            for way in [Way::Up, Way::Down] {
                let settings = self.world.link_settings(index, way)?;
                lines.push(format!(
                    "{name} {}: {:.0} ms, jitter {:.0} ms, loss {:.1} %",
                    if way == Way::Up { "up" } else { "down" },
                    settings.delay.seconds() * 1000.0,
                    settings.jitter.seconds() * 1000.0,
                    settings.loss * 100.0,
                ));
            }
        }
        if of_all && lines.is_empty() {
            // The words may still be wrong.
            link(LinkSettings::default(), &rest)?;
            return Ok(Reply::Text("no client is in the world".into()));
        }
        if !spec.is_empty() {
            self.note(format!(".net {}", words.rest), spec.join("\n"));
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    fn sides(&mut self, _: &Words) -> Outcome {
        let mut lines = vec!["server".to_string()];
        lines.extend(self.world.clients().iter().map(|client| self.side_name(client.side)));
        Ok(Reply::Text(lines.join("\n")))
    }
}

/// Seconds `.require` waits for a part of a name.
const WAIT: u32 = 2;

pub(super) fn number(word: Option<&str>, default: f64) -> Result<f64, String> {
    word.map_or(Ok(default), |word| {
        let number: f64 = word.parse().map_err(|_| format!("{word} is not a number"))?;
        if number.is_nan() { Err(format!("{word} is not a number")) } else { Ok(number) }
    })
}

/// Link settings from words: a preset's name, then `key=value` pairs.
pub(crate) fn link(base: LinkSettings, words: &[&str]) -> Result<LinkSettings, String> {
    let mut settings = base;
    for word in words {
        match word.split_once('=') {
            None => {
                settings = LinkSettings::preset(word).ok_or_else(|| {
                    format!(
                        "there is no client or network called {word}; the networks are {}",
                        crate::network::PRESETS.join(", ")
                    )
                })?;
            }
            Some((key, value)) => {
                let value =
                    value.parse().map_or_else(|_| LinkValue::Text(value.to_string()), LinkValue::Number);
                settings.set(key, &value)?;
            }
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_quotes_are_one() {
        let words = Words::of(" test \"two words\" 'a b'c  last ");
        assert_eq!(words.list, ["test", "two words", "a bc", "last"]);
        assert_eq!(words.rest, "test \"two words\" 'a b'c  last");
    }

    #[test]
    fn a_dot_in_luau_is_no_command() {
        assert!(is_command("step 3") && is_command("quit"));
        assert!(!is_command("Name") && !is_command("step(3)") && !is_command(""));
    }
}
