//! Commands that move time: frame by frame, so that watches, breaks and Ctrl-C stop it.

use std::time::Instant;

use super::commands::{Outcome, Words, number};
use super::{Repl, Reply};
use crate::clock::Time;
use crate::value::Value;

/// Longest run of `.until`, in virtual seconds.
const PATIENCE: f64 = 60.0;

impl Repl {
    /// Runs server frames until `count` have passed, `done` says so, or something stops time. Gives the frames that ran
    /// and why they were not more.
    pub(super) fn frames(
        &mut self,
        count: u64,
        mut done: impl FnMut(&mut Repl) -> Result<bool, String>,
    ) -> Result<(u64, Option<String>), String> {
        for frame in 0..count {
            if self.interrupt.is_set() {
                return Ok((frame, Some("interrupted".to_string())));
            }
            self.extend_deadline();
            self.step_frame()?;
            if let Some(stop) = self.stopped() {
                return Ok((frame + 1, Some(stop)));
            }
            if done(self)? {
                return Ok((frame + 1, None));
            }
        }
        Ok((count, None))
    }

    /// One frame of the server.
    pub(super) fn step_frame(&mut self) -> Result<(), String> {
        self.world.step(1).map_err(|error| error.to_string())
    }

    /// What a stretch of time led to: output, and why it ended early.
    fn moved(&mut self, frames: u64, stop: Option<String>) -> Outcome {
        if frames > 0 {
            self.note_frames(frames);
        }
        let text = stop
            .map_or(String::new(), |stop| format!("stopped at {:.3} s: {stop}", self.world.now().seconds()));
        Ok(self.with_output(text))
    }

    pub(super) fn step(&mut self, words: &Words) -> Outcome {
        let count = number(words.get(0), 1.0)?;
        if !(0.0..=1e9).contains(&count) || count.fract() != 0.0 {
            return Err(format!(".step takes a number of frames, not {count}"));
        }
        let (frames, stop) = self.frames(count as u64, |_| Ok(false))?;
        self.moved(frames, stop)
    }

    pub(super) fn advance(&mut self, words: &Words) -> Outcome {
        let seconds = words.get(0).ok_or(".advance needs a number of seconds")?;
        let seconds = number(Some(seconds), 0.0)?;
        if !(0.0..=1e9).contains(&seconds) {
            return Err(format!(".advance takes a number of seconds, not {seconds}"));
        }
        let end = self.world.now() + Time::from_seconds(seconds);
        let began = self.world.now();
        let mut stop = None;
        let mut frames = 0;
        while stop.is_none() && self.world.server().timer.get().next() <= end {
            let (more, why) = self.frames(1, |_| Ok(false))?;
            frames += more;
            stop = why;
        }
        if stop.is_none() {
            let rest = end - self.world.now();
            self.world.advance(rest)?;
            let text = format!("{}", (self.world.now() - began).seconds());
            self.note(format!(".advance {text}"), format!("world:advance({text})"));
            return Ok(self.with_output(""));
        }
        self.moved(frames, stop)
    }

    pub(super) fn settle(&mut self, _: &Words) -> Outcome {
        self.world.settle(Time::from_seconds(30.0))?;
        self.note(".settle".into(), "world:settle({ within = 30 })".into());
        Ok(self.with_output(""))
    }

    pub(super) fn until(&mut self, words: &Words) -> Outcome {
        if words.rest.is_empty() {
            return Err(".until needs an expression".into());
        }
        let test = self.watcher(&words.rest)?;
        let side = self.side();
        let is_true = move |repl: &mut Repl| -> Result<bool, String> {
            let peer = repl.world.peer(side)?;
            let values = peer.vm.call(&test, &[]).map_err(|failure| failure.text)?;
            Ok(!matches!(values.first(), None | Some(Value::Nil | Value::Boolean(false))))
        };
        if is_true(self)? {
            return Ok(self.with_output("it is true already"));
        }
        let mut held = false;
        let count = (PATIENCE * self.options.fps).ceil() as u64;
        let outcome = self.frames(count, |repl| {
            held = is_true(repl)?;
            Ok(held)
        });
        let (frames, stop) = outcome?;
        if !held && stop.is_none() {
            self.note_frames(frames);
            let output = self.new_output();
            return Err(format!("{output}it was still false after {PATIENCE} virtual seconds"));
        }
        self.moved(frames, stop)
    }

    pub(super) fn play(&mut self, words: &Words) -> Outcome {
        let speed = number(words.get(0), 1.0)?;
        if !(0.001..=1000.0).contains(&speed) {
            return Err(format!(".play takes a speed from 0.001 to 1000, not {speed}"));
        }
        Ok(Reply::Play(speed))
    }

    /// One frame of `.play`: its length in virtual seconds, and a text to show. `Err` is why time stands still again,
    /// for people.
    pub fn play_frame(&mut self) -> Result<(f64, String), String> {
        let began = self.world.now();
        self.deadline().set(Some(Instant::now() + super::LONGEST));
        let outcome = self.step_frame();
        self.deadline().set(None);
        outcome?;
        self.note_frames(1);
        let text = self.new_output();
        match self.stopped() {
            Some(stop) => Err(format!("{text}stopped at {:.3} s: {stop}", self.world.now().seconds())),
            None => Ok(((self.world.now() - began).seconds(), text)),
        }
    }

    pub(super) fn pause(&mut self, _: &Words) -> Outcome {
        let paused = !self.world.is_paused();
        self.world.set_paused(paused);
        self.note(".pause".into(), if paused { "world:pause()" } else { "world:resume()" }.into());
        Ok(Reply::Text(if paused { "simulation rests" } else { "simulation goes on" }.into()))
    }
}
