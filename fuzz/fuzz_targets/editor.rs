#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| blinkblox_fuzzing::fuzzed("editor", data));
