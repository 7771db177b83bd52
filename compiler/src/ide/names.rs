//! Where a name is declared, where it is used, and how both are changed. Source: tooling specification, 7.4.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{declared_name, each_declaration, touches};
use crate::Analysis;
use crate::diagnostics::Code;
use crate::schema::index::Reference;
use crate::source::{FileId, Span};
use crate::syntax::ast::{Declaration, DeclarationKind};
use crate::syntax::lexer::lex;
use crate::syntax::token::{Primitive, TokenKind};

/// What is said where there is no name to change.
pub const NOTHING: &str = "There is no name here that can be changed.";

/// What a name under the cursor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// The name where it is declared.
    Name(Span),
    /// The file an import reads.
    File(FileId),
}

/// A change of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty where something is put in.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// Where the name at an offset is declared.
pub fn definition(analysis: &Analysis, file: FileId, offset: u32) -> Option<Definition> {
    let mut imported = None;
    each_declaration(&analysis.index.document(file)?.declarations, &mut |declaration| {
        if let DeclarationKind::Import(import) = &declaration.kind
            && touches(import.path.span, offset)
        {
            imported = analysis.index.imported(import.path.span);
        }
    });
    if let Some(file) = imported {
        return Some(Definition::File(file));
    }
    let found = name_at(analysis, file, offset)?;
    Some(Definition::Name(found.target))
}

/// Every use of the name declared at `target`, in the order of the text; `declaration` asks for where it is declared
/// too.
pub fn references(analysis: &Analysis, target: Span, declaration: bool) -> Vec<Span> {
    let mut spans = uses(analysis, target);
    if declaration {
        spans.push(target);
    }
    spans.sort_by_key(|span| (span.file, span.start));
    spans.dedup();
    spans
}

/// The name at an offset as a rename would take it; `None` where there is nothing to rename.
pub fn renameable(analysis: &Analysis, file: FileId, offset: u32) -> Option<Span> {
    let found = name_at(analysis, file, offset)?;
    let written = analysis.sources.text(found.span);
    // The path of an import is no name; its uses are, and get an `as`.
    (!written.starts_with(['"', '\''])).then_some(found.span)
}

/// Another name for a declaration and all that refers to it, in every file that does.
pub struct Renaming<'a> {
    /// Edits by the paths of their files, those of a file from its end, each with an analysis that its span is of.
    pub edits: Vec<(&'a Analysis, Edit)>,
    /// What the changed files hold afterwards, by their paths.
    pub texts: BTreeMap<String, String>,
}

/// The edits that give a declaration another name. `users` has an analysis of each schema that reads the declaration's
/// file, and the declared name in it.
///
/// [`check_renamed`] tells, once they are made, whether the name was to be had.
///
/// Errors: that there is nothing to rename, or why the new name is none, as a sentence.
pub fn rename_everywhere<'a>(users: &[(&'a Analysis, Span)], new: &str) -> Result<Renaming<'a>, String> {
    if users.is_empty() {
        return Err(NOTHING.to_string());
    }
    let mut edits = BTreeMap::new();
    for &(analysis, target) in users {
        for edit in rename(analysis, target, new)? {
            let path = analysis.sources[edit.span.file].path.as_str();
            // From the end, so that the places in front of an edit stay true.
            edits.insert((path, Reverse(edit.span.start), Reverse(edit.span.end)), (analysis, edit));
        }
    }
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for ((path, ..), (analysis, edit)) in &edits {
        let text =
            texts.entry((*path).to_string()).or_insert_with(|| analysis.sources[edit.span.file].text.clone());
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    Ok(Renaming { edits: edits.into_values().collect(), texts })
}

/// Whether a renaming may be done. `analyze` gives the analysis of a schema, by its path, with the edits made.
///
/// Errors: the first reserved or repeated name it would bring in, as a sentence.
pub fn check_renamed(
    users: &[(&Analysis, Span)],
    new: &str,
    analyze: impl Fn(&str) -> Analysis,
) -> Result<(), String> {
    for (analysis, _) in users {
        let Some(entry) = analysis.sources.files().first() else { continue };
        if let Some(why) = refused(analysis, &analyze(&entry.path)) {
            return Err(format!("\"{new}\" cannot be the name: {why}."));
        }
    }
    Ok(())
}

/// The edits in one schema and what it imports.
fn rename(analysis: &Analysis, target: Span, new: &str) -> Result<Vec<Edit>, String> {
    let tokens = lex(FileId(0), new).tokens;
    let is_name = tokens.len() == 2 && tokens[0].kind.is_word() && tokens[0].span.len() == new.len();
    if !is_name {
        return Err(format!("\"{new}\" is no name: a name is letters, digits and underscores."));
    }
    if Primitive::from_text(new).is_some() {
        return Err(format!("\"{new}\" is a built-in type."));
    }
    let is_reference = matches!(tokens[0].kind, TokenKind::Identifier);
    let uses = uses(analysis, target);
    if !is_reference && !uses.is_empty() {
        return Err(format!("\"{new}\" is a word of the language, and no reference could name it."));
    }
    let mut edits: Vec<Edit> = uses.into_iter().map(|span| Edit { span, text: new.to_string() }).collect();
    let declared = analysis.sources.text(target);
    edits.push(if declared.starts_with(['"', '\'']) {
        Edit { span: target.after(), text: format!(" as {new}") }
    } else {
        Edit { span: target, text: new.to_string() }
    });
    edits.sort_by_key(|edit| (edit.span.file, edit.span.start));
    Ok(edits)
}

/// The name at an offset, a use or a declaration, with where it is declared.
pub(super) fn name_at(analysis: &Analysis, file: FileId, offset: u32) -> Option<Reference> {
    let references = analysis.index.references(&analysis.sources);
    if let Some(found) = references.into_iter().find(|one| one.span.file == file && touches(one.span, offset))
    {
        return Some(found);
    }
    let document = analysis.index.document(file)?;
    let mut found = None;
    each_declaration(&document.declarations, &mut |declaration| {
        if let Some(name) = declared_name(declaration).filter(|name| touches(name.span, offset)) {
            found = Some(Reference { span: name.span, target: name.span });
        }
        if let Some(parameter) = parameter_at(analysis, declaration, offset) {
            found = Some(parameter);
        }
    });
    found
}

/// A parameter of a generic at an offset, where it is declared or used.
fn parameter_at(analysis: &Analysis, declaration: &Declaration, offset: u32) -> Option<Reference> {
    let DeclarationKind::Type(declared) = &declaration.kind else { return None };
    let params = declared.params.as_ref()?;
    if !touches(declaration.span, offset) {
        return None;
    }
    // Of several parameters of one name the last counts.
    let target = |text: &str| params.names.iter().rev().find(|name| name.text == text).map(|name| name.span);
    if let Some(name) = params.names.iter().find(|name| touches(name.span, offset)) {
        return Some(Reference { span: name.span, target: target(&name.text)? });
    }
    let span = word_at(analysis, declaration.span, offset)?;
    Some(Reference { span, target: target(analysis.sources.text(span))? })
}

/// The identifier at an offset inside a declaration, unless it names a field.
fn word_at(analysis: &Analysis, within: Span, offset: u32) -> Option<Span> {
    let tokens = lex(within.file, &analysis.sources[within.file].text).tokens;
    let at =
        tokens.iter().position(|token| token.kind == TokenKind::Identifier && touches(token.span, offset))?;
    let field = tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Colon);
    (!field).then_some(tokens[at].span)
}

/// Every use of what is declared at `target`, without the declaration.
fn uses(analysis: &Analysis, target: Span) -> Vec<Span> {
    let mut spans: Vec<Span> = analysis
        .index
        .references(&analysis.sources)
        .into_iter()
        .filter(|one| one.target == target && one.span != target)
        .map(|one| one.span)
        .collect();
    if spans.is_empty() {
        spans = uses_of_parameter(analysis, target).unwrap_or_default();
    }
    spans.sort_by_key(|span| (span.file, span.start));
    spans.dedup();
    spans
}

/// Uses of the parameter declared at `target` inside its declaration.
fn uses_of_parameter(analysis: &Analysis, target: Span) -> Option<Vec<Span>> {
    let document = analysis.index.document(target.file)?;
    let mut within = None;
    each_declaration(&document.declarations, &mut |declaration| {
        if let DeclarationKind::Type(declared) = &declaration.kind
            && declared
                .params
                .as_ref()
                .is_some_and(|params| params.names.iter().any(|one| one.span == target))
        {
            within = Some(declaration.span);
        }
    });
    let (within, name) = (within?, analysis.sources.text(target));
    let tokens = lex(target.file, &analysis.sources[target.file].text).tokens;
    let inside = tokens.windows(2).filter(|pair| {
        let (token, next) = (pair[0], pair[1]);
        token.kind == TokenKind::Identifier
            && token.span != target
            && token.span.start >= within.start
            && token.span.end <= within.end
            && next.kind != TokenKind::Colon
            && analysis.sources.text(token.span) == name
    });
    Some(inside.map(|pair| pair[0].span).collect())
}

/// Why a rename must not be done, given what the compiler says before and after it.
fn refused(before: &Analysis, after: &Analysis) -> Option<String> {
    let of = |analysis: &Analysis| -> Vec<String> {
        let codes = [Code::AnalyzeReservedName, Code::AnalyzeDuplicateDeclaration];
        let raised = analysis.diagnostics.iter().filter(|one| codes.contains(&one.code));
        raised.map(|one| one.headline.clone()).collect()
    };
    let known = of(before);
    of(after).into_iter().find(|headline| !known.contains(headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    const RULES: &str = "type Score = u16\nscope Deep { type Row = Score }\n";

    /// The analysis of a schema with a `|`, and where that stood.
    fn read(text: &str) -> (Analysis, u32) {
        let offset = text.find('|').unwrap();
        let loader =
            MemoryLoader::new().with("main.blink", text.replacen('|', "", 1)).with("rules.blink", RULES);
        (crate::analyze(&loader, "main.blink", Profile::Release), offset as u32)
    }

    /// A span as `file:line:column text`.
    fn shown(analysis: &Analysis, span: Span) -> String {
        let place = analysis.sources.start(span);
        let file = &analysis.sources[span.file].shown;
        format!("{file}:{}:{} {}", place.line, place.column, analysis.sources.text(span))
    }

    #[track_caller]
    fn check_definition(text: &str, expected: Option<&str>) {
        let (analysis, offset) = read(text);
        let found = definition(&analysis, FileId(0), offset).map(|found| match found {
            Definition::Name(span) => shown(&analysis, span),
            Definition::File(file) => analysis.sources[file].shown.clone(),
        });
        assert_eq!(found.as_deref(), expected, "in {text}");
    }

    #[test]
    fn definitions_across_scopes_and_files() {
        check_definition("type Coins = u8\nstruct A { X: Co|ins }", Some("main.blink:1:6 Coins"));
        check_definition("type Coins| = u8", Some("main.blink:1:6 Coins"));
        check_definition("import \"./ru|les\"", Some("rules.blink"));
        check_definition("import \"./rules\" as R\nstruct A { X: R.Sco|re }", Some("rules.blink:1:6 Score"));
        check_definition("import \"./rules\" as R\nstruct A { X: R|.Score }", Some("main.blink:1:21 R"));
        check_definition(
            "import \"./rules\"\nstruct A { X: ru|les.Deep.Row }",
            Some("main.blink:1:8 \"./rules\""),
        );
        check_definition("import \"./rules\"\nstruct A { X: rules.De|ep.Row }", Some("rules.blink:2:7 Deep"));
        check_definition("struct Box<T> { X: T|? }", Some("main.blink:1:12 T"));
        check_definition("struct B { X: u8 }\nstruct A { ..|B }", Some("main.blink:1:8 B"));
        // A broken schema is answered for all the same.
        check_definition("type Coins = u8\nstruct A { X: Co|ins, Y: Nothing", Some("main.blink:1:6 Coins"));
        check_definition("struct A { |X: u8 }", None);
        check_definition("struct A { X: u|8 }", None);
    }

    #[track_caller]
    fn check_references(text: &str, expected: &[&str]) {
        let (analysis, offset) = read(text);
        let target = name_at(&analysis, FileId(0), offset).unwrap().target;
        let found: Vec<String> =
            references(&analysis, target, true).into_iter().map(|span| shown(&analysis, span)).collect();
        assert_eq!(found, expected, "in {text}");
    }

    #[test]
    fn references_across_files() {
        check_references(
            "import \"./rules\" as R\nstruct A { X: R.Sc|ore, Y: R.Score[] }",
            &[
                "main.blink:2:17 Score",
                "main.blink:2:29 Score",
                "rules.blink:1:6 Score",
                "rules.blink:2:25 Score",
            ],
        );
        check_references(
            "struct Box<T|> { X: T, T: T? }\nstruct C<T> { X: T }",
            &["main.blink:1:12 T", "main.blink:1:20 T", "main.blink:1:26 T"],
        );
    }

    /// The text of the entry after a rename, or why there is none.
    fn renamed(text: &str, new: &str) -> Result<String, String> {
        let (analysis, offset) = read(text);
        let target = name_at(&analysis, FileId(0), offset).unwrap().target;
        let edits = rename(&analysis, target, new)?;
        let change = |file: u32, text: &str| {
            let mut text = text.to_string();
            for edit in edits.iter().rev().filter(|edit| edit.span.file.0 == file) {
                text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
            }
            text
        };
        let main = change(0, &text.replacen('|', "", 1));
        let loader =
            MemoryLoader::new().with("main.blink", main.clone()).with("rules.blink", change(1, RULES));
        let after = crate::analyze(&loader, "main.blink", Profile::Release);
        match refused(&analysis, &after) {
            Some(why) => Err(why),
            None => {
                assert_eq!(after.diagnostics.len(), analysis.diagnostics.len(), "{main}");
                Ok(main)
            }
        }
    }

    #[test]
    fn renames() {
        let ok = |text: &str| Ok(text.to_string());
        assert_eq!(
            renamed("type A| = u8\nstruct B { A: A }", "Coins"),
            ok("type Coins = u8\nstruct B { A: Coins }")
        );
        assert_eq!(
            renamed("scope S { type A = u8 }\nstruct B { X: S|.A }", "Shop"),
            ok("scope Shop { type A = u8 }\nstruct B { X: Shop.A }")
        );
        assert_eq!(
            renamed("import \"./rules\"\nstruct A { X: ru|les.Score }", "Rules"),
            ok("import \"./rules\" as Rules\nstruct A { X: Rules.Score }")
        );
        assert_eq!(
            renamed("import \"./rules\" as R\nstruct A { X: R.Sc|ore }", "Points"),
            ok("import \"./rules\" as R\nstruct A { X: R.Points }")
        );
        assert_eq!(renamed("struct Box<T|> { X: T }", "Item"), ok("struct Box<Item> { X: Item }"));
        assert_eq!(
            renamed("event Hi| { From: Server, Type: Reliable, Call: ManySync }", "Hello"),
            ok("event Hello { From: Server, Type: Reliable, Call: ManySync }")
        );
    }

    #[test]
    fn renames_that_are_refused() {
        let why = |text: &str, new: &str| renamed(text, new).unwrap_err();
        assert_eq!(why("type A| = u8\ntype B = u8", "B"), "the type name \"B\" is taken");
        assert_eq!(why("type A| = u8", "u8"), "\"u8\" is a built-in type.");
        assert_eq!(
            why("type A| = u8", "two words"),
            "\"two words\" is no name: a name is letters, digits and underscores."
        );
        assert!(why("type A| = u8\nstruct B { X: A }", "type").contains("a word of the language"));
        assert!(why("type A| = u8", "Player").contains("\"Player\""));
    }
}
