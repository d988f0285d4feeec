//! Describes a kernel with scale factors by its parameters, and derives its types from them.
//!
//! ```text
//!   ScaledCollective<Mxfp8, bf16, U128, U6>             types, 16-bit type of D, columns of a CTA's tile, stages
//!   ScaledCollective<Nvfp4, bf16, U128, U7, TwoSm>      two CTAs multiply: 256 rows, half of B each
//! ```
//!
//! Law: the law of [`Collective`](super::super::collective::Collective) holds, and the scale
//! factors fit tensor memory after two accumulators.

use super::super::collective::{GroupAtom, SumElement, SumsShape, configuration};
use super::super::config::{FromRegisters, GemmConfig};
use super::plan::{ScaledConfiguration, ScaledFormat};
use super::products::{BlockScaled, CopiesScales, ScaledConfig, check};
use core::marker::PhantomData;
use gpu_kernels::gemm::epilogue::op::LinearCombination;
use gpu_kernels_sm90::gemm::collective::{PartTile, StagedTile};
use gpu_kernels_sm90::gemm::config::CollectiveConfig;
use gpu_kernels_sm90::gemm::staged::StagedD;
use gpu_kernels_sm90::gemm::tile_scheduler::ClusterTiles;
use half::{bf16, f16};
use kernel_abi::gemm::{AccumulatorType, InputType, Majors};
use layout_types::atom::Element;
use layout_types::atom::element::{FloatE2M1, FloatE4M3, FloatUE4M3, FloatUE8M0};
use layout_types::atom::mma::sm100::{Mxf4, Mxf8f6f4, UmmaScales, UmmaTypes};
use layout_types::atom::mma::{MajorK, UmmaScaledOp};
use layout_types::atom::smem_operand::TmaTile;
use layout_types::atom::tmem::allocation::TmemColumns;
use layout_types::atom::tmem::fragment::{CtaGroup, MakeTmemFrg, OneSm, Share, TmemFragment};
use layout_types::atom::umma::UmmaDescriptor;
use layout_types::check::Reflect;
use layout_types::num::{Nat, NatDiv, One, QuotRem};
use layout_types::typenum::{U16, U128, U1024, Unsigned};

/// e4m3 with a power of two for each 32 elements along k.
pub type Mxfp8 = Mxf8f6f4<FloatE4M3, FloatE4M3, f32, FloatUE8M0>;
/// e2m1 with an e4m3 without sign for each 16 elements along k.
pub type Nvfp4 = Mxf4<FloatE2M1, FloatE2M1, f32, FloatUE4M3, U16>;

/// A kernel of the collective whose operands have scale factors. A and B are K-major.
///
/// | parameter | what is chosen |
/// |---|---|
/// | `Kind` | the types: [`Mxfp8`], [`Nvfp4`] |
/// | `D` | D's 16-bit type; a launch may store f32 instead |
/// | `N` | columns of D that a CTA stores: 128; its rows are 128, a tile of k is 128 bytes |
/// | `Stages` | k tiles that the pipeline holds |
/// | `Group` | [`OneSm`], or `TwoSm`: a pair of CTAs, each with 128 rows of A and half of B's tile |
///
/// ```
/// use gpu_kernels_sm100::gemm::scaled::collective::{Mxfp8, Nvfp4, ScaledCollective};
/// use half::bf16;
/// use layout_types::atom::tmem::fragment::TwoSm;
/// use layout_types::typenum::{U6, U7, U128};
///
/// let one = ScaledCollective::<Mxfp8, bf16, U128, U6>::configuration("one");
/// assert_eq!((one.tile(), one.blocks_k), ([128, 128, 128], 1));
/// let pair = ScaledCollective::<Nvfp4, bf16, U128, U7, TwoSm>::configuration("pair");
/// assert_eq!((pair.tile(), pair.blocks_k), ([128, 128, 256], 4));
/// ```
///
/// Two accumulators of 256 columns leave tensor memory no column for scale factors:
///
/// ```compile_fail
/// # use gpu_kernels_sm100::gemm::scaled::collective::{Mxfp8, ScaledCollective};
/// # use layout_types::typenum::{U4, U256};
/// let mine = ScaledCollective::<Mxfp8, half::bf16, U256, U4>::configuration("mine");
/// ```
pub struct ScaledCollective<Kind, D, N, Stages, Group = OneSm>(
    PhantomData<(Kind, D, N, Stages, Group)>,
);

/// The types with scale factors, and the names that a host gives them.
pub trait ScaledKind: UmmaScales {
    /// The name.
    const FORMAT: ScaledFormat;
}
impl ScaledKind for Mxfp8 {
    const FORMAT: ScaledFormat = ScaledFormat::Mxfp8;
}
impl ScaledKind for Nvfp4 {
    const FORMAT: ScaledFormat = ScaledFormat::Nvfp4;
}

/// A 16-bit type of D, as a plan names it.
pub trait HalfOfD: StagedD {
    /// The type.
    const TYPE: InputType;
}
impl HalfOfD for bf16 {
    const TYPE: InputType = InputType::Bf16;
}
impl HalfOfD for f16 {
    const TYPE: InputType = InputType::F16;
}

/// A byte: two e2m1, or one e4m3. TMA loads bytes, and the extent K of the parameters counts them.
type Byte = u8;
/// The number of bytes of a row in a k tile.
type KBytes = U128;
/// The number of elements of A and B in a row of a k tile.
type KTile<T> = <<U1024 as NatDiv>::DivRem<<T as Element>::Bits> as QuotRem>::Quot;
type ElementA<K> = <K as UmmaTypes>::A;
type ElementB<K> = <K as UmmaTypes>::B;

impl<K, D, N, S, G> CollectiveConfig for ScaledCollective<K, D, N, S, G>
where
    K: ScaledKind<Accumulator: SumElement>,
    D: HalfOfD,
    N: Nat,
    S: Nat,
    G: CtaGroup,
    MajorK: StagedTile<Byte, U128, KBytes, S>
        + PartTile<Byte, U128, KBytes>
        + StagedTile<Byte, Share<G, N>, KBytes, S>
        + PartTile<Byte, Share<G, N>, KBytes>,
{
    type Element = Byte;
    type D = D;
    type MajorA = MajorK;
    type MajorB = MajorK;
    type Registers = <<K as UmmaTypes>::Accumulator as SumElement>::Registers;
    type SmemA = <MajorK as StagedTile<Byte, U128, KBytes, S>>::Layout;
    type SmemB = <MajorK as StagedTile<Byte, Share<G, N>, KBytes, S>>::Layout;
    type PartA = <MajorK as PartTile<Byte, U128, KBytes>>::Layout;
    type PartB = <MajorK as PartTile<Byte, Share<G, N>, KBytes>>::Layout;
    type Atoms = One;
    type Chunks = One;
    type Tiles = ClusterTiles;
    type Operation = LinearCombination;
    const TILE: [u32; 3] = [128, N::U32, KBytes::U32];
    const CLUSTER: [u32; 2] = [G::Size::U32, 1];
    const STAGES: u32 = S::U32;
    const CLUSTER_SPLIT: bool = false;
    const MAJORS: Majors = Majors::Tn;
    const CHUNK: u32 = 64;
    const BYTES_A: u32 = TmaTile::<Self::PartA, Self::Element>::BYTES;
    const BYTES_B: u32 = TmaTile::<Self::PartB, Self::Element>::BYTES;
}

impl<K, D, N, S, G, Atom> GemmConfig for ScaledCollective<K, D, N, S, G>
where
    Self: CollectiveConfig<Element = Byte, MajorB = MajorK, Registers: FromRegisters>,
    K: ScaledKind,
    D: HalfOfD,
    N: Nat,
    S: Nat,
    G: CopiesScales + GroupAtom<K, MajorK, MajorK, N, Atom = Atom>,
    MajorK: StagedTile<ElementA<K>, U128, KTile<ElementA<K>>, S>
        + StagedTile<ElementB<K>, Share<G, N>, KTile<ElementB<K>>, S>,
    Atom: UmmaScaledOp<
            AOperand = UmmaDescriptor<ElementA<K>, MajorK, U128>,
            BOperand = UmmaDescriptor<ElementB<K>, MajorK, Share<G, N>>,
        > + 'static,
    Atom::FrgTypeC: TmemFragment<SumsShape<N>, Layout: Reflect>,
    <N::Twice as Nat>::Twice: TmemColumns,
{
    type Group = G;
    type RowsB = Share<G, N>;
    type Atom = Atom;
    type Products = BlockScaled;
    type Accumulators = MakeTmemFrg<Atom::FrgTypeC, SumsShape<N>>;
    type Columns = <N::Twice as Nat>::Twice;
    const INPUT: InputType = D::TYPE;
    const ACCUMULATOR: AccumulatorType = AccumulatorType::F32;
}

impl<K, D, N, S, G, Atom> ScaledConfig for ScaledCollective<K, D, N, S, G>
where
    Self: CollectiveConfig<Element = Byte, MajorB = MajorK, Registers: FromRegisters>,
    K: ScaledKind,
    D: HalfOfD,
    N: Nat,
    S: Nat,
    G: CopiesScales + GroupAtom<K, MajorK, MajorK, N, Atom = Atom>,
    MajorK: StagedTile<ElementA<K>, U128, KTile<ElementA<K>>, S>
        + StagedTile<ElementB<K>, Share<G, N>, KTile<ElementB<K>>, S>,
    Atom: UmmaScaledOp<
            AOperand = UmmaDescriptor<ElementA<K>, MajorK, U128>,
            BOperand = UmmaDescriptor<ElementB<K>, MajorK, Share<G, N>>,
        > + 'static,
    Atom::FrgTypeC: TmemFragment<SumsShape<N>, Layout: Reflect>,
    <N::Twice as Nat>::Twice: TmemColumns,
{
    type Kind = K;
    type Scaled = Atom;
    type StagesA = <MajorK as StagedTile<ElementA<K>, U128, KTile<ElementA<K>>, S>>::Layout;
    type StagesB = <MajorK as StagedTile<ElementB<K>, Share<G, N>, KTile<ElementB<K>>, S>>::Layout;
}

impl<K, D, N, S, G> ScaledCollective<K, D, N, S, G>
where
    Self: ScaledConfig<Kind = K>,
    K: ScaledKind,
{
    /// Returns the description, for a host, of the kernel that the entry point `kernel` runs.
    pub const fn configuration(kernel: &'static str) -> ScaledConfiguration {
        const { check::<Self>() }
        ScaledConfiguration {
            format: K::FORMAT,
            bytes: configuration::<Self>(kernel),
            blocks_k: <Self as ScaledConfig>::BLOCKS_K,
        }
    }
}

/// Defines a kernel of the collective with scale factors: an entry point that runs a
/// [`ScaledConfig`](crate::gemm::scaled::products::ScaledConfig).
///
/// The arguments are those of [`collective_kernel!`](crate::collective_kernel), then the tensor
/// maps of the scale factors of A and of B. A
/// [`ScaledConfiguration`](crate::gemm::scaled::plan::ScaledConfiguration) of the same type plans
/// the kernel's launch.
#[macro_export]
macro_rules! scaled_kernel {
    ($name:ident: $configuration:ty) => {
        /// Computes a product of operands with scale factors as `gpu_kernels_sm100::gemm::scaled`
        /// defines it, on Blackwell. No card has run this kernel.
        ///
        /// # Safety
        /// The launch is as `ScaledConfiguration::plan` says.
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
            #[grid_constant] map_sfa: &$crate::gemm::scope::TensorMap,
            #[grid_constant] map_sfb: &$crate::gemm::scope::TensorMap,
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
            let maps = [map_a, map_b, map_d];
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                run::<C, { C::STAGES }>(pointers, params, maps, [map_sfa, map_sfb], batches);
            }
        }
    };
}
