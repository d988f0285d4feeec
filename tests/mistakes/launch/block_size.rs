//! category: launches
//! mistake: A kernel that is made for 128 threads is launched with 256.
//! cure: State the block in the launch's contract, next to the kernel.
//! CuTe: silent: threads past the tile's owners repeat or overwrite.

use crate::bench::{Bench, Outcome, compare};
use host::{Contract, Launch};

pub fn run(bench: &Bench, right: bool) -> Outcome {
    let n = 128;
    let a = Bench::numbers(n);
    let on_a = bench.device.upload(&a)?;
    let mut d = bench.output::<f32>(n)?;
    let contract = Contract::new().grid(1).block(128).writes_of::<f32>(0, "d", n, 4).reads_of::<f32>(1, "a", n, 4);
    let launch = Launch::new(1, if right { 128 } else { 256 }).under(contract);
    bench.launch("missing_barrier_right", &launch, (&mut d, &on_a, n as u32))?;
    compare(&d.to_vec()?, |i| f64::from(a[n - 1 - i]), 0.0)
}
