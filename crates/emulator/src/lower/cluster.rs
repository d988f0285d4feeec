//! Clusters: `mapa`, `getctarank`, `barrier.cluster`.
//!
//! ```text
//! mapa.shared::cluster.u32 %r2, %r1, 3      0x0000_0400 of this block ─► 0x0300_0400 of block 3
//! ```
//! Source: PTX ISA, "mapa", "getctarank", "barrier.cluster".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use crate::address::{RANK_SHIFT, SHARED_WINDOW};
use crate::frame::alu;
use crate::ir::ClusterSync;
use crate::types::Type;

const OFFSET: u64 = (1 << RANK_SHIFT) - 1;

/// Maps a shared address to the block with the given rank. A rank beyond every cluster stays
/// invalid.
fn mapped(address: u64, rank: u32) -> u64 {
    address & OFFSET | u64::from(rank.min(0xff)) << RANK_SHIFT
}

pub(crate) fn map(l: &mut Lowering) -> Lowered {
    let shared = l.take("shared::cluster");
    let ty = l.only_type()?;
    let run = match (ty, shared) {
        (Type::U32, true) => {
            alu!(|a: u32, rank: u32| -> u32 { mapped(u64::from(a), rank) as u32 })
        }
        (Type::U64, true) => alu!(|a: u64, rank: u32| -> u64 { mapped(a, rank) }),
        (Type::U64, false) => alu!(|a: u64, rank: u32| -> u64 {
            SHARED_WINDOW + mapped(a.wrapping_sub(SHARED_WINDOW), rank)
        }),
        _ => return Err(l.unknown()),
    };
    l.simple(run, ty, &[ty, Type::U32])
}

pub(crate) fn rank(l: &mut Lowering) -> Lowered {
    let shared = l.take("shared::cluster");
    let ty = l.only_type()?;
    let run = match (ty, shared) {
        (Type::U32, true) => alu!(|a: u32| -> u32 { a >> RANK_SHIFT }),
        (Type::U64, true) => alu!(|a: u64| -> u32 { (a >> RANK_SHIFT) as u32 }),
        (Type::U64, false) => {
            alu!(|a: u64| -> u32 { (a.wrapping_sub(SHARED_WINDOW) >> RANK_SHIFT) as u32 })
        }
        _ => return Err(l.unknown()),
    };
    l.simple(run, Type::U32, &[ty])
}

pub(crate) fn barrier(l: &mut Lowering) -> Lowered {
    l.lead("cluster");
    let arrive = l.need_lead(&[("arrive", true), ("wait", false)], "`.arrive` or `.wait`")?;
    let orders: &[(&str, bool)] = match arrive {
        true => &[("release", true), ("relaxed", false)],
        false => &[("acquire", false)],
    };
    let releases = l.one_of(orders).unwrap_or(arrive);
    let aligned = l.take("aligned");
    l.end()?;
    l.count(0..=0)?;
    let op = ClusterSync {
        arrive,
        releases,
        aligned,
    };
    l.emit(op, Flow::Next);
    Ok(())
}
