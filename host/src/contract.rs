//! What a kernel requires of its caller, as data that a launch checks.
//!
//! A kernel's PTX says how many parameters it has and how large they are. It does not
//! say that parameter 1 points at `m * k` elements on a 16-byte boundary. The author of
//! the kernel knows; a [`Contract`] is where it is written down:
//!
//! ```text
//!   vecadd(a, b, c, n)      0 reads   a  n elements, 4-byte aligned
//!                           1 reads   b  n elements
//!                           2 writes  c  n elements
//!                           3 equals  n  the n that the above was computed from
//! ```
//!
//! Law: if the contract is true of the kernel, then a launch that passes its check keeps
//! every access of the kernel within the buffers that it was given.

use crate::{Dim3, Launch};
use bytemuck::Pod;
use kernel_abi::LaunchSpec;
use std::fmt;

/// What a kernel does with one of its buffers, and how much of it must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferRule {
    /// Which argument, from 0.
    pub index: usize,
    /// The argument's name, for messages.
    pub name: String,
    /// Elements that the kernel may touch, counted from the start of the argument.
    pub min_elements: usize,
    /// Alignment of the argument's address, in bytes; a power of two. A buffer of no elements has
    /// no address that a kernel could touch, so its alignment is not looked at.
    pub align: usize,
    /// Whether the kernel writes to it: then it must be given as `&mut`.
    pub writable: bool,
    /// Bytes of an element, where they are said. A buffer of elements of other sizes is refused;
    /// one of bytes must have as many.
    pub element_bytes: Option<usize>,
}

/// The value that an argument must have, because the rest of the contract was computed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarRule {
    /// Which argument, from 0.
    pub index: usize,
    /// The argument's name, for messages.
    pub name: String,
    /// The value as text, for messages.
    pub shown: String,
    /// The value's bytes as the kernel sees them.
    pub bytes: Vec<u8>,
}

/// A condition on an extent that the kernel does not check by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtentRule {
    /// The extent's name, for messages.
    pub name: String,
    /// Its value.
    pub value: usize,
    /// The least value allowed.
    pub min: usize,
    /// What must divide the value; 1 if anything may.
    pub multiple_of: usize,
}

impl ExtentRule {
    pub(crate) fn holds(&self) -> bool {
        self.value >= self.min && self.value.is_multiple_of(self.multiple_of.max(1))
    }
}

impl fmt::Display for ExtentRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} or more", self.min)?;
        if self.multiple_of > 1 {
            write!(f, " and a multiple of {}", self.multiple_of)?;
        }
        Ok(())
    }
}

/// What a kernel requires of its caller. Every field is optional; what is absent is not checked.
///
/// ```
/// use host::Contract;
/// let n = 1000_u32;
/// let contract = Contract::new()
///     .grid(n.div_ceil(256))
///     .block(256)
///     .reads_of::<f32>(0, "a", n as usize, 4)
///     .reads_of::<f32>(1, "b", n as usize, 4)
///     .writes_of::<f32>(2, "c", n as usize, 4)
///     .scalar(3, "n", n);
/// assert_eq!(contract.launch().grid.0, [4, 1, 1]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    /// The kernel that this is the contract of, where it says so.
    pub kernel: Option<String>,
    /// The grid, where only one is right.
    pub grid: Option<Dim3>,
    /// The block, where only one is right.
    pub block: Option<Dim3>,
    /// The cluster, where only one is right.
    pub cluster: Option<Dim3>,
    /// The least dynamic shared memory, in bytes.
    pub dynamic_shared: Option<usize>,
    /// The requirements on buffers.
    pub buffers: Vec<BufferRule>,
    /// The scalars that the rest was computed from.
    pub scalars: Vec<ScalarRule>,
    /// Conditions on extents.
    pub extents: Vec<ExtentRule>,
}

impl Contract {
    /// A contract without requirements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds the contract to the kernel of this name.
    #[must_use]
    pub fn of(mut self, kernel: &str) -> Self {
        self.kernel = Some(kernel.into());
        self
    }

    /// Requires this grid.
    #[must_use]
    pub fn grid(mut self, grid: impl Into<Dim3>) -> Self {
        self.grid = Some(grid.into());
        self
    }

    /// Requires this block.
    #[must_use]
    pub fn block(mut self, block: impl Into<Dim3>) -> Self {
        self.block = Some(block.into());
        self
    }

    /// Requires clusters of so many blocks.
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.cluster = Some(cluster.into());
        self
    }

    /// Requires `bytes` of dynamic shared memory at least.
    #[must_use]
    pub fn shared(mut self, bytes: usize) -> Self {
        self.dynamic_shared = Some(bytes);
        self
    }

    /// Argument `index` is a buffer that the kernel reads `min_elements` of, aligned to `align`
    /// bytes. It may be of any type: [`reads_of`](Self::reads_of) says which.
    #[must_use]
    pub fn reads(self, index: usize, name: &str, min_elements: usize, align: usize) -> Self {
        self.buffer((index, name), min_elements, align, false, None)
    }

    /// Argument `index` is a buffer that the kernel writes `min_elements` of, aligned to `align`
    /// bytes. It may be of any type: [`writes_of`](Self::writes_of) says which.
    #[must_use]
    pub fn writes(self, index: usize, name: &str, min_elements: usize, align: usize) -> Self {
        self.buffer((index, name), min_elements, align, true, None)
    }

    /// As [`reads`](Self::reads), of elements as large as `T`: the type that the kernel's pointer
    /// has, or its bits. A buffer of elements of another size is refused, and one of bytes that has
    /// fewer of them.
    ///
    /// ```
    /// use host::{Contract, Device, Launch};
    /// # let device = Device::emulator();
    /// # let kernel = device.load(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry of_halves(.param .u64 x) { ret; }")?;
    /// # let kernel = kernel.kernel("of_halves")?;
    /// let launch = Launch::new(1, 32).under(Contract::new().reads_of::<half::f16>(0, "x", 100, 2));
    /// let floats = device.upload(&[0f32; 100])?;
    /// assert!(kernel.launch(&launch, (&floats,)).unwrap_err().to_string().ends_with(
    ///     "argument 0 (`x`) has elements of 4 bytes (f32); the kernel's have 2"));
    /// # Ok::<(), host::Error>(())
    /// ```
    #[must_use]
    pub fn reads_of<T>(self, index: usize, name: &str, min_elements: usize, align: usize) -> Self {
        let bytes = Some(size_of::<T>());
        self.buffer((index, name), min_elements, align, false, bytes)
    }

    /// As [`writes`](Self::writes), of elements as large as `T`, as [`reads_of`](Self::reads_of)
    /// has it.
    #[must_use]
    pub fn writes_of<T>(self, index: usize, name: &str, min_elements: usize, align: usize) -> Self {
        let bytes = Some(size_of::<T>());
        self.buffer((index, name), min_elements, align, true, bytes)
    }

    fn buffer(
        mut self,
        (index, name): (usize, &str),
        min_elements: usize,
        align: usize,
        writable: bool,
        element_bytes: Option<usize>,
    ) -> Self {
        self.buffers.push(BufferRule {
            index,
            name: name.into(),
            min_elements,
            align,
            writable,
            element_bytes,
        });
        self
    }

    /// Argument `index` is a scalar of exactly this value: the one that the rest was computed from.
    #[must_use]
    pub fn scalar<T: Pod + fmt::Display>(mut self, index: usize, name: &str, value: T) -> Self {
        self.scalars.push(ScalarRule {
            index,
            name: name.into(),
            shown: value.to_string(),
            bytes: bytemuck::bytes_of(&value).to_vec(),
        });
        self
    }

    /// The extent `name`, here `value`, must be at least `min` and a multiple of `multiple_of`.
    #[must_use]
    pub fn extent(mut self, name: &str, value: usize, min: usize, multiple_of: usize) -> Self {
        self.extents.push(ExtentRule {
            name: name.into(),
            value,
            min,
            multiple_of,
        });
        self
    }

    /// A launch under this contract, with its grid, block, cluster and shared memory; a grid or
    /// block that the contract leaves open is 1.
    #[must_use]
    pub fn launch(self) -> Launch {
        let one = Dim3::from(1);
        Launch {
            cluster: self.cluster.filter(|&cluster| cluster != one),
            dynamic_shared: self.dynamic_shared.unwrap_or(0),
            ..Launch::new(self.grid.unwrap_or(one), self.block.unwrap_or(one))
        }
        .under(self)
    }
}

impl<const BUFFERS: usize> From<&LaunchSpec<BUFFERS>> for Contract {
    /// The contract of a launch that a kernel's author states in plain numbers; scalars are yet to
    /// be added.
    fn from(spec: &LaunchSpec<BUFFERS>) -> Self {
        let shape = Self::new()
            .of(spec.kernel)
            .grid(spec.grid)
            .block(spec.block)
            .cluster(spec.cluster)
            .shared(spec.shared_bytes);
        spec.buffers.iter().fold(shape, |contract, buffer| {
            // More elements than an address can count are in no buffer: the launch will be refused.
            let elements = usize::try_from(buffer.elements).unwrap_or(usize::MAX);
            contract.buffer(
                (buffer.argument, buffer.name),
                elements,
                buffer.alignment,
                buffer.written,
                buffer.element_bytes,
            )
        })
    }
}
