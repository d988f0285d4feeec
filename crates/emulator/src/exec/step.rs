//! The instructions of a group of lanes, one after the other.
//!
//! Law: lane-wise instructions and accesses of memory stay in this loop; whatever changes which
//! lanes go together leaves it (`Leave`). With `PROFILE` it counts lanes, divergence and groups of
//! copies too; without, no trace of that is in the code.

pub(super) mod undefined;
mod written;

use super::gather::{self, Gathered};
use super::provenance::{conclude, suspect};
use super::run::{Arrival, Context, Leave, POLLS, Site};
use super::warp::{Activation, LaneGroup, State, Warp};
use super::wgmma::Waited;
use super::{
    Outcome, Trap, atomics, bulk, call, cluster, copies, dependents, engine, exchange, global,
    lanes, mbarrier, memory, stack, store_async, tcgen05, tensor, tensor_map, texture, wgmma,
};
use crate::counted::counted;
use crate::fault::FaultKind;
use crate::frame::FULL;
use crate::ir::{Function, NONE, Op};
use crate::tensor_map::TENSOR_MAP_BYTES;

#[allow(clippy::too_many_arguments)]
pub(super) fn execute<const PROFILE: bool>(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    code: &Function,
    index: usize,
    at: &mut u32,
    stop: u32,
    turn: &mut u64,
    executed: &mut [u64],
) -> Outcome<Leave> {
    let lanes_here = warp.lane_groups[index].lanes;
    let function = frame.function;
    let started = *turn;
    let watched =
        !(frame.written.is_empty() && frame.undefined.is_none() && code.touches.is_empty());
    loop {
        let pc = *at;
        if pc == stop {
            return Ok(Leave::Arrive);
        }
        if *turn == 0 {
            return Ok(Leave::Yield { spinning: false });
        }
        *turn -= 1;
        let inst = &code.code[pc as usize];
        executed[pc as usize] += 1;
        let mask = match inst.guard {
            NONE => lanes_here,
            guard => {
                let value = frame.registers.pred[(guard >> 1) as usize];
                lanes_here & if guard & 1 == 1 { !value } else { value }
            }
        };
        let site = Site { function, pc };
        if watched {
            if !frame.written.is_empty() {
                written::registers(cx, frame, code, site, lanes_here, mask)?;
            }
            if frame.undefined.is_some() {
                undefined::follow(cx, frame, code, site, (lanes_here, mask))?;
            }
            if mask != 0
                && let Ok(i) = code.touches.binary_search_by_key(&pc, |touch| touch.pc)
            {
                let own = warp.lane_groups[index].frame;
                cx.begin(site, mask);
                wgmma::touch(cx, warp, frame, own, &code.touches[i])?;
            }
        }
        /// Counts something of this instruction.
        macro_rules! profile {
            (|$detail:ident| $count:expr) => {
                if PROFILE {
                    let $detail = cx.counters.detail(site);
                    $count;
                }
            };
        }
        profile!(|detail| detail.lanes(lanes_here, mask));
        if mask == 0 {
            *at = pc + 1;
            continue;
        }
        /// It comes here again, and is counted then.
        macro_rules! uncount {
            () => {
                executed[pc as usize] -= 1;
                profile!(|detail| detail.forget(lanes_here, mask));
            };
        }
        /// Brings the lanes together, or waits. What they do together may have to wait, too: the
        /// others go on when it is done.
        macro_rules! together {
            ($gathered:expr) => {
                together!($gathered, |_all| true)
            };
            ($gathered:expr, |$all:ident| $done:expr) => {
                match $gathered {
                    Gathered::Go { lanes, others } => {
                        let $all = lanes;
                        let done: bool = $done;
                        if !done {
                            uncount!();
                            return Ok(Leave::Yield { spinning: true });
                        }
                        for other in others {
                            let other = &mut warp.lane_groups[other];
                            other.pc = pc + 1;
                            other.state = State::Ready;
                        }
                        profile!(|detail| detail.lanes(lanes & !mask, lanes & !mask));
                        lanes
                    }
                    Gathered::Wait => {
                        uncount!();
                        return Ok(Leave::Wait);
                    }
                }
            };
        }
        macro_rules! with_mask {
            ($row:expr, $anywhere:expr) => {{
                let members = frame.registers.r32[$row as usize];
                together!(gather::sync(warp, index, pc, mask, &members, $anywhere)?)
            }};
        }
        macro_rules! whole_warp {
            () => {
                whole_warp!(true)
            };
            ($done:expr) => {
                together!(gather::aligned(warp, index, pc, mask)?, |all| {
                    if all != FULL {
                        return Trap::lane(
                            all.trailing_zeros() as usize,
                            FaultKind::Divergent {
                                active: all,
                                required: FULL,
                            },
                        );
                    }
                    $done
                })
            };
        }
        /// What an access of so many bytes does beyond what its address comes from.
        macro_rules! suspect {
            ($address:expr, $bytes:expr, $mask:expr) => {
                suspect(
                    cx.launch,
                    &frame.registers,
                    function,
                    &$address,
                    $bytes,
                    $mask,
                )
            };
        }
        match &inst.op {
            Op::Alu { run, args } => run(&mut frame.registers, args, mask),
            Op::Branch { target, reconverge } => {
                if mask == lanes_here {
                    *at = *target;
                    continue;
                }
                profile!(|detail| detail.diverged += 1);
                let parts = vec![(mask, *target), (lanes_here & !mask, pc + 1)];
                return Ok(Leave::Part {
                    parts,
                    meeting: *reconverge,
                });
            }
            Op::Table {
                index: row,
                targets,
                reconverge,
            } => {
                let indices = &frame.registers.r32[*row as usize];
                let mut parts: Vec<(u32, u32)> = Vec::new();
                let mut add = |lanes: u32, target: u32| match parts
                    .iter_mut()
                    .find(|part| part.1 == target)
                {
                    Some(part) => part.0 |= lanes,
                    None => parts.push((lanes, target)),
                };
                for lane in lanes(mask) {
                    match targets.get(indices[lane] as usize) {
                        Some(&target) => add(1 << lane, target),
                        None => {
                            let problem = format!(
                                "index {} into a list of {}",
                                indices[lane],
                                counted(targets.len(), "target")
                            );
                            return Trap::lane(lane, FaultKind::Operand(problem));
                        }
                    }
                }
                if lanes_here & !mask != 0 {
                    add(lanes_here & !mask, pc + 1);
                }
                if let [(_, target)] = parts[..] {
                    *at = target;
                    continue;
                }
                profile!(|detail| detail.diverged += 1);
                return Ok(Leave::Part {
                    parts,
                    meeting: *reconverge,
                });
            }
            Op::Call(op) => {
                let (target, same) = match op.function {
                    NONE => {
                        let pointers = &frame.registers.r64[op.pointer as usize];
                        let first = mask.trailing_zeros() as usize;
                        let same = lanes(mask).filter(|&lane| pointers[lane] == pointers[first]);
                        let same = same.fold(0, |same, lane| same | 1 << lane);
                        (
                            call::function_at(cx.launch, op, first, pointers[first])?,
                            same,
                        )
                    }
                    function => (function, mask),
                };
                if same != lanes_here {
                    // Those that call this function first, then the others, meeting behind the
                    // call.
                    uncount!();
                    let rest = mask & !same;
                    let parts = [(lanes_here & !mask, pc + 1), (rest, pc), (same, pc)];
                    let parts = parts.into_iter().filter(|(lanes, _)| *lanes != 0).collect();
                    return Ok(Leave::Part {
                        parts,
                        meeting: pc + 1,
                    });
                }
                cx.begin(site, mask);
                if let call::Called::Function(mut activation) =
                    call::call(cx, warp, frame, op, target, mask)?
                {
                    activation.return_pc = pc + 1;
                    activation.parent = warp.lane_groups[index].frame;
                    return Ok(Leave::Call { activation });
                }
            }
            Op::Return => return Ok(Leave::Return),
            Op::Exit => {
                if mask != lanes_here {
                    *at = pc + 1;
                }
                return Ok(Leave::Exit { lanes: mask });
            }
            Op::Load(op) => {
                let suspect = suspect!(op.address, op.total(), mask);
                cx.begin(site, mask);
                let done = memory::load(cx, warp, frame, op, mask, site);
                conclude(cx, done, suspect)?;
                if op.strength.is_some() {
                    cx.polls += 1;
                }
            }
            Op::Store(op) => {
                let suspect = suspect!(op.address, op.total(), mask);
                cx.begin(site, mask);
                let done = memory::store(cx, warp, frame, op, mask, site);
                conclude(cx, done, suspect)?;
                cx.polls = 0;
            }
            Op::Atomic(op) => {
                let suspect = suspect!(op.address, op.total(), mask);
                cx.begin(site, mask);
                let done = atomics::execute(cx, frame, op, mask, site);
                conclude(cx, done, suspect)?;
            }
            Op::CopyAsync(op) => {
                let bytes = usize::from(op.bytes);
                let mut suspect = suspect!(op.destination, bytes, mask);
                // Lanes that copy fewer bytes may point anywhere with the rest.
                if op.source_size == NONE && op.ignore == NONE {
                    suspect = suspect.or_else(|| suspect!(op.source, bytes, mask));
                }
                cx.begin(site, mask);
                let done = copies::copy(cx, warp, frame, op, mask, site);
                conclude(cx, done, suspect)?;
                if PROFILE {
                    warp.copies.flight.open = true;
                }
            }
            Op::CommitAsync => {
                copies::commit(warp, mask);
                profile!(|detail| detail.committed(warp.copies.flight.commit()));
            }
            Op::WaitAsync { keep } => {
                copies::wait(cx, warp, *keep, mask);
                profile!(|detail| detail.waited(warp.copies.flight.wait(*keep)));
            }
            Op::Bulk(op) => {
                cx.begin(site, mask);
                bulk::execute(cx, warp, &frame.registers, op, mask, site)?;
            }
            Op::StoreAsync(op) => {
                cx.begin(site, mask);
                let suspects = suspect!(
                    op.address,
                    usize::from(op.bytes) * usize::from(op.count),
                    mask
                );
                let stored = store_async::execute(cx, warp, &frame.registers, op, mask);
                conclude(cx, stored, suspects)?;
            }
            Op::ReplaceInMap(op) => {
                cx.begin(site, mask);
                let suspects = suspect!(op.address, TENSOR_MAP_BYTES, mask);
                let done = tensor_map::replace(cx, &frame.registers, op, mask, site);
                conclude(cx, done, suspects)?;
            }
            Op::CopyMap(op) => {
                whole_warp!();
                cx.begin(site, FULL);
                let of = |address| suspect!(address, TENSOR_MAP_BYTES, FULL);
                let suspects = of(op.source).or_else(|| of(op.destination));
                let done = tensor_map::copy(cx, &frame.registers, op, site);
                conclude(cx, done, suspects)?;
            }
            Op::Multimem(op) => {
                cx.begin(site, mask);
                let bytes = usize::from(op.bytes) * usize::from(op.count);
                let suspects = suspect!(op.address, bytes, mask);
                let done = global::multimem(cx, &mut frame.registers, op, mask);
                conclude(cx, done, suspects)?;
            }
            Op::CommitBulk => bulk::commit(warp, mask),
            Op::WaitBulk { keep, reads } => bulk::wait(cx, warp, (*keep, *reads), mask),
            Op::Mbarrier(op) => {
                cx.begin(site, mask);
                mbarrier::execute(cx, warp, frame, op, mask, site)?;
            }
            Op::Barrier(op) => {
                if cx.counters.has_details() {
                    cx.counters.at_barrier((cx.linear, cx.warp));
                }
                let (all, others) = if op.aligned {
                    match gather::aligned(warp, index, pc, mask)? {
                        Gathered::Go { lanes, others } => {
                            profile!(|detail| detail.lanes(lanes & !mask, lanes & !mask));
                            (lanes, others)
                        }
                        Gathered::Wait => {
                            uncount!();
                            return Ok(Leave::Wait);
                        }
                    }
                } else if mask != lanes_here {
                    // The lanes that come to the barrier wait there, the others go on.
                    uncount!();
                    let parts = vec![(lanes_here & !mask, pc + 1), (mask, pc)];
                    return Ok(Leave::Part {
                        parts,
                        meeting: pc + 1,
                    });
                } else {
                    (mask, Vec::new())
                };
                let uniform = |row: u32, what: &str| {
                    let row = &frame.registers.r32[row as usize];
                    let first = row[all.trailing_zeros() as usize];
                    match lanes(all).find(|&lane| row[lane] != first) {
                        None => Ok(first),
                        Some(lane) => {
                            let problem =
                                format!("lanes give different {what}: {first} and {}", row[lane]);
                            Trap::lane(lane, FaultKind::Operand(problem))
                        }
                    }
                };
                let arrival = Arrival {
                    barrier: uniform(op.barrier, "barriers")?,
                    kind: op.kind,
                    lanes: all,
                    threads: if op.threads == NONE {
                        None
                    } else {
                        Some(uniform(op.threads, "thread counts")?)
                    },
                    votes: if op.predicate == NONE {
                        0
                    } else {
                        frame.registers.pred(op.predicate) & all
                    },
                    result: op.result,
                    frame: warp.lane_groups[index].frame,
                    site,
                };
                return Ok(Leave::Barrier { arrival, others });
            }
            Op::WarpBarrier { mask: row } => {
                let all = with_mask!(*row, true);
                if let Some(shadow) = &mut cx.shadow {
                    let members = frame.registers.r32[*row as usize];
                    let mut rest = all;
                    while rest != 0 {
                        // Lanes that other groups of lanes brought have the mask of those here.
                        let lane = rest.trailing_zeros() as usize;
                        let group = if mask >> lane & 1 == 1 {
                            members[lane] & all
                        } else {
                            rest
                        };
                        shadow.clocks.meet_lanes(warp.index as usize, group);
                        rest &= !group;
                    }
                }
            }
            Op::Shuffle(op) => {
                let all = with_mask!(op.mask, false);
                exchange::shuffle(&mut frame.registers, op, all)?;
            }
            Op::Vote(op) => {
                let all = with_mask!(op.mask, false);
                exchange::vote(&mut frame.registers, op, all);
            }
            Op::Match(op) => {
                let all = with_mask!(op.mask, false);
                exchange::matching(&mut frame.registers, op, all);
            }
            Op::Reduce(op) => {
                let all = with_mask!(op.mask, false);
                exchange::reduce(&mut frame.registers, op, all);
            }
            Op::Elect {
                lane,
                predicate,
                mask: row,
            } => {
                let all = with_mask!(*row, false);
                exchange::elect(&mut frame.registers, *lane, *predicate, *row, all);
            }
            Op::ActiveMask { result } => frame.registers.write::<u32>(*result, &[mask; 32], mask),
            Op::LoadMatrix(op) => {
                whole_warp!();
                let suspect = suspect!(op.address, 16, op.lanes());
                cx.begin(site, FULL);
                let done = tensor::load(cx, frame, op, site);
                conclude(cx, done, suspect)?;
            }
            Op::StoreMatrix(op) => {
                whole_warp!();
                let suspect = suspect!(op.address, 16, op.lanes());
                cx.begin(site, FULL);
                let done = tensor::store(cx, frame, op, site);
                conclude(cx, done, suspect)?;
            }
            Op::MoveMatrix { result, source } => {
                whole_warp!();
                tensor::transpose(&mut frame.registers, *result, *source);
            }
            Op::Mma(op) => {
                whole_warp!();
                tensor::mma(&mut frame.registers, op, cx.launch.config.tensor_arithmetic);
            }
            Op::Wgmma(op) => {
                whole_warp!();
                cx.begin(site, FULL);
                let own = warp.lane_groups[index].frame;
                wgmma::issue(cx, warp, frame, own, op, site)?;
            }
            Op::Tcgen05(op) => {
                cx.begin(site, mask);
                match op.is_of_warp() {
                    true => {
                        whole_warp!(tcgen05::execute(cx, warp, frame, op, FULL, site)?);
                    }
                    false => {
                        tcgen05::execute(cx, warp, frame, op, mask, site)?;
                    }
                }
            }
            Op::WgmmaFence => {
                whole_warp!();
                wgmma::fence(warp, code);
            }
            Op::WgmmaCommit => {
                whole_warp!();
                wgmma::commit(warp);
            }
            Op::WgmmaWait { keep } => {
                whole_warp!();
                match wgmma::wait(cx, warp, *keep, site) {
                    Waited::Done => {}
                    Waited::Issued => {
                        uncount!();
                        return Ok(Leave::Products);
                    }
                    Waited::Missing => {
                        uncount!();
                        return Ok(Leave::Yield { spinning: true });
                    }
                }
            }
            Op::Texel(op) => {
                cx.begin(site, mask);
                texture::execute(cx, &mut frame.registers, op, mask)?;
            }
            Op::Discard(address) => {
                cx.begin(site, mask);
                global::discard(cx, &frame.registers, address, mask)?;
            }
            Op::Allocate(op) => stack::allocate(cx, warp, frame, op, mask)?,
            Op::SaveStack { result, wide } => stack::save(frame, *result, *wide, mask),
            Op::RestoreStack { end, wide } => {
                let own = warp.lane_groups[index].frame;
                let in_frame = |other: &LaneGroup| other.frame == own;
                let alone = mask == lanes_here
                    && warp.lane_groups.iter().filter(|f| in_frame(f)).count() == 1;
                stack::restore(frame, *end, *wide, mask, alone)?;
            }
            Op::Tile(op) => {
                whole_warp!();
                tensor::tile(&frame.registers, op)?;
            }
            Op::Fence(scope) => global::fence(cx, *scope, mask),
            Op::MapFence(address) => {
                cx.begin(site, mask);
                global::map_fence(cx, &frame.registers, address, mask);
            }
            Op::Nothing | Op::Prefetch => {}
            Op::WaitForLaunchBefore => dependents::wait(cx, mask),
            Op::ReleaseDependents => dependents::release(cx),
            &Op::ProxyFence { global, shared } => engine::proxy_fence(cx, mask, (global, shared)),
            Op::InitFence => engine::init_fence(cx, mask),
            Op::ClusterBarrier {
                arrive,
                releases,
                aligned,
            } => {
                let gathered = match aligned {
                    true => gather::aligned(warp, index, pc, mask)?,
                    false => Gathered::Go {
                        lanes: mask,
                        others: Vec::new(),
                    },
                };
                together!(gathered, |all| match arrive {
                    true => {
                        cluster::arrive(cx, all, *releases)?;
                        true
                    }
                    false => cluster::wait(cx, warp, all, site)?,
                });
            }
            Op::SetRegisters { increase, count } => {
                whole_warp!(engine::set_registers(cx, warp, *increase, *count, site)?);
            }
            Op::Sleep => {
                *at = pc + 1;
                return Ok(Leave::Yield { spinning: true });
            }
            Op::Trap => return Trap::lane(mask.trailing_zeros() as usize, FaultKind::Trap),
            Op::Breakpoint => {
                return Trap::lane(mask.trailing_zeros() as usize, FaultKind::Breakpoint);
            }
            Op::Clock { result, wide, high } => {
                let now = warp.instructions + (started - *turn);
                if *wide {
                    frame.registers.write::<u64>(*result, &[now; 32], mask);
                } else {
                    let now = if *high { now >> 32 } else { now } as u32;
                    frame.registers.write::<u32>(*result, &[now; 32], mask);
                }
            }
        }
        *at = pc + 1;
        if cx.polls >= POLLS && matches!(inst.op, Op::Load(_) | Op::Atomic(_) | Op::Mbarrier(_)) {
            return Ok(Leave::Yield { spinning: true });
        }
    }
}
