//! Where an access of global, local or parameter memory goes, and whether it may: allocations, bounds, alignment; and what it costs.
//!
//! ```text
//! addresses of 32 lanes ─► one test for all ─► fails? which lane, and why
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid.

use super::access::{self, Addresses};
use super::run::{Context, Site};
use super::{Outcome, Trap, banks, banks::Cost, lanes};
use crate::fault::{FaultKind, Space};
use crate::memory::global::Allocation;

/// Where the accesses of a warp to global memory are.
pub(crate) struct Found<'a> {
    /// The allocation that holds all of them, if it is one.
    pub common: Option<&'a Allocation>,
    /// They lie one behind the other.
    pub consecutive: bool,
    /// Which bytes are initialised must be watched.
    pub check: bool,
}

/// Finds all lanes' places in global memory, after the checks of alignment and bounds; counts sectors for the
/// instruction that is named.
#[inline(always)]
pub(crate) fn find<'a>(
    cx: &mut Context<'a>,
    all: &Addresses,
    mask: u32,
    total: usize,
    space: Space,
    counted: Option<(Site, Cost)>,
) -> Outcome<Found<'a>> {
    let consecutive = mask == u32::MAX && access::consecutive(all, total);
    let (low, high, bits) = if consecutive {
        (all[0], all[31], all[0])
    } else {
        access::extent(all)
    };
    if bits & (total as u64 - 1) != 0
        && let Some(trap) = access::misaligned(all, mask, total, space)
    {
        return Err(trap);
    }
    let launch = cx.launch;
    if let (Some((site, kind)), true) = (counted, launch.config.count_memory) {
        let sectors = if consecutive {
            ((high + (total as u64 - 1)) / 32 - low / 32 + 1) as u32
        } else if kind == Cost::Atomic {
            banks::atomic_sectors(all, mask)
        } else {
            banks::sectors(all, mask, (low, high), total)
        };
        let count = cx.counters.at(site);
        count.global_requests += 1;
        count.global_sectors += u64::from(sectors);
        count.global_bytes += u64::from(mask.count_ones()) * total as u64;
    }
    let common = access::common(&launch.global, &mut cx.hint, (low, high), total);
    if common.is_none() {
        for lane in lanes(mask) {
            access::of_lane(&launch.global, &mut cx.hint, lane, all[lane], total, space)?;
        }
    }
    let check = launch.config.check_initialised && !common.is_some_and(Allocation::is_complete);
    Ok(Found {
        common,
        consecutive,
        check,
    })
}

/// Runs `each` for every lane of an access whose places are found.
#[inline(always)]
pub(crate) fn each_lane<'a>(
    cx: &mut Context<'a>,
    found: &Found<'a>,
    all: &Addresses,
    mask: u32,
    total: usize,
    space: Space,
    mut each: impl FnMut(&mut Context<'a>, &'a Allocation, usize, usize, bool) -> Outcome,
) -> Outcome {
    for lane in lanes(mask) {
        let allocation = match found.common {
            Some(allocation) => allocation,
            None => {
                let launch = cx.launch;
                access::of_lane(&launch.global, &mut cx.hint, lane, all[lane], total, space)?
            }
        };
        let at = (all[lane] - allocation.base) as usize;
        each(cx, allocation, at, lane, found.check)?;
    }
    Ok(())
}

pub(crate) fn uninitialised(
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
    };
    Box::new(Trap {
        earlier: 0,
        lanes: 0,
        lane: Some(lane),
        address: Some(allocation.base + byte as u64),
        what,
    })
}

/// Checks that the accesses of local memory are inside what the frame has, and allowed; counts them.
pub(crate) fn local(
    cx: &mut Context,
    all: &Addresses,
    mask: u32,
    total: usize,
    end: u32,
    site: Site,
) -> Outcome {
    if !cx.launch.config.allow_local_memory {
        let lane = mask.trailing_zeros() as usize;
        let bytes = end as usize;
        return Trap::access(lane, all[lane], FaultKind::LocalMemory { bytes });
    }
    if cx.launch.config.count_memory {
        cx.counters.at(site).local_requests += 1;
    }
    inside(all, mask, total, total, end as usize, Space::Local)
}

/// Checks that the accesses of a memory of `length` bytes are inside it and aligned.
pub(crate) fn inside(
    all: &Addresses,
    mask: u32,
    total: usize,
    alignment: usize,
    length: usize,
    space: Space,
) -> Outcome {
    let (_, high, bits) = access::extent(all);
    if bits & (alignment as u64 - 1) == 0
        && high
            .checked_add(total as u64)
            .is_some_and(|end| end <= length as u64)
    {
        return Ok(());
    }
    if let Some(trap) = access::misaligned(all, mask, alignment, space) {
        return Err(trap);
    }
    for lane in lanes(mask) {
        if all[lane]
            .checked_add(total as u64)
            .is_none_or(|end| end > length as u64)
        {
            let what = FaultKind::OutOfBounds {
                space,
                size: total,
                offset: all[lane] as i64,
                length,
            };
            return Trap::access(lane, all[lane], what);
        }
    }
    Ok(())
}
