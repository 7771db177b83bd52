//! The reader of traces: a line is read or refused, and what was read can be listed, summed up, compared, redacted and
//! drawn as a page.

use blinkblox_emulator::recording::{
    Filter, Paint, Story, csv, detail, diff, list, page, read, redact, summarise, value,
};

pub(crate) fn run(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        for line in text.lines() {
            if let Ok(redacted) = redact(line) {
                assert!(
                    serde_json::from_str::<serde_json::Value>(&redacted).is_ok(),
                    "redacted as {redacted}"
                );
            }
        }
    }
    let recordings = match read(data) {
        Ok(recordings) => recordings,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(diff(&recordings, &recordings).is_none(), "a trace differs from itself");
    for recording in &recordings {
        let story = Story::of(recording);
        let all: Vec<usize> = (0..recording.entries.len()).collect();
        for paint in [Paint::Plain, Paint::Ansi] {
            list(&story, &all, 50_000_000, paint);
        }
        for entry in &recording.entries {
            if let Some(id) = entry.kind.packet() {
                detail(&story, id, Paint::Plain);
            }
            if let blinkblox_emulator::recording::Kind::Send(sent) = &entry.kind {
                let _ = sent.buffer();
                sent.args.iter().for_each(|arg| drop(value(arg)));
            }
        }
        let anomalies = Filter { anomalies: Some(0), ..Filter::default() };
        let _ = anomalies.apply(&story);
        let summary = summarise(recording);
        summary.text(Paint::Plain);
        let _ = summary.json().to_string();
        csv(recording, None);
        page::page(recording, "fuzzed");
    }
}

/// Lines of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::seeds::kept("trace")
}
