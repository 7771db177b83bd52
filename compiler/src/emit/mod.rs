//! Generated modules: the resolved schema and its wire plan in, text out.

pub mod bundle;
pub mod luau;

use crate::Outputs;
use crate::schema::Schema;
use crate::wire::Wire;

/// The modules of a schema. The same schema gives the same bytes, whatever was compiled before.
pub fn emit(schema: &Schema, wire: &Wire) -> Outputs {
    Outputs {
        server: luau::server(schema, wire),
        client: luau::client(schema, wire),
        types: schema.options.types_output.as_ref().map(|_| luau::types_text(schema, wire)),
    }
}
