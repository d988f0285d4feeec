//! Checks `.f16`, `.bf16` and their pairs.

use super::*;

#[test]
fn halves() {
    let h = |x: u64| f64::from(half::f16::from_bits(x as u16));
    let b = |x: u64| f64::from(half::bf16::from_bits(x as u16));
    // The sum and the product of two f16 are exact in f64, and so is the product of two bf16. The
    // crate `half` rounds an f64 once.
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
    // Products of f16 have 22 bits and span 2^-48 to 2^32. With a third f16 the sum can need 80
    // bits, so the operands are chosen such that f64 holds the sum.
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
