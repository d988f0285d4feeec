//! `clusterlaunchcontrol`: a cluster takes over the work of one that has not begun.
//!
//! ```text
//! try_cancel [response], [mbar]       16 bytes of the async proxy, which complete at the object
//! query_cancel.is_canceled            whether the response names a cluster, which never begins then
//! query_cancel.get_first_ctaid        that cluster's first block
//! ```
//!
//! Law: a cluster begins, or exactly one request names it. PTX leaves open which requests succeed.
//! Under `early` a request succeeds if a cluster is left, under `late` none succeeds, and under
//! `seeded` some do. The response is opaque in PTX; here a refusal has coordinates beyond every
//! grid. Source: PTX ISA, "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel".

use std::sync::atomic::Ordering::Relaxed;

use crate::exec::bulk::{self, queue::Moves};
use crate::exec::global::Pieces;
use crate::exec::shared::{object_at, spot};
use crate::exec::{Context, Instruction, LaneStep, Stop, access, mbarrier};
use crate::fault::Reached;
use crate::frame::{Alu, Lane, Row32, alu, lanes};
use crate::ir::{Address, Asynchrony, NamedRow, Role, Window};
use crate::lower::{Flow, Lowered, Lowering};
use crate::schedule::Schedule;
use crate::types::Type;

/// The number of bytes of a response. Its words are the first block's x, y and z, and 1 if a
/// cluster was cancelled.
const RESPONSE: usize = 16;

#[derive(Debug)]
struct TryCancel {
    response: Address,
    barrier: Address,
    /// Whether each block of the cluster gets the response.
    all: bool,
}

/// Lowers
/// `try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}.b128`.
pub(super) fn try_cancel(l: &mut Lowering) -> Lowered {
    l.lead("try_cancel");
    if !l.lead("async") {
        return Err(l.unknown());
    }
    let space = l.one_of(&[("shared::cta", Window::Shared)]);
    let completion = [("mbarrier::complete_tx::bytes", ())];
    l.need(&completion, "`.mbarrier::complete_tx::bytes`")?;
    let all = l.take("multicast::cluster::all");
    if l.only_type()? != Type::B128 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let window = space.unwrap_or(Window::Generic);
    let response = l.address_of_any_width(0, window)?;
    let barrier = l.address_of_any_width(1, window)?;
    // An mbarrier object has 8 bytes.
    l.body.function.granule = l.body.function.granule.min(8);
    // Which clusters begin depends on the others.
    l.body.function.communicates = true;
    let op = TryCancel {
        response,
        barrier,
        all,
    };
    l.emit(op, Flow::Next);
    Ok(())
}

/// Lowers `query_cancel.is_canceled.pred.b128 p, q`, and `query_cancel.get_first_ctaid` of one
/// dimension or of all.
pub(super) fn query_cancel(l: &mut Lowering) -> Lowered {
    l.lead("query_cancel");
    if l.lead("is_canceled") {
        if (l.ty()?, l.only_type()?) != (Type::Pred, Type::B128) {
            return Err(l.unknown());
        }
        l.count(2..=2)?;
        let [_, high] = halves(l)?;
        let result = l.dest(0, Type::Pred)?;
        let run: Alu = |frame, args, mask| {
            let value = frame.test1(args[1], |high: u64| high >> 32 == 1);
            frame.write_pred(args[0], value, mask);
        };
        l.alu(run, &[result], &[high]);
        return Ok(());
    }
    let dimensions = [
        ("get_first_ctaid::x", 0),
        ("get_first_ctaid::y", 1),
        ("get_first_ctaid::z", 2),
        ("get_first_ctaid", 3),
    ];
    let dimension = l.need_lead(&dimensions, "what to query")?;
    let vector = l.take("v4");
    if vector != (dimension == 3) || (l.ty()?, l.only_type()?) != (Type::B32, Type::B128) {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let [low, high] = halves(l)?;
    if dimension < 3 {
        let result = l.dest(0, Type::B32)?;
        let (run, half): (Alu, _) = match dimension {
            0 => (alu!(|low: u64| -> u32 { low as u32 }), low),
            1 => (alu!(|low: u64| -> u32 { (low >> 32) as u32 }), low),
            _ => (alu!(|high: u64| -> u32 { high as u32 }), high),
        };
        l.alu(run, &[result], &[half]);
        return Ok(());
    }
    let elements = l.elements(0)?;
    if elements.len() != 4 {
        return Err(l.bad_operand(0, format!("4 registers expected, {} found", elements.len())));
    }
    let mut results = Vec::new();
    for element in elements {
        results.push(l.dest_of(0, element, Type::B32)?);
    }
    let run: Alu = |frame, args, mask| {
        let [low, high] = [args[4], args[5]].map(|row| *u64::row(frame, row));
        // PTX leaves the value of the fourth register open.
        let parts: [fn(u64, u64) -> u32; 4] = [
            |low, _| low as u32,
            |low, _| (low >> 32) as u32,
            |_, high| high as u32,
            |_, _| 0,
        ];
        for (&result, part) in args[..4].iter().zip(parts) {
            let values: Row32 = std::array::from_fn(|lane| part(low[lane], high[lane]));
            frame.write::<u32>(result, &values, mask);
        }
    };
    l.alu(run, &results, &[low, high]);
    Ok(())
}

/// Returns the low and the high half of the response, which is operand 1.
fn halves(l: &mut Lowering) -> Result<[crate::lower::Slot; 2], crate::error::PtxError> {
    let elements = l.elements(1)?;
    let [low, high] = elements else {
        return Err(l.bad_operand(1, "a .b128 register expected"));
    };
    Ok([
        l.source_of(1, low, Type::B64)?,
        l.source_of(1, high, Type::B64)?,
    ])
}

impl Instruction for TryCancel {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::AnyAddress(&mut self.response));
        f(NamedRow::AnyAddress(&mut self.barrier));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Scheduled
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        let registers = &step.frame.registers;
        let responses = access::addresses(registers, &self.response, step.mask);
        let barriers = access::addresses(registers, &self.barrier, step.mask);
        for lane in lanes(step.mask) {
            let cx = &mut *step.cx;
            let [response, barrier] = [
                (self.response.window, responses[lane]),
                (self.barrier.window, barriers[lane]),
            ]
            .map(own);
            let to = spot(cx, lane, Window::Shared, response, RESPONSE, RESPONSE)?;
            let object = object_at(cx, lane, Window::Shared, barrier)?;
            let own = cx.shared.rank(to.at());
            let ranks = match self.all {
                true => 0..cx.launch.ranks as usize,
                false => own..own + 1,
            };
            let targets: Vec<_> = ranks
                .map(|rank| {
                    let object = object.in_block(cx.shared, rank);
                    (to.in_block(cx.shared, rank), object)
                })
                .collect();
            for &(_, object) in &targets {
                mbarrier::visible(cx, lane, object)?;
            }
            let moves = Moves::Load {
                pieces: Pieces::filled(RESPONSE),
                targets,
                bytes: RESPONSE,
                span: RESPONSE,
                swizzle: 0,
                fill: cancel(cx).to_vec(),
                rounds: false,
            };
            bulk::issue(cx, step.warp, lane, step.site, moves)?;
        }
        Ok(())
    }
}

/// Converts an address to one in the window of the block's shared memory.
fn own((window, address): (Window, u64)) -> u64 {
    match window {
        Window::Generic => address.wrapping_sub(crate::address::SHARED_WINDOW),
        _ => address,
    }
}

/// Cancels the next cluster if the schedule lets the request succeed, and returns the response.
fn cancel(cx: &mut Context) -> [u8; RESPONSE] {
    let tries = match cx.launch.config.schedule {
        Schedule::Early => true,
        Schedule::Late => false,
        Schedule::Seeded(_) => cx.engine.queue.random(2) == 0,
    };
    let clusters = cx.launch.units();
    let next = |begun: u64| (tries && begun < clusters).then_some(begun + 1);
    let words = match cx.launch.begun.fetch_update(Relaxed, Relaxed, next) {
        Ok(cluster) => {
            let [x, y, z] = cx.launch.block_of(cluster, 0);
            [x, y, z, 1]
        }
        Err(_) => [u32::MAX, u32::MAX, u32::MAX, 0],
    };
    let mut response = [0; RESPONSE];
    for (bytes, word) in response.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    response
}
