#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    deepnmf_fuzz::Target::Market.survives(bytes);
});
