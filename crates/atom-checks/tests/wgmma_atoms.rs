//! Runs `wgmma` with every tile that its types allow, on the emulator and, if there is one, on a
//! GPU of compute capability 9.0: all widths of one type, and a few widths of all types. The checks
//! of a push run a sample.
//!
//! `cargo run --release -p atom-checks --example wgmma_atoms` executes all of them.

#[path = "../../../tests/common/sample.rs"]
mod sample;

use atom_checks::gmma::{Instruction, Left, check};
use host::Device;

#[test]
fn every_place_of_the_operands_gives_the_sum() {
    let mut devices = vec![Device::emulator()];
    match Device::gpu(0) {
        Ok(gpu) if gpu.load(&Instruction::all()[0].ptx(512)).is_ok() => devices.push(gpu),
        _ => println!("no GPU of compute capability 9.0: on the emulator alone"),
    }
    let all = Instruction::all();
    let picked = all.iter().enumerate().filter(|(_, instruction)| {
        let few = matches!(instruction.n, 8 | 64)
            || instruction.n == 240 && instruction.name.contains("s32");
        few || instruction.name.ends_with("f32.bf16.bf16") && instruction.left != Left::MajorMn
    });
    let picked: Vec<_> = picked.collect();
    assert!(picked.len() > 200, "{} instructions", picked.len());
    // A sample of every fifth instruction has all kinds of operands and all widths: neither repeats
    // with period five.
    for (seed, instruction) in sample::sample("instructions", 5, 0, picked) {
        for device in &devices {
            let found = check(device, instruction, seed as u64);
            let found = found.unwrap_or_else(|error| panic!("{instruction}: {error}"));
            assert_eq!(found.wrong, 0, "{instruction}: {:?}", found.first);
            assert_eq!(found.elements, found.steps * 64 * instruction.n as usize);
        }
    }
}

/// Checks that a descriptor of another k block, or of another swizzle, gives other sums.
#[test]
fn a_wrong_descriptor_is_seen() {
    let device = Device::emulator();
    let all = Instruction::all();
    let instruction = all
        .iter()
        .find(|one| one.to_string().contains("m64n64k16.f32.f16.f16, A MajorK"));
    let instruction = instruction.expect("an instruction of PTX");
    for wrong in [2u64, 1 << 16, 1 << 32, 1 << 62] {
        let mut ptx = instruction.clone();
        // The kernel adds the base's address to both descriptors; the added instruction changes
        // B's.
        ptx.name = format!("xor.b64 %x6, %x6, {wrong};\n{}", instruction.name);
        let found = check(&device, &ptx, 1).expect("it runs");
        assert!(found.wrong > 0, "{wrong:#x}");
    }
}
