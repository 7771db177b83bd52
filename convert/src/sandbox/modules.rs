//! Modules beside the definitions, which a `require` runs.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use blinkblox_compiler::source::{SourceLoader, Sources, normalize, parent};
use blinkblox_emulator::value::Value;
use blinkblox_emulator::vm::{self, Cx, Failure, NativeFn, Outcome, Raise, Returns, Vm};

/// Suffixes of modules, in the order they are tried.
const SUFFIXES: [&str; 4] = [".luau", ".lua", "/init.luau", "/init.lua"];

/// Modules by their number, from 1: the definitions first, then those beside them as they are reached.
pub(super) struct Modules {
    loader: Rc<dyn SourceLoader>,
    sources: RefCell<Sources>,
}

impl Modules {
    pub(super) fn new(loader: Rc<dyn SourceLoader>, path: &str, text: String) -> Modules {
        let mut sources = Sources::default();
        sources.add(&normalize(path), &loader.shown(path), text);
        Modules { loader, sources: RefCell::new(sources) }
    }

    /// Everything that was read so far.
    pub(super) fn sources(&self) -> Sources {
        self.sources.borrow().clone()
    }

    /// The file that module `chunk` means by `asked`: a path of names below `script`, or a text such as `./Types`.
    fn find(&self, chunk: usize, kind: &str, asked: &str) -> Option<String> {
        let path = self.sources.borrow().files().get(chunk.checked_sub(1)?)?.path.clone();
        let (own, _) = path.rsplit_once('.')?;
        // A folder with an `init` is the module itself.
        let script = match own.strip_suffix("init") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => folder.trim_end_matches('/'),
            _ => own,
        };
        let joined = match (kind, asked.strip_prefix("@self/")) {
            ("script", _) => {
                let steps: Vec<&str> =
                    asked.split('/').map(|part| if part == "Parent" { ".." } else { part }).collect();
                join(script, &steps.join("/"))
            }
            (_, Some(below)) => join(script, below),
            (_, None) if asked.starts_with("./") || asked.starts_with("../") => join(parent(script), asked),
            _ => return None,
        };
        let stem = joined.strip_suffix(".luau").or_else(|| joined.strip_suffix(".lua")).unwrap_or(&joined);
        SUFFIXES.iter().map(|suffix| format!("{stem}{suffix}")).find(|path| self.loader.is_file(path))
    }

    /// Number and text of a module. Errors: why it cannot be read.
    fn open(&self, path: &str) -> Result<(usize, String), String> {
        if let Some(known) = self.sources.borrow().find(path) {
            return Ok((known.0 as usize + 1, self.sources.borrow()[known].text.clone()));
        }
        let shown = self.loader.shown(path);
        let bytes = self.loader.read(path).map_err(|why| format!("{shown} cannot be read: {why}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{shown} is not UTF-8"))?;
        let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_string);
        let id = self.sources.borrow_mut().add(path, &shown, text.clone());
        Ok((id.0 as usize + 1, text))
    }
}

fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() { normalize(path) } else { normalize(&format!("{folder}/{path}")) }
}

struct Host {
    vm: Weak<Vm>,
    modules: Rc<Modules>,
}

/// `hostLoad`.
pub(super) fn native(vm: &Rc<Vm>, modules: &Rc<Modules>) -> Result<Value, Failure> {
    let host = Rc::new(Host { vm: Rc::downgrade(vm), modules: modules.clone() });
    vm.enter(|cx| {
        cx.push_closure("load", load, host);
        Ok(Value::Function(cx.function(-1)?))
    })
}

/// Takes output and the clock away: equal definitions give equal schemas, whatever the time. Before the VM is sealed.
pub(super) fn silence(vm: &Vm) -> Result<(), Failure> {
    for name in ["print", "warn"] {
        vm.set_function(name, |_| Ok(Returns::NONE))?;
    }
    let zero: NativeFn = |cx| {
        cx.push_number(0.0);
        Ok(Returns::ONE)
    };
    let nothing: NativeFn = |cx| {
        cx.push_string("");
        Ok(Returns::ONE)
    };
    vm.set_library("os", &[("clock", zero), ("time", zero), ("difftime", zero), ("date", nothing)], &[])
}

/// The main function and the number of a module that another asks for, or nothing.
fn load(cx: &mut Cx<'_>) -> Outcome {
    let gone = || Raise::new("the run has ended");
    let host = cx.captured::<Host>().ok_or_else(gone)?;
    let vm = host.vm.upgrade().ok_or_else(gone)?;
    let chunk = usize::try_from(cx.integer(1)?).unwrap_or(0);
    let (kind, asked) = (cx.text(2)?, cx.text(3)?);
    let Some(path) = host.modules.find(chunk, &kind, &asked) else {
        cx.push_nil();
        return Ok(Returns::ONE);
    };
    let (number, text) = host.modules.open(&path).map_err(Raise::new)?;
    let name = format!("#{number}");
    let code = vm::compile(&text, &name)
        .map_err(|error| Raise::new(format!("{name}:{}: {}", error.line, error.message)))?;
    let main = vm.load(&code, &name, &[]).map_err(|failure| Raise::new(failure.report()))?;
    cx.push_handle(&main);
    cx.push_number(number as f64);
    Ok(Returns::Values(2))
}
