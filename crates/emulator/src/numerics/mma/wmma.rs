//! Fragments of `wmma`: consecutive fragments of `mma.sync`.
//!
//! ```text
//!   m16n16k16              m32n8k16            m8n32k16, transposed: D' = B' A'
//!
//!        B0  B1                 B                     A'
//!   A    D0  D1            A0   D0               B0'  D0'
//!                          A1   D1               B1'  D1'
//! ```
//!
//! PTX does not define which element a register of a `wmma` fragment holds. On sm_80 and later
//! `ptxas` builds each product from one or two `mma.sync` of 16 or 8 rows, and a fragment consists
//! of their fragments, no matter whether the matrix was stored by rows or by columns. `.f16`
//! fragments of A and B have eight registers for every shape: if fewer hold all elements, the
//! registers repeat.
//!
//! Law: the map from (lane, register, element) to coordinates is one to one and onto. Every
//! fragment of every shape, type and layout was compared with an H100 (`tests/warps`).

use super::{Element, Shape};

/// A matrix of D = A * B + C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    A,
    B,
    /// The matrices C and D.
    C,
}

/// A matrix of a `wmma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    pub shape: Shape,
    pub part: Part,
    /// The number of bits of an element.
    pub bits: u32,
}

/// How a `wmma` is built from `mma.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// The shape of each piece.
    pub shape: Shape,
    pub count: usize,
    /// Whether A's fragments are the pieces' B, and B's fragments their A.
    pub transposed: bool,
    /// Whether all pieces share A and differ in B; otherwise they share B.
    pub shares_a: bool,
}

impl Pieces {
    /// Returns the pieces of a `wmma` of this shape.
    pub fn of(Shape { m, n, k }: Shape) -> Pieces {
        let transposed = m == 8 && n == 32;
        let rows = if m == 8 && n == 8 { 8 } else { 16 };
        Pieces {
            shape: Shape::new(rows, 8, k),
            count: m * n / (rows * 8),
            transposed,
            shares_a: m <= 16,
        }
    }
}

/// Whether PTX has a `wmma` with these elements and this shape.
pub(crate) fn has(element: Element, shape: Shape) -> bool {
    let Shape { m, n, k } = shape;
    match element {
        Element::F16 | Element::Bf16 | Element::S8 | Element::U8 => {
            matches!((m, n, k), (16, 16, 16) | (8, 32, 16) | (32, 8, 16))
        }
        Element::Tf32 => (m, n, k) == (16, 16, 8),
        Element::F64 => (m, n, k) == (8, 8, 4),
        Element::S4 | Element::U4 => (m, n, k) == (8, 8, 32),
        Element::B1 => (m, n, k) == (8, 8, 128),
        Element::E4m3 | Element::E5m2 => false,
    }
}

impl Tile {
    /// Returns the numbers of rows and columns.
    pub fn extents(&self) -> (usize, usize) {
        let Shape { m, n, k } = self.shape;
        match self.part {
            Part::A => (m, k),
            Part::B => (k, n),
            Part::C => (m, n),
        }
    }

    /// Returns the number of elements per register.
    pub fn per_register(&self) -> usize {
        (self.register_bits() / self.bits) as usize
    }

    /// Returns the number of bits per register: 64 for `.f64`.
    pub fn register_bits(&self) -> u32 {
        self.bits.max(32)
    }

    /// Returns the number of registers per lane if each element is held once.
    pub fn registers(&self) -> usize {
        let (rows, columns) = self.extents();
        rows * columns / 32 / self.per_register()
    }

    /// Whether a lane's group of four lanes determines the row; otherwise it determines the column.
    pub fn grouped_by_row(&self) -> bool {
        match self.part {
            Part::A => true,
            Part::B => false,
            Part::C => !Pieces::of(self.shape).transposed,
        }
    }

    /// Returns the distance in elements between neighbouring lanes of a group.
    pub fn step(&self) -> usize {
        match self.part {
            Part::C => 2,
            _ => self.per_register(),
        }
    }

    /// Returns row and column of element `e` of a lane's register.
    pub fn coordinates(&self, lane: usize, register: usize, e: usize) -> (usize, usize) {
        let pieces = Pieces::of(self.shape);
        let (group, t) = (lane / 4, lane % 4);
        // `outer` runs over rows of A and columns of B; for D it runs over the pieces' rows.
        let (outer, inner) = if self.part == Part::C {
            let value = register * self.per_register() + e;
            let (piece, value) = (value / 4, value % 4);
            let inner = 2 * t + value % 2;
            if self.shape.m == 16 {
                // The pieces lie side by side.
                (group + 8 * (value / 2), piece * 8 + inner)
            } else {
                (piece * 16 + group + 8 * (value / 2), inner)
            }
        } else {
            let is_first = (self.part == Part::A) != pieces.transposed;
            let halves = if is_first { pieces.shape.m / 8 } else { 1 };
            let chunk = 4 * self.per_register();
            let each = halves * (self.shape.k / chunk);
            let (piece, register) = (register / each, register % each);
            (
                (piece * halves + register % halves) * 8 + group,
                register / halves * chunk + t * self.per_register() + e,
            )
        };
        if self.grouped_by_row() {
            (outer, inner)
        } else {
            (inner, outer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_place() {
        for (element, bits) in [
            (Element::F16, 16),
            (Element::S8, 8),
            (Element::Tf32, 32),
            (Element::F64, 64),
            (Element::S4, 4),
            (Element::B1, 1),
        ] {
            let shapes = [16, 8, 4, 32, 128]
                .map(|k| [(16, 16), (8, 32), (32, 8), (8, 8)].map(|(m, n)| Shape::new(m, n, k)));
            for shape in shapes
                .into_iter()
                .flatten()
                .filter(|&shape| has(element, shape))
            {
                for (part, bits) in [
                    (Part::A, bits),
                    (Part::B, bits),
                    (Part::C, 32),
                    (Part::C, 16),
                ] {
                    if part == Part::C && (bits == 16) != (element == Element::F16) {
                        continue;
                    }
                    let tile = Tile { shape, part, bits };
                    let (rows, columns) = tile.extents();
                    let mut seen = vec![0; rows * columns];
                    for lane in 0..32 {
                        for register in 0..tile.registers() {
                            for e in 0..tile.per_register() {
                                let (row, column) = tile.coordinates(lane, register, e);
                                assert!(row < rows && column < columns, "{tile:?}");
                                seen[row * columns + column] += 1;
                            }
                        }
                    }
                    assert!(seen.iter().all(|&n| n == 1), "{tile:?}");
                }
            }
        }
    }
}
