//! Paths without the noise: `a/./b/../c` is `a/c`.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The path without `.` and without `..` where a name stands before it. Looks at no disk.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => out.push(".."),
            },
            other => out.push(other),
        }
    }
    if out.as_os_str().is_empty() { PathBuf::from(".") } else { out }
}

/// One form for all spellings of a path, so that two can be compared.
pub(super) fn identity(path: &Path) -> PathBuf {
    clean(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

/// Whether the path is a link to a folder that it lies in itself: following it would go round for ever.
pub(super) fn leads_back(path: &Path) -> bool {
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    let target = if is_link { path.canonicalize().ok() } else { None };
    let Some(target) = target else { return false };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.ancestors().skip(1).any(|above| above.canonicalize().is_ok_and(|above| above == target))
}

/// Folders that package managers fill.
const PACKAGES: [&str; 5] = ["node_modules", "_Index", "roblox_packages", "luau_packages", "lune_packages"];

/// Whether package managers fill a folder of that name.
pub fn is_of_packages(name: &str) -> bool {
    PACKAGES.contains(&name)
}

/// Whether what a folder holds is not the project's own, so that no spec and no schema is looked for there: hidden
/// folders, those of packages, and what a build keeps for itself, which has a `CACHEDIR.TAG`.
pub fn is_set_aside(folder: &Path) -> bool {
    let name = shown_name(folder);
    name.starts_with('.') || is_of_packages(&name) || folder.join("CACHEDIR.TAG").is_file()
}

/// The file or folder itself, whatever links lead to it.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| identity(path))
}

/// The last name of a path, for what carries its file's name.
pub(super) fn name_of(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

/// The last name of a path as people see it, whatever bytes it is of; empty where there is none.
pub(super) fn shown_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// `path` below `base` with `/` between the names, for globs.
pub(super) fn relative(path: &Path, base: &Path) -> Option<String> {
    let rest = path.strip_prefix(base).ok()?;
    let names: Vec<_> =
        rest.components().map(|component| component.as_os_str().to_string_lossy().into_owned()).collect();
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_goes_away() {
        for (path, expected) in [
            ("a/./b/../c", "a/c"),
            ("./a", "a"),
            ("../a/..", ".."),
            ("a/..", "."),
            ("/../a", "/a"),
            ("../../a", "../../a"),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(expected), "{path}");
        }
        assert_eq!(relative(Path::new("a/b/c"), Path::new("a")).as_deref(), Some("b/c"));
        assert_eq!(relative(Path::new("b"), Path::new("a")), None);
    }
}
