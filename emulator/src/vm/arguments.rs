//! Reading arguments and other stack values from a native function.

use std::ffi::{CStr, c_int};
use std::rc::Rc;

use mlua::ffi::*;

use super::native::{Cx, Raise};
use super::state::{self, Handle, Kind, Parked};
use super::types::light;
use super::values;
use crate::datatypes::Data;
use crate::value::{ConnectionId, EnumId, EnumItemId, InstanceId, SignalKey, Value};

/// Type of a stack value, as Luau's `type` sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// No argument was given here.
    None,
    /// `nil`
    Nil,
    /// `true`
    Boolean,
    /// A number.
    Number,
    /// A vector.
    Vector,
    /// A string.
    String,
    /// A table.
    Table,
    /// A function.
    Function,
    /// A thread.
    Thread,
    /// A buffer.
    Buffer,
    /// An instance, enum item, signal or another value with an id.
    Light,
    /// A datatype, or what `newproxy` makes.
    Userdata,
}

impl Cx<'_> {
    /// Stack position of an index, 0 when there is no value.
    pub(super) fn slot(&self, index: i32) -> c_int {
        // SAFETY: the state is alive while the context is.
        let top = unsafe { lua_gettop(self.l) };
        let at = if index < 0 { top + index + 1 } else { index + self.shift };
        if (1..=top).contains(&at) { at } else { 0 }
    }

    fn raw_type(&self, index: i32) -> (c_int, c_int) {
        match self.slot(index) {
            0 => (0, LUA_TNONE),
            // SAFETY: the slot exists.
            at => (at, unsafe { lua_type(self.l, at) }),
        }
    }

    /// How many arguments were given, without the object of a method.
    pub fn count(&self) -> i32 {
        self.arguments
    }

    /// Index of the value on top.
    pub fn top(&self) -> i32 {
        // SAFETY: the state is alive.
        unsafe { lua_gettop(self.l) - self.shift }
    }

    /// The type at an index.
    pub fn kind(&self, index: i32) -> Type {
        match self.raw_type(index).1 {
            LUA_TNIL => Type::Nil,
            LUA_TBOOLEAN => Type::Boolean,
            LUA_TNUMBER | LUA_TINTEGER => Type::Number,
            LUA_TVECTOR => Type::Vector,
            LUA_TSTRING => Type::String,
            LUA_TTABLE => Type::Table,
            LUA_TFUNCTION => Type::Function,
            LUA_TTHREAD => Type::Thread,
            LUA_TBUFFER => Type::Buffer,
            LUA_TLIGHTUSERDATA => Type::Light,
            LUA_TUSERDATA => Type::Userdata,
            _ => Type::None,
        }
    }

    /// Whether there is no argument, or it is nil.
    pub fn is_nil(&self, index: i32) -> bool {
        matches!(self.kind(index), Type::None | Type::Nil)
    }

    /// What `typeof` says of the value: `Instance`, `CFrame`, `number`, `nil`.
    pub fn type_name(&self, index: i32) -> String {
        match self.slot(index) {
            0 => "nil".to_owned(),
            // SAFETY: the slot exists; the name is a string of the VM.
            at => unsafe { CStr::from_ptr(luaL_typename(self.l, at)) }.to_string_lossy().into_owned(),
        }
    }

    /// Name of the running function, as errors say it.
    pub fn callee(&self) -> String {
        // SAFETY: level 0 is this very call; names are strings of the VM or of ours.
        unsafe {
            let mut at: lua_Debug = std::mem::zeroed();
            if lua_getinfo(self.l, 0, c"n".as_ptr(), &mut at) == 0 || at.name.is_null() {
                return "?".to_owned();
            }
            let name = CStr::from_ptr(at.name);
            if name == c"__namecall" {
                let method = lua_namecallatom(self.l, std::ptr::null_mut());
                if !method.is_null() {
                    return CStr::from_ptr(method).to_string_lossy().into_owned();
                }
            }
            name.to_string_lossy().into_owned()
        }
    }

    /// The error for an argument of the wrong type.
    pub fn wrong_type(&self, index: i32, expected: &str) -> Raise {
        let callee = self.callee();
        match self.kind(index) {
            Type::None => {
                Raise::new(format!("missing argument #{index} to '{callee}' ({expected} expected)"))
            }
            _ => {
                let got = self.type_name(index);
                Raise::new(format!(
                    "invalid argument #{index} to '{callee}' ({expected} expected, got {got})"
                ))
            }
        }
    }

    fn opt<T>(
        &self,
        index: i32,
        read: impl FnOnce(&Self, i32) -> Result<T, Raise>,
    ) -> Result<Option<T>, Raise> {
        if self.is_nil(index) { Ok(None) } else { read(self, index).map(Some) }
    }

    /// A number, or a string that reads as one.
    pub fn number(&self, index: i32) -> Result<f64, Raise> {
        let at = self.slot(index);
        let mut is_number = 0;
        // SAFETY: the slot exists when it is read.
        let number = if at == 0 { 0.0 } else { unsafe { lua_tonumberx(self.l, at, &mut is_number) } };
        if is_number == 0 { Err(self.wrong_type(index, "number")) } else { Ok(number) }
    }

    /// A number, if given.
    pub fn opt_number(&self, index: i32) -> Result<Option<f64>, Raise> {
        self.opt(index, Self::number)
    }

    /// A number cut to an integer; out of range values saturate.
    pub fn integer(&self, index: i32) -> Result<i64, Raise> {
        self.number(index).map(|number| number as i64)
    }

    /// An integer, if given.
    pub fn opt_integer(&self, index: i32) -> Result<Option<i64>, Raise> {
        self.opt(index, Self::integer)
    }

    /// `true` or `false`. Errors: any other value, be it true for a condition or not.
    pub fn boolean(&self, index: i32) -> Result<bool, Raise> {
        match self.raw_type(index) {
            // SAFETY: the slot exists.
            (at, LUA_TBOOLEAN) => Ok(unsafe { lua_toboolean(self.l, at) } != 0),
            _ => Err(self.wrong_type(index, "boolean")),
        }
    }

    /// A boolean, if given.
    pub fn opt_boolean(&self, index: i32) -> Result<Option<bool>, Raise> {
        self.opt(index, Self::boolean)
    }

    /// Whether the value counts as true.
    pub fn truthy(&self, index: i32) -> bool {
        match self.slot(index) {
            0 => false,
            // SAFETY: the slot exists.
            at => unsafe { lua_toboolean(self.l, at) != 0 },
        }
    }

    /// The bytes of a string, or of a number as text.
    pub fn string(&self, index: i32) -> Result<&[u8], Raise> {
        match self.raw_type(index) {
            // SAFETY: strings do not change or move, and an argument stays where it is until the function ends.
            (at, LUA_TSTRING | LUA_TNUMBER) => Ok(unsafe { values::string_at(self.l, at) }),
            _ => Err(self.wrong_type(index, "string")),
        }
    }

    /// A string as text; bytes that are not UTF-8 become replacement characters.
    pub fn text(&self, index: i32) -> Result<String, Raise> {
        let bytes = self.string(index)?;
        self.check_memory(bytes.len())?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// A copy of a buffer's contents.
    pub fn buffer(&self, index: i32) -> Result<Vec<u8>, Raise> {
        match self.raw_type(index) {
            // SAFETY: the slot holds a buffer; nothing runs while it is copied.
            (at, LUA_TBUFFER) => {
                let bytes = unsafe { values::buffer_at(self.l, at) };
                self.check_memory(bytes.len())?;
                Ok(bytes.to_vec())
            }
            _ => Err(self.wrong_type(index, "buffer")),
        }
    }

    /// A vector's three parts.
    pub fn vector(&self, index: i32) -> Result<[f32; 3], Raise> {
        match self.raw_type(index) {
            // SAFETY: the slot holds a vector.
            (at, LUA_TVECTOR) => Ok(unsafe { values::vector_at(self.l, at) }),
            _ => Err(self.wrong_type(index, "Vector3")),
        }
    }

    /// The id of a light value with this tag.
    pub fn light(&self, index: i32, tag: i32) -> Option<u64> {
        match self.raw_type(index) {
            // SAFETY: the slot holds light userdata.
            (at, LUA_TLIGHTUSERDATA) if unsafe { lua_lightuserdatatag(self.l, at) } == tag => {
                Some(unsafe { lua_tolightuserdatatagged(self.l, at, tag) } as u64)
            }
            _ => None,
        }
    }

    /// The id of an instance; in the director's VM that of a handle. Errors: any other value.
    pub fn instance(&self, index: i32) -> Result<InstanceId, Raise> {
        let id = self.light(index, light::INSTANCE).ok_or_else(|| self.wrong_type(index, "Instance"))?;
        Ok(light::instance(id))
    }

    /// An instance, if given.
    pub fn opt_instance(&self, index: i32) -> Result<Option<InstanceId>, Raise> {
        self.opt(index, Self::instance)
    }

    /// The enum and value of an enum item. Errors: any other value, its name or number too.
    pub fn enum_item(&self, index: i32) -> Result<EnumItemId, Raise> {
        let id = self.light(index, light::ENUM_ITEM).ok_or_else(|| self.wrong_type(index, "EnumItem"))?;
        Ok(light::enum_item(id))
    }

    /// The enum itself, as `Enum.Material`. Errors: any other value.
    pub fn enum_(&self, index: i32) -> Result<EnumId, Raise> {
        let id = self.light(index, light::ENUM).ok_or_else(|| self.wrong_type(index, "Enum"))?;
        Ok(EnumId(id as u16))
    }

    /// Which event of which instance a signal is. Errors: any other value.
    pub fn signal(&self, index: i32) -> Result<SignalKey, Raise> {
        let id = self.light(index, light::SIGNAL).ok_or_else(|| self.wrong_type(index, "RBXScriptSignal"))?;
        Ok(light::signal(id))
    }

    /// The id of a connection, live or not. Errors: any other value.
    pub fn connection(&self, index: i32) -> Result<ConnectionId, Raise> {
        let id = self
            .light(index, light::CONNECTION)
            .ok_or_else(|| self.wrong_type(index, "RBXScriptConnection"))?;
        Ok(ConnectionId(id))
    }

    /// A datatype.
    pub fn data<T: Data + Copy>(&self, index: i32) -> Result<T, Raise> {
        self.try_data(index).ok_or_else(|| self.wrong_type(index, T::NAME))
    }

    /// A datatype, if the value is one.
    pub fn try_data<T: Data + Copy>(&self, index: i32) -> Option<T> {
        match self.slot(index) {
            0 => None,
            // SAFETY: the slot exists; registration ties the tag to this very type.
            at => unsafe { values::data_at(self.inner, self.l, at) },
        }
    }

    fn handle_of(&self, index: i32, kind: Kind) -> Result<Handle, Raise> {
        match self.raw_type(index) {
            (0, _) => Err(self.wrong_type(index, kind.name())),
            // SAFETY: the slot exists.
            (at, type_) if Kind::of(type_) == kind => Ok(unsafe { Handle::take(self.l, at) }),
            _ => Err(self.wrong_type(index, kind.name())),
        }
    }

    /// A function, kept alive by the handle.
    pub fn function(&self, index: i32) -> Result<Handle, Raise> {
        self.handle_of(index, Kind::Function)
    }

    /// A function, if given.
    pub fn opt_function(&self, index: i32) -> Result<Option<Handle>, Raise> {
        self.opt(index, Self::function)
    }

    /// A thread, kept alive by the handle.
    pub fn thread(&self, index: i32) -> Result<Handle, Raise> {
        self.handle_of(index, Kind::Thread)
    }

    /// A table, kept alive by the handle.
    pub fn table(&self, index: i32) -> Result<Handle, Raise> {
        self.handle_of(index, Kind::Table)
    }

    /// A copy of the value, tables included. Fails for cycles, more than 200 levels, and userdata without a type.
    pub fn value(&self, index: i32) -> Result<Value, Raise> {
        match self.slot(index) {
            0 => Ok(Value::Nil),
            // SAFETY: the slot exists.
            at => unsafe { values::pack(self, at) },
        }
    }

    /// The value itself: tables keep their identity as [`Value::Reference`].
    pub fn shallow(&self, index: i32) -> Result<Value, Raise> {
        match self.slot(index) {
            0 => Ok(Value::Nil),
            // SAFETY: the slot exists.
            at => unsafe { values::pack_shallow(self, at) },
        }
    }

    /// All arguments from `first` on, as [`Cx::shallow`] gives them.
    pub fn shallow_from(&self, first: i32) -> Result<Vec<Value>, Raise> {
        (first..=self.arguments).map(|index| self.shallow(index)).collect()
    }

    /// All arguments from `first` on, copied as [`Cx::value`] does.
    pub fn values_from(&self, first: i32) -> Result<Rc<[Value]>, Raise> {
        (first..=self.arguments).map(|index| self.value(index)).collect()
    }

    /// What `print` shows: [`Cx::display`] of every argument, with spaces between.
    ///
    /// Errors: Luau's own for memory that has run out.
    pub fn display_all(&self) -> Result<String, Raise> {
        let mut text = String::new();
        for index in 1..=self.count() {
            if index > 1 {
                text.push(' ');
            }
            let shown = self.display(index);
            // A growing text asks for twice what it has.
            self.check_memory(text.len() + shown.len())?;
            text.push_str(&shown);
        }
        Ok(text)
    }

    /// What `tostring` gives, `__tostring` included; raises through if that fails.
    pub fn display(&self, index: i32) -> String {
        match self.slot(index) {
            0 => "nil".to_owned(),
            // SAFETY: the slot exists; the string stays on the stack while it is copied.
            at => unsafe {
                self.reserve(5);
                let mut len = 0;
                let text = luaL_tolstring_(self.l, at, &mut len);
                let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len);
                let shown = String::from_utf8_lossy(bytes).into_owned();
                lua_pop(self.l, 1);
                shown
            },
        }
    }

    /// Tells tables and other values of this VM apart while they are alive. Differs between runs: never show it.
    pub fn identity(&self, index: i32) -> usize {
        match self.slot(index) {
            0 => 0,
            // SAFETY: the slot exists.
            at => unsafe { lua_topointer(self.l, at) as usize },
        }
    }

    /// The thread that runs this function.
    pub fn running(&self) -> Handle {
        // SAFETY: room is reserved.
        unsafe {
            self.reserve(1);
            lua_pushthread(self.l);
            let handle = Handle::take(self.l, -1);
            lua_pop(self.l, 1);
            handle
        }
    }

    /// The script run the running thread belongs to, 0 for none.
    pub fn owner(&self) -> u32 {
        // SAFETY: the state is alive.
        unsafe { state::owner(self.l) }
    }

    /// Gets the running thread ready to wait. Return [`super::Returns::Yield`] right after; whoever holds the
    /// [`Parked`] resumes it through the peer. Anything else that resumes the thread makes it stale.
    pub fn park(&self) -> Result<Parked, Raise> {
        // SAFETY: the state is alive.
        unsafe {
            if lua_isyieldable(self.l) == 0 {
                return Err(Raise::located("attempt to yield across metamethod/C-call boundary"));
            }
            let thread = self.running();
            let serial = self.inner.next_serial();
            state::set_serial(self.l, serial);
            Ok(Parked { thread, serial })
        }
    }

    /// Pushes `script` of the nearest Luau caller's environment, or nil; gives whether it is an instance.
    pub fn caller_script(&self) -> Option<InstanceId> {
        // SAFETY: room is reserved; `lua_getinfo` pushes one function a level.
        unsafe {
            self.reserve(3);
            let mut at: lua_Debug = std::mem::zeroed();
            for level in 1.. {
                if lua_getinfo(self.l, level, c"f".as_ptr(), &mut at) == 0 {
                    return None;
                }
                if lua_iscfunction(self.l, -1) != 0 {
                    lua_pop(self.l, 1);
                    continue;
                }
                lua_getfenv(self.l, -1);
                lua_rawgetfield(self.l, -1, c"script".as_ptr());
                let tagged = lua_type(self.l, -1) == LUA_TLIGHTUSERDATA
                    && lua_lightuserdatatag(self.l, -1) == light::INSTANCE;
                let id = tagged.then(|| lua_tolightuserdatatagged(self.l, -1, light::INSTANCE) as u64);
                lua_pop(self.l, 3);
                return id.map(light::instance);
            }
            None
        }
    }
}
