//! Links the runtime library ahead of every compile: its statements as they stand in a generated module, and what each
//! needs. `runtime.txt` is their text, `runtime.rs` the tables into it that `emit/bundle.rs` declares the rows of.
//!
//! Texts are named by where they lie in the one: a table of slices would have to be relocated when a program starts.

use std::fmt::Write;

use blinkblox_luau_runtime::MODULES;
use blinkblox_luau_runtime::form::{Export, Module, Statement};

/// What both files hold.
pub struct Linked {
    /// Every text, one behind the other.
    pub text: String,
    /// The tables.
    pub tables: String,
}

/// Stands for no module.
const NONE: usize = 255;

/// The library, linked.
pub fn link() -> Linked {
    let modules: Vec<Module> = MODULES.iter().map(|(name, text)| Module::read(name, text)).collect();
    assert!(modules.len() < NONE, "the number of a module is a byte");
    let mut first = Vec::new();
    let mut count = 0;
    for module in &modules {
        first.push(count);
        count += module.statements.len();
    }
    Linker { modules, first, text: String::new() }.tables()
}

struct Linker {
    modules: Vec<Module<'static>>,
    /// Number of each module's first statement; they are counted through the whole library.
    first: Vec<usize>,
    text: String,
}

impl Linker {
    fn tables(mut self) -> Linked {
        let (mut rows, mut statements, mut needs, mut exports) =
            (String::new(), String::new(), Vec::new(), Vec::new());
        let mut counted = 0;
        for number in 0..self.modules.len() {
            let module = self.modules[number].clone();
            let first_export = exports.len();
            for (name, at) in exported(&module) {
                exports.push(format!("({}, {})", self.place(name), self.first[number] + at));
            }
            let is_function = matches!(module.export, Export::Function(_));
            let name = self.place(module.name);
            let local = self.place(module.local());
            let opening = if is_function { whole(&module) } else { opening(&module) };
            let opening = self.place(&opening);
            writeln!(
                rows,
                "    Module {{ name: {name}, local: {local}, is_function: {is_function}, opening: {opening}, \
                 statements: ({}, {}), exports: ({first_export}, {}) }},",
                self.first[number],
                self.first[number] + module.statements.len(),
                exports.len()
            )
            .expect("writing to a string does not fail");
            for statement in &module.statements {
                let own = self.needs(number, statement);
                let inside = match statement.requires {
                    None if !is_function => statement.inside(),
                    _ => String::new(),
                };
                let text = self.place(&inside);
                let declares = self.place(statement.declares.unwrap_or_default());
                let requires = statement.requires.map_or(NONE, |required| self.numbered(required));
                writeln!(
                    statements,
                    "    Statement {{ module: {number}, text: {text}, declares: {declares}, \
                     requires: {requires}, needs: ({}, {}) }},",
                    needs.len(),
                    needs.len() + own.len()
                )
                .expect("writing to a string does not fail");
                needs.extend(own);
                counted += 1;
            }
        }
        let tables = format!(
            "static MODULES: [Module; {}] = [\n{rows}];\nstatic STATEMENTS: [Statement; {counted}] = [\n{statements}];\n\
             static NEEDS: [u16; {}] = {needs:?};\nstatic EXPORTS: [(Text, u16); {}] = [{}];\n",
            self.modules.len(),
            needs.len(),
            exports.len(),
            exports.join(", ")
        );
        Linked { text: self.text, tables }
    }

    /// Where a text lies from now on.
    fn place(&mut self, text: &str) -> String {
        let start = self.text.len();
        self.text.push_str(text);
        format!("Text({start}, {})", self.text.len())
    }

    fn numbered(&self, module: &str) -> usize {
        let found = MODULES.iter().position(|(name, _)| *name == module);
        found.unwrap_or_else(|| panic!("there is no runtime module {module}"))
    }

    /// Numbers of the statements that one cannot be without.
    fn needs(&self, number: usize, statement: &Statement) -> Vec<usize> {
        let module = &self.modules[number];
        let mut found: Vec<usize> = Vec::new();
        for used in module.uses(statement) {
            found.push(self.first[number] + used.at);
            if let (Some(required), Some(member)) = (module.statements[used.at].requires, used.member) {
                let required = self.numbered(required);
                let taken = exported(&self.modules[required]).find(|(name, _)| *name == member);
                let is_table = matches!(self.modules[required].export, Export::Table(_));
                assert!(taken.is_some() || !is_table, "{} has no {member}", self.modules[required].name);
                found.extend(taken.map(|(_, at)| self.first[required] + at));
            }
        }
        if let Some(required) = statement.requires {
            // A module that is there at all does what it does when it is loaded, and is its function if it is one.
            let required = self.numbered(required);
            found.extend(always(&self.modules[required]).map(|at| self.first[required] + at));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What a module gives, by name, with the statements behind it.
fn exported<'a>(module: &'a Module<'static>) -> impl Iterator<Item = (&'static str, usize)> + 'a {
    let names = match &module.export {
        Export::Function(name) => std::slice::from_ref(name),
        Export::Table(names) => names.as_slice(),
    };
    names.iter().map(|&name| {
        let at = module.declarations(name).next();
        (name, at.unwrap_or_else(|| panic!("the runtime module {} has no member {name}", module.name)))
    })
}

/// Statements that are there whenever the module is.
fn always<'a>(module: &'a Module<'static>) -> impl Iterator<Item = usize> + 'a {
    let effects = (0..module.statements.len()).filter(|&at| module.statements[at].declares.is_none());
    let function = match module.export {
        Export::Function(name) => module.declarations(name).next(),
        Export::Table(_) => None,
    };
    effects.chain(function)
}

/// What stands in front of a module's statements.
fn opening(module: &Module) -> String {
    let mut text: String = module.purpose.iter().map(|line| format!("{line}\n")).collect();
    writeln!(text, "local {} = (function()", module.local()).expect("writing to a string does not fail");
    text
}

/// All of a module that is a function: what it keeps is the same for whoever needs it.
fn whole(module: &Module<'static>) -> String {
    let mut kept: Vec<bool> = vec![false; module.statements.len()];
    let mut queue: Vec<usize> = always(module).collect();
    while let Some(at) = queue.pop() {
        if !std::mem::replace(&mut kept[at], true) {
            queue.extend(module.uses(&module.statements[at]).iter().map(|used| used.at));
        }
    }
    let kept: Vec<&Statement> = module
        .statements
        .iter()
        .zip(kept)
        .filter(|(statement, kept)| *kept && statement.requires.is_none())
        .map(|(statement, _)| statement)
        .collect();
    if let [only] = kept.as_slice() {
        let lines: Vec<&str> = module.purpose.iter().copied().chain(only.code()).collect();
        return lines.join("\n");
    }
    let inside: String = kept.iter().map(|statement| statement.inside()).collect();
    format!("{}{inside}\treturn {}\nend)()", opening(module), module.local())
}
