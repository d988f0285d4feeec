//! Checks the arithmetic of `.f16` and `.bf16`: results are rounded once, whereas a computation in
//! `f32` would round twice.

mod random;

use emulator::numerics::half_math::{self, HalfKind, HalfMode};
use emulator::numerics::rounding::Rounding;
use emulator::numerics::{bf16, half as f16, soft};
use random::Random;

impl Random {
    fn half(&mut self, kind: HalfKind, like: u16) -> u16 {
        match kind {
            HalfKind::F16 => self.float(5, 10, like as u64) as u16,
            HalfKind::Bf16 => self.float(8, 7, like as u64) as u16,
        }
    }
}

/// Compares add, mul and fma of halves, rounded once, with the reference in integers.
#[test]
fn halves_are_rounded_once() {
    let mut random = Random(17);
    let near = Rounding::NearestEven;
    let plain = HalfMode::default();
    let mut double_rounding_seen = 0;
    for kind in [HalfKind::F16, HalfKind::Bf16] {
        let format = if kind == HalfKind::F16 {
            soft::F16
        } else {
            soft::BF16
        };
        for _ in 0..600_000 {
            let a = random.half(kind, kind.one());
            let (b, c) = (random.half(kind, a), random.half(kind, a));
            let (aw, bw, cw) = (a as u64, b as u64, c as u64);
            let text = format!("{kind:?} {a:#x} {b:#x} {c:#x}");
            assert_eq!(
                half_math::add(kind, a, b, plain) as u64,
                soft::add(format, aw, bw, near),
                "{text}"
            );
            assert_eq!(
                half_math::sub(kind, a, b, plain) as u64,
                soft::add(format, aw, bw ^ 0x8000, near),
                "{text}"
            );
            assert_eq!(
                half_math::mul(kind, a, b, plain) as u64,
                soft::mul(format, aw, bw, near),
                "{text}"
            );
            let fused = half_math::fma(kind, a, b, c, plain);
            assert_eq!(fused as u64, soft::fma(format, aw, bw, cw, near), "{text}");
            let single = |bits: u16| f32::from_bits(kind.to_f32(bits));
            let twice = single(a).mul_add(single(b), single(c)).to_bits();
            let twice = if kind == HalfKind::F16 {
                f16::from_f32_nearest(twice)
            } else {
                bf16::from_f32_nearest(twice)
            };
            double_rounding_seen += usize::from(twice != fused);
        }
    }
    // The double rounding that this test looks for occurs.
    assert!(double_rounding_seen > 0);
}

#[test]
fn half_modifiers_are_filters() {
    let kind = HalfKind::F16;
    let one = kind.one();
    let plain = HalfMode::default();
    let (ftz, sat, relu) = (
        HalfMode { ftz: true, ..plain },
        HalfMode { sat: true, ..plain },
        HalfMode {
            relu: true,
            ..plain
        },
    );
    assert_eq!(half_math::add(kind, 1, 1, plain), 2);
    assert_eq!(half_math::add(kind, 1, 1, ftz), 0);
    assert_eq!(half_math::add(kind, 0x8001, 0x8001, ftz), 0x8000);
    assert_eq!(half_math::mul(kind, 0x0400, 0x3800, ftz), 0);
    assert_eq!(half_math::add(kind, one, one, sat), one);
    assert_eq!(half_math::sub(kind, 0, one, sat), 0);
    assert_eq!(half_math::mul(kind, 0x7c00, 0, sat), 0);
    assert_eq!(half_math::fma(kind, one, one ^ 0x8000, 0, relu), 0);
    assert_eq!(half_math::fma(kind, 0x7c00, 0, 0, relu), 0x7fff);
    assert_eq!(half_math::neg(kind, 0xfe00, false), 0x7fff);
    assert_eq!(half_math::abs(HalfKind::Bf16, 0xbf80, false), 0x3f80);
    assert_eq!(
        half_math::pairs3(0x3c00_4000, 0x3c00_4000, 0x3c00_0000, |a, b, c| {
            half_math::fma(kind, a, b, c, plain)
        }),
        0x4000_4400
    );
    assert_eq!(
        half_math::both(0x3c00_bc00, |a| half_math::neg(kind, a, false)),
        0xbc00_3c00
    );
}
