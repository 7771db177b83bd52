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
    let (server, client) = modules(schema, wire);
    Outputs { server, client, types: types.then(|| luau::types_text(schema, wire)), declarations }
}

/// Types and members of a schema from which on its two modules are made at once. A thread costs as much as a small one.
const BOTH_AT_ONCE: usize = 40;

/// Stack of a thread that makes a module, as large as that of a program: types nest.
const STACK: usize = 8 << 20;

/// Texts of the server's and the client's module.
fn modules(schema: &Schema, wire: &Wire) -> (String, String) {
    if schema.types.len() + schema.root.items.len() < BOTH_AT_ONCE {
        return (luau::server(schema, wire), luau::client(schema, wire));
    }
    std::thread::scope(|scope| {
        let client =
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || luau::client(schema, wire));
        let server = luau::server(schema, wire);
        // Without another thread this one does both.
        let client = client.ok().and_then(|thread| thread.join().ok());
        (server, client.unwrap_or_else(|| luau::client(schema, wire)))
    })
}
