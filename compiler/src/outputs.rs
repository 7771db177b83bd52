//! Where the modules of a schema go. Source: tooling specification, 2.5.

use crate::diagnostics::{Code, Diagnostic};
use crate::source::{Span, is_absolute, normalize, parent};
use crate::{Analysis, Compilation, Outputs};

/// The path an output option means, ending in `.luau`. `entry` is the path of the schema.
pub fn output_path(entry: &str, option: &str) -> String {
    // Backslashes part folders on one system only, and a schema is built on all of them. Two at the start name a machine.
    let slashed = if option.starts_with("\\\\") { option.to_string() } else { option.replace('\\', "/") };
    let option = slashed.as_str();
    let folder = parent(entry);
    let joined = if is_absolute(option) || folder.is_empty() {
        option.to_string()
    } else {
        format!("{folder}/{option}")
    };
    let path = normalize(&joined);
    let name = path.rsplit('/').next().unwrap_or(&path);
    // A leading dot starts no suffix.
    let suffix = name.rfind('.').filter(|&at| at > 0).map_or(0, |at| name.len() - at);
    format!("{}.luau", &path[..path.len() - suffix])
}

/// The path of a module's TypeScript declaration; that of `init.luau` is `index.d.ts`.
pub fn declaration_path(module: &str) -> String {
    let stem = module.strip_suffix(".luau").unwrap_or(module);
    match stem.strip_suffix("init") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => format!("{folder}index.d.ts"),
        _ => format!("{stem}.d.ts"),
    }
}

/// What is wrong with the outputs of a compile that writes files: `E4001` and `E4002`.
pub fn check(analysis: &Analysis, entry: &str) -> Vec<Diagnostic> {
    let Some(schema) = &analysis.schema else { return vec![] };
    let options = &schema.options;
    let mut found = Vec::new();
    let mut taken: Vec<(String, &str)> = Vec::new();
    let outputs = [
        ("ServerOutput", &options.server_output),
        ("ClientOutput", &options.client_output),
        ("TypesOutput", &options.types_output),
    ];
    let shown = analysis.sources.files().first().map_or(entry, |file| &file.shown).to_string();
    for (name, option) in outputs {
        let Some(option) = option else {
            if name != "TypesOutput" {
                found.push(missing(name, &shown));
            }
            continue;
        };
        let module = output_path(entry, option);
        // A path of the command line stands nowhere in the schema.
        let span = analysis.option_spans.get(name).copied();
        if names_no_file(option) {
            found.push(at(nameless(name), span, "ends without a file's name", &shown));
            continue;
        }
        // The folder of the schema is there, whatever it is called.
        if let Some(device) = device_in(&output_path("", option)) {
            found.push(at(named_as_device(name), span, &format!("{device} is no file there"), &shown));
            continue;
        }
        let declaration = options.typescript.then(|| declaration_path(&module));
        let paths: Vec<String> = [Some(module), declaration].into_iter().flatten().collect();
        // One fault an option: modules at one path have their declarations at one path too.
        let fault = paths.iter().find_map(|path| {
            // Windows and macOS keep no two files whose names differ in case alone.
            let same = |other: &str| other == path || other.to_lowercase() == path.to_lowercase();
            if let Some((written, other)) = taken.iter().find(|(other, _)| same(other)) {
                let headline = format!("{other} and {name} are the same file");
                let by_case = written != path;
                let also = if by_case { format!("writes {written}") } else { "so does this".to_string() };
                let why = "Windows and macOS take names that differ in case alone for one.";
                let clash = Diagnostic::error(Code::OutputSamePath, headline);
                return Some(
                    at(clash, span, &format!("writes {path}"), &shown)
                        .opt_secondary(analysis.option_spans.get(*other).copied(), also)
                        .opt_note(by_case.then(|| why.to_string()))
                        .note("Give each module a path of its own."),
                );
            }
            let source = analysis.sources.files().iter().any(|file| same(&file.path));
            source.then(|| {
                let fault =
                    Diagnostic::error(Code::OutputSamePath, format!("{name} would overwrite a schema"));
                at(fault, span, &format!("{path} is read by this compile"), &shown)
                    .note("Choose another path.")
            })
        });
        found.extend(fault);
        taken.extend(paths.into_iter().map(|path| (path, name)));
    }
    found
}

/// Whether the last component of a path is no file's name.
fn names_no_file(path: &str) -> bool {
    matches!(path.rsplit('/').next().unwrap_or_default().trim(), "" | "." | "..")
}

/// The first component of a path that Windows takes for a device, whatever its suffix.
fn device_in(path: &str) -> Option<&str> {
    path.split('/').find(|part| {
        let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
        let numbered = |port: &str| {
            let number = stem.strip_prefix(port).map(str::as_bytes);
            matches!(number, Some([b'0'..=b'9']))
        };
        matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
    })
}

fn named_as_device(option: &str) -> Diagnostic {
    Diagnostic::error(Code::OutputSamePath, format!("{option} names a device of Windows"))
        .note("CON, PRN, AUX, NUL, COM1 and the like are devices, with any suffix. Choose another name.")
}

/// The diagnostic with its place: the option that is at fault, or the schema when it is none of its own.
fn at(diagnostic: Diagnostic, span: Option<Span>, label: &str, shown: &str) -> Diagnostic {
    match span {
        Some(span) => diagnostic.primary(span, label),
        None => diagnostic.about_file(shown),
    }
}

fn nameless(option: &str) -> Diagnostic {
    Diagnostic::error(Code::OutputSamePath, format!("{option} names no file"))
        .note(format!("Write the path of the module, as in `option {option} = \"src/Net\"`."))
}

fn missing(option: &str, shown: &str) -> Diagnostic {
    Diagnostic::error(Code::OutputMissingPath, format!("the schema sets no {option}"))
        .about_file(shown)
        .note(format!("Add `option {option} = \"path/of/the/module\"` at the top of {shown}."))
}

/// Lines past which a module is called long.
const LONG_MODULE_LINES: usize = 50_000;

/// Warns of modules that Studio and clients will be slow to load: `W4101`.
pub(crate) fn check_lengths(outputs: &Outputs) -> Option<Diagnostic> {
    let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    let longest = lines(&outputs.server).max(lines(&outputs.client));
    (longest > LONG_MODULE_LINES).then(|| {
        Diagnostic::warning(Code::OutputLongModule, format!("a generated module has {longest} lines"))
            .note("Share structures between events, or split the schema under separate `RemoteScope`s.")
    })
}

impl Compilation {
    /// Takes the modules out: path and text of each file, in the order they are written. Empty when there are none.
    pub fn take_files(&mut self, entry: &str) -> Vec<(String, String)> {
        let (Some(outputs), Some(schema)) = (self.outputs.take(), &self.analysis.schema) else {
            return vec![];
        };
        let options = &schema.options;
        let [server, client, types] = match outputs.declarations {
            Some(declared) => [Some(declared.server), Some(declared.client), declared.types],
            None => [None, None, None],
        };
        let modules = [
            (&options.server_output, Some(outputs.server), server),
            (&options.client_output, Some(outputs.client), client),
            (&options.types_output, outputs.types, types),
        ];
        let mut files = Vec::new();
        let mut declarations = Vec::new();
        for (option, module, declaration) in modules {
            let (Some(option), Some(module)) = (option, module) else { continue };
            let path = output_path(entry, option);
            declarations.extend(declaration.map(|text| (declaration_path(&path), text)));
            files.push((path, module));
        }
        files.extend(declarations);
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    fn faults(server: &str, client: &str) -> Vec<String> {
        let text = format!("option ServerOutput = \"{server}\"\noption ClientOutput = \"{client}\"\n");
        let loader = MemoryLoader::new().with("net/game.blink", text);
        let analysis = crate::analyze(&loader, "net/game.blink", Profile::Release);
        let found = check(&analysis, "net/game.blink");
        found.into_iter().map(|one| format!("{}: {}", one.headline, one.labels[0].message)).collect()
    }

    #[test]
    fn outputs_are_files_on_every_system() {
        assert_eq!(faults("out/Server", "out/Client"), [""; 0]);
        let same = "ServerOutput and ClientOutput are the same file: writes net/out/net.luau";
        assert_eq!(faults("out/Net", "out/net"), [same]);
        assert_eq!(faults("out\\net", "out/net.lua"), [same]);
        for name in ["CON", "nul.lua", "Aux.server.luau", "com3", "out/LPT9", "PRN/Net"] {
            let fault = &faults("out/Server", name)[0];
            assert!(fault.starts_with("ClientOutput names a device of Windows: "), "{name}: {fault}");
        }
        for name in ["Console", "Nullable", "COM", "COM10", "auxiliary/LPTX", "a.con"] {
            assert_eq!(faults("out/Server", name), [""; 0], "{name}");
        }
    }

    #[test]
    fn paths_follow_the_table_of_the_specification() {
        assert_eq!(output_path("game/wire.blink", "gen/Warehouse"), "game/gen/Warehouse.luau");
        assert_eq!(output_path("game/wire.blink", "gen/Warehouse.lua"), "game/gen/Warehouse.luau");
        assert_eq!(output_path("game/wire.blink", "..\\gen\\Net.lua"), "gen/Net.luau");
        assert_eq!(output_path("C:/game/wire.blink", "gen\\Net"), "C:/game/gen/Net.luau");
        assert_eq!(output_path("game/wire.blink", "D:\\gen\\Net"), "D:/gen/Net.luau");
        assert_eq!(output_path("game/wire.blink", "../shared/Wire.luau"), "shared/Wire.luau");
        assert_eq!(output_path("wire.blink", "a.b/.hidden"), "a.b/.hidden.luau");
        assert_eq!(output_path("game/wire.blink", "/tmp/x"), "/tmp/x.luau");
    }

    #[test]
    fn declarations_stand_beside_their_modules() {
        assert_eq!(declaration_path("gen/Warehouse.luau"), "gen/Warehouse.d.ts");
        assert_eq!(declaration_path("gen/init.luau"), "gen/index.d.ts");
        assert_eq!(declaration_path("init.luau"), "index.d.ts");
        assert_eq!(declaration_path("gen/uninit.luau"), "gen/uninit.d.ts");
    }

    fn compiled(options: &str) -> Compilation {
        let text = format!("option Typescript = true\n{options}\nstruct A {{ B: u8 }}");
        let loader = crate::source::MemoryLoader::new().with("net/x.blink", text);
        crate::compile(&loader, "net/x.blink", crate::schema::Profile::Release)
    }

    #[test]
    fn modules_come_first_then_declarations() {
        let mut compiled = compiled(
            "option TypesOutput = \"t\"\noption ServerOutput = \"s/init\"\noption ClientOutput = \"c\"",
        );
        let paths: Vec<String> =
            compiled.take_files("net/x.blink").into_iter().map(|(path, _)| path).collect();
        assert_eq!(
            paths,
            ["net/s/init.luau", "net/c.luau", "net/t.luau", "net/s/index.d.ts", "net/c.d.ts", "net/t.d.ts"]
        );
    }

    #[test]
    fn an_output_names_a_file() {
        for path in ["", ".", "..", "gen/", "gen/.", " "] {
            let compiled =
                compiled(&format!("option ServerOutput = \"{path}\"\noption ClientOutput = \"c\""));
            let codes: Vec<Code> =
                check(&compiled.analysis, "net/x.blink").iter().map(|one| one.code).collect();
            assert_eq!(codes, [Code::OutputSamePath], "{path}");
        }
    }

    #[test]
    fn declarations_at_one_path_are_refused() {
        let compiled = compiled("option ServerOutput = \"init\"\noption ClientOutput = \"index\"");
        let found = check(&compiled.analysis, "net/x.blink");
        let codes: Vec<Code> = found.iter().map(|one| one.code).collect();
        assert_eq!(codes, [Code::OutputSamePath]);
    }
}
