//! Which `tcgen05.mma` there are, written down again from the two sources: the PTX ISA's table of
//! shapes, and the assertions of CUTLASS's atoms. An atom is one that both have.
//!
//! ```text
//!   Product { kind: F16, m: 128, n: 48, pair: false, tmem: false, mn: [false, true] }    exists()
//! ```

/// The kinds, as far as shapes tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
}

/// A product of one instruction.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub kind: Kind,
    pub m: u32,
    pub n: u32,
    /// Of a pair of CTAs.
    pub pair: bool,
    /// A in tensor memory.
    pub tmem: bool,
    /// A and B MN-major.
    pub mn: [bool; 2],
}

fn steps(n: u32, step: u32) -> bool {
    n >= step && n <= 256 && n.is_multiple_of(step)
}

impl Product {
    fn is_scaled(&self) -> bool {
        matches!(self.kind, Kind::Mxf8f6f4 | Kind::Mxf4)
    }

    /// PTX ISA, *tcgen05: Matrix shape*.
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

    /// CUTLASS, `cute/arch/mma_sm100_umma.hpp` and the traits: what its assertions let pass.
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

    /// Whether there is such an instruction, of elements that may be MN-major.
    pub fn exists(&self) -> bool {
        self.in_isa() && self.in_cutlass()
    }
}
