//! Compares products of tiles with their definition.

use atom_checks::format::Format;
use atom_checks::place::{Place, places};
use bytemuck::Pod;
use half::f16;
use host::Launch;
use host::reference::Random;

/// A product's kernel: its threads, (M,N,K), and the bytes of shared memory.
struct Kernel {
    name: &'static str,
    threads: u32,
    shape: [usize; 3],
    shared: usize,
}

/// Runs a kernel on whole numbers of at most `most`, for which all sums are exact in every format
/// of the kernel, and compares each sum with a loop's.
fn check<F: Pod, S: Pod + PartialEq + std::fmt::Debug>(
    place: &Place,
    kernel: &Kernel,
    most: i64,
    factor: impl Fn(i64) -> F,
    sum: impl Fn(i64) -> S,
) {
    let [m, n, k] = kernel.shape;
    for seed in 0..3 {
        let mut random = Random::new(seed);
        let mut numbers = |count: usize| -> Vec<i64> {
            let bound = 2 * most as u64 + 1;
            (0..count)
                .map(|_| random.below(bound) as i64 - most)
                .collect()
        };
        let (a, b, c) = (numbers(m * k), numbers(n * k), numbers(m * n));
        let upload = |numbers: &[i64]| {
            let elements: Vec<F> = numbers.iter().map(|&x| factor(x)).collect();
            place.device().upload(&elements).unwrap()
        };
        let (from_a, from_b) = (upload(&a), upload(&b));
        let old: Vec<S> = c.iter().map(|&x| sum(x)).collect();
        let mut d = place.device().upload(&old).unwrap();
        let launch = Launch::new(1, kernel.threads).shared(kernel.shared);
        place.run(kernel.name, &launch, (&mut d, &from_a, &from_b));
        let found = d.to_vec().unwrap();
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let terms = (0..k).map(|i| a[row * k + i] * b[column * k + i]);
            let expected = sum(c[row * n + column] + terms.sum::<i64>());
            let place = place.name();
            assert_eq!(
                found[row * n + column],
                expected,
                "{} ({row},{column}), {place}",
                kernel.name
            );
        }
    }
}

#[test]
fn products_of_tiles_are_their_definition() {
    let half = |x: i64| f16::from_f64(x as f64).to_bits();
    let format = Format::named("tf32").expect("a name of PTX");
    let tf32 = |x: i64| format.bits(x).expect("a small number") as u32;
    let kernel = |name, threads, shape, shared| Kernel {
        name,
        threads,
        shape,
        shared,
    };
    let [f16_f32, f16_f16, words, bytes, doubles, own] = [
        kernel("tensor_gemm_f16", 128, [64, 64, 32], 2 * 2 * 64 * 32),
        kernel("tensor_gemm_f16_f16", 128, [64, 64, 32], 2 * 2 * 64 * 32),
        kernel("tensor_gemm_tf32", 64, [32, 32, 32], 2 * 4 * 32 * 32),
        kernel("tensor_gemm_s8", 128, [64, 32, 64], (64 + 32) * 80),
        kernel("tensor_gemm_f64", 64, [16, 24, 8], (16 + 24) * 10 * 8),
        kernel("tensor_gemm_fma", 32, [16, 24, 5], (16 + 24) * 5 * 4),
    ];
    for place in places() {
        check(place, &f16_f32, 16, half, |x| x as f32);
        // Sums up to 32 * 49 + 7 are exact in halfs.
        check(place, &f16_f16, 7, half, half);
        check(place, &words, 100, tf32, |x| x as f32);
        check(place, &bytes, 127, |x| x as i8, |x| x as i32);
        check(place, &doubles, 1 << 24, |x| x as f64, |x| x as f64);
        check(place, &own, 500, |x| x as f32, |x| x as f32);
        println!("{}: 6 products of tiles", place.name());
    }
}

/// Checks that multiply-adds of one thread are rounded once each, and added over k in order.
#[test]
fn a_threads_own_sums_are_rounded_in_order() {
    for place in places() {
        let mut random = Random::new(7);
        let mut numbers =
            |count: usize| -> Vec<f32> { (0..count).map(|_| random.uniform() as f32).collect() };
        let (a, b, c) = (numbers(16 * 5), numbers(24 * 5), numbers(16 * 24));
        let (from_a, from_b) = (
            place.device().upload(&a).unwrap(),
            place.device().upload(&b).unwrap(),
        );
        let mut d = place.device().upload(&c).unwrap();
        let launch = Launch::new(1, 32).shared((16 + 24) * 5 * 4);
        place.run("tensor_gemm_fma", &launch, (&mut d, &from_a, &from_b));
        let found = d.to_vec().unwrap();
        for (row, column) in (0..16).flat_map(|row| (0..24).map(move |column| (row, column))) {
            let expected = (0..5).fold(c[row * 24 + column], |sum, i| {
                a[row * 5 + i].mul_add(b[column * 5 + i], sum)
            });
            let bits = [found[row * 24 + column], expected].map(f32::to_bits);
            assert_eq!(bits[0], bits[1], "({row},{column}), {}", place.name());
        }
        println!("{}: multiply-adds in order", place.name());
    }
}
