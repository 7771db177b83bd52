//! Members of one line of a trace, with errors that name the member and the record.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

/// Keeps each text once: names repeat on every line.
#[derive(Default)]
pub(super) struct Texts(FxHashMap<Box<str>, Rc<str>>);

impl Texts {
    pub(super) fn keep(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let kept: Rc<str> = text.into();
        self.0.insert(text.into(), kept.clone());
        kept
    }
}

/// The members of one record.
pub(super) struct Fields<'a> {
    pub(super) members: &'a Map<String, Json>,
    /// What to call the record in errors.
    pub(super) what: &'a str,
}

impl<'a> Fields<'a> {
    pub(super) fn get(&self, name: &str) -> Result<&'a Json, String> {
        self.members.get(name).ok_or_else(|| format!("`{name}` is missing from this {}", self.what))
    }

    fn wrong(&self, name: &str, value: &Json, wanted: &str) -> String {
        let mut shown = value.to_string();
        if shown.chars().count() > 40 {
            shown = shown.chars().take(40).chain("...".chars()).collect();
        }
        format!("`{name}` of this {} is {shown}, not {wanted}", self.what)
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        let value = self.get(name)?;
        value.as_str().ok_or_else(|| self.wrong(name, value, "a text"))
    }

    /// A text, or null, or nothing at all.
    pub(super) fn opt_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.members.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(_) => self.text(name).map(Some),
        }
    }

    pub(super) fn whole(&self, name: &str) -> Result<u64, String> {
        let value = self.get(name)?;
        value.as_u64().ok_or_else(|| self.wrong(name, value, "a whole number"))
    }

    pub(super) fn opt_whole(&self, name: &str) -> Result<Option<u64>, String> {
        match self.members.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(_) => self.whole(name).map(Some),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<i64, String> {
        let value = self.get(name)?;
        value.as_i64().ok_or_else(|| self.wrong(name, value, "a whole number"))
    }

    pub(super) fn number(&self, name: &str) -> Result<f64, String> {
        let value = self.get(name)?;
        value.as_f64().ok_or_else(|| self.wrong(name, value, "a number"))
    }

    pub(super) fn boolean(&self, name: &str) -> Result<bool, String> {
        let value = self.get(name)?;
        value.as_bool().ok_or_else(|| self.wrong(name, value, "true or false"))
    }

    /// Seconds, as nanoseconds.
    pub(super) fn nanos(&self, name: &str) -> Result<i64, String> {
        let value = self.get(name)?;
        let read = value.as_number().and_then(|number| nanos(number.as_str()));
        read.ok_or_else(|| self.wrong(name, value, "a number of seconds"))
    }

    /// Seconds as nanoseconds, or null.
    pub(super) fn opt_nanos(&self, name: &str) -> Result<Option<i64>, String> {
        match self.get(name)? {
            Json::Null => Ok(None),
            _ => self.nanos(name).map(Some),
        }
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Json], String> {
        let value = self.get(name)?;
        value.as_array().map(Vec::as_slice).ok_or_else(|| self.wrong(name, value, "a list"))
    }

    pub(super) fn object(&self, name: &str) -> Result<&'a Map<String, Json>, String> {
        let value = self.get(name)?;
        value.as_object().ok_or_else(|| self.wrong(name, value, "an object"))
    }

    /// Two whole numbers: the first byte, and the one behind the last.
    pub(super) fn range(&self, name: &str) -> Result<(usize, usize), String> {
        let value = self.get(name)?;
        let numbers = value.as_array().map(|list| list.iter().filter_map(index).collect::<Vec<_>>());
        match numbers.as_deref() {
            Some([from, to]) if from <= to => Ok((*from, *to)),
            _ => Err(self.wrong(name, value, "the first byte and the one behind the last")),
        }
    }
}

/// A whole number that can count bytes.
pub(super) fn index(value: &Json) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Decimal seconds as nanoseconds, exactly; digits past the ninth are cut. Errors: nothing, for other text.
fn nanos(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part: String = part.chars().chain("000000000".chars()).take(9).collect();
    let whole: i64 = whole.parse().ok()?;
    let nanos = whole.checked_mul(1_000_000_000)?.checked_add(part.parse().ok()?)?;
    Some(sign * nanos)
}

#[cfg(test)]
mod tests {
    use super::nanos;

    #[test]
    fn seconds_are_read_digit_by_digit() {
        assert_eq!(nanos("0.016666666"), Some(16_666_666));
        assert_eq!(nanos("-1.5"), Some(-1_500_000_000));
        assert_eq!(nanos("12"), Some(12_000_000_000));
        assert_eq!(nanos("1e3"), None);
        assert_eq!(nanos(".5"), None);
        assert_eq!(nanos("99999999999999999999"), None);
    }
}
