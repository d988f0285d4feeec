//! Converts values to bytes and back. Each type has one description, which both writing and reading
//! follow.
//!
//! ```text
//!   record! { GradientKernel { kernel, base, tile, threads, shared_bytes } }      field after field
//!   variants! { AttentionType { F16, Bf16 } }                                     the number of the variant
//! ```
//!
//! Law: reading returns the value that was written, and consumes exactly the bytes of that value.
//! Reading bytes that were not written in this way returns an error, and never panics.

use crate::PackError;
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionConfiguration, AttentionLoads, AttentionParts,
    AttentionType, CacheElement, DecodeConfiguration, FusedBackwardConfiguration, GradientKernel,
    KernelSequences, SinkGradientConfiguration,
};
use kernel_abi::gemm::{
    AccumulatorType, Configuration, HopperConfiguration, InputType, Majors, OperationReads, Scaling,
};
use kernel_abi::weights::{Body, PackedLayout, WeightsConfiguration};

/// A slice of bytes that is read from the front.
#[derive(Clone, Copy)]
pub(crate) struct Input(pub &'static [u8]);

impl Input {
    /// Returns the next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'static [u8], PackError> {
        let (taken, rest) = (self.0).split_at_checked(count).ok_or(PackError::Short {
            needed: count,
            found: self.0.len(),
        })?;
        self.0 = rest;
        Ok(taken)
    }
}

/// A value that is written and read as bytes.
pub(crate) trait Record: Sized {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>);
    fn read(from: &mut Input) -> Result<Self, PackError>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Record for $number {
            #[cfg(any(feature = "write", test))]
            fn write(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
            fn read(from: &mut Input) -> Result<Self, PackError> {
                let mut bytes = [0; size_of::<Self>()];
                bytes.copy_from_slice(from.take(size_of::<Self>())?);
                Ok(Self::from_le_bytes(bytes))
            }
        }
    )*};
}
numbers!(u8, u32);

impl Record for bool {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        u8::from(*self).write(to);
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        number(u8::read(from)?, [false, true])
    }
}

/// Returns the element of `all` with this number.
fn number<T: Copy, const COUNT: usize>(number: u8, all: [T; COUNT]) -> Result<T, PackError> {
    let found = all.get(usize::from(number)).copied();
    found.ok_or(PackError::Number {
        number: number.into(),
        count: COUNT,
    })
}

impl Record for &'static str {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        (self.len() as u32).write(to);
        to.extend(self.as_bytes());
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        let length = u32::read(from)?;
        std::str::from_utf8(from.take(length as usize)?).map_err(|_| PackError::Text)
    }
}

impl<T: Record> Record for Option<T> {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        if let Some(of) = self {
            of.write(to);
        }
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        bool::read(from)?.then(|| T::read(from)).transpose()
    }
}

impl<T: Record> Record for [T; 2] {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|of| of.write(to));
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        Ok([T::read(from)?, T::read(from)?])
    }
}

impl<T: Record> Record for [T; 3] {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|of| of.write(to));
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        Ok([T::read(from)?, T::read(from)?, T::read(from)?])
    }
}

impl<T: Record> Record for Vec<T> {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        (self.len() as u32).write(to);
        self.iter().for_each(|of| of.write(to));
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        let count = u32::read(from)?;
        (0..count).map(|_| T::read(from)).collect()
    }
}

/// Writes nothing: a function cannot be stored as data, so no kernel in a pack has an epilogue
/// operation of its own.
impl Record for OperationReads {
    #[cfg(any(feature = "write", test))]
    fn write(&self, _: &mut Vec<u8>) {}
    fn read(_: &mut Input) -> Result<Self, PackError> {
        Err(PackError::Operation)
    }
}

/// Writes the layout itself, to which rows hold a reference. A layout that is read lives as long as
/// the program, as the pack's bytes do.
impl Record for &'static PackedLayout {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        (**self).write(to);
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        Ok(Box::leak(Box::new(PackedLayout::read(from)?)))
    }
}

/// Writes the number of the variant, then its fields.
impl Record for Body {
    #[cfg(any(feature = "write", test))]
    fn write(&self, to: &mut Vec<u8>) {
        match *self {
            Self::FewRows {
                k_warps,
                buffers,
                most_slices,
            } => {
                false.write(to);
                [k_warps, buffers, most_slices].write(to);
            }
            Self::ManyRows { shared_bytes, ctas } => {
                true.write(to);
                [shared_bytes, ctas].write(to);
            }
        }
    }
    fn read(from: &mut Input) -> Result<Self, PackError> {
        Ok(match bool::read(from)? {
            false => {
                let [k_warps, buffers, most_slices] = Record::read(from)?;
                Self::FewRows {
                    k_warps,
                    buffers,
                    most_slices,
                }
            }
            true => {
                let [shared_bytes, ctas] = Record::read(from)?;
                Self::ManyRows { shared_bytes, ctas }
            }
        })
    }
}

/// Implements `Record` for structs, field after field. A struct with a field that the macro call
/// omits does not compile.
macro_rules! record {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Record for $name {
            #[cfg(any(feature = "write", test))]
            fn write(&self, to: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.write(to);)*
            }
            fn read(from: &mut Input) -> Result<Self, PackError> {
                Ok(Self { $($field: Record::read(from)?),* })
            }
        }
    )*};
}
pub(crate) use record;

/// Implements `Record` for enums by their variants' numbers. An enum with a variant that the macro
/// call omits does not compile.
macro_rules! variants {
    ($($name:ident { $($variant:ident),* $(,)? })*) => {$(
        impl Record for $name {
            #[cfg(any(feature = "write", test))]
            fn write(&self, to: &mut Vec<u8>) {
                match self { $(Self::$variant => {})* }
                let all = [$(Self::$variant),*];
                let number = all.iter().position(|of| of == self).unwrap_or(all.len());
                (number as u8).write(to);
            }
            fn read(from: &mut Input) -> Result<Self, PackError> {
                number(u8::read(from)?, [$(Self::$variant),*])
            }
        }
    )*};
}

variants! {
    InputType { F16, Bf16, Tf32, S8, E4m3, E5m2 }
    AccumulatorType { F32, F16, S32 }
    Majors { Tn, Nn, Tt, Nt }
    Scaling { Tensor, Blocks }
    AttentionType { F16, Bf16 }
    AttentionLoads { CpAsync, Tma, TmaUmma }
    CacheElement { OfQueries, E4m3 }
    KernelSequences { Uniform, Packed, Either, Paged }
}

record! {
    Configuration {
        name, kernel, input, accumulator, majors, tile, warps, stages, threads, shared_bytes, load_bytes,
        partial_bytes, persistent, arch, hopper, reads,
    }
    HopperConfiguration {
        cluster, any_cluster, pingpong, swapped, columns, cluster_split, stream_k, chunk, scaling, grouped, box_a,
        box_b,
    }
    AttentionParts { sequences, soft_cap, alibi, sinks }
    AttentionConfiguration {
        kernel, base, parts, element, dim, dim_v, tile, stages, loads, threads, ctas, shared_bytes,
        speed,
    }
    DecodeConfiguration { attention, combine, cache }
    GradientKernel { kernel, base, tile, threads, shared_bytes }
    AttentionBackwardConfiguration { parts, element, dim, loads, ctas, rows, keys, queries }
    FusedBackwardConfiguration { element, dim, rows, gradients, dq }
    SinkGradientConfiguration { kernel, shared_bytes }
    PackedLayout { format, bits, scales, zeros, record_bytes, group, order }
    WeightsConfiguration { kernel, packed, input, tokens, rows, threads, body }
}
