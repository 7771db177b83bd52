//! Documents of a run against their schemas: JSON (tooling specification, 2.10) and SARIF 2.1.0.

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use crate::support::{blinkblox, json, out, project};

/// The published schema of `--json`.
const REPORT: &str = include_str!("../../../docs/src/report.schema.json");
/// What SARIF 2.1.0 asks of the parts a run writes, from the OASIS standard: property names, kinds, what is required.
const SARIF: &str = include_str!("../schemas/sarif-2.1.0.json");

struct Checker {
    schemas: Schemas,
    schema: SchemaIndex,
}

impl Checker {
    fn of(text: &str) -> Checker {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let value: Value = serde_json::from_str(text).unwrap();
        compiler.add_resource("schema.json", value).unwrap();
        let schema = compiler.compile("schema.json", &mut schemas).unwrap();
        Checker { schemas, schema }
    }

    fn check(&self, document: &Value, what: &str) {
        if let Err(error) = self.schemas.validate(document, self.schema) {
            panic!("{what}: {error:#}\n{document:#}");
        }
    }
}

const SOUND: &str = "option ServerOutput = \"out/S\"\noption ClientOutput = \"out/C\"\ntype A = u8\n";

/// Runs of every kind: what is in the folder, and what is asked.
fn runs() -> Vec<(String, Vec<&'static str>)> {
    let faults = "struct A { X: u8, X: u8, Y: Nope, Z: u8(9..0), Ö: f32 }\nimport \"none\"\n\
        event B { From: Server, Type: Unreliable, Call: ManySync, Rate: 1, Data: (Ua: string, U8) }\n";
    vec![
        (SOUND.to_string(), vec!["build", "game.blink"]),
        (SOUND.to_string(), vec!["verify", "game.blink"]),
        (format!("{SOUND}{faults}"), vec!["check", "game.blink"]),
        (faults.to_string(), vec!["game", "--check"]),
        (SOUND.to_string(), vec!["check", "no such.blink"]),
        (SOUND.to_string(), vec!["check", "game", "--bogus"]),
        (SOUND.to_string(), vec!["build"]),
        (SOUND.to_string(), vec!["explain", "E3004"]),
        (SOUND.to_string(), vec!["size", "game"]),
        (SOUND.to_string(), vec!["fmt", "game.blink"]),
        (SOUND.to_string(), vec!["build", "game", "--list-outputs"]),
        (SOUND.to_string(), vec!["verify", "game", "--orphans"]),
        (SOUND.to_string(), vec!["diff", "game", "game"]),
        (
            "event A = { from: Server, type: Reliable, call: SingleSync }".to_string(),
            vec!["convert", "zap", "game.blink", "-o", "-"],
        ),
    ]
}

#[test]
fn json_reports_keep_to_their_schema() {
    let checker = Checker::of(REPORT);
    for (schema, arguments) in runs() {
        let folder = project(&[("game.blink", &schema)]);
        let with_json: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        checker.check(&json(&blinkblox(&folder, &with_json)), &arguments.join(" "));
    }
}

#[test]
fn sarif_reports_keep_to_the_standard() {
    let checker = Checker::of(SARIF);
    for (schema, arguments) in runs() {
        let folder = project(&[("game.blink", &schema)]);
        let with_form: Vec<&str> = arguments.iter().copied().chain(["--error-format", "sarif"]).collect();
        let output = blinkblox(&folder, &with_form);
        let document: Value = serde_json::from_str(&out(&output)).unwrap();
        checker.check(&document, &arguments.join(" "));
        // A result's rule is one of the driver's, and each rule is described once.
        let rules: Vec<&str> = document["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| rule["id"].as_str().unwrap())
            .collect();
        for result in document["runs"][0]["results"].as_array().unwrap() {
            let id = result["ruleId"].as_str().unwrap();
            assert_eq!(rules.iter().filter(|rule| **rule == id).count(), 1, "{id}");
        }
    }
}

#[test]
fn the_schemas_refuse_what_is_wrong() {
    let report = Checker::of(REPORT);
    let folder = project(&[]);
    let mut document = json(&blinkblox(&folder, &["check", "none", "--json"]));
    document["diagnostics"][0]["severity"] = "fatal".into();
    assert!(report.schemas.validate(&document, report.schema).is_err());
    let sarif = Checker::of(SARIF);
    let wrong = serde_json::json!({ "version": "2.1.0", "runs": [{ "results": [{ "level": "fatal" }] }] });
    assert!(sarif.schemas.validate(&wrong, sarif.schema).is_err());
}
