//! The floating-point operations of an instruction, and the unit that executes them.
//!
//! ```text
//! fma.rn.f32                       2 for each lane that executes      fp32
//! add.rn.f16x2                     2 for each lane                    fp16
//! mma.sync...m16n8k16...f16.f16    2 × 16 × 8 × 16 for each warp      tensor f16
//! wgmma...m64n256k16.f32.f16.f16   2 × 16 × 256 × 16 for each warp    tensor f16
//! ```
//!
//! Law: an `fma` counts as two operations, as in the published peaks of chips; conversions,
//! comparisons, minima and moves do not count. Integer products of tensor cores count as operations
//! of a separate unit.

use std::ops::AddAssign;

/// A unit that executes floating-point operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// `add`, `sub`, `mul`, `fma` of `.f32`.
    F32,
    /// `add`, `sub`, `mul`, `fma` of `.f64`.
    F64,
    /// `add`, `sub`, `mul`, `fma` of `.f16` and `.f16x2`.
    F16,
    /// `add`, `sub`, `mul`, `fma` of `.bf16` and `.bf16x2`.
    Bf16,
    /// `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2`, `tanh`, `div`: one operation per lane.
    Special,
    /// Tensor cores on `.f16`.
    TensorF16,
    /// Tensor cores on `.bf16`.
    TensorBf16,
    /// Tensor cores on `.tf32`.
    TensorTf32,
    /// Tensor cores on `.f64`.
    TensorF64,
    /// Tensor cores on numbers of 8 bits, `.e4m3` and `.e5m2`.
    TensorF8,
    /// Tensor cores on `.s8`, `.u8`.
    TensorI8,
    /// Tensor cores on `.s4`, `.u4`.
    TensorI4,
    /// Tensor cores on single bits.
    TensorB1,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Unit; 13] = [
        Unit::F32,
        Unit::F64,
        Unit::F16,
        Unit::Bf16,
        Unit::Special,
        Unit::TensorF16,
        Unit::TensorBf16,
        Unit::TensorTf32,
        Unit::TensorF64,
        Unit::TensorF8,
        Unit::TensorI8,
        Unit::TensorI4,
        Unit::TensorB1,
    ];

    /// Returns the unit's usual name.
    pub fn name(self) -> &'static str {
        match self {
            Unit::F32 => "fp32",
            Unit::F64 => "fp64",
            Unit::F16 => "fp16",
            Unit::Bf16 => "bf16",
            Unit::Special => "special",
            Unit::TensorF16 => "tensor f16",
            Unit::TensorBf16 => "tensor bf16",
            Unit::TensorTf32 => "tensor tf32",
            Unit::TensorF64 => "tensor f64",
            Unit::TensorF8 => "tensor fp8",
            Unit::TensorI8 => "tensor int8",
            Unit::TensorI4 => "tensor int4",
            Unit::TensorB1 => "tensor b1",
        }
    }
}

/// The number of operations of each unit.
///
/// ```
/// use emulator::profile::{Flops, Unit};
/// let fma = Flops::of("fma.rn.f32", 1, 32);
/// assert_eq!(fma.get(Unit::F32), 64);
/// let mma = Flops::of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 3, 96);
/// assert_eq!(mma.get(Unit::TensorF16), 3 * 2 * 16 * 8 * 16);
/// assert_eq!(mma.total(), 12288);
/// let warpgroup = Flops::of("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", 4, 128);
/// assert_eq!(warpgroup.get(Unit::TensorF16), 2 * 64 * 256 * 16);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flops([u64; Unit::ALL.len()]);

impl AddAssign for Flops {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}

impl Flops {
    /// Returns the operations of `executed` executions of an instruction by `lanes` lanes in total.
    pub fn of(opcode: &str, executed: u64, lanes: u64) -> Flops {
        let mut flops = Flops::default();
        if let Some((unit, each)) = tensor(opcode) {
            flops.0[unit as usize] = each * executed;
        } else if let Some((unit, each)) = lanewise(opcode) {
            flops.0[unit as usize] = each * lanes;
        }
        flops
    }

    /// Returns the operations of one unit.
    pub fn get(&self, unit: Unit) -> u64 {
        self.0[unit as usize]
    }

    /// Returns the operations of all units except `Special`: the numerator of arithmetic intensity.
    pub fn total(&self) -> u64 {
        let all = Unit::ALL.into_iter().filter(|unit| *unit != Unit::Special);
        all.map(|unit| self.get(unit)).sum()
    }

    /// Returns the units with at least one operation, and their operations.
    pub fn units(&self) -> impl Iterator<Item = (Unit, u64)> {
        let all = Unit::ALL.into_iter().map(|unit| (unit, self.get(unit)));
        all.filter(|(_, count)| *count != 0)
    }
}

/// Returns the unit of an `mma`, and the operations of one execution by a warp.
fn tensor(opcode: &str) -> Option<(Unit, u64)> {
    // In a wgmma each of four warps executes a quarter of the rows.
    let (rest, warps) = match opcode.strip_prefix("wgmma.mma_async.") {
        Some(rest) => (rest, 4),
        None => {
            let mma = opcode.strip_prefix("mma.");
            (mma.or_else(|| opcode.strip_prefix("wmma.mma."))?, 1)
        }
    };
    let shape = rest.split('.').find(|part| part.starts_with('m'))?;
    let mut sizes = shape.split(|c: char| !c.is_ascii_digit()).skip(1);
    let mut size = || sizes.next().and_then(|digits| digits.parse::<u64>().ok());
    let (m, n, k) = (size()?, size()?, size()?);
    // The types are those of d, a, b, c, and the product has the type of a and b. A wmma of .f16
    // names only d and c.
    let types: Vec<&str> = rest.split('.').filter(|part| is_type(part)).collect();
    let product = if types.len() == 2 {
        "f16"
    } else {
        types.get(1)?
    };
    let unit = match product {
        "f16" => Unit::TensorF16,
        "bf16" => Unit::TensorBf16,
        "tf32" => Unit::TensorTf32,
        "f64" => Unit::TensorF64,
        "e4m3" | "e5m2" => Unit::TensorF8,
        "s8" | "u8" => Unit::TensorI8,
        "s4" | "u4" => Unit::TensorI4,
        "b1" => Unit::TensorB1,
        _ => return None,
    };
    Some((unit, 2 * m * n * k / warps))
}

/// Returns the unit of a lane-wise instruction, and the operations of one lane.
fn lanewise(opcode: &str) -> Option<(Unit, u64)> {
    let mut parts = opcode.split('.');
    let name = parts.next()?;
    let each = match name {
        "add" | "sub" | "mul" => 1,
        "fma" | "mad" => 2,
        "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "div" => 0,
        _ => return None,
    };
    // An instruction with two types, such as `fma.rn.f32.f16`, computes in the first type.
    let (unit, width) = match parts.find(|part| is_type(part))? {
        "f32" => (Unit::F32, 1),
        "f32x2" => (Unit::F32, 2),
        "f64" => (Unit::F64, 1),
        "f16" => (Unit::F16, 1),
        "f16x2" => (Unit::F16, 2),
        "bf16" => (Unit::Bf16, 1),
        "bf16x2" => (Unit::Bf16, 2),
        _ => return None,
    };
    Some(match each {
        0 => (Unit::Special, width),
        each => (unit, each * width),
    })
}

fn is_type(part: &str) -> bool {
    matches!(
        part,
        "f16"
            | "f16x2"
            | "bf16"
            | "bf16x2"
            | "tf32"
            | "f32"
            | "f32x2"
            | "f64"
            | "e4m3"
            | "e5m2"
            | "s32"
            | "s8"
            | "u8"
            | "s4"
            | "u4"
            | "b1"
            | "u16"
            | "u32"
            | "u64"
            | "s16"
            | "s64"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_have_their_units() {
        let of = |opcode: &str| Flops::of(opcode, 1, 32).units().collect::<Vec<_>>();
        assert_eq!(of("add.rn.f32"), [(Unit::F32, 32)]);
        assert_eq!(of("mad.rn.ftz.f32"), [(Unit::F32, 64)]);
        assert_eq!(of("fma.rn.bf16x2"), [(Unit::Bf16, 128)]);
        assert_eq!(of("mul.f64"), [(Unit::F64, 32)]);
        assert_eq!(of("ex2.approx.ftz.f32"), [(Unit::Special, 32)]);
        for none in [
            "add.u32",
            "mad.lo.s32",
            "mul.wide.u32",
            "div.u32",
            "cvt.f32.f16",
            "ld.global.f32",
            "setp.lt.f32",
        ] {
            assert_eq!(of(none), [], "{none}");
        }
        for (opcode, unit, count) in [
            (
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                Unit::TensorTf32,
                2048,
            ),
            (
                "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
                Unit::TensorF64,
                512,
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32",
                Unit::TensorI8,
                8192,
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
                Unit::TensorF8,
                8192,
            ),
            (
                "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
                Unit::TensorB1,
                65536,
            ),
            (
                "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                Unit::TensorF16,
                4096,
            ),
            (
                "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
                Unit::TensorF16,
                8192,
            ),
            (
                "wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32",
                Unit::TensorI8,
                8192,
            ),
            (
                "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2",
                Unit::TensorF8,
                8192,
            ),
            (
                "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc",
                Unit::TensorB1,
                65536,
            ),
        ] {
            assert_eq!(of(opcode), [(unit, count)], "{opcode}");
        }
    }
}
