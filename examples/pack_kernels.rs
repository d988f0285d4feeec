//! Packs the program's kernels into one file, from which the package `cutlet-kernels` is built.
//!
//! ```text
//!   cargo run --release --example pack_kernels -- crates/cutlet-kernels/kernels.pack
//!   cargo run --example pack_kernels -- --fast target/kernels.pack        a third more bytes, in a tenth of the time
//!   cargo run --example pack_kernels -- FILE kernels.ptx kernels_sm90a.ptx      of what `cutlet ptx` has printed
//! ```
//!
//! This is an example so that a build of the program does not compile the compressor.

use cutlet::kernels;
use kernel_pack::{PackQuality, pack};
use std::collections::HashSet;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let quality = match arguments.first() {
        Some(first) if first == "--fast" => {
            arguments.remove(0);
            PackQuality::Fast
        }
        _ => PackQuality::Best,
    };
    let Some((file, modules)) = arguments.split_first() else {
        return Err("usage: pack_kernels [--fast] FILE [PTX ..]".into());
    };
    let modules = modules.iter().map(std::fs::read_to_string);
    let modules = modules.collect::<Result<Vec<_>, _>>()?;
    let sources = match &modules[..] {
        [] => kernels::pack_sources()?,
        modules => {
            kernels::pack_sources_of(&modules.iter().map(String::as_str).collect::<Vec<_>>())?
        }
    };
    let bytes = pack(&sources, kernels::pack_tables(), quality)?;
    std::fs::write(PathBuf::from(file), &bytes)?;
    let packed: HashSet<&str> = (sources.iter().flat_map(|of| &of.kernels))
        .map(|(name, _)| name.as_str())
        .collect();
    println!("{} kernels, {} bytes", packed.len(), bytes.len());
    let listed = kernels::listed()?;
    let names = listed.lines().filter(|line| !line.starts_with('['));
    let others = names.filter(|name| !packed.contains(name)).count();
    if others > 0 {
        println!(
            "{others} kernels are not in it: CUTLET_KERNELS names to this build those that are built \
             one by one, `cutlet ptx --list` prints all"
        );
    }
    Ok(())
}
