//! `tensormap.replace` and `tensormap.cp_fenceproxy` read and write a tensor map's 128 bytes as
//! accesses of a thread.
//!
//! ```text
//! 128 bytes ─► one field replaced ─► 128 bytes        in global memory, or in the block's shared memory
//! shared ─► global                                    by a whole warp, once
//! ```
//!
//! Law: the bytes are read and written as by loads and stores of the lane, 16 bytes at a time.
//! While the fields are replaced one by one, a map may be invalid: this is reported only by a copy
//! that uses it. Source: PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy".

use super::access::{self, Addresses};
use super::banks::Cost;
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::values::Values;
use super::{Outcome, Trap, global, lanes, shared};
use crate::fault::{FaultKind, Reached, Space};
use crate::frame::{Frame, Row32, WARP};
use crate::ir::{CopyMap, NamedRow, ReplaceInMap, Role, Window};
use crate::tensor_map::{TENSOR_MAP_BYTES, TensorMap};

/// The alignment of a map.
const ALIGNMENT: usize = 64;
/// The bytes of one access.
const PART: usize = 16;

type Bytes = [u8; TENSOR_MAP_BYTES];

/// A map's bytes from the first byte of an access on.
struct Part<'a>(&'a [u8]);

impl Values for Part<'_> {
    fn bytes(&self) -> usize {
        8
    }

    fn element(&self, _: usize, k: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.0[8 * k..8 * k + 8]);
        u64::from_le_bytes(word)
    }

    fn words(&self, _: usize) -> Option<&Row32> {
        None
    }
}

/// Executes `tensormap.replace` for the lanes of `mask`.
pub(crate) fn replace(
    cx: &mut Context,
    frame: &Frame,
    op: &ReplaceInMap,
    mask: u32,
    site: Site,
) -> Outcome {
    let all = access::addresses(frame, &op.address, mask);
    access::by_memory(&all, op.address.window, mask, |window, all, part| {
        for lane in lanes(part) {
            let value = match op.wide {
                true => frame.r64[op.value as usize][lane],
                false => u64::from(frame.r32[op.value as usize][lane]),
            };
            let mut bytes = read(cx, window, lane, all[lane], site)?;
            let replaced = TensorMap::replace(&mut bytes, op.field, op.dimension.into(), value);
            if let Err(error) = replaced {
                return Trap::access(lane, all[lane], FaultKind::Operand(error.to_string()));
            }
            write(cx, window, lane, all[lane], &bytes, site)?;
        }
        Ok(())
    })
}

/// Executes `tensormap.cp_fenceproxy` of a whole warp; its first lane copies.
pub(crate) fn copy(cx: &mut Context, frame: &Frame, op: &CopyMap, site: Site) -> Outcome {
    let to = access::addresses(frame, &op.destination, u32::MAX);
    let from = access::addresses(frame, &op.source, u32::MAX);
    for all in [&to, &from] {
        if let Some(lane) = all.iter().position(|address| *address != all[0]) {
            let problem = format!(
                "lanes copy different tensor maps: {:#x} and {:#x}, where the warp copies one",
                all[0], all[lane]
            );
            return Trap::access(lane, all[lane], FaultKind::Operand(problem));
        }
    }
    let bytes = read(cx, Window::Shared, 0, from[0], site)?;
    write(cx, Window::Global, 0, to[0], &bytes, site)
}

/// Checks that the map is aligned and lies in a permitted memory. Returns that memory.
fn examine(window: Window, lane: usize, address: u64) -> Outcome<Space> {
    let space = match window {
        Window::Shared | Window::Cluster => Space::Shared,
        Window::Local => Space::Local,
        Window::EntryParam => Space::Param,
        _ => Space::Global,
    };
    match space {
        Space::Local => {
            let problem = "a tensor map that is replaced in lies in global or shared memory";
            Trap::access(lane, address, FaultKind::Operand(problem.to_owned()))
        }
        Space::Param => Trap::access(lane, address, FaultKind::ReadOnly(space)),
        _ if !address.is_multiple_of(ALIGNMENT as u64) => {
            let alignment = ALIGNMENT;
            Trap::access(lane, address, FaultKind::Misaligned { space, alignment })
        }
        _ => Ok(space),
    }
}

/// Returns the parts of a map at an address: the offset in the map, and the addresses.
fn parts(address: u64) -> impl Iterator<Item = (usize, Addresses)> {
    let offsets = (0..TENSOR_MAP_BYTES).step_by(PART);
    offsets.map(move |at| (at, [address.wrapping_add(at as u64); 32]))
}

fn of_global(all: &Addresses, lane: usize, site: Site, cost: Cost) -> global::Request<'_> {
    global::Request {
        all,
        mask: 1 << lane,
        bytes: PART,
        space: Space::Global,
        counted: Some((site, cost)),
    }
}

fn of_shared(all: &Addresses, lane: usize, site: Site, cost: Cost) -> shared::Request<'_> {
    shared::Request {
        window: Window::Shared,
        all,
        mask: 1 << lane,
        bytes: PART,
        cost,
        counted: Some(site),
    }
}

/// Reads a map's bytes, as loads of a lane do.
fn read(cx: &mut Context, window: Window, lane: usize, address: u64, site: Site) -> Outcome<Bytes> {
    let space = examine(window, lane, address)?;
    let mut bytes = [0; TENSOR_MAP_BYTES];
    for (at, all) in parts(address) {
        let words: [u64; 2] = if space == Space::Shared {
            let mut at = [0; WARP];
            let request = of_shared(&all, lane, site, Cost::Load);
            let loaded = shared::load(cx, &request, None, &mut at)?;
            [0, 1].map(|k| loaded.element(lane, k, 8))
        } else {
            let loaded = global::load(cx, &of_global(&all, lane, site, Cost::Load), None)?;
            [0, 1].map(|k| loaded.element(lane, k, 8))
        };
        for (k, word) in words.into_iter().enumerate() {
            bytes[at + 8 * k..][..8].copy_from_slice(&word.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// Writes a map's bytes, as stores of a lane do.
fn write(
    cx: &mut Context,
    window: Window,
    lane: usize,
    address: u64,
    bytes: &Bytes,
    site: Site,
) -> Outcome {
    let space = examine(window, lane, address)?;
    for (at, all) in parts(address) {
        let new = Part(&bytes[at..at + PART]);
        if space == Space::Shared {
            shared::store(cx, &of_shared(&all, lane, site, Cost::Store), None, &new)?;
        } else {
            global::store(cx, &of_global(&all, lane, site, Cost::Store), None, &new)?;
        }
    }
    Ok(())
}

impl Instruction for ReplaceInMap {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.address));
        f(NamedRow::Value(&mut self.value));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.access_at(&self.address, TENSOR_MAP_BYTES, |step| {
            replace(step.cx, &step.frame.registers, self, step.mask, step.site)
        })
    }
}

impl Instruction for CopyMap {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.destination));
        f(NamedRow::Address(&mut self.source));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        let of = |address| step.suspect(address, TENSOR_MAP_BYTES, step.mask);
        let suspects = of(&self.source).or_else(|| of(&self.destination));
        step.access(suspects, |step| {
            copy(step.cx, &step.frame.registers, self, step.site)
        })
    }
}
