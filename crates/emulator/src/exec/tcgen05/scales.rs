//! Scale factors of a product's blocks, in tensor memory.
//!
//! ```text
//!   lane        column c         c + 1            ..
//!   r           row r: bytes     row 32 + r       the same in lanes 32 + r, 64 + r, 96 + r
//!               0 1 2 3
//!   of a pair with M of 128: B's columns from N/2 on in lanes 64 + r and 96 + r alone, the others' in r and 32 + r
//! ```
//!
//! Law: the factors of row `r` of A, or of column `r` of B, are bytes of the word in column
//! `c + r / 32` and lane `r mod 32` of each quarter: one, two or four bytes from the byte on that
//! the instruction descriptor names. The quarters hold the same; each block of a pair has the
//! factors of its own rows of A, and those of all of B. Source: PTX ISA, "Block Scaling for
//! tcgen05.mma" ("need to be duplicated to all 32 lane partitions"), "Scale Factor A ID"; CUTLASS,
//! `tmem_sf_frg`.

use super::super::{Outcome, access};
use super::fail;
use super::product::place;
use crate::frame::{Frame, WARP};
use crate::ir::{Address, ProductScales, ProductShape, ScaleFields};
use crate::memory::tensor::{LANES, TensorMemory};
use crate::numerics::mma::narrow::Scale;
use std::ops::Range;

/// The names of the factors of A and B.
const NAMES: [&str; 2] = ["the scale factor of A", "the scale factor of B"];

/// The places of the factors, in each block that computes a part of the product.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// The first columns of A's and B's factors. `rows` has the numbers of rows with factors.
    from: [usize; 2],
    rows: [usize; 2],
    /// Whether the two halves of B's factors are in two halves of the lanes.
    halved: bool,
    fields: ScaleFields,
}

impl Scales {
    /// Finds the places of the factors for a lane's product.
    pub fn new(
        registers: &Frame,
        op: &ProductScales,
        (shape, fields): (&ProductShape, ScaleFields),
        lane: usize,
    ) -> Outcome<Scales> {
        let from = |address: &Address, operand: usize| {
            let address = access::addresses(registers, address, 1 << lane)[lane];
            // CUTLASS keeps the byte in the upper two bits, which do not belong to the lane.
            let (above, id) = (address as u32 >> 30, fields.ids[operand]);
            if above != 0 && above as usize != id {
                let problem = format!(
                    "{} is byte {above} of its word by the address, byte {id} by the instruction descriptor",
                    NAMES[operand]
                );
                return fail(lane, address as u32, problem);
            }
            let (_, column) = place(lane, address & 0x3fff_ffff, &[0], NAMES[operand])?;
            Ok(column)
        };
        let ProductShape { pair, m, n, .. } = *shape;
        Ok(Scales {
            from: [from(&op.a, 0)?, from(&op.b, 1)?],
            rows: [if pair { m / 2 } else { m }, n],
            halved: pair && m == 128,
            fields,
        })
    }

    /// Returns the column of a row's factors, and the lanes that hold them.
    fn place(&self, operand: usize, row: usize) -> (usize, impl Iterator<Item = usize> + use<>) {
        let half = self.rows[1] / 2;
        let (row, first, end) = match self.halved && operand == 1 {
            true => (
                row % half,
                LANES / 2 * (row / half),
                LANES / 2 * (row / half + 1),
            ),
            false => (row, 0, LANES),
        };
        let lanes = (first + row % WARP..end).step_by(WARP);
        (self.from[operand] + row / WARP, lanes)
    }

    /// Returns the columns of A's and of B's factors.
    pub fn columns(&self) -> [(&'static str, Range<usize>); 2] {
        [0, 1].map(|operand| {
            let columns = (0..self.rows[operand]).map(|row| self.place(operand, row).0);
            let end = columns.max().map_or(0, |last| last + 1);
            (NAMES[operand], self.from[operand]..end)
        })
    }

    /// Returns the words that have to be initialised.
    pub fn places(&self) -> impl Iterator<Item = (&'static str, usize, usize)> + '_ {
        [0, 1].into_iter().flat_map(move |operand| {
            (0..self.rows[operand]).flat_map(move |row| {
                let (column, lanes) = self.place(operand, row);
                lanes.map(move |lane| (NAMES[operand], lane, column))
            })
        })
    }

    /// Returns the factor of each quarter of a row's k, and a problem if the quarters of lanes
    /// differ.
    pub fn of_row(
        &self,
        memory: &TensorMemory,
        operand: usize,
        row: usize,
    ) -> ([Scale; 4], Option<String>) {
        let (column, mut lanes) = self.place(operand, row);
        // There are at least two lanes.
        let lane = lanes.next().unwrap_or(0);
        let first = self.fields.ids[operand];
        let byte = |lane: usize, i: usize| (memory.word(lane, column) >> (8 * i)) as u8;
        let bytes = first..first + self.fields.factors;
        let other = lanes.find(|&other| bytes.clone().any(|i| byte(other, i) != byte(lane, i)));
        let differs = other.map(|other| {
            let shown = |lane: usize| {
                let all = bytes.clone().map(|i| format!("{:#04x}", byte(lane, i)));
                all.collect::<Vec<_>>().join(", ")
            };
            format!(
                "{} in row {row} is {} in lane {lane} and {} in lane {other} of column {column}: all quarters hold the same",
                NAMES[operand],
                shown(lane),
                shown(other)
            )
        });
        let scales = std::array::from_fn(|quarter| {
            let i = first + quarter * self.fields.factors / 4;
            self.fields.format.scale(byte(lane, i))
        });
        (scales, differs)
    }
}
