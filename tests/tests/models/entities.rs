//! Entity snapshots: each record holds exactly what changed since the newest version its client acknowledged, with the
//! values of the moment; nothing is said twice unless it may be lost; who may not see an entity hears nothing of it but
//! its end; and in the end every mirror is right. Over links that lose, delay and reorder packets.
//! Source: the page on entities, "What travels".

use std::collections::{BTreeMap, BTreeSet};

use blinkblox_compiler::analyze;
use blinkblox_compiler::schema::{Profile, Side as From};
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec::entity::decode_entities;
use blinkblox_compiler::wire::codec::packet::{EntityItem, ItemKind};
use blinkblox_compiler::wire::codec::{Decoding, Role, Value};
use blinkblox_emulator::clock::Time;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::shared::{Side, SignalMode};
use blinkblox_emulator::trace::{Fate, Target};
use blinkblox_emulator::value::Value as Luau;
use blinkblox_emulator::world::{JoinOptions, World};
use blinkblox_tests::schemas::Random;

use crate::world::{ask, start, world};

/// Steps of a run.
const STEPS: u64 = 500;
/// Seconds after which silence about a packet may mean that it is lost, and by how many a later one overtakes it.
const PATIENCE: f64 = 0.1;
const OVERTAKEN: u64 = 3;

const SCHEMA: &str = "
entity Ship {
    Rate: 60, Relevance: Manual,
    Data: struct { A: u8, B: u16, C: string(..60), D: f32 }
}
";
const FIELDS: [&str; 4] = ["A", "B", "C", "D"];

const SERVER: &str = r#"
    local Net = require(game.ServerScriptService.Net)
    local Players = game:GetService("Players")
    local function value(field, number)
        return if field == "C" then string.rep("c", number) else number
    end
    function _G.spawn(a, b, c, d)
        return Net.Ship.Spawn({ A = a, B = b, C = value("C", c), D = d }).Id
    end
    function _G.patch(id, field, number)
        Net.Ship.Get(id):Patch({ [field] = value(field, number) })
    end
    function _G.destroy(id)
        Net.Ship.Get(id):Destroy()
    end
    function _G.show(id, who, isShown)
        local ship, player = Net.Ship.Get(id), Players:FindFirstChild(who)
        if isShown then ship:ShowTo(player) else ship:HideFrom(player) end
    end
"#;

const CLIENT: &str = r#"
    local Net = require(game.ReplicatedStorage.Net)
    function _G.mirrors()
        local all = {}
        for _, mirror in Net.Ship.All() do
            local data = mirror.Data
            table.insert(all, `{mirror.Id}: {data.A} {data.B} {#data.C} {data.D}`)
        end
        table.sort(all)
        return table.concat(all, "\n")
    end
"#;

/// An entity as the server has it: values of its fields, and the step each changed in.
#[derive(Clone)]
struct Ship {
    values: [u64; 4],
    changed: [u64; 4],
}

/// What is known of one client's knowledge of one entity, since it last began to see it.
#[derive(Clone, Default)]
struct Known {
    acked: u64,
    sent: u64,
    /// Number of the packet that carried it last.
    carrier: u64,
}

/// A packet that was sent: when, in which step, what it told of, which ends it told of; and whether its arrival is known.
struct Sent {
    at: f64,
    step: u64,
    told: Vec<(u64, u64)>,
    ended: Vec<u64>,
    arrived: bool,
}

struct Guest {
    index: u32,
    name: String,
    visible: BTreeSet<u64>,
    /// By id; with how often it began to see it.
    known: BTreeMap<u64, (u64, Known)>,
    epochs: BTreeMap<u64, u64>,
    /// Ends it was told of or is to be told of, and the step of each.
    tombs: BTreeMap<u64, u64>,
    log: BTreeMap<u64, Sent>,
}

struct Run {
    world: World,
    wire: Wire,
    random: Random,
    guests: Vec<Guest>,
    ships: BTreeMap<u64, Ship>,
    step: u64,
    read: usize,
    /// Acknowledgements that were sent and may still arrive: index of the packet.
    acknowledging: Vec<usize>,
    /// Records: of new mirrors, of changes, sent again, of ends.
    counts: [usize; 4],
}

impl Run {
    fn new(seed: u64) -> Run {
        let link = LinkSettings {
            delay: Time::from_seconds(0.03),
            jitter: Time::from_seconds(0.04),
            loss: [0.0, 0.15, 0.4][seed as usize % 3],
            ..LinkSettings::default()
        };
        let signals = if seed.is_multiple_of(2) { SignalMode::Deferred } else { SignalMode::Immediate };
        let loader = MemoryLoader::new().with("main.blink", SCHEMA);
        let analysis = analyze(&loader, "main.blink", Profile::Release);
        let world = world(SCHEMA, seed, signals, link);
        start(&world.server().peer, SERVER, &[]);
        world.start();
        Run {
            world,
            wire: Wire::of(&analysis.schema.unwrap()),
            random: Random(seed),
            guests: Vec::new(),
            ships: BTreeMap::new(),
            step: 0,
            read: 0,
            acknowledging: Vec::new(),
            counts: [0; 4],
        }
    }

    fn join(&mut self) {
        let index = self.world.join(JoinOptions::default()).unwrap();
        start(&self.world.peer(Side::Client(index)).unwrap(), CLIENT, &[]);
        let name = self.world.core().member(Side::Client(index)).unwrap().name.to_string();
        self.guests.push(Guest {
            index,
            name,
            visible: BTreeSet::new(),
            known: BTreeMap::new(),
            epochs: BTreeMap::new(),
            tombs: BTreeMap::new(),
            log: BTreeMap::new(),
        });
    }

    fn tell(&self, source: &str, arguments: &[Luau]) -> Vec<Luau> {
        ask(&self.world.server().peer, source, arguments)
    }

    fn any_ship(&mut self) -> Option<u64> {
        let ids: Vec<u64> = self.ships.keys().copied().collect();
        (!ids.is_empty()).then(|| self.random.one(&ids))
    }

    /// Something the game does before the coming step.
    fn act(&mut self) {
        let coming = self.step + 1;
        let what = self.random.below(10);
        if what == 0 && self.ships.len() < 12 {
            let values = [0; 4].map(|_| self.random.below(60));
            let numbers = values.map(|value| Luau::Number(value as f64));
            let id = self.tell("return _G.spawn(...)", &numbers)[0].as_number().unwrap() as u64;
            self.ships.insert(id, Ship { values, changed: [coming; 4] });
            return;
        }
        let Some(id) = self.any_ship() else { return };
        let number = Luau::Number(id as f64);
        match what {
            1 if self.random.once_in(3) => {
                self.tell("_G.destroy(...)", &[number]);
                self.ships.remove(&id);
                for guest in &mut self.guests {
                    guest.visible.remove(&id);
                }
            }
            2..=4 => {
                let at = self.random.below(self.guests.len() as u64) as usize;
                let shown = !self.random.once_in(3);
                let name = Luau::from(self.guests[at].name.as_str());
                self.tell("_G.show(...)", &[number, name, Luau::Boolean(shown)]);
                let visible = &mut self.guests[at].visible;
                if shown {
                    visible.insert(id)
                } else {
                    visible.remove(&id)
                };
            }
            _ => {
                let field = self.random.below(4) as usize;
                let ship = self.ships.get_mut(&id).unwrap();
                // Now and then what is there already, which is no change.
                let value = if self.random.once_in(4) { ship.values[field] } else { self.random.below(60) };
                if ship.values[field] != value {
                    ship.values[field] = value;
                    ship.changed[field] = coming;
                }
                self.tell("_G.patch(...)", &[number, Luau::from(FIELDS[field]), Luau::Number(value as f64)]);
            }
        }
    }

    /// One step: what was acknowledged by then is taken in, and what was sent in it compared.
    fn advance(&mut self, context: &str) {
        self.step += 1;
        self.world.step(1).unwrap();
        self.acknowledge();
        for guest in &mut self.guests {
            let gone: Vec<u64> =
                guest.known.keys().copied().filter(|id| !guest.visible.contains(id)).collect();
            for id in gone {
                let (_, known) = guest.known.remove(&id).unwrap();
                if known.sent > 0 {
                    guest.tombs.insert(id, self.step);
                }
            }
            for id in &guest.visible {
                guest.tombs.remove(id);
                let epoch = guest.epochs.entry(*id).or_default();
                guest.known.entry(*id).or_insert_with(|| {
                    *epoch += 1;
                    (*epoch, Known::default())
                });
            }
        }
        let (first, packets) = {
            let trace = self.world.trace();
            let new = trace.packets()[self.read..].to_vec();
            let first = self.read;
            self.read += new.len();
            (first, new)
        };
        for (offset, packet) in packets.iter().enumerate() {
            if !packet.remote.ends_with("_ENTITY_REMOTE") {
                continue;
            }
            match packet.to {
                Target::One(Side::Client(index)) => {
                    let [Luau::Buffer(bytes), ..] = &packet.args[..] else { panic!("{packet:?}") };
                    self.snapshot(index, bytes, packet.sent_at.seconds(), context);
                }
                _ => self.acknowledging.push(first + offset),
            }
        }
    }

    /// Acknowledgements that the server has heard.
    fn acknowledge(&mut self) {
        let trace = self.world.trace();
        let mut heard = Vec::new();
        self.acknowledging.retain(|index| {
            let packet = &trace.packets()[*index];
            let fate = packet.receipts.first().map_or(Fate::Sent, |receipt| receipt.fate);
            if fate == Fate::Delivered {
                let [Luau::Buffer(bytes), ..] = &packet.args[..] else { panic!("{packet:?}") };
                heard.push((packet.from, bytes.clone()));
            }
            !fate.is_final()
        });
        drop(trace);
        for (from, bytes) in heard {
            let read = decode_entities(&self.wire, From::Client, &bytes, Decoding::default());
            assert_eq!(read.stopped, None);
            let guest = self.guests.iter_mut().find(|guest| Side::Client(guest.index) == from).unwrap();
            for item in read.items {
                let ItemKind::Entity { what: EntityItem::Acknowledgement, id: newest } = item.kind else {
                    continue;
                };
                let Value::Number(before) = item.payload.unwrap().value.field("Before").clone() else {
                    panic!()
                };
                guest.arrived(newest);
                for bit in (0..32).filter(|bit| before as u64 >> bit & 1 == 1) {
                    guest.arrived(newest.wrapping_sub(bit + 1));
                }
            }
        }
    }

    /// A packet of the server to one client.
    fn snapshot(&mut self, to: u32, bytes: &[u8], at: f64, context: &str) {
        let number = u64::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        let read = decode_entities(
            &self.wire,
            From::Server,
            bytes,
            Decoding { leaves: true, ..Decoding::default() },
        );
        assert_eq!(read.stopped, None, "{context}");
        assert!(bytes.len() <= 980, "{context}: {} bytes", bytes.len());
        let step = self.step;
        let guest = self.guests.iter_mut().find(|guest| guest.index == to).unwrap();
        let mut sent = Sent { at, step, told: Vec::new(), ended: Vec::new(), arrived: false };
        for item in &read.items {
            let ItemKind::Entity { what, id } = item.kind else { panic!("{item:?}") };
            let context = format!("{context}: {what:?} of {id} to {}", guest.name);
            if what == EntityItem::Removal {
                let Some(since) = guest.tombs.get(&id) else {
                    panic!("{context}: it was never told of it, or sees it")
                };
                let again = guest
                    .log
                    .iter()
                    .rev()
                    .find(|(_, packet)| packet.step >= *since && packet.ended.contains(&id));
                assert!(
                    again.is_none_or(|(number, _)| guest.may_be_lost(*number, at)),
                    "{context}: said twice"
                );
                sent.ended.push(id);
                self.counts[3] += 1;
                continue;
            }
            let Some((epoch, known)) = guest.known.get(&id) else { panic!("{context}: it must not see it") };
            let ship = &self.ships[&id];
            assert_eq!(what == EntityItem::New, known.acked == 0, "{context}");
            let leaves = &item.payload.as_ref().unwrap().leaves;
            let leaves = leaves.iter().filter(|leaf| leaf.role == Role::Value);
            let told: Vec<(String, u64)> = leaves
                .map(|leaf| {
                    let value = match &leaf.value {
                        Value::Number(number) => *number as u64,
                        Value::String(text) => text.len() as u64,
                        other => panic!("{other:?}"),
                    };
                    (leaf.path.clone(), value)
                })
                .collect();
            let lacking = (0..4).filter(|field| ship.changed[*field] > known.acked);
            let expected: Vec<(String, u64)> =
                lacking.map(|field| (FIELDS[field].to_owned(), ship.values[field])).collect();
            assert_eq!(told, expected, "{context}, which acknowledged {}", known.acked);
            let newest = ship.changed.iter().max().unwrap();
            if *newest <= known.sent {
                assert!(
                    guest.may_be_lost(known.carrier, at),
                    "{context}: nothing changed since {}",
                    known.sent
                );
                self.counts[2] += 1;
            }
            self.counts[usize::from(what == EntityItem::Change)] += 1;
            sent.told.push((id, *epoch));
            let (_, known) = guest.known.get_mut(&id).unwrap();
            (known.sent, known.carrier) = (step, number);
        }
        guest.log.insert(number, sent);
    }

    /// The server's entities as a client should have them.
    fn mirrors(&self, guest: &Guest) -> String {
        let ships = self.ships.iter().filter(|(id, _)| guest.visible.contains(id));
        let mut lines: Vec<String> = ships
            .map(|(id, ship)| {
                let [a, b, c, d] = ship.values;
                format!("{id}: {a} {b} {c} {d}")
            })
            .collect();
        lines.sort();
        lines.join("\n")
    }

    /// Whether the server knows that every client knows everything.
    fn is_settled(&self) -> bool {
        self.guests.iter().all(|guest| {
            let knows = |id: &u64| {
                let newest = self.ships[id].changed.iter().max();
                guest.known.get(id).is_some_and(|(_, known)| Some(&known.acked) >= newest)
            };
            guest.tombs.is_empty() && guest.visible.iter().all(knows)
        })
    }

    fn compare(&self, context: &str) {
        for guest in &self.guests {
            let peer = self.world.peer(Side::Client(guest.index)).unwrap();
            let mirrors = ask(&peer, "return _G.mirrors()", &[]);
            assert_eq!(mirrors, [Luau::from(self.mirrors(guest).as_str())], "{context}: {}", guest.name);
        }
    }
}

impl Guest {
    fn arrived(&mut self, number: u64) {
        let Some(packet) = self.log.get_mut(&number) else { return };
        packet.arrived = true;
        for (id, epoch) in &packet.told {
            if let Some((present, known)) = self.known.get_mut(id)
                && present == epoch
            {
                known.acked = known.acked.max(packet.step);
            }
        }
        let step = packet.step;
        for id in &packet.ended {
            // It may have seen the entity again since, and that end is another.
            if self.tombs.get(id).is_some_and(|since| *since <= step) {
                self.tombs.remove(id);
            }
        }
    }

    /// Whether the server may take a packet for lost: it is old, or others that left later have arrived.
    fn may_be_lost(&self, number: u64, now: f64) -> bool {
        let packet = &self.log[&number];
        let overtaken = self.log.range(number + OVERTAKEN..).any(|(_, later)| later.arrived);
        !packet.arrived && (now - packet.at > PATIENCE || overtaken)
    }
}

/// A run of a seed; how many records of each kind it saw.
fn run(seed: u64) -> [usize; 4] {
    let mut run = Run::new(seed);
    run.join();
    run.join();
    for step in 0..STEPS {
        let context = format!("seed {seed}, step {step}");
        if step == 200 {
            run.join();
        }
        let quiet = step / 50 % 4 == 3;
        for _ in 0..run.random.below(if quiet { 1 } else { 4 }) {
            run.act();
        }
        run.advance(&context);
        // Now and then all comes to rest, and every mirror is right.
        if step % 100 == 99 {
            let mut rest = 0;
            while !run.is_settled() {
                run.advance(&format!("{context}, rest {rest}"));
                rest += 1;
                assert!(rest < 3_000, "{context}: it never comes to rest");
            }
            run.compare(&context);
            let before = run.counts;
            for rest in rest..rest + 60 {
                run.advance(&format!("{context}, rest {rest}"));
            }
            assert_eq!(run.counts, before, "{context}: something is sent though everything is known");
        }
    }
    assert_eq!(run.world.errors().len(), 0, "{:?}", run.world.errors().first());
    run.counts
}

#[test]
fn snapshots_say_what_each_client_lacks() {
    let mut all = [0; 4];
    for seed in 0..6 {
        let of_run = run(seed);
        all = [0, 1, 2, 3].map(|at| all[at] + of_run[at]);
    }
    assert!(all[0] > 200 && all[1] > 1_000 && all[2] > 200 && all[3] > 50, "{all:?}");
}
