//! `blinkblox.toml`: which schemas and which project belong together. Source: tooling specification, 12.

use std::io::Read;
use std::path::{Path, PathBuf};

use blinkblox_compiler::schema::Profile;
use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::shared::{Settings, in_words};

/// The file's name.
pub const FILE: &str = "blinkblox.toml";

/// Most bytes it may have: what is larger is something else under its name.
const MOST_BYTES: u64 = 1 << 20;

/// What the file says; paths are relative to its folder.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The Rojo project.
    #[serde(default, deserialize_with = "some_path")]
    pub project: Option<PathBuf>,
    /// The schemas.
    #[serde(default)]
    pub schema: Vec<SchemaEntry>,
    /// Settings of the emulator.
    #[serde(default, deserialize_with = "settings")]
    pub emulator: toml::Table,
}

/// A schema of the project.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemaEntry {
    /// Its file.
    #[serde(deserialize_with = "path")]
    pub path: PathBuf,
    /// The profile it is built under; `release` unless given.
    #[serde(default, deserialize_with = "profile")]
    pub profile: Profile,
}

impl Config {
    /// Reads the file of a folder; the empty configuration when there is none.
    ///
    /// Errors: a text naming the file, the place and what is wrong.
    pub fn of_folder(folder: &Path) -> Result<Config, String> {
        if Config::is_in(folder) { Config::of_file(&folder.join(FILE)) } else { Ok(Config::default()) }
    }

    /// Whether anything of the file's name is in a folder, be it a folder itself or a link that leads nowhere: both are
    /// mistakes to tell of.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(FILE).symlink_metadata().is_ok()
    }

    /// Reads a file. Errors: as [`Config::of_folder`], and a file that is not there.
    pub fn of_file(file: &Path) -> Result<Config, String> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let text = read(file).map_err(|why| format!("{} cannot be read: {why}", file.display()))?;
        // Editors of Windows begin a file with a mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut config: Config = toml::from_str(text).map_err(|error| wrong(file, text, &error))?;
        config.project = config.project.map(|path| folder.join(slashed(&path)));
        for schema in &mut config.schema {
            schema.path = folder.join(slashed(&schema.path));
        }
        Ok(config)
    }

    /// The settings of a world that `[emulator]` asks for, over the usual ones. Errors: an unknown name or a value
    /// that does not fit.
    pub fn settings(&self) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for (name, value) in self.setting_texts() {
            settings.set(&name, &value)?;
        }
        Ok(settings)
    }

    /// What `[emulator]` says, by name and value.
    pub fn setting_texts(&self) -> Vec<(String, String)> {
        self.emulator.iter().map(|(name, value)| (name.clone(), setting_text(value))).collect()
    }
}

fn setting_text(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A path with the separators of every system: the file is read on all of them, and no name in a project has a
/// backslash.
fn slashed(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) => PathBuf::from(text.replace('\\', "/")),
        None => path.to_owned(),
    }
}

/// The text of a file. Errors: why there is none, as a phrase.
fn read(file: &Path) -> Result<String, String> {
    if file.is_dir() {
        return Err("it is a folder".to_string());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file)
        .and_then(|opened| opened.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| in_words(&error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err("it is larger than 1 MB".to_string());
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())
}

/// What is wrong with the text of a file, with its place.
fn wrong(file: &Path, text: &str, error: &toml::de::Error) -> String {
    let offset = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let said = error.message().trim();
    let said = match said.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", ")) {
        Some((key, known)) => {
            let known = known.trim_start_matches("expected ").trim_start_matches("one of ");
            format!("there is no key {key} here; there are {}", known.replace(" or ", ", "))
        }
        None => match said.strip_prefix("missing field ") {
            Some(key) => format!("the key {key} is missing"),
            None => {
                let said = said.replace('\n', "; ");
                // The only list there is.
                said.replace("expected a sequence", "expected tables, each begun by a line [[schema]]")
            }
        },
    };
    format!("{}:{line}:{column}: {said}", file.display())
}

fn path<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(from)?;
    let what = match text.trim() {
        "" => "an empty text",
        // On the command line it is standard input.
        "-" => "a dash",
        text if text.contains('\0') => "a text with a NUL",
        _ => return Ok(PathBuf::from(text)),
    };
    let told = format!("{what} is no path: write that of a file, relative to this one's folder");
    Err(serde::de::Error::custom(told))
}

fn some_path<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    path(from).map(Some)
}

/// The settings of `[emulator]`, each found to be one where it stands.
fn settings<'de, D: Deserializer<'de>>(from: D) -> Result<toml::Table, D::Error> {
    struct All;
    impl<'de> Visitor<'de> for All {
        type Value = toml::Table;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a table, begun by a line [emulator]")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<toml::Table, A::Error> {
            let mut table = toml::Table::new();
            while let Some(name) = map.next_key::<String>()? {
                let value = map.next_value_seed(One(&name))?;
                table.insert(name, value);
            }
            Ok(table)
        }
    }
    struct One<'a>(&'a str);
    impl<'de> DeserializeSeed<'de> for One<'_> {
        type Value = toml::Value;

        fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<toml::Value, D::Error> {
            let value = toml::Value::deserialize(from)?;
            let fits = Settings::default().set(self.0, &setting_text(&value));
            fits.map_err(|told| serde::de::Error::custom(format!("[emulator]: {told}")))?;
            Ok(value)
        }
    }
    from.deserialize_map(All)
}

fn profile<'de, D: Deserializer<'de>>(from: D) -> Result<Profile, D::Error> {
    let name = String::deserialize(from)?;
    Profile::ALL.into_iter().find(|profile| profile.text() == name).ok_or_else(|| {
        let known = Profile::ALL.map(Profile::text).join(", ");
        serde::de::Error::custom(format!("there is no profile \"{name}\"; there are {known}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_paths_relative_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let text = "project = \"default.project.json\"\n[[schema]]\npath = \"net/game.blink\"\n";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let config = Config::of_folder(folder.path()).unwrap();
        assert_eq!(config.project.unwrap(), folder.path().join("default.project.json"));
        assert_eq!(config.schema[0].path, folder.path().join("net/game.blink"));
    }

    #[test]
    fn a_missing_file_is_empty_and_a_bad_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Config::of_folder(folder.path()).unwrap(), Config::default());
        std::fs::write(folder.path().join(FILE), "projct = 1\n").unwrap();
        let error = Config::of_folder(folder.path()).unwrap_err();
        assert!(error.contains("blinkblox.toml") && error.contains("projct"), "{error}");
    }

    #[test]
    fn a_file_of_windows_reads_as_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let text = "\u{feff}project = \"game\\\\default.project.json\"\r\n[[schema]]\r\npath = 'net\\game.blink'\r\n";
        std::fs::write(folder.path().join(FILE), text).unwrap();
        let config = Config::of_folder(folder.path()).unwrap();
        assert_eq!(config.project.unwrap(), folder.path().join("game").join("default.project.json"));
        assert_eq!(config.schema[0].path, folder.path().join("net").join("game.blink"));
    }

    #[test]
    fn profiles_and_settings_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            Config::of_folder(folder.path())
        };
        let config =
            read("[[schema]]\npath = \"a.blink\"\nprofile = \"test\"\n[emulator]\nremoteQueueLimit = 9\n")
                .unwrap();
        assert_eq!(config.schema[0].profile, Profile::Test);
        assert_eq!(config.settings().unwrap().remote_queue_limit, 9);
        let error = read("[[schema]]\npath = \"a.blink\"\nprofile = \"bogus\"\n").unwrap_err();
        assert!(error.contains("no profile \"bogus\"; there are dev, debug, test, release"), "{error}");
        let error = read("[emulator]\nnope = 3\n").unwrap_err();
        assert!(error.contains("toml:2:8: [emulator]: there is no setting nope"), "{error}");
        for (text, told) in [
            ("[emulator]\nfps = 3\n", "2:7: [emulator]: there is no setting fps"),
            (
                "project = \"a\"\n[emulator]\ntimeoutSeconds = -5\n",
                "3:18: [emulator]: setting timeoutSeconds: \"-5\" is not a number of seconds above 0",
            ),
            ("[emulator]\nrateLimit = nan\n", "2:13: [emulator]: setting rateLimit: \"nan\" is not"),
            ("[emulator]\nrateLimit = inf\n", "2:13: [emulator]: setting rateLimit: \"inf\" is not"),
            ("emulator.memoryLimit = \"0\"\n", "1:24: [emulator]: setting memoryLimit: \"0\" is not a size"),
            (
                "emulator = 3\n",
                "1:12: invalid type: integer `3`, expected a table, begun by a line [emulator]",
            ),
            ("project = \"\"\n", "1:11: an empty text is no path"),
            ("project = \" \"\n", "1:11: an empty text is no path"),
            ("project = \"a\\u0000\"\n", "1:11: a text with a NUL is no path"),
            ("project = 3\n", "1:11: invalid type: integer `3`, expected a string"),
            ("[[schema]]\npath = \"\"\n", "2:8: an empty text is no path"),
            ("[[schema]]\npath = \"-\"\n", "2:8: a dash is no path"),
            ("[[schema]]\nprofile = \"test\"\n", "1:1: the key `path` is missing"),
            ("schema = \"a.blink\"\n", "expected tables, each begun by a line [[schema]]"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
