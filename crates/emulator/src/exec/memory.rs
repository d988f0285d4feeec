//! `ld` and `st`.
//!
//! ```text
//! addresses ─► window ─► all lanes valid? ─► shadow ─► values
//!                        no: which lane, and why
//! ```
//!
//! Law: an access happens only if every lane's part is valid: in bounds, aligned, and initialised
//! if it reads. A generic access is split into one part for each memory.

use super::access::{self, Addresses};
use super::banks::Cost;
use super::place::{inside, local};
use super::run::{Context, Site};
use super::values::Values;
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, global, lanes, non_coherent, shared};
use crate::fault::{FaultKind, Space};
use crate::frame::{FULL, Frame, Row32, WARP};
use crate::ir::{Strength, Transfer, Window};
use crate::profile::{Doing, NarrowAccess};

/// Writes element `k` of a lane, extended as the instruction requires.
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

/// Returns element `k` of a lane.
#[inline(always)]
fn get(frame: &Frame, t: &Transfer, k: usize, lane: usize) -> u64 {
    if t.wide {
        frame.r64[t.registers[k] as usize][lane]
    } else {
        u64::from(frame.r32[t.registers[k] as usize][lane])
    }
}

impl Transfer {
    /// Whether the access transfers whole words from or to 32-bit rows, the case with a loop of its
    /// own.
    fn is_words(&self) -> bool {
        self.bytes == 4 && !self.wide
    }

    /// Returns the strength with which the access counts: a guess (a plain load before `atom.cas`)
    /// counts as relaxed.
    fn strong(&self) -> Option<Strength> {
        self.strength.or(self.guess.then_some(Strength::RELAXED))
    }

    pub fn total(&self) -> usize {
        usize::from(self.bytes) * usize::from(self.count)
    }
}

/// The values of a store.
struct Stored<'a> {
    frame: &'a Frame,
    transfer: &'a Transfer,
}

impl Values for Stored<'_> {
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

/// Notes an access to find accesses that one vector could replace, if these are counted.
#[inline(always)]
fn note(
    cx: &mut Context,
    t: &Transfer,
    (window, stores): (Window, bool),
    all: &Addresses,
    mask: u32,
    site: Site,
) {
    if !cx.counters.has_details() || t.strength.is_some() {
        return;
    }
    let doing = match (window, stores) {
        (Window::Global | Window::Generic, false) => Doing::LoadGlobal,
        (Window::Global | Window::Generic, true) => Doing::StoreGlobal,
        (Window::Shared | Window::Cluster, false) => Doing::LoadShared,
        (Window::Shared | Window::Cluster, true) => Doing::StoreShared,
        _ => return,
    };
    let access = NarrowAccess {
        doing,
        all,
        beside: None,
        mask,
        bytes: t.total(),
    };
    cx.counters.note_access((cx.linear, cx.warp), site, &access);
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
        note(cx, t, (window, false), all, mask, site);
        load_from(cx, warp, frame, t, window, all, mask, site)
    })
}

/// Writes the elements of each lane; `value` returns an element by lane and number.
#[inline(always)]
fn put_all(frame: &mut Frame, t: &Transfer, mask: u32, value: impl Fn(usize, usize) -> u64) {
    for lane in lanes(mask) {
        for k in 0..usize::from(t.count) {
            put(frame, t, k, lane, value(lane, k));
        }
    }
}

#[allow(clippy::too_many_arguments)]
#[inline(always)]
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
    let (total, bytes) = (t.total(), usize::from(t.bytes));
    match window {
        Window::Global | Window::Const | Window::Generic => {
            let space = match window {
                Window::Const => Space::Const,
                _ => Space::Global,
            };
            load_global(cx, &mut frame.registers, t, space, all, mask, site)
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
            load_shared(cx, &mut frame.registers, t, &request)
        }
        Window::Local => load_local(cx, warp, frame, t, all, mask, site),
        Window::EntryParam => {
            let parameters = &cx.launch.parameters;
            inside(all, mask, total, bytes, parameters.len(), Space::Param)?;
            put_all(&mut frame.registers, t, mask, |lane, k| {
                let at = all[lane] as usize + k * bytes;
                let mut value = [0; 8];
                value[..bytes].copy_from_slice(&parameters[at..at + bytes]);
                u64::from_le_bytes(value)
            });
            Ok(())
        }
        Window::FrameParam => {
            let parameters = &frame.parameters;
            inside(all, mask, total, bytes, parameters.len(), Space::Param)?;
            put_all(&mut frame.registers, t, mask, |lane, k| {
                parameters.load(lane, all[lane] as usize + k * bytes, bytes)
            });
            Ok(())
        }
    }
}

/// Loads from global memory, or from constants.
#[inline(always)]
fn load_global(
    cx: &mut Context,
    frame: &mut Frame,
    t: &Transfer,
    space: Space,
    all: &Addresses,
    mask: u32,
    site: Site,
) -> Outcome {
    let (total, bytes) = (t.total(), usize::from(t.bytes));
    let request = global::Request {
        all,
        mask,
        bytes: total,
        space,
        // Constants have a cache of their own.
        counted: (space == Space::Global).then_some((site, Cost::Load)),
    };
    if t.non_coherent {
        non_coherent::read(cx, all, mask, total)?;
    }
    let loaded = global::load(cx, &request, t.strong())?;
    if t.is_words() && mask == FULL && loaded.is_one() {
        for (k, &row) in t.registers[..usize::from(t.count)].iter().enumerate() {
            loaded.words(k, &mut frame.r32[row as usize]);
        }
        return Ok(());
    }
    put_all(frame, t, mask, |lane, k| loaded.element(lane, k, bytes));
    Ok(())
}

/// Loads from shared memory.
#[inline(always)]
fn load_shared(
    cx: &mut Context,
    frame: &mut Frame,
    t: &Transfer,
    request: &shared::Request,
) -> Outcome {
    let mut at = [0; WARP];
    let loaded = shared::load(cx, request, t.strong(), &mut at)?;
    if t.is_words() && request.mask == FULL {
        for (k, &row) in t.registers[..usize::from(t.count)].iter().enumerate() {
            loaded.words(k, &mut frame.r32[row as usize]);
        }
        return Ok(());
    }
    let bytes = usize::from(t.bytes);
    put_all(frame, t, request.mask, |lane, k| {
        loaded.element(lane, k, bytes)
    });
    Ok(())
}

/// Loads from local memory.
fn load_local(
    cx: &mut Context,
    warp: &Warp,
    frame: &mut Activation,
    t: &Transfer,
    all: &Addresses,
    mask: u32,
    site: Site,
) -> Outcome {
    let (total, bytes) = (t.total(), usize::from(t.bytes));
    let all = &local(cx, all, mask, total, frame.local_end, site)?;
    if cx.launch.config.check_local_initialised {
        for lane in lanes(mask) {
            let at = all[lane] as usize;
            if let Some(byte) = warp.local.first_unwritten(lane, at, total) {
                let what = FaultKind::Uninitialised {
                    space: Space::Local,
                    offset: byte as u64,
                    length: frame.local_end as usize,
                    later: None,
                };
                cx.found(Trap::boxed(lane, all[lane], what))?;
            }
        }
    }
    put_all(&mut frame.registers, t, mask, |lane, k| {
        warp.local.load(lane, all[lane] as usize + k * bytes, bytes)
    });
    Ok(())
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
        note(cx, t, (window, true), all, mask, site);
        store_to(cx, warp, frame, t, window, all, mask, site)
    })
}

#[allow(clippy::too_many_arguments)]
#[inline(always)]
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
            let request = global::Request {
                all,
                mask,
                bytes: total,
                space: Space::Global,
                counted: Some((site, Cost::Store)),
            };
            let new = Stored {
                frame: &frame.registers,
                transfer: t,
            };
            non_coherent::write(cx, all, mask, total)?;
            global::store(cx, &request, t.strong(), &new)
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
            shared::store(cx, &request, t.strength, &new)
        }
        Window::Local => {
            let all = &local(cx, all, mask, total, frame.local_end, site)?;
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
