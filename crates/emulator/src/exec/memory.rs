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
use super::banks::Cost;
use super::order::{self, Accesses, Values};
use super::place::{Found, each_lane, find, inside, local, uninitialised};
use super::run::{Context, Site};
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, lanes, shared};
use crate::fault::{FaultKind, Space};
use crate::frame::{FULL, Frame, Row32, WARP};
use crate::ir::{Transfer, Window};
use crate::memory::global::{Allocation, Kind, Rows};

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
    /// Whole words to and from 32-bit rows: the case with a loop of its own.
    fn is_words(&self) -> bool {
        self.bytes == 4 && !self.wide
    }

    pub fn total(&self) -> usize {
        usize::from(self.bytes) * usize::from(self.count)
    }
}

/// Word `k` of the `count` words that each lane uses, all of them in one allocation.
#[inline(always)]
fn rows<'a>(
    allocation: &'a Allocation,
    all: &'a Addresses,
    found: &Found,
    k: usize,
    count: usize,
) -> Rows<'a, impl Fn(usize) -> usize> {
    let at = move |lane: usize| (all[lane] - allocation.base) as usize + 4 * k;
    allocation.rows(at, found.consecutive && count == 1)
}

/// The values of a store.
struct Stored<'a> {
    frame: &'a Frame,
    transfer: &'a Transfer,
}

impl Values for Stored<'_> {
    #[inline]
    fn byte(&self, lane: usize, at: usize) -> Option<u8> {
        let bytes = usize::from(self.transfer.bytes);
        let value = get(self.frame, self.transfer, at / bytes, lane);
        Some((value >> (at % bytes * 8)) as u8)
    }

    #[inline]
    fn held(&self, allocation: &Allocation, found: &Found, accesses: &Accesses) -> u32 {
        let t = self.transfer;
        let (bytes, count) = (usize::from(t.bytes), usize::from(t.count));
        let at = |lane: usize| (accesses.all[lane] - allocation.base) as usize;
        if t.is_words() {
            let mut differences = [0; WARP];
            for (k, &row) in t.registers[..count].iter().enumerate() {
                let rows = rows(allocation, accesses.all, found, k, count);
                rows.compare(&self.frame.r32[row as usize], &mut differences);
            }
            let equal = |(lane, &difference)| u32::from(difference == 0) << lane;
            let equal = differences.iter().enumerate().map(equal);
            return equal.fold(0, |all, lane| all | lane);
        }
        let mask = u64::MAX >> (64 - 8 * bytes);
        let mut held = !accesses.mask;
        for lane in lanes(accesses.mask) {
            let same = (0..count).all(|k| {
                let value = get(self.frame, t, k, lane) & mask;
                allocation.load(at(lane) + k * bytes, bytes) == value
            });
            held |= u32::from(same) << lane;
        }
        held
    }
}

impl shared::Values for Stored<'_> {
    #[inline(always)]
    fn bytes(&self) -> usize {
        usize::from(self.transfer.bytes)
    }

    #[inline(always)]
    fn element(&self, lane: usize, k: usize) -> u64 {
        get(self.frame, self.transfer, k, lane)
    }

    #[inline(always)]
    fn words(&self, k: usize) -> Option<&Row32> {
        let row = || &self.frame.r32[self.transfer.registers[k] as usize];
        self.transfer.is_words().then(row)
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
    access::by_memory(&all, t.address.window, mask, |window, all, mask| {
        load_from(cx, warp, frame, t, window, all, mask, site)
    })
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
            let space = if window == Window::Const {
                Space::Const
            } else {
                Space::Global
            };
            // Constants come by way of a cache of their own.
            let counted = (space == Space::Global).then_some((site, Cost::Load));
            let found = find(cx, all, mask, total, space, counted)?;
            let atomic = t.ordered || t.guess;
            order::read(
                cx,
                &found,
                Accesses {
                    all,
                    mask,
                    total,
                    atomic,
                },
            )?;
            let registers = &mut frame.registers;
            let initialised = |allocation: &Allocation| {
                let at = |lane: usize| (all[lane] - allocation.base) as usize;
                if found.consecutive {
                    allocation.is_initialised_span(at(0), 32 * total)
                } else {
                    (0..32).all(|lane| allocation.is_initialised(at(lane), total))
                }
            };
            if let Some(allocation) = found.common
                && t.is_words()
                && mask == FULL
                && (!found.check || initialised(allocation))
            {
                for (k, &row) in t.registers[..count].iter().enumerate() {
                    let rows = rows(allocation, all, &found, k, count);
                    rows.load(&mut registers.r32[row as usize]);
                }
                return Ok(());
            }
            each_lane(
                cx,
                &found,
                all,
                mask,
                total,
                space,
                |cx, allocation, at, lane, check| {
                    if check && !allocation.is_initialised(at, total) {
                        cx.found(uninitialised(allocation, at, total, lane))?;
                    }
                    for k in 0..count {
                        let value = allocation.load(at + k * bytes, bytes);
                        put(registers, t, k, lane, value);
                    }
                    Ok(())
                },
            )
        }
        Window::Shared | Window::Cluster => {
            let request = shared::Request {
                window,
                all,
                mask,
                bytes: total,
                cost: Cost::Load,
                counted: Some(site),
            };
            let loaded = shared::load(cx, &request, t.ordered || t.guess)?;
            if t.is_words() && mask == FULL {
                for (k, &row) in t.registers[..count].iter().enumerate() {
                    loaded.words(k, &mut frame.registers.r32[row as usize]);
                }
                return Ok(());
            }
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = loaded.element(lane, k, bytes);
                    put(&mut frame.registers, t, k, lane, value);
                }
            }
            Ok(())
        }
        Window::Local => {
            local(cx, all, mask, total, frame.local_end, site)?;
            if cx.launch.config.check_local_initialised {
                for lane in lanes(mask) {
                    let at = all[lane] as usize;
                    if let Some(byte) = warp.local.first_unwritten(lane, at, total) {
                        let what = FaultKind::Uninitialised {
                            space: Space::Local,
                            offset: byte as u64,
                            length: frame.local_end as usize,
                        };
                        cx.found(Trap::boxed(lane, all[lane], what))?;
                    }
                }
            }
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
            inside(
                all,
                mask,
                total,
                bytes,
                frame.parameters.len(),
                Space::Param,
            )?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = frame
                        .parameters
                        .load(lane, all[lane] as usize + k * bytes, bytes);
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
    access::by_memory(&all, t.address.window, mask, |window, all, mask| {
        store_to(cx, warp, frame, t, window, all, mask, site)
    })
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
            let counted = Some((site, Cost::Store));
            let found = find(cx, all, mask, total, Space::Global, counted)?;
            let registers = &frame.registers;
            let atomic = t.ordered || t.guess;
            order::write(
                cx,
                &found,
                Accesses {
                    all,
                    mask,
                    total,
                    atomic,
                },
                &Stored {
                    frame: registers,
                    transfer: t,
                },
            )?;
            if let Some(allocation) = found.common
                && t.is_words()
                && mask == FULL
                && allocation.kind != Kind::Constant
            {
                let at = |lane: usize| (all[lane] - allocation.base) as usize;
                match (found.check, found.consecutive) {
                    (false, _) => {}
                    (true, true) => allocation.mark_range(at(0), 32 * total),
                    (true, false) => (0..WARP).for_each(|lane| allocation.mark(at(lane), total)),
                }
                for (k, &row) in t.registers[..count].iter().enumerate() {
                    rows(allocation, all, &found, k, count).store(&registers.r32[row as usize]);
                }
                return Ok(());
            }
            each_lane(
                cx,
                &found,
                all,
                mask,
                total,
                Space::Global,
                |_, allocation, at, lane, check| {
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
                },
            )
        }
        Window::Shared | Window::Cluster => {
            let request = shared::Request {
                window,
                all,
                mask,
                bytes: total,
                cost: Cost::Store,
                counted: Some(site),
            };
            let new = Stored {
                frame: &frame.registers,
                transfer: t,
            };
            shared::store(cx, &request, t.ordered, &new)
        }
        Window::Local => {
            local(cx, all, mask, total, frame.local_end, site)?;
            if cx.launch.config.check_local_initialised {
                for lane in lanes(mask) {
                    warp.local.mark(lane, all[lane] as usize, total);
                }
            }
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = get(&frame.registers, t, k, lane);
                    warp.local
                        .store(lane, all[lane] as usize + k * bytes, bytes, value);
                }
            }
            Ok(())
        }
        Window::FrameParam => {
            inside(
                all,
                mask,
                total,
                bytes,
                frame.parameters.len(),
                Space::Param,
            )?;
            for lane in lanes(mask) {
                for k in 0..count {
                    let value = get(&frame.registers, t, k, lane);
                    frame
                        .parameters
                        .store(lane, all[lane] as usize + k * bytes, bytes, value);
                }
            }
            Ok(())
        }
        Window::Const | Window::EntryParam => {
            let lane = mask.trailing_zeros() as usize;
            let space = if window == Window::Const {
                Space::Const
            } else {
                Space::Param
            };
            Trap::access(lane, all[lane], FaultKind::ReadOnly(space))
        }
    }
}
