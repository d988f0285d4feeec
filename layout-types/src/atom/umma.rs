//! What `tcgen05.mma` is told: the descriptor of its operands in shared memory, and that of the
//! instruction.
//!
//! ```text
//!   GmmaDescriptor, from the tile's type ──► UmmaDescriptor    version 1, the swizzle renumbered
//!   InstrDescriptor, bf16, 128 x 256         0x08400490        types, majors, M / 16, N / 8
//! ```
//!
//! Law: canonical layouts are Hopper's to the letter, so an operand's start, offsets and base come
//! from the same proof; the instruction's descriptor has an M and an N that the kind has, or it
//! does not compile.
//!
//! Source: PTX ISA, *tcgen05: Shared memory descriptor*, *Instruction descriptor*; CuTe
//! `cute/arch/mma_sm100_desc.hpp` (`SmemDescriptor`, `InstrDescriptor`).

use super::mma::{MajorK, MajorMn};
use super::smem_operand::GmmaDescriptor;
use half::{bf16, f16};

/// CuTe's `UMMA::SmemDescriptor`: the 64 bits by which `tcgen05.mma` reads an operand.
///
/// ```
/// use layout_types::atom::{gmma::LayoutKSw128Atom, mma::MajorK, smem_operand::Operand};
/// use layout_types::atom::umma::UmmaDescriptor;
/// use layout_types::prelude::*;
/// type A = Operand<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>, half::f16, MajorK, typenum::U128>;
/// let of_tile = UmmaDescriptor::from(A::descriptor(1024, (0, 0), 0));
/// // The value of CUTLASS for a K-major tile of 128-byte lines at 1024.
/// assert_eq!(of_tile.bits(), 0x4000_4040_0001_0040);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UmmaDescriptor(u64);

impl UmmaDescriptor {
    /// The bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl<T, Tnsp, Rows> From<GmmaDescriptor<T, Tnsp, Rows>> for UmmaDescriptor {
    #[inline(always)]
    fn from(of: GmmaDescriptor<T, Tnsp, Rows>) -> Self {
        let hopper = of.bits();
        // Hopper counts none, 128, 64, 32 bytes; Blackwell has them at 0, 2, 4, 6.
        let swizzle = (hopper >> 62) << 1;
        Self(hopper & !(3 << 62) | 1 << 46 | swizzle << 61)
    }
}

/// An element of `.kind::f16`.
pub trait UmmaF16 {
    /// Its number in the descriptor.
    const FORMAT: u32;
}
impl UmmaF16 for f16 {
    const FORMAT: u32 = 0;
}
impl UmmaF16 for bf16 {
    const FORMAT: u32 = 1;
}

/// Whether an operand's neighbours lie together along K, or along M or N.
pub trait UmmaMajor {
    /// The bit in the descriptor.
    const BIT: u32;
}
impl UmmaMajor for MajorK {
    const BIT: u32 = 0;
}
impl UmmaMajor for MajorMn {
    const BIT: u32 = 1;
}

/// CuTe's `UMMA::InstrDescriptor`: what a `tcgen05.mma` multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstrDescriptor(u32);

impl InstrDescriptor {
    /// That of `.kind::f16` with sums in f32: an `M` by `N` product of a block by itself. CuTe's
    /// `make_instr_desc`.
    ///
    /// ```
    /// use half::{bf16, f16};
    /// use layout_types::atom::{mma::{MajorK, MajorMn}, umma::InstrDescriptor};
    /// // CUTLASS's values.
    /// assert_eq!(InstrDescriptor::f16::<f16, MajorK, MajorK, 128, 128>().bits(), 0x0820_0010);
    /// assert_eq!(InstrDescriptor::f16::<bf16, MajorK, MajorK, 128, 128>().bits(), 0x0820_0490);
    /// assert_eq!(InstrDescriptor::f16::<bf16, MajorK, MajorMn, 128, 128>().bits(), 0x0821_0490);
    /// ```
    ///
    /// ```compile_fail
    /// use layout_types::atom::{mma::MajorK, umma::InstrDescriptor};
    /// // With M of 128, N is a multiple of 16.
    /// let none = InstrDescriptor::f16::<half::f16, MajorK, MajorK, 128, 40>();
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn f16<T: UmmaF16, A: UmmaMajor, B: UmmaMajor, const M: u32, const N: u32>() -> Self {
        const {
            assert!(
                M == 64 || M == 128,
                "tcgen05.mma of a block by itself has 64 or 128 rows"
            );
            assert!(
                N >= 8 && N <= 256 && N.is_multiple_of(if M == 64 { 8 } else { 16 }),
                "tcgen05.mma has up to 256 columns: a multiple of 8 with 64 rows, of 16 with 128"
            );
        }
        const F32: u32 = 1;
        Self(
            F32 << 4
                | T::FORMAT << 7
                | T::FORMAT << 10
                | A::BIT << 15
                | B::BIT << 16
                | (N / 8) << 17
                | (M / 16) << 24,
        )
    }

    /// The bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}
