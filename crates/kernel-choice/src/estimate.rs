//! Estimates a launch's time by a model of a multiprocessor with a few measured rates, for problems
//! without a measured point nearby.
//!
//! ```text
//!   a multiprocessor   ├ latency ┤ CTA: mainloop, epilogue │ CTA │ CTA ┤     one wave: the CTAs that are resident at once
//!                      ├ latency ┤ ...                                       the next wave
//!
//!   k tile     the longer of   operations / rate of mma.sync    and    bytes of A and B / rate of the L2 cache
//! ```
//!
//! Law: an estimate is finite and positive, and grows with the number of tiles and of k tiles.
//! Estimates serve to order launches of one problem. Their unit is about a microsecond on the GPU
//! of the source.
//!
//! Source: measurements on one NVIDIA H200 (`docs/benchmarks/gemm-mma-sync.md`): 650 TFLOP/s of
//! `mma.sync` by 132 multiprocessors; copies without arithmetic at the rate of 1050 TFLOP/s for a
//! (128, 256) tile with rows of one cache line, and of 684 TFLOP/s with rows of half a cache line;
//! a wave's latency in problems with a short k; for `wgmma`, one wave of (128, 256) tiles at 2048³
//! in 26.6 µs.

use kernel_abi::gemm::{Configuration, GemmProblem, Schedule};

/// The number of multiplications and additions of 16-bit elements that a multiprocessor performs
/// per microsecond by `mma.sync`.
const OPERATIONS_PER_US: f64 = 4.3e6;
/// The number of multiplications and additions that a multiprocessor performs per microsecond by
/// `wgmma`.
const WGMMA_OPERATIONS_PER_US: f64 = 5.8e6;
/// The number of bytes that a multiprocessor copies per microsecond if a tile's rows are full cache
/// lines.
const LOADED_PER_US: f64 = 90e3;
/// The number of bytes that a multiprocessor copies per microsecond if a tile's rows are half a
/// cache line.
const LOADED_BY_HALF_LINES_PER_US: f64 = 60e3;
/// The number of bytes of D that a multiprocessor stores per microsecond, staged in shared memory.
const STORED_PER_US: f64 = 40e3;
/// The microseconds of a wave before its first MMA and after its last.
const WAVE_US: f64 = 2.2;
/// The factor of the mainloop's time with fewer than eight resident warps on a multiprocessor: one
/// warp per scheduler hides no latency.
const FEW_WARPS: f64 = 1.15;
/// Microseconds added per tile to stage the accumulator in shared memory (persistent kernels).
const STAGING_US: f64 = 0.7;
/// The factor of the mainloop's time if the stores of another tile are interleaved with it, and if
/// it has one stage fewer.
const INTERLEAVED_STORES: f64 = 1.05;
/// Microseconds to pass a partial accumulator tile to another CTA.
const PARTIAL_US: f64 = 1.0;

/// Returns the estimated time of a launch that computes `problem` by a configuration and a
/// schedule, with `resident` CTAs per multiprocessor.
pub(crate) fn estimate(
    configuration: &Configuration,
    problem: &GemmProblem,
    schedule: Schedule,
    multiprocessors: u32,
    resident: u32,
) -> f64 {
    let [tile_m, tile_n, tile_k] = configuration.tile.map(f64::from);
    let (tiles, k_tiles) = counts(configuration, problem);
    let multiprocessors = f64::from(multiprocessors.max(1));
    let resident = f64::from(resident.max(1));
    // The number of CTAs, the k tiles of one CTA, and the partial accumulator tiles that it passes
    // on.
    let (ctas, k_tiles, partials) = match schedule {
        Schedule::Tiles => (tiles, k_tiles, 0.0),
        Schedule::SplitK(slices) | Schedule::ClusterSplitK(slices) => {
            let slices = f64::from(slices).clamp(1.0, k_tiles);
            (tiles * slices, (k_tiles / slices).ceil(), slices)
        }
        Schedule::StreamK(ctas) => {
            let ctas = f64::from(ctas.max(1)).min(tiles * k_tiles);
            (ctas, (tiles * k_tiles / ctas).ceil(), 2.0)
        }
        Schedule::Persistent(ctas) => {
            let ctas = f64::from(ctas.max(1)).min(tiles);
            (ctas, (tiles / ctas).ceil() * k_tiles, 0.0)
        }
    };
    let input = f64::from(problem.input.bytes());
    let output = f64::from(problem.output.bytes(problem.input));
    let rate = if tile_k * input < 128.0 {
        LOADED_BY_HALF_LINES_PER_US
    } else {
        LOADED_PER_US
    };
    let ctas_of_a_wave = (ctas / multiprocessors).ceil().min(resident);
    let warps = ctas_of_a_wave * f64::from(configuration.threads / 32);
    let rate_of_mma = if configuration.hopper.is_some() {
        WGMMA_OPERATIONS_PER_US
    } else {
        OPERATIONS_PER_US
    };
    let multiply = 2.0 * tile_m * tile_n * tile_k * input / 2.0 / rate_of_mma
        * if warps < 8.0 { FEW_WARPS } else { 1.0 };
    // The CTAs of a cluster load their shared operands once.
    let [along_m, along_n] = configuration
        .hopper
        .map_or([1.0; 2], |hopper| hopper.cluster.map(f64::from));
    let load = (tile_m / along_n + tile_n / along_m) * tile_k * input / rate;
    let pass_on = if partials > 1.0 {
        PARTIAL_US + (1.0 + partials) * tile_m * tile_n * 4.0 / STORED_PER_US
    } else {
        0.0
    };
    let store = tile_m * tile_n * output / STORED_PER_US;
    let mainloop = k_tiles * multiply.max(load);
    let cta = if matches!(schedule, Schedule::Persistent(_)) {
        // A persistent CTA stores each tile except the last while the mainloop of the next tile
        // runs.
        let tiles = (tiles / ctas).ceil();
        (INTERLEAVED_STORES * mainloop).max(store * tiles) + store + STAGING_US * tiles
    } else {
        mainloop + store + pass_on
    };
    let waves = (ctas / (multiprocessors * resident)).ceil();
    waves * (ctas_of_a_wave * cta + WAVE_US)
}

/// Returns the tiles of all batches, and the k tiles of each.
pub(crate) fn counts(configuration: &Configuration, problem: &GemmProblem) -> (f64, f64) {
    let [tile_m, tile_n, tile_k] = configuration.tile;
    let rows = if problem.groups == 0 {
        f64::from(problem.m.div_ceil(tile_m)) * f64::from(problem.batches)
    } else {
        // Assumes groups of equal size.
        let of_group = problem.m.div_ceil(problem.groups).div_ceil(tile_m);
        f64::from(of_group) * f64::from(problem.groups)
    };
    (
        rows * f64::from(problem.n.div_ceil(tile_n)),
        f64::from(problem.k.div_ceil(tile_k)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::gemm::CONFIGURATIONS; // Ampere's, which the measurements below used
    use kernel_abi::gemm::{AccumulatorType, InputType, OutputType};

    /// Returns the number of resident CTAs per multiprocessor on an H200, for kernels with as many
    /// registers as these.
    fn resident(configuration: &Configuration) -> u32 {
        let by_registers = if configuration.tile[0] * configuration.tile[1] <= 4096 {
            4
        } else {
            256 / configuration.threads
        };
        (228 * 1024 / (configuration.shared_bytes + 1024))
            .min(by_registers)
            .max(1)
    }

    fn time(of: &Configuration, problem: &GemmProblem) -> f64 {
        let resident = resident(of);
        let schedule = if of.persistent {
            Schedule::Persistent(132 * resident)
        } else {
            Schedule::Tiles
        };
        estimate(of, problem, schedule, 132, resident)
    }

    fn best(accumulator: AccumulatorType, [m, n, k]: [u32; 3]) -> (&'static str, f64) {
        let mut problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
        problem.accumulator = accumulator;
        let times = CONFIGURATIONS
            .iter()
            .filter(|of| of.load_bytes == 16 && of.plan(&problem, Schedule::Tiles).is_ok())
            .map(|of| (of.kernel, time(of, &problem)));
        times.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }

    /// Checks that the estimates choose the kernels that won measurements on an H200
    /// (`docs/benchmarks`) by a large margin.
    #[test]
    fn it_chooses_what_was_measured_to_be_best() {
        for (accumulator, shape, tile) in [
            (AccumulatorType::F32, [512, 512, 512], "64x64x64"),
            (AccumulatorType::F32, [2048, 2048, 2048], "128x256x64_s4"),
            (AccumulatorType::F32, [4096, 4096, 4096], "128x256x64_s4"),
            (AccumulatorType::F32, [8192, 8192, 8192], "128x256x64_s4"),
            (AccumulatorType::F32, [4096, 4096, 128], "128x256x64_s3_p"),
            (AccumulatorType::F32, [8192, 512, 4096], "128x256x64"),
            (AccumulatorType::F32, [81_920, 256, 256], "128x256x64_s3_p"),
            (AccumulatorType::F16, [512, 512, 512], "64x64x64"),
            (AccumulatorType::F16, [8192, 8192, 8192], "256x256x64"),
        ] {
            let (kernel, _) = best(accumulator, shape);
            assert!(kernel.contains(tile), "{shape:?}: {kernel}");
        }
    }

    /// Checks that estimates are between 2/3 and 3/2 of measured times, which are listed in
    /// microseconds.
    #[test]
    fn it_is_near_what_was_measured() {
        for (kernel, [m, n, k], measured) in [
            ("gemm_f16_f32_tn_128x256x64_s4", [2048, 2048, 2048], 40.7),
            ("gemm_f16_f32_tn_128x256x64_s4", [8192, 512, 4096], 76.4),
            ("gemm_f16_f32_tn_64x64x64_s4", [4096, 4096, 128], 37.6),
            ("gemm_f16_f32_tn_64x64x64_s4", [81_920, 256, 256], 58.1),
            ("gemm_f16_f16_tn_128x128x32_s3", [4096, 4096, 128], 20.8),
            ("gemm_f16_f16_tn_128x128x32_s3", [2048, 2048, 2048], 40.2),
        ] {
            let of = CONFIGURATIONS
                .iter()
                .find(|of| of.kernel == kernel)
                .unwrap();
            let problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
            let time = time(of, &problem);
            let ratio = time / measured;
            assert!((0.67..1.5).contains(&ratio), "{kernel} {m}×{n}×{k}: {time}");
        }
    }

    #[test]
    fn it_grows_with_the_work() {
        for of in CONFIGURATIONS {
            let time = |m, k| {
                let mut problem = GemmProblem::new(m, 256, k, of.input, OutputType::Same);
                problem.accumulator = of.accumulator;
                time(of, &problem)
            };
            assert!(time(1, 1) > 0.0);
            assert!(time(1 << 20, 64) > time(1 << 18, 64));
            assert!(time(256, 1 << 14) > time(256, 1 << 10));
        }
    }
}
