//! A page on each diagnostic of the emulator: `blinkblox explain E-MIXED`.

use super::{DiagnosticCode, words};

impl DiagnosticCode {
    /// What happened, what to do, and how much it matters.
    pub fn page(self) -> String {
        let (name, class) = (self.name(), self.class().name());
        let (what, advice) = words::code(self);
        format!(
            "# {name}\n\n{what}\n\n{advice}\n\nIts class is {class}. A spec that means to do this says \
             `world:expectDiagnostic(\"{name}\")`.\n"
        )
    }

    /// What happened, in a sentence.
    pub fn summary(self) -> &'static str {
        words::code(self).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_and_is_found_by_its_name() {
        for &code in DiagnosticCode::ALL {
            assert_eq!(DiagnosticCode::named(&code.name().to_lowercase()), Some(code));
            let page = code.page();
            assert!(page.starts_with(&format!("# {}\n", code.name())) && page.contains(code.class().name()));
        }
        assert_eq!(DiagnosticCode::named("E-NOTHING"), None);
    }
}
