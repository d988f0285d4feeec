//! Memory of a device. One type allocates, fills and reads it on GPUs and on the emulator.
//!
//! ```text
//!   upload(&[T]) ──► Buffer<T> ──► to_vec() -> Vec<T>        the same bytes come back
//!                      │ view(2..6)
//!                      └──► View<'_, T>, an argument like any buffer, with its own alignment
//! ```
//!
//! A buffer without elements is allowed: it owns no memory and its address is null.
//! [`Buffer::from_raw`] makes a buffer of memory that another library allocated. Dropping such a
//! buffer frees nothing.

use crate::args::sealed::Sealed;
use crate::args::{Argument, KernelArg, Pointer, pointer};
use crate::device::{Device, DeviceId};
use crate::error::Error;
use bytemuck::Pod;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// `len` elements of `T` in a device's memory, freed when dropped.
///
/// `T` is [`Pod`], so any bytes that a kernel writes are a valid value.
///
/// ```
/// use host::Device;
/// let device = Device::emulator();
/// let mut buffer = device.upload(&[1_u32, 2, 3])?;
/// assert_eq!(buffer.to_vec()?, [1, 2, 3]);
/// buffer.copy_from(&[4, 5, 6])?;
/// assert_eq!(buffer.to_vec()?, [4, 5, 6]);
/// buffer.fill_bytes(0xff)?;
/// assert_eq!(buffer.to_vec()?, [u32::MAX; 3]);
/// # Ok::<(), host::Error>(())
/// ```
pub struct Buffer<T: Pod> {
    device: Device,
    address: u64,
    len: usize,
    /// Whether the memory is freed with the buffer.
    owned: bool,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Makes a buffer of `len` elements at a device address that another library allocated, such as
    /// a tensor of PyTorch. It is like any other buffer, but dropping it frees nothing.
    ///
    /// # Errors
    /// Returns [`Error::RawAddress`] if the address is not a multiple of `T`'s size, or is null
    /// while `len` is not 0.
    ///
    /// # Safety
    /// The `len` elements from `address` on are memory of `device`, allocated in its primary
    /// context (the runtime API's context, which PyTorch and cudarc use) for as long as the buffer
    /// lives. No other work on any stream accesses these elements while a launch or a copy that
    /// takes the buffer runs. On the emulator every address is safe: an address outside its memory
    /// is an error.
    ///
    /// ```
    /// use host::{Buffer, Device};
    /// let device = Device::emulator();
    /// let theirs = device.upload(&[1_u32, 2, 3])?;
    /// // SAFETY: `theirs` lives longer, and nothing else uses it meanwhile.
    /// let ours = unsafe { Buffer::<u32>::from_raw(&device, theirs.address(), 3)? };
    /// assert_eq!(ours.to_vec()?, [1, 2, 3]);
    /// drop(ours);
    /// assert_eq!(theirs.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), host::Error>(())
    /// ```
    pub unsafe fn from_raw(device: &Device, address: u64, len: usize) -> Result<Self, Error> {
        let element_size = size_of::<T>();
        let aligned = address.is_multiple_of(element_size.max(1) as u64);
        if !aligned || (address == 0 && len * element_size != 0) {
            return Err(Error::RawAddress {
                address,
                elements: len,
                element_size,
            });
        }
        Ok(Self {
            device: device.clone(),
            address,
            len,
            owned: false,
            element: PhantomData,
        })
    }

    /// Allocates memory with unspecified contents.
    pub(crate) fn new(device: &Device, len: usize) -> Result<Self, Error> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Error::TooLarge {
            elements: len,
            element_size: size_of::<T>(),
        })?;
        let address = if bytes == 0 {
            0
        } else {
            device.allocate(bytes)?
        };
        Ok(Self {
            device: device.clone(),
            address,
            len,
            owned: true,
            element: PhantomData,
        })
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// Returns the address on the device. The address is null exactly if [`size`](Self::size) is 0.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the largest power of two that divides the address, or `u64::MAX` for the null
    /// address, which every power of two divides.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        alignment(self.address)
    }

    /// Returns the device that owns the memory.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn device_id(&self) -> DeviceId {
        self.device.id()
    }

    /// Copies all elements back to the host.
    ///
    /// # Errors
    /// Returns the errors of the driver or the emulator. The emulator also refuses to read bytes
    /// that were never written.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let mut host = vec![T::zeroed(); self.len];
        self.read(0, &mut host)?;
        Ok(host)
    }

    /// Copies all elements to `host`.
    ///
    /// # Errors
    /// Returns [`Error::Length`] unless the lengths are equal, and the errors of
    /// [`to_vec`](Self::to_vec).
    pub fn copy_to(&self, host: &mut [T]) -> Result<(), Error> {
        self.check_length(host.len())?;
        self.read(0, host)
    }

    /// Overwrites all elements with `host`.
    ///
    /// # Errors
    /// Returns [`Error::Length`] unless the lengths are equal, and the driver's errors.
    pub fn copy_from(&mut self, host: &[T]) -> Result<(), Error> {
        self.check_length(host.len())?;
        if self.size() == 0 {
            return Ok(());
        }
        self.device.write(self.address, bytemuck::cast_slice(host))
    }

    /// Sets every byte to `byte`: to zero, or to a poison value that shows what a kernel did not
    /// write.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn fill_bytes(&mut self, byte: u8) -> Result<(), Error> {
        if self.size() == 0 {
            return Ok(());
        }
        self.device.fill(self.address, self.size(), byte)
    }

    /// Declares that the buffer holds a tensor with these extents, and these strides in elements.
    /// The emulator then names elements by their coordinates in its findings. On a GPU nothing
    /// changes.
    ///
    /// ```
    /// use host::Device;
    /// let device = Device::emulator();
    /// let d = device.upload(&[0.0_f32; 100 * 200])?;
    /// d.describe([100, 200], [200, 1]); // "element (4,1) of a (100,200) tensor", for instance
    /// # Ok::<(), host::Error>(())
    /// ```
    pub fn describe<const R: usize>(&self, extents: [u64; R], strides: [u64; R]) {
        let tensor = emulator::TensorShape {
            extents: extents.into(),
            strides: strides.into(),
            element_bytes: size_of::<T>(),
        };
        self.device.describe(self.address, tensor);
    }

    /// Returns all elements as an argument that a kernel reads.
    #[must_use]
    pub fn all(&self) -> View<'_, T> {
        View {
            address: self.address,
            len: self.len,
            buffer: self,
        }
    }

    /// Returns all elements as an argument that a kernel writes.
    #[must_use]
    pub fn all_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut {
            address: self.address,
            len: self.len,
            buffer: self,
        }
    }

    /// Returns the elements of `range` as an argument that a kernel reads.
    ///
    /// # Errors
    /// Returns [`Error::Range`] unless `range` is within the buffer.
    pub fn view(&self, range: Range<usize>) -> Result<View<'_, T>, Error> {
        Ok(View {
            address: self.offset(&range)?,
            len: range.len(),
            buffer: self,
        })
    }

    /// Returns the elements of `range` as an argument that a kernel writes.
    ///
    /// # Errors
    /// Returns [`Error::Range`] unless `range` is within the buffer.
    pub fn view_mut(&mut self, range: Range<usize>) -> Result<ViewMut<'_, T>, Error> {
        Ok(ViewMut {
            address: self.offset(&range)?,
            len: range.len(),
            buffer: self,
        })
    }

    fn offset(&self, range: &Range<usize>) -> Result<u64, Error> {
        if range.start > range.end || range.end > self.len {
            return Err(Error::Range {
                start: range.start,
                end: range.end,
                len: self.len,
            });
        }
        Ok(self.address + (range.start * size_of::<T>()) as u64)
    }

    fn check_length(&self, host: usize) -> Result<(), Error> {
        if host == self.len {
            Ok(())
        } else {
            Err(Error::Length {
                host,
                device: self.len,
            })
        }
    }

    fn read(&self, first: usize, host: &mut [T]) -> Result<(), Error> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(host);
        if bytes.is_empty() {
            return Ok(());
        }
        let address = self.address + (first * size_of::<T>()) as u64;
        self.device.read(address, bytes)
    }
}

impl<T: Pod> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.owned && self.address != 0 {
            // An error here means that the device, and so its memory, is already lost.
            let _ = self.device.deallocate(self.address);
        }
    }
}

impl<T: Pod> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("element", &std::any::type_name::<T>())
            .field("len", &self.len)
            .field("address", &format_args!("{:#x}", self.address))
            .field("device", &self.device.name())
            .finish()
    }
}

fn alignment(address: u64) -> u64 {
    if address == 0 {
        u64::MAX
    } else {
        1 << address.trailing_zeros()
    }
}

/// A range of a [`Buffer`] that is read.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T: Pod> {
    buffer: &'a Buffer<T>,
    address: u64,
    len: usize,
}

/// A range of a [`Buffer`] that is written.
#[derive(Debug)]
pub struct ViewMut<'a, T: Pod> {
    buffer: &'a mut Buffer<T>,
    address: u64,
    len: usize,
}

impl<T: Pod> ViewMut<'_, T> {
    /// Reborrows the view for a shorter lifetime.
    #[must_use]
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut {
            address: self.address,
            len: self.len,
            buffer: self.buffer,
        }
    }
}

macro_rules! view {
    ($name:ident, writable: $writable:literal) => {
        impl<T: Pod> $name<'_, T> {
            /// Returns the number of elements.
            #[must_use]
            pub fn len(&self) -> usize {
                self.len
            }

            /// Whether the view has no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len == 0
            }

            /// Returns the address of the view's first element on the device.
            #[must_use]
            pub fn address(&self) -> u64 {
                self.address
            }

            /// Returns the largest power of two that divides the address.
            #[must_use]
            pub fn alignment(&self) -> u64 {
                alignment(self.address)
            }

            pub(crate) fn device(&self) -> &Device {
                self.buffer.device()
            }

            /// Returns the address as a kernel argument.
            pub(crate) fn pointer(&self) -> Pointer {
                Pointer {
                    device: self.buffer.device_id(),
                    address: self.address,
                    elements: self.len,
                    element_bytes: size_of::<T>(),
                    writable: $writable,
                }
            }
        }
    };
}

view!(View, writable: false);
view!(ViewMut, writable: true);

impl<T: Pod> Sealed for &Buffer<T> {}
impl<T: Pod> KernelArg for &Buffer<T> {
    fn lower(&self) -> Argument {
        self.all().lower()
    }
}

impl<T: Pod> Sealed for &mut Buffer<T> {}
impl<T: Pod> KernelArg for &mut Buffer<T> {
    fn lower(&self) -> Argument {
        pointer::<T>(Pointer {
            writable: true,
            ..self.all().pointer()
        })
    }
}

impl<T: Pod> Sealed for View<'_, T> {}
impl<T: Pod> KernelArg for View<'_, T> {
    fn lower(&self) -> Argument {
        pointer::<T>(self.pointer())
    }
}

impl<T: Pod> Sealed for ViewMut<'_, T> {}
impl<T: Pod> KernelArg for ViewMut<'_, T> {
    fn lower(&self) -> Argument {
        pointer::<T>(self.pointer())
    }
}
