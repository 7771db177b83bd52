//! An event's rate limit, charged in place by its reader: a call would cost a tenth of a small event.
//!
//! Functions call the runtime's `take` instead, and so do events of a schema with very many: functions do much else for
//! each call, and the type checker follows only so much in one module.

use super::ast::*;
use super::context::Context;
use super::module::State;
use crate::schema::Rate;

/// Most events of a module whose rates are charged in place.
pub const MOST: usize = 32;

/// A rate, and what a module keeps of it.
pub struct Limit {
    rate: Rate,
    is_in_place: bool,
    /// A bucket for each player.
    buckets: Expr,
}

impl Limit {
    /// Declares the buckets of the event whose names begin with `key`.
    pub fn declare(cx: &mut Context, key: &str, rate: Rate, state: &mut State) -> Limit {
        let is_in_place = cx.charges_in_place;
        let value = if is_in_place {
            apply(cx.runtime("Bucket", "buckets"), [num(rate.burst)])
        } else {
            apply(cx.runtime("Bucket", "limit"), [num(rate.rate), num(rate.burst)])
        };
        Limit { rate, is_in_place, buckets: state.declare(&format!("{key}Rate"), None, value) }
    }

    /// The function that forgets a player who is leaving.
    pub fn drop(&self) -> Expr {
        field(self.buckets.clone(), "drop")
    }

    /// Statements that run `paid` where `Player` can pay for an item and `refused` where not, as `take` of the runtime's
    /// `Bucket.limit` decides it. Of a player who has left nothing is done.
    pub fn charge(&self, paid: Block, refused: Block) -> Block {
        if !self.is_in_place {
            let take = field(self.buckets.clone(), "take");
            return block(|b| {
                b.local("Paid", apply(take, [name("Player"), num(1), call("os.clock", [])]));
                let over = eq(name("Paid"), Expr::Bool(false));
                b.push(Stat::If(vec![(name("Paid"), paid), (over, refused)], None));
            });
        }
        let held = index(field(self.buckets.clone(), "held"), name("Player"));
        let opened = apply(field(self.buckets.clone(), "open"), [name("Player"), name("Clock")]);
        let passed = sub(name("Clock"), path("Bucket.at"));
        let refilled = add(path("Bucket.tokens"), mul(passed, num(self.rate.rate)));
        // A bucket may be there still: where signals are deferred, `drop` comes a while after the leaving.
        let charged = block(|b| {
            b.local("Clock", call("os.clock", []));
            b.local("Bucket", or(held, opened));
            b.local("Tokens", call("math.min", [num(self.rate.burst), refilled]));
            b.assign(path("Bucket.at"), name("Clock"));
            let paid = block(|b| {
                b.assign(path("Bucket.tokens"), sub(name("Tokens"), num(1)));
                b.append(paid);
            });
            let refused = block(|b| {
                b.assign(path("Bucket.tokens"), name("Tokens"));
                b.append(refused);
            });
            b.when_else(ge(name("Tokens"), num(1)), paid, refused);
        });
        block(|b| _ = b.when(path("Player.Parent"), charged))
    }
}
