//! A tiled copy made from addresses: which offset each thread and value has, and where the tensor keeps it.
//!
//! ```text
//!   data (16,16):(16,1), atom_tv (32,8):(8,1)      thread t moves offsets 8 t .. 8 t + 7: half a row
//! ```
//!
//! Law: partitioned by the copy, a tensor of layout `Data` has value `v` of thread `t` at offset `AtomTv(t, v)`. Every offset of
//! `AtomTv` is one of `Data`'s.
//!
//! Source: CuTe `make_cotiled_copy` in `cute/atom/copy_atom.hpp`.

use super::copy::TiledCopy;
use super::operand::Pair;
use crate::algebra::composition::Composition;
use crate::algebra::flatten::Filter;
use crate::algebra::inverse::LeftInverse;
use crate::layout::{Layout, LayoutFn, ShapeOf, Unzip};
use crate::num::{One, Zero};
use crate::shape::{LayoutLeft, ShapeTree};
use crate::tree::M;

/// CuTe's `make_cotiled_copy(Copy_Atom<Op, T>, atom_tv, data)` for data of two modes.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::UniversalCopy;
/// use layout_types::tiled::{CopyPartitionOf, CopyThreadOf, MakeCotiledCopy, Source, thread_offset};
/// type Data = layout!((16,16):(16,1));
/// type Copy = MakeCotiledCopy<UniversalCopy<u128>, half::f16, layout!((32,8):(8,1)), Data>;
/// assert_eq!(CopyPartitionOf::<Copy, Source, Data>::default().to_string(), "((8,1),1,1):((1,0),0,0)");
/// assert_eq!(thread_offset::<CopyThreadOf<Copy, Source, Data>, u32>(5), 40);
/// ```
pub type MakeCotiledCopy<Op, T, AtomTv, Data> = TiledCopy<
    Op,
    T,
    Composition<
        LeftInverse<Composition<LayoutLeft<Sizes<Data>>, Active<AtomTv, Data>>>,
        Coordinates<AtomTv, Data>,
    >,
    Active<AtomTv, Data>,
>;

/// The sizes of the tensor's modes.
type Sizes<Data> = <ShapeOf<Data> as ShapeTree>::Sizes;
/// From an offset to the tensor's coordinate; behind the end there is none.
type FromOffset<Data> = Unzip<Pair<<LeftInverse<Data> as LayoutFn>::Modes, M<One, Zero>>>;
/// (thread, value) to the tensor's coordinate.
type Coordinates<AtomTv, Data> = Composition<FromOffset<Data>, AtomTv>;
/// The coordinates along each mode that these are.
type Active<AtomTv, Data> = Pair<
    Filter<Composition<Layout<Sizes<Data>, Pair<One, Zero>>, Coordinates<AtomTv, Data>>>,
    Filter<Composition<Layout<Sizes<Data>, Pair<Zero, One>>, Coordinates<AtomTv, Data>>>,
>;
