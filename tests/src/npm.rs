//! Packages of npm, for tests that run what others published.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder below `target` with the packages that the manifest names, made anew when one of its files changes. The files
/// of `manifest` lie in `from`, and stand beside what is installed.
///
/// # Panics
/// If a file cannot be read or written, or npm fails.
pub fn installed(from: &Path, manifest: &[&str], target: &str, name: &str) -> PathBuf {
    let read = |file: &&str| std::fs::read(from.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let texts: Vec<Vec<u8>> = manifest.iter().map(read).collect();
    let mut hasher = DefaultHasher::new();
    (manifest, &texts).hash(&mut hasher);
    let place = Path::new(target).join(format!("{name}-{:016x}", hasher.finish()));
    let done = place.join("installed");
    if done.is_file() {
        return place;
    }
    std::fs::create_dir_all(&place).expect("the target folder can be written");
    for (file, text) in manifest.iter().zip(texts) {
        std::fs::write(place.join(file), text).expect("the target folder can be written");
    }
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let output = Command::new("npm").args(arguments).current_dir(&place).output().expect("npm starts");
    assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::write(done, "").expect("the target folder can be written");
    place
}
