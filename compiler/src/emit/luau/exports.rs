//! `Read` and `Write` of exported types.

use super::ast::*;
use super::context::{Context, Names};
use super::module::member;
use super::{read, write};
use crate::schema::TypeDecl;
use crate::wire::plan::Plan;

/// The two members of an exported type.
pub fn members(cx: &mut Context, decl: &TypeDecl, plan: &Plan) -> Vec<Entry> {
    let casing = cx.options.casing;
    let value_type = ty(decl.luau_name.as_str());
    let what = decl.path.join(".");

    let whole = read::alone(cx, |cx, out| {
        let mut names = Names::default();
        let mut body = Block::new();
        let (values, _) = read::payload(cx, &mut names, plan, 0, &what, &mut body);
        if let Some(value) = values.into_iter().next() {
            let local = names.fresh("Result");
            body.local_typed(&local, value_type.clone(), value);
            body.ret([name(local)]);
        }
        if plan.block.tail || super::print::print(&body).contains("Cursor") {
            out.local("Cursor", num(0));
        }
        out.append(body);
    });
    let reader =
        Function::new(vec![param("Buffer", ty("buffer"))], whole).returning(vec![value_type.clone()]);

    let mut names = Names::default();
    let mut body = Block::new();
    // Nothing is ever committed to it, so it is empty whenever a value is written.
    cx.stores = true;
    let batch = cx.batch_type();
    body.local_typed("Out", batch, name("Store"));
    let written = write::item(cx, &mut names, None, plan, &[name("Value")], &what, 2, &mut body);
    let result = names.fresh("Result");
    body.local(&result, call("buffer.create", [written.end.clone()]));
    body.call("buffer.copy", [name(&result), num(0), name("Buffer"), num(0), written.end]);
    body.ret([name(result)]);
    let writer = Function::new(vec![param("Value", value_type)], body).returning(vec![ty("buffer")]);

    vec![
        Entry::Named(member(casing, "Read"), lambda(reader)),
        Entry::Named(member(casing, "Write"), lambda(writer)),
    ]
}
