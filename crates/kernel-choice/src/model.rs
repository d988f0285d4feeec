//! Estimates the time of a launch of a Hopper kernel by a model whose constants are fitted to
//! measured random shapes.
//!
//! ```text
//!   k tile     a norm of       cycles of wgmma, and the overhead of a k tile and of a wgmma
//!              and             bytes of A and B of all CTAs, multicast once    / rate of the L2 cache
//!   tile       k tiles + one latency, then the store of D; with pingpong the other group's products hide it
//!   launch     a norm of       tiles of the busiest CTA     and    bytes of A, B and D / rate of the memory
//!              plus the times of slices, clusters, and copies of operands
//! ```
//!
//! The norms are fitted too. With norm 1, two times add up. With a large norm, the longer time
//! hides the shorter one. A launch is described by its parts (tile, cluster, columns of a `wgmma`,
//! chunk of D, pingpong, slices), so a new tile needs no constant of its own. The estimate of a
//! kernel that was measured is also multiplied by a factor near 1.
//!
//! Law: an estimate is finite and positive for positive constants. It orders launches of one
//! problem.

use super::estimate::counts;
use super::names::by_name;
use kernel_abi::gemm::{
    AccumulatorType, Configuration, GemmProblem, HopperConfiguration, InputType, Majors, Schedule,
    clipped_rows,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Defines the constants from one list, which also determines the order of the constants in an
/// array.
macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// The constants of the model. Each is positive. Times are in microseconds.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Constants {
            $($(#[$doc])* pub $name: f64,)+
        }

        /// The number of constants.
        pub const CONSTANTS: usize = [$(stringify!($name)),+].len();

        impl Constants {
            /// Returns the constants in the order of the fields.
            #[must_use]
            pub fn to_array(self) -> [f64; CONSTANTS] {
                [$(self.$name),+]
            }

            /// Returns the constants from an array, in which they are in the order of the fields.
            #[must_use]
            pub fn from_array(values: [f64; CONSTANTS]) -> Self {
                let [$($name),+] = values;
                Self { $($name),+ }
            }
        }
    };
}

constants! {
    /// The time of a cycle of the tensor cores.
    cycle,
    /// The time of a k tile's barriers with cooperative consumer groups.
    k_tile,
    /// The time of a k tile's barriers with pingpong.
    k_tile_pingpong,
    /// The time to issue the `wgmma` of a k tile for 64 rows.
    issue,
    /// The time of a byte of A or B from the L2 cache to a multiprocessor.
    l2_byte,
    /// The time of a byte of A or B from memory.
    read_byte,
    /// The time of a byte of D to memory.
    write_byte,
    /// The relative extra time of a byte of A or B from the L2 cache if rows begin within a cache
    /// line: each row then touches one more cache line.
    unaligned_read,
    /// The factor of `l2_byte` if CTAs have slices of k: fewer CTAs then read the same rows at a
    /// time.
    sliced_read,
    /// The relative extra time of a byte of D if rows begin within a cache line.
    unaligned_write,
    /// The relative extra time of a byte of D if D is stored in chunks of fewer than 64 columns. It
    /// is multiplied by the part of the 64 columns that a chunk lacks.
    short_chunk,
    /// The time of a byte of a tile of D in the epilogue.
    store_byte,
    /// The time of a tile beyond its k tiles and its epilogue, with cooperative consumer groups.
    tile,
    /// The time of a tile beyond its k tiles and its epilogue, with pingpong.
    tile_pingpong,
    /// The time of a launch, or for a split-K grid the time of each wave of CTAs.
    wave,
    /// The time of the launch that adds slices.
    reduction,
    /// The time of a byte of the slices.
    slice_byte,
    /// The time to add slices in a cluster.
    cluster_split,
    /// The time of a byte of the accumulators that a cluster adds.
    cluster_slice_byte,
    /// The time of each doubling of the CTAs of a cluster.
    cluster,
    /// The time of a launch that copies an operand whose rows TMA cannot address.
    packing,
    /// The time of a byte of an operand that a launch copies because TMA cannot address its rows.
    packed_byte,
    /// The norm by which the products and the loads of a k tile are combined: with 1 the times add
    /// up, and with a large norm the longer time hides the shorter one.
    norm_of_k_tile,
    /// The norm by which the times of the busiest CTA and of the memory are combined.
    norm_of_launch,
}

/// The model for products with these types and orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The type of A and B.
    #[serde(with = "by_name")]
    pub input: InputType,
    /// The type of the accumulator.
    #[serde(with = "by_name")]
    pub accumulator: AccumulatorType,
    /// The orders of A and B.
    #[serde(with = "by_name")]
    pub majors: Majors,
    /// The constants.
    pub constants: Constants,
    /// The factor of each kernel's estimates, by its [`tile_name`]. A kernel that was not measured
    /// has the factor 1.
    #[serde(default)]
    pub kernels: BTreeMap<String, f64>,
    /// The number of launches to which the constants were fitted.
    pub launches: usize,
    /// The root mean square of the logarithms of estimated over measured times, for launches at
    /// most 1.3 times as long as the fastest one for their shape.
    pub error: f64,
    /// The geometric mean over shapes of the time of the model's choice, divided by the time of the
    /// fastest launch.
    pub regret: f64,
    /// The regret for shapes that were excluded from the fit.
    #[serde(default)]
    pub left_out: f64,
}

/// Returns the part of a kernel's name after the types of the input and the accumulator. Kernels
/// that differ only in types have the same tile name.
///
/// ```
/// assert_eq!(kernel_choice::model::tile_name("gemm_bf16_f32_tn_64x64x64_s8_wgmma_pp"), "tn_64x64x64_s8_wgmma_pp");
/// ```
#[must_use]
pub fn tile_name(kernel: &str) -> &str {
    kernel.splitn(4, '_').nth(3).unwrap_or(kernel)
}

impl Model {
    /// Returns the factor for a configuration's estimates: its own factor, or else the factor of
    /// its kernel without clusters, or else 1.
    #[must_use]
    pub fn factor(&self, configuration: &Configuration) -> f64 {
        let of = |name| self.kernels.get(tile_name(name)).copied();
        of(configuration.name)
            .or_else(|| of(configuration.kernel))
            .unwrap_or(1.0)
    }

    /// Whether the model is for products like the problem, with the same orders, the same size of
    /// an input element and the same size of an accumulator. f16 and bf16 count as one kind, and so
    /// do 8-bit integers and 8-bit floats, because `wgmma` multiplies the same number of both per
    /// cycle.
    #[must_use]
    pub fn is_of(&self, problem: &GemmProblem) -> bool {
        let bytes = |input: InputType, accumulator: AccumulatorType| {
            (input.bytes(), accumulator == AccumulatorType::F16)
        };
        bytes(self.input, self.accumulator) == bytes(problem.input, problem.accumulator)
            && self.majors == problem.majors
    }
}

/// The number of clusters of one to eight CTAs that an H200 can hold at once if a CTA fills a
/// multiprocessor: `cudaOccupancyMaxActiveClusters`, driver 580.159.04.
const CLUSTERS: [u32; 8] = [132, 66, 39, 30, 22, 17, 15, 15];

/// Returns the number of multiprocessors that CTAs in clusters of `size` occupy at once, one CTA
/// each. A cluster lies in one GPC, and clusters of more than two leave some multiprocessors of a
/// GPC idle. An H200 has room for 39 clusters of three. The number for another GPU is taken to be
/// proportional to its multiprocessors.
///
/// ```
/// use kernel_choice::model::occupied;
/// assert_eq!([1, 2, 3, 5, 7, 8].map(|size| occupied(132, size)), [132, 132, 117, 110, 105, 120]);
/// ```
#[must_use]
pub fn occupied(multiprocessors: u32, size: u32) -> u32 {
    let size = size.max(1);
    let of_h200 = CLUSTERS.get(size as usize - 1).copied().unwrap_or(0);
    (of_h200 * multiprocessors / CLUSTERS[0]).max(1) * size
}

/// The parts of an estimate, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Terms {
    /// The number of tiles, or slices of tiles, of the busiest CTA.
    pub tiles: f64,
    /// The number of k tiles of such a tile or slice.
    pub k_tiles: f64,
    /// The time of tensor cores, barriers and issue per k tile.
    pub multiply: f64,
    /// The time of the L2 cache per k tile.
    pub load: f64,
    /// The time of the epilogue of a tile.
    pub store: f64,
    /// The time of the busiest CTA.
    pub cta: f64,
    /// The time of the memory.
    pub memory: f64,
    /// The time of slices, clusters, and copies of operands.
    pub besides: f64,
    /// The time of the launch.
    pub total: f64,
}

/// Combines two times by a norm: their sum with norm 1, nearly the longer one with a large norm.
fn together(times: [f64; 2], norm: f64) -> f64 {
    let longer = times[0].max(times[1]);
    let parts = times.map(|time| (time / longer).powf(norm));
    longer * (parts[0] + parts[1]).powf(1.0 / norm)
}

/// The parts of a launch that the model reads.
#[derive(Clone, Copy, Debug)]
pub struct LaunchParts {
    cluster: f64,
    /// The number of CTAs that have a tile or a slice, and the number of CTAs that run at once.
    work: f64,
    at_once: f64,
    k_tiles: f64,
    slices: Slices,
    pingpong: bool,
    /// The cycles of the tensor cores, and the number of `wgmma` issues for 64 rows, per k tile.
    cycles: f64,
    issues: f64,
    /// The bytes of A and B per k tile of a CTA.
    loaded: f64,
    /// The bytes of a tile of D in bounds, and of its accumulator.
    tile_of_d: f64,
    accumulator: f64,
    short: f64,
    /// The bytes of A and B, of D, and of D in f32.
    inputs: f64,
    output: f64,
    wide: f64,
    unaligned: [bool; 2],
    /// The bytes of A and of B if their rows are copied before the launch, else 0.
    packed: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Slices {
    None,
    Grid(f64),
    Cluster(f64),
}

impl LaunchParts {
    /// Returns the parts of a launch of a Hopper kernel, or `None` for other kernels and for
    /// stream-K.
    #[must_use]
    pub fn new(
        configuration: &Configuration,
        problem: &GemmProblem,
        schedule: Schedule,
        multiprocessors: u32,
    ) -> Option<Self> {
        let hopper = configuration.hopper?;
        let [tile_m, tile_n, tile_k] = configuration.tile;
        let [along_m, along_n] = hopper.cluster;
        let (_, k_tiles) = counts(configuration, problem);
        // Whole clusters count, because CTAs whose tiles are outside D wait for the other CTAs of
        // their cluster.
        let of_clusters = Configuration {
            tile: [tile_m * along_m, tile_n * along_n, tile_k],
            ..*configuration
        };
        let (clusters, _) = counts(&of_clusters, problem);
        let tiles = clusters * f64::from(hopper.ctas());
        let (slices, size) = match schedule {
            Schedule::Tiles | Schedule::Persistent(_) => (Slices::None, hopper.ctas()),
            Schedule::SplitK(slices) => (
                Slices::Grid(f64::from(slices.max(1)).min(k_tiles)),
                hopper.ctas(),
            ),
            Schedule::ClusterSplitK(slices) => {
                (Slices::Cluster(slices.into()), hopper.ctas() * slices)
            }
            // Stream-K's CTAs are at different k tiles and share little in the L2 cache, so no
            // constant of the model fits.
            Schedule::StreamK(_) => return None,
        };
        let count = match slices {
            Slices::None => 1.0,
            Slices::Grid(count) | Slices::Cluster(count) => count,
        };
        let bytes_in = f64::from(problem.input.bytes());
        let bytes_out = f64::from(problem.output.bytes(problem.input));
        let [m, n, k] = [problem.m, problem.n, problem.k].map(f64::from);
        let batches = f64::from(problem.batches);
        let [rows_of_wgmma, columns_of_wgmma] = if hopper.swapped {
            [tile_n, tile_m]
        } else {
            [tile_m, tile_n]
        };
        let atoms = f64::from(rows_of_wgmma / 64 * (columns_of_wgmma / hopper.columns.max(1)));
        let columns = f64::from(hopper.columns);
        let [rows_a, rows_b] = loaded_rows(configuration, &hopper, problem);
        let in_bounds =
            f64::from(tile_m.min(problem.m)) * f64::from(tile_n.min(problem.n)) * bytes_out;
        let lines = |elements: u64, bytes: f64| (elements as f64 * bytes) % 128.0 != 0.0;
        // If rows do not begin at multiples of 16 bytes, the operand is copied to rows that do.
        let packed = |ld: u64, elements: f64| {
            let bytes = ld * u64::from(problem.input.bytes());
            if bytes % 16 == 0 {
                0.0
            } else {
                batches * elements * bytes_in
            }
        };
        Some(Self {
            cluster: size.into(),
            work: tiles * count,
            at_once: occupied(multiprocessors, size).into(),
            k_tiles: (k_tiles / count).ceil(),
            slices,
            pingpong: hopper.pingpong,
            // A k tile has four `wgmma`. Below 64 columns, reading A and B from shared memory takes
            // longer than multiplying.
            cycles: atoms * 4.0 * (columns / 2.0).max(16.0 + columns / 4.0),
            issues: atoms,
            loaded: (rows_a + rows_b) * f64::from(tile_k) * bytes_in,
            tile_of_d: in_bounds,
            accumulator: f64::from(tile_m * tile_n) * 4.0,
            short: 1.0 - f64::from(hopper.chunk) / 64.0,
            inputs: batches * (m + n) * k * bytes_in,
            output: batches * m * n * bytes_out,
            wide: batches * m * n * 4.0,
            unaligned: [
                lines(problem.lda, bytes_in) || lines(problem.ldb, bytes_in),
                lines(problem.ldd, bytes_out),
            ],
            packed: [packed(problem.lda, m * k), packed(problem.ldb, n * k)],
        })
    }

    /// Returns the time of the launch and its parts.
    #[must_use]
    pub fn terms(&self, of: &Constants) -> Terms {
        let part = |constant: f64, applies: bool| 1.0 + constant * f64::from(u8::from(applies));
        let [unaligned_a_b, unaligned_d] = self.unaligned;
        let write = part(of.unaligned_write, unaligned_d) * (1.0 + of.short_chunk * self.short);
        let sliced = if self.slices == Slices::None {
            1.0
        } else {
            of.sliced_read
        };
        let read = part(of.unaligned_read, unaligned_a_b) * sliced;
        let barriers = if self.pingpong {
            of.k_tile_pingpong
        } else {
            of.k_tile
        };
        let multiply = self.cycles * of.cycle + barriers + self.issues * of.issue;
        let active = self.work.min(self.at_once);
        let load = self.loaded * read * active * of.l2_byte;
        let k_tile = together([multiply, load], of.norm_of_k_tile);
        let begun = if self.pingpong {
            of.tile_pingpong
        } else {
            of.tile
        };
        let mainloop = self.k_tiles * k_tile + begun;
        let in_grid = matches!(self.slices, Slices::Grid(_));
        let store = of.store_byte * self.tile_of_d * if in_grid { 2.0 } else { write };
        let tiles = (self.work / self.at_once).ceil();
        let cta = if self.pingpong {
            // With pingpong a group stores its tile while the other group multiplies.
            (tiles * mainloop).max((tiles / 2.0).ceil() * (mainloop + store)) + store
        } else {
            tiles * (mainloop + store)
        };
        let cta = cta + of.wave * if in_grid { tiles } else { 1.0 };
        let memory = self.inputs * of.read_byte + self.output * write * of.write_byte;
        let packing = self.packed.iter().filter(|bytes| **bytes > 0.0);
        let packing = packing.map(|bytes| of.packing + bytes * of.packed_byte);
        let besides = packing.sum::<f64>()
            + of.cluster * self.cluster.log2()
            + match self.slices {
                Slices::None => 0.0,
                Slices::Grid(slices) => of.reduction + slices * self.wide * of.slice_byte,
                Slices::Cluster(slices) => {
                    of.cluster_split + slices * self.accumulator * of.cluster_slice_byte
                }
            };
        Terms {
            tiles,
            k_tiles: self.k_tiles,
            multiply,
            load,
            store,
            cta,
            memory,
            besides,
            total: together([cta, memory], of.norm_of_launch) + besides,
        }
    }
}

/// Returns the rows of A and of B that a CTA loads per k tile. In a cluster, the CTA loads its
/// share of the rows that the whole cluster needs. Without a cluster, rows out of bounds are not
/// counted.
fn loaded_rows(
    configuration: &Configuration,
    hopper: &HopperConfiguration,
    problem: &GemmProblem,
) -> [f64; 2] {
    let [tile_m, tile_n, _] = configuration.tile;
    if hopper.ctas() == 1 {
        return [
            clipped_rows(tile_m, problem.m).into(),
            clipped_rows(tile_n, problem.n).into(),
        ];
    }
    let [along_m, along_n] = hopper.cluster;
    [tile_m / along_n, tile_n / along_m].map(f64::from)
}
