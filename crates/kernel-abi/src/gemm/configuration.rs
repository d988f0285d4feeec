//! A GEMM kernel as hosts know it, and how its tiles are assigned to CTAs.
//!
//! ```text
//!   Tiles         CTA i: tile i                     Persistent(2)   CTA 0: tiles 0, 2, 4 ..   CTA 1: tiles 1, 3, 5 ..
//!   SplitK(2)     CTAs 2i, 2i + 1: halves of        StreamK(3)      each CTA: a third of all tiles' k tiles,
//!                 tile i's k tiles                                  in one run that may begin and end within a tile
//! ```

use super::plan::MAX_CLUSTER;
use super::{AccumulatorType, GemmProblem, InputType, Major, Majors, OperationReads, Scaling};

/// How the tile scheduler assigns work to CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// One CTA per tile.
    Tiles,
    /// Split-K: so many CTAs per tile, at least 2, each with a slice of its k tiles. Hopper's
    /// kernels store the slices' accumulators in the workspace, and a second kernel adds them.
    SplitK(u32),
    /// Split-K in a cluster: so many CTAs have slices of one tile's k tiles, and add their
    /// accumulators in distributed shared memory. A cluster has the configuration's tiles times so
    /// many slices, up to 8 CTAs. For Hopper's kernels with `cluster_split`.
    ClusterSplitK(u32),
    /// Stream-K: so many CTAs divide all tiles' k tiles evenly; those of Hopper's kernels that say
    /// so only the k tiles of what is left behind the last whole wave of tiles. Best as many as are
    /// resident at once.
    StreamK(u32),
    /// A persistent kernel of so many CTAs: CTA i computes tiles i, i + CTAs, ..., and stores each
    /// while the next one's mainloop runs. Best as many as are resident at once. For persistent
    /// configurations.
    Persistent(u32),
}

/// What a kernel of the table computes, and what a launch of it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The configuration's name: the kernel's, plus the cluster where a kernel of any cluster has a
    /// configuration in clusters.
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
    /// Warps along m and n.
    pub warps: [u32; 2],
    /// Stages of the mainloop's pipeline in shared memory.
    pub stages: u32,
    /// Threads of a CTA.
    pub threads: u32,
    /// Dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: u32,
    /// Bytes of one vector load of A and B; the problem's
    /// [`alignment`](super::GemmProblem::alignment) must be at least that.
    pub load_bytes: u32,
    /// Bytes of workspace for one partial accumulator tile.
    pub partial_bytes: u32,
    /// Whether the kernel is persistent: it accepts [`Schedule::Tiles`] and
    /// [`Schedule::Persistent`], and one of Hopper's split-K, or more, too; others accept all but
    /// [`Schedule::Persistent`] and [`Schedule::ClusterSplitK`].
    pub persistent: bool,
    /// The least compute capability, times 10: 80, 90.
    pub arch: u32,
    /// What a kernel of Hopper's collective takes besides, in the module for `sm_90a`.
    pub hopper: Option<HopperConfiguration>,
    /// What its epilogue operation reads, if it is another than the problem describes: a plan
    /// without that is refused.
    pub reads: Option<OperationReads>,
}

/// A kernel of Hopper's collective: its operands come by the tensor memory accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HopperConfiguration {
    /// CTAs of a cluster along m and n, each with a tile of its own.
    pub cluster: [u32; 2],
    /// Whether the kernel runs in any cluster, which each launch chooses: see
    /// [`Configuration::in_clusters`].
    pub any_cluster: bool,
    /// Whether each consumer group has tiles of its own (pingpong); else they share one
    /// (cooperative).
    pub pingpong: bool,
    /// Whether the operands are swapped: the tile's columns are the rows of `wgmma`, 64 of B each,
    /// and its rows, of A, the columns. So few rows of A take few columns. The extents of the tile,
    /// the cluster and the boxes are the product's all the same.
    pub swapped: bool,
    /// Columns of one `wgmma`: the tile's, or those of a consumer group where the groups divide the
    /// columns; the tile's rows where the operands are swapped.
    pub columns: u32,
    /// Whether the kernel accepts [`Schedule::ClusterSplitK`].
    pub cluster_split: bool,
    /// Whether the kernel accepts [`Schedule::StreamK`].
    pub stream_k: bool,
    /// Columns of D that are stored at a time: 64, or less where a tile has no multiple of 64. Such
    /// a kernel splits no k over launches, and stores a D of 32 bits element by element.
    pub chunk: u32,
    /// Where the kernel applies the scales of A and B.
    pub scaling: Scaling,
    /// Whether the kernel is of [grouped](super::GemmProblem::groups) products, and of no others.
    pub grouped: bool,
    /// The box of A's tensor map, contiguous extent first, where A has as many rows.
    pub box_a: [u32; 2],
    /// The box of B's tensor map.
    pub box_b: [u32; 2],
}

/// Rows of a box of at most `rows` rows of a K-major operand of `extent` rows: no more than there
/// are, in whole groups of eight, the rows of a swizzle's pattern.
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
    /// CTAs of a cluster.
    #[must_use]
    pub const fn ctas(&self) -> u32 {
        self.cluster[0] * self.cluster[1]
    }

    /// Whether the kernel accepts [`Schedule::SplitK`].
    #[must_use]
    pub const fn splits_k(&self) -> bool {
        matches!(self.scaling, Scaling::Tensor) && !self.grouped
    }

    /// The boxes of A's and B's tensor maps for a problem. A kernel without clusters loads no rows
    /// that there are none of.
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
    /// Where the kernel applies the scales of A and B.
    #[must_use]
    pub const fn scaling(&self) -> Scaling {
        match self.hopper {
            Some(hopper) => hopper.scaling,
            None => Scaling::Tensor,
        }
    }

    /// Whether the kernel is of grouped products.
    #[must_use]
    pub const fn is_grouped(&self) -> bool {
        match self.hopper {
            Some(hopper) => hopper.grouped,
            None => false,
        }
    }

    /// Whether the configuration has its kernel's own name. A kernel of any cluster has further
    /// configurations, each in clusters and with a name of its own.
    #[must_use]
    pub fn is_without_clusters(&self) -> bool {
        self.name == self.kernel
    }

    /// The same kernel in clusters of `[m, n]` tiles along m and n, called `name`: the CTAs along n
    /// share a tile of A, those along m one of B, and each loads an equal share of it, in whole
    /// groups of eight rows. `None` where a tile has no such shares, a cluster has more than 8
    /// CTAs, the kernel does not run in any cluster, or `self` is in clusters already.
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

    /// The same kernel for other majors: for kernels that read them from their parameters.
    #[must_use]
    pub const fn with_majors(mut self, majors: Majors) -> Self {
        self.majors = majors;
        self
    }
}
