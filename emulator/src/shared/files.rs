//! Files that a run leaves behind: replaced whole, and never half.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The text of a script, without a byte order mark.
///
/// Errors: the file cannot be read, or is not UTF-8.
pub fn read_script(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

/// Writes a file in one step: whoever reads it sees the old bytes or the new ones. What is no regular file, such as a
/// terminal or a pipe, is written to as it is.
///
/// Errors: the folder is not there or cannot be written to, or the disk is full; the file is then as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let present = fs::metadata(path).ok();
    if present.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return fs::write(path, bytes);
    }
    // A link stays, and what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (beside, mut file) = create_beside(&target)?;
    let written = file.write_all(bytes).and_then(|()| match &present {
        // A file that is there keeps the permissions its owner gave it.
        Some(metadata) => file.set_permissions(metadata.permissions()),
        None => Ok(()),
    });
    drop(file);
    let done = written.and_then(|()| fs::rename(&beside, &target));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}

/// A new file in the folder of another.
fn create_beside(target: &Path) -> io::Result<(PathBuf, fs::File)> {
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    for attempt in 0..100 {
        let beside = target.with_file_name(format!(".{name}.{}-{attempt}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// What the system says of a failure, without the number it has there.
pub fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// A number that is the same for the same bytes, in every release and on every machine.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.json");
        replace(&file, b"one").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        let error = replace(&folder.path().join("no/report.json"), b"x").unwrap_err();
        assert_eq!(in_words(&error), "no such file or directory");
        fs::create_dir(folder.path().join("way")).unwrap();
        assert!(replace(&folder.path().join("way"), b"x").is_err());
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn digests_stay_as_they_are() {
        assert_eq!(digest(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
