//! Products with weights of few bits: D (m, n) = act(alpha X (m, k) · dequantised W (n, k)ᵀ + beta
//! C + bias), where m is tokens.
//!
//! ```text
//!   WeightsProblem { GemmProblem, PackedLayout } ──WeightsConfiguration::plan──► LaunchSpec, GemmParams     or which number, found and allowed
//! ```
//!
//! Law: a plan's launch computes the product of weights that were packed as the plan's kernel reads
//! them; the names of both are compared.

use crate::argument::{KernelArgument, KernelArguments, argument_names, arguments};
use crate::gemm::{
    GemmParams, GemmProblem, InputType, Major, MapBuffer, MapElement, OutputType, TensorMapPlan,
    flags,
};
use crate::{BufferSpec, LaunchSpec, MAX_EXTENT, ProblemError, checked_extent};

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
    D: [*mut u8], X: [*const u8], Codes: [*const u8], Groups: [*const u8], C: [*const u8], Bias: [*const f32], Params: [GemmParams],
});
const MAPS: &[KernelArgument<WeightsArgument>] = arguments!(WeightsArgument {
    MapX: [TensorMap],
    MapCodes: [TensorMap],
    MapRecords: [TensorMap],
});

/// The arguments of a kernel of weights, one that takes tensor maps or not.
#[must_use]
pub const fn weights_arguments(maps: bool) -> KernelArguments<WeightsArgument> {
    let maps = if maps { MAPS } else { &[] };
    KernelArguments::of([BUFFERS, maps, &[], &[], &[], &[]], "u8")
}

/// k of a unit, to which packed weights are padded.
pub const UNIT: u32 = 128;

/// Rows of W to which packed weights are padded.
pub const ROWS: u32 = 128;

/// Bytes of shared memory of a kernel's barriers, in whole wavefronts.
pub const BARRIER_BYTES: u32 = 128;

/// How weights are packed: what a kernel and a buffer have to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedLayout {
    /// The format's name: `int4`.
    pub format: &'static str,
    /// Bits of a code.
    pub bits: u32,
    /// The type of a scale: `bf16`.
    pub scales: &'static str,
    /// Whether groups have zeros.
    pub zeros: bool,
    /// Bytes that a row has beside the codes of a unit, or where it has one scale, beside all its
    /// codes.
    pub record_bytes: u32,
    /// k of a group; `None` is all of a row.
    pub group: Option<u32>,
    /// The order of the codes.
    pub order: &'static str,
}

impl PackedLayout {
    /// Bytes of the codes of (n, k), padded to [`ROWS`] and a unit of k.
    #[must_use]
    pub const fn code_bytes(&self, n: u32, k: u32) -> u64 {
        padded(n, ROWS) * padded(k, UNIT) * self.bits as u64 / 8
    }
    /// Bytes of the scales, zeros and minima of (n, k), padded likewise.
    #[must_use]
    pub const fn group_bytes(&self, n: u32, k: u32) -> u64 {
        let records = match self.group {
            Some(_) => padded(k, UNIT) / UNIT as u64,
            None => 1,
        };
        padded(n, ROWS) * records * self.record_bytes as u64
    }
    /// What k is a multiple of: no k ends inside a group, nor inside 16 bytes of X.
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
    /// `int4:128, scales bf16 (m16n8k16)`, `e4m3:row, scales f32 (m16n8k16)`.
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

/// A product whose B is packed weights: W is B transposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightsProblem {
    /// The product: A is X (m, k), row-major. Nothing reads what it says of B.
    pub product: GemmProblem,
    /// How W is packed.
    pub packed: &'static PackedLayout,
}

impl WeightsProblem {
    /// D (m, n) = X (m, k) · W (n, k)ᵀ of packed X and D, of this type.
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

/// What a launch may use of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Clusters of 2, 4 and 8 CTAs that run at once, each CTA with a multiprocessor of its own.
    pub clusters: [u32; 3],
    /// Bytes of shared memory that a CTA may have.
    pub shared_bytes: u32,
}

/// A launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightsPlan {
    /// The product.
    pub product: GemmProblem,
    /// The launch.
    pub launch: LaunchSpec<6>,
    /// The parameters. A kernel of few rows reads `raster_group` as the number of tiles whose sums
    /// a CTA keeps until its cluster adds them.
    pub params: GemmParams,
    /// The tensor maps of X, of the codes and of the records, of a kernel of many rows. A kernel of
    /// few rows has none. Where a row has one scale there are no records: the last map is the
    /// codes' again, and the kernel loads nothing by it.
    pub maps: Option<[TensorMapPlan; 3]>,
}

impl WeightsPlan {
    /// The kernel's arguments.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<WeightsArgument> {
        weights_arguments(self.maps.is_some())
    }
}

/// What differs between kernels of few rows and of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// By `mma.sync`: weights from global memory to registers, k shared out by warps and CTAs.
    FewRows {
        /// Warps of a CTA that share out k.
        k_warps: u32,
        /// Buffers of the warps' sums of a tile.
        buffers: u32,
        /// The most CTAs that share out k.
        most_slices: u32,
    },
    /// By `wgmma`: weights and X in stages.
    ManyRows {
        /// Bytes of shared memory of a CTA.
        shared_bytes: u32,
        /// CTAs of a cluster, of neighbouring tiles along the rows of W: each loads its share of
        /// the tokens for all.
        ctas: u32,
    },
}

/// A kernel, as a host knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsConfiguration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The weights that it reads.
    pub packed: &'static PackedLayout,
    /// The type of X and, where it is not f32, of D.
    pub input: InputType,
    /// Tokens of a tile: all that there may be, of a kernel of few rows.
    pub tokens: u32,
    /// Rows of W of a CTA's tile.
    pub rows: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// How it computes.
    pub body: Body,
}

impl WeightsConfiguration {
    /// The launch of a problem.
    ///
    /// # Errors
    /// [`ProblemError`] where an extent is 0 or too large, k no multiple of the group or of 8, the
    /// weights packed otherwise than the kernel reads them, X of another type, in batches or
    /// groups, or, of a kernel of few rows, larger than shared memory.
    pub fn plan(
        &self,
        problem: &WeightsProblem,
        of: &Resources,
    ) -> Result<WeightsPlan, ProblemError> {
        self.checked(problem)?;
        let product = &problem.product;
        let GemmProblem { m, n, k, .. } = *product;
        let (grid, slices, shared, at_once) = match self.body {
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
                let along_n = n.div_ceil(ctas * self.rows);
                let tiles = u64::from(m.div_ceil(self.tokens)) * u64::from(along_n);
                let tiles = tiles.min(u32::MAX.into()) as u32;
                (
                    clusters(tiles, ctas, of) * ctas,
                    ctas,
                    shared_bytes.into(),
                    1,
                )
            }
        };
        let mut params = product.params();
        params.raster_group = at_once;
        Ok(WeightsPlan {
            product: *product,
            launch: LaunchSpec {
                kernel: self.kernel,
                grid: [grid, 1, 1],
                block: [self.threads, 1, 1],
                cluster: [slices, 1, 1],
                shared_bytes: shared as usize,
                buffers: self.buffers(problem, params.epilogue),
            },
            params,
            maps: match self.body {
                Body::FewRows { .. } => None,
                Body::ManyRows { ctas, .. } => Some(self.maps(product, ctas)),
            },
        })
    }

    /// The maps of a kernel of many rows: X's in boxes of a CTA's share of the tokens and 64 of k,
    /// those of codes and records in boxes of a unit of a tile's blocks of 16 rows.
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
        // Dimensions: words of a piece, pieces of all units, blocks of 16 rows. A box has at most
        // 256 of each, so that a unit's codes are several pieces.
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

    /// What is checked of a problem beside shared memory.
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

    /// The least lengths and alignments of the kernel's buffers.
    fn buffers(&self, problem: &WeightsProblem, epilogue: u32) -> [BufferSpec; 6] {
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
        ]
        .map(|(argument, elements, alignment, element_bytes)| {
            all.buffer(argument, elements, alignment)
                .of_bytes(element_bytes)
        })
    }

    /// Bytes of shared memory of a CTA but those of tiles that wait for the cluster: its units of
    /// X, barriers, and the buffers of the warps' sums.
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
    /// Bytes of the sums of tiles that wait for the cluster.
    fn kept_bytes(&self, tiles: u32) -> u64 {
        if matches!(self.body, Body::FewRows { most_slices: 1, .. }) {
            0
        } else {
            4 * (tiles * self.rows * self.tokens) as u64
        }
    }
    /// The tiles whose sums fit: all of a CTA's, or a multiple of 8 of them, or 0.
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
        // Less than `all`, which is 32 bits.
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

/// Clusters of a launch: each CTA has a multiprocessor of its own.
fn clusters(tiles: u32, slices: u32, of: &Resources) -> u32 {
    let most = match slices {
        1 => of.multiprocessors,
        2 => of.clusters[0],
        4 => of.clusters[1],
        _ => of.clusters[2],
    };
    let most = if most == 0 { 1 } else { most };
    if tiles < most { tiles } else { most }
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
