//! Asynchronous accesses of shared memory: checked and reported when they are issued, executed
//! later.
//!
//! ```text
//! bulk copies   address ─► Spot ─► Operation ─► Issued ─► queue ─► bytes
//! wgmma         units   ─► Runs ─────────────► Operands ────────► words
//! ```
//!
//! Law: bytes are accessed only through an [`Issued`] and [`Operands`], which report the bytes to
//! the shadow when they are made.

use super::super::access::{self, Addresses};
use super::super::bulk::queue::{Moves, Operation};
use super::super::run::Context;
use super::super::{Outcome, Trap};
use super::bytes::Shared;
use super::object::{OBJECT_BYTES, ObjectPlace};
use super::place::bounds;
use super::problem::object_to;
use crate::fault::{Access, FaultKind, Slot, Space};
use crate::frame::WARP;
use crate::ir::Window;
use crate::memory::shadow::{Reading, Shadow};
use std::ops::Deref;

/// A checked place in shared memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    address: u64,
    at: usize,
    bytes: usize,
}

/// Finds `bytes` bytes in shared memory, of the block itself or of any block of the cluster.
pub(crate) fn spot(
    cx: &Context,
    lane: usize,
    window: Window,
    address: u64,
    bytes: usize,
    alignment: usize,
) -> Outcome<Spot> {
    let all: Addresses = [address; WARP];
    if let Some(trap) = access::misaligned(&all, 1 << lane, alignment, Space::Shared) {
        return Err(trap);
    }
    let found = match cx.shared.offset(address, bytes) {
        Some(at) => Some(at),
        None if window == Window::Cluster => {
            cx.shared.offset_of_any(address, bytes).map(|(_, at)| at)
        }
        None => None,
    };
    if let Some(at) = found {
        return Ok(Spot { address, at, bytes });
    }
    bounds(cx, &all, 1 << lane, bytes)?;
    let problem = "no block of the cluster has this address".to_owned();
    Trap::access(lane, address, FaultKind::Operand(problem))
}

impl Spot {
    /// Returns the place's address, as in the instruction.
    pub fn address(self) -> u64 {
        self.address
    }

    /// Returns the place's offset in the cluster's shared memory.
    pub fn at(self) -> usize {
        self.at
    }

    /// Returns the same place in the block of another rank.
    pub fn in_block(self, shared: &Shared, rank: usize) -> Spot {
        let at = shared.in_block(self.at, rank);
        Spot {
            address: shared.address(at),
            at,
            ..self
        }
    }

    /// Stores a lane's value at the place. Other threads may read it only after a wait for the
    /// object at which it completes.
    pub fn store_async(self, cx: &mut Context, lane: usize, new: &[u8]) -> Outcome {
        let byte = |byte: usize| new[byte - self.at];
        let place = (self.at, self.bytes);
        cx.shadow_write(lane, self.address, place, false, None, byte)?;
        let thread = cx.warp * WARP as u32 + lane as u32;
        let mut from = self.at;
        while let Some(shadow) = &mut cx.shadow
            && from < self.at + self.bytes
        {
            from = shadow.write_anyway(thread, from, false, true);
        }
        cx.shared
            .bytes_mut(self.at, self.bytes)
            .copy_from_slice(new);
        Ok(())
    }

    /// Combines a lane's number with the stored number.
    pub fn reduce_async(self, cx: &mut Context, lane: usize, by: impl Fn(u64) -> u64) -> Outcome {
        let place = (self.at, self.bytes);
        cx.shadow_read(lane, self.address, place, true)?;
        cx.shadow_write(lane, self.address, place, true, None, |_| 0)?;
        let old = cx.shared.load(self.at, self.bytes);
        cx.shared.store(self.at, self.bytes, by(old));
        Ok(())
    }

    /// Returns the mbarrier object at this place.
    pub fn object(self) -> ObjectPlace {
        ObjectPlace::new(self.address, self.at, self.bytes)
    }
}

/// Finds the mbarrier object at an address.
pub(crate) fn object_at(
    cx: &Context,
    lane: usize,
    window: Window,
    address: u64,
) -> Outcome<ObjectPlace> {
    spot(cx, lane, window, address, OBJECT_BYTES, OBJECT_BYTES).map(Spot::object)
}

/// An operation that was reported to the shadow, as the queue holds it.
#[derive(Debug)]
pub(crate) struct Issued {
    operation: Operation,
    /// Whether its bytes were moved.
    pub done: bool,
}

impl Deref for Issued {
    type Target = Operation;

    fn deref(&self) -> &Operation {
        &self.operation
    }
}

impl Issued {
    /// Reports to the shadow everything that the operation of a lane reads and writes.
    pub fn new(cx: &mut Context, lane: usize, operation: Operation) -> Outcome<Issued> {
        tell_writes(cx, lane, &operation)?;
        let runs: Vec<(usize, usize)> = match &operation.moves {
            Moves::Load { .. } => Vec::new(),
            Moves::Store { from, pieces, .. } => pieces
                .iter()
                .map(|piece| (from.at + piece.at, piece.bytes))
                .collect(),
            Moves::Copy { from, bytes, .. } => vec![(from.at, *bytes)],
        };
        let slot = operation.source(cx.shared);
        if let Some(slot) = slot {
            let reading = Reading::new(operation.id, operation.issuer, operation.site, runs);
            tell_reads(cx, reading, |_, _| slot)?;
        }
        Ok(Issued {
            operation,
            done: false,
        })
    }

    /// Returns bytes of the place that the operation writes. For a load to several blocks, `number`
    /// selects the place.
    pub fn destination<'s>(
        &self,
        shared: &'s mut Shared,
        number: usize,
        at: usize,
        bytes: usize,
    ) -> &'s mut [u8] {
        let to = match &self.operation.moves {
            Moves::Load { targets, .. } => targets.get(number).map(|(to, _)| to),
            Moves::Copy { to, .. } => Some(to),
            Moves::Store { .. } => None,
        };
        // An operation without a destination place has length 0.
        let (start, length) = to.map_or((0, 0), |to| (to.at, to.bytes));
        assert!(at + bytes <= length);
        shared.bytes_mut(start + at, bytes)
    }

    /// Returns bytes of the place that the operation reads.
    pub fn source<'s>(&self, shared: &'s Shared, at: usize, bytes: usize) -> &'s [u8] {
        let from = match &self.operation.moves {
            Moves::Load { .. } => None,
            Moves::Store { from, .. } | Moves::Copy { from, .. } => Some(from),
        };
        let (start, length) = from.map_or((0, 0), |from| (from.at, from.bytes));
        assert!(at + bytes <= length);
        shared.bytes(start + at, bytes)
    }
}

/// Reports the asynchronous writes of an operation to the shadow.
fn tell_writes(cx: &mut Context, lane: usize, operation: &Operation) -> Outcome {
    if cx.shadow.is_none() {
        return Ok(());
    }
    let (issuer, reduces) = (operation.issuer, operation.reduces());
    let access = match reduces {
        true => Access::Atomic,
        false => Access::Write,
    };
    let issue = |shadow: &mut Shadow, from, bytes| match reduces {
        true => shadow.issue_reduction(issuer, from, bytes),
        false => shadow.issue_write(issuer, from, bytes),
    };
    let destinations = operation.destinations(&cx.engine.mbarriers);
    let destinations: Vec<_> = destinations.filter(|to| to.bytes > 0).collect();
    for to in destinations {
        let (mut from, end) = (to.at, to.at + to.bytes);
        if reduces && let Some(shadow) = &mut cx.shadow {
            shadow.begin_reduction(operation.id, issuer, (to.at, to.bytes));
        }
        while from < end
            && let Some(shadow) = &mut cx.shadow
            && let Err(found) = issue(shadow, from, end - from)
        {
            let byte = found.0;
            let slot = to.slot(cx.shared);
            object_to(cx, lane, found, access, slot)?;
            let Some(shadow) = &mut cx.shadow else {
                break;
            };
            from = match reduces {
                true => shadow.reduce_anyway(issuer, byte),
                false => shadow.write_anyway(issuer, byte, false, true),
            };
        }
    }
    Ok(())
}

/// Reports asynchronous reads to the shadow, as being in flight; `slot` describes the reader of a
/// run.
fn tell_reads(
    cx: &mut Context,
    reading: Reading,
    slot: impl Fn(&Shared, (usize, usize)) -> Slot,
) -> Outcome {
    let Some(shadow) = &mut cx.shadow else {
        return Ok(());
    };
    let issuer = reading.issuer;
    let nonempty = reading.runs.iter().filter(|run| run.1 > 0);
    // The first place of each run.
    let found = nonempty.filter_map(|&(at, bytes)| {
        let found = shadow.issue_read(issuer, at, bytes).err()?;
        Some((found, (at, bytes)))
    });
    let found: Vec<_> = found.collect();
    shadow.begin_reading(reading);
    for (found, run) in found {
        let slot = slot(cx.shared, run);
        object_to(cx, issuer as usize % WARP, found, Access::Read, slot)?;
    }
    Ok(())
}

/// Units of a block's memory that a product will read.
pub(crate) struct Runs {
    /// The offset and length of each run in bytes.
    runs: Vec<(usize, usize)>,
    /// The number to add to the low bits of an address to get its offset.
    bias: usize,
}

/// Finds the bytes at addresses with these low bits in the block of a rank, in order; neighbours
/// form one run.
pub(crate) fn runs(
    cx: &Context,
    rank: usize,
    units: impl IntoIterator<Item = (usize, usize)>,
) -> Outcome<Runs> {
    let mut found = Runs {
        runs: Vec::new(),
        bias: 0,
    };
    for (low, bytes) in units {
        let address = cx.shared.own_address(low);
        let Some(at) = cx.shared.offset(address, bytes) else {
            bounds(cx, &[address; WARP], 1, bytes)?;
            continue;
        };
        let at = cx.shared.in_block(at, rank);
        found.bias = at.wrapping_sub(low);
        match found.runs.last_mut() {
            Some(last) if last.0 + last.1 == at => last.1 += bytes,
            _ => found.runs.push((at, bytes)),
        }
    }
    Ok(found)
}

impl Runs {
    /// Reports to the shadow that the product with this number, issued by a thread at a site, reads
    /// the runs.
    pub fn issue(
        self,
        cx: &mut Context,
        number: u64,
        (issuer, site): (u32, u32),
        slot: impl Fn(&Shared, (usize, usize)) -> Slot,
    ) -> Outcome<Operands> {
        let reading = Reading::new(number, issuer, site, self.runs);
        let extent = reading.extent;
        tell_reads(cx, reading, slot)?;
        Ok(Operands {
            extent,
            bias: self.bias,
        })
    }
}

/// The bytes that a product reads, from its issue on.
#[derive(Debug)]
pub(crate) struct Operands {
    /// The start of the first run and the end of the last one.
    extent: (usize, usize),
    bias: usize,
}

impl Operands {
    /// Returns the word at an address with these low bits.
    #[inline(always)]
    pub fn word(&self, shared: &Shared, low: usize) -> u32 {
        let at = low.wrapping_add(self.bias);
        let told = at >= self.extent.0 && at + 4 <= self.extent.1;
        debug_assert!(told, "{at:#x} is not in {:?}", self.extent);
        if told { shared.word(at) } else { 0 }
    }

    /// Returns `bits` bits, fewer than 32, from a bit of an address with these low bits on, lowest
    /// first.
    pub fn bits(&self, shared: &Shared, from: usize, bits: usize) -> u32 {
        let (low, within) = (from / 32 * 4, from % 32);
        let above = match within + bits > 32 {
            true => u64::from(self.word(shared, low + 4)) << 32,
            false => 0,
        };
        let both = above | u64::from(self.word(shared, low));
        (both >> within) as u32 & ((1 << bits) - 1)
    }
}
