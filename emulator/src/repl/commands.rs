//! Commands of the prompt. Source: emulator requirements, 15.

use super::{Repl, Reply};
use crate::clock::Time;
use crate::network::{LinkSettings, LinkValue, Way};
use crate::peer::REQUIRE_BY_NAME;
use crate::shared::Side;
use crate::trace::{Packet, Target};
use crate::world::{JoinOptions, LeaveHow, PacketFilter};

const HELP: &str = "\
any Luau               runs on the current side; an expression shows its values, and what is not
                       local stays. Ctrl-C gives up an input that goes on over lines
.server                go to the server
.client [NAME]         go to a client, the first unless named
.require PATH          require a module of this side and call it by its last name:
                       ReplicatedStorage.Net is then Net
.join [NAME]           a client joins
.leave NAME [HOW]      it leaves: quit, kick, timeout or crash
.step [N]              run N server frames, 1 unless given
.advance SECONDS       run the clock
.settle                run until nothing is under way
.net [NAME] [PRESET | KEY=VALUE ...]   show or set links
.packets [N]           the last N packets, 10 unless given
.packet ID             one packet, with its bytes
.tree [PATH] [DEPTH]   the instances of this side
.log [N]               the last N lines of output
.errors                uncaught errors
.sides                 who is in the world
.help                  this text
.quit                  leave the prompt";

/// Seconds `.require` waits for a part of a name.
const WAIT: u32 = 2;

type Outcome = Result<Reply, String>;

impl Repl {
    pub(super) fn command(&mut self, line: &str) -> Reply {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, rest) = words.split_first().map_or(("", &[][..]), |(name, rest)| (*name, rest));
        let outcome = match name {
            "server" => {
                self.side = Side::Server;
                Ok(Reply::Text(String::new()))
            }
            "client" => self.go_to_client(rest),
            "require" => self.require(rest),
            "join" => self.join(rest),
            "leave" => self.leave(rest),
            "step" => self.step(rest),
            "advance" => self.advance(rest),
            "settle" => self.settle(),
            "net" => self.net(rest),
            "packets" => self.packets(rest),
            "packet" => self.packet(rest),
            "tree" => self.tree(rest),
            "log" => self.show_log(rest),
            "errors" => self.errors(),
            "sides" => self.sides(),
            "help" => Ok(Reply::Text(HELP.to_string())),
            "quit" | "exit" => Ok(Reply::Quit),
            other => Err(format!("there is no command .{other}; .help lists them")),
        };
        outcome.unwrap_or_else(Reply::Problem)
    }

    fn named_client(&self, name: &str) -> Result<u32, String> {
        match self.world.side_named(name) {
            Some(Side::Client(index)) => Ok(index),
            Some(Side::Server) | None => Err(format!("there is no client called {name}; .sides lists them")),
        }
    }

    fn go_to_client(&mut self, rest: &[&str]) -> Outcome {
        self.side = match rest.first() {
            Some(name) => Side::Client(self.named_client(name)?),
            None => {
                self.world.clients().first().map(|client| client.side).ok_or("no client is in the world")?
            }
        };
        Ok(Reply::Text(String::new()))
    }

    fn require(&mut self, rest: &[&str]) -> Outcome {
        let path = rest.first().ok_or(".require needs a full name, such as ReplicatedStorage.Net")?;
        let name = path.rsplit('.').next().unwrap_or(path);
        let value = format!("(function(...)\n{REQUIRE_BY_NAME}end)({path:?}, {WAIT})");
        self.pending = if is_name(name) {
            format!("{name} = {value}\nreturn {name}")
        } else {
            format!("return {value}")
        };
        Ok(self.evaluate())
    }

    fn join(&mut self, rest: &[&str]) -> Outcome {
        let name = rest.first().map(ToString::to_string);
        let index = self
            .world
            .join(JoinOptions { name, ..JoinOptions::default() })
            .map_err(|error| error.to_string())?;
        let name = self.side_name(Side::Client(index));
        Ok(self.with_output(format!("{name} joined")))
    }

    fn leave(&mut self, rest: &[&str]) -> Outcome {
        let name = rest.first().ok_or(".leave needs a name")?;
        let how = match rest.get(1).copied().unwrap_or("quit") {
            "quit" => LeaveHow::Quit,
            "kick" => LeaveHow::Kick(String::new()),
            "timeout" => LeaveHow::Timeout,
            "crash" => LeaveHow::Crash,
            other => return Err(format!("{other} is not quit, kick, timeout or crash")),
        };
        let index = self.named_client(name)?;
        self.world.leave(index, how).map_err(|error| error.to_string())?;
        self.sessions.remove(&Side::Client(index));
        if self.side == Side::Client(index) {
            self.side = Side::Server;
        }
        Ok(self.with_output(String::new()))
    }

    fn step(&mut self, rest: &[&str]) -> Outcome {
        let count = number(rest.first(), 1.0)?;
        self.world.step(count.max(0.0) as u64).map_err(|error| error.to_string())?;
        Ok(self.with_output(String::new()))
    }

    fn advance(&mut self, rest: &[&str]) -> Outcome {
        let seconds = rest.first().ok_or(".advance needs a number of seconds")?;
        let seconds = number(Some(seconds), 0.0)?;
        self.world.advance(Time::from_seconds(seconds)).map_err(|error| error.to_string())?;
        Ok(self.with_output(String::new()))
    }

    fn settle(&mut self) -> Outcome {
        self.world.settle(Time::from_seconds(30.0)).map_err(|error| error.to_string())?;
        Ok(self.with_output(String::new()))
    }

    fn net(&mut self, rest: &[&str]) -> Outcome {
        let (names, rest) = match rest.first() {
            Some(first) if self.named_client(first).is_ok() => (vec![self.named_client(first)?], &rest[1..]),
            _ => (self.world.clients().iter().map(|client| client.index()).collect(), rest),
        };
        let mut lines = Vec::new();
        for index in names {
            if !rest.is_empty() {
                let now = self.world.link_settings(index, Way::Up).map_err(|error| error.to_string())?;
                let settings = link(now, rest)?;
                self.world.set_links(index, &settings, &settings).map_err(|error| error.to_string())?;
            }
            let name = self.side_name(Side::Client(index));
            for way in [Way::Up, Way::Down] {
                let settings = self.world.link_settings(index, way).map_err(|error| error.to_string())?;
                lines.push(format!(
                    "{name} {}: {:.0} ms, jitter {:.0} ms, loss {:.1} %",
                    if way == Way::Up { "up" } else { "down" },
                    settings.delay.seconds() * 1000.0,
                    settings.jitter.seconds() * 1000.0,
                    settings.loss * 100.0,
                ));
            }
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    fn describe(&self, packet: &Packet) -> String {
        let to = match packet.to {
            Target::Everyone => "everyone".to_string(),
            Target::One(side) => self.side_name(side),
        };
        let fate = packet.fate().map_or("", |fate| fate.name());
        format!(
            "#{} {:.3} s  {} -> {to}  {}  {} bytes  {fate}",
            packet.id,
            packet.sent_at.seconds(),
            self.side_name(packet.from),
            packet.remote,
            packet.size,
        )
    }

    fn packets(&mut self, rest: &[&str]) -> Outcome {
        let count = number(rest.first(), 10.0)? as usize;
        let all = self.world.packets(&PacketFilter::default());
        let tail = &all[all.len().saturating_sub(count)..];
        let lines: Vec<String> = tail.iter().map(|packet| self.describe(packet)).collect();
        Ok(Reply::Text(if lines.is_empty() { "no packets yet".into() } else { lines.join("\n") }))
    }

    fn packet(&mut self, rest: &[&str]) -> Outcome {
        let id = rest.first().ok_or(".packet needs the number of a packet; .packets lists them")?;
        let id = number(Some(&id.trim_start_matches('#')), 0.0)? as u64;
        let packet =
            self.world.trace().packet(id).cloned().ok_or_else(|| format!("there is no packet #{id}"))?;
        let mut lines = vec![self.describe(&packet)];
        for (index, value) in packet.args.iter().enumerate() {
            let shown = match value {
                crate::value::Value::Buffer(bytes) => hex(bytes),
                other => other.to_string(),
            };
            lines.push(format!("  {}: {shown}", index + 1));
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    fn tree(&mut self, rest: &[&str]) -> Outcome {
        let path = rest.first().copied().unwrap_or("game");
        let depth = number(rest.get(1), 2.0)? as usize;
        let root = self.world.find(self.side, path).map_err(|error| error.to_string())?;
        let root = root.ok_or_else(|| format!("there is no {path} on this side"))?;
        let peer = self.world.peer(self.side).map_err(|error| error.to_string())?;
        let model = peer.data_model();
        let store = model.store();
        let mut lines = Vec::new();
        let mut stack = vec![(root, 0)];
        while let Some((id, level)) = stack.pop() {
            lines.push(format!("{}{} ({})", "  ".repeat(level), store.name(id), store.class(id).name()));
            if level < depth {
                stack.extend(store.children(id).iter().rev().map(|child| (*child, level + 1)));
            }
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    fn show_log(&mut self, rest: &[&str]) -> Outcome {
        let count = number(rest.first(), 20.0)? as usize;
        let lines = self.world.log(self.side).map_err(|error| error.to_string())?;
        let tail = &lines[lines.len().saturating_sub(count)..];
        let lines: Vec<String> = tail
            .iter()
            .map(|line| format!("{:.3} s {}: {}", line.at.seconds(), line.level.name(), line.text))
            .collect();
        Ok(Reply::Text(lines.join("\n")))
    }

    fn errors(&mut self) -> Outcome {
        let lines: Vec<String> = self
            .world
            .errors()
            .iter()
            .map(|line| format!("[{}] {}", self.side_name(line.side), line.text))
            .collect();
        Ok(Reply::Text(if lines.is_empty() { "no errors".into() } else { lines.join("\n") }))
    }

    fn sides(&mut self) -> Outcome {
        let mut lines = vec!["server".to_string()];
        lines.extend(self.world.clients().iter().map(|client| self.side_name(client.side)));
        Ok(Reply::Text(lines.join("\n")))
    }
}

/// Whether Luau takes the text for the name of a variable.
fn is_name(text: &str) -> bool {
    const WORDS: [&str; 21] = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
        "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
    ];
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !WORDS.contains(&text)
}

fn number(word: Option<&&str>, default: f64) -> Result<f64, String> {
    word.map_or(Ok(default), |word| word.parse().map_err(|_| format!("{word} is not a number")))
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

fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(256).map(|byte| format!("{byte:02X}")).collect();
    let tail = if bytes.len() > 256 { " ..." } else { "" };
    format!("buffer of {} bytes: {}{tail}", bytes.len(), shown.join(" "))
}
