//! Tables: `E3041`, and `E3005` for columns named like a member. Source: replication design, table.

use super::names::spelled;
use super::{Checked, is_broken};
use crate::diagnostics::{Code, Diagnostic, counted};
use crate::schema::table::{DeclaredTable, MAX_FIELDS, MAX_ROW, MAX_TABLES};
use crate::schema::{Field, Side, TypeKind};
use crate::wire::plan::Layout;
use crate::wire::size::measure;
use crate::wire::table::{fits_column, row_size};

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    let compiled: Vec<&DeclaredTable> = checked.tables.iter().filter(|one| one.compiled).collect();
    if let (Some(first), Some(past)) = (compiled.first(), compiled.get(MAX_TABLES)) {
        sink.push(
            Diagnostic::error(
                Code::AnalyzeInvalidTable,
                format!("a schema has more than {MAX_TABLES} tables, imported ones included"),
            )
            .primary(past.via.unwrap_or(past.table.span), "the first one too many")
            .secondary(first.table.span, "the first")
            .note("Put what belongs together into one table, or send what is rare as an event."),
        );
    }
    for declared in checked.tables {
        fields(declared, sink);
        row(declared, sink);
        members(checked, declared, sink);
    }
}

/// A struct of at least one and at most 16 fields.
fn fields(declared: &DeclaredTable, sink: &mut Vec<Diagnostic>) {
    let table = &declared.table;
    let Some(written) = declared.fields.filter(|written| written.key != written.value) else { return };
    let name = &table.name;
    let mut refuse = |span, headline: String, label: &str, note: &str| {
        sink.push(Diagnostic::error(Code::AnalyzeInvalidTable, headline).primary(span, label).note(note));
    };
    if table.fields.is_empty() && !declared.broken {
        refuse(
            written.value,
            format!("table \"{name}\" has no columns"),
            "not a struct with fields",
            "Name its columns: `Fields: { Slot: u8 }`.",
        );
    }
    if let Some(past) = table.fields.get(MAX_FIELDS) {
        refuse(
            past.span,
            format!("table \"{name}\" has {} columns, more than {MAX_FIELDS}", table.fields.len()),
            "the first one too many",
            "Split the table, or pack small values into one column.",
        );
    }
    for field in table.fields.iter().filter(|field| !is_broken(&field.ty) && !fits_column(&field.ty)) {
        let text = matches!(field.ty.meaning().kind, TypeKind::String(_) | TypeKind::Buffer(_));
        let (label, note) = if text {
            ("has no upper bound", "Bound it, as in `string(..20)`.")
        } else {
            (
                "of no fixed width",
                "Columns take numbers, booleans, strings with a bound, and types of a fixed width. Send the rest as an \
                 event.",
            )
        };
        let headline = format!("column \"{}\" of table \"{name}\" has no bounded width", field.name);
        refuse(field.ty.span, headline, label, note);
    }
}

/// At most 256 bytes.
fn row(declared: &DeclaredTable, sink: &mut Vec<Diagnostic>) {
    let table = &declared.table;
    if table.fields.iter().any(|field| is_broken(&field.ty) || !fits_column(&field.ty)) {
        return;
    }
    let size = row_size(&table.fields);
    if size.max <= MAX_ROW {
        return;
    }
    let bytes = |field: &Field| measure(&field.ty, Layout::Traffic).sealed().max;
    let widest = table.fields.iter().rev().max_by_key(|field| bytes(field));
    sink.push(
        Diagnostic::error(
            Code::AnalyzeInvalidTable,
            format!(
                "a row of table \"{}\" can take {} bytes, over the limit of {MAX_ROW}",
                table.name, size.max
            ),
        )
        .primary(table.span, "every row counts at its largest")
        .opt_secondary(
            widest.map(|field| field.ty.span),
            widest.map_or(String::new(), |field| format!("at most {}", counted(bytes(field), "byte"))),
        )
        .note("Bound its strings, or split the table."),
    );
}

/// Columns stand beside the members of the table that is read.
fn members(checked: &Checked, declared: &DeclaredTable, sink: &mut Vec<Diagnostic>) {
    let casing = checked.schema.options.casing;
    let table = &declared.table;
    for pascal in ["Count", "Sender"] {
        if pascal == "Sender" && table.from == Side::Server {
            continue;
        }
        let taken = spelled(pascal, casing);
        for field in table.fields.iter().filter(|field| field.name == taken) {
            sink.push(
                Diagnostic::error(
                    Code::AnalyzeReservedName,
                    format!("\"{taken}\" is a member of every table that is read"),
                )
                .primary(field.span, "stands beside it")
                .opt_secondary(checked.option("Casing"), "spells the member so")
                .note("Choose another name; names of columns do not travel."),
            );
        }
    }
}
