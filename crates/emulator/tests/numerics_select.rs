//! Checks comparisons, min and max, `testp`, and the error of the approximations.

use emulator::numerics::approx::{self, Function};
use emulator::numerics::compare::{Comparison, Property};
use emulator::numerics::half_math::HalfKind;
use emulator::numerics::minmax::{self, MinMax};

const SINGLES: [u32; 14] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0xff7f_ffff,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xff80_0001,
];

#[test]
fn float_comparisons_are_algebra_and_nan() {
    type Relation = fn(&f32, &f32) -> bool;
    let relations: [(&str, Relation); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    for a in SINGLES {
        for b in SINGLES {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let nan = x.is_nan() || y.is_nan();
            let wide = |v: f32| (v as f64).to_bits();
            let holds = |name: &str| {
                let comparison = Comparison::from_modifier(name).unwrap();
                let result = comparison.f32(a, b, false);
                assert_eq!(comparison.f64(wide(x), wide(y)), result);
                result
            };
            for (name, relation) in relations {
                assert_eq!(holds(name), relation(&x, &y) && !nan, "{x} {name} {y}");
                assert_eq!(
                    holds(&format!("{name}u")),
                    relation(&x, &y) || nan,
                    "{x} {name}u {y}"
                );
                let flush = |v: f32| if v.is_subnormal() { 0.0 } else { v };
                let flushed = Comparison::from_modifier(name).unwrap().f32(a, b, true);
                assert_eq!(flushed, relation(&flush(x), &flush(y)) && !nan);
            }
            assert_eq!((holds("num"), holds("nan")), (!nan, nan));
        }
    }
    assert_eq!(Comparison::from_modifier("lx"), None);
    assert!(Comparison::Gt.half(HalfKind::F16, 0x3c00, 0xbc00, false));
    assert!(Comparison::Eq.half(HalfKind::F16, 0x0001, 0x8000, true));
    assert!(!Comparison::Eq.half(HalfKind::Bf16, 0x0001, 0x8000, false));
}

#[test]
fn integer_comparisons_follow_the_type() {
    for (name, signed, unsigned) in [
        ("lt", true, false),
        ("lo", true, false),
        ("ge", false, true),
        ("hs", false, true),
        ("ne", true, true),
    ] {
        let comparison = Comparison::from_modifier(name).unwrap();
        assert_eq!(comparison.integers(-1i32, 1), signed);
        assert_eq!(comparison.integers(u32::MAX, 1), unsigned);
    }
    assert!(Comparison::Ls.integers(5u64, 5) && !Comparison::Hi.integers(5u64, 5));
    assert!(Comparison::Le.integers(5i64, 5) && Comparison::Eq.integers(5i16, 5));
}

/// Compares min and max with the ISA's program, on every pair of special values.
#[test]
fn min_and_max_are_the_isa_s_program() {
    fn program(a: f32, b: f32, mode: MinMax) -> Option<f32> {
        let flush = |x: f32| {
            if mode.ftz && x.is_subnormal() {
                0f32.copysign(x)
            } else {
                x
            }
        };
        let (a, b) = (flush(a), flush(b));
        let sign = a.is_sign_negative() != b.is_sign_negative();
        let (a, b) = if mode.abs { (a.abs(), b.abs()) } else { (a, b) };
        let result = match (a.is_nan(), b.is_nan()) {
            (true, true) => return None,
            (true, false) | (false, true) if mode.nan => return None,
            (true, false) => b,
            (false, true) => a,
            // total_cmp orders the numbers with -0.0 below +0.0.
            _ => {
                let (low, high) = if a.total_cmp(&b).is_le() {
                    (a, b)
                } else {
                    (b, a)
                };
                if mode.max { high } else { low }
            }
        };
        Some(if mode.xorsign {
            result.abs() * if sign { -1.0 } else { 1.0 }
        } else {
            result
        })
    }
    for bits in 0..32u32 {
        let flag = |bit: u32| bits >> bit & 1 == 1;
        let mode = MinMax {
            max: flag(0),
            ftz: flag(1),
            nan: flag(2),
            abs: flag(3) || flag(4),
            xorsign: flag(4),
        };
        for a in SINGLES {
            for b in SINGLES {
                let expected = program(f32::from_bits(a), f32::from_bits(b), mode);
                let bits = expected.map_or(0x7fff_ffff, f32::to_bits);
                assert_eq!(minmax::f32(a, b, mode), bits, "{a:#x} {b:#x} {mode:?}");
                if !mode.ftz {
                    let wide = |x: u32| (f32::from_bits(x) as f64).to_bits();
                    let expected = expected.map_or(0xfff8_0000_0000_0000, |x| (x as f64).to_bits());
                    assert_eq!(minmax::f64(wide(a), wide(b), mode), expected);
                    let upper = |x: u32| (x >> 16) as u16 | u16::from(f32::from_bits(x).is_nan());
                    let single = |x: u32| f32::from_bits((upper(x) as u32) << 16);
                    let expected = program(single(a), single(b), mode);
                    let expected = expected.map_or(0x7fff, |x| (x.to_bits() >> 16) as u16);
                    assert_eq!(minmax::bf16(upper(a), upper(b), mode), expected);
                }
            }
        }
    }
    assert_eq!(minmax::f16(0x8000, 0x0000, MinMax::MIN), 0x8000);
    assert_eq!(minmax::f16(0x7c01, 0xfc00, MinMax::MAX), 0xfc00);
    assert_eq!(
        minmax::f16(
            0x0001,
            0x8001,
            MinMax {
                ftz: true,
                ..MinMax::MAX
            }
        ),
        0
    );
    let [one, two, minus] = [1.0f32, 2.0, -3.0].map(f32::to_bits);
    assert_eq!(minmax::f32_of_three(one, minus, two, MinMax::MAX), two);
    assert_eq!(
        minmax::f32_of_three(
            one,
            minus,
            two,
            MinMax {
                abs: true,
                ..MinMax::MAX
            }
        ),
        3.0f32.to_bits()
    );
}

#[test]
fn properties_partition_the_floats() {
    let of = |name: &str| Property::from_modifier(name).unwrap();
    for bits in SINGLES {
        let value = f32::from_bits(bits);
        let expected = [
            ("finite", value.is_finite()),
            ("infinite", value.is_infinite()),
            ("number", !value.is_nan()),
            ("notanumber", value.is_nan()),
            ("normal", value.is_normal() || value == 0.0),
            ("subnormal", value.is_subnormal()),
        ];
        for (name, holds) in expected {
            assert_eq!(of(name).f32(bits), holds, "{value} {name}");
            if name != "normal" && name != "subnormal" {
                assert_eq!(of(name).f64((value as f64).to_bits()), holds);
            }
        }
    }
    assert!(of("subnormal").f64(1) && of("normal").f64(0));
    assert_eq!(Property::from_modifier("odd"), None);
}

/// Checks that approximations are within one unit in the last place of the function computed in
/// f64, and exact where PTX's tables say so.
#[test]
fn approximations_are_near_and_special_operands_exact() {
    let reference = |name: &str, x: f64| match name {
        "rcp" => 1.0 / x,
        "sqrt" => x.sqrt(),
        "rsqrt" => x.sqrt().recip(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "ex2" => 2f64.powf(x),
        "lg2" => x.ln() / 2f64.ln(),
        _ => x.sinh() / x.cosh(),
    };
    for name in ["rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh"] {
        let function = Function::from_opcode(name).unwrap();
        for step in 1..2000 {
            let x = step as f32 * 0.0031;
            let exact = reference(name, x as f64);
            let found = f32::from_bits(function.f32(x.to_bits(), true)) as f64;
            // PTX's own bound applies to sine and cosine, for which devices convert the operand to
            // turns.
            let bound = match name {
                "sin" | "cos" => 2f64.powf(-20.5),
                _ => exact.abs() * 2f64.powi(-23) + 1e-15,
            };
            assert!((found - exact).abs() <= bound, "{name} {x} {found} {exact}");
        }
        assert_eq!(function.f32(f32::NAN.to_bits(), false), 0x7fff_ffff);
    }
    // Far from zero the turns have no fraction left; the results are an H200's.
    for (name, x, expected) in [
        ("sin", 0xcfc6_2d08, 0x8000_0000),
        ("sin", 0x6cb8_3615, 0),
        ("cos", 0xcf59_8ff6, 0x3f80_0000),
        ("cos", 0xf0de_6d2a, 0x3f80_0000),
    ] {
        let function = Function::from_opcode(name).unwrap();
        assert_eq!(function.f32(x, false), expected, "{name} {x:x}");
    }
    let cases = [
        ("rcp", -0.0f32, f32::NEG_INFINITY),
        ("rcp", f32::NEG_INFINITY, -0.0),
        ("sqrt", -0.0, -0.0),
        ("sqrt", f32::INFINITY, f32::INFINITY),
        ("rsqrt", 0.0, f32::INFINITY),
        ("rsqrt", f32::INFINITY, 0.0),
        ("sin", -0.0, -0.0),
        ("cos", 0.0, 1.0),
        ("ex2", f32::NEG_INFINITY, 0.0),
        ("ex2", f32::INFINITY, f32::INFINITY),
        ("ex2", 1e-42, 1.0),
        ("lg2", 0.0, f32::NEG_INFINITY),
        ("lg2", -0.0, f32::NEG_INFINITY),
        ("lg2", 1.0, 0.0),
        ("tanh", f32::NEG_INFINITY, -1.0),
        ("tanh", -0.0, -0.0),
    ];
    for (name, x, expected) in cases {
        assert_eq!(
            Function::from_opcode(name).unwrap().f32(x.to_bits(), false),
            expected.to_bits(),
            "{name} {x}"
        );
    }
    for (name, x) in [
        ("sqrt", -1.0f32),
        ("rsqrt", -1.0),
        ("lg2", -1.0),
        ("sin", f32::INFINITY),
        ("cos", f32::INFINITY),
    ] {
        assert_eq!(
            Function::from_opcode(name).unwrap().f32(x.to_bits(), false),
            0x7fff_ffff,
            "{name} {x}"
        );
    }
    assert_eq!(Function::from_opcode("exp"), None);
    assert_eq!(
        Function::Rcp.f32(1e-40f32.to_bits(), true),
        f32::INFINITY.to_bits()
    );
    assert_eq!(Function::Ex2.half(HalfKind::F16, 0x4200, false), 0x4800);
    assert_eq!(Function::Ex2.half(HalfKind::Bf16, 0xff80, true), 0);
    assert_eq!(Function::Tanh.half(HalfKind::Bf16, 0x7f80, false), 0x3f80);
}

#[test]
fn coarse_doubles_have_a_zero_lower_word() {
    for x in [3.0f64, 1e-3, 7e200, -5.5] {
        let found = Function::Rcp.f64_coarse(x.to_bits() | 0xffff);
        assert_eq!(found & 0xffff_ffff, 0);
        assert!((f64::from_bits(found) * x - 1.0).abs() < 2f64.powi(-19));
    }
    let upper = |x: f64| Function::Rcp.f64_coarse(x.to_bits());
    assert_eq!(upper(f64::NAN), 0x7fff_ffff_0000_0000);
    assert_eq!(upper(-1e-310), f64::NEG_INFINITY.to_bits());
    assert_eq!(upper(f64::INFINITY), 0);
    assert_eq!(Function::Rsqrt.f64(0.25f64.to_bits()), 2.0f64.to_bits());
    assert_eq!(
        Function::Rsqrt.f64_coarse(16.0f64.to_bits()),
        0.25f64.to_bits()
    );
}

#[test]
fn quotients_by_huge_divisors_vanish_in_div_approx() {
    let bits = |x: f32| x.to_bits();
    let huge = 2f32.powi(127);
    assert_eq!(
        approx::div_approx(bits(-8.0), bits(huge), false),
        bits(-0.0)
    );
    assert_eq!(
        approx::div_approx(bits(f32::INFINITY), bits(huge), false),
        0x7fff_ffff
    );
    assert_eq!(
        approx::div_approx(bits(2f32.powi(126)), bits(2f32.powi(126)), false),
        bits(1.0)
    );
    assert_eq!(approx::div_approx(bits(1.0), bits(f32::INFINITY), false), 0);
    assert_eq!(
        approx::div_full(bits(-8.0), bits(huge), false),
        bits(-8.0 / huge)
    );
    assert_eq!(
        approx::div_full(bits(1.0), bits(1e-40), true),
        bits(f32::INFINITY)
    );
}
