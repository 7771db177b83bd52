//! What a compile looks up is made here: Roblox's classes, with what a schema may say of their properties, as sorted lines
//! (`rbx_reflection_database` in, `classes.txt` in `OUT_DIR` out), and the runtime library, linked (`runtime`).

mod runtime;

use std::fmt::Write;
use std::path::PathBuf;

use rbx_reflection::{
    DataType, PropertyDescriptor, PropertyKind, PropertySerialization, PropertyTag, ReflectionDatabase,
    Scriptability,
};

fn main() {
    println!("cargo::rerun-if-changed=build");
    let database = rbx_reflection_database::get_bundled();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo gives build scripts a folder"));
    std::fs::write(out.join("classes.txt"), classes(database))
        .expect("the folder Cargo gives can be written to");
    let runtime::Linked { text, tables } = runtime::link();
    std::fs::write(out.join("runtime.txt"), text).expect("the folder Cargo gives can be written to");
    std::fs::write(out.join("runtime.rs"), tables).expect("the folder Cargo gives can be written to");
}

/// A line a class, in order of name: the class, its superclass, and each property a script can name behind how it travels.
fn classes(database: &ReflectionDatabase) -> String {
    let mut classes: Vec<_> = database.classes.values().collect();
    classes.sort_unstable_by_key(|class| class.name);
    let mut text = String::new();
    for class in classes {
        let mut own: Vec<_> = class.properties.values().filter_map(word).collect();
        own.sort_unstable();
        write!(text, "{}\t{}", class.name, class.superclass.unwrap_or(""))
            .expect("writing to a string does not fail");
        for (name, word) in own {
            write!(text, "\t{name}\t{word}").expect("writing to a string does not fail");
        }
        text.push('\n');
    }
    assert!(text.is_ascii(), "a class or property has letters beyond ASCII");
    text
}

/// A property's name with the type it travels as, `Enum` and the enum's name, or `!` and why it does not.
fn word<'a>(property: &'a PropertyDescriptor<'a>) -> Option<(&'a str, String)> {
    let has = |tag| property.tags.contains(&tag);
    let word = match property.scriptability {
        Scriptability::None | Scriptability::Custom => return None,
        Scriptability::Read => "!no script can write it".to_owned(),
        _ if has(PropertyTag::ReadOnly) || has(PropertyTag::NotScriptable) => {
            "!no script can write it".to_owned()
        }
        // One that is stored under another name replicates under that.
        _ if has(PropertyTag::NotReplicated)
            && !matches!(
                property.kind,
                PropertyKind::Alias { .. }
                    | PropertyKind::Canonical { serialization: PropertySerialization::SerializesAs(_) }
            ) =>
        {
            "!the server never replicates it".to_owned()
        }
        _ => match &property.data_type {
            DataType::Enum(name) => format!("Enum{name}"),
            // Told by name, so that the crate of values need not be named here.
            DataType::Value(ty) => match format!("{ty:?}").as_str() {
                "Bool" => "boolean".to_owned(),
                "Float32" => "f32".to_owned(),
                "Float64" | "Int64" => "f64".to_owned(),
                "Int32" => "i32".to_owned(),
                "String" => "string".to_owned(),
                "Vector3" => "vector".to_owned(),
                "Color3uint8" => "Color3".to_owned(),
                same @ ("BrickColor" | "CFrame" | "Color3" | "ColorSequence" | "NumberRange" | "UDim"
                | "UDim2" | "Vector2") => same.to_owned(),
                _ => "!no type of a schema holds it".to_owned(),
            },
            _ => return None,
        },
    };
    Some((property.name, word))
}
