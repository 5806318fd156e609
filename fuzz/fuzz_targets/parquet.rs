#![no_main]

// The reader catches panics of the crate that decodes Parquet; libFuzzer would count them as finds
// before they are caught. One that is not caught still ends the run.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| ())),
    |bytes: &[u8]| {
        deepnmf_fuzz::Target::Parquet.survives(bytes);
    }
);
