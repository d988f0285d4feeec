//! `ldmatrix`, `stmatrix`, `movmatrix`, `mma`.
//!
//! Law: the lanes that give the addresses are the threads that read or write, as the shadow sees it. Fragments and
//! arithmetic are in `numerics`.

use super::access::{self, Addresses};
use super::banks::Cost;
use super::place::{count_shared, shared_bounds};
use super::run::{Context, Site};
use super::warp::{Activation, Warp};
use super::{Outcome, Trap, lanes};
use crate::address::{SHARED_WINDOW, in_window};
use crate::fault::{FaultKind, Space};
use crate::frame::{FULL, Frame, Row32, WARP};
use crate::ir::{Matrix, Mma, Tile, Window};
use crate::numerics::matrix;
use crate::numerics::mma::Arithmetic;
use std::array::from_fn;

/// Offsets of the rows that lanes `0..8 * count` address, after the checks of place.
fn rows(cx: &mut Context, frame: &Frame, op: &Matrix, site: Site) -> Outcome<(Addresses, u32)> {
    let mask = op.lanes();
    let mut all = access::addresses(frame, &op.address, mask);
    if op.address.window == Window::Generic {
        all = access::relative(&all, SHARED_WINDOW, mask);
    }
    let (low, high, bits) = access::extent(&all);
    if bits & 15 != 0
        && let Some(trap) = access::misaligned(&all, mask, 16, Space::Shared)
    {
        return Err(trap);
    }
    if cx.shared.offset(low, 16).is_none() || cx.shared.offset(high, 16).is_none() {
        shared_bounds(cx, &all, mask, 16)?;
    }
    count_shared(cx, &all, mask, 16, (site, Cost::Rows));
    Ok((all, mask))
}

impl Matrix {
    /// The lanes that give addresses of rows.
    pub fn lanes(&self) -> u32 {
        (u64::MAX >> (64 - 8 * u32::from(self.count))) as u32
    }
}

/// Executes `ldmatrix`.
pub(crate) fn load(
    cx: &mut Context,
    warp: &Warp,
    frame: &mut Activation,
    op: &Matrix,
    site: Site,
) -> Outcome {
    let (all, mask) = rows(cx, &frame.registers, op, site)?;
    let bias = cx.shared.bias();
    let offsets = all.map(|address| address.wrapping_sub(bias));
    if !cx.shadow_reads(&offsets, mask, 16) {
        for lane in lanes(mask) {
            let at = (offsets[lane] as usize, 16);
            cx.shadow_read(warp.index, lane, all[lane], at, false)?;
        }
    }
    for j in 0..usize::from(op.count) {
        let rows = std::array::from_fn(|r| cx.shared.row(offsets[8 * j + r] as usize));
        frame.registers.r32[op.registers[j] as usize] = matrix::load(&rows, op.transposed);
    }
    Ok(())
}

/// Executes `stmatrix`.
pub(crate) fn store(
    cx: &mut Context,
    warp: &Warp,
    frame: &Activation,
    op: &Matrix,
    site: Site,
) -> Outcome {
    let (all, _) = rows(cx, &frame.registers, op, site)?;
    let bias = cx.shared.bias();
    for j in 0..usize::from(op.count) {
        let rows = matrix::store(
            &frame.registers.r32[op.registers[j] as usize],
            op.transposed,
        );
        for (r, row) in rows.iter().enumerate() {
            let lane = 8 * j + r;
            let at = all[lane].wrapping_sub(bias) as usize;
            let new = |byte: usize| (row[(byte - at) / 4] >> ((byte - at) % 4 * 8)) as u8;
            cx.shadow_write(warp.index, lane, all[lane], (at, 16), false, None, new)?;
            cx.shared.set_row(at, row);
        }
    }
    Ok(())
}

/// Executes `movmatrix`.
pub(crate) fn transpose(frame: &mut Frame, result: u32, source: u32) {
    frame.r32[result as usize] = matrix::transpose(&frame.r32[source as usize]);
}

/// Checks that all lanes name one matrix, and that its rows (or columns) are aligned.
pub(crate) fn tile(frame: &Frame, op: &Tile) -> Outcome {
    let all = access::addresses(frame, &op.address, FULL);
    let strides = &frame.r32[op.stride as usize];
    let differs = |lane: &usize| all[*lane] != all[0] || strides[*lane] != strides[0];
    if let Some(lane) = (0..WARP).find(differs) {
        let problem = format!(
            "lanes name different matrices: {:#x} with a stride of {} and {:#x} with a stride of {}",
            all[0], strides[0], all[lane], strides[lane]
        );
        return Trap::lane(lane, FaultKind::Operand(problem));
    }
    let space = match op.address.window {
        Window::Generic if in_window(all[0], SHARED_WINDOW) => Space::Shared,
        Window::Shared => Space::Shared,
        _ => Space::Global,
    };
    let alignment = op.alignment as usize;
    if let Some(trap) = access::misaligned(&all, 1, alignment, space) {
        return Err(trap);
    }
    let (elements, bits) = (u64::from(strides[0]), u64::from(op.bits));
    if !(elements * bits).is_multiple_of(8 * u64::from(op.alignment)) {
        let problem = format!(
            "a stride of {elements} elements of {bits} bits is not a multiple of {alignment} bytes"
        );
        return Trap::lane(0, FaultKind::Operand(problem));
    }
    Ok(())
}

/// Executes `mma.sync`.
pub(crate) fn mma(frame: &mut Frame, op: &Mma, arithmetic: Arithmetic) {
    // The lowering has made every operand as long as the instruction needs, which is all that `execute` can refuse.
    let done = if op.wide {
        let take = |rows: &[u32]| {
            rows.iter()
                .map(|&row| frame.r64[row as usize])
                .collect::<Vec<_>>()
        };
        let (a, b, c) = (take(&op.a), take(&op.b), take(&op.c));
        let mut d = vec![[0; 32]; op.d.len()];
        let done = op.what.execute_wide(&a, &b, &c, &mut d);
        for (&row, values) in op.d.iter().zip(d) {
            frame.r64[row as usize] = values;
        }
        done
    } else {
        let mut d = [[0; 32]; 8];
        let d = &mut d[..op.d.len()];
        let file = &frame.r32;
        // No operand has more than 8 registers.
        let rows = |rows: &[u32]| -> [&Row32; 8] {
            from_fn(|i| &file[rows[i.min(rows.len() - 1)] as usize])
        };
        let (a, b, c) = (rows(&op.a), rows(&op.b), rows(&op.c));
        let operands = [&a[..op.a.len()], &b[..op.b.len()], &c[..op.c.len()]];
        let done = op.what.execute_rows(arithmetic, operands, d);
        for (&row, values) in op.d.iter().zip(d) {
            frame.r32[row as usize] = *values;
        }
        done
    };
    debug_assert!(done.is_ok(), "{done:?}");
}
