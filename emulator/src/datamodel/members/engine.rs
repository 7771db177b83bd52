//! Every method, event and callback that scripts can use in Roblox, emulated or not.
//!
//! A table of facts in `data/engine.txt`: a class a line, then its own members, one a line, each with its letters, its
//! parameters and what it gives. The letters are `m`ethod, `e`vent or `c`allback, then what holds of `y`ields, `s`afe
//! in parallel, `d`eprecated and for `p`lugins; `r` is a property that holds an instance. With it a name that the emulator lacks is told apart from one that nobody has, and
//! `emu doctor` knows what a project asks for. Source: the engine's class reference, August 2026; properties are in
//! [`crate::datamodel::classes`].

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// `x:Name(...)`
    Method,
    /// `x.Name:Connect(...)`
    Event,
    /// `x.Name = function`
    Callback,
}

/// A member of a class of Roblox.
#[derive(Clone, Copy, Debug)]
pub struct EngineMember {
    /// The class that declares it.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: EngineKind,
    /// `part: BasePart, recursive: boolean?`
    pub arguments: &'static str,
    /// What it gives, empty for nothing.
    pub result: &'static str,
    /// Whether a call may yield.
    pub yields: bool,
    /// Whether it may be used in a parallel phase.
    pub is_safe: bool,
    /// Whether new code should use another member.
    pub is_deprecated: bool,
    /// Whether plugins alone may use it.
    pub is_for_plugins: bool,
}

/// The table, by class.
struct Engine {
    members: Vec<EngineMember>,
    /// Where each class's members are.
    classes: FxHashMap<&'static str, (usize, usize)>,
    /// Classes of the instances that properties hold, where they are known.
    holds: FxHashMap<(&'static str, &'static str), &'static str>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| parse(include_str!("../../../data/engine.txt")));

fn parse(text: &'static str) -> Engine {
    let mut engine =
        Engine { members: Vec::new(), classes: FxHashMap::default(), holds: FxHashMap::default() };
    let mut class = "";
    for line in text.lines() {
        let Some((letters, declared)) = line.strip_prefix(' ').and_then(|line| line.split_once(' ')) else {
            class = line;
            engine.classes.insert(class, (engine.members.len(), engine.members.len()));
            continue;
        };
        let (name, arguments, result) = super::signature::parts(declared);
        if letters == "r" {
            engine.holds.insert((class, name), result);
            continue;
        }
        engine.members.push(EngineMember {
            class,
            name,
            kind: match letters.as_bytes()[0] {
                b'm' => EngineKind::Method,
                b'e' => EngineKind::Event,
                _ => EngineKind::Callback,
            },
            arguments,
            result,
            yields: letters.contains('y'),
            is_safe: letters.contains('s'),
            is_deprecated: letters.contains('d'),
            is_for_plugins: letters.contains('p'),
        });
        if let Some(range) = engine.classes.get_mut(class) {
            range.1 = engine.members.len();
        }
    }
    engine
}

/// All members, class by class in alphabetical order.
pub fn all() -> &'static [EngineMember] {
    &ENGINE.members
}

/// The members that a class itself declares.
pub fn own(class: &str) -> &'static [EngineMember] {
    let (start, end) = ENGINE.classes.get(class).copied().unwrap_or_default();
    &ENGINE.members[start..end]
}

/// A member that a class itself declares.
pub fn find(class: &str, name: &str) -> Option<&'static EngineMember> {
    own(class).iter().find(|member| member.name == name)
}

/// The class of the instance that a property of a class holds, where it is known: `Model` for `Player.Character`.
pub fn held_class(class: &str, property: &str) -> Option<&'static str> {
    // The table's own words are what its keys are made of.
    ENGINE.holds.iter().find(|((owner, name), _)| *owner == class && *name == property).map(|(_, held)| *held)
}

/// Whether the table has all members of the class, so that an unknown name is a mistake of the script.
pub fn is_known(class: &str) -> bool {
    ENGINE.classes.contains_key(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads() {
        let wait = find("Instance", "WaitForChild").unwrap();
        assert_eq!((wait.arguments, wait.result), ("childName: string, timeOut: number?", "Instance?"));
        assert!(wait.yields && wait.kind == EngineKind::Method);
        assert!(find("Instance", "FindFirstChild").unwrap().is_safe);
        assert!(find("RunService", "IsEdit").unwrap().is_for_plugins);
        assert_eq!(find("BasePart", "Touched").unwrap().kind, EngineKind::Event);
        assert_eq!(find("RemoteFunction", "OnServerInvoke").unwrap().kind, EngineKind::Callback);
        assert!(is_known("Folder") && !is_known("Nonsense") && own("Folder").is_empty());
        assert!(all().len() > 2000);
        assert_eq!(held_class("Player", "Character"), Some("Model"));
    }

    #[test]
    fn names_are_unique_in_a_class() {
        for (index, member) in all().iter().enumerate() {
            let twin =
                all()[..index].iter().find(|other| (other.class, other.name) == (member.class, member.name));
            assert!(twin.is_none(), "{}.{} is there twice", member.class, member.name);
        }
    }
}
