//! Every code a diagnostic can carry. Numbers and names never change meaning.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)+) => {
        /// What went wrong, by its stable name. Source: tooling specification, 3.5 and 3.6.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $($(#[$doc])* $name = $number,)+
        }

        impl Code {
            /// Every code, in ascending order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The stable name, as in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$name => stringify!($name),)+
                }
            }
        }
    };
}

codes! {
    /// A character begins no token; a string is not closed.
    LexUnexpectedCharacter = 1001,
    /// The file ends inside something.
    ParseUnexpectedEnd = 2001,
    /// The grammar needs another token.
    ParseUnexpectedToken = 2002,
    /// An unknown option or key; a value outside those allowed.
    ParseInvalidValue = 2003,
    /// A required key is missing.
    ParseMissingField = 2005,
    /// A reference names the wrong kind of thing.
    AnalyzeWrongKind = 3001,
    /// A type that cannot be optional is.
    AnalyzeInvalidOptional = 3002,
    /// A repeated member.
    AnalyzeDuplicateMember = 3004,
    /// A reserved name.
    AnalyzeReservedName = 3005,
    /// An unknown reference.
    AnalyzeUnknownReference = 3007,
    /// A range on a type without one.
    AnalyzeUnexpectedRange = 3008,
    /// A range that does not fit.
    AnalyzeInvalidRange = 3009,
    /// A duplicate declaration.
    AnalyzeDuplicateDeclaration = 3010,
    /// Parameters or a suffix where a declaration has none.
    AnalyzeUnexpectedGenerics = 3012,
    /// An export that cannot be.
    AnalyzeNotExportable = 3013,
    /// An import that is not found.
    AnalyzeUnknownImport = 3014,
    /// An import that is cyclic.
    AnalyzeCyclicImport = 3015,
    /// An option after the first declaration or in a scope.
    AnalyzeLateOption = 3016,
    /// `UseColon` or `Poll`.
    AnalyzeDeprecated = 3017,
    /// An unreliable event that cannot fit.
    AnalyzeOversizedEvent = 3018,
    /// An unreliable event that may not fit.
    AnalyzeUnboundedEvent = 3019,
    /// A missing rate; a rate where it does nothing.
    AnalyzeMissingRateLimit = 3020,
    /// An unbounded repetition of what costs nothing.
    AnalyzeFreeElement = 3021,
    /// A recursive type.
    AnalyzeRecursiveType = 3022,
    /// Components that do not belong.
    AnalyzeInvalidComponent = 3023,
    /// An option set twice.
    AnalyzeDuplicateOption = 3024,
    /// An attribute other than `@profile`.
    AnalyzeUnknownAttribute = 3025,
    /// An unknown profile.
    AnalyzeUnknownProfile = 3026,
    /// Compiled use of an excluded type.
    AnalyzeExcludedReference = 3027,
    /// An attribute repeated or without a statement.
    AnalyzeMisplacedAttribute = 3028,
    /// An enum of no or more than 256 values.
    AnalyzeEnumSize = 3029,
    /// A channel past 256 entries.
    AnalyzeChannelFull = 3030,
    /// A client-sent Instance where none may arrive.
    AnalyzeForbiddenInstance = 3031,
    /// A bad number modifier.
    AnalyzeNumberModifier = 3032,
    /// A bad stream.
    AnalyzeInvalidStream = 3033,
    /// A bad stamp.
    AnalyzeInvalidStamp = 3034,
    /// A priority that may not be, or has no budget.
    AnalyzePriority = 3035,
    /// A file of events imported again.
    AnalyzeRepeatedImport = 3036,
    /// `Enum(` without a name.
    AnalyzeUnnamedEnum = 3037,
    /// A class the class database does not know.
    AnalyzeUnknownClass = 3038,
    /// A field of an entity that may not be so.
    AnalyzeInvalidEntity = 3040,
    /// A bad table.
    AnalyzeInvalidTable = 3041,
    /// A bad state.
    AnalyzeInvalidState = 3042,
    /// A setting without effect.
    AnalyzeIdleSetting = 3043,
    /// A setting of a session that cannot work.
    AnalyzeInvalidSession = 3050,
    /// No output path.
    OutputMissingPath = 4001,
    /// Two outputs at one path.
    OutputSamePath = 4002,
    /// A yield type without its library.
    OutputMissingLibrary = 4003,
    /// The entry was not found.
    FileNotFound = 4004,
    /// A file cannot be read.
    FileUnreadable = 4005,
    /// A file cannot be written.
    FileUnwritable = 4006,
    /// The arguments are wrong.
    UsageError = 4007,
    /// Definitions of another tool cannot be converted.
    ConvertRefused = 4008,
    /// A draft is already there.
    ConvertDraftExists = 4009,
    /// The server module is where clients can read it.
    OutputExposed = 4010,
    /// The client module is where clients cannot see it.
    OutputHidden = 4011,
    /// A fault of the compiler's own.
    InternalFault = 4099,
    /// A generated module is very long.
    OutputLongModule = 4101,
    /// A Promise that returns a pack, under `Typescript`.
    OutputPromisePack = 4102,
    /// An output outside the project.
    OutputOutsideProject = 4103,
    /// Two schemas of a project have one `RemoteScope`.
    OutputSharedScope = 4104,
    /// The project cannot be read.
    ProjectUnreadable = 4105,
}

impl Code {
    /// The number without its letter.
    pub fn number(self) -> u16 {
        self as u16
    }
}
