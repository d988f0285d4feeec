//! Runs any bytes as PTX and as a launch of this PTX.
#![no_main]

use cutlet_fuzz::hostile::{self, HEADER};
use cutlet_fuzz::mutate::{Random, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| {
    hostile::launch(data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 8 == 0 || size <= HEADER {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut random = Random(u64::from(seed) + 1);
    if seed % 8 == 1 {
        data[random.below(HEADER)] = random.next() as u8;
        return size;
    }
    let text = String::from_utf8_lossy(&data[HEADER..size]);
    let new = mutate(&text, &mut random);
    let length = new.len().min(max_size - HEADER);
    data[HEADER..HEADER + length].copy_from_slice(&new.as_bytes()[..length]);
    HEADER + length
});
