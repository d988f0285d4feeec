//! Describes a kernel by its parameters, and derives its types from them.
//!
//! ```text
//!   Collective<F16bf16<bf16, bf16, f32>, MajorK, MajorK, U256, U4>            types, orders, columns of a CTA's tile, stages
//!   Collective<F16bf16<bf16, bf16, f32>, MajorK, MajorK, U256, U6, TwoSm>     two CTAs multiply: 256 rows, half of B each
//!        │
//!        └─► instruction, tiles in shared memory, boxes, accumulators and columns of tensor memory
//! ```
//!
//! Law: a description that compiles is a kernel that computes the product. Its stages fit shared
//! memory, two accumulators fit tensor memory, and the instruction supports its N.

use super::config::{FromRegisters, GemmConfig, THREADS, check};
use super::products::Plain;
use core::marker::PhantomData;
use gpu_kernels::gemm::epilogue::op::LinearCombination;
use gpu_kernels_sm90::gemm::collective::{PartTile, StagedTile};
use gpu_kernels_sm90::gemm::config::CollectiveConfig;
use gpu_kernels_sm90::gemm::staged::StagedD;
use gpu_kernels_sm90::gemm::tile_scheduler::ClusterTiles;
use half::{bf16, f16};
use kernel_abi::gemm::{
    AccumulatorType, Configuration, HopperConfiguration, InputType, Majors, Scaling,
};
use layout_types::atom::Element;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::atom::mma::UmmaPlainOp;
use layout_types::atom::mma::sm100::{F8f6f4, F16bf16, S8, Shared, Tf32, Umma, UmmaTypes};
use layout_types::atom::smem_operand::TmaTile;
use layout_types::atom::tmem::allocation::TmemColumns;
use layout_types::atom::tmem::fragment::{
    CtaGroup, MakeTmemFrg, OneSm, Share, TmemFragment, TwoSm,
};
use layout_types::atom::umma::UmmaDescriptor;
use layout_types::check::Reflect;
use layout_types::num::{Bool, False, Nat, NatDiv, One, QuotRem};
use layout_types::prelude::*;
use layout_types::typenum::{U2, U128, U256, U1024, Unsigned};

/// A kernel of the collective.
///
/// | parameter | what is chosen |
/// |---|---|
/// | `Kind` | the types: [`F16bf16`], [`Tf32`], [`S8`], [`F8f6f4`] |
/// | `MajorA`, `MajorB` | the contiguous modes of A and B |
/// | `N` | columns of D that a CTA stores: 64, 128 or 256; its rows are 128, a tile of k is 128 bytes |
/// | `Stages` | k tiles that the pipeline holds |
/// | `Group` | [`OneSm`], or `TwoSm`: a pair of CTAs, each with 128 rows of A and half of B's tile |
///
/// ```
/// use gpu_kernels_sm100::gemm::collective::Collective;
/// use half::bf16;
/// use kernel_abi::gemm::Configuration;
/// use layout_types::atom::mma::{MajorK, sm100::F16bf16};
/// use layout_types::atom::tmem::fragment::TwoSm;
/// use layout_types::typenum::{U4, U6, U256};
///
/// type Bf16 = F16bf16<bf16, bf16, f32>;
/// const ONE: Configuration = Collective::<Bf16, MajorK, MajorK, U256, U4>::configuration("one");
/// const PAIR: Configuration = Collective::<Bf16, MajorK, MajorK, U256, U6, TwoSm>::configuration("pair");
/// assert_eq!((ONE.tile, ONE.hopper.unwrap().box_b), ([128, 256, 64], [64, 256]));
/// assert_eq!((PAIR.tile, PAIR.hopper.unwrap().box_b), ([128, 256, 64], [64, 128]));
/// ```
///
/// A description whose parts do not fit is refused:
///
/// ```compile_fail
/// # use gpu_kernels_sm100::gemm::collective::Collective;
/// # use layout_types::atom::mma::{MajorK, sm100::F16bf16};
/// # use layout_types::typenum::{U5, U256};
/// # type Bf16 = F16bf16<half::bf16, half::bf16, f32>;
/// // the stages and the staged D exceed a CTA's 232448 bytes of shared memory
/// const MINE: kernel_abi::gemm::Configuration = Collective::<Bf16, MajorK, MajorK, U256, U5>::configuration("mine");
/// ```
pub struct Collective<Kind, MajorA, MajorB, N, Stages, Group = OneSm>(
    PhantomData<(Kind, MajorA, MajorB, N, Stages, Group)>,
);

/// The types of a product as a host names them.
pub trait ProductKind: UmmaTypes {
    /// The type of A and B.
    const INPUT: InputType;
    /// The type of the accumulator.
    const ACCUMULATOR: AccumulatorType;
}
macro_rules! kinds {
    ($($kind:ty, $input:ident $accumulator:ident;)*) => {$(
        impl ProductKind for $kind {
            const INPUT: InputType = InputType::$input;
            const ACCUMULATOR: AccumulatorType = AccumulatorType::$accumulator;
        }
    )*};
}
kinds! {
    F16bf16<f16, f16, f32>, F16 F32;
    F16bf16<bf16, bf16, f32>, Bf16 F32;
    Tf32<TFloat32, TFloat32, f32>, Tf32 F32;
    S8<i8, i8, i32, False>, S8 S32;
    F8f6f4<FloatE4M3, FloatE4M3, f32>, E4m3 F32;
    F8f6f4<FloatE5M2, FloatE5M2, f32>, E5m2 F32;
}

type Quotient<N, D> = <<N as NatDiv>::DivRem<D> as QuotRem>::Quot;
/// The elements of A and B.
type ElementOf<K> = <K as UmmaTypes>::A;
/// The number of elements of a k tile along k: those in 128 bytes.
type KTile<K> = Quotient<U1024, <ElementOf<K> as Element>::Bits>;
/// The shape of the accumulators: `((128,N),1,1,accumulators)`.
pub(super) type SumsShape<N> = shape!(((U128, N), One, One, U2));

/// The CTAs that multiply together, and their instruction.
pub trait GroupAtom<Kind, MajorA, MajorB, N>: CtaGroup {
    /// The instruction. It has 128 rows of each CTA.
    type Atom;
}
impl<K, A, B, N> GroupAtom<K, A, B, N> for OneSm {
    type Atom = Umma<K, U128, N, Shared, OneSm, A, B>;
}
impl<K, A, B, N> GroupAtom<K, A, B, N> for TwoSm {
    type Atom = Umma<K, U256, N, Shared, TwoSm, A, B>;
}

/// The values of a thread in a load of 16 lanes and 64 columns.
type RegistersOf<K> = <<K as UmmaTypes>::Accumulator as SumElement>::Registers;

/// An element of an accumulator of 32 bits.
pub trait SumElement: Element {
    /// A thread's values in a load of 16 lanes and 64 columns.
    type Registers: FromRegisters;
}
impl SumElement for f32 {
    type Registers = [f32; 32];
}
impl SumElement for i32 {
    type Registers = [i32; 32];
}

impl<K, A, B, N, S, G> CollectiveConfig for Collective<K, A, B, N, S, G>
where
    K: ProductKind<A: StagedD, Accumulator: SumElement>,
    N: Nat,
    S: Nat,
    G: CtaGroup,
    A: StagedTile<ElementOf<K>, U128, KTile<K>, S> + PartTile<ElementOf<K>, U128, KTile<K>>,
    B: StagedTile<ElementOf<K>, Share<G, N>, KTile<K>, S>
        + PartTile<ElementOf<K>, Share<G, N>, KTile<K>>,
{
    type Element = ElementOf<K>;
    type D = ElementOf<K>;
    type MajorA = A;
    type MajorB = B;
    type Registers = RegistersOf<K>;
    type SmemA = <A as StagedTile<ElementOf<K>, U128, KTile<K>, S>>::Layout;
    type SmemB = <B as StagedTile<ElementOf<K>, Share<G, N>, KTile<K>, S>>::Layout;
    type PartA = <A as PartTile<ElementOf<K>, U128, KTile<K>>>::Layout;
    type PartB = <B as PartTile<ElementOf<K>, Share<G, N>, KTile<K>>>::Layout;
    type Atoms = One;
    type Chunks = One;
    type Tiles = ClusterTiles;
    type Operation = LinearCombination;
    const TILE: [u32; 3] = [128, N::U32, KTile::<K>::U32];
    const CLUSTER: [u32; 2] = [G::Size::U32, 1];
    const STAGES: u32 = S::U32;
    const CLUSTER_SPLIT: bool = false;
    const MAJORS: Majors = match (A::IsK::VALUE, B::IsK::VALUE) {
        (true, true) => Majors::Tn,
        (false, true) => Majors::Nn,
        (true, false) => Majors::Tt,
        (false, false) => Majors::Nt,
    };
    const CHUNK: u32 = 64;
    const BYTES_A: u32 = TmaTile::<Self::PartA, Self::Element>::BYTES;
    const BYTES_B: u32 = TmaTile::<Self::PartB, Self::Element>::BYTES;
}

impl<K, A, B, N, S, G, Atom> GemmConfig for Collective<K, A, B, N, S, G>
where
    Self:
        CollectiveConfig<Element = ElementOf<K>, MajorA = A, MajorB = B, Registers: FromRegisters>,
    K: ProductKind,
    N: Nat,
    G: GroupAtom<K, A, B, N, Atom = Atom>,
    Atom: UmmaPlainOp<
            AOperand = UmmaDescriptor<ElementOf<K>, A, U128>,
            BOperand = UmmaDescriptor<ElementOf<K>, B, Share<G, N>>,
        > + 'static,
    Atom::FrgTypeC: TmemFragment<SumsShape<N>, Layout: Reflect>,
    N::Twice: TmemColumns,
{
    type Group = G;
    type RowsB = Share<G, N>;
    type Atom = Atom;
    type Products = Plain;
    type Accumulators = MakeTmemFrg<Atom::FrgTypeC, SumsShape<N>>;
    type Columns = N::Twice;
    const INPUT: InputType = K::INPUT;
    const ACCUMULATOR: AccumulatorType = K::ACCUMULATOR;
}

impl<K, A, B, N, S, G> Collective<K, A, B, N, S, G>
where
    Self: GemmConfig,
{
    /// Returns the description, for a host, of the kernel that the entry point `kernel` runs.
    pub const fn configuration(kernel: &'static str) -> Configuration {
        configuration::<Self>(kernel)
    }
}

/// Returns the description of a configuration's kernel for a host.
pub const fn configuration<C: GemmConfig>(kernel: &'static str) -> Configuration {
    const { check::<C>() }
    Configuration {
        name: kernel,
        kernel,
        input: C::INPUT,
        accumulator: C::ACCUMULATOR,
        majors: C::MAJORS,
        tile: C::TILE,
        warps: [THREADS / 32, 1],
        stages: C::STAGES,
        threads: THREADS,
        shared_bytes: C::SHARED_BYTES,
        load_bytes: 16,
        partial_bytes: 0,
        persistent: true,
        arch: 100,
        reads: C::READS,
        hopper: Some(HopperConfiguration {
            cluster: C::CLUSTER,
            any_cluster: false,
            swapped: false,
            pingpong: false,
            columns: C::TILE[1],
            cluster_split: false,
            stream_k: false,
            chunk: C::CHUNK,
            scaling: Scaling::Tensor,
            grouped: false,
            box_a: C::BOX_A,
            box_b: C::BOX_B,
        }),
    }
}

/// Defines a kernel of the collective: an entry point that runs a
/// [`GemmConfig`](crate::gemm::config::GemmConfig).
///
/// The arguments are d, a, b, c, bias, workspace, [`GemmParams`](kernel_abi::gemm::GemmParams), the
/// tensor maps of A, B and D, and batches. [`configuration`] of the same type plans the kernel's
/// launch.
#[macro_export]
macro_rules! collective_kernel {
    ($name:ident: $configuration:ty) => {
        /// Computes a GEMM as [`kernel_abi::gemm`] defines it, on Blackwell. No card has run this
        /// kernel.
        ///
        /// # Safety
        /// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
        #[$crate::gemm::scope::kernel(threads = 256, min_blocks = 1)]
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
            use $crate::gemm::scope::{CollectiveConfig, KernelPointers, run};
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
            unsafe { run::<C, { C::STAGES }>(pointers, params, [map_a, map_b, map_d], (), batches) }
        }
    };
}
