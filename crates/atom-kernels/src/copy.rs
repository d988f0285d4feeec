//! A kernel for each copy atom: it reads known bits, executes the one instruction, and writes the
//! bits to the places that the layouts give.
//!
//! ```text
//!   ldmatrix    source ─► shared ─(lane's address: SrcLayout)─► registers ─(DstLayout)─► result
//!   stmatrix    source ─(SrcLayout)─► registers ─(lane's address: DstLayout)─► shared ─► result
//!   movmatrix   source ─(SrcLayout)─► registers ─► registers ─(DstLayout)─► result
//!   cp.async    source ─► shared, on top of old bits ─► result
//!   universal   source ─► registers ─► shared ─► registers of another lane ─► result
//! ```
//!
//! Law: `result == source`, bit for bit: source and destination layouts are two orders of the same
//! bits. The matrix kernels also write the values of each lane (`lanes`), which the PTX ISA's
//! figures define without any layout.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::copy::{load_shared_b16, store_shared_b16};
use layout_types::arch::copy_sm80::{cp_async_fence, cp_async_wait};
use layout_types::atom::RegisterArray;
use layout_types::atom::copy::{
    self, AutoVectorizingCopyWithAssumedAlignment, CpAsyncOp, LdsmOp, MovmOp,
    Sm80_CP_ASYNC_CACHEALWAYS, Sm80_CP_ASYNC_CACHEALWAYS_ZFILL, Sm80_CP_ASYNC_CACHEGLOBAL,
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, StsmOp, UniversalCopy, UniversalCopyOp,
};
use layout_types::prelude::*;

/// The largest number of 16-bit halves that a lane holds: 128 bits.
const HALVES: usize = 8;

/// Returns the index of a lane's 16-bit half among all halves that the atom moves.
#[inline(always)]
fn half_at<Layout: LayoutFn>(lane: usize, half: usize) -> usize {
    Layout::index(lane + 32 * 16 * half) / 16
}

/// Gathers a lane's registers from `source` in the order of `Layout`.
///
/// # Safety
/// `source` holds the layout's bits.
#[inline(always)]
unsafe fn gather<Layout: LayoutFn, Registers: RegisterArray>(
    source: *const u16,
    lane: usize,
) -> Registers {
    let mut halves = [0u16; HALVES];
    unroll::<HALVES>(|i| {
        if 16 * i < Registers::BITS {
            // SAFETY: (lane, bit) is in the layout's domain, and the caller has all of the layout's
            // bits at `source`.
            halves[i] = unsafe { source.add(half_at::<Layout>(lane, i)).read() };
        }
    });
    // SAFETY: the halves are initialised, and have at least as many bits as the registers: a lane
    // has at most 128.
    unsafe { Registers::read(halves.as_ptr()) }
}

/// Writes a lane's registers to `result` in the order of `Layout`, and unchanged to `lanes`.
///
/// # Safety
/// Both pointers have space for all lanes' bits.
#[inline(always)]
unsafe fn scatter<Layout: LayoutFn, Registers: RegisterArray>(
    result: *mut u16,
    lanes: *mut u16,
    lane: usize,
    registers: Registers,
) {
    let mut halves = [0u16; HALVES];
    // SAFETY: the halves have at least as many bits as the registers; (lane, bit) is in the
    // layout's domain, for which the caller has space.
    unsafe {
        registers.write(halves.as_mut_ptr());
        unroll::<HALVES>(|i| {
            if 16 * i < Registers::BITS {
                result.add(half_at::<Layout>(lane, i)).write(halves[i]);
                lanes.add(lane * Registers::BITS / 16 + i).write(halves[i]);
            }
        });
    }
}

/// Copies `count` halves from global to shared memory with the whole warp.
///
/// # Safety
/// `count` halves are readable at `source`, and shared memory has space for them.
#[inline(always)]
unsafe fn fill(source: *const u16, count: usize, lane: usize) {
    let mut i = lane;
    while i < count {
        // SAFETY: i < count, and the caller has `count` halves at `source` and space for them in
        // shared memory; each half belongs to one lane.
        unsafe { store_shared_b16(dynamic_shared_offset() + 2 * i as u32, source.add(i).read()) };
        i += 32;
    }
}

/// Copies `count` halves from shared to global memory with the whole warp.
///
/// # Safety
/// `count` halves are writable at `result`, and as many were written in shared memory.
#[inline(always)]
unsafe fn drain(result: *mut u16, count: usize, lane: usize) {
    let mut i = lane;
    while i < count {
        // SAFETY: i < count, and the caller has `count` halves in shared memory that were written,
        // and space for them at `result`.
        unsafe {
            result
                .add(i)
                .write(load_shared_b16(dynamic_shared_offset() + 2 * i as u32))
        };
        i += 32;
    }
}

/// Returns the address of the bits in shared memory that `Layout` assigns to a lane.
#[inline(always)]
fn address<Layout: LayoutFn>(lane: usize) -> u32 {
    dynamic_shared_offset() + (Layout::index(lane) / 8) as u32
}

/// Loads matrices from shared memory by `Op`, and writes each lane's registers to `result` in the
/// layout's order and unchanged to `lanes`.
///
/// # Safety
/// One warp executes it; shared memory and all three arrays hold the bits that the atom moves.
#[inline(always)]
unsafe fn ldsm<Op: LdsmOp>(result: *mut u16, lanes: *mut u16, source: *const u16) {
    let lane = thread_idx_x() as usize;
    // SAFETY: the caller guarantees one warp, and the atom's bits in all three arrays and in shared
    // memory. The barrier is between the writes and the load.
    unsafe {
        fill(source, Op::SrcLayout::COSIZE / 16, lane);
        sync_threads();
        let registers = Op::load(address::<Op::SrcLayout>(lane));
        scatter::<Op::DstLayout, _>(result, lanes, lane, registers);
    }
}

/// Stores matrices to shared memory by `Op`, and copies them from there to `result`. Also writes
/// each lane's registers unchanged to `lanes`.
///
/// # Safety
/// One warp executes it; shared memory and all three arrays hold the bits that the atom moves.
#[inline(always)]
unsafe fn stsm<Op: StsmOp>(result: *mut u16, lanes: *mut u16, source: *const u16) {
    let lane = thread_idx_x() as usize;
    // SAFETY: the caller guarantees one warp, and the atom's bits in all three arrays and in shared
    // memory. The barrier is between the store and the reads.
    unsafe {
        let registers = gather::<Op::SrcLayout, Op::SRegisters>(source, lane);
        scatter::<Op::SrcLayout, _>(result, lanes, lane, registers);
        Op::store(address::<Op::DstLayout>(lane), registers);
        sync_threads();
        drain(result, Op::DstLayout::COSIZE / 16, lane);
    }
}

/// Transposes matrices in registers by `Op`, and writes each lane's registers to `result` in the
/// layout's order and unchanged to `lanes`.
///
/// # Safety
/// One warp executes it; all three arrays hold the bits that the atom moves.
#[inline(always)]
unsafe fn movm<Op: MovmOp>(result: *mut u16, lanes: *mut u16, source: *const u16) {
    let lane = thread_idx_x() as usize;
    // SAFETY: the caller guarantees one warp, and the bits that the atom moves in all three arrays.
    unsafe {
        let registers = gather::<Op::SrcLayout, Op::SRegisters>(source, lane);
        scatter::<Op::DstLayout, _>(result, lanes, lane, Op::transpose(registers));
    }
}

/// Copies to shared memory by `Op` and from there to `result`, which initially holds the old bits.
/// `inside[lane]` is the lane's predicate; if it is false, the lane's address is null.
///
/// # Safety
/// One warp executes it. Shared memory and both arrays hold 32 copies, at multiples of a copy's
/// bytes, and `inside` holds 32 bytes.
#[inline(always)]
unsafe fn cp_async<Op: CpAsyncOp>(result: *mut u16, source: *const u8, inside: *const u8) {
    let lane = thread_idx_x() as usize;
    let count = 32 * Op::BYTES as usize;
    let at = lane * Op::BYTES as usize;
    // SAFETY: the caller guarantees one warp, 32 copies in both arrays and in shared memory, and
    // one byte per lane at `inside`; each lane has its own aligned copy. Barriers are between the
    // old bits, the copies and the reads.
    unsafe {
        fill(result, count / 2, lane);
        sync_threads();
        let inside = inside.add(lane).read() != 0;
        let global = if inside {
            source.add(at)
        } else {
            core::ptr::null()
        };
        Op::copy(dynamic_shared_offset() + at as u32, global, inside);
        cp_async_fence();
        cp_async_wait::<0>();
        sync_threads();
        drain(result, count / 2, lane);
    }
}

/// Copies through shared memory, so that every load and store is used: lane `l` reads what lane `l
/// ^ 1` wrote.
///
/// # Safety
/// One warp executes it; shared memory and both arrays hold 32 copies, at multiples of a copy's
/// bytes.
#[inline(always)]
unsafe fn universal<Op: UniversalCopyOp>(result: *mut u8, source: *const u8) {
    let lane = thread_idx_x() as usize;
    let bytes = Op::SrcLayout::SIZE / 8;
    let (own, other) = (bytes * lane, bytes * (lane ^ 1));
    // SAFETY: the caller guarantees one warp, and 32 copies in both arrays and in shared memory;
    // lanes `l` and `l ^ 1` have their own copies. The barrier is between the writes and the reads.
    unsafe {
        let registers = Op::load_global(source.add(own));
        Op::store_shared(dynamic_shared_offset() + own as u32, registers);
        sync_threads();
        let registers = Op::load_shared(dynamic_shared_offset() + other as u32);
        Op::store_global(result.add(other), registers);
    }
}

macro_rules! matrices {
    ($body:ident: $($name:ident)*) => {$(
        /// Moves bits by the atom with this name; writes them in the order of its layouts and lane
        /// by lane.
        ///
        /// # Safety
        /// One warp executes it; `result`, `lanes`, `source` and the dynamic shared memory hold the
        /// atom's bits.
        #[allow(non_snake_case)]
        #[kernel]
        pub unsafe fn $name(result: *mut u16, lanes: *mut u16, source: *const u16) {
            // SAFETY: the caller guarantees one warp, and that the arrays and dynamic shared memory
            // hold the atom's bits.
            unsafe { $body::<copy::$name>(result, lanes, source) }
        }
    )*};
}
matrices! { ldsm:
    Sm75_U32x1_LDSM_N
    Sm75_U32x2_LDSM_N
    Sm75_U32x4_LDSM_N
    Sm75_U16x2_LDSM_T
    Sm75_U16x4_LDSM_T
    Sm75_U16x8_LDSM_T
}
matrices! { movm: Sm75_U32x1_MOVM_T }
#[cfg(any(target_feature = "sm_90", not(target_arch = "nvptx64")))]
matrices! { stsm:
    Sm90_U32x1_STSM_N
    Sm90_U32x2_STSM_N
    Sm90_U32x4_STSM_N
    Sm90_U16x2_STSM_T
    Sm90_U16x4_STSM_T
    Sm90_U16x8_STSM_T
}

macro_rules! asynchronous {
    ($($name:ident = $op:ty;)*) => {$(
        /// Makes 32 copies on top of the old bits in `result`, each if its lane's byte of `inside`
        /// is not 0.
        ///
        /// # Safety
        /// One warp executes it; `result`, `source` and the dynamic shared memory hold 32 aligned
        /// copies, and `inside` holds 32 bytes.
        #[kernel]
        pub unsafe fn $name(result: *mut u16, source: *const u8, inside: *const u8) {
            // SAFETY: the caller guarantees one warp, and that the arrays and dynamic shared memory
            // hold 32 aligned copies, one per lane, and `inside` holds one byte per lane.
            unsafe { cp_async::<$op>(result, source, inside) }
        }
    )*};
}
asynchronous! {
    cp_async_cachealways_4 = Sm80_CP_ASYNC_CACHEALWAYS<u32>;
    cp_async_cachealways_8 = Sm80_CP_ASYNC_CACHEALWAYS<u64>;
    cp_async_cachealways_16 = Sm80_CP_ASYNC_CACHEALWAYS<u128>;
    cp_async_cacheglobal_16 = Sm80_CP_ASYNC_CACHEGLOBAL<u128>;
    cp_async_cachealways_zfill_4 = Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u32>;
    cp_async_cachealways_zfill_8 = Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u64>;
    cp_async_cachealways_zfill_16 = Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u128>;
    cp_async_cacheglobal_zfill_16 = Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>;
}

macro_rules! plain {
    ($($name:ident = $op:ty;)*) => {$(
        /// Does `result = source` by 32 accesses of this width.
        ///
        /// # Safety
        /// One warp executes it; `result`, `source` and the dynamic shared memory hold 32 aligned
        /// accesses.
        #[kernel]
        pub unsafe fn $name(result: *mut u8, source: *const u8) {
            // SAFETY: the caller guarantees one warp, and that the arrays and dynamic shared memory
            // hold 32 aligned accesses, one per lane.
            unsafe { universal::<$op>(result, source) }
        }
    )*};
}
plain! {
    universal_copy_8 = UniversalCopy<u8>;
    universal_copy_16 = UniversalCopy<half::f16>;
    universal_copy_32 = UniversalCopy<f32>;
    universal_copy_64 = UniversalCopy<f64>;
    universal_copy_128 = UniversalCopy<u128>;
    auto_vectorizing_copy_8 = AutoVectorizingCopyWithAssumedAlignment<8>;
    auto_vectorizing_copy_16 = AutoVectorizingCopyWithAssumedAlignment<16>;
    auto_vectorizing_copy_32 = AutoVectorizingCopyWithAssumedAlignment<32>;
    auto_vectorizing_copy_64 = AutoVectorizingCopyWithAssumedAlignment<64>;
    auto_vectorizing_copy_128 = AutoVectorizingCopyWithAssumedAlignment<128>;
}
