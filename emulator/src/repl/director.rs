//! Input outside every side: a VM with the test API, in which `world` is the world of the session.

use std::rc::Rc;

use super::eval::{Ended, PATIENCE, is_incomplete, show};
use super::{Repl, Reply};
use crate::clock::Time;
use crate::membrane::copy;
use crate::testing::WorldDefaults;
use crate::testing::director::{Director, DirectorOptions, end_cell};
use crate::testing::kit::Kit;
use crate::value::Value;
use crate::vm::{self, Handle, compile};

/// The director of a session.
pub(super) struct Desk {
    director: Rc<Director>,
    /// Shares its environment with every input.
    session: Handle,
    /// Makes the handle of a world.
    attach: Handle,
    world: u32,
}

impl Repl {
    /// The director, made at its first use.
    fn desk(&mut self) -> Result<&Desk, vm::Failure> {
        if self.director.is_none() {
            let director = Director::new(DirectorOptions {
                seed: self.options.seed,
                signals: self.world.core().settings().signals,
                deadline: self.deadline().clone(),
                file: self.options.path.join("prompt"),
                stored: crate::testing::stored::StoredMode::Strict,
                most_seconds: None,
                coverage: None,
                world: WorldDefaults::default(),
                env: Vec::new(),
            })?;
            let (api, globals) = Kit::load_api(&director)?;
            let code = compile("", "input").map_err(|error| vm::Failure::text(error.to_string()))?;
            let globals: Vec<(&str, Value)> =
                globals.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            let session = director.vm().load(&code, "input", &globals)?;
            let attach = director.vm().enter(|cx| {
                cx.push_handle(&api);
                cx.get_field(-1, "world");
                cx.get_field(-1, "attach");
                cx.function(-1)
            })?;
            let world = director.worlds.add(self.world.clone(), self.game.built.clone());
            self.director = Some(Desk { director, session, attach, world });
        }
        match &self.director {
            Some(desk) => Ok(desk),
            None => Err(vm::Failure::text("there is no director")),
        }
    }

    /// Names in the director's environment, for completion.
    pub(super) fn outside(&self) -> Option<(&Rc<Director>, &Handle)> {
        self.director.as_ref().map(|desk| (&desk.director, &desk.session))
    }

    /// Makes `world` what the world is now.
    fn refresh(&mut self) -> Result<(), vm::Failure> {
        let clients: Vec<Value> = self
            .world
            .clients()
            .iter()
            .map(|client| {
                Value::record([
                    ("index", Value::Number(f64::from(client.index()) + 1.0)),
                    ("name", Value::from(self.side_name(client.side))),
                ])
            })
            .collect();
        let desk = self.desk()?;
        let number = Value::Number(f64::from(desk.world));
        let setter = compile("world = ...", "input").map_err(|error| vm::Failure::text(error.to_string()))?;
        let setter = desk.director.vm().load_beside(&setter, "input", &desk.session)?;
        let handle = desk.director.vm().enter(|cx| {
            cx.push_handle(&desk.attach);
            cx.push(&number);
            cx.push(&Value::array(clients));
            cx.call(2, 1);
            cx.table(-1)
        })?;
        desk.director.vm().enter(|cx| {
            cx.push_handle(&setter);
            cx.push_handle(&handle);
            cx.call(1, 0);
            Ok(())
        })
    }

    /// Runs the pending input in the director.
    pub(super) fn evaluate_outside(&mut self, source: &str) -> Reply {
        let compiled = self.compile_outside(source);
        let (function, text) = match compiled {
            Ok(compiled) => compiled,
            Err(failure) if is_incomplete(&failure.text) => return Reply::More,
            Err(failure) => {
                self.pending.clear();
                return Reply::Problem(failure.text);
            }
        };
        self.pending.clear();
        let ended = self.run_outside(&function);
        self.note_outside(source, &text, &ended);
        match ended.values {
            Some(Ok(values)) => {
                let peer = self.world.server().peer.clone();
                let shown: Vec<String> = values.iter().map(|value| show(&peer, value)).collect();
                self.with_output(shown.join("\n"))
            }
            Some(Err(text)) => {
                let output = self.new_output();
                Reply::Problem(format!("{output}{text}"))
            }
            None => self.with_output(format!("(given up after {PATIENCE} virtual seconds)")),
        }
    }

    fn compile_outside(&mut self, source: &str) -> Result<(Handle, String), vm::Failure> {
        self.refresh()?;
        let desk = self.desk()?;
        let expression = source.strip_prefix('=').unwrap_or(source);
        let load = |text: String| {
            let code = compile(&text, "input").map_err(|error| vm::Failure::text(error.to_string()))?;
            desk.director.vm().load_beside(&code, "input", &desk.session).map(|function| (function, text))
        };
        load(format!("return {expression}")).or_else(|_| load(source.to_string()))
    }

    fn run_outside(&mut self, function: &Handle) -> Ended {
        let failed = |text: String, frames| Ended { values: Some(Err(text)), frames };
        let director = match self.desk() {
            Ok(desk) => desk.director.clone(),
            Err(failure) => return failed(failure.text, 0),
        };
        let printed = director.worlds.printed();
        let (end, on_end) = end_cell();
        director.start(function, &[], on_end);
        let until = self.world.now().seconds() + PATIENCE;
        let frame = Time::of_frame(1, self.options.fps).seconds();
        let mut frames = 0;
        let outcome = loop {
            director.pump();
            if let Some(end) = end.borrow_mut().take() {
                break Some(end);
            }
            if self.world.now().seconds() >= until || self.interrupt.is_set() {
                break None;
            }
            self.extend_deadline();
            if let Err(text) = self.step_frame() {
                return failed(text, frames);
            }
            director.advance(frame);
            frames += 1;
        };
        let values = outcome.map(|end| match end {
            Ok(values) => {
                director.vm().enter(|cx| copy::for_show(cx, &values)).map_err(|failure| failure.text)
            }
            Err(failure) => Err(thrown(&director, &failure)),
        });
        self.printed = director.worlds.printed_since(printed);
        Ended { values, frames }
    }
}

/// An error of the director in words: an expectation is a table that holds them.
fn thrown(director: &Rc<Director>, failure: &vm::Failure) -> String {
    let Value::Reference(table) = &failure.value else { return failure.text.clone() };
    let message = director.vm().enter(|cx| {
        cx.push_handle(table);
        cx.get_field(-1, "message");
        Ok(cx.display(-1))
    });
    message.unwrap_or_else(|_| failure.text.clone())
}
