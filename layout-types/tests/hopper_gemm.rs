//! Executes products by tiled MMAs of warp groups: the kernels of `fixtures/hopper` on the
//! emulator, with all its checks, under three schedules.
//!
//! ```text
//!   A (m,k), B (n,k), D (m,n) ─► tiled_gemm, rs_gemm ─► D = alpha A Bᵀ + beta D     against float64
//! ```

mod hopper_fixture;

use emulator::{Config, Schedule};
use half::f16;
use host::{ByValue, Device, Launch, TensorMapSpec};
use layout_types::atom::gmma::{LayoutKSw128Atom, LayoutMnSw128Atom};
use layout_types::prelude::*;

/// Returns `n` numbers between -1/2 and 1/2.
fn numbers(n: usize, seed: u32) -> Vec<f32> {
    (0..n as u32)
        .map(|i| (i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 16) as f32 / 65536.0 - 0.5)
        .collect()
}

/// Runs a kernel of CTAs of `tile` rows and columns, and returns the greatest difference from the
/// product.
///
/// A is row-major; B is (n,k) with the strides `b_strides`.
fn difference(
    kernel: &str,
    schedule: Schedule,
    (m, n, k): (usize, usize, usize),
    tile: (usize, usize),
    (threads, shared): (u32, usize),
    map_a: impl Fn(&[u64], &[u64]) -> TensorMapSpec,
    (map_b, b_strides): (impl Fn(&[u64], &[u64]) -> TensorMapSpec, (usize, usize)),
) -> f64 {
    let device = Device::emulator_with(Config {
        schedule,
        ..Config::default()
    });
    let halves =
        |n, seed| -> Vec<f16> { numbers(n, seed).into_iter().map(f16::from_f32).collect() };
    let (a, b, d) = (halves(m * k, 1), halves(n * k, 2), numbers(m * n, 3));
    let (alpha, beta) = (1.5f32, -0.25f32);
    let [buffer_a, buffer_b] = [&a, &b].map(|values| device.upload(values).unwrap());
    let mut buffer_d = device.upload(&d).unwrap();
    let spec_a = map_a(&[m as u64, k as u64], &[k as u64, 1]);
    let strides = [b_strides.0 as u64, b_strides.1 as u64];
    let spec_b = map_b(&[n as u64, k as u64], &strides);
    let map_a = buffer_a.tensor_map(&spec_a).unwrap();
    let map_b = buffer_b.tensor_map(&spec_b).unwrap();
    let launch = Launch::new(((m / tile.0) as u32, (n / tile.1) as u32), threads).shared(shared);
    let size = ByValue([m, n, k].map(|size| size as u32));
    let kernel = device
        .load(&hopper_fixture::PTX)
        .unwrap()
        .kernel(kernel)
        .unwrap();
    let run = kernel.launch(&launch, (&map_a, &map_b, &mut buffer_d, size, alpha, beta));
    run.unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
    let found = buffer_d.to_vec().unwrap();
    let [a, b] = [a, b].map(|half| half.into_iter().map(f16::to_f64).collect::<Vec<_>>());
    let mut worst = 0f64;
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let product: f64 = (0..k)
            .map(|l| a[i * k + l] * b[j * b_strides.0 + l * b_strides.1])
            .sum();
        let expected = f64::from(alpha) * product + f64::from(beta) * f64::from(d[i * n + j]);
        worst = worst.max((f64::from(found[i * n + j]) - expected).abs());
    }
    worst
}

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

#[test]
fn four_accumulators_of_descriptors_are_the_product() {
    type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((256, 64, 3))>;
    type SmemB = TileToShape<LayoutKSw128Atom<f16>, shape!((192, 64, 3))>;
    let (m, n) = (256, 384);
    for (schedule, k) in SCHEDULES.into_iter().zip([256, 128, 64]) {
        let worst = difference(
            "tiled_gemm",
            schedule,
            (m, n, k),
            (256, 192),
            (384, 3 * (256 + 192) * 128 + 48),
            |shape, strides| TensorMapSpec::tile::<SmemA, f16>(shape, strides).unwrap(),
            (
                |shape: &[u64], strides: &[u64]| {
                    TensorMapSpec::tile::<SmemB, f16>(shape, strides).unwrap()
                },
                (k, 1),
            ),
        );
        assert!(worst < 1e-4, "{schedule:?}: {worst}");
    }
}

#[test]
fn accumulators_with_a_in_registers_are_the_product() {
    type RowsA = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64))>;
    type ColumnsB = TileToShape<LayoutMnSw128Atom<f16>, shape!((128, 64))>;
    let (m, n, k) = (256, 128, 192);
    for schedule in SCHEDULES {
        let worst = difference(
            "rs_gemm",
            schedule,
            (m, n, k),
            (128, 128),
            (128, 2 * 128 * 128 + 8),
            |shape, strides| TensorMapSpec::tile::<RowsA, f16>(shape, strides).unwrap(),
            (
                |shape: &[u64], strides: &[u64]| {
                    TensorMapSpec::tile::<ColumnsB, f16>(shape, strides).unwrap()
                },
                (1, n),
            ),
        );
        assert!(worst < 1e-4, "{schedule:?}: {worst}");
    }
}
