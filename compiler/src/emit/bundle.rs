//! Picks the parts of the runtime library that a generated module needs, and makes text of them to inline.
//!
//! ```text
//! let mut bundle = Bundle::default();
//! bundle.need("Stream", &["forEveryone"]);
//! bundle.need("Spawn", &[]); // a module that is one function
//! for part in bundle.parts() { /* `part.text` declares the local `part.local` */ }
//! ```
//!
//! A part is one statement that declares one local, so a module of any size spends few of the 200 locals a function
//! may have: `local Stream = (function() ... return { forEveryone = forEveryone } end)()`. Functions nobody needs are
//! left out, and so are types, `export`, `--!strict`, the requires, and comments but for what each part is for: they were a
//! fifth of the text. Types that stay are local to the wrapper. Parts come in an order in which each stands behind those it
//! uses, the same one for equal needs.
//!
//! The library is read and linked when the compiler is built (`build/runtime.rs`). Here statements are marked, and the
//! texts of those that are marked copied. The tests hold that equal to a fresh reading of the library.

use std::fmt;

/// The needs of one generated module.
#[derive(Clone)]
pub struct Bundle {
    modules: [bool; MODULES.len()],
    /// By their number in the library: what was asked for, not what that needs.
    statements: [bool; STATEMENTS.len()],
}

/// One runtime module, cut down to what is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The local that holds it: the module's name, or that of the function when the module is one (`spawn`).
    pub local: &'static str,
    /// The statement that declares the local, comments before it. Tabs indent; no line break at the end.
    pub text: String,
}

impl Default for Bundle {
    fn default() -> Bundle {
        Bundle { modules: [false; MODULES.len()], statements: [false; STATEMENTS.len()] }
    }
}

impl fmt::Debug for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let needed = self.statements.iter().zip(&STATEMENTS).filter(|(is_needed, _)| **is_needed);
        let named = needed.map(|(_, statement)| (statement.owner().name.get(), statement.declares.get()));
        f.debug_set().entries(named).finish()
    }
}

impl Bundle {
    /// Adds members of a runtime module. A module that is one function has none to name.
    ///
    /// # Panics
    ///
    /// When there is no such module or member: what the emitter asks for does not depend on any schema.
    pub fn need(&mut self, module: &str, members: &[&str]) {
        let number = Module::number(module);
        self.modules[number] = true;
        for member in members {
            assert!(!MODULES[number].is_function, "the runtime module {module} has no {member}");
            let found = MODULES[number].exports().iter().find(|(name, _)| name.get() == *member);
            let (_, at) =
                found.unwrap_or_else(|| unreachable!("the runtime module {module} has no {member}"));
            self.statements[usize::from(*at)] = true;
        }
    }

    /// Whether anything of a module was asked for.
    pub fn has(&self, module: &str) -> bool {
        self.modules[Module::number(module)]
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        !self.modules.contains(&true)
    }

    /// What was asked for and what that uses, each part behind those it uses.
    pub fn parts(&self) -> Vec<Part> {
        let mut linker = Linker { modules: self.modules, statements: self.statements, order: Vec::new() };
        linker.mark();
        for number in 0..MODULES.len() {
            if linker.modules[number] {
                linker.visit(number);
            }
        }
        linker.order.iter().map(|&number| MODULES[number].part(&linker.statements)).collect()
    }
}

/// Every runtime module with the members it has, in order of name; none for one that is a function.
pub fn modules() -> Vec<(&'static str, Vec<&'static str>)> {
    let members = |module: &Module| {
        let exports = if module.is_function { &[] } else { module.exports() };
        exports.iter().map(|(name, _)| name.get()).collect()
    };
    MODULES.iter().map(|module| (module.name.get(), members(module))).collect()
}

/// A declaration of the type that `module` calls `ty`, under another name.
///
/// Types of parts are local to them, yet values of such a type pass through a generated module. Where the checker must
/// find out their type for itself, it spends some of a limit a module has.
pub fn type_declaration(module: &str, ty: &str, name: &str) -> String {
    let statements = MODULES[Module::number(module)].statements();
    let is_meant = |one: &&Statement| one.declares.get() == ty && one.requires == NONE;
    let statement = statements
        .iter()
        .find(is_meant)
        .unwrap_or_else(|| unreachable!("the runtime module {module} has no type {ty}"));
    let lines = statement.text.get().trim_end().lines();
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix('\t').unwrap_or(line)).collect();
    let text = lines.join("\n");
    let value = text.split_once('=').map_or("", |(_, value)| value);
    format!("type {name} ={value}")
}

/// What is kept of the library.
struct Linker {
    modules: [bool; MODULES.len()],
    statements: [bool; STATEMENTS.len()],
    /// Modules, each behind those it requires.
    order: Vec<usize>,
}

impl Linker {
    /// Keeps all that is used by what is kept.
    fn mark(&mut self) {
        for (number, module) in MODULES.iter().enumerate() {
            if !self.modules[number] {
                continue;
            }
            for at in module.places() {
                // What runs for its effect does so in a module that is there at all.
                self.statements[at] |= STATEMENTS[at].declares.is_empty();
            }
            if let [(_, function)] = module.exports()
                && module.is_function
            {
                self.statements[usize::from(*function)] = true;
            }
        }
        let mut queue: Vec<usize> = (0..STATEMENTS.len()).filter(|&at| self.statements[at]).collect();
        while let Some(at) = queue.pop() {
            for &needed in STATEMENTS[at].needs() {
                let needed = usize::from(needed);
                if !std::mem::replace(&mut self.statements[needed], true) {
                    queue.push(needed);
                }
            }
            if STATEMENTS[at].requires != NONE {
                self.modules[usize::from(STATEMENTS[at].requires)] = true;
            }
        }
    }

    /// Appends a module behind what it requires.
    fn visit(&mut self, number: usize) {
        if self.order.contains(&number) {
            return;
        }
        for at in MODULES[number].places() {
            let required = STATEMENTS[at].requires;
            if self.statements[at] && required != NONE {
                self.visit(usize::from(required));
            }
        }
        self.order.push(number);
    }
}

/// The text of all that may be inlined.
static TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/runtime.txt"));

include!(concat!(env!("OUT_DIR"), "/runtime.rs"));

/// From where to where a text lies in [`TEXT`].
struct Text(u32, u32);

/// A runtime module.
struct Module {
    name: Text,
    /// The local it becomes.
    local: Text,
    /// Whether it is one function.
    is_function: bool,
    /// What stands in front of its statements; all of it when it is one function.
    opening: Text,
    /// From which of [`STATEMENTS`] to which.
    statements: (u16, u16),
    /// From which of [`EXPORTS`] to which: what it returns, with the statements behind it.
    exports: (u16, u16),
}

/// A top-level statement of a module.
struct Statement {
    /// The number of its module.
    module: u8,
    /// As it stands inside a wrapper; empty when it never does.
    text: Text,
    /// The local or type it declares; empty for one that is run for its effect.
    declares: Text,
    /// The number of the module it requires, or [`NONE`].
    requires: u8,
    /// From which of [`NEEDS`] to which: the numbers of the statements it cannot be without.
    needs: (u16, u16),
}

/// Stands for no module.
const NONE: u8 = u8::MAX;

impl Text {
    fn get(&self) -> &'static str {
        &TEXT[self.0 as usize..self.1 as usize]
    }

    fn is_empty(&self) -> bool {
        self.0 == self.1
    }
}

impl Statement {
    fn owner(&self) -> &'static Module {
        &MODULES[usize::from(self.module)]
    }

    fn needs(&self) -> &'static [u16] {
        &NEEDS[usize::from(self.needs.0)..usize::from(self.needs.1)]
    }
}

impl Module {
    /// The number of the module of that name.
    fn number(name: &str) -> usize {
        let found = MODULES.binary_search_by(|module| module.name.get().cmp(name));
        found.unwrap_or_else(|_| unreachable!("there is no runtime module {name}"))
    }

    /// Numbers of its statements.
    fn places(&self) -> std::ops::Range<usize> {
        usize::from(self.statements.0)..usize::from(self.statements.1)
    }

    fn statements(&self) -> &'static [Statement] {
        &STATEMENTS[self.places()]
    }

    fn exports(&self) -> &'static [(Text, u16)] {
        &EXPORTS[usize::from(self.exports.0)..usize::from(self.exports.1)]
    }

    fn part(&self, kept: &[bool; STATEMENTS.len()]) -> Part {
        let local = self.local.get();
        let mut text = String::with_capacity(4096);
        text.push_str(self.opening.get());
        if self.is_function {
            return Part { local, text };
        }
        for at in self.places().filter(|&at| kept[at]) {
            text.push_str(STATEMENTS[at].text.get());
        }
        text.push_str("\treturn {\n");
        for (name, at) in self.exports() {
            if kept[usize::from(*at)] {
                text.push_str("\t\t");
                text.push_str(name.get());
                text.push_str(" = ");
                text.push_str(name.get());
                text.push_str(",\n");
            }
        }
        text.push_str("\t}\nend)()");
        Part { local, text }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use blinkblox_luau_runtime as runtime;
    use runtime::form::{self, Export};

    use super::*;

    fn parts(needs: &[(&str, &[&str])]) -> Vec<Part> {
        let mut bundle = Bundle::default();
        for (module, members) in needs {
            bundle.need(module, members);
        }
        bundle.parts()
    }

    fn everything() -> Vec<Part> {
        let mut bundle = Bundle::default();
        for (name, members) in modules() {
            bundle.need(name, &members);
        }
        bundle.parts()
    }

    fn locals(parts: &[Part]) -> Vec<&str> {
        parts.iter().map(|part| part.local).collect()
    }

    /// The same from the library's own text, read now and linked by names.
    #[derive(Default)]
    struct Fresh {
        /// Modules by name, and which statements of each are kept.
        modules: BTreeMap<&'static str, (form::Module<'static>, BTreeSet<usize>)>,
    }

    impl Fresh {
        fn parts(needs: &[(&'static str, Vec<&'static str>)]) -> Vec<Part> {
            let mut fresh = Fresh::default();
            for (module, members) in needs {
                fresh.require(module, members);
            }
            let mut order = Vec::new();
            for name in fresh.modules.keys() {
                fresh.visit(name, &mut order);
            }
            order.iter().map(|name| fresh.part(name)).collect()
        }

        /// Keeps `members` of `name` and all they use, in this module and others.
        fn require(&mut self, name: &'static str, members: &[&'static str]) {
            let (module, mut kept) = self.modules.remove(name).unwrap_or_else(|| {
                let module = form::Module::read(name, runtime::module(name).unwrap());
                let nameless = |at: &usize| module.statements[*at].declares.is_none();
                let effects = (0..module.statements.len()).filter(nameless).collect();
                (module, effects)
            });
            let roots = match &module.export {
                Export::Function(name) => std::slice::from_ref(name),
                Export::Table(_) => members,
            };
            kept.extend(roots.iter().map(|root| module.declarations(root).next().unwrap()));
            let mut queue: Vec<usize> = kept.iter().copied().collect();
            let mut foreign: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
            while let Some(at) = queue.pop() {
                for used in module.uses(&module.statements[at]) {
                    if kept.insert(used.at) {
                        queue.push(used.at);
                    }
                    if let Some(required) = module.statements[used.at].requires {
                        foreign.entry(required).or_default().extend(used.member);
                    }
                }
            }
            self.modules.insert(name, (module, kept));
            for (required, members) in foreign {
                self.require(required, &members);
            }
        }

        fn visit(&self, name: &'static str, order: &mut Vec<&'static str>) {
            if order.contains(&name) {
                return;
            }
            let (module, kept) = &self.modules[name];
            for required in kept.iter().filter_map(|&at| module.statements[at].requires) {
                self.visit(required, order);
            }
            order.push(name);
        }

        fn part(&self, name: &str) -> Part {
            let (module, kept) = &self.modules[name];
            let statements = kept.iter().map(|&at| &module.statements[at]);
            let statements: Vec<_> = statements.filter(|statement| statement.requires.is_none()).collect();
            let local = module.local();
            let purpose: String = module.purpose.iter().map(|line| format!("{line}\n")).collect();
            if let (Export::Function(_), [only]) = (&module.export, statements.as_slice()) {
                let code: Vec<&str> = only.code().collect();
                return Part { local, text: format!("{purpose}{}", code.join("\n")) };
            }
            let body: String = statements.iter().map(|statement| statement.inside()).collect();
            let returned = match &module.export {
                Export::Function(name) => (*name).to_owned(),
                Export::Table(names) => {
                    let is_kept = |name: &&&str| kept.contains(&module.declarations(name).next().unwrap());
                    let names = names.iter().filter(is_kept);
                    let entries: String = names.map(|name| format!("\t\t{name} = {name},\n")).collect();
                    format!("{{\n{entries}\t}}")
                }
            };
            Part {
                local,
                text: format!("{purpose}local {local} = (function()\n{body}\treturn {returned}\nend)()"),
            }
        }
    }

    /// Every member of the library by itself, every module, and many together.
    #[test]
    fn what_was_linked_before_is_what_a_fresh_reading_gives() {
        let mut wanted: Vec<Vec<(&'static str, Vec<&'static str>)>> = Vec::new();
        for (name, members) in modules() {
            wanted.extend(members.iter().map(|&member| vec![(name, vec![member])]));
            wanted.push(vec![(name, members)]);
        }
        assert!(wanted.len() > runtime::MODULES.len() + 200);
        let alone = wanted.clone();
        for step in [3, 7, 31, 97] {
            wanted.extend(
                (0..step).map(|from| alone.iter().skip(from).step_by(step).flatten().cloned().collect()),
            );
        }
        for needs in wanted {
            let borrowed: Vec<(&str, &[&str])> =
                needs.iter().map(|(name, members)| (*name, &members[..])).collect();
            assert_eq!(parts(&borrowed), Fresh::parts(&needs), "{needs:?}");
        }
        let texts =
            modules().into_iter().map(|(name, _)| form::Module::read(name, runtime::module(name).unwrap()));
        let count: usize = texts.map(|module| module.statements.len()).sum();
        assert_eq!(count, STATEMENTS.len());
    }

    #[test]
    fn leaves_out_what_nobody_needs() {
        let [part] = &parts(&[("Sequence", &["isNewer"])])[..] else {
            panic!("one part");
        };
        assert_eq!(part.local, "Sequence");
        assert_eq!(
            part.text,
            "-- Numbers of an ordered unreliable event: two bytes that wrap, and which of two is newer.\n\
             local Sequence = (function()\n\
             \tlocal function isNewer(number: number, last: number?): boolean\n\
             \t\tif last == nil then\n\
             \t\t\treturn true\n\
             \t\tend\n\
             \t\tlocal distance = (number - last) % 65536\n\
             \t\treturn distance >= 1 and distance <= 32767\n\
             \tend\n\
             \n\
             \treturn {\n\
             \t\tisNewer = isNewer,\n\
             \t}\n\
             end)()"
        );
    }

    #[test]
    fn a_module_that_is_one_function_needs_no_wrapper() {
        let [part] = &parts(&[("Copy", &[])])[..] else {
            panic!("one part");
        };
        assert_eq!(part.local, "copy");
        assert!(part.text.contains("\nlocal function copy(value: any): any\n"));
        assert!(part.text.ends_with("\nend"));
    }

    #[test]
    fn dependencies_come_first_and_only_with_what_is_used() {
        let parts = parts(&[("Stream", &["forPlayers"])]);
        assert_eq!(locals(&parts), ["Messages", "raise", "text", "Stream"]);
        let [messages, _, _, stream] = &parts[..] else { unreachable!() };
        assert!(messages.text.contains("streamTakesNoNil") && messages.text.contains("streamFailed"));
        assert!(!messages.text.contains("scopeTaken"));
        assert!(stream.text.contains("\n\ttype State = {\n"));
        assert!(!stream.text.contains("forEveryone"));
    }

    #[test]
    fn types_of_a_module_can_be_declared_outside_it() {
        assert_eq!(
            type_declaration("Bucket", "Bucket", "BLINK_BUCKET"),
            "type BLINK_BUCKET = {\n\ttokens: number,\n\tat: number,\n}"
        );
    }

    #[test]
    fn the_order_of_needs_does_not_matter() {
        let one = parts(&[("Reports", &["decodeFailed"]), ("Clock", &["stamp"]), ("Spawn", &[])]);
        let other = parts(&[("Spawn", &[]), ("Clock", &["stamp"]), ("Reports", &["decodeFailed"])]);
        assert_eq!(one, other);
    }

    #[test]
    fn every_bundle_parses_and_is_free_of_requires() {
        let parts = everything();
        let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let text = text.join("\n\n") + "\n";
        full_moon::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        for absent in ["require(", "export ", "--!"] {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert_eq!(parts.len(), runtime::MODULES.len());
        for part in &parts {
            let alone = full_moon::parse(&part.text).unwrap();
            assert_eq!(alone.nodes().stmts().count(), 1, "{}", part.local);
        }
    }
}
