//! Copies into registers and shared memory, up to Ampere: the modules `copy_sm75`, `copy_sm80` and
//! `prefetch`, as CuTe's `copy_sm75.hpp` and `copy_sm80.hpp`.
//!
//! ```text
//!   ldmatrix   shared ─► registers of a warp      cp.async   global ─► shared      prefetch   ─► L2
//! ```

pub mod copy_sm75 {
    //! `ldmatrix`: a warp reads 8×8 matrices of 16-bit elements from shared memory into `mma`
    //! fragments. `movmatrix` transposes a matrix that the warp holds.
    //!
    //! ```text
    //!   lane l gives the address of row l%8 of matrix l/8      lane l receives, of each matrix,
    //!   ┌──────────── 16 bytes ────────────┐                   row l/4, columns 2(l%4) and 2(l%4)+1
    //! ```
    //!
    //! Law: `x4` is four `x1`, where lanes `8i..8i+8` address matrix `i`; `.trans` gives each lane
    //! the element pairs of the transposed matrix. `movmatrix` is `ldmatrix.trans` of the matrix
    //! that a `stmatrix` would have stored.
    //!
    //! Source: PTX ISA, *Warp-level matrix load instruction: ldmatrix*, *Warp-level matrix
    //! transpose instruction: movmatrix*; CuTe `SM75_U32x{1,2,4}_LDSM_N`, `SM75_U16x{2,4,8}_LDSM_T`
    //! and `SM75_U32x1_MOVM_T`.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(
            unreachable_code,
            unused_unsafe,
            unused_variables,
            clippy::extra_unused_type_parameters
        )
    )]

    use crate::arch::copy::{SmemSwizzle, smem_ptx};
    use crate::arch::ptx;

    macro_rules! ldmatrix {
        ($(#[$doc:meta])* $name:ident, $swizzled:ident, $count:literal, $ptx:literal, $($register:ident),+) => {
            $(#[$doc])*
            ///
            /// # Safety
            /// All 32 lanes of the warp execute it together. Every address that the instruction
            /// uses is 16-byte aligned and names 16 initialised bytes of the block's shared memory
            /// that no thread writes before the next barrier.
            #[inline(always)]
            #[must_use]
            pub unsafe fn $name(address: u32) -> [u32; $count] {
                $(let $register: u32;)+
                // SAFETY: the caller guarantees that the whole warp executes this, and that each
                // row is 16 aligned, initialised bytes of the block's shared memory.
                unsafe { ptx!($ptx, $(out(reg32) $register,)+ in(reg32) address, options(readonly, nostack, preserves_flags)) };
                [$($register),+]
            }

            /// Executes the same instruction for a tensor with the swizzle `W`.
            ///
            /// # Safety
            /// The conditions of the access without a swizzle hold.
            #[inline(always)]
            pub(crate) unsafe fn $swizzled<W: SmemSwizzle>(address: u32) -> [u32; $count] {
                $(let $register: u32;)+
                // SAFETY: the caller guarantees that all 32 lanes execute this, and that each row
                // is 16 aligned, initialised bytes of the block's shared memory.
                unsafe { smem_ptx!(W, $ptx, [$(out(reg32) $register,)+ in(reg32) address,], options(readonly, nostack, preserves_flags)) };
                [$($register),+]
            }
        };
    }

    ldmatrix!(
        /// Loads one matrix: `ldmatrix.sync.aligned.m8n8.x1.shared.b16`, CuTe's
        /// `SM75_U32x1_LDSM_N`. Lanes 0 to 7 give addresses.
        ldmatrix_x1, ldmatrix_x1_of, 1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{{0}}}, [{1}];", a);
    ldmatrix!(
        /// Loads two matrices: `ldmatrix.sync.aligned.m8n8.x2.shared.b16`, CuTe's
        /// `SM75_U32x2_LDSM_N`. Lanes 0 to 15 give addresses.
        ldmatrix_x2, ldmatrix_x2_of, 2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{{0}, {1}}}, [{2}];", a, b);
    ldmatrix!(
        /// Loads four matrices: `ldmatrix.sync.aligned.m8n8.x4.shared.b16`, CuTe's
        /// `SM75_U32x4_LDSM_N`. All lanes give addresses.
        ldmatrix_x4, ldmatrix_x4_of, 4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{0}, {1}, {2}, {3}}}, [{4}];", a, b, c, d);
    ldmatrix!(
        /// Loads one matrix transposed: `ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16`, CuTe's
        /// `SM75_U16x2_LDSM_T`.
        ldmatrix_x1_trans, ldmatrix_x1_trans_of, 1, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {{{0}}}, [{1}];", a);
    ldmatrix!(
        /// Loads two matrices transposed: `ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16`, CuTe's
        /// `SM75_U16x4_LDSM_T`.
        ldmatrix_x2_trans, ldmatrix_x2_trans_of, 2, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {{{0}, {1}}}, [{2}];", a, b);
    ldmatrix!(
        /// Loads four matrices transposed: `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16`, CuTe's
        /// `SM75_U16x8_LDSM_T`.
        ldmatrix_x4_trans, ldmatrix_x4_trans_of, 4, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{{0}, {1}, {2}, {3}}}, [{4}];", a, b, c, d);

    /// Transposes the warp's 8×8 matrix, whose elements the lanes hold in pairs:
    /// `movmatrix.sync.aligned.m8n8.trans.b16`, CuTe's `SM75_U32x1_MOVM_T`.
    ///
    /// # Safety
    /// All 32 lanes of the warp execute it together.
    #[inline(always)]
    #[must_use]
    pub unsafe fn movmatrix_trans(value: u32) -> u32 {
        let transposed: u32;
        // SAFETY: the instruction uses only registers; the caller guarantees that the whole warp
        // executes this.
        unsafe {
            ptx!("movmatrix.sync.aligned.m8n8.trans.b16 {0}, {1};", out(reg32) transposed, in(reg32) value, options(nomem, nostack, preserves_flags))
        };
        transposed
    }
}

pub mod copy_sm80 {
    //! `cp.async`: a thread copies 4, 8 or 16 bytes from global to shared memory without a
    //! register.
    //!
    //! ```text
    //!   cp.async ─┐ cp.async ─┤ commit  ── group 0 ──┐
    //!   cp.async ─┐ cp.async ─┤ commit  ── group 1 ──┤ wait_group N: all but the newest N are done
    //! ```
    //!
    //! Law: the bytes are visible to the thread that copied them after a [`cp_async_wait`] that
    //! covers their group, and to other threads after a barrier that follows this wait. With
    //! zero-fill (`_zfill`), the first `source_bytes` of the bytes written come from memory and the
    //! rest are zero; with `source_bytes == 0` the source is not read.
    //!
    //! A function that ends in `_if` fills all bytes with zeros or no byte. The hardware
    //! instruction has a predicate for this. PTX expresses the predicate by the number of bytes,
    //! and ptxas recognises the predicate if it selects the number directly before the instruction.
    //! So the wrapper selects the number.
    //!
    //! Source: PTX ISA, *Data Movement: cp.async, cp.async.commit_group, cp.async.wait_group*; CuTe
    //! `SM80_CP_ASYNC_CACHEGLOBAL`, `SM80_CP_ASYNC_CACHEALWAYS` and their `_ZFILL`,
    //! `cp_async_fence`, `cp_async_wait`.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(
            unreachable_code,
            unused_unsafe,
            unused_variables,
            clippy::extra_unused_type_parameters
        )
    )]

    use crate::arch::copy::{SmemSwizzle, smem_ptx};
    use crate::arch::ptx;

    macro_rules! cp_async {
        ($(#[$doc:meta])* $name:ident, $swizzled:ident, $ptx:literal; $(#[$zfill_doc:meta])* $zfill:ident, $zfill_ptx:literal;
         $(#[$if_doc:meta])* $copy_if:ident, $swizzled_if:ident, $if_ptx:literal) => {
            $(#[$doc])*
            ///
            /// # Safety
            /// `shared` and `global` are aligned to the copy's size. `shared` lies in the block's
            /// shared memory, and no other thread accesses the copied bytes until the copy has been
            /// waited for. The bytes at `global` are readable global memory.
            #[inline(always)]
            pub unsafe fn $name(shared: u32, global: *const u8) {
                // SAFETY: the caller guarantees that both places are aligned, the source is
                // readable, and the destination is the block's and not accessed until the wait.
                unsafe { ptx!($ptx, in(reg32) shared, in(reg64) global, options(nostack, preserves_flags)) };
            }

            $(#[$zfill_doc])*
            ///
            /// # Safety
            /// `shared` and `global` are aligned to the copy's size. `shared` lies in the block's
            /// shared memory, and no other thread accesses the copied bytes until the copy has been
            /// waited for. `source_bytes` is at most the size, and `source_bytes` bytes at `global`
            /// are readable global memory.
            #[inline(always)]
            pub unsafe fn $zfill(shared: u32, global: *const u8, source_bytes: u32) {
                // SAFETY: the caller guarantees that both places are aligned, the destination is
                // the block's and not accessed until the wait, and `source_bytes` bytes, at most
                // the copy's size, are readable.
                unsafe { ptx!($zfill_ptx, in(reg32) shared, in(reg64) global, in(reg32) source_bytes, options(nostack, preserves_flags)) };
            }

            $(#[$if_doc])*
            ///
            /// # Safety
            /// `shared` is aligned to the copy's size and lies in the block's shared memory, and no
            /// other thread accesses the copied bytes until the copy has been waited for. If
            /// `inside` is not 0, `global` is equally aligned, and the bytes there are readable
            /// global memory.
            #[inline(always)]
            pub unsafe fn $copy_if(shared: u32, global: *const u8, inside: u32) {
                // SAFETY: the caller guarantees that the destination is aligned, the block's and
                // not accessed until the wait, and that the source is readable if `inside` is not
                // 0; with 0 source bytes nothing is read.
                unsafe { ptx!($if_ptx, in(reg32) shared, in(reg64) global, in(reg32) inside, options(nostack, preserves_flags)) };
            }

            /// Executes the copy to a tensor with the swizzle `W`.
            ///
            /// # Safety
            /// The conditions of the copy without a swizzle hold.
            #[inline(always)]
            pub(crate) unsafe fn $swizzled<W: SmemSwizzle>(shared: u32, global: *const u8) {
                // SAFETY: the caller guarantees that both places are aligned, the source is
                // readable, and the destination is the block's and not accessed until the wait; `W`
                // only names a swizzle.
                unsafe { smem_ptx!(W, $ptx, [in(reg32) shared, in(reg64) global,], options(nostack, preserves_flags)) };
            }
            /// Executes the same copy if `inside` is not 0; otherwise it writes zeros.
            ///
            /// # Safety
            /// The conditions of the copy without a swizzle hold.
            #[inline(always)]
            pub(crate) unsafe fn $swizzled_if<W: SmemSwizzle>(shared: u32, global: *const u8, inside: u32) {
                // SAFETY: the caller guarantees that the destination is aligned, the block's and
                // not accessed until the wait, and that the source is readable if `inside` is not
                // 0; with 0 source bytes nothing is read.
                unsafe { smem_ptx!(W, $if_ptx, [in(reg32) shared, in(reg64) global, in(reg32) inside,], options(nostack, preserves_flags)) };
            }
        };
    }

    cp_async!(
        /// Copies 16 bytes, cached only in L2: `cp.async.cg.shared.global`, CuTe's
        /// `SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>`.
        cp_async_cg_16, cp_async_cg_16_of, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.cg.shared.global [{0}], [g], 16; }}";
        /// Copies like [`cp_async_cg_16`], but reads only `source_bytes` and writes zeros for the
        /// rest: CuTe's `SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<uint128_t>`.
        cp_async_cg_16_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.cg.shared.global [{0}], [g], 16, {2}; }}";
        /// Copies like [`cp_async_cg_16`] if `inside` is not 0; otherwise it reads nothing and
        /// writes zeros.
        cp_async_cg_16_if, cp_async_cg_16_if_of, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 16, 0, p; cvta.to.global.u64 g, {1}; cp.async.cg.shared.global [{0}], [g], 16, s; }}");
    cp_async!(
        /// Copies 16 bytes, cached in L1 and L2: `cp.async.ca.shared.global`, CuTe's
        /// `SM80_CP_ASYNC_CACHEALWAYS<uint128_t>`.
        cp_async_ca_16, cp_async_ca_16_of, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 16; }}";
        /// Copies like [`cp_async_ca_16`], but reads only `source_bytes` and writes zeros for the
        /// rest: CuTe's `SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint128_t>`.
        cp_async_ca_16_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 16, {2}; }}";
        /// Copies like [`cp_async_ca_16`] if `inside` is not 0; otherwise it reads nothing and
        /// writes zeros.
        cp_async_ca_16_if, cp_async_ca_16_if_of, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 16, 0, p; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 16, s; }}");
    cp_async!(
        /// Copies 8 bytes, cached in L1 and L2: `cp.async.ca.shared.global`, CuTe's
        /// `SM80_CP_ASYNC_CACHEALWAYS<uint64_t>`.
        cp_async_ca_8, cp_async_ca_8_of, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 8; }}";
        /// Copies like [`cp_async_ca_8`], but reads only `source_bytes` and writes zeros for the
        /// rest: CuTe's `SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint64_t>`.
        cp_async_ca_8_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 8, {2}; }}";
        /// Copies like [`cp_async_ca_8`] if `inside` is not 0; otherwise it reads nothing and
        /// writes zeros.
        cp_async_ca_8_if, cp_async_ca_8_if_of, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 8, 0, p; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 8, s; }}");
    cp_async!(
        /// Copies 4 bytes, cached in L1 and L2: `cp.async.ca.shared.global`, CuTe's
        /// `SM80_CP_ASYNC_CACHEALWAYS<uint32_t>`.
        cp_async_ca_4, cp_async_ca_4_of, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 4; }}";
        /// Copies like [`cp_async_ca_4`], but reads only `source_bytes` and writes zeros for the
        /// rest: CuTe's `SM80_CP_ASYNC_CACHEALWAYS_ZFILL<uint32_t>`.
        cp_async_ca_4_zfill, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 4, {2}; }}";
        /// Copies like [`cp_async_ca_4`] if `inside` is not 0; otherwise it reads nothing and
        /// writes zeros.
        cp_async_ca_4_if, cp_async_ca_4_if_of, "{{ .reg .u64 g; .reg .pred p; .reg .u32 s; setp.ne.u32 p, {2}, 0; selp.u32 s, 4, 0, p; cvta.to.global.u64 g, {1}; cp.async.ca.shared.global [{0}], [g], 4, s; }}");

    /// Closes a group of this thread's copies (an empty one too), with `cp.async.commit_group`.
    /// CuTe's `cp_async_fence`.
    #[inline(always)]
    pub fn cp_async_fence() {
        // SAFETY: the instruction has no operands; it only closes the group.
        unsafe { ptx!("cp.async.commit_group;", options(nostack, preserves_flags)) };
    }

    /// Waits until at most the newest `N` groups of this thread are still in flight, with
    /// `cp.async.wait_group N`. CuTe's `cp_async_wait<N>`.
    #[inline(always)]
    pub fn cp_async_wait<const N: u32>() {
        // SAFETY: the instruction has no operands; a thread may wait at any time.
        unsafe { ptx!("cp.async.wait_group {0};", const N, options(nostack, preserves_flags)) };
    }

    /// Executes [`cp_async_wait`] with the number as a type, for code that is generic over its
    /// stages.
    #[inline(always)]
    pub fn cp_async_wait_type<N: typenum::Unsigned>() {
        // SAFETY: the instruction has no operands; a thread may wait at any time.
        unsafe {
            ptx!("cp.async.wait_group {0};", const <N as typenum::Unsigned>::U32, options(nostack, preserves_flags));
        };
    }
}

pub mod prefetch {
    //! `prefetch`: a hint that a line of global memory will be read.
    //!
    //! ```text
    //!   prefetch.global.L2 [a];        the line of a, on its way into L2
    //! ```
    //!
    //! Law: only the duration of a later load changes.
    //!
    //! Source: PTX ISA, *Data Movement and Conversion Instructions: prefetch*.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(
            unreachable_code,
            unused_unsafe,
            unused_variables,
            clippy::extra_unused_type_parameters
        )
    )]

    use crate::arch::ptx;

    /// Fetches the line at `address` into L2, with `prefetch.global.L2`. An address outside of all
    /// allocations is not an error.
    #[inline(always)]
    pub fn prefetch_global_l2(address: *const u8) {
        // SAFETY: the instruction is a hint: it reads nothing into the program, and it ignores an
        // invalid address.
        unsafe {
            ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {0}; prefetch.global.L2 [g]; }}", in(reg64) address, options(nostack, preserves_flags))
        };
    }
}
