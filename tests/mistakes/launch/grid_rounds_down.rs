//! category: launches
//! mistake: The grid is `n / 256` blocks: the last elements have no block.
//! cure: `n.div_ceil(256)`, stated in the contract.
//! CuTe: silent: the tail is not written.

use crate::bench::{Bench, Outcome};
use host::{Contract, Launch};

pub fn run(bench: &Bench, right: bool) -> Outcome {
    let n = 1000_u32;
    let blocks = if right { n.div_ceil(256) } else { n / 256 };
    let contract = Contract::new().grid(n.div_ceil(256)).block(256);
    let launch = Launch::new(blocks, 256).under(contract);
    bench.map("store_past_the_end_right", &launch, n as usize, |a, i| f64::from(2.0 * a[i]))
}
