//! Where the code of others is: installed by npm, or unpacked by cargo.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of this crate.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder below the target folder that tests may write to.
pub fn scratch() -> PathBuf {
    // Cargo tells tests their own such folder, but not libraries.
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| here().join("../../target")).join("suites")
}

/// The folder `node_modules` with every package of the manifest; `None` where there is no npm.
///
/// Installed once for each content of the manifest and its lock file.
pub fn npm() -> Option<PathBuf> {
    static PLACE: OnceLock<Option<PathBuf>> = OnceLock::new();
    PLACE.get_or_init(install).clone()
}

fn install() -> Option<PathBuf> {
    let is_there = Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        println!("skipped: there is no npm");
        return None;
    }
    let manifest = ["package.json", "package-lock.json", ".npmrc"]
        .map(|file| (file, std::fs::read(here().join(file)).unwrap()));
    let mut hasher = DefaultHasher::new();
    manifest.hash(&mut hasher);
    let place = scratch().join(format!("npm-{:016x}", hasher.finish()));
    let modules = place.join("node_modules");
    let done = place.join("installed");
    if done.is_file() {
        return Some(modules);
    }
    std::fs::create_dir_all(&place).unwrap();
    for (file, text) in &manifest {
        std::fs::write(place.join(file), text).unwrap();
    }
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let output = Command::new("npm").args(arguments).current_dir(&place).output().unwrap();
    assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::write(done, "").unwrap();
    Some(modules)
}

/// The folder of a crate that the workspace's lock file names, with everything its package holds.
pub fn crate_folder(name: &str) -> PathBuf {
    static PACKAGES: OnceLock<serde_json::Value> = OnceLock::new();
    let metadata = PACKAGES.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        // With all features, so that crates which nothing needs by default are unpacked as well.
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
            .current_dir(here().join("../rojo"))
            .output()
            .unwrap();
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    });
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == name);
    let manifest = package.unwrap_or_else(|| panic!("no crate {name}"))["manifest_path"].as_str().unwrap();
    Path::new(manifest).parent().unwrap().to_owned()
}

/// The folder `plugin` of the `rojo` crate, which holds the suites of its libraries.
pub fn rojo_plugin() -> PathBuf {
    let folder = crate_folder("rojo").join("plugin");
    assert!(folder.is_dir(), "the rojo crate carries no plugin");
    folder
}
