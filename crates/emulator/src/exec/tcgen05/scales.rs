//! Scale factors of a product's blocks, in tensor memory.
//!
//! ```text
//!   lane        column c         c + 1            ..
//!   r           row r: bytes     row 32 + r       the same in lanes 32 + r, 64 + r, 96 + r
//!               0 1 2 3
//! ```
//!
//! Law: the factors of row `r` of A, or column `r` of B, are bytes of the word in column `c + r /
//! 32` and lane `r mod 32` of each quarter: one, two or four from the byte on that the instruction
//! descriptor says. The quarters hold the same. Source: PTX ISA, "Block Scaling for tcgen05.mma"
//! ("need to be duplicated to all 32 lane partitions"), "Scale Factor A ID"; CUTLASS,
//! `tmem_sf_frg`.

use super::super::{Outcome, access};
use super::fail;
use super::product::place;
use crate::frame::{Frame, WARP};
use crate::ir::{Address, ProductScales, ScaleFields};
use crate::memory::tensor::{LANES, TensorMemory};
use crate::numerics::mma::narrow::Scale;
use std::ops::Range;

/// Names of the factors of A and B.
const NAMES: [&str; 2] = ["the scale factor of A", "the scale factor of B"];

/// Where the factors are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// The first columns of A's and B's.
    from: [usize; 2],
    fields: ScaleFields,
}

impl Scales {
    /// The factors that a lane's product has.
    pub fn new(
        registers: &Frame,
        op: &ProductScales,
        fields: ScaleFields,
        lane: usize,
    ) -> Outcome<Scales> {
        let from = |address: &Address, operand: usize| {
            let address = access::addresses(registers, address, 1 << lane)[lane];
            // CUTLASS leaves the byte in the upper two bits, which are none of a lane's.
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
        Ok(Scales {
            from: [from(&op.a, 0)?, from(&op.b, 1)?],
            fields,
        })
    }

    /// The columns of A's and B's.
    pub fn columns(&self, m: usize, n: usize) -> [(&'static str, Range<usize>); 2] {
        let of = |operand: usize, rows: usize| {
            let from = self.from[operand];
            (NAMES[operand], from..from + rows.div_ceil(WARP))
        };
        [of(0, m), of(1, n)]
    }

    /// The words that have to hold something.
    pub fn places(
        &self,
        m: usize,
        n: usize,
    ) -> impl Iterator<Item = (&'static str, usize, usize)> + use<> {
        let from = self.from;
        [m, n]
            .into_iter()
            .enumerate()
            .flat_map(move |(operand, rows)| {
                (0..rows).flat_map(move |row| {
                    let column = from[operand] + row / WARP;
                    let lanes = (row % WARP..LANES).step_by(WARP);
                    lanes.map(move |lane| (NAMES[operand], lane, column))
                })
            })
    }

    /// The factor of each quarter of a row's k; and what is wrong where quarters of lanes differ.
    pub fn of_row(
        &self,
        memory: &TensorMemory,
        operand: usize,
        row: usize,
    ) -> ([Scale; 4], Option<String>) {
        let (column, lane) = (self.from[operand] + row / WARP, row % WARP);
        let first = self.fields.ids[operand];
        let byte = |lane: usize, i: usize| (memory.word(lane, column) >> (8 * i)) as u8;
        let bytes = first..first + self.fields.factors;
        let mut others = (lane + WARP..LANES).step_by(WARP);
        let other = others.find(|&other| bytes.clone().any(|i| byte(other, i) != byte(lane, i)));
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
