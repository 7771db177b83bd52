//! Keeps every function within the 200 locals Luau allows, however deep and wide a schema nests.
//!
//! Emitters count roughly and keep ordinary types far below the limit. Here locals are counted exactly: where a
//! function would have too many in scope, the rest of the block at hand becomes a function of its own, called in place.
//! It reaches what it needs as upvalues. Nothing else changes but the levels of errors, which count one call more.

use super::ast::*;

/// Locals a function may have by its own count. Registers are 255, and calls and constructors need some.
const LIMIT: usize = 170;

/// Locals up to which no block is looked at: what is split off must leave enough behind to be worth it.
const CROWDED: usize = 100;

/// Name of a function that a crowded block's rest is put into.
const REST: &str = "Deeper";

/// Splits what is crowded in every function of a module.
pub fn relieve(module: &mut Block) {
    module.stats.iter_mut().for_each(functions_of_stat);
}

fn functions_of_stat(stat: &mut Stat) {
    match stat {
        Stat::Function(_, function) => relieve_function(function),
        Stat::Local(_, values) | Stat::Return(values) => values.iter_mut().for_each(functions_of_expr),
        Stat::Assign(targets, values) => targets.iter_mut().chain(values).for_each(functions_of_expr),
        Stat::Compound(target, _, value) => [target, value].into_iter().for_each(functions_of_expr),
        Stat::Call(value) => functions_of_expr(value),
        Stat::If(arms, otherwise) => {
            for (condition, body) in arms {
                functions_of_expr(condition);
                relieve(body);
            }
            otherwise.iter_mut().for_each(relieve);
        }
        Stat::While(condition, body) | Stat::Repeat(body, condition) => {
            functions_of_expr(condition);
            relieve(body);
        }
        Stat::Count(_, from, to, step, body) => {
            [from, to].into_iter().chain(step).for_each(functions_of_expr);
            relieve(body);
        }
        Stat::Each(_, values, body) => {
            values.iter_mut().for_each(functions_of_expr);
            relieve(body);
        }
        Stat::Do(body) => relieve(body),
        Stat::Comment(_)
        | Stat::Blank
        | Stat::Break
        | Stat::Continue
        | Stat::TypeAlias { .. }
        | Stat::Source(_) => {}
    }
}

fn functions_of_expr(expr: &mut Expr) {
    match expr {
        Expr::Function(function) => relieve_function(function),
        Expr::Field(inner, _) | Expr::Unary(_, inner) | Expr::Cast(inner, _) => functions_of_expr(inner),
        Expr::Index(left, right) | Expr::Binary(left, _, right) => {
            functions_of_expr(left);
            functions_of_expr(right);
        }
        Expr::Call(callee, args) | Expr::Method(callee, _, args) => {
            functions_of_expr(callee);
            args.iter_mut().for_each(functions_of_expr);
        }
        Expr::Table(entries) => {
            for entry in entries {
                match entry {
                    Entry::Item(value) | Entry::Named(_, value) => functions_of_expr(value),
                    Entry::Keyed(key, value) => [key, value].into_iter().for_each(functions_of_expr),
                    Entry::Comment(_) => {}
                }
            }
        }
        Expr::If(arms, otherwise) => {
            for (condition, value) in arms {
                functions_of_expr(condition);
                functions_of_expr(value);
            }
            functions_of_expr(otherwise);
        }
        Expr::Nil
        | Expr::Bool(_)
        | Expr::Number(_)
        | Expr::Text(_)
        | Expr::Name(_)
        | Expr::Varargs
        | Expr::Verbatim(_) => {}
    }
}

fn relieve_function(function: &mut Function) {
    relieve(&mut function.body);
    relieve_block(&mut function.body, function.params.len());
}

/// The blocks in a statement, each with the locals that come before its own.
fn blocks(stat: &mut Stat) -> Vec<(&mut Block, usize)> {
    match stat {
        Stat::If(arms, otherwise) => {
            arms.iter_mut().map(|(_, body)| body).chain(otherwise).map(|body| (body, 0)).collect()
        }
        Stat::While(_, body) | Stat::Repeat(body, _) | Stat::Do(body) => vec![(body, 0)],
        // A loop keeps three values of its own beside its names.
        Stat::Count(.., body) => vec![(body, 4)],
        Stat::Each(names, _, body) => {
            let own = names.len() + 3;
            vec![(body, own)]
        }
        Stat::Comment(_)
        | Stat::Blank
        | Stat::Local(..)
        | Stat::Assign(..)
        | Stat::Compound(..)
        | Stat::Call(_)
        | Stat::Return(_)
        | Stat::Break
        | Stat::Continue
        | Stat::Function(..)
        | Stat::TypeAlias { .. }
        | Stat::Source(_) => Vec::new(),
    }
}

/// Splits a block that begins with `live` locals in scope.
fn relieve_block(block: &mut Block, mut live: usize) {
    let mut place = 0;
    let mut changed = true;
    while place < block.stats.len() {
        if changed && live >= CROWDED && live + most(&mut block.stats[place..]) > LIMIT {
            let rest = &mut block.stats[place..];
            if can_leave(rest) {
                let rest = Block { stats: block.stats.split_off(place) };
                split(block, rest);
                return;
            }
        }
        for (inner, own) in blocks(&mut block.stats[place]) {
            relieve_block(inner, live + own);
        }
        let declared = match &block.stats[place] {
            Stat::Local(params, _) => params.len(),
            Stat::Function(..) => 1,
            _ => 0,
        };
        live += declared;
        changed = declared > 0;
        place += 1;
    }
}

/// Puts `rest` behind `block`, in a function of its own.
fn split(block: &mut Block, mut rest: Block) {
    let returns = matches!(rest.stats.last(), Some(Stat::Return(_)));
    raise_levels(&mut rest.stats);
    relieve_block(&mut rest, 0);
    block.function(REST, Function { params: Vec::new(), varargs: None, returns: None, body: rest });
    if returns {
        block.ret([call(REST, [])]);
    } else {
        block.call(REST, []);
    }
}

/// Most locals of these statements that are in scope at once.
fn most(stats: &mut [Stat]) -> usize {
    let (mut live, mut most_live) = (0, 0);
    for stat in stats {
        match stat {
            Stat::Local(params, _) => live += params.len(),
            Stat::Function(..) => live += 1,
            _ => {
                for (inner, own) in blocks(stat) {
                    most_live = most_live.max(live + own + most(&mut inner.stats));
                }
            }
        }
        most_live = most_live.max(live);
    }
    most_live
}

/// Whether statements can move into a function: nothing but a last `return` leaves them early.
fn can_leave(stats: &mut [Stat]) -> bool {
    match stats {
        [inner @ .., Stat::Return(_)] => stays(inner, false),
        stats => stays(stats, false),
    }
}

fn stays(stats: &mut [Stat], in_loop: bool) -> bool {
    stats.iter_mut().all(|stat| match stat {
        Stat::Return(_) => false,
        Stat::Break | Stat::Continue => in_loop,
        stat => {
            let loops = matches!(stat, Stat::While(..) | Stat::Repeat(..) | Stat::Count(..) | Stat::Each(..));
            blocks(stat).into_iter().all(|(inner, _)| stays(&mut inner.stats, in_loop || loops))
        }
    })
}

/// Errors that name the line of a caller name the same one from a call further in.
fn raise_levels(stats: &mut [Stat]) {
    for stat in stats {
        if let Stat::Call(Expr::Call(callee, args)) = stat
            && **callee == name("error")
            && let [_, Expr::Number(level)] = args.as_mut_slice()
            && *level > 0.0
        {
            *level += 1.0;
        }
        for (inner, _) in blocks(stat) {
            raise_levels(&mut inner.stats);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::print::print;
    use super::*;

    /// A function of nested `if`s, `each` locals in each and an error in the innermost.
    fn nested(depth: usize, each: usize) -> Block {
        let mut body = block(|b| _ = b.call("error", [text("no"), num(2)]));
        for level in (0..depth).rev() {
            body = block(|b| {
                for place in 0..each {
                    b.local(format!("L{level}_{place}"), num(0));
                }
                b.when(name("On"), body.clone());
            });
        }
        block(|b| _ = b.function("Fire", Function::new(vec![bare("On")], body)))
    }

    /// Most locals of any function.
    fn crowd(stats: &mut [Stat]) -> usize {
        let mut found = most(stats);
        for stat in stats {
            if let Stat::Function(_, function) = stat {
                found = found.max(function.params.len() + crowd(&mut function.body.stats));
            }
            for (inner, _) in blocks(stat) {
                found = found.max(crowd(&mut inner.stats));
            }
        }
        found
    }

    #[test]
    fn ordinary_functions_stay_as_they_are() {
        let mut few = nested(16, 10);
        let before = few.clone();
        relieve(&mut few);
        assert_eq!(few, before);
    }

    #[test]
    fn no_function_keeps_more_locals_than_the_limit() {
        for (depth, each) in [(60, 4), (200, 3), (3, 90), (1, 500), (500, 1)] {
            let mut many = nested(depth, each);
            relieve(&mut many);
            assert!(crowd(&mut many.stats) <= LIMIT + 4, "{depth} blocks of {each}");
        }
    }

    #[test]
    fn an_error_names_the_same_caller() {
        let mut many = nested(60, 4);
        relieve(&mut many);
        let text = print(&many);
        assert_eq!(text.matches("local function Deeper()").count(), 1);
        // So far to the right, every argument has a line of its own.
        let call: String = text.split_whitespace().collect();
        assert!(call.contains("error(\"no\",3)"), "{text}");
    }

    #[test]
    fn what_returns_a_value_goes_on_doing_so() {
        let mut many = nested(1, 190);
        let Stat::Function(_, function) = &mut many.stats[0] else { panic!("a function") };
        function.body.ret([name("L0_3")]);
        relieve(&mut many);
        let text = print(&many);
        assert!(text.contains("return Deeper()"), "{text}");
    }

    #[test]
    fn what_leaves_a_loop_stays_in_it() {
        let mut inner = Block::new();
        for place in 0..190 {
            inner.local(format!("L{place}"), num(0));
        }
        inner.push(Stat::Break);
        let looped = block(|b| _ = b.push(Stat::While(name("On"), inner)));
        let mut module = block(|b| _ = b.function("Read", Function::new(vec![bare("On")], looped)));
        let before = module.clone();
        relieve(&mut module);
        assert_eq!(module, before);
    }
}
