//! Keeps every function within the 200 locals Luau allows, however deep and wide a schema nests.
//!
//! Emitters count roughly and keep ordinary types far below the limit. Here locals are counted exactly: where a
//! function would have too many in scope, the rest of the block at hand becomes a function of its own, called in place.
//! It reaches what it needs as upvalues. Nothing else changes but the levels of errors, which count one call more. The
//! printer asks for it function by function, while it goes through the tree anyway.

use super::ast::*;

/// Locals a function may have by its own count. Registers are 255, and calls and constructors need some.
const LIMIT: usize = 170;

/// Locals up to which no block is looked at: what is split off must leave enough behind to be worth it.
const CROWDED: usize = 100;

/// Values that a loop keeps of its own beside its names, and those of one over numbers with its name.
const LOOP_OWN: usize = 3;
const COUNT_OWN: usize = LOOP_OWN + 1;

/// Name of a function that a crowded block's rest is put into.
const REST: &str = "Deeper";

/// A function with what is crowded in it split off; nothing when nothing is, as it is nearly always. Functions inside it
/// are left as they are.
pub fn relieved(function: &Function) -> Option<Function> {
    if function.params.len() + most(&function.body) <= LIMIT {
        return None;
    }
    let mut function = function.clone();
    relieve_block(&mut function.body, function.params.len());
    Some(function)
}

/// Locals of a loop's own, which come before those of its block.
fn own(stat: &Stat) -> usize {
    if let Stat::Each(each) = stat {
        each.names.len() + LOOP_OWN
    } else if matches!(stat, Stat::Count(_)) {
        COUNT_OWN
    } else {
        0
    }
}

/// Splits a block that begins with `live` locals in scope.
fn relieve_block(block: &mut Block, mut live: usize) {
    let mut place = 0;
    let mut changed = true;
    while place < block.stats.len() {
        if changed
            && live >= CROWDED
            && live + most_of(&block.stats[place..]) > LIMIT
            && can_leave(&block.stats[place..])
        {
            let rest = Block { stats: block.stats.split_off(place) };
            split(block, rest);
            return;
        }
        let stat = &mut block.stats[place];
        let own = own(stat);
        for inner in stat.blocks_mut() {
            relieve_block(inner, live + own);
        }
        let declared = stat.locals();
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

/// Most locals of a block that are in scope at once.
fn most(block: &Block) -> usize {
    most_of(&block.stats)
}

fn most_of(stats: &[Stat]) -> usize {
    let (mut live, mut most_live) = (0, 0);
    for stat in stats {
        live += stat.locals();
        let inner = stat.blocks().map(|inner| own(stat) + most(inner)).max().unwrap_or(0);
        most_live = most_live.max(live + inner);
    }
    most_live
}

/// Whether statements can move into a function: nothing but a last `return` leaves them early.
fn can_leave(stats: &[Stat]) -> bool {
    match stats {
        [inner @ .., Stat::Return(_)] => stays(inner, false),
        stats => stays(stats, false),
    }
}

fn stays(stats: &[Stat], in_loop: bool) -> bool {
    stats.iter().all(|stat| match stat {
        Stat::Return(_) => false,
        Stat::Break | Stat::Continue => in_loop,
        stat => {
            let loops = matches!(stat, Stat::While(..) | Stat::Repeat(..) | Stat::Count(..) | Stat::Each(..));
            stat.blocks().all(|inner| stays(&inner.stats, in_loop || loops))
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
        for inner in stat.blocks_mut() {
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

    /// Relieves the functions of a module.
    fn relieve(module: &mut Block) {
        for stat in &mut module.stats {
            if let Stat::Function(_, function) = stat
                && let Some(relieved) = relieved(function)
            {
                **function = relieved;
            }
        }
    }

    /// Most locals of any function.
    fn crowd(stats: &[Stat]) -> usize {
        let mut found = most_of(stats);
        for stat in stats {
            if let Stat::Function(_, function) = stat {
                found = found.max(function.params.len() + crowd(&function.body.stats));
            }
            for inner in stat.blocks() {
                found = found.max(crowd(&inner.stats));
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
            assert!(crowd(&many.stats) <= LIMIT + 4, "{depth} blocks of {each}");
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
        let looped = block(|b| _ = b.push(while_loop(name("On"), inner)));
        let mut module = block(|b| _ = b.function("Read", Function::new(vec![bare("On")], looped)));
        let before = module.clone();
        relieve(&mut module);
        assert_eq!(module, before);
    }
}
