//! Products with weights of few bits: D (m, n) = act(alpha X (m, k) · dequantised W (n, k)ᵀ + beta
//! C + bias), where m is tokens.
//!
//! ```text
//!   WeightsProblem { GemmProblem, PackedLayout } ──WeightsConfiguration::plan──► LaunchSpec, GemmParams     or a ProblemError
//! ```
//!
//! Law: a plan's launch computes the product if the weights are packed as the plan's kernel reads
//! them, and if the workspace's first `zeroed_bytes` bytes are zero. Planning compares the names of
//! both packings. The kernel leaves these bytes zero.

use crate::gemm::{
    GemmParams, GemmProblem, InputType, Major, MapBuffer, MapElement, OutputType, TensorMapPlan,
    flags,
};
use crate::{BufferSpec, LaunchSpec, MAX_EXTENT, ProblemError, checked_extent};
use crate::{KernelArgument, KernelArguments, argument_names, arguments};

mod shares;

pub use shares::{MULTIPLYING_WARPS, TileShares, shared_counter_bytes};

argument_names! {
    /// An argument of a kernel of products with weights of few bits.
    pub enum WeightsArgument {
        /// D.
        D = "d", "D";
        /// X.
        X = "x", "A";
        /// The codes.
        Codes = "codes", "codes";
        /// The scales, zeros and minima.
        Groups = "groups", "scales";
        /// C.
        C = "c", "C";
        /// The bias.
        Bias = "bias", "bias";
        /// Counters and partial tiles of a kernel of many rows.
        Workspace = "workspace", "workspace";
        /// [`GemmParams`].
        Params = "params", "the parameters";
        /// The tensor map of X.
        MapX = "map_x", "the map of A";
        /// The tensor map of the codes.
        MapCodes = "map_codes", "the map of the codes";
        /// The tensor map of the scales, zeros and minima.
        MapRecords = "map_records", "the map of the scales";
    }
}

const BUFFERS: &[KernelArgument<WeightsArgument>] = arguments!(WeightsArgument {
    D: [*mut u8], X: [*const u8], Codes: [*const u8], Groups: [*const u8], C: [*const u8], Bias: [*const f32],
    Workspace: [*mut u8], Params: [GemmParams],
});
const MAPS: &[KernelArgument<WeightsArgument>] = arguments!(WeightsArgument {
    MapX: [TensorMap],
    MapCodes: [TensorMap],
    MapRecords: [TensorMap],
});

/// Returns the arguments of a kernel of weights, with the tensor maps if `maps`.
#[must_use]
pub const fn weights_arguments(maps: bool) -> KernelArguments<WeightsArgument> {
    let maps = if maps { MAPS } else { &[] };
    KernelArguments::of([BUFFERS, maps, &[], &[], &[], &[]], "u8")
}

/// The number of elements along k in a unit. Packed weights are padded to whole units.
pub const UNIT: u32 = 128;

/// Packed weights are padded to a multiple of this number of rows of W.
pub const ROWS: u32 = 128;

/// The bytes of shared memory that a kernel's barriers take, in whole wavefronts.
pub const BARRIER_BYTES: u32 = 128;

/// How weights are packed, which must be the same for a kernel and a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedLayout {
    /// The format's name: `int4`.
    pub format: &'static str,
    /// The number of bits of a code.
    pub bits: u32,
    /// The type of a scale: `bf16`.
    pub scales: &'static str,
    /// Whether groups have zeros.
    pub zeros: bool,
    /// The number of bytes per row and unit besides the codes. If a row has one scale, it is the
    /// number of bytes per row besides the codes.
    pub record_bytes: u32,
    /// The number of elements along k in a group, or `None` if a group is a whole row.
    pub group: Option<u32>,
    /// The order of the codes.
    pub order: &'static str,
}

impl PackedLayout {
    /// Returns the size in bytes of the codes of a W (n, k), padded to [`ROWS`] and to units of k.
    #[must_use]
    pub const fn code_bytes(&self, n: u32, k: u32) -> u64 {
        padded(n, ROWS) * padded(k, UNIT) * self.bits as u64 / 8
    }
    /// Returns the size in bytes of the scales, zeros and minima of a W (n, k), with the same
    /// padding.
    #[must_use]
    pub const fn group_bytes(&self, n: u32, k: u32) -> u64 {
        let records = match self.group {
            Some(_) => padded(k, UNIT) / UNIT as u64,
            None => 1,
        };
        padded(n, ROWS) * records * self.record_bytes as u64
    }
    /// Returns the number that must divide k, so that k ends neither inside a group nor inside 16
    /// bytes of X.
    #[must_use]
    pub const fn k_multiple(&self) -> u32 {
        match self.group {
            Some(group) => group,
            None => 8,
        }
    }
    const fn is(&self, other: &Self) -> bool {
        equal(self.format, other.format)
            && self.bits == other.bits
            && equal(self.scales, other.scales)
            && self.zeros == other.zeros
            && self.record_bytes == other.record_bytes
            && match (self.group, other.group) {
                (Some(a), Some(b)) => a == b,
                (None, None) => true,
                _ => false,
            }
            && equal(self.order, other.order)
    }
}

impl core::fmt::Display for PackedLayout {
    /// Writes the layout: `int4:128, scales bf16 (m16n8k16)`, `e4m3:row, scales f32 (m16n8k16)`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            format,
            order,
            scales,
            ..
        } = self;
        match self.group {
            Some(group) => write!(f, "{format}:{group}")?,
            None => write!(f, "{format}:row")?,
        }
        let zeros = if self.zeros { " and zeros" } else { "" };
        write!(f, ", scales {scales}{zeros} ({order})")
    }
}

const fn padded(extent: u32, to: u32) -> u64 {
    extent.div_ceil(to) as u64 * to as u64
}
const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// A product whose B is packed weights. W is B transposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightsProblem {
    /// The product. A is X (m, k), row-major. The fields about B are not used.
    pub product: GemmProblem,
    /// How W is packed.
    pub packed: &'static PackedLayout,
}

impl WeightsProblem {
    /// Returns the product D (m, n) = X (m, k) · W (n, k)ᵀ, whose X and D have the type `input` and
    /// no padding.
    #[must_use]
    pub const fn new(
        (m, n, k): (u32, u32, u32),
        input: InputType,
        packed: &'static PackedLayout,
    ) -> Self {
        Self {
            product: GemmProblem::new(m, n, k, input, OutputType::Same),
            packed,
        }
    }
}

/// The resources of a device that a launch may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The numbers of clusters with 2, 4 and 8 CTAs that can run at once, if each CTA has its own
    /// multiprocessor.
    pub clusters: [u32; 3],
    /// The bytes of shared memory that a CTA may have.
    pub shared_bytes: u32,
}

/// The launch of a product with packed weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightsPlan {
    /// The product.
    pub product: GemmProblem,
    /// The launch.
    pub launch: LaunchSpec<7>,
    /// The number of bytes at the workspace's start that must be zero before the launch, and that
    /// are zero after it.
    pub zeroed_bytes: u64,
    /// The parameters. A kernel of few rows reads `raster_group` as the number of tiles whose sums
    /// a CTA keeps until its cluster adds them. A kernel of many rows reads it as
    /// [`TileShares::sharers`].
    pub params: GemmParams,
    /// The tensor maps of X, of the codes and of the records, for a kernel of many rows, or `None`
    /// for a kernel of few rows. If a row has one scale there are no records: the last map is again
    /// that of the codes, and the kernel does not use it.
    pub maps: Option<[TensorMapPlan; 3]>,
}

impl WeightsPlan {
    /// Returns the size of the workspace in bytes.
    #[must_use]
    pub fn workspace_bytes(&self) -> u64 {
        let place = self.arguments().place(WeightsArgument::Workspace);
        let buffers = self.launch.buffers.iter();
        let of_workspace = buffers.filter(|of| Some(of.argument) == place);
        of_workspace.map(|of| of.elements).sum()
    }
    /// Returns the kernel's arguments.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<WeightsArgument> {
        weights_arguments(self.maps.is_some())
    }
}

/// The properties that only kernels of few rows have, or only kernels of many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The kernel multiplies by `mma.sync`. Weights go from global memory to registers, and warps
    /// and CTAs divide k among them.
    FewRows {
        /// The number of a CTA's warps among which k is divided.
        k_warps: u32,
        /// The number of buffers for the warps' sums of a tile.
        buffers: u32,
        /// The most CTAs among which k is divided.
        most_slices: u32,
    },
    /// The kernel multiplies by `wgmma`. Weights and X go through stages in shared memory.
    ManyRows {
        /// The bytes of shared memory that a CTA has.
        shared_bytes: u32,
        /// The number of CTAs of a cluster, which have neighbouring tiles along the rows of W. Each
        /// CTA loads its share of the tokens for all CTAs of the cluster.
        ctas: u32,
    },
}

/// A kernel of weights from the host's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsConfiguration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The weights that it reads.
    pub packed: &'static PackedLayout,
    /// The type of X, and of D unless D is f32.
    pub input: InputType,
    /// The number of tokens of a tile. For a kernel of few rows it is the most tokens that a
    /// problem may have.
    pub tokens: u32,
    /// The number of rows of W in a CTA's tile.
    pub rows: u32,
    /// The number of threads of a CTA.
    pub threads: u32,
    /// How the kernel computes.
    pub body: Body,
}

impl WeightsConfiguration {
    /// Plans the launch of a problem.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] if an extent is 0 or too large, if k is not a multiple of the
    /// group or of 8, if the weights are not packed as the kernel reads them, if X has another
    /// type, or if the product has batches or groups. For a kernel of few rows, also returns an
    /// error if X is larger than shared memory.
    pub fn plan(
        &self,
        problem: &WeightsProblem,
        of: &Resources,
    ) -> Result<WeightsPlan, ProblemError> {
        self.checked(problem)?;
        let product = &problem.product;
        let GemmProblem { n, k, .. } = *product;
        let mut workspace = [0; 2];
        let (grid, slices, shared, group) = match self.body {
            Body::FewRows { most_slices, .. } => {
                let tiles = n.div_ceil(self.rows);
                let mut slices = 1;
                let mut at_once = self.tiles_at_once(k, slices, tiles, of);
                while at_once == 0 && 2 * slices <= most_slices {
                    slices *= 2;
                    at_once = self.tiles_at_once(k, slices, tiles, of);
                }
                if at_once == 0 {
                    return Err(ProblemError::TooLarge {
                        what: "X, in bytes of shared memory,",
                        given: self.fixed_bytes(k, slices),
                        max: of.shared_bytes as u64,
                    });
                }
                let shared = self.fixed_bytes(k, slices) + self.kept_bytes(at_once);
                let grid = clusters(tiles, slices, of) * slices;
                (grid, slices, shared, at_once)
            }
            Body::ManyRows { shared_bytes, ctas } => {
                let shares = self.shares(problem, ctas, most_clusters(ctas, of));
                if shares.sharers > 0 {
                    let counters = shared_counter_bytes(shares.sharers, ctas);
                    let tile = 4 * u64::from(self.rows * self.tokens);
                    let parts = 2 * u64::from(shares.sharers * ctas);
                    workspace = [counters, counters + parts * tile];
                }
                (
                    shares.clusters * ctas,
                    ctas,
                    shared_bytes.into(),
                    shares.sharers,
                )
            }
        };
        let mut params = product.params();
        params.raster_group = group;
        let [zeroed_bytes, workspace_bytes] = workspace;
        Ok(WeightsPlan {
            product: *product,
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [grid, 1, 1],
                block: [self.threads, 1, 1],
                cluster: [slices, 1, 1],
                shared_bytes: shared as usize,
                buffers: self.buffers(problem, params.epilogue, workspace_bytes),
            },
            zeroed_bytes,
            params,
            maps: match self.body {
                Body::FewRows { .. } => None,
                Body::ManyRows { ctas, .. } => Some(self.maps(product, ctas)),
            },
        })
    }

    /// Divides the tiles of a kernel of many rows among at most `most` clusters of `ctas` CTAs. A
    /// cluster's tile has the rows of all its CTAs.
    #[must_use]
    pub fn shares(&self, problem: &WeightsProblem, ctas: u32, most: u32) -> TileShares {
        let GemmProblem { m, n, k, .. } = problem.product;
        let along_n = n.div_ceil(ctas * self.rows);
        let tiles = u64::from(m.div_ceil(self.tokens)) * u64::from(along_n);
        let tiles = tiles.min(u32::MAX.into()) as u32;
        TileShares::of((tiles, k.div_ceil(UNIT)), self.tokens, most)
    }

    /// Returns the maps of a kernel of many rows. A box of X has a CTA's share of the tokens, and
    /// 64 elements of k. A box of codes or records has one unit of k, for all blocks of 16 rows in
    /// a tile.
    fn maps(&self, product: &GemmProblem, ctas: u32) -> [TensorMapPlan; 3] {
        let GemmProblem { m, n, k, .. } = *product;
        let x = TensorMapPlan {
            buffer: MapBuffer::A,
            offset: 0,
            extents: [k as u64, m as u64, 1],
            strides: [product.lda, product.lda * m as u64],
            box_extents: [64, self.tokens / ctas, 1],
            element: MapElement::Input,
            swizzled: true,
        };
        let units = k.div_ceil(UNIT) as u64;
        let blocks = (n.next_multiple_of(self.rows) / 16) as u64;
        // The dimensions are the words of a piece, the pieces of all units, and the blocks of 16
        // rows. A box has at most 256 elements along each dimension, so a unit's codes are divided
        // into several pieces.
        let packed = |buffer, words: u32, pieces: u32| TensorMapPlan {
            buffer,
            offset: 0,
            extents: [words as u64, pieces as u64 * units, blocks],
            strides: [words as u64, (words * pieces) as u64 * units],
            box_extents: [words, pieces, self.rows / 16],
            element: MapElement::Word,
            swizzled: false,
        };
        // 16 rows of a unit have 64 words for each bit of a code.
        let codes = packed(MapBuffer::Codes, 64, self.packed.bits);
        let records = match self.packed.group {
            Some(_) => packed(MapBuffer::Records, 4 * self.packed.record_bytes, 1),
            None => codes,
        };
        [x, codes, records]
    }

    /// Checks all of a problem except that it fits in shared memory.
    fn checked(&self, problem: &WeightsProblem) -> Result<(), ProblemError> {
        let product = &problem.product;
        let k = product.k;
        let most = match self.body {
            Body::FewRows { .. } => self.tokens,
            Body::ManyRows { .. } => MAX_EXTENT / 64,
        };
        checked_extent("M", product.m, most)?;
        checked_extent("N", product.n, MAX_EXTENT / 64)?;
        checked_extent("K", k, MAX_EXTENT / 64)?;
        if !problem.packed.is(self.packed) {
            return Err(ProblemError::Packed {
                kernel: self.kernel,
                found: problem.packed,
                reads: self.packed,
            });
        }
        let differs = if product.input != self.input {
            "the type of A"
        } else if !matches!(product.output, OutputType::Same | OutputType::F32) {
            "the type of D"
        } else if product.batches != 1 || product.groups != 0 {
            "the number of products"
        } else if product.majors.a() != Major::K {
            "A's order"
        } else {
            ""
        };
        if !differs.is_empty() {
            return Err(ProblemError::Mismatch {
                kernel: self.kernel,
                what: differs,
            });
        }
        multiple("K", k as u64, self.packed.k_multiple())?;
        multiple("lda", product.lda, 8)?;
        at_least("lda", product.lda, k)?;
        at_least("ldd", product.ldd, product.n)
    }

    /// Returns the least lengths and alignments of the kernel's buffers.
    fn buffers(&self, problem: &WeightsProblem, epilogue: u32, workspace: u64) -> [BufferSpec; 7] {
        let GemmProblem {
            m,
            n,
            k,
            lda,
            ldc,
            ldd,
            ..
        } = problem.product;
        let bytes = problem.product.output.bytes(self.input) as usize;
        let last = m as u64 - 1;
        let of_c = if epilogue & flags::C != 0 {
            last * ldc + n as u64
        } else {
            0
        };
        let of_bias = if epilogue & flags::BIAS != 0 {
            n as u64
        } else {
            0
        };
        let codes = problem.packed.code_bytes(n, k);
        let groups = problem.packed.group_bytes(n, k);
        let all = weights_arguments(matches!(self.body, Body::ManyRows { .. }));
        let input_bytes = self.input.bytes() as usize;
        [
            (WeightsArgument::D, last * ldd + n as u64, bytes, bytes),
            (WeightsArgument::X, last * lda + k as u64, 16, input_bytes),
            (WeightsArgument::Codes, codes, 16, 1),
            (WeightsArgument::Groups, groups, 16, 1),
            (WeightsArgument::C, of_c, bytes, bytes),
            (WeightsArgument::Bias, of_bias, 4, 4),
            (WeightsArgument::Workspace, workspace, 256, 1),
        ]
        .map(|(argument, elements, alignment, element_bytes)| {
            all.buffer(argument, elements, alignment)
                .of_bytes(element_bytes)
        })
    }

    /// Returns the bytes of shared memory that a CTA of a kernel of few rows needs for its units of
    /// X, the barriers, and the buffers of the warps' sums. Tiles that wait for the cluster are not
    /// counted. Kernels of many rows have 0.
    fn fixed_bytes(&self, k: u32, slices: u32) -> u64 {
        let Body::FewRows {
            k_warps, buffers, ..
        } = self.body
        else {
            return 0;
        };
        let units = k.div_ceil(UNIT).div_ceil(slices) as u64;
        let tile = 4 * (self.rows * self.tokens) as u64;
        units * (UNIT * self.tokens * 2) as u64
            + BARRIER_BYTES as u64
            + buffers as u64 * k_warps as u64 * tile
    }
    /// Returns the bytes for the sums of `tiles` tiles that wait for the cluster, or 0 if the
    /// kernel never divides k among CTAs.
    fn kept_bytes(&self, tiles: u32) -> u64 {
        if matches!(self.body, Body::FewRows { most_slices: 1, .. }) {
            0
        } else {
            4 * (tiles * self.rows * self.tokens) as u64
        }
    }
    /// Returns the number of tiles whose sums fit in shared memory: all tiles of a CTA, otherwise a
    /// multiple of 8, which may be 0.
    fn tiles_at_once(&self, k: u32, slices: u32, tiles: u32, of: &Resources) -> u32 {
        let fixed = self.fixed_bytes(k, slices);
        if fixed > of.shared_bytes as u64 {
            return 0;
        }
        let all = tiles.div_ceil(clusters(tiles, slices, of));
        let of_tile = self.kept_bytes(1);
        if of_tile == 0 || fixed + all as u64 * of_tile <= of.shared_bytes as u64 {
            return all;
        }
        // The quotient is less than `all`, which has 32 bits.
        (((of.shared_bytes as u64 - fixed) / of_tile) as u32) / 8 * 8
    }
}

fn multiple(what: &'static str, given: u64, of: u32) -> Result<(), ProblemError> {
    if given.checked_rem(of as u64) == Some(0) {
        return Ok(());
    }
    Err(ProblemError::NotMultiple {
        what,
        given,
        of: of as u64,
    })
}

/// Returns the number of clusters of a launch: at least 1, at most `tiles`, and few enough that
/// each CTA has its own multiprocessor.
fn clusters(tiles: u32, slices: u32, of: &Resources) -> u32 {
    tiles.min(most_clusters(slices, of))
}

/// Returns the number of clusters of `ctas` CTAs, at least 1, so few that each CTA has its own
/// multiprocessor.
fn most_clusters(ctas: u32, of: &Resources) -> u32 {
    let most = match ctas {
        1 => of.multiprocessors,
        2 => of.clusters[0],
        4 => of.clusters[1],
        _ => of.clusters[2],
    };
    most.max(1)
}

fn at_least(stride: &'static str, given: u64, min: u32) -> Result<(), ProblemError> {
    if given < min as u64 {
        return Err(ProblemError::Overlapping {
            stride,
            given,
            min: min as u64,
        });
    }
    Ok(())
}
