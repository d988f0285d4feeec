//! `ldmatrix`, `stmatrix`, `movmatrix`: 8x8 matrices of 16-bit elements between rows in memory and
//! a warp's registers.
//!
//! ```text
//!   row r of matrix j: 16 bytes at the address that lane 8j + r gives
//!
//!             word 0   word 1   word 2   word 3
//!   row 0     lane 0   lane 1   lane 2   lane 3        register j of lane l, without .trans:
//!   row 1     lane 4   lane 5   lane 6   lane 7          row l/4, elements 2(l%4) and 2(l%4)+1
//!   ...                                                with .trans:
//!   row 7     lane 28  lane 29  lane 30  lane 31         column l/4, rows 2(l%4) and 2(l%4)+1
//! ```
//!
//! Law: `load` and `store` are inverse to each other, also if both have `.trans`; `.trans` twice is
//! the identity; `transpose` equals `store` without `.trans`, then `load` with `.trans` (PTX ISA,
//! "Warp-level matrix load instruction: ldmatrix", its fragment figure, and the sections of
//! `stmatrix` and `movmatrix`).
//!
//! The element with the lower index is the lower half of a register and comes first in memory
//! (little endian).

/// One row of an 8x8 matrix of 16-bit elements: 16 bytes as four little-endian words.
pub type Row = [u32; 4];

/// One register of every lane of a warp.
pub type Lanes = [u32; 32];

/// Computes `ldmatrix.m8n8.x1{.trans}.b16` of one matrix: each lane's register from the eight rows.
///
/// `ldmatrix.x2` and `.x4` do this for each matrix `j`: lanes `8j..8j+8` address its rows, and
/// register `j` receives the result.
///
/// ```
/// use emulator::numerics::matrix;
/// let rows = std::array::from_fn(|r| std::array::from_fn(|w| (10 * r + 2 * w) as u32 | (10 * r + 2 * w + 1) as u32 * 0x1_0000));
/// assert_eq!(matrix::load(&rows, false)[5], 12 | 13 << 16);
/// assert_eq!(matrix::load(&rows, true)[5], 21 | 31 << 16);
/// ```
#[inline]
pub fn load(rows: &[Row; 8], trans: bool) -> Lanes {
    let mut out = [0; 32];
    if trans {
        for (lane, out) in out.iter_mut().enumerate() {
            let (column, row) = (lane / 4, 2 * (lane % 4));
            let half = 16 * (column % 2);
            let low = rows[row][column / 2] >> half & 0xffff;
            let high = rows[row + 1][column / 2] >> half & 0xffff;
            *out = low | high << 16;
        }
    } else {
        for (lane, out) in out.iter_mut().enumerate() {
            *out = rows[lane / 4][lane % 4];
        }
    }
    out
}

/// Computes `stmatrix.m8n8.x1{.trans}.b16` of one matrix: from each lane's register, the eight rows
/// that lanes `0..8` address (for matrix `j`: lanes `8j..8j+8`).
///
/// ```
/// use emulator::numerics::matrix;
/// let lanes: [u32; 32] = std::array::from_fn(|l| (l as u32) * 0x3_0001);
/// assert_eq!(matrix::load(&matrix::store(&lanes, true), true), lanes);
/// ```
#[inline]
pub fn store(lanes: &Lanes, trans: bool) -> [Row; 8] {
    let mut rows = [[0; 4]; 8];
    for (lane, &value) in lanes.iter().enumerate() {
        if trans {
            let (column, row) = (lane / 4, 2 * (lane % 4));
            let half = 16 * (column % 2);
            rows[row][column / 2] |= (value & 0xffff) << half;
            rows[row + 1][column / 2] |= (value >> 16) << half;
        } else {
            rows[lane / 4][lane % 4] = value;
        }
    }
    rows
}

/// Computes `movmatrix.m8n8.trans.b16`: the fragment of the transposed matrix.
#[inline]
pub fn transpose(lanes: &Lanes) -> Lanes {
    load(&store(lanes, false), true)
}
