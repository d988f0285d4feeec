//! The names that the bodies of `gemm_config!` and `operand!` use wherever they are expanded. They
//! are not for direct use.

pub use super::config::{GemmConfig, GemmKernel, GemmTypes, Prepare};
pub use super::epilogue::element::{EightOf, ElementAccumulator, ElementD};
pub use super::epilogue::identity::ByPairs;
pub use super::epilogue::op::LinearCombination;
pub use super::epilogue::reads::of_operation;
pub use super::mainloop::{Bits, Operand};
pub use cuda_std::{for_kernel, kernel};
pub use kernel_abi::gemm::{AccumulatorType, Configuration, GemmParams, InputType, Majors};
pub use layout_types::algorithm::chunk_shape::{Chunk32x32, Chunk32x64, ChunkShape, ChunksOf};
#[cfg(target_feature = "compute_90")]
pub use layout_types::atom::copy::Sm90_U32x4_STSM_N;
pub use layout_types::atom::copy::UniversalCopy;
pub use layout_types::check::{Keys, require, same_name};
pub use layout_types::prelude::*;
pub use layout_types::tiled::*;
pub use typenum::Unsigned;
pub use {kernel_abi, layout_types};

/// One stage of an operand.
pub type Stage<O> = Slice<<O as Operand>::Stages, coord!(_, _, 0)>;
/// The tiled copy of a chunk whose elements have the bits `Bits`. `Places` is its layout `(thread,
/// value)`.
pub type ChunkCopy<Chunk, Bits, Places, Vector = u128> =
    TiledCopy<UniversalCopy<Vector>, Bits, Places, <Chunk as ChunkShape>::Tile>;
/// The layout of a thread's places in a chunk of elements of D.
pub type PlacesOf<D, Chunk> = <<D as ElementD>::Bits as EightOf>::Places<
    <Chunk as ChunkShape>::Narrow,
    <Chunk as ChunkShape>::Wide,
>;
/// The tiled copy of a chunk of elements of D.
pub type VectorsOf<D, Chunk> = ChunkCopy<
    Chunk,
    <D as ElementD>::Bits,
    PlacesOf<D, Chunk>,
    <<D as ElementD>::Bits as EightOf>::Vector,
>;
/// The tiled copy of pairs of the accumulator.
pub type PairsCopy<Accumulator, Mma> = MakeTiledCopyC<
    UniversalCopy<<Accumulator as ElementAccumulator>::Pair>,
    <Accumulator as ElementAccumulator>::Bits,
    Mma,
>;
/// The identity epilogue of a D: `Pairs` if its elements have 16 bits.
pub type IdentityOf<D, Pairs> = <<D as ElementD>::Bits as EightOf>::Identity<Pairs>;
/// The number of columns of chunks, for `Chunks` chunks of 32 rows in a tile of `M` rows.
pub type ColumnsOf<Chunks, M> =
    <Chunks as core::ops::Div<<M as core::ops::Shr<int!(5)>>::Output>>::Output;
/// The product of two numbers.
pub type Prod<A, B> = <A as core::ops::Mul<B>>::Output;
/// The copy that stores the rounded accumulator to shared memory: stmatrix if the kernels are built
/// for sm_90, otherwise pairs of elements.
#[cfg(target_feature = "compute_90")]
pub type StorePairs = Sm90_U32x4_STSM_N;
#[cfg(not(target_feature = "compute_90"))]
/// The copy that stores the rounded accumulator to shared memory, in pairs of elements.
pub type StorePairs = UniversalCopy<u32>;
