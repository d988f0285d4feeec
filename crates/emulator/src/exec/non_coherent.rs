//! `ld.global.nc`: checks that no thread of the launch writes the bytes that it reads.
//!
//! ```text
//! ld.global.nc [a] ... st.global [a]     in whatever order, by whatever threads: a finding
//! ```
//!
//! Law: in kernels that have such loads and write global memory, every byte that such a load reads
//! and that a store or an atomic of some thread writes is found, at the later of the two accesses.
//! Writes of bulk copies are not checked. Source: PTX ISA, "ld.global.nc".

use super::access::Addresses;
use super::run::Context;
use super::{Outcome, Trap, lanes};
use crate::fault::{Access, FaultKind};
use crate::frame::WARP;

/// Checks and notes that lanes of `mask` read `bytes` bytes each through `ld.global.nc`.
#[inline]
pub(crate) fn read(cx: &mut Context, all: &Addresses, mask: u32, bytes: usize) -> Outcome {
    match cx.launch.non_coherent {
        Some(_) => note(cx, all, mask, bytes, Access::Read),
        None => Ok(()),
    }
}

/// Checks and notes that lanes of `mask` write `bytes` bytes each.
#[inline]
pub(crate) fn write(cx: &mut Context, all: &Addresses, mask: u32, bytes: usize) -> Outcome {
    match cx.launch.non_coherent {
        Some(_) => note(cx, all, mask, bytes, Access::Write),
        None => Ok(()),
    }
}

#[cold]
fn note(cx: &mut Context, all: &Addresses, mask: u32, bytes: usize, access: Access) -> Outcome {
    let launch = cx.launch;
    let Some(record) = &launch.non_coherent else {
        return Ok(());
    };
    let mut one = |lane: usize, bytes: usize| {
        let address = all[lane];
        let Some(index) = launch.global.find(address) else {
            return Ok(());
        };
        let Some(allocation) = launch.global.at(index) else {
            return Ok(());
        };
        let at = (address - allocation.base) as usize;
        let bytes = bytes.min(allocation.size - at);
        record.note((index, allocation), at, bytes, access);
        match record.opposite(index, at, bytes, access) {
            None => Ok(()),
            Some((at, earlier)) => {
                let what = FaultKind::NonCoherent { access, earlier };
                cx.found(Trap::boxed(lane, allocation.base + at as u64, what))
            }
        }
    };
    if mask == u32::MAX && super::access::consecutive(all, bytes) {
        return one(0, WARP * bytes);
    }
    lanes(mask).try_for_each(|lane| one(lane, bytes))
}
