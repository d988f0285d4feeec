//! `ld` and `st`.
//!
//! ```text
//! addresses ─► window ─► all lanes valid? ─► shadow ─► values
//!                        no: which lane, and why
//! ```
//!
//! Law: an access happens only if every lane's is valid: in bounds, aligned, initialised where it reads. A generic
//! access is the sum of its parts in each memory.

use super::access::{self, Addresses};
use super::run::{Context, Site};
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, banks, lanes};
use crate::fault::{FaultKind, Space};
use crate::frame::Frame;
use crate::ir::{Transfer, Window};
use crate::memory::global::{Allocation, Kind};
use crate::memory::shadow::{Problem, Shadow};

/// Writes element `k` of a lane, extended as the instruction says.
#[inline(always)]
fn put(frame: &mut Frame, t: &Transfer, k: usize, lane: usize, raw: u64) {
    let value = if t.sign_bits == 0 {
        raw
    } else {
        let shift = 64 - u32::from(t.bytes) * 8;
        ((raw << shift) as i64 >> shift) as u64 & u64::MAX >> (64 - t.sign_bits)
    };
    if t.wide {
        frame.r64[t.registers[k] as usize][lane] = value;
    } else {
        frame.r32[t.registers[k] as usize][lane] = value as u32;
    }
}

/// Element `k` of a lane.
#[inline(always)]
fn get(frame: &Frame, t: &Transfer, k: usize, lane: usize) -> u64 {
    if t.wide {
        frame.r64[t.registers[k] as usize][lane]
    } else {
        u64::from(frame.r32[t.registers[k] as usize][lane])
    }
}

impl Transfer {
    fn total(&self) -> usize {
        usize::from(self.bytes) * usize::from(self.count)
    }
}

/// Executes a load for the lanes of `mask`.
pub(crate) fn load(
    cx: &mut Context,
    warp: &Warp,
    frame: &mut Activation,
    t: &Transfer,
    mask: u32,
    site: Site,
) -> Outcome {
    let all = access::addresses(&frame.registers, &t.address, mask);
    match t.address.window {
        Window::Generic => {
            for (window, part) in access::windows(&all, mask) {
                if part != 0 {
                    let relative = access::relative(&all, access::base(window), part);
                    load_from(cx, warp, frame, t, window, &relative, part, site)?;
                }
            }
            Ok(())
        }
        window => load_from(cx, warp, frame, t, window, &all, mask, site),
    }
}

#[allow(clippy::too_many_arguments)]
fn load_from(
    cx: &mut Context,
    warp: &Warp,
    frame: &mut Activation,
    t: &Transfer,
    window: Window,
    all: &Addresses,
    mask: u32,
    site: Site,
) -> Outcome {
    let (total, bytes, count) = (t.total(), usize::from(t.bytes), usize::from(t.count));
    match window {
        Window::Global | Window::Const | Window::Generic => {
            let space = if window == Window::Const { Space::Const } else { Space::Global };
            let registers = &mut frame.registers;
            global(cx, all, mask, total, space, site, |allocation, at, lane, check| {
                if check && !allocation.is_initialised(at, total) {
                    return Err(uninitialised(allocation, at, total, lane));
                }
                for k in 0..count {
                    put(registers, t, k, lane, allocation.load(at + k * bytes, bytes));
                }
                Ok(())
            })
        }
        Window::Shared => {
            let offsets = shared(cx, all, mask, total, site)?;
            if let Some(shadow) = &mut cx.shadow {
                for lane in lanes(mask) {
                    let at = offsets[lane] as usize;
                    shadow
                        .read(warp.index * 32 + lane as u32, at, total, t.ordered)
                        .map_err(|(byte, problem)| {
                            shadow_trap(cx.launch, lane, all[lane], byte, cx.shared.len(), problem, true, t.ordered)
                        })?;
                }
            }
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = cx.shared.load(offsets[lane] as usize + k * bytes, bytes);
                    put(&mut frame.registers, t, k, lane, value);
                }
            }
            Ok(())
        }
        Window::Local => {
            local(all, mask, total, frame.local_end)?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = warp.local.load(lane, all[lane] as usize + k * bytes, bytes);
                    put(&mut frame.registers, t, k, lane, value);
                }
            }
            Ok(())
        }
        Window::EntryParam => {
            let parameters = &cx.launch.parameters;
            inside(all, mask, total, bytes, parameters.len(), Space::Param)?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let at = all[lane] as usize + k * bytes;
                    let mut value = [0; 8];
                    value[..bytes].copy_from_slice(&parameters[at..at + bytes]);
                    put(&mut frame.registers, t, k, lane, u64::from_le_bytes(value));
                }
            }
            Ok(())
        }
        Window::FrameParam => {
            inside(all, mask, total, bytes, frame.parameters.len(), Space::Param)?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = frame.parameters.load(lane, all[lane] as usize + k * bytes, bytes);
                    put(&mut frame.registers, t, k, lane, value);
                }
            }
            Ok(())
        }
    }
}

/// Executes a store for the lanes of `mask`.
pub(crate) fn store(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    t: &Transfer,
    mask: u32,
    site: Site,
) -> Outcome {
    let all = access::addresses(&frame.registers, &t.address, mask);
    match t.address.window {
        Window::Generic => {
            for (window, part) in access::windows(&all, mask) {
                if part != 0 {
                    let relative = access::relative(&all, access::base(window), part);
                    store_to(cx, warp, frame, t, window, &relative, part, site)?;
                }
            }
            Ok(())
        }
        window => store_to(cx, warp, frame, t, window, &all, mask, site),
    }
}

#[allow(clippy::too_many_arguments)]
fn store_to(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    t: &Transfer,
    window: Window,
    all: &Addresses,
    mask: u32,
    site: Site,
) -> Outcome {
    let (total, bytes, count) = (t.total(), usize::from(t.bytes), usize::from(t.count));
    match window {
        Window::Global | Window::Generic => {
            let registers = &frame.registers;
            global(cx, all, mask, total, Space::Global, site, |allocation, at, lane, check| {
                if allocation.kind == Kind::Constant {
                    let address = allocation.base + at as u64;
                    return Trap::access(lane, address, FaultKind::ReadOnly(Space::Const));
                }
                if check {
                    allocation.mark(at, total);
                }
                for k in 0..count {
                    allocation.store(at + k * bytes, bytes, get(registers, t, k, lane));
                }
                Ok(())
            })
        }
        Window::Shared => {
            let offsets = shared(cx, all, mask, total, site)?;
            for lane in lanes(mask) {
                let at = offsets[lane] as usize;
                if let Some(shadow) = &mut cx.shadow {
                    let registers = &frame.registers;
                    let memory = &cx.shared;
                    // The byte that this lane is about to write.
                    let new = |byte: usize| get(registers, t, (byte - at) / bytes, lane) >> ((byte - at) % bytes * 8);
                    let same = |from: usize, length: usize| {
                        (from..from + length).all(|byte| memory.load(byte, 1) == new(byte) & 0xff)
                    };
                    shadow.write(warp.index * 32 + lane as u32, at, total, t.ordered, same).map_err(
                        |(byte, problem)| {
                            let mut trap = shadow_trap(
                                cx.launch,
                                lane,
                                all[lane],
                                byte,
                                cx.shared.len(),
                                problem,
                                false,
                                t.ordered,
                            );
                            conflict_within(&mut trap, problem, warp.index, &offsets, mask, lane, total);
                            trap
                        },
                    )?;
                }
                for k in 0..count {
                    cx.shared.store(at + k * bytes, bytes, get(&frame.registers, t, k, lane));
                }
            }
            Ok(())
        }
        Window::Local => {
            local(all, mask, total, frame.local_end)?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = get(&frame.registers, t, k, lane);
                    warp.local.store(lane, all[lane] as usize + k * bytes, bytes, value);
                }
            }
            Ok(())
        }
        Window::FrameParam => {
            inside(all, mask, total, bytes, frame.parameters.len(), Space::Param)?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = get(&frame.registers, t, k, lane);
                    frame.parameters.store(lane, all[lane] as usize + k * bytes, bytes, value);
                }
            }
            Ok(())
        }
        Window::Const | Window::EntryParam => {
            let lane = mask.trailing_zeros() as usize;
            let space = if window == Window::Const { Space::Const } else { Space::Param };
            Trap::access(lane, all[lane], FaultKind::ReadOnly(space))
        }
    }
}

/// Runs `each` for every lane with its allocation and offset, after all checks of place; counts sectors.
#[inline(always)]
pub(crate) fn global(
    cx: &mut Context,
    all: &Addresses,
    mask: u32,
    total: usize,
    space: Space,
    site: Site,
    mut each: impl FnMut(&Allocation, usize, usize, bool) -> Outcome,
) -> Outcome {
    let (low, high, bits) = access::extent(all);
    if bits & (total as u64 - 1) != 0
        && let Some(trap) = access::misaligned(all, mask, total, space)
    {
        return Err(trap);
    }
    if cx.launch.config.count_memory {
        let sectors = banks::sectors(all, mask, (low, high), total);
        let count = cx.counters.at(site);
        count.requests += 1;
        count.sectors += u64::from(sectors);
    }
    let check = cx.launch.config.check_initialised;
    let global = &cx.launch.global;
    let mut hint = cx.hint;
    let common = access::common(global, &mut hint, (low, high), total);
    cx.hint = hint;
    if let Some(allocation) = common {
        let check = check && !allocation.is_complete();
        for lane in lanes(mask) {
            each(allocation, (all[lane] - allocation.base) as usize, lane, check)?;
        }
        return Ok(());
    }
    // First every lane's place, so that nothing is written before a fault.
    for lane in lanes(mask) {
        access::of_lane(global, &mut hint, lane, all[lane], total, space)?;
    }
    for lane in lanes(mask) {
        let allocation = access::of_lane(global, &mut hint, lane, all[lane], total, space)?;
        each(allocation, (all[lane] - allocation.base) as usize, lane, check)?;
    }
    cx.hint = hint;
    Ok(())
}

pub(crate) fn uninitialised(allocation: &Allocation, at: usize, total: usize, lane: usize) -> Box<Trap> {
    let byte = allocation.first_uninitialised(at, total).unwrap_or(at);
    let what =
        FaultKind::Uninitialised { space: Space::Global, offset: byte as u64, length: allocation.size };
    Box::new(Trap { lane: Some(lane), address: Some(allocation.base + byte as u64), what })
}

/// Offsets in shared memory of all lanes, after the checks of place; counts wavefronts.
#[inline(always)]
pub(crate) fn shared(cx: &mut Context, all: &Addresses, mask: u32, total: usize, site: Site) -> Outcome<Addresses> {
    let (low, high, bits) = access::extent(all);
    if bits & (total as u64 - 1) != 0
        && let Some(trap) = access::misaligned(all, mask, total, Space::Shared)
    {
        return Err(trap);
    }
    if cx.shared.offset(low, total).is_none() || cx.shared.offset(high, total).is_none() {
        shared_bounds(cx, all, mask, total)?;
    }
    if cx.launch.config.count_memory {
        let (wavefronts, phases) = banks::wavefronts(all, mask, total);
        let count = cx.counters.at(site);
        count.requests += 1;
        count.wavefronts += u64::from(wavefronts);
        count.conflicts += u64::from(wavefronts - phases);
    }
    Ok(all.map(|address| address.wrapping_sub(u64::from(crate::address::SHARED_START))))
}

/// The first lane that is out of bounds, as a fault.
pub(crate) fn shared_bounds(cx: &Context, all: &Addresses, mask: u32, total: usize) -> Outcome {
    for lane in lanes(mask) {
        if cx.shared.offset(all[lane], total).is_none() {
            let offset = (all[lane] as i64).wrapping_sub(i64::from(crate::address::SHARED_START));
            let what =
                FaultKind::OutOfBounds { space: Space::Shared, size: total, offset, length: cx.shared.len() };
            return Trap::access(lane, all[lane], what);
        }
    }
    Ok(())
}

/// A problem that the shadow found, as a fault.
#[allow(clippy::too_many_arguments)]
pub(crate) fn shadow_trap(
    launch: &super::grid::LaunchState,
    lane: usize,
    address: u64,
    byte: usize,
    length: usize,
    problem: Problem,
    read: bool,
    atomic: bool,
) -> Box<Trap> {
    let access = Shadow::access(read, atomic);
    let what = match problem {
        Problem::Uninitialised => {
            FaultKind::Uninitialised { space: Space::Shared, offset: byte as u64, length }
        }
        Problem::Race { earlier, other } => FaultKind::Race { access, earlier, other: launch.thread(other) },
        Problem::Pending { issuer } => FaultKind::AsyncCopyPending { access, issuer: launch.thread(issuer) },
    };
    Box::new(Trap { lane: Some(lane), address: Some(address), what })
}

/// If the other thread of a race wrote in this very instruction, say so.
fn conflict_within(
    trap: &mut Trap,
    problem: Problem,
    warp: u32,
    offsets: &Addresses,
    mask: u32,
    lane: usize,
    total: usize,
) {
    let Problem::Race { earlier: crate::fault::Earlier::Wrote, other } = problem else { return };
    let other_lane = (other % 32) as usize;
    let here = other / 32 == warp && mask >> other_lane & 1 == 1 && other_lane < lane;
    if here && offsets[other_lane].abs_diff(offsets[lane]) < total as u64 {
        if let FaultKind::Race { other, .. } = trap.what {
            trap.what = FaultKind::WriteConflict { other };
        }
    }
}

fn local(all: &Addresses, mask: u32, total: usize, end: u32) -> Outcome {
    inside(all, mask, total, total, end as usize, Space::Local)
}

fn inside(all: &Addresses, mask: u32, total: usize, alignment: usize, length: usize, space: Space) -> Outcome {
    let (_, high, bits) = access::extent(all);
    if bits & (alignment as u64 - 1) == 0 && high.checked_add(total as u64).is_some_and(|end| end <= length as u64) {
        return Ok(());
    }
    if let Some(trap) = access::misaligned(all, mask, alignment, space) {
        return Err(trap);
    }
    for lane in lanes(mask) {
        if all[lane].checked_add(total as u64).is_none_or(|end| end > length as u64) {
            let what = FaultKind::OutOfBounds { space, size: total, offset: all[lane] as i64, length };
            return Trap::access(lane, all[lane], what);
        }
    }
    Ok(())
}
