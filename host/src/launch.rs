//! The shape of a launch: the blocks of the grid, the threads of a block, the blocks of a cluster,
//! and the dynamic shared memory.
//!
//! ```text
//!   grid  [gx, gy, gz]   blocks       each dimension > 0
//!   block [bx, by, bz]   threads      bx * by * bz <= 1024
//!   cluster [cx, cy, cz] blocks       each divides the grid's; cx * cy * cz <= 8, 16 with a cluster size that is not portable
//!   dynamic_shared       bytes        static + dynamic <= the device's opt-in limit
//! ```

use crate::Contract;
use std::fmt;

/// The three extents of a grid or a block, x first. An extent that is not given is 1.
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
    /// Returns the product of the three extents, which is exact.
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

/// How to launch a kernel, with the contract that the launch must satisfy, if there is one.
///
/// ```
/// use host::Launch;
/// let launch = Launch::new((4, 4), 128).shared(64 * 1024);
/// assert_eq!(launch.to_string(), "grid (4, 4, 1), block (128, 1, 1), 65536 bytes of dynamic shared memory");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The number of blocks along x, y and z.
    pub grid: Dim3,
    /// The number of threads of a block along x, y and z.
    pub block: Dim3,
    /// The number of blocks of a cluster along x, y and z. With `None` the cluster is the one for
    /// which the kernel was compiled, or one block if the kernel was compiled for no cluster.
    pub cluster: Option<Dim3>,
    /// Whether a cluster may have more than 8 blocks, which not every device of compute capability
    /// 9.0 supports.
    pub non_portable_cluster: bool,
    /// Whether the kernel may start before the preceding kernel in the stream has ended.
    pub programmatic: bool,
    /// The dynamic shared memory of a block, in bytes.
    pub dynamic_shared: usize,
    /// The kernel's requirements on its caller, which are checked before the kernel starts.
    pub contract: Option<Contract>,
}

impl Launch {
    /// Returns a launch of `grid` blocks of `block` threads, without dynamic shared memory and
    /// without a contract.
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

    /// Sets the dynamic shared memory to `bytes`. More than 48 KiB needs no further call: the
    /// launch raises the function's limit itself.
    #[must_use]
    pub fn shared(mut self, bytes: usize) -> Self {
        self.dynamic_shared = bytes;
        self
    }

    /// Sets the number of blocks of a cluster, which can access each other's shared memory.
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

    /// Allows clusters of up to 16 blocks: `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
    /// The number that fit depends on the device, and
    /// [`Kernel::max_active_clusters`](crate::Kernel::max_active_clusters) returns it.
    #[must_use]
    pub fn non_portable_cluster(mut self) -> Self {
        self.non_portable_cluster = true;
        self
    }

    /// Sets programmatic dependent launch: the kernel may start while the preceding kernel in the
    /// stream still runs, and waits for that kernel's results by `griddepcontrol.wait`
    /// (`layout_types::arch`'s `wait_on_dependent_grids`).
    ///
    /// On a GPU it has an effect among launches that are enqueued together, for instance by
    /// [`launch_in_order`](crate::launch_in_order). On the emulator each launch runs after the
    /// preceding one. There, accesses to global memory before the thread's wait are checked
    /// ([`emulator::FaultKind::DependentUnwaited`]) if the preceding kernel has a
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
