//! Runs every `mma.sync` instruction on a device, on many random tiles, and compares it with the
//! emulator's tensor-core arithmetic.
//!
//! ```text
//!   cargo run --release -p atom-checks --example mma_sweep -- --tiles 1000000
//!   cargo run --release -p atom-checks --example mma_sweep -- --device emulator --tiles 100 --only bf16
//! ```
//!
//! It prints for each instruction the numbers of tiles, of elements of D, of infinite or NaN
//! elements, and of differing elements, in all and by class. `--samples FILE` writes some differing
//! elements with their operands to the file, one on each line, `--equal N` also N equal ones of
//! each class; `--ptx FOLDER` keeps the kernels. The exit status is 1 if anything differs.

use atom_checks::sweep::{Maker, Report, Tally, Words, compare, exit, ptx};
use emulator::numerics::mma::{Arithmetic, Element, Mma};
use emulator::numerics::rounding::Rounding;
use host::{Device, Launch};
use rayon::prelude::*;
use std::error::Error;
use std::process::ExitCode;

struct Options {
    device: Device,
    sm: u32,
    tiles: u64,
    chunk: u64,
    seed: u64,
    only: Vec<String>,
    without: Vec<String>,
    samples: Option<String>,
    keep: usize,
    equal: usize,
    arithmetic: Arithmetic,
    ptx: Option<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        device: Device::best(),
        sm: 90,
        tiles: 1 << 16,
        chunk: 1 << 15,
        seed: 1,
        only: Vec::new(),
        without: Vec::new(),
        samples: None,
        keep: 64,
        equal: 0,
        arithmetic: Arithmetic::Sm90,
        ptx: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words
            .next()
            .ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--device" if value == "emulator" => options.device = Device::emulator(),
            "--device" => options.device = Device::gpu(value.parse()?)?,
            "--sm" => options.sm = value.parse()?,
            "--tiles" => options.tiles = value.parse()?,
            "--chunk" => options.chunk = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            "--only" => options.only.extend(value.split(',').map(Into::into)),
            "--without" => options.without.extend(value.split(',').map(Into::into)),
            "--samples" => options.samples = Some(value),
            "--keep" => options.keep = value.parse()?,
            "--equal" => options.equal = value.parse()?,
            "--ptx" => options.ptx = Some(value),
            _ => return Err(format!("no option {word}").into()),
        }
    }
    Ok(options)
}

/// Returns all selected instructions, and those of `.f64` in every rounding mode.
fn instructions(options: &Options) -> Vec<Mma> {
    let mut all = Vec::new();
    for mma in Mma::all() {
        all.push(mma);
        if mma.a == Element::F64 {
            for rounding in [Rounding::Zero, Rounding::Down, Rounding::Up] {
                all.push(Mma { rounding, ..mma });
            }
        }
    }
    all.retain(|mma| {
        let name = mma.to_string();
        (options.only.is_empty() || options.only.iter().any(|part| name.contains(part)))
            && !options.without.iter().any(|part| name.contains(part))
    });
    all
}

fn sweep<W: Words>(options: &Options, mma: Mma) -> Result<Tally, Box<dyn Error>> {
    let maker = Maker::new(mma, options.seed);
    let device = &options.device;
    let text = ptx(&mma, options.sm);
    if let Some(folder) = &options.ptx {
        std::fs::write(format!("{folder}/{mma}.ptx"), &text)?;
    }
    let kernel = device.load(&text)?.kernel("sweep")?;
    let chunk = options.chunk.min(options.tiles);
    let words = maker.words();
    let [mut a, mut b, mut c, mut d] = words.map(|n| vec![W::from_bits(0); n * chunk as usize]);
    let mut buffers = Vec::new();
    for n in words {
        buffers.push(device.alloc::<W>(n * chunk as usize)?);
    }
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
                            *to = W::from_bits(*from);
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
        let blocks = (count as u32).div_ceil(8).clamp(1, 1056);
        let launch = Launch::new(blocks, 256);
        kernel.launch(
            &launch,
            (
                &mut *buffer_d,
                &*buffer_a,
                &*buffer_b,
                &*buffer_c,
                count as u32,
            ),
        )?;
        buffer_d.copy_to(&mut d)?;
        let found = compare(
            &maker,
            options.arithmetic,
            first,
            [&a, &b, &c],
            &d[..words[3] * count],
            options.keep.max(options.equal),
        );
        tally.merge(found, options.keep.max(options.equal));
        first += count as u64;
    }
    Ok(tally)
}

fn run() -> Result<bool, Box<dyn Error>> {
    let options = options()?;
    let samples = options.samples.as_deref();
    let mut report = Report::new(&options.device, samples, options.keep, options.equal)?;
    for mma in instructions(&options) {
        report.take(&mma.to_string(), || match mma.registers().bits {
            64 => sweep::<u64>(&options, mma),
            _ => sweep::<u32>(&options, mma),
        })?;
    }
    Ok(report.end("instructions"))
}

fn main() -> ExitCode {
    exit(run())
}
