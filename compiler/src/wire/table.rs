//! How a table travels: a packet of a remote of its own holds the rows of every table that is due, as columns.
//!
//! A packet is a `u16` that counts the sender's ticks and a byte with the number of tables; then for each table its
//! index, its rows less one, and its columns one after another. A column is laid out as an array of so many elements
//! is in traffic, without a prefix.

use super::plan::{Layout, Place, Plan, Prefix, Shape};
use super::size::Size;
use crate::schema::table::MAX_ROWS;
use crate::schema::{Element, Field, Length, Payload, Side, Table, Type, TypeKind};

/// How a table travels.
#[derive(Clone, Debug)]
pub struct TableWire {
    /// Names from the top level down to and including its own.
    pub path: Vec<String>,
    /// Place among the tables.
    pub index: u8,
    /// The side that pushes rows.
    pub from: Side,
    /// Its columns, in order.
    pub columns: Vec<ColumnWire>,
    /// One row by itself, in the traffic layout: what its limit is measured by.
    pub row: Plan,
}

/// How a column travels.
#[derive(Clone, Debug)]
pub struct ColumnWire {
    /// Its name.
    pub name: String,
    /// The parameter that holds the column's values; [`Prefix::Rows`] stands for its count.
    pub plan: Plan,
    /// Bytes of a row at a constant stride; of strings, those of the length.
    pub stride: u32,
    /// Bits of a row in the column's run.
    pub bits: u32,
    /// Least length of strings, which the length in front of them is counted from; `None` for anything of a fixed
    /// width.
    pub text: Option<u32>,
}

impl TableWire {
    /// Plans one table.
    pub fn of(table: &Table) -> TableWire {
        TableWire {
            path: table.path.clone(),
            index: table.index,
            from: table.from,
            columns: table.fields.iter().map(ColumnWire::of).collect(),
            row: row(&table.fields),
        }
    }

    /// Bytes and bits of a row that do not depend on its values: strings count as their lengths alone.
    pub fn fixed_row(&self) -> u32 {
        let bytes: u32 = self.columns.iter().map(|column| column.stride).sum();
        let bits: u32 = self.columns.iter().map(|column| column.bits).sum();
        bytes + bits.div_ceil(8)
    }
}

/// The plan of one row.
pub fn row(fields: &[Field]) -> Plan {
    let elements = fields.iter().map(|field| Element {
        name: Some(field.name.clone()),
        ty: field.ty.clone(),
        span: field.span,
    });
    Plan::payload(&Payload::Pack(elements.collect()), Layout::Traffic)
}

/// What a row of these fields takes, sealed.
pub fn row_size(fields: &[Field]) -> Size {
    row(fields).block.size.sealed()
}

/// Whether a column can hold values of that type: of a fixed width, or of a bounded length.
pub fn fits_column(ty: &Type) -> bool {
    match &ty.meaning().kind {
        TypeKind::String(length) | TypeKind::Buffer(length) => length.max_written,
        _ => {
            let block = Plan::exported(ty, Layout::Traffic).block;
            !block.tail && block.size.slots == 0
        }
    }
}

impl ColumnWire {
    fn of(field: &Field) -> ColumnWire {
        let column = |min: u32, written: bool| {
            let length = Length { min, max: MAX_ROWS, written, max_written: true };
            let kind = TypeKind::Array { element: field.ty.clone().into(), length };
            let ty = Type { kind, span: field.ty.span };
            let name = Some(field.name.clone());
            Plan::payload(&Payload::Pack(vec![Element { name, ty, span: field.span }]), Layout::Traffic)
        };
        let mut plan = column(0, true);
        let (mut stride, mut bits, mut text) = (0, 0, None);
        // The prefix is the one claim of the block's head.
        plan.block.head = 0;
        if let Shape::Pack(members) = &mut plan.block.body.shape
            && let Some(member) = members.first_mut()
        {
            let length = match &mut member.node.shape {
                Shape::Array(array) => {
                    (stride, bits) = (array.block.head, array.block.run_bits);
                    if let Shape::Bytes(bytes) = &array.block.body.shape
                        && bytes.length.prefix != Prefix::None
                    {
                        text = Some(bytes.length.min);
                    }
                    &mut array.length
                }
                Shape::Booleans(list) => {
                    bits = 1;
                    &mut list.length
                }
                _ => unreachable!("an array is planned as one"),
            };
            length.prefix = Prefix::Rows;
            length.place = Place::Append;
            length.max_can_fail = false;
        }
        ColumnWire { name: field.name.clone(), plan, stride, bits, text }
    }

    /// The same column of exactly so many rows: a plan like any other.
    pub fn of_rows(&self, rows: u32) -> Plan {
        let mut plan = self.plan.clone();
        if let Shape::Pack(members) = &mut plan.block.body.shape {
            for member in members {
                let length = match &mut member.node.shape {
                    Shape::Array(array) => &mut array.length,
                    Shape::Booleans(list) => &mut list.length,
                    _ => continue,
                };
                (length.min, length.max, length.prefix) = (rows, rows, Prefix::None);
            }
        }
        plan
    }
}
