//! The descriptors of `tcgen05.mma`: one for each operand in shared memory, and one for the
//! instruction.
//!
//! ```text
//!   UmmaOperand<Tile, bf16, MajorK, U128>    0x4000404000010040    start, offsets, version 1, swizzle
//!   InstrDescriptor, bf16, 128 x 256         0x08400490            types, majors, M / 16, N / 8
//! ```
//!
//! Law: the canonical layouts are exactly Hopper's and one more, so Hopper's proof also derives an
//! operand's start, offsets and base ([`UmmaLayout`]). An instruction's descriptor belongs to an
//! atom. An atom whose kind does not have its types, its M or its N does not compile.
//!
//! Source: PTX ISA, *tcgen05: Shared memory descriptor*, *Instruction descriptor*; CuTe
//! `cute/arch/mma_sm100_desc.hpp` (`SmemDescriptor`, `InstrDescriptor`).

use super::Element;
use super::mma::{FrgType, Major, SmemDesc};
use super::smem_operand::block_offset;
use crate::check::{Reflect, UmmaLayout};
use crate::layout::LayoutFn;
use crate::num::{Bool, Nat};
use core::fmt;
use core::marker::PhantomData;
use typenum::{U32, Unsigned};

/// CuTe's `UMMA::SmemDescriptor`: the 64 bits by which `tcgen05.mma` reads an operand of `Rows`
/// rows of elements `T` in one CTA's shared memory.
///
/// The type names the operand's element, major and rows, so that an instruction with other operands
/// does not accept it.
pub struct UmmaDescriptor<T, Tnsp, Rows>(u64, PhantomData<(T, Tnsp, Rows)>);
impl<T, Tnsp, Rows> Clone for UmmaDescriptor<T, Tnsp, Rows> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, Tnsp, Rows> Copy for UmmaDescriptor<T, Tnsp, Rows> {}
impl<T, Tnsp, Rows> fmt::Debug for UmmaDescriptor<T, Tnsp, Rows> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UmmaDescriptor({:#018x})", self.0)
    }
}
impl<T, Tnsp, Rows> UmmaDescriptor<T, Tnsp, Rows> {
    /// Returns the bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the descriptor of the operand that begins `bytes` bytes later. The bytes are added
    /// to the start address, as in CuTe's `DescriptorIterator`.
    ///
    /// The precondition of
    /// [`GmmaDescriptor::advance`](super::smem_operand::GmmaDescriptor::advance) holds.
    #[inline(always)]
    #[must_use]
    pub const fn advance(self, bytes: u32) -> Self {
        let low = (self.0 as u32).wrapping_add(bytes >> 4);
        Self(self.0 & !(u32::MAX as u64) | low as u64, PhantomData)
    }
}

/// A tile (M or N, K) or (M or N, K, stages) of elements `T` in shared memory, as operands of
/// `tcgen05.mma` with `Rows` rows each; in a pair, the rows of one CTA.
///
/// ```
/// use layout_types::atom::{gmma::LayoutKSw128Atom, mma::MajorK, umma::UmmaOperand};
/// use layout_types::{prelude::*, typenum::U128};
/// type A = UmmaOperand<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>, half::f16, MajorK, U128>;
/// // CUTLASS's value for a K-major tile of 128-byte lines at 1024.
/// assert_eq!(A::descriptor(1024, (0, 0), 0).bits(), 0x4000_4040_0001_0040);
/// // From a k block to the next are 32 bytes.
/// assert_eq!(A::descriptor(1024, (0, 0), 0).advance(A::offset((0, 3), 0)).bits(), A::descriptor(1024, (0, 3), 0).bits());
/// ```
///
/// ```compile_fail,E0080
/// use layout_types::atom::{gmma::LayoutMnSw128Atom, mma::MajorMn, element::TFloat32, umma::UmmaOperand};
/// use layout_types::{prelude::*, typenum::U128};
/// // MN-major tf32 needs the swizzle of 32-byte units.
/// type A = UmmaOperand<TileToShape<LayoutMnSw128Atom<TFloat32>, shape!((128,64))>, TFloat32, MajorMn, U128>;
/// let _ = A::descriptor(0, (0, 0), 0);
/// ```
pub struct UmmaOperand<Tile, T, Tnsp, Rows>(PhantomData<(Tile, T, Tnsp, Rows)>);
impl<Tile, T, Tnsp, Rows> UmmaOperand<Tile, T, Tnsp, Rows>
where
    Tile: LayoutFn + Reflect,
    T: Element,
    Tnsp: Major,
    Rows: Nat,
    SmemDesc<Tnsp>: FrgType,
{
    /// The descriptor's fields. A tile with no such fields does not compile.
    pub const LAYOUT: UmmaLayout =
        match UmmaLayout::derive(&Tile::VALUE, T::Bits::I64, Tnsp::IsK::VALUE, Rows::I64) {
            Ok(layout) => layout,
            Err(text) => panic!("{}", text.as_str()),
        };

    /// Returns the descriptor of block `(i, j)` along (M or N, K) of a stage, for a tile at `base`
    /// in the CTA's shared window.
    ///
    /// Precondition: `base` is a multiple of 1024 if the tile is swizzled; `(i, j)` is below
    /// [`LAYOUT`](Self::LAYOUT)`.fields.blocks`, and `stage` is below the tile's number of stages.
    #[inline(always)]
    #[must_use]
    #[doc(alias = "make_umma_desc")]
    pub fn descriptor(base: u32, block: (u32, u32), stage: u32) -> UmmaDescriptor<T, Tnsp, Rows> {
        let bits = const { Self::LAYOUT }.descriptor(base + Self::offset(block, stage));
        UmmaDescriptor(bits, PhantomData)
    }

    /// Returns the number of bytes from the tile's base to block `(i, j)` of a stage, as in
    /// [`descriptor`](Self::descriptor).
    #[inline(always)]
    #[must_use]
    pub fn offset(block: (u32, u32), stage: u32) -> u32 {
        block_offset::<Tile, T, Rows>(const { Self::LAYOUT.fields.blocks }, block, stage)
    }
}

/// Returns the descriptor with which `tcgen05.cp.32x128b.warpx4` reads four scale factors for each
/// of 128 rows. These are 512 bytes at `base` in the order of
/// [`ScaleAtom`](super::tmem::scales::ScaleAtom), as 32 rows of 16 bytes, not swizzled.
///
/// Precondition: `base` is a multiple of 16.
///
/// ```
/// use layout_types::{atom::element::FloatUE8M0, atom::umma::scale_descriptor};
/// assert_eq!(scale_descriptor::<FloatUE8M0>(1024).bits(), 0x0000_4008_0000_0040);
/// ```
#[inline(always)]
#[must_use]
pub const fn scale_descriptor<T>(base: u32) -> UmmaDescriptor<T, super::mma::MajorK, U32> {
    // Consecutive groups of 8 rows are 128 bytes apart; there is no second column of 16 bytes.
    let layout = UmmaLayout {
        fields: crate::check::GmmaLayout {
            swizzle: crate::check::Swizzling::None,
            leading: 0,
            stride: 128,
            blocks: (1, 1),
        },
        units_of_32: false,
    };
    UmmaDescriptor(layout.descriptor(base), PhantomData)
}

/// CuTe's `UMMA::InstrDescriptor`: the types, majors and extents of a `tcgen05.mma`.
///
/// [`UmmaAtom::INSTRUCTION`](super::mma::sm100::UmmaAtom::INSTRUCTION) is the descriptor of an
/// atom.
///
/// ```
/// use half::{bf16, f16};
/// use layout_types::atom::{mma::{MajorK, MajorMn}, mma::sm100::*};
/// use layout_types::typenum::{U128, U256};
/// // CUTLASS's values.
/// type Halves = Sm100_MMA_F16BF16_SS<f16, f16, f32, U128, U128, MajorK, MajorK>;
/// assert_eq!(Halves::INSTRUCTION.bits(), 0x0820_0010);
/// type Pair = Sm100_MMA_F16BF16_2x1SM_SS<bf16, bf16, f32, U256, U256, MajorK, MajorMn>;
/// assert_eq!(Pair::INSTRUCTION.bits(), 0x1041_0490);
/// ```
#[doc(alias = "make_instr_desc")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstrDescriptor(u32);

impl InstrDescriptor {
    /// Makes the descriptor from the formats, whose bits are already in place
    /// ([`UmmaTypes::FORMATS`](super::mma::sm100::UmmaTypes::FORMATS)), whether A and B are
    /// MN-major, M and N: CuTe's `make_instr_desc`.
    ///
    /// Precondition: an atom has these types, majors, rows and columns.
    #[must_use]
    pub const fn of(formats: u32, [mn_a, mn_b]: [bool; 2], [m, n]: [u32; 2]) -> Self {
        Self(formats | (mn_a as u32) << 15 | (mn_b as u32) << 16 | (n / 8) << 17 | (m / 16) << 24)
    }

    /// Returns the descriptor of a block-scaled product with A's factors in byte `a` of their words
    /// and B's factors in byte `b`, each 0 to 3: CuTe's `make_runtime_instr_desc_block_scaled`.
    #[inline(always)]
    #[must_use]
    pub const fn with_scales(self, a: u32, b: u32) -> Self {
        Self(self.0 & !(3 << 29 | 3 << 4) | (a & 3) << 29 | (b & 3) << 4)
    }

    /// Returns the bits.
    #[inline(always)]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}
