//! Tables of options as specs write them: every field is known and of the right type, or the error says so.

use std::rc::Rc;

use crate::testing::kit::field;
use crate::value::{Table, Value};
use crate::vm::Raise;

/// An option table that has been read from a call.
pub struct Options {
    /// What it belongs to, for errors: `test.world`.
    what: &'static str,
    table: Rc<Table>,
}

impl Options {
    /// The options in `value`: a table, or nil for none. `known` are the names allowed.
    ///
    /// Errors: the value is no table, or it has a field nobody knows.
    pub fn read(what: &'static str, value: Value, known: &[&str]) -> Result<Options, Raise> {
        let table = match value {
            Value::Nil => Rc::default(),
            Value::Table(table) => table,
            other => return Err(format!("{what} takes a table, not a {}", other.type_name()).into()),
        };
        for (key, _) in &table.pairs {
            let name = key.to_string();
            if !known.contains(&name.as_str()) {
                return Err(format!("{what} has no option \"{name}\"; it knows {}", known.join(", ")).into());
            }
        }
        Ok(Options { what, table })
    }

    /// The value of an option, nil as none.
    pub fn get(&self, name: &str) -> Option<&Value> {
        field(&self.table, name).filter(|value| !value.is_nil())
    }

    fn wrong(&self, name: &str, wanted: &str, got: &Value) -> Raise {
        format!("{}: {name} should be {wanted}, not a {}", self.what, got.type_name()).into()
    }

    /// The number an option is; `None` where it is not given. Errors: it is something else.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Raise> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(*number)),
            Some(other) => Err(self.wrong(name, "a number", other)),
        }
    }

    /// The whole number from `least` to `most` an option is; `None` where it is not given. Errors: it is something else.
    pub fn whole(&self, name: &str, least: f64, most: f64) -> Result<Option<f64>, Raise> {
        let Some(number) = self.number(name)? else { return Ok(None) };
        if number.fract() != 0.0 || !(least..=most).contains(&number) {
            let text = format!(
                "{}: {name} should be a whole number from {least} to {most}, not {number}",
                self.what
            );
            return Err(text.into());
        }
        Ok(Some(number))
    }

    /// The text an option is; `None` where it is not given. Errors: it is no string.
    pub fn text(&self, name: &str) -> Result<Option<String>, Raise> {
        match self.get(name) {
            None => Ok(None),
            Some(value @ Value::String(_)) => Ok(Some(value.to_string())),
            Some(other) => Err(self.wrong(name, "a string", other)),
        }
    }

    /// Whether an option is on; `None` where it is not given. Errors: it is neither true nor false.
    pub fn boolean(&self, name: &str) -> Result<Option<bool>, Raise> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Boolean(value)) => Ok(Some(*value)),
            Some(other) => Err(self.wrong(name, "true or false", other)),
        }
    }

    /// The table an option is; `None` where it is not given. Errors: it is something else.
    pub fn table(&self, name: &str) -> Result<Option<Rc<Table>>, Raise> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(table.clone())),
            Some(other) => Err(self.wrong(name, "a table", other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_wrong_options_are_named() {
        let table = Value::record([("clints", Value::Number(2.0))]);
        let error = Options::read("test.world", table, &["clients"]).err().unwrap();
        assert!(format!("{error:?}").contains("no option \\\"clints\\\"; it knows clients"));
        let table = Value::record([("clients", Value::string("2"))]);
        let options = Options::read("test.world", table, &["clients"]).ok().unwrap();
        let error = options.number("clients").unwrap_err();
        assert!(format!("{error:?}").contains("clients should be a number, not a string"));
    }

    #[test]
    fn whole_numbers_are_held_to_their_range() {
        for (given, wanted) in [
            (1.0, Some(1.0)),
            (7.0, Some(7.0)),
            (0.0, None),
            (8.0, None),
            (-1.0, None),
            (1.5, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            let table = Value::record([("servers", Value::Number(given))]);
            let options = Options::read("test.universe", table, &["servers"]).ok().unwrap();
            assert_eq!(options.whole("servers", 1.0, 7.0).ok().flatten(), wanted, "{given}");
        }
    }
}
