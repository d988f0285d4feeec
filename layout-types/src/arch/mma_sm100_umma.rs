//! `tcgen05`: Blackwell's tensor memory, and products that one thread issues.
//!
//! ```text
//!   alloc ── mma  mma  mma ── commit ──► mbarrier     (one thread)
//!                                          │ wait
//!                     before_thread_sync ◄─┘ after_thread_sync ── load ──► registers of four warps
//! ```
//!
//! Law: an address of tensor memory is `lane << 16 | column`. A product is done when a commit after
//! it has completed at its mbarrier object; no other event shows this. All `tcgen05` instructions
//! of a kernel have one `.cta_group`. Loads and stores are in [`copy_sm100`](super::copy_sm100).
//!
//! No GPU has run these instructions: `ptxas` assembles them for `sm_100a`, and the emulator
//! executes them.
//!
//! Source: PTX ISA, *TensorCore 5th Generation Family Instructions*; CuTe
//! `cute/arch/mma_sm100_umma.hpp`, `tmem_allocator_sm100.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;
use crate::atom::mma::sm100::{InTmem, Shared};
use crate::atom::tmem::fragment::{CtaGroup, OneSm, TwoSm};
use crate::num::Bool;

/// Executes an instruction for a group of CTAs: `{0}` of the text is 1 or 2. The unused instruction
/// is not compiled, since the condition is a constant.
macro_rules! by_group {
    ($group:ty, $before:literal, $after:literal, $($operand:tt)*) => {
        if const { <$group as CtaGroup>::IsPair::VALUE } {
            ptx!(concat!($before, "2", $after), $($operand)*)
        } else {
            ptx!(concat!($before, "1", $after), $($operand)*)
        }
    };
}

/// Allocates `columns` columns of tensor memory, and writes their address to the word at `to` of
/// shared memory: `tcgen05.alloc`, CuTe's `TMEM::Allocator1Sm::allocate`, `Allocator2Sm::allocate`.
///
/// # Safety
/// The whole warp executes it. It is always the same warp of a block, in both blocks of a pair.
/// `columns` is a power of two from 32 to 512, and not larger than in an earlier allocation. The
/// four bytes at `to` belong to the block. The block frees the columns with [`tmem_deallocate`]
/// before it ends.
#[inline(always)]
pub unsafe fn tmem_allocate<G: CtaGroup>(to: u32, columns: u32) {
    // SAFETY: the caller guarantees that the whole warp executes this, and that the word at `to` is
    // writable.
    unsafe {
        by_group!(
            G, "tcgen05.alloc.cta_group::", ".sync.aligned.shared::cta.b32 [{0}], {1};",
            in(reg32) to, in(reg32) columns, options(nostack, preserves_flags)
        );
    }
}

/// Declares that the block allocates no more: `tcgen05.relinquish_alloc_permit`, CuTe's
/// `release_allocation_lock`.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn tmem_relinquish<G: CtaGroup>() {
    // SAFETY: the caller guarantees that the whole warp executes this.
    unsafe {
        by_group!(
            G,
            "tcgen05.relinquish_alloc_permit.cta_group::",
            ".sync.aligned;",
            options(nostack, preserves_flags)
        );
    }
}

/// Frees an allocation: `tcgen05.dealloc`, CuTe's `TMEM::Allocator1Sm::free`.
///
/// # Safety
/// The whole warp that allocated `columns` columns at `address` executes it, ordered after all uses
/// of the columns.
#[inline(always)]
pub unsafe fn tmem_deallocate<G: CtaGroup>(address: u32, columns: u32) {
    // SAFETY: the caller guarantees that the whole warp executes this, and that no thread uses the
    // columns.
    unsafe {
        by_group!(
            G, "tcgen05.dealloc.cta_group::", ".sync.aligned.b32 {0}, {1};",
            in(reg32) address, in(reg32) columns, options(nostack, preserves_flags)
        );
    }
}

/// Makes one arrival at the mbarrier object at `barrier` when all products and copies that the
/// thread has issued are done: `tcgen05.commit`, CuTe's `umma_arrive`, `umma_arrive_2x1SM`.
///
/// # Safety
/// The thread that issued the products executes it. An mbarrier object lies at `barrier` in the
/// block's shared memory, or in the cluster's window for a pair.
#[inline(always)]
pub unsafe fn umma_arrive<G: CtaGroup>(barrier: u32) {
    // SAFETY: the caller guarantees that an mbarrier object lies at `barrier`.
    unsafe {
        by_group!(
            G, "tcgen05.commit.cta_group::", ".mbarrier::arrive::one.shared::cluster.b64 [{0}];",
            in(reg32) barrier, options(nostack, preserves_flags)
        );
    }
}

/// Makes an arrival at the mbarrier object at `barrier` of each block of the cluster whose bit in
/// `blocks` is set: `tcgen05.commit.multicast::cluster`, CuTe's `umma_arrive_multicast`.
///
/// # Safety
/// The conditions of [`umma_arrive`] hold. The blocks are in the cluster, have begun, and have not
/// ended.
#[inline(always)]
pub unsafe fn umma_arrive_multicast<G: CtaGroup>(barrier: u32, blocks: u16) {
    // SAFETY: the caller guarantees that an mbarrier object lies at `barrier` in each of the
    // blocks.
    unsafe {
        by_group!(
            G, "tcgen05.commit.cta_group::",
            ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [{0}], {1};",
            in(reg32) barrier, in(reg16) blocks, options(nostack, preserves_flags)
        );
    }
}

/// Orders the thread's earlier accesses of tensor memory before the accesses after its next
/// synchronisation: `tcgen05.fence::before_thread_sync`, CuTe's `tcgen05_before_thread_sync`.
#[inline(always)]
pub fn tcgen05_before_thread_sync() {
    // SAFETY: the instruction only orders accesses.
    unsafe {
        ptx!(
            "tcgen05.fence::before_thread_sync;",
            options(nostack, preserves_flags)
        );
    }
}

/// Orders the thread's later accesses of tensor memory after the synchronisation that precedes this
/// instruction: `tcgen05.fence::after_thread_sync`, CuTe's `tcgen05_after_thread_sync`.
#[inline(always)]
pub fn tcgen05_after_thread_sync() {
    // SAFETY: the instruction only orders accesses.
    unsafe {
        ptx!(
            "tcgen05.fence::after_thread_sync;",
            options(nostack, preserves_flags)
        );
    }
}

// -- tcgen05.mma ----------------------------------------------------------------------------------
//
// The product, by its kind, by the place of A, and by the group of CTAs.
//
// ```text
//   kind::f16 tf32 f8f6f4 i8     A by descriptor or in tensor memory     [d], a, b, i, p        [d], [a], b, i, p
//   kind::mxf8f6f4 mxf4 mxf4nvf4 A by descriptor                         [d], a, b, i, [sfa], [sfb], p
// ```
//
// Law: the instruction in a kernel is the text of the constant `LINE`.

/// A `tcgen05.mma` whose A is read from `Source`, issued for the CTAs of the group `G`.
pub trait UmmaIssue<Source, G> {
    /// The operand A: a descriptor, or an address of tensor memory.
    type AOperand: Copy;
    /// The instruction with its qualifiers.
    const PTX: &'static str;
    /// The instruction's line. In it, `{d}`, `{a}`, `{b}`, `{i}` are the operands, and `p` is the
    /// predicate with which D is added.
    const LINE: &'static str;
    /// Computes `D = A B + D`, or `D = A B` if `scale_d` is 0.
    ///
    /// # Safety
    /// One thread executes it; for a pair, a thread of the even CTA. The descriptors describe
    /// operands in shared memory that TMA wrote, or that were written before a `fence.proxy.async`.
    /// No thread writes them before a commit after the product has completed. `i` is a descriptor
    /// of the kind. The columns of D, and of A, are allocated, and the product is ordered after
    /// their last use.
    unsafe fn issue(d: u32, a: Self::AOperand, b: u64, i: u32, scale_d: u32);
}

/// A block-scaled `tcgen05.mma`, issued for the CTAs of the group `G`.
pub trait UmmaIssueScaled<G> {
    /// The instruction with its qualifiers.
    const PTX: &'static str;
    /// The instruction's line, as in [`UmmaIssue::LINE`]. In it, `{sfa}` and `{sfb}` are the
    /// addresses of the scale factors.
    const LINE: &'static str;
    /// Computes `D = A B + D` with the factors of `scales`, A's and B's, or `D = A B` if `scale_d`
    /// is 0.
    ///
    /// # Safety
    /// The conditions of [`UmmaIssue::issue`] hold. The factors are in tensor memory, ordered
    /// before the product.
    unsafe fn issue(d: u32, operands: (u64, u64), i: u32, scales: (u32, u32), scale_d: u32);
}

macro_rules! kinds {
    (plain: $($(#[$doc:meta])* $kind:ident $name:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $kind;
        kinds!(@plain $kind $name Shared reg64 u64 "{a}");
        kinds!(@plain $kind $name InTmem reg32 u32 "[{a}]");
    )*};
    (scaled: $($(#[$doc:meta])* $kind:ident $name:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $kind;
        kinds!(@scaled $kind OneSm "tcgen05.mma.cta_group::1" $name);
        kinds!(@scaled $kind TwoSm "tcgen05.mma.cta_group::2" $name);
    )*};
    (@plain $kind:ident $name:literal $source:ident $class:ident $a:ident $text:literal) => {
        kinds!(@plain $kind $source $class $a $text OneSm "tcgen05.mma.cta_group::1" $name);
        kinds!(@plain $kind $source $class $a $text TwoSm "tcgen05.mma.cta_group::2" $name);
    };
    (@plain $kind:ident $source:ident $class:ident $a:ident $text:literal $group:ident $mma:literal $name:literal) => {
        impl UmmaIssue<$source, $group> for $kind {
            type AOperand = $a;
            const PTX: &'static str = concat!($mma, $name);
            const LINE: &'static str = concat!($mma, $name, " [{d}], ", $text, ", {b}, {i}, p;");
            #[inline(always)]
            unsafe fn issue(d: u32, a: $a, b: u64, i: u32, scale_d: u32) {
                // SAFETY: the caller guarantees the operands and D as the instruction requires.
                unsafe {
                    ptx!(
                        concat!("{{ .reg .pred p; setp.ne.b32 p, {s}, 0; ",
                            $mma, $name, " [{d}], ", $text, ", {b}, {i}, p; }}"),
                        d = in(reg32) d, a = in($class) a, b = in(reg64) b, i = in(reg32) i,
                        s = in(reg32) scale_d, options(nostack, preserves_flags)
                    );
                }
            }
        }
    };
    (@scaled $kind:ident $group:ident $mma:literal $name:literal) => {
        impl UmmaIssueScaled<$group> for $kind {
            const PTX: &'static str = concat!($mma, $name);
            const LINE: &'static str =
                concat!($mma, $name, " [{d}], {a}, {b}, {i}, [{sfa}], [{sfb}], p;");
            #[inline(always)]
            unsafe fn issue(d: u32, (a, b): (u64, u64), i: u32, (sfa, sfb): (u32, u32), scale_d: u32) {
                // SAFETY: the caller guarantees the operands, the scale factors and D as the
                // instruction requires.
                unsafe {
                    ptx!(
                        concat!("{{ .reg .pred p; setp.ne.b32 p, {s}, 0; ",
                            $mma, $name, " [{d}], {a}, {b}, {i}, [{sfa}], [{sfb}], p; }}"),
                        d = in(reg32) d, a = in(reg64) a, b = in(reg64) b, i = in(reg32) i,
                        sfa = in(reg32) sfa, sfb = in(reg32) sfb, s = in(reg32) scale_d,
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    };
}
kinds! { plain:
    /// The kind of f16 and bf16, 16 along K.
    KindF16 ".kind::f16";
    /// The kind of TensorFloat-32, 8 along K.
    KindTf32 ".kind::tf32";
    /// The kind of floats of 8, 6 and 4 bits, 32 along K.
    KindF8f6f4 ".kind::f8f6f4";
    /// The kind of integers of 8 bits, 32 along K.
    KindI8 ".kind::i8";
}
kinds! { scaled:
    /// The kind of floats of 8, 6 and 4 bits, 32 along K, with one factor for 32 of them.
    KindMxf8f6f4 ".kind::mxf8f6f4.block_scale";
    /// The kind of packed floats of 4 bits, 64 along K, with one factor for 32 of them.
    KindMxf4 ".kind::mxf4.block_scale.block32";
    /// The kind of packed floats of 4 bits, 64 along K, with one factor for 16 of them.
    KindMxf4nvf4 ".kind::mxf4nvf4.block_scale.block16";
}
