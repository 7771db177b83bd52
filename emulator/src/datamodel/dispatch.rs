//! What `x.Name`, `x.Name = y`, `x:Name()` and `tostring(x)` do for instances. Source: Roblox behaviour, 7.2.
//!
//! Lookup order: stub, member of the class, child. Members win over children.

use std::rc::Rc;

use super::members::{self, Callback, Entry};
use super::{messages, properties};
use crate::peer::Peer;
use crate::services;
use crate::value::{InstanceId, SignalKey, Value};
use crate::vm::{Atom, Cx, Failure, Handle, Outcome, Raise, Returns, Type, TypeTable, Vm, light};

/// Teaches a VM what instances are. Once, before it is sealed.
pub fn register(vm: &Vm) -> Result<(), Failure> {
    members::register_names();
    vm.register_light(
        light::INSTANCE,
        TypeTable {
            index: Some(index),
            newindex: Some(newindex),
            namecall: Some(namecall),
            tostring: Some(tostring),
            ..TypeTable::named("Instance")
        },
    )
}

/// The member `name` of an instance's class, if it has one.
fn entry(peer: &Rc<Peer>, id: InstanceId, atom: Atom) -> Option<Entry> {
    let class = peer.data_model().store().class(id);
    members::of(class).by_name.get(atom).copied()
}

fn index(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let id = cx.instance(1)?;
    let peer = cx.peer();
    let model = peer.data_model();
    let class = model.store().class(id);
    if let Some(name) = atom.name()
        && let Some(stub) = model.stub(class, name)
    {
        cx.push_handle(&stub);
        return Ok(Returns::ONE);
    }
    match entry(&peer, id, atom) {
        Some(Entry::Property(property)) => {
            if properties::is_for_plugins(property) {
                return Err(messages::no_capability(property.name()).into());
            }
            let value = properties::get(&model.store(), id, property);
            cx.push(&value);
            Ok(Returns::ONE)
        }
        Some(Entry::Computed(member, get, ..)) => {
            member.check_side(model.is_server())?;
            let value = get(&peer, id)?;
            cx.push(&value);
            Ok(Returns::ONE)
        }
        Some(Entry::Method(_, method)) => {
            cx.push_method(&method);
            Ok(Returns::ONE)
        }
        Some(Entry::Event(member, event)) => {
            member.check_side(model.is_server())?;
            cx.push_signal(SignalKey { instance: id, event });
            Ok(Returns::ONE)
        }
        Some(Entry::Callback(member)) => Err(messages::callback_get(member.name, class.name()).into()),
        Some(Entry::Unlisted(name)) => Err(messages::not_emulated(class.name(), name).into()),
        None => {
            let key = cx.text(2).unwrap_or_default();
            let child = model.store().find_child(id, &key);
            let child = child.ok_or_else(|| unknown(&peer, id, &key))?;
            cx.push_instance(child);
            Ok(Returns::ONE)
        }
    }
}

fn unknown(peer: &Rc<Peer>, id: InstanceId, name: &str) -> Raise {
    let store = peer.data_model().store();
    messages::not_a_member(name, store.class(id).name(), &store.full_name(id)).into()
}

fn newindex(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let id = cx.instance(1)?;
    let peer = cx.peer();
    let model = peer.data_model();
    match entry(&peer, id, atom) {
        Some(Entry::Property(property)) => properties::assign(&peer, id, property, cx.shallow(3)?)?,
        Some(Entry::Computed(member, _, set, property)) => {
            member.check_side(model.is_server())?;
            match (set, property) {
                (Some(set), _) => set(&peer, id, cx.shallow(3)?)?,
                (None, Some(property)) => properties::assign(&peer, id, property, cx.shallow(3)?)?,
                (None, None) => return Err(messages::read_only(member.name).into()),
            }
        }
        Some(Entry::Callback(member)) => {
            member.check_side(model.is_server())?;
            if !matches!(cx.kind(3), Type::Function | Type::Nil | Type::None) {
                return Err(messages::callback_type(member.name, &cx.type_name(3)).into());
            }
            let function = cx.opt_function(3)?.map(|function| Callback { function, owner: cx.owner() });
            model.set_callback(id, member.name, function);
            crate::services::bindables::any_callback_set(&peer, id);
        }
        Some(Entry::Method(member, _) | Entry::Event(member, _)) => {
            return Err(messages::read_only(member.name).into());
        }
        Some(Entry::Unlisted(name)) => {
            let class = model.store().class(id);
            return Err(messages::not_emulated(class.name(), name).into());
        }
        None => return Err(unknown(&peer, id, &cx.text(2).unwrap_or_default())),
    }
    Ok(Returns::NONE)
}

fn namecall(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let id = cx.instance(0)?;
    let peer = cx.peer();
    let model = peer.data_model();
    let class = model.store().class(id);
    if let Some(name) = atom.name()
        && let Some(stub) = model.stub(class, name)
    {
        return call_stub(cx, &peer, id, stub);
    }
    match members::of(class).by_name.get(atom).copied() {
        Some(Entry::Method(member, method)) => {
            member.check_side(model.is_server())?;
            (method.call)(cx)
        }
        Some(Entry::Unlisted(name)) => Err(messages::not_emulated(class.name(), name).into()),
        Some(Entry::Property(_) | Entry::Computed(..) | Entry::Event(..) | Entry::Callback(_)) => {
            Err(Raise::located(format!("attempt to call a {} value", what_is_called(&peer, id, atom))))
        }
        None => {
            let name = cx.callee();
            let is_child = model.store().find_child(id, &name).is_some();
            if is_child {
                Err(Raise::located("attempt to call a Instance value"))
            } else if members::of(class).is_complete {
                Err(unknown(&peer, id, &name))
            } else {
                Err(messages::not_emulated(class.name(), &name).into())
            }
        }
    }
}

/// The type of a member that is no method, for the VM's error.
fn what_is_called(peer: &Rc<Peer>, id: InstanceId, atom: Atom) -> &'static str {
    match entry(peer, id, atom) {
        Some(Entry::Property(property)) => {
            properties::get(&peer.data_model().store(), id, property).type_name()
        }
        Some(Entry::Event(..)) => "RBXScriptSignal",
        _ => "nil",
    }
}

/// Calls a stub with the instance and the arguments. It runs in a thread of its own, for it may yield.
fn call_stub(cx: &mut Cx<'_>, peer: &Rc<Peer>, id: InstanceId, stub: Handle) -> Outcome {
    let mut arguments = vec![Value::Instance(id)];
    arguments.extend(cx.shallow_from(1)?);
    let stub = Callback { function: stub, owner: 0 };
    services::invoke(cx, peer, &stub, &arguments, services::as_they_are)
}

fn tostring(cx: &mut Cx<'_>) -> Outcome {
    let id = cx.instance(1)?;
    let name = cx.peer().data_model().store().name(id);
    cx.push_string(&*name);
    Ok(Returns::ONE)
}
