//! Gathers the lanes that must execute an instruction together.
//!
//! ```text
//! lanes 0x0000ffff at shfl.sync, mask 0xffffffff      wait
//! lanes 0xffff0000 come to the same shfl.sync         both groups execute it as one
//! ```
//!
//! Law: a `.sync` instruction runs once every lane of its mask that has not exited has arrived; an
//! `.aligned` instruction runs once every lane of the warp that has not exited has arrived. The
//! lanes must be at the same instruction of the same call; only `bar.warp.sync` joins lanes that
//! wait with the same mask at different instructions. Source: PTX ISA, "bar.warp.sync", "shfl.sync"
//! (membermask), "barrier" (`.aligned`).

use super::warp::{State, Warp};
use super::{Outcome, Trap, lanes};
use crate::fault::FaultKind;
use crate::frame::Row32;

/// Whether the instruction is executed now, and by which lanes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Gathered {
    /// Execute the instruction with all of `lanes`, which come from this group and from the groups
    /// `others`.
    Go { lanes: u32, others: Vec<usize> },
    /// Some lanes are missing: the group of lanes waits.
    Wait,
}

/// Gathers for a `.sync` instruction that a group of lanes has reached. `executing` are the lanes
/// of the group that would execute it, `members` their masks.
pub(crate) fn sync(
    warp: &mut Warp,
    lane_group: usize,
    pc: u32,
    executing: u32,
    members: &Row32,
    anywhere: bool,
) -> Outcome<Gathered> {
    let first = members[executing.trailing_zeros() as usize % 32];
    // In the usual case all lanes have the same mask, and its live lanes are those that are here.
    let differences = members.iter().fold(0, |all, mask| all | mask ^ first);
    if differences == 0 && first & warp.live == executing {
        return Ok(Gathered::Go {
            lanes: executing,
            others: Vec::new(),
        });
    }
    let mut uniform = true;
    for lane in lanes(executing) {
        if members[lane] >> lane & 1 == 0 {
            return Trap::lane(
                lane,
                FaultKind::MaskWithoutSelf {
                    mask: members[lane],
                    lane: lane as u32,
                },
            );
        }
        uniform &= members[lane] == first;
    }
    if uniform && first & warp.live == executing {
        return Ok(Gathered::Go {
            lanes: executing,
            others: Vec::new(),
        });
    }
    // The lanes of the group have different masks: they form separate sets, each of which must be
    // complete.
    let mut complete = true;
    let mut needed = 0;
    for lane in lanes(executing) {
        let group = members[lane] & warp.live;
        needed |= group;
        complete &= group & !executing == 0;
        for other in lanes(group & executing) {
            if members[other] != members[lane] {
                return Trap::lane(
                    other,
                    FaultKind::DifferentMasks {
                        first: members[lane],
                        second: members[other],
                    },
                );
            }
        }
    }
    if complete {
        return Ok(Gathered::Go {
            lanes: executing,
            others: Vec::new(),
        });
    }
    gather(warp, lane_group, pc, executing, needed, false, anywhere)
}

/// Gathers for an `.aligned` instruction that a group of lanes has reached.
pub(crate) fn aligned(
    warp: &mut Warp,
    lane_group: usize,
    pc: u32,
    executing: u32,
) -> Outcome<Gathered> {
    if executing == warp.live {
        return Ok(Gathered::Go {
            lanes: executing,
            others: Vec::new(),
        });
    }
    let needed = warp.live;
    gather(warp, lane_group, pc, executing, needed, true, false)
}

fn gather(
    warp: &mut Warp,
    lane_group: usize,
    pc: u32,
    executing: u32,
    needed: u32,
    aligned: bool,
    anywhere: bool,
) -> Outcome<Gathered> {
    let frame = warp.lane_groups[lane_group].frame;
    let mut all = executing;
    let mut others = Vec::new();
    for (i, other) in warp
        .lane_groups
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != lane_group)
    {
        let State::Gathering {
            lanes,
            mask,
            aligned: also_aligned,
            anywhere: elsewhere,
        } = other.state
        else {
            continue;
        };
        let here = other.pc == pc && other.frame == frame && also_aligned == aligned;
        if here || anywhere && elsewhere && mask == needed {
            all |= lanes;
            others.push(i);
        }
    }
    if needed & !all == 0 {
        return Ok(Gathered::Go { lanes: all, others });
    }
    warp.lane_groups[lane_group].pc = pc;
    warp.lane_groups[lane_group].state = State::Gathering {
        lanes: executing,
        mask: needed,
        aligned,
        anywhere,
    };
    Ok(Gathered::Wait)
}

/// Describes what the first waiting group of lanes lacks, when no group can continue. `line` maps a
/// group of lanes to its line of PTX.
pub(crate) fn stuck(
    warp: &Warp,
    line: impl Fn(usize) -> Option<usize>,
) -> Option<(usize, FaultKind)> {
    let (i, lane_group) = warp
        .lane_groups
        .iter()
        .enumerate()
        .find(|(_, f)| matches!(f.state, State::Gathering { .. }))?;
    let State::Gathering {
        lanes,
        mask,
        aligned,
        ..
    } = lane_group.state
    else {
        return None;
    };
    if aligned {
        return Some((
            i,
            FaultKind::Divergent {
                active: lanes,
                required: warp.live,
            },
        ));
    }
    let together: u32 = warp
        .lane_groups
        .iter()
        .filter(|f| f.pc == lane_group.pc && f.frame == lane_group.frame)
        .filter_map(|f| match f.state {
            State::Gathering { lanes, .. } => Some(lanes),
            _ => None,
        })
        .fold(0, |all, lanes| all | lanes);
    let missing = mask & !together;
    let elsewhere = warp.lane_groups.iter().position(|f| f.lanes & missing != 0);
    Some((
        i,
        FaultKind::MissingLanes {
            mask,
            missing,
            line: elsewhere.and_then(line),
        },
    ))
}
