//! `Net.Session` in declarations.

use super::ast::{Param, Type, function, param, procedure, readonly, ty, union};
use super::members::Members;
use super::names::Place;
use crate::wire::session::{CAUSES, kicks};

impl Members<'_> {
    /// The type of `Session`; absent without the option.
    pub fn session(&self) -> Option<Type> {
        if !self.types.schema.options.session {
            return None;
        }
        let place = &Place::default();
        let texts = |names: &[&str]| union(names.iter().map(|name| Type::Text((*name).into())));
        let player = || param("Player", self.types.global("Player", place));
        // A client has one server, and need not say whom it means.
        let whom = || Param { optional: !self.is_server(), ..player() };
        let cause = || param("Cause", texts(&CAUSES));
        let listen =
            |params: Vec<Param>| function(vec![param("Listener", procedure(params))], procedure(Vec::new()));
        let number = || ty("number");
        let (joined, left) = match self.is_server() {
            true => (vec![player()], vec![player(), cause()]),
            false => (Vec::new(), vec![cause()]),
        };
        let mut all = vec![
            ("Connected", listen(joined)),
            ("Disconnected", listen(left)),
            ("Ping", function(vec![whom()], number())),
            ("RoundTrip", function(vec![whom()], number())),
            ("SyncTime", function(Vec::new(), number())),
            ("FixedTick", function(Vec::new(), number())),
            ("OnFixedTick", listen(vec![param("Tick", number()), param("Dt", number())])),
            ("HasNetwork", function(Vec::new(), ty("boolean"))),
            ("IsServer", function(Vec::new(), ty("boolean"))),
        ];
        if self.is_server() {
            let why = Param { optional: true, ..param("Cause", texts(kicks())) };
            all.push(("Kick", procedure(vec![player(), why])));
            all.push(("SetMaxPlayers", function(vec![param("Count", number())], number())));
        }
        let codes = CAUSES.iter().map(|cause| readonly(*cause, number())).collect();
        all.push(("Causes", Type::Object(codes)));
        let members = all.into_iter().map(|(pascal, ty)| readonly(self.spelled(pascal), ty)).collect();
        Some(Type::Object(members))
    }
}
