//! What scripts said of each remote, as events and functions.

use std::collections::BTreeMap;

use super::handler::Slot;
use super::script::{Action, Made, Script, Site, Target};
use crate::draft::{Draft, Event, Function, Head, Item, Known, Payload, Rate, Side, Ty};
use crate::report::{Kind, Place, Report};

/// Everything that was found in a game.
#[derive(Default)]
pub(super) struct Found {
    remotes: BTreeMap<String, Remote>,
    /// Uses with the script they are in, and whether the script says where the remote is.
    uses: Vec<(String, Use, bool)>,
    /// Places that do not say which remote they are about.
    lost: Vec<(Place, String)>,
}

/// One remote, or several of one name.
#[derive(Default)]
struct Remote {
    class: Option<String>,
    /// Where it is made.
    homes: Vec<Place>,
    uses: Vec<Use>,
}

/// A place where a remote is used.
#[derive(Clone)]
struct Use {
    action: Action,
    values: Vec<Slot>,
    returns: Option<Vec<Slot>>,
    place: Place,
}

/// What a remote is when it goes one way.
struct Way {
    side: Side,
    /// What the sender does, and what the receiver does.
    sends: Action,
    hears: Action,
}

const EVENT_WAYS: [Way; 2] = [
    Way { side: Side::Client, sends: Action::FireServer, hears: Action::OnServerEvent },
    Way { side: Side::Server, sends: Action::FireClient, hears: Action::OnClientEvent },
];

const CALL_WAYS: [Way; 2] = [
    Way { side: Side::Client, sends: Action::InvokeServer, hears: Action::OnServerInvoke },
    Way { side: Side::Server, sends: Action::InvokeClient, hears: Action::OnClientInvoke },
];

impl Found {
    /// Adds a remote of the project's tree.
    pub(super) fn instance(&mut self, name: &str, class: &str, place: Place) {
        let remote = self.remotes.entry(name.to_string()).or_default();
        remote.class.get_or_insert_with(|| class.to_string());
        remote.homes.push(place);
    }

    /// Adds what a script makes and uses.
    pub(super) fn script(&mut self, file: &str, script: Script) {
        let place = |line: usize| Place { file: file.to_string(), line };
        for Made { class, name, line } in &script.made {
            match name {
                Some(name) => self.instance(name, class, place(*line)),
                None => {
                    let message = format!(
                        "a {class} is made here under a name that is computed: it is not in the draft"
                    );
                    self.lost.push((place(*line), message));
                }
            }
        }
        for Site { target, action, values, returns, line } in script.sites {
            let used = Use { action, values, returns, place: place(line) };
            let named = match target {
                Target::Named(name, sure) => Some((name, sure)),
                Target::Made(number) => {
                    script.made.get(number).and_then(|made| made.name.clone()).map(|name| (name, true))
                }
                Target::Unknown => None,
            };
            match named {
                Some((name, sure)) => self.uses.push((name, used, sure)),
                None => self.lost.push((used.place, unattributed(action))),
            }
        }
    }

    /// The draft, remotes in alphabetical order.
    pub(super) fn draft(mut self, report: &mut Report) -> Draft {
        // What a script only calls by a variable's name counts when there is such a remote.
        let sure: Vec<String> =
            self.uses.iter().filter(|(_, _, sure)| *sure).map(|(name, ..)| name.clone()).collect();
        for name in sure {
            self.remotes.entry(name).or_default();
        }
        for (name, used, _) in self.uses {
            match self.remotes.get_mut(&name) {
                Some(remote) => remote.uses.push(used),
                None => self.lost.push((used.place, unattributed(used.action))),
            }
        }
        let mut draft = Draft::default();
        for (name, remote) in &self.remotes {
            remote.items(name, &mut draft.items, report);
        }
        if self
            .remotes
            .values()
            .flat_map(|remote| &remote.uses)
            .any(|used| used.values.iter().any(holds_number))
        {
            let message = "Numbers are drafted as f64, which is what Luau sends: choose u8, u16, f32 and so on, with ranges";
            report.add(Kind::Advice, "f64", None, message);
        }
        self.lost.sort_by(|one, other| (&one.0.file, one.0.line).cmp(&(&other.0.file, other.0.line)));
        for (place, message) in self.lost {
            report.lost("", Some(place), message);
        }
        draft
    }
}

fn unattributed(action: Action) -> String {
    format!("{} of a remote whose name is not written here: it is not in the draft", action.name())
}

fn holds_number(slot: &Slot) -> bool {
    fn number(ty: &Ty) -> bool {
        matches!(ty, Ty::Number(..)) || ty.parts().into_iter().any(number)
    }
    slot.ty.as_ref().is_some_and(number)
}

impl Remote {
    fn items(&self, name: &str, items: &mut Vec<Item>, report: &mut Report) {
        if self.homes.len() > 1 {
            let message = format!(
                "{} remotes are named {name}: what is sent over them is drafted as one",
                self.homes.len()
            );
            report.add(Kind::Advice, name, self.homes.get(1).cloned(), message);
        }
        let calls = match self.class.as_deref() {
            Some(class) => class == "RemoteFunction",
            None => self.uses.iter().any(|used| CALL_WAYS.iter().any(|way| way.is(used.action))),
        };
        let ways: Vec<&Way> = if calls { &CALL_WAYS } else { &EVENT_WAYS }
            .iter()
            .filter(|way| self.uses.iter().any(|used| way.is(used.action)))
            .collect();
        let other = if calls { &EVENT_WAYS } else { &CALL_WAYS };
        for used in self.uses.iter().filter(|used| other.iter().any(|way| way.is(used.action))) {
            let class = if calls { "RemoteFunction" } else { "RemoteEvent" };
            let message = format!(
                "{name} is a {class}, and has no {}: this use is not in the draft",
                used.action.name()
            );
            report.lost(name, Some(used.place.clone()), message);
        }
        match ways.as_slice() {
            [] => {
                let place = self.homes.first().cloned();
                report.add(
                    Kind::Loss,
                    name,
                    place.clone(),
                    format!("{name} is used nowhere in these scripts: what it carries is not known"),
                );
                items.push(self.item(name, calls, None, report));
            }
            [way] => items.push(self.item(name, calls, Some(way), report)),
            both => {
                for way in both {
                    let from = if way.side == Side::Client { "FromClient" } else { "FromServer" };
                    let item = self.item(&format!("{name}{from}"), calls, Some(way), report);
                    let message = format!(
                        "{name} goes both ways: {} is what the {} sends",
                        item.head().name,
                        from[4..].to_lowercase()
                    );
                    report.add(Kind::Renamed, &item.head().name, item.head().place.clone(), message);
                    items.push(item);
                }
            }
        }
    }

    fn item(&self, name: &str, calls: bool, way: Option<&Way>, report: &mut Report) -> Item {
        let uses: Vec<&Use> =
            self.uses.iter().filter(|used| way.is_some_and(|way| way.is(used.action))).collect();
        // What handlers say of names and types goes before what senders pass.
        let heard = uses.iter().filter(|used| way.is_some_and(|way| used.action == way.hears));
        let sent = uses.iter().filter(|used| way.is_some_and(|way| used.action == way.sends));
        let ordered: Vec<&Vec<Slot>> = heard.chain(sent).map(|used| &used.values).collect();
        let place = self.homes.first().cloned().or_else(|| uses.first().map(|used| used.place.clone()));
        let mut head = Head { name: name.to_string(), comments: vec![], place };
        let data = merged(&ordered, true, &mut head, "", report);
        let from = way.map_or(Known::Asked, |way| Known::Stated(way.side));
        if calls {
            let returned: Vec<&Vec<Slot>> = uses.iter().filter_map(|used| used.returns.as_ref()).collect();
            let returns = merged(&returned, false, &mut head, "what is returned, ", report);
            let (yields, rate) = ("Coroutine", Rate::Asked);
            return Item::Function(Function { head, from, yields, rate, data, returns });
        }
        let kind = match self.class.as_deref() {
            Some("UnreliableRemoteEvent") => Known::Stated("Unreliable"),
            Some(_) => Known::Stated("Reliable"),
            None => Known::Asked,
        };
        Item::Event(Event { head, from, kind, call: "ManyAsync", rate: Rate::Asked, data })
    }
}

impl Way {
    fn is(&self, action: Action) -> bool {
        action == self.sends || action == self.hears
    }
}

/// The values of several places as one payload: as many as the longest has, each by the first place that knows it.
fn merged(places: &[&Vec<Slot>], named: bool, head: &mut Head, what: &str, report: &mut Report) -> Payload {
    let count = places.iter().map(|values| values.len()).max().unwrap_or(0);
    let mut elements = Vec::new();
    for at in 0..count {
        let slots = || places.iter().filter_map(|values| values.get(at));
        let name = slots().find_map(|slot| slot.name.clone()).filter(|_| named);
        let ty = slots().find_map(|slot| slot.ty.clone());
        let called = name.clone().unwrap_or_else(|| format!("#{}", at + 1));
        if ty.as_ref().is_none_or(holds_unknown) {
            head.comments.push(format!("-- TODO(convert): a type for {what}{called}"));
            let message = format!("{}: a type for {what}{called}", head.name);
            report.add(Kind::Type, &head.name, head.place.clone(), message);
        }
        elements.push((name, ty.unwrap_or(Ty::Unknown)));
    }
    match elements.len() {
        0 => Payload::Nothing,
        1 if elements[0].0.is_none() => elements.pop().map_or(Payload::Nothing, |(_, ty)| Payload::One(ty)),
        _ => Payload::Pack(elements),
    }
}

fn holds_unknown(ty: &Ty) -> bool {
    matches!(ty, Ty::Unknown) || ty.parts().into_iter().any(holds_unknown)
}
