//! Tensor maps: the description of a tensor for the tensor memory accelerator, as a kernel's
//! argument.
//!
//! ```text
//!   Buffer + TensorMapSpec ──checks──► cuTensorMapEncodeTiled (GPU), emulator::TensorMap ──► 128 bytes, by value:
//!   fn kernel(#[grid_constant] a: &TensorMap, ..)      kernel.launch(&launch, (&map, ..))
//! ```
//!
//! Law: GPUs and the emulator refuse the same specifications with the same messages. A map gives
//! access only to bytes of its buffer, for any coordinates that a kernel uses.
//!
//! Source: CUDA driver API, *Tensor Map Object Management*.

mod error;
mod spec;

pub use error::TensorMapError;
pub use spec::{TensorMapSpec, TmaElement};

use crate::args::sealed::Sealed;
use crate::args::{Argument, ArgumentKind, KernelArg, Pointer};
use crate::buffer::{Buffer, View, ViewMut};
use crate::device::{Backend, Device};
use crate::error::Error;
use bytemuck::Pod;
use std::fmt;
use std::marker::PhantomData;

/// A tensor map of a buffer, which the map borrows. It is an argument for a parameter
/// `#[grid_constant] map: &TensorMap`.
///
/// ```
/// use host::{Device, TensorMapSpec};
/// use layout_types::{atom::gmma::*, prelude::*};
/// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
/// let device = Device::emulator();
/// let (m, k) = (300, 136);
/// let a = device.upload(&vec![half::f16::ONE; m * k])?;
/// let spec = TensorMapSpec::tile::<SmemA, half::f16>(&[m as u64, k as u64], &[k as u64, 1])?;
/// let map = a.tensor_map(&spec)?;
/// assert_eq!(map.to_string(), "tensor map of f16 (136, 300), box (64, 128), 128-byte swizzle");
/// # Ok::<(), host::Error>(())
/// ```
#[derive(Clone)]
pub struct TensorMap<'a> {
    bytes: [u8; 128],
    spec: TensorMapSpec,
    pointer: Pointer,
    _buffer: PhantomData<&'a ()>,
}

impl<'a> TensorMap<'a> {
    /// Makes the map of the tensor that begins at `pointer`, in a buffer with elements of `size`
    /// bytes.
    pub(crate) fn of_pointer(
        device: &Device,
        spec: &TensorMapSpec,
        pointer: Pointer,
        size: usize,
    ) -> Result<Self, Error> {
        Self::check(device, spec, &pointer, size)?;
        let bytes = match device.backend() {
            Backend::Gpu(gpu) => gpu.encode_tensor_map(spec, pointer.address)?,
            Backend::Emulator(_) => spec.emulated(pointer.address).encode()?,
        };
        Ok(Self {
            bytes,
            spec: spec.clone(),
            pointer,
            _buffer: PhantomData,
        })
    }

    fn check(
        device: &Device,
        spec: &TensorMapSpec,
        pointer: &Pointer,
        size: usize,
    ) -> Result<(), TensorMapError> {
        use TensorMapError as E;
        let compute_capability = device.compute_capability();
        if compute_capability < (9, 0) {
            return Err(E::ComputeCapability {
                device: device.name().into(),
                compute_capability,
            });
        }
        spec.check()?;
        let element = spec.element.bytes();
        // A buffer of bytes may hold elements of any type.
        if size != 1 && element != size {
            return Err(E::ElementSize {
                element,
                buffer: size,
            });
        }
        let address = pointer.address;
        if !address.is_multiple_of(16) {
            return Err(E::Address { address });
        }
        spec.check_reach(pointer.elements * size, pointer.writable)
    }

    /// Returns the 128 bytes of the map. On the emulator the bytes have the emulator's own format.
    /// The format of a driver's bytes is not documented.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 128] {
        &self.bytes
    }

    /// Returns the specification from which the map was made.
    #[must_use]
    pub fn spec(&self) -> &TensorMapSpec {
        &self.spec
    }

    pub(crate) fn pointer(&self) -> &Pointer {
        &self.pointer
    }
}

impl fmt::Display for TensorMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list(numbers: &[impl ToString]) -> String {
            let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        }
        let spec = &self.spec;
        let element = format!("{:?}", spec.element).to_lowercase();
        write!(
            f,
            "tensor map of {element} {}, box {}, ",
            list(&spec.extents),
            list(&spec.box_extents)
        )?;
        match spec.swizzle {
            emulator::TensorSwizzle::None => f.write_str("no swizzle"),
            swizzle => write!(f, "{}-byte swizzle", 16 << swizzle as usize),
        }
    }
}

impl fmt::Debug for TensorMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorMap")
            .field("spec", &self.spec)
            .field("address", &format_args!("{:#x}", self.pointer.address))
            .finish_non_exhaustive()
    }
}

impl<T: Pod> Buffer<T> {
    /// Makes a tensor map through which a kernel reads the buffer. The tensor begins at the
    /// buffer's first element.
    ///
    /// # Errors
    /// Returns [`Error::TensorMap`] for a specification that no map can have, and for a tensor that
    /// reaches beyond the buffer. It also returns this error if the elements' size differs from
    /// that of the buffer's elements, unless the buffer's elements are bytes. Also returns the
    /// driver's errors.
    pub fn tensor_map(&self, spec: &TensorMapSpec) -> Result<TensorMap<'_>, Error> {
        self.all().tensor_map(spec)
    }

    /// Makes a tensor map through which a kernel reads and writes the buffer.
    ///
    /// # Errors
    /// Returns the errors of [`tensor_map`](Self::tensor_map). A store writes the last 16 bytes of
    /// a row as a whole, so these bytes must be in the buffer.
    pub fn tensor_map_mut(&mut self, spec: &TensorMapSpec) -> Result<TensorMap<'_>, Error> {
        self.all_mut().into_tensor_map(spec)
    }
}

impl<'a, T: Pod> View<'a, T> {
    /// Makes a tensor map through which a kernel reads the view. The tensor begins at the view's
    /// first element.
    ///
    /// # Errors
    /// Returns the errors of [`Buffer::tensor_map`].
    pub fn tensor_map(&self, spec: &TensorMapSpec) -> Result<TensorMap<'a>, Error> {
        TensorMap::of_pointer(self.device(), spec, self.pointer(), size_of::<T>())
    }
}

impl<'a, T: Pod> ViewMut<'a, T> {
    /// Makes a tensor map through which a kernel reads and writes the view.
    ///
    /// # Errors
    /// Returns the errors of [`Buffer::tensor_map_mut`].
    pub fn into_tensor_map(self, spec: &TensorMapSpec) -> Result<TensorMap<'a>, Error> {
        TensorMap::of_pointer(self.device(), spec, self.pointer(), size_of::<T>())
    }
}

impl Sealed for &TensorMap<'_> {}
impl KernelArg for &TensorMap<'_> {
    fn lower(&self) -> Argument {
        Argument {
            type_name: "TensorMap",
            kind: ArgumentKind::TensorMap(self.pointer().clone()),
            bytes: self.bytes().to_vec(),
        }
    }
}
