//! Where a Luau function was written, and what it holds from around it.

use std::ffi::CStr;

use mlua::ffi::*;

use super::{Cx, Raise};

impl Cx<'_> {
    /// Name of the chunk and line in which the Luau function at `index` begins; `None` for any other value.
    pub fn function_place(&self, index: i32) -> Option<(String, u32)> {
        self.push_copy(index);
        // SAFETY: the copy is on top and popped again; the name lives as long as the function.
        unsafe {
            let l = self.state();
            let mut at: lua_Debug = std::mem::zeroed();
            let is_luau = lua_type(l, -1) == LUA_TFUNCTION && lua_iscfunction(l, -1) == 0;
            let found = is_luau && lua_getinfo(l, -1, c"sl".as_ptr(), &mut at) != 0;
            let place = found.then(|| {
                let name = CStr::from_ptr(at.short_src).to_string_lossy().into_owned();
                (name, at.linedefined.max(0) as u32)
            });
            lua_pop(l, 1);
            place
        }
    }

    /// Visits what the Luau function at `index` holds from around it: the name, and the slot of the value for as long as
    /// the visit lasts. Names are empty in code compiled without them.
    pub fn each_upvalue(
        &self,
        index: i32,
        mut visit: impl FnMut(&str, i32) -> Result<(), Raise>,
    ) -> Result<(), Raise> {
        self.push_copy(index);
        let function = self.top();
        for number in 1.. {
            // SAFETY: the function stays in its slot; a name is only given together with a pushed value.
            let name = unsafe {
                self.reserve(1);
                let name = lua_getupvalue(self.state(), self.slot(function), number);
                if name.is_null() {
                    break;
                }
                CStr::from_ptr(name).to_string_lossy().into_owned()
            };
            let visited = visit(&name, self.top());
            self.pop(1);
            if visited.is_err() {
                self.pop(1);
                return visited;
            }
        }
        self.pop(1);
        Ok(())
    }
}
