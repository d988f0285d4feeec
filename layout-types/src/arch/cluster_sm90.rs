//! Clusters: blocks that run together, access each other's shared memory and wait for each other.
//! Also the election of one lane of a warp.
//!
//! ```text
//!   cluster of 2    rank 0   shared window 0 ── mapa(x, 1) ──► x of rank 1
//!                   rank 1   shared window 1 ◄─ arrive, wait ─► barrier of the cluster
//! ```
//!
//! Law: an address of the block's own shared window is also an address of the cluster's window,
//! where it names the same memory. [`mapa`] returns the address of the same variable in another
//! block. [`cluster_wait`] returns when all threads of the cluster have arrived.
//!
//! Source: PTX ISA, *Special Registers: %cluster_ctarank* and its neighbours, *mapa*,
//! *barrier.cluster*, *elect.sync*; CuTe `cute/arch/cluster_sm90.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

#[cfg(target_arch = "nvptx64")]
use super::intrinsics;
use super::{intrinsic, ptx};

macro_rules! register {
    ($(#[$doc:meta])* $name:ident, $register:literal) => {
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            let value: u32;
            // SAFETY: the instruction reads a special register, which never changes.
            unsafe { ptx!(concat!("mov.u32 {0}, ", $register, ";"), out(reg32) value, options(pure, nomem, nostack, preserves_flags)) };
            value
        }
    };
}
register!(
    /// Returns the block's number in its cluster, `%cluster_ctarank`. CuTe's
    /// `block_rank_in_cluster`.
    block_rank_in_cluster, "%cluster_ctarank");
register!(
    /// Returns the number of blocks of a cluster, `%cluster_nctarank`.
    cluster_size, "%cluster_nctarank");
register!(
    /// Returns the block's x coordinate in its cluster, `%cluster_ctaid.x`. CuTe's
    /// `block_id_in_cluster().x`.
    block_id_in_cluster_x, "%cluster_ctaid.x");
register!(
    /// Returns the block's y coordinate in its cluster, `%cluster_ctaid.y`.
    block_id_in_cluster_y, "%cluster_ctaid.y");
register!(
    /// Returns the block's z coordinate in its cluster, `%cluster_ctaid.z`.
    block_id_in_cluster_z, "%cluster_ctaid.z");
register!(
    /// Returns the number of blocks of a cluster along x, `%cluster_nctaid.x`. CuTe's
    /// `cluster_shape().x`.
    cluster_shape_x, "%cluster_nctaid.x");
register!(
    /// Returns the number of blocks of a cluster along y, `%cluster_nctaid.y`.
    cluster_shape_y, "%cluster_nctaid.y");
register!(
    /// Returns the number of blocks of a cluster along z, `%cluster_nctaid.z`.
    cluster_shape_z, "%cluster_nctaid.z");
register!(
    /// Returns the cluster's x coordinate in the grid, `%clusterid.x`. CuTe's
    /// `cluster_id_in_grid().x`.
    cluster_id_in_grid_x, "%clusterid.x");
register!(
    /// Returns the cluster's y coordinate in the grid, `%clusterid.y`.
    cluster_id_in_grid_y, "%clusterid.y");
register!(
    /// Returns the cluster's z coordinate in the grid, `%clusterid.z`.
    cluster_id_in_grid_z, "%clusterid.z");
register!(
    /// Returns the number of clusters of the grid along x, `%nclusterid.x`. CuTe's
    /// `cluster_grid_dims().x`.
    cluster_grid_dims_x, "%nclusterid.x");
register!(
    /// Returns the number of clusters of the grid along y, `%nclusterid.y`.
    cluster_grid_dims_y, "%nclusterid.y");
register!(
    /// Returns the number of clusters of the grid along z, `%nclusterid.z`.
    cluster_grid_dims_z, "%nclusterid.z");

/// Maps an address of the block's shared memory to the address of the same variable in the block of
/// rank `cta`, in the cluster's shared window: `mapa.shared::cluster.u32`, CuTe's `set_block_rank`.
///
/// Precondition: `cta` is a rank of the cluster, and `shared` is an address of shared memory.
/// Otherwise the result has no meaning.
#[inline(always)]
#[must_use]
pub fn mapa(shared: u32, cta: u32) -> u32 {
    let address: u32;
    // SAFETY: the instruction computes an address and accesses no memory.
    unsafe {
        ptx!("mapa.shared::cluster.u32 {0}, {1}, {2};", out(reg32) address, in(reg32) shared, in(reg32) cta, options(pure, nomem, nostack, preserves_flags))
    };
    address
}

/// Loads 16 bytes of the shared memory of a block of the cluster, with `ld.shared::cluster.v4.b32`.
///
/// # Safety
/// `address` is an address of the cluster's shared window, computed by [`mapa`], and a multiple of
/// 16. It names 16 bytes that the block wrote before a barrier of the cluster. No thread writes
///   them before the next such barrier, and the block has not exited.
#[inline(always)]
#[must_use]
pub unsafe fn load_shared_cluster_b128(address: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller guarantees that the 16 bytes are aligned and initialised, that no thread
    // writes them, and that their block has not exited.
    unsafe {
        ptx!(
            "ld.shared::cluster.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
            out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg32) address,
            options(readonly, nostack, preserves_flags)
        )
    };
    [a, b, c, d]
}

/// Arrives at the cluster's barrier, with release semantics: `barrier.cluster.arrive.aligned`,
/// CuTe's `cluster_arrive`.
///
/// # Safety
/// The warp executes it together. Every thread of the cluster alternately arrives and waits.
#[inline(always)]
pub unsafe fn cluster_arrive() {
    // SAFETY: the caller guarantees that the warp executes this together, and that all threads of
    // the cluster alternately arrive and wait.
    unsafe { intrinsic!(intrinsics::cluster_arrive()) };
}

/// Arrives like [`cluster_arrive`], without ordering memory:
/// `barrier.cluster.arrive.relaxed.aligned`, CuTe's `cluster_arrive_relaxed`.
///
/// # Safety
/// The conditions of [`cluster_arrive`] hold.
#[inline(always)]
pub unsafe fn cluster_arrive_relaxed() {
    // SAFETY: the caller guarantees that the warp executes this together, and that all threads of
    // the cluster alternately arrive and wait.
    unsafe { intrinsic!(intrinsics::cluster_arrive_relaxed()) };
}

/// Waits until all threads of the cluster have arrived, with acquire semantics:
/// `barrier.cluster.wait.aligned`, CuTe's `cluster_wait`.
///
/// # Safety
/// The conditions of [`cluster_arrive`] hold, and the thread has arrived.
#[inline(always)]
pub unsafe fn cluster_wait() {
    // SAFETY: the caller guarantees that the warp executes this together and has arrived.
    unsafe { intrinsic!(intrinsics::cluster_wait()) };
}

/// Executes [`cluster_arrive_relaxed`] and [`cluster_wait`]: waits for all threads of the cluster,
/// and orders the initialisation of barriers before it if
/// [`fence_mbarrier_init`](super::barrier::fence_mbarrier_init) came first.
///
/// [`cluster_sync`] also orders every thread's other accesses before it: each thread then waits
/// until its stores have reached the whole GPU.
///
/// # Safety
/// The conditions of [`cluster_arrive`] hold.
#[inline(always)]
pub unsafe fn cluster_sync_relaxed() {
    // SAFETY: the caller guarantees that every thread of the cluster comes here with whole warps.
    unsafe {
        cluster_arrive_relaxed();
        cluster_wait();
    }
}

/// Executes [`cluster_arrive`] and [`cluster_wait`]. CuTe's `cluster_sync`.
///
/// # Safety
/// All threads of the cluster execute it, each warp together.
#[inline(always)]
pub unsafe fn cluster_sync() {
    // SAFETY: the caller guarantees that all threads of the cluster execute this, each warp
    // together; a wait follows each arrival.
    unsafe {
        cluster_arrive();
        cluster_wait();
    }
}

/// Returns true in one lane of the warp, the same lane each time: `elect.sync`, CuTe's
/// `elect_one_sync`.
///
/// # Safety
/// All 32 lanes of the warp execute it together.
#[inline(always)]
#[must_use]
pub unsafe fn elect_one_sync() -> bool {
    // SAFETY: the caller guarantees that all 32 lanes execute this together.
    unsafe { intrinsic!(intrinsics::elect_sync(u32::MAX).here) }
}
