//! Fragments of `wmma`: those of `mma.sync`, one behind the other.
//!
//! ```text
//!   m16n16k16              m32n8k16            m8n32k16, transposed: D' = B' A'
//!
//!        B0  B1                 B                     A'
//!   A    D0  D1            A0   D0               B0'  D0'
//!                          A1   D1               B1'  D1'
//! ```
//!
//! PTX leaves open which element a register of a `wmma` fragment holds. On sm_80 and later `ptxas`
//! makes each product of one or two `mma.sync` of 16 or 8 rows, and a fragment is the fragments of
//! these, whether the matrix was stored by rows or by columns. `.f16` fragments of A and B have
//! eight registers for every shape: where fewer hold all elements they come again and again.
//!
//! Law: (lane, register, element) to coordinates is one to one and onto. Held against an H100,
//! every fragment of every shape, type and layout (`tests/warps`).

use super::{Element, Shape};

/// Which matrix of D = A * B + C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    A,
    B,
    /// C, and D.
    C,
}

/// A matrix of a `wmma`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    pub shape: Shape,
    pub part: Part,
    /// Bits of an element.
    pub bits: u32,
}

/// How a `wmma` is made of `mma.sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// The shape of each.
    pub shape: Shape,
    pub count: usize,
    /// A's fragments are the pieces' B, and B's their A.
    pub transposed: bool,
    /// A is the same in each piece, and B differs; else the other way.
    pub shares_a: bool,
}

impl Pieces {
    /// Those of a `wmma` of this shape.
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

/// Whether PTX has a `wmma` of these elements and this shape.
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
    /// Rows and columns.
    pub fn extents(&self) -> (usize, usize) {
        let Shape { m, n, k } = self.shape;
        match self.part {
            Part::A => (m, k),
            Part::B => (k, n),
            Part::C => (m, n),
        }
    }

    /// Elements of a register.
    pub fn per_register(&self) -> usize {
        (self.register_bits() / self.bits) as usize
    }

    /// Bits of a register: 64 for `.f64`.
    pub fn register_bits(&self) -> u32 {
        self.bits.max(32)
    }

    /// Registers of a lane, each element once.
    pub fn registers(&self) -> usize {
        let (rows, columns) = self.extents();
        rows * columns / 32 / self.per_register()
    }

    /// Whether a lane's group of four lanes chooses the row; else the column.
    pub fn grouped_by_row(&self) -> bool {
        match self.part {
            Part::A => true,
            Part::B => false,
            Part::C => !Pieces::of(self.shape).transposed,
        }
    }

    /// The elements between those of neighbouring lanes of a group.
    pub fn step(&self) -> usize {
        match self.part {
            Part::C => 2,
            _ => self.per_register(),
        }
    }

    /// Row and column of element `e` of a lane's register.
    pub fn coordinates(&self, lane: usize, register: usize, e: usize) -> (usize, usize) {
        let pieces = Pieces::of(self.shape);
        let (group, t) = (lane / 4, lane % 4);
        // `outer` goes over rows of A and columns of B; of D over the pieces' rows.
        let (outer, inner) = if self.part == Part::C {
            let value = register * self.per_register() + e;
            let (piece, value) = (value / 4, value % 4);
            let inner = 2 * t + value % 2;
            if self.shape.m == 16 {
                // Side by side.
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
