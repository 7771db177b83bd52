//! Blocks of events and functions to their resolved form. Source: language specification, 2.2; runtime specification,
//! 4.1, 8, 9.1, 10.1 and 11.1.
//!
//! What a single value says is decided here; rules between values are in `check`, which is handed each declaration
//! with where its fields are written ([`Declared`]).

use std::collections::BTreeMap;

use super::resolve::{NameKind, Resolver};
use super::{
    Call, Channel, Delivery, Element, Entity, Event, Function, Item, Lane, Payload, Priority, Rate, Side,
    Stream, Type, TypeKind, Yield,
};
use crate::check::blocks as say;
use crate::source::Span;
use crate::syntax::ast::{Block, Entry, Member, Pack, Scalar, ScalarKind, Value};

/// Default of a stream's `Keepalive`, in seconds.
const DEFAULT_KEEPALIVE: f64 = 1.0;

/// Keys of an event's block.
pub const EVENT_KEYS: &[&str] =
    &["From", "Type", "Channel", "Call", "Data", "Rate", "Burst", "Priority", "Stream", "Stamp", "Poll"];
/// Keys of a function's block.
pub const FUNCTION_KEYS: &[&str] = &["Yield", "From", "Data", "Return", "Rate", "Burst", "Concurrency"];
/// Keys of a stream's block.
pub const STREAM_KEYS: &[&str] = &["Rate", "Fast", "Keepalive", "Epsilon", "Per"];

pub(super) const SIDES: &[(&str, Side)] =
    &[(Side::Client.word(), Side::Client), (Side::Server.word(), Side::Server)];
const DELIVERIES: &[(&str, Delivery)] = &[
    (Delivery::Reliable.word(), Delivery::Reliable),
    (Delivery::Unreliable.word(), Delivery::Unreliable),
    (Delivery::OrderedUnreliable.word(), Delivery::OrderedUnreliable),
    (Delivery::ReliableUnordered.word(), Delivery::ReliableUnordered),
];
const LANES: &[(&str, Lane)] = &[
    (Lane::Default.word(), Lane::Default),
    (Lane::Controls.word(), Lane::Controls),
    (Lane::Events.word(), Lane::Events),
];
const CALLS: &[(&str, Call)] = &[
    (Call::SingleSync.word(), Call::SingleSync),
    (Call::SingleAsync.word(), Call::SingleAsync),
    (Call::ManySync.word(), Call::ManySync),
    (Call::ManyAsync.word(), Call::ManyAsync),
    (Call::Polling.word(), Call::Polling),
];
const PRIORITIES: &[(&str, Priority)] = &[("Low", Priority::Low), ("Normal", Priority::Normal)];
const YIELDS: &[(&str, Yield)] =
    &[("Future", Yield::Future), ("Promise", Yield::Promise), ("Coroutine", Yield::Coroutine)];
pub(super) const PERS: &[(&str, ())] = &[("Player", ())];

/// The words a key of a block takes; none when it takes something else.
pub fn words(key: &str) -> Vec<&'static str> {
    fn names<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
        table.iter().map(|(name, _)| *name).collect()
    }
    match key {
        "From" => names(SIDES),
        "Type" => names(DELIVERIES),
        "Channel" => names(LANES),
        "Call" => names(CALLS),
        "Priority" => names(PRIORITIES),
        "Yield" => names(YIELDS),
        "Per" => names(PERS),
        "Codec" => names(super::state::CODECS),
        _ => Vec::new(),
    }
}

/// Where a field is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldSpans {
    /// Its key.
    pub key: Span,
    /// Its value; of a broken one, the key.
    pub value: Span,
    /// Whether the value is one the field takes.
    pub sound: bool,
    /// What to delete to be rid of the field: all of it, and a comma.
    pub item: Span,
}

impl FieldSpans {
    /// Key and value together.
    pub fn all(self) -> Span {
        self.key.to(self.value)
    }
}

/// Where the fields of a block are written, by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    fields: BTreeMap<&'static str, FieldSpans>,
    /// The fields of a `Stream` block.
    pub stream: BTreeMap<&'static str, FieldSpans>,
    /// Whether some of the block could not be read.
    pub broken: bool,
}

impl Origin {
    /// A field that is written with a value it takes.
    pub fn field(&self, key: &str) -> Option<FieldSpans> {
        self.fields.get(key).copied().filter(|field| field.sound)
    }

    /// A field that is written, whatever its value.
    pub fn written(&self, key: &str) -> Option<FieldSpans> {
        self.fields.get(key).copied()
    }
}

/// An event or a function with where it is written, whether or not the build compiles it.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub member: DeclaredMember,
    pub origin: Origin,
    /// Whether this build compiles it.
    pub compiled: bool,
    /// The import in the entry file it came through.
    pub via: Option<Span>,
}

#[derive(Clone, Debug)]
pub(crate) enum DeclaredMember {
    Event(Event),
    Function(Function),
    Entity(Box<Entity>),
}

impl Resolver<'_> {
    pub(super) fn event(&mut self, member: &Member) -> Option<Item> {
        let name = &member.name;
        self.declare_member(name, NameKind::Event, None);
        let mut block = self.block(member.name.span, &name.text, "event", &member.block, EVENT_KEYS);
        let from = self.word(&mut block, "From", SIDES);
        let delivery = self.word(&mut block, "Type", DELIVERIES);
        let lane = self.word(&mut block, "Channel", LANES);
        let call = self.word(&mut block, "Call", CALLS);
        self.require(&block, &["From", "Type", "Call"]);
        let priority = self.word(&mut block, "Priority", PRIORITIES);
        let poll = self.poll(&mut block);
        let rate = self.rate(&mut block, from);
        let stamp = self.number(&mut block, "Stamp", "a number from 1 to 30000", |_| true);
        let stream = self.stream(&mut block, name);
        let data = self.payload(&block, "Data");
        let delivery = delivery.unwrap_or(Delivery::Reliable);
        // An event whose channel is not known takes no place on one.
        let compiled = self.here.excluded.is_none();
        let placed = compiled && block.origin.field("Type").is_some();
        let mut event = Event {
            name: name.text.clone(),
            path: self.path_of(&name.text),
            from: from.unwrap_or(Side::Server),
            delivery,
            lane,
            call: if poll { Call::Polling } else { call.unwrap_or(Call::SingleSync) },
            rate,
            priority: priority.unwrap_or_default(),
            stream,
            stamp,
            data,
            index: 0,
            span: name.span,
        };
        if placed {
            event.index = self.next_index(event.channel(), name.span);
        }
        self.declared.push(Declared {
            member: DeclaredMember::Event(event.clone()),
            origin: block.origin,
            compiled,
            via: self.here.via,
        });
        Some(Item::Event(event))
    }

    pub(super) fn function(&mut self, member: &Member) -> Option<Item> {
        let name = &member.name;
        self.declare_member(name, NameKind::Function, None);
        let mut block = self.block(name.span, &name.text, "function", &member.block, FUNCTION_KEYS);
        let from = self.word(&mut block, "From", SIDES).unwrap_or(Side::Client);
        let yield_ = self.word(&mut block, "Yield", YIELDS);
        self.require(&block, &["Yield"]);
        let rate = self.rate(&mut block, Some(from));
        let whole = |number: f64| number >= 1.0 && number.fract() == 0.0;
        let concurrency = self.number(&mut block, "Concurrency", "a whole number of at least 1", whole);
        let data = self.payload(&block, "Data");
        let return_ = self.payload(&block, "Return");
        let compiled = self.here.excluded.is_none();
        let function = Function {
            name: name.text.clone(),
            path: self.path_of(&name.text),
            from,
            yield_: yield_.unwrap_or(Yield::Coroutine),
            rate,
            concurrency: concurrency
                .filter(|_| from == Side::Client)
                .map(|count| count.min(f64::from(u32::MAX)) as u32),
            data,
            return_,
            index: if compiled { self.next_index(Channel::Reliable, name.span) } else { 0 },
            span: name.span,
        };
        self.declared.push(Declared {
            member: DeclaredMember::Function(function.clone()),
            origin: block.origin,
            compiled,
            via: self.here.via,
        });
        Some(Item::Function(function))
    }

    /// The entries of a block by key, unknown and repeated ones reported and left out.
    pub(super) fn block<'b>(
        &mut self,
        owner: Span,
        name: &'b str,
        what: &'static str,
        block: &'b Block,
        keys: &'static [&'static str],
    ) -> Fields<'b> {
        let open = block.span.start as usize + 1;
        let mut fields = Fields {
            owner,
            inside: Span::new(block.span.file, open, open),
            name,
            what,
            entries: BTreeMap::new(),
            origin: Origin { broken: block.broken, ..Origin::default() },
        };
        for entry in &block.entries {
            let text = &entry.key.text;
            let known = keys.iter().find(|key| *key == text || key.to_lowercase() == *text);
            let Some(&key) = known else {
                let given = |key: &str| {
                    block
                        .entries
                        .iter()
                        .any(|other| key == other.key.text || key.to_lowercase() == other.key.text)
                };
                self.report(say::unknown_field(entry.key.span, text, what, name, owner, keys, given));
                continue;
            };
            let value = entry.value.span().unwrap_or(entry.key.span);
            let item = self.sources.item_range(entry.key.span.to(value));
            if let Some(first) = fields.origin.fields.get(key) {
                let text = |span: Span| self.sources.text(span);
                let same = value != entry.key.span && text(first.value) == text(value);
                let spare = same.then_some(item);
                self.report(say::repeated_field(entry.key.span, first.key, key, what, name, spare));
                continue;
            }
            fields.origin.fields.insert(key, FieldSpans { key: entry.key.span, value, sound: false, item });
            fields.entries.insert(key, entry);
        }
        fields
    }

    /// Reports required keys that are not there. A block that could not be read in full is not judged.
    pub(super) fn require(&mut self, block: &Fields, required: &[&'static str]) {
        if block.origin.broken {
            return;
        }
        for key in required {
            if block.origin.written(key).is_none() {
                self.report(say::missing_field(block.owner, block.inside, key, block.what, block.name));
            }
        }
    }

    pub(super) fn word<T: Copy>(
        &mut self,
        block: &mut Fields,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let (entry, scalar) = self.scalar(block, key, "a word")?;
        let ScalarKind::Word(word) = &scalar.kind else {
            let meant = match &scalar.kind {
                ScalarKind::String(text) => words.iter().map(|(word, _)| *word).find(|word| word == text),
                _ => None,
            };
            let meant = meant.map(str::to_string);
            self.report(say::field_kind(scalar.span, &entry.key.text, "a word", meant));
            return None;
        };
        let Some((_, value)) = words.iter().find(|(known, _)| known == word) else {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.report(say::unknown_word(scalar.span, &entry.key.text, word, &known));
            return None;
        };
        block.accept(key);
        Some(*value)
    }

    pub(super) fn number(
        &mut self,
        block: &mut Fields,
        key: &'static str,
        takes: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Option<f64> {
        let (entry, scalar) = self.scalar(block, key, "a number")?;
        let ScalarKind::Number(number) = scalar.kind else {
            let digits = |text: &&String| !text.is_empty() && text.chars().all(|char| char.is_ascii_digit());
            let meant = match &scalar.kind {
                ScalarKind::String(text) => Some(text).filter(digits).cloned(),
                _ => None,
            };
            self.report(say::field_kind(scalar.span, &entry.key.text, "a number", meant));
            return None;
        };
        if !fits(number) {
            // Only where one number is the nearest: there is none above 0.
            let near =
                [number.round(), 1.0, 0.0].into_iter().find(|near| takes.contains("at least") && fits(*near));
            self.report(say::field_value(scalar.span, &entry.key.text, takes, near));
            return None;
        }
        block.accept(key);
        Some(number)
    }

    /// The one-token value of a key; anything else is reported as of the wrong kind.
    pub(super) fn scalar<'b>(
        &mut self,
        block: &Fields<'b>,
        key: &str,
        kind: &str,
    ) -> Option<(&'b Entry, &'b Scalar)> {
        let entry = *block.entries.get(key)?;
        match &entry.value {
            Value::Scalar(scalar) => return Some((entry, scalar)),
            Value::Error => {}
            Value::Other(span) => self.report(say::field_kind(*span, &entry.key.text, kind, None)),
            Value::Block(inner) => self.report(say::field_kind(inner.span, &entry.key.text, kind, None)),
            Value::Type(ty) => self.report(say::field_kind(ty.span, &entry.key.text, kind, None)),
            Value::Pack(pack) => self.report(say::field_kind(pack.span, &entry.key.text, kind, None)),
            Value::Ranged(..) | Value::Sync(_) => {
                let span = entry.value.span().unwrap_or(entry.key.span);
                self.report(say::field_kind(span, &entry.key.text, kind, None));
            }
        }
        None
    }

    /// Whether the deprecated `Poll` makes the event polled.
    fn poll(&mut self, block: &mut Fields) -> bool {
        let Some((entry, scalar)) = self.scalar(block, "Poll", "a boolean") else { return false };
        let ScalarKind::Boolean(on) = scalar.kind else {
            let meant = match &scalar.kind {
                ScalarKind::String(text) if text == "true" || text == "false" => Some(text.clone()),
                _ => None,
            };
            self.report(say::field_kind(scalar.span, &entry.key.text, "a boolean", meant));
            return false;
        };
        let call = block.origin.written("Call").map(|call| call.value);
        let edits = match (on, call, block.origin.written("Poll")) {
            (true, Some(call), Some(poll)) => vec![(call, "Polling".to_string()), (poll.item, String::new())],
            (true, None, Some(poll)) => vec![(poll.all(), "Call: Polling".to_string())],
            (false, _, Some(poll)) => vec![(poll.item, String::new())],
            (_, _, None) => vec![],
        };
        self.report(say::deprecated_poll(entry.key.span, call, edits));
        block.accept("Poll");
        on
    }

    /// The effective rate of what a client sends. What a server sends has none.
    fn rate(&mut self, block: &mut Fields, from: Option<Side>) -> Option<Rate> {
        let rate = self.number(block, "Rate", "a number above 0", |rate| rate > 0.0 && rate.is_finite());
        let burst =
            self.number(block, "Burst", "a number of at least 1", |burst| burst >= 1.0 && burst.is_finite());
        let rate = rate.or(self.options.default_rate.map(f64::from))?;
        let client = from == Some(Side::Client);
        client.then(|| Rate { rate, burst: burst.unwrap_or_else(|| rate.ceil()) })
    }

    fn stream(&mut self, block: &mut Fields, name: &crate::syntax::ast::Name) -> Option<Stream> {
        let entry = *block.entries.get("Stream")?;
        let inner = match &entry.value {
            Value::Block(inner) => inner,
            Value::Error => return None,
            other => {
                let at = other.span().unwrap_or(entry.key.span);
                let meant = match other {
                    Value::Scalar(Scalar { kind: ScalarKind::Number(number), .. }) if *number > 0.0 => {
                        Some(format!("{{ Rate: {number} }}"))
                    }
                    _ => None,
                };
                self.report(say::field_kind(at, &entry.key.text, "a block of settings", meant));
                return None;
            }
        };
        block.accept("Stream");
        let mut settings = self.block(name.span, &name.text, "stream", inner, STREAM_KEYS);
        let above = |number: f64| number > 0.0 && number.is_finite();
        let rate = self.number(&mut settings, "Rate", "a number above 0", above);
        self.require(&settings, &["Rate"]);
        let fast = self.number(&mut settings, "Fast", "a number above 0", above);
        let keepalive = self.number(&mut settings, "Keepalive", "a number above 0", above);
        let epsilon = self.number(&mut settings, "Epsilon", "a number of at least 0", |number| {
            number >= 0.0 && number.is_finite()
        });
        let per = self.word(&mut settings, "Per", PERS);
        block.origin.stream = settings.origin.fields;
        Some(Stream {
            rate: rate.unwrap_or(1.0),
            fast,
            keepalive: keepalive.unwrap_or(DEFAULT_KEEPALIVE),
            epsilon: epsilon.unwrap_or(0.0),
            per_player: per.is_some(),
        })
    }

    pub(super) fn payload(&mut self, block: &Fields, key: &str) -> Payload {
        let Some(entry) = block.entries.get(key) else { return Payload::Nothing };
        match &entry.value {
            Value::Type(written) => {
                let ty = self.ty(written);
                Payload::Single(self.limited(ty))
            }
            Value::Pack(pack) => self.pack(pack),
            Value::Error
            | Value::Scalar(_)
            | Value::Block(_)
            | Value::Ranged(..)
            | Value::Sync(_)
            | Value::Other(_) => Payload::Nothing,
        }
    }

    fn pack(&mut self, pack: &Pack) -> Payload {
        if pack.elements.is_empty() {
            return Payload::Nothing;
        }
        let elements = pack.elements.iter().map(|element| {
            let ty = self.ty(&element.ty);
            let ty = self.limited(ty);
            let span = element.name.as_ref().map_or(element.ty.span, |name| name.span);
            Element { name: element.name.as_ref().map(|name| name.text.clone()), ty, span }
        });
        Payload::Pack(elements.collect())
    }

    /// The type, unless it is too large with every name written out.
    pub(super) fn limited(&mut self, ty: Type) -> Type {
        if self.measure.of(&ty).allowed() {
            return ty;
        }
        self.report(super::diagnostics::too_large(ty.span));
        Type { kind: TypeKind::Error, ..ty }
    }
}

/// The entries of a block, by key.
pub(super) struct Fields<'b> {
    owner: Span,
    /// Behind the opening brace, where a field may be added.
    inside: Span,
    name: &'b str,
    what: &'static str,
    pub(super) entries: BTreeMap<&'static str, &'b Entry>,
    pub(super) origin: Origin,
}

impl Fields<'_> {
    /// Notes that the value of a key is one it takes.
    pub(super) fn accept(&mut self, key: &str) {
        if let Some(field) = self.origin.fields.get_mut(key) {
            field.sound = true;
        }
    }
}
