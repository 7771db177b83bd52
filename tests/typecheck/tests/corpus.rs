//! The modules of every valid schema of the corpus pass the type checker.

use blinkblox_tests::corpus::corpus;

/// Types nested to the limit need more stack than a test has.
const STACK: usize = 64 << 20;

#[test]
fn modules_of_the_corpus_pass() {
    let checking = std::thread::Builder::new().stack_size(STACK).spawn(check).expect("a thread starts");
    if let Err(panic) = checking.join() {
        std::panic::resume_unwind(panic);
    }
}

fn check() {
    let mut failed = Vec::new();
    for case in corpus("ok") {
        let Some(made) = case.compile().outputs else {
            failed.push(format!("{} makes no modules", case.name()));
            continue;
        };
        let modules =
            [("server", Some(&made.server)), ("client", Some(&made.client)), ("types", made.types.as_ref())];
        for (side, text) in modules {
            let Some(text) = text else { continue };
            assert!(text.starts_with("--!strict\n"), "the {side} module of {} is not strict", case.name());
            for error in blinkblox_typecheck::errors(text) {
                failed.push(format!("{side} of {}: {error}", case.name()));
            }
        }
    }
    assert!(failed.is_empty(), "{} errors:\n{}", failed.len(), failed.join("\n"));
}
