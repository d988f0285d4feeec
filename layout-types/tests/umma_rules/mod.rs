//! The valid `tcgen05.mma`, written down again from two sources: the PTX ISA's table of shapes, and
//! the assertions of CUTLASS's atoms. An atom is valid if both sources have it.
//!
//! ```text
//!   Product { kind: F16, m: 128, n: 48, pair: false, tmem: false, mn: [false, true] }    exists()
//! ```

/// The kinds, as far as they differ in their shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
}

/// A product that one instruction may compute.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub kind: Kind,
    pub m: u32,
    pub n: u32,
    /// Whether a pair of CTAs computes the product.
    pub pair: bool,
    /// Whether A is in tensor memory.
    pub tmem: bool,
    /// Whether A and whether B is MN-major.
    pub mn: [bool; 2],
}

fn steps(n: u32, step: u32) -> bool {
    n >= step && n <= 256 && n.is_multiple_of(step)
}

impl Product {
    fn is_scaled(&self) -> bool {
        matches!(self.kind, Kind::Mxf8f6f4 | Kind::Mxf4)
    }

    /// Whether the PTX ISA has the product: *tcgen05: Matrix shape*.
    fn in_isa(&self) -> bool {
        let (m, n) = (self.m, self.n);
        match (self.kind, self.pair) {
            (Kind::F16 | Kind::Tf32 | Kind::F8f6f4, false) => {
                m == 64 && steps(n, 8) || m == 128 && steps(n, 16)
            }
            (Kind::F16 | Kind::Tf32 | Kind::F8f6f4, true) => (m == 128 || m == 256) && steps(n, 16),
            (Kind::I8, false) => (m == 64 || m == 128) && (n == 8 || n == 24 || steps(n, 16)),
            (Kind::I8, true) => (m == 128 || m == 256) && steps(n, 32),
            (Kind::Mxf8f6f4 | Kind::Mxf4, false) => m == 128 && steps(n, 8),
            (Kind::Mxf8f6f4 | Kind::Mxf4, true) => (m == 128 || m == 256) && steps(n, 16),
        }
    }

    /// Whether CUTLASS's assertions accept the product: `cute/arch/mma_sm100_umma.hpp` and the
    /// traits.
    fn in_cutlass(&self) -> bool {
        let (m, n) = (self.m, self.n);
        let rows = match (self.kind, self.pair) {
            (Kind::Mxf8f6f4 | Kind::Mxf4, false) => m == 128,
            (_, false) => m == 64 || m == 128,
            (Kind::Mxf8f6f4, true) => m == 256,
            (_, true) => m == 128 || m == 256,
        };
        let columns = match (self.kind, self.pair, self.tmem) {
            (Kind::I8, false, _) => n == 8 || steps(n, 16),
            (Kind::I8, true, _) => steps(n, 32),
            (Kind::F8f6f4, false, false) => steps(n, if self.mn[1] { 16 } else { 8 }),
            (Kind::F8f6f4, true, false) => steps(n, if self.mn[1] { 32 } else { 16 }),
            (Kind::Mxf8f6f4 | Kind::Mxf4, false, _) => steps(n, 8),
            (Kind::Mxf8f6f4 | Kind::Mxf4, true, _) => steps(n, 16),
            (_, false, false) => steps(n, 8),
            (_, true, false) => steps(n, 16),
            (_, false, true) => m == 64 && steps(n, 8) || m == 128 && steps(n, 16),
            (_, true, true) => steps(n, 32),
        };
        rows && columns && !(self.tmem && (self.mn[0] || self.is_scaled()))
    }

    /// Whether there is such an instruction, if its elements may be MN-major.
    pub fn exists(&self) -> bool {
        self.in_isa() && self.in_cutlass()
    }
}
