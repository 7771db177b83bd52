//! `blinkblox test --snapshot`.

use crate::support::{blinkblox_with, code, err, out, project};

const SPEC: &str = "it('draws', function()\n\
                    \texpect({ coins = 3, list = { 1, 2 } }):toMatchSnapshot()\n\
                    \texpect('as named'):toMatchSnapshot('title')\n\
                    end)\n";

#[test]
fn snapshots_are_stored_checked_and_updated() {
    let folder = project(&[("a.spec.luau", SPEC)]);
    let stored = folder.path().join("__snapshots__/a.spec.json");
    let run = |arguments: &[&str], ci: &str| {
        let output = blinkblox_with(folder.path(), &[&["test"], arguments].concat(), &[("CI", ci)]);
        (code(&output), out(&output) + &err(&output))
    };
    let (status, text) = run(&[], "true");
    assert!(status == 1 && text.contains("to have a snapshot called \"draws 1\""), "{text}");
    assert!(!stored.exists());

    assert_eq!(run(&[], "").0, 0);
    let text = std::fs::read_to_string(&stored).unwrap();
    assert!(text.contains("\"draws title\": \"\\\"as named\\\"\""), "{text}");
    assert_eq!(run(&[], "true").0, 0);

    std::fs::write(folder.path().join("a.spec.luau"), SPEC.replace("coins = 3", "coins = 4")).unwrap();
    let (status, text) = run(&[], "");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("to match the snapshot \"draws 1\"") && text.contains("coins = 3"), "{text}");
    let (status, text) = run(&["--snapshot", "update"], "true");
    assert!(status == 2 && text.contains("--snapshot update is refused where CI is set"), "{text}");
    assert_eq!(run(&["--snapshot", "update"], "").0, 0);
    assert_eq!(run(&[], "true").0, 0);
}
