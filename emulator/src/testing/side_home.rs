//! A side of a world as a home of the membrane: whose values the test holds and calls, and which holds and calls the test's.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use crate::membrane::{Home, OnEnd, copy};
use crate::peer::Peer;
use crate::shared::Side;
use crate::value::{InstanceId, Value};
use crate::vm::{Failure, Handle, Parked, ThreadEnd, Vm};
use crate::world::World;

/// A side as a home of the membrane.
pub struct SideHome {
    number: u32,
    world: Weak<World>,
    side: Side,
    peer: Rc<Peer>,
}

/// Gives functions that stand for the methods of a signal or a connection: those are what they are on their side alone.
const STAND_IN: &str = r#"
local held = ...
if typeof(held) == "RBXScriptSignal" then
	return {
		Connect = function(_, listener)
			return held:Connect(listener)
		end,
		Once = function(_, listener)
			return held:Once(listener)
		end,
		Wait = function()
			return held:Wait()
		end,
	}
end
return {
	Disconnect = function()
		held:Disconnect()
	end,
	IsConnected = function()
		return held.Connected
	end,
}
"#;

impl SideHome {
    /// The home of a side of the world with that number in its test.
    pub fn new(number: u32, world: &Rc<World>, side: Side, peer: Rc<Peer>) -> SideHome {
        SideHome { number, world: Rc::downgrade(world), side, peer }
    }

    /// Errors: it is the server of a universe and runs no more.
    fn check_running(&self) -> Result<(), String> {
        match self.world.upgrade() {
            Some(world) if self.side.is_server() => world.check_running().map_err(|error| error.to_string()),
            _ => Ok(()),
        }
    }
}

impl Home for SideHome {
    fn with_vm(&self, body: &mut dyn FnMut(&Vm)) {
        body(&self.peer.vm);
    }

    fn world(&self) -> Option<u32> {
        Some(self.number)
    }

    fn knows(&self, instance: InstanceId) -> bool {
        self.peer.data_model().store().get(instance).is_some()
    }

    fn start(&self, function: &Handle, arguments: &[Value], on_end: OnEnd) {
        if let Err(text) = self.check_running() {
            on_end(Err(Failure::text(text)));
            return;
        }
        let owner = self.peer.new_owner(None, "[test]");
        let end = Rc::new(RefCell::new(Some(on_end)));
        let later = end.clone();
        let started = self.peer.spawn_then(
            function,
            owner,
            arguments,
            Box::new(move |_, result| {
                if let Some(on_end) = later.borrow_mut().take() {
                    on_end(result);
                }
            }),
        );
        if let Err(failure) = started {
            let on_end = end.borrow_mut().take();
            if let Some(on_end) = on_end {
                on_end(Err(failure));
            }
        }
    }

    fn stand_in(&self, held: &Value) -> Result<Value, String> {
        let function =
            self.peer.load(&Arc::from(STAND_IN), "[test]", &[]).map_err(|failure| failure.report())?;
        let ended: Rc<RefCell<Option<ThreadEnd>>> = Rc::default();
        let slot = ended.clone();
        let on_end: OnEnd = Box::new(move |end| *slot.borrow_mut() = Some(end));
        self.start(&function, std::slice::from_ref(held), on_end);
        let end = ended.borrow_mut().take().unwrap_or(Ok(Vec::new()));
        let values = end.map_err(|failure| failure.report())?;
        let copied = self.peer.vm.enter(|cx| copy::shallow_to_deep(cx, &values));
        let made = copied.map_err(|failure| failure.text)?.into_iter().next();
        made.ok_or_else(|| format!("a {} has nothing to stand for it", held.type_name()))
    }

    fn wake(&self, parked: Parked, result: Result<Vec<Value>, String>) {
        // What a server that has ended waited for comes too late.
        if self.check_running().is_err() {
            return;
        }
        match result {
            Ok(values) => self.peer.resume(&parked, &values),
            Err(text) => self.peer.fail(&parked, &text),
        };
    }
}
