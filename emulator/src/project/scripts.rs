//! Script classes: what a file's kind makes of it.

use super::tree::{Node, PropertyValue};
use crate::datamodel::classes::enum_item;

/// What kind of script a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptKind {
    /// `*.server.luau`
    Server,
    /// `*.client.luau`
    Client,
    /// any other `*.luau`
    Module,
    /// `*.plugin.luau`
    Plugin,
    /// a `Script` by container, whatever the project says
    LegacyServer,
    /// a `LocalScript`, whatever the project says
    LegacyClient,
    /// a `Script` that runs on the server wherever it is
    RunContextServer,
    /// a `Script` that runs on clients wherever it is
    RunContextClient,
}

impl ScriptKind {
    /// A script without source; `legacy` is the project's `emitLegacyScripts`.
    pub(super) fn node(self, name: &str, legacy: bool) -> Node {
        let (class, context) = match self {
            Self::Module => ("ModuleScript", None),
            Self::LegacyClient => ("LocalScript", None),
            Self::Client if legacy => ("LocalScript", None),
            Self::LegacyServer => ("Script", Some("Legacy")),
            Self::Server if legacy => ("Script", Some("Legacy")),
            Self::Server | Self::RunContextServer => ("Script", Some("Server")),
            Self::Client | Self::RunContextClient => ("Script", Some("Client")),
            Self::Plugin => ("Script", Some("Plugin")),
        };
        let mut node = Node::new(class, name);
        if let Some(item) = context.and_then(|context| enum_item("RunContext", context)) {
            node.set_property("RunContext", PropertyValue::EnumItem(item.enum_, item.value));
        }
        node
    }
}

/// Whether instances of a class have source text.
pub(super) fn is_script(class: &str) -> bool {
    matches!(class, "Script" | "LocalScript" | "ModuleScript")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_become_classes_and_contexts() {
        let check = |kind: ScriptKind, legacy: bool, class: &str, context: Option<u32>| {
            let node = kind.node("S", legacy);
            let value = match node.property("RunContext") {
                Some(PropertyValue::EnumItem(_, value)) => Some(*value),
                _ => None,
            };
            assert_eq!((node.class.as_str(), value), (class, context));
        };
        check(ScriptKind::Server, true, "Script", Some(0));
        check(ScriptKind::Server, false, "Script", Some(1));
        check(ScriptKind::Client, true, "LocalScript", None);
        check(ScriptKind::Client, false, "Script", Some(2));
        check(ScriptKind::Plugin, true, "Script", Some(3));
        check(ScriptKind::RunContextServer, true, "Script", Some(1));
        check(ScriptKind::LegacyServer, false, "Script", Some(0));
        check(ScriptKind::Module, false, "ModuleScript", None);
    }
}
