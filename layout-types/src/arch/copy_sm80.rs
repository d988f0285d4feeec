//! `cp.async`: a thread copies 4, 8 or 16 bytes from global to shared memory without passing a register.
//!
//! ```text
//!   cp.async ─┐ cp.async ─┤ commit  ── group 0 ──┐
//!   cp.async ─┐ cp.async ─┤ commit  ── group 1 ──┤ wait_group N: all but the newest N are done
//! ```
//!
//! Law: the bytes are in shared memory, for the thread that copied them, after a [`cp_async_wait`] that covers
//! their group; for other threads after a barrier behind that. With zero-fill (`_zfill`) the first
//! `source_bytes` of the bytes written come from memory and the rest are zero, and with `source_bytes == 0` the
//! source is not read.
//!
//! `_if` is zero-fill of all bytes or none. The instruction has a predicate for that; PTX makes it of the number of bytes, and
//! ptxas sees through that where the number is chosen right before, by a predicate. So the wrapper chooses it.
//!
//! Source: PTX ISA, *Data Movement: cp.async, cp.async.commit_group, cp.async.wait_group*; CuTe
//! `SM80_CP_ASYNC_CACHEGLOBAL`, `SM80_CP_ASYNC_CACHEALWAYS` and their `_ZFILL`, `cp_async_fence`, `cp_async_wait`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

macro_rules! cp_async {
    ($(#[$doc:meta])* $name:ident, $ptx:literal; $(#[$zfill_doc:meta])* $zfill:ident, $zfill_ptx:literal;
     $(#[$if_doc:meta])* $copy_if:ident, $if_ptx:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `shared` and `global` are aligned to the copy's size; `shared` lies in the block's shared memory and
        /// nobody else touches those bytes until they have been waited for; as many bytes at `global` are readable
        /// global memory.
        #[inline(always)]
        pub unsafe fn $name(shared: u32, global: *const u8) {
            // SAFETY: both places are aligned, the source readable, the destination the block's and untouched until the wait, by the
            // caller's contract.
            unsafe { ptx!($ptx, in(reg32) shared, in(reg64) global, options(nostack, preserves_flags)) };
        }

        $(#[$zfill_doc])*
        ///
        /// # Safety
        /// `shared` and `global` are aligned to the copy's size; `shared` lies in the block's shared memory and
        /// nobody else touches those bytes until they have been waited for; `source_bytes` is at most the size,
        /// and that many bytes at `global` are readable global memory.
        #[inline(always)]
        pub unsafe fn $zfill(shared: u32, global: *const u8, source_bytes: u32) {
            // SAFETY: as of the copy without `source_bytes`, which are at most its size and all that is read, by the caller's contract.
            unsafe { ptx!($zfill_ptx, in(reg32) shared, in(reg64) global, in(reg32) source_bytes, options(nostack, preserves_flags)) };
        }

        $(#[$if_doc])*
        ///
        /// # Safety
        /// `shared` is aligned to the copy's size, lies in the block's shared memory, and nobody else touches those bytes until
        /// they have been waited for; where `inside` is not 0, `global` is so aligned and as many bytes there are readable global
        /// memory.
        #[inline(always)]
        pub unsafe fn $copy_if(shared: u32, global: *const u8, inside: u32) {
            // SAFETY: the destination is aligned, the block's and untouched until the wait, and the source readable where `inside`
            // is not 0, by the caller's contract; of 0 source bytes nothing is read.
            unsafe { ptx!($if_ptx, in(reg32) shared, in(reg64) global, in(reg32) inside, options(nostack, preserves_flags)) };
        }
    };
}

cp_async!(
    /// `cp.async.cg.shared.global`, 16 bytes, cached in L2 only: CuTe's `SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>`.
    cp_async_cg_16, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.cg.shared.global [{0}], [g], 16; }}";
    /// As [`cp_async_cg_16`], of which `source_bytes` are read and the rest is zero: CuTe's `SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>`.
    cp_async_cg_16_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.cg.shared.global [{0}], [g], 16, {2}; }}";
    /// As [`cp_async_cg_16`] where `inside` is not 0, and zeros, with nothing read, where not.
    cp_async_cg_16_if, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 16, 0, p; cvta.to.global.u64 g, {1}; cp.async.cg.shared.global [{0}], [g], 16, s; }}");
cp_async!(
    /// `cp.async.ca.shared.global`, 16 bytes, cached in L1 and L2: CuTe's `SM80_CP_ASYNC_CACHEALWAYS<uint128_t>`.
    cp_async_ca_16, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 16; }}";
    /// As [`cp_async_ca_16`], of which `source_bytes` are read and the rest is zero: CuTe's `SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint128_t>`.
    cp_async_ca_16_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 16, {2}; }}";
    /// As [`cp_async_ca_16`] where `inside` is not 0, and zeros, with nothing read, where not.
    cp_async_ca_16_if, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 16, 0, p; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 16, s; }}");
cp_async!(
    /// `cp.async.ca.shared.global`, 8 bytes, cached in L1 and L2: CuTe's `SM80_CP_ASYNC_CACHEALWAYS<uint64_t>`.
    cp_async_ca_8, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 8; }}";
    /// As [`cp_async_ca_8`], of which `source_bytes` are read and the rest is zero: CuTe's `SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint64_t>`.
    cp_async_ca_8_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 8, {2}; }}";
    /// As [`cp_async_ca_8`] where `inside` is not 0, and zeros, with nothing read, where not.
    cp_async_ca_8_if, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 8, 0, p; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 8, s; }}");
cp_async!(
    /// `cp.async.ca.shared.global`, 4 bytes, cached in L1 and L2: CuTe's `SM80_CP_ASYNC_CACHEALWAYS<uint32_t>`.
    cp_async_ca_4, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 4; }}";
    /// As [`cp_async_ca_4`], of which `source_bytes` are read and the rest is zero: CuTe's `SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint32_t>`.
    cp_async_ca_4_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 4, {2}; }}";
    /// As [`cp_async_ca_4`] where `inside` is not 0, and zeros, with nothing read, where not.
    cp_async_ca_4_if, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 4, 0, p; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 4, s; }}");

/// `cp.async.commit_group`: closes a group of this thread's copies (an empty one too). CuTe's `cp_async_fence`.
#[inline(always)]
pub fn cp_async_fence() {
    // SAFETY: no operands; it only closes the group.
    unsafe { ptx!("cp.async.commit_group;", options(nostack, preserves_flags)) };
}

/// `cp.async.wait_group N`: waits until at most the newest `N` groups of this thread are still under way.
/// CuTe's `cp_async_wait<N>`.
#[inline(always)]
pub fn cp_async_wait<const N: u32>() {
    // SAFETY: no operands; waiting is always allowed.
    unsafe { ptx!("cp.async.wait_group {0};", const N, options(nostack, preserves_flags)) };
}
