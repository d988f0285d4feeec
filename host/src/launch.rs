//! The shape of a launch: blocks in the grid, threads in a block, dynamic shared memory.
//!
//! ```text
//!   grid  [gx, gy, gz]   blocks       each dimension > 0
//!   block [bx, by, bz]   threads      bx * by * bz <= 1024
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
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared: usize,
    /// What the kernel requires of its caller; checked before the kernel starts.
    pub contract: Option<Contract>,
}

impl Launch {
    /// A launch of `grid` blocks of `block` threads, without dynamic shared memory and without a contract.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            grid: grid.into(),
            block: block.into(),
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

    /// Sets the contract.
    #[must_use]
    pub fn under(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "grid {}, block {}, {} bytes of dynamic shared memory",
            self.grid, self.block, self.dynamic_shared
        )
    }
}
