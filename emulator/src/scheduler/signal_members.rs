//! What scripts see of signals and connections.

use std::sync::LazyLock;

use super::Signals;
use crate::value::{ConnectionId, SignalKey};
use crate::vm::{
    Atom, AtomMap, Cx, Failure, Handle, Method, Outcome, Raise, Returns, TypeTable, Vm, light, not_a_member,
};

static SIGNAL: TypeTable = TypeTable {
    name: "RBXScriptSignal",
    index: Some(signal_index),
    newindex: None,
    namecall: Some(signal_call),
    tostring: Some(signal_text),
    operators: &[],
};

static CONNECTION: TypeTable = TypeTable {
    name: "RBXScriptConnection",
    index: Some(connection_index),
    newindex: Some(connection_newindex),
    namecall: Some(connection_call),
    tostring: Some(connection_text),
    operators: &[],
};

static SIGNAL_METHODS: LazyLock<AtomMap<Method>> = LazyLock::new(|| {
    let methods: [Method; 6] = [
        Method { name: "Connect", call: connect },
        Method { name: "Once", call: once },
        Method { name: "Wait", call: wait },
        Method { name: "ConnectParallel", call: connect_parallel },
        // Old spellings that much code still uses.
        Method { name: "connect", call: connect },
        Method { name: "wait", call: wait },
    ];
    methods.into_iter().map(|method| (method.name, method)).collect()
});

static CONNECTION_METHODS: LazyLock<AtomMap<Method>> = LazyLock::new(|| {
    let methods =
        [Method { name: "Disconnect", call: disconnect }, Method { name: "disconnect", call: disconnect }];
    methods.into_iter().map(|method| (method.name, method)).collect()
});

static CONNECTED: LazyLock<Atom> = LazyLock::new(|| Atom::of("Connected"));

/// Registers both types.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    // Names must be known before a script's string caches that they are not.
    LazyLock::force(&SIGNAL_METHODS);
    LazyLock::force(&CONNECTION_METHODS);
    LazyLock::force(&CONNECTED);
    vm.register_light(light::SIGNAL, SIGNAL)?;
    vm.register_light(light::CONNECTION, CONNECTION)
}

fn signal_index(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let Some(method) = SIGNAL_METHODS.get(atom) else {
        return Err(not_a_member(&cx.display(2), Some(SIGNAL)));
    };
    cx.push_method(method);
    Ok(Returns::ONE)
}

fn signal_call(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    match SIGNAL_METHODS.get(atom) {
        Some(method) => (method.call)(cx),
        None => Err(not_a_member(&cx.callee(), Some(SIGNAL))),
    }
}

fn signal_text(cx: &mut Cx<'_>) -> Outcome {
    let key = cx.signal(1)?;
    let name = cx.peer().tree().signal_name(key);
    let event = name.rsplit('.').next().unwrap_or(&name);
    cx.push_string(format!("Signal {event}"));
    Ok(Returns::ONE)
}

fn this_signal(cx: &Cx<'_>) -> Result<SignalKey, Raise> {
    cx.signal(0).map_err(|_| expected_colon(cx))
}

fn expected_colon(cx: &Cx<'_>) -> Raise {
    Raise::new(format!("Expected ':' not '.' calling member function {}", cx.callee()))
}

/// How a function is connected.
type Connect = fn(&Signals, SignalKey, Handle, u32) -> ConnectionId;

fn connect(cx: &mut Cx<'_>) -> Outcome {
    connected(cx, Signals::connect)
}

fn once(cx: &mut Cx<'_>) -> Outcome {
    connected(cx, Signals::once)
}

fn connected(cx: &mut Cx<'_>, connect: Connect) -> Outcome {
    let key = this_signal(cx)?;
    let function = cx
        .function(1)
        .map_err(|_| Raise::new("Attempt to connect failed: Passed value is not a function"))?;
    cx.check_memory(0)?;
    let peer = cx.peer();
    let owner = cx.owner();
    let id = connect(&peer.signals, key, function, owner);
    peer.signals.connected(&peer, key);
    cx.push_connection(id);
    Ok(Returns::ONE)
}

fn connect_parallel(cx: &mut Cx<'_>) -> Outcome {
    this_signal(cx)?;
    if cx.peer().actor.is_none() {
        return Err(Raise::new("ConnectParallel can only be used by a script under an Actor"));
    }
    connected(cx, Signals::connect_parallel)
}

fn wait(cx: &mut Cx<'_>) -> Outcome {
    let key = this_signal(cx)?;
    let parked = cx.park()?;
    let peer = cx.peer();
    peer.signals.wait(key, parked);
    peer.signals.connected(&peer, key);
    Ok(Returns::Yield)
}

fn connection_index(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    if atom == *CONNECTED {
        let id = cx.connection(1)?;
        let connected = cx.peer().signals.is_connected(id);
        cx.push_boolean(connected);
        return Ok(Returns::ONE);
    }
    let Some(method) = CONNECTION_METHODS.get(atom) else {
        return Err(not_a_member(&cx.display(2), Some(CONNECTION)));
    };
    cx.push_method(method);
    Ok(Returns::ONE)
}

fn connection_newindex(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    if atom == *CONNECTED {
        return Err(Raise::new("Unable to assign property Connected. Property is read only"));
    }
    Err(not_a_member(&cx.display(2), Some(CONNECTION)))
}

fn connection_call(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    match CONNECTION_METHODS.get(atom) {
        Some(method) => (method.call)(cx),
        None => Err(not_a_member(&cx.callee(), Some(CONNECTION))),
    }
}

fn connection_text(cx: &mut Cx<'_>) -> Outcome {
    cx.push_string("Connection");
    Ok(Returns::ONE)
}

fn disconnect(cx: &mut Cx<'_>) -> Outcome {
    let id: ConnectionId = cx.connection(0).map_err(|_| expected_colon(cx))?;
    cx.peer().signals.disconnect(id);
    Ok(Returns::NONE)
}
