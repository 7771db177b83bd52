//! Generated modules: the resolved schema and its wire plan in, text out.

pub mod bundle;
pub mod luau;
pub mod typescript;

use crate::docs::Docs;
use crate::schema::Schema;
use crate::source::Sources;
use crate::wire::Wire;
use crate::{Declarations, Outputs};

/// The modules of a schema, and their declarations when `Typescript` asks for them. The same schema gives the same
/// bytes, whatever was compiled before. `sources` are the files it was read from.
pub fn emit(schema: &Schema, wire: &Wire, sources: &Sources) -> Outputs {
    let types = schema.options.types_output.is_some();
    let declarations = schema.options.typescript.then(|| {
        let docs = Docs::of(sources);
        let declarations = typescript::Declarations::new(schema, &docs);
        Declarations {
            server: declarations.server(),
            client: declarations.client(),
            types: types.then(|| declarations.types()),
        }
    });
    Outputs {
        server: luau::server(schema, wire),
        client: luau::client(schema, wire),
        types: types.then(|| luau::types_text(schema, wire)),
        declarations,
    }
}
