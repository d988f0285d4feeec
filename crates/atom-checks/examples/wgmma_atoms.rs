//! Runs every `wgmma` atom on a device: each type, width, place of A and major, from tiles with
//! every swizzle, at every k block.
//!
//! ```text
//!   cargo run --release -p atom-checks --example wgmma_atoms
//!   cargo run --release -p atom-checks --example wgmma_atoms -- --device emulator --only n64k
//! ```
//!
//! It prints a line for each instruction whose D is not the sum over k, then the counts. The exit
//! status is 1 if there is such an instruction.

use atom_checks::gmma::{Instruction, Outcome, check};
use atom_checks::sweep::exit;
use host::Device;
use std::error::Error;
use std::process::ExitCode;

fn run() -> Result<bool, Box<dyn Error>> {
    let (mut device, mut only) = (None, String::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--device" if value == "emulator" => device = Some(Device::emulator()),
            "--device" => device = Some(Device::gpu(value.parse()?)?),
            "--only" => only = value,
            _ => return Err(format!("no option {word}").into()),
        }
    }
    let device = device.unwrap_or_else(Device::best);
    println!("{}", device.where_it_ran());
    let (mut count, mut all, mut bad) = (0, Outcome::default(), 0);
    for (seed, instruction) in Instruction::all().iter().enumerate() {
        if !instruction.to_string().contains(&only) {
            continue;
        }
        let found = check(&device, instruction, seed as u64)
            .map_err(|error| format!("{instruction}: {error}"))?;
        count += 1;
        all.steps += found.steps;
        all.elements += found.elements;
        all.wrong += found.wrong;
        if let Some(first) = found.first {
            bad += 1;
            println!(
                "{instruction}: {} of {} elements wrong, first {first}",
                found.wrong, found.elements
            );
        }
    }
    println!(
        "{count} instructions, {} products, {} elements: {} wrong, in {bad} instructions",
        all.steps, all.elements, all.wrong
    );
    Ok(all.wrong == 0 && count > 0)
}

fn main() -> ExitCode {
    exit(run())
}
