//! Launches the access patterns of the emulator's tests on GPU 0, one kernel for each, in order, so
//! that a profiler can count what each costs. `crates/emulator/tests/data/h200_counters.txt`
//! contains such counts.
//!
//! ```text
//! cargo run --release -p cutlet-host --example access_patterns -- list    the cases; or the PTX; or only those of `copy`
//! ncu --csv --metrics ... target/release/examples/access_patterns  one row a case and metric
//! ```

use std::error::Error;

use host::{ByValue, Contract, Device};

#[path = "../../crates/emulator/tests/patterns/cases.rs"]
mod cases;

fn main() -> Result<(), Box<dyn Error>> {
    let all = cases::cases();
    let argument = std::env::args().nth(1).unwrap_or_default();
    if argument == "ptx" {
        print!("{}", cases::ptx());
        return Ok(());
    }
    if argument == "list" {
        for (number, case) in all.iter().enumerate() {
            let (offsets, places) = (case.offsets, case.places);
            let (kernel, name, mask) = (case.kind.kernel, &case.name, case.mask);
            println!("{number} {kernel} {name} {mask:#010x} {offsets:?} {places:?}");
        }
        return Ok(());
    }
    let device = Device::gpu(0)?;
    let module = device.load(&cases::ptx())?;
    let mut buffer = device.upload(&vec![0_u8; cases::GLOBAL_BYTES])?;
    for case in all
        .iter()
        .filter(|case| case.kind.kernel.starts_with(&argument))
    {
        let contract = Contract::new()
            .grid(1)
            .block(32)
            .shared(cases::SHARED_BYTES)
            .writes(0, "buffer", cases::GLOBAL_BYTES, 16);
        let kernel = module.kernel(case.kind.kernel)?;
        let (offsets, places) = (ByValue(case.offsets), ByValue(case.places));
        kernel.launch(
            &contract.launch(),
            (&mut buffer, offsets, places, case.mask),
        )?;
    }
    println!("{} cases", all.len());
    Ok(())
}
