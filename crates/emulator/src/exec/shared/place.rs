//! Finds the place of an access of a warp in shared memory: alignment, bounds, and cost.
//!
//! ```text
//! 32 addresses ─► aligned? in the block's own memory, or a living peer's? ─► bank conflicts counted ─► 32 offsets
//! ```
//!
//! Law: every lane of the mask has a place, or the access is a fault of the first lane without a
//! place.

use super::super::access::{self, Addresses};
use super::super::run::{Context, Site};
use super::super::{Outcome, Trap, banks, banks::Cost, cluster, lanes};
use crate::address::{RANK_SHIFT, SHARED_START};
use crate::fault::{Access, FaultKind, Space};
use crate::ir::Window;

/// An access of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The window of the access: shared memory of the block, or of any block of the cluster.
    pub window: Window,
    /// The address of each lane. Lanes outside of the mask have the address of a lane inside.
    pub all: &'a Addresses,
    pub mask: u32,
    /// The bytes of each lane; the access must be aligned to them.
    pub bytes: usize,
    /// The kind of access, which determines its cost.
    pub cost: Cost,
    /// The instruction for which wavefronts are counted, or `None` if the instruction counts them
    /// itself.
    pub counted: Option<Site>,
}

/// Writes the offsets of all lanes to `out`, after the checks of place, and counts wavefronts.
#[inline(always)]
pub(super) fn offsets(cx: &mut Context, request: &Request, out: &mut Addresses) -> Outcome {
    if request.window == Window::Cluster && cx.launch.ranks > 1 {
        return in_cluster(cx, request, out);
    }
    in_block(cx, request, out)
}

/// Writes the offsets of accesses to the memory of the block itself.
#[inline(always)]
fn in_block(cx: &mut Context, request: &Request, out: &mut Addresses) -> Outcome {
    let Request {
        all, mask, bytes, ..
    } = *request;
    let (low, high, bits) = if mask == u32::MAX && access::consecutive(all, bytes) {
        (all[0], all[31], all[0])
    } else {
        access::extent(all)
    };
    if bits & (bytes as u64 - 1) != 0
        && let Some(trap) = access::misaligned(all, mask, bytes, Space::Shared)
    {
        return Err(trap);
    }
    if cx.shared.offset(low, bytes).is_none() || cx.shared.offset(high, bytes).is_none() {
        bounds(cx, all, mask, bytes)?;
    }
    count(cx, request);
    let bias = cx.shared.bias();
    for (out, &address) in out.iter_mut().zip(all) {
        *out = address.wrapping_sub(bias);
    }
    Ok(())
}

/// Writes the offsets of accesses to the memories of all blocks of the cluster.
fn in_cluster(cx: &mut Context, request: &Request, out: &mut Addresses) -> Outcome {
    let Request {
        all, mask, bytes, ..
    } = *request;
    if lanes(mask).all(|lane| cx.shared.offset(all[lane], bytes).is_some()) {
        return in_block(cx, request, out);
    }
    if let Some(trap) = access::misaligned(all, mask, bytes, Space::Shared) {
        return Err(trap);
    }
    let access = match request.cost {
        Cost::Load => Access::Read,
        Cost::Atomic => Access::Atomic,
        _ => Access::Write,
    };
    for lane in lanes(mask) {
        let Some((rank, at)) = cx.shared.offset_of_any(all[lane], bytes) else {
            let offset = all[lane] & ((1 << RANK_SHIFT) - 1);
            let what = FaultKind::OutOfBounds {
                space: Space::Shared,
                size: bytes,
                offset: offset as i64 - i64::from(SHARED_START),
                length: cx.shared.len(),
            };
            return Trap::access(lane, all[lane], what);
        };
        cluster::note_peer(cx, lane, rank, all[lane], access)?;
        out[lane] = at as u64;
    }
    let one = out[mask.trailing_zeros() as usize];
    for lane in lanes(!mask) {
        out[lane] = one;
    }
    count(cx, request);
    Ok(())
}

/// Counts an access for the instruction in the request.
#[inline(always)]
fn count(cx: &mut Context, request: &Request) {
    let &Request {
        all,
        mask,
        bytes,
        cost,
        counted,
        ..
    } = request;
    let Some(site) = counted else { return };
    if !cx.launch.config.count_memory {
        return;
    }
    let (count, heat) = cx.counters.of_shared(site);
    let (wavefronts, phases) = match banks::row_wavefronts(all, mask, bytes, cost) {
        Some(found) if heat.is_none() => found,
        _ => banks::wavefronts(all, mask, bytes, cost, heat),
    };
    count.shared_requests += 1;
    count.shared_wavefronts += u64::from(wavefronts);
    count.bank_conflicts += u64::from(wavefronts - phases);
    count.shared_bytes += u64::from(mask.count_ones()) * bytes as u64;
}

/// Checks the bounds. Returns the fault of the first lane that is out of the block's bounds.
pub(super) fn bounds(cx: &Context, all: &Addresses, mask: u32, bytes: usize) -> Outcome {
    for lane in lanes(mask) {
        if cx.shared.offset(all[lane], bytes).is_none() {
            let offset = (all[lane] as i64).wrapping_sub(cx.shared.start() as i64);
            let what = FaultKind::OutOfBounds {
                space: Space::Shared,
                size: bytes,
                offset,
                length: cx.shared.len(),
            };
            return Trap::access(lane, all[lane], what);
        }
    }
    Ok(())
}
