//! Parses any bytes as PTX.
#![no_main]

use cutlet_fuzz::mutate::{Random, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| {
    cutlet_fuzz::hostile::parse(data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 4 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let text = String::from_utf8_lossy(&data[..size]);
    let new = mutate(&text, &mut Random(u64::from(seed) + 1));
    let length = new.len().min(max_size);
    data[..length].copy_from_slice(&new.as_bytes()[..length]);
    length
});
