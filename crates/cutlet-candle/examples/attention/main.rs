//! Compares attention on a GPU with candle's own operations at random shapes: results, gradients
//! and times.
//!
//! ```text
//!   CUTLET_KERNELS_PACK=FILE cargo run --release --features cuda --example attention -- 20 1     shapes, seed
//! ```

mod measure;

use candle::{Device, Result};
use measure::{Case, Contestant, eager, seconds};

/// The largest number of bytes of scores for which candle's operations, which keep all scores, run.
const MOST_BYTES: usize = 4 << 30;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|of| of.parse());
    let mut next = |default| match arguments.next() {
        Some(of) => of.map_err(candle::Error::wrap),
        None => Ok(default),
    };
    let (count, seed) = (next(20)?, next(1)?);
    let device = Device::new_cuda(0)?;
    measure::check_gradients(&device)?;
    let mut ratios = Vec::new();
    for case in Case::random(count as usize, seed) {
        let operands = case.operands(&device)?;
        let error = case.check(&operands)?;
        let [q, k, v] = &operands;
        let ours = || cutlet_candle::flash_attn(q, k, v, case.scale(), case.causal);
        let theirs = || eager([q, k, v], case.scale(), case.causal, q.dtype());
        let scores = q.elem_count() / case.dim * case.rows * q.dtype().size_in_bytes();
        let all: &[Contestant<'_>] = match scores <= MOST_BYTES {
            true => &[&ours, &theirs],
            false => &[&ours],
        };
        match seconds(all, &device)?[..] {
            [ours, theirs] => {
                ratios.push(theirs / ours);
                println!(
                    "{}",
                    case.line(error, ours, Some(("candle's operations", theirs)))
                );
            }
            [ours] => println!("{}", case.line(error, ours, None)),
            _ => {}
        }
    }
    measure::print_median(&mut ratios, "candle's operations");
    Ok(())
}
