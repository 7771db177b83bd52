//! The whole compiler: no schema makes it panic, what it says can be drawn, a schema has modules exactly when it has no
//! error, and they are Luau.

use arbitrary::Unstructured;
use blinkblox_compiler::diagnostics::human::{self, Colour, Strokes};
use blinkblox_compiler::diagnostics::{compact, json};
use blinkblox_compiler::diff::Diff;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::sizes::Sizes;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{Outputs, analyze, generate};
use blinkblox_emulator::vm;

use crate::{schema, seeds};

/// The first byte says what the rest is: a text, or what a schema is drawn from.
pub(crate) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let text = match first % 4 {
        0 | 1 => String::from_utf8_lossy(rest).into_owned(),
        _ => schema::drawn(&mut Unstructured::new(rest)),
    };
    let profile = Profile::ALL[usize::from(*first >> 2) % Profile::ALL.len()];
    holds(&text, profile);
}

/// The seeds of both.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = seeds::schemas().into_iter().map(|text| [&[0], text.as_slice()].concat());
    let drawn = (0..16u8).map(|seed| {
        let mut numbers = crate::mutate::Numbers(u64::from(seed));
        let mut bytes = vec![2 | seed << 2];
        bytes.extend((0..200 + 40 * usize::from(seed)).map(|_| numbers.draw() as u8));
        bytes
    });
    texts.chain(drawn).collect()
}

fn holds(text: &str, profile: Profile) {
    // What it imports is there, and has a name of its own.
    let loader = MemoryLoader::new().with("main.blink", text).with("other.blink", "type Other = u8(0..9)\n");
    let analysis = analyze(&loader, "main.blink", profile);
    let sources = &analysis.sources;
    human::render(&analysis.diagnostics, sources, Colour::Off, Strokes::Ascii);
    compact::render(&analysis.diagnostics, sources);
    for diagnostic in &analysis.diagnostics {
        json::diagnostic(diagnostic, sources);
    }
    let sound = !analysis.has_errors();
    assert_eq!(analysis.schema.is_some(), sound, "in:\n{text}");
    if let Some(schema) = &analysis.schema {
        Sizes::of(&analysis).expect("a sound schema has sizes").text();
        assert_eq!(Diff::of(schema, schema).changes, [], "it differs from itself:\n{text}");
    }
    let compilation = generate(analysis);
    let again = compilation.analysis.has_errors();
    assert!(compilation.outputs.is_some() || again || !sound);
    if let Some(outputs) = &compilation.outputs {
        are_luau(outputs, text);
    }
}

fn are_luau(outputs: &Outputs, schema: &str) {
    for (name, text) in [
        ("server", Some(&outputs.server)),
        ("client", Some(&outputs.client)),
        ("types", outputs.types.as_ref()),
    ] {
        let Some(text) = text else { continue };
        if let Err(error) = vm::compile(text, name) {
            let line = text.lines().nth(error.line.saturating_sub(1) as usize).unwrap_or_default();
            panic!("{name}:{}: {}\n{line}\nof\n{schema}", error.line, error.message);
        }
    }
}
