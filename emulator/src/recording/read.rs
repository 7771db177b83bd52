//! Text to records. Every line is checked: a trace that reads without error holds what the format says.

use std::fmt;
use std::io::Read as _;
use std::rc::Rc;

use serde_json::{Map, Value as Json};

use super::fields::{Fields, Texts, index};
use super::{Call, Decoded, Entry, Field, Header, Kind, Place, Recording, Sent};
use crate::trace::FORMAT;

/// Most bytes that a compressed trace is unpacked to: a small file can claim any number.
const MOST_BYTES: u64 = 4 << 30;

/// Why a trace cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// What is wrong, for people.
    pub text: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "line {line}: {}", self.text),
        }
    }
}

/// The recordings in a file, compressed with gzip or not: one for each header.
///
/// Errors: the first line that is wrong, and why.
pub fn read(bytes: &[u8]) -> Result<Vec<Recording>, ReadError> {
    let whole = |text: String| ReadError { line: 0, text };
    let unpacked;
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes)
            .take(MOST_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(|error| whole(format!("it is compressed and cannot be unpacked: {error}")))?;
        if text.len() as u64 > MOST_BYTES {
            return Err(whole(format!("it unpacks to more than {} GiB", MOST_BYTES >> 30)));
        }
        unpacked = text;
        &unpacked
    } else {
        bytes
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(whole("it is empty; a trace begins with a line about its world".into()));
    }
    let mut reader = Reader::default();
    let mut recordings: Vec<Recording> = Vec::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        reader.line = number + 1;
        let fail = |text| ReadError { line: number + 1, text };
        let text = std::str::from_utf8(line).map_err(|_| fail("this is no text in UTF-8".to_owned()))?;
        let members = parse(text).map_err(|text| fail(explain(text, recordings.is_empty())))?;
        let raw: Rc<str> = text.into();
        if members.contains_key("format") {
            let header = reader.header(&members, raw).map_err(fail)?;
            recordings.push(Recording { header, entries: Vec::new() });
        } else if let Some(recording) = recordings.last_mut() {
            recording.entries.push(reader.entry(&members, raw).map_err(fail)?);
        } else {
            let text = "a trace begins with a line that has a `format`; this one has none";
            return Err(fail(text.to_owned()));
        }
    }
    Ok(recordings)
}

fn explain(text: String, first: bool) -> String {
    if first { format!("this is no trace: {text}") } else { text }
}

fn parse(line: &str) -> Result<Map<String, Json>, String> {
    match serde_json::from_str(line) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err("a line holds one JSON object".to_owned()),
        Err(error) if error.is_eof() => Err("the line is cut off in the middle of a record".to_owned()),
        Err(error) => Err(format!("this is no JSON: {error}")),
    }
}

#[derive(Default)]
struct Reader {
    texts: Texts,
    line: usize,
}

impl Reader {
    fn header(&mut self, members: &Map<String, Json>, raw: Rc<str>) -> Result<Header, String> {
        let fields = Fields { members, what: "header" };
        let format = fields.text("format")?;
        if format != FORMAT {
            return Err(format!("the format is `{format}`; this program reads `{FORMAT}`"));
        }
        let seed = fields.text("seed")?;
        let settings = fields.object("settings")?;
        let mut streams = Vec::new();
        for schema in fields.list("schemas")? {
            let Some(members) = schema.as_object() else {
                return Err("`schemas` of this header holds something that is no object".into());
            };
            for stream in (Fields { members, what: "schema" }).list("streams")? {
                let Some(members) = stream.as_object() else {
                    return Err("`streams` of this schema holds something that is no object".into());
                };
                let stream = Fields { members, what: "stream" };
                let fast = members.get("fast").and_then(Json::as_f64);
                streams.push((stream.text("event")?.to_owned(), stream.number("rate")?, fast));
            }
        }
        let mut sides = Vec::new();
        for side in fields.list("sides")? {
            let name = side.as_str().ok_or("`sides` of this header holds something that is no text")?;
            sides.push(self.texts.keep(name));
        }
        if sides.is_empty() {
            return Err("`sides` of this header names none; a world has at least its server".into());
        }
        Ok(Header {
            line: self.line,
            tool: fields.text("tool")?.to_owned(),
            seed: seed
                .parse()
                .map_err(|_| format!("`seed` of this header is `{seed}`, not a whole number"))?,
            settings: settings
                .iter()
                .map(|(name, value)| {
                    (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                })
                .collect(),
            fps: fields.number("fps")?,
            project: fields.opt_text("project")?.map(str::to_owned),
            project_hash: fields.opt_text("projectHash")?.map(str::to_owned),
            test: fields.opt_text("test")?.map(str::to_owned),
            failed: members.get("failed").and_then(Json::as_bool).unwrap_or_default(),
            start: fields.number("start")?,
            sides,
            streams,
            raw,
        })
    }

    fn entry(&mut self, members: &Map<String, Json>, raw: Rc<str>) -> Result<Entry, String> {
        let name = Fields { members, what: "record" }.text("k")?;
        let what = format!("`{name}` record");
        let fields = Fields { members, what: &what };
        let kind = self.kind(name, &fields)?;
        Ok(Entry {
            line: self.line,
            nanos: fields.nanos("t")?,
            frame: fields.whole("f")?,
            number: fields.whole("n")?,
            side: self.texts.keep(fields.text("side")?),
            kind,
            raw,
        })
    }

    fn kind(&mut self, name: &str, fields: &Fields<'_>) -> Result<Kind, String> {
        Ok(match name {
            "join" => Kind::Join { user_id: fields.integer("userId")?, name: self.text(fields, "name")? },
            "leave" => Kind::Leave {
                user_id: fields.integer("userId")?,
                name: self.text(fields, "name")?,
                reason: self.text(fields, "reason")?,
            },
            "frame" => Kind::Frame { nanos: fields.nanos("dt")? },
            "send" => self.sent(fields, Call::Fire)?,
            "invoke" => self.sent(fields, Call::Invoke(fields.whole("call")?))?,
            "reply" => self.sent(fields, Call::Reply(fields.whole("call")?, fields.boolean("ok")?))?,
            "event" => self.decoded(fields)?,
            "arrive" => Kind::Arrive {
                id: fields.whole("id")?,
                at: fields.nanos("at")?,
                queued_for: fields.opt_nanos("queuedFor")?,
                resends: fields.whole("resends")?,
            },
            "drop" => Kind::Drop { id: fields.whole("id")?, why: self.text(fields, "why")? },
            "handle" => Kind::Handle {
                id: fields.whole("id")?,
                script: self.text(fields, "script")?,
                line: fields.whole("line")?,
                result: self.text(fields, "result")?,
                error: self.opt_text(fields, "error")?,
                frames: fields.whole("frames")?,
            },
            "repl" => {
                let mut changes = Vec::new();
                for (kind, count) in fields.object("changes")? {
                    let count =
                        count.as_u64().ok_or("`changes` of this `repl` record counts no whole number")?;
                    changes.push((self.texts.keep(kind), count));
                }
                Kind::Replicate {
                    from: self.text(fields, "from")?,
                    to: self.text(fields, "to")?,
                    changes,
                    size: fields.whole("size")?,
                }
            }
            "log" => Kind::Log {
                level: self.text(fields, "level")?,
                text: self.text(fields, "text")?,
                script: self.opt_text(fields, "script")?,
            },
            "diag" => Kind::Diagnostic {
                code: self.text(fields, "code")?,
                text: self.text(fields, "text")?,
                script: self.opt_text(fields, "script")?,
                line: fields.opt_whole("line")?,
            },
            "mark" => Kind::Mark { text: self.text(fields, "text")? },
            other => return Err(format!("there is no kind of record `{other}`")),
        })
    }

    fn text(&mut self, fields: &Fields<'_>, name: &str) -> Result<Rc<str>, String> {
        fields.text(name).map(|text| self.texts.keep(text))
    }

    fn opt_text(&mut self, fields: &Fields<'_>, name: &str) -> Result<Option<Rc<str>>, String> {
        Ok(fields.opt_text(name)?.map(|text| self.texts.keep(text)))
    }

    fn sent(&mut self, fields: &Fields<'_>, call: Call) -> Result<Kind, String> {
        let to = self.text(fields, "to")?;
        let to_all = &*to == "all" && fields.members.contains_key("receivers");
        let to = if to_all {
            let mut receivers = Vec::new();
            for name in fields.list("receivers")? {
                let name = name
                    .as_str()
                    .ok_or_else(|| format!("`receivers` of this {} are no texts", fields.what))?;
                receivers.push(self.texts.keep(name));
            }
            receivers
        } else {
            vec![to]
        };
        Ok(Kind::Send(Box::new(Sent {
            id: fields.whole("id")?,
            from: self.text(fields, "from")?,
            to,
            to_all,
            remote: self.text(fields, "remote")?,
            class: self.text(fields, "class")?,
            reliable: fields.boolean("reliable")?,
            size: fields.whole("size")?,
            payload: fields.whole("sizeRaw")?,
            args: fields.list("args")?.to_vec(),
            call,
            injected: fields.members.get("injected").and_then(Json::as_bool).unwrap_or(false),
        })))
    }

    fn decoded(&mut self, fields: &Fields<'_>) -> Result<Kind, String> {
        let mut list = Vec::new();
        if fields.members.contains_key("fields") {
            for field in fields.list("fields")? {
                let Some(members) = field.as_object() else {
                    return Err("`fields` of this `event` record holds something that is no object".into());
                };
                list.push(self.field(&Fields { members, what: "field" })?);
            }
        }
        Ok(Kind::Event(Box::new(Decoded {
            id: fields.whole("id")?,
            event: self.opt_text(fields, "event")?,
            form: self.text(fields, "as")?,
            at: fields.range("at")?,
            fields: list,
            missing: self.opt_text(fields, "missing")?,
            error: self.opt_text(fields, "error")?,
        })))
    }

    fn field(&mut self, fields: &Fields<'_>) -> Result<Field, String> {
        let place = if fields.members.contains_key("at") {
            let (from, to) = fields.range("at")?;
            Place::Bytes(from, to)
        } else if fields.members.contains_key("bits") {
            let part = |part: &Json| -> Option<[usize; 3]> {
                let numbers: Vec<usize> = part.as_array()?.iter().filter_map(index).collect();
                let numbers: [usize; 3] = numbers.try_into().ok()?;
                // More bits than a number has, or none, are no field's: what is shown counts from first to last.
                (numbers[1] < 8 && (1..=64).contains(&numbers[2])).then_some(numbers)
            };
            let parts: Option<Vec<[usize; 3]>> = fields.list("bits")?.iter().map(part).collect();
            Place::Bits(parts.ok_or("`bits` of this field are no byte, bit and width each")?)
        } else {
            Place::Slot(usize::try_from(fields.whole("slot")?).unwrap_or(usize::MAX))
        };
        Ok(Field {
            path: self.text(fields, "path")?,
            is: self.opt_text(fields, "is")?,
            place,
            value: fields.get("value")?.clone(),
        })
    }
}
