//! The element types that collectives move and add.
//!
//! Law: on emulated devices a sum of f16 or bf16 is added in f32 in the order of ranks and rounded
//! once. NCCL may round at each addition, in its own order.

use bytemuck::Pod;
use half::{bf16, f16};
use std::fmt;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Bytes.
    U8,
    /// Signed 32-bit integers.
    I32,
    /// Unsigned 32-bit integers.
    U32,
    /// `half::f16`.
    F16,
    /// `half::bf16`.
    Bf16,
    /// 32-bit floating point.
    F32,
}

impl ElementType {
    /// Returns the size of an element in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
        }
    }

    /// Returns the type's `ncclDataType_t`.
    pub(super) fn nccl(self) -> i32 {
        match self {
            Self::U8 => 1,
            Self::I32 => 2,
            Self::U32 => 3,
            Self::F16 => 6,
            Self::F32 => 7,
            Self::Bf16 => 9,
        }
    }

    /// Returns the element-wise sum of buffers with equal lengths, added in their order.
    pub(super) fn sum(self, buffers: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::U8 => added(buffers, 0u8, u8::wrapping_add, |sum| sum),
            Self::I32 => added(buffers, 0i32, i32::wrapping_add, |sum| sum),
            Self::U32 => added(buffers, 0u32, u32::wrapping_add, |sum| sum),
            Self::F32 => added(buffers, 0f32, |sum, x: f32| sum + x, |sum| sum),
            Self::F16 => added(buffers, 0f32, |sum, x: f16| sum + x.to_f32(), f16::from_f32),
            Self::Bf16 => added(
                buffers,
                0f32,
                |sum, x: bf16| sum + x.to_f32(),
                bf16::from_f32,
            ),
        }
    }
}

/// Returns the sum of each element over the buffers.
fn added<T: Pod, A: Copy>(
    buffers: &[&[u8]],
    zero: A,
    add: impl Fn(A, T) -> A,
    rounded: impl Fn(A) -> T,
) -> Vec<u8> {
    let bytes = buffers.first().map_or(0, |buffer| buffer.len());
    let mut out = Vec::with_capacity(bytes);
    for at in (0..bytes).step_by(size_of::<T>()) {
        let sum = buffers.iter().fold(zero, |sum, buffer| {
            add(
                sum,
                bytemuck::pod_read_unaligned(&buffer[at..at + size_of::<T>()]),
            )
        });
        out.extend_from_slice(bytemuck::bytes_of(&rounded(sum)));
    }
    out
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U8 => "u8",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
        })
    }
}

/// Element types that collectives move and add.
pub trait CollectiveElement: Pod {
    /// The element type.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($ty:ty => $name:ident,)*) => {$(
        impl CollectiveElement for $ty {
            const TYPE: ElementType = ElementType::$name;
        }
    )*};
}
elements! {
    u8 => U8,
    i32 => I32,
    u32 => U32,
    f16 => F16,
    bf16 => Bf16,
    f32 => F32,
}
