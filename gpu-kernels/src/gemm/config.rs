//! One configuration of the collective: everything that distinguishes a kernel from another, as types.
//!
//! ```text
//!   global ── A, B: Operand ──► shared ── S2rA, S2rB ──► registers ── Mma ──► sums ── R2s ──► shared ── S2g ──► global
//! ```
//!
//! Law: the associated types are concrete where a configuration is defined, and are checked there: thread-value layouts cover
//! their tiles, vectors are contiguous through the swizzles, the main loop's accesses have no bank conflicts, and the stages
//! fit shared memory. The kernel's body (`kernel.rs`, `pipeline.rs`) knows none of them.

use super::operand::Operand;
use kernel_abi::gemm::{Configuration, GemmParams, flags};
use layout_types::tensor::Shared;
use layout_types::tensor::{Plain, Tensor};
use layout_types::tiled::{TiledCopyTraits, TiledMmaTraits};
use layout_types::unroll::Unroll;
use typenum::Unsigned;

/// Addresses of D, C and the bias, those of the block's batch.
#[derive(Clone, Copy)]
pub struct Outputs {
    /// D.
    pub d: *mut u8,
    /// C.
    pub c: *const u8,
    /// The bias.
    pub bias: *const f32,
}

/// A configuration, and with it what a thread holds while it computes a tile.
pub trait GemmConfig: Sized {
    /// How tiles of A are brought.
    type A: Operand;
    /// How tiles of B are brought.
    type B: Operand<Bits = <Self::A as Operand>::Bits>;
    /// The tiled MMA.
    type Mma: TiledMmaTraits;
    /// From shared memory to A's registers.
    type S2rA: TiledCopyTraits;
    /// From shared memory to B's registers.
    type S2rB: TiledCopyTraits;
    /// An element of D where it is not 32 bits wide.
    type Narrow: Plain;
    /// Stages of shared memory.
    type Stages: Unsigned;
    /// One less: the steps that are on their way.
    type Ahead: Unroll;
    /// Blocks of k in a step, each in registers of its own.
    type Blocks: Unroll + Unsigned;
    /// Groups of 16 registers that a thread's sums are.
    type Groups: Unroll;
    /// What a host needs to know.
    const CONFIGURATION: Configuration;

    /// The parts of thread `thread` of a block whose stages are these; the sums are zero.
    fn new(thread: u32, a: &StagesOf<Self::A>, b: &StagesOf<Self::B>) -> Self;
    /// Waits until at most `Ahead` - 1 groups of copies are under way.
    fn wait();
    /// Reads block `block` of `stage` into registers.
    ///
    /// # Safety
    /// Whole warps execute it; the stage is complete and stays until the next barrier.
    unsafe fn read(&self, block: u32, stage: u32);
    /// Adds the products of block `block` to the sums.
    ///
    /// # Safety
    /// Whole warps execute it.
    unsafe fn multiply(&self, block: u32);
    /// Sets the sums to zero.
    fn clear(&self);
    /// Writes the block's tile of D, by way of shared memory from `shared` on.
    ///
    /// # Safety
    /// Every thread of the block calls it; nobody else uses shared memory, and a barrier has passed since somebody did; the
    /// matrices are as `parameters` says.
    unsafe fn store(&self, outputs: Outputs, parameters: &GemmParams, tile: [u32; 2], shared: u32);
    /// Writes this thread's sums to the workspace.
    ///
    /// # Safety
    /// `part` has `CONFIGURATION.partial_bytes` of writable memory, 16-byte aligned, that no other block touches now.
    unsafe fn save(&self, part: *mut u8);
    /// Adds group `group` of what this thread's [`save`](Self::save) wrote, here or in another block, to the sums.
    ///
    /// # Safety
    /// `part` was written, and that is visible here.
    unsafe fn add(&self, group: u32, part: *const u8);
}

/// A configuration that rounds all of a tile into shared memory, and stores it from there, column by column of chunks.
pub trait Rounded: GemmConfig {
    /// The columns of chunks of a tile of D, each 64 elements wide.
    type Columns: Unroll + Unsigned;
    /// Writes the rounded sums to shared memory, from `shared` on.
    ///
    /// # Safety
    /// Every thread of the block calls it; nobody else uses that memory, and a barrier has passed since somebody did.
    unsafe fn round(&self, shared: u32);
    /// Stores a column of a tile that was rounded, all of it where it lies inside D, else what does.
    ///
    /// # Safety
    /// A barrier has passed since [`round`](Self::round); D is as `parameters` says, and no other block stores the tile. The tile
    /// lies inside D where `INSIDE` says so.
    unsafe fn send<const INSIDE: bool>(
        outputs: Outputs,
        parameters: &GemmParams,
        tile: (u32, u32),
        shared: u32,
        column: u32,
    );
}

/// Whether D is asked for and nothing else: rounded sums, whose rows can be written by vectors.
pub fn plain(parameters: &GemmParams) -> bool {
    parameters.epilogue & (flags::WIDE | flags::GENERAL) == 0
        && parameters.epilogue & flags::VECTORS != 0
}

/// Whether it is [`plain`], and all tiles and steps lie inside the matrices: nothing is asked then where an element is copied or
/// stored.
pub fn whole<C: GemmConfig>(parameters: &GemmParams) -> bool {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let &GemmParams { m, n, k, .. } = parameters;
    plain(parameters) && m % tile_m == 0 && n % tile_n == 0 && k % tile_k == 0
}

/// The stages of an operand.
pub type StagesOf<O> = Tensor<Shared<<O as Operand>::Bits>, <O as Operand>::Stages>;

/// Defines configurations.
///
/// Each entry names its kernel, its types, and the layouts and copies of every leg; the functions of [`GemmConfig`] follow. They
/// are the GPU's: the library for the host has what is checked and what a host needs to know, and compiles a tenth of it.
macro_rules! gemm_config {
    ($(
        $(#[$doc:meta])*
        $name:ident = $kernel:literal {
            input: $input:ident $value:ty,
            sums: $sums:ident $sum:ty,
            output: $narrow:ty $(, by $pairs:ident)?,
            majors: $majors:ident,
            mma: $mma:ty,
            tile: ($m:literal, $n:literal, $k:literal), warps: ($warps_m:literal, $warps_n:literal),
            stages: $stages:literal, blocks: $blocks:literal,
            a: $a:ty, read by $s2r_a:ty,
            b: $b:ty, read by $s2r_b:ty,
            $(prepared by $prepare:path,)?
            registers: $registers:literal,
            epilogue: $epilogue:ident $pipe16:literal of $steps16:literal, $pipe32:literal of $steps32:literal
            $(, deferred by $chunks:literal)? $(, straight by $straight:literal)?
        }
    )+) => {$(
        $(#[$doc])*
        pub struct $name {
            #[cfg(target_arch = "nvptx64")]
            thread: u32,
            #[cfg(target_arch = "nvptx64")]
            t_sa: Tensor<Shared<Bits<$a>>, CopyPartitionOf<$s2r_a, Source, <$a as Operand>::Stages>>,
            #[cfg(target_arch = "nvptx64")]
            t_sb: Tensor<Shared<Bits<$b>>, CopyPartitionOf<$s2r_b, Source, <$b as Operand>::Stages>>,
            #[cfg(target_arch = "nvptx64")]
            r_a: Fragment<$value, PartitionFragmentOf<$mma, OperandA, Stage<$a>>, OperandA>,
            #[cfg(target_arch = "nvptx64")]
            r_b: Fragment<$value, PartitionFragmentOf<$mma, OperandB, Stage<$b>>, OperandB>,
            #[cfg(target_arch = "nvptx64")]
            sums: Fragment<$sum, SumsOf<$mma, layout!(($m,$n):(1@0,1@1))>, OperandC>,
        }
        impl GemmConfig for $name {
            type A = $a;
            type B = $b;
            type Mma = $mma;
            type S2rA = $s2r_a;
            type S2rB = $s2r_b;
            type Narrow = <$narrow as Narrow>::Bits;
            type Stages = int!($stages);
            type Ahead = <int!($stages) as core::ops::Sub<int!(1)>>::Output;
            type Blocks = int!($blocks);
            type Groups = GroupCount<int!($registers)>;
            const CONFIGURATION: Configuration = Configuration {
                kernel: $kernel,
                input: InputType::$input,
                accumulator: AccumulatorType::$sums,
                majors: Majors::$majors,
                tile: [$m, $n, $k],
                warps: [$warps_m, $warps_n],
                stages: $stages,
                threads: 32 * $warps_m * $warps_n,
                shared_bytes: <$a as Operand>::BYTES + <$b as Operand>::BYTES $(+ $chunks * 32 * 64 * 2)?,
                persistent: false $(|| $chunks > 0)?,
                load_bytes: if <$a as Operand>::LOAD_BYTES < <$b as Operand>::LOAD_BYTES {
                    <$b as Operand>::LOAD_BYTES
                } else {
                    <$a as Operand>::LOAD_BYTES
                },
                partial_bytes: 4 * $registers * 32 * $warps_m * $warps_n,
                // Beyond what a block may have on an A100.
                arch: if <$a as Operand>::BYTES + <$b as Operand>::BYTES $(+ $chunks * 32 * 64 * 2)? <= 163 * 1024 { 80 } else { 90 },
            };

            #[cuda_std::gpu_only]
            #[inline(always)]
            fn new(thread: u32, a: &StagesOf<$a>, b: &StagesOf<$b>) -> Self {
                Self {
                    thread,
                    t_sa: <$s2r_a>::get_slice(thread).partition_s(a),
                    t_sb: <$s2r_b>::get_slice(thread).partition_s(b),
                    r_a: Fragment::new(),
                    r_b: Fragment::new(),
                    sums: Fragment::new(),
                }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            fn wait() {
                cp_async_wait::<{ $stages - 2 }>();
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn read(&self, block: u32, stage: u32) {
                let (s2r_a, s2r_b) = (<$s2r_a>::get_slice(self.thread), <$s2r_b>::get_slice(self.thread));
                // The copies move bits, whatever they mean.
                let t_ra = s2r_a.retile_d(&self.r_a.view().recast::<Bits<$a>>());
                let t_rb = s2r_b.retile_d(&self.r_b.view().recast::<Bits<$b>>());
                // SAFETY: whole warps are here, by the caller's contract.
                unsafe {
                    copy(
                        <$s2r_a>::default(),
                        &self.t_sa.slice((__, __, block, stage)),
                        &t_ra.slice((__, __, block)),
                    );
                    copy(
                        <$s2r_b>::default(),
                        &self.t_sb.slice((__, __, block, stage)),
                        &t_rb.slice((__, __, block)),
                    );
                }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn multiply(&self, block: u32) {
                let (a, b) = (self.r_a.slice((__, __, block)), self.r_b.slice((__, __, block)));
                $(
                    let (bits_a, bits_b) = (a.recast::<Bits<$a>>(), b.recast::<Bits<$b>>());
                    transform(&bits_a, &bits_a, $prepare);
                    transform(&bits_b, &bits_b, $prepare);
                )?
                // SAFETY: whole warps are here, by the caller's contract.
                unsafe { gemm(<$mma>::default(), &a, &b, &self.sums.view()) };
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            fn clear(&self) {
                clear(&self.sums.view().recast::<u32>());
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn store(&self, outputs: Outputs, parameters: &GemmParams, tile: [u32; 2], shared: u32) {
                $crate::gemm::epilogue_store::$epilogue! {
                    $pipe16 of $steps16, $pipe32 of $steps32;
                    self, outputs, parameters, tile, shared, $mma, $sum, $narrow, [$($pairs)?], $m, $n
                }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn save(&self, part: *mut u8) {
                // SAFETY: the caller's contract; each thread has its own vectors.
                unsafe {
                    let part = Tensor::<_, PartOf<int!($registers), int!($warps_m), int!($warps_n)>>::global_static_mut(
                        part.cast::<u32>().add(4 * thread_here() as usize),
                    );
                    let sums = self.sums.view().recast::<u32>().coalesce();
                    copy(AutoVectorizingCopy::default(), &sums.compose::<GroupsOf<int!($registers)>>(), &part);
                }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn add(&self, group: u32, part: *const u8) {
                // SAFETY: the caller's contract.
                let part = unsafe {
                    Tensor::<_, PartOf<int!($registers), int!($warps_m), int!($warps_n)>>::global_static(
                        part.cast::<u32>().add(4 * thread_here() as usize),
                    )
                };
                let saved = Fragment::<u32, layout!((4, 4))>::new();
                let sums = self.sums.view().recast::<u32>().coalesce();
                let sums = sums.compose::<GroupsOf<int!($registers)>>().slice((__, __, group));
                // SAFETY: each thread copies by itself.
                unsafe { copy(AutoVectorizingCopy::default(), &part.slice((__, __, group)), &saved.view()) };
                transform_with(&sums, &saved.view(), &sums, <$sum as Sum>::add);
            }
        }
        $( $crate::gemm::epilogue_rounded::rounded! { $name, $mma, $sum, $narrow, $m, $n, $chunks } )?
        $( $crate::gemm::epilogue_rounded::rounded! { $name, $mma, $sum, $narrow, $m, $n, $straight } )?
        // The library for the host, which every build makes too, checks for both.
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            ::layout_types::assert_covers!(mma $mma);
            ::layout_types::assert_contiguous!(read of <$a as Operand>::Stages by $s2r_a);
            ::layout_types::assert_contiguous!(read of <$b as Operand>::Stages by $s2r_b);
            let configuration = &<$name as GemmConfig>::CONFIGURATION;
            assert!(<$mma as TiledMmaTraits>::THREADS == configuration.threads as usize);
            assert!(<$mma as TiledMmaTraits>::TileK::USIZE * $blocks == $k && $blocks >= 2);
            assert!(<$a as Operand>::Stages::SIZE == $m * $k * $stages);
            assert!(<$b as Operand>::Stages::SIZE == $n * $k * $stages);
            // What a block may have on an H100.
            assert!(configuration.shared_bytes <= 227 * 1024);
            // The rounded tile lies where the stages were.
            $( assert!($straight * 32 * 64 * 2 <= configuration.shared_bytes); )?
            // Sums, and two blocks of k of A and of B, in the 255 registers of a thread.
            assert!(configuration.partial_bytes / (4 * configuration.threads) <= 128);
        };
    )+};
}
pub(super) use gemm_config;
