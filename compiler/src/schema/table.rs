//! Tables: rows that live for one tick, sent as columns. Source: replication design, table.

use std::sync::Arc;

use super::event::{FieldSpans, SIDES};
use super::resolve::{NameKind, Resolver};
use super::{Field, Item, Payload, Side, TypeKind};
use crate::source::Span;
use crate::syntax::ast::Member;

/// Keys of a table's block.
pub const TABLE_KEYS: &[&str] = &["From", "Rate", "Fields"];

/// Sends a second of a table that does not say.
const DEFAULT_RATE: f64 = 30.0;
/// Tables a schema may have.
pub const MAX_TABLES: usize = 64;
/// Fields a table may have.
pub const MAX_FIELDS: usize = 16;
/// Bytes a row may take.
pub const MAX_ROW: u64 = 256;
/// Rows of one sender in a tick.
pub const MAX_ROWS: u32 = 64;

/// Rows that one side pushes at a rate, which travel as columns and live for one tick.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its own name.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// The side that pushes rows.
    pub from: Side,
    /// Sends a second.
    pub rate: f64,
    /// Its columns, in order.
    pub fields: Arc<[Field]>,
    /// Place among the tables, from 0.
    pub index: u8,
    /// Its name where it is declared.
    pub span: Span,
}

/// A table with where it is written, whether or not the build compiles it.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredTable {
    pub table: Table,
    pub fields: Option<FieldSpans>,
    /// Whether some of the block could not be read.
    pub broken: bool,
    /// Whether this build compiles it.
    pub compiled: bool,
    /// The import in the entry file it came through.
    pub via: Option<Span>,
}

impl Resolver<'_> {
    pub(super) fn table(&mut self, member: &Member) -> Option<Item> {
        let name = &member.name;
        self.declare_member(name, NameKind::Table, None);
        let mut block = self.block(name.span, &name.text, "table", &member.block, TABLE_KEYS);
        let from = self.word(&mut block, "From", SIDES);
        self.require(&block, &["From", "Fields"]);
        let fits = |rate: f64| (1.0..=60.0).contains(&rate);
        let rate = self.number(&mut block, "Rate", "a number from 1 to 60", fits);
        let fields = match self.payload(&block, "Fields") {
            Payload::Single(ty) => match &ty.meaning().kind {
                TypeKind::Struct(fields) => Arc::clone(fields),
                _ => Arc::from([]),
            },
            Payload::Nothing | Payload::Pack(_) => Arc::from([]),
        };
        let compiled = self.here.excluded.is_none();
        let before = self.tables.iter().filter(|table| table.compiled).count();
        let table = Table {
            name: name.text.clone(),
            path: self.path_of(&name.text),
            from: from.unwrap_or(Side::Client),
            rate: rate.unwrap_or(DEFAULT_RATE),
            fields,
            index: u8::try_from(before).unwrap_or(u8::MAX),
            span: name.span,
        };
        self.tables.push(DeclaredTable {
            table: table.clone(),
            fields: block.origin.written("Fields"),
            broken: block.origin.broken,
            compiled,
            via: self.here.via,
        });
        Some(Item::Table(table))
    }
}
