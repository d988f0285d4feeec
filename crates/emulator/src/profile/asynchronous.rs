//! What Hopper's asynchronous instructions do: bulk copies, `wgmma`, and waits at mbarrier objects.
//!
//! ```text
//! global ── loaded_bytes ──► each destination CTA's shared memory: delivered_bytes, filled_bytes of them out of bounds
//! global ◄── stored_bytes, reduced_bytes ── shared ── peer_copied_bytes, peer_reduced_bytes ──► shared memory of another CTA
//! ```
//!
//! Law: bytes are counted at the issue, so that they do not depend on the schedule. Where every
//! transaction is expected by `expect_tx`, `expected_bytes` is
//! `delivered_bytes + peer_copied_bytes + peer_reduced_bytes`.
//!
//! The wavefronts of a `wgmma` operand are its core matrices, 8 rows of 16 bytes each: the
//! canonical layouts put these rows into the 8 different groups of four banks, so that a core
//! matrix is one wavefront of 128 bytes. B is read once for the four warps, A by each warp its own
//! rows. Unlike the counters of `MemoryCounts` these were not held against a device's.

use std::ops::AddAssign;

/// The counters, each with its documentation.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What bulk copies, `wgmma` and waits at mbarrier objects did. All zero where
        /// `Config::count_memory` is off.
        ///
        /// ```
        /// use emulator::profile::AsyncCounts;
        /// let mut sum = AsyncCounts { wgmmas: 2, ..AsyncCounts::default() };
        /// sum += AsyncCounts { wgmmas: 1, operand_wavefronts: 80, ..AsyncCounts::default() };
        /// assert_eq!((sum.wgmmas, sum.operand_wavefronts), (3, 80));
        /// let named = sum.named().find(|(name, _)| *name == "wgmmas");
        /// assert_eq!(named, Some(("wgmmas", 3)));
        /// assert!(!sum.is_zero());
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct AsyncCounts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl AddAssign for AsyncCounts {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }

        impl AsyncCounts {
            /// Every counter with its name.
            pub fn named(&self) -> impl ExactSizeIterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }
        }
    };
}

counters! {
    /// Boxes that tensor copies moved or reduced (`cp.async.bulk.tensor`,
    /// `cp.reduce.async.bulk.tensor`), one for each thread that issued one.
    tensor_copies,
    /// Runs that other bulk copies moved or reduced (`cp.async.bulk`, `cp.reduce.async.bulk`).
    bulk_copies,
    /// Bytes of global memory that loads read: in bounds, and once however many CTAs they go to.
    loaded_bytes,
    /// Bytes of shared memory that loads wrote: whole boxes, for each destination CTA.
    delivered_bytes,
    /// Of `delivered_bytes` those outside of the tensor: zeros or NaN.
    filled_bytes,
    /// Loads with a multicast mask.
    multicasts,
    /// Destination CTAs of these loads, added up.
    multicast_ctas,
    /// Of `loaded_bytes` those of multicasts.
    multicast_loaded_bytes,
    /// Of `delivered_bytes` those of multicasts.
    multicast_delivered_bytes,
    /// Bytes of global memory that stores wrote.
    stored_bytes,
    /// Bytes of global memory that reductions changed.
    reduced_bytes,
    /// Bytes copied from shared memory to that of a CTA of the cluster.
    peer_copied_bytes,
    /// Bytes of shared memory of a CTA of the cluster that reductions changed.
    peer_reduced_bytes,
    /// Bytes that mbarrier objects were told to wait for (`expect_tx`).
    expected_bytes,
    /// `test_wait` and `try_wait` that found their phase complete, for any lane of the warp.
    barrier_waits,
    /// Those that found it incomplete: as often as the emulator's turns had it, not a device's.
    barrier_retries,
    /// `wgmma` instructions, one for the four warps.
    wgmmas,
    /// Bytes of A and B that they read from shared memory.
    operand_bytes,
    /// Wavefronts of shared memory that these bytes take.
    operand_wavefronts,
}

impl AsyncCounts {
    /// Whether nothing was counted.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}
