//! Floating point, comparison, selection and conversion against plain Rust.

mod common;

use common::lanewise::{lanewise, lanewise_prepared, pairwise};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// PTX's NaN.
fn out(value: f32) -> u64 {
    if value.is_nan() {
        0x7fff_ffff
    } else {
        u64::from(value.to_bits())
    }
}

/// Of a NaN: the first operand that is one, made quiet, or the default NaN.
fn out64(value: f64, operands: &[u64]) -> u64 {
    match operands.iter().find(|&&x| d(x).is_nan()) {
        _ if !value.is_nan() => value.to_bits(),
        Some(nan) => nan | 1 << 51,
        None => 0xfff8_0000_0000_0000,
    }
}

fn flush(value: f32) -> f32 {
    if value.is_subnormal() {
        0.0f32.copysign(value)
    } else {
        value
    }
}

fn saturate(value: f32) -> f32 {
    // NaN and what is not above 0 become +0.
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

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
    // Directed rounding of a product: exact in f64, so the neighbour on the right side of it.
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
    // The sign of a, the magnitude of b.
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

/// Within `ulps` of the function in f64, special values exact.
fn close(instruction: &str, function: impl Fn(f64) -> f64, ulps: u32) {
    // The harness compares exactly, so the tolerance is in the definition: the result that a correctly rounded
    // function has, which is what the emulator gives for all of these.
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
    // Of the operand in turns, in f32 towards zero, as on devices.
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

#[test]
fn comparisons() {
    type Compare = (&'static str, fn(Option<std::cmp::Ordering>) -> bool);
    use std::cmp::Ordering::*;
    let operators: [Compare; 14] = [
        ("eq", |o| o == Some(Equal)),
        ("ne", |o| matches!(o, Some(Less | Greater))),
        ("lt", |o| o == Some(Less)),
        ("le", |o| matches!(o, Some(Less | Equal))),
        ("gt", |o| o == Some(Greater)),
        ("ge", |o| matches!(o, Some(Greater | Equal))),
        ("equ", |o| matches!(o, None | Some(Equal))),
        ("neu", |o| o != Some(Equal)),
        ("ltu", |o| matches!(o, None | Some(Less))),
        ("leu", |o| o != Some(Greater)),
        ("gtu", |o| matches!(o, None | Some(Greater))),
        ("geu", |o| o != Some(Less)),
        ("num", |o| o.is_some()),
        ("nan", |o| o.is_none()),
    ];
    let equalish = |x: &mut Vec<u64>| {
        if x[0].is_multiple_of(4) {
            x[1] = x[0];
        }
    };
    for (name, holds) in operators {
        lanewise_prepared(
            &format!("setp.{name}.f32 $d, $a, $b;"),
            1,
            &[32; 2],
            equalish,
            |x| u64::from(holds(f(x[0]).partial_cmp(&f(x[1])))),
        );
        lanewise_prepared(
            &format!("setp.{name}.f64 $d, $a, $b;"),
            1,
            &[64; 2],
            equalish,
            |x| u64::from(holds(d(x[0]).partial_cmp(&d(x[1])))),
        );
        lanewise_prepared(
            &format!("setp.{name}.f16 $d, $a, $b;"),
            1,
            &[16; 2],
            equalish,
            |x| {
                let h = |x: u64| half::f16::from_bits(x as u16).to_f32();
                u64::from(holds(h(x[0]).partial_cmp(&h(x[1]))))
            },
        );
    }
    for (name, holds) in &operators[..6] {
        lanewise_prepared(
            &format!("setp.{name}.s32 $d, $a, $b;"),
            1,
            &[32; 2],
            equalish,
            |x| u64::from(holds(Some((x[0] as i32).cmp(&(x[1] as i32))))),
        );
        lanewise_prepared(
            &format!("setp.{name}.u64 $d, $a, $b;"),
            1,
            &[64; 2],
            equalish,
            |x| u64::from(holds(Some(x[0].cmp(&x[1])))),
        );
        lanewise_prepared(
            &format!("setp.{name}.s16 $d, $a, $b;"),
            1,
            &[16; 2],
            equalish,
            |x| u64::from(holds(Some((x[0] as i16).cmp(&(x[1] as i16))))),
        );
    }
    for (name, holds) in [
        ("lo", (|a, b| a < b) as fn(u32, u32) -> bool),
        ("ls", |a, b| a <= b),
        ("hi", |a, b| a > b),
        ("hs", |a, b| a >= b),
    ] {
        lanewise_prepared(
            &format!("setp.{name}.u32 $d, $a, $b;"),
            1,
            &[32; 2],
            equalish,
            |x| u64::from(holds(x[0] as u32, x[1] as u32)),
        );
    }
    lanewise("setp.eq.ftz.f32 $d, $a, 0f00000000;", 1, &[32], |x| {
        u64::from(flush(f(x[0])) == 0.0)
    });
}

#[test]
fn joined_comparisons() {
    let less = |x: &[u64]| u64::from((x[0] as u32) < x[1] as u32);
    for (join, f) in [
        ("and", (|t, c| t & c) as fn(u64, u64) -> u64),
        ("or", |t, c| t | c),
        ("xor", |t, c| t ^ c),
    ] {
        pairwise(
            &format!("setp.lt.{join}.u32 $d|$e, $a, $b, $c;"),
            &[1, 1],
            &[32, 32, 1],
            |_| {},
            |x| vec![f(less(x), x[2]), f(less(x) ^ 1, x[2])],
        );
        lanewise(
            &format!("setp.lt.{join}.u32 $d, $a, $b, !$c;"),
            1,
            &[32, 32, 1],
            |x| f(less(x), x[2] ^ 1),
        );
        // The first result may be the predicate that is joined.
        lanewise(
            &format!(
                "mov.pred $d, $c; setp.lt.{join}.u32 $d|%p9, $a, $b, $d; xor.pred $d, $d, %p9;"
            ),
            1,
            &[32, 32, 1],
            |x| f(less(x), x[2]) ^ f(less(x) ^ 1, x[2]),
        );
        lanewise(
            &format!("set.lt.{join}.u32.u32 $d, $a, $b, $c;"),
            32,
            &[32, 32, 1],
            |x| {
                if f(less(x), x[2]) == 1 { u64::MAX } else { 0 }
            },
        );
    }
    lanewise("set.lt.f32.s32 $d, $a, $b;", 32, &[32; 2], |x| {
        if (x[0] as i32) < x[1] as i32 {
            u64::from(1.0f32.to_bits())
        } else {
            0
        }
    });
    // Each half of a pair has its own result.
    pairwise(
        "setp.lt.f16x2 $d|$e, $a, $b;",
        &[1, 1],
        &[32, 32],
        |_| {},
        |x| {
            let h = |x: u64| half::f16::from_bits(x as u16).to_f32();
            vec![
                u64::from(h(x[0]) < h(x[1])),
                u64::from(h(x[0] >> 16) < h(x[1] >> 16)),
            ]
        },
    );
}

#[test]
fn selection() {
    for w in [16, 32, 64] {
        lanewise(&format!("selp.b{w} $d, $a, $b, $c;"), w, &[w, w, 1], |x| {
            if x[2] == 1 { x[0] } else { x[1] }
        });
    }
    lanewise("selp.f32 $d, $a, 0f3F800000, $b;", 32, &[32, 1], |x| {
        if x[1] == 1 {
            x[0]
        } else {
            u64::from(1.0f32.to_bits())
        }
    });
    lanewise("slct.b64.s32 $d, $a, $b, $c;", 64, &[64, 64, 32], |x| {
        if x[2] as i32 >= 0 { x[0] } else { x[1] }
    });
    lanewise("slct.u32.f32 $d, $a, $b, $c;", 32, &[32; 3], |x| {
        if f(x[2]) >= 0.0 { x[0] } else { x[1] }
    });
    lanewise(
        "@$c add.u32 $a, $a, $b; mov.u32 $d, $a;",
        32,
        &[32, 32, 1],
        |x| {
            if x[2] == 1 {
                x[0].wrapping_add(x[1])
            } else {
                x[0]
            }
        },
    );
    lanewise(
        "@!$c add.u32 $a, $a, $b; mov.u32 $d, $a;",
        32,
        &[32, 32, 1],
        |x| {
            if x[2] == 0 {
                x[0].wrapping_add(x[1])
            } else {
                x[0]
            }
        },
    );
}

#[test]
fn integer_conversions() {
    let types = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
    let bits = |ty: &str| ty[1..].parse::<u32>().unwrap();
    let number = |ty: &str, x: u64| -> i128 {
        let (x, bits) = (i128::from(x), bits(ty));
        let x = x & ((1i128 << bits) - 1);
        if ty.starts_with('s') {
            x << (128 - bits) >> (128 - bits)
        } else {
            x
        }
    };
    for from in types {
        for to in types {
            // Registers of 16 bits and more: an 8-bit value is in a wider register.
            let (a, d) = (bits(from).max(16), bits(to).max(16));
            lanewise(&format!("cvt.{to}.{from} $d, $a;"), d, &[a], |x| {
                number(to, number(from, x[0]) as u64) as u64
            });
            let limits = |ty: &str| {
                if ty.starts_with('s') {
                    (-(1i128 << (bits(ty) - 1)), (1i128 << (bits(ty) - 1)) - 1)
                } else {
                    (0, (1i128 << bits(ty)) - 1)
                }
            };
            let ((least, most), (low, high)) = (limits(from), limits(to));
            // PTX has `.sat` only where there is something to clamp.
            if least < low || most > high {
                lanewise(&format!("cvt.sat.{to}.{from} $d, $a;"), d, &[a], |x| {
                    number(from, x[0]).clamp(low, high) as u64
                });
            }
            // And in the widest registers.
            lanewise(&format!("cvt.{to}.{from} $d, $a;"), 64, &[64], |x| {
                number(to, number(from, x[0]) as u64) as u64
            });
        }
    }
}

#[test]
fn float_conversions() {
    lanewise("cvt.rn.f32.s32 $d, $a;", 32, &[32], |x| {
        out(x[0] as i32 as f32)
    });
    lanewise("cvt.rn.f32.u32 $d, $a;", 32, &[32], |x| {
        out(x[0] as u32 as f32)
    });
    lanewise("cvt.rn.f32.u64 $d, $a;", 32, &[64], |x| out(x[0] as f32));
    lanewise("cvt.rn.f64.s64 $d, $a;", 64, &[64], |x| {
        out64(x[0] as i64 as f64, &[])
    });
    lanewise("cvt.f64.f32 $d, $a;", 64, &[32], |x| {
        out64(f64::from(f(x[0])), &[])
    });
    lanewise("cvt.rn.f32.f64 $d, $a;", 32, &[64], |x| {
        // A NaN keeps its sign and the upper part of its payload, as on an H200.
        if d(x[0]).is_nan() {
            (x[0] >> 63) << 31 | 0x7fc0_0000 | x[0] >> 29 & 0x7f_ffff
        } else {
            out(d(x[0]) as f32)
        }
    });
    // Rust's casts clamp as PTX does; of a NaN 32 bits take 0, and 64 bits the lowest of the sign bit alone.
    lanewise("cvt.rzi.s32.f32 $d, $a;", 32, &[32], |x| {
        f(x[0]) as i32 as u64
    });
    lanewise("cvt.rzi.u32.f32 $d, $a;", 32, &[32], |x| {
        u64::from(f(x[0]) as u32)
    });
    lanewise("cvt.rzi.s64.f32 $d, $a;", 64, &[32], |x| {
        if f(x[0]).is_nan() {
            1 << 63
        } else {
            f(x[0]) as i64 as u64
        }
    });
    lanewise("cvt.rni.s32.f32 $d, $a;", 32, &[32], |x| {
        f(x[0]).round_ties_even() as i32 as u64
    });
    lanewise("cvt.rmi.s32.f32 $d, $a;", 32, &[32], |x| {
        f(x[0]).floor() as i32 as u64
    });
    lanewise(
        "cvt.rpi.f32.f32 $d, $a;",
        32,
        &[32],
        |x| out(f(x[0]).ceil()),
    );
    lanewise("cvt.rni.f64.f64 $d, $a;", 64, &[64], |x| {
        out64(d(x[0]).round_ties_even(), x)
    });
    let h = |x: u64| half::f16::from_bits(x as u16).to_f32();
    lanewise("cvt.f32.f16 $d, $a;", 32, &[16], |x| out(h(x[0])));
    // A shift, NaN included.
    lanewise("cvt.f32.bf16 $d, $a;", 32, &[16], |x| x[0] << 16);
    let to_half = |v: f32| {
        if v.is_nan() {
            0x7fff
        } else {
            u64::from(half::f16::from_f32(v).to_bits())
        }
    };
    let to_bfloat = |v: f32| {
        if v.is_nan() {
            0x7fff
        } else {
            u64::from(half::bf16::from_f32(v).to_bits())
        }
    };
    lanewise("cvt.rn.f16.f32 $d, $a;", 16, &[32], |x| to_half(f(x[0])));
    lanewise("cvt.rn.bf16.f32 $d, $a;", 16, &[32], |x| to_bfloat(f(x[0])));
    lanewise("cvt.rn.f16x2.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        to_half(f(x[0])) << 16 | to_half(f(x[1]))
    });
    lanewise("cvt.rn.bf16x2.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        to_bfloat(f(x[0])) << 16 | to_bfloat(f(x[1]))
    });
    lanewise("cvt.rn.relu.f16x2.f32 $d, $a, $b;", 32, &[32; 2], |x| {
        let relu = |v: f32| if v.is_nan() { v } else { v.max(0.0) };
        to_half(relu(f(x[0])) + 0.0) << 16 | to_half(relu(f(x[1])) + 0.0)
    });
    lanewise("cvt.rna.tf32.f32 $d, $a;", 32, &[32], |x| {
        if f(x[0]).is_nan() {
            // The canonical NaN keeps what tf32 has of it.
            return emulator::numerics::tf32::from_f32_away(x[0] as u32).into();
        }
        if f(x[0]).is_infinite() {
            x[0]
        } else {
            (x[0] + 0x1000) & !0x1fff
        }
    });
    // The largest power of two that an f16 pair holds survives the way to 8 bits and back.
    pairwise(
        "cvt.rn.satfinite.e4m3x2.f32 $d, $a, $b; cvt.rn.f16x2.e4m3x2 $e, $d;",
        &[16, 32],
        &[32; 2],
        |x| {
            for value in x {
                let exponent = 121 + *value % 14;
                *value = exponent << 23 | *value & 0x8000_0000;
            }
        },
        |x| {
            let eight = |v: f32| {
                let sign = u64::from(v.is_sign_negative()) << 7;
                let power = (v.abs().log2() as i32 + 7) as u64;
                sign | power << 3
            };
            vec![
                eight(f(x[0])) << 8 | eight(f(x[1])),
                to_half(f(x[0])) << 16 | to_half(f(x[1])),
            ]
        },
    );
}

#[test]
fn halves() {
    let h = |x: u64| f64::from(half::f16::from_bits(x as u16));
    let b = |x: u64| f64::from(half::bf16::from_bits(x as u16));
    // Of two f16 the f64 sum and product are exact; of two bf16 the product. half rounds an f64 once.
    let to_h = |v: f64| {
        if v.is_nan() {
            0x7fff
        } else {
            u64::from(half::f16::from_f64(v).to_bits())
        }
    };
    let to_b = |v: f64| {
        if v.is_nan() {
            0x7fff
        } else {
            u64::from(half::bf16::from_f64(v).to_bits())
        }
    };
    lanewise("add.f16 $d, $a, $b;", 16, &[16; 2], |x| {
        to_h(h(x[0]) + h(x[1]))
    });
    lanewise("sub.rn.f16 $d, $a, $b;", 16, &[16; 2], |x| {
        to_h(h(x[0]) - h(x[1]))
    });
    lanewise("mul.f16 $d, $a, $b;", 16, &[16; 2], |x| {
        to_h(h(x[0]) * h(x[1]))
    });
    lanewise("mul.bf16 $d, $a, $b;", 16, &[16; 2], |x| {
        to_b(b(x[0]) * b(x[1]))
    });
    lanewise("add.f16x2 $d, $a, $b;", 32, &[32; 2], |x| {
        to_h(h(x[0]) + h(x[1])) | to_h(h(x[0] >> 16) + h(x[1] >> 16)) << 16
    });
    lanewise("mul.bf16x2 $d, $a, $b;", 32, &[32; 2], |x| {
        to_b(b(x[0]) * b(x[1])) | to_b(b(x[0] >> 16) * b(x[1] >> 16)) << 16
    });
    // Products of f16 have 22 bits and span 2^-48 to 2^32: with a third f16 the sum can need 80, so take operands
    // whose sum f64 holds.
    let near = |x: &mut Vec<u64>| {
        for value in x {
            *value = *value & 0x8fff | 0x3000;
        }
    };
    lanewise_prepared("fma.rn.f16 $d, $a, $b, $c;", 16, &[16; 3], near, |x| {
        to_h(h(x[0]) * h(x[1]) + h(x[2]))
    });
    lanewise_prepared("fma.rn.relu.f16 $d, $a, $b, $c;", 16, &[16; 3], near, |x| {
        to_h((h(x[0]) * h(x[1]) + h(x[2])).max(0.0) + 0.0)
    });
    lanewise("neg.f16 $d, $a;", 16, &[16], |x| to_h(-h(x[0])));
    lanewise("abs.bf16x2 $d, $a;", 32, &[32], |x| {
        to_b(b(x[0]).abs()) | to_b(b(x[0] >> 16).abs()) << 16
    });
    lanewise("max.f16 $d, $a, $b;", 16, &[16; 2], |x| {
        match (h(x[0]), h(x[1])) {
            (a, b) if a.is_nan() => to_h(b),
            (a, b) if b.is_nan() || a > b || a == b && b.is_sign_negative() => to_h(a),
            (_, b) => to_h(b),
        }
    });
}
