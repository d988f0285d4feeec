//! Products with weights of few bits: D (m, n) = X (m, k) · dequantised W (n, k)ᵀ, where m is few
//! tokens.
//!
//! ```text
//!   WeightsProblem { m, n, k } + PackedLayout ──WeightsConfiguration::plan──► LaunchSpec     or which number, found and allowed
//! ```
//!
//! Law: a plan's launch computes the product of weights that were packed as the plan's kernel reads
//! them; the names of both are compared.

use crate::{BufferSpec, LaunchSpec, MAX_EXTENT, ProblemError, checked_extent, const_try};

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
    /// The type of a group's scale: `bf16`.
    pub scales: &'static str,
    /// Bytes of a group's scale and zero, of a row.
    pub group_bytes: u32,
    /// k of a group.
    pub group: u32,
    /// The order of the codes.
    pub order: &'static str,
}

impl PackedLayout {
    /// Bytes of the codes of (n, k), padded to [`ROWS`] and a unit of k.
    #[must_use]
    pub const fn code_bytes(&self, n: u32, k: u32) -> u64 {
        padded(n, ROWS) * padded(k, UNIT) * self.bits as u64 / 8
    }
    /// Bytes of the scales and zeros of (n, k), so padded.
    #[must_use]
    pub const fn group_bytes(&self, n: u32, k: u32) -> u64 {
        padded(n, ROWS) * (padded(k, UNIT) / self.group as u64) * self.group_bytes as u64
    }
    const fn is(&self, other: &Self) -> bool {
        equal(self.format, other.format)
            && self.bits == other.bits
            && equal(self.scales, other.scales)
            && self.group_bytes == other.group_bytes
            && self.group == other.group
            && equal(self.order, other.order)
    }
}

impl core::fmt::Display for PackedLayout {
    /// `int4:128, scales bf16 (m16n8k16)`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            format,
            group,
            order,
            scales,
            ..
        } = self;
        write!(f, "{format}:{group}, scales {scales} ({order})")
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

/// A product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsProblem {
    /// Tokens: rows of X and D.
    pub m: u32,
    /// Rows of W, columns of D.
    pub n: u32,
    /// Columns of X and W.
    pub k: u32,
    /// From a row of X to the next, in elements.
    pub ldx: u32,
    /// From a row of D to the next, in elements.
    pub ldd: u32,
    /// How W is packed.
    pub packed: &'static PackedLayout,
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

/// A launch, and the numbers among its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsPlan {
    /// The launch.
    pub launch: LaunchSpec<4>,
    /// The arguments from the fifth on, by name.
    pub scalars: [(&'static str, u32); 6],
}

/// A kernel, as a host knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsConfiguration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The weights that it reads.
    pub packed: &'static PackedLayout,
    /// The most tokens.
    pub tokens: u32,
    /// Rows of W of a tile.
    pub rows: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// Warps of a CTA that share out k.
    pub k_warps: u32,
    /// Buffers of the warps' sums of a tile.
    pub buffers: u32,
    /// The most CTAs that share out k.
    pub most_slices: u32,
    /// Bytes of an element of X and D.
    pub element_bytes: usize,
}

impl WeightsConfiguration {
    /// The launch of a problem. Arguments of the kernel, in order: D, X, codes, groups, then the
    /// plan's scalars.
    ///
    /// # Errors
    /// [`ProblemError`] where an extent is 0 or too large, k no multiple of the group or of 8, the
    /// weights packed otherwise than the kernel reads them, or X larger than shared memory.
    pub const fn plan(
        &self,
        problem: &WeightsProblem,
        of: &Resources,
    ) -> Result<WeightsPlan, ProblemError> {
        let &WeightsProblem {
            m, n, k, ldx, ldd, ..
        } = problem;
        const_try!(checked_extent("M", m, self.tokens));
        const_try!(checked(problem, self.kernel, self.packed));
        let tiles = n.div_ceil(self.rows);
        let mut slices = 1;
        let mut at_once = self.tiles_at_once(k, slices, tiles, of);
        while at_once == 0 && 2 * slices <= self.most_slices {
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
        let element = self.element_bytes;
        let launch = LaunchSpec {
            kernel: self.kernel,
            grid: [clusters(tiles, slices, of) * slices, 1, 1],
            block: [self.threads, 1, 1],
            cluster: [slices, 1, 1],
            shared_bytes: shared as usize,
            buffers: [
                BufferSpec::written(0, "D", (m as u64 - 1) * ldd as u64 + n as u64, 2)
                    .of_bytes(element),
                BufferSpec::read(1, "X", (m as u64 - 1) * ldx as u64 + k as u64, 16)
                    .of_bytes(element),
                BufferSpec::read(2, "codes", problem.packed.code_bytes(n, k), 16).of_bytes(1),
                BufferSpec::read(3, "scales", problem.packed.group_bytes(n, k), 16).of_bytes(1),
            ],
        };
        Ok(WeightsPlan {
            launch,
            scalars: [
                ("M", m),
                ("N", n),
                ("K", k),
                ("ldx", ldx),
                ("ldd", ldd),
                ("tiles at once", at_once),
            ],
        })
    }

    /// Bytes of shared memory of a CTA but those of tiles that wait for the cluster: its units of
    /// X, barriers, and the buffers of the warps' sums.
    const fn fixed_bytes(&self, k: u32, slices: u32) -> u64 {
        let units = k.div_ceil(UNIT).div_ceil(slices) as u64;
        let warps = self.k_warps as u64;
        let tile = 4 * (self.rows * self.tokens) as u64;
        units * (UNIT * self.tokens * 2) as u64
            + BARRIER_BYTES as u64
            + self.buffers as u64 * warps * tile
    }
    /// Bytes of the sums of tiles that wait for the cluster.
    const fn kept_bytes(&self, tiles: u32) -> u64 {
        if self.most_slices == 1 {
            0
        } else {
            4 * (tiles * self.rows * self.tokens) as u64
        }
    }
    /// The tiles whose sums fit: all of a CTA's, or a multiple of 8 of them, or 0.
    const fn tiles_at_once(&self, k: u32, slices: u32, tiles: u32, of: &Resources) -> u32 {
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

/// A kernel of many tokens, by `wgmma`, as a host knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledWeightsConfiguration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The weights that it reads.
    pub packed: &'static PackedLayout,
    /// Tokens of a tile.
    pub tokens: u32,
    /// Rows of W of a tile.
    pub rows: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// Bytes of shared memory of a CTA.
    pub shared_bytes: u32,
    /// Bytes of an element of X and D.
    pub element_bytes: usize,
}

/// A launch of a kernel of many tokens, and the numbers among its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledWeightsPlan {
    /// The launch.
    pub launch: LaunchSpec<3>,
    /// The arguments from the fifth on, by name.
    pub scalars: [(&'static str, u32); 4],
}

impl TiledWeightsConfiguration {
    /// The launch of a problem. Arguments of the kernel, in order: D, X's tensor map in boxes of
    /// the configuration's tile, codes, groups, then the plan's scalars.
    ///
    /// # Errors
    /// [`ProblemError`] where an extent is 0 or too large, k no multiple of the group, rows of X no
    /// multiple of 16 bytes, or the weights packed otherwise than the kernel reads them.
    pub const fn plan(
        &self,
        problem: &WeightsProblem,
        of: &Resources,
    ) -> Result<TiledWeightsPlan, ProblemError> {
        let &WeightsProblem { m, n, k, ldd, .. } = problem;
        const_try!(checked_extent("M", m, MAX_EXTENT / 64));
        const_try!(checked(problem, self.kernel, self.packed));
        let tiles = m.div_ceil(self.tokens) as u64 * n.div_ceil(self.rows) as u64;
        let most = of.multiprocessors as u64;
        let ctas = if tiles < most { tiles } else { most };
        let launch = LaunchSpec {
            kernel: self.kernel,
            grid: [ctas as u32, 1, 1],
            block: [self.threads, 1, 1],
            cluster: [1; 3],
            shared_bytes: self.shared_bytes as usize,
            buffers: [
                BufferSpec::written(0, "D", (m as u64 - 1) * ldd as u64 + n as u64, 2)
                    .of_bytes(self.element_bytes),
                BufferSpec::read(2, "codes", problem.packed.code_bytes(n, k), 16).of_bytes(1),
                BufferSpec::read(3, "scales", problem.packed.group_bytes(n, k), 16).of_bytes(1),
            ],
        };
        Ok(TiledWeightsPlan {
            launch,
            scalars: [("M", m), ("N", n), ("K", k), ("ldd", ldd)],
        })
    }
}

/// What every plan checks of a problem but m.
const fn checked(
    problem: &WeightsProblem,
    kernel: &'static str,
    packed: &'static PackedLayout,
) -> Result<(), ProblemError> {
    let &WeightsProblem { n, k, ldx, ldd, .. } = problem;
    const_try!(checked_extent("N", n, MAX_EXTENT / 64));
    const_try!(checked_extent("K", k, MAX_EXTENT / 64));
    if !problem.packed.is(packed) {
        return Err(ProblemError::Packed {
            kernel,
            found: problem.packed,
            reads: packed,
        });
    }
    const_try!(multiple("K", k, packed.group));
    const_try!(multiple("the distance of X's rows", ldx, 8));
    const_try!(at_least("ldx", ldx, k));
    at_least("ldd", ldd, n)
}

const fn multiple(what: &'static str, given: u32, of: u32) -> Result<(), ProblemError> {
    if given.is_multiple_of(of) {
        return Ok(());
    }
    Err(ProblemError::NotMultiple {
        what,
        given: given as u64,
        of: of as u64,
    })
}

/// Clusters of a launch: each CTA has a multiprocessor of its own.
const fn clusters(tiles: u32, slices: u32, of: &Resources) -> u32 {
    let most = match slices {
        1 => of.multiprocessors,
        2 => of.clusters[0],
        4 => of.clusters[1],
        _ => of.clusters[2],
    };
    let most = if most == 0 { 1 } else { most };
    if tiles < most { tiles } else { most }
}

const fn at_least(stride: &'static str, given: u32, min: u32) -> Result<(), ProblemError> {
    if given < min {
        return Err(ProblemError::Overlapping {
            stride,
            given: given as u64,
            min: min as u64,
        });
    }
    Ok(())
}
