//! Calls, returns, and the functions that the emulator provides: `vprintf`, `__assertfail`,
//! `malloc`, `free`.
//!
//! ```text
//! caller's parameter bytes ──arguments──► callee's parameter bytes
//!                          ◄──results────
//! ```
//! Source: PTX ISA, "call"; CUDA, "PTX Writers Guide to Interoperability", "System Calls".

use super::grid::LaunchState;
use super::place::own_address;
use super::run::Context;
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, format, global, lanes, rows};
use crate::address::{FUNCTION_START, FUNCTION_STEP, LOCAL_WINDOW, in_window};
use crate::fault::{FaultKind, Space};
use crate::ir::{Builtin, Call};

/// The most bytes that the frames of a thread may take together, unless the launch permits more
/// local memory. Frames include callers' registers, which a device keeps in local memory too.
const MOST_STACK: usize = 512 << 10;

/// The result of a call.
pub(crate) enum Called {
    /// A function with code: its frame is ready.
    Function(Activation),
    /// A function of the emulator, which has already run.
    Builtin,
}

/// Returns the function at address `target`, which a lane calls through a pointer.
pub(crate) fn function_at(
    launch: &LaunchState,
    call: &Call,
    lane: usize,
    target: u64,
) -> Outcome<u32> {
    let index = target.wrapping_sub(FUNCTION_START);
    let valid = index.is_multiple_of(FUNCTION_STEP)
        && index / FUNCTION_STEP < launch.image.functions.len() as u64;
    if !valid {
        return Trap::lane(
            lane,
            FaultKind::BadCall {
                target,
                mismatch: false,
            },
        );
    }
    let function = (index / FUNCTION_STEP) as u32;
    let callee = &launch.image.functions[function as usize];
    let sizes = |list: &[(u32, u32)]| list.iter().map(|&(_, size)| size).collect::<Vec<_>>();
    let matches = !callee.entry
        && (callee.defined || callee.builtin.is_some())
        && sizes(&callee.parameters) == sizes(&call.arguments)
        && sizes(&callee.results) == sizes(&call.results);
    if matches {
        Ok(function)
    } else {
        Trap::lane(
            lane,
            FaultKind::BadCall {
                target,
                mismatch: true,
            },
        )
    }
}

/// Prepares a call of `function` by the lanes of `mask`.
pub(crate) fn call(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    call: &Call,
    function: u32,
    mask: u32,
) -> Outcome<Called> {
    let callee = &cx.launch.image.functions[function as usize];
    if let Some(builtin) = callee.builtin {
        match builtin {
            Builtin::Vprintf => vprintf(cx, warp, frame, call, mask)?,
            Builtin::AssertFail => return assert_fail(cx, warp, frame, call, mask),
            Builtin::Malloc => malloc(cx, frame, call, mask),
            Builtin::Free => free(cx, frame, call, mask)?,
        }
        return Ok(Called::Builtin);
    }
    let local = frame.local_end.next_multiple_of(16);
    // A function without variables still needs stack, so that endless recursion ends.
    let stack = frame.stack + rows::frame_bytes(callee).max(16);
    let limit = cx.launch.config.local_per_thread;
    let bytes = local as usize + callee.local;
    if bytes > limit || stack > limit.max(MOST_STACK) {
        return Trap::lane(
            mask.trailing_zeros() as usize,
            FaultKind::StackOverflow {
                bytes: bytes.max(stack),
                limit,
            },
        );
    }
    let mut activation = rows::activation(cx.launch, cx.block, warp.index, function, local);
    activation.stack = stack;
    warp.local.grow(activation.local_end as usize);
    // The function's variables are uninitialised again.
    warp.local.forget(local as usize, mask);
    for (&(from, size), &(to, _)) in call.arguments.iter().zip(&callee.parameters) {
        activation.parameters.copy_from(
            to as usize,
            &frame.parameters,
            from as usize,
            size as usize,
            mask,
        );
    }
    Ok(Called::Function(activation))
}

/// Copies the results of a call to its caller.
pub(crate) fn results(
    launch: &LaunchState,
    callee: &Activation,
    caller: &mut Activation,
    call: &Call,
    mask: u32,
) {
    let function = &launch.image.functions[callee.function as usize];
    for (&(from, size), &(to, _)) in function.results.iter().zip(&call.results) {
        caller.parameters.copy_from(
            to as usize,
            &callee.parameters,
            from as usize,
            size as usize,
            mask,
        );
    }
}

/// Returns an argument of a builtin, for one lane.
fn argument(frame: &Activation, call: &Call, i: usize, lane: usize) -> u64 {
    match call.arguments.get(i) {
        Some(&(at, size)) => frame
            .parameters
            .load(lane, at as usize, (size as usize).min(8)),
        None => 0,
    }
}

/// Reads a byte at a generic address: either of global memory, with a note for races with other
/// blocks, or of local memory.
fn read_byte(cx: &mut Context, warp: &Warp, lane: usize, address: u64) -> Outcome<u8> {
    if in_window(address, LOCAL_WINDOW) {
        let at = own_address(cx, lane, address - LOCAL_WINDOW)? as usize;
        if at < warp.local.len() {
            return Ok(warp.local.load(lane, at, 1) as u8);
        }
        let what = FaultKind::OutOfBounds {
            space: Space::Local,
            size: 1,
            offset: at as i64,
            length: warp.local.len(),
        };
        return Trap::access(lane, address, what);
    }
    Ok(global::load_lane(cx, lane, address, 1, false)?.byte(0))
}

/// Reads a string that ends with a zero byte.
fn text(cx: &mut Context, warp: &Warp, lane: usize, address: u64) -> Outcome<String> {
    let mut bytes = Vec::new();
    // Longer strings are cut: the loop must end even if there is no zero byte.
    while bytes.len() < 1 << 16 {
        match read_byte(cx, warp, lane, address.wrapping_add(bytes.len() as u64))? {
            0 => break,
            byte => bytes.push(byte),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Provides the arguments of one lane's `vprintf`.
struct Printed<'c, 'l> {
    cx: &'c mut Context<'l>,
    warp: &'c Warp,
    lane: usize,
    /// The address of the argument buffer.
    arguments: u64,
}

impl format::Source for Printed<'_, '_> {
    fn argument(&mut self, at: u64, bytes: u64) -> Outcome<u64> {
        (0..bytes).try_fold(0, |value, i| {
            let address = self.arguments.wrapping_add(at + i);
            let byte = read_byte(self.cx, self.warp, self.lane, address)?;
            Ok(value | u64::from(byte) << (8 * i))
        })
    }

    fn text(&mut self, address: u64) -> Outcome<String> {
        text(self.cx, self.warp, self.lane, address)
    }
}

fn vprintf(
    cx: &mut Context,
    warp: &Warp,
    frame: &mut Activation,
    call: &Call,
    mask: u32,
) -> Outcome {
    for lane in lanes(mask) {
        let pattern = text(cx, warp, lane, argument(frame, call, 0, lane))?;
        let limit = cx.launch.config.max_output;
        let left = limit.saturating_sub(cx.output.len());
        let mut printed = Printed {
            cx,
            warp,
            lane,
            arguments: argument(frame, call, 1, lane),
        };
        let (line, count) = format::format(&pattern, left, &mut printed)?;
        if line.len() > left {
            return Trap::lane(lane, FaultKind::Output { limit });
        }
        cx.output.push_str(&line);
        if let Some(&(at, size)) = call.results.first() {
            frame
                .parameters
                .store(lane, at as usize, (size as usize).min(8), count);
        }
    }
    Ok(())
}

fn assert_fail(
    cx: &mut Context,
    warp: &Warp,
    frame: &Activation,
    call: &Call,
    mask: u32,
) -> Outcome<Called> {
    let lane = mask.trailing_zeros() as usize;
    let mut text = |i| text(cx, warp, lane, argument(frame, call, i, lane));
    let what = FaultKind::Assertion {
        message: text(0)?,
        file: text(1)?,
        line: argument(frame, call, 2, lane) as u32,
        function: text(3)?,
    };
    Trap::lane(lane, what)
}

fn malloc(cx: &Context, frame: &mut Activation, call: &Call, mask: u32) {
    for lane in lanes(mask) {
        let size = argument(frame, call, 0, lane);
        let address = cx.launch.heap.as_ref().map_or(0, |heap| heap.take(size));
        if let Some(&(at, size)) = call.results.first() {
            let bytes = (size as usize).min(8);
            frame.parameters.store(lane, at as usize, bytes, address);
        }
    }
}

fn free(cx: &Context, frame: &Activation, call: &Call, mask: u32) -> Outcome {
    for lane in lanes(mask) {
        let address = argument(frame, call, 0, lane);
        let known = cx
            .launch
            .heap
            .as_ref()
            .is_some_and(|heap| heap.give(address));
        if !known {
            let problem = "free of what malloc did not give, or of what was freed".to_owned();
            return Trap::access(lane, address, FaultKind::Operand(problem));
        }
    }
    Ok(())
}
