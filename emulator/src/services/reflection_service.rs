//! `ReflectionService`: classes and their members, to scripts. Engine page: classes/ReflectionService, checked November
//! 2026. Names and superclasses only: what the emulator knows of security is not in its tables.

use crate::datamodel::classes::{self, Access, ClassId, class_by_name};
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::engine::{self, EngineKind};
use crate::datamodel::members::{Member, method};
use crate::value::Value;
use crate::vm::{Cx, Outcome, Returns};

const NAMES: &str = "names and owners, without security and display data; the filter is ignored";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("ReflectionService", "GetClasses(filter: table?) -> table", get_classes).instead(NAMES),
    method("ReflectionService", "GetClass(className: string, filter: table?) -> table?", get_class)
        .instead(NAMES),
    method(
        "ReflectionService",
        "GetPropertiesOfClass(className: string, filter: table?) -> table",
        get_properties,
    )
    .instead(NAMES),
    method("ReflectionService", "GetMethodsOfClass(className: string, filter: table?) -> table", |cx| {
        members(cx, EngineKind::Method)
    })
    .instead(NAMES),
    method("ReflectionService", "GetEventsOfClass(className: string, filter: table?) -> table", |cx| {
        members(cx, EngineKind::Event)
    })
    .instead(NAMES),
];

fn describe(class: ClassId) -> Value {
    let parent = class.info().superclass;
    let mut fields = vec![("Name", class.name().into())];
    fields.extend(parent.map(|parent| ("Superclass", parent.name().into())));
    Value::record(fields)
}

fn get_classes(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push(&Value::array(classes::all_classes().map(describe)));
    Ok(Returns::ONE)
}

fn get_class(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push(&class_by_name(&text(cx, 1)?).map_or(Value::Nil, describe));
    Ok(Returns::ONE)
}

fn member(name: &str, owner: &str) -> Value {
    Value::record([("Name", name), ("Owner", owner)].map(|(key, value)| (key, Value::from(value))))
}

fn get_properties(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let properties = class_by_name(&text(cx, 1)?).map(ClassId::properties).unwrap_or_default();
    let usable = properties.into_iter().filter(|property| property.info().access() != Access::None);
    let rows = usable.map(|property| member(property.name(), property.info().class.name()));
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

fn members(cx: &mut Cx<'_>, kind: EngineKind) -> Outcome {
    this(cx)?;
    let lineage: Vec<ClassId> = class_by_name(&text(cx, 1)?).into_iter().flat_map(ClassId::lineage).collect();
    let own = lineage.iter().flat_map(|class| engine::own(class.name()));
    let usable = own.filter(|member| member.kind == kind && !member.is_for_plugins);
    cx.push(&Value::array(usable.map(|found| member(found.name, found.class))));
    Ok(Returns::ONE)
}
