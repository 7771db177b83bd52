//! Writes the names of all Roblox classes as a sorted table: `rbx_reflection_database` in, `classes.rs` in `OUT_DIR` out.

use std::fmt::Write;
use std::path::PathBuf;

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
}
