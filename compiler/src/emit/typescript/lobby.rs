//! `Lobby`, under the option that adds it.

use super::ast::{
    Param, Property, Type, function, label, or_undefined, param, procedure, readonly, ty, union,
};
use super::members::Members;
use super::names::Place;

/// Fields of `LobbyData`, with their types.
const DATA: [(&str, &str); 7] = [
    ("SessionId", "number"),
    ("RoomId", "number"),
    ("HostUserId", "number"),
    ("HostUserName", "string"),
    ("InviteData", "string"),
    ("FromMatching", "boolean"),
    ("ShouldHost", "boolean"),
];

/// Fields of a room as `Find` lists it.
const ROOM: [(&str, &str); 6] = [
    ("SessionId", "number"),
    ("RoomId", "number"),
    ("HostUserId", "number"),
    ("HostUserName", "string"),
    ("Players", "number"),
    ("MaxPlayers", "number"),
];

fn record(fields: &[(&str, &str)]) -> Type {
    Type::Object(fields.iter().map(|(name, of)| readonly(*name, ty(*of))).collect())
}

fn may(name: &str, ty: Type) -> Property {
    Property { doc: None, readonly: false, name: name.into(), optional: true, ty }
}

fn may_param(name: &str, ty: Type) -> Param {
    Param { name: name.into(), optional: true, ty }
}

impl Members<'_> {
    /// The members of `Lobby`.
    pub(super) fn lobby(&self) -> Type {
        let place = &Place::default();
        let player = || param("Player", self.types.global("Player", place));
        let text = || ty("string");
        let tuple = |first: Type, second: Type| {
            let pair = Type::Tuple(vec![label("Result", first), label("Problem", second)]);
            Type::Name(self.types.names.global("LuaTuple", place), vec![pair])
        };
        let problem = || or_undefined(text());
        let callbacks = Type::Object(vec![
            may("Created", procedure(vec![param("Data", record(&DATA))])),
            may("Established", procedure(vec![param("UserName", text())])),
            may("Lost", procedure(vec![param("Cause", text())])),
            may("Left", procedure(vec![param("Kicked", ty("boolean"))])),
            may("Destroyed", procedure(Vec::new())),
        ]);
        let mut found = vec![("SetCallbacks", procedure(vec![param("Callbacks", callbacks)]))];
        if self.is_server() {
            let options = Type::Object(vec![may("InviteData", text()), may("Place", ty("number"))]);
            let opened = tuple(union([record(&DATA), ty("undefined")]), problem());
            let rooms = Type::Array(Box::new(record(&ROOM)));
            found.extend([
                ("SetMaxConnections", function(vec![param("Most", ty("number"))], ty("number"))),
                ("Open", function(vec![player(), may_param("Options", options)], opened)),
                (
                    "Join",
                    function(
                        vec![player(), param("RoomId", ty("number")), may_param("InviteData", text())],
                        tuple(ty("boolean"), problem()),
                    ),
                ),
                ("Find", function(vec![may_param("Most", ty("number"))], tuple(rooms, problem()))),
                ("Close", procedure(Vec::new())),
                ("Kick", procedure(vec![player()])),
            ]);
        } else {
            let signal = self.types.global("RBXScriptSignal", place);
            found.extend([
                ("Leave", procedure(Vec::new())),
                ("OpenMenu", procedure(Vec::new())),
                ("MenuRequested", signal),
            ]);
        }
        let word = |pascal: &str| crate::emit::luau::module::member(self.types.schema.options.casing, pascal);
        Type::Object(found.into_iter().map(|(pascal, ty)| readonly(word(pascal), ty)).collect())
    }
}
