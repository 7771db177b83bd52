//! Every schema of the tests is parsed without a fault, and coloured as the compiler's own classes say.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};

use blinkblox_compiler::ide::tokens::{Class, classes};
use blinkblox_compiler::source::FileId;
use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator, Tree};
use tree_sitter_blink::{FOLDS, HIGHLIGHTS, INDENTS, LANGUAGE, LOCALS};

/// Schemas of the tests, with their texts.
fn schemas() -> Vec<(PathBuf, String)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut found = Vec::new();
    for folder in ["corpus/ok", "typecheck/schemas"] {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(tests.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let schemas = paths.into_iter().filter(|path| path.extension().is_some_and(|it| it == "blink"));
        found.extend(schemas.map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text.trim_start_matches('\u{feff}').to_string())
        }));
    }
    assert!(found.len() > 150, "only {} schemas", found.len());
    found
}

fn parsed(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE.into()).unwrap();
    parser.parse(text, None).unwrap()
}

/// The first fault in a tree.
fn fault(node: Node) -> Option<Node> {
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    let mut cursor = node.walk();
    let children: Vec<Node> = node.children(&mut cursor).collect();
    children.into_iter().filter(Node::has_error).find_map(fault)
}

fn place(path: &Path, text: &str, offset: usize) -> String {
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    let column = offset - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("{}:{line}:{column}", path.file_name().unwrap().to_string_lossy())
}

#[test]
fn every_schema_is_parsed() {
    let mut wrong = Vec::new();
    for (path, text) in schemas() {
        let tree = parsed(&text);
        if tree.root_node().has_error() {
            let node = fault(tree.root_node()).unwrap_or(tree.root_node());
            wrong.push(format!("{}: {}", place(&path, &text, node.start_byte()), node.to_sexp()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The capture of each byte, the later pattern winning, as editors have it.
fn captures(query: &Query, tree: &Tree, text: &str) -> Vec<Option<String>> {
    let mut found: Vec<(usize, usize, usize, String)> = Vec::new();
    let mut cursor = QueryCursor::new();
    let mut all = cursor.captures(query, tree.root_node(), text.as_bytes());
    while let Some((matched, at)) = all.next() {
        let capture = matched.captures()[*at];
        let name = query.capture_names()[capture.index as usize];
        if !name.starts_with('_') {
            let range = capture.node.byte_range();
            found.push((matched.pattern_index, range.start, range.end, name.to_string()));
        }
    }
    // Inside before outside, later patterns before earlier ones.
    found.sort_by_key(|(pattern, start, end, _)| (usize::MAX - (end - start), *pattern));
    let mut bytes = vec![None; text.len()];
    for (_, start, end, name) in found {
        bytes[start..end].fill(Some(name));
    }
    bytes
}

/// The capture that shows a class.
fn shown(class: Class) -> &'static [&'static str] {
    match class {
        Class::Comment => &["comment"],
        Class::Keyword => &["keyword"],
        Class::Attribute => &["attribute"],
        Class::Key => &["keyword.field"],
        Class::Constant => &["constant", "constant.builtin.boolean"],
        Class::Primitive => &["type.builtin"],
        Class::RobloxClass => &["type.class"],
        Class::Modifier => &["keyword.modifier"],
        Class::Number => &["number"],
        Class::String => &["string"],
        Class::Declared => &["type.definition", "function", "module"],
        Class::Property => &["property"],
        Class::Reference => &["type"],
        Class::Option => &["variable.builtin"],
    }
}

#[test]
fn every_token_has_the_colour_of_its_class() {
    let query = Query::new(&Language::from(LANGUAGE), HIGHLIGHTS).unwrap();
    let mut wrong = Vec::new();
    for (path, text) in schemas() {
        let bytes = captures(&query, &parsed(&text), &text);
        for (span, class) in classes(FileId(0), &text) {
            let (start, end) = (span.start as usize, span.end as usize);
            let word = &text[start..end];
            // White space at the end of a comment belongs to nobody.
            let found = &bytes[start..start + word.trim_end().len()];
            let is_shown =
                |name: &Option<String>| name.as_deref().is_some_and(|name| shown(class).contains(&name));
            if !found.iter().all(is_shown) {
                wrong.push(format!("{}: {word:?} is {class:?}: {:?}", place(&path, &text, start), found[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} mismatches\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn queries_name_nodes_that_there_are() {
    for query in [HIGHLIGHTS, FOLDS, INDENTS, LOCALS] {
        Query::new(&Language::from(LANGUAGE), query).unwrap();
    }
}

#[test]
fn what_is_broken_is_read_around() {
    let tree = parsed("struct A { X: }\nevent B { From: Client, Data: u8 }\ntype C = u8\n");
    let kinds: Vec<&str> = {
        let mut cursor = tree.root_node().walk();
        tree.root_node().children(&mut cursor).map(|node| node.kind()).collect()
    };
    assert!(tree.root_node().has_error());
    assert!(kinds.contains(&"member") && kinds.contains(&"alias"), "{kinds:?}");
}

#[test]
fn comments_close_where_the_compiler_closes_them() {
    for text in [
        "-- line\ntype A = u8",
        "--[[ a ] ]] type A = u8",
        "--[==[ ]] ]=]\n ]==] type A = u8",
        "--[=[ open\ntype A = u8",
        "--[=x\ntype A = u8",
        "--[[ open\ntype A = u8",
        "type --[[]] A = u8 --",
    ] {
        let tree = parsed(text);
        assert!(!tree.root_node().has_error(), "{text}");
        let ours: Vec<(u32, u32)> = classes(FileId(0), text)
            .into_iter()
            .filter(|(_, class)| *class == Class::Comment)
            .map(|(span, _)| (span.start, span.end))
            .collect();
        let mut theirs = Vec::new();
        let query = Query::new(&Language::from(LANGUAGE), "(comment) @c").unwrap();
        let mut cursor = QueryCursor::new();
        let mut all = cursor.captures(&query, tree.root_node(), text.as_bytes());
        while let Some((matched, _)) = all.next() {
            let range = matched.captures()[0].node.byte_range();
            theirs.push((range.start as u32, range.end as u32));
        }
        assert_eq!(theirs, ours, "{text}");
    }
}

/// The parser is the one that `grammar.js` makes.
#[cfg(feature = "generate")]
#[test]
fn the_parser_is_that_of_the_grammar() {
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_generate")).arg("--check").output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
