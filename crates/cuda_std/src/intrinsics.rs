//! The LLVM intrinsics through which this crate executes PTX instructions.
//!
//! ```text
//!   warp::lane_id()  ──►  llvm.nvvm.read.ptx.sreg.laneid  ──►  mov.u32 %r, %laneid;
//! ```
//!
//! Law: each declaration is one PTX instruction. The crate uses an intrinsic instead of `asm!`
//! wherever LLVM has one, because LLVM knows the effects of an intrinsic. Barriers, shuffles and
//! votes are *convergent*: LLVM moves them neither into nor out of branches. rustc cannot state
//! that for `asm!`. LLVM also knows the ranges of special registers.
//!
//! Rust-CUDA has a different module with this name, which contains libdevice (see the table in the
//! crate's documentation).
//!
//! Source: LLVM, *User Guide for NVPTX Back-end*; PTX ISA.

macro_rules! intrinsics {
    ($($link:literal fn $name:ident($($argument:ident: $type:ty),*) $(-> $out:ty)?;)+) => {
        unsafe extern "C" {
            $(
                #[link_name = $link]
                pub(crate) fn $name($($argument: $type),*) $(-> $out)?;
            )+
        }
    };
}

intrinsics! {
    // Intrinsics for special registers.
    "llvm.nvvm.read.ptx.sreg.tid.x" fn tid_x() -> u32;
    "llvm.nvvm.read.ptx.sreg.tid.y" fn tid_y() -> u32;
    "llvm.nvvm.read.ptx.sreg.tid.z" fn tid_z() -> u32;
    "llvm.nvvm.read.ptx.sreg.ntid.x" fn ntid_x() -> u32;
    "llvm.nvvm.read.ptx.sreg.ntid.y" fn ntid_y() -> u32;
    "llvm.nvvm.read.ptx.sreg.ntid.z" fn ntid_z() -> u32;
    "llvm.nvvm.read.ptx.sreg.ctaid.x" fn ctaid_x() -> u32;
    "llvm.nvvm.read.ptx.sreg.ctaid.y" fn ctaid_y() -> u32;
    "llvm.nvvm.read.ptx.sreg.ctaid.z" fn ctaid_z() -> u32;
    "llvm.nvvm.read.ptx.sreg.nctaid.x" fn nctaid_x() -> u32;
    "llvm.nvvm.read.ptx.sreg.nctaid.y" fn nctaid_y() -> u32;
    "llvm.nvvm.read.ptx.sreg.nctaid.z" fn nctaid_z() -> u32;
    "llvm.nvvm.read.ptx.sreg.laneid" fn laneid() -> u32;
    "llvm.nvvm.read.ptx.sreg.warpid" fn warpid() -> u32;
    "llvm.nvvm.read.ptx.sreg.warpsize" fn warpsize() -> u32;

    // Intrinsics for barriers and fences.
    "llvm.nvvm.barrier.cta.sync.aligned.all" fn barrier_sync(barrier: u32);
    "llvm.nvvm.barrier.cta.red.popc.aligned.all" fn barrier_popc(barrier: u32, predicate: bool) -> u32;
    "llvm.nvvm.barrier.cta.red.and.aligned.all" fn barrier_and(barrier: u32, predicate: bool) -> bool;
    "llvm.nvvm.barrier.cta.red.or.aligned.all" fn barrier_or(barrier: u32, predicate: bool) -> bool;
    "llvm.nvvm.bar.warp.sync" fn warp_sync(mask: u32);
    "llvm.nvvm.membar.cta" fn membar_cta();
    "llvm.nvvm.membar.gl" fn membar_gl();
    "llvm.nvvm.membar.sys" fn membar_sys();

    // Intrinsics for exchanges within a warp.
    "llvm.nvvm.shfl.sync.up.i32" fn shfl_up(mask: u32, value: u32, b: u32, c: u32) -> u32;
    "llvm.nvvm.shfl.sync.down.i32" fn shfl_down(mask: u32, value: u32, b: u32, c: u32) -> u32;
    "llvm.nvvm.shfl.sync.bfly.i32" fn shfl_bfly(mask: u32, value: u32, b: u32, c: u32) -> u32;
    "llvm.nvvm.shfl.sync.idx.i32" fn shfl_idx(mask: u32, value: u32, b: u32, c: u32) -> u32;
    "llvm.nvvm.vote.all.sync" fn vote_all(mask: u32, predicate: bool) -> bool;
    "llvm.nvvm.vote.any.sync" fn vote_any(mask: u32, predicate: bool) -> bool;
    "llvm.nvvm.vote.ballot.sync" fn vote_ballot(mask: u32, predicate: bool) -> u32;
    "llvm.nvvm.match.any.sync.i32" fn match_any_32(mask: u32, value: u32) -> u32;
    "llvm.nvvm.match.any.sync.i64" fn match_any_64(mask: u32, value: u64) -> u32;
    "llvm.nvvm.activemask" fn activemask() -> u32;
    "llvm.nvvm.redux.sync.add" fn redux_add(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.umin" fn redux_umin(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.umax" fn redux_umax(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.min" fn redux_min(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.max" fn redux_max(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.and" fn redux_and(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.or" fn redux_or(value: u32, mask: u32) -> u32;
    "llvm.nvvm.redux.sync.xor" fn redux_xor(value: u32, mask: u32) -> u32;

    // Intrinsics for address spaces.
    "llvm.nvvm.isspacep.global" fn is_global(address: *const u8) -> bool;
    "llvm.nvvm.isspacep.shared" fn is_shared(address: *const u8) -> bool;
    "llvm.nvvm.isspacep.const" fn is_const(address: *const u8) -> bool;
    "llvm.nvvm.isspacep.local" fn is_local(address: *const u8) -> bool;

    "__nvvm_reflect" fn __nvvm_reflect(query: *const u8) -> u32;
    "llvm.nvvm.nanosleep" fn nanosleep(nanoseconds: u32);
    "llvm.trap" fn trap() -> !;
}
