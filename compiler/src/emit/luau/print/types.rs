//! Types: annotations, aliases, results.

use super::super::ast::LuauType;
use super::measure::type_width;
use super::{Printer, WIDTH};

impl Printer {
    pub(super) fn pack(&mut self, types: &[LuauType]) {
        if let [single] = types
            && !matches!(single, LuauType::Function(..) | LuauType::Variadic(_))
        {
            return self.ty(single, false);
        }
        self.write("(");
        for (place, ty) in types.iter().enumerate() {
            if place > 0 {
                self.write(", ");
            }
            self.ty(ty, false);
        }
        self.write(")");
    }

    /// Prints a type; `tight` where a union or function needs parentheses.
    pub(super) fn ty(&mut self, ty: &LuauType, tight: bool) {
        match ty {
            LuauType::Name(name, args) => {
                self.write(name);
                if !args.is_empty() {
                    self.write("<");
                    for (place, arg) in args.iter().enumerate() {
                        if place > 0 {
                            self.write(", ");
                        }
                        self.ty(arg, false);
                    }
                    self.write(">");
                }
            }
            LuauType::Text(text) => self.quote(text),
            LuauType::Optional(inner) => {
                self.ty(inner, true);
                self.write("?");
            }
            LuauType::Union(members) => {
                let fits = self.column + type_width(ty) <= WIDTH;
                if tight {
                    self.write("(");
                }
                self.depth += 1;
                for (place, member) in members.iter().enumerate() {
                    if !fits {
                        self.line();
                        self.write("| ");
                    } else if place > 0 {
                        self.write(" | ");
                    }
                    self.ty(member, true);
                }
                self.depth -= 1;
                if tight {
                    self.write(")");
                }
            }
            LuauType::Array(element) => {
                self.write("{ ");
                self.ty(element, false);
                self.write(" }");
            }
            LuauType::Map(key, value) => {
                // A string right behind the bracket would read as the name of a property.
                let text = matches!(**key, LuauType::Text(_));
                self.write(if text { "{ [(" } else { "{ [" });
                self.ty(key, true);
                self.write(if text { ")]: " } else { "]: " });
                self.ty(value, false);
                self.write(" }");
            }
            LuauType::Table(fields) if fields.is_empty() => self.write("{}"),
            LuauType::Table(fields) => {
                let fits = self.column + type_width(ty) <= WIDTH;
                self.write(if fits { "{ " } else { "{" });
                self.depth += 1;
                for (place, (key, value)) in fields.iter().enumerate() {
                    if !fits {
                        self.line();
                    } else if place > 0 {
                        self.write(", ");
                    }
                    self.key(key);
                    self.write(": ");
                    self.ty(value, false);
                    if !fits {
                        self.write(",");
                    }
                }
                self.depth -= 1;
                if fits {
                    self.write(" }");
                } else {
                    self.line();
                    self.write("}");
                }
            }
            LuauType::Function(params, returns) => {
                if tight {
                    self.write("(");
                }
                self.write("(");
                let breaks = self.column + type_width(ty) > WIDTH && params.len() > 1;
                if breaks {
                    self.depth += 1;
                }
                for (place, (name, param)) in params.iter().enumerate() {
                    if place > 0 {
                        self.write(if breaks { "," } else { ", " });
                    }
                    if breaks {
                        self.line();
                    }
                    if let Some(name) = name {
                        self.write(name);
                        self.write(": ");
                    }
                    self.ty(param, false);
                }
                if breaks {
                    self.depth -= 1;
                    self.line();
                }
                self.write(") -> ");
                self.pack(returns);
                if tight {
                    self.write(")");
                }
            }
            LuauType::Variadic(inner) => {
                self.write("...");
                self.ty(inner, true);
            }
            LuauType::Typeof(value) => {
                self.write("typeof(");
                self.expr(value, 0);
                self.write(")");
            }
        }
    }
}
