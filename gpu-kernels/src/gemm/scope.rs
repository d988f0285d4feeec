//! What the bodies of `gemm_config!` and `operand!` name, wherever they are expanded. Not for direct use.

pub use super::config::{GemmConfig, GemmKernel};
pub use super::epilogue::element::{EightOf, ElementAccumulator, ElementD, RoundPairs};
pub use super::epilogue::op::{ElementValue, EpilogueOp, LinearCombination, VectorValues};
pub use super::intrinsics::{opaque, thread_here};
pub use super::layouts::{Chunks32x32, Chunks32x64};
pub use super::mainloop::{Bits, Operand, StagesOf};
pub use super::params::{EpiloguePointers, KernelPointers};
pub use cuda_std::kernel;
pub use cuda_std::thread::sync_threads;
pub use kernel_abi::gemm::{AccumulatorType, Configuration, GemmParams, InputType, Majors, flags};
pub use layout_types::algorithm::*;
#[cfg(target_feature = "compute_90")]
pub use layout_types::atom::copy::Sm90_U32x4_STSM_N;
pub use layout_types::atom::copy::{AutoVectorizingCopy, UniversalCopy};
pub use layout_types::prelude::*;
pub use layout_types::tensor::{Fragment, Shared, make_fragment_like};
pub use layout_types::tiled::*;
pub use typenum::Unsigned;
pub use {kernel_abi, layout_types};

/// One stage of an operand.
pub type Stage<O> = Slice<<O as Operand>::Stages, coord!(_, _, 0)>;
/// A thread's part of the stages that a tiled copy reads: `(CPY, CPY_M, CPY_K, stage)`.
pub type StagesSource<O, Copy> =
    Tensor<Shared<Bits<O>>, CopyPartitionOf<Copy, Source, <O as Operand>::Stages>>;
/// The layout of a thread's accumulator of a tile.
pub type AccumulatorOf<Mma, Tile> = PartitionFragmentOf<Mma, OperandC, Tile>;
/// A thread's fragments of A, `(MMA, MMA_M, k_block)`.
pub type FragmentA<Value, Mma, A> =
    Fragment<Value, PartitionFragmentOf<Mma, OperandA, Stage<A>>, OperandA>;
/// A thread's fragments of B, `(MMA, MMA_N, k_block)`.
pub type FragmentB<Value, Mma, B> =
    Fragment<Value, PartitionFragmentOf<Mma, OperandB, Stage<B>>, OperandB>;
/// A thread's accumulator, `(MMA, MMA_M, MMA_N)`.
pub type Accumulator<Value, Mma, M, N> =
    Fragment<Value, AccumulatorOf<Mma, layout!((M,N):(1@0,1@1))>, OperandC>;
/// A thread's part of a saved partial tile, `(register, vector, group)`: a vector of every thread stands side by side.
pub type PartialTileOf<Registers, WarpsM, WarpsN> = Layout<
    shape!((4, 4, GroupCount<Registers>)),
    shape!((
        1,
        Prod<int!(128), Prod<WarpsM, WarpsN>>,
        Prod<int!(512), Prod<WarpsM, WarpsN>>
    )),
>;
/// A thread's accumulator registers as `(register, vector, group)`.
pub type GroupsOf<Registers> = layout!((4, 4, GroupCount<Registers>));
/// Groups of 16 registers.
pub type GroupCount<Registers> = <Registers as core::ops::Shr<int!(4)>>::Output;
/// The product of two numbers.
pub type Prod<A, B> = <A as core::ops::Mul<B>>::Output;
/// Stores the rounded accumulator to shared memory: by stmatrix where the kernels are built for sm_90, else pairs of elements.
#[cfg(target_feature = "compute_90")]
pub type StorePairs = Sm90_U32x4_STSM_N;
#[cfg(not(target_feature = "compute_90"))]
/// Stores the rounded accumulator to shared memory, in pairs of elements.
pub type StorePairs = UniversalCopy<u32>;
