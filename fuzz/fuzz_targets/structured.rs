//! Runs any bytes as a module, a launch and a launch file, by their structure.
#![no_main]

use cutlet_fuzz::structured::{Features, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    run(data, &mut Features::new());
});
