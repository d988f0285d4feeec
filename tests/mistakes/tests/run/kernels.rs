//! Launches the kernels of `kernels/src`: `NAME` and `NAME_right` in the same way.

use crate::Run;
use crate::bench::Bench;
use host::Launch;
use std::collections::BTreeMap;

macro_rules! kernels {
    ($($name:ident: |$bench:ident, $kernel:ident| $run:expr;)*) => {
        pub fn runs() -> BTreeMap<&'static str, Run> {
            BTreeMap::from([$((stringify!($name), (|$bench: &Bench, right: bool| {
                let $kernel = if right { concat!(stringify!($name), "_right") } else { stringify!($name) };
                $run
            }) as Run)),*])
        }
    };
}

kernels! {
    accumulator_carries_over: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 32), 256, 128, sums_of_tiles);
    barrier_in_branch: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, hundred_reversed);
    bf16_cut_off: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, |a, i| half::bf16::from_f32(a[i] / 3.0).to_f64());
    bf16_sum_stands_still: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 1), 512, 1, |a, _| a.len() as f64);
    bulk_store_left_behind: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    bulk_store_no_fence: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    bulk_store_overwritten: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 128, 256, both_ways);
    cluster_peer_ended: |bench, kernel| bench.map(kernel, &Launch::new(2, 32).cluster(2), 256, |a, i| f64::from(a[i ^ 128]));
    cp_async_commit_in_condition: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 512, 128, sums_of_steps);
    cp_async_misaligned: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 32), 28 * 32, 128, |a, i| f64::from(a[28 * (i / 4) + i % 4]));
    cp_async_no_barrier: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    cp_async_no_wait: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    cp_async_no_zero_fill: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 100, 128, zero_filled);
    cp_async_wait_too_early: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 512, 128, sums_of_steps);
    epilogue_in_a_stage: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, |a, i| f64::from(2.0 * a[127 - i]));
    extents_swapped: |bench, kernel| bench.map(kernel, &Launch::new(40, 128), 40 * 96, |a, i| f64::from(a[i]));
    f16_sum_overflows: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 1), 512, 1, |a, _| a.iter().map(|&x| f64::from(x * x)).sum());
    group_of_another_size: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, |a, _| a.iter().map(|&x| f64::from(x)).sum());
    halo_off_by_one: |bench, kernel| bench.map(kernel, &Launch::new(2, 64), 128, |a, i| f64::from(a[i] + a.get(i + 1).unwrap_or(&0.0)));
    largest_begins_with_zero: |bench, kernel| bench.near(kernel, &Launch::new(1, 1), (0..100).map(|i| -7.0 - i as f32).collect(), |_, _| -7.0);
    last_block_is_last: |bench, kernel| bench.ticket(kernel, &Launch::new(8, 1), 512);
    ldmatrix_in_branch: |bench, kernel| bench.map(kernel, &Launch::new(1, 32), 32, |a, i| f64::from(a[i]));
    mbarrier_arrivals: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    mbarrier_no_barrier: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    mbarrier_no_fence: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    mbarrier_wrong_phase: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    missing_barrier: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    missing_second_barrier: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 512, 128, sums_of_steps);
    mma_in_branch: |bench, kernel| bench.map(kernel, &Launch::new(1, 32), 32, |_, _| 8.0);
    no_predicate_on_d: |bench, kernel| bench.rows(kernel, &Launch::new([3, 2, 1], 128), [16, 40], |a, j| f64::from(a[j]));
    return_before_barrier: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 100, reversed);
    s8_product_wraps: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, |a, i| f64::from(a[i] * a[i]));
    shared_counters: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 128, 8, counts);
    shared_not_zeroed: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 64), 128, 64, |a, i| f64::from(a[i] + a[64 + i]));
    shared_past_the_end: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 128), 129, 128, |a, i| f64::from(a[i] + a[i + 1]));
    shuffle_in_branch: |bench, kernel| bench.map(kernel, &Launch::new(1, 32), 32, pairs);
    softmax_of_a_masked_row: |bench, kernel| bench.near(kernel, &Launch::new(1, 32), vec![f32::NEG_INFINITY; 32], |_, _| 0.0);
    softmax_overflows: |bench, kernel| bench.near(kernel, &Launch::new(1, 32), Bench::numbers(32), softmax);
    stencil_in_place: |bench, kernel| bench.in_place(kernel, &Launch::new(8, 64), 512);
    store_past_the_end: |bench, kernel| bench.map(kernel, &Launch::new(4, 256), 1000, |a, i| f64::from(2.0 * a[i]));
    sum_over_blocks: |bench, kernel| bench.add_to(kernel, &Launch::new(8, 1), 512);
    swizzle_on_one_side: |bench, kernel| bench.map(kernel, &Launch::new(1, 32), 1024, |a, i| f64::from(a[i]));
    tma_by_every_thread: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    tma_expects_too_little: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    tma_expects_too_much: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    tma_no_arrival: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    tma_no_wait: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    variance_cancels: |bench, kernel| bench.near(kernel, &Launch::new(1, 1), (0..100).map(|i| 10_000.0 + (i % 3) as f32 * 0.25).collect(), variance);
    vector_of_an_odd_offset: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 32), 132, 128, |a, i| f64::from(a[i + 4]));
    warp_synchronous: |bench, kernel| bench.map_to(kernel, &Launch::new(1, 32), 32, 1, |a, _| a.iter().map(|&x| f64::from(x)).sum());
}

/// Returns element i of a backwards.
fn reversed(a: &[f32], i: usize) -> f64 {
    f64::from(a[a.len() - 1 - i])
}

fn hundred_reversed(a: &[f32], i: usize) -> f64 {
    if i < 100 { f64::from(a[99 - i]) } else { 0.0 }
}

/// Returns element i of 128 reversed elements, where the 28 past the end of 100 are zero.
fn zero_filled(a: &[f32], i: usize) -> f64 {
    if i < 28 { 0.0 } else { f64::from(a[127 - i]) }
}

/// Returns the sum over four steps of 128 elements, each backwards.
fn sums_of_steps(a: &[f32], i: usize) -> f64 {
    (0..4).map(|k| f64::from(a[128 * k + 127 - i])).sum()
}

/// Returns the sum of the halves of tiles of 64 elements.
fn sums_of_tiles(a: &[f32], i: usize) -> f64 {
    let first = 64 * (i / 32) + i % 32;
    f64::from(a[first] + a[first + 32])
}

fn both_ways(a: &[f32], i: usize) -> f64 {
    f64::from(if i < 128 { a[127 - i] } else { a[i - 128] })
}

fn pairs(a: &[f32], i: usize) -> f64 {
    f64::from(if i < 16 { a[i] + a[i ^ 1] } else { a[i] })
}

fn counts(a: &[f32], j: usize) -> f64 {
    a.iter().filter(|&&x| x as i32 & 7 == j as i32).count() as f64
}

/// Returns the softmax to base 2 of 8 a.
fn softmax(a: &[f32], i: usize) -> f64 {
    let largest = a.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exp = |x: f32| (8.0 * f64::from(x - largest)).exp2();
    exp(a[i]) / a.iter().map(|&x| exp(x)).sum::<f64>()
}

fn variance(a: &[f32], _: usize) -> f64 {
    let n = a.len() as f64;
    let mean = a.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    a.iter()
        .map(|&x| (f64::from(x) - mean).powi(2))
        .sum::<f64>()
        / n
}
