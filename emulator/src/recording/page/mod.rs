//! A recording as one page that needs nothing else: style, script and data are inside, and its policy forbids the
//! network.
//!
//! The sources stand beside this file: `page.html` with four places to fill, `page.css`, and the scripts in the order of
//! [`SCRIPTS`]. The data is compact: names stand once in a list, packets are rows. Its shape is described in `data.js`.

mod data;

use super::Recording;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// The scripts, in the order in which they need each other. Each begins with what it is for.
const SCRIPTS: &[&str] = &[
    include_str!("data.js"),
    include_str!("state.js"),
    include_str!("timeline.js"),
    include_str!("charts.js"),
    include_str!("detail.js"),
    include_str!("controls.js"),
    include_str!("main.js"),
];

/// The page of a recording. `title` is shown at its head and in the browser's tab.
pub fn page(recording: &Recording, title: &str) -> String {
    // Names and numbers always have a form in JSON.
    let data = serde_json::to_string(&data::document(recording, title)).unwrap_or_default();
    // Inside a script element only `<` can end it or begin a comment.
    let data = data.replace('<', "\\u003c");
    let title = escape(title);
    let scripts = SCRIPTS.concat();
    let mut out = String::with_capacity(TEMPLATE.len() + STYLE.len() + scripts.len() + data.len());
    let mut rest = TEMPLATE;
    // In order of their places, so that nothing filled in is searched again.
    for (place, text) in
        [("{{title}}", title.as_str()), ("{{style}}", STYLE), ("{{data}}", &data), ("{{script}}", &scripts)]
    {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
