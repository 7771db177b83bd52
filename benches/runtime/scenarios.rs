//! What is measured: schemas, what is sent of each in a frame, and the same written by hand.

use blinkblox_compiler::emit::bundle::Bundle;

/// A scenario.
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// Its schema.
    pub schema: &'static str,
    /// The chunk that sends and hears.
    pub drive: &'static str,
    /// The modules written by hand, without the parts they share.
    floor: &'static str,
}

/// What floors share: batches, packets and the checks ahead of them.
const PARTS: &str = include_str!("../floor/parts.luau");

impl Scenario {
    /// The chunk of modules written by hand. Conversions that are as quick as they get come out of the runtime library;
    /// `booleans` is the part of it that reads booleans: `BooleansAuto` chooses by timing, so counts take another.
    pub fn floor(&self, booleans: &str) -> String {
        let floor = self.floor.replace("BooleansAuto", booleans);
        let mut bundle = Bundle::default();
        let wanted = floor.lines().next().and_then(|line| line.strip_prefix("-- parts: "));
        for (module, member) in wanted.unwrap_or_default().split(' ').filter_map(|part| part.split_once('.'))
        {
            // A module that is one function has no members: `Copy.`
            let members: &[&str] = if member.is_empty() { &[] } else { &[member] };
            bundle.need(module, members);
        }
        let parts: Vec<String> = bundle.parts().into_iter().map(|part| part.text).collect();
        format!("{PARTS}\n{}\n{}", parts.join("\n\n"), floor)
    }
}

macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        /// Every scenario, in the order they are told of.
        pub const SCENARIOS: &[Scenario] = &[$(Scenario {
            name: $name,
            schema: include_str!(concat!("scenarios/", $name, ".blink")),
            drive: include_str!(concat!("scenarios/", $name, ".luau")),
            floor: include_str!(concat!("../floor/", $name, ".luau")),
        }),*];
    };
}

scenarios![
    "tiny",
    "struct",
    "snapshot",
    "heads",
    "heads24",
    "booleans",
    "booleansrandom",
    "entities",
    "worldstate",
    "selfstate",
    "instances",
    "input",
    "inputbatched",
    "manyevents",
    "stream",
    "streamplayers",
    "stamped",
];
