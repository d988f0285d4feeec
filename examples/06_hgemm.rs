//! The pipelined GEMM in eight steps. The example checks every step, and on a GPU it times each
//! step beside the previous one.
//!
//! ```console
//! cargo run --release --example 06_hgemm                  all steps
//! cargo run --release --example 06_hgemm -- ldmatrix      one of them: naive, tiles, mma, ldmatrix, swizzle, pipeline,
//!                                                         registers, epilogue
//! ```
//!
//! The kernels: `examples/kernels/src/hgemm.rs`; the story: `docs/hgemm.md`.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, ensure, load, size};
use example_kernels::hgemm::{STEPS, Step};
use half::f16;
use host::reference::{GemmTolerance, difference, fill, gemm_rows, sample};
use host::{Contract, Enqueue, Kind, Launch, Timing, time_interleaved};

/// Returns the launch of a step on square matrices.
fn launch(step: &Step, n: usize) -> Launch {
    let tiles = n as u32 / step.tile;
    Contract::new()
        .of(step.kernel)
        .grid([tiles, tiles, 1])
        .block(step.threads)
        .shared(step.shared_bytes as usize)
        .writes_of::<f16>(0, "D", n * n, 16)
        .reads_of::<f16>(1, "A", n * n, 16)
        .reads_of::<f16>(2, "B", n * n, 16)
        .scalar(3, "M", n as u32)
        .scalar(4, "N", n as u32)
        .scalar(5, "K", n as u32)
        .launch()
}

/// Runs the example.
pub fn main() -> Outcome {
    // A word that names no step, such as the filter of a test, selects no single step.
    let asked = std::env::args()
        .skip(1)
        .find(|word| STEPS.iter().any(|step| step.name == *word));
    let steps: Vec<Step> = STEPS
        .into_iter()
        .filter(|step| asked.as_deref().is_none_or(|asked| asked == step.name))
        .collect();
    let (device, module) = load()?;
    let n = size(&device, 128, 4096);
    let (a, b): (Vec<f16>, Vec<f16>) = (fill(1, n * n), fill(2, n * n));
    let (d_a, d_b) = (device.upload(&a)?, device.upload(&b)?);
    let rows = sample(3, n, 16.min(n));
    let expected = gemm_rows(&a, &b, (n, n, n), &rows)?;
    println!("D = A·Bᵀ, {n}×{n}×{n}, f16, f16 sums");
    let mut outputs = Vec::new();
    for step in &steps {
        let kernel = module.kernel(step.kernel)?;
        let mut d = device.alloc::<f16>(n * n)?;
        d.fill_bytes(0xff)?;
        let side = n as u32;
        let run = kernel.launch(&launch(step, n), (&mut d, &d_a, &d_b, side, side, side))?;
        let all = d.to_vec()?;
        ensure(all.iter().all(|x| !x.is_nan()), || {
            format!("{}: elements were not written", step.name)
        })?;
        let found: Vec<f16> = rows
            .iter()
            .flat_map(|&row| &all[row * n..][..n])
            .copied()
            .collect();
        let off = difference(&found, &expected)?;
        // A scalar kernel rounds after each product, a tensor core after every sixteenth.
        let products = if step.threads == 256 { 8 * n } else { n };
        let tolerance = GemmTolerance::f16_accumulator::<f16>(products, off.rms);
        ensure(off.relative <= tolerance.relative, || {
            format!("{}: off by {:.1e}", step.name, off.relative)
        })?;
        let counted = run.report.map_or(String::new(), |report| {
            format!(
                ", {} warp instructions, {} bank conflicts, {} sectors of global memory",
                report.instructions, report.memory.bank_conflicts, report.memory.global_sectors
            )
        });
        println!(
            "{:10} relative error {:.1e}{counted}",
            step.name, off.relative
        );
        outputs.push(d);
    }
    if device.kind() == Kind::Emulator {
        return Ok(());
    }
    let side = n as u32;
    let prepared = steps
        .iter()
        .zip(&mut outputs)
        .map(|(step, d)| {
            let kernel = module.kernel(step.kernel)?;
            kernel.prepare(&launch(step, n), (d, &d_a, &d_b, side, side, side))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let competitors: Vec<&dyn Enqueue> = prepared.iter().map(|one| one as &dyn Enqueue).collect();
    let timing = Timing {
        warmup: 2,
        runs: 20,
    };
    let times = time_interleaved(&competitors, timing, 0.0)?;
    let mut before: Option<f64> = None;
    println!(
        "{:10} {:>12} {:>9} {:>14}",
        "step", "time", "TFLOP/s", "to the last"
    );
    for (step, (time, _)) in steps.iter().zip(&times) {
        let rate = time.tera_per_second(2.0 * (n as f64).powi(3));
        let won = before.map_or_else(String::new, |before| format!("× {:.2}", rate / before));
        println!(
            "{:10} {:>9.1} µs {rate:>9.1} {won:>14}",
            step.name,
            time.median * 1e6
        );
        before = Some(rate);
    }
    Ok(())
}
