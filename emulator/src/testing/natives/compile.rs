//! `test.compile`: a schema's diagnostics, signature and modules, in memory.

use blinkblox_compiler::diagnostics::{Diagnostic, Label};
use blinkblox_compiler::source::Sources;
use blinkblox_compiler::wire;

use super::building::schema_source;
use crate::testing::director::Director;
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Returns};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[("compile", compile)];

fn compile(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let source = schema_source("test.compile", &cx.value(1)?, &director)?;
    let compilation = source.compile();
    let analysis = &compilation.analysis;
    let diagnostics = analysis
        .diagnostics
        .iter()
        .map(|diagnostic| describe(diagnostic, &analysis.sources))
        .collect::<Vec<_>>();
    let canonical = analysis.schema.as_ref().map(wire::signature::canonical_text);
    let text = |text: Option<String>| text.map_or(Value::Nil, Value::from);
    let outputs = compilation.outputs.as_ref();
    cx.push(&Value::record([
        ("diagnostics", Value::array(diagnostics)),
        ("signature", text(compilation.signature.clone())),
        ("canonical", text(canonical)),
        ("server", text(outputs.map(|outputs| outputs.server.clone()))),
        ("client", text(outputs.map(|outputs| outputs.client.clone()))),
        ("types", text(outputs.and_then(|outputs| outputs.types.clone()))),
    ]));
    Ok(Returns::ONE)
}

fn describe(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let labels: Vec<Value> = diagnostic.labels.iter().map(|label| describe_label(label, sources)).collect();
    let first = diagnostic.labels.first().map_or(Value::Nil, |label| Value::from(covered(label, sources)));
    Value::record([
        ("code", Value::from(diagnostic.code_text())),
        ("headline", Value::from(diagnostic.headline.clone())),
        ("text", first),
        ("labels", Value::array(labels)),
        ("notes", Value::array(diagnostic.notes.iter().map(|note| Value::from(note.clone())))),
    ])
}

fn describe_label(label: &Label, sources: &Sources) -> Value {
    Value::record([
        ("primary", Value::Boolean(label.primary)),
        ("message", Value::from(label.message.clone())),
        ("text", Value::from(covered(label, sources))),
    ])
}

/// The text a label underlines.
fn covered(label: &Label, sources: &Sources) -> String {
    sources.text(label.span).to_string()
}
