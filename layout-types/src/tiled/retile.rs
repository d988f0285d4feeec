//! A fragment of the MMA, grouped as the copy takes it.
//!
//! ```text
//!   fragment ((2,2,2),4,2):((1,2,4),16,8)      8 values an instruction, 4 along M, 2 along K
//!   ldmatrix.x4 of f16 gets 8                  ((8,1),4,2):((1,0),16,8)
//!   ldmatrix.x1 of f16 gets 2                  ((2,4),4,2):((1,2),16,8)
//! ```
//!
//! Law: a retiled fragment is the same registers; its mode 0 is `(values of the copy atom, how many atoms)`, in the order in
//! which the tiled copy moves them. The fragment's mode 0 holds the first of the thread's values in `TiledLayout_TV`.
//!
//! Step by step: `docs/walkthroughs/retile.md`.
//!
//! Source: CuTe `TiledCopy::retile`, `ThrCopy::retile_S`, `retile_D` in `cute/atom/copy_atom.hpp`.

use super::copy::{NumValOf, TiledCopyTraits};
use super::operand::Pair;
use crate::algebra::cast::UpcastBy;
use crate::algebra::composition::Compose;
use crate::algebra::divide::ZippedDivideBy;
use crate::algebra::inverse::RightInvertible;
use crate::algebra::product::LogicalProductBy;
use crate::layout::{Layout, LayoutFn};
use crate::num::{Nat, One};
use crate::shape::ShapeTree;
use crate::tree::{Cons, ModeList, ModeTree, Underscore};

/// CuTe's `retile_S` and `retile_D`, which are one: both take the fragment, the atom's reference.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
/// use layout_types::tiled::{MakeTiledCopyA, RetileOf, TiledMma};
/// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
/// type Copy = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
/// type View = RetileOf<Copy, layout!(((2,2,2),4,2):((1,2,4),16,8))>;
/// assert_eq!(View::default().to_string(), "((8,1),4,2):((1,0),16,8)");
/// ```
pub type RetileOf<C, L> = <C as Retile<L>>::Output;

/// The fragment `L` can be retiled for the tiled copy.
#[diagnostic::on_unimplemented(
    message = "this fragment cannot be retiled for the tiled copy",
    label = "it is not a fragment of the MMA that the tiled copy was made for"
)]
pub trait Retile<L>: TiledCopyTraits {
    /// [`RetileOf`].
    type Output: LayoutFn;
}

type Values<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Size;
type TileLeft<C> = <C as TiledCopyTraits>::Tile;
type Inverse<C> = <<C as TiledCopyTraits>::LayoutTv as RightInvertible>::Output;
type InTile<C> = <Inverse<C> as Compose<TileLeft<C>>>::Output;
type Unit<C, L> = <<C as TiledCopyTraits>::NumThr as Nat>::Times<Values<L>>;
/// `(m,n)` to the index of the `V` values within a thread's.
type FrgMn<C, L> = <InTile<C> as UpcastBy<Unit<C, L>>>::Output;
type FromFrgMn<C, L> = <FrgMn<C, L> as RightInvertible>::Output;
type ValuesLayout<L> = Layout<Values<L>, One>;
type Product<C, L> = <ValuesLayout<L> as LogicalProductBy<FromFrgMn<C, L>>>::Output;
/// `(atom_vals,rest_vals)` to `(v,m,n)`.
type FrgV<C, L> = <Product<C, L> as ZippedDivideBy<NumValOf<C>>>::Output;
type FrgTile<C, L> =
    Cons<Values<L>, <<<FrgMn<C, L> as LayoutFn>::Modes as ModeTree>::Shape as ShapeTree>::Sizes>;
type ByTiles<C, L> = <L as ZippedDivideBy<FrgTile<C, L>>>::Output;
type ByValues<C, L> = <ByTiles<C, L> as Compose<Pair<FrgV<C, L>, Underscore>>>::Output;
type Tile<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type Rests<L> = <<<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First as ModeTree>::Modes as ModeList>::Rest;

impl<C, L> Retile<L> for C
where
    C: TiledCopyTraits,
    L: LayoutFn + ZippedDivideBy<FrgTile<C, L>>,
    C::LayoutTv: RightInvertible,
    Inverse<C>: Compose<TileLeft<C>>,
    InTile<C>: UpcastBy<Unit<C, L>>,
    FrgMn<C, L>: RightInvertible,
    ValuesLayout<L>: LogicalProductBy<FromFrgMn<C, L>>,
    Product<C, L>: ZippedDivideBy<NumValOf<C>>,
    ByTiles<C, L>: Compose<Pair<FrgV<C, L>, Underscore>>,
{
    type Output = L::With<Cons<Tile<ByValues<C, L>>, Rests<ByValues<C, L>>>>;
}
