//! Functions of a tiled MMA and of a tiled copy on tensors, for all threads at once.
//!
//! ```text
//!   Mma::get_layout_c_tv()      ((4,8,2,2),((2,2),(1,2))):((64,1,16,256),((32,8),(0,512)))
//!   Mma::thrfrg_a(&tensor)      ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK)))
//!   G2s::tidfrg_s(&tensor)      (thread,(atom_val,rest_val),(RestM,RestN))
//! ```
//!
//! Law: the functions return the types of the same names as values: [`LayoutTv`], [`ThrFrgOf`],
//! [`CopyLayoutTv`], [`TidFrgOf`]. The tensor is the same function in other coordinates.
//!
//! Source: CuTe `TiledMMA`, `TiledCopy` in `cute/atom/mma_atom.hpp` and `cute/atom/copy_atom.hpp`.

use super::Tensor;
use super::engine::Engine;
use crate::layout::LayoutFn;
use crate::tiled::{
    CopyLayoutTv, CopyTvOf, Destination, LayoutTv, OperandA, OperandB, OperandC, PartitionMma,
    PartitionShape, Source, ThrFrg, ThrFrgOf, TidFrg, TidFrgOf, TiledCopy, TiledCopyTraits,
    TiledMma, TiledMmaTraits, TvOf,
};
use typenum::Unsigned;

macro_rules! operands {
    ($($x:ty, $letter:literal, $modes:literal, $tv:ident, $thrfrg:ident, $shape:ident;)*) => {$(
        #[doc = concat!("CuTe's `get_layout", $letter, "_TV`: (thread, value) to the column-major index in the tile ", $modes, ".")]
        #[inline(always)]
        #[must_use]
        pub fn $tv() -> LayoutTv<Self, $x>
        where
            Self: TvOf<$x>,
        {
            Default::default()
        }
        #[doc = concat!("CuTe's `thrfrg_", $letter, "`: a tensor ", $modes, " by threads and fragments.")]
        #[inline(always)]
        #[must_use]
        pub fn $thrfrg<E: Engine, L: LayoutFn>(
            tensor: &Tensor<E, L>,
        ) -> Tensor<E, ThrFrgOf<Self, $x, L>>
        where
            Self: ThrFrg<$x, L>,
        {
            Tensor::at_engine(tensor.engine())
        }
        #[doc = concat!("CuTe's `partition_shape_", $letter, "`: the shape of a thread's part of a tensor of layout `L`.")]
        #[inline(always)]
        #[must_use]
        pub fn $shape<L: LayoutFn>() -> PartitionShape<Self, $x, L>
        where
            Self: PartitionMma<$x, L>,
        {
            Default::default()
        }
    )*};
}

impl<Atom, Atoms, P> TiledMma<Atom, Atoms, P>
where
    Self: TiledMmaTraits,
{
    operands! {
        OperandA, "A", "(M,K)", get_layout_a_tv, thrfrg_a, partition_shape_a;
        OperandB, "B", "(N,K)", get_layout_b_tv, thrfrg_b, partition_shape_b;
        OperandC, "C", "(M,N)", get_layout_c_tv, thrfrg_c, partition_shape_c;
    }

    /// Returns the tile's extent along M, N and K: CuTe's `tile_size<I>` for all three modes.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
    /// use layout_types::tensor::identity_tensor;
    /// use layout_types::tiled::TiledMma;
    /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
    /// assert_eq!(Mma::tile_size(), [32, 32, 16]);
    /// assert_eq!(Mma::get_layout_a_tv().to_string(), "((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))");
    /// let a = identity_tensor::<layout!((128,32):(1@0,1@1)), 2>();
    /// assert_eq!(Mma::thrfrg_a(&a).layout().to_string(),
    ///     "(((4,8),(2,1)),((2,2,2),(4,2))):(((2@1,1@0),(16@0,0)),((1@1,8@0,8@1),(32@0,16@1)))");
    /// assert_eq!(Mma::partition_shape_c::<layout!((128,128))>().to_string(), "((2,2),4,8)");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn tile_size() -> [usize; 3] {
        [
            <Self as TiledMmaTraits>::TileM::USIZE,
            <Self as TiledMmaTraits>::TileN::USIZE,
            <Self as TiledMmaTraits>::TileK::USIZE,
        ]
    }
}

macro_rules! sides {
    ($($x:ty, $letter:literal, $tv:ident, $tidfrg:ident;)*) => {$(
        #[doc = concat!("CuTe's `get_layout", $letter, "_TV`: this side's (thread, value) to the column-major index in the tile.")]
        #[inline(always)]
        #[must_use]
        pub fn $tv() -> CopyLayoutTv<Self, $x>
        where
            Self: CopyTvOf<$x>,
        {
            Default::default()
        }
        #[doc = concat!("CuTe's `tidfrg_", $letter, "`: a tensor by threads and values, `(thread,(atom_val,rest_val),(RestM,RestN))`.")]
        #[inline(always)]
        #[must_use]
        pub fn $tidfrg<E: Engine, L: LayoutFn>(
            tensor: &Tensor<E, L>,
        ) -> Tensor<E, TidFrgOf<Self, $x, L>>
        where
            Self: TidFrg<$x, L>,
        {
            Tensor::at_engine(tensor.engine())
        }
    )*};
}

/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::copy::UniversalCopy;
/// use layout_types::tensor::identity_tensor;
/// use layout_types::tiled::MakeTiledCopy;
/// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((8,16):(16,1)), layout!((2,4))>;
/// let tile = identity_tensor::<layout!((16,64):(1@0,1@1)), 2>();
/// let parts = Copy::tidfrg_d(&tile);
/// assert_eq!(parts.get((17u32, 3, 0)), [3, 5]); // thread (1,1), value (1,1)
/// ```
impl<Op, T, Tv, Tiler, R> TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: TiledCopyTraits,
{
    sides! {
        Source, "S", get_layout_s_tv, tidfrg_s;
        Destination, "D", get_layout_d_tv, tidfrg_d;
    }
}
