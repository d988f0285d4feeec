//! The parts that make up a kernel of few rows: format, activations, tokens and rows of a tile.
//!
//! ```text
//!   weights_int4_g128_bf16_t8: Int4G128Bf16T8 = Int4<ScaleGroups<bf16, 128>>, bf16, OfCluster,
//!       tokens 8 * 1, rows 16 * 1, threads 512, warps 16 * 1, depth 4;
//! ```
//!
//! Law: a kernel reads only weights that were packed for its format. The plan compares the names.

use super::format::{BlockCodes, Decode, WeightFormat};
use super::scaling::GroupScaling;
use half::{bf16, f16};
use kernel_abi::gemm::InputType;
use kernel_abi::weights::{Body, PackedLayout, WeightsConfiguration};
use layout_types::atom::convert::ConvertTo;
use layout_types::atom::half_pair::HalfPair;
use layout_types::atom::mma::{
    MmaOp, Sm80_16x8x16_F32BF16BF16F32_TN, Sm80_16x8x16_F32F16F16F32_TN,
};

/// The length of a unit along k. A warp loads and multiplies one unit before it loads again.
pub const UNIT: u32 = kernel_abi::weights::UNIT;

/// A 16-bit float type of activations and of D.
pub trait Activation: HalfPair + ConvertTo<f32> {
    /// The name of this type in a problem.
    const INPUT: InputType;
    /// The MMA atom.
    type Atom: MmaOp<ARegisters = [u32; 4], BRegisters = [u32; 2], DRegisters = [f32; 4]>;
    /// Rounds a sum.
    fn round(sum: f32) -> Self;
}
impl Activation for f16 {
    const INPUT: InputType = InputType::F16;
    type Atom = Sm80_16x8x16_F32F16F16F32_TN;
    #[inline(always)]
    fn round(sum: f32) -> f16 {
        sum.convert_to()
    }
}
impl Activation for bf16 {
    const INPUT: InputType = InputType::Bf16;
    type Atom = Sm80_16x8x16_F32BF16BF16F32_TN;
    #[inline(always)]
    fn round(sum: f32) -> bf16 {
        sum.convert_to()
    }
}

/// A kernel's types and numbers.
pub trait FewRows: 'static {
    /// The weights.
    type Format: Decode<Self::Element>;
    /// The activations.
    type Element: Activation;
    /// How CTAs divide k among themselves.
    type Slices: KSlices;
    /// The number of blocks of 8 tokens in a tile.
    const TOKEN_BLOCKS: usize;
    /// The number of row blocks that a warp has in a tile, each with 16 rows of weights.
    const ROW_BLOCKS: usize;
    /// The number of warps in a CTA, at most 16.
    const WARPS: u32;
    /// The number of warps along n in a CTA, each with its own row blocks. The warps with equal row
    /// blocks divide k among themselves.
    const N_WARPS: u32;

    /// How the weights are packed.
    const PACKED: &'static PackedLayout = &packed_layout::<Self::Format>();
    /// The number of warps of a CTA along k.
    const K_WARPS: u32 = Self::WARPS / Self::N_WARPS;
    /// The number of blocks of 16 rows in a tile.
    const TILE_BLOCKS: u32 = Self::N_WARPS * Self::ROW_BLOCKS as u32;
}

/// Returns how weights of a format are packed.
///
/// ```
/// use gpu_kernels::weights::{config::packed_layout, format::Int4, scaling::ScaleGroups};
/// let packed = packed_layout::<Int4<ScaleGroups<half::f16, 128>>>();
/// assert_eq!(packed.to_string(), "int4:128, scales f16 (m16n8k16)");
/// ```
#[must_use]
pub const fn packed_layout<F: WeightFormat>() -> PackedLayout {
    PackedLayout {
        format: F::NAME,
        bits: F::BITS,
        scales: F::Scaling::SCALES,
        zeros: F::Scaling::ZEROS,
        record_bytes: match F::Scaling::GROUP {
            Some(_) => 2 * F::Scaling::WORDS as u32,
            None => 4,
        },
        group: F::Scaling::GROUP,
        order: super::order::ORDER,
    }
}

/// Returns the number of words in a record. A record has the scales, zeros and minima that belong
/// to a unit of a thread's two rows.
#[must_use]
pub const fn record_words<C: FewRows>() -> usize {
    <C::Format as WeightFormat>::Scaling::WORDS
}
/// Returns how many bytes the codes of a unit take, for a block of 16 rows.
#[must_use]
pub const fn code_bytes<C: FewRows>() -> u32 {
    2 * C::Format::BITS * UNIT
}

/// Returns how many loads of 16 bytes a thread needs for the codes of a unit, for a block of 16
/// rows.
#[must_use]
pub const fn loads<C: FewRows>() -> usize {
    2 * <<C::Format as WeightFormat>::Codes as BlockCodes>::LOADS
}

/// The bytes of shared memory for the barriers, rounded up to whole wavefronts.
pub const BARRIER_BYTES: u32 = kernel_abi::weights::BARRIER_BYTES;
/// Returns the number of buffers of the warps' sums. A warp may be this many tiles ahead of the
/// slowest warp.
#[must_use]
pub const fn sums_buffers<C: FewRows>() -> u32 {
    if C::TILE_BLOCKS * (C::TOKEN_BLOCKS as u32) < 4 {
        4
    } else {
        2
    }
}

/// How the CTAs that divide k among themselves communicate.
pub trait KSlices: 'static {
    /// The largest number of CTAs that divide k.
    const MOST: u32;
    /// Waits for the previous launch and lets the next one begin, if launches are programmatic.
    fn wait_on_launch_ahead();
    /// Returns this CTA's index among the CTAs that divide k, and how many of them there are.
    fn of() -> (u32, u32);
    /// Waits for all CTAs that divide k. Afterwards their writes to shared memory are visible.
    ///
    /// # Safety
    /// All threads of all these CTAs call it, each warp as a whole.
    unsafe fn sync();
    /// Loads from the same place in the shared memory of the CTA `rank`.
    ///
    /// # Safety
    /// That CTA wrote 16 bytes there before [`sync`](Self::sync), and has not exited.
    unsafe fn load(address: u32, rank: u32) -> [f32; 4];
}
/// One CTA computes all of k.
pub struct Whole;
impl KSlices for Whole {
    const MOST: u32 = 1;
    #[inline(always)]
    fn wait_on_launch_ahead() {}
    #[inline(always)]
    fn of() -> (u32, u32) {
        (0, 1)
    }
    #[inline(always)]
    unsafe fn sync() {}
    #[inline(always)]
    unsafe fn load(_address: u32, _rank: u32) -> [f32; 4] {
        [0.0; 4]
    }
}
/// The CTAs of a cluster divide k among themselves, on Hopper.
pub struct OfCluster;
impl KSlices for OfCluster {
    const MOST: u32 = 8;
    #[inline(always)]
    fn wait_on_launch_ahead() {
        use layout_types::arch::grid_dependency_control as control;
        control::wait_on_dependent_grids();
        control::launch_dependent_grids();
    }
    #[inline(always)]
    fn of() -> (u32, u32) {
        use layout_types::arch::cluster_sm90::{block_rank_in_cluster, cluster_size};
        (block_rank_in_cluster(), cluster_size())
    }
    #[inline(always)]
    unsafe fn sync() {
        // SAFETY: all threads of the cluster call it, by the trait's contract.
        unsafe { layout_types::arch::cluster_sm90::cluster_sync() };
    }
    #[inline(always)]
    unsafe fn load(address: u32, rank: u32) -> [f32; 4] {
        use layout_types::arch::cluster_sm90::{load_shared_cluster_b128, mapa};
        // SAFETY: the CTA wrote the bytes before the barrier and has not exited, by the trait's
        // contract; `mapa` returns their address in that CTA.
        unsafe { load_shared_cluster_b128(mapa(address, rank)) }.map(f32::from_bits)
    }
}

/// Defines entry points: `name: type = format, activations, slices, tokens, rows of a warp,
/// threads, warps along k * warps along n, depth`. The depth is the number of units that a warp
/// loads in advance.
#[macro_export]
macro_rules! few_rows_kernel {
    ($($(#[$doc:meta])* $name:ident: $config:ident = $format:ty, $element:ty, $slices:ty,
       tokens 8 * $token_blocks:literal, rows 16 * $row_blocks:literal,
       threads $threads:literal, warps $k_warps:literal * $n_warps:literal, depth $depth:literal;)*) => {$(
        $(#[$doc])*
        pub struct $config;
        #[$crate::weights::scope::for_kernel($name)]
        impl $crate::weights::config::FewRows for $config {
            type Format = $format;
            type Element = $element;
            type Slices = $slices;
            const TOKEN_BLOCKS: usize = $token_blocks;
            const ROW_BLOCKS: usize = $row_blocks;
            const WARPS: u32 = $threads / 32;
            const N_WARPS: u32 = {
                assert!(32 * $k_warps * $n_warps == $threads, "a warp is 32 threads");
                $n_warps
            };
        }
        #[$crate::weights::scope::for_kernel($name)]
        impl $config {
            /// The description of the kernel for a host.
            pub const CONFIGURATION: $crate::weights::scope::WeightsConfiguration =
                $crate::weights::config::configuration::<$config>(stringify!($name));
        }
        $(#[$doc])*
        ///
        /// # Safety
        /// The launch is the one that
        /// [`WeightsConfiguration::plan`](kernel_abi::weights::WeightsConfiguration::plan) returns.
        #[$crate::weights::scope::kernel(threads = $threads, min_blocks = 1)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's parameters")]
        pub unsafe fn $name(
            d: *mut u8, x: *const u8, codes: *const u8, groups: *const u8,
            c: *const u8, bias: *const f32, workspace: *mut u8, params: $crate::weights::scope::GemmParams,
        ) {
            let buffers = $crate::weights::scope::Pointers { d, x, codes, groups, c, bias, workspace };
            let of = $crate::weights::kernel::Arguments { buffers, params };
            // SAFETY: the launch is the plan's, by the entry's contract.
            unsafe {
                $crate::weights::kernel::run::<
                    $config,
                    { $crate::weights::config::loads::<$config>() },
                    { $crate::weights::config::record_words::<$config>() },
                    $depth,
                    $row_blocks,
                    $token_blocks,
                >(&of);
            }
        }
    )*};
}

/// Returns the description of a kernel for a host.
#[must_use]
pub const fn configuration<C: FewRows>(kernel: &'static str) -> WeightsConfiguration {
    WeightsConfiguration {
        kernel,
        packed: C::PACKED,
        input: <C::Element as Activation>::INPUT,
        tokens: 8 * C::TOKEN_BLOCKS as u32,
        rows: 16 * C::TILE_BLOCKS,
        threads: 32 * C::WARPS,
        body: Body::FewRows {
            k_warps: C::K_WARPS,
            buffers: sums_buffers::<C>(),
            most_slices: C::Slices::MOST,
        },
    }
}
