//! The types module: named types, and codecs of exported ones.

use super::ast::*;
use super::context::Context;
use super::module::Live;
use super::{entity, limits, module, print, types};
use crate::schema::{Schema, Side};
use crate::wire::Wire;

/// Text of the types module.
pub fn emit(schema: &Schema, wire: &Wire) -> String {
    let cx = &mut Context::new(schema, Side::Client);
    let own = &mut |_: &mut Context, _: module::Own| Vec::new();
    let members: Vec<Entry> = module::members(cx, wire, &schema.root, own, &[], &Live::default())
        .into_iter()
        .filter(|entry| !matches!(entry, Entry::Comment(_)))
        .filter(|entry| !matches!(entry, Entry::Named(_, Expr::Table(inner)) if inner.is_empty()))
        .chain(limits::entry(cx))
        .collect();
    let mut file = module::header("types", &wire.signature, &[]);
    for entity in schema.entities().into_iter().filter(|entity| entity::is_named(schema, entity.index)) {
        // What stands for it has members of one side only.
        let name = types::handle(schema, entity.index);
        file.push(Stat::TypeAlias(Box::new(TypeAlias {
            export: false,
            name,
            generics: Vec::new(),
            ty: ty("any"),
        })));
    }
    file.append(module::foundations(cx));
    file.ret([Expr::Table(members)]);
    print::print(&file)
}
