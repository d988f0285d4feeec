//! A tensor that a tile divides exactly.
//!
//! ```text
//!   tensor (96,32)     tile of the copy (64,32)      96 = 64 + 32: refused, a partition would go on behind the tensor
//!   tensor (128,32)                                  2 tiles along M, 1 along N
//! ```
//!
//! Law: each mode of the tensor that the tile has holds a whole number of the tile's elements along it, so that all threads' parts
//! together are the tensor's elements, each once, and no other. CuTe rounds up; the types that partition as it does
//! ([`CopyPartitionOf`](super::CopyPartitionOf), [`PartitionOf`](super::PartitionOf)) do so too.
//!
//! Source: the division with remainder in CuTe's `zipped_divide`, `cute/layout.hpp`.

use crate::decimal::Decimal;
use crate::num::{False, Nat, NatDiv, One, QuotRem, True};
use crate::tree::{Cons, ModeTree, Nil};

/// The modes `Self` of a tensor, from mode `Mode` on, are whole numbers of the tile's `Sizes`.
pub trait WholeTiles<By, Sizes, Mode> {}
impl<T, By, Mode> WholeTiles<By, Nil, Mode> for T {}
impl<By, H, T, N, Ns, Mode> WholeTiles<By, Cons<N, Ns>, Mode> for Cons<H, T>
where
    H: ModeTree,
    N: Nat,
    Mode: Nat,
    <<H::Size as NatDiv>::DivRem<N> as QuotRem>::Exact: LeavesNoRest<By, Mode, H::Size, N>,
    T: WholeTiles<By, Ns, Mode::Plus<One>>,
{
}

/// Holds for true.
pub trait LeavesNoRest<By, Mode, Extent, Tile> {}
impl<By, I, E, T> LeavesNoRest<By, I, E, T> for True {}
impl<By, I: Decimal, E: Decimal, T: Decimal> LeavesNoRest<By, I, E, T> for False where
    By: DividesMode<I::Text, E::Text, T::Text>
{
}
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "mode {Mode} of the tensor has {Extent} elements, no multiple of the {Tile} that the tile of the `{Self}` has there",
    label = "a partition divides the tensor exactly: cut the tensor into tiles that the threads and values fill",
    note = "`partition_s_predicated` and `_d_predicated` of a tiled copy go on behind the tensor, for `copy_if`"
)]
pub trait DividesMode<Mode, Extent, Tile> {}
/// A tiled copy, in a refusal.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tiled_copy;
/// A tiled MMA, in a refusal.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tiled_mma;
