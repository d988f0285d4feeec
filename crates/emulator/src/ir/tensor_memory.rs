//! Operands of `tcgen05`: what Blackwell does with tensor memory.

use super::Address;
use crate::numerics::mma::Mma;

/// A `tcgen05` instruction. Addresses of tensor memory are numbers of 32 bits, lane and column.
#[derive(Debug)]
pub(crate) enum Tcgen05 {
    /// A block of columns, whose address goes to shared memory.
    Allocate {
        to: Address,
        columns: u32,
    },
    Deallocate {
        address: u32,
        columns: u32,
    },
    Relinquish,
    Load(TensorAccess),
    Store(TensorAccess),
    /// `wait::ld`, `wait::st`.
    WaitLoads,
    WaitStores,
    /// `fence::before_thread_sync`, `fence::after_thread_sync`.
    Fence,
    Multiply(Box<TensorProduct>),
    /// An arrival at an mbarrier object when the thread's products so far are done.
    Commit {
        object: Address,
    },
}

/// `tcgen05.ld`, `tcgen05.st`.
#[derive(Debug)]
pub(crate) struct TensorAccess {
    pub shape: TensorShape,
    pub address: Address,
    /// Columns from the first half's to the second's, of `16x32bx2`.
    pub second: u32,
    /// Whether a register has the low halves of two columns (`.pack::16b`, `.unpack::16b`).
    pub packs: bool,
    pub registers: Vec<u32>,
}

/// Which lanes and columns a thread's registers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TensorShape {
    L32x32b,
    L16x64b,
    L16x128b,
    L16x256b,
    L16x32bx2,
}

/// `tcgen05.mma` of a block of its own (`.cta_group::1`).
#[derive(Debug)]
pub(crate) struct TensorProduct {
    pub kind: ProductKind,
    pub d: Address,
    pub left: ProductLeft,
    /// Row of B's descriptor, of the instruction's, and of the predicate that adds D.
    pub right: u32,
    pub instruction: u32,
    pub accumulates: u32,
}

/// Where A is.
#[derive(Debug)]
pub(crate) enum ProductLeft {
    /// Row of its descriptor.
    Shared(u32),
    Tensor(Address),
}

/// `.kind::`: which elements there can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProductKind {
    F16,
    Tf32,
    F8f6f4,
    I8,
}

impl Tcgen05 {
    /// Hands every row that the operation names to `f`.
    pub fn rows(&mut self, f: &mut dyn FnMut(&mut u32)) {
        match self {
            Self::Relinquish | Self::WaitLoads | Self::WaitStores | Self::Fence => {}
            Self::Allocate { to, columns } => [&mut to.base, columns].into_iter().for_each(f),
            Self::Deallocate { address, columns } => [address, columns].into_iter().for_each(f),
            Self::Load(access) | Self::Store(access) => {
                f(&mut access.address.base);
                access.registers.iter_mut().for_each(f);
            }
            Self::Multiply(product) => {
                f(&mut product.d.base);
                match &mut product.left {
                    ProductLeft::Shared(row) => f(row),
                    ProductLeft::Tensor(address) => f(&mut address.base),
                }
                let TensorProduct {
                    right,
                    instruction,
                    accumulates,
                    ..
                } = &mut **product;
                [right, instruction, accumulates].into_iter().for_each(f);
            }
            Self::Commit { object } => f(&mut object.base),
        }
    }
}

/// What an instruction descriptor says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProductShape {
    /// As an `mma.sync` of 16 rows and 8 columns.
    pub what: Mma,
    pub m: usize,
    pub n: usize,
    /// Whether A's, and B's, elements change their sign; whether neighbours in M, in N, lie
    /// together.
    pub negate: [bool; 2],
    pub transpose: [bool; 2],
}

impl ProductKind {
    /// Bytes of an element of A and B.
    pub fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::Tf32 => 4,
            Self::F8f6f4 | Self::I8 => 1,
        }
    }

    /// The elements of A and of B by their numbers in the descriptor; none for those that are not
    /// emulated.
    fn element(self, number: u32) -> Option<&'static str> {
        match (self, number) {
            (Self::F16, 0) => Some("f16"),
            (Self::F16, 1) => Some("bf16"),
            (Self::Tf32, 2) => Some("tf32"),
            (Self::F8f6f4, 0) => Some("e4m3"),
            (Self::F8f6f4, 1) => Some("e5m2"),
            (Self::I8, 0) => Some("u8"),
            (Self::I8, 1) => Some("s8"),
            _ => None,
        }
    }

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Tf32 => "tf32",
            Self::F8f6f4 => "f8f6f4",
            Self::I8 => "i8",
        }
    }

    /// The fields of an instruction descriptor, or what is wrong with it.
    ///
    /// Source: PTX ISA, "tcgen05.mma: Instruction descriptor".
    pub fn shape(self, bits: u32) -> Result<ProductShape, String> {
        let field = |low: u32, count: u32| bits >> low & ((1 << count) - 1);
        let fail = |problem: String| {
            Err(format!(
                "the instruction descriptor {bits:#010x}: {problem}"
            ))
        };
        if field(2, 1) == 1 || field(0, 2) != 0 {
            return fail("sparse products are not emulated".to_owned());
        }
        if field(6, 1) == 1 || field(23, 1) == 1 || field(29, 1) == 1 || field(30, 2) != 0 {
            return fail("bits 6, 23 and 29 to 31 are 0 here".to_owned());
        }
        let name = self.name();
        let elements = [field(7, 3), field(10, 3)].map(|number| self.element(number));
        let [Some(a), Some(b)] = elements else {
            let numbers = [field(7, 3), field(10, 3)];
            return fail(format!(
                "elements {} and {} of .kind::{name} are not emulated, or there are none",
                numbers[0], numbers[1]
            ));
        };
        let d = match (self, field(4, 2)) {
            (Self::F16, 0) if (a, b) == ("f16", "f16") => "f16",
            (Self::F16 | Self::Tf32 | Self::F8f6f4, 1) => "f32",
            (Self::I8, 2) => "s32",
            (_, number) => {
                return fail(format!("D of type {number} for {a} and {b}"));
            }
        };
        let (m, n) = (16 * field(24, 5) as usize, 8 * field(17, 6) as usize);
        let step = match (self, m) {
            (Self::I8, _) if n <= 32 && n != 0 => 8,
            (Self::I8, _) => 16,
            (_, 64) => 8,
            _ => 16,
        };
        if !matches!(m, 64 | 128) || n == 0 || n > 256 || !n.is_multiple_of(step) {
            return fail(format!(
                "no {m} x {n}: M is 64 or 128, N a multiple of {step} up to 256"
            ));
        }
        let transpose = [field(15, 1) == 1, field(16, 1) == 1];
        let negate = [field(13, 1) == 1, field(14, 1) == 1];
        if self == Self::I8 && negate != [false; 2] {
            return fail("integers are not negated".to_owned());
        }
        let satfinite = field(3, 1) == 1;
        if satfinite && self != Self::I8 {
            return fail("floats do not saturate".to_owned());
        }
        let k = 32 / self.bytes();
        // A's and B's types in one `mma.sync` of bf16 and f16 are the same.
        let tail = if satfinite { ".satfinite" } else { "" };
        let text = format!("mma.sync.aligned.m16n8k{k}.row.col{tail}.{d}.{a}.{b}.{d}");
        match Mma::parse(&text) {
            Ok(what) => Ok(ProductShape {
                what,
                m,
                n,
                negate,
                transpose,
            }),
            Err(_) => fail(format!("{a} by {b} is not emulated")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Descriptors as CUTLASS makes them, and what they are.
    #[test]
    fn descriptors_have_their_fields() {
        for (kind, bits, a, m, n) in [
            (ProductKind::F16, 0x0820_0010, "f16", 128, 128),
            (ProductKind::F16, 0x0820_0490, "bf16", 128, 128),
            (ProductKind::F16, 0x0821_0490, "bf16", 128, 128),
            (ProductKind::Tf32, 0x0820_0910, "tf32", 128, 128),
            (ProductKind::F8f6f4, 0x0840_0010, "e4m3", 128, 256),
            (ProductKind::I8, 0x0820_04a0, "s8", 128, 128),
        ] {
            let shape = kind.shape(bits).unwrap();
            assert_eq!((shape.m, shape.n), (m, n), "{bits:#x}");
            assert_eq!(format!("{:?}", shape.what.a).to_lowercase(), a);
            assert_eq!(shape.transpose, [false, bits == 0x0821_0490]);
        }
        for (kind, bits) in [
            (ProductKind::Tf32, 0x0820_0010),
            // M of 256, N of 8 with M of 128, sparse.
            (ProductKind::F16, 0x1040_0490),
            (ProductKind::F16, 0x0802_0490),
            (ProductKind::F16, 0x0820_0494),
        ] {
            assert!(kind.shape(bits).is_err(), "{bits:#x}");
        }
    }
}
