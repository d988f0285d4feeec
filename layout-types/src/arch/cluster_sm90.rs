//! Clusters: blocks that run together, reach one another's shared memory and wait for one another;
//! and the choice of one lane.
//!
//! ```text
//!   cluster of 2    rank 0   shared window 0 ── mapa(x, 1) ──► x of rank 1
//!                   rank 1   shared window 1 ◄─ arrive, wait ─► barrier of the cluster
//! ```
//!
//! Law: an address of the block's own shared window is also one of the cluster's, of the block
//! itself; [`mapa`] gives that of the same variable in another block. [`cluster_wait`] returns when
//! all threads of the cluster have arrived.
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
            // SAFETY: reads a special register, which never changes.
            unsafe { ptx!(concat!("mov.u32 {0}, ", $register, ";"), out(reg32) value, options(pure, nomem, nostack, preserves_flags)) };
            value
        }
    };
}
register!(
    /// `%cluster_ctarank`: the block's number in its cluster. CuTe's `block_rank_in_cluster`.
    block_rank_in_cluster, "%cluster_ctarank");
register!(
    /// `%cluster_nctarank`: the blocks of a cluster.
    cluster_size, "%cluster_nctarank");
register!(
    /// `%cluster_ctaid.x`: the block's x coordinate in its cluster. CuTe's
    /// `block_id_in_cluster().x`.
    block_id_in_cluster_x, "%cluster_ctaid.x");
register!(
    /// `%cluster_ctaid.y`: the block's y coordinate in its cluster.
    block_id_in_cluster_y, "%cluster_ctaid.y");
register!(
    /// `%cluster_ctaid.z`: the block's z coordinate in its cluster.
    block_id_in_cluster_z, "%cluster_ctaid.z");
register!(
    /// `%cluster_nctaid.x`: blocks of a cluster along x. CuTe's `cluster_shape().x`.
    cluster_shape_x, "%cluster_nctaid.x");
register!(
    /// `%cluster_nctaid.y`: blocks of a cluster along y.
    cluster_shape_y, "%cluster_nctaid.y");
register!(
    /// `%cluster_nctaid.z`: blocks of a cluster along z.
    cluster_shape_z, "%cluster_nctaid.z");
register!(
    /// `%clusterid.x`: the cluster's x coordinate in the grid. CuTe's `cluster_id_in_grid().x`.
    cluster_id_in_grid_x, "%clusterid.x");
register!(
    /// `%clusterid.y`: the cluster's y coordinate in the grid.
    cluster_id_in_grid_y, "%clusterid.y");
register!(
    /// `%clusterid.z`: the cluster's z coordinate in the grid.
    cluster_id_in_grid_z, "%clusterid.z");
register!(
    /// `%nclusterid.x`: clusters of the grid along x. CuTe's `cluster_grid_dims().x`.
    cluster_grid_dims_x, "%nclusterid.x");
register!(
    /// `%nclusterid.y`: clusters of the grid along y.
    cluster_grid_dims_y, "%nclusterid.y");
register!(
    /// `%nclusterid.z`: clusters of the grid along z.
    cluster_grid_dims_z, "%nclusterid.z");

/// `mapa.shared::cluster.u32`: the address in the cluster's shared window of what `shared` names,
/// in the block of rank `cta`. CuTe's `set_block_rank`.
///
/// Precondition: `cta` is a rank of the cluster and `shared` an address of shared memory; otherwise
/// the result means nothing.
#[inline(always)]
#[must_use]
pub fn mapa(shared: u32, cta: u32) -> u32 {
    let address: u32;
    // SAFETY: arithmetic on an address; touches no memory.
    unsafe {
        ptx!("mapa.shared::cluster.u32 {0}, {1}, {2};", out(reg32) address, in(reg32) shared, in(reg32) cta, options(pure, nomem, nostack, preserves_flags))
    };
    address
}

/// `ld.shared::cluster.v4.b32`: 16 bytes of the shared memory of a block of the cluster.
///
/// # Safety
/// `address` is one of the cluster's shared window, by [`mapa`], and a multiple of 16; it names 16
/// bytes that the block wrote before a barrier of the cluster, that nobody writes before the next
/// one, and the block has not left.
#[inline(always)]
#[must_use]
pub unsafe fn load_shared_cluster_b128(address: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the 16 bytes are aligned, initialised and nobody's to write, in a block that has not
    // left, by the caller's contract.
    unsafe {
        ptx!(
            "ld.shared::cluster.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
            out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg32) address,
            options(readonly, nostack, preserves_flags)
        )
    };
    [a, b, c, d]
}

/// `barrier.cluster.arrive.aligned`: arrives on the cluster's barrier, with release semantics.
/// CuTe's `cluster_arrive`.
///
/// # Safety
/// The warp executes it together; every thread of the cluster arrives and then waits, in turn.
#[inline(always)]
pub unsafe fn cluster_arrive() {
    // SAFETY: the warp is together, and all threads of the cluster arrive and wait in turn, by the
    // caller's contract.
    unsafe { intrinsic!(intrinsics::cluster_arrive()) };
}

/// `barrier.cluster.arrive.relaxed.aligned`: as [`cluster_arrive`], without ordering memory. CuTe's
/// `cluster_arrive_relaxed`.
///
/// # Safety
/// As of [`cluster_arrive`].
#[inline(always)]
pub unsafe fn cluster_arrive_relaxed() {
    // SAFETY: the warp is together, and all threads of the cluster arrive and wait in turn, by the
    // caller's contract.
    unsafe { intrinsic!(intrinsics::cluster_arrive_relaxed()) };
}

/// `barrier.cluster.wait.aligned`: waits until all threads of the cluster have arrived, with
/// acquire semantics. CuTe's `cluster_wait`.
///
/// # Safety
/// As of [`cluster_arrive`]; the thread has arrived.
#[inline(always)]
pub unsafe fn cluster_wait() {
    // SAFETY: the warp is together and has arrived, by the caller's contract.
    unsafe { intrinsic!(intrinsics::cluster_wait()) };
}

/// [`cluster_arrive`] and [`cluster_wait`]. CuTe's `cluster_sync`.
///
/// # Safety
/// All threads of the cluster come to it, whole warps together.
#[inline(always)]
pub unsafe fn cluster_sync() {
    // SAFETY: the caller brings all threads of the cluster here, whole warps together; each arrival
    // is followed by its wait.
    unsafe {
        cluster_arrive();
        cluster_wait();
    }
}

/// `elect.sync`: true in one lane of the warp, the same one each time. CuTe's `elect_one_sync`.
///
/// # Safety
/// All 32 lanes of the warp execute it together.
#[inline(always)]
#[must_use]
pub unsafe fn elect_one_sync() -> bool {
    // SAFETY: all 32 lanes are together, by the caller's contract.
    unsafe { intrinsic!(intrinsics::elect_sync(u32::MAX).here) }
}
