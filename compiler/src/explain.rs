//! The page of each code: what it protects against, an example that raises it, and the same example mended.
//!
//! Pages are Markdown under `compiler/errors`, named by the code as it is most often printed. A test compiles their
//! examples.

use crate::diagnostics::Code;

/// Where the book is published.
pub const BOOK: &str = "https://blinkblox.github.io/blinkblox/";

/// The address of a code's page in the published book.
pub fn address(code: Code) -> String {
    format!("{BOOK}codes.html#{}-{}", title(code).to_lowercase(), code.name().to_lowercase())
}

macro_rules! pages {
    ($($code:ident = $file:literal,)+) => {
        /// The page of a code, in Markdown.
        pub fn page(code: Code) -> &'static str {
            match code {
                $(Code::$code => include_str!(concat!("../errors/", $file, ".md")),)+
            }
        }

        /// The code as its page is named, with its letter.
        pub fn title(code: Code) -> &'static str {
            match code {
                $(Code::$code => $file,)+
            }
        }
    };
}

pages! {
    LexUnexpectedCharacter = "E1001",
    ParseUnexpectedEnd = "E2001",
    ParseUnexpectedToken = "E2002",
    ParseInvalidValue = "E2003",
    ParseMissingField = "E2005",
    AnalyzeWrongKind = "E3001",
    AnalyzeInvalidOptional = "E3002",
    AnalyzeDuplicateMember = "E3004",
    AnalyzeReservedName = "E3005",
    AnalyzeUnknownReference = "E3007",
    AnalyzeUnexpectedRange = "E3008",
    AnalyzeInvalidRange = "E3009",
    AnalyzeDuplicateDeclaration = "E3010",
    AnalyzeUnexpectedGenerics = "E3012",
    AnalyzeNotExportable = "E3013",
    AnalyzeUnknownImport = "E3014",
    AnalyzeCyclicImport = "E3015",
    AnalyzeLateOption = "E3016",
    AnalyzeDeprecated = "W3017",
    AnalyzeOversizedEvent = "E3018",
    AnalyzeUnboundedEvent = "W3019",
    AnalyzeMissingRateLimit = "E3020",
    AnalyzeFreeElement = "E3021",
    AnalyzeRecursiveType = "E3022",
    AnalyzeInvalidComponent = "E3023",
    AnalyzeDuplicateOption = "E3024",
    AnalyzeUnknownAttribute = "E3025",
    AnalyzeUnknownProfile = "E3026",
    AnalyzeExcludedReference = "E3027",
    AnalyzeMisplacedAttribute = "E3028",
    AnalyzeEnumSize = "E3029",
    AnalyzeChannelFull = "E3030",
    AnalyzeForbiddenInstance = "E3031",
    AnalyzeNumberModifier = "E3032",
    AnalyzeInvalidStream = "E3033",
    AnalyzeInvalidStamp = "E3034",
    AnalyzePriority = "E3035",
    AnalyzeRepeatedImport = "W3036",
    AnalyzeUnnamedEnum = "E3037",
    AnalyzeUnknownClass = "W3038",
    AnalyzeInvalidEntity = "E3040",
    AnalyzeInvalidTable = "E3041",
    AnalyzeInvalidState = "E3042",
    AnalyzeIdleSetting = "W3043",
    AnalyzeInvalidSession = "E3050",
    OutputMissingPath = "E4001",
    OutputSamePath = "E4002",
    OutputMissingLibrary = "E4003",
    FileNotFound = "E4004",
    FileUnreadable = "E4005",
    FileUnwritable = "E4006",
    UsageError = "E4007",
    ConvertRefused = "E4008",
    ConvertDraftExists = "E4009",
    OutputExposed = "E4010",
    OutputHidden = "E4011",
    InternalFault = "E4099",
    OutputLongModule = "W4101",
    OutputPromisePack = "W4102",
    OutputOutsideProject = "W4103",
    OutputSharedScope = "W4104",
    ProjectUnreadable = "W4105",
}

/// What the code means, in one line.
pub fn summary(code: Code) -> &'static str {
    page(code).lines().filter(|line| !line.is_empty()).nth(1).unwrap_or_default()
}

/// Whether some diagnostic of a code is a warning. Those of [`Code::AnalyzeMissingRateLimit`] and
/// [`Code::AnalyzePriority`] are errors or warnings, as the schema is.
pub fn is_warning(code: Code) -> bool {
    title(code).starts_with('W') || matches!(code, Code::AnalyzeMissingRateLimit | Code::AnalyzePriority)
}

/// The code that a person means by `E3004`, `3004` or `AnalyzeDuplicateMember`, in any case of letters.
pub fn find(text: &str) -> Option<Code> {
    let text = text.trim();
    let number = text.strip_prefix(['E', 'e', 'W', 'w']).unwrap_or(text);
    Code::ALL
        .iter()
        .copied()
        .find(|code| number == code.number().to_string() || text.eq_ignore_ascii_case(code.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_by_number_and_by_name() {
        for text in ["E3004", "w3004", "3004", "analyzeduplicatemember"] {
            assert_eq!(find(text), Some(Code::AnalyzeDuplicateMember), "{text}");
        }
        assert_eq!(find("E9999"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn every_page_is_headed_by_its_code() {
        for &code in Code::ALL {
            let head = format!("# {}: {}\n", title(code), code.name());
            assert!(page(code).starts_with(&head), "{code:?}");
            assert!(title(code).ends_with(&code.number().to_string()), "{code:?}");
            assert!(summary(code).ends_with('.'), "{code:?}: {}", summary(code));
        }
    }
}
