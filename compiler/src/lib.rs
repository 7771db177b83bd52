//! Schema text in, diagnostics and Luau modules out, with TypeScript declarations on demand.
//!
//! Pure: no file access of its own, no clock, nothing printed. `ARCHITECTURE.md` follows the data through. Start at
//! [`compile`], or at [`analyze`] for the schema without its modules.

mod check;
pub mod diagnostics;
pub mod diff;
mod docs;
pub mod emit;
pub mod explain;
pub mod format;
pub mod ide;
pub mod luau;
pub mod outputs;
pub mod reserved;
pub mod schema;
pub mod sizes;
pub mod source;
pub mod syntax;
pub mod wire;

use std::collections::BTreeMap;

use diagnostics::Diagnostic;
use schema::{Profile, Schema};
use source::{SourceLoader, Sources, Span};

/// Version of every part of the release.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a schema means, and everything that is wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The entry and what it imports, in the order they were first reached.
    pub sources: Sources,
    /// The resolved schema; `None` when there is an error.
    pub schema: Option<Schema>,
    /// Errors and warnings, in the order they are reported in.
    pub diagnostics: Vec<Diagnostic>,
    /// What the text refers to, for editors.
    pub index: schema::index::Index,
    /// Where the entry's options in force have their values, by name.
    pub option_spans: BTreeMap<String, Span>,
}

impl Analysis {
    /// Whether some diagnostic stops the run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The schema signature; `None` when there is an error.
    pub fn signature(&self) -> Option<String> {
        self.schema.as_ref().map(wire::signature::signature)
    }
}

/// Texts of the generated modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// The server module.
    pub server: String,
    /// The client module.
    pub client: String,
    /// The types module, when `TypesOutput` asks for one.
    pub types: Option<String>,
    /// TypeScript declarations of the modules, when `Typescript` asks for them.
    pub declarations: Option<Declarations>,
}

/// Texts of the TypeScript declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declarations {
    /// Of the server module.
    pub server: String,
    /// Of the client module.
    pub client: String,
    /// Of the types module, when there is one.
    pub types: Option<String>,
}

/// A schema and the modules made from it.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// What the schema means, and everything that is wrong with it.
    pub analysis: Analysis,
    /// The modules; `None` when there is an error.
    pub outputs: Option<Outputs>,
    /// The schema signature the modules carry; `None` when there is an error.
    pub signature: Option<String>,
}

/// Reads and resolves a schema. `entry` is the path of a file the loader has; `profile` says what is compiled.
pub fn analyze(loader: &dyn SourceLoader, entry: &str, profile: Profile) -> Analysis {
    schema::resolve(loader, entry, profile)
}

/// Compiles a schema. `entry` is the path of a file the loader has; `profile` says what is compiled.
pub fn compile(loader: &dyn SourceLoader, entry: &str, profile: Profile) -> Compilation {
    generate(analyze(loader, entry, profile))
}

/// Makes the modules of an analysed schema; none when it has an error.
pub fn generate(mut analysis: Analysis) -> Compilation {
    let Some(schema) = analysis.schema.as_ref().filter(|_| !analysis.has_errors()) else {
        return Compilation { analysis, ..Compilation::default() };
    };
    let wire = wire::Wire::of(schema);
    let made = emit::emit(schema, &wire, &analysis.sources);
    let long = outputs::check_lengths(&made);
    analysis.diagnostics.extend(long);
    Compilation { analysis, outputs: Some(made), signature: Some(wire.signature) }
}
