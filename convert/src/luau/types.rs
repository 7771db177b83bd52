//! Recorded types, as types of the language.

use crate::draft::{Head, Range, Ty, lost};
use crate::report::Report;
use crate::sandbox::{Node, Ran};

/// Most types one inside the other. The language takes 200, and a suffix counts.
const DEEPEST: usize = 60;

/// Most types written in one declaration.
const MOST: usize = 20_000;

/// Most types written in all of them together.
const MOST_OF_ALL: usize = 100_000;

/// What a plain type of a tool is: the type, and what it costs, if anything.
pub(super) struct Meaning {
    ty: Ty,
    cost: Option<&'static str>,
}

impl Meaning {
    /// A type that means the same here.
    pub(super) fn same(ty: Ty) -> Meaning {
        Meaning { ty, cost: None }
    }

    /// A type that means nearly the same here; `cost` says in which way it does not.
    pub(super) fn but(ty: Ty, cost: &'static str) -> Meaning {
        Meaning { ty, cost: Some(cost) }
    }
}

/// Says what a name of a plain type means; `None` for one without counterpart.
pub(super) type Names = fn(&str) -> Option<Meaning>;

/// Reads recorded types for one declaration.
pub(super) struct Types<'a> {
    pub(super) ran: &'a Ran,
    pub(super) names: Names,
    pub(super) head: &'a Head,
    pub(super) report: &'a mut Report,
}

impl Types<'_> {
    /// The type of that number.
    pub(super) fn ty(&mut self, number: usize) -> Ty {
        let ran = self.ran;
        let Some(node) = number.checked_sub(1).and_then(|at| ran.captured.nodes.get(at)) else {
            return Ty::Unknown;
        };
        let mut parts: Vec<Ty> = node.parts.iter().map(|part| self.ty(*part)).collect();
        match (node.kind.as_str(), parts.len()) {
            ("struct", _) => Ty::Struct(node.keys.iter().cloned().zip(parts).collect()),
            ("literal", _) => self.literal(node),
            ("array", 1) => Ty::Array(Box::new(parts.remove(0)), node.count.map(Range::exactly)),
            ("optional", 1) => parts.remove(0).optional(),
            ("map", 2) => {
                let value = parts.remove(1);
                Ty::map(parts.remove(0), value)
            }
            _ => self.plain(&node.name),
        }
    }

    /// The types of these numbers.
    pub(super) fn all(&mut self, numbers: &[usize]) -> Vec<Ty> {
        numbers.iter().map(|number| self.ty(*number)).collect()
    }

    fn plain(&mut self, name: &str) -> Ty {
        let found = (self.names)(name);
        let cost = match &found {
            Some(Meaning { cost: None, .. }) => None,
            Some(Meaning { cost: Some(cost), .. }) => Some(format!("{name}: {cost}")),
            None => Some(format!("{name} became `unknown`: the language has nothing like it")),
        };
        if let Some(cost) = cost {
            lost(self.report, self.head, format!("{}: {cost}", self.head.name));
        }
        found.map_or(Ty::Unknown, |found| found.ty)
    }

    fn literal(&mut self, node: &Node) -> Ty {
        let named = |key: &String| crate::draft::identifier(key) == *key;
        if node.keys.iter().all(named) {
            return Ty::Enum(node.keys.clone());
        }
        let message = format!("{}: literals that are no names became `unknown`", self.head.name);
        lost(self.report, self.head, message);
        Ty::Unknown
    }
}

/// A type that nests deeper, or would be written longer, than a schema takes: where it is used, and why.
pub(super) fn too_large(ran: &Ran) -> Option<((usize, usize), String)> {
    let mut measures: Vec<(usize, usize)> = Vec::with_capacity(ran.captured.nodes.len());
    for node in &ran.captured.nodes {
        let parts: Vec<(usize, usize)> = node
            .parts
            .iter()
            .map(|part| part.checked_sub(1).and_then(|at| measures.get(at)).copied().unwrap_or((1, 1)))
            .collect();
        let depth = 1 + parts.iter().map(|(depth, _)| *depth).max().unwrap_or(0);
        let size = parts.iter().fold(1, |sum: usize, (_, size)| sum.saturating_add(*size));
        measures.push((depth, size));
    }
    let used = |record: &crate::sandbox::Record| {
        let mut numbers = record.indexes("data").unwrap_or_else(|| vec![record.index("data")]);
        numbers.extend(record.indexes("response").unwrap_or_default());
        numbers
    };
    let mut all = 0;
    ran.captured.records.iter().find_map(|record| {
        let measured: Vec<(usize, usize)> = used(record)
            .into_iter()
            .filter_map(|number| number.checked_sub(1).and_then(|at| measures.get(at)).copied())
            .collect();
        let name = match record.text("name") {
            name if name.is_empty() => "this packet".to_string(),
            name => format!("\"{name}\""),
        };
        if measured.iter().any(|(depth, _)| *depth > DEEPEST) {
            return Some((record.at(), format!("a type of {name} nests more than {DEEPEST} deep")));
        }
        let size = measured.iter().fold(1, |sum: usize, (_, size)| sum.saturating_add(*size));
        if size > MOST {
            return Some((record.at(), format!("{name} is made of more than {MOST} types")));
        }
        all += size;
        (all > MOST_OF_ALL).then(|| {
            (record.at(), format!("up to {name} the definitions take more than {MOST_OF_ALL} types"))
        })
    })
}
