//! Finds the place of an access of global memory: alignment, bounds, cost.
//!
//! ```text
//! addresses of 32 lanes ─► one test for all ─► fails? which lane, and why
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid.

use super::super::access::{self, Addresses};
use super::super::run::{Context, Site};
use super::super::{Outcome, Trap, banks, banks::Cost, lanes};
use crate::fault::{FaultKind, Space};
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::global::Global;
use crate::memory::heap::Heap;

/// An access of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Request<'r> {
    /// The address of each lane. Lanes outside of the mask have the address of a lane inside.
    pub all: &'r Addresses,
    pub mask: u32,
    /// The bytes of each lane; the access must be aligned to them.
    pub bytes: usize,
    /// The memory of the access: global memory, or constants.
    pub space: Space,
    /// The instruction for which sectors are counted, and its kind; `None` if they are counted
    /// elsewhere.
    pub counted: Option<(Site, Cost)>,
}

/// The places of a warp's accesses in global memory.
pub(in crate::exec) struct Found<'a> {
    /// The allocation that holds all accesses, if there is only one.
    pub common: Option<&'a Allocation>,
    /// Whether the places are consecutive in memory.
    pub consecutive: bool,
    /// The distance in bytes from each lane's place to the next lane's, if it is the same for all
    /// lanes, not negative, and needed.
    pub stride: Option<u64>,
    /// Whether the initialisation of bytes must be checked.
    pub check: bool,
}

/// Finds all lanes' places in global memory, after checks of alignment and bounds. Counts sectors
/// for the instruction in the request.
#[inline(always)]
pub(super) fn find<'a>(cx: &mut Context<'a>, request: &Request) -> Outcome<Found<'a>> {
    let Request {
        all,
        mask,
        bytes: total,
        space,
        counted,
    } = *request;
    let launch = cx.launch;
    let asks = mask == u32::MAX || launch.follows;
    let stride = asks.then(|| access::stride(all, mask)).flatten();
    let consecutive = mask == u32::MAX && stride == Some(total as u64);
    let (low, high, bits) = match stride {
        Some(stride) if mask == u32::MAX => (all[0], all[31], all[0] | stride),
        _ => access::extent(all),
    };
    if bits & (total as u64 - 1) != 0
        && let Some(trap) = access::misaligned(all, mask, total, space)
    {
        return Err(trap);
    }
    if let (Some((site, kind)), true) = (counted, launch.config.count_memory) {
        let sectors = if consecutive {
            ((high + (total as u64 - 1)) / 32 - low / 32 + 1) as u32
        } else if kind == Cost::Atomic {
            banks::atomic_sectors(all, mask)
        } else {
            stride
                .and_then(|stride| banks::strided_sectors(stride, mask, (low, high), total))
                .unwrap_or_else(|| banks::sectors(all, mask, (low, high), total))
        };
        let count = cx.counters.at(site);
        count.global_requests += 1;
        count.global_sectors += u64::from(sectors);
        count.global_bytes += u64::from(mask.count_ones()) * total as u64;
    }
    let common = common(&launch.global, &mut cx.hint, (low, high), total);
    if common.is_none() {
        for lane in lanes(mask) {
            of_lane(&launch.global, &mut cx.hint, lane, all[lane], total, space)?;
        }
    }
    freed_pieces(cx, request, common)?;
    if common.is_some_and(|allocation| allocation.kind == Kind::Multicast) {
        return Err(only_multimem(request));
    }
    let check = launch.config.check_initialised && !common.is_some_and(Allocation::is_complete);
    Ok(Found {
        common,
        consecutive,
        stride,
        check,
    })
}

/// Returns the trap for a multicast address in a plain access.
#[cold]
fn only_multimem(request: &Request) -> Box<Trap> {
    let lane = request.mask.trailing_zeros() as usize;
    let problem = "a multicast address: only multimem accesses it".to_owned();
    Trap::boxed(lane, request.all[lane], FaultKind::Operand(problem))
}

/// Checks that no lane uses a freed piece of the device heap.
#[inline(always)]
fn freed_pieces(cx: &Context, request: &Request, common: Option<&Allocation>) -> Outcome {
    match &cx.launch.heap {
        Some(heap) if common.is_none_or(|allocation| allocation.kind == Kind::Heap) => {
            lanes(request.mask).try_for_each(|lane| freed_piece(heap, lane, request))
        }
        _ => Ok(()),
    }
}

/// Traps if a lane accesses a freed piece.
#[cold]
fn freed_piece(heap: &Heap, lane: usize, request: &Request) -> Outcome {
    let (address, size) = (request.all[lane], request.bytes);
    match heap.given_back(address, size) {
        None => Ok(()),
        Some((offset, length)) => {
            let what = FaultKind::UseAfterFree {
                size,
                offset,
                length,
            };
            Trap::access(lane, address, what)
        }
    }
}

/// Runs `each` for every lane of an access whose places are found.
#[inline(always)]
pub(super) fn each_lane<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    request: &Request,
    mut each: impl FnMut(&mut Context<'a>, &'a Allocation, usize, usize) -> Outcome,
) -> Outcome {
    let Request {
        all,
        mask,
        bytes: total,
        space,
        ..
    } = *request;
    for lane in lanes(mask) {
        let allocation = match found.common {
            Some(allocation) => allocation,
            None => {
                let launch = cx.launch;
                of_lane(&launch.global, &mut cx.hint, lane, all[lane], total, space)?
            }
        };
        let at = (all[lane] - allocation.base) as usize;
        each(cx, allocation, at, lane)?;
    }
    Ok(())
}

pub(super) fn uninitialised(
    allocation: &Allocation,
    at: usize,
    total: usize,
    lane: usize,
) -> Box<Trap> {
    let byte = allocation.first_uninitialised(at, total).unwrap_or(at);
    let what = FaultKind::Uninitialised {
        space: Space::Global,
        offset: byte as u64,
        length: allocation.size,
        later: None,
    };
    Box::new(Trap {
        earlier: 0,
        lanes: 0,
        lane: Some(lane),
        address: Some(allocation.base + byte as u64),
        what,
    })
}

/// Returns the allocation that holds the accesses of all lanes, or `None` if they are in several,
/// so that each lane is looked up by itself.
#[inline(always)]
pub(super) fn common<'g>(
    global: &'g Global,
    hint: &mut usize,
    (low, high): (u64, u64),
    bytes: usize,
) -> Option<&'g Allocation> {
    let holds = |a: &&Allocation| low >= a.base && high - a.base + bytes as u64 <= a.size as u64;
    if let Some(known) = global.at(*hint).filter(holds) {
        return Some(known);
    }
    let index = global.find(low)?;
    *hint = index;
    global.at(index).filter(holds)
}

/// Returns the allocation of one lane's access.
pub(super) fn of_lane<'g>(
    global: &'g Global,
    hint: &mut usize,
    lane: usize,
    address: u64,
    bytes: usize,
    space: Space,
) -> Outcome<&'g Allocation> {
    let inside = |a: &&Allocation| address >= a.base && address - a.base < a.size as u64;
    let found = match global.at(*hint).filter(inside) {
        Some(known) => Some(known),
        None => global.find(address).and_then(|index| {
            *hint = index;
            global.at(index)
        }),
    };
    let Some(allocation) = found else {
        let what = match global.find_freed(address) {
            Some((base, length)) => FaultKind::UseAfterFree {
                size: bytes,
                offset: address - base,
                length,
            },
            None => FaultKind::Unmapped {
                space,
                size: bytes,
                nearest: global.nearest(address),
                derived: false,
            },
        };
        return Trap::access(lane, address, what);
    };
    let offset = address - allocation.base;
    if offset + bytes as u64 > allocation.size as u64 {
        let what = FaultKind::OutOfBounds {
            space,
            size: bytes,
            offset: offset as i64,
            length: allocation.size,
        };
        return Trap::access(lane, address, what);
    }
    Ok(allocation)
}
