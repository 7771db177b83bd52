//! Pages of `compiler/errors` whose examples lay out files and run the command: the first fails with exactly its code,
//! the second passes.
//!
//! A block marked `blink net/game.blink`, `json default.project.json` and so on is a file; `hex PATH` gives its bytes. A
//! block marked `sh` is what is run in their folder.

use std::fs;

use blinkblox_compiler::diagnostics::Code;
use blinkblox_compiler::explain;

use crate::support::{blinkblox, err, out};

/// Codes no example of which can be run: they need a fault of the compiler's own.
const UNTOLD: &[Code] = &[Code::InternalFault];

#[derive(Default)]
struct Example {
    raises: Option<String>,
    files: Vec<(String, Vec<u8>)>,
    command: Option<String>,
}

/// Sections of a page with what stands in their blocks.
fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut block: Option<(&str, String)> = None;
    for line in page.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (Some((info, text)), Some(_)) => {
                let example = found.last_mut().unwrap();
                match info.split_once(' ') {
                    Some(("hex", path)) => {
                        let bytes = text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap());
                        example.files.push((path.to_string(), bytes.collect()));
                    }
                    Some((_, path)) => example.files.push((path.to_string(), text.clone().into_bytes())),
                    None if *info == "sh" => example.command = Some(text.trim().to_string()),
                    None => {}
                }
                block = None;
            }
            (Some((_, text)), None) => text.push_str(&format!("{line}\n")),
            (None, Some(info)) => block = Some((info, String::new())),
            (None, None) => {
                if let Some(heading) = line.strip_prefix("## ") {
                    let raises = heading.strip_prefix("Raises ").map(str::to_string);
                    found.push(Example { raises, ..Example::default() });
                }
            }
        }
    }
    found
}

#[test]
fn examples_that_run_the_command_fail_and_pass_as_told() {
    let mut told = Vec::new();
    for &code in Code::ALL {
        for example in examples(explain::page(code)) {
            let Some(command) = &example.command else { continue };
            let folder = tempfile::tempdir().unwrap();
            for (path, bytes) in &example.files {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            let arguments: Vec<&str> = command.strip_prefix("blinkblox ").unwrap().split(' ').collect();
            let output = blinkblox(&folder, &arguments);
            let said = format!("{}{}", out(&output), err(&output));
            match &example.raises {
                Some(raises) => {
                    assert!(said.contains(&format!("[{raises}]")), "{code:?}: {said}");
                    assert_eq!(
                        said.matches("] Error:").count() + said.matches("] Warning:").count(),
                        1,
                        "{said}"
                    );
                    assert_eq!(output.status.success(), raises.starts_with('W'), "{code:?}: {said}");
                    told.push(code);
                }
                None => {
                    assert!(output.status.success(), "{code:?}: {said}");
                    assert!(!said.contains("] Warning:"), "{code:?}: {said}");
                }
            }
        }
    }
    let about_files =
        Code::ALL.iter().filter(|code| (4004..4100).contains(&code.number()) || code.number() >= 4103);
    for code in about_files.filter(|code| !UNTOLD.contains(code)) {
        assert!(told.contains(code), "{code:?} has no example that runs");
    }
}
