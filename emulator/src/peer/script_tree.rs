//! What a peer needs to know of its scripts, and no more.

use std::sync::Arc;

use crate::value::{InstanceId, SignalKey};

/// The tree of instances as the peer sees it. The data model implements it.
pub trait ScriptTree {
    /// Source of a script or module; `None` for any other instance.
    fn source_of(&self, id: InstanceId) -> Option<Arc<str>>;
    /// `ReplicatedStorage.Net`: names joined by dots, without `game`.
    fn full_name(&self, id: InstanceId) -> String;
    /// Whether it is a ModuleScript.
    fn is_module(&self, id: InstanceId) -> bool;
    /// Whether it is an Actor. A tree without them need not say so.
    fn is_actor(&self, _id: InstanceId) -> bool {
        false
    }
    /// Whether the game lets scripts compile text. A tree without services need not say so.
    fn allows_loadstring(&self) -> bool {
        false
    }
    /// The instance it is in.
    fn parent(&self, id: InstanceId) -> Option<InstanceId>;
    /// The first child of that name.
    fn child(&self, id: InstanceId, name: &str) -> Option<InstanceId>;
    /// `game`.
    fn root(&self) -> Option<InstanceId>;
    /// `Folder.ChildAdded`: class and event of a signal, for messages.
    fn signal_name(&self, key: SignalKey) -> String;
}

/// A peer without any script.
pub struct NoScripts;

impl ScriptTree for NoScripts {
    fn source_of(&self, _id: InstanceId) -> Option<Arc<str>> {
        None
    }

    fn full_name(&self, id: InstanceId) -> String {
        format!("Instance {}", id.0)
    }

    fn is_module(&self, _id: InstanceId) -> bool {
        false
    }

    fn parent(&self, _id: InstanceId) -> Option<InstanceId> {
        None
    }

    fn child(&self, _id: InstanceId, _name: &str) -> Option<InstanceId> {
        None
    }

    fn root(&self) -> Option<InstanceId> {
        None
    }

    fn signal_name(&self, key: SignalKey) -> String {
        format!("Instance {}.{}", key.instance.0, key.event)
    }
}
