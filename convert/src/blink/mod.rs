//! A schema for Blink, as one that says everything in today's words.
//!
//! Blink's language is the language's own root, so a copy is edited rather than drafted: old spellings are replaced, dead
//! options deleted, duplicates put in comments, and marks set for missing rates and bounds (`marks`). What the compiler
//! refuses and only a person can settle is listed and marked. Source: tooling specification, 8.8.

mod marks;

use std::rc::Rc;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, SourceLoader, Sources, Span, normalize};
use blinkblox_compiler::syntax::{self, ast};
use blinkblox_compiler::{Analysis, analyze};

use crate::draft::header;
use crate::report::{Kind, Place, Report};
use crate::{Conversion, Refusal, Tool, read_text};

/// Rounds of edits. Each takes at least one problem away, and no schema has so many.
const MOST_ROUNDS: usize = 200;

/// Edits of a text.
type Edits = Vec<(Span, String)>;

/// Edits a copy of the schema at `path`.
pub(crate) fn convert(loader: &Rc<dyn SourceLoader>, path: &str) -> Result<Conversion, Box<Refusal>> {
    let original = read_text(loader.as_ref(), path)?;
    let path = normalize(path);
    let mut report = Report::default();
    list(&read(loader, &path, &original), &mut report);
    // What is listed has the lines of the original; the copy has no holes where something went.
    let lined = repaired(loader, &path, &original, true);
    marked(loader, &path, &lined, &mut report);
    let text = repaired(loader, &path, &original, false);
    let mut text = edited(&text, marked(loader, &path, &text, &mut Report::default()));
    let refused = read(loader, &path, &text);
    let compiles = !refused.has_errors();
    text = edited(&text, refusals(&refused, &text));
    text.insert_str(0, &header(Tool::Blink));
    let draft = format(FileId(0), &text, Indent::Tabs).unwrap_or(text);
    Ok(Conversion { draft, report, compiles })
}

/// The text with all edits made that take a problem away. `keeps_lines` says whether line ends stay where something went.
fn repaired(loader: &Rc<dyn SourceLoader>, path: &str, text: &str, keeps_lines: bool) -> String {
    let mut text = text.to_string();
    for _ in 0..MOST_ROUNDS {
        let analysis = read(loader, path, &text);
        match analysis.diagnostics.iter().find_map(|one| repair(one, &analysis, &text, keeps_lines)) {
            Some(edits) => text = edited(&text, edits),
            None => break,
        }
    }
    text
}

/// The marks of a text, which are listed.
fn marked(loader: &Rc<dyn SourceLoader>, path: &str, text: &str, report: &mut Report) -> Edits {
    let parsed = syntax::parse(FileId(0), text);
    let mut sources = Sources::default();
    sources.add(path, &loader.shown(path), text.to_string());
    marks::of(&parsed.document, &sources, report)
}

/// The schema with `text` in place of its file.
fn read(loader: &Rc<dyn SourceLoader>, path: &str, text: &str) -> Analysis {
    let edited = Edited { loader: loader.clone(), path: path.to_string(), text: text.to_string() };
    analyze(&edited, path, Profile::Release)
}

/// Files of a loader, but for one.
struct Edited {
    loader: Rc<dyn SourceLoader>,
    path: String,
    text: String,
}

impl SourceLoader for Edited {
    fn is_file(&self, path: &str) -> bool {
        path == self.path || self.loader.is_file(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        if path == self.path { Ok(self.text.clone().into_bytes()) } else { self.loader.read(path) }
    }

    fn shown(&self, path: &str) -> String {
        self.loader.shown(path)
    }
}

/// Tells what an edit will do, or a person must, for each diagnostic of the schema as it came.
fn list(analysis: &Analysis, report: &mut Report) {
    for one in &analysis.diagnostics {
        let Some(span) = one.span() else { continue };
        let place = Place {
            file: analysis.sources[span.file].shown.clone(),
            line: analysis.sources.start(span).line as usize,
        };
        let name = analysis.sources.text(span).to_string();
        let in_entry = span.file == FileId(0);
        match one.code {
            Code::AnalyzeDeprecated if in_entry => {
                let goes = one.fixes.iter().all(|fix| fix.edits.iter().all(|(_, new)| new.is_empty()));
                let what = if goes { "it is left out" } else { "it is replaced" };
                report.add(Kind::Loss, name, Some(place), format!("{}: {what}", one.headline));
            }
            code if is_duplicate(code) && in_entry => {
                report.add(
                    Kind::Loss,
                    name,
                    Some(place),
                    format!("{}: this one is in a comment", one.headline),
                );
            }
            _ if one.is_error() => {
                let note = one.notes.first().map_or_else(String::new, |note| format!(". {note}"));
                let message = format!("{} {}{note}", one.code_text(), one.headline);
                report.add(Kind::Refused, name, Some(place), message.trim_end_matches('.'));
            }
            _ => {}
        }
    }
}

fn is_duplicate(code: Code) -> bool {
    matches!(
        code,
        Code::AnalyzeDuplicateMember | Code::AnalyzeDuplicateDeclaration | Code::AnalyzeDuplicateOption
    )
}

/// The edits that take a problem of the entry away, when edits can.
fn repair(diagnostic: &Diagnostic, analysis: &Analysis, text: &str, keeps_lines: bool) -> Option<Edits> {
    let span = diagnostic.span().filter(|span| span.file == FileId(0))?;
    if diagnostic.code == Code::AnalyzeDeprecated {
        let fix = diagnostic.fixes.first()?;
        let edits = fix.edits.iter().map(|(span, new)| match keeps_lines {
            true => (*span, keeping_lines(analysis, *span, new)),
            false => (*span, new.clone()),
        });
        return Some(edits.collect());
    }
    if !is_duplicate(diagnostic.code) {
        return None;
    }
    let parsed = syntax::parse(FileId(0), text);
    let whole = whole(&parsed.document, span)?;
    let is_item =
        !parsed.document.declarations.iter().any(|one| contains(one.span, whole) && one.span == whole);
    let whole = if is_item && diagnostic.code == Code::AnalyzeDuplicateMember {
        analysis.sources.item_range(whole)
    } else {
        whole
    };
    let old = analysis.sources.text(whole);
    // A comment inside would end this one early.
    let level = (0..).map(|count| "=".repeat(count)).find(|level| !old.contains(&format!("]{level}]")))?;
    Some(vec![(whole, format!("--[{level}=[ TODO(convert): a duplicate, keep one: {old} ]{level}=]"))])
}

/// The text of an edit, with as many line ends as what it takes the place of.
fn keeping_lines(analysis: &Analysis, span: Span, new: &str) -> String {
    let count = |text: &str| text.matches('\n').count();
    let missing = count(analysis.sources.text(span)).saturating_sub(count(new));
    format!("{new}{}", "\n".repeat(missing))
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The declaration, option, entry or member whose name stands at `name`.
fn whole(document: &ast::Document, name: Span) -> Option<Span> {
    let option = document.options.iter().find(|option| option.name.span == name).map(|option| option.span);
    option.or_else(|| document.declarations.iter().find_map(|one| whole_in(one, name)))
}

fn whole_in(declaration: &ast::Declaration, name: Span) -> Option<Span> {
    use ast::DeclarationKind as Of;
    if !contains(declaration.span, name) {
        return None;
    }
    match &declaration.kind {
        Of::Scope(scope) if scope.name.span != name => {
            scope.declarations.iter().find_map(|one| whole_in(one, name))
        }
        Of::Event(member) | Of::Function(member) if member.name.span != name => {
            whole_entry(&member.block, name)
        }
        Of::Type(ty) if ty.name.span != name => whole_member(&ty.ty, name),
        Of::Nothing => None,
        // By its own name; Blink has no other kind with members.
        _ => Some(declaration.span),
    }
}

fn whole_entry(block: &ast::Block, name: Span) -> Option<Span> {
    block.entries.iter().find_map(|entry| match &entry.value {
        _ if entry.key.span == name => Some(entry.value.span().map_or(name, |value| name.to(value))),
        ast::Value::Block(inner) => whole_entry(inner, name),
        ast::Value::Type(ty) => whole_member(ty, name),
        ast::Value::Pack(pack) => pack.elements.iter().find_map(|element| match &element.name {
            Some(own) if own.span == name => Some(name.to(element.ty.span)),
            _ => whole_member(&element.ty, name),
        }),
        // What holds no names, and values that Blink does not have.
        _ => None,
    })
}

fn whole_member(ty: &ast::Type, name: Span) -> Option<Span> {
    use ast::TypeKind as Of;
    let member = |members: &[ast::StructMember]| {
        members.iter().find_map(|member| match member {
            ast::StructMember::Field(own, ty) if own.span == name => Some(name.to(ty.span)),
            ast::StructMember::Field(_, ty) => whole_member(ty, name),
            ast::StructMember::Merge(dots, reference) => {
                (reference.name.span == name).then(|| dots.to(reference.name.span))
            }
        })
    };
    match &ty.kind {
        Of::Struct(members) => member(members),
        Of::UnitEnum(labels) | Of::Set(labels) => {
            labels.names.iter().find(|own| own.span == name).map(|own| own.span)
        }
        Of::TaggedEnum(tagged) => tagged.variants.iter().find_map(|variant| member(&variant.members)),
        Of::Map(key, value) => whole_member(key, name).or_else(|| whole_member(value, name)),
        Of::Optional(inner, _) | Of::Array(inner, _) | Of::Ranged(inner, _) | Of::Broken(inner) => {
            whole_member(inner, name)
        }
        Of::Primitive(_) | Of::Reference(_) | Of::Error => None,
    }
}

/// Comments above the lines of what is refused.
fn refusals(analysis: &Analysis, text: &str) -> Edits {
    let errors = analysis.diagnostics.iter().filter(|one| one.is_error());
    let mut edits: Edits = Vec::new();
    for one in errors {
        let Some(span) = one.span().filter(|span| span.file == FileId(0)) else { continue };
        let start =
            text.get(..span.start as usize).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let at = Span::new(FileId(0), start, start);
        let headline = one.headline.replace(['\n', '\r'], " ");
        edits.push((at, format!("-- TODO(convert): {} {headline}\n", one.code_text())));
    }
    edits
}

/// The text with edits made, last first; of edits that overlap, the first one given.
fn edited(text: &str, edits: Edits) -> String {
    let mut edits: Vec<(usize, (Span, String))> = edits.into_iter().enumerate().collect();
    // At one place, what was found first comes first.
    edits.sort_by_key(|(number, (span, _))| (std::cmp::Reverse(span.start), std::cmp::Reverse(*number)));
    let mut out = text.to_string();
    let mut until = text.len();
    for (_, (span, new)) in edits {
        let range = span.start as usize..span.end as usize;
        if range.end <= until && out.is_char_boundary(range.start) && out.is_char_boundary(range.end) {
            until = range.start;
            out.replace_range(range, &new);
        }
    }
    out
}
