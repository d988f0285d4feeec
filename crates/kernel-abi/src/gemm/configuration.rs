//! A GEMM kernel from the host's point of view, and how its tiles are assigned to CTAs.
//!
//! ```text
//!   Tiles         CTA i: tile i                     Persistent(2)   CTA 0: tiles 0, 2, 4 ..   CTA 1: tiles 1, 3, 5 ..
//!   SplitK(2)     CTAs 2i, 2i + 1: halves of        StreamK(3)      each CTA: a third of all the k tiles,
//!                 tile i's k tiles                                  in one run that may begin and end within a tile
//! ```

use super::plan::MAX_CLUSTER;
use super::{AccumulatorType, GemmProblem, InputType, Major, Majors, OperationReads, Scaling};

/// How the tile scheduler assigns work to CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// One CTA per tile.
    Tiles,
    /// Split-K with this number of CTAs per tile (at least 2), each with a slice of the tile's k
    /// tiles. Hopper's kernels store the accumulators of the slices in the workspace, and a second
    /// kernel adds the stored accumulators.
    SplitK(u32),
    /// Split-K in a cluster with this number of CTAs per tile, each with a slice of the tile's k
    /// tiles. The CTAs add their accumulators in distributed shared memory. The number of CTAs of a
    /// cluster is the configuration's cluster times the slices, at most 8. Only Hopper's kernels
    /// with `cluster_split` accept this schedule.
    ClusterSplitK(u32),
    /// Stream-K with this number of CTAs, which divide all tiles' k tiles evenly. The CTAs of
    /// Hopper's kernels with `stream_k` divide only the k tiles after the last whole wave of tiles.
    /// The best number is the number of CTAs that are resident at once.
    StreamK(u32),
    /// A persistent kernel with this number of CTAs: CTA i computes tiles i, i + CTAs, ..., and
    /// stores each while the mainloop of the next tile runs. The best number is the number of CTAs
    /// that are resident at once. Only persistent configurations accept this schedule.
    Persistent(u32),
}

/// A kernel of the table: which products it computes, and which resources its launch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The configuration's name. It is the kernel's name; if a kernel that runs in any cluster has
    /// further configurations, their names add the cluster.
    pub name: &'static str,
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The type of A and B.
    pub input: InputType,
    /// The type of the accumulator.
    pub accumulator: AccumulatorType,
    /// The majors of A and B.
    pub majors: Majors,
    /// The CTA tile: its extents along m, n and k.
    pub tile: [u32; 3],
    /// The number of warps along m and n.
    pub warps: [u32; 2],
    /// The number of stages of the mainloop's pipeline in shared memory.
    pub stages: u32,
    /// The number of threads of a CTA.
    pub threads: u32,
    /// Dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: u32,
    /// The size in bytes of one vector load of A and B. The problem's
    /// [`alignment`](super::GemmProblem::alignment) must be at least that.
    pub load_bytes: u32,
    /// The size in bytes of the workspace for one partial accumulator tile.
    pub partial_bytes: u32,
    /// Whether the kernel is persistent. A persistent kernel accepts [`Schedule::Tiles`] and
    /// [`Schedule::Persistent`], and a persistent Hopper kernel may also accept split-K and further
    /// schedules. Other kernels accept all schedules but [`Schedule::Persistent`] and
    /// [`Schedule::ClusterSplitK`].
    pub persistent: bool,
    /// The lowest compute capability, times 10: 80, 90.
    pub arch: u32,
    /// The further properties of a Hopper kernel (TMA and `wgmma`), which is in the module for
    /// `sm_90a`.
    pub hopper: Option<HopperConfiguration>,
    /// The buffers that the kernel's own epilogue operation reads, if it differs from the
    /// operations of a problem. A plan without these buffers is refused.
    pub reads: Option<OperationReads>,
}

/// A Hopper kernel (TMA and `wgmma`): the tensor memory accelerator loads its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopperConfiguration {
    /// The CTAs of a cluster along m and n, each with its own tile.
    pub cluster: [u32; 2],
    /// Whether the kernel runs in any cluster, which each launch chooses: see
    /// [`Configuration::in_clusters`].
    pub any_cluster: bool,
    /// Whether each consumer group has its own tiles (pingpong). Otherwise the groups share a tile
    /// (cooperative).
    pub pingpong: bool,
    /// Whether the operands are swapped: the columns of the tile, from B, are the rows of `wgmma`,
    /// 64 at a time, and the rows of the tile, from A, are the columns of `wgmma`. If A has few
    /// rows, `wgmma` then needs few columns. The extents of the tile, the cluster and the boxes
    /// still refer to the product.
    pub swapped: bool,
    /// The number of columns of one `wgmma`: the tile's columns, or a consumer group's columns if
    /// the groups divide the tile's columns. With swapped operands it is the number of the tile's
    /// rows.
    pub columns: u32,
    /// Whether the kernel accepts [`Schedule::ClusterSplitK`].
    pub cluster_split: bool,
    /// Whether the kernel accepts [`Schedule::StreamK`].
    pub stream_k: bool,
    /// The columns of D that are stored at a time: 64, or fewer if the tile's columns are not a
    /// multiple of 64. A kernel with fewer than 64 stores 32-bit elements, of D or of slices, by
    /// their addresses and not by TMA.
    pub chunk: u32,
    /// Where the kernel applies the scales of A and B.
    pub scaling: Scaling,
    /// Whether the kernel computes only [grouped](super::GemmProblem::groups) products. Otherwise
    /// it computes no grouped product.
    pub grouped: bool,
    /// The box of A's tensor map, contiguous extent first, for an A with at least that many rows.
    pub box_a: [u32; 2],
    /// The box of B's tensor map.
    pub box_b: [u32; 2],
}

/// Returns the number of rows of a box, at most `rows`, for a K-major operand with `extent` rows.
/// The box has no more rows than the operand, rounded up to a multiple of eight: a swizzle's
/// pattern has eight rows.
///
/// ```
/// use kernel_abi::gemm::clipped_rows;
/// assert_eq!([1, 9, 63, 64, 1000].map(|extent| clipped_rows(64, extent)), [8, 16, 64, 64, 64]);
/// ```
#[must_use]
pub const fn clipped_rows(rows: u32, extent: u32) -> u32 {
    let whole = extent.div_ceil(8);
    if whole < rows / 8 { 8 * whole } else { rows }
}

impl HopperConfiguration {
    /// Returns the number of CTAs of a cluster.
    #[must_use]
    pub const fn ctas(&self) -> u32 {
        self.cluster[0] * self.cluster[1]
    }

    /// Whether the kernel accepts [`Schedule::SplitK`].
    #[must_use]
    pub const fn splits_k(&self) -> bool {
        matches!(self.scaling, Scaling::Tensor) && !self.grouped
    }

    /// Returns the boxes of A's and B's tensor maps for a problem. For a kernel without clusters,
    /// boxes are clipped to the rows that the operands have.
    #[must_use]
    pub const fn boxes(&self, problem: &GemmProblem) -> [[u32; 2]; 2] {
        let [mut a, mut b] = [self.box_a, self.box_b];
        if self.ctas() == 1 {
            if matches!(problem.majors.a(), Major::K) {
                a[1] = clipped_rows(a[1], problem.m);
            }
            if matches!(problem.majors.b(), Major::K) {
                b[1] = clipped_rows(b[1], problem.n);
            }
        }
        [a, b]
    }
}

impl Configuration {
    /// Returns where the kernel applies the scales of A and B.
    #[must_use]
    pub const fn scaling(&self) -> Scaling {
        match self.hopper {
            Some(hopper) => hopper.scaling,
            None => Scaling::Tensor,
        }
    }

    /// Whether the kernel computes grouped products.
    #[must_use]
    pub const fn is_grouped(&self) -> bool {
        match self.hopper {
            Some(hopper) => hopper.grouped,
            None => false,
        }
    }

    /// Whether the configuration has its kernel's own name. A kernel that runs in any cluster has
    /// further configurations, each in clusters and with its own name.
    #[must_use]
    pub fn is_without_clusters(&self) -> bool {
        self.name == self.kernel
    }

    /// Returns the same kernel in clusters of `[m, n]` tiles along m and n, with the name `name`.
    /// The CTAs along n share a tile of A, and the CTAs along m share a tile of B. Each CTA loads
    /// an equal share of the shared tile, in whole groups of eight rows. Returns `None` if a tile
    /// cannot be divided into such shares, if a cluster has more than 8 CTAs, if the kernel does
    /// not run in any cluster, or if `self` is in clusters already.
    #[must_use]
    pub const fn in_clusters(mut self, name: &'static str, [m, n]: [u32; 2]) -> Option<Self> {
        let Some(mut hopper) = self.hopper else {
            return None;
        };
        let (rows_a, rows_b) = (hopper.box_a[1], hopper.box_b[1]);
        let is_shared = m.is_power_of_two()
            && n.is_power_of_two()
            && rows_a % (8 * n) == 0
            && rows_b % (8 * m) == 0;
        if !hopper.any_cluster || hopper.ctas() != 1 || m * n > MAX_CLUSTER || !is_shared {
            return None;
        }
        hopper.cluster = [m, n];
        hopper.box_a[1] = rows_a / n;
        hopper.box_b[1] = rows_b / m;
        self.name = name;
        self.hopper = Some(hopper);
        Some(self)
    }

    /// Returns the configuration with other majors, for kernels that read the majors from their
    /// parameters.
    #[must_use]
    pub const fn with_majors(mut self, majors: Majors) -> Self {
        self.majors = majors;
        self
    }
}
