//! Traces read back: every kind of record, errors with their lines, filters, summaries, differences, the page.

use std::rc::Rc;

use super::*;
use crate::network::LinkSettings;
use crate::testing::fixture::{Fixture, SchemaSource};
use crate::world::{JoinOptions, World, WorldOptions};

const SCHEMA: &str = "
struct Part2 { Id: u8, Label: string(..20), On: boolean, Up: boolean }
event Say { From: Server, Type: Reliable, Call: SingleSync, Data: (part: Part2, score: u16) }
event Shout { From: Client, Type: Reliable, Call: SingleSync, Data: u8 }
event Where { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 10 }, Data: u16 }
";

/// A world of the schema whose server says things, one client joined, after half a second.
fn world() -> World {
    let schema = SchemaSource::Text(SCHEMA.into());
    let fixture =
        Fixture { server_schemas: vec![schema.clone()], client_schemas: vec![schema], ..Fixture::default() };
    let built = fixture.build().unwrap();
    let link = LinkSettings::preset("typical").unwrap();
    let tree = Some(crate::project::mount::store(&built.tree, true).unwrap());
    let world = World::new(WorldOptions { tree, link, ..WorldOptions::default() }).unwrap();
    built.describe(&mut world.core().trace_mut());
    world.start();
    world.join(JoinOptions { name: Some("Ada".into()), ..JoinOptions::default() }).unwrap();
    let run = |side: crate::shared::Side, source: &str| {
        let peer = world.peer(side).unwrap();
        let function = peer.load(&source.into(), "Chunk", &[]).unwrap();
        let owner = peer.new_owner(None, "Chunk");
        peer.spawn(&function, owner, &[]).unwrap();
    };
    run(
        crate::shared::Side::Server,
        "local Net = require(game.ServerScriptService.Net)
        Net.Shout.On(function(player, loud)
            task.wait(0.1)
            error('too loud')
        end)
        task.delay(0.1, function()
            Net.Say.FireAll({ Id = 7, Label = 'hi', On = true, Up = false }, 300)
        end)
        print('ready')",
    );
    run(
        crate::shared::Side::Client(0),
        "local Net = require(game.ReplicatedStorage.Net)
        Net.Say.On(function(part, score) print(part.Label, score) end)
        task.wait(0.2)
        Net.Shout.Fire(9)",
    );
    for _ in 0..40 {
        world.step(1).unwrap();
    }
    world.mark("half way");
    world
}

fn text() -> String {
    world().trace().to_text()
}

fn one(text: &str) -> Recording {
    let mut recordings = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(recordings.len(), 1);
    recordings.remove(0)
}

fn kinds(recording: &Recording) -> Vec<&'static str> {
    let mut kinds: Vec<_> = recording.entries.iter().map(|entry| entry.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn what_a_world_writes_reads_back() {
    let text = text();
    let recording = one(&text);
    assert_eq!(recording.entries.len() + 1, text.lines().count());
    for kind in ["join", "send", "event", "arrive", "handle", "repl", "log", "mark"] {
        assert!(kinds(&recording).contains(&kind), "no {kind} in {:?}", kinds(&recording));
    }
    assert_eq!(recording.header.streams, [("Where".to_owned(), 10.0, None)]);
    let numbers: Vec<u64> = recording.entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, (1..=recording.entries.len() as u64).collect::<Vec<_>>());
    assert_eq!(text, self::text(), "equal runs give equal bytes");
}

#[test]
fn events_are_taken_apart_to_the_bit() {
    let recording = one(&text());
    let story = Story::of(&recording);
    let packet = story.packets.iter().find(|packet| story.title(packet) == "Say").unwrap();
    let decoded = story.decoded(packet).next().unwrap();
    let bytes = story.sent(packet).buffer().unwrap();
    assert_eq!((decoded.at, &*decoded.form), ((0, bytes.len()), "event"));
    let field = |path: &str, is: Option<&str>| {
        let found = decoded.fields.iter().find(|field| &*field.path == path && field.is.as_deref() == is);
        found.unwrap_or_else(|| panic!("no {path} in {:?}", decoded.fields))
    };
    let (score, label) = (field("score", None), field("part.Label", None));
    assert_eq!(score.value, Json::from(300));
    let Place::Bytes(from, to) = score.place else { panic!("{:?}", score.place) };
    assert_eq!(bytes[from..to], 300_u16.to_le_bytes());
    assert_eq!(label.value, Json::from("hi"));
    let Place::Bytes(from, to) = label.place else { panic!("{:?}", label.place) };
    assert_eq!(bytes[from..to], *b"hi");
    let (on, up) = (field("part.On", None), field("part.Up", None));
    assert_eq!((&on.value, &up.value), (&Json::from(true), &Json::from(false)));
    assert!(matches!((&on.place, &up.place), (Place::Bits(_), Place::Bits(_))), "{on:?} {up:?}");
    assert_ne!(on.place, up.place);
}

#[test]
fn handlers_are_named_with_their_end() {
    let recording = one(&text());
    let story = Story::of(&recording);
    let say = story.packets.iter().find(|packet| story.title(packet) == "Say").unwrap();
    let Kind::Handle { script, line, result, error, .. } = &recording.entries[say.shares[0].handlers[0]].kind
    else {
        panic!("no handler")
    };
    assert_eq!((&**script, &**result, error), ("ReplicatedStorage.Net", "done", &None));
    assert!(*line > 0);
    let arrived = say.shares[0].arrived.unwrap();
    assert!(arrived - story.sent_at(say) >= 60_000_000, "a typical link takes 60 ms");
    assert_eq!(&*say.shares[0].fate, "delivered");
}

#[test]
fn a_handler_that_waits_and_fails_is_noted_when_it_does() {
    let world = world();
    let peer = world.peer(crate::shared::Side::Server).unwrap();
    let source = "
        local remote = Instance.new('RemoteEvent')
        remote.Name = 'Raw'
        remote.Parent = game.ReplicatedStorage
        remote.OnServerEvent:Connect(function(_, what)
            task.wait(0.1)
            if what == 'fail' then error('as asked') end
            task.wait(100)
        end)
        remote.OnServerEvent:Once(function() end)
    ";
    let function = peer.load(&source.into(), "Chunk", &[]).unwrap();
    peer.spawn(&function, peer.new_owner(None, "Chunk"), &[]).unwrap();
    let remote = world.find(crate::shared::Side::Server, "ReplicatedStorage.Raw").unwrap().unwrap();
    for what in ["fail", "stay"] {
        let injection = crate::world::Injection {
            from: crate::shared::Side::Client(0),
            to: crate::world::Receiver::Everyone,
            remote,
            args: vec![crate::value::Value::from(what)],
        };
        world.inject(injection).unwrap();
    }
    world.step(40).unwrap();
    let recording = one(&world.trace().to_text());
    let handled: Vec<(String, u64, Option<Rc<str>>, bool)> = recording
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            Kind::Handle { script, line, result, error, frames, .. } if &**script == "Chunk" => {
                Some((result.to_string(), *line, error.clone(), *frames > 0))
            }
            _ => None,
        })
        .collect();
    // Signals run the newest connection first.
    let error: Option<Rc<str>> = Some("Chunk:7: as asked".into());
    assert_eq!(
        handled,
        [
            ("done".into(), 10, None, false),
            ("error".into(), 5, error, true),
            ("running".into(), 5, None, false),
        ]
    );
    let logged = world.errors().iter().any(|line| line.text.contains("as asked"));
    assert!(logged, "an error of a watched handler still reaches the log");
}

#[test]
fn errors_name_the_line_and_what_is_wrong() {
    let good = text();
    let header = good.lines().next().unwrap();
    let error = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(error(""), "it is empty; a trace begins with a line about its world");
    assert!(error("hello").starts_with("line 1: this is no trace: this is no JSON"), "{}", error("hello"));
    assert_eq!(
        error(&header.replace("blinkblox-trace/1", "blinkblox-trace/9")),
        "line 1: the format is `blinkblox-trace/9`; this program reads `blinkblox-trace/1`"
    );
    assert_eq!(
        error("{\"k\":\"mark\"}"),
        "line 1: a trace begins with a line that has a `format`; this one has none"
    );
    let with = |line: &str| error(&format!("{header}\n{line}"));
    let start = "\"t\":0.5,\"f\":1,\"n\":1,\"side\":\"server\"";
    assert_eq!(with(&format!("{{\"k\":\"nope\",{start}}}")), "line 2: there is no kind of record `nope`");
    assert_eq!(
        with(&format!("{{\"k\":\"mark\",{start}}}")),
        "line 2: `text` is missing from this `mark` record"
    );
    assert_eq!(
        with(&format!("{{\"k\":\"mark\",{start},\"text\":5}}")),
        "line 2: `text` of this `mark` record is 5, not a text"
    );
    assert_eq!(
        with("{\"k\":\"mark\",\"t\":\"x\",\"f\":1,\"n\":1,\"side\":\"server\",\"text\":\"a\"}"),
        "line 2: `t` of this `mark` record is \"x\", not a number of seconds"
    );
    // From the fuzzer: a field that takes no bits, and what else no byte has.
    for part in ["[1,0,0]", "[1,8,1]", "[1,0,65]", "[1,0]", "[1,-1,1]"] {
        let field = format!("{{\"path\":\"a\",\"bits\":[{part}],\"value\":true}}");
        let event = format!(
            "{{\"k\":\"event\",{start},\"id\":1,\"event\":\"A\",\"as\":\"event\",\"at\":[0,5],\"fields\":[{field}]}}"
        );
        assert_eq!(with(&event), "line 2: `bits` of this field are no byte, bit and width each", "{part}");
    }
    let cut = &good[..good.len() - 10];
    let lines = good.lines().count();
    assert_eq!(error(cut), format!("line {lines}: the line is cut off in the middle of a record"));
    assert_eq!(error("[1]"), "line 1: this is no trace: a line holds one JSON object");
    let packed = read(&[0x1f, 0x8b, 1, 2, 3]).unwrap_err().to_string();
    assert!(packed.starts_with("it is compressed and cannot be unpacked"), "{packed}");
}

#[test]
fn a_file_may_be_compressed_and_hold_several_worlds() {
    let world = world();
    let packed = crate::trace::pack(&world.trace().to_text());
    let recordings = read(&[packed.clone(), packed].concat()).unwrap();
    assert_eq!(recordings.len(), 2);
    assert_eq!(diff(&recordings[..1], &recordings[1..]), None);
}

#[test]
fn filters_mean_what_they_say() {
    let recording = one(&text());
    let story = Story::of(&recording);
    let shown = |filter: Filter| -> Vec<&str> {
        let found = filter.apply(&story).unwrap();
        found.iter().map(|index| recording.entries[*index].kind.name()).collect()
    };
    let event = |name: &str| Filter { event: Some(name.into()), ..Filter::default() };
    assert_eq!(shown(event("say")), ["send", "event", "arrive", "handle"]);
    assert_eq!(shown(Filter { kinds: vec!["mark".into()], ..Filter::default() }), ["mark"]);
    assert_eq!(shown(Filter { kinds: vec!["arrive".into()], ..event("Shout") }), ["arrive"]);
    assert_eq!(shown(Filter { until: Some(99_000_000), ..event("say") }), [""; 0]);
    assert_eq!(shown(Filter { player: Some("-1".into()), ..event("say") }).len(), 4);
    assert_eq!(
        shown(Filter { side: Some("ada".into()), kinds: vec!["log".into()], ..Filter::default() }),
        ["log"]
    );
    assert_eq!(shown(Filter { fates: vec!["lost".into()], ..Filter::default() }), [""; 0]);
    assert_eq!(shown(Filter { grep: Some("half way".into()), ..Filter::default() }), ["mark"]);
    let unknown = Filter { side: Some("Bob".into()), ..Filter::default() }.apply(&story).unwrap_err();
    assert_eq!(unknown, "there is no side Bob in this trace; there are server, Ada");
    assert_eq!(shown(Filter { anomalies: Some(1_000_000_000), ..event("say") }), [""; 0]);
    assert_eq!(shown(Filter { anomalies: Some(1_000_000), ..event("say") }), ["arrive"], "all are late");
}

#[test]
fn a_listing_has_a_column_a_side() {
    let recording = one(&text());
    let story = Story::of(&recording);
    let found = Filter { event: Some("Say".into()), ..Filter::default() }.apply(&story).unwrap();
    let listing = list(&story, &found, i64::MAX, Paint::Plain);
    let lines: Vec<&str> = listing.lines().collect();
    assert_eq!(lines[0], "   seconds  server Ada     what happened");
    assert!(lines[1].contains("●──────▷       #") && lines[1].contains(" Say to all, "), "{listing}");
    let fields = "Say {part.Id = 7, part.Label = \"hi\", part.On = true, part.Up = false, score = 300}";
    assert!(lines[2].contains(fields) || listing.contains("score = 300"), "{listing}");
    assert!(lines[3].contains("·      ◆       #") && lines[3].contains("Say arrives after"), "{listing}");
    assert!(lines[4].contains("handled by ReplicatedStorage.Net:"), "{listing}");
}

#[test]
fn one_packet_is_told_from_send_to_handler() {
    let recording = one(&text());
    let story = Story::of(&recording);
    let packet = story.packets.iter().find(|packet| story.title(packet) == "Say").unwrap();
    let id = story.sent(packet).id;
    let told = detail(&story, id, Paint::Plain).unwrap();
    assert!(told.starts_with(&format!("#{id} Say: server to all\n  sent at 0.1")), "{told}");
    assert!(told.contains("\n  Ada: delivered, arrived at 0."), "{told}");
    assert!(told.contains("2c 01                     score = 300"), "{told}");
    assert!(told.contains("68 69                     part.Label = \"hi\""), "{told}");
    assert_eq!(detail(&story, 9999, Paint::Plain), None);
}

#[test]
fn sums_add_up() {
    let recording = one(&text());
    let summary = summarise(&recording);
    let say = summary.events.iter().find(|tally| tally.name == "Say").unwrap();
    assert_eq!((say.way, say.count, say.dropped), ("down", 1, 0));
    assert_eq!(summary.up.messages, 1, "the shout");
    let bytes: u64 = summary.remotes.iter().map(|tally| tally.bytes).sum();
    assert_eq!(bytes, summary.down.bytes + summary.up.bytes);
    assert_eq!((summary.failed_handlers, summary.clients.len()), (0, 1));
    let text = summary.text(Paint::Plain);
    assert!(text.contains("server to clients") && text.contains("Say "), "{text}");
    assert_eq!(summary.json()["up"]["messages"], Json::from(1));
    let stream = &summary.streams[0];
    assert_eq!((stream.name.as_str(), stream.rate, stream.sent), ("Where", 10.0, 0.0));
}

#[test]
fn a_row_for_each_packet_and_receiver() {
    let recording = one(&text());
    let rows = csv(&recording, None);
    let lines: Vec<&str> = rows.lines().collect();
    let shares: usize = Story::of(&recording).packets.iter().map(|packet| packet.shares.len()).sum();
    assert_eq!(lines.len(), shares + 1);
    assert!(lines[0].starts_with("id,sent,from,to,remote,"), "{rows}");
    assert!(rows.contains(",server,Ada,ReplicatedStorage.BLINK_RELIABLE_REMOTE,RemoteEvent,"), "{rows}");
}

#[test]
fn the_first_difference_is_explained() {
    let text = text();
    let a = read(text.as_bytes()).unwrap();
    assert_eq!(diff(&a, &a), None);
    let changed = text.replace("\"value\":300", "\"value\":301");
    let b = read(changed.as_bytes()).unwrap();
    let difference = diff(&a, &b).unwrap();
    assert!(
        difference.text.contains("score = 300") && difference.text.contains("score = 301"),
        "{}",
        difference.text
    );
    assert!(difference.text.contains(".value: A 300, B 301"), "{}", difference.text);
    assert_eq!(difference.lines[0], difference.lines[1]);
    let recording = one(&text);
    let story = Story::of(&recording);
    let mut bytes = story.packets.iter().find_map(|packet| story.sent(packet).buffer()).unwrap();
    let encoded = |bytes: &[u8]| {
        use base64::Engine as _;
        format!("\"b64\":\"{}\"", base64::engine::general_purpose::STANDARD.encode(bytes))
    };
    let before = encoded(&bytes);
    let first = bytes[1];
    bytes[1] ^= 0x10;
    let changed = text.replacen(&before, &encoded(&bytes), 1);
    let difference = diff(&a, &read(changed.as_bytes()).unwrap()).unwrap();
    let told = format!("({} bytes): byte 0x0001: A {first:02x}, B {:02x}", bytes.len(), bytes[1]);
    assert!(difference.text.contains(&told), "{told}\n{}", difference.text);
    let seed = text.replacen("\"seed\":\"0\"", "\"seed\":\"5\"", 1);
    let difference = diff(&a, &read(seed.as_bytes()).unwrap()).unwrap();
    assert_eq!(difference.text, "the worlds were set up differently:\n    seed: A \"0\", B \"5\"\n");
    let shorter = text.lines().take(text.lines().count() - 1).collect::<Vec<_>>().join("\n");
    let difference = diff(&a, &read(shorter.as_bytes()).unwrap()).unwrap();
    assert!(difference.text.contains("then B ends, and A goes on with 1 more:"), "{}", difference.text);
}

#[test]
fn nothing_in_a_trace_gets_out_of_its_place_in_the_page() {
    let hostile = "</script><script>alert(1)</script><!--";
    let text = text().replace("\"half way\"", &serde_json::to_string(hostile).unwrap());
    let page = page::page(&one(&text), "<b>{{data}}</b>");
    assert!(!page.contains("alert(1)</script>"), "the text stays inside its element");
    assert!(page.contains("\\u003c/script>\\u003cscript>alert(1)"), "and is there");
    assert!(page.contains("<title>&lt;b&gt;{{data}}&lt;/b&gt; · BlinkBlox trace</title>"));
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
}

/// The schema's world with a server script, and a client script that shouts each 0.1 s.
fn game(answer: &str) -> World {
    use crate::project::{Node, mount};
    let schema = SchemaSource::Text(SCHEMA.into());
    let fixture =
        Fixture { server_schemas: vec![schema.clone()], client_schemas: vec![schema], ..Fixture::default() };
    let built = fixture.build().unwrap();
    let mut tree = (*built.tree).clone();
    let server = format!(
        "local Net = require(game.ServerScriptService.Net)
        local ask = Instance.new('RemoteFunction', game.ReplicatedStorage)
        ask.Name = 'Ask'
        game.Players.PlayerAdded:Connect(function(player)
            local favourite = ask:InvokeClient(player)
            Net.Say.Fire(player, {{ Id = favourite, Label = 'ok', On = true, Up = true }}, 1)
        end)
        ask.OnServerInvoke = function(_, number) return number + 1 end
        Net.Shout.On(function(player, loud)
            Net.Say.FireAll({{ Id = loud, Label = player.Name, On = true, Up = false }}, {answer})
        end)"
    );
    let client = "local Net = require(game.ReplicatedStorage.Net)
        local ask = game.ReplicatedStorage:WaitForChild('Ask')
        ask.OnClientInvoke = function() return 42 end
        for count = 1, 5 do
            task.wait(0.1)
            Net.Shout.Fire(count)
            ask:InvokeServer(count)
        end";
    let mut add = |path: &[(&str, &str)], class: &str, source: &str| {
        let mut at = &mut tree.root;
        for (class, name) in path {
            let index = at.children.iter().position(|child| child.name == *name).unwrap_or_else(|| {
                at.children.push(Node::new(class, name));
                at.children.len() - 1
            });
            at = &mut at.children[index];
        }
        let mut script = Node::new(class, "Main");
        script.source = Some(source.into());
        at.children.push(script);
    };
    add(&[("ServerScriptService", "ServerScriptService")], "Script", &server);
    let starter = [("StarterPlayer", "StarterPlayer"), ("StarterPlayerScripts", "StarterPlayerScripts")];
    add(&starter, "LocalScript", client);
    let tree = Some(mount::store(&tree, true).unwrap());
    let link = LinkSettings::preset("poor").unwrap();
    let world = World::new(WorldOptions { tree, link, ..WorldOptions::default() }).unwrap();
    built.describe(&mut world.core().trace_mut());
    world.start();
    world
}

#[test]
fn a_recorded_session_is_played_back_to_a_fresh_server() {
    let world = game("loud * 10");
    let ada = world.join(JoinOptions { name: Some("Ada".into()), ..JoinOptions::default() }).unwrap();
    world.step(20).unwrap();
    world
        .join(JoinOptions { name: Some("Bob".into()), user_id: Some(77), ..JoinOptions::default() })
        .unwrap();
    world.step(150).unwrap();
    world.leave(ada, crate::world::LeaveHow::Quit).unwrap();
    world.step(60).unwrap();
    let recording = one(&world.trace().to_text());
    let arrived = recording
        .entries
        .iter()
        .filter(|entry| matches!(&entry.kind, Kind::Arrive { .. }) && &*entry.side == "server");
    let arrived = arrived.count();
    assert!(arrived >= 10, "only {arrived} messages of clients");

    let same = replay(&recording, &game("loud * 10")).unwrap();
    assert_eq!((same.fed, &same.skipped, &same.errors), (arrived, &Vec::new(), &Vec::new()));
    assert_eq!(same.difference, None);
    assert!(same.sent[0] > 10 && same.sent[0] == same.sent[1], "{:?}", same.sent);

    let other = replay(&recording, &game("loud * 11")).unwrap();
    let text = other.difference.unwrap();
    assert!(text.contains("recorded: at ") && text.contains("byte 0x"), "{text}");
    let broken = replay(&recording, &game("nil + loud")).unwrap();
    assert!(broken.difference.is_some() && !broken.errors.is_empty(), "{broken:?}");
}
