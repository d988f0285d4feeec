//! Runs every type of `wgmma` on a device, on many random tiles, and compares it with the
//! emulator's arithmetic.
//!
//! ```text
//!   cargo run --release -p atom-checks --example wgmma_sweep -- --tiles 1000000
//!   cargo run --release -p atom-checks --example wgmma_sweep -- --device emulator --tiles 96 --only bf16
//! ```
//!
//! It prints a line for each instruction: the numbers of tiles, of elements of D, of infinite or
//! NaN elements, and of differing elements, in all and by class. `--samples FILE` writes some of
//! the differing elements with their operands to the file, and `--equal N` also N equal elements of
//! each class. The exit status is 1 if anything differs.

use atom_checks::sweep::{
    Maker, Report, Tally, Variant, compare_by, exit, warpgroup_instructions, warpgroup_ptx,
};
use emulator::numerics::mma::{Accumulator, Arithmetic, Mma};
use host::{Device, Launch};
use rayon::prelude::*;
use std::error::Error;
use std::process::ExitCode;

struct Options {
    device: Device,
    tiles: u64,
    chunk: u64,
    seed: u64,
    only: Vec<String>,
    samples: Option<String>,
    keep: usize,
    equal: usize,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        device: Device::best(),
        tiles: 1 << 16,
        chunk: 1 << 16,
        seed: 1,
        only: Vec::new(),
        samples: None,
        keep: 8,
        equal: 0,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--device" if value == "emulator" => options.device = Device::emulator(),
            "--device" => options.device = Device::gpu(value.parse()?)?,
            "--tiles" => options.tiles = value.parse::<u64>()?.next_multiple_of(4),
            "--chunk" => options.chunk = value.parse::<u64>()?.next_multiple_of(4),
            "--seed" => options.seed = value.parse()?,
            "--only" => options.only.extend(value.split(',').map(Into::into)),
            "--samples" => options.samples = Some(value),
            "--keep" => options.keep = value.parse()?,
            "--equal" => options.equal = value.parse()?,
            _ => return Err(format!("no option {word}").into()),
        }
    }
    Ok(options)
}

/// Returns a mask of the sign bits in a register of A.
fn signs(mma: &Mma) -> u32 {
    match mma.a.bits() {
        8 => 0x8080_8080,
        16 => 0x8000_8000,
        _ => 0x8000_0000,
    }
}

fn sweep(options: &Options, mma: Mma, variant: Variant) -> Result<Tally, Box<dyn Error>> {
    let maker = Maker::new(mma, options.seed);
    let device = &options.device;
    let kernel = device
        .load(&warpgroup_ptx(&mma, variant))?
        .kernel("sweep")?;
    let chunk = options.chunk.min(options.tiles);
    let words = maker.words();
    let [mut a, mut b, mut c, mut d] = words.map(|n| vec![0u32; n * chunk as usize]);
    let mut buffers = Vec::new();
    for n in words {
        buffers.push(device.alloc::<u32>(n * chunk as usize)?);
    }
    let keep = options.keep.max(options.equal);
    let mut tally = Tally::default();
    let mut first = 0;
    while first < options.tiles {
        let count = chunk.min(options.tiles - first) as usize;
        a.par_chunks_mut(words[0])
            .zip(b.par_chunks_mut(words[1]))
            .zip(c.par_chunks_mut(words[2]))
            .take(count)
            .enumerate()
            .for_each_init(
                || [0, 1, 2].map(|i| vec![0u64; words[i]]),
                |[wide_a, wide_b, wide_c], (i, ((a, b), c))| {
                    maker.fill(first + i as u64, wide_a, wide_b, wide_c);
                    for (to, from) in [(a, wide_a), (b, wide_b), (c, wide_c)] {
                        for (to, from) in to.iter_mut().zip(from) {
                            *to = *from as u32;
                        }
                    }
                },
            );
        let [buffer_a, buffer_b, buffer_c, buffer_d] = &mut buffers[..] else {
            return Err("four buffers".into());
        };
        buffer_a.copy_from(&a)?;
        buffer_b.copy_from(&b)?;
        buffer_c.copy_from(&c)?;
        let blocks = (count as u32 / 4).clamp(1, 1056);
        kernel.launch(
            &Launch::new(blocks, 128),
            (
                &mut *buffer_d,
                &*buffer_a,
                &*buffer_b,
                &*buffer_c,
                count as u32,
            ),
        )?;
        buffer_d.copy_to(&mut d)?;
        let execute = |[a, b, c]: [&[u32]; 3], d: &mut [u32]| {
            let flip = match variant {
                Variant::Negate => signs(&mma),
                _ => 0,
            };
            let a: Vec<u32> = a.iter().map(|word| word ^ flip).collect();
            let zeros = vec![0; c.len()];
            let c = match variant {
                Variant::Multiply => &zeros[..],
                _ => c,
            };
            let [a, b, c] = [&a[..], b, c].map(|words| words.as_chunks::<32>().0);
            mma.execute_in_warpgroup(Arithmetic::Sm90, a, b, c, d.as_chunks_mut::<32>().0)
                .expect("the registers are as many as the instruction's");
        };
        let device = &d[..words[3] * count];
        let found = compare_by(&maker, first, [&a, &b, &c], device, keep, execute);
        tally.merge(found, keep);
        first += count as u64;
    }
    Ok(tally)
}

fn run() -> Result<bool, Box<dyn Error>> {
    let options = options()?;
    let samples = options.samples.as_deref();
    let mut report = Report::new(&options.device, samples, options.keep, options.equal)?;
    for mma in warpgroup_instructions() {
        let title = mma.to_string();
        if !options.only.is_empty() && !options.only.iter().any(|part| title.contains(part)) {
            continue;
        }
        let variants: &[Variant] = match mma.d {
            Accumulator::S32 => &[Variant::Accumulate, Variant::Multiply],
            _ => &[Variant::Accumulate, Variant::Multiply, Variant::Negate],
        };
        for &variant in variants {
            report.take(&format!("{mma} {variant:?}"), || {
                sweep(&options, mma, variant)
            })?;
        }
    }
    Ok(report.end("sweeps"))
}

fn main() -> ExitCode {
    exit(run())
}
