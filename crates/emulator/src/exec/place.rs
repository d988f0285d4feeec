//! The place of an access of local or parameter memory: bounds, alignment, and cost.
//!
//! ```text
//! addresses of 32 lanes ─► one test for all ─► fails? which lane, and why
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid.

use super::access::{self, Addresses};
use super::run::{Context, Site};
use super::{Outcome, Trap, lanes};
use crate::address::{MOST_OWNED, OWNER_SHIFT};
use crate::fault::{FaultKind, Space};
use crate::frame::WARP;

/// Checks that the accesses of local memory are inside the frame's memory and allowed, and counts
/// them. Returns their offsets.
pub(crate) fn local(
    cx: &mut Context,
    all: &Addresses,
    mask: u32,
    total: usize,
    end: u32,
    site: Site,
) -> Outcome<Addresses> {
    if !cx.launch.config.allow_local_memory {
        let lane = mask.trailing_zeros() as usize;
        let bytes = end as usize;
        cx.go_on(Trap::boxed(
            lane,
            all[lane],
            FaultKind::LocalMemory { bytes },
        ))?;
    }
    if cx.launch.config.count_memory {
        cx.counters.at(site).local_requests += 1;
    }
    let all = owned(cx, all, mask)?;
    inside(&all, mask, total, total, end as usize, Space::Local)?;
    Ok(all)
}

/// Returns the addresses without the number of their thread, which must be the lane's own.
fn owned(cx: &mut Context, all: &Addresses, mask: u32) -> Outcome<Addresses> {
    let bits = all.iter().fold(0, |bits, &address| bits | address);
    let mut own = *all;
    if bits >> OWNER_SHIFT == 0 {
        return Ok(own);
    }
    for lane in lanes(mask) {
        own[lane] = own_address(cx, lane, all[lane])?;
    }
    let one = own[mask.trailing_zeros() as usize % WARP];
    for lane in lanes(!mask) {
        own[lane] = one;
    }
    Ok(own)
}

/// Returns a lane's address in local memory without the number of its thread. An address of another
/// thread is a finding; if that is accepted, the address means the lane's own memory, as on a
/// device.
pub(crate) fn own_address(cx: &mut Context, lane: usize, address: u64) -> Outcome<u64> {
    let thread = cx.warp % cx.launch.warps * WARP as u32 + lane as u32;
    let own = cx.launch.local_owner(thread);
    // With this much local memory, addresses do not identify their owner.
    if own == 0 {
        return Ok(address);
    }
    let within = address.wrapping_sub(u64::from(own)) as i64;
    if within.unsigned_abs() < MOST_OWNED as u64 {
        return Ok(within as u64);
    }
    let (number, offset) = (address >> OWNER_SHIFT, address & ((1 << OWNER_SHIFT) - 1));
    let owner = number
        .checked_sub(1)
        .filter(|&owner| owner < u64::from(cx.launch.threads));
    match owner {
        Some(owner) if offset < MOST_OWNED as u64 => {
            let owner = cx.launch.thread(owner as u32);
            cx.go_on(Trap::boxed(lane, address, FaultKind::OthersLocal { owner }))?;
            Ok(offset)
        }
        _ => Ok(address),
    }
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
