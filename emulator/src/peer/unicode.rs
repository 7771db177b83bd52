//! What the engine's `utf8` library has on top of Luau's: graphemes and normal forms. Source: Roblox behaviour, 14.6;
//! engine page libraries/utf8, checked August 2026.

use std::cell::Cell;
use std::rc::Rc;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};

const FUNCTIONS: &[(&str, NativeFn)] =
    &[("graphemes", graphemes), ("nfcnormalize", nfc_normalize), ("nfdnormalize", nfd_normalize)];

/// Adds the functions to `utf8`.
pub(super) fn install(cx: &Cx<'_>) {
    cx.get_global("utf8");
    for (name, function) in FUNCTIONS {
        cx.push_native(name, *function);
        cx.set_field(name);
    }
    cx.pop(1);
}

/// The text of an argument.
///
/// Errors: ours, for bytes that are no UTF-8; the engine's text is not known.
fn text(cx: &Cx<'_>, index: i32) -> Result<String, Raise> {
    let bytes = cx.string(index)?;
    // A part may be kept beside the text.
    cx.check_memory(2 * bytes.len())?;
    String::from_utf8(bytes.to_vec()).map_err(|_| Raise::located("invalid UTF-8 code"))
}

/// Where going over graphemes has come to: each is found when it is asked for, so that a long text takes no more at once
/// than a short one.
struct Graphemes {
    part: String,
    /// Place of the part's first byte, counted from 1.
    first: f64,
    /// Byte of the part behind the last grapheme given.
    at: Cell<usize>,
}

/// `utf8.graphemes(text, first?, last?)`: goes over first and last byte of each grapheme between the two positions.
fn graphemes(cx: &mut Cx<'_>) -> Outcome {
    let text = text(cx, 1)?;
    let length = text.len() as i64;
    let place = |given: Option<f64>, usual: i64| match given {
        None => usual,
        Some(at) if at < 0.0 => length + at as i64 + 1,
        Some(at) => at as i64,
    };
    let first = place(cx.opt_number(2)?, 1).clamp(1, length + 1);
    let last = place(cx.opt_number(3)?, length).min(length);
    let part = text.get(first as usize - 1..last.max(first - 1) as usize);
    let part = part.ok_or_else(|| Raise::located("position is inside a code point"))?;
    let state = Rc::new(Graphemes { part: part.to_owned(), first: first as f64, at: Cell::new(0) });
    cx.push_closure("graphemes", next_grapheme, state);
    Ok(Returns::ONE)
}

fn next_grapheme(cx: &mut Cx<'_>) -> Outcome {
    let state = cx.captured::<Graphemes>().ok_or("no graphemes to go over")?;
    let at = state.at.get();
    let rest = state.part.get(at..).unwrap_or_default();
    let Some(grapheme) = rest.graphemes(true).next() else {
        cx.push_nil();
        return Ok(Returns::ONE);
    };
    state.at.set(at + grapheme.len());
    let begins = state.first + at as f64;
    cx.push_number(begins);
    cx.push_number(begins + grapheme.len() as f64 - 1.0);
    Ok(Returns::Values(2))
}

fn nfc_normalize(cx: &mut Cx<'_>) -> Outcome {
    let text: String = text(cx, 1)?.nfc().collect();
    cx.push_string(text);
    Ok(Returns::ONE)
}

fn nfd_normalize(cx: &mut Cx<'_>) -> Outcome {
    let text: String = text(cx, 1)?.nfd().collect();
    cx.push_string(text);
    Ok(Returns::ONE)
}
