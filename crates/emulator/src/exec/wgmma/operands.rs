//! The shared memory that a product reads: which units of 16 bytes, and their swizzle.

use super::super::run::Context;
use super::super::{Outcome, Trap};
use super::descriptor::Descriptor;
use super::{GROUP, UNIT, element_bytes};
use crate::fault::FaultKind;
use crate::ir::Wgmma;

/// What TMA wrote is read with the swizzle that it was written with.
pub(super) fn swizzled_alike(cx: &mut Context, units: &[(usize, usize)]) -> Outcome {
    let Some(shadow) = &cx.shadow else {
        return Ok(());
    };
    // A descriptor's width of 16 bytes is no swizzle.
    let bytes = |mark: u32| if mark == 1 { 0 } else { 8 << mark };
    for &(low, width) in units {
        let address = cx.shared.own_address(low);
        let at = cx.shared.offset(address, UNIT);
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
            lane: Some(0),
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

/// The units of 16 bytes that a warp reads, in order: the low bits of their addresses, and the
/// swizzle's width.
pub(super) fn units(
    cx: &Context,
    op: &Wgmma,
    left: Option<&Descriptor>,
    right: &Descriptor,
) -> Vec<(usize, usize)> {
    let mut units = Vec::new();
    let bytes = element_bytes(op.what.a);
    let per_unit = UNIT / bytes;
    // 32 bytes of k, of 8 and more rows.
    let mut add = |descriptor: &Descriptor, rows: std::ops::Range<usize>, transposed: bool| {
        let (step, columns) = match transposed {
            false => (1, [0, per_unit].to_vec()),
            true => (per_unit, (0..2 * UNIT / bytes).collect()),
        };
        for mn in rows.step_by(step) {
            units.extend(
                columns
                    .iter()
                    .map(|&k| (descriptor.at(mn, k, bytes, transposed), descriptor.width)),
            );
        }
    };
    if let Some(left) = left {
        let first = 16 * (cx.warp as usize % GROUP);
        add(left, first..first + 16, op.transpose[0]);
    }
    add(right, 0..op.n as usize, op.transpose[1]);
    units.sort_unstable();
    units.dedup();
    units
}
