//! `mbarrier` instructions: barriers that are objects in shared memory.
//!
//! ```text
//! bit   63       40..63   20..40     0..20
//!       valid    phase    expected   pending      the object's 8 bytes, and the state that an arrival returns
//! ```
//!
//! Law: a phase completes with the arrival, or the bytes, that reduce its pending arrivals and
//! bytes to 0; the next phase waits for `expected` arrivals. A wait that finds its phase complete
//! is ordered after every arrival of that phase within its scope, and after everything that the
//! lanes of its own warp have published, as by arriving at a barrier. The latter is more than PTX
//! guarantees within a warp, so that no finding is reported for a correct program. A later fence
//! acquires the arrivals outside of the wait's scope, or all of them if the wait is relaxed; the
//! results of asynchronous operations are known at once. A wait without an order modifier has the
//! scope of the cluster. An arrival releases the accesses of its own lane and what that lane is
//! ordered after, but not the accesses of other lanes of its warp. A relaxed arrival, or one of
//! scope `.cta` at an object of another block, releases only what a fence of the lane covers. An
//! arrival acquires nothing. The copies of a `cp.async` are written at once, so
//! `cp.async.mbarrier.arrive` arrives at once.
//! Source: PTX ISA, "mbarrier", "cp.async.mbarrier.arrive". The object is opaque there; these bits
//! are the emulator's.

pub(crate) mod table;

use super::access::{self, Addresses};
use super::banks::Cost;
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::shared::{self, OBJECT_BYTES, ObjectPlace};
use super::warp::{Activation, Waiting, Warp};
use super::{Outcome, Trap, copies, lanes};
use crate::fault::{Access, Earlier, FaultKind, Reached};
use crate::frame::{Frame, WARP};
use crate::ir::{Mbarrier, MbarrierAct, NONE, NamedRow, Role, Scope, Window, values};
use crate::memory::objects::Message;
use crate::memory::releases;
use crate::memory::shadow::Problem;
pub(crate) use table::pending;
use table::{MOST, Object, is_valid, passed};

/// Executes an instruction on the objects of the lanes of `mask`.
pub(crate) fn execute(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    op: &Mbarrier,
    mask: u32,
    site: Site,
) -> Outcome {
    let all = access::addresses(&frame.registers, &op.address, mask);
    let registers = &mut frame.registers;
    let mut complete = 0;
    access::by_memory(&all, op.address.window, mask, |window, all, part| {
        if !matches!(window, Window::Shared | Window::Cluster) {
            let lane = part.trailing_zeros() as usize;
            let problem = "an mbarrier object lies in shared memory".to_owned();
            return Trap::access(lane, all[lane], FaultKind::Operand(problem));
        }
        let request = shared::Request {
            window,
            all,
            mask: part,
            bytes: OBJECT_BYTES,
            cost: Cost::Atomic,
            counted: Some(site),
        };
        let placed = shared::place(cx, request)?;
        let arrives = matches!(
            op.act,
            MbarrierAct::Arrive { .. } | MbarrierAct::CopiesArrive { .. }
        );
        count_expected(cx, registers, op, part, site);
        if matches!(op.act, MbarrierAct::CopiesArrive { .. }) {
            copies::wait(cx, warp, NONE, part);
        }
        let published = match (&mut cx.shadow, arrives) {
            (Some(shadow), true) => shadow.clocks.publish(warp.index as usize, part),
            _ => 0,
        };
        let whole = warp.live & !part == 0;
        for lane in lanes(part) {
            let place = placed.object(lane);
            if op.act != MbarrierAct::Init && is_missing(cx, lane, place)? {
                match op.act {
                    MbarrierAct::Test { .. } => complete |= 1 << lane,
                    MbarrierAct::Arrive { .. } => write(registers, op.result, lane, 0),
                    _ => {}
                }
                continue;
            }
            let found = use_object(cx, registers, op, (lane, all), place, (published, whole))?;
            if found {
                complete |= 1 << lane;
            } else if matches!(op.act, MbarrierAct::Test { .. }) {
                warp.waiting = Some(Waiting {
                    at: place.at(),
                    site: cx.launch.packed(site),
                });
            }
        }
        Ok(())
    })?;
    match op.act {
        MbarrierAct::Test { suspends, .. } => {
            registers.write_pred(op.result, complete, mask);
            waited(cx, warp, complete, suspends, site);
        }
        _ => cx.polls = 0,
    }
    Ok(())
}

/// Executes the instruction on a lane's object. Returns whether it is a test that finds its phase
/// complete. `published` is the time up to which others may know of the lanes that arrive; `whole`
/// is whether these are all lanes of the warp.
fn use_object(
    cx: &mut Context,
    registers: &mut Frame,
    op: &Mbarrier,
    (lane, all): (usize, &Addresses),
    place: ObjectPlace,
    (published, whole): (u32, bool),
) -> Outcome<bool> {
    let number = |row: u32| u64::from(registers.r32[row as usize][lane]);
    match op.act {
        MbarrierAct::Init => {
            let count = number(op.operand);
            if !(1..=MOST).contains(&count) {
                return operand(
                    lane,
                    all,
                    format!("a count is within 1..={MOST}, not {count}"),
                );
            }
            make(cx, lane, place, count)?;
        }
        MbarrierAct::Invalidate => {
            valid(cx, lane, place)?;
            cx.engine.mbarriers.remove(place.at());
            // Like an arrival, the invalidation need not be ordered after the arrivals of others.
            place.write(cx, lane, 0, true)?;
        }
        MbarrierAct::Arrive {
            drop,
            no_complete,
            expects,
            releases,
        } => {
            let (count, bytes) = match op.operand {
                NONE => (1, 0),
                row if expects => (1, number(row)),
                row => (number(row), 0),
            };
            let what = Arrivals {
                count,
                bytes,
                drop,
                no_complete,
                releases,
                published,
                whole,
            };
            let old = arrive(cx, lane, place, what)?;
            write(registers, op.result, lane, old);
        }
        MbarrierAct::Expect => {
            let bytes = number(op.operand);
            made_before(cx, lane, place)?;
            change(cx, lane, place, |cx, object| {
                expect(cx, lane, place, object, bytes)
            })?;
        }
        MbarrierAct::Complete => {
            let bytes = number(op.operand);
            made_before(cx, lane, place)?;
            change(cx, lane, place, |_, object| {
                object.bytes -= bytes as i64;
                Ok(())
            })?;
        }
        MbarrierAct::CopiesArrive { counted } => {
            let what = Arrivals {
                count: u64::from(counted),
                bytes: 0,
                drop: false,
                no_complete: false,
                releases: Some(Scope::Block),
                published,
                whole,
            };
            arrive(cx, lane, place, what)?;
        }
        MbarrierAct::Test {
            parity, acquires, ..
        } => {
            let asked = match parity {
                true => Asked::Parity(registers.r32[op.operand as usize][lane] & 1),
                false => Asked::State(registers.r64[op.operand as usize][lane]),
            };
            return test(cx, lane, place, asked, acquires);
        }
    }
    Ok(false)
}

/// Counts a test of the lanes' objects, and lets the warp wait if no phase is complete. `complete`
/// holds the lanes whose phase is complete.
fn waited(cx: &mut Context, warp: &mut Warp, complete: u32, suspends: bool, site: Site) {
    if cx.launch.config.count_memory {
        let counts = cx.counters.asynchronous(site);
        match complete {
            0 => counts.barrier_retries += 1,
            _ => counts.barrier_waits += 1,
        }
    }
    cx.polls = match complete {
        // The warp lets other warps run first.
        0 if suspends => super::run::POLLS,
        0 => cx.polls + 1,
        _ => {
            warp.waiting = None;
            0
        }
    };
}

/// Counts the bytes for which the lanes of `mask` make objects wait.
fn count_expected(cx: &mut Context, registers: &Frame, op: &Mbarrier, mask: u32, site: Site) {
    let expects = matches!(
        op.act,
        MbarrierAct::Expect | MbarrierAct::Arrive { expects: true, .. }
    );
    if expects && op.operand != NONE && cx.launch.config.count_memory {
        let row = &registers.r32[op.operand as usize];
        let bytes = lanes(mask).map(|lane| u64::from(row[lane]));
        cx.counters.asynchronous(site).expected_bytes += bytes.sum::<u64>();
    }
}

fn operand<T>(lane: usize, all: &Addresses, problem: String) -> Outcome<T> {
    Trap::access(lane, all[lane], FaultKind::Operand(problem))
}

fn write(registers: &mut Frame, row: u32, lane: usize, state: u64) {
    if row != NONE {
        registers.r64[row as usize][lane] = state;
    }
}

/// Reports a wrong use of an object. If the finding is accepted, the instruction is executed as
/// written.
fn wrong(
    cx: &mut Context,
    lane: usize,
    place: ObjectPlace,
    phase: u64,
    problem: String,
) -> Outcome {
    let barrier = place.address();
    let what = FaultKind::Mbarrier {
        barrier,
        phase,
        problem,
    };
    cx.go_on(Trap::boxed(lane, barrier, what))
}

/// Returns the object at a place for which [`is_missing`] returned false.
fn valid<'a>(cx: &'a mut Context, lane: usize, place: ObjectPlace) -> Outcome<&'a mut Object> {
    match cx.engine.mbarriers.get_mut(place.at()) {
        Some(object) if place.holds(cx.shared, object) => Ok(object),
        _ => Err(no_object(lane, place)),
    }
}

#[cold]
fn no_object(lane: usize, place: ObjectPlace) -> Box<Trap> {
    let barrier = place.address();
    Trap::boxed(lane, barrier, FaultKind::NoMbarrier { barrier })
}

/// Reports a finding if no object is at a place: `mbarrier.init` must have made one, and nothing
/// may have overwritten it. Returns whether the object is missing. If the finding is accepted,
/// operations on the missing object have no effect, and a wait for the object is over.
fn is_missing(cx: &mut Context, lane: usize, place: ObjectPlace) -> Outcome<bool> {
    match valid(cx, lane, place) {
        Ok(_) => Ok(false),
        Err(trap) => cx.go_on(trap).map(|()| true),
    }
}

/// Executes `mbarrier.init`.
fn make(cx: &mut Context, lane: usize, place: ObjectPlace, count: u64) -> Outcome {
    let maker = cx.warp * WARP as u32 + lane as u32;
    let made = match &cx.shadow {
        Some(shadow) => shadow.clocks.since(maker),
        None => 0,
    };
    let mut object = Object::new(count, (maker, made), cx.launch.packed(cx.site));
    object.lanes = 1 << lane;
    let state = object.state();
    // Lanes that make the same object together, or again before any use, make one object.
    let living = cx.engine.mbarriers.get(place.at());
    let living = living.filter(|object| place.holds(cx.shared, object));
    if let Some(living) = living.filter(|living| living.is_fresh(count)) {
        if living.site == object.site && living.maker / WARP as u32 == cx.warp {
            object.lanes |= living.lanes;
        }
    } else if let Some(living) = living {
        let problem =
            "mbarrier.init where an object lives: mbarrier.inval ends it first".to_owned();
        let what = FaultKind::Mbarrier {
            barrier: place.address(),
            phase: living.completed,
            problem,
        };
        let mut trap = Trap::boxed(lane, place.address(), what);
        trap.earlier = living.site;
        cx.go_on(trap)?;
    }
    place.write(cx, lane, state, false)?;
    cx.engine.mbarriers.insert(place, object);
    Ok(())
}

/// Checks that the thread is ordered after the making of the object.
pub(crate) fn made_before(cx: &mut Context, lane: usize, place: ObjectPlace) -> Outcome {
    if is_missing(cx, lane, place)? {
        return Ok(());
    }
    let (maker, made, site, lanes) = {
        let object = valid(cx, lane, place)?;
        (object.maker, object.made, object.site, object.lanes)
    };
    // A lane that made the object together with others counts as its maker.
    if maker / WARP as u32 == cx.warp && lanes >> lane & 1 == 1 {
        return Ok(());
    }
    let thread = cx.warp * WARP as u32 + lane as u32;
    let ordered = |clocks: &crate::memory::clocks::Clocks| clocks.ordered(thread, maker, made);
    if cx.shadow.as_ref().is_none_or(|s| ordered(&s.clocks)) {
        return Ok(());
    }
    let problem = Problem::Race {
        earlier: Earlier::Wrote,
        other: maker,
        site,
    };
    let trap = cx.shadow_trap(lane, place.address(), place.at(), problem, Access::Atomic);
    cx.found(trap)
}

/// Checks the object at which an asynchronous operation will complete: its making must be ordered
/// before the thread, and a fence must make it visible to such operations.
pub(crate) fn visible(cx: &mut Context, lane: usize, place: ObjectPlace) -> Outcome {
    made_before(cx, lane, place)?;
    // A missing object was already reported.
    let Ok(object) = valid(cx, lane, place) else {
        return Ok(());
    };
    if object.shown {
        return Ok(());
    }
    let problem = "an asynchronous operation is to complete here, and neither fence.mbarrier_init nor fence.proxy.async follows the object's mbarrier.init";
    let what = FaultKind::Mbarrier {
        barrier: place.address(),
        phase: object.completed,
        problem: problem.to_owned(),
    };
    let mut trap = Trap::boxed(lane, place.address(), what);
    trap.earlier = object.site;
    match cx.shadow {
        Some(_) => cx.go_on(trap),
        None => Ok(()),
    }
}

/// Changes an object, and completes its phase if nothing is pending any more.
pub(crate) fn change(
    cx: &mut Context,
    lane: usize,
    place: ObjectPlace,
    by: impl FnOnce(&mut Context, &mut Object) -> Outcome,
) -> Outcome {
    let mut object = std::mem::take(valid(cx, lane, place)?);
    let changed = by(cx, &mut object);
    if changed.is_ok() {
        object.complete_if_done(cx.shadow.as_mut().map(|shadow| &mut shadow.clocks));
        place.keep(cx.shared, &object);
    }
    if let Some(slot) = cx.engine.mbarriers.get_mut(place.at()) {
        *slot = object;
    }
    changed
}

/// Makes the phase also wait for this number of bytes.
fn expect(
    cx: &mut Context,
    lane: usize,
    place: ObjectPlace,
    object: &mut Object,
    bytes: u64,
) -> Outcome {
    if bytes > MOST || object.bytes + bytes as i64 > MOST as i64 {
        let problem = format!(
            "{bytes} more bytes expected where it waits for {}: {MOST} at most",
            object.bytes
        );
        wrong(cx, lane, place, object.completed, problem)?;
    }
    object.bytes += bytes as i64;
    Ok(())
}

/// The properties of an arrival.
struct Arrivals {
    count: u64,
    /// The bytes for which the phase also waits.
    bytes: u64,
    drop: bool,
    no_complete: bool,
    /// The scope to which the arrival releases.
    releases: Option<Scope>,
    /// The time up to which others may know of the lanes that arrive. `whole` is whether these are
    /// all lanes of the warp.
    published: u32,
    whole: bool,
}

/// Makes arrivals of one thread. Returns the object's state before them.
fn arrive(cx: &mut Context, lane: usize, place: ObjectPlace, what: Arrivals) -> Outcome<u64> {
    let old = valid(cx, lane, place)?.state();
    made_before(cx, lane, place)?;
    place.arrive(cx, lane)?;
    change(cx, lane, place, |cx, object| {
        let fail = |problem| Trap::access(lane, place.address(), FaultKind::Operand(problem));
        let (waited, expected) = (object.pending, object.expected);
        let Arrivals { count, bytes, .. } = what;
        if count > waited {
            return fail(format!(
                "{count} arrivals where the phase waits for {waited} of {expected}"
            ));
        }
        expect(cx, lane, place, object, bytes)?;
        if waited == count && object.bytes == 0 && what.no_complete {
            return fail("`.noComplete`, and the phase completes".to_owned());
        }
        object.expected -= if what.drop { count } else { 0 };
        object.pending -= count;
        if let Some(shadow) = &cx.shadow {
            let (clocks, warp) = (&shadow.clocks, cx.warp as usize);
            let of_block = cx.shared.rank(place.at()) as u32 == cx.warp / cx.launch.warps;
            let needed = match of_block {
                true => Scope::Block,
                false => Scope::Cluster,
            };
            let tell = |message: &mut Message| match what.releases {
                Some(scope) if scope >= needed && what.whole => {
                    clocks.send(warp, what.published, message);
                }
                Some(scope) if scope >= needed => {
                    clocks.send_lane((warp, lane), what.published, message);
                }
                _ => releases::tell_fenced(clocks, (warp, lane), needed, message),
            };
            match of_block {
                true => object.tell(tell),
                false => object.tell_apart(tell),
            }
        }
        Ok(())
    })?;
    Ok(old)
}

/// The phase for which a wait waits.
#[derive(Clone, Copy)]
enum Asked {
    /// The last phase of that parity.
    Parity(u32),
    /// The phase that the state names.
    State(u64),
}

/// Tests whether the phase is complete. If it is, the thread is ordered after the arrivals of the
/// phase.
fn test(
    cx: &mut Context,
    lane: usize,
    place: ObjectPlace,
    asked: Asked,
    acquires: Option<Scope>,
) -> Outcome<bool> {
    made_before(cx, lane, place)?;
    let thread = cx.warp * WARP as u32 + lane as u32;
    let warp = cx.warp as usize;
    let column = valid(cx, lane, place)?.column;
    let times = cx
        .shadow
        .as_ref()
        .map(|s| s.clocks.objects.known(warp, column));
    let object = valid(cx, lane, place)?;
    let completed = object.completed;
    let done = match asked {
        Asked::Parity(parity) => {
            if let Some(known) = times.map(|time| object.known(time)) {
                // There are two candidates: the last phase that the thread knows to be complete,
                // and the next phase. Take the phase with the requested parity.
                let wanted = if (known + 1) % 2 == u64::from(parity) {
                    known as i64 - 1
                } else {
                    known as i64
                };
                if wanted + 2 <= object.completed as i64 && wanted >= known as i64 {
                    let problem = format!(
                        "a wait by parity {parity} for phase {wanted}, which is two phases behind or more: a wait may ask for the current or the preceding phase"
                    );
                    let phase = object.completed;
                    wrong(cx, lane, place, phase, problem)?;
                }
            }
            completed & 1 != u64::from(parity)
        }
        Asked::State(then) => {
            let passed = passed(object.state(), then);
            if !is_valid(then) || passed > 1 {
                let problem = "the state is not of the object's current or preceding phase";
                return Trap::access(
                    lane,
                    place.address(),
                    FaultKind::Operand(problem.to_owned()),
                );
            }
            passed == 1
        }
    };
    if done
        && let Some(shadow) = &mut cx.shadow
        && let Some(object) = cx.engine.mbarriers.get(place.at())
    {
        let (clocks, (own, apart)) = (&mut shadow.clocks, object.published());
        if acquires.is_none() {
            let time = object.completed_at();
            clocks.objects.set(warp, object.column, time);
        }
        releases::wait(clocks, thread, acquires, (Scope::Block, own));
        if let Some(apart) = apart {
            releases::wait(clocks, thread, acquires, (Scope::Cluster, apart));
        }
    }
    Ok(done)
}

impl Instruction for Mbarrier {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::AnyAddress(&mut self.address));
        values([&mut self.operand, &mut self.result], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        Ok(execute(
            step.cx, step.warp, step.frame, self, step.mask, step.site,
        )?)
    }
}
