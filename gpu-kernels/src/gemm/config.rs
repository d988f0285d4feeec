//! A configuration of the collective: everything that distinguishes one kernel from another, as
//! types.
//!
//! ```text
//!   global ─ A, B: Operand ─► shared ─ S2rA, S2rB ─► fragments ─ Mma ─► accumulator ─ R2s ─► shared ─ S2g ─► global
//! ```
//!
//! Law: each configuration names concrete associated types, which are checked at its definition:
//! thread-value layouts cover their tiles, vectors are contiguous through the swizzles, the
//! mainloop's accesses have no bank conflicts, and the stages fit shared memory. The drivers, the
//! mainloop and the tile scheduler are generic over these types.

use super::epilogue::element::{EightOf, ElementAccumulator, ElementD};
use super::epilogue::identity::IdentityEpilogue;
use super::epilogue::op::{Eight, EpilogueOp};
use super::mainloop::{Bits, LoadedOperand, Operand};
use kernel_abi::gemm::Configuration;
use layout_types::algorithm::chunk_shape::ChunkShape;
use layout_types::algorithm::chunks::*;
use layout_types::algorithm::k_block::{LoadKBlock, MultiplyKBlock};
use layout_types::algorithm::partial_tile::PartialTile;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, FragmentLayout, Plain};
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledCopyTraits, TiledMmaTraits};
use layout_types::unroll::Unroll;
use typenum::Unsigned;

/// A configuration: the types that distinguish one kernel from another.
pub trait GemmConfig: Sized {
    /// How k tiles of A are copied to shared memory.
    type A: Operand;
    /// How k tiles of B are copied to shared memory.
    type B: Operand<Bits = <Self::A as Operand>::Bits>;
    /// An element of A's and B's fragments.
    type Value: Plain;
    /// An element of the accumulator.
    type Accumulator: ElementAccumulator;
    /// An element of D in the inputs' type.
    type D: ElementD;
    /// The tiled MMA.
    type Mma: TiledMmaTraits;
    /// The operation that the epilogue applies to the accumulator.
    type Operation: EpilogueOp;
    /// The number of stages of the pipeline in shared memory.
    type Stages: Unsigned;
    /// The number of k tiles that are prefetched: `Stages - 1`.
    type Prefetch: Unroll;
    /// The number of groups of cp.async that are still in flight after a wait: `Stages - 2`.
    type InFlight: Unsigned;
    /// The number of k blocks in a k tile, each with fragments of its own.
    type KBlocks: Unroll + Unsigned;
    /// The number of columns of chunks in a staged tile of D, each 64 elements wide, or 0 if tiles
    /// are not staged.
    type StagingColumns: Unroll + Unsigned;
    /// The description of the kernel for a host.
    const CONFIGURATION: Configuration;
}

/// A function of the bits of an element of A or B.
pub type Prepare<C> = Option<fn(Bits<AOf<C>>) -> Bits<AOf<C>>>;
type AOf<C> = <C as GemmConfig>::A;
type StagesOfA<C> = <AOf<C> as Operand>::Stages;
type StagesOfB<C> = <<C as GemmConfig>::B as Operand>::Stages;
type Value<C> = <C as GemmConfig>::Value;
type ElementOf<C> = <C as GemmConfig>::Accumulator;
/// The bits of an element of D in the inputs' type.
pub type BitsD<C> = <<C as GemmConfig>::D as ElementD>::Bits;
/// The layout of a thread's eight elements of D.
pub type ValuesD<C> = <BitsD<C> as EightOf>::Values;
/// A tile of D.
pub type TileOf<C> = <<C as GemmTypes>::Tile as MatrixTiler>::Layout;
type Words<C> = <C as GemmTypes>::Words;
type FragmentA<C> = <C as GemmTypes>::FragmentA;
type FragmentB<C> = <C as GemmTypes>::FragmentB;
type FragmentC<C> = <C as GemmTypes>::FragmentC;
type PairOf<C> = <ElementOf<C> as ElementAccumulator>::Pair;
/// A thread's accumulator, `(MMA, MMA_M, MMA_N)`.
pub type AccumulatorOf<C> = Fragment<ElementOf<C>, FragmentC<C>, OperandC>;

/// The types of a kernel that follow from its configuration.
pub trait GemmTypes: GemmConfig {
    /// The tiled copy from shared memory to A's fragments.
    type S2rA: TiledCopyTraits;
    /// The tiled copy from shared memory to B's fragments.
    type S2rB: TiledCopyTraits;
    /// The layout of a thread's fragments of A, `(MMA, MMA_M, k_block)`.
    type FragmentA;
    /// The layout of a thread's fragments of B, `(MMA, MMA_N, k_block)`.
    type FragmentB;
    /// The layout of a thread's accumulator, `(MMA, MMA_M, MMA_N)`.
    type FragmentC;
    /// The number of a CTA's threads.
    type Threads;
    /// The tiler of D.
    type Tile: MatrixTiler;
    /// The chunk of D that the CTA stores at once.
    type Chunk;
    /// The chunks of 32-bit elements of a pass, in shared memory.
    type Words;
    /// The number of chunks of a pass.
    type ChunksOfPass;
    /// The number of passes.
    type Passes;
    /// The tiled copy that reads pairs of the accumulator.
    type Pairs;
    /// The tiled copy that writes pairs of 32-bit elements to shared memory.
    type R2s;
    /// The tiled copy of 32-bit elements.
    type S2r;
    /// The tiled copy of integers that stay 32 bits wide.
    type S2rWide;
    /// The tiled copy of elements of D in the inputs' type.
    type VectorsD;
    /// The identity epilogue.
    type Identity;
    /// A function that is applied to the bits of A's and B's fragments before they are multiplied.
    const PREPARE: Prepare<Self> = None;
}

/// A configuration of a kernel, with the operations of its types as bounds. These are bounds of one
/// trait and not of each type, so the compiler proves them for a configuration in one environment
/// and computes the layouts once.
pub trait GemmKernel:
    GemmConfig<
        A: LoadedOperand,
        B: LoadedOperand,
        Mma: MultiplyKBlock<
            Value<Self>,
            FragmentA<Self>,
            Value<Self>,
            FragmentB<Self>,
            ElementOf<Self>,
            FragmentC<Self>,
        >,
    > + GemmTypes<
        S2rA: LoadKBlock<Bits<AOf<Self>>, StagesOfA<Self>, Value<Self>, FragmentA<Self>, OperandA>,
        S2rB: LoadKBlock<Bits<AOf<Self>>, StagesOfB<Self>, Value<Self>, FragmentB<Self>, OperandB>,
        FragmentA: FragmentLayout,
        FragmentB: FragmentLayout,
        FragmentC: PartialTile<ElementOf<Self>, <Self as GemmTypes>::Threads>
                       + ConvertPairs<ElementOf<Self>, PairOf<Self>, u16, u32>,
        Chunk: ChunkShape,
        Words: LayoutFn,
        ChunksOfPass: Unroll + Unsigned,
        Passes: Unroll + Unsigned,
        R2s: WriteChunkAs<
            <Self as GemmTypes>::Pairs,
            ElementOf<Self>,
            <ElementOf<Self> as ElementAccumulator>::Bits,
            PairOf<Self>,
            FragmentC<Self>,
            u32,
            u64,
            Words<Self>,
        >,
        S2r: ReadChunk<u32, Words<Self>, Eight>
                 + LoadChunk<u32, TileOf<Self>, Eight>
                 + StoreChunk<u32, TileOf<Self>, Eight>,
        S2rWide: ReadChunk<u32, Words<Self>, Eight> + StoreChunk<u32, TileOf<Self>, Eight>,
        VectorsD: LoadChunk<BitsD<Self>, TileOf<Self>, ValuesD<Self>>
                      + StoreChunk<BitsD<Self>, TileOf<Self>, ValuesD<Self>>,
        Identity: IdentityEpilogue<Self>,
    >
{
}

/// Expands to the type in brackets or, if the brackets are empty, to the default type.
#[doc(hidden)]
#[macro_export]
macro_rules! given {
    ([] $default:ty) => {
        $default
    };
    ([$given:ty] $default:ty) => {
        $given
    };
}

/// Expands to an expression or a statement whose compile errors point at the value of a key.
#[doc(hidden)]
#[macro_export]
macro_rules! at_key {
    ($key:tt $($checked:tt)+) => {
        $crate::gemm::scope::layout_types::__notation::located!($key $($checked)+);
    };
}

/// Defines configurations. Each names its kernel, its types, and the layouts and tiled copies of
/// every step from global memory to D.
///
/// ```text
/// gemm_config! {
///     /// The reference.
///     Reference {        the type, and the kernel that `gemm_kernel!` makes of it
///         kernel: "gemm_f16_f16_tn_128x128x32_s3",
///         input: F16 f16, accumulator: F16 f16,            InputType and AccumulatorType, and Rust's types
///         output: f16, majors: Tn,
///         mma: Warps22<F16F16>,
///         tile: (128, 128, 32), warps: (2, 2), stages: 3, k_blocks: 2,
///         a: K128x32x3, read by RowsA<Warps22<F16F16>>,    operands, and the tiled copies of their fragments
///         b: K128x32x3, read by RowsB<Warps22<F16F16>>,
///         registers: 64,                                   of a thread's accumulator
///         operation: LinearCombination,                    optional
///         epilogue: Chunk32x32 2 of 8, 8 of 2             identity: 2 chunks in each of 8 passes; general: 8 in each of 2
///     }
/// }
/// ```
///
/// The library for the host has [`GemmConfig`] only. The assertions and the traits that the
/// functions are generic over exist only in the kernel build.
#[macro_export]
macro_rules! gemm_config {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            kernel: $kernel:expr,
            input: $input:ident $value:ty,
            accumulator: $accumulator_type:ident $accumulator:ty,
            output: $element_d:ty,
            majors: $majors:ident,
            mma: $mma:ty,
            tile: ($m:literal, $n:literal, $k:literal), warps: ($warps_m:literal, $warps_n:literal),
            stages: $stages:literal, k_blocks: $k_blocks:literal,
            a: $a:ty, read by $s2r_a:ty,
            b: $b:ty, read by $s2r_b:ty,
            $(prepared by $prepare:expr,)?
            registers: $registers:literal,
            $(operation: $operation:ty,)?
            epilogue: $epilogue:ident $chunks16:literal of $passes16:literal, $chunks32:literal of $passes32:literal
            $(, overlapped $overlapped:literal)? $(, staged $staged:literal)?
        }
    )+) => {$(
        $(#[$doc])*
        pub struct $name;
        const _: () = {
            use $crate::gemm::scope::*;
            impl GemmConfig for $name {
                type Operation = $crate::given!([$($operation)?] LinearCombination);
                type A = $a;
                type B = $b;
                type Mma = $mma;
                type Value = $value;
                type Accumulator = $accumulator;
                type D = $element_d;
                type Stages = int!($stages);
                type Prefetch = <int!($stages) as core::ops::Sub<int!(1)>>::Output;
                type InFlight = <int!($stages) as core::ops::Sub<int!(2)>>::Output;
                type KBlocks = int!($k_blocks);
                type StagingColumns = $crate::given!([$(ColumnsOf<int!($overlapped), int!($m)>)? $(ColumnsOf<int!($staged), int!($m)>)?] int!(0));
                const CONFIGURATION: Configuration = Configuration {
                    name: $kernel,
                    kernel: $kernel,
                    input: InputType::$input,
                    accumulator: AccumulatorType::$accumulator_type,
                    majors: Majors::$majors,
                    tile: [$m, $n, $k],
                    warps: [$warps_m, $warps_n],
                    stages: $stages,
                    threads: 32 * $warps_m * $warps_n,
                    shared_bytes: <$a as Operand>::BYTES + <$b as Operand>::BYTES $(+ $overlapped * 32 * 64 * 2)?,
                    persistent: false $(|| $overlapped > 0)?,
                    load_bytes: if <$a as Operand>::LOAD_BYTES < <$b as Operand>::LOAD_BYTES {
                        <$b as Operand>::LOAD_BYTES
                    } else {
                        <$a as Operand>::LOAD_BYTES
                    },
                    partial_bytes: 4 * $registers * 32 * $warps_m * $warps_n,
                    // A CTA of an A100 has at most 163 KiB of shared memory.
                    arch: if <$a as Operand>::BYTES + <$b as Operand>::BYTES $(+ $overlapped * 32 * 64 * 2)? <= 163 * 1024 { 80 } else { 90 },
                    hopper: None,
                    reads: of_operation::<<Self as GemmConfig>::Operation>(),
                };
            }
            // The host names both types, so that the caller's imports are used. rustc does not
            // evaluate an alias that nothing uses.
            #[cfg(not(target_arch = "nvptx64"))]
            #[allow(dead_code)]
            type FragmentCopies = ($s2r_a, $s2r_b);
            #[cfg(target_arch = "nvptx64")]
            #[for_kernel($kernel)]
            impl GemmTypes for $name {
                type S2rA = $s2r_a;
                type S2rB = $s2r_b;
                type FragmentA = PartitionFragmentOf<$mma, OperandA, Stage<$a>>;
                type FragmentB = PartitionFragmentOf<$mma, OperandB, Stage<$b>>;
                type FragmentC = PartitionFragmentOf<$mma, OperandC, layout!(($m,$n):(1@0,1@1))>;
                type Threads = Prod<int!(32), Prod<int!($warps_m), int!($warps_n)>>;
                type Tile = tile!($m, $n);
                type Chunk = $epilogue;
                type Words = ChunksOf<$epilogue, <$epilogue as ChunkShape>::Words, int!($chunks32)>;
                type ChunksOfPass = int!($chunks32);
                type Passes = int!($passes32);
                type Pairs = PairsCopy<$accumulator, $mma>;
                type R2s = MakeTiledCopyC<UniversalCopy<u64>, u32, $mma>;
                type S2r = ChunkCopy<$epilogue, u32, PlacesOf<$element_d, $epilogue>>;
                type S2rWide = ChunkCopy<$epilogue, u32, <$epilogue as ChunkShape>::Wide>;
                type VectorsD = VectorsOf<$element_d, $epilogue>;
                type Identity = IdentityOf<$element_d, ByPairs<
                    MakeTiledCopyC<StorePairs, u16, $mma>, ChunksOf<$epilogue, <$epilogue as ChunkShape>::Halves, int!($chunks16)>, int!($chunks16), int!($passes16),
                >>;
                $(const PREPARE: Prepare<Self> = Some($prepare);)?
            }
            #[cfg(target_arch = "nvptx64")]
            #[for_kernel($kernel)]
            impl GemmKernel for $name {}
        };
        // Checks the numbers, also in `cargo check`. Each error is at the number's key.
        #[$crate::gemm::scope::for_kernel($kernel)]
        const _: () = {
            use $crate::gemm::scope::*;
            const KEYS: Keys = Keys { tile: [$m, $n, $k], warps: [$warps_m, $warps_n], stages: $stages };
            $crate::at_key!($warps_m require(KEYS.warps_of([<$mma as TiledMmaTraits>::ThrM::U32, <$mma as TiledMmaTraits>::ThrN::U32, <$mma as TiledMmaTraits>::ThrK::U32], <$mma as TiledMmaTraits>::THREADS as u32)));
            $crate::at_key!($m require(KEYS.tile_of([<$mma as TiledMmaTraits>::TileM::U32, <$mma as TiledMmaTraits>::TileN::U32, 1])));
            $crate::at_key!($k_blocks require(KEYS.k_blocks($k_blocks, <$mma as TiledMmaTraits>::TileK::U32)));
            $crate::at_key!($a require(KEYS.stages_of("a", 0, <$a as Operand>::Stages::SIZE)));
            $crate::at_key!($b require(KEYS.stages_of("b", 1, <$b as Operand>::Stages::SIZE)));
            $crate::at_key!($stages require(KEYS.shared_bytes(<$name as GemmConfig>::CONFIGURATION.shared_bytes)));
            $crate::at_key!($registers require(KEYS.registers($registers, size_of::<$accumulator>())));
            $crate::at_key!($chunks16 require(KEYS.chunks(<$epilogue as ChunkShape>::EXTENTS, $chunks16, $passes16)));
            $crate::at_key!($chunks32 require(KEYS.chunks(<$epilogue as ChunkShape>::EXTENTS, $chunks32, $passes32)));
            $( $crate::at_key!($overlapped require(KEYS.staged($overlapped))); )?
            $(
                $crate::at_key!($staged require(KEYS.staged($staged)));
                $crate::at_key!($staged require(KEYS.staging_bytes($staged, <$name as GemmConfig>::CONFIGURATION.shared_bytes)));
            )?
        };
        // Checks the layouts, when the PTX is built.
        #[cfg(target_arch = "nvptx64")]
        #[$crate::gemm::scope::for_kernel($kernel)]
        const _: () = {
            use $crate::gemm::scope::*;
            $crate::gemm::scope::layout_types::assert_covers!(mma $mma);
            $crate::at_key!($s2r_a layout_types::assert_contiguous!(read of <$a as Operand>::Stages by $s2r_a));
            $crate::at_key!($s2r_b layout_types::assert_contiguous!(read of <$b as Operand>::Stages by $s2r_b));
            $crate::at_key!($s2r_a layout_types::assert_bank_conflict_free!(read of <$a as Operand>::Stages by $s2r_a));
            $crate::at_key!($s2r_b layout_types::assert_bank_conflict_free!(read of <$b as Operand>::Stages by $s2r_b));
        };
    )+};
}
