//! The softmax of a matrix's rows: in registers if a row fits them, otherwise online.
//!
//! ```console
//! cargo run --release --example 05_softmax
//! ```
//!
//! The kernels: `examples/kernels/src/softmax.rs`.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, bandwidth, ensure, load, numbers, size};
use host::Contract;

/// Returns the name of the kernel for rows of this length.
fn kernel_for(cols: usize) -> &'static str {
    match cols {
        0..=1024 => "softmax_1024",
        1025..=4096 => "softmax_4096",
        4097..=8192 => "softmax_8192",
        _ => "softmax_online",
    }
}

/// Returns the largest relative error of `found` against the softmax of `row` in float64.
fn error(row: &[f32], found: &[f32]) -> f64 {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exp = |&x: &f32| f64::from(x - most).exp();
    let sum: f64 = row.iter().map(exp).sum();
    row.iter()
        .zip(found)
        .map(|(x, &y)| (f64::from(y) / (exp(x) / sum) - 1.0).abs())
        .fold(0.0, f64::max)
}

/// Runs the example.
pub fn main() -> Outcome {
    let (device, module) = load()?;
    let problems = [(3, 1), (2, 77), (1, 3000), (1, 8191), (1, 9000)];
    let large = size(
        &device,
        vec![],
        vec![
            (1 << 18, 1024),
            (1 << 16, 4096),
            (1 << 15, 8192),
            (1 << 12, 65536),
        ],
    );
    for (rows, cols) in problems.into_iter().chain(large) {
        let n = rows * cols;
        let data: Vec<f32> = numbers(n as u64, n).into_iter().map(|x| 20.0 * x).collect();
        let src = device.upload(&data)?;
        let names = [kernel_for(cols), "softmax_online"];
        for name in &names[..if names[0] == names[1] { 1 } else { 2 }] {
            let kernel = module.kernel(name)?;
            let mut dst = device.upload(&vec![f32::NAN; n])?;
            let launch = Contract::new()
                .grid(rows as u32)
                .block(256)
                .shared(64)
                .writes_of::<f32>(0, "dst", n, 16)
                .reads_of::<f32>(1, "src", n, 16)
                .scalar(2, "rows", rows as u32)
                .scalar(3, "cols", cols as u32)
                .launch();
            kernel.launch(&launch, (&mut dst, &src, rows as u32, cols as u32))?;
            let found = dst.to_vec()?;
            // The first and the last 64 rows of a large matrix are checked.
            let checked = (0..rows.min(64)).chain(rows.saturating_sub(64)..rows);
            let worst = checked
                .map(|row| row * cols..(row + 1) * cols)
                .map(|row| error(&data[row.clone()], &found[row]))
                .fold(0.0, f64::max);
            ensure(worst < 2e-5, || {
                format!("{name} of ({rows}, {cols}) is off by {worst:.1e}")
            })?;
            println!("({rows}, {cols}) by {name}: largest relative error {worst:.1e}");
            if n > 1 << 20 {
                let mut to = device.alloc::<f32>(n)?;
                let args = (&mut dst, &src, rows as u32, cols as u32);
                bandwidth(&kernel, &launch, args, 8 * n, (&src, &mut to))?;
            }
        }
    }
    Ok(())
}
