//! Engine types: how scripts see instances, signals, enum items and datatypes.
//!
//! Types with an identity (instances and the like) are light userdata: an id and a tag, compared and hashed by value,
//! never interned, never collected. Datatypes are plain `Copy` structs in VM memory. Both are described by a
//! [`TypeTable`] and dispatched here by tag.

use std::any::TypeId;
use std::ffi::c_int;

use mlua::ffi::*;

use super::atoms::Atom;
use super::native::{self, Cx, NativeFn, Outcome, Raise, Returns, push_named};
use super::state::{self, DATA_TAGS, LIGHT_TAGS};
use super::{Failure, Vm, values};
use crate::datatypes::{Data, Datatype};
use crate::value::Value;

/// Tags and id layouts of the light types.
pub mod light {
    use crate::value::{EnumId, EnumItemId, InstanceId, SignalKey};

    /// Tag of instances; the id is the instance's.
    pub const INSTANCE: i32 = 1;
    /// Tag of enum items; the id is `enum << 32 | value`.
    pub const ENUM_ITEM: i32 = 2;
    /// Tag of enums.
    pub const ENUM: i32 = 3;
    /// Tag of the list of enums, `Enum`.
    pub const ENUMS: i32 = 4;
    /// Tag of signals; the id is `instance << 16 | event`.
    pub const SIGNAL: i32 = 5;
    /// Tag of connections.
    pub const CONNECTION: i32 = 6;

    pub(crate) fn instance(id: u64) -> InstanceId {
        InstanceId(id as u32)
    }

    pub(crate) fn enum_item(id: u64) -> EnumItemId {
        EnumItemId { enum_: EnumId((id >> 32) as u16), value: id as u32 }
    }

    pub(crate) fn of_enum_item(item: EnumItemId) -> u64 {
        u64::from(item.enum_.0) << 32 | u64::from(item.value)
    }

    pub(crate) fn signal(id: u64) -> SignalKey {
        SignalKey { instance: InstanceId((id >> 16) as u32), event: id as u16 }
    }

    pub(crate) fn of_signal(key: SignalKey) -> u64 {
        u64::from(key.instance.0) << 16 | u64::from(key.event)
    }
}

/// A member access: the object is at index 1, the key at 2, a new value at 3. For a call by name the object is at
/// index 0 and the arguments start at 1. The atom is the member's name.
pub type MemberFn = fn(&mut Cx<'_>, Atom) -> Outcome;

/// How scripts see a type. What is `None` answers with the engine's error.
#[derive(Clone, Copy)]
pub struct TypeTable {
    /// What `typeof` says.
    pub name: &'static str,
    /// `x.Name`
    pub index: Option<MemberFn>,
    /// `x.Name = y`
    pub newindex: Option<MemberFn>,
    /// `x:Name(...)`
    pub namecall: Option<MemberFn>,
    /// `tostring(x)`; the type's name when absent.
    pub tostring: Option<NativeFn>,
    /// Operators of datatypes by metamethod: `("__add", add)`. Light types compare by id and have none.
    pub operators: &'static [(&'static str, NativeFn)],
}

impl TypeTable {
    /// A type without members.
    pub const fn named(name: &'static str) -> TypeTable {
        TypeTable { name, index: None, newindex: None, namecall: None, tostring: None, operators: &[] }
    }
}

/// Number of a datatype's userdata, the same in every VM.
pub(super) const fn tag_of<T: Data>() -> usize {
    T::INDEX + 1
}

/// A registered datatype.
#[derive(Clone, Copy)]
pub(super) struct DataType {
    pub(super) table: TypeTable,
    pub(super) rust_type: TypeId,
    /// Reads a value behind a pointer to this very type.
    pub(super) read: unsafe fn(*const u8) -> Datatype,
    /// Pushes a value of this type.
    pub(super) push: fn(&Cx<'_>, &Datatype),
}

impl Vm {
    /// Describes a light type. Once a tag, before the VM is sealed.
    pub fn register_light(&self, tag: i32, table: TypeTable) -> Result<(), Failure> {
        let Some(slot) = usize::try_from(tag).ok().filter(|tag| (1..LIGHT_TAGS).contains(tag)) else {
            return Err(Failure::text(format!("light tag {tag} is out of range")));
        };
        let first = self.inner().light[slot].replace(Some(table)).is_none();
        self.enter(|cx| {
            if first {
                // SAFETY: each tag is named once; the name is copied.
                unsafe { lua_setlightuserdataname(cx.state(), tag, native::lasting(table.name).as_ptr()) };
            }
            Ok(())
        })
    }

    /// Describes a datatype. Once a tag, before the VM is sealed.
    pub fn register_data<T: Data + Copy>(&self, table: TypeTable) -> Result<(), Failure> {
        const { assert!(align_of::<T>() <= 16, "userdata is aligned to 16 bytes") };
        unsafe fn read<T: Data + Copy>(data: *const u8) -> Datatype {
            // SAFETY: called with userdata of this type's tag only.
            unsafe { *data.cast::<T>() }.into_datatype()
        }
        fn push<T: Data + Copy>(cx: &Cx<'_>, value: &Datatype) {
            match T::from_datatype(value) {
                Some(value) => cx.push_data(*value),
                None => cx.push_nil(),
            }
        }
        let slot = tag_of::<T>();
        if !(1..DATA_TAGS).contains(&slot) || self.inner().data[slot].get().is_some() {
            return Err(Failure::text(format!(
                "datatype tag {slot} of {} is taken or out of range",
                T::NAME
            )));
        }
        let type_ = DataType { table, rust_type: TypeId::of::<T>(), read: read::<T>, push: push::<T> };
        self.inner().data[slot].set(Some(type_));
        self.enter(|cx| {
            // SAFETY: the metatable is built from a new table and given to a tag that has none.
            unsafe {
                push_metatable(cx, &table, data_index, data_newindex, data_namecall, data_tostring);
                lua_setuserdatametatable(cx.state(), slot as c_int);
            }
            Ok(())
        })
    }

    /// Describes the VM's own vector, named `Vector3`. `X`, `Y` and `Z` never reach the table.
    pub fn register_vector(&self, table: TypeTable) -> Result<(), Failure> {
        self.inner().vector.set(Some(table));
        self.enter(|cx| {
            // SAFETY: the metatable is a new table; the vector on the stack stands for its type.
            unsafe {
                cx.push_vector([0.0; 3]);
                push_metatable(cx, &table, vector_index, vector_newindex, vector_namecall, vector_tostring);
                lua_setmetatable(cx.state(), -2);
            }
            Ok(())
        })
    }

    /// The metatable all light types share.
    pub(super) fn register_light_metatable(&self) -> Result<(), Failure> {
        self.enter(|cx| {
            let table = TypeTable::named("userdata");
            // SAFETY: as above.
            unsafe {
                cx.push_light(0, 0);
                push_metatable(cx, &table, light_index, light_newindex, light_namecall, light_tostring);
                lua_setmetatable(cx.state(), -2);
            }
            Ok(())
        })
    }
}

/// Pushes a locked metatable.
///
/// # Safety
/// The state is inside a protected call.
unsafe fn push_metatable(
    cx: &Cx<'_>,
    table: &TypeTable,
    index: lua_CFunction,
    newindex: lua_CFunction,
    namecall: lua_CFunction,
    tostring: lua_CFunction,
) {
    cx.push_table(0, 8);
    for (name, function) in
        [("__index", index), ("__newindex", newindex), ("__namecall", namecall), ("__tostring", tostring)]
    {
        cx.reserve(1);
        // SAFETY: given.
        unsafe { push_named(cx.state(), function, name, 0) };
        cx.set_field(name);
    }
    for (name, function) in table.operators {
        cx.push_native(name, *function);
        cx.set_field(name);
    }
    if table.name != "userdata" {
        cx.push_string(table.name);
        cx.set_field("__type");
    }
    cx.push_string("The metatable is locked");
    cx.set_field("__metatable");
    cx.freeze();
}

/// Which of a type's functions a metamethod asks for.
#[derive(Clone, Copy)]
enum Access {
    Index,
    NewIndex,
    Namecall,
    ToString,
}

/// # Safety
/// `l` is the state of the running metamethod.
unsafe fn dispatch(l: *mut lua_State, table: Option<TypeTable>, access: Access) -> c_int {
    // SAFETY: given.
    unsafe {
        let outcome = match access {
            Access::Namecall => {
                let mut cx = Cx::new(l, 1);
                let mut number = -1;
                let name = lua_namecallatom(l, &mut number);
                let mut atom = Atom::from_number(number);
                if number < 0 && cx.inner.atoms != Atom::count() && !name.is_null() {
                    atom = Atom::find(std::ffi::CStr::from_ptr(name).to_bytes()).unwrap_or(Atom::NONE);
                }
                match table.and_then(|table| table.namecall) {
                    Some(call) => call(&mut cx, atom),
                    None => {
                        let member = cx.callee();
                        Err(not_a_member(&member, table))
                    }
                }
            }
            Access::Index | Access::NewIndex => {
                let mut cx = Cx::new(l, 0);
                let atom = cx.atom(2);
                let handler = match access {
                    Access::Index => table.and_then(|table| table.index),
                    _ => table.and_then(|table| table.newindex),
                };
                match handler {
                    Some(handler) => handler(&mut cx, atom),
                    None => Err(not_a_member(&cx.display(2), table)),
                }
            }
            Access::ToString => {
                let mut cx = Cx::new(l, 0);
                match table.and_then(|table| table.tostring) {
                    Some(tostring) => tostring(&mut cx),
                    None => {
                        cx.push_string(table.map_or("userdata", |table| table.name));
                        Ok(Returns::ONE)
                    }
                }
            }
        };
        native::finish(l, outcome)
    }
}

/// The engine's error for a member nobody knows.
pub fn not_a_member(member: &str, table: Option<TypeTable>) -> Raise {
    let name = table.map_or("userdata", |table| table.name);
    Raise::new(format!("{member} is not a valid member of {name}"))
}

/// # Safety
/// `l` is the state of a running metamethod.
unsafe fn light_type(l: *mut lua_State) -> Option<TypeTable> {
    // SAFETY: given.
    unsafe {
        let inner = state::entered(l);
        if lua_gettop(l) == 0 || lua_type(l, 1) != LUA_TLIGHTUSERDATA {
            return None;
        }
        inner.light.get(usize::try_from(lua_lightuserdatatag(l, 1)).ok()?)?.get()
    }
}

/// # Safety
/// As [`light_type`].
unsafe fn data_type(l: *mut lua_State) -> Option<TypeTable> {
    // SAFETY: given.
    unsafe {
        let inner = state::entered(l);
        if lua_gettop(l) == 0 || lua_type(l, 1) != LUA_TUSERDATA {
            return None;
        }
        let type_ = inner.data.get(usize::try_from(lua_userdatatag(l, 1)).ok()?)?.get();
        type_.map(|type_| type_.table)
    }
}

/// # Safety
/// As [`light_type`].
unsafe fn vector_type(l: *mut lua_State) -> Option<TypeTable> {
    // SAFETY: given.
    unsafe {
        let inner = state::entered(l);
        if lua_gettop(l) == 0 || lua_type(l, 1) != LUA_TVECTOR { None } else { inner.vector.get() }
    }
}

macro_rules! metamethods {
    ($($name:ident = $type_:ident, $access:ident;)*) => { $(
        unsafe extern "C-unwind" fn $name(l: *mut lua_State) -> c_int {
            // SAFETY: Luau calls a metamethod with a live state.
            unsafe {
                let table = $type_(l);
                dispatch(l, table, Access::$access)
            }
        }
    )* };
}

metamethods! {
    light_index = light_type, Index;
    light_newindex = light_type, NewIndex;
    light_namecall = light_type, Namecall;
    light_tostring = light_type, ToString;
    data_index = data_type, Index;
    data_newindex = data_type, NewIndex;
    data_namecall = data_type, Namecall;
    data_tostring = data_type, ToString;
    vector_newindex = vector_type, NewIndex;
    vector_namecall = vector_type, Namecall;
}

/// The parts of a vector are fields of the VM, except along a chain of constants such as `Vector3.one.x`.
unsafe extern "C-unwind" fn vector_index(l: *mut lua_State) -> c_int {
    // SAFETY: Luau calls a metamethod with a live state; both slots are checked.
    unsafe {
        let table = vector_type(l);
        if table.is_some() && lua_type(l, 2) == LUA_TSTRING {
            let part = match values::string_at(l, 2) {
                b"X" | b"x" => 0,
                b"Y" | b"y" => 1,
                b"Z" | b"z" => 2,
                _ => return dispatch(l, table, Access::Index),
            };
            lua_pushnumber(l, f64::from(values::vector_at(l, 1)[part]));
            return 1;
        }
        dispatch(l, table, Access::Index)
    }
}

/// A vector's own text unless its type has another.
unsafe extern "C-unwind" fn vector_tostring(l: *mut lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let table = vector_type(l);
        if let Some(TypeTable { tostring: None, .. }) = table {
            let cx = Cx::new(l, 0);
            cx.push_string(Value::Vector(values::vector_at(l, 1)).to_string());
            return 1;
        }
        dispatch(l, table, Access::ToString)
    }
}
