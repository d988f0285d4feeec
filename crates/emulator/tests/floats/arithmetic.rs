//! Checks sums, products, their modifiers, signs and approximations.

use super::*;

#[test]
fn sums_and_products() {
    lanewise("add.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(f(x[0]) + f(x[1]))
    });
    lanewise("add.rn.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(f(x[0]) + f(x[1]))
    });
    lanewise("sub.rn.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(f(x[0]) - f(x[1]))
    });
    lanewise("mul.rn.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(f(x[0]) * f(x[1]))
    });
    lanewise("fma.rn.f32 $d, $a, $b, $c;", 32, &[32; 3], |x| {
        out(f(x[0]).mul_add(f(x[1]), f(x[2])))
    });
    lanewise("div.rn.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(f(x[0]) / f(x[1]))
    });
    lanewise("rcp.rn.f32 $d, $a;", 32, &[32], |x| out(1.0 / f(x[0])));
    lanewise("sqrt.rn.f32 $d, $a;", 32, &[32], |x| out(f(x[0]).sqrt()));
    lanewise("add.f64 $d, $a, $b;", 64, &[64; 2], |x| {
        out64(d(x[0]) + d(x[1]), x)
    });
    lanewise("sub.rn.f64 $d, $a, $b;", 64, &[64; 2], |x| {
        out64(d(x[0]) - d(x[1]), x)
    });
    lanewise("mul.rn.f64 $d, $a, $b;", 64, &[64; 2], |x| {
        out64(d(x[0]) * d(x[1]), x)
    });
    lanewise("fma.rn.f64 $d, $a, $b, $c;", 64, &[64; 3], |x| {
        out64(d(x[0]).mul_add(d(x[1]), d(x[2])), x)
    });
    lanewise("div.rn.f64 $d, $a, $b;", 64, &[64; 2], |x| {
        out64(d(x[0]) / d(x[1]), x)
    });
    lanewise("sqrt.rn.f64 $d, $a;", 64, &[64], |x| {
        out64(d(x[0]).sqrt(), x)
    });
}

#[test]
fn modifiers() {
    lanewise("add.ftz.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(flush(flush(f(x[0])) + flush(f(x[1]))))
    });
    lanewise("mul.ftz.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(flush(flush(f(x[0])) * flush(f(x[1]))))
    });
    lanewise("add.sat.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(saturate(f(x[0]) + f(x[1])))
    });
    lanewise("mul.rn.ftz.sat.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(saturate(flush(flush(f(x[0])) * flush(f(x[1])))))
    });
    lanewise("fma.rn.sat.f32 $d, $a, $b, $c;", 32, &[32; 3], |x| {
        out(saturate(f(x[0]).mul_add(f(x[1]), f(x[2]))))
    });
    // Directed rounding of a product: the product is exact in f64, so the result is its neighbour
    // on the rounding's side.
    let tame = |x: &mut Vec<u64>| {
        for value in x {
            *value = *value & 0x80ff_ffff | 0x3f00_0000;
        }
    };
    for (mode, up) in [("rp", true), ("rm", false)] {
        lanewise_prepared(
            &format!("mul.{mode}.f32 $d, $a, $b;"),
            32,
            &[32; 2],
            tame,
            |x| {
                let exact = f64::from(f(x[0])) * f64::from(f(x[1]));
                let near = exact as f32;
                let back = f64::from(near);
                out(if back < exact && up {
                    near.next_up()
                } else if back > exact && !up {
                    near.next_down()
                } else {
                    near
                })
            },
        );
    }
    lanewise_prepared("mul.rz.f32 $d, $a, $b;", 32, &[32; 2], tame, |x| {
        let exact = f64::from(f(x[0])) * f64::from(f(x[1]));
        let near = exact as f32;
        let shrunk = f32::from_bits(near.to_bits() - 1);
        out(if f64::from(near).abs() > exact.abs() {
            shrunk
        } else {
            near
        })
    });
}

#[test]
fn signs_and_extremes() {
    lanewise("neg.f32 $d, $a;", 32, &[32], |x| out(-f(x[0])));
    lanewise("abs.f32 $d, $a;", 32, &[32], |x| out(f(x[0]).abs()));
    lanewise("neg.f64 $d, $a;", 64, &[64], |x| x[0] ^ 1 << 63);
    lanewise("abs.f64 $d, $a;", 64, &[64], |x| x[0] & !(1 << 63));
    // The result has the sign of a and the magnitude of b.
    lanewise("copysign.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        x[0] & 1 << 31 | x[1] & 0x7fff_ffff
    });
    lanewise("copysign.f64 $d, $a, $b;", 64, &[64; 2], |x| {
        x[0] & 1 << 63 | x[1] & (u64::MAX >> 1)
    });
    let below = |a: f32, b: f32| a < b || a == b && a.is_sign_negative();
    lanewise("min.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        let (a, b) = (f(x[0]), f(x[1]));
        match (a.is_nan(), b.is_nan()) {
            (true, _) => out(b),
            (_, true) => out(a),
            _ => out(if below(a, b) { a } else { b }),
        }
    });
    lanewise("max.NaN.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        let (a, b) = (f(x[0]), f(x[1]));
        if a.is_nan() || b.is_nan() {
            out(f32::NAN)
        } else {
            out(if below(a, b) { b } else { a })
        }
    });
    lanewise("min.xorsign.abs.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        let (a, b) = (f(x[0]), f(x[1]));
        let sign = (x[0] ^ x[1]) & 1 << 31;
        match (a.is_nan(), b.is_nan()) {
            (true, true) => out(f32::NAN),
            (true, _) => u64::from(b.abs().to_bits()) | sign,
            (_, true) => u64::from(a.abs().to_bits()) | sign,
            _ => u64::from(a.abs().min(b.abs()).to_bits()) | sign,
        }
    });
    lanewise("max.f64 $d, $a, $b;", 64, &[64; 2], |x| {
        let (a, b) = (d(x[0]), d(x[1]));
        match (a.is_nan(), b.is_nan()) {
            (true, true) => 0xfff8_0000_0000_0000,
            (true, _) => b.to_bits(),
            (_, true) => a.to_bits(),
            _ => f64::to_bits(if a > b || a == b && b.is_sign_negative() {
                a
            } else {
                b
            }),
        }
    });
    for (property, holds) in [
        ("finite", (|v| v.is_finite()) as fn(f32) -> bool),
        ("infinite", |v| v.is_infinite()),
        ("number", |v| !v.is_nan()),
        ("notanumber", |v| v.is_nan()),
        ("normal", |v| v.is_normal() || v == 0.0),
        ("subnormal", |v| v.is_subnormal()),
    ] {
        lanewise(&format!("testp.{property}.f32 $d, $a;"), 1, &[32], |x| {
            u64::from(holds(f(x[0])))
        });
    }
}

/// Checks that the result is within `ulps` of the function in f64, and that special values are
/// exact.
fn close(instruction: &str, function: impl Fn(f64) -> f64, ulps: u32) {
    // The harness compares exactly. The definition is therefore the correctly rounded result, which
    // the emulator gives for all of these functions.
    assert!(ulps >= 1);
    lanewise(instruction, 32, &[32], |x| {
        out(function(f64::from(f(x[0]))) as f32)
    });
}

#[test]
fn approximations_are_correctly_rounded() {
    close("rcp.approx.f32 $d, $a;", |x| 1.0 / x, 1);
    close("sqrt.approx.f32 $d, $a;", f64::sqrt, 1);
    close("rsqrt.approx.f32 $d, $a;", |x| 1.0 / x.sqrt(), 2);
    close("ex2.approx.f32 $d, $a;", f64::exp2, 2);
    close("lg2.approx.f32 $d, $a;", f64::log2, 1);
    close("tanh.approx.f32 $d, $a;", f64::tanh, 1);
    // Devices convert the operand to turns, in f32, rounded towards zero.
    let radians = |x: f64| {
        let exact = x * f64::from(f32::from_bits(0x3e22_f983));
        let near = exact as f32;
        let turns = if f64::from(near).abs() > exact.abs() {
            f32::from_bits(near.to_bits() - 1)
        } else {
            near
        };
        f64::from(turns) % 1.0 * std::f64::consts::TAU
    };
    close("sin.approx.f32 $d, $a;", |x| radians(x).sin(), 1);
    close("cos.approx.f32 $d, $a;", |x| radians(x).cos(), 1);
    lanewise("div.full.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        out(f(x[0]) / f(x[1]))
    });
}
