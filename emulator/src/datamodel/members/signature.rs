//! How a member is declared in one text: `FindFirstChild(name: string, recursive: boolean?) -> Instance?`.
//!
//! Read at compile time, so that a line of the table costs nothing at run time.

/// What a member takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// `name: string, recursive: boolean?`
    pub arguments: &'static str,
    /// `Instance?`, empty for nothing.
    pub result: &'static str,
    /// How many arguments must be given.
    pub required: u8,
}

/// Name, arguments and result of a declaration.
pub const fn parts(declared: &'static str) -> (&'static str, &'static str, &'static str) {
    let bytes = declared.as_bytes();
    let open = find(bytes, 0, b'(');
    if open == bytes.len() {
        return (declared, "", "");
    }
    let (name, rest) = declared.split_at(open);
    let close = matching(rest.as_bytes());
    let (_, inside) = rest.split_at(1);
    let (arguments, after) = inside.split_at(close - 1);
    // `) -> ` is five characters.
    let result = if after.len() > 5 { after.split_at(5).1 } else { "" };
    (name, arguments, result)
}

/// Name and signature of a declaration.
pub const fn read(declared: &'static str) -> (&'static str, Signature) {
    let (name, arguments, result) = parts(declared);
    (name, Signature { arguments, result, required: required(arguments) })
}

const fn find(bytes: &[u8], from: usize, byte: u8) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != byte {
        at += 1;
    }
    at
}

/// Where the bracket that opens a text is closed.
const fn matching(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'(' {
            depth += 1;
        } else if bytes[at] == b')' {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
        at += 1;
    }
    bytes.len()
}

/// How many leading parameters take no nil: those before the first `T?`, `any` or `...`.
const fn required(arguments: &str) -> u8 {
    let bytes = arguments.as_bytes();
    let (mut count, mut start) = (0, 0);
    while start < bytes.len() {
        let end = find(bytes, start, b',');
        if may_be_nil(bytes, start, end) {
            return count;
        }
        count += 1;
        start = end + 1;
    }
    count
}

const fn may_be_nil(bytes: &[u8], start: usize, end: usize) -> bool {
    bytes[end - 1] == b'?'
        || bytes[end - 1] == b'.'
        || (end - start > 3 && bytes[end - 3] == b'a' && bytes[end - 2] == b'n' && bytes[end - 1] == b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_taken_apart() {
        const FIND: (&str, Signature) =
            read("FindFirstChild(name: string, recursive: boolean?) -> Instance?");
        assert_eq!(FIND.0, "FindFirstChild");
        let signature =
            Signature { arguments: "name: string, recursive: boolean?", result: "Instance?", required: 1 };
        assert_eq!(FIND.1, signature);
        assert_eq!(read("Archivable"), ("Archivable", Signature { arguments: "", result: "", required: 0 }));
        assert_eq!(read("Fire(...)").1.required, 0);
        assert_eq!(read("SetAttribute(name: string, value: any)").1.required, 1);
        assert_eq!(
            read("Destroying()"),
            ("Destroying", Signature { arguments: "", result: "", required: 0 })
        );
        let nested = read("Bind(run: (dt: number) -> (), rate: number) -> RBXScriptConnection");
        assert_eq!(
            (nested.1.arguments, nested.1.result),
            ("run: (dt: number) -> (), rate: number", "RBXScriptConnection")
        );
    }
}
