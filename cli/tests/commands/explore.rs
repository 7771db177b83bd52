//! `blinkblox test --explore`.

use crate::support::{blinkblox, code, out, project};

/// A client that needs the folder to be there before the call that tells of it.
const RACE: &str = "it('tells of a folder', function()\n\
    \tlocal w = test.world({ clients = 1 })\n\
    \tw.server:eval([[Instance.new('RemoteEvent').Parent = game.ReplicatedStorage]])\n\
    \tw:settle()\n\
    \tlocal client = w:clients()[1]\n\
    \tclient:eval([[game.ReplicatedStorage.RemoteEvent.OnClientEvent:Connect(function(name)\n\
    \t\t_G.found = workspace:FindFirstChild(name) ~= nil\n\
    \tend)]])\n\
    \tw.server:eval([[\n\
    \t\tlocal folder = Instance.new('Folder')\n\
    \t\tfolder.Parent = workspace\n\
    \t\tgame.ReplicatedStorage.RemoteEvent:FireAllClients('Folder')\n\
    \t]])\n\
    \tw:settle()\n\
    \texpect(client:eval('return _G.found')):toBe(true)\n\
    end)\n\
    it('counts', function()\n\
    \tlocal w = test.world({ clients = 2 })\n\
    \tw:settle()\n\
    \texpect(#w:clients()):toBe(2)\n\
    end)\n";

#[test]
fn a_race_is_found_named_and_repeated() {
    let folder = project(&[("a.spec.luau", RACE)]);
    let output = blinkblox(folder.path(), &["test", "--signals", "immediate"]);
    assert_eq!(code(&output), 0, "{}", out(&output));

    let explore = ["test", "--explore", "12", "--signals", "immediate"];
    let output = blinkblox(folder.path(), &explore);
    let text = out(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("1 passed, 1 failed"), "{text}");
    assert!(text.contains("the test passes as it is, and fails under --set replicationOrder="), "{text}");
    assert!(text.contains("expected false to be true"), "{text}");
    // The same seed finds the same.
    let again = out(&blinkblox(folder.path(), &explore));
    let reason = |text: &str| text.lines().find(|line| line.contains("passes as it is")).map(str::to_owned);
    assert_eq!(reason(&text), reason(&again));

    // The line it prints fails without exploring.
    let line = text.lines().find(|line| line.contains("under that schedule:")).unwrap();
    let (_, arguments) = line.split_once("blinkblox ").unwrap();
    let arguments: Vec<String> = arguments.replace('"', "").split(' ').map(str::to_owned).collect();
    let (name, flags) = (arguments.join(" "), &arguments);
    let at = flags.iter().position(|word| word == "--seed").unwrap();
    let mut rerun = vec!["test", "a.spec.luau", "-t", "tells of a folder"];
    rerun.extend(flags[at..].iter().map(String::as_str));
    let output = blinkblox(folder.path(), &rerun);
    assert_eq!(code(&output), 1, "{name}\n{}", out(&output));
}
