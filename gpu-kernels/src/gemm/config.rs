//! A configuration of the collective: everything that distinguishes one kernel from another, as types.
//!
//! ```text
//!   global ─ A, B: Operand ─► shared ─ S2rA, S2rB ─► fragments ─ Mma ─► accumulator ─ R2s ─► shared ─ S2g ─► global
//! ```
//!
//! Law: the associated types are concrete where a configuration is defined, and are checked there: thread-value layouts cover
//! their tiles, vectors are contiguous through the swizzles, the mainloop's accesses have no bank conflicts, and the stages fit
//! shared memory. The drivers, the mainloop and the tile scheduler know none of them.

use super::epilogue::op::EpilogueOp;
use super::mainloop::{LoadedOperand, Operand, StagesOf};
use super::params::EpiloguePointers;
use kernel_abi::gemm::{Configuration, GemmParams};
use layout_types::tensor::Plain;
use layout_types::tiled::{TiledCopyTraits, TiledMmaTraits};
use layout_types::unroll::Unroll;
use typenum::Unsigned;

/// A configuration, and a thread's tensors and fragments while it computes a tile.
pub trait GemmConfig: Sized {
    /// How k tiles of A come into shared memory.
    type A: Operand;
    /// How k tiles of B come into shared memory.
    type B: Operand<Bits = <Self::A as Operand>::Bits>;
    /// The tiled MMA.
    type Mma: TiledMmaTraits;
    /// The tiled copy from shared memory to A's fragments.
    type S2rA: TiledCopyTraits;
    /// The tiled copy from shared memory to B's fragments.
    type S2rB: TiledCopyTraits;
    /// The bits of an element of D in the inputs' type.
    type ElementD: Plain;
    /// What the epilogue applies to the accumulator.
    type Operation: EpilogueOp;
    /// Stages of the pipeline in shared memory.
    type Stages: Unsigned;
    /// K tiles prefetched: `Stages - 1`.
    type Prefetch: Unroll;
    /// K blocks of a k tile, each with fragments of its own.
    type KBlocks: Unroll + Unsigned;
    /// Groups of 16 registers of a thread's accumulator.
    type AccumulatorGroups: Unroll;
    /// The columns of chunks of a staged tile of D, each 64 elements wide; 0 if tiles are not staged.
    type StagingColumns: Unroll + Unsigned;
    /// What a host needs to know.
    const CONFIGURATION: Configuration;
}

/// A configuration of a kernel: a thread's tensors and fragments while it computes a tile.
pub trait GemmKernel: GemmConfig<A: LoadedOperand, B: LoadedOperand> {
    /// Returns thread `thread`'s tensors and fragments; the accumulator is zero.
    fn new(thread: u32, a: &StagesOf<Self::A>, b: &StagesOf<Self::B>) -> Self;
    /// Waits until at most `Prefetch - 1` groups of cp.async are in flight.
    fn wait_stage();
    /// Loads the fragments of k block `k_block` from stage `stage`.
    ///
    /// # Safety
    /// All lanes of each warp execute it; the stage is complete, and nobody writes it before the next barrier.
    unsafe fn load_fragments(&self, k_block: u32, stage: u32);
    /// Adds the products of k block `k_block` to the accumulator.
    ///
    /// # Safety
    /// All lanes of each warp execute it.
    unsafe fn mma(&self, k_block: u32);
    /// Sets the accumulator to zero.
    fn clear_accumulator(&self);
    /// Applies the epilogue and stores the CTA's tile of D, by way of shared memory from `shared` on.
    ///
    /// # Safety
    /// Every thread of the CTA calls it; nobody else accesses that shared memory, and a barrier has passed since somebody did. D is
    /// writable, and what the flags name of C and the bias readable, as `params` says; no other CTA writes the tile.
    unsafe fn store(
        &self,
        pointers: EpiloguePointers,
        params: &GemmParams,
        tile: [u32; 2],
        shared: u32,
    );
    /// Writes the rounded accumulator to the staging buffer, from `shared` on; nothing if tiles are not staged.
    ///
    /// # Safety
    /// Every thread of the CTA calls it; nobody else accesses the buffer, and a barrier has passed since somebody did.
    #[inline(always)]
    unsafe fn stage(&self, _shared: u32) {}
    /// Stores a column of a staged tile, predicated where `PREDICATED`; nothing if tiles are not staged.
    ///
    /// # Safety
    /// A barrier has passed since [`stage`](Self::stage); D is writable as `params` says, and no other CTA stores the tile. Without
    /// predicates the tile is in bounds of D.
    #[inline(always)]
    unsafe fn store_column<const PREDICATED: bool>(
        _pointers: EpiloguePointers,
        _params: &GemmParams,
        _tile: (u32, u32),
        _shared: u32,
        _column: u32,
    ) {
    }
    /// Saves this thread's accumulator in the workspace.
    ///
    /// # Safety
    /// `partial_tile` has `CONFIGURATION.partial_bytes` of writable memory, 16-byte aligned, that no other CTA accesses now.
    unsafe fn save_partial(&self, partial_tile: *mut u8);
    /// Adds group `group` of what this thread of this or another CTA saved to the accumulator.
    ///
    /// # Safety
    /// [`save_partial`](Self::save_partial) wrote `partial_tile`, and that is visible here.
    unsafe fn add_partial(&self, group: u32, partial_tile: *const u8);
}

/// The operation of a configuration, [`LinearCombination`](crate::gemm::epilogue::op::LinearCombination) where none is named.
#[doc(hidden)]
#[macro_export]
macro_rules! epilogue_operation {
    () => {
        $crate::gemm::epilogue::op::LinearCombination
    };
    ($operation:ty) => {
        $operation
    };
}

/// Defines configurations: each names its kernel, its types, and the layouts and tiled copies of every leg; the macro writes the
/// functions of [`GemmConfig`].
///
/// ```text
/// gemm_config! {
///     /// What it is.
///     Reference {        the type, and the kernel that `gemm_kernel!` makes of it
///         kernel: "gemm_f16_f16_tn_128x128x32_s3",
///         input: F16 f16, accumulator: F16 f16,            InputType and AccumulatorType, and Rust's types
///         output: f16, by pairs, majors: Tn,               by pairs: for a D of 16-bit elements
///         mma: Warps22<F16F16>,
///         tile: (128, 128, 32), warps: (2, 2), stages: 3, k_blocks: 2,
///         a: K128x32x3, read by RowsA<Warps22<F16F16>>,    operands, and the tiled copies of their fragments
///         b: K128x32x3, read by RowsB<Warps22<F16F16>>,
///         registers: 64,                                   of a thread's accumulator
///         operation: LinearCombination,                    may be left out
///         epilogue: chunk_32x32 2 of 8, 8 of 2             identity: 2 chunks in each of 8 passes; general: 8 in each of 2
///     }
/// }
/// ```
///
/// The library for the host has [`Configuration`]; the assertions and the functions' bodies are the kernel build's alone.
#[macro_export]
macro_rules! gemm_config {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            kernel: $kernel:expr,
            input: $input:ident $value:ty,
            accumulator: $accumulator_type:ident $accumulator:ty,
            output: $element_d:ty $(, by $pairs:ident)?,
            majors: $majors:ident,
            mma: $mma:ty,
            tile: ($m:literal, $n:literal, $k:literal), warps: ($warps_m:literal, $warps_n:literal),
            stages: $stages:literal, k_blocks: $k_blocks:literal,
            a: $a:ty, read by $s2r_a:ty,
            b: $b:ty, read by $s2r_b:ty,
            $(prepared by $prepare:path,)?
            registers: $registers:literal,
            $(operation: $operation:ty,)?
            epilogue: $epilogue:ident $chunks16:literal of $passes16:literal, $chunks32:literal of $passes32:literal
            $(, overlapped $overlapped:literal)? $(, staged $staged:literal)?
        }
    )+) => {$(
        $(#[$doc])*
        pub struct $name {
            #[cfg(target_arch = "nvptx64")]
            thread: u32,
            #[cfg(target_arch = "nvptx64")]
            t_sa: $crate::gemm::scope::StagesSource<$a, $s2r_a>,
            #[cfg(target_arch = "nvptx64")]
            t_sb: $crate::gemm::scope::StagesSource<$b, $s2r_b>,
            #[cfg(target_arch = "nvptx64")]
            r_a: $crate::gemm::scope::FragmentA<$value, $mma, $a>,
            #[cfg(target_arch = "nvptx64")]
            r_b: $crate::gemm::scope::FragmentB<$value, $mma, $b>,
            #[cfg(target_arch = "nvptx64")]
            accumulator: $crate::gemm::scope::Accumulator<$accumulator, $mma, $crate::gemm::scope::int!($m), $crate::gemm::scope::int!($n)>,
        }
        const _: () = {
            use $crate::gemm::scope::*;
            impl GemmConfig for $name {
                type Operation = $crate::epilogue_operation!($($operation)?);
                type A = $a;
                type B = $b;
                type Mma = $mma;
                type S2rA = $s2r_a;
                type S2rB = $s2r_b;
                type ElementD = <$element_d as ElementD>::Bits;
                type Stages = int!($stages);
                type Prefetch = <int!($stages) as core::ops::Sub<int!(1)>>::Output;
                type KBlocks = int!($k_blocks);
                type AccumulatorGroups = GroupCount<int!($registers)>;
                type StagingColumns = $crate::staging_columns!([$($overlapped)? $($staged)?] $n);
                const CONFIGURATION: Configuration = Configuration {
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
                };

            }
            #[cfg(target_arch = "nvptx64")]
            impl GemmKernel for $name {
                #[inline(always)]
                fn new(thread: u32, a: &StagesOf<$a>, b: &StagesOf<$b>) -> Self {
                    Self {
                        thread,
                        t_sa: <$s2r_a>::get_slice(thread).partition_s(a),
                        t_sb: <$s2r_b>::get_slice(thread).partition_s(b),
                        r_a: Fragment::new(),
                        r_b: Fragment::new(),
                        accumulator: Fragment::new(),
                    }
                }
                #[inline(always)]
                fn wait_stage() {
                    cp_async_wait::<{ $stages - 2 }>();
                }
                #[inline(always)]
                unsafe fn load_fragments(&self, k_block: u32, stage: u32) {
                    let (s2r_a, s2r_b) = (<$s2r_a>::get_slice(self.thread), <$s2r_b>::get_slice(self.thread));
                    // The copies move bits, whatever the element type: (CPY, CPY_M, k_block) and (CPY, CPY_N, k_block).
                    let t_ra = s2r_a.retile_d(&self.r_a.view().recast::<Bits<$a>>());
                    let t_rb = s2r_b.retile_d(&self.r_b.view().recast::<Bits<$b>>());
                    // SAFETY: the caller brings all lanes of each warp, and keeps the stage complete until the next barrier.
                    unsafe {
                        copy(
                            <$s2r_a>::default(),
                            &self.t_sa.slice((__, __, k_block, stage)),
                            &t_ra.slice((__, __, k_block)),
                        );
                        copy(
                            <$s2r_b>::default(),
                            &self.t_sb.slice((__, __, k_block, stage)),
                            &t_rb.slice((__, __, k_block)),
                        );
                    }
                }
                #[inline(always)]
                unsafe fn mma(&self, k_block: u32) {
                    // (MMA, MMA_M) and (MMA, MMA_N)
                    let (a, b) = (self.r_a.slice((__, __, k_block)), self.r_b.slice((__, __, k_block)));
                    $(
                        let (bits_a, bits_b) = (a.recast::<Bits<$a>>(), b.recast::<Bits<$b>>());
                        transform(&bits_a, &bits_a, $prepare);
                        transform(&bits_b, &bits_b, $prepare);
                    )?
                    // SAFETY: the caller brings all lanes of each warp.
                    unsafe { gemm(<$mma>::default(), &a, &b, &self.accumulator.view()) };
                }
                #[inline(always)]
                fn clear_accumulator(&self) {
                    clear(&self.accumulator.view().recast::<u32>());
                }
                #[inline(always)]
                unsafe fn store(&self, pointers: EpiloguePointers, params: &GemmParams, tile: [u32; 2], shared: u32) {
                    $crate::store_epilogue! {
                        $epilogue $chunks16 of $passes16, $chunks32 of $passes32;
                        self, pointers, params, tile, shared, <Self as GemmConfig>::Operation, $mma, $accumulator, $element_d, [$($pairs)?], $m, $n
                    }
                }
                $crate::staged_epilogue! { [$($overlapped)? $($staged)?]; $mma, $accumulator, $element_d, $m, $n }
                #[inline(always)]
                unsafe fn save_partial(&self, partial_tile: *mut u8) {
                    // SAFETY: the caller's partial tile has a vector of every thread side by side, so that no two threads write one.
                    unsafe {
                        let saved = Tensor::<_, PartialTileOf<int!($registers), int!($warps_m), int!($warps_n)>>::global_static_mut(
                            partial_tile.cast::<u32>().add(4 * thread_here() as usize),
                        );
                        let accumulator = self.accumulator.view().recast::<u32>().coalesce();
                        copy(AutoVectorizingCopy::default(), &accumulator.compose::<GroupsOf<int!($registers)>>(), &saved);
                    }
                }
                #[inline(always)]
                unsafe fn add_partial(&self, group: u32, partial_tile: *const u8) {
                    // SAFETY: the caller passes what `save_partial` wrote, once a fence has made it visible here.
                    let saved = unsafe {
                        Tensor::<_, PartialTileOf<int!($registers), int!($warps_m), int!($warps_n)>>::global_static(
                            partial_tile.cast::<u32>().add(4 * thread_here() as usize),
                        )
                    };
                    let registers = Fragment::<u32, layout!((4, 4))>::new();
                    let accumulator = self.accumulator.view().recast::<u32>().coalesce();
                    let accumulator = accumulator.compose::<GroupsOf<int!($registers)>>().slice((__, __, group)); // (4, 4)
                    // SAFETY: the group lies in the partial tile, and the registers are this thread's.
                    unsafe { copy(AutoVectorizingCopy::default(), &saved.slice((__, __, group)), &registers.view()) };
                    transform_with(&accumulator, &registers.view(), &accumulator, <$accumulator as ElementAccumulator>::add);
                }
            }
        };
        // Asserted where the PTX is made: there is no kernel of which it does not hold.
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            use $crate::gemm::scope::*;
            $crate::gemm::scope::layout_types::assert_covers!(mma $mma);
            $crate::gemm::scope::layout_types::assert_contiguous!(read of <$a as Operand>::Stages by $s2r_a);
            $crate::gemm::scope::layout_types::assert_contiguous!(read of <$b as Operand>::Stages by $s2r_b);
            let configuration = &<$name as GemmConfig>::CONFIGURATION;
            assert!(<$mma as TiledMmaTraits>::THREADS == configuration.threads as usize);
            assert!(<$mma as TiledMmaTraits>::TileK::USIZE * $k_blocks == $k && $k_blocks >= 2);
            assert!(<$a as Operand>::Stages::SIZE == $m * $k * $stages);
            assert!(<$b as Operand>::Stages::SIZE == $n * $k * $stages);
            // A CTA of an H100 has at most 227 KiB of shared memory.
            assert!(configuration.shared_bytes <= 227 * 1024);
            $( assert!($overlapped * 32 * 64 == $m * $n && configuration.threads == 256); )?
            // The staging buffer lies where the stages were.
            $(
                assert!($staged * 32 * 64 == $m * $n && configuration.threads == 256);
                assert!($staged * 32 * 64 * 2 <= configuration.shared_bytes);
            )?
            // A thread has 255 registers for the accumulator and the fragments of two k blocks.
            assert!(configuration.partial_bytes / (4 * configuration.threads) <= 128);
        };
    )+};
}
