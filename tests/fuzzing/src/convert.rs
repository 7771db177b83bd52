//! The converters: definitions are drafted or refused, and a draft compiles. Definitions that are code run under small
//! limits.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use blinkblox_compiler::diagnostics::Code;
use blinkblox_compiler::source::{MemoryLoader, SourceLoader};
use blinkblox_convert::{Limits, Tool, convert};

use crate::seeds::below;

/// What definitions may use: a fuzzer's time is for many of them.
const LIMITS: Limits = Limits { time: Duration::from_millis(300), memory: 16 << 20, depth: 50 };

/// The first byte says which tool's definitions the rest is.
pub(crate) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let tool = Tool::ALL[usize::from(*first) % Tool::ALL.len()];
    if tool == Tool::Remotes {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let script = folder.path().join("main.server.luau");
        std::fs::write(&script, rest).expect("a file can be written");
        held(tool, &(Rc::new(MemoryLoader::new()) as Rc<dyn SourceLoader>), folder.path());
    } else {
        let loader: Rc<dyn SourceLoader> = Rc::new(MemoryLoader::new().with("definitions", rest));
        held(tool, &loader, Path::new("definitions"));
    }
}

fn held(tool: Tool, loader: &Rc<dyn SourceLoader>, path: &Path) {
    match convert(tool, loader, &path.to_string_lossy(), LIMITS) {
        Ok(made) => {
            assert!(made.compiles || tool == Tool::Blink, "the draft does not compile:\n{}", made.draft)
        }
        Err(refusal) => {
            let diagnostic = &refusal.diagnostic;
            assert!(
                diagnostic.code != Code::InternalFault,
                "{}\n{}",
                diagnostic.headline,
                refusal.draft.as_deref().unwrap_or_default()
            );
        }
    }
}

/// The definitions of the converters' tests.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let endings = [".zap", ".luau", ".blink"];
    let tools = Tool::ALL.into_iter().enumerate();
    let mut seeds = Vec::new();
    for (index, tool) in tools {
        for ending in endings {
            for path in below(&format!("tests/convert/{}", tool.name()), ending) {
                if let Ok(text) = std::fs::read(path) {
                    seeds.push([&[index as u8], text.as_slice()].concat());
                }
            }
        }
    }
    seeds
}
