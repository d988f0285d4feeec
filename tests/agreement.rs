//! Checks that the same inputs give the same results on all devices: on the emulator with one
//! thread and with many, and on the GPU if there is one.

mod common;

use common::{all_ways, load, run_gemm, run_transpose, run_vecadd};
use cutlet::gemm::{InputElement, OutputElement};
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::reference::{self, Element};
use host::{Device, Kind};

/// Returns the result on every device. The first device is the emulator with one thread.
fn results<T>(run: impl Fn(&Modules) -> T) -> Vec<(Device, T)> {
    all_ways()
        .into_iter()
        .map(|device| {
            let result = run(&load(&device));
            (device, result)
        })
        .collect()
}

#[test]
fn transpose_agrees_bit_for_bit() {
    for (rows, cols) in [(129, 127), (512, 512), (33, 1000)] {
        // The bits are random: NaNs of every kind must be copied unchanged.
        let src: Vec<u32> = reference::fill_bits(3, rows as usize * cols as usize);
        let results = results(|module| run_transpose(module, (rows, cols), &src));
        for (device, result) in &results[1..] {
            assert!(*result == results[0].1, "{rows}×{cols} differs on {device}");
        }
    }
}

#[test]
fn vecadd_agrees_bit_for_bit() {
    // The numbers have subnormals, signed zeros, infinities and overflow among ordinary numbers,
    // but no NaN, because the payload of a NaN is not defined.
    let special = [
        0.0,
        -0.0,
        1e-40,
        -1e-40,
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::INFINITY,
        1.0,
        1e-45,
    ];
    let mut a: Vec<f32> = reference::fill(1, 5000);
    let mut b: Vec<f32> = reference::fill(2, 5000);
    for (i, x) in special.into_iter().enumerate() {
        for (j, y) in special.into_iter().enumerate() {
            (a[9 * i + j], b[9 * i + j]) = (x, y);
        }
    }
    let bits = |c: Vec<f32>| c.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let expected = bits(reference::vecadd(&a, &b));
    for (device, result) in results(|module| bits(run_vecadd(module, &a, &b))) {
        assert!(result == expected, "vecadd differs on {device}");
    }
}

/// Checks that two devices agree on a GEMM of this type. They sum the same exact products in
/// float32, each in its own order. Each of `K` steps loses at most one unit in the last place of a
/// partial sum, which is at most Σ|a||b|. So the two results differ by at most 2·K·2⁻²³·Σ|a||b|,
/// and by one rounding to the output type each.
fn gemm_agrees<I: InputElement + Element, O: OutputElement<I> + Element>(
    (m, n, k): (usize, usize, usize),
) {
    let a: Vec<I> = reference::fill(21, m * k);
    let b: Vec<I> = reference::fill(22, n * k);
    let magnitude = |data: &[I]| {
        data.iter()
            .map(|x| I::from_f64(x.to_f64().abs()))
            .collect::<Vec<I>>()
    };
    let sums = reference::gemm(&magnitude(&a), &magnitude(&b), m, n, k).unwrap();
    let results = results(|module| run_gemm::<I, O>(module, (m, n, k), (&a, &b)));
    let (_, first) = &results[0];
    for (device, result) in &results[1..] {
        if device.kind() == Kind::Emulator {
            assert!(
                result == first,
                "the emulator's result depends on the number of threads"
            );
        }
        let mut different = 0;
        for (index, ((x, y), sum)) in result.iter().zip(first).zip(&sums).enumerate() {
            let (x, y) = (x.to_f64(), y.to_f64());
            let reordering = 2.0 * k as f64 * f64::from(f32::EPSILON) * sum;
            let rounding = 2.0 * O::UNIT_ROUNDOFF * x.abs().max(y.abs()) + 2.0 * O::UNDERFLOW;
            assert!(
                (x - y).abs() <= reordering + rounding,
                "element {index} on {device}: {x} and {y}"
            );
            different += usize::from(x != y);
        }
        println!(
            "{m}×{n}×{k} on {device}: {different} of {} elements differ in a bit",
            result.len()
        );
    }
}

#[test]
fn gemm_agrees_within_the_reordering_of_sums() {
    for shape in [(129, 127, 128), (64, 200, 77), (256, 256, 512)] {
        gemm_agrees::<f16, f16>(shape);
        gemm_agrees::<f16, f32>(shape);
        gemm_agrees::<bf16, bf16>(shape);
        gemm_agrees::<bf16, f32>(shape);
    }
}

/// Checks integers whose sums stay below 2¹¹. Every sum is exact, so its order does not matter.
#[test]
fn gemm_of_small_integers_agrees_bit_for_bit() {
    let (m, n, k) = (130, 70, 200);
    let integers = |seed, len| -> Vec<f16> {
        let mut random = reference::Random::new(seed);
        (0..len)
            .map(|_| f16::from_f64(random.below(7) as f64 - 3.0))
            .collect()
    };
    let (a, b) = (integers(1, 130 * 200), integers(2, 70 * 200));
    let expected = reference::gemm(&a, &b, 130, 70, 200).unwrap();
    assert!(
        expected.iter().all(|c| c.abs() < 2048.0),
        "the test's own premise"
    );
    for (device, result) in results(|module| run_gemm::<f16, f16>(module, (m, n, k), (&a, &b))) {
        let found: Vec<f64> = result.iter().map(|d| d.to_f64()).collect();
        assert!(found == expected, "differs on {device}");
    }
}
