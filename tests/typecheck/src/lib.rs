//! Type checks of emitted modules.
