//! Writes the seeds of every target as files, for a fuzzer to start from: `seeds FOLDER` makes `FOLDER/<target>/<n>`.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?);
    for target in blinkblox_fuzzing::TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (index, seed) in (target.seeds)().into_iter().enumerate() {
            fs::write(folder.join(index.to_string()), seed)?;
        }
    }
    Ok(())
}
