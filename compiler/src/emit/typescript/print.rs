//! The tree of a declaration file to text. Tabs indent.

use super::ast::{Body, Export, Key, Label, Member, Param, Property, Statement, Type};

/// Column types are broken at, tabs counted as four.
const WIDTH: usize = 120;
const TAB: usize = 4;

/// Text of a declaration file; `header` is its first line without the comment mark.
pub fn print(header: &str, body: &Body) -> String {
    let mut printer = Printer { text: format!("// {header}\n\n"), depth: 0, passed: 0 };
    printer.body(body, true);
    printer.text.push_str("export {};\n");
    printer.text
}

/// Text of one statement, laid out as `depth` namespaces inside a file, without its indent.
pub fn print_one(statement: &Statement, depth: usize) -> String {
    let mut printer = Printer { text: String::new(), depth, passed: 0 };
    printer.statement(statement, depth == 0);
    let lines = printer.text.lines().map(|line| line.get(depth..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

struct Printer {
    text: String,
    depth: usize,
    /// Parameters, elements and arguments around, inside which a union stays on its line.
    passed: usize,
}

impl Printer {
    fn body(&mut self, body: &Body, top: bool) {
        for statement in body {
            self.statement(statement, top);
        }
    }

    fn statement(&mut self, statement: &Statement, top: bool) {
        match statement {
            Statement::Blank => self.text.push('\n'),
            Statement::Type { doc, exported, name, params, ty } => {
                self.doc(doc.as_deref());
                self.indent();
                self.text.push_str(if top && *exported { "export " } else { "" });
                let params =
                    if params.is_empty() { String::new() } else { format!("<{}>", params.join(", ")) };
                self.text.push_str(&format!("type {name}{params} ="));
                if !self.breaks_at_once(ty) {
                    self.text.push(' ');
                }
                self.ty(ty);
                self.text.push_str(";\n");
            }
            Statement::Const { doc, exported, name, ty } => {
                self.doc(doc.as_deref());
                self.start(top, *exported);
                self.text.push_str(&format!("const {name}: "));
                self.ty(ty);
                self.text.push_str(";\n");
            }
            Statement::Namespace { doc, exported, name, body } => {
                self.doc(doc.as_deref());
                self.start(top, *exported);
                self.text.push_str(&format!("namespace {name} {{\n"));
                self.depth += 1;
                self.body(body, false);
                self.depth -= 1;
                self.indent();
                self.text.push_str("}\n");
            }
            Statement::Interface { doc, name, param, members } => {
                self.doc(doc.as_deref());
                let param = param.as_ref().map(|param| format!("<{param}>")).unwrap_or_default();
                self.text.push_str(&format!("export interface {name}{param} {{\n"));
                self.depth += 1;
                for member in members {
                    self.member(member);
                }
                self.depth -= 1;
                self.text.push_str("}\n");
            }
            Statement::Exports(exports) => {
                self.indent();
                let listed: Vec<String> = exports.iter().map(export).collect();
                self.text.push_str(&format!("export {{ {} }};\n", listed.join(", ")));
            }
        }
    }

    fn start(&mut self, top: bool, exported: bool) {
        self.indent();
        if top {
            self.text.push_str(if exported { "export " } else { "declare " });
        }
    }

    fn member(&mut self, member: &Member) {
        self.indent();
        match member {
            Member::Method(name, params, result) => {
                self.text.push_str(&key(name));
                self.params(params);
                self.text.push_str(": ");
                self.ty(result);
            }
            Member::Field(name, ty) => {
                self.text.push_str(&format!("{}: ", key(name)));
                self.ty(ty);
            }
        }
        self.text.push_str(";\n");
    }

    fn doc(&mut self, doc: Option<&str>) {
        let Some(doc) = doc else { return };
        // The mark that ends a comment must not stand in one.
        let doc = doc.replace("*/", "*\\/");
        if !doc.contains('\n') {
            self.indent();
            self.text.push_str(&format!("/** {doc} */\n"));
            return;
        }
        self.indent();
        self.text.push_str("/**\n");
        for line in doc.lines() {
            self.indent();
            self.text.push_str(format!(" * {line}").trim_end());
            self.text.push('\n');
        }
        self.indent();
        self.text.push_str(" */\n");
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push('\t');
        }
    }

    fn column(&self) -> usize {
        let line = self.text.rsplit('\n').next().unwrap_or_default();
        line.chars().map(|c| if c == '\t' { TAB } else { 1 }).sum()
    }

    /// Whether a type goes on the rest of this line, room for what ends it included.
    fn fits(&self, ty: &Type) -> bool {
        inline(ty, WIDTH).is_some_and(|text| self.column() + text.chars().count() + 2 <= WIDTH)
    }

    /// Whether a type starts on the next line.
    fn breaks_at_once(&self, ty: &Type) -> bool {
        matches!(ty, Type::Union(_)) && !self.fits(ty)
    }

    fn ty(&mut self, ty: &Type) {
        if self.fits(ty) {
            self.text.push_str(&inline(ty, WIDTH).unwrap_or_default());
            return;
        }
        match ty {
            Type::Name(name, args) => {
                self.text.push_str(name);
                if !args.is_empty() {
                    self.text.push('<');
                    self.list(args, Self::ty);
                    self.text.push('>');
                }
            }
            Type::Text(value) => self.text.push_str(&quoted(value)),
            Type::Number(value) => self.text.push_str(&number(*value)),
            Type::Union(members) if self.passed > 0 => {
                for (place, member) in members.iter().enumerate() {
                    self.text.push_str(if place > 0 { " | " } else { "" });
                    self.grouped(member, matches!(member, Type::Function(..)));
                }
            }
            Type::Union(members) => {
                self.depth += 1;
                for member in members {
                    self.text.push('\n');
                    self.indent();
                    self.text.push_str("| ");
                    self.grouped(member, matches!(member, Type::Function(..)));
                }
                self.depth -= 1;
            }
            Type::Array(element) => self.array(element),
            Type::ReadonlyArray(element) => {
                self.text.push_str("readonly ");
                self.array(element);
            }
            Type::Tuple(labels) => {
                self.text.push('[');
                self.list(labels, Self::label);
                self.text.push(']');
            }
            Type::Object(properties) | Type::OpenObject(properties) => self.object(properties),
            Type::Function(params, result) => {
                self.params(params);
                self.text.push_str(" => ");
                self.ty(result);
            }
        }
    }

    fn object(&mut self, properties: &[Property]) {
        if properties.is_empty() {
            self.text.push_str("{}");
            return;
        }
        self.text.push_str("{\n");
        self.depth += 1;
        let passed = std::mem::take(&mut self.passed);
        for property in properties {
            self.doc(property.doc.as_deref());
            self.indent();
            self.text.push_str(&property_start(property));
            if self.breaks_at_once(&property.ty) {
                self.text.truncate(self.text.trim_end().len());
            }
            self.ty(&property.ty);
            self.text.push_str(";\n");
        }
        self.passed = passed;
        self.depth -= 1;
        self.indent();
        self.text.push('}');
    }

    fn array(&mut self, element: &Type) {
        self.grouped(element, needs_group(element));
        self.text.push_str("[]");
    }

    fn grouped(&mut self, ty: &Type, group: bool) {
        if group {
            self.text.push('(');
        }
        self.ty(ty);
        if group {
            self.text.push(')');
        }
    }

    fn params(&mut self, params: &[Param]) {
        self.text.push('(');
        self.list(params, |printer, param| {
            printer.text.push_str(&param_start(param));
            printer.ty(&param.ty);
        });
        self.text.push(')');
    }

    fn label(&mut self, label: &Label) {
        self.text.push_str(&label_start(label));
        self.ty(&label.ty);
    }

    fn list<T>(&mut self, items: &[T], print: impl Fn(&mut Self, &T)) {
        self.passed += 1;
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.text.push_str(", ");
            }
            print(self, item);
        }
        self.passed -= 1;
    }
}

/// A type on one line; `None` when it has comments, lines of its own, or more than so many characters.
fn inline(ty: &Type, room: usize) -> Option<String> {
    let text = match ty {
        Type::Name(name, args) if args.is_empty() => name.clone(),
        Type::Name(name, args) => format!("{name}<{}>", inline_all(args, room, |arg| inline(arg, room))?),
        Type::Text(value) => quoted(value),
        Type::Number(value) => number(*value),
        Type::Union(members) => {
            let member = |member: &Type| inline_grouped(member, matches!(member, Type::Function(..)), room);
            let members: Option<Vec<String>> = members.iter().map(member).collect();
            members?.join(" | ")
        }
        Type::Array(element) => format!("{}[]", inline_grouped(element, needs_group(element), room)?),
        Type::ReadonlyArray(element) => {
            format!("readonly {}[]", inline_grouped(element, needs_group(element), room)?)
        }
        Type::Tuple(labels) => {
            let label = |label: &Label| Some(label_start(label) + &inline(&label.ty, room)?);
            format!("[{}]", inline_all(labels, room, label)?)
        }
        Type::Object(properties) => {
            let property = |property: &Property| {
                let ty = inline(&property.ty, room)?;
                property.doc.is_none().then(|| property_start(property) + &ty)
            };
            let inner: Option<Vec<String>> = properties.iter().map(property).collect();
            let inner = inner?;
            if inner.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", inner.join("; ")) }
        }
        Type::OpenObject(properties) => return properties.is_empty().then(|| "{}".to_owned()),
        Type::Function(params, result) => {
            let param = |param: &Param| Some(param_start(param) + &inline(&param.ty, room)?);
            format!("({}) => {}", inline_all(params, room, param)?, inline(result, room)?)
        }
    };
    (text.len() <= room).then_some(text)
}

fn inline_all<T>(items: &[T], room: usize, print: impl Fn(&T) -> Option<String>) -> Option<String> {
    let items: Option<Vec<String>> = items.iter().map(print).collect();
    items.map(|items| items.join(", ")).filter(|text| text.len() <= room)
}

fn inline_grouped(ty: &Type, group: bool, room: usize) -> Option<String> {
    let text = inline(ty, room)?;
    Some(if group { format!("({text})") } else { text })
}

/// Whether `[]` behind it would bind to its last part alone.
fn needs_group(ty: &Type) -> bool {
    match ty {
        Type::Union(_) | Type::Function(..) | Type::ReadonlyArray(_) => true,
        Type::Name(..)
        | Type::Text(_)
        | Type::Number(_)
        | Type::Array(_)
        | Type::Tuple(_)
        | Type::Object(_)
        | Type::OpenObject(_) => false,
    }
}

fn export(export: &Export) -> String {
    let only_type = if export.only_type { "type " } else { "" };
    if export.local == export.name {
        format!("{only_type}{}", export.name)
    } else {
        format!("{only_type}{} as {}", export.local, export.name)
    }
}

fn property_start(property: &Property) -> String {
    let readonly = if property.readonly { "readonly " } else { "" };
    let optional = if property.optional { "?" } else { "" };
    format!("{readonly}{}{optional}: ", property_key(&property.name))
}

fn param_start(param: &Param) -> String {
    format!("{}{}: ", param.name, if param.optional { "?" } else { "" })
}

fn label_start(label: &Label) -> String {
    format!("{}{}: ", if label.rest { "..." } else { "" }, label.name)
}

fn property_key(name: &Key) -> String {
    match name {
        Key::Text(name) => key(name),
        Key::Place(place) => place.to_string(),
    }
}

/// A property's name, quoted unless it is an identifier.
fn key(name: &str) -> String {
    let mut chars = name.chars();
    let identifier = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if identifier { name.to_owned() } else { quoted(name) }
}

/// A string literal.
fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// A numeric literal: the shortest that gives the number back.
fn number(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::super::ast::{or_undefined, param, procedure, readonly, ty, union};
    use super::*;

    fn printed(ty: Type) -> String {
        let constant = Statement::Const { doc: None, exported: true, name: "X".into(), ty };
        let text = print("Header", &vec![constant]);
        let text = text.strip_prefix("// Header\n\nexport const X: ").unwrap();
        text.strip_suffix(";\nexport {};\n").unwrap().to_owned()
    }

    #[test]
    fn types_are_grouped_where_brackets_would_bind_to_a_part() {
        let union = union([Type::Text("A".into()), Type::Text("B\\\"\n".into())]);
        assert_eq!(printed(Type::Array(Box::new(union))), r#"("A" | "B\\\"\n")[]"#);
        let callback = procedure(vec![param("Value", ty("number"))]);
        assert_eq!(printed(or_undefined(callback)), "((Value: number) => void) | undefined");
        assert_eq!(printed(Type::ReadonlyArray(Box::new(ty("Player")))), "readonly Player[]");
    }

    #[test]
    fn names_that_are_no_identifiers_are_quoted() {
        let field = |name: &str| Property { readonly: false, ..readonly(name, ty("number")) };
        let object = Type::Object(vec![field("delete"), field("Max HP"), field("1st")]);
        assert_eq!(printed(object), r#"{ delete: number; "Max HP": number; "1st": number }"#);
    }

    #[test]
    fn long_types_break_at_their_outermost_parts() {
        let variant = |name: &str| {
            Type::Object(vec![
                Property { readonly: false, ..readonly("Kind", Type::Text(name.into())) },
                Property { readonly: false, ..readonly("AnotherRatherLongFieldName", ty("number")) },
            ])
        };
        assert_eq!(
            printed(union([variant("Alpha"), variant("Beta")])),
            "\n\t| { Kind: \"Alpha\"; AnotherRatherLongFieldName: number }\
             \n\t| { Kind: \"Beta\"; AnotherRatherLongFieldName: number }"
        );
    }

    #[test]
    fn a_comment_cannot_be_closed_from_within() {
        let doc = Some("Ends */ here.\nOr not.".to_owned());
        let constant = Statement::Const { doc, exported: false, name: "X".into(), ty: ty("number") };
        assert_eq!(
            print("H", &vec![constant]),
            "// H\n\n/**\n * Ends *\\/ here.\n * Or not.\n */\ndeclare const X: number;\nexport {};\n"
        );
    }
}
