//! Writes Roblox's classes as sorted tables: `rbx_reflection_database` in, `classes.rs` (names) and `properties.rs` (their
//! superclasses and what a schema may say of their properties) in `OUT_DIR` out.

use std::fmt::Write;
use std::path::PathBuf;

use rbx_reflection::{
    DataType, PropertyDescriptor, PropertyKind, PropertySerialization, PropertyTag, ReflectionDatabase,
    Scriptability,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let database = rbx_reflection_database::get_bundled();
    let mut names: Vec<&str> = database.classes.keys().map(AsRef::as_ref).collect();
    names.sort_unstable();
    let mut text = format!("/// Every class, sorted.\nstatic CLASSES: [&str; {}] = [\n", names.len());
    for name in names {
        writeln!(text, "    {name:?},").expect("writing to a string does not fail");
    }
    text.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo gives build scripts a folder"));
    std::fs::write(out.join("classes.rs"), text).expect("the folder Cargo gives can be written to");
    std::fs::write(out.join("properties.rs"), properties(database))
        .expect("the folder Cargo gives can be written to");
}

/// The table of properties: class, superclass, and each property a script can name with how it travels.
fn properties(database: &ReflectionDatabase) -> String {
    let mut classes: Vec<_> = database.classes.values().collect();
    classes.sort_unstable_by_key(|class| class.name);
    let mut text =
        String::from("/// Classes by name: the superclass, then properties by name, each with its word.\n");
    writeln!(text, "static PROPERTIES: [ClassRow; {}] = [", classes.len())
        .expect("writing to a string does not fail");
    for class in classes {
        let mut own: Vec<_> = class.properties.values().filter_map(word).collect();
        own.sort_unstable();
        let superclass = class.superclass.unwrap_or("");
        writeln!(text, "    ({:?}, {superclass:?}, &{own:?}),", class.name)
            .expect("writing to a string does not fail");
    }
    text.push_str("];\n");
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
