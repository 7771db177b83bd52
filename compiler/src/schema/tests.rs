//! What schemas resolve to. What they are refused for is in the corpus.

use std::cell::Cell;

use super::*;
use crate::analyze;
use crate::source::MemoryLoader;

thread_local! {
    /// Declarations that were looked at for the entities among them, before they were read.
    pub(super) static LOOKED_AHEAD: Cell<usize> = const { Cell::new(0) };
}

/// The schema of an entry and the files beside it.
#[track_caller]
fn resolve(files: &[(&str, &str)], profile: Profile) -> Schema {
    let loader = files.iter().fold(MemoryLoader::new(), |loader, (path, text)| loader.with(path, *text));
    let analysis = analyze(&loader, files[0].0, profile);
    let errors: Vec<&str> = analysis.diagnostics.iter().map(|one| one.headline.as_str()).collect();
    analysis.schema.unwrap_or_else(|| panic!("{errors:?}"))
}

#[track_caller]
fn schema(text: &str) -> Schema {
    resolve(&[("main.blink", text)], Profile::Release)
}

/// The type of that Luau name.
#[track_caller]
fn ty(schema: &Schema, luau_name: &str) -> TypeKind {
    let decl = schema.types.iter().find(|decl| decl.luau_name == luau_name);
    decl.expect("the type is declared").ty.kind.clone()
}

/// A field of the struct of that Luau name, names looked through.
#[track_caller]
fn field(schema: &Schema, luau_name: &str, name: &str) -> TypeKind {
    let TypeKind::Struct(fields) = ty(schema, luau_name) else { panic!("{luau_name} is no struct") };
    fields.iter().find(|field| field.name == name).expect("the field is there").ty.meaning().kind.clone()
}

/// Every event and function with its channel's index, in the order they are walked.
fn indices(scope: &Scope) -> Vec<(String, u8)> {
    scope
        .items
        .iter()
        .flat_map(|item| match item {
            Item::Event(event) => vec![(event.path.join("."), event.index)],
            Item::Function(function) => vec![(function.path.join("."), function.index)],
            Item::State(state) => vec![(state.path.join("."), state.index)],
            Item::Table(table) => vec![(table.path.join("."), table.index)],
            Item::Scope(inner) => indices(inner),
            Item::Type(_) | Item::Entity(_) => vec![],
        })
        .collect()
}

fn number(kind: TypeKind) -> Number {
    match kind {
        TypeKind::Number(number) => number,
        other => panic!("{other:?} is no number"),
    }
}

const EVENT: &str = "{ From: Server, Type: Reliable, Call: ManySync }";

#[test]
fn indices_go_depth_first_into_scopes_and_imports() {
    let main = format!(
        "event A {EVENT} scope S {{ event B {EVENT} function C {{ Yield: Coroutine }} }} import \"rules\"
         @profile(\"test\") event D {EVENT}
         event U {{ From: Server, Type: OrderedUnreliable, Call: ManySync }} event E {EVENT}"
    );
    let rules = format!("event F {EVENT}");
    let files = [("main.blink", main.as_str()), ("rules.blink", rules.as_str())];
    let found = |profile| {
        let schema = resolve(&files, profile);
        indices(&schema.root)
            .into_iter()
            .map(|(path, index)| format!("{path} {index}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(found(Profile::Release), "A 0, S.B 1, S.C 2, rules.F 3, U 0, E 4");
    assert_eq!(found(Profile::Test), "A 0, S.B 1, S.C 2, rules.F 3, D 4, U 0, E 5");
}

#[test]
fn scopes_do_not_look_ahead_past_their_end() {
    let count = 500;
    LOOKED_AHEAD.set(0);
    schema(&(0..count).map(|number| format!("scope S{number} {{ type A = u8 }} ")).collect::<String>());
    // Each scope and what is in it when the file begins, and what is in it when it begins itself.
    assert_eq!(LOOKED_AHEAD.get(), 3 * count);
}

#[test]
fn names_in_luau_are_joined_paths() {
    let schema = resolve(
        &[
            (
                "main.blink",
                "scope Shop { scope Admin { type ItemId = u16 } } import \"rules/Match\" as Rules",
            ),
            ("rules/Match.blink", "scope Deep { type Points = u8 }"),
        ],
        Profile::Release,
    );
    let names: Vec<&str> = schema.types.iter().map(|decl| decl.luau_name.as_str()).collect();
    assert_eq!(names, ["Shop_Admin_ItemId", "Rules_Deep_Points"]);
}

#[test]
fn open_sides_of_ranges_hold_the_bounds_of_the_type() {
    let schema =
        schema("type A = u8(5..) type B = u8<0.5>(..10) type C = string(1..) type D = u8[..3] type E = u8[]");
    let bounds = |name| number(ty(&schema, name)).range.map(|range| (range.min, range.max)).unwrap();
    assert_eq!(bounds("A"), (5.0, 255.0));
    assert_eq!(bounds("B"), (0.0, 10.0));
    let TypeKind::String(length) = ty(&schema, "C") else { panic!("no string") };
    assert_eq!(length, Length { min: 1, max: u32::MAX, written: true, max_written: false });
    let length = |name| match ty(&schema, name) {
        TypeKind::Array { length, .. } => length,
        other => panic!("{other:?} is no array"),
    };
    assert_eq!(length("D"), Length { min: 0, max: 3, written: true, max_written: true });
    assert_eq!(length("E"), Length { min: 0, max: 65_535, written: false, max_written: false });
}

#[test]
fn refinements_replace_those_of_an_alias_one_by_one() {
    let schema = schema(
        "type Percent = u8<0.5>(0..100) type Narrow = Percent(0..50)
         struct A { X: Narrow<0.25>, Y: Percent<saturate>, Z: Percent }",
    );
    let x = number(field(&schema, "A", "X"));
    assert_eq!((x.scale, x.range.map(|range| range.max)), (Some(0.25), Some(50.0)));
    let y = number(field(&schema, "A", "Y"));
    assert_eq!((y.scale, y.saturate, y.range.map(|range| range.max)), (None, true, Some(100.0)));
    assert_eq!(number(field(&schema, "A", "Z")).scale, Some(0.5));
}

#[test]
fn components_say_rotation_and_position() {
    let schema = schema(
        "type A = CFrame<f16> type B = CFrame<f24, quat32> type C = CFrame<quat, i16> type D = vector<i8>(..9)",
    );
    let parts = |name| match ty(&schema, name) {
        TypeKind::CFrame { rotation, position, .. } => (rotation, position),
        other => panic!("{other:?} is no CFrame"),
    };
    assert_eq!(parts("A"), (Rotation::Angles(NumberKind::F16), NumberKind::F16));
    assert_eq!(parts("B"), (Rotation::Quat32, NumberKind::F24));
    assert_eq!(parts("C"), (Rotation::Quat, NumberKind::I16));
    let TypeKind::Vector { component, magnitude, .. } = ty(&schema, "D") else { panic!("no vector") };
    assert_eq!(
        (component, magnitude.map(|range| (range.min, range.max))),
        (NumberKind::I8, Some((0.0, 9.0)))
    );
}

#[test]
fn copies_of_generics_have_their_arguments_in_place() {
    let schema = schema(
        "struct Maybe<T> { X: T? } struct Both<A, B> { First: Maybe<B>, Second: A }
         struct Use { P: Maybe<Instance(Part)>, N: Maybe<u8>, Q: Both<u8, Maybe<boolean>> }",
    );
    let inner = |kind: TypeKind, name: &str| match kind {
        TypeKind::Struct(fields) => {
            fields.iter().find(|field| field.name == name).unwrap().ty.meaning().kind.clone()
        }
        other => panic!("{other:?} is no struct"),
    };
    let bit = |kind| match kind {
        TypeKind::Optional { presence_bit, .. } => presence_bit,
        other => panic!("{other:?} is not optional"),
    };
    assert!(!bit(inner(field(&schema, "Use", "P"), "X")));
    assert!(bit(inner(field(&schema, "Use", "N"), "X")));
    let both = field(&schema, "Use", "Q");
    assert!(matches!(inner(both.clone(), "Second"), TypeKind::Number(_)));
    let TypeKind::Optional { inner: argument, .. } = inner(inner(both, "First"), "X") else {
        panic!("not optional")
    };
    assert!(bit(inner(argument.meaning().kind.clone(), "X")));
    let TypeKind::Struct(template) = ty(&schema, "Maybe") else { panic!("no struct") };
    let TypeKind::Optional { inner: parameter, .. } = &template[0].ty.kind else { panic!("not optional") };
    assert!(matches!(&parameter.kind, TypeKind::Parameter(name) if name == "T"));
}

#[test]
fn merges_stand_where_they_are_written() {
    let schema = schema("struct Base { B: u8, C: u8 } struct All { A: u8, ..Base, D: u8 }");
    let TypeKind::Struct(fields) = ty(&schema, "All") else { panic!("no struct") };
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["A", "B", "C", "D"]);
}

#[test]
fn what_the_profile_leaves_out_is_absent() {
    let text =
        "@profile(\"test\") struct Secret { X: u8 } @profile(\"test\") struct Seen { Y: Secret } type A = u8";
    let release = resolve(&[("main.blink", text)], Profile::Release);
    assert_eq!(release.types.len(), 1);
    let test = resolve(&[("main.blink", text)], Profile::Test);
    let TypeKind::Struct(fields) = ty(&test, "Seen") else { panic!("no struct") };
    assert!(matches!(fields[0].ty.kind, TypeKind::Named { decl: TypeId(0), .. }));
}

#[test]
fn rates_are_effective_ones() {
    let schema = schema(
        "option DefaultRate = 20
         event A { From: Client, Type: Reliable, Call: SingleSync }
         event B { From: Client, Type: Reliable, Call: SingleSync, Rate: 0.25 }
         event C { From: Client, Type: Reliable, Call: SingleSync, Rate: 4, Burst: 6.5 }
         event D { From: Server, Type: Reliable, Call: SingleSync, Poll: true }",
    );
    let events: Vec<&Event> = schema
        .root
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Event(event) => Some(event),
            Item::Type(_)
            | Item::Function(_)
            | Item::Scope(_)
            | Item::State(_)
            | Item::Table(_)
            | Item::Entity(_) => None,
        })
        .collect();
    let rates: Vec<Option<(f64, f64)>> =
        events.iter().map(|event| event.rate.map(|rate| (rate.rate, rate.burst))).collect();
    assert_eq!(rates, [Some((20.0, 20.0)), Some((0.25, 1.0)), Some((4.0, 6.5)), None]);
    assert_eq!(events[3].call, Call::Polling);
}

#[test]
fn entities_are_named_ahead_behind_a_scope_that_holds_an_import() {
    let main = "scope A {
        import \"./x\" as X
        scope B {
            import \"./y\" as Y
            event F { From: Server, Type: Reliable, Call: ManySync, Data: Later? }
            entity Later { Data: struct { H: u8 } }
        }
        event E { From: Server, Type: Reliable, Call: ManySync, Data: Ship? }
    }
    event G { From: Server, Type: Reliable, Call: ManySync, Data: Ship? }
    entity Ship { Data: struct { H: u8 } }";
    let other = "entity Rock { Data: struct { H: u8 } }";
    let schema = resolve(&[("main.blink", main), ("x.blink", other), ("y.blink", other)], Profile::Release);
    let declared: Vec<String> = schema.entities().iter().map(|entity| entity.path.join(".")).collect();
    assert_eq!(declared, ["A.X.Rock", "A.B.Y.Rock", "A.B.Later", "Ship"]);
    // In the order they are walked: each names the entity by the number it has.
    let mut named = Vec::new();
    fn walk(scope: &Scope, named: &mut Vec<(String, u8)>) {
        for item in &scope.items {
            match item {
                Item::Scope(inner) => walk(inner, named),
                Item::Event(event) => {
                    let Payload::Single(ty) = &event.data else { panic!("one value") };
                    let TypeKind::Entity { path, index } = &ty.kind else { panic!("an entity") };
                    named.push((path.to_string(), *index));
                }
                _ => {}
            }
        }
    }
    walk(&schema.root, &mut named);
    assert_eq!(named, [("A.B.Later".into(), 2), ("Ship".into(), 3), ("Ship".into(), 3)]);
}
