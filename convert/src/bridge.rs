//! Call-site wrappers: the other tool's calls on a generated module, so that a game can move its definitions first and its
//! call sites later. Source: tooling specification, 8.10.
//!
//! The page of each tool in the book shows its wrapper and runs it against generated modules.

use crate::Tool;

/// The wrapper's Luau; none for Blink, whose calls are the module's own.
pub fn source(tool: Tool) -> Option<&'static str> {
    match tool {
        Tool::Zap => Some(include_str!("../bridges/zap.luau")),
        Tool::ByteNet => Some(include_str!("../bridges/bytenet.luau")),
        Tool::Packet => Some(include_str!("../bridges/packet.luau")),
        Tool::QuickNet => Some(include_str!("../bridges/quicknet.luau")),
        Tool::Warp => Some(include_str!("../bridges/warp.luau")),
        Tool::Remotes => Some(include_str!("../bridges/remotes.luau")),
        Tool::Blink => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_shows_and_runs_each_wrapper_as_it_is() {
        let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/coming-from");
        for tool in Tool::ALL {
            let page = std::fs::read_to_string(pages.join(format!("{}.md", tool.name()))).unwrap();
            let page = page.replace("\r\n", "\n");
            if let Some(source) = source(tool) {
                let block = format!("```luau src/shared/Bridge.luau\n{source}```\n");
                assert!(page.contains(&block), "{} does not show its wrapper", tool.name());
            }
            assert!(page.contains(&format!("blinkblox convert {} ", tool.name())), "{}", tool.name());
        }
    }
}
