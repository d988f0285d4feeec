//! Counts a bulk copy when it is issued.
//!
//! Law: a sector is counted once for each copy, even if several pieces of it are moved, or to
//! several CTAs.

use super::Context;
use super::queue::{Moves, Piece};
use crate::ir::{Bulk, NONE};
use crate::report::MemoryCounts;

/// Counts the bytes and requests of an operation.
pub(super) fn count(cx: &mut Context, op: &Bulk, moves: &Moves) {
    if !cx.launch.config.count_memory {
        return;
    }
    let site = cx.site;
    let memory = cx.counters.at(site);
    let moved = match moves {
        Moves::Load { pieces, .. } | Moves::Store { pieces, .. } => in_global(memory, pieces),
        Moves::Copy { bytes, .. } => *bytes as u64,
    };
    memory.shared_bytes += match moves {
        Moves::Load { bytes, targets, .. } => (bytes * targets.len()) as u64,
        Moves::Store { .. } => moved,
        Moves::Copy { .. } => 2 * moved,
    };
    let counts = cx.counters.asynchronous(site);
    match op.size {
        NONE => counts.tensor_copies += 1,
        _ => counts.bulk_copies += 1,
    }
    match moves {
        Moves::Load { bytes, targets, .. } => {
            let ctas = targets.len() as u64;
            let delivered = *bytes as u64 * ctas;
            counts.loaded_bytes += moved;
            counts.delivered_bytes += delivered;
            counts.filled_bytes += delivered - moved * ctas;
            if op.blocks != NONE {
                counts.multicasts += 1;
                counts.multicast_ctas += ctas;
                counts.multicast_loaded_bytes += moved;
                counts.multicast_delivered_bytes += delivered;
            }
        }
        Moves::Store { reduction, .. } => match reduction {
            None => counts.stored_bytes += moved,
            Some(_) => counts.reduced_bytes += moved,
        },
        Moves::Copy { reduction, .. } => match reduction {
            None => counts.peer_copied_bytes += moved,
            Some(_) => counts.peer_reduced_bytes += moved,
        },
    }
}

/// Counts the request, its bytes within the tensor and their sectors; returns the bytes.
fn in_global(count: &mut MemoryCounts, pieces: &[Piece]) -> u64 {
    let inside = || {
        pieces
            .iter()
            .filter_map(|piece| Some((piece.global?, piece.bytes as u64)))
    };
    let moved = inside().map(|(_, bytes)| bytes).sum::<u64>();
    count.global_requests += 1;
    count.global_bytes += moved;
    let sectors = inside().flat_map(|(at, bytes)| at / 32..=(at + bytes - 1) / 32);
    let mut sectors: Vec<u64> = sectors.collect();
    sectors.sort_unstable();
    sectors.dedup();
    count.global_sectors += sectors.len() as u64;
    moved
}
