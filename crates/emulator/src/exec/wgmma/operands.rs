//! The shared memory that a product reads, as units of 16 bytes with their swizzle.

use super::super::run::Context;
use super::super::{Outcome, Trap};
use super::descriptor::{Descriptor, UNIT};
use crate::fault::FaultKind;
use std::ops::Range;

/// Checks that a lane's product reads bytes in the block of a rank with the same swizzle with which
/// TMA wrote them.
pub(crate) fn swizzled_alike(
    cx: &mut Context,
    (lane, rank): (usize, usize),
    units: &[(usize, usize)],
) -> Outcome {
    let Some(shadow) = &cx.shadow else {
        return Ok(());
    };
    // A descriptor's width of 16 bytes means no swizzle.
    let bytes = |mark: u32| if mark == 1 { 0 } else { 8 << mark };
    for &(low, width) in units {
        let address = cx.shared.own_address(low);
        let at = cx.shared.offset(address, UNIT);
        let at = at.map(|at| cx.shared.in_block(at, rank));
        let mark = width.ilog2() - UNIT.ilog2() + 1;
        let other = |at| Some((at, shadow.other_swizzle(at, UNIT, mark)?));
        let Some((at, (found, site))) = at.and_then(other) else {
            continue;
        };
        let destination = cx.engine.queue.destination(at);
        let slot = destination.map(|to| to.slot(cx.shared));
        return cx.go_on(Box::new(Trap {
            earlier: site,
            lanes: 0,
            lane: Some(lane),
            address: Some(address),
            what: FaultKind::Swizzle {
                written: bytes(found),
                read: bytes(mark),
                slot,
            },
        }));
    }
    Ok(())
}

/// Returns the units of operands, in order: the low bits of their addresses, and the swizzle's
/// width.
pub(crate) fn units<'a>(
    operands: impl IntoIterator<Item = (&'a Descriptor, Range<usize>, bool)>,
    bytes: usize,
) -> Vec<(usize, usize)> {
    let mut units = Vec::new();
    for (descriptor, rows, transposed) in operands {
        let all = descriptor.units(rows, bytes, transposed);
        units.extend(all.map(|low| (low, descriptor.width)));
    }
    units.sort_unstable();
    units.dedup();
    units
}
