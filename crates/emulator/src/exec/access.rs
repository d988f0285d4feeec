//! The addresses of a warp's access: which memory they point to, and whether they are valid.
//!
//! ```text
//! [0x7000_0000_0100, ..0104, ..0108, ...]   all in one allocation, all aligned: one test for 32 lanes
//! ```
//!
//! Law: a lane outside of the mask has no influence: it carries the address of a lane inside.

use super::{Outcome, Trap, lanes};
use crate::address::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, in_window};
use crate::fault::{FaultKind, Space};
use crate::frame::{Frame, WARP};
use crate::ir::{Address, Window};

/// The addresses of all lanes. Lanes outside of the mask have the address of a lane inside.
pub(crate) type Addresses = [u64; WARP];

/// Computes each lane's address.
#[inline(always)]
pub(crate) fn addresses(frame: &Frame, address: &Address, mask: u32) -> Addresses {
    let mut all = [0; WARP];
    if address.wide {
        for (out, &base) in all.iter_mut().zip(&frame.r64[address.base as usize]) {
            *out = base.wrapping_add(address.offset as u64);
        }
    } else {
        for (out, &base) in all.iter_mut().zip(&frame.r32[address.base as usize]) {
            *out = u64::from(base.wrapping_add(address.offset as u32));
        }
    }
    if mask != u32::MAX {
        let one = all[mask.trailing_zeros() as usize % WARP];
        for (lane, out) in all.iter_mut().enumerate() {
            if mask >> lane & 1 == 0 {
                *out = one;
            }
        }
    }
    all
}

/// Returns the smallest and the largest address, and the bitwise OR of all addresses.
#[inline(always)]
pub(crate) fn extent(all: &Addresses) -> (u64, u64, u64) {
    let (mut low, mut high, mut bits) = (u64::MAX, 0, 0);
    for &address in all {
        low = low.min(address);
        high = high.max(address);
        bits |= address;
    }
    (low, high, bits)
}

/// Whether the lanes' accesses of `bytes` bytes follow each other in memory, from lane 0 on.
#[inline(always)]
pub(crate) fn consecutive(all: &Addresses, bytes: usize) -> bool {
    let mut difference = 0;
    for (lane, &address) in all.iter().enumerate() {
        difference |= address ^ all[0].wrapping_add((lane * bytes) as u64);
    }
    // The accesses must not wrap at the end of the address space.
    difference == 0 && all[0] <= all[WARP - 1]
}

/// Returns the bytes from each lane's address to the next lane's, if that is the same non-negative
/// number below 2^32 for all lanes of the mask, and `None` otherwise. Returns 0 if the mask has one
/// lane.
#[inline]
pub(crate) fn stride(all: &Addresses, mask: u32) -> Option<u64> {
    if mask == u32::MAX {
        let stride = all[1].wrapping_sub(all[0]);
        let mut difference = 0;
        for lane in 1..WARP {
            difference |= all[lane].wrapping_sub(all[lane - 1]) ^ stride;
        }
        // The accesses must not wrap at the end of the address space.
        return (difference == 0 && all[0] <= all[WARP - 1] && stride >> 32 == 0).then_some(stride);
    }
    let (lowest, rest) = (mask.trailing_zeros(), mask & mask.wrapping_sub(1));
    if rest == 0 {
        return Some(0);
    }
    let first = all[lowest as usize % WARP];
    let second = rest.trailing_zeros();
    let apart = all[second as usize % WARP].checked_sub(first)?;
    let stride = apart / u64::from(second - lowest);
    let on = |lane: usize| {
        let ahead = (lane as u64).wrapping_sub(u64::from(lowest));
        all[lane] == first.wrapping_add(ahead.wrapping_mul(stride))
    };
    let fits = stride >> 32 == 0 && all[mask.ilog2() as usize] >= first;
    (fits && lanes(rest).all(on)).then_some(stride)
}

/// Calls `part` for each memory that an access uses. If the instruction names a memory, the access
/// is passed on unchanged. A generic access is split by the memories that its lanes point to, with
/// addresses relative to the memory's window.
#[inline(always)]
pub(crate) fn by_memory(
    all: &Addresses,
    window: Window,
    mask: u32,
    mut part: impl FnMut(Window, &Addresses, u32) -> Outcome,
) -> Outcome {
    if window != Window::Generic {
        return part(window, all, mask);
    }
    for (window, lanes) in windows(all, mask) {
        if lanes != 0 {
            part(window, &relative(all, base(window), lanes), lanes)?;
        }
    }
    Ok(())
}

/// Returns the lanes of a generic access by the memory that they point to.
fn windows(all: &Addresses, mask: u32) -> [(Window, u32); 4] {
    let mut parts = [
        (Window::Global, 0),
        (Window::Cluster, 0),
        (Window::Local, 0),
        (Window::EntryParam, 0),
    ];
    for lane in lanes(mask) {
        let part = if in_window(all[lane], SHARED_WINDOW) {
            1
        } else if in_window(all[lane], LOCAL_WINDOW) {
            2
        } else if in_window(all[lane], PARAM_WINDOW) {
            3
        } else {
            0
        };
        parts[part].1 |= 1 << lane;
    }
    parts
}

/// Returns the base of a window: the number to subtract from a generic address.
fn base(window: Window) -> u64 {
    match window {
        Window::Shared | Window::Cluster => SHARED_WINDOW,
        Window::Local => LOCAL_WINDOW,
        Window::EntryParam => PARAM_WINDOW,
        _ => 0,
    }
}

/// Returns the addresses relative to `base` for the lanes of `mask`; the others get the address of
/// one of these lanes.
pub(crate) fn relative(all: &Addresses, base: u64, mask: u32) -> Addresses {
    let one = all[mask.trailing_zeros() as usize % WARP];
    std::array::from_fn(|lane| {
        (if mask >> lane & 1 == 1 {
            all[lane]
        } else {
            one
        })
        .wrapping_sub(base)
    })
}

/// Returns a trap for the first lane whose address is not a multiple of `alignment`, or `None` if
/// there is no such lane.
pub(crate) fn misaligned(
    all: &Addresses,
    mask: u32,
    alignment: usize,
    space: Space,
) -> Option<Box<Trap>> {
    lanes(mask)
        .find(|&lane| !all[lane].is_multiple_of(alignment as u64))
        .map(|lane| {
            let what = FaultKind::Misaligned { space, alignment };
            Box::new(Trap {
                earlier: 0,
                lanes: 0,
                lane: Some(lane),
                address: Some(all[lane]),
                what,
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_are_off_have_no_say_in_the_stride() {
        let all = |f: &dyn Fn(u64) -> u64| std::array::from_fn(|lane| f(lane as u64));
        let on = |f: &dyn Fn(u64) -> u64, mask: u32| {
            let one = f(u64::from(mask.trailing_zeros()));
            let at = |lane: u64| if mask >> lane & 1 == 1 { f(lane) } else { one };
            stride(&all(&at), mask)
        };
        for mask in [u32::MAX, 0x8000_0001, 0xaaaa_5555, 0x0ff0_0000] {
            for step in [0, 4, 12, 4096] {
                assert_eq!(on(&|lane| 512 + lane * step, mask), Some(step));
            }
            assert_eq!(on(&|lane| 4096 - lane * 4, mask), None);
        }
        let past_the_end = |lane: u64| 0u64.wrapping_sub(8).wrapping_add(lane);
        assert_eq!(on(&past_the_end, u32::MAX), None);
        assert_eq!(on(&past_the_end, 0x8000_0001), None);
        assert_eq!(on(&|lane| lane * lane, u32::MAX), None);
        assert_eq!(on(&|lane| lane * lane, 0b1010), Some(4));
        assert_eq!(on(&|lane| lane * 96, 1 << 9), Some(0));
    }
}
