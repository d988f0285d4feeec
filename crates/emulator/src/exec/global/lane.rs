//! Accesses of one lane, with any number of bytes: copies, strings, tensor maps.

use super::super::bulk::queue::Piece;
use super::super::run::Context;
use super::super::{Outcome, Trap};
use super::find::{of_lane, uninitialised};
use super::{order, threads};
use crate::fault::{Access, FaultKind, Space};
use crate::memory::allocation::{Allocation, Kind, RawBytes};
use crate::memory::global::{Global, RawSpans};
use std::ops::Deref;

/// The bytes that a lane has read.
pub(crate) struct LoadedBytes<'a> {
    allocation: &'a Allocation,
    at: usize,
    bytes: usize,
}

impl LoadedBytes<'_> {
    pub fn byte(&self, i: usize) -> u8 {
        assert!(i < self.bytes);
        self.allocation.load(self.at + i, 1) as u8
    }
}

/// Reads bytes for a lane; with `written` they must be initialised.
pub(crate) fn load_lane<'a>(
    cx: &mut Context<'a>,
    lane: usize,
    address: u64,
    bytes: usize,
    written: bool,
) -> Outcome<LoadedBytes<'a>> {
    let global = &cx.launch.global;
    let allocation = of_lane(global, &mut cx.hint, lane, address, bytes, Space::Global)?;
    let at = (address - allocation.base) as usize;
    order::read_lane(cx, lane, allocation, at, bytes)?;
    if written
        && cx.launch.config.check_initialised
        && (0..bytes).any(|byte| !allocation.is_initialised(at + byte, 1))
    {
        cx.found(uninitialised(allocation, at, bytes, lane))?;
    }
    Ok(LoadedBytes {
        allocation,
        at,
        bytes,
    })
}

/// Reads bytes that describe an operation as the copy engine reads them: with a check of bounds,
/// but without a check of order.
pub(crate) fn descriptor<const N: usize>(
    cx: &Context,
    lane: usize,
    address: u64,
) -> Outcome<[u8; N]> {
    let (global, mut hint) = (&cx.launch.global, 0);
    let allocation = of_lane(global, &mut hint, lane, address, N, Space::Global)?;
    let mut bytes = [0; N];
    allocation.read((address - allocation.base) as usize, &mut bytes);
    Ok(bytes)
}

/// Pieces of a bulk copy whose global memory was checked when the copy was issued.
#[derive(Debug)]
pub(crate) struct Pieces {
    pieces: Vec<Piece>,
}

impl Deref for Pieces {
    type Target = [Piece];

    fn deref(&self) -> &[Piece] {
        &self.pieces
    }
}

impl Pieces {
    /// Returns pieces of bytes that are nowhere in global memory, as the fill of a copy.
    pub fn filled(bytes: usize) -> Pieces {
        let piece = Piece {
            at: 0,
            global: None,
            bytes,
        };
        Pieces {
            pieces: vec![piece],
        }
    }

    /// Checks the global memory of pieces: in bounds, ordered, and initialised if the piece reads
    /// it.
    pub fn examine(
        cx: &mut Context,
        lane: usize,
        pieces: Vec<Piece>,
        access: Access,
    ) -> Outcome<Pieces> {
        let launch = cx.launch;
        for piece in &pieces {
            let Some(address) = piece.global else {
                continue;
            };
            let (global, bytes) = (&launch.global, piece.bytes);
            let allocation = of_lane(global, &mut cx.hint, lane, address, bytes, Space::Global)?;
            let at = (address - allocation.base) as usize;
            if access != Access::Read && allocation.kind == Kind::Constant {
                return Trap::access(lane, address, FaultKind::ReadOnly(Space::Const));
            }
            if access != Access::Read {
                threads::overwrites(cx, lane, (cx.hint, allocation), (at, bytes), access)?;
            }
            let unfenced = threads::unfenced(cx, (cx.hint, allocation), (at, bytes));
            if access == Access::Write {
                order::write_lane(cx, lane, allocation, (at, bytes), false)?;
                threads::tell_unfenced(cx, lane, unfenced, access)?;
                allocation.mark_range(at, bytes);
                continue;
            }
            if launch.config.check_initialised
                && !allocation.is_complete()
                && !allocation.is_initialised_span(at, bytes)
            {
                cx.found(uninitialised(allocation, at, bytes, lane))?;
            }
            match access {
                Access::Read => order::read_lane(cx, lane, allocation, at, bytes)?,
                _ => order::write_lane(cx, lane, allocation, (at, bytes), true)?,
            }
            threads::tell_unfenced(cx, lane, unfenced, access)?;
            if access == Access::Read {
                threads::reads(cx, lane, cx.hint, at..at + bytes);
            }
        }
        Ok(Pieces { pieces })
    }

    /// Reads a piece. Returns `false` if it is outside of the tensor.
    pub fn read(&self, global: &Global, number: usize, into: &mut [u8]) -> bool {
        let piece = self.pieces[number];
        let Some(address) = piece.global else {
            return false;
        };
        assert!(into.len() <= piece.bytes);
        // The memory existed when the operation was issued, and lives as long as the launch.
        let read = global.read(address, into);
        debug_assert!(read.is_ok(), "{read:?}");
        true
    }

    /// Writes a piece, if it is inside the tensor.
    pub fn write(&self, global: &Global, number: usize, bytes: &[u8]) {
        let piece = self.pieces[number];
        let Some(address) = piece.global else {
            return;
        };
        assert!(bytes.len() <= piece.bytes);
        let written = global.write(address, bytes);
        debug_assert!(written.is_ok(), "{written:?}");
    }
}
