//! Checks `cvt` of integers and floats.

use super::*;
use emulator::numerics::{packed, soft};

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
            // PTX has `.sat` only for types that can exceed the range.
            if least < low || most > high {
                lanewise(&format!("cvt.sat.{to}.{from} $d, $a;"), d, &[a], |x| {
                    number(from, x[0]).clamp(low, high) as u64
                });
            }
            // The same conversion, in the widest registers.
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
    // Rust's casts clamp as PTX does. For a NaN, 32-bit results are 0, and 64-bit results have only
    // the sign bit set.
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
    // The conversion is a shift, for NaN too.
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
            // The canonical NaN keeps the bits that tf32 has.
            return emulator::numerics::tf32::from_f32_away(x[0] as u32).into();
        }
        if f(x[0]).is_infinite() {
            x[0]
        } else {
            (x[0] + 0x1000) & !0x1fff
        }
    });
    // The largest power of two that an f16 pair holds survives the conversion to 8 bits and back.
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
    let pair = |x: &[u64]| (x[0] as u32, x[1] as u32);
    for (name, format) in [("e2m3x2", soft::E2M3), ("e3m2x2", soft::E3M2)] {
        let text =
            format!("cvt.rn.satfinite.{name}.f32 $d, $a, $b; cvt.rn.relu.f16x2.{name} $e, $d;");
        let definition = |x: &[u64]| {
            let (a, b) = pair(x);
            let narrow = packed::narrow_from_f32_pair(format, false, a, b);
            let back = packed::narrow_to_f16_pair(format, true, narrow);
            vec![narrow.into(), back.into()]
        };
        pairwise(&text, &[16, 32], &[32; 2], |_| {}, definition);
    }
    pairwise(
        ".reg .b8 four; cvt.rn.satfinite.relu.e2m1x2.f32 four, $a, $b; cvt.u32.u8 $d, four; \
         cvt.rn.f16x2.e2m1x2 $e, four; cvt.rn.satfinite.e2m1x2.f16x2 four, $e; cvt.u32.u8 $f, four;",
        &[32; 3],
        &[32; 2],
        |_| {},
        |x| {
            let (a, b) = pair(x);
            let narrow = packed::narrow_from_f32_pair(soft::E2M1, true, a, b);
            let halves = packed::narrow_to_f16_pair(soft::E2M1, false, narrow);
            vec![narrow.into(), halves.into(), narrow.into()]
        },
    );
    for (modifiers, modes) in [
        ("rz", [false, false]),
        ("rp", [true, false]),
        ("rz.satfinite", [false, true]),
        ("rp.satfinite", [true, true]),
    ] {
        let text = format!(
            "cvt.{modifiers}.ue8m0x2.f32 $d, $a, $b; cvt.{modifiers}.ue8m0x2.bf16x2 $f, $a; cvt.rn.bf16x2.ue8m0x2 $e, $d;"
        );
        let definition = |x: &[u64]| {
            let (a, b) = pair(x);
            let narrow = packed::ue8m0_from_f32_pair(modes, a, b);
            let halves = packed::ue8m0_to_bf16_pair(narrow);
            let of_halves = packed::ue8m0_from_bf16_pair(modes, a);
            vec![narrow.into(), halves.into(), of_halves.into()]
        };
        pairwise(&text, &[16, 32, 16], &[32; 2], |_| {}, definition);
    }
}
