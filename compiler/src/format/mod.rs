//! The canonical layout of a schema. Source: tooling specification, 7.5.
//!
//! Works on tokens and the comments between them, so whatever is written is kept: only white space and the commas
//! behind last items change. A text that does not parse is refused, never guessed at. [`format()`] is the way in; `tree`
//! groups the tokens, `layout` writes them.

mod layout;
mod tree;

use crate::diagnostics::Diagnostic;
use crate::source::{FileId, Span};
use crate::syntax;

/// What a level of indentation is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indent {
    /// One tab.
    #[default]
    Tabs,
    /// Four spaces.
    Spaces,
}

impl Indent {
    fn text(self) -> &'static str {
        match self {
            Indent::Tabs => "\t",
            Indent::Spaces => "    ",
        }
    }
}

/// The text in the canonical layout. `text` carries no byte order mark.
///
/// Errors: the syntax errors of the text, which is then left as it is.
pub fn format(file: FileId, text: &str, indent: Indent) -> Result<String, Vec<Diagnostic>> {
    let lexed = syntax::lexer::lex(file, text);
    let parsed = syntax::parse(file, text);
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let tree = tree::Tree::of(text, &lexed.tokens, &lexed.comments, &parsed.document);
    Ok(layout::write(&tree, indent))
}

/// The statements that a run of bytes touches, in the canonical layout: the bytes they take, and what to write there.
/// `None` when it touches none.
///
/// Errors: the syntax errors of the text, which is then left as it is.
pub fn format_part(
    text: &str,
    part: Span,
    indent: Indent,
) -> Result<Option<(Span, String)>, Vec<Diagnostic>> {
    let formatted = format(part.file, text, indent)?;
    // The layout keeps every statement and their order.
    let (old, new) = (statements(part.file, text), statements(part.file, &formatted));
    let touches = |span: &Span| span.start <= part.end && part.start <= span.end;
    let first = old.iter().position(touches);
    let last = old.iter().rposition(touches);
    let (Some(first), Some(last)) = (first, last) else { return Ok(None) };
    let (Some(start), Some(end)) = (new.get(first), new.get(last)) else { return Ok(None) };
    let laid_out = formatted.get(start.start as usize..end.end as usize).unwrap_or("");
    Ok(Some((old[first].to(old[last]), laid_out.to_string())))
}

/// Where the options and declarations of a text are, in order; what stands in a scope belongs to the scope.
fn statements(file: FileId, text: &str) -> Vec<Span> {
    let document = syntax::parse(file, text).document;
    let options = document.options.iter().map(|option| option.span);
    let mut spans: Vec<Span> =
        options.chain(document.declarations.iter().map(|declaration| declaration.span)).collect();
    spans.sort_by_key(|span| span.start);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_laid_out_alone() {
        let text =
            "option Casing=Camel\ntype A=u8 -- a\n-- b\ntype   B=u8?\nstruct C{X:A,\nY:B}\ntype  D=u8\n";
        let part = |from: &str, to: &str| {
            let span = Span::new(FileId(0), text.find(from).unwrap(), text.find(to).unwrap());
            let (place, new) = format_part(text, span, Indent::Tabs).unwrap()?;
            Some(format!("{} => {new}", &text[place.start as usize..place.end as usize]))
        };
        assert_eq!(part("B", "=u8?").as_deref(), Some("type   B=u8? => type B = u8?"));
        assert_eq!(
            part("Y:B", "Y:B").as_deref(),
            Some("struct C{X:A,\nY:B} => struct C {\n\tX: A,\n\tY: B,\n}")
        );
        assert_eq!(
            part("option", "A=u8").as_deref(),
            Some("option Casing=Camel\ntype A=u8 => option Casing = Camel\n\ntype A = u8"),
        );
        assert_eq!(part("- b", " b"), None);
        assert!(format_part("type A =", Span::new(FileId(0), 0, 1), Indent::Tabs).is_err());
    }

    fn formatted(text: &str) -> String {
        let once = format(FileId(0), text, Indent::Tabs).unwrap();
        let twice = format(FileId(0), &once, Indent::Tabs).unwrap();
        assert_eq!(once, twice, "formatting twice changes\n{text}");
        once
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(formatted(text), expected);
    }

    #[test]
    fn a_declaration_on_one_line_stays_there_when_it_fits() {
        check("type  A=u8 ( 0..9 )".replace("( 0..9 )", "(0..9)").as_str(), "type A = u8(0..9)\n");
        check(
            "struct A{X:u8,Y:string(..9)?[ ..4 ],}".replace("[ ..4 ]", "[..4]").as_str(),
            "struct A { X: u8, Y: string(..9)?[..4] }\n",
        );
        check("struct A{}  set B = { }", "struct A {}\n\nset B = {}\n");
        check(
            "enum A=\"Kind\"{Halt{},[\"Use Item\"]{Slot:u8}}",
            "enum A = \"Kind\" { Halt {}, [\"Use Item\"] { Slot: u8 } }\n",
        );
        check("map A<K,V>={[K]:V}?", "map A<K, V> = { [K]: V }?\n");
        check(
            "struct A { ..Page < u8 , >, B: CFrame< quat,f16 > }",
            "struct A { ..Page<u8>, B: CFrame<quat, f16> }\n",
        );
        check(
            "event A { From: Server, Type: Reliable, Call: ManyAsync, Data: (u8, Name: string), }",
            "event A { From: Server, Type: Reliable, Call: ManyAsync, Data: (u8, Name: string) }\n",
        );
    }

    #[test]
    fn what_was_on_several_lines_or_is_too_wide_is_broken() {
        check(
            "event A { From: Server,\nType: Reliable, Call: ManyAsync, Data: struct { A: u8 } , }",
            "event A {\n\tFrom: Server,\n\tType: Reliable,\n\tCall: ManyAsync,\n\tData: struct { A: u8 }\n}\n",
        );
        let wide = format!("struct A {{ {}: u8, B: u8 }}", "W".repeat(90));
        check(&wide, &format!("struct A {{\n\t{}: u8,\n\tB: u8,\n}}\n", "W".repeat(90)));
        check("map A =\n{ [u8]: struct {\nB: u8 } }", "map A = {\n\t[u8]: struct {\n\t\tB: u8,\n\t}\n}\n");
        check("enum A = { B,\n\n\nC }", "enum A = {\n\tB,\n\n\tC,\n}\n");
        check("event A { Data:\n(\nu8, B: u8) }", "event A {\n\tData: (\n\t\tu8,\n\t\tB: u8,\n\t)\n}\n");
        check(
            "struct A { B: Page<struct {\nC: u8 }> }",
            "struct A {\n\tB: Page<struct {\n\t\tC: u8,\n\t}>,\n}\n",
        );
    }

    #[test]
    fn one_blank_line_between_declarations() {
        check(
            "option Casing = Camel\noption UsePolling=true\n\n\noption Typescript = true\ntype A = u8\n\n\n\ntype B = u8 type C=u8",
            "option Casing = Camel\noption UsePolling = true\n\noption Typescript = true\n\ntype A = u8\n\ntype B = u8\n\ntype C = u8\n",
        );
        check("scope S { type A = u8 }", "scope S { type A = u8 }\n");
        check("scope S { type A = u8 scope T { } }", "scope S {\n\ttype A = u8\n\n\tscope T {}\n}\n");
        check("import \"a\"  as  B", "import \"a\" as B\n");
        check(
            "@profile ( \"dev\" )  type A = u8\n@profile(\"dev\")\nexport type B = u8",
            "@profile(\"dev\") type A = u8\n\n@profile(\"dev\")\nexport type B = u8\n",
        );
    }

    #[test]
    fn comments_stay_with_what_they_stand_at() {
        check(
            "-- head\n\n\n-- of A\ntype A = u8 -- behind A\n-- of B\ntype B = u8\n  -- end",
            "-- head\n\n-- of A\ntype A = u8 -- behind A\n\n-- of B\ntype B = u8\n-- end\n",
        );
        check(
            "struct A { -- open\n-- of X\nX: u8 -- behind X\n, -- and more\nY: -- odd\nu8\n-- last\n}",
            "struct A { -- open\n\t-- of X\n\tX: u8, -- behind X\n\t-- and more\n\tY: -- odd\n\t\tu8,\n\t-- last\n}\n",
        );
        check(
            "type A --[[ between ]] = u8 --[[ x ]] (0..9)",
            "type A --[[ between ]] = u8 --[[ x ]] (0..9)\n",
        );
        check(
            "struct A { --[[ x ]] B: u8 --[[ y ]], --[[ z ]] }",
            "struct A { --[[ x ]] B: u8 --[[ y ]] --[[ z ]] }\n",
        );
        check("struct A {\n\n-- nothing\n\n}", "struct A {\n\t-- nothing\n}\n");
        check("type A = u8 --[[ open", "type A = u8 --[[ open\n");
        check("scope S {\n-- in\n\n-- more\n}", "scope S {\n\t-- in\n\n\t-- more\n}\n");
        check("--[[ two\n  lines ]] type A = u8", "--[[ two\n  lines ]] type A = u8\n");
        check("", "");
        check("-- only", "-- only\n");
    }

    #[test]
    fn spaces_that_make_other_tokens_are_kept_or_not_made() {
        check("event A { Data: (Coins,) }", "event A { Data: (Coins,) }\n");
        check("event A { Data: ( Coins ) }", "event A { Data: (Coins,) }\n");
        check("type Enum = u8\ntype B = Enum (0..5)", "type Enum = u8\n\ntype B = Enum (0..5)\n");
        check(
            "struct A { B: Instance (Model), C: Enum(Font) }",
            "struct A { B: Instance(Model), C: Enum(Font) }\n",
        );
        check(
            "struct A { \"two\nlines\": u8 }".replace("\"two\nlines\"", "[\"two\nlines\"]").as_str(),
            "struct A {\n\t[\"two\nlines\"]: u8,\n}\n",
        );
    }

    #[test]
    fn what_does_not_parse_is_refused() {
        let found = format(FileId(0), "type A =\nstruct B { }", Indent::Tabs).unwrap_err();
        assert_eq!(found[0].code_text(), "E2002");
    }

    #[test]
    fn four_spaces_on_request() {
        let text = format(FileId(0), "set A = {\nB }", Indent::Spaces).unwrap();
        assert_eq!(text, "set A = {\n    B,\n}\n");
    }
}
