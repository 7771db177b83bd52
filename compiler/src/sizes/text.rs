//! Sizes as tables, for people.

use std::fmt::Write;

use super::{ItemKind, ItemSizes, PartSizes, Row, Sizes};
use crate::diagnostics::counted;
use crate::schema::Side;
use crate::wire::size::{Fit, Size};

impl Sizes {
    /// The tables, for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for item in &self.items {
            if !out.is_empty() {
                out.push('\n');
            }
            let _ = writeln!(out, "{}", item.heading());
            for part in &item.parts {
                part.write(&mut out);
            }
            match item.fit {
                Some(Fit::MayNotFit) => {
                    let _ = writeln!(out, "  may exceed MaxUnreliableSize, {}", counted(self.limit, "byte"));
                }
                Some(Fit::CannotFit) => {
                    let _ = writeln!(out, "  never fits MaxUnreliableSize, {}", counted(self.limit, "byte"));
                }
                Some(Fit::Fits) | None => {}
            }
        }
        if out.is_empty() {
            out.push_str(
                "The schema declares no event, no function, no state, no table and no exported type.\n",
            );
        }
        out
    }
}

impl ItemSizes {
    fn heading(&self) -> String {
        let index = self.index.map_or(String::new(), |index| {
            format!(", {} index {index}", self.kind.channel().name().to_lowercase())
        });
        match self.kind {
            ItemKind::Event(from, _, _) => format!("event {}, from the {}{index}", self.name, side(from)),
            ItemKind::Function(from) => {
                format!("function {}, called by the {}{index}", self.name, side(from))
            }
            ItemKind::State => format!("state {}, from the server{index}", self.name),
            ItemKind::Table(from) => {
                let index = self.index.map_or(String::new(), |index| format!(", table {index}"));
                format!("table {}, from the {}{index}", self.name, side(from))
            }
            ItemKind::Entity => {
                let index = self.index.unwrap_or_default();
                format!("entity {}, index {index}, a new mirror in a packet of its own", self.name)
            }
            ItemKind::Type => format!("type {}, as stored", self.name),
        }
    }
}

impl PartSizes {
    fn write(&self, out: &mut String) {
        let (least, most) = (self.size.min, self.size.max);
        let header = u64::from(self.header);
        let _ = write!(out, "  {}: {}", self.name, amount(&self.size));
        if header > 0 {
            let whole = span(least.saturating_add(header), most.saturating_add(header));
            let _ = write!(out, "; {whole} with the header");
        }
        out.push('\n');
        let indented = |row: &Row| format!("{}{}", "  ".repeat(row.depth as usize), last_segment(&row.path));
        let width = |text: &str| text.chars().count();
        let names = self.fields.iter().map(|row| width(&indented(row))).max().unwrap_or(0);
        let types = self.fields.iter().map(|row| width(&row.ty)).max().unwrap_or(0);
        for row in &self.fields {
            let bound = if row.unbounded { ", no upper bound written" } else { "" };
            let (name, ty, size) = (indented(row), &row.ty, amount(&row.size));
            let _ = writeln!(out, "    {name:names$}  {ty:types$}  {size}{bound}");
        }
        if let Some(unbounded) = &self.size.unbounded {
            let path =
                if unbounded.path.is_empty() { "the value".to_owned() } else { unbounded.path.join(".") };
            let _ = writeln!(out, "    unbounded: {path}");
        }
    }
}

/// The part of a path that its container does not say: `[].Tag` of `Rows[].Tag` is `Tag`.
fn last_segment(path: &str) -> &str {
    let bracket = path.rfind(['[', '<']).filter(|_| path.ends_with([']', '>']));
    let start = bracket.unwrap_or_else(|| path.rfind('.').map_or(0, |dot| dot + 1));
    &path[start..]
}

/// `2 to 21 bytes, 1 bit, 1 Instance`
fn amount(size: &Size) -> String {
    let mut parts = Vec::new();
    let nothing = size.bits == 0 && size.slots == 0;
    if size.max > 0 || nothing {
        parts.push(span(size.min, size.max));
    }
    if size.bits > 0 {
        parts.push(counted(size.bits, "bit"));
    }
    if size.slots > 0 {
        let most = if size.least_slots == size.slots { "" } else { "up to " };
        parts.push(format!("{most}{}", counted(size.slots, "slot")));
    }
    parts.join(", ")
}

/// `1 byte`, `4 bytes`, `2 to 21 bytes`
fn span(min: u64, max: u64) -> String {
    match (min, max) {
        _ if min == max => counted(min, "byte"),
        _ => format!("{min} to {max} bytes"),
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Server => "server",
        Side::Client => "client",
    }
}
