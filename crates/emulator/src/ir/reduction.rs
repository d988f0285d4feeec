//! The operations of atomics and reductions on a value in memory, by name and type.
//!
//! ```text
//! ("add", F32) ─► fn(old, operand, _) -> new       ("cas", B32) ─► fn(old, compare, value) -> new
//! ```
//!
//! Law: the old and the new value are bits in the lower end of 64 bits. Source: PTX ISA, "atom",
//! "red", "cp.reduce.async.bulk".

use super::Apply;
use crate::numerics::float32::{self, Mode};
use crate::numerics::float64;
use crate::numerics::half_math::{self, HalfKind, HalfMode, pairs};
use crate::numerics::minmax::{self, MinMax};
use crate::numerics::rounding::Rounding;
use crate::types::Type;

/// Returns the operation, and its variant in global memory if that differs.
pub(crate) fn operation(name: &str, ty: Type) -> Option<(Apply, Option<Apply>)> {
    macro_rules! of {
        ($T:ty, |$old:ident, $a:ident| $body:expr) => {
            |old, a, _| {
                let ($old, $a) = (old as $T, a as $T);
                let new: $T = $body;
                // The value passes through the unsigned type of the same width, so that the upper
                // bits stay 0.
                u64::from_le_bytes({
                    let mut bytes = [0; 8];
                    bytes[..size_of::<$T>()].copy_from_slice(&new.to_le_bytes());
                    bytes
                })
            }
        };
    }
    const HALF: HalfMode = HalfMode {
        ftz: false,
        sat: false,
        relu: false,
    };
    let float: Apply = |old, a, _| u64::from(float32::add(old as u32, a as u32, Mode::default()));
    let flushed: Apply = |old, a, _| {
        u64::from(float32::add(
            old as u32,
            a as u32,
            Mode {
                ftz: true,
                ..Mode::default()
            },
        ))
    };
    Some(match (name, ty) {
        ("add", Type::F32) => (float, Some(flushed)),
        _ => {
            let apply: Apply = match (name, ty) {
                ("and", Type::B32 | Type::B64) => |old, a, _| old & a,
                ("or", Type::B32 | Type::B64) => |old, a, _| old | a,
                ("xor", Type::B32 | Type::B64) => |old, a, _| old ^ a,
                ("exch", Type::B32 | Type::B64) => |_, a, _| a,
                // PTX also accepts typed forms of `exch` and `cas`.
                ("exch", Type::U32 | Type::S32 | Type::F32 | Type::U64 | Type::S64) => |_, a, _| a,
                ("cas", Type::B16 | Type::B32 | Type::B64 | Type::U32 | Type::S32 | Type::U64) => {
                    |old, compare, value| if old == compare { value } else { old }
                }
                ("add", Type::U32 | Type::S32) => of!(u32, |old, a| old.wrapping_add(a)),
                ("add", Type::U64 | Type::S64) => of!(u64, |old, a| old.wrapping_add(a)),
                ("add", Type::F64) => |old, a, _| float64::add(old, a, Rounding::NearestEven),
                ("add", Type::F16) => {
                    |old, a, _| u64::from(half_math::add(HalfKind::F16, old as u16, a as u16, HALF))
                }
                ("add", Type::Bf16) => |old, a, _| {
                    u64::from(half_math::add(HalfKind::Bf16, old as u16, a as u16, HALF))
                },
                ("add", Type::F16x2) => |old, a, _| {
                    u64::from(pairs(old as u32, a as u32, |a, b| {
                        half_math::add(HalfKind::F16, a, b, HALF)
                    }))
                },
                ("add", Type::Bf16x2) => |old, a, _| {
                    u64::from(pairs(old as u32, a as u32, |a, b| {
                        half_math::add(HalfKind::Bf16, a, b, HALF)
                    }))
                },
                ("inc", Type::U32) => of!(u32, |old, a| if old >= a { 0 } else { old + 1 }),
                ("dec", Type::U32) => {
                    of!(u32, |old, a| if old == 0 || old > a { a } else { old - 1 })
                }
                ("min", Type::U32) => of!(u32, |old, a| old.min(a)),
                ("min", Type::S32) => of!(i32, |old, a| old.min(a)),
                ("min", Type::U64) => of!(u64, |old, a| old.min(a)),
                ("min", Type::S64) => of!(i64, |old, a| old.min(a)),
                ("max", Type::U32) => of!(u32, |old, a| old.max(a)),
                ("max", Type::S32) => of!(i32, |old, a| old.max(a)),
                ("max", Type::U64) => of!(u64, |old, a| old.max(a)),
                ("max", Type::S64) => of!(i64, |old, a| old.max(a)),
                _ => return None,
            };
            (apply, None)
        }
    })
}

/// Returns a bulk reduction by its name and type; with `flush`, the reduction flushes subnormal
/// 32-bit floats. The reduction computes the new value from the old value and the operand, as bits.
/// Minima follow `min.f16` and `min.bf16`, and there is no sum of `.s64` (measured on an H200).
pub(crate) fn reduction(name: &str, ty: Type, flush: bool) -> Option<Apply> {
    const MIN: MinMax = MinMax::MIN;
    const MAX: MinMax = MinMax::MAX;
    match (name, ty) {
        ("min", Type::F16) => Some(|old, new, _| minmax::f16(old as u16, new as u16, MIN).into()),
        ("max", Type::F16) => Some(|old, new, _| minmax::f16(old as u16, new as u16, MAX).into()),
        ("min", Type::Bf16) => Some(|old, new, _| minmax::bf16(old as u16, new as u16, MIN).into()),
        ("max", Type::Bf16) => Some(|old, new, _| minmax::bf16(old as u16, new as u16, MAX).into()),
        ("add", Type::S64) => None,
        _ => {
            let (apply, flushed) = operation(name, ty)?;
            Some(flushed.filter(|_| flush).unwrap_or(apply))
        }
    }
}
