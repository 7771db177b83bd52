//! Builds the parser.

fn main() {
    let source = std::path::Path::new("src");
    let files = ["parser.c", "scanner.c"].map(|name| source.join(name));
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    cc::Build::new().std("c11").include(source).files(&files).warnings(false).compile("tree-sitter-blink");
}
