//! `st.async` and `red.async` write a lane's value to shared memory of any block of the cluster,
//! and complete at an mbarrier object there.
//!
//! ```text
//! value ─► bytes in place at once, nobody's before a wait ─► complete at the object ─► a wait for its phase ─► read
//! ```
//!
//! Law: data and object are in one block. The bytes are ordered after what the lane did before, as
//! a store of the lane is. A thread that waited for the phase that they complete knows them, as
//! with those of a bulk copy; no proxy fence is needed. A `red.async` is an atomic of its lane, and
//! a wait then knows everything that the lane knew: this is more than PTX grants. Source: PTX ISA,
//! "st.async", "red.async".

use super::bulk::in_one_block;
use super::instruction::{Instruction, LaneStep, Stop};
use super::mbarrier::table::Written;
use super::run::Context;
use super::shared::{ObjectPlace, object_at, spot};
use super::warp::Warp;
use super::{Outcome, Trap, access, cluster, lanes, mbarrier};
use crate::address::{SHARED_WINDOW, in_window};
use crate::fault::{Access, FaultKind, Reached};
use crate::frame::{Frame, WARP};
use crate::ir::{Asynchrony, NamedRow, Role, StoreAsync, Window, values};

/// Executes the instruction for the lanes of `mask`.
pub(crate) fn execute(
    cx: &mut Context,
    warp: &Warp,
    frame: &Frame,
    op: &StoreAsync,
    mask: u32,
) -> Outcome {
    let places = access::addresses(frame, &op.address, mask);
    let objects = access::addresses(frame, &op.barrier, mask);
    let total = usize::from(op.bytes) * usize::from(op.count);
    let mut reduced = Vec::new();
    for lane in lanes(mask) {
        let (window, address) = of_shared(op.address.window, lane, places[lane])?;
        let to = spot(cx, lane, window, address, total, total)?;
        let (window, address) = of_shared(op.barrier.window, lane, objects[lane])?;
        let object = object_at(cx, lane, window, address)?;
        in_one_block(cx, lane, object, to.at(), false)?;
        let rank = cx.shared.rank(to.at());
        cluster::living_peer(cx, lane, rank, to.address(), Access::Write)?;
        mbarrier::made_before(cx, lane, object)?;
        let value = |k: usize| match op.wide {
            true => frame.r64[op.registers[k] as usize][lane],
            false => u64::from(frame.r32[op.registers[k] as usize][lane]),
        };
        let bytes = usize::from(op.bytes);
        let mut new = [0; 16];
        for k in 0..usize::from(op.count) {
            new[k * bytes..][..bytes].copy_from_slice(&value(k).to_le_bytes()[..bytes]);
        }
        match op.apply {
            None => to.store_async(cx, lane, &new[..total])?,
            Some(apply) => to.reduce_async(cx, lane, |old| apply(old, value(0), 0))?,
        }
        let issuer = warp.index * WARP as u32 + lane as u32;
        note(cx, issuer, (to.at(), total), object);
        let written = Written {
            at: to.at(),
            bytes: total,
            span: total,
            swizzle: 0,
            reduction: None,
        };
        match op.apply {
            None => complete(cx, issuer, object, written),
            Some(_) => reduced.push((issuer, object, written)),
        }
    }
    // A wait for the completion of any lane then knows what all lanes added.
    let published = match &mut cx.shadow {
        Some(shadow) if op.apply.is_some() => shadow.clocks.publish(warp.index as usize, mask),
        _ => 0,
    };
    for (issuer, place, written) in reduced {
        if let Some(shadow) = &cx.shadow
            && let Some(object) = cx.engine.mbarriers.get_mut(place.at())
        {
            let warp = warp.index as usize;
            object.tell(|message| shadow.clocks.send(warp, published, message));
        }
        complete(cx, issuer, place, written);
    }
    Ok(())
}

/// Completes the bytes at their object.
fn complete(cx: &mut Context, issuer: u32, object: ObjectPlace, written: Written) {
    let shadow = cx.shadow.as_deref_mut();
    let objects = &mut cx.engine.mbarriers;
    objects.complete(cx.shared, shadow, object.at(), issuer, written);
}

/// Converts a generic address to one of shared memory. Returns it with its window.
fn of_shared(window: Window, lane: usize, address: u64) -> Outcome<(Window, u64)> {
    match window {
        Window::Generic if in_window(address, SHARED_WINDOW) => {
            Ok((Window::Cluster, address - SHARED_WINDOW))
        }
        Window::Generic => {
            let problem =
                "an address outside of shared memory: value and mbarrier object lie there";
            Trap::access(lane, address, FaultKind::Operand(problem.to_owned()))
        }
        _ => Ok((window, address)),
    }
}

/// Notes what is written, and which phase will make it known, for the message of a fault.
fn note(cx: &mut Context, issuer: u32, (at, bytes): (usize, usize), object: ObjectPlace) {
    let known = cx.engine.mbarriers.get(object.at());
    let phase = known.map_or(0, |object| object.completed);
    let site = cx.launch.packed(cx.site);
    let to = super::bulk::queue::Destination {
        at,
        bytes,
        object: object.at(),
        phase,
        issuer,
        site,
    };
    cx.engine.queue.note(to);
}

impl Instruction for StoreAsync {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.address));
        f(NamedRow::AnyAddress(&mut self.barrier));
        values(&mut self.registers[..usize::from(self.count)], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Completes
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let bytes = usize::from(self.bytes) * usize::from(self.count);
        step.access_at(&self.address, bytes, |step| {
            execute(step.cx, step.warp, &step.frame.registers, self, step.mask)
        })
    }
}
