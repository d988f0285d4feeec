//! A batch of matrix products with an epilogue: `D = relu(alpha A B + bias)`. All products have one
//! weight matrix, which is not copied.
//!
//! ```console
//! cargo run --release --example 07_batched_gemm
//! ```
//!
//! The call: `cutlet::gemm`. The kernel: `gpu-kernels/src/gemm`. One launch computes the whole
//! batch, with the epilogue.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, ensure, numbers, size};
use cutlet::gemm::{
    AccumulatorType, Activation, GemmOptions, Library, Matrix, MatrixMut, Order, Workspace,
};
use cutlet::prelude::*;
use host::time_interleaved;

/// Returns `n` pseudorandom halfs.
fn halfs(seed: u64, n: usize) -> Vec<f16> {
    numbers(seed, n).into_iter().map(f16::from_f32).collect()
}

/// Runs the example.
pub fn main() -> Outcome {
    let device = Device::best();
    println!("{}", device.where_it_ran());
    let (batches, m, n, k) = size(&device, (3, 40, 48, 64), (64, 512, 1024, 256));
    let (a, b, bias) = (halfs(1, batches * m * k), halfs(2, n * k), numbers(3, n));
    let (d_a, d_b, d_bias) = (
        device.upload(&a)?,
        device.upload(&b)?,
        device.upload(&bias)?,
    );
    let mut d_d = device.upload(&vec![f16::NAN; batches * m * n])?;
    let alpha = 0.25;
    let a_matrix = Matrix::new(&d_a, m, k).batched(batches, m * k);
    // The stride is 0, so every product of the batch has the same B.
    let b_matrix = Matrix::new(&d_b, k, n)
        .order(Order::Columns)
        .batched(batches, 0);
    let options = GemmOptions {
        alpha,
        bias: Some(d_bias.all()),
        activation: Activation::Relu,
        accumulator: Some(AccumulatorType::F16),
        ..GemmOptions::default()
    };
    let (library, mut workspace) = (Library::of(&device)?, Workspace::default());
    let d_matrix = MatrixMut::new(&mut d_d, m, n).batched(batches, m * n);
    // `cutlet::gemm::gemm` does all this in one call. A product that runs often is prepared once.
    let (choice, product) =
        library.prepare(&a_matrix, &b_matrix, d_matrix, &options, &mut workspace)?;
    product.run(None)?;
    if device.kind() == Kind::Gpu {
        let timing = Timing {
            warmup: 5,
            runs: 50,
        };
        let (time, _) = time_interleaved(&[&product], timing, 100e-6)?[0];
        let operations = 2.0 * (batches * m * n * k) as f64;
        println!("{time}: {:.1} TFLOP/s", time.tera_per_second(operations));
    }
    drop(product);
    println!(
        "{batches} products of {m}×{n}×{k} by {}",
        choice.configuration
    );

    // Compares some rows of every product with float64.
    let found = d_d.to_vec()?;
    let mut worst = 0.0_f64;
    for (batch, row) in (0..batches).flat_map(|batch| [0, m / 2, m - 1].map(|row| (batch, row))) {
        for column in 0..n {
            let products = (0..k)
                .map(|i| f64::from(a[(batch * m + row) * k + i]) * f64::from(b[column * k + i]));
            let sum = f64::from(alpha) * products.sum::<f64>() + f64::from(bias[column]);
            let found = f64::from(found[(batch * m + row) * n + column]);
            worst = worst.max((found - sum.max(0.0)).abs());
        }
    }
    // The error of sums of k products below 1 in f16: each of k / 8 additions is rounded by up to
    // 2^-8, times alpha. The result is rounded once.
    let bound = f64::from(alpha) * k as f64 / 8.0 / 256.0 + 2e-2;
    ensure(worst < bound, || {
        format!("off by {worst:.1e}, more than {bound:.1e}")
    })?;
    println!("largest error {worst:.1e}");
    Ok(())
}
