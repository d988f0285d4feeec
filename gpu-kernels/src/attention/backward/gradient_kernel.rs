//! `gradient_kernel!` defines the gradient kernels by `mma.sync` for a head dimension and a tile.
//!
//! ```text
//!   @config    the types of `attention_kernel!`, then those of MultistageGradient
//!   @row       the row of a table
//!   @tiles     the kernel of dK and dV, or of dQ
//!   @rows      the kernel of the rows
//! ```
//!
//! Law: every write to and read from shared memory is contiguous and free of bank conflicts.

/// Defines a configuration, a row of the table, or a kernel. The last tokens of a kernel are its
/// last arguments and an expression of them: `$with` is the score function and the sequences,
/// `$sequences` is only the sequences.
macro_rules! gradient_kernel {
    (@config $name:ty, of [$($kernel:expr),+], $element:ident, d $d:tt, tile $m:tt x $n:tt, stages $stages:tt,
     values $values:ty, of keys $of_keys:literal $(, $word:ident($($value:expr)?))*) => {
        attention_kernel! {
            @types $name, of [$($kernel),+], $element, d $d, tile $m x $n, stages $stages $(, $word($($value)?))*
        }
        #[cfg(target_arch = "nvptx64")]
        #[for_kernel($($kernel),+)]
        const _: () = {
            use $crate::attention::backward::config::{MultistageGradient, MultistageGradientKernel};
            use $crate::attention::scope::*;
            impl MultistageGradient for $name {
                type TileValues = $values;
                type Gradients = Self::Mma;
                const OF_KEYS: bool = $of_keys;
                const APART: bool = Tuning::DEFAULT$(.$word($($value)?))*.apart;
            }
            impl MultistageGradientKernel for $name {}
            assert!(THREADS == <$name as MultistageAttention>::THREADS);
            assert!(shared_bytes($d, 2 * $m, 2 * $stages, $n) == <$name as MultistageGradient>::GRADIENT_SHARED_BYTES);
        };
    };

    (@row $kernel:expr, d $d:tt, tile $m:tt x $n:tt, stages $stages:tt) => {
        GradientKernel {
            kernel: $kernel,
            base: None,
            tile: [$m, $n],
            threads: THREADS,
            shared_bytes: shared_bytes($d, 2 * $m, 2 * $stages, $n),
        }
    };

    (@tiles $kernel:expr, $element:ident, $configuration:ty, tile $m:tt, ($($argument:ident: $type:ty),*) = $with:expr) => {
        /// Computes gradients as [`kernel_abi::attention`] defines them, on every GPU from Ampere
        /// on.
        ///
        /// # Safety
        /// The launch is the plan's; if it has the starts of sequences, the plan is one for packed
        /// sequences. `tiles` has the starts in the resident tensors, `streamed` those in the
        /// streamed tensors.
        #[cfg(target_arch = "nvptx64")]
        #[kernel(name = $kernel, threads = 128, min_blocks = 2)]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn gradients(
            first: *mut $element,
            second: *mut $element,
            values: *const f32,
            params: AttentionBackwardParams,
            x_0: *const $element,
            x_1: *const $element,
            y_0: *const $element,
            y_1: *const $element,
            reads: GradientReads,
            $($argument: $type),*
        ) {
            let inputs = [x_0, x_1, y_0, y_1];
            // SAFETY: the launch is the plan's by the function's contract. A buffer that a part
            // reads per head has an element for each head.
            unsafe {
                let (score, sequences) = $with;
                backward::mainloop::run::<$configuration, { $m / 64 }>((first, second), values, (&params, score, sequences), inputs, &reads)
            }
        }
    };

    (@rows $kernel:expr, $element:ident, d $d:tt, ($($argument:ident: $type:ty),*) = $sequences:expr) => {
        /// Computes the values of the rows.
        ///
        /// # Safety
        /// The launch is the plan's; if it has the starts of sequences, the plan is one for packed
        /// sequences.
        #[cfg(target_arch = "nvptx64")]
        #[kernel(name = $kernel, threads = 128)]
        pub unsafe fn rows(
            o: *const $element,
            d_o: *const $element,
            lse: *const f32,
            values: *mut f32,
            params: AttentionBackwardParams,
            $($argument: $type),*
        ) {
            // SAFETY: the launch is the plan's by the function's contract.
            unsafe {
                backward::rows::run::<$element, <int!($d) as Nat>::CeilDiv<U32>, $d>([o, d_o], lse, values, (&params, $sequences))
            }
        }
    };
}
pub(crate) use gradient_kernel;
