//! Checks loads and stores of every width in every space, asynchronous copies, matrix loads, and
//! the counts of accesses.

#[path = "../common/mod.rs"]
mod common;
mod copies;
mod counts;
mod matrices;
mod multimem;
mod registers;
mod stack;
mod texture_faults;
mod textures;
mod widths;

use common::{Arg, Bench, Random, entry};
use emulator::Launch;

fn bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..n).map(|_| random.next() as u8).collect()
}

/// Runs a block with 4,096 bytes of dynamic shared memory at `%d30` (`%r30`). `%a0` is the input,
/// and `%a1` the output.
fn run(body: &str, threads: u32, input: &[u8], output: usize) -> (Vec<u8>, emulator::Report) {
    let text = entry(
        2,
        &format!("mov.u64 %d30, dynamic; mov.u32 %r30, dynamic;\n{body}\nret;"),
    );
    let bench = Bench::new(&text);
    let (a, b) = (bench.bytes(input), bench.bytes(&vec![0; output]));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 4096,
    };
    let report = bench
        .launch_with("k", launch, &[Arg::U64(a), Arg::U64(b)])
        .unwrap_or_else(|e| panic!("{e}\n{body}"));
    let mut out = vec![0; output];
    bench.device.read(b, &mut out).unwrap();
    (out, report)
}
