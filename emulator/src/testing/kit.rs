//! Loads the Luau half of the test API into a director, and a spec file on top of it.

use std::rc::Rc;

use super::director::Director;
use super::inside::{self, Placed};
use super::natives;
use super::report::Failure;
use crate::value::{Table, Value};
use crate::vm::{self, Handle, Vm, compile};

/// The test API's Luau sources, in the order they load; each gets what the earlier ones returned, by name.
const SOURCES: [(&str, &str); 17] = [
    ("format", include_str!("luau/format.luau")),
    ("expect", include_str!("luau/expect.luau")),
    ("mock", include_str!("luau/mock.luau")),
    ("tree", include_str!("luau/tree.luau")),
    ("property", include_str!("luau/property.luau")),
    ("fuzz", include_str!("luau/fuzz.luau")),
    ("check", include_str!("luau/world/check.luau")),
    ("link", include_str!("luau/world/link.luau")),
    ("side", include_str!("luau/world/side.luau")),
    ("packet", include_str!("luau/world/packet.luau")),
    ("class", include_str!("luau/world/class.luau")),
    ("time", include_str!("luau/world/time.luau")),
    ("traffic", include_str!("luau/world/traffic.luau")),
    ("past", include_str!("luau/world/past.luau")),
    ("world", include_str!("luau/world/open.luau")),
    ("universe", include_str!("luau/universe.luau")),
    ("bridge", include_str!("luau/bridge.luau")),
];

/// One test as the spec file declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Names of the blocks around it.
    pub blocks: Vec<String>,
    /// Its own name.
    pub name: String,
    /// `run`, `only`, `skip`, `todo` or `failing`.
    pub mode: String,
    /// Line of its `it`.
    pub line: u32,
}

/// A loaded spec file.
pub struct Kit {
    director: Rc<Director>,
    cases: Vec<Case>,
    run: Handle,
    skip: Handle,
    keeps: Handle,
    block: Handle,
}

/// Runs the main function of one of the [`SOURCES`] and puts what it gives into the API, which it is handed.
pub(super) fn add_part(vm: &Vm, api: &Handle, name: &str, main: &Handle) -> Result<(), vm::Failure> {
    vm.enter(|cx| {
        cx.push_handle(api);
        cx.push_handle(main);
        cx.push_handle(api);
        cx.call(1, 1);
        cx.set_field(name);
        Ok(())
    })
}

impl Kit {
    /// Loads the API into a director that has no file. Gives the API's modules and the globals of a spec.
    pub fn load_api(director: &Rc<Director>) -> Result<(Handle, Vec<(String, Value)>), vm::Failure> {
        let vm = director.vm();
        natives::install(director)?;
        vm.seal(&["_G", "shared"])?;
        let host = vm.enter(|cx| {
            natives::push_host(cx, director);
            cx.table(-1)
        })?;
        director.set_host(host.clone());
        let api = vm.enter(|cx| {
            cx.push_table(0, SOURCES.len() + 1);
            cx.push_handle(&host);
            cx.set_field("host");
            cx.table(-1)
        })?;
        for (name, source) in SOURCES {
            let code = compile(source, name).map_err(|error| {
                vm::Failure::text(format!("test API, {name}:{}: {}", error.line, error.message))
            })?;
            let main = vm.load(&code, &format!("[test]/{name}"), &[])?;
            add_part(vm, &api, name, &main)?;
        }
        let globals = vm.enter(|cx| natives::spec_globals(cx, &api, &director.options.env))?;
        Ok((api, globals))
    }

    /// Loads the API, then the director's file. Errors: the failure of the file, with its place.
    pub fn load(director: &Rc<Director>) -> Result<Kit, vm::Failure> {
        let (api, globals) = Kit::load_api(director)?;
        let vm = director.vm();
        // What cannot be read is reported where it is read.
        if std::fs::read_to_string(&director.options.file).is_ok_and(|text| !holds_code(&text)) {
            return Err(vm::Failure::text("the file is empty: it must contain at least one test"));
        }
        match inside::placed(director)? {
            Some(placed) => declare_inside(director, &api, &placed)?,
            None => load_spec(director, &api, &globals)?,
        }
        let field = |module: &str, name: &str| {
            vm.enter(|cx| {
                cx.push_handle(&api);
                cx.get_field(-1, module);
                cx.get_field(-1, name);
                cx.function(-1)
            })
        };
        let (list, run, skip, keeps, block) = (
            field("tree", "list")?,
            field("tree", "run")?,
            field("tree", "skip")?,
            field("tree", "keeps")?,
            field("format", "block")?,
        );
        let rows = vm.call(&list, &[])?;
        let cases = match rows.first() {
            Some(Value::Table(rows)) => rows.array.iter().filter_map(case).collect(),
            _ => Vec::new(),
        };
        Ok(Kit { director: director.clone(), cases, run, skip, keeps, block })
    }

    /// The tests, in order of definition.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The function that runs a test by its number from 1.
    pub fn run_function(&self) -> &Handle {
        &self.run
    }

    /// Whether a block still shares worlds after the test of that index, and whether that test is in one.
    pub fn keeps(&self, index: usize) -> (bool, bool) {
        let answer = self.director.vm().call(&self.keeps, &[Value::Number((index + 1) as f64)]);
        let answer = answer.unwrap_or_default();
        let is = |place: usize| answer.get(place) == Some(&Value::Boolean(true));
        (is(0), is(1))
    }

    /// Leaves a test out, so that `afterAll` hooks still come at the right moment.
    pub fn skip(&self, index: usize) {
        // A failing hook of a skipped test has nowhere to be reported.
        let _ = self.director.vm().call(&self.skip, &[Value::Number((index + 1) as f64)]);
    }

    /// The failure behind what a test threw, if it is a record of the test API.
    pub fn explain(&self, thrown: &Value) -> Option<Failure> {
        let Value::Reference(table) = thrown else { return None };
        let read = self.director.vm().enter(|cx| {
            cx.push_handle(table);
            let at = cx.top();
            let text = |name: &str| {
                cx.get_field(at, name);
                let text = if cx.is_nil(-1) { None } else { Some(cx.display(-1)) };
                cx.pop(1);
                text
            };
            let mut failure = Failure {
                message: text("message").unwrap_or_default(),
                trace: text("trace").unwrap_or_default(),
                place: text("source").zip(text("line")).map(|(source, line)| format!("{source}:{line}")),
                ..Failure::default()
            };
            cx.get_field(at, "isShown");
            let is_shown = cx.truthy(-1);
            cx.pop(1);
            for (name, slot) in [("expected", &mut failure.expected), ("actual", &mut failure.actual)] {
                // What failed inside a side has become text there.
                if is_shown {
                    cx.get_field(at, name);
                    *slot = if cx.is_nil(-1) { None } else { Some(cx.display(-1)) };
                    cx.pop(1);
                    continue;
                }
                cx.push_handle(&self.block);
                cx.get_field(at, name);
                if cx.is_nil(-1) {
                    cx.pop(2);
                    continue;
                }
                cx.call(1, 1);
                *slot = Some(cx.display(-1));
                cx.pop(1);
            }
            Ok(failure)
        });
        read.ok()
    }
}

/// Whether a Luau text is more than space and comments.
fn holds_code(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(comment) = rest.strip_prefix("--") {
        let level = comment.strip_prefix('[').map(|inner| inner.len() - inner.trim_start_matches('=').len());
        let long = level.filter(|level| comment[1 + level..].starts_with('['));
        let end = match long {
            Some(level) => {
                let close = format!("]{}]", "=".repeat(level));
                comment.find(&close).map(|at| at + close.len())
            }
            None => comment.find('\n'),
        };
        rest = end.map_or("", |end| &comment[end..]).trim_start();
    }
    !rest.is_empty()
}

/// Loads the director's file and collects the tests it declares.
fn load_spec(director: &Rc<Director>, api: &Handle, globals: &[(String, Value)]) -> Result<(), vm::Failure> {
    let vm = director.vm();
    let main = director.load_spec(globals)?;
    vm.enter(|cx| {
        cx.push_handle(api);
        cx.get_field(-1, "tree");
        cx.get_field(-1, "finish");
        cx.push_handle(&main);
        cx.call(0, 1);
        cx.call(1, 0);
        Ok(())
    })?;
    Ok(())
}

/// Lists the tests of a file that runs inside a side, and declares one of the director's for each.
fn declare_inside(director: &Rc<Director>, api: &Handle, placed: &Placed) -> Result<(), vm::Failure> {
    let listed = inside::list(director, placed)?;
    let Value::Table(listed) = &listed else { return Ok(()) };
    let is_test_ez = field(listed, "isTestEz") == Some(&Value::Boolean(true));
    let options = inside::bridge_options(placed, is_test_ez, &director.options.file);
    director.vm().enter(|cx| {
        cx.push_handle(api);
        cx.get_field(-1, "bridge");
        cx.get_field(-1, "declare");
        cx.push(field(listed, "rows").unwrap_or(&Value::Nil));
        cx.push(&options);
        cx.call(2, 0);
        Ok(())
    })
}

fn case(row: &Value) -> Option<Case> {
    let Value::Table(row) = row else { return None };
    Some(Case {
        blocks: match field(row, "blocks") {
            Some(Value::Table(blocks)) => blocks.array.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        },
        name: field(row, "name")?.to_string(),
        mode: field(row, "mode")?.to_string(),
        line: field(row, "line").and_then(Value::as_number).unwrap_or(0.0) as u32,
    })
}

/// The field of that name in a copied table.
pub fn field<'a>(table: &'a Table, name: &str) -> Option<&'a Value> {
    table.pairs.iter().find(|(key, _)| key.as_bytes() == Some(name.as_bytes())).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::holds_code;

    #[test]
    fn comments_are_no_code() {
        for text in [
            "",
            " \n",
            "-- a",
            "--[[ a\n ]]\n--[==[ ]] ]==] -- b",
            "--[=",
            "--[[ open",
            "\u{feff}--!strict\n",
        ] {
            assert!(!holds_code(text), "{text:?}");
        }
        for text in ["x()", "-- a\nx()", "--[[ a ]] x()", "--[ a\nx()", "--[==[ a ]==] x()"] {
            assert!(holds_code(text), "{text:?}");
        }
    }
}
