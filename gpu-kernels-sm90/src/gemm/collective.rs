//! Describes a kernel by its parts, and derives everything else from them.
//!
//! ```text
//!   Collective<F32BF16BF16, Tn, (U128, U256), U4>                                types, orders, tile of D, stages
//!   Collective<F32BF16BF16, Tn, (U128, U128), U6, Pingpong, Multicast<U2, U1>>   a tile for each group; clusters 2x1
//!   Collective<F32BF16BF16, Swapped<Tn>, (U16, U64), U22, Pingpong, Slices>      few rows: they are `wgmma`'s N
//!        │
//!        └─► atoms of a consumer group, registers, tiles in shared memory, boxes, arrivals, chunks of D
//! ```
//!
//! Law: a description that compiles is a kernel that computes the product. Its stages fit shared
//! memory, `wgmma` exists in its width, the atoms of the consumer groups cover the tile, and each
//! CTA of a cluster loads its share of the common tiles.

use super::config::{AccumulatorPairs, CollectiveConfig, GemmConfig, THREADS};
use super::kernel::check;
use super::mainloop::{MainloopParts, Products};
use super::staged::StagedD;
use super::tile_scheduler::{ClusterTiles, TileScheduler};
use core::marker::PhantomData;
use gpu_kernels::gemm::epilogue::op::LinearCombination;
use kernel_abi::gemm::{AccumulatorType, Configuration, HopperConfiguration, InputType, Majors};
use layout_types::algebra::shape_tiling::FillOrder;
use layout_types::arch::mma_sm90_gmma::FenceOperand;
use layout_types::atom::gmma::{LayoutSw128Atom, SmemAtoms};
use layout_types::atom::mma::sm90::{
    F16F16F16, F32BF16BF16, F32E4M3E4M3, F32E5M2E5M2, F32F16F16, F32TF32TF32, S32S8S8, Shared,
    Wgmma, WgmmaKind,
};
use layout_types::atom::mma::{Major, MajorK, MajorMn, WgmmaOp};
use layout_types::atom::smem_operand::{GmmaDescriptor, TmaTile};
use layout_types::atom::{Element, RegisterArray};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::num::{Bool, Nat, NatDiv, QuotRem};
use layout_types::prelude::*;
use layout_types::typenum::{U1, U2, U8, U16, U24, U32, U40, U48, U56, U64, U1024, Unsigned};
use layout_types::unroll::Unroll;
use layout_types::{ColumnMajor, TileTo, UpcastBy};

/// A kernel of the collective.
///
/// | parameter | what is chosen |
/// |---|---|
/// | `Kind` | the types: a kind of `wgmma`, [`F32BF16BF16`] .. |
/// | `Order` | the orders of A and B: [`Tn`], [`Nn`], [`Tt`], [`Nt`], or [`Swapped`] operands |
/// | `(M, N)` | the tile of D; a tile of k is 128 bytes |
/// | `Stages` | k tiles that the pipeline holds |
/// | `Groups` | how consumer groups divide tiles: [`Rows`], [`Columns`], or whole: [`Pingpong`] |
/// | `Cluster` | [`OneCta`], [`Multicast`], [`Slices`] of k, or [`AnyCluster`], which each launch chooses |
/// | `Tiles` | the tile scheduler: [`ClusterTiles`], one for groups, or one for stream-K |
/// | `Mainloop` | [`Products`], or a mainloop with block scales |
///
/// ```
/// use gpu_kernels_sm90::gemm::collective::{Collective, Multicast, Pingpong, Tn};
/// use kernel_abi::gemm::Configuration;
/// use layout_types::atom::mma::sm90::F32BF16BF16;
/// use layout_types::typenum::{U1, U2, U5, U64, U128, U168, U240};
///
/// const MINE: Configuration = Collective::<F32BF16BF16, Tn, (U128, U168), U5>::configuration("mine");
/// assert_eq!((MINE.tile, MINE.stages), ([128, 168, 64], 5));
/// assert_eq!(MINE.hopper.unwrap().box_b, [64, 168]);
///
/// // Each CTA of a cluster of two loads 120 of the 240 rows of B that both multiply by.
/// type Pair = Collective<F32BF16BF16, Tn, (U64, U240), U5, Pingpong, Multicast<U2, U1>>;
/// assert_eq!(Pair::configuration("pair").hopper.unwrap().box_b, [64, 120]);
/// ```
///
/// A description that does not fit is refused:
///
/// ```compile_fail
/// # use gpu_kernels_sm90::gemm::collective::{Collective, Tn};
/// # use layout_types::atom::mma::sm90::F32BF16BF16;
/// # use layout_types::typenum::{U6, U128, U168};
/// // the stages and the staged D exceed a CTA's 232448 bytes of shared memory
/// const MINE: kernel_abi::gemm::Configuration =
///     Collective::<F32BF16BF16, Tn, (U128, U168), U6>::configuration("mine");
/// ```
pub struct Collective<
    Kind,
    Order,
    Tile,
    Stages,
    Groups = Rows,
    Cluster = OneCta,
    Tiles = ClusterTiles,
    Mainloop = Products,
>(
    PhantomData<(Kind, Order, Tile, Stages)>,
    PhantomData<(Groups, Cluster, Tiles, Mainloop)>,
);

// -- Types ----------------------------------------------------------------------------------------

/// A kind of `wgmma` as a host names its types.
pub trait ProductKind: WgmmaKind {
    /// The type of A and B.
    const INPUT: InputType;
    /// The accumulator.
    const ACCUMULATOR: AccumulatorType;
    /// The columns of a staged chunk: the largest chunk that divides `N`. Rows of a chunk are whole
    /// vectors of 16 bytes of D.
    type Chunk<N: Nat>: Nat;
}
macro_rules! kinds {
    ($($kind:ident $input:ident $accumulator:ident, $chunk:ident;)*) => {$(
        impl ProductKind for $kind {
            const INPUT: InputType = InputType::$input;
            const ACCUMULATOR: AccumulatorType = AccumulatorType::$accumulator;
            type Chunk<N: Nat> = $chunk<N>;
        }
    )*};
}
kinds! {
    F32F16F16 F16 F32, ByEight;
    F16F16F16 F16 F16, ByEight;
    F32BF16BF16 Bf16 F32, ByEight;
    F32TF32TF32 Tf32 F32, ByEight;
    S32S8S8 S8 S32, BySixteen;
    F32E4M3E4M3 E4m3 F32, BySixteen;
    F32E5M2E5M2 E5m2 F32, BySixteen;
}

/// The element type of A and B.
type ElementOf<Kind> = <Kind as WgmmaKind>::A;

// -- Orders ---------------------------------------------------------------------------------------

/// A contiguous mode, with the order in which the swizzle's atoms fill a tile. If the contiguous
/// mode is not K, the atoms fill along K first, so that a box has all of K.
pub trait StagedMajor: Major + SmemAtoms {
    /// The order of (rows, k, stages).
    type OfStages: FillOrder;
    /// The order of (rows, k).
    type OfPart: FillOrder;
}
impl StagedMajor for MajorK {
    type OfStages = ColumnMajor;
    type OfPart = ColumnMajor;
}
impl StagedMajor for MajorMn {
    type OfStages = shape!((2, 1, 3));
    type OfPart = shape!((2, 1));
}

/// The majors of A and B, and which of the two is `wgmma`'s A.
pub trait Operands: 'static {
    /// The contiguous mode of `wgmma`'s A.
    type MajorA: StagedMajor;
    /// The contiguous mode of `wgmma`'s B.
    type MajorB: StagedMajor;
    /// Selects, from numbers along the product's m and n, the number along `wgmma`'s m.
    type AlongM<M: Nat, N: Nat>: Nat;
    /// Selects the number along `wgmma`'s n.
    type AlongN<M: Nat, N: Nat>: Nat;
    /// The columns of a staged chunk, for `N` of `wgmma`'s columns of kind `K`.
    type Chunk<K: ProductKind, N: Nat>: Nat;
    /// The orders of the product's A and B.
    const MAJORS: Majors;
    /// Whether the product's B is `wgmma`'s A.
    const SWAPPED: bool = false;
}

macro_rules! orders {
    ($($name:ident $a:ident $b:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        pub struct $name;
        impl Operands for $name {
            type MajorA = $a;
            type MajorB = $b;
            type AlongM<M: Nat, N: Nat> = M;
            type AlongN<M: Nat, N: Nat> = N;
            type Chunk<K: ProductKind, N: Nat> = K::Chunk<N>;
            const MAJORS: Majors = Majors::$name;
        }
    )*};
}
orders! {
    Tn MajorK MajorK, "A row-major, B column-major.";
    Nn MajorMn MajorK, "A and B column-major.";
    Tt MajorK MajorMn, "A and B row-major.";
    Nt MajorMn MajorMn, "A column-major, B row-major.";
}

/// Swapped operands, for few rows. The product's B is `wgmma`'s A, which has 64 rows; the product's
/// A is `wgmma`'s B, which may have only 8 columns. The epilogue transposes a tile of D.
pub struct Swapped<Order>(PhantomData<Order>);
impl<O: Operands> Operands for Swapped<O> {
    type MajorA = O::MajorB;
    type MajorB = O::MajorA;
    type AlongM<M: Nat, N: Nat> = N;
    type AlongN<M: Nat, N: Nat> = M;
    type Chunk<K: ProductKind, N: Nat> = By16<N>;
    const MAJORS: Majors = O::MAJORS;
    const SWAPPED: bool = true;
}

type DivRem<N, D> = <N as NatDiv>::DivRem<D>;
type Quotient<N, D> = <DivRem<N, D> as QuotRem>::Quot;
/// `D` if it divides `N`, otherwise `Else`.
type Largest<N, D, Else> = <<DivRem<N, D> as QuotRem>::Exact as Bool>::PickNat<D, Else>;
/// The largest multiple of 8 up to 64 that divides `N`.
type ByEight<N> = Largest<N, U64, By56<N>>;
type By56<N> =
    Largest<N, U56, Largest<N, U48, Largest<N, U40, Largest<N, U32, Largest<N, U24, By16<N>>>>>>;
type By16<N> = Largest<N, U16, U8>;
/// The largest multiple of 16 up to 64 that divides `N`.
type BySixteen<N> = Largest<N, U64, Largest<N, U48, Largest<N, U32, U16>>>;

// -- Consumer groups ------------------------------------------------------------------------------

/// How the two consumer groups divide the tiles.
pub trait ConsumerGroups: 'static {
    /// A group's atoms of 64 rows, for a tile of `M` rows.
    type Atoms<M: Nat>: Nat;
    /// A group's columns, for a tile of `N` columns.
    type Columns<N: Nat>: Nat;
    /// Whether each group has tiles of its own.
    const PINGPONG: bool = false;
}
/// Each group has half of a tile's rows.
pub struct Rows;
impl ConsumerGroups for Rows {
    type Atoms<M: Nat> = Quotient<M, layout_types::typenum::U128>;
    type Columns<N: Nat> = N;
}
/// Each group has half of a tile's columns and all of its rows.
pub struct Columns;
impl ConsumerGroups for Columns {
    type Atoms<M: Nat> = Quotient<M, U64>;
    type Columns<N: Nat> = Quotient<N, U2>;
}
/// Each group has every other tile: one multiplies while the other stores.
pub struct Pingpong;
impl ConsumerGroups for Pingpong {
    type Atoms<M: Nat> = Quotient<M, U64>;
    type Columns<N: Nat> = N;
    const PINGPONG: bool = true;
}

// -- Clusters -------------------------------------------------------------------------------------

/// What the CTAs of a cluster share.
pub trait ClusterShape: 'static {
    /// CTAs along the product's m. They share tiles of B.
    type AlongM: Nat;
    /// CTAs along the product's n. They share tiles of A.
    type AlongN: Nat;
    /// Whether each launch chooses the tiles of a cluster. Otherwise `AlongM` and `AlongN` fix
    /// them.
    const ANY: bool = false;
    /// Whether the launch may give the CTAs of a cluster slices of one tile's k.
    const SLICES: bool = false;
}
/// A single CTA, without a cluster.
pub struct OneCta;
impl ClusterShape for OneCta {
    type AlongM = U1;
    type AlongN = U1;
}
/// A cluster of CTAs with neighbouring tiles. Each CTA loads its share of A and B into all CTAs
/// that need it.
pub struct Multicast<AlongM, AlongN>(PhantomData<(AlongM, AlongN)>);
impl<M: Nat, N: Nat> ClusterShape for Multicast<M, N> {
    type AlongM = M;
    type AlongN = N;
}
/// A cluster of one CTA, or of several CTAs if the launch says so. Each CTA has a slice of one
/// tile's k.
pub struct Slices;
impl ClusterShape for Slices {
    type AlongM = U1;
    type AlongN = U1;
    const SLICES: bool = true;
}

/// Each launch chooses a cluster's tiles along m and along n, which are powers of two, and the
/// slices of k. A cluster has at most eight CTAs. The operands are K-major.
pub struct AnyCluster;
impl ClusterShape for AnyCluster {
    type AlongM = U1;
    type AlongN = U1;
    const ANY: bool = true;
    const SLICES: bool = true;
}

// -- Derived types --------------------------------------------------------------------------------

/// Elements of a k tile, which has 128 bytes per row.
type KTile<Kind> = Quotient<U1024, <ElementOf<Kind> as Element>::Bits>;
/// Rows of `wgmma`'s A in a tile. `RowsB` are the rows of `wgmma`'s B.
type RowsA<O, M, N> = <O as Operands>::AlongM<M, N>;
type RowsB<O, M, N> = <O as Operands>::AlongN<M, N>;
/// Columns of a consumer group.
type GroupColumns<O, G, M, N> = <G as ConsumerGroups>::Columns<RowsB<O, M, N>>;
/// The rows of a tile of A that a CTA loads. The cluster's CTAs along n share a tile of A, the CTAs
/// along m a tile of B.
type ShareA<O, C, M, N> = Quotient<
    RowsA<O, M, N>,
    <O as Operands>::AlongN<<C as ClusterShape>::AlongM, <C as ClusterShape>::AlongN>,
>;
type ShareB<O, C, M, N> = Quotient<
    RowsB<O, M, N>,
    <O as Operands>::AlongM<<C as ClusterShape>::AlongM, <C as ClusterShape>::AlongN>,
>;
/// The instruction.
type AtomOf<K, O, G, M, N> =
    Wgmma<K, GroupColumns<O, G, M, N>, Shared, <O as Operands>::MajorA, <O as Operands>::MajorB>;

/// A layout of rows of 128 bytes of `T`, swizzled: rows by k, and by stages.
pub trait StagedTile<T, Rows, K, Stages>: StagedMajor {
    /// The layout (rows, k, stages).
    type Layout: LayoutFn + Reflect;
}
impl<X: StagedMajor, T: Element, R: Nat, K: Nat, S: Nat> StagedTile<T, R, K, S> for X
where
    X::Sw128: UpcastBy<T::Bits>,
    LayoutSw128Atom<T, X>: TileTo<shape!((R, K, S)), X::OfStages, Output: Reflect>,
{
    type Layout = TileToShape<LayoutSw128Atom<T, X>, shape!((R, K, S)), X::OfStages>;
}
/// The layout of the part of a stage that one CTA loads.
pub trait PartTile<T, Rows, K>: StagedMajor {
    /// The layout (rows, k).
    type Layout: LayoutFn + Reflect;
}
impl<X: StagedMajor, T: Element, R: Nat, K: Nat> PartTile<T, R, K> for X
where
    X::Sw128: UpcastBy<T::Bits>,
    LayoutSw128Atom<T, X>: TileTo<shape!((R, K)), X::OfPart, Output: Reflect>,
{
    type Layout = TileToShape<LayoutSw128Atom<T, X>, shape!((R, K)), X::OfPart>;
}

impl<K, O, M, N, S, G, C, T, L> CollectiveConfig for Collective<K, O, (M, N), S, G, C, T, L>
where
    K: ProductKind<A: StagedD>,
    O: Operands,
    M: Nat,
    N: Nat,
    S: Nat,
    G: ConsumerGroups<Atoms<RowsA<O, M, N>>: Unroll>,
    C: ClusterShape,
    T: TileScheduler + 'static,
    L: MainloopParts,
    AtomOf<K, O, G, M, N>: WgmmaOp<
            Accumulator: RegisterArray + FenceOperand + AccumulatorPairs,
            AOperand = GmmaDescriptor<ElementOf<K>, O::MajorA, U64>,
            BOperand = GmmaDescriptor<ElementOf<K>, O::MajorB, GroupColumns<O, G, M, N>>,
        >,
    Quotient<GroupColumns<O, G, M, N>, O::Chunk<K, GroupColumns<O, G, M, N>>>: Unroll,
    O::MajorA: StagedTile<ElementOf<K>, RowsA<O, M, N>, KTile<K>, S>
        + PartTile<ElementOf<K>, ShareA<O, C, M, N>, KTile<K>>,
    O::MajorB: StagedTile<ElementOf<K>, RowsB<O, M, N>, KTile<K>, S>
        + PartTile<ElementOf<K>, ShareB<O, C, M, N>, KTile<K>>,
{
    type Element = ElementOf<K>;
    type D = ElementOf<K>;
    type MajorA = O::MajorA;
    type MajorB = O::MajorB;
    type Registers = <AtomOf<K, O, G, M, N> as WgmmaOp>::Accumulator;
    type SmemA = <O::MajorA as StagedTile<ElementOf<K>, RowsA<O, M, N>, KTile<K>, S>>::Layout;
    type SmemB = <O::MajorB as StagedTile<ElementOf<K>, RowsB<O, M, N>, KTile<K>, S>>::Layout;
    type PartA = <O::MajorA as PartTile<ElementOf<K>, ShareA<O, C, M, N>, KTile<K>>>::Layout;
    type PartB = <O::MajorB as PartTile<ElementOf<K>, ShareB<O, C, M, N>, KTile<K>>>::Layout;
    type Atoms = G::Atoms<RowsA<O, M, N>>;
    type Chunks = Quotient<GroupColumns<O, G, M, N>, O::Chunk<K, GroupColumns<O, G, M, N>>>;
    type Tiles = T;
    type Operation = LinearCombination;
    const TILE: [u32; 3] = [
        RowsA::<O, M, N>::U32,
        RowsB::<O, M, N>::U32,
        KTile::<K>::U32,
    ];
    const CLUSTER: [u32; 2] = [
        O::AlongM::<C::AlongM, C::AlongN>::U32,
        O::AlongN::<C::AlongM, C::AlongN>::U32,
    ];
    const STAGES: u32 = S::U32;
    const CLUSTER_SPLIT: bool = C::SLICES
        && (!C::ANY
            // `add_slices` keeps a tile's accumulators in the stages, and needs consumer groups
            // with rows of the tile, not columns.
            || (GroupColumns::<O, G, M, N>::U32 == RowsB::<O, M, N>::U32
                && 4 * M::U32 * N::U32 <= Self::D_OFFSET));
    const MAJORS: Majors = O::MAJORS;
    const SWAPPED: bool = O::SWAPPED;
    const CHUNK: u32 = O::Chunk::<K, GroupColumns<O, G, M, N>>::U32;
    const BYTES_A: u32 = TmaTile::<Self::PartA, Self::Element>::BYTES * Self::CLUSTER[1];
    const BYTES_B: u32 = TmaTile::<Self::PartB, Self::Element>::BYTES * Self::CLUSTER[0];
}

impl<K, O, M, N, S, G, C, T, L> GemmConfig for Collective<K, O, (M, N), S, G, C, T, L>
where
    Self: CollectiveConfig<
            Element = ElementOf<K>,
            MajorA = O::MajorA,
            MajorB = O::MajorB,
            Registers = <AtomOf<K, O, G, M, N> as WgmmaOp>::Accumulator,
        >,
    <Self as CollectiveConfig>::Registers: RegisterArray + FenceOperand,
    K: ProductKind<A: StagedD>,
    O: Operands,
    M: Nat,
    N: Nat,
    S: Nat,
    G: ConsumerGroups<Atoms<RowsA<O, M, N>>: Unroll>,
    C: ClusterShape,
    T: TileScheduler + 'static,
    L: MainloopParts,
    AtomOf<K, O, G, M, N>: WgmmaOp<
            Accumulator: RegisterArray + FenceOperand + AccumulatorPairs,
            AOperand = GmmaDescriptor<ElementOf<K>, O::MajorA, U64>,
            BOperand = GmmaDescriptor<ElementOf<K>, O::MajorB, GroupColumns<O, G, M, N>>,
        >,
    Quotient<GroupColumns<O, G, M, N>, O::Chunk<K, GroupColumns<O, G, M, N>>>: Unroll,
    O::MajorA: StagedTile<ElementOf<K>, RowsA<O, M, N>, KTile<K>, S>
        + PartTile<ElementOf<K>, ShareA<O, C, M, N>, KTile<K>>,
    O::MajorB: StagedTile<ElementOf<K>, RowsB<O, M, N>, KTile<K>, S>
        + PartTile<ElementOf<K>, ShareB<O, C, M, N>, KTile<K>>,
{
    type Kind = K;
    type N = GroupColumns<O, G, M, N>;
    type Atom = AtomOf<K, O, G, M, N>;
    type Mainloop = L;
    const PINGPONG: bool = G::PINGPONG;
    const ANY_CLUSTER: bool = C::ANY;
}

impl<K, O, M, N, S, G, C, T, L> Collective<K, O, (M, N), S, G, C, T, L>
where
    Self: GemmConfig,
{
    /// Returns the description, for a host, of the kernel that the entry point `kernel` runs.
    pub const fn configuration(kernel: &'static str) -> Configuration {
        configuration::<Self>(kernel)
    }
}

/// Returns the description, for a host, of the kernel of a configuration.
pub const fn configuration<C: GemmConfig>(kernel: &'static str) -> Configuration {
    const { check::<C>() }
    let [m, n] = of_product::<C>([C::TILE[0], C::TILE[1]]);
    let [box_a, box_b] = if C::SWAPPED {
        [C::BOX_B, C::BOX_A]
    } else {
        [C::BOX_A, C::BOX_B]
    };
    Configuration {
        name: kernel,
        kernel,
        input: C::Kind::INPUT,
        accumulator: C::Kind::ACCUMULATOR,
        majors: C::MAJORS,
        tile: [m, n, C::TILE[2]],
        warps: [8, 1],
        stages: C::STAGES,
        threads: THREADS,
        shared_bytes: C::SHARED_BYTES,
        load_bytes: 16,
        partial_bytes: if C::Tiles::STREAM_K { 4 * m * n } else { 0 },
        persistent: true,
        arch: 90,
        reads: C::READS,
        hopper: Some(HopperConfiguration {
            cluster: of_product::<C>(C::CLUSTER),
            any_cluster: C::ANY_CLUSTER,
            swapped: C::SWAPPED,
            pingpong: C::PINGPONG,
            columns: <C::N as Unsigned>::U32,
            cluster_split: C::CLUSTER_SPLIT,
            stream_k: C::Tiles::STREAM_K,
            // With swapped operands, chunks are rows of D.
            chunk: if C::SWAPPED { 64 } else { C::CHUNK },
            scaling: C::Mainloop::SCALING,
            grouped: C::Tiles::GROUPED,
            box_a,
            box_b,
        }),
    }
}

/// Converts two extents of a configuration, along m and n, to extents of the product.
const fn of_product<C: GemmConfig>([m, n]: [u32; 2]) -> [u32; 2] {
    if C::SWAPPED { [n, m] } else { [m, n] }
}

/// Defines a kernel of the collective: an entry point that runs a [`GemmConfig`].
///
/// ```text
/// collective_kernel! { gemm_bf16_gelu_residual: Fused }
/// ```
///
/// The arguments are d, a, b, c, bias, workspace, [`GemmParams`](kernel_abi::gemm::GemmParams), the
/// tensor maps of A, B and D, and batches. [`configuration`] of the same type plans the kernel's
/// launch.
#[macro_export]
macro_rules! collective_kernel {
    ($name:ident: $configuration:ty) => {
        /// Computes a GEMM as [`kernel_abi::gemm`] defines it, on Hopper.
        ///
        /// # Safety
        /// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
        #[$crate::gemm::scope::kernel(threads = 384, min_blocks = 1)]
        pub unsafe fn $name(
            d: *mut u8,
            a: *const u8,
            b: *const u8,
            c: *const u8,
            bias: *const f32,
            workspace: *mut u8,
            params: $crate::gemm::scope::GemmParams,
            #[grid_constant] map_a: &$crate::gemm::scope::TensorMap,
            #[grid_constant] map_b: &$crate::gemm::scope::TensorMap,
            #[grid_constant] map_d: &$crate::gemm::scope::TensorMap,
            batches: u32,
        ) {
            use $crate::gemm::scope::{CollectiveConfig, GemmConfig, KernelPointers, run};
            type C = $configuration;
            let pointers = KernelPointers {
                d,
                a,
                b,
                c,
                bias,
                workspace,
            };
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                run::<C, { C::STAGES }, { C::ARRIVALS }, { C::ATOMS }>(
                    pointers,
                    params,
                    [map_a, map_b, map_d],
                    batches,
                )
            }
        }
    };
}
