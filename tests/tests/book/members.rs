//! The page of the test API has an example of every function that specs can call.

use std::collections::BTreeSet;

use blinkblox_emulator::network::{LinkSettings, LinkValue};
use blinkblox_tests::book::{Piece, book, pieces, root};

/// Names that stand in a source behind `prefix`, up to the first character that is of no name.
fn names<'a>(source: &'a str, prefix: &'a str) -> impl Iterator<Item = String> + 'a {
    source.match_indices(prefix).filter_map(move |(at, _)| {
        let rest = &source[at + prefix.len()..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty() && !name.starts_with('_')).then_some(name)
    })
}

#[test]
fn every_call_of_the_test_api_has_an_example() {
    let luau = root().join("emulator/src/testing/luau");
    let read = |name: &str| std::fs::read_to_string(luau.join(name)).unwrap();
    let mut world = String::new();
    for entry in std::fs::read_dir(luau.join("world")).unwrap() {
        world.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    let expect = read("expect.luau");
    let mut wanted = BTreeSet::new();
    for class in ["World", "Side", "Link", "Held"] {
        wanted.extend(names(&world, &format!("\nfunction {class}.")).map(|name| {
            // A keyword is reached by its text.
            if name == "until_" { "until".to_owned() } else { name }
        }));
    }
    wanted.extend(names(&expect, "\nfunction matchers."));
    wanted.extend(names(&expect, "\nmatchers."));
    wanted.extend(names(&expect, "\nfunction expect."));
    wanted.extend(names(&read("property.luau"), "\nfunction gen."));
    // The words of TestEZ sentences.
    for sentence in ["a", "an", "ok", "equal", "near", "throw"] {
        wanted.remove(sentence);
    }
    assert!(wanted.len() > 100, "only {} names were found", wanted.len());
    let mut examples = String::new();
    for page in ["testing.md", "test-api.md", "security.md"] {
        for piece in pieces(&std::fs::read_to_string(book().join(page)).unwrap()) {
            if let Piece::Fence(fence) = piece
                && fence.info.starts_with("luau")
            {
                examples.push_str(&fence.body);
            }
        }
    }
    let shown = |name: &String| {
        [
            format!(":{name}("),
            format!(":{name}{{"),
            format!(".{name}("),
            format!(":{name}\""),
            format!("\"{name}\"]"),
        ]
        .iter()
        .any(|call| examples.contains(call.as_str()))
    };
    let missing: Vec<&String> = wanted.iter().filter(|name| !shown(name)).collect();
    assert!(missing.is_empty(), "no example calls {missing:?}");
}

/// Names in quotes in the list called `name` of a source.
fn listed(source: &str, name: &str) -> Vec<String> {
    let list =
        source.split(&format!("const {name}: &[&str] = &[")).nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_option_of_worlds_clients_and_links_is_told() {
    let natives =
        |file: &str| std::fs::read_to_string(root().join("emulator/src/testing/natives").join(file)).unwrap();
    let (world, universe) = (natives("world.rs"), natives("universe.rs"));
    let building = natives("building.rs");
    let read = |name: &str| std::fs::read_to_string(book().join(name)).unwrap();
    let (api, guide) = (read("test-api.md"), read("testing.md"));
    let options = [
        listed(&building, "BUILDING_OPTIONS"),
        listed(&world, "WORLD_OPTIONS"),
        listed(&world, "JOIN_OPTIONS"),
        listed(&universe, "UNIVERSE_OPTIONS"),
    ];
    for name in options.concat() {
        assert!(api.contains(&format!("`{name}`")), "test-api.md does not tell of {name}");
    }
    let link = LinkSettings::default().set("nothing", &LinkValue::Number(0.0)).unwrap_err();
    let names = link.split("it has ").nth(1).unwrap().replace(" and ", ", ");
    let names: Vec<&str> = names.split(", ").map(str::trim).collect();
    assert!(names.len() > 10, "{link}");
    for name in names {
        assert!(guide.contains(&format!("`{name}`")), "testing.md does not tell of the link's {name}");
    }
}
