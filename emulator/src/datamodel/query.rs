//! `QueryDescendants`: descendants that a selector picks. Engine page: classes/Instance, checked November 2026.
//! Source: Roblox behaviour, 7.3.
//!
//! A selector is a list of chains between commas; a chain is compounds joined by `>` (a child) or `>>` (a descendant);
//! a compound is any of `Class`, `.Tag`, `#Name`, `[property = value]`, `[$attribute]`, `[$attribute = value]`,
//! `:not(...)` and `:has(...)` side by side. A class picks what extends it too.

use super::properties;
use super::store::Store;
use crate::value::{InstanceId, Value};

/// Chains of which one must fit.
#[derive(Debug, PartialEq)]
pub struct Selector(Vec<Chain>);

/// Compounds from the left to the right, each with how it hangs on what is left of it.
#[derive(Debug, PartialEq)]
struct Chain(Vec<(Link, Compound)>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Link {
    Child,
    Descendant,
}

#[derive(Debug, PartialEq)]
struct Compound(Vec<Simple>);

#[derive(Debug, PartialEq)]
enum Simple {
    Class(String),
    Tag(String),
    Name(String),
    Property(String, Option<String>),
    Attribute(String, Option<String>),
    Not(Selector),
    Has(Selector),
}

/// Deepest nesting of `:not` and `:has`.
const DEEPEST: usize = 32;

impl Selector {
    /// Reads a selector. Errors: what is wrong and where, for people.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let selector = parser.list()?;
        match parser.rest() {
            "" => Ok(selector),
            rest => Err(parser.wrong(&format!("unexpected \"{}\"", rest.chars().next().unwrap_or_default()))),
        }
    }

    /// Whether it picks a descendant of `root`.
    pub fn picks(&self, store: &Store, root: InstanceId, id: InstanceId) -> bool {
        self.0.iter().any(|chain| chain.picks(store, root, id, chain.0.len()))
    }

    /// All it picks below `root`, in the order of the tree.
    pub fn all(&self, store: &Store, root: InstanceId) -> Vec<InstanceId> {
        store.descendants(root).into_iter().filter(|id| self.picks(store, root, *id)).collect()
    }
}

impl Chain {
    /// Whether the first `count` compounds lead from `root` to `id`.
    fn picks(&self, store: &Store, root: InstanceId, id: InstanceId, count: usize) -> bool {
        let Some((link, compound)) = count.checked_sub(1).and_then(|last| self.0.get(last)) else {
            return true;
        };
        if !compound.fits(store, id) {
            return false;
        }
        let above = count - 1;
        let mut ancestors = store.ancestors(id).take_while(|ancestor| *ancestor != root);
        match link {
            Link::Child if above == 0 => store.parent(id) == Some(root),
            Link::Descendant if above == 0 => true,
            Link::Child => ancestors.next().is_some_and(|parent| self.picks(store, root, parent, above)),
            Link::Descendant => ancestors.any(|ancestor| self.picks(store, root, ancestor, above)),
        }
    }
}

impl Compound {
    fn fits(&self, store: &Store, id: InstanceId) -> bool {
        self.0.iter().all(|simple| simple.fits(store, id))
    }
}

impl Simple {
    fn fits(&self, store: &Store, id: InstanceId) -> bool {
        let is = |value: &Value, wanted: &str| match value {
            Value::EnumItem(item) => {
                item.name() == wanted || format!("Enum.{}.{}", item.enum_.name(), item.name()) == wanted
            }
            Value::Instance(other) => &*store.name(*other) == wanted,
            other => other.to_string() == wanted,
        };
        match self {
            Simple::Class(class) => store.class(id).is_a_name(class),
            Simple::Tag(tag) => store.get(id).is_some_and(|instance| instance.has_tag(tag)),
            Simple::Name(name) => *store.name(id) == **name,
            Simple::Property(name, wanted) => {
                let property =
                    store.class(id).property(name).filter(|found| !properties::is_for_plugins(*found));
                property.is_some_and(|property| {
                    let value = properties::get(store, id, property);
                    wanted.as_ref().is_none_or(|wanted| is(&value, wanted))
                })
            }
            Simple::Attribute(name, wanted) => {
                let value = store.get(id).and_then(|instance| instance.attribute(name));
                value.is_some_and(|value| wanted.as_ref().is_none_or(|wanted| is(value, wanted)))
            }
            Simple::Not(selector) => {
                let top = store.ancestors(id).last().unwrap_or(id);
                let is_top = id == top && selector.fits_alone(store, id);
                !is_top && !selector.picks(store, top, id)
            }
            Simple::Has(selector) => {
                store.descendants(id).into_iter().any(|inner| selector.picks(store, id, inner))
            }
        }
    }
}

impl Selector {
    /// Whether a chain of one compound fits something without ancestors.
    fn fits_alone(&self, store: &Store, id: InstanceId) -> bool {
        self.0.iter().any(|chain| matches!(&chain.0[..], [(_, only)] if only.fits(store, id)))
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn wrong(&self, what: &str) -> String {
        format!("Invalid selector \"{}\": {what} at character {}", self.text, self.at + 1)
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_there = self.rest().starts_with(sign);
        if is_there {
            self.at += sign.len();
        }
        is_there
    }

    fn list(&mut self) -> Result<Selector, String> {
        let mut chains = vec![self.chain()?];
        loop {
            self.skip_space();
            if !self.take(",") {
                return Ok(Selector(chains));
            }
            chains.push(self.chain()?);
        }
    }

    fn link(&mut self) -> Option<Link> {
        self.skip_space();
        if self.take(">>") {
            Some(Link::Descendant)
        } else if self.take(">") {
            Some(Link::Child)
        } else {
            None
        }
    }

    fn chain(&mut self) -> Result<Chain, String> {
        let first = self.link().unwrap_or(Link::Descendant);
        let mut parts = vec![(first, self.compound()?)];
        while let Some(link) = self.link() {
            parts.push((link, self.compound()?));
        }
        Ok(Chain(parts))
    }

    fn compound(&mut self) -> Result<Compound, String> {
        self.skip_space();
        let mut parts = Vec::new();
        loop {
            let next = self.rest().chars().next();
            parts.push(match next {
                Some('.') => {
                    self.at += 1;
                    Simple::Tag(self.word()?)
                }
                Some('#') => {
                    self.at += 1;
                    Simple::Name(self.word()?)
                }
                Some('[') => {
                    self.at += 1;
                    self.condition()?
                }
                Some(':') => {
                    self.at += 1;
                    self.inner()?
                }
                Some(letter) if parts.is_empty() && (letter.is_alphabetic() || letter == '_') => {
                    Simple::Class(self.word()?)
                }
                _ if parts.is_empty() => {
                    return Err(self.wrong("a class, .Tag, #Name, [property] or : is missing"));
                }
                _ => return Ok(Compound(parts)),
            });
        }
    }

    fn word(&mut self) -> Result<String, String> {
        let rest = self.rest();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.wrong("a name is missing"));
        }
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    /// What is between square brackets.
    fn condition(&mut self) -> Result<Simple, String> {
        self.skip_space();
        let is_attribute = self.take("$");
        let name = self.word()?;
        self.skip_space();
        let wanted = if self.take("=") {
            self.skip_space();
            Some(self.value()?)
        } else {
            None
        };
        self.skip_space();
        if !self.take("]") {
            return Err(self.wrong("a ] is missing"));
        }
        Ok(if is_attribute { Simple::Attribute(name, wanted) } else { Simple::Property(name, wanted) })
    }

    /// A value: a text in quotes, or all up to the bracket.
    fn value(&mut self) -> Result<String, String> {
        for quote in ["\"", "'"] {
            if self.take(quote) {
                let rest = self.rest();
                let end = rest.find(quote).ok_or_else(|| self.wrong("the text is not closed"))?;
                self.at += end + 1;
                return Ok(rest[..end].to_owned());
            }
        }
        let rest = self.rest();
        let end = rest.find(']').ok_or_else(|| self.wrong("a ] is missing"))?;
        self.at += end;
        Ok(rest[..end].trim_end().to_owned())
    }

    /// `not(...)` or `has(...)`, after the colon.
    fn inner(&mut self) -> Result<Simple, String> {
        let wrap: fn(Selector) -> Simple = match () {
            () if self.take("not(") => Simple::Not,
            () if self.take("has(") => Simple::Has,
            () => return Err(self.wrong(":not(...) or :has(...) is meant")),
        };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("the selector is nested too deeply"));
        }
        let selector = self.list()?;
        self.depth -= 1;
        self.skip_space();
        if !self.take(")") {
            return Err(self.wrong("a ) is missing"));
        }
        Ok(wrap(selector))
    }
}
