//! The tiled copies between tensor memory and registers.
//!
//! ```text
//!   warp 0   lanes  0 ..  32      one atom each: the same place within the warp's own 32 lanes
//!   warp 1   lanes 32 ..  64
//! ```
//!
//! Law: four warps together copy each place of the fragment exactly once.
//!
//! Source: CuTe `cute/atom/copy_traits_sm100.hpp`, `make_tmem_copy`.

use super::MakeCotiledCopy;
use crate::algebra::coalescing::Coalesce;
use crate::atom::copy::ValIdOf;
use crate::atom::tmem::LaneStride;
use crate::layout;
use crate::layout::{LayoutFn, Unzip};
use crate::num::Nat;
use crate::tree::{Cons, Nil};
use typenum::U32;

/// The tiled copy of four warps, each of which accesses the same places within its own 32 lanes:
/// CuTe's `make_tmem_copy(Copy_Atom<Op, T>, tensor of the layout Data)`.
///
/// ```
/// use layout_types::atom::copy::Sm100_TMEM_LOAD_32dp32b8x;
/// use layout_types::prelude::*;
/// use layout_types::tiled::{MakeTmemCopy, TiledCopyTraits};
/// type D = layout!((128,64):(65536,1)); // the accumulator of 128 rows
/// type Load = MakeTmemCopy<Sm100_TMEM_LOAD_32dp32b8x, f32, D>;
/// assert_eq!(<Load as TiledCopyTraits>::LayoutTv::default().to_string(), "((32,4),(8,32)):((0,1),(128,4))");
/// ```
///
/// A fragment that does not have the atom's lanes is refused:
///
/// ```compile_fail
/// use layout_types::atom::{copy::Sm100_TMEM_LOAD_32dp32b8x, tmem::fragment::*};
/// use layout_types::prelude::*;
/// use layout_types::tiled::{MakeTmemCopy, TiledCopyTraits};
/// // The accumulator of 64 rows has the lower 16 lanes of each quarter.
/// type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((64,64),1,1))>;
/// type Load = MakeTmemCopy<Sm100_TMEM_LOAD_32dp32b8x, f32, D>;
/// let _ = <Load as TiledCopyTraits>::LayoutTv::default();
/// ```
#[doc(alias = "make_tmem_copy")]
pub type MakeTmemCopy<Op, T, Data> = MakeCotiledCopy<Op, T, WarpsAndValues<Op, T>, Data>;
type Times<A, B> = <A as Nat>::Times<B>;
/// Maps (thread of four warps, value) to the place in tensor memory.
type WarpsAndValues<Op, T> = Unzip<
    Cons<
        <layout!((32,4):(0,Times<LaneStride<T>, U32>)) as LayoutFn>::Modes,
        Cons<<Coalesce<ValIdOf<Op, T>> as LayoutFn>::Modes, Nil>,
    >,
>;
