//! Values in and out of a VM.

use std::any::TypeId;
use std::ffi::c_int;
use std::rc::Rc;

use mlua::ffi::*;

use super::failure::Failure;
use super::native::{Cx, Raise};
use super::state::{Handle, Inner, protect};
use super::types::{light, tag_of};
use crate::datatypes::Data;
use crate::value::{ConnectionId, EnumId, Table, Value};

/// Tables nested deeper than this are refused.
pub const MAX_DEPTH: usize = 200;

/// # Safety
/// The slot holds a string or number; the slice is valid while that value is on the stack.
pub(super) unsafe fn string_at<'a>(l: *mut lua_State, index: c_int) -> &'a [u8] {
    // SAFETY: given.
    unsafe {
        let mut len = 0;
        let text = lua_tolstring(l, index, &mut len);
        std::slice::from_raw_parts(text.cast::<u8>(), len)
    }
}

/// # Safety
/// The slot holds a buffer; nothing may run while the slice is used.
pub(super) unsafe fn buffer_at<'a>(l: *mut lua_State, index: c_int) -> &'a [u8] {
    // SAFETY: given.
    unsafe {
        let mut len = 0;
        let data = lua_tobuffer(l, index, &mut len);
        std::slice::from_raw_parts(data.cast::<u8>(), len)
    }
}

/// # Safety
/// The slot holds a vector.
pub(super) unsafe fn vector_at(l: *mut lua_State, index: c_int) -> [f32; 3] {
    // SAFETY: given; a vector has three parts in this build.
    unsafe { *lua_tovector(l, index).cast::<[f32; 3]>() }
}

/// # Safety
/// The slot exists.
pub(super) unsafe fn data_at<T: Data + Copy>(inner: &Inner, l: *mut lua_State, index: c_int) -> Option<T> {
    let type_ = inner.data.get(tag_of::<T>())?.get()?;
    if type_.rust_type != TypeId::of::<T>() {
        return None;
    }
    // SAFETY: only `push_data` makes userdata with this tag, from the very type registered for it.
    unsafe { lua_touserdatatagged(l, index, tag_of::<T>() as c_int).cast::<T>().as_ref().copied() }
}

/// # Safety
/// The slot exists.
pub(super) unsafe fn replace_data<T: Data + Copy>(
    inner: &Inner,
    l: *mut lua_State,
    index: c_int,
    value: T,
) -> bool {
    let known = inner.data.get(tag_of::<T>()).and_then(std::cell::Cell::get);
    if known.is_none_or(|type_| type_.rust_type != TypeId::of::<T>()) {
        return false;
    }
    // SAFETY: as in `data_at`; nothing else refers to the userdata's memory while this runs.
    match unsafe { lua_touserdatatagged(l, index, tag_of::<T>() as c_int).cast::<T>().as_mut() } {
        Some(place) => {
            *place = value;
            true
        }
        None => false,
    }
}

/// # Safety
/// One slot is free.
pub(super) unsafe fn push_data<T: Data + Copy>(inner: &Inner, l: *mut lua_State, value: T) {
    let known = inner.data.get(tag_of::<T>()).and_then(std::cell::Cell::get);
    // SAFETY: the userdata is as large as the type and aligned to 16 bytes, which registration requires to suffice.
    unsafe {
        if known.is_some_and(|type_| type_.rust_type == TypeId::of::<T>()) {
            let tag = tag_of::<T>() as c_int;
            lua_newuserdatataggedwithmetatable(l, size_of::<T>(), tag).cast::<T>().write(value);
        } else {
            lua_pushnil(l);
        }
    }
}

/// The value at a slot if it needs no walk; `None` for tables. Errors when there is no memory for a copy.
///
/// # Safety
/// The slot exists. May raise.
unsafe fn simple(cx: &Cx<'_>, at: c_int) -> Result<Option<Value>, Raise> {
    let (inner, l) = (cx.inner, cx.l);
    // SAFETY: each read fits the type just looked at.
    unsafe {
        Ok(Some(match lua_type(l, at) {
            LUA_TNONE | LUA_TNIL => Value::Nil,
            LUA_TBOOLEAN => Value::Boolean(lua_toboolean(l, at) != 0),
            LUA_TNUMBER => Value::Number(lua_tonumber(l, at)),
            LUA_TINTEGER => Value::Number(lua_tointeger64(l, at, std::ptr::null_mut()) as f64),
            LUA_TVECTOR => Value::Vector(vector_at(l, at)),
            LUA_TSTRING => Value::String(copied(cx, string_at(l, at))?),
            LUA_TBUFFER => Value::Buffer(copied(cx, buffer_at(l, at))?),
            LUA_TFUNCTION => Value::Function(Handle::take(l, at)),
            LUA_TTHREAD => Value::Thread(Handle::take(l, at)),
            LUA_TLIGHTUSERDATA => {
                let tag = lua_lightuserdatatag(l, at);
                let id = lua_tolightuserdatatagged(l, at, tag) as u64;
                match tag {
                    light::INSTANCE => Value::Instance(light::instance(id)),
                    light::ENUM_ITEM => Value::EnumItem(light::enum_item(id)),
                    light::ENUM => Value::Enum(EnumId(id as u16)),
                    light::ENUMS => Value::Enums,
                    light::SIGNAL => Value::Signal(light::signal(id)),
                    light::CONNECTION => Value::Connection(ConnectionId(id)),
                    _ => Value::Nil,
                }
            }
            LUA_TUSERDATA => {
                let tag = lua_userdatatag(l, at);
                let type_ = usize::try_from(tag).ok().and_then(|tag| inner.data.get(tag)?.get());
                match type_ {
                    Some(type_) => Value::Datatype((type_.read)(lua_touserdata(l, at).cast())),
                    None => Value::Reference(Handle::take(l, at)),
                }
            }
            _ => return Ok(None),
        }))
    }
}

/// Bytes of a VM's value on the host's heap.
fn copied(cx: &Cx<'_>, bytes: &[u8]) -> Result<Rc<[u8]>, Raise> {
    cx.check_memory(bytes.len())?;
    Ok(bytes.into())
}

/// The value with tables by identity.
///
/// # Safety
/// As [`simple`].
pub(super) unsafe fn pack_shallow(cx: &Cx<'_>, at: c_int) -> Result<Value, Raise> {
    // SAFETY: given.
    unsafe { Ok(simple(cx, at)?.unwrap_or_else(|| Value::Reference(Handle::take(cx.l, at)))) }
}

/// A copy of the value, tables included.
///
/// # Safety
/// As [`simple`].
pub(super) unsafe fn pack(cx: &Cx<'_>, at: c_int) -> Result<Value, Raise> {
    // SAFETY: given.
    unsafe { pack_at(cx, at, &mut Vec::new()) }
}

/// # Safety
/// As [`simple`]. `path` holds the tables around this one.
unsafe fn pack_at(cx: &Cx<'_>, at: c_int, path: &mut Vec<usize>) -> Result<Value, Raise> {
    // SAFETY: given; key and value get two slots in each step.
    unsafe {
        if let Some(value) = simple(cx, at)? {
            // A userdata without a type has no copy: it stays a reference, for the caller to pass on or leave out.
            return Ok(value);
        }
        let identity = lua_topointer(cx.l, at) as usize;
        if path.contains(&identity) {
            return Err(Raise::new("tables cannot be cyclic"));
        }
        if path.len() >= MAX_DEPTH {
            return Err(Raise::new("exceeded maximum nesting"));
        }
        path.push(identity);
        let mut table = Table::default();
        let mut step = 0;
        loop {
            cx.reserve(2);
            step = lua_rawiter(cx.l, at, step);
            if step < 0 {
                break;
            }
            // A table that stands in many places is copied for each.
            cx.check_memory(0)?;
            let top = lua_gettop(cx.l);
            let next = lua_type(cx.l, top - 1) == LUA_TNUMBER
                && lua_tonumber(cx.l, top - 1) == (table.array.len() + 1) as f64;
            if next {
                let value = pack_at(cx, top, path)?;
                table.array.push(value);
            } else {
                let key = pack_at(cx, top - 1, path)?;
                let value = pack_at(cx, top, path)?;
                table.pairs.push((key, value));
            }
            lua_settop(cx.l, top - 2);
        }
        path.pop();
        Ok(Value::Table(Rc::new(table)))
    }
}

/// Pushes a value.
///
/// # Safety
/// As [`Cx::push`].
pub(super) unsafe fn unpack(cx: &Cx<'_>, value: &Value) {
    match value {
        Value::Nil => cx.push_nil(),
        Value::Boolean(value) => cx.push_boolean(*value),
        Value::Number(value) => cx.push_number(*value),
        Value::Vector(value) => cx.push_vector(*value),
        Value::String(bytes) => cx.push_string(bytes),
        Value::Buffer(bytes) => cx.push_buffer(bytes),
        Value::Instance(id) => cx.push_instance(*id),
        Value::EnumItem(item) => cx.push_enum_item(*item),
        Value::Enum(id) => cx.push_enum(*id),
        Value::Enums => cx.push_light(light::ENUMS, 0),
        Value::Datatype(value) => match cx.inner.data.get(value.index() + 1).and_then(std::cell::Cell::get) {
            Some(type_) => (type_.push)(cx, value),
            None => cx.push_nil(),
        },
        Value::Signal(key) => cx.push_signal(*key),
        Value::Connection(id) => cx.push_connection(*id),
        Value::Function(handle) | Value::Thread(handle) | Value::Reference(handle) => cx.push_handle(handle),
        Value::Table(table) => {
            cx.push_table(table.array.len(), table.pairs.len());
            for (index, value) in table.array.iter().enumerate() {
                cx.push(value);
                // SAFETY: the table is below the value and new.
                unsafe { lua_rawseti_(cx.l, -2, c_int::try_from(index + 1).unwrap_or(c_int::MAX)) };
            }
            for (key, value) in &table.pairs {
                cx.push(key);
                cx.push(value);
                cx.raw_set();
            }
        }
    }
}

/// All values of a thread's stack, tables by identity, and an empty stack.
///
/// # Safety
/// `l` is a live thread of the VM that has returned and is not running.
pub(super) unsafe fn take_shallow(inner: &Inner, l: *mut lua_State) -> Result<Vec<Value>, Failure> {
    // SAFETY: given. The values are looked at on the main stack, where a raise is caught.
    unsafe {
        let count = lua_gettop(l);
        if count == 0 {
            return Ok(Vec::new());
        }
        protect(inner, |cx| {
            (1..=count)
                .map(|index| {
                    cx.reserve(1);
                    lua_xpush(l, cx.state(), index);
                    let value = cx.shallow(-1);
                    cx.pop(1);
                    value
                })
                .collect()
        })
    }
}

/// Pushes values on a thread that is not running.
///
/// # Safety
/// `l` is a live thread of the VM.
pub(super) unsafe fn give(inner: &Inner, l: *mut lua_State, values: &[Value]) -> Result<c_int, Failure> {
    let count = c_int::try_from(values.len()).unwrap_or(c_int::MAX);
    if count == 0 {
        return Ok(0);
    }
    protect(inner, |cx| {
        for value in values {
            cx.push(value);
        }
        // SAFETY: the values are on the main stack; `lua_checkstack` fails without raising on the other thread.
        unsafe {
            if lua_checkstack(l, count) == 0 {
                return Err(Raise::new("stack overflow"));
            }
            lua_xmove(cx.state(), l, count);
        }
        Ok(count)
    })
}
