use super::*;

fn ask(ask: Ask, body: Value) -> Value {
    answer(ask, body.to_string().as_bytes()).unwrap()
}

fn files(files: &[(&str, &str)]) -> Value {
    files.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect()
}

#[test]
fn modules_are_those_of_the_compiler() {
    let text = "event Hit { From: Client, Type: Reliable, Call: SingleSync, Rate: 5, Data: u8 }";
    let compiled = ask(Ask::Compile, json!({ "files": files(&[("Game", text)]), "entry": "Game" }));
    let loader = blinkblox_compiler::source::MemoryLoader::new()
        .with("game.blink", format!("option TypesOutput = \"T\"\n{text}"));
    let own = blinkblox_compiler::compile(&loader, "game.blink", Profile::Release).outputs.unwrap();
    assert_eq!(compiled["modules"]["server"], own.server);
    assert_eq!(compiled["modules"]["client"], own.client);
    assert_eq!(compiled["modules"]["types"], own.types.unwrap());
    assert_eq!(compiled["declarations"], Value::Null);
    assert_eq!(compiled["success"], true);
}

#[test]
fn a_fault_of_an_import_is_shown_on_the_import() {
    let place = files(&[
        ("Game", "import \"Mid\"\nstruct A { X: Mid.Deep.Row }"),
        ("Mid", "import \"./Deep.blink\""),
        ("Deep", "struct Row { X: u8, X: u8 }"),
    ]);
    let told = ask(Ask::Check, json!({ "files": place, "entry": "Game", "profile": "dev" }));
    let one = &told["diagnostics"][0];
    assert_eq!((&one["code"], &one["file"]), (&json!("E3004"), &json!("Deep.blink")));
    assert_eq!(one["place"], json!({ "start": 7, "end": 12, "opens": "Deep" }));
    assert_eq!(told["success"], false);
    assert_eq!(told["unit"], json!(["Game", "Mid", "Deep"]));
    let drawn: String =
        told["drawn"].as_array().unwrap().iter().map(|piece| piece[1].as_str().unwrap()).collect();
    assert!(drawn.starts_with("[E3004] Error: struct \"Row\" names the field \"X\" twice\n"), "{drawn}");
    assert!(drawn.contains("╭─[Deep.blink:1:21]"), "{drawn}");
    assert_eq!(told["drawn"][0], json!(["error", "[E3004] Error:"]));
}

#[test]
fn editors_are_answered() {
    let place = files(&[("Game", "type Coins = u16\nstruct A { X: Co }"), ("Rules", "")]);
    let subject = |offset: f64| json!({ "files": place, "entry": "Game", "offset": offset });
    let found = ask(Ask::Complete, subject(33.0));
    assert_eq!(found["offers"][0]["label"], "Coins");
    assert_eq!((&found["start"], &found["end"]), (&json!(31), &json!(33)));
    let hover = ask(Ask::Hover, subject(6.0));
    assert!(hover["hover"]["markdown"].as_str().unwrap().contains("Coins"), "{hover}");
    for offset in [-5.0, 1e300, 17.5] {
        ask(Ask::Complete, subject(offset));
        ask(Ask::Hover, subject(offset));
    }
    let imports =
        json!({ "files": files(&[("Game", "import \""), ("Rules", "")]), "entry": "Game", "offset": 8 });
    assert_eq!(ask(Ask::Complete, imports)["offers"][0]["label"], "Rules");
    let tidy = ask(Ask::Format, json!({ "text": "type  A=u8" }));
    assert_eq!(tidy["text"], "type A = u8\n");
    assert_eq!(ask(Ask::Format, json!({ "text": "type" }))["success"], false);
}

#[test]
fn a_name_leads_to_its_declaration_and_is_changed_everywhere() {
    let place = files(&[
        ("Game", "import \"Rules\" as R\nstruct A { X: R.Score }"),
        ("Rules", "type Score = u16\ntype Other = Score"),
        ("Shop", "import \"Rules\"\nstruct B { Price: Rules.Score }"),
        ("Alone", "type Score = u8"),
    ]);
    let at = |offset: f64| json!({ "files": place, "entry": "Game", "offset": offset });
    let found = ask(Ask::Definition, at(40.0));
    assert_eq!(
        found["definition"],
        json!({ "file": "Rules", "start": 5, "end": 10, "line": 1, "column": 6 })
    );
    assert_eq!(ask(Ask::Definition, at(10.0))["definition"]["file"], "Rules");
    assert_eq!(ask(Ask::Definition, at(30.0))["definition"], Value::Null);
    let asked = |offset: f64, name: Option<&str>| {
        let mut body = at(offset);
        body["name"] = name.into();
        ask(Ask::Rename, body)
    };
    assert_eq!(asked(40.0, None), json!({ "old": "Score", "edits": [], "problem": null }));
    assert_eq!(asked(30.0, None)["old"], Value::Null);
    // From the end of each file, so that they can be made one after the other; a schema of the same word is left alone.
    let edits = asked(40.0, Some("Coins"))["edits"].clone();
    let edit =
        |file: &str, start: u32| json!({ "file": file, "start": start, "end": start + 5, "text": "Coins" });
    assert_eq!(edits, json!([edit("Game", 36), edit("Rules", 30), edit("Rules", 5), edit("Shop", 39)]));
    for (name, why) in [("u8", "built-in type"), ("a b", "is no name"), ("Other", "cannot be the name")] {
        let refused = asked(40.0, Some(name));
        assert_eq!(refused["edits"], json!([]), "{name}");
        assert!(refused["problem"].as_str().unwrap().contains(why), "{refused}");
    }
    for offset in [-5.0, 1e300, 17.5] {
        asked(offset, Some("Coins"));
        ask(Ask::Definition, at(offset));
    }
}

#[test]
fn of_two_files_of_one_name_the_first_is_changed_and_a_mark_is_no_text() {
    for (one, other) in
        [("type Score = u8", ""), ("\u{feff}type Score = u8", "ü"), ("type Score = u8", "\u{feff}")]
    {
        let place = files(&[("Game", one), ("Game", other)]);
        let edits =
            ask(Ask::Rename, json!({ "files": place, "entry": "Game", "offset": 5, "name": "Coins" }));
        assert_eq!(
            edits["edits"],
            json!([{ "file": "Game", "start": 5, "end": 10, "text": "Coins" }]),
            "{one} {other}"
        );
    }
}

#[test]
fn what_is_no_request_is_refused_in_words() {
    let refused = |body: &str| answer(Ask::Check, body.as_bytes()).unwrap_err();
    for body in ["", "[]", "{", "null", "{\"files\":[]}", "{\"files\":[{}],\"entry\":\"A\"}", "\u{0}"] {
        assert_eq!(refused(body).kind, "body", "{body}");
    }
    assert_eq!(refused("{\"files\":[],\"entry\":\"A\"}").kind, "entry");
    let profile = refused("{\"files\":[],\"entry\":\"A\",\"profile\":\"fast\"}");
    assert!(profile.text.contains("dev, debug, test and release"), "{}", profile.text);
    assert_eq!(answer(Ask::Check, &[b'['; 100_000]).unwrap_err().kind, "body");
}
