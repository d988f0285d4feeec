//! The layouts of shared memory that `wgmma` and the tensor memory accelerator read: CuTe's
//! canonical atoms `GMMA::Layout_*_Atom`.
//!
//! ```text
//!   LayoutKSw128Atom<f16>    8 rows of 128 bytes, 64 halfs each, K contiguous: Sw<3,3,3> o 0 o (8,64):(64,1)
//!
//!   row 0    0 1 2 3 4 5 6 7        where the eight 16-byte chunks of each row lie:
//!   row 1    1 0 3 2 5 4 7 6        chunk c of row r at c ^ r
//!   row 2    2 3 0 1 6 7 4 5
//!   ..
//! ```
//!
//! Law: in bytes every atom is one of four layouts: 8 rows of 16, 32, 64 or 128 bytes, in which the
//! bits of an address that select the 16-byte chunk are exclusive-ored with the bits that count
//! units of 128 bytes. The atom of an element type is this layout in elements. K-major atoms are
//! (rows of M or N, K), and MN-major atoms are their transposes.
//!
//! Source: CuTe `cute/atom/mma_traits_sm90_gmma.hpp`; PTX ISA, *Asynchronous warpgroup level matrix
//! instructions*, *Shared memory matrix layout*, *Swizzling modes*.

use super::Element;
use super::mma::{MajorK, MajorMn};
use crate::algebra::cast::Upcast;
use crate::algebra::compose::Composition;
use crate::algebra::swizzle::{ComposedLayout, OffsetMap, Sw, Swizzle};
use crate::layout;
use crate::layout::{Layout, LayoutFn};
use crate::num::{Difference, Log2, Nat, NatSub, StrideLeaf, Zero};
use crate::tree::phantom;
use core::fmt;
use typenum::{U3, U4};

/// The atoms, in bits.
type KInter = layout!((8,128):(128,1));
type KSw32 = Composition<Swizzle<1, 7, 3>, layout!((8,256):(256,1))>;
type KSw64 = Composition<Swizzle<2, 7, 3>, layout!((8,512):(512,1))>;
type KSw128 = Composition<Swizzle<3, 7, 3>, layout!((8,1024):(1024,1))>;
type MnInter = layout!((128,8):(1,128));
type MnSw32 = Composition<Swizzle<1, 7, 3>, layout!((256,8):(1,256))>;
type MnSw64 = Composition<Swizzle<2, 7, 3>, layout!((512,8):(1,512))>;
type MnSw128 = Composition<Swizzle<3, 7, 3>, layout!((1024,8):(1,1024))>;
type MnSw128Of32 = Composition<Swizzle<2, 8, 2>, layout!((1024,4):(1,1024))>;

/// CuTe's `GMMA::Layout_K_INTER_Atom<T>`: 8 rows of 16 bytes along K, not swizzled.
///
/// ```
/// use layout_types::atom::gmma::LayoutKInterAtom;
/// assert_eq!(LayoutKInterAtom::<f32>::default().to_string(), "(8,4):(4,1)");
/// ```
pub type LayoutKInterAtom<T> = Upcast<KInter, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_K_SW32_Atom<T>`: 8 rows of 32 bytes along K.
///
/// ```
/// use layout_types::atom::gmma::LayoutKSw32Atom;
/// assert_eq!(LayoutKSw32Atom::<f32>::default().to_string(), "Sw<1,2,3> o 0 o (8,8):(8,1)");
/// ```
pub type LayoutKSw32Atom<T> = Upcast<KSw32, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_K_SW64_Atom<T>`: 8 rows of 64 bytes along K.
///
/// ```
/// use layout_types::atom::gmma::LayoutKSw64Atom;
/// assert_eq!(LayoutKSw64Atom::<u8>::default().to_string(), "Sw<2,4,3> o 0 o (8,64):(64,1)");
/// ```
pub type LayoutKSw64Atom<T> = Upcast<KSw64, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_K_SW128_Atom<T>`: 8 rows of 128 bytes along K.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::gmma::LayoutKSw128Atom;
/// type Atom = LayoutKSw128Atom<half::f16>;
/// assert_eq!(Atom::default().to_string(), "Sw<3,3,3> o 0 o (8,64):(64,1)");
/// assert_eq!(Atom::at((3u32, 8)), 3 * 64 + 8 * (1 ^ 3)); // chunk 1 of row 3
/// // Four stages of a tile of A, 128 rows of 64 halfs.
/// type SmemA = TileToShape<Atom, shape!((128,64,4))>;
/// assert_eq!(SmemA::default().to_string(), "Sw<3,3,3> o 0 o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192))");
/// ```
pub type LayoutKSw128Atom<T> = Upcast<KSw128, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_MN_INTER_Atom<T>`: 8 columns of 16 bytes along M or N, not swizzled.
///
/// ```
/// use layout_types::atom::gmma::LayoutMnInterAtom;
/// assert_eq!(LayoutMnInterAtom::<half::bf16>::default().to_string(), "(8,8):(1,8)");
/// ```
pub type LayoutMnInterAtom<T> = Upcast<MnInter, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_MN_SW32_Atom<T>`: 8 columns of 32 bytes along M or N.
///
/// ```
/// use layout_types::atom::gmma::LayoutMnSw32Atom;
/// assert_eq!(LayoutMnSw32Atom::<u8>::default().to_string(), "Sw<1,4,3> o 0 o (32,8):(1,32)");
/// ```
pub type LayoutMnSw32Atom<T> = Upcast<MnSw32, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_MN_SW64_Atom<T>`: 8 columns of 64 bytes along M or N.
///
/// ```
/// use layout_types::atom::gmma::LayoutMnSw64Atom;
/// assert_eq!(LayoutMnSw64Atom::<half::f16>::default().to_string(), "Sw<2,3,3> o 0 o (32,8):(1,32)");
/// ```
pub type LayoutMnSw64Atom<T> = Upcast<MnSw64, <T as Element>::Bits>;
/// CuTe's `GMMA::Layout_MN_SW128_Atom<T>`: 8 columns of 128 bytes along M or N.
///
/// ```
/// use layout_types::atom::gmma::LayoutMnSw128Atom;
/// assert_eq!(LayoutMnSw128Atom::<f32>::default().to_string(), "Sw<3,2,3> o 0 o (32,8):(1,32)");
/// ```
pub type LayoutMnSw128Atom<T> = Upcast<MnSw128, <T as Element>::Bits>;

/// CuTe's `UMMA::Layout_MN_SW128_32B_Atom<T>`: 4 columns of 128 bytes along M or N, whose units of
/// 32 bytes are permuted. Only Blackwell has it, as the only layout of MN-major tf32.
///
/// ```
/// use layout_types::atom::{element::TFloat32, gmma::LayoutMnSw128Of32Atom};
/// assert_eq!(LayoutMnSw128Of32Atom::<TFloat32>::default().to_string(), "Sw<2,3,2> o 0 o (32,4):(1,32)");
/// ```
#[doc(alias = "Layout_MN_SW128_32B_Atom")]
pub type LayoutMnSw128Of32Atom<T> = Upcast<MnSw128Of32, <T as Element>::Bits>;

/// The atoms of one majorness, [`MajorK`] or [`MajorMn`], in bits.
pub trait SmemAtoms {
    /// The atom without a swizzle.
    type Inter: LayoutFn;
    /// The atom with lines of 32 bytes.
    type Sw32: LayoutFn;
    /// The atom with lines of 64 bytes.
    type Sw64: LayoutFn;
    /// The atom with lines of 128 bytes.
    type Sw128: LayoutFn;
}
impl SmemAtoms for MajorK {
    type Inter = KInter;
    type Sw32 = KSw32;
    type Sw64 = KSw64;
    type Sw128 = KSw128;
}
impl SmemAtoms for MajorMn {
    type Inter = MnInter;
    type Sw32 = MnSw32;
    type Sw64 = MnSw64;
    type Sw128 = MnSw128;
}

/// The atom without a swizzle, for elements `T`: CuTe's `GMMA::Layout_INTER_Atom<T, Major>`.
pub type LayoutInterAtom<T, Major> = Upcast<<Major as SmemAtoms>::Inter, <T as Element>::Bits>;
/// The atom with lines of 32 bytes, for elements `T`: CuTe's `GMMA::Layout_SW32_Atom<T, Major>`.
pub type LayoutSw32Atom<T, Major> = Upcast<<Major as SmemAtoms>::Sw32, <T as Element>::Bits>;
/// The atom with lines of 64 bytes, for elements `T`: CuTe's `GMMA::Layout_SW64_Atom<T, Major>`.
pub type LayoutSw64Atom<T, Major> = Upcast<<Major as SmemAtoms>::Sw64, <T as Element>::Bits>;
/// The atom with lines of 128 bytes, for elements `T`: CuTe's `GMMA::Layout_SW128_Atom<T, Major>`.
///
/// ```
/// use layout_types::atom::{gmma::LayoutSw128Atom, mma::MajorMn};
/// assert_eq!(LayoutSw128Atom::<u8, MajorMn>::default().to_string(), "Sw<3,4,3> o 0 o (128,8):(1,128)");
/// ```
pub type LayoutSw128Atom<T, Major> = Upcast<<Major as SmemAtoms>::Sw128, <T as Element>::Bits>;

phantom! {
    /// A layout of shared memory in the form that CuTe uses without a pointer,
    /// `ComposedLayout<F, smem_ptr_flag_bits<Bits>, L>`: the layout `L` counts elements of `Bits`
    /// bits, and the swizzle `F` permutes bytes. [`PtrFlagged`] makes it.
    ///
    /// It prints as CuTe's stream operator prints it, which shows the flag as 0. The debug format
    /// shows the flag's value.
    ///
    /// ```
    /// use layout_types::atom::gmma::{LayoutKSw128Atom, PtrFlagged};
    /// type Atom = PtrFlagged<LayoutKSw128Atom<half::f16>, half::f16>;
    /// assert_eq!(Atom::default().to_string(), "Sw<3,4,3> o 0 o (8,64):(64,1)");
    /// assert_eq!(format!("{:?}", Atom::default()), "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
    /// // Element 11 is the one at (3,1): in row 3 the chunks are exchanged by 3, so chunk 0 lies at byte 48 of 128.
    /// assert_eq!(Atom::bit(3 + 8 * 1), 8 * (3 * 128 + 3 * 16 + 2));
    /// ```
    SmemPtrFlag<F, Bits, L>
}

impl<F: OffsetMap, Bits: Nat, L: LayoutFn> SmemPtrFlag<F, Bits, L> {
    /// Returns the first bit of element `index`.
    #[must_use]
    pub fn bit(index: usize) -> usize {
        let bit = L::index(index) * Bits::USIZE;
        F::apply(bit / 8) * 8 + bit % 8
    }
}
impl<F: OffsetMap, Bits: Nat, L: LayoutFn> fmt::Display for SmemPtrFlag<F, Bits, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o 0 o {}", F::default(), L::default())
    }
}
impl<F: OffsetMap, Bits: Nat, L: LayoutFn> fmt::Debug for SmemPtrFlag<F, Bits, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (swizzle, bits, layout) = (F::default(), Bits::USIZE, L::default());
        write!(f, "{swizzle} o smem_ptr[{bits}b](unset) o {layout}")
    }
}

/// The layout `L` of elements of type `T` with its swizzle in bytes, as in CuTe's
/// `GMMA::Layout_*_Atom<T>`.
pub type PtrFlagged<L, T> = <L as SwizzleInBytes<<T as Element>::Bits>>::Output;

/// A layout of elements of `Bits` whose swizzle permutes whole bytes.
#[diagnostic::on_unimplemented(
    message = "the swizzle of this layout has no form in bytes",
    label = "it is no swizzled layout with offset 0"
)]
pub trait SwizzleInBytes<Bits> {
    /// [`PtrFlagged`].
    type Output;
}
/// The number `M`, which counts elements of `Bits` bits, converted to bytes.
type InBytes<M, Bits> =
    <<<M as Nat>::Plus<<Bits as Log2>::Exponent> as NatSub>::Sub<U3> as Difference>::OrZero;
impl<B: Nat, M: Nat, S: StrideLeaf, Bits: Nat, Sh, D> SwizzleInBytes<Bits>
    for ComposedLayout<Sw<B, M, S>, Zero, Layout<Sh, D>>
{
    type Output = SmemPtrFlag<Sw<B, InBytes<M, Bits>, S>, Bits, Layout<Sh, D>>;
}
impl<Bits: Nat, Sh, D> SwizzleInBytes<Bits> for Layout<Sh, D> {
    type Output = SmemPtrFlag<Sw<Zero, U4, U3>, Bits, Layout<Sh, D>>;
}
