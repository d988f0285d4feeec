//! The shape of a launch: blocks in the grid, threads in a block, blocks in a cluster, dynamic
//! shared memory.
//!
//! ```text
//!   grid  [gx, gy, gz]   blocks       each dimension > 0
//!   block [bx, by, bz]   threads      bx * by * bz <= 1024
//!   cluster [cx, cy, cz] blocks       each divides the grid's; cx * cy * cz <= 8, 16 with a cluster size that is not portable
//!   dynamic_shared       bytes        static + dynamic <= the device's opt-in limit
//! ```

use crate::Contract;
use std::fmt;

/// Three dimensions, x first, of a grid or a block; what is left out is 1.
///
/// ```
/// use host::Dim3;
/// assert_eq!(Dim3::from(7), Dim3([7, 1, 1]));
/// assert_eq!(Dim3::from((7, 5)), Dim3([7, 5, 1]));
/// assert_eq!(Dim3::from([7, 5, 3]).count(), 105);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3(pub [u32; 3]);

impl Dim3 {
    /// The product of the three, exact.
    #[must_use]
    pub fn count(self) -> u128 {
        self.0.iter().map(|&extent| u128::from(extent)).product()
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self([x, y, z])
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from(extents: [u32; 3]) -> Self {
        Self(extents)
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

/// How to launch a kernel, with the contract that it is launched under, if any.
///
/// ```
/// use host::Launch;
/// let launch = Launch::new((4, 4), 128).shared(64 * 1024);
/// assert_eq!(launch.to_string(), "grid (4, 4, 1), block (128, 1, 1), 65536 bytes of dynamic shared memory");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks along x, y and z.
    pub grid: Dim3,
    /// Threads of a block along x, y and z.
    pub block: Dim3,
    /// Blocks of a cluster along x, y and z; none for what the kernel was compiled for, one block
    /// where that is nothing.
    pub cluster: Option<Dim3>,
    /// Whether a cluster may have more than 8 blocks, which not every device of compute capability
    /// 9.0 takes.
    pub non_portable_cluster: bool,
    /// Whether the kernel may start before the one ahead of it in the stream has ended.
    pub programmatic: bool,
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared: usize,
    /// What the kernel requires of its caller; checked before the kernel starts.
    pub contract: Option<Contract>,
}

impl Launch {
    /// A launch of `grid` blocks of `block` threads, without dynamic shared memory and without a
    /// contract.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
            cluster: None,
            non_portable_cluster: false,
            programmatic: false,
            dynamic_shared: 0,
            contract: None,
        }
    }

    /// The same with `bytes` of dynamic shared memory. Above 48 KiB needs nothing more: the launch
    /// raises the function's limit itself.
    #[must_use]
    pub fn shared(mut self, bytes: usize) -> Self {
        self.dynamic_shared = bytes;
        self
    }

    /// The same in clusters of so many blocks, which share their shared memory.
    ///
    /// ```
    /// use host::Launch;
    /// let launch = Launch::new((4, 4), 128).cluster((2, 1));
    /// assert_eq!(launch.to_string(), "grid (4, 4, 1), clusters (2, 1, 1), block (128, 1, 1), 0 bytes of dynamic shared memory");
    /// ```
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.cluster = Some(cluster.into());
        self
    }

    /// The same in clusters of up to 16 blocks:
    /// `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`. How many fit depends on the device,
    /// and [`Kernel::max_active_clusters`](crate::Kernel::max_active_clusters) says it.
    #[must_use]
    pub fn non_portable_cluster(mut self) -> Self {
        self.non_portable_cluster = true;
        self
    }

    /// Programmatic dependent launch: the kernel may start while the one ahead of it in the stream
    /// still runs, and waits for its results by `griddepcontrol.wait` (`layout_types::arch`'s
    /// `wait_on_dependent_grids`). It has an effect on a GPU among launches that are enqueued
    /// together, [`launch_in_order`](crate::launch_in_order); on the emulator each runs after the
    /// one before, and what a thread does to global memory before its wait is looked at
    /// ([`emulator::FaultKind::DependentUnwaited`]) where the kernel ahead has a
    /// `griddepcontrol.launch_dependents` or is programmatic itself.
    #[must_use]
    pub fn programmatic(mut self) -> Self {
        self.programmatic = true;
        self
    }

    /// Sets the contract.
    #[must_use]
    pub fn under(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grid {}, ", self.grid)?;
        if let Some(cluster) = self.cluster {
            write!(f, "clusters {cluster}, ")?;
        }
        write!(
            f,
            "block {}, {} bytes of dynamic shared memory",
            self.block, self.dynamic_shared
        )
    }
}
