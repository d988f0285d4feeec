//! A kernel's requirements on its caller, as data that a launch checks.
//!
//! A kernel's PTX states how many parameters it has and how large they are. It does not state that
//! parameter 1 points at `m * k` elements on a 16-byte boundary. The kernel's author knows such
//! requirements, and writes them down in a [`Contract`]:
//!
//! ```text
//!   vecadd(a, b, c, n)      0 reads   a  n elements, 4-byte aligned
//!                           1 reads   b  n elements
//!                           2 writes  c  n elements
//!                           3 equals  n  the n from which the above was computed
//! ```
//!
//! Law: if a contract describes its kernel correctly and a launch passes the check, then every
//! access of the kernel is within the launch's buffers.

use crate::{Dim3, Launch};
use bytemuck::Pod;
use kernel_abi::{ArgumentName, KernelArguments, LaunchSpec};
use std::fmt;

/// How a kernel uses one of its buffers, and how large the buffer must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferRule {
    /// The index of the argument, counted from 0.
    pub index: usize,
    /// The argument's name, for messages.
    pub name: String,
    /// The number of elements that the kernel may access, counted from the start of the argument.
    pub min_elements: usize,
    /// The alignment of the argument's address, in bytes: a power of two. A buffer without elements
    /// has no address that a kernel could access, so its alignment is not checked.
    pub align: usize,
    /// Whether the kernel writes to the buffer, which must then be passed as `&mut`.
    pub writable: bool,
    /// The size of an element in bytes, if the contract states it. A buffer with elements of
    /// another size is refused. A buffer of bytes must have as many bytes as the elements take.
    pub element_bytes: Option<usize>,
}

/// The value that an argument must have, because the rest of the contract was computed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarRule {
    /// The index of the argument, counted from 0.
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
    /// The extent's value.
    pub value: usize,
    /// The least value allowed.
    pub min: usize,
    /// The number of which the value must be a multiple, or 1 if there is no such condition.
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

/// The requirements of a kernel on its caller. Every field is optional, and a field that is not set
/// is not checked.
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
    /// The kernel to which the contract belongs, if the contract states one.
    pub kernel: Option<String>,
    /// The grid, if the kernel is correct with only one.
    pub grid: Option<Dim3>,
    /// The block, if the kernel is correct with only one.
    pub block: Option<Dim3>,
    /// The cluster, if the kernel is correct with only one.
    pub cluster: Option<Dim3>,
    /// The smallest dynamic shared memory, in bytes.
    pub dynamic_shared: Option<usize>,
    /// The requirements on buffers.
    pub buffers: Vec<BufferRule>,
    /// The scalars from which the rest of the contract was computed.
    pub scalars: Vec<ScalarRule>,
    /// Conditions on extents.
    pub extents: Vec<ExtentRule>,
}

impl Contract {
    /// Returns a contract without requirements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds the contract to the kernel with this name.
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

    /// Requires clusters of this size.
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.cluster = Some(cluster.into());
        self
    }

    /// Requires at least `bytes` of dynamic shared memory.
    #[must_use]
    pub fn shared(mut self, bytes: usize) -> Self {
        self.dynamic_shared = Some(bytes);
        self
    }

    /// Declares argument `index` as a buffer that is aligned to `align` bytes. The kernel reads
    /// `min_elements` of its elements, which may have any type: [`reads_of`](Self::reads_of) states
    /// the type.
    #[must_use]
    pub fn reads(self, index: usize, name: &str, min_elements: usize, align: usize) -> Self {
        self.buffer((index, name), min_elements, align, false, None)
    }

    /// Declares argument `index` as a buffer that is aligned to `align` bytes. The kernel writes
    /// `min_elements` of its elements, which may have any type: [`writes_of`](Self::writes_of)
    /// states the type.
    #[must_use]
    pub fn writes(self, index: usize, name: &str, min_elements: usize, align: usize) -> Self {
        self.buffer((index, name), min_elements, align, true, None)
    }

    /// Declares a buffer that the kernel reads, as [`reads`](Self::reads) does, with elements of
    /// the size of `T`. `T` is the type to which the kernel's pointer points, or an integer type of
    /// the same size. A buffer with elements of another size is refused, and so is a buffer of
    /// bytes that is too short for these elements.
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

    /// Declares a buffer that the kernel writes, as [`writes`](Self::writes) does, with elements of
    /// the size of `T`, as in [`reads_of`](Self::reads_of).
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

    /// Requires argument `index` to be a scalar with exactly this value, from which the rest of the
    /// contract was computed.
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

    /// Requires the argument `name` of a kernel's list to be a scalar with exactly this value. If
    /// the list has no such argument, every launch is refused.
    ///
    /// ```
    /// use host::Contract;
    /// use kernel_abi::gemm::{GemmArgument, Packing};
    /// let contract = Contract::new().argument(Packing::arguments(2), GemmArgument::Rows, 7_u32);
    /// assert_eq!(contract.scalars[0].index, 2);
    /// ```
    #[must_use]
    pub fn argument<N: ArgumentName, T: Pod + fmt::Display>(
        self,
        list: KernelArguments<N>,
        name: N,
        value: T,
    ) -> Self {
        let place = list.place(name).unwrap_or(usize::MAX);
        self.scalar(place, name.said(), value)
    }

    /// Requires the extent `name`, here `value`, to be at least `min` and a multiple of
    /// `multiple_of`.
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

    /// Makes a launch under this contract, with its grid, block, cluster and shared memory. A grid
    /// or block that the contract does not set is 1.
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
    /// Makes the contract of a launch that a kernel's author describes in plain numbers. The caller
    /// still adds the scalars.
    fn from(spec: &LaunchSpec<BUFFERS>) -> Self {
        let shape = Self::new()
            .of(spec.kernel)
            .grid(spec.grid)
            .block(spec.block)
            .cluster(spec.cluster)
            .shared(spec.shared_bytes);
        spec.buffers.iter().fold(shape, |contract, buffer| {
            // A number of elements beyond `usize` becomes `usize::MAX`. No buffer has that many
            // elements, so the launch will be refused.
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
