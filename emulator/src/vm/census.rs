//! What a VM still holds: a count that tests ask for when they look for leaks.

use std::ffi::c_int;

use mlua::ffi::*;
use rustc_hash::FxHashSet;

use super::native::Cx;
use super::state::protect;
use super::types::light;
use super::{Failure, Vm, values};
use crate::value::InstanceId;

impl Vm {
    /// How many entries of tables and captured variables hold an instance, among all that can be reached from globals,
    /// connections and whatever the host keeps.
    ///
    /// An entry counts once for its key and once for its value. Weak tables hold nothing, and what is only on the
    /// stack of a waiting thread is not seen. No code runs.
    pub fn holders(&self, instance: InstanceId) -> Result<usize, Failure> {
        protect(&self.inner, |cx| {
            // SAFETY: a protected call of this VM; the walk leaves the stack as it was.
            Ok(unsafe { Census::new(cx, instance).count() })
        })
    }
}

struct Census<'a, 'b> {
    cx: &'a Cx<'b>,
    l: *mut lua_State,
    instance: InstanceId,
    /// Slot of the table of what is still to be looked into, and how many there are.
    pending: c_int,
    waiting: c_int,
    seen: FxHashSet<usize>,
    found: usize,
}

impl<'a, 'b> Census<'a, 'b> {
    unsafe fn new(cx: &'a Cx<'b>, instance: InstanceId) -> Census<'a, 'b> {
        let l = cx.state();
        cx.push_table(0, 0);
        cx.reserve(8);
        // SAFETY: the table was just pushed.
        let pending = unsafe { lua_gettop(l) };
        Census { cx, l, instance, pending, waiting: 0, seen: FxHashSet::default(), found: 0 }
    }

    /// # Safety
    /// The state is in a protected call, and the slots this was made with are untouched.
    unsafe fn count(mut self) -> usize {
        // SAFETY: indexes are those of values pushed here; room for them was reserved.
        unsafe {
            lua_pushvalue(self.l, LUA_REGISTRYINDEX);
            self.look();
            while self.waiting > 0 {
                lua_rawgeti_(self.l, self.pending, self.waiting);
                lua_pushnil(self.l);
                lua_rawseti_(self.l, self.pending, self.waiting);
                self.waiting -= 1;
                if lua_type(self.l, -1) == LUA_TTABLE {
                    self.table()
                } else {
                    self.function()
                }
                lua_settop(self.l, self.pending);
            }
        }
        self.cx.pop(1);
        self.found
    }

    /// Takes the value on top, counts it when it is the instance, and notes it to be looked into.
    unsafe fn look(&mut self) {
        // SAFETY: a value is on top.
        unsafe {
            match lua_type(self.l, -1) {
                LUA_TLIGHTUSERDATA => {
                    let id = lua_tolightuserdatatagged(self.l, -1, light::INSTANCE) as usize as u64;
                    let is_instance = lua_lightuserdatatag(self.l, -1) == light::INSTANCE;
                    if is_instance && light::instance(id) == self.instance {
                        self.found += 1;
                    }
                }
                LUA_TTABLE | LUA_TFUNCTION if self.seen.insert(lua_topointer(self.l, -1) as usize) => {
                    self.waiting += 1;
                    lua_rawseti_(self.l, self.pending, self.waiting);
                    return;
                }
                _ => {}
            }
            lua_settop(self.l, -2);
        }
    }

    /// Entries and metatable of the table on top.
    unsafe fn table(&mut self) {
        // SAFETY: a table is on top; each step pushes a key and a value, which `look` takes.
        unsafe {
            let at = lua_gettop(self.l);
            if lua_getmetatable(self.l, at) != 0 {
                let is_weak = self.is_weak();
                self.look();
                if is_weak {
                    return;
                }
            }
            let mut step = 0;
            loop {
                step = lua_rawiter(self.l, at, step);
                if step < 0 {
                    return;
                }
                self.look();
                self.look();
            }
        }
    }

    /// Whether the metatable on top makes a table weak.
    unsafe fn is_weak(&self) -> bool {
        // SAFETY: a table is on top; the string and the field are pushed and popped.
        unsafe {
            lua_pushlstring_(self.l, c"__mode".as_ptr(), 6);
            lua_rawget(self.l, -2);
            let is_weak = lua_type(self.l, -1) == LUA_TSTRING
                && values::string_at(self.l, -1).iter().any(|letter| matches!(letter, b'k' | b'v'));
            lua_settop(self.l, -2);
            is_weak
        }
    }

    /// Captured variables and environment of the function on top.
    unsafe fn function(&mut self) {
        // SAFETY: a function is on top; each step pushes a value, which `look` takes.
        unsafe {
            let at = lua_gettop(self.l);
            lua_getfenv(self.l, at);
            self.look();
            for number in 1.. {
                if lua_getupvalue(self.l, at, number).is_null() {
                    return;
                }
                self.look();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::value::Value;

    fn holders(source: &str) -> usize {
        let vm = Vm::new(VmOptions::default()).unwrap();
        vm.register_light(light::INSTANCE, TypeTable::named("Instance")).unwrap();
        vm.seal(&["_G"]).unwrap();
        let part = Value::Instance(InstanceId(9));
        let function = vm.load(&compile(source, "Test").unwrap(), "Test", &[]).unwrap();
        // The function is kept, as a connection keeps its listener.
        let made = vm.call(&function, &[part, Value::Instance(InstanceId(8))]).unwrap();
        let found = vm.holders(InstanceId(9)).unwrap();
        assert_eq!(vm.holders(InstanceId(9)).unwrap(), found);
        drop(made);
        found
    }

    #[test]
    fn entries_and_captured_variables_count() {
        assert_eq!(holders("local part = ... _G.a = { [part] = part, { part } }"), 3);
        assert_eq!(holders("local part, other = ... _G.a = { other } _G.b = { [other] = 1 }"), 0);
        assert_eq!(holders("local part = ... part = part return function() return part end"), 1);
        assert_eq!(
            holders("local part = ... local held = { part } return function() return { held } end"),
            1
        );
        assert_eq!(holders("local part = ... _G.a = setmetatable({}, { __index = { part } })"), 1);
    }

    #[test]
    fn what_is_gone_and_what_is_weak_does_not() {
        assert_eq!(holders("local part = ... local a = { part } a[1] = nil _G.a = a"), 0);
        assert_eq!(holders("local part = ... local gone = { part }"), 0);
        assert_eq!(holders("local part = ... _G.a = setmetatable({ [part] = true }, { __mode = 'k' })"), 0);
    }

    #[test]
    fn tables_that_hold_each_other_end() {
        assert_eq!(holders("local part = ... local a, b = {}, { part } a.b = b b.a = a _G.a = a"), 1);
    }
}
