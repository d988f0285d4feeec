//! A kernel's arguments: from a tuple of Rust values to the bytes that the kernel sees.
//!
//! ```text
//!   (&a,        &mut c,       n)            Rust
//!   pointer     pointer       scalar        kind, checked against the PTX signature
//!   8 bytes     8 bytes       4 bytes       size, checked likewise
//! ```

use crate::device::DeviceId;
use bytemuck::Pod;
use emulator::counted;
use half::{bf16, f16};
use std::any::type_name;

pub(crate) mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// The address that a buffer argument has, and the elements at this address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub(crate) device: DeviceId,
    pub(crate) address: u64,
    pub(crate) elements: usize,
    /// The size of an element in bytes.
    pub(crate) element_bytes: usize,
    pub(crate) writable: bool,
}

impl Pointer {
    /// Returns the rest of the buffer from `offset` bytes on, as elements of `element_bytes` bytes.
    pub(crate) fn part(&self, offset: u64, element_bytes: usize, writable: bool) -> Self {
        let bytes = self.elements * self.element_bytes;
        Self {
            address: self.address + offset,
            elements: bytes.saturating_sub(offset as usize) / element_bytes,
            element_bytes,
            writable,
            ..self.clone()
        }
    }
}

/// The kind of an argument. The kinds are those that a signature distinguishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A buffer's address.
    Pointer(Pointer),
    /// A tensor map of a buffer.
    TensorMap(Pointer),
    /// An integer.
    Integer,
    /// A floating-point number.
    Float,
    /// A value of any other type, passed as its bytes.
    Bytes,
}

/// An argument in the form that a launch needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The Rust type, for messages.
    pub(crate) type_name: &'static str,
    pub(crate) kind: ArgumentKind,
    /// The bytes that the kernel sees, little-endian as on the device.
    pub(crate) bytes: Vec<u8>,
}

impl Argument {
    /// Returns the bytes of a buffer from `offset` on, as an argument. An argument that is not a
    /// buffer is returned without change.
    pub(crate) fn bytes_from(&self, offset: u64, writable: bool) -> Self {
        let ArgumentKind::Pointer(pointer) = &self.kind else {
            return self.clone();
        };
        let pointer = pointer.part(offset, 1, writable);
        Self {
            bytes: pointer.address.to_le_bytes().to_vec(),
            kind: ArgumentKind::Pointer(pointer),
            ..self.clone()
        }
    }

    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            ArgumentKind::Pointer(pointer) => format!(
                "a {}buffer of {} ({})",
                if pointer.writable { "" } else { "read-only " },
                counted(pointer.elements, "element"),
                self.type_name
            ),
            ArgumentKind::TensorMap(pointer) => format!(
                "a tensor map of a {}buffer of {}",
                if pointer.writable { "" } else { "read-only " },
                counted(pointer.elements, "element"),
            ),
            ArgumentKind::Integer | ArgumentKind::Float | ArgumentKind::Bytes => {
                format!(
                    "a {} of {}",
                    self.type_name,
                    counted(self.bytes.len(), "byte")
                )
            }
        }
    }
}

/// A value that can be an argument of a kernel: `&Buffer`, `&mut Buffer`, a view of a buffer, a
/// [`TensorMap`](crate::TensorMap), an integer, a floating-point number, or [`ByValue`].
pub trait KernelArg: Sealed {
    /// Returns the argument in the form that the launch needs.
    fn lower(&self) -> Argument;
}

/// A tuple of up to 16 [`KernelArg`]s, or a reference to one.
pub trait KernelArgs {
    /// Returns the arguments in order.
    fn lower(&self) -> Vec<Argument>;
}

/// A plain value, such as a struct or an array, whose bytes are passed to a kernel.
///
/// The kernel's parameter must have the same size. The Rust type must be laid out as the kernel
/// expects it, so make it `repr(C)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByValue<T: Pod>(pub T);

impl<T: Pod> Sealed for ByValue<T> {}
impl<T: Pod> KernelArg for ByValue<T> {
    fn lower(&self) -> Argument {
        Argument {
            type_name: type_name::<T>(),
            kind: ArgumentKind::Bytes,
            bytes: bytemuck::bytes_of(&self.0).to_vec(),
        }
    }
}

macro_rules! scalar {
    ($kind:ident: $($ty:ty),*) => {$(
        impl Sealed for $ty {}
        impl KernelArg for $ty {
            fn lower(&self) -> Argument {
                Argument {
                    type_name: type_name::<$ty>(),
                    kind: ArgumentKind::$kind,
                    bytes: bytemuck::bytes_of(self).to_vec(),
                }
            }
        }
    )*};
}

scalar!(Integer: u8, i8, u16, i16, u32, i32, u64, i64);
scalar!(Float: f16, bf16, f32, f64);

/// Returns the argument for a pointer to elements of type `T`.
pub(crate) fn pointer<T>(pointer: Pointer) -> Argument {
    Argument {
        type_name: type_name::<T>(),
        bytes: pointer.address.to_le_bytes().to_vec(),
        kind: ArgumentKind::Pointer(pointer),
    }
}

/// Borrowed arguments, for a launch that is repeated with the same arguments.
impl<A: KernelArgs> KernelArgs for &A {
    fn lower(&self) -> Vec<Argument> {
        A::lower(self)
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: KernelArg),*> KernelArgs for ($($name,)*) {
            #[allow(non_snake_case, reason = "the type parameters name the bindings too")]
            fn lower(&self) -> Vec<Argument> {
                let ($($name,)*) = self;
                vec![$($name.lower()),*]
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
tuples!(A B C D E F G H I J K L M);
tuples!(A B C D E F G H I J K L M N);
tuples!(A B C D E F G H I J K L M N O);
tuples!(A B C D E F G H I J K L M N O P);
