//! The Studio plugin, whose sources this executable carries, as a model file. Source: tooling specification, 5.

use rbx_dom_weak::{InstanceBuilder, WeakDom};

/// What Studio shows the plugin as.
const NAME: &str = "BlinkBlox Editor";

/// Sources by their path under `plugins/studio/src`.
macro_rules! sources {
    ($($path:literal)*) => {
        const SOURCES: &[(&str, &str)] =
            &[$(($path, include_str!(concat!("../../plugins/studio/src/", $path)))),*];
    };
}

sources! {
    "Host/StudioHost.luau"
    "Messages.luau"
    "Output/Destinations.luau"
    "Output/Freshness.luau"
    "Output/Generating.luau"
    "Output/Modules.luau"
    "Service/Analysis.luau"
    "Service/Asking.luau"
    "Service/Card.luau"
    "Service/Navigating.luau"
    "Service/Service.luau"
    "Session.luau"
    "Signal.luau"
    "Store/FileNames.luau"
    "Store/Files.luau"
    "Store/Keeping.luau"
    "Store/Template.luau"
    "Text/Document.luau"
    "Text/Editor.luau"
    "Text/Find.luau"
    "Text/Lexer.luau"
    "Text/Paint.luau"
    "Text/Suggestions.luau"
    "Text/Typing.luau"
    "Types.luau"
    "Version.luau"
    "View/Controls.luau"
    "View/Create.luau"
    "View/EditorPane.luau"
    "View/FilePanel.luau"
    "View/FindBar.luau"
    "View/Overlays.luau"
    "View/ProblemsPanel.luau"
    "View/Questions.luau"
    "View/Theme.luau"
    "View/Window.luau"
    "View/start.luau"
    "init.server.luau"
}

/// The bytes of the model: the same for the same sources. Errors: the model cannot be made, in words.
pub fn model() -> Result<Vec<u8>, String> {
    let mut root = script("Script", NAME, "");
    let mut folders: Vec<(&str, InstanceBuilder)> = Vec::new();
    for (path, source) in SOURCES {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        if *path == "init.server.luau" {
            root = root.with_property("Source", source.to_string());
            continue;
        }
        let module = script("ModuleScript", file.trim_end_matches(".luau"), source);
        if folder.is_empty() {
            root = root.with_child(module);
            continue;
        }
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, builder)) => {
                let with = std::mem::replace(builder, InstanceBuilder::new("Folder")).with_child(module);
                *builder = with;
            }
            None => {
                let builder = InstanceBuilder::new("Folder").with_name(folder).with_child(module);
                folders.push((folder, builder));
            }
        }
    }
    let root = root.with_children(folders.into_iter().map(|(_, folder)| folder));
    let dom = WeakDom::new(InstanceBuilder::new("DataModel").with_child(root));
    let mut bytes = Vec::new();
    rbx_binary::to_writer(&mut bytes, &dom, dom.root().children()).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Whether a file's bytes are the plugin's model, of this release or another.
pub fn is_model(bytes: &[u8]) -> bool {
    let Ok(dom) = rbx_binary::from_reader(bytes) else { return false };
    let roots = dom.root().children().iter().filter_map(|root| dom.get_by_ref(*root));
    let named: Vec<(&str, &str)> = roots.map(|root| (root.class.as_str(), root.name.as_str())).collect();
    named == [("Script", NAME)]
}

fn script(class: &str, name: &str, source: &str) -> InstanceBuilder {
    InstanceBuilder::new(class).with_name(name).with_property("Source", source.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths of all sources on disk, specs left out.
    fn on_disk(folder: &std::path::Path, inside: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{inside}{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() {
                on_disk(&path, &format!("{name}/"), found);
            } else if !name.ends_with(".spec.luau") {
                found.push(name);
            }
        }
    }

    #[test]
    fn every_source_is_carried() {
        let mut found = Vec::new();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/studio/src");
        on_disk(&folder, "", &mut found);
        found.sort();
        let carried: Vec<&str> = SOURCES.iter().map(|(path, _)| *path).collect();
        assert_eq!(carried, found);
    }

    #[test]
    fn the_plugin_is_of_this_version() {
        let (_, source) = SOURCES.iter().find(|(path, _)| *path == "Version.luau").unwrap();
        assert!(source.contains(&format!("return \"{}\"\n", blinkblox_compiler::VERSION)), "{source}");
    }

    #[test]
    fn the_model_is_a_script_with_its_modules_and_the_same_bytes_each_time() {
        let bytes = model().unwrap();
        assert_eq!(bytes, model().unwrap());
        assert!(is_model(&bytes) && !is_model(b"") && !is_model(&bytes[..bytes.len() / 2]));
        let dom = rbx_binary::from_reader(bytes.as_slice()).unwrap();
        let roots = dom.root().children();
        assert_eq!(roots.len(), 1);
        let root = dom.get_by_ref(roots[0]).unwrap();
        assert_eq!((root.class.as_str(), root.name.as_str()), ("Script", NAME));
        let mut count = 0;
        for one in dom.descendants_of(roots[0]) {
            match one.class.as_str() {
                "Folder" => assert!(!one.children().is_empty()),
                "Script" | "ModuleScript" => count += 1,
                class => panic!("{} is a {class}", one.name),
            }
        }
        assert_eq!(count, SOURCES.len());
    }
}
