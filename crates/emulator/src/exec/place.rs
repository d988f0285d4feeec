//! Where an access of local or parameter memory goes, and whether it may: bounds, alignment; and what it costs.
//!
//! ```text
//! addresses of 32 lanes ─► one test for all ─► fails? which lane, and why
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid.

use super::access::{self, Addresses};
use super::run::{Context, Site};
use super::{Outcome, Trap, lanes};
use crate::fault::{FaultKind, Space};

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
