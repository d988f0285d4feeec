//! A 3×3 convolution on the tensor cores by implicit GEMM: the matrix of windows is a layout and is
//! never written to memory.
//!
//! ```console
//! cargo run --release --example 08_convolution
//! ```
//!
//! The kernel: `examples/kernels/src/convolution.rs`. Its layout lets neighbouring windows share
//! pixels, so the matrix of 256 × 288 elements of an image has 10,368 places in memory.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, ensure, load, numbers, size};
use example_kernels::convolution::{CHANNELS, FILTERS, OUT, SHARED_BYTES, SIDE, THREADS, Windows};
use half::f16;
use host::{Contract, Kind, Timing};
use layout_types::prelude::LayoutFn;

/// Returns `n` pseudorandom halfs.
fn halfs(seed: u64, n: usize) -> Vec<f16> {
    numbers(seed, n).into_iter().map(f16::from_f32).collect()
}

/// Runs the example.
pub fn main() -> Outcome {
    println!("an image as a matrix: {}", Windows::default());
    println!("{} elements in {} places", Windows::SIZE, Windows::COSIZE);
    ensure(Windows::COSIZE == SIDE * SIDE * CHANNELS, || {
        "the windows leave the image".into()
    })?;

    let (device, module) = load()?;
    let kernel = module.kernel("convolution")?;
    let images = size(&device, 2, 4096);
    let (pixels, places) = (SIDE * SIDE * CHANNELS, 9 * CHANNELS);
    let (activations, filters) = (halfs(1, images * pixels), halfs(2, FILTERS * places));
    let (act, weights) = (device.upload(&activations)?, device.upload(&filters)?);
    let mut out = device.upload(&vec![f32::NAN; images * OUT * OUT * FILTERS])?;
    let launch = Contract::new()
        .grid([2, images as u32, 1])
        .block(THREADS)
        .shared(SHARED_BYTES as usize)
        .writes_of::<f32>(0, "out", images * OUT * OUT * FILTERS, 16)
        .reads_of::<f16>(1, "activations", images * pixels, 16)
        .reads_of::<f16>(2, "filters", FILTERS * places, 16)
        .launch();
    kernel.launch(&launch, (&mut out, &act, &weights))?;

    // Compares the first and the last image with the definition.
    let found = out.to_vec()?;
    let mut worst = 0.0_f64;
    for image in [0, images - 1] {
        for pixel in 0..OUT * OUT {
            let (p, q) = (pixel / OUT, pixel % OUT);
            for filter in 0..FILTERS {
                let mut sum = 0.0;
                for (r, s, c) in
                    (0..places).map(|i| (i / (3 * CHANNELS), i / CHANNELS % 3, i % CHANNELS))
                {
                    let x = activations[image * pixels + ((p + r) * SIDE + q + s) * CHANNELS + c];
                    let w = filters[filter * places + (r * 3 + s) * CHANNELS + c];
                    sum += f64::from(x) * f64::from(w);
                }
                let found = f64::from(found[(image * OUT * OUT + pixel) * FILTERS + filter]);
                worst = worst.max((found - sum).abs());
            }
        }
    }
    // The sums have 288 products below 1, in f32.
    ensure(worst < 1e-4, || format!("off by {worst:.1e}"))?;
    println!("{images} images: largest error {worst:.1e}");
    if device.kind() == Kind::Gpu {
        let time = kernel.time(
            &launch,
            (&mut out, &act, &weights),
            Timing {
                warmup: 5,
                runs: 50,
            },
        )?;
        let operations = 2.0 * (images * OUT * OUT * FILTERS * places) as f64;
        println!("{time}: {:.1} TFLOP/s", time.tera_per_second(operations));
    }
    Ok(())
}
