//! Codecs of parts and inputs: functions that give a part's bytes as a string, and that read them back into a table.

use super::super::ast::*;
use super::super::context::{Context, Names};
use super::super::{read, write};
use crate::schema::Options;
use crate::wire::plan::Plan;

/// Calls between a writer and whoever called the member that throws.
pub const LEVEL: u8 = 4;

/// `local function name(Data): string`: the bytes of a plan's values, each a field of `Data` or, with none named, `Data`
/// itself. `checked` are the options it is written under, those with `WriteValidations` for what the game gives: a value
/// that stays spoils every snapshot it is in.
#[allow(clippy::too_many_arguments, reason = "each is needed")]
pub fn writer<'c>(
    cx: &mut Context<'c>,
    checked: &'c Options,
    function: &str,
    what: &str,
    data: LuauType,
    plan: &Plan,
    values: &[Expr],
    level: Option<u8>,
) -> Stat {
    let mut names = Names::default();
    let mut body = Block::new();
    // Nothing is ever committed to it, so it is empty whenever a value is written.
    cx.stores = true;
    let batch = cx.batch_type();
    body.local_typed("Out", batch, name("Store"));
    let level = level.unwrap_or(LEVEL);
    let own = std::mem::replace(&mut cx.options, checked);
    let written = write::item(cx, &mut names, None, plan, values, what, level, &mut body);
    cx.options = own;
    body.ret([call("buffer.readstring", [name("Buffer"), num(0), written.end])]);
    let made = Function::new(vec![param("Data", data)], body).returning(vec![ty("string")]);
    local_function(function.to_owned(), made)
}

/// `local function name(Buffer, Cursor, Data): number`: puts a plan's values into the fields `keys` of `Data`, and gives
/// the offset behind them.
pub fn reader(cx: &mut Context, function: &str, what: &str, plan: &Plan, keys: &[String]) -> Stat {
    let body = read::alone(cx, |cx, body| {
        let mut names = Names::default();
        let (values, advance) = read::payload(cx, &mut names, plan, 0, what, body);
        for (key, value) in keys.iter().zip(values) {
            body.assign(field(name("Data"), key.as_str()), value);
        }
        body.ret([add(name("Cursor"), size(advance))]);
    });
    let params = vec![param("Buffer", ty("buffer")), param("Cursor", ty("number")), param("Data", ty("any"))];
    local_function(function.to_owned(), Function::new(params, body).returning(vec![ty("number")]))
}

/// `local function name(Buffer, Cursor): (T, number)`: a value and the offset behind it.
pub fn value_reader(cx: &mut Context, function: &str, what: &str, plan: &Plan, kind: LuauType) -> Stat {
    let body = read::alone(cx, |cx, body| {
        let mut names = Names::default();
        let (values, advance) = read::payload(cx, &mut names, plan, 0, what, body);
        let value = values.into_iter().next().unwrap_or(Expr::Nil);
        let local = names.fresh("Input");
        read::keep(&local, kind.clone(), value, body);
        body.ret([name(local), add(name("Cursor"), size(advance))]);
    });
    let params = vec![param("Buffer", ty("buffer")), param("Cursor", ty("number"))];
    local_function(function.to_owned(), Function::new(params, body).returning(vec![kind, ty("number")]))
}
