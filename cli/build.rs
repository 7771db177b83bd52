//! Links the C++ library that Luau needs into the command, where the system has it as an archive: a command that loads it
//! takes half a millisecond longer to start, and does not start where it is missing.

use std::env::var;
use std::path::{Path, PathBuf};
use std::process::Command;

const ARCHIVE: &str = "libstdc++.a";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CC");
    let is_gnu = var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    let is_linux = var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    // Another machine's archive is for another compiler to tell.
    let is_native = var("TARGET").ok() == var("HOST").ok();
    if is_gnu && is_linux && is_native {
        link_archive();
    }
}

/// A linker takes the archive where a folder has no shared library beside it: it lies alone in one that is searched first.
fn link_archive() {
    let (Some(archive), Ok(folder)) = (archive(), var("OUT_DIR")) else { return };
    let place = Path::new(&folder).join(ARCHIVE);
    if std::fs::copy(archive, place).is_ok() {
        println!("cargo::rustc-link-search=native={folder}");
    }
}

/// Where the system's compiler has the archive: it gives the bare name back of what it has not.
fn archive() -> Option<PathBuf> {
    let compiler = var("CC").unwrap_or_else(|_| "cc".to_owned());
    let told = Command::new(compiler).arg(format!("-print-file-name={ARCHIVE}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
}
