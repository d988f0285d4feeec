//! `attention_kernel!` defines an attention kernel by `mma.sync` for a head dimension, a tile and a
//! score function, for this crate and for others.
//!
//! ```text
//!   element, d, tile, stages ─► @config   the types of MultistageAttention, and their assertions
//!                            ─► @row      the row of a table, from which the host plans launches
//!                            ─► @entry    the kernel, with the arguments of its sequences and its score function last
//! ```
//!
//! Law: warps cover the tiled MMA, and every write to and read from shared memory is contiguous and
//! free of bank conflicts.

/// Defines a user's own attention kernels by `mma.sync`, for every GPU from Ampere on: you choose
/// head dimension, tile and score function.
///
/// ```
/// use gpu_kernels::attention::score::{ScoreAt, ScoreFunction};
/// use half::bf16;
///
/// /// Takes from a score what the key is away, times a slope.
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// pub struct Distance {
///     pub slope: f32,
/// }
/// impl ScoreFunction for Distance {
///     #[inline(always)]
///     fn score(self, score: f32, at: ScoreAt) -> f32 {
///         score - self.slope * at.distance.abs()
///     }
/// }
///
/// gpu_kernels::attention_kernel! {
///     /// Head dimension 160.
///     pub Distances = attention_distance_bf16_d160: bf16 with Distance, d 160, tile 64 x 64, stages 1, lazy();
/// }
/// assert_eq!(Distances::CONFIGURATION.dim, 160);
/// assert_eq!(Distances::CONFIGURATION.shared_bytes, 2 * 160 * (64 + 2 * 64));
/// ```
///
/// A head dimension `d` is a multiple of 16 up to 256, or 512; `d 192 v 128` gives V and O their
/// own head dimension. A tile has 64 or 128 queries (16 or 32 per warp) and a multiple of 16 keys.
/// K and V have one or two stages each. Then follow methods of
/// [`Tuning`](crate::attention::config::Tuning) that change a default. An optional
/// [`ScoreFunction`](crate::attention::score::ScoreFunction) follows `with`. Its value is the
/// kernel's last argument, which the host's `AttentionOperands::prepare_with` passes.
/// `CONFIGURATION` plans the kernel's launches.
///
/// When the PTX is built, the types refuse configurations that are not admissible, for example if a
/// copy does not cover a tile or has bank conflicts. A crate that defines a kernel depends on
/// `cuda_std` and `half`, too.
#[macro_export]
macro_rules! attention_kernel {
    ($(
        $(#[$doc:meta])* $vis:vis $name:ident = $kernel:ident: $element:ident $(with $score:ty)?, d $d:tt $(v $d_v:tt)?, tile $m:tt x $n:tt, stages $stages:tt
        $(, $word:ident($($value:expr)?))*;
    )+) => {$(
        $(#[$doc])*
        $vis struct $name;
        impl $name {
            /// The kernel's row of a table, which plans launches.
            pub const CONFIGURATION: $crate::attention::scope::AttentionConfiguration = $crate::attention_kernel!(
                @row stringify!($kernel), $element, d $d $(v $d_v)?, tile $m x $n, stages $stages $(, $word($($value)?))*
            );
        }
        $crate::attention_kernel! {
            @config $name, of [stringify!($kernel)], $element, d $d $(v $d_v)?, tile $m x $n, stages $stages $(, $word($($value)?))*
        }
        $crate::attention_kernel! { @own $name, stringify!($kernel), $element, tile $m $(, score $score)? }
    )+};

    // The row of a table.
    (@row $kernel:expr, $element:ident, d $d:tt $(v $d_v:tt)?, tile $m:tt x $n:tt, stages $stages:tt $(, $word:ident($($value:expr)?))*) => {{
        use $crate::attention::scope::*;
        AttentionConfiguration {
            kernel: $kernel,
            base: None,
            parts: AttentionParts::NONE,
            element: <$element as MmaElement>::TYPE,
            dim: $d,
            dim_v: $crate::attention_kernel!(@value $d $($d_v)?),
            tile: [$m, $n],
            stages: $stages,
            loads: AttentionLoads::CpAsync,
            threads: THREADS,
            ctas: CTAS,
            shared_bytes: shared_bytes($d, $m, $stages, $n)
                + shared_bytes($crate::attention_kernel!(@value $d $($d_v)?), 0, $stages, $n),
            speed: Tuning::DEFAULT$(.$word($($value)?))*.speed,
        }
    }};

    // The configuration of the forward pass.
    (@config $name:ty, of [$($kernel:expr),+], $element:ident, d $d:tt $(v $d_v:tt)?, tile $m:tt x $n:tt, stages $stages:tt
     $(, $word:ident($($value:expr)?))*) => {
        $crate::attention_kernel! {
            @types $name, of [$($kernel),+], $element, d $d $(v $d_v)?, tile $m x $n, stages $stages $(, $word($($value)?))*
        }
        #[cfg(target_arch = "nvptx64")]
        #[$crate::attention::scope::for_kernel($($kernel),+)]
        const _: () = {
            use $crate::attention::scope::*;
            assert!(THREADS == <$name as MultistageAttention>::THREADS);
            const OF_V: u32 = shared_bytes($crate::attention_kernel!(@value $d $($d_v)?), 0, $stages, $n);
            assert!(shared_bytes($d, $m, $stages, $n) + OF_V == <$name as MultistageAttention>::SHARED_BYTES);
        };
    };

    // The head dimension of V is that of Q and K, unless V has its own.
    (@value $d:tt) => { $d };
    (@value $d:tt $d_v:tt) => { $d_v };

    // The types of a configuration, for the forward pass or for gradients. Blocks of V are loaded
    // like those of K. If V has its own head dimension, it has a loader of its own.
    (@types $name:ty, of [$($kernel:expr),+], $element:ident, d $d:tt, $($rest:tt)+) => {
        $crate::attention_kernel! { @all_types $name, of [$($kernel),+], $element, d $d v $d by BlockOfK, [], $($rest)+ }
    };
    (@types $name:ty, of [$($kernel:expr),+], $element:ident, d $d:tt v $d_v:tt, tile $m:tt x $n:tt, stages $stages:tt
     $($rest:tt)*) => {
        $crate::attention_kernel! {
            @all_types $name, of [$($kernel),+], $element, d $d v $d_v by BlockOfV,
            [
                /// Blocks of V: (N,D,stages).
                pub struct BlockOfV;
                $crate::attention_kernel! { @operand $d_v, BlockOfV, rows $n, stages $stages }
            ],
            tile $m x $n, stages $stages $($rest)*
        }
    };
    (@all_types $name:ty, of [$($kernel:expr),+], $element:ident, d $d:tt v $d_v:tt by $block_of_v:ident, [$($own:tt)*],
     tile $m:tt x $n:tt, stages $stages:tt $(, $word:ident($($value:expr)?))*) => {
        #[cfg(target_arch = "nvptx64")]
        #[$crate::attention::scope::for_kernel($($kernel),+)]
        const _: () = {
            use $crate::attention::scope::*;
            /// A tile of Q: (M,D,1).
            pub struct TileOfQ;
            /// Blocks of K: (N,D,stages).
            pub struct BlockOfK;
            impl MultistageAttention for $name {
                type Value = $element;
                type Q = TileOfQ;
                type K = BlockOfK;
                type V = $block_of_v;
                type SmemV = ColumnsOfD<int!($d_v), int!($n), int!($stages)>;
                type Mma = Warps4<<$element as MmaElement>::Atom>;
                type S2rQ = RowsA<Self::Mma>;
                type S2rK = RowsB<Self::Mma>;
                type S2rV = ColumnsB<Self::Mma>;
                type FragmentQ = PartitionFragmentOf<Self::Mma, OperandA, layout!(($m, $d))>;
                type FragmentK = PartitionFragmentOf<Self::Mma, OperandB, layout!(($n, $d))>;
                type FragmentV = PartitionFragmentOf<Self::Mma, OperandB, layout!(($d_v, $n))>;
                type TileS = layout!(($m,$n):(1@0,1@1));
                type Scores = PartitionFragmentOf<Self::Mma, OperandC, Self::TileS>;
                type Retile = CToA<<int!($m) as Nat>::Over<U64>, Self::BlocksOfN>;
                type Probabilities = PartitionFragmentOf<Self::Mma, OperandA, layout!(($m, $n))>;
                type Output = PartitionFragmentOf<Self::Mma, OperandC, layout!(($m,$d_v):(1@0,1@1))>;
                type BlocksOfD = <int!($d) as Nat>::Over<U16>;
                type BlocksOfN = <int!($n) as Nat>::Over<U16>;
                type BlocksOf32 = <int!($d_v) as Nat>::Over<U32>;
                type Score = Identity;
                type Sequences = Uniform;
                const TILE: [u32; 2] = [$m, $n];
                const DIM: u32 = $d;
                const DIM_V: u32 = $d_v;
                const WARPS: u32 = THREADS / 32;
                const STAGES: u32 = $stages;
                const Q_IN_REGISTERS: bool = Tuning::DEFAULT$(.$word($($value)?))*.q_in_registers;
                const LAZY: bool = Tuning::DEFAULT$(.$word($($value)?))*.lazy;
            }
            impl MultistageAttentionKernel for $name {}
            $crate::attention_kernel! { @operand $d, TileOfQ, rows $m, stages 1 }
            $crate::attention_kernel! { @operand $d, BlockOfK, rows $n, stages $stages }
            $($own)*
            const _: () = {
                type Of = $name;
                assert_covers!(mma <Of as MultistageAttention>::Mma);
                assert_contiguous!(read of <<Of as MultistageAttention>::Q as Operand>::Stages by <Of as MultistageAttention>::S2rQ);
                assert_contiguous!(read of <<Of as MultistageAttention>::K as Operand>::Stages by <Of as MultistageAttention>::S2rK);
                assert_contiguous!(read of <Of as MultistageAttention>::SmemV by <Of as MultistageAttention>::S2rV);
                assert_bank_conflict_free!(read of <<Of as MultistageAttention>::Q as Operand>::Stages by <Of as MultistageAttention>::S2rQ);
                assert_bank_conflict_free!(read of <<Of as MultistageAttention>::K as Operand>::Stages by <Of as MultistageAttention>::S2rK);
                assert_bank_conflict_free!(read of <Of as MultistageAttention>::SmemV by <Of as MultistageAttention>::S2rV);
            };
        };
    };

    // The tiles of an operand. A pass of the copy has whole rows if the length of a row is a power
    // of two.
    (@operand 16, $($of:tt)+) => { $crate::attention_kernel! { @load CpAsyncRows, 16, $($of)+ } };
    (@operand 32, $($of:tt)+) => { $crate::attention_kernel! { @load CpAsyncRows, 32, $($of)+ } };
    (@operand 64, $($of:tt)+) => { $crate::attention_kernel! { @load CpAsyncRows, 64, $($of)+ } };
    (@operand 128, $($of:tt)+) => { $crate::attention_kernel! { @load CpAsyncRows, 128, $($of)+ } };
    (@operand 256, $($of:tt)+) => { $crate::attention_kernel! { @load CpAsyncRows, 256, $($of)+ } };
    (@operand $d:tt, $($of:tt)+) => { $crate::attention_kernel! { @load CpAsync, $d, $($of)+ } };
    (@load $loader:ident, $d:tt, $operand:ty, rows $rows:tt, stages $stages:tt) => {
        $crate::operand! {
            @impl [] $operand: u16, tile tile!($rows, $d), stages RowsOfD<int!($d), int!($rows), int!($stages)>,
            $loader load_bytes::<int!($rows), int!($d)>(), by CopyOfD<int!($d), int!($rows)>
        }
    };

    // A user's own kernel. If it has a score function, the function's value is its last argument.
    (@own $name:ty, $kernel:expr, $element:ident, tile $m:tt) => {
        $crate::attention_kernel! { @entry $kernel, $element, $name, tile $m, () = ($crate::attention::scope::Identity, $crate::attention::scope::Uniform) }
    };
    (@own $name:ty, $kernel:expr, $element:ident, tile $m:tt, score $score:ty) => {
        $crate::attention_kernel! {
            @entry $kernel, $element, $crate::attention::scope::With<$name, $score>, tile $m, (score: $score) = (score, $crate::attention::scope::Uniform)
        }
    };

    // The kernel.
    (@entry $kernel:expr, $element:ident, $configuration:ty, tile $m:tt, ($($argument:ident: $type:ty),*) = $values:expr) => {
        /// Computes attention as [`kernel_abi::attention`] defines it, on every GPU from Ampere on.
        ///
        /// # Safety
        /// The launch is the plan's; if it has the starts of sequences, the plan is one for packed
        /// sequences.
        #[cfg(target_arch = "nvptx64")]
        #[$crate::attention::scope::kernel(name = $kernel, threads = 128, min_blocks = 2)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn attention(
            o: *mut $element,
            lse: *mut f32,
            params: $crate::attention::scope::AttentionParams,
            q: *const $element,
            k: *const $element,
            v: *const $element,
            reads: $crate::attention::scope::AttentionReads,
            $($argument: $type),*
        ) {
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                $crate::attention::scope::run::<$configuration, { $m / 64 }>((o, lse), &params, [q, k, v], &reads, $values)
            }
        }
    };
}
