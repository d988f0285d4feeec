//! The layouts of a block-scaled product's scale factors: in shared memory, and in tensor memory,
//! where `tcgen05.mma` reads them.
//!
//! ```text
//!   shared memory, 512 bytes      ((32,4),(VS,4)):((16,4),(0,1))         row r, factor k: byte 16 (r % 32) + 4 (r / 32) + k
//!        │ tcgen05.cp.32x128b.warpx4
//!   tensor memory, 4 columns      lane r % 32 of all four quarters, column r / 32, byte k
//! ```
//!
//! Law: `VS` elements along K share a factor (stride 0). Each quarter of the lanes has a copy of
//! all factors; 4 columns hold 4 factors, of one byte each, for each of 128 rows. In a pair with
//! 128 rows the factors of B lie in two halves of the lanes, as the accumulator's columns do.
//!
//! Source: CuTe `UMMA::tmem_sf_frg` in `cute/atom/mma_traits_sm100_frag.hpp`; CUTLASS
//! `cutlass/detail/sm100_blockscaled_layout.hpp` (`SfAtom`); PTX ISA, *tcgen05: Scale factor
//! layouts*.

use super::LaneStride;
use super::fragment::{Restrided, TmemFragment};
use crate::algebra::product::TiledProductBy;
use crate::atom::Element;
use crate::layout;
use crate::layout::StaticLayout;
use crate::num::{Nat, One};
use crate::shape::{LayoutLeft, ShapeTree};
use crate::tree::{Cons, Nil, phantom};
use core::fmt;
use typenum::{U32, U64};

/// The layout of four factors for each of 128 rows in memory, CUTLASS's `SfAtom`. It maps (row,
/// element along K) to the factor's offset.
///
/// ```
/// use layout_types::{atom::tmem::scales::ScaleAtom, prelude::*, typenum::U32};
/// assert_eq!(ScaleAtom::<U32>::default().to_string(), "((32,4),(32,4)):((16,4),(0,1))");
/// // All 32 elements of a block have one factor.
/// assert_eq!(ScaleAtom::<U32>::at((33u32, 32 + 5)), ScaleAtom::<U32>::at((33u32, 32)));
/// assert_eq!(ScaleAtom::<U32>::at((33u32, 32)), 16 + 4 + 1);
/// ```
#[doc(alias = "SfAtom")]
pub type ScaleAtom<Vs> = layout!(((32,4),(Vs,4)):((16,4),(0,1)));

/// The distribution of scale factors over the lanes.
pub trait ScaleMap: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The layout that maps (row, element along K) to lane + 128 byte, for `Rows` rows of `Nsf`
    /// factors, each of `Vs` elements.
    type Lanes<Rows: Nat, Vs: Nat, Nsf: Nat>: StaticLayout;
}
/// Puts the factors into all four quarters: CuTe's `ScaleFactorDuplicated4by1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FourByOne;
impl ScaleMap for FourByOne {
    type Lanes<Rows: Nat, Vs: Nat, Nsf: Nat> =
        layout!((((32,<Rows as Nat>::Over<U32>),4),(Vs,Nsf)):(((1,512),32),(0,128)));
}
/// Puts one half of the rows into quarters 0 and 1, and the other half into quarters 2 and 3, for B
/// of a pair with 128 rows: CuTe's `ScaleFactorDuplicated2by2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TwoByTwoScales;
impl ScaleMap for TwoByTwoScales {
    type Lanes<Rows: Nat, Vs: Nat, Nsf: Nat> =
        layout!((((32,<Rows as Nat>::Over<U64>),2,2),(Vs,Nsf)):(((1,512),64,32),(0,128)));
}

phantom! {
    /// A fragment of scale factors `Sf` in tensor memory: CuTe's `UMMA::tmem_sf_frg`.
    ///
    /// The shape is `((MN,(VS,NSF)),MMA_MN,MMA_K,..)`: one product reads `NSF` factors, each of
    /// `VS` elements, for each of an operand's `MN` rows, a multiple of 128.
    ///
    /// ```
    /// use layout_types::atom::element::FloatUE8M0;
    /// use layout_types::atom::tmem::fragment::MakeTmemFrg;
    /// use layout_types::atom::tmem::scales::{FourByOne, TmemSfFrg};
    /// use layout_types::prelude::*;
    /// // A of 128 rows: a product of K = 32 reads one byte per row, the next product the next byte.
    /// type Sfa = MakeTmemFrg<TmemSfFrg<FloatUE8M0, FourByOne>, shape!(((128,(32,1)),1,(4,2)))>;
    /// assert_eq!(Sfa::default().to_string(),
    ///     "((((32,4),4),(32,1)),1,(4,2)):((((262144,4),8388608),(0,1)),0,(1,16))");
    /// ```
    TmemSfFrg<Sf, Map>
}

/// Maps lane + 128 byte to the offset in elements of `Sf`, packed.
type Restride<Sf> = layout!((128,16384):(LaneStride<Sf>,One));
type Lanes<Map, Rows, Vs, Nsf> = <Map as ScaleMap>::Lanes<Rows, Vs, Nsf>;
type RowsAndFactors<Rows, Vs, Nsf> = Cons<Rows, Cons<Cons<Vs, Cons<Nsf, Nil>>, Nil>>;

impl<Sf, Map, Rows, Vs, Nsf, Rest> TmemFragment<Cons<RowsAndFactors<Rows, Vs, Nsf>, Rest>>
    for TmemSfFrg<Sf, Map>
where
    Sf: Element,
    Map: ScaleMap,
    Rows: Nat,
    Vs: Nat,
    Nsf: Nat,
    Rest: ShapeTree,
    Lanes<Map, Rows, Vs, Nsf>: TiledProductBy<LayoutLeft<Rest>, Output: Restrided<Restride<Sf>>>,
{
    type Layout =
        <<Lanes<Map, Rows, Vs, Nsf> as TiledProductBy<LayoutLeft<Rest>>>::Output as Restrided<
            Restride<Sf>,
        >>::Output;
}
