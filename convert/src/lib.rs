//! Definitions of other networking tools, and games on plain remotes, to schemas.
//!
//! [`convert`] takes a tool's definitions to a [`Conversion`]: the text of a draft, which compiles as it is, and a
//! [`report::Report`] of what is left to decide and what was lost. zap's files are parsed (`zap`); definitions that are
//! Luau run against stand-ins that record (`sandbox`, `luau`); Blink's schemas are edited (`blink`); games are read and
//! never run (`remotes`). All but Blink's end in one [`draft`], so that every source is drafted by the same rules.
//!
//! Nothing here prints or writes. Files come through a [`SourceLoader`], and a game's through the emulator's project
//! loader. Source: tooling specification, 8.

mod blink;
pub mod bridge;
mod draft;
mod luau;
mod remotes;
pub mod report;
mod sandbox;
mod zap;

use std::path::Path;
use std::rc::Rc;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, MemoryLoader, SourceLoader, Sources, Span};

use report::Report;
pub use sandbox::Limits;

/// A tool whose definitions can be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// zap: text of its own.
    Zap,
    /// ByteNet: Luau that is run.
    ByteNet,
    /// Packet: Luau that is run.
    Packet,
    /// QuickNet: Luau that is run.
    QuickNet,
    /// Warp: Luau that is run.
    Warp,
    /// Blink: schemas that compile as they are, with a few exceptions.
    Blink,
    /// `RemoteEvent`s, `UnreliableRemoteEvent`s and `RemoteFunction`s of a game.
    Remotes,
}

impl Tool {
    /// Every tool, in the order they are listed in.
    pub const ALL: [Tool; 7] =
        [Tool::Zap, Tool::ByteNet, Tool::Packet, Tool::QuickNet, Tool::Warp, Tool::Blink, Tool::Remotes];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Zap => "zap",
            Tool::ByteNet => "bytenet",
            Tool::Packet => "packet",
            Tool::QuickNet => "quicknet",
            Tool::Warp => "warp",
            Tool::Blink => "blink",
            Tool::Remotes => "remotes",
        }
    }

    /// The tool of that name.
    pub fn from_name(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Tool::Zap => "zap",
            Tool::ByteNet => "ByteNet",
            Tool::Packet => "Packet",
            Tool::QuickNet => "QuickNet",
            Tool::Warp => "Warp",
            Tool::Blink => "Blink",
            Tool::Remotes => "plain remotes",
        }
    }

    /// What is read, with the release it is understood as.
    pub fn source(self) -> &'static str {
        match self {
            Tool::Zap => "definitions for zap 0.6.29",
            Tool::ByteNet => "definitions for ByteNet 0.4.3",
            Tool::Packet => "definitions for Packet 1.7.0",
            Tool::QuickNet => "definitions for QuickNet v0.3.5-beta",
            Tool::Warp => "definitions for Warp 1.1.0-pre7",
            Tool::Blink => "a schema for Blink 0.18",
            Tool::Remotes => "a game's remotes",
        }
    }

    /// Whether its definitions are Luau code, which is run.
    pub fn is_run(self) -> bool {
        matches!(self, Tool::ByteNet | Tool::Packet | Tool::QuickNet | Tool::Warp)
    }

    /// The path a draft is written to unless another is asked for: beside `path`, with its suffix replaced.
    pub fn draft_path(self, path: &str) -> String {
        let path = path.trim_end_matches('/');
        let (folder, name) = match path.rsplit_once('/') {
            Some((folder, name)) => (format!("{folder}/"), name),
            None => (String::new(), path),
        };
        let stem = [".project.json", ".project.jsonc"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or_else(|| match name.rfind('.') {
                Some(at) if at > 0 => &name[..at],
                _ => name,
            });
        // A folder named by dots alone has no name to give.
        let stem = if stem.chars().all(|char| char == '.') { "remotes" } else { stem };
        let draft = format!("{folder}{stem}.blink");
        // A schema of Blink's has the name of its own draft.
        if draft == path { format!("{folder}{stem}.draft.blink") } else { draft }
    }
}

/// What a conversion gives.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Text of the draft.
    pub draft: String,
    /// What is left to decide, and what was lost.
    pub report: Report,
    /// Whether the draft compiles. Only a schema of Blink's that this compiler refuses may not: the report says why.
    pub compiles: bool,
}

/// Why there is no draft.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// `E4005`, `E4008`, or `E4099` for a fault of the converter's own.
    pub diagnostic: Diagnostic,
    /// The files it points into.
    pub sources: Sources,
    /// The draft at fault, to be kept as evidence.
    pub draft: Option<String>,
}

impl Refusal {
    pub(crate) fn new(diagnostic: Diagnostic, sources: Sources) -> Box<Refusal> {
        Box::new(Refusal { diagnostic, sources, draft: None })
    }

    fn internal(why: &str, draft: Option<String>) -> Box<Refusal> {
        let first = why.lines().next().unwrap_or_default();
        let diagnostic =
            Diagnostic::error(Code::InternalFault, format!("the converter made a faulty draft: {first}"))
                .note("This is our mistake. Please report it with the definitions.")
                .note(format!("BlinkBlox {}", blinkblox_compiler::VERSION));
        Box::new(Refusal { diagnostic, sources: Sources::default(), draft })
    }
}

/// Converts the definitions at `path`, read exactly as it is written.
///
/// Errors: definitions that cannot be read, that their own tool would refuse, or that ran past a limit.
pub fn convert(
    tool: Tool,
    loader: &Rc<dyn SourceLoader>,
    path: &str,
    limits: Limits,
) -> Result<Conversion, Box<Refusal>> {
    let mut report = Report::default();
    let draft = match tool {
        Tool::Zap => zap::read(loader.as_ref(), path, &mut report)?,
        Tool::ByteNet | Tool::Packet | Tool::QuickNet | Tool::Warp => {
            luau::read(tool, loader, path, limits, &mut report)?
        }
        Tool::Blink => return blink::convert(loader, path),
        Tool::Remotes => remotes::read(Path::new(path), &mut report)?,
    };
    let text = draft::finish(draft, tool, &mut report).map_err(|why| Refusal::internal(&why, None))?;
    check(text, report)
}

/// Compiles a draft, as the last step of its making.
fn check(draft: String, report: Report) -> Result<Conversion, Box<Refusal>> {
    let loader = MemoryLoader::new().with("draft.blink", draft.as_str());
    let compilation = blinkblox_compiler::compile(&loader, "draft.blink", Profile::Release);
    let errors: Vec<&Diagnostic> =
        compilation.analysis.diagnostics.iter().filter(|one| one.is_error()).collect();
    let Some(first) = errors.first() else {
        return Ok(Conversion { draft, report, compiles: true });
    };
    // Limits of the language that no draft can keep for the definitions.
    let is_too_large = first.headline.ends_with("this type is too large");
    if is_too_large || matches!(first.code, Code::AnalyzeChannelFull | Code::AnalyzeOversizedEvent) {
        let diagnostic = Diagnostic::error(Code::ConvertRefused, first.headline.clone())
            .note("Split the definitions, or change what is too large, and convert again.");
        return Err(Refusal::new(diagnostic, Sources::default()));
    }
    Err(Refusal::internal(&format!("{}: {}", first.code_text(), first.headline), Some(draft)))
}

/// A file of definitions as text, without its byte order mark.
fn read_text(loader: &dyn SourceLoader, path: &str) -> Result<String, Box<Refusal>> {
    let shown = loader.shown(path);
    let unreadable = |why: &str| {
        let diagnostic =
            Diagnostic::error(Code::ConvertRefused, format!("\"{shown}\" cannot be read: {why}"))
                .about_file(shown.clone());
        Refusal::new(diagnostic, Sources::default())
    };
    if !loader.is_file(path) {
        return Err(unreadable("there is no such file"));
    }
    let bytes = loader.read(path).map_err(|why| unreadable(&why))?;
    // Spans count bytes in 32 bits, and no definitions come near.
    if bytes.len() > MOST_BYTES {
        return Err(unreadable("it is larger than 64 MB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_string))
}

const MOST_BYTES: usize = 64 << 20;

/// `E4008` about a span.
fn refused(headline: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::ConvertRefused, headline).primary(span, label)
}

/// What stands on a line, without the white space around it.
fn line_span(sources: &Sources, file: FileId, line: usize) -> Span {
    let Some(source) = sources.files().get(file.0 as usize) else { return Span::default() };
    let last = source.text.lines().count().max(1);
    let line = u32::try_from(line.clamp(1, last)).unwrap_or(1);
    let text = source.line(line);
    let start = source.line_range(line).start + (text.len() - text.trim_start().len());
    Span::new(file, start, start + text.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_lies_beside_its_definitions() {
        assert_eq!(Tool::Zap.draft_path("net/depot.zap"), "net/depot.blink");
        assert_eq!(Tool::ByteNet.draft_path("packets.luau"), "packets.blink");
        assert_eq!(Tool::Remotes.draft_path("game/default.project.json"), "game/default.blink");
        assert_eq!(Tool::Remotes.draft_path("src/"), "src.blink");
        assert_eq!(Tool::Remotes.draft_path("."), "remotes.blink");
        assert_eq!(Tool::Blink.draft_path("net/game.blink"), "net/game.draft.blink");
        assert_eq!(Tool::Blink.draft_path("net/game.txt"), "net/game.blink");
    }
}
