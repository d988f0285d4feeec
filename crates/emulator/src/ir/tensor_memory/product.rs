//! Kinds of `tcgen05.mma` and the instruction descriptors that they take.
//!
//! ```text
//! bit   31   30..29     28..24   23          22..17   16 15    14 13    12..10 9..7  5..4          3          2
//!       0    0          M / 16   0           N / 8    B A MN-  -B -A    B A          D's type      saturates  sparse
//!       K    A's factor          scales'     of N     major             type         B's factor    0          with scale factors
//! ```
//!
//! Law: a descriptor whose fields do not name an instruction of the kind is refused with a message.
//! Source: PTX ISA, "tcgen05.mma: Instruction descriptor", "Matrix Shape", "Block Scaling".

use crate::numerics::mma::Mma;
use crate::numerics::mma::narrow::{Narrow, ScaleFormat};

/// The `.kind::` of an instruction, which determines the possible elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProductKind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

/// The elements of A and B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    /// The elements of an `mma.sync` of 16 rows and 8 columns.
    Whole(Mma),
    /// Floats of 8 bits and fewer.
    Narrow(Narrow, Narrow),
}

/// The fields of an instruction descriptor about scale factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScaleFields {
    pub format: ScaleFormat,
    /// The number of factors per row of A and per column of B.
    pub factors: usize,
    /// The byte of a word that holds the first factor of A, and of B.
    pub ids: [usize; 2],
}

/// The fields of an instruction descriptor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProductShape {
    pub kind: ProductKind,
    /// Whether two blocks share the product: each has half of M, and half of B's columns.
    pub pair: bool,
    pub elements: Elements,
    pub m: usize,
    pub n: usize,
    /// Whether A's and B's elements change their sign. `transpose` is whether neighbours in M and
    /// in N are contiguous.
    pub negate: [bool; 2],
    pub transpose: [bool; 2],
    pub scales: Option<ScaleFields>,
}

impl ProductShape {
    /// Returns the number of bytes of a 16-byte unit that hold elements of A, and of B: 16 unpacked
    /// floats of 4 or 6 bits occupy 8 or 12 bytes.
    pub fn bytes_of_unit(&self) -> [usize; 2] {
        match self.elements {
            Elements::Narrow(a, b) if !self.kind.is_packed() => [a, b].map(|of| 2 * of.bits()),
            _ => [16; 2],
        }
    }
}

impl ProductKind {
    /// Returns the bytes of an element of A and B, as addresses count them.
    pub fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::Tf32 => 4,
            _ => 1,
        }
    }

    /// Returns the number of elements along k.
    pub fn k(self) -> usize {
        match self.is_packed() {
            true => 64,
            false => 32 / self.bytes(),
        }
    }

    /// Whether A and B have scale factors.
    pub fn is_scaled(self) -> bool {
        matches!(self, Self::Mxf8f6f4) || self.is_packed()
    }

    /// Whether two elements share a byte.
    pub fn is_packed(self) -> bool {
        matches!(self, Self::Mxf4 | Self::Mxf4nvf4)
    }

    /// Whether the elements are floats of 8 bits and fewer.
    fn is_narrow(self) -> bool {
        self == Self::F8f6f4 || self.is_scaled()
    }

    /// Returns the name of the elements of A or B with this number in the descriptor.
    fn element(self, number: u32) -> Option<&'static str> {
        match (self, number) {
            (Self::F16, 0) => Some("f16"),
            (Self::F16, 1) => Some("bf16"),
            (Self::Tf32, 2) => Some("tf32"),
            (Self::I8, 0) => Some("u8"),
            (Self::I8, 1) => Some("s8"),
            _ => self.narrow(number).map(Narrow::name),
        }
    }

    fn narrow(self, number: u32) -> Option<Narrow> {
        match (self, number) {
            (Self::F8f6f4 | Self::Mxf8f6f4, 0) => Some(Narrow::E4m3),
            (Self::F8f6f4 | Self::Mxf8f6f4, 1) => Some(Narrow::E5m2),
            (Self::F8f6f4 | Self::Mxf8f6f4, 3) => Some(Narrow::E2m3),
            (Self::F8f6f4 | Self::Mxf8f6f4, 4) => Some(Narrow::E3m2),
            (Self::F8f6f4 | Self::Mxf8f6f4, 5) => Some(Narrow::E2m1),
            (Self::Mxf4 | Self::Mxf4nvf4, 1) => Some(Narrow::E2m1),
            _ => None,
        }
    }

    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Tf32 => "tf32",
            Self::F8f6f4 => "f8f6f4",
            Self::I8 => "i8",
            Self::Mxf8f6f4 => "mxf8f6f4",
            Self::Mxf4 => "mxf4",
            Self::Mxf4nvf4 => "mxf4nvf4",
        }
    }

    /// Decodes the fields of an instruction descriptor. Returns a description of the problem if it
    /// is invalid. `factors` is the number of factors per row in the instruction's `.scale_vec`, or
    /// 0 for kinds without factors. With `pair`, two blocks work together.
    pub fn shape(self, bits: u32, factors: usize, pair: bool) -> Result<ProductShape, String> {
        self.fields(bits, factors, pair)
            .map_err(|problem| format!("the instruction descriptor {bits:#010x}: {problem}"))
    }

    fn fields(self, bits: u32, factors: usize, pair: bool) -> Result<ProductShape, String> {
        let field = |low: u32, count: u32| bits >> low & ((1 << count) - 1);
        let name = self.name();
        if field(2, 1) == 1 || field(0, 2) != 0 {
            return Err("sparse products are not emulated".to_owned());
        }
        let (zeros, named) = match self.is_scaled() {
            true => (
                field(3, 1) | field(6, 1) | field(24, 3),
                "3, 6 and 24 to 26",
            ),
            false => (
                field(6, 1) | field(23, 1) | field(29, 3),
                "6, 23 and 29 to 31",
            ),
        };
        if zeros != 0 {
            return Err(format!("bits {named} are 0 here"));
        }
        let numbers = [field(7, 3), field(10, 3)];
        let [Some(a), Some(b)] = numbers.map(|number| self.element(number)) else {
            return Err(format!(
                "there are no elements {} and {} of .kind::{name}",
                numbers[0], numbers[1]
            ));
        };
        let (m, n) = (16 * field(24, 5) as usize, 8 * field(17, 6) as usize);
        let transpose = [field(15, 1) == 1, field(16, 1) == 1];
        let negate = [field(13, 1) == 1, field(14, 1) == 1];
        let bytes = self.bytes();
        let step = match self {
            // If neighbours in N are contiguous bytes, a unit has 16 of them.
            _ if bytes == 1 && transpose[1] => 16,
            Self::I8 if n <= 32 && !pair => 8,
            Self::I8 => 16,
            _ if pair || m == 64 || self.is_scaled() => 8,
            _ => 16,
        };
        // In a pair, each block has half of B.
        let step = if pair { 2 * step } else { step };
        let (rows, said) = match (pair, self.is_scaled()) {
            (true, _) => (&[128, 256][..], "128 or 256"),
            (false, true) => (&[128][..], "128"),
            (false, false) => (&[64, 128][..], "64 or 128"),
        };
        if !rows.contains(&m) || n == 0 || n > 256 || !n.is_multiple_of(step) {
            return Err(format!(
                "no {m} x {n}: M is {said}, N a multiple of {step} up to 256"
            ));
        }
        if self == Self::I8 && negate != [false; 2] {
            return Err("integers are not negated".to_owned());
        }
        let shape = |elements, scales| ProductShape {
            kind: self,
            pair,
            elements,
            m,
            n,
            negate,
            transpose,
            scales,
        };
        if self.is_scaled() {
            if self.is_packed() && transpose != [false; 2] {
                return Err("of packed elements neighbours in k lie together".to_owned());
            }
            if field(31, 1) == 1 {
                return Err("K of 96 is not emulated".to_owned());
            }
            let scales = self.scale_fields(factors, field(23, 1), [field(29, 2), field(4, 2)])?;
            return match numbers.map(|number| self.narrow(number)) {
                [Some(a), Some(b)] => Ok(shape(Elements::Narrow(a, b), Some(scales))),
                _ => Err(format!("{a} by {b} is not emulated")),
            };
        }
        let satfinite = field(3, 1) == 1;
        if satfinite && self != Self::I8 {
            return Err("floats do not saturate".to_owned());
        }
        let d = match (self, field(4, 2)) {
            (Self::F16, 0) if (a, b) == ("f16", "f16") => "f16",
            (Self::F16 | Self::Tf32 | Self::F8f6f4, 1) => "f32",
            (Self::I8, 2) => "s32",
            (_, number) => return Err(format!("D of type {number} for {a} and {b}")),
        };
        if let [Some(a), Some(b)] = numbers.map(|number| self.narrow(number))
            && self.is_narrow()
        {
            return Ok(shape(Elements::Narrow(a, b), None));
        }
        // The types of A and B in an `mma.sync` of bf16 or f16 are the same.
        let (k, tail) = (self.k(), if satfinite { ".satfinite" } else { "" });
        let text = format!("mma.sync.aligned.m16n8k{k}.row.col{tail}.{d}.{a}.{b}.{d}");
        match Mma::parse(&text) {
            Ok(what) => Ok(shape(Elements::Whole(what), None)),
            Err(_) => Err(format!("{a} by {b} is not emulated")),
        }
    }

    /// Decodes the fields of scale factors.
    fn scale_fields(self, factors: usize, ty: u32, ids: [u32; 2]) -> Result<ScaleFields, String> {
        let format = match ty {
            1 => ScaleFormat::Ue8m0,
            _ if self == Self::Mxf4nvf4 && factors == 4 => ScaleFormat::Ue4m3,
            _ => {
                return Err(format!(
                    "scale factors of ue4m3 for .kind::{} with {factors} to a row: bit 23 is 1 there",
                    self.name()
                ));
            }
        };
        let (step, said) = match factors {
            1 => (1, "0 to 3"),
            2 => (2, "0 or 2"),
            _ => (4, "0"),
        };
        for (name, id) in ["A", "B"].into_iter().zip(ids) {
            if id % step != 0 {
                return Err(format!(
                    "the scale factors of {name} from byte {id} of a word on: with {factors} to a row it is {said}"
                ));
            }
        }
        Ok(ScaleFields {
            format,
            factors,
            ids: ids.map(|id| id as usize),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks descriptors as CUTLASS makes them against their meaning.
    #[test]
    fn descriptors_have_their_fields() {
        for (kind, bits, factors, a, m, n) in [
            (ProductKind::F16, 0x0820_0010, 0, "f16", 128, 128),
            (ProductKind::F16, 0x0820_0490, 0, "bf16", 128, 128),
            (ProductKind::F16, 0x0821_0490, 0, "bf16", 128, 128),
            (ProductKind::Tf32, 0x0820_0910, 0, "tf32", 128, 128),
            (ProductKind::F8f6f4, 0x0840_0010, 0, "e4m3", 128, 256),
            (ProductKind::I8, 0x0820_04a0, 0, "s8", 128, 128),
            (ProductKind::Mxf8f6f4, 0x08a0_0000, 1, "e4m3", 128, 128),
            (ProductKind::Mxf4nvf4, 0x0820_0480, 4, "e2m1", 128, 128),
        ] {
            let shape = kind.shape(bits, factors, false).unwrap();
            assert_eq!((shape.m, shape.n), (m, n), "{bits:#x}");
            let name = match shape.elements {
                Elements::Whole(mma) => format!("{:?}", mma.a).to_lowercase(),
                Elements::Narrow(a, _) => a.name().to_owned(),
            };
            assert_eq!(name, a);
            assert_eq!(shape.transpose, [false, bits == 0x0821_0490]);
        }
        for (kind, bits, factors) in [
            (ProductKind::Tf32, 0x0820_0010, 0),
            // The first has M = 256, the second N = 8 with M = 128, and one is sparse.
            (ProductKind::F16, 0x1040_0490, 0),
            (ProductKind::F16, 0x0802_0490, 0),
            (ProductKind::F16, 0x0820_0494, 0),
            // Neighbours in N are contiguous bytes, and N = 8.
            (ProductKind::F8f6f4, 0x0403_0010, 0),
            // The scale factors are ue4m3 with two to a row, or begin at a byte at which they
            // cannot begin.
            (ProductKind::Mxf4nvf4, 0x0820_0480, 2),
            (ProductKind::Mxf4, 0x08a0_0490, 2),
            (ProductKind::Mxf4nvf4, 0x4820_0480, 4),
            // The first has M = 64, the second K = 96.
            (ProductKind::Mxf8f6f4, 0x04a0_0000, 1),
            (ProductKind::Mxf4, 0x88a0_0480, 2),
        ] {
            assert!(kind.shape(bits, factors, false).is_err(), "{bits:#x}");
        }
    }

    /// Checks CUTLASS's descriptor of 256 x 256, and that a pair does not have M = 64 or N = 8.
    #[test]
    fn a_pair_has_more_rows_and_fewer_widths() {
        let pair = |bits| ProductKind::F16.shape(bits, 0, true);
        let shape = pair(0x1040_0490).unwrap();
        assert_eq!((shape.m, shape.n), (256, 256));
        assert!(pair(0x0804_0490).is_ok());
        assert!(pair(0x0802_0490).is_err());
        assert!(pair(0x0420_0490).is_err());
        assert!(ProductKind::I8.shape(0x1004_04a0, 0, true).is_err());
        assert!(ProductKind::I8.shape(0x1008_04a0, 0, true).is_ok());
    }
}
