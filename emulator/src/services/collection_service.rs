//! `CollectionService`: tags by another door. Engine page: classes/CollectionService, checked August 2026.

use crate::datamodel::instance::{instance, push_instances, push_names, text, this};
use crate::datamodel::members::{Member, event, method};
use crate::datamodel::tags;
use crate::vm::{Cx, Outcome, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    event("CollectionService", "TagAdded(tag: string)"),
    event("CollectionService", "TagRemoved(tag: string)"),
    method("CollectionService", "AddTag(instance: Instance, tag: string)", add_tag),
    method("CollectionService", "GetAllTags() -> table", get_all_tags),
    method(
        "CollectionService",
        "GetInstanceAddedSignal(tag: string) -> RBXScriptSignal",
        get_instance_added_signal,
    ),
    method(
        "CollectionService",
        "GetInstanceRemovedSignal(tag: string) -> RBXScriptSignal",
        get_instance_removed_signal,
    ),
    method("CollectionService", "GetTagged(tag: string) -> table", get_tagged),
    method("CollectionService", "GetTags(instance: Instance) -> table", get_tags),
    method("CollectionService", "HasTag(instance: Instance, tag: string) -> boolean", has_tag),
    method("CollectionService", "RemoveTag(instance: Instance, tag: string)", remove_tag),
];

fn add_tag(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    tags::add(&cx.peer(), instance(cx, 1)?, &text(cx, 2)?);
    Ok(Returns::NONE)
}

fn remove_tag(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    tags::remove(&cx.peer(), instance(cx, 1)?, &text(cx, 2)?);
    Ok(Returns::NONE)
}

fn has_tag(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let (id, tag) = (instance(cx, 1)?, text(cx, 2)?);
    cx.push_boolean(cx.peer().data_model().store().get(id).is_some_and(|found| found.has_tag(&tag)));
    Ok(Returns::ONE)
}

fn get_tags(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let id = instance(cx, 1)?;
    let tags = cx.peer().data_model().store().get(id).map_or_else(Vec::new, |found| found.tags().to_vec());
    push_names(cx, &tags)
}

fn get_tagged(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let tagged = cx.peer().data_model().store().tagged(&text(cx, 1)?);
    push_instances(cx, &tagged)
}

fn get_all_tags(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let tags = cx.peer().data_model().store().all_tags();
    push_names(cx, &tags)
}

fn get_instance_added_signal(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push_signal(cx.peer().data_model().tag_added_signal(&text(cx, 1)?));
    Ok(Returns::ONE)
}

fn get_instance_removed_signal(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push_signal(cx.peer().data_model().tag_removed_signal(&text(cx, 1)?));
    Ok(Returns::ONE)
}
