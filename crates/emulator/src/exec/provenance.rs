//! Checks that an access stays in the variables and buffers from which its address was computed.
//!
//! ```text
//! roots of the instruction (from `lower::provenance`) ──launch──► ranges of addresses ──access──► in one of them?
//! ```
//!
//! Law: an access outside of its ranges is reported only after the access itself was found to be in
//! memory, aligned and permitted. An access outside of every allocation is reported as such, with
//! the allocation from which its address derives. A root that is not a pointer (an integer
//! parameter) permits nothing; a root that may be a pointer to an unknown place permits everything;
//! a root that is a whole memory (local variables, parameters) permits its window.

use super::access;
use super::grid::LaunchState;
use super::run::Context;
use super::{Outcome, Trap, lanes};
use crate::accept::Acceptable;
use crate::address::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_START, SHARED_WINDOW, WINDOW, in_window};
use crate::fault::{FaultKind, Space};
use crate::frame::Frame;
use crate::ir::{Address, NONE, Root, VariableKind, Window};

/// The generic addresses of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    start: u64,
    end: u64,
    root: Root,
}

/// The objects of each root set of each function. An empty set means that an access may use any
/// address.
#[derive(Debug, Default)]
pub(crate) struct Provenance {
    functions: Vec<Vec<Vec<Range>>>,
}

impl Provenance {
    /// Resolves the roots for this launch.
    pub fn new(launch: &LaunchState) -> Self {
        let set = |roots: &Vec<Root>| ranges(launch, roots).unwrap_or_default();
        let functions = launch.image.functions.iter();
        Provenance {
            functions: functions
                .map(|function| function.root_sets.iter().map(set).collect())
                .collect(),
        }
    }

    #[inline]
    fn of(&self, function: u32, set: u32) -> &[Range] {
        self.functions
            .get(function as usize)
            .and_then(|sets| sets.get(set as usize))
            .map_or(&[], |ranges| ranges)
    }
}

/// Returns the ranges of a root set, or `None` if a root may be anything or all roots are whole
/// windows.
fn ranges(launch: &LaunchState, roots: &[Root]) -> Option<Vec<Range>> {
    let mut found = Vec::new();
    for &root in roots {
        let object = match root {
            Root::Variable(index) => variable(launch, index)?,
            Root::Parameter(at) => {
                let bytes = launch.parameters.get(at as usize..)?.first_chunk()?;
                let value = u64::from_le_bytes(*bytes);
                match launch.global.find(value).and_then(|i| launch.global.at(i)) {
                    Some(allocation) => Some((allocation.base, allocation.size as u64)),
                    // The pointer points just before or just after a buffer, or into shared or
                    // local memory: its object is unknown.
                    None if (SHARED_WINDOW..1 << 48).contains(&value) => {
                        return None;
                    }
                    None => continue,
                }
            }
            Root::Shared | Root::Local | Root::Parameters => None,
        };
        let (root, (start, size)) = match object {
            Some(range) => (root, range),
            None => window(root),
        };
        let end = start + size;
        found.push(Range { start, end, root });
    }
    // If all ranges are whole windows, there is nothing to find.
    (!found.iter().all(|range| range.root.is_window())).then_some(found)
}

/// Returns start and size of a variable. The result is `Some(None)` if any shared address is
/// permitted, and `None` if the variable has no place.
#[expect(clippy::option_option, reason = "no place and every place differ")]
fn variable(launch: &LaunchState, index: u32) -> Option<Option<(u64, u64)>> {
    let variable = &launch.image.variables[index as usize];
    match variable.kind {
        VariableKind::Global | VariableKind::Const => Some(Some((
            launch.variables[index as usize],
            variable.size.max(1) as u64,
        ))),
        // Addresses of shared memory differ from block to block of a cluster.
        _ if launch.ranks > 1 => Some(None),
        kind => {
            let at = launch.kernel().shared[index as usize]? as usize;
            let size = match kind {
                VariableKind::DynamicShared => launch.shared_bytes.checked_sub(at)?,
                _ => variable.size,
            };
            let start = SHARED_WINDOW + u64::from(SHARED_START) + at as u64;
            // A variable that covers all shared memory permits any address of it.
            Some((size != launch.shared_bytes).then_some((start, size as u64)))
        }
    }
}

/// Returns the window that contains a root: the window as a root, its start and its size.
fn window(root: Root) -> (Root, (u64, u64)) {
    let (root, start) = match root {
        Root::Local => (Root::Local, LOCAL_WINDOW),
        Root::Parameters => (Root::Parameters, PARAM_WINDOW),
        _ => (Root::Shared, SHARED_WINDOW),
    };
    (root, (start, WINDOW))
}

/// Findings about lanes that access memory outside of their roots, one fault per lane.
pub(crate) type Suspects = Option<Box<[Box<Trap>]>>;

/// Finds accesses of `size` bytes by lanes of `mask` that leave the objects of their roots. They
/// are reported if the access itself is permitted.
#[inline]
pub(crate) fn suspect(
    launch: &LaunchState,
    frame: &Frame,
    function: u32,
    address: &Address,
    size: usize,
    mask: u32,
) -> Suspects {
    if address.roots == NONE {
        return None;
    }
    let ranges = launch.provenance.of(function, address.roots);
    let first = ranges.first()?;
    let bias = match address.window {
        Window::Shared | Window::Cluster => SHARED_WINDOW,
        _ => 0,
    };
    let all = access::addresses(frame, address, mask);
    // For each lane, compute how far its address lies after the first permitted place, and how far
    // before the last permitted place. Neither distance may be negative.
    let room = (first.end - first.start).wrapping_sub(size as u64) as i64;
    let from = first.start.wrapping_sub(bias);
    let distances = all.iter().fold(room, |all, address| {
        let distance = address.wrapping_sub(from) as i64;
        all | distance | room.wrapping_sub(distance)
    });
    if distances >= 0 {
        return None;
    }
    let inside = |start: u64| {
        let end = start.wrapping_add(size as u64);
        ranges
            .iter()
            .any(|r| start >= r.start && end <= r.end && start < end)
    };
    if lanes(mask).all(|lane| inside(all[lane].wrapping_add(bias))) {
        return None;
    }
    let outside = lanes(mask).filter(|&lane| !inside(all[lane].wrapping_add(bias)));
    Some(
        outside
            .map(|lane| trap(launch, ranges, lane, all[lane], bias, size))
            .collect(),
    )
}

#[cold]
fn trap(
    launch: &LaunchState,
    ranges: &[Range],
    lane: usize,
    address: u64,
    bias: u64,
    size: usize,
) -> Box<Trap> {
    let start = address.wrapping_add(bias);
    let distance = |r: &&Range| start.abs_diff(r.start).min(start.abs_diff(r.end));
    // The end of a whole window is not worth a mention in the message.
    let objects = ranges.iter().filter(|range| !range.root.is_window());
    let nearest = objects.min_by_key(distance).unwrap_or(&ranges[0]);
    let shared = in_window(start, SHARED_WINDOW);
    let space = if shared { Space::Shared } else { Space::Global };
    let what = FaultKind::Provenance {
        space,
        size,
        offset: start.wrapping_sub(nearest.start) as i64,
        length: (nearest.end - nearest.start) as usize,
        of: name(launch, nearest.root),
        hit: shared
            .then(|| shared_variable(launch, start - SHARED_WINDOW))
            .flatten(),
    };
    Box::new(Trap {
        lanes: 0,
        lane: Some(lane),
        address: Some(address),
        earlier: 0,
        what,
    })
}

/// Names the object of a root.
fn name(launch: &LaunchState, root: Root) -> String {
    match root {
        Root::Variable(index) => format!("`{}`", launch.image.variables[index as usize].name),
        Root::Parameter(at) => {
            let (signature, kernel) = &launch.image.kernels[launch.kernel];
            let offsets = kernel.parameter_offsets.iter();
            let found =
                signature.params.iter().zip(offsets).find(|(param, start)| {
                    (**start..**start + param.size).contains(&(at as usize))
                });
            match found {
                Some((param, _)) => format!("the buffer of parameter `{}`", param.name),
                None => "the buffer of a parameter".to_owned(),
            }
        }
        Root::Shared => "shared memory".to_owned(),
        Root::Local => "local memory".to_owned(),
        Root::Parameters => "the kernel's parameters".to_owned(),
    }
}

/// Returns the name of the shared variable at a shared address.
fn shared_variable(launch: &LaunchState, address: u64) -> Option<String> {
    let at = address.checked_sub(u64::from(SHARED_START))? as usize;
    let variables = launch.image.variables.iter().zip(&launch.kernel().shared);
    let holds = |(variable, start): &(&crate::ir::Variable, &Option<u32>)| {
        let Some(start) = start.map(|start| start as usize) else {
            return false;
        };
        match variable.kind {
            VariableKind::Shared => (start..start + variable.size).contains(&at),
            VariableKind::DynamicShared => at >= start,
            _ => false,
        }
    };
    let mut found = variables.filter(holds);
    found
        .next()
        .map(|(variable, _)| format!("`{}`", variable.name))
}

/// Returns the result of an access whose address is suspect: faults about the place come first,
/// then the suspects, then conflicts with other threads.
#[inline]
pub(crate) fn conclude(cx: &mut Context, result: Outcome, suspects: Suspects) -> Outcome {
    match suspects {
        None => result,
        Some(suspects) => tell(cx, result, suspects),
    }
}

/// Returns the fault of an access outside of every allocation, with the buffer from which its
/// address derives.
fn named(mut trap: Box<Trap>, suspects: &[Box<Trap>]) -> Box<Trap> {
    let suspect = suspects.iter().find(|suspect| suspect.lane == trap.lane);
    if let (Some(address), Some(suspect)) = (trap.address, suspect)
        && let FaultKind::Provenance {
            space: Space::Global,
            offset,
            length,
            ..
        } = suspect.what
        && let FaultKind::Unmapped {
            nearest, derived, ..
        } = &mut trap.what
    {
        let distance = match offset < 0 {
            true => offset.unsigned_abs(),
            false => (offset as u64 + 1).saturating_sub(length as u64),
        };
        *nearest = Some((address.wrapping_sub(offset as u64), length, distance));
        *derived = true;
    }
    trap
}

#[cold]
fn tell(cx: &mut Context, result: Outcome, suspects: Box<[Box<Trap>]>) -> Outcome {
    if let Err(found) = &result
        && Acceptable::of(&found.what).is_none()
    {
        return result.map_err(|trap| named(trap, &suspects));
    }
    for trap in suspects {
        cx.found(trap)?;
    }
    result
}
