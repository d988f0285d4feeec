//! `ldmatrix`, `stmatrix`, `movmatrix`, `mma`.
//!
//! Law: for the shadow, the lanes that provide the addresses are the threads that read or write.
//! Fragments and arithmetic are in `numerics`.

use super::access::{self, Addresses};
use super::banks::Cost;
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::values::Values;
use super::warp::Activation;
use super::{Outcome, Trap, shared};
use crate::address::{SHARED_WINDOW, in_window};
use crate::fault::{FaultKind, Reached, Space};
use crate::frame::{FULL, Frame, Row32, WARP};
use crate::ir::{Matrix, Mma, MoveMatrix, NamedRow, Role, Tile, Window, values};
use crate::numerics::matrix;
use crate::numerics::mma::Arithmetic;
use std::array::from_fn;

/// Returns the access of the rows that lanes `0..8 * count` address.
fn rows<'a>(all: &'a mut Addresses, op: &Matrix, site: Site) -> shared::Request<'a> {
    let mask = op.lanes();
    if op.address.window == Window::Generic {
        *all = access::relative(all, SHARED_WINDOW, mask);
    }
    shared::Request {
        window: Window::Shared,
        all,
        mask,
        bytes: 16,
        cost: Cost::Rows,
        counted: Some(site),
    }
}

/// The rows of a matrix that each lane writes.
struct MatrixRows([[u32; 4]; WARP]);

impl Values for MatrixRows {
    fn bytes(&self) -> usize {
        4
    }

    #[inline(always)]
    fn element(&self, lane: usize, k: usize) -> u64 {
        u64::from(self.0[lane][k])
    }

    fn words(&self, _: usize) -> Option<&Row32> {
        None
    }
}

impl Matrix {
    /// Returns the lanes that provide addresses of rows.
    pub fn lanes(&self) -> u32 {
        (u64::MAX >> (64 - 8 * u32::from(self.count))) as u32
    }
}

/// Executes `ldmatrix`.
pub(crate) fn load(cx: &mut Context, frame: &mut Activation, op: &Matrix, site: Site) -> Outcome {
    let mut all = access::addresses(&frame.registers, &op.address, op.lanes());
    let mut at = [0; WARP];
    let loaded = shared::load(cx, &rows(&mut all, op, site), None, &mut at)?;
    for j in 0..usize::from(op.count) {
        let rows = from_fn(|r| loaded.row(8 * j + r));
        frame.registers.r32[op.registers[j] as usize] = matrix::load(&rows, op.transposed);
    }
    Ok(())
}

/// Executes `stmatrix`.
pub(crate) fn store(cx: &mut Context, frame: &Activation, op: &Matrix, site: Site) -> Outcome {
    let mut all = access::addresses(&frame.registers, &op.address, op.lanes());
    let mut new = MatrixRows([[0; 4]; WARP]);
    for (j, lanes) in new.0.chunks_exact_mut(8).take(op.count.into()).enumerate() {
        let row = &frame.registers.r32[op.registers[j] as usize];
        lanes.copy_from_slice(&matrix::store(row, op.transposed));
    }
    shared::store(cx, &rows(&mut all, op, site), None, &new)
}

/// Executes `movmatrix`.
pub(crate) fn transpose(frame: &mut Frame, result: u32, source: u32) {
    frame.r32[result as usize] = matrix::transpose(&frame.r32[source as usize]);
}

/// Checks that all lanes name the same matrix, and that its rows (or columns) are aligned.
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
    // The lowering has given every operand the length that the instruction needs; `execute` refuses
    // only other lengths.
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

impl Instruction for Matrix {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.address));
        values(&mut self.registers[..usize::from(self.count)], f);
    }

    fn role(&self) -> Role {
        match self.stores {
            true => Role::Reaches(Reached::Memory),
            false => Role::Address,
        }
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        let suspects = step.suspect(&self.address, 16, self.lanes());
        step.access(suspects, |step| match self.stores {
            true => store(step.cx, step.frame, self, step.site),
            false => load(step.cx, step.frame, self, step.site),
        })
    }
}

impl Instruction for MoveMatrix {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        values([&mut self.result, &mut self.source], f);
    }

    fn role(&self) -> Role {
        Role::Computes
    }

    fn compute(&self, registers: &mut Frame, _: u32, _: Arithmetic) -> Outcome {
        transpose(registers, self.result, self.source);
        Ok(())
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        transpose(&mut step.frame.registers, self.result, self.source);
        Ok(())
    }
}

impl Instruction for Mma {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        let Mma { d, a, b, c, .. } = self;
        values([d, a, b, c].into_iter().flatten(), f);
    }

    fn role(&self) -> Role {
        Role::Computes
    }

    fn compute(&self, registers: &mut Frame, _: u32, sums: Arithmetic) -> Outcome {
        mma(registers, self, sums);
        Ok(())
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        let sums = step.cx.launch.config.tensor_arithmetic;
        mma(&mut step.frame.registers, self, sums);
        Ok(())
    }
}

impl Instruction for Tile {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::AnyAddress(&mut self.address));
        f(NamedRow::Value(&mut self.stride));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.whole_warp()?;
        Ok(tile(&step.frame.registers, self)?)
    }
}
