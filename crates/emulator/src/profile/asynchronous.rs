//! Counters of Hopper's asynchronous instructions: bulk copies, `wgmma`, and waits at mbarrier
//! objects.
//!
//! ```text
//! global ── loaded_bytes ──► each destination CTA's shared memory: delivered_bytes, filled_bytes of them out of bounds
//! global ◄── stored_bytes, reduced_bytes ── shared ── peer_copied_bytes, peer_reduced_bytes ──► shared memory of another CTA
//! ```
//!
//! Law: bytes are counted at the issue, so they do not depend on the schedule. If every transaction
//! is expected by `expect_tx`, `expected_bytes` is
//! `delivered_bytes + peer_copied_bytes + peer_reduced_bytes`.
//!
//! The wavefronts of a `wgmma` operand are its core matrices, 8 rows of 16 bytes each: the
//! canonical layouts place these rows in 8 different groups of four banks, so that a core matrix is
//! one wavefront of 128 bytes. B is read once for the four warps; each warp reads its own rows of
//! A. Unlike the counters of `MemoryCounts`, these were not compared with a device.

use std::ops::AddAssign;

/// The counters, each with its documentation.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The work of bulk copies, `wgmma` and waits at mbarrier objects. All counters are zero if
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
            /// Returns every counter with its name.
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
    /// Bytes of global memory that loads read, within bounds; counted once even for several CTAs.
    loaded_bytes,
    /// Bytes of shared memory that loads wrote: whole boxes, for each destination CTA.
    delivered_bytes,
    /// The part of `delivered_bytes` that is outside of the tensor: zeros or NaN.
    filled_bytes,
    /// Loads with a multicast mask.
    multicasts,
    /// The number of destination CTAs, summed over the loads with a multicast mask.
    multicast_ctas,
    /// The part of `loaded_bytes` that multicasts read.
    multicast_loaded_bytes,
    /// The part of `delivered_bytes` that multicasts wrote.
    multicast_delivered_bytes,
    /// Bytes of global memory that stores wrote.
    stored_bytes,
    /// Bytes of global memory that reductions changed.
    reduced_bytes,
    /// Bytes copied from shared memory to the shared memory of a CTA of the cluster.
    peer_copied_bytes,
    /// Bytes of shared memory of a CTA of the cluster that reductions changed.
    peer_reduced_bytes,
    /// Bytes for which mbarrier objects had to wait (`expect_tx`).
    expected_bytes,
    /// `test_wait` and `try_wait` that found their phase complete, for any lane of the warp.
    barrier_waits,
    /// `test_wait` and `try_wait` that found their phase incomplete. The number depends on the
    /// emulator's scheduling, not on a device's.
    barrier_retries,
    /// `wgmma` instructions, one for the four warps.
    wgmmas,
    /// Bytes of A and B that `wgmma` instructions read from shared memory.
    operand_bytes,
    /// Wavefronts of shared memory that the reads of `operand_bytes` take.
    operand_wavefronts,
}

impl AsyncCounts {
    /// Whether nothing was counted.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}
