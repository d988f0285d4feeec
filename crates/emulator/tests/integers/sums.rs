//! Checks sums, products, quotients and carries.

use super::*;

#[test]
fn sums_products_quotients() {
    for ty in TYPES {
        let w = width(ty);
        let two = |op: &str, f: &dyn Fn(i128, i128) -> i128| {
            let instruction = format!("{op}.{ty} $d, $a, $b;");
            lanewise(&instruction, w, &[w, w], |x| {
                f(value(ty, x[0]), value(ty, x[1])) as u64
            });
        };
        two("add", &|a, b| a + b);
        two("sub", &|a, b| a - b);
        two("mul.lo", &|a, b| a.wrapping_mul(b));
        two("mul.hi", &|a, b| {
            // The product of two 64-bit unsigned numbers needs all 128 bits, without a sign.
            if ty.starts_with('u') {
                ((a as u128 * b as u128) >> w) as i128
            } else {
                (a * b) >> w
            }
        });
        two("min", &|a, b| a.min(b));
        two("max", &|a, b| a.max(b));
        // A divisor of 0 gives all ones, as on an H200.
        two("div", &|a, b| if b == 0 { -1 } else { a / b });
        two("rem", &|a, b| if b == 0 { -1 } else { a % b });
        lanewise(&format!("mad.lo.{ty} $d, $a, $b, $c;"), w, &[w; 3], |x| {
            x[0].wrapping_mul(x[1]).wrapping_add(x[2])
        });
        lanewise(&format!("mad.hi.{ty} $d, $a, $b, $c;"), w, &[w; 3], |x| {
            let (a, b) = (value(ty, x[0]), value(ty, x[1]));
            let high = if ty.starts_with('u') {
                ((a as u128 * b as u128) >> w) as u64
            } else {
                ((a * b) >> w) as u64
            };
            high.wrapping_add(x[2])
        });
        lanewise(&format!("sad.{ty} $d, $a, $b, $c;"), w, &[w; 3], |x| {
            ((value(ty, x[0]) - value(ty, x[1])).unsigned_abs() as u64).wrapping_add(x[2])
        });
    }
}

#[test]
fn wide_products() {
    for ty in ["u16", "s16", "u32", "s32"] {
        let w = width(ty);
        lanewise(&format!("mul.wide.{ty} $d, $a, $b;"), 2 * w, &[w, w], |x| {
            (value(ty, x[0]) * value(ty, x[1])) as u64
        });
        lanewise(
            &format!("mad.wide.{ty} $d, $a, $b, $c;"),
            2 * w,
            &[w, w, 2 * w],
            |x| ((value(ty, x[0]) * value(ty, x[1])) as u64).wrapping_add(x[2]),
        );
    }
    for ty in ["u32", "s32"] {
        let low = |x: u64| {
            if ty == "u32" {
                i128::from(x & 0xff_ffff)
            } else {
                signed(24, x & 0xff_ffff)
            }
        };
        lanewise(&format!("mul24.lo.{ty} $d, $a, $b;"), 32, &[32; 2], |x| {
            (low(x[0]) * low(x[1])) as u64
        });
        lanewise(&format!("mul24.hi.{ty} $d, $a, $b;"), 32, &[32; 2], |x| {
            ((low(x[0]) * low(x[1])) >> 16) as u64
        });
        lanewise(
            &format!("mad24.lo.{ty} $d, $a, $b, $c;"),
            32,
            &[32; 3],
            |x| ((low(x[0]) * low(x[1])) as u64).wrapping_add(x[2]),
        );
    }
}

#[test]
fn saturating_sums() {
    let clamp = |v: i128| v.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as u64;
    let s = |x: u64| signed(32, x);
    lanewise("add.sat.s32 $d, $a, $b;", 32, &[32; 2], |x| {
        clamp(s(x[0]) + s(x[1]))
    });
    lanewise("sub.sat.s32 $d, $a, $b;", 32, &[32; 2], |x| {
        clamp(s(x[0]) - s(x[1]))
    });
    lanewise("mad.hi.sat.s32 $d, $a, $b, $c;", 32, &[32; 3], |x| {
        clamp(((s(x[0]) * s(x[1])) >> 32) + s(x[2]))
    });
    lanewise("min.relu.s32 $d, $a, $b;", 32, &[32; 2], |x| {
        s(x[0]).min(s(x[1])).max(0) as u64
    });
    lanewise("max.relu.s32 $d, $a, $b;", 32, &[32; 2], |x| {
        s(x[0]).max(s(x[1])).max(0) as u64
    });
}

#[test]
fn carries_chain() {
    let wide = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    let halves = |x: u128| vec![x as u64, (x >> 64) as u64];
    pairwise(
        "add.cc.u64 $d, $a, $c; addc.u64 $e, $b, $x;",
        &[64, 64],
        &[64; 4],
        |_| {},
        |x| halves(wide(x[0], x[1]).wrapping_add(wide(x[2], x[3]))),
    );
    pairwise(
        "sub.cc.u64 $d, $a, $c; subc.u64 $e, $b, $x;",
        &[64, 64],
        &[64; 4],
        |_| {},
        |x| halves(wide(x[0], x[1]).wrapping_sub(wide(x[2], x[3]))),
    );
    // A sum of 64 bits is computed by words of 32, and the middle instruction passes the carry on.
    pairwise(
        "mov.b64 {%r30, %r31}, $a; mov.b64 {%r32, %r33}, $b;\n\
         add.cc.u32 %r34, %r30, %r32; addc.cc.u32 %r35, %r31, %r33; addc.u32 $e, 0, 0;\n\
         mov.b64 $d, {%r34, %r35};",
        &[64, 32],
        &[64; 2],
        |_| {},
        |x| {
            let (sum, carry) = x[0].overflowing_add(x[1]);
            vec![sum, u64::from(carry)]
        },
    );
    // A product of 64 x 64 to 128 bits is computed by 32-bit words.
    pairwise(
        "mov.b64 {%r30, %r31}, $a; mov.b64 {%r32, %r33}, $b;\n\
         mul.lo.u32 %r34, %r30, %r32; mul.hi.u32 %r35, %r30, %r32;\n\
         mad.lo.cc.u32 %r35, %r30, %r33, %r35; madc.hi.u32 %r36, %r30, %r33, 0;\n\
         mad.lo.cc.u32 %r35, %r31, %r32, %r35; madc.hi.cc.u32 %r36, %r31, %r32, %r36; addc.u32 %r37, 0, 0;\n\
         mad.lo.cc.u32 %r36, %r31, %r33, %r36; madc.hi.u32 %r37, %r31, %r33, %r37;\n\
         mov.b64 $d, {%r34, %r35}; mov.b64 $e, {%r36, %r37};",
        &[64, 64],
        &[64; 2],
        |_| {},
        |x| halves(u128::from(x[0]) * u128::from(x[1])),
    );
}
