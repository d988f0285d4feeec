//! How long a launch would take, by a model of a multiprocessor with a few measured numbers: for products that nothing is near
//! of in a table.
//!
//! ```text
//!   a multiprocessor   ├ latency ┤ block: steps, epilogue │ block │ block ┤     one round: the blocks that run at once
//!                      ├ latency ┤ ...                                          the next round
//!
//!   step       the longer of   products / rate of mma.sync    and    bytes of A and B / rate of the second level cache
//! ```
//!
//! Law: an estimate is finite and positive, and grows with the number of tiles and of steps. It orders launches of one product;
//! the unit is about a microsecond on the GPU below.
//!
//! Source: measurements on one NVIDIA H200 (docs/benchmarks.md): 650 TFLOP/s of `mma.sync` by 132 multiprocessors; copies alone
//! at the rate of 1050 and 684 TFLOP/s of a (128, 256) tile with whole and half lines of the cache; a round's begin and end in
//! products of short k.

use kernel_abi::gemm::{Configuration, GemmProblem, Schedule};

/// Multiplications and additions of 16-bit elements that a multiprocessor performs in a microsecond.
const OPERATIONS: f64 = 4.3e6;
/// Bytes of whole cache lines that a multiprocessor copies in a microsecond.
const BYTES: f64 = 90e3;
/// The same where a row of a tile is half a line.
const BYTES_OF_HALVES: f64 = 60e3;
/// Bytes of accumulators that a multiprocessor writes in a microsecond, staged in shared memory.
const WRITTEN: f64 = 40e3;
/// From the begin of a round to its first product, and from the last to the end.
const LATENCY: f64 = 2.2;
/// How much longer products take with fewer than eight warps on a multiprocessor: one warp a scheduler waits for its own.
const FEW_WARPS: f64 = 1.15;
/// To round a tile into shared memory of its own, before it is written beside other products.
const STAYING: f64 = 0.7;
/// How much longer products take with the stores of another tile between them, and a stage less.
const BESIDE_STORES: f64 = 1.05;
/// Microseconds to hand a partial accumulator tile to another CTA.
const HANDING_OVER: f64 = 1.0;

/// The time of `gemm` by a configuration and a schedule that computes it, so many blocks of which a multiprocessor runs at once.
pub(super) fn estimate(
    configuration: &Configuration,
    gemm: &GemmProblem,
    schedule: Schedule,
    multiprocessors: u32,
    at_once: u32,
) -> f64 {
    let [tile_m, tile_n, tile_k] = configuration.tile.map(f64::from);
    let (tiles, steps) = counts(configuration, gemm);
    let (multiprocessors, at_once) = (f64::from(multiprocessors.max(1)), f64::from(at_once.max(1)));
    // What a block does: how many blocks, how many steps of k in one, and how many parts of a tile it hands on.
    let (blocks, steps, parts) = match schedule {
        Schedule::Tiles => (tiles, steps, 0.0),
        Schedule::SplitK(parts) => {
            let parts = f64::from(parts).clamp(1.0, steps);
            (tiles * parts, (steps / parts).ceil(), parts)
        }
        Schedule::StreamK(blocks) => {
            let blocks = f64::from(blocks.max(1)).min(tiles * steps);
            (blocks, (tiles * steps / blocks).ceil(), 2.0)
        }
        Schedule::Persistent(blocks) => {
            let blocks = f64::from(blocks.max(1)).min(tiles);
            (blocks, (tiles / blocks).ceil() * steps, 0.0)
        }
    };
    // A block that stays stores a tile while it multiplies the next, and its copies never stop.
    let stays = matches!(schedule, Schedule::Persistent(_));
    let input = f64::from(gemm.input.bytes());
    let output = f64::from(gemm.output.bytes(gemm.input));
    let rate = if tile_k * input < 128.0 {
        BYTES_OF_HALVES
    } else {
        BYTES
    };
    let together = (blocks / multiprocessors).ceil().min(at_once);
    let warps = together * f64::from(configuration.threads / 32);
    let products = 2.0 * tile_m * tile_n * tile_k * input / 2.0 / OPERATIONS
        * if warps < 8.0 { FEW_WARPS } else { 1.0 };
    let loads = (tile_m + tile_n) * tile_k * input / rate;
    let handed = if parts > 1.0 {
        HANDING_OVER + (1.0 + parts) * tile_m * tile_n * 4.0 / WRITTEN
    } else {
        0.0
    };
    let written = tile_m * tile_n * output / WRITTEN;
    let multiplied = steps * products.max(loads);
    let block = if stays {
        // All tiles are written beside the products of others but the last.
        (BESIDE_STORES * multiplied).max(written * (tiles / blocks).ceil())
            + written
            + STAYING * (tiles / blocks).ceil()
    } else {
        multiplied + written + handed
    };
    let rounds = (blocks / (multiprocessors * at_once)).ceil();
    rounds * (together * block + LATENCY)
}

/// Tiles of all batches, and steps of k of each.
pub(super) fn counts(configuration: &Configuration, gemm: &GemmProblem) -> (f64, f64) {
    let [tile_m, tile_n, tile_k] = configuration.tile;
    let tiles = f64::from(gemm.m.div_ceil(tile_m)) * f64::from(gemm.n.div_ceil(tile_n));
    (
        tiles * f64::from(gemm.batches),
        f64::from(gemm.k.div_ceil(tile_k)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::gemm::CONFIGURATIONS;
    use kernel_abi::gemm::{AccumulatorType, InputType, OutputType};

    /// An H200's, of kernels with so many registers as theirs.
    fn at_once(configuration: &Configuration) -> u32 {
        let by_registers = if configuration.tile[0] * configuration.tile[1] <= 4096 {
            4
        } else {
            256 / configuration.threads
        };
        (228 * 1024 / (configuration.shared_bytes + 1024))
            .min(by_registers)
            .max(1)
    }

    fn time(of: &Configuration, gemm: &GemmProblem) -> f64 {
        let at_once = at_once(of);
        let schedule = if of.persistent {
            Schedule::Persistent(132 * at_once)
        } else {
            Schedule::Tiles
        };
        estimate(of, gemm, schedule, 132, at_once)
    }

    fn best(accumulator: AccumulatorType, [m, n, k]: [u32; 3]) -> (&'static str, f64) {
        let mut gemm = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
        gemm.accumulator = accumulator;
        let times = CONFIGURATIONS
            .iter()
            .filter(|of| of.load_bytes == 16 && of.plan(&gemm, Schedule::Tiles).is_ok())
            .map(|of| (of.kernel, time(of, &gemm)));
        times.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }

    /// The winners of measurements on an H200 (docs/benchmarks.md) where they won by much.
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

    /// Within a third of measured times: 40.7 µs at 2048³ and 20.8 µs at 4096×4096×128 (f16 accumulator, (128, 128, 32)), 36.3 µs of
    /// the (64, 64, 64) tile at 4096×4096×128 and 58.1 µs at 81920×256×256 (f32 accumulator).
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
            let gemm = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
            let time = time(of, &gemm);
            let ratio = time / measured;
            assert!((0.67..1.5).contains(&ratio), "{kernel} {m}×{n}×{k}: {time}");
        }
    }

    #[test]
    fn it_grows_with_the_work() {
        for of in CONFIGURATIONS {
            let time = |m, k| {
                let mut gemm = GemmProblem::new(m, 256, k, of.input, OutputType::Same);
                gemm.accumulator = of.accumulator;
                time(of, &gemm)
            };
            assert!(time(1, 1) > 0.0);
            assert!(time(1 << 20, 64) > time(1 << 18, 64));
            assert!(time(256, 1 << 14) > time(256, 1 << 10));
        }
    }
}
