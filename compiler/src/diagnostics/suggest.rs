//! The name that was probably meant.

/// The candidate nearest to `name`, at most two edits away; on a tie the earlier one. Upper and lower case count as
/// half an edit apart, so that `string` is offered for `String`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    // A name of two letters is two edits from every other such name.
    let allowed = if name.chars().count() <= 2 { 1 } else { 2 };
    for candidate in candidates {
        if candidate == name || candidate.is_empty() {
            continue;
        }
        let folded = name.eq_ignore_ascii_case(candidate);
        // Every character too many is an edit: most names need no closer look.
        let ascii = name.is_ascii() && candidate.is_ascii();
        if !folded && ascii && candidate.len().abs_diff(name.len()) > allowed {
            continue;
        }
        let distance = if folded { 0 } else { distance(name, candidate) };
        if (folded || distance <= allowed) && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The type of the language that Luau, the engine or another schema language calls `name`, where it has another name
/// here. What is nearest in letters would mislead: `Vector3` is not `Vector2`.
pub fn type_elsewhere(name: &str) -> Option<&'static str> {
    let ours = match name {
        "Vector3" => "vector",
        "bool" | "Bool" | "Boolean" => "boolean",
        "number" | "double" | "float64" | "Float64" | "NumberF64" => "f64",
        "float" | "float32" | "Float32" | "NumberF32" => "f32",
        "float16" | "Float16" | "half" => "f16",
        "uint8" | "Uint8" | "NumberU8" | "byte" => "u8",
        "uint16" | "Uint16" | "NumberU16" => "u16",
        "uint32" | "Uint32" | "NumberU32" | "uint" => "u32",
        "int8" | "Int8" | "NumberS8" => "i8",
        "int16" | "Int16" | "NumberS16" => "i16",
        "int32" | "Int32" | "NumberS32" | "int" | "integer" => "i32",
        "str" | "Characters" => "string",
        "any" | "Any" | "Unknown" => "unknown",
        _ => return None,
    };
    Some(ours)
}

/// Edits between two words: insertions, deletions, replacements, and swaps of neighbours.
pub fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let width = b.len() + 1;
    let mut rows = vec![vec![0; width]; a.len() + 1];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..width {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_edits_are_near() {
        assert_eq!(nearest("Crte", ["Crane", "Crate"]), Some("Crate"));
        assert_eq!(nearest("Corp", ["Crop"]), Some("Crop"));
        assert_eq!(nearest("String", ["u8", "string"]), Some("string"));
        assert_eq!(nearest("Bay", ["Forklift"]), None);
        assert_eq!(type_elsewhere("Vector3"), Some("vector"));
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
