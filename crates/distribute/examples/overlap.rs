//! A prediction for a product over several devices: the tasks of `cutlet gemm --gpus`, in pieces,
//! simulated from measured rates.
//!
//! ```text
//!   column   own rows │ piece of another's rows │ ..        a piece is multiplied once it has arrived
//!            copy │ copy │ ..
//!   row      piece │ piece │ piece + received │ ..          a piece is copied on once it is multiplied
//!                  │ copy  │ copy │ ..
//! ```
//!
//! `cargo run --release -p cutlet-distribute --example overlap [DEVICES] [GB/s]`
//!
//! A product takes whole waves of tiles of 128 by 256 on 132 multiprocessors, at the rate given for
//! its shape. A device's copies leave one after the other, at the rate of one link. All devices do
//! the same at the same time. The rates are those of two H200s, where the products and the copies
//! were timed separately (`cutlet bench distributed --gpus 2 --chunks 2 --parts`). The output also
//! lists the time of PyTorch's sequence on four H200s. The model leaves out stragglers and the
//! effect of four devices' copies on each other: its times are a prediction, not a measurement.

/// For each shape: M, N, K; the rates of a device in whole waves, in 10^12 operations per second;
/// and the time of PyTorch's sequence on four H200s, in microseconds. Each pair holds first the
/// number for all-gather and product, then the one for product and reduce-scatter.
const SHAPES: [([u64; 3], [f64; 2], [f64; 2]); 4] = [
    ([8192, 8192, 8192], [799.0, 770.0], [806.0, 906.0]),
    ([16384, 12288, 4096], [756.0, 675.0], [941.0, 1714.0]),
    ([16384, 4096, 12288], [735.0, 719.0], [1578.0, 1027.0]),
    ([16384, 16384, 16384], [703.0, 692.0], [4415.0, 4272.0]),
];

/// The slowdown of a product during copies: the median of the eight products on two H200s.
const BESIDE: f64 = 1.04;

const TILE: [u64; 2] = [128, 256];
const MULTIPROCESSORS: u64 = 132;
/// The size of a bf16 element, in bytes.
const BYTES: f64 = 2.0;
/// The time of a launch, in seconds.
const LAUNCH: f64 = 4e-6;

struct Rates {
    /// The operations per second of a device that uses all its multiprocessors, during copies.
    product: f64,
    /// The bytes per second from one device to another.
    copy: f64,
}

impl Rates {
    fn product(&self, m: u64, n: u64, k: u64) -> f64 {
        let tiles = m.div_ceil(TILE[0]) * n.div_ceil(TILE[1]);
        let waves = tiles.div_ceil(MULTIPROCESSORS) * MULTIPROCESSORS;
        let operations = (2 * waves * TILE[0] * TILE[1] * k) as f64;
        LAUNCH + operations / self.product
    }

    fn copy(&self, rows: u64, columns: u64) -> f64 {
        (rows * columns) as f64 * BYTES / self.copy
    }
}

/// Returns the seconds of all-gather and product: first each device's own rows, then the others'
/// rows as they arrive.
fn column([m, n, k]: [u64; 3], devices: u64, pieces: u64, rates: &Rates) -> f64 {
    let (rows, columns) = (m / devices, n / devices);
    let mut done = rates.product(rows, columns, k);
    let mut arrived = 0.0;
    for _ in 0..(devices - 1) * pieces {
        arrived += rates.copy(rows / pieces, k);
        done = arrived.max(done) + rates.product(rows / pieces, columns, k);
    }
    done
}

/// Returns the seconds of product and reduce-scatter: each device multiplies the other devices'
/// rows first, and adds to each piece the sums that have arrived for it.
fn row([m, n, k]: [u64; 3], devices: u64, pieces: u64, rates: &Rates) -> f64 {
    let rows = m / devices / pieces;
    let (mut done, mut left) = (0.0_f64, 0.0_f64);
    let mut arrived = vec![0.0_f64; pieces as usize];
    for step in 0..devices {
        for arrived in &mut arrived {
            done = done.max(*arrived) + rates.product(rows, n, k / devices);
            if step + 1 < devices {
                left = left.max(done) + rates.copy(rows, n);
                *arrived = left;
            }
        }
    }
    done
}

fn main() {
    let given: Vec<f64> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let of = |i: usize, default: f64| given.get(i).copied().unwrap_or(default);
    let devices = of(0, 4.0) as u64;
    let rates = |product: f64| Rates {
        product: product * 1e12 / BESIDE,
        copy: of(1, 375.0) * 1e9,
    };
    println!("{devices} devices, us: predicted (pieces); PyTorch's sequence on four, over it");
    println!("M, N, K               all-gather + GEMM          GEMM + reduce-scatter");
    let mut ratios = Vec::new();
    for (shape, products, sequence) in SHAPES {
        let mut line = format!("{:20}", format!("{}, {}, {}", shape[0], shape[1], shape[2]));
        let kinds = [column, row].into_iter().zip(products).zip(sequence);
        for ((simulate, product), sequence) in kinds {
            let rates = rates(product);
            let best = [1, 2, 4]
                .map(|pieces| (simulate(shape, devices, pieces, &rates), pieces))
                .into_iter()
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((seconds, pieces)) = best else {
                continue;
            };
            let us = seconds * 1e6;
            line += &format!("  {us:6.0} ({pieces})");
            if devices == 4 {
                line += &format!("; {:.2}", sequence / us);
                ratios.push(sequence / us);
            }
            line += "          ";
        }
        println!("{}", line.trim_end());
    }
    let ([m, n, k], [product, _], _) = SHAPES[3];
    let several = column([m, n, k], devices, 2, &rates(product));
    let one = rates(product * BESIDE).product(m, n, k);
    println!(
        "16384^3 on one device over it on {devices}: {:.2}",
        one / several
    );
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
        let median = (ratios[ratios.len() / 2] + ratios[(ratios.len() - 1) / 2]) / 2.0;
        println!("of the eight: median {median:.2}, from {least:.2} to {most:.2}");
    }
}
