//! Pushing results, and reading and building tables from a native function.

use std::ffi::{CString, c_int, c_void};

use mlua::ffi::*;

use super::native::{Cx, NativeFn, Raise};
use super::state::Handle;
use super::types::light;
use super::values;
use crate::datatypes::Data;
use crate::value::{ConnectionId, EnumId, EnumItemId, InstanceId, SignalKey, Value};

impl Cx<'_> {
    /// Makes sure that `slots` more values fit.
    pub(super) fn reserve(&self, slots: i32) {
        let room = self.room.get() - slots;
        if room >= 0 {
            self.room.set(room);
            return;
        }
        // SAFETY: the state is alive; a failure raises.
        unsafe { lua_rawcheckstack(self.l, slots + 20) };
        self.room.set(20);
    }

    /// Pushes `nil`.
    pub fn push_nil(&self) {
        self.reserve(1);
        // SAFETY: room is reserved. So in all pushes below.
        unsafe { lua_pushnil(self.l) };
    }

    /// Pushes a boolean.
    pub fn push_boolean(&self, value: bool) {
        self.reserve(1);
        unsafe { lua_pushboolean(self.l, c_int::from(value)) };
    }

    /// Pushes a number.
    pub fn push_number(&self, value: f64) {
        self.reserve(1);
        unsafe { lua_pushnumber(self.l, value) };
    }

    /// Pushes a string.
    pub fn push_string(&self, value: impl AsRef<[u8]>) {
        self.reserve(1);
        let bytes = value.as_ref();
        unsafe { lua_pushlstring_(self.l, bytes.as_ptr().cast(), bytes.len()) };
    }

    /// Pushes a new buffer with these contents.
    pub fn push_buffer(&self, bytes: &[u8]) {
        self.reserve(1);
        unsafe {
            let data = lua_newbuffer(self.l, bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast::<u8>(), bytes.len());
        }
    }

    /// Pushes a vector.
    pub fn push_vector(&self, [x, y, z]: [f32; 3]) {
        self.reserve(1);
        unsafe { lua_pushvector(self.l, x, y, z) };
    }

    /// Pushes a light value: an id with a tag.
    pub fn push_light(&self, tag: i32, id: u64) {
        self.reserve(1);
        unsafe { lua_pushlightuserdatatagged(self.l, id as *mut c_void, tag) };
    }

    /// Pushes an instance.
    pub fn push_instance(&self, id: InstanceId) {
        self.push_light(light::INSTANCE, u64::from(id.0));
    }

    /// Pushes an instance or nil.
    pub fn push_opt_instance(&self, id: Option<InstanceId>) {
        match id {
            Some(id) => self.push_instance(id),
            None => self.push_nil(),
        }
    }

    /// Pushes an enum item.
    pub fn push_enum_item(&self, item: EnumItemId) {
        self.push_light(light::ENUM_ITEM, light::of_enum_item(item));
    }

    /// Pushes an enum.
    pub fn push_enum(&self, id: EnumId) {
        self.push_light(light::ENUM, u64::from(id.0));
    }

    /// Pushes a signal.
    pub fn push_signal(&self, key: SignalKey) {
        self.push_light(light::SIGNAL, light::of_signal(key));
    }

    /// Pushes a connection.
    pub fn push_connection(&self, id: ConnectionId) {
        self.push_light(light::CONNECTION, id.0);
    }

    /// Pushes a datatype. Its type must be registered with the VM; nil is pushed otherwise.
    pub fn push_data<T: Data + Copy>(&self, value: T) {
        self.reserve(1);
        unsafe { values::push_data(self.inner, self.l, value) };
    }

    /// Writes over a datatype in place; false if the value at the index is none of this type.
    pub fn replace_data<T: Data + Copy>(&self, index: i32, value: T) -> bool {
        let at = self.slot(index);
        // SAFETY: the slot exists; registration ties the tag to this very type.
        at != 0 && unsafe { values::replace_data(self.inner, self.l, at, value) }
    }

    /// Pushes what a handle names; nil if that belongs to another VM.
    pub fn push_handle(&self, handle: &Handle) {
        self.reserve(1);
        if handle.belongs_to(self.inner) {
            unsafe { lua_rawgeti_(self.l, LUA_REGISTRYINDEX, handle.reference()) };
        } else {
            unsafe { lua_pushnil(self.l) };
        }
    }

    /// Pushes a value; tables and buffers become new ones. Functions of another VM become nil: the membrane makes
    /// proxies of them first.
    pub fn push(&self, value: &Value) {
        unsafe { values::unpack(self, value) };
    }

    /// Pushes a copy of the value at an index.
    pub fn push_copy(&self, index: i32) {
        match self.slot(index) {
            0 => self.push_nil(),
            at => {
                self.reserve(1);
                unsafe { lua_pushvalue(self.l, at) };
            }
        }
    }

    /// Values above the arguments. Only these are ever removed, so that what was read from an argument stays valid.
    fn pushed(&self) -> i32 {
        (self.top() - self.arguments).max(0)
    }

    /// Removes values from the top, never arguments.
    pub fn pop(&self, count: i32) {
        // SAFETY: no more than was pushed is removed.
        unsafe { lua_settop(self.l, -count.clamp(0, self.pushed()) - 1) };
    }

    /// Pushes a new table with room for this many entries.
    pub fn push_table(&self, array: usize, fields: usize) {
        self.reserve(1);
        let clamp = |count: usize| c_int::try_from(count).unwrap_or(c_int::MAX);
        unsafe { lua_createtable(self.l, clamp(array), clamp(fields)) };
    }

    /// Pops the value on top and sets it as a field of the table below it, ignoring metatables.
    pub fn set_field(&self, name: &str) {
        if self.pushed() < 1 {
            return;
        }
        self.push_string(name);
        // SAFETY: the string goes under the value; the table is checked by `raw_set`.
        unsafe { lua_insert(self.l, -2) };
        self.raw_set();
    }

    /// Pops the value on top and sets it at a number of the table below it, ignoring metatables.
    pub fn set_index(&self, index: i32) {
        if self.pushed() < 1 {
            return;
        }
        self.push_number(f64::from(index));
        unsafe { lua_insert(self.l, -2) };
        self.raw_set();
    }

    /// Pops a value and the key below it, and sets them in the table below those. A nil or NaN key, or something that
    /// is not a writable table, is ignored.
    pub fn raw_set(&self) {
        // SAFETY: the stack holds at least what the checks read; what would make Luau raise is ruled out first.
        unsafe {
            let l = self.l;
            let top = lua_gettop(l);
            if self.pushed() < 2 {
                return;
            }
            if top >= 3 && lua_type(l, -3) == LUA_TTABLE && lua_getreadonly(l, -3) == 0 {
                let nan = lua_type(l, -2) == LUA_TNUMBER && lua_tonumber(l, -2).is_nan();
                if lua_type(l, -2) != LUA_TNIL && !nan {
                    lua_rawset(l, -3);
                    return;
                }
            }
            lua_settop(l, top - 2);
        }
    }

    /// Pushes a field of the table at an index, ignoring metatables; nil if it is no table.
    pub fn get_field(&self, index: i32, name: &str) {
        let at = self.slot(index);
        self.push_string(name);
        // SAFETY: the slot is a table when it is read as one.
        unsafe {
            if at != 0 && lua_type(self.l, at) == LUA_TTABLE {
                lua_rawget(self.l, at);
            } else {
                lua_pop(self.l, 1);
                lua_pushnil(self.l);
            }
        }
    }

    /// Pushes the value at a number of the table at an index, ignoring metatables; nil if it is no table.
    pub fn get_index(&self, index: i32, number: i32) {
        let at = self.slot(index);
        self.reserve(1);
        // SAFETY: as above.
        unsafe {
            if at != 0 && lua_type(self.l, at) == LUA_TTABLE {
                lua_rawgeti_(self.l, at, number);
            } else {
                lua_pushnil(self.l);
            }
        }
    }

    /// `#table` without metamethods. Says nothing about holes: walk from 1 to the first nil instead.
    pub fn raw_len(&self, index: i32) -> usize {
        match self.slot(index) {
            0 => 0,
            // SAFETY: the slot exists.
            at => unsafe { lua_objlen(self.l, at) },
        }
    }

    /// Calls `visit` for each entry of the table at an index in iteration order, with the indexes of key and value.
    /// Metatables are ignored. Whatever `visit` pushes is removed after it.
    pub fn each(
        &self,
        index: i32,
        mut visit: impl FnMut(i32, i32) -> Result<(), Raise>,
    ) -> Result<(), Raise> {
        let at = self.slot(index);
        // SAFETY: the slot is a table; room for key and value is reserved in each step.
        unsafe {
            if at == 0 || lua_type(self.l, at) != LUA_TTABLE {
                return Err(self.wrong_type(index, "table"));
            }
            let mut step = 0;
            loop {
                self.reserve(2);
                step = lua_rawiter(self.l, at, step);
                if step < 0 {
                    return Ok(());
                }
                let value = self.top();
                let result = visit(value - 1, value);
                lua_settop(self.l, value - 2 + self.shift);
                result?;
            }
        }
    }

    /// Sets the metatable of the table below the one on top, which is popped.
    pub fn set_metatable(&self) {
        // SAFETY: both are checked to be tables.
        unsafe {
            if lua_gettop(self.l) >= 2
                && lua_type(self.l, -1) == LUA_TTABLE
                && lua_type(self.l, -2) == LUA_TTABLE
            {
                lua_setmetatable(self.l, -2);
            }
        }
    }

    /// Freezes the table on top.
    pub fn freeze(&self) {
        // SAFETY: checked to be a table.
        unsafe {
            if lua_gettop(self.l) >= 1 && lua_type(self.l, -1) == LUA_TTABLE {
                lua_setreadonly(self.l, -1, 1);
            }
        }
    }

    /// Pops the value on top into a global. Only before the VM is sealed.
    pub fn set_global(&self, name: &str) {
        if self.pushed() < 1 {
            return;
        }
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the value on top is popped; the string is copied.
        unsafe { lua_setfield(self.l, LUA_GLOBALSINDEX, name.as_ptr()) };
    }

    /// Pushes a global; nil if there is none.
    pub fn get_global(&self, name: &str) {
        self.reserve(1);
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the globals table has no metatable that could call anything.
        unsafe { lua_rawgetfield(self.l, LUA_GLOBALSINDEX, name.as_ptr()) };
    }

    /// Pushes a table of native functions, to be frozen and made a global or returned.
    pub fn push_functions(&self, functions: &[(&'static str, NativeFn)]) {
        self.push_table(0, functions.len());
        for (name, function) in functions {
            self.push_native(name, *function);
            self.set_field(name);
        }
    }

    /// Calls the function below `arguments` values on top and leaves `results` values. Errors pass on to the caller of
    /// this native function; the called function must not yield.
    pub fn call(&self, arguments: i32, results: i32) {
        self.reserve(results.max(0));
        // SAFETY: the values are on the stack; an error unwinds through this frame, which holds nothing.
        unsafe {
            if (0..self.pushed()).contains(&arguments) {
                let running = self.inner.current.get();
                lua_call(self.l, arguments, results);
                self.inner.current.set(running);
                // Any number of results may have taken the room there was.
                self.room.set(0);
            }
        }
    }
}
