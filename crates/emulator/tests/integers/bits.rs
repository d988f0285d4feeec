//! Checks logic, shifts, fields, bytes, moves.

use super::*;

#[test]
fn one_operand() {
    for (ty, w) in [("s16", 16), ("s32", 32), ("s64", 64)] {
        lanewise(&format!("neg.{ty} $d, $a;"), w, &[w], |x| {
            x[0].wrapping_neg()
        });
        lanewise(&format!("abs.{ty} $d, $a;"), w, &[w], |x| {
            signed(w, x[0]).unsigned_abs() as u64
        });
    }
    for w in [32, 64] {
        let leading = |x: u64| u64::from(x.leading_zeros()) - u64::from(64 - w);
        lanewise(&format!("popc.b{w} $d, $a;"), 32, &[w], |x| {
            u64::from(x[0].count_ones())
        });
        lanewise(&format!("clz.b{w} $d, $a;"), 32, &[w], |x| leading(x[0]));
        lanewise(&format!("brev.b{w} $d, $a;"), w, &[w], |x| {
            x[0].reverse_bits() >> (64 - w)
        });
        lanewise(&format!("bfind.u{w} $d, $a;"), 32, &[w], |x| {
            if x[0] == 0 {
                u64::MAX
            } else {
                u64::from(63 - x[0].leading_zeros())
            }
        });
        lanewise(&format!("bfind.shiftamt.u{w} $d, $a;"), 32, &[w], |x| {
            if x[0] == 0 { u64::MAX } else { leading(x[0]) }
        });
        lanewise(&format!("bfind.s{w} $d, $a;"), 32, &[w], |x| {
            let ones = if signed(w, x[0]) < 0 {
                !x[0] & (u64::MAX >> (64 - w))
            } else {
                x[0]
            };
            if ones == 0 {
                u64::MAX
            } else {
                u64::from(63 - ones.leading_zeros())
            }
        });
    }
}

#[test]
fn logic() {
    for w in [16, 32, 64] {
        lanewise(&format!("and.b{w} $d, $a, $b;"), w, &[w; 2], |x| {
            x[0] & x[1]
        });
        lanewise(&format!("or.b{w} $d, $a, $b;"), w, &[w; 2], |x| x[0] | x[1]);
        lanewise(&format!("xor.b{w} $d, $a, $b;"), w, &[w; 2], |x| {
            x[0] ^ x[1]
        });
        lanewise(&format!("not.b{w} $d, $a;"), w, &[w], |x| !x[0]);
        lanewise(&format!("cnot.b{w} $d, $a;"), w, &[w], |x| {
            u64::from(x[0] == 0)
        });
    }
    lanewise("and.pred $d, $a, $b;", 1, &[1; 2], |x| x[0] & x[1]);
    lanewise("or.pred $d, $a, $b;", 1, &[1; 2], |x| x[0] | x[1]);
    lanewise("xor.pred $d, $a, $b;", 1, &[1; 2], |x| x[0] ^ x[1]);
    lanewise("not.pred $d, $a;", 1, &[1], |x| !x[0]);
    lanewise("mov.pred $d, $a;", 1, &[1], |x| x[0]);
    for table in [0u64, 0x80, 0xe8, 0x96, 0x1b, 0xff] {
        let f = |x: &[u64]| {
            (0..32).fold(0, |d, bit| {
                let index = (x[0] >> bit & 1) << 2 | (x[1] >> bit & 1) << 1 | x[2] >> bit & 1;
                d | (table >> index & 1) << bit
            })
        };
        lanewise(
            &format!("lop3.b32 $d, $a, $b, $c, {table};"),
            32,
            &[32; 3],
            f,
        );
        let instruction = format!("lop3.or.b32 $d|$e, $a, $b, $c, {table}, $x;");
        pairwise(
            &instruction,
            &[32, 1],
            &[32, 32, 32, 1],
            |_| {},
            |x| vec![f(x), u64::from(f(x) != 0) | x[3]],
        );
    }
}

#[test]
fn shifts_clamp() {
    for w in [16u32, 32, 64] {
        let near = |x: &mut Vec<u64>| {
            if x[0].is_multiple_of(2) {
                x[1] %= 70;
            }
        };
        let amount = |x: u64| (x & 0xffff_ffff).min(127) as u32;
        lanewise_prepared(&format!("shl.b{w} $d, $a, $b;"), w, &[w, 32], near, |x| {
            ((u128::from(x[0])).checked_shl(amount(x[1])).unwrap_or(0)) as u64
        });
        lanewise_prepared(&format!("shr.u{w} $d, $a, $b;"), w, &[w, 32], near, |x| {
            (u128::from(x[0]) >> amount(x[1])) as u64
        });
        lanewise_prepared(&format!("shr.s{w} $d, $a, $b;"), w, &[w, 32], near, |x| {
            (signed(w, x[0]) >> amount(x[1])) as u64
        });
    }
    for (mode, shift) in [
        ("wrap", (|c: u64| c & 31) as fn(u64) -> u64),
        ("clamp", |c: u64| c.min(32)),
    ] {
        let near = |x: &mut Vec<u64>| x[2] %= 40;
        lanewise_prepared(
            &format!("shf.l.{mode}.b32 $d, $a, $b, $c;"),
            32,
            &[32; 3],
            near,
            |x| (((x[1] << 32 | x[0]) as u128) << shift(x[2]) >> 32) as u64,
        );
        lanewise_prepared(
            &format!("shf.r.{mode}.b32 $d, $a, $b, $c;"),
            32,
            &[32; 3],
            near,
            |x| (u128::from(x[1] << 32 | x[0]) >> shift(x[2])) as u64,
        );
    }
}

#[test]
fn bit_fields() {
    for w in [32u32, 64] {
        let small = |at: usize| {
            move |x: &mut Vec<u64>| {
                x[at] %= 80;
                x[at + 1] %= 80;
            }
        };
        let ones = |n: u64| {
            if n >= 128 {
                u128::MAX
            } else {
                (1u128 << n) - 1
            }
        };
        lanewise_prepared(
            &format!("bfe.u{w} $d, $a, $b, $c;"),
            w,
            &[w, 32, 32],
            small(1),
            |x| (u128::from(x[0]) >> x[1] & ones(x[2])) as u64,
        );
        lanewise_prepared(
            &format!("bfe.s{w} $d, $a, $b, $c;"),
            w,
            &[w, 32, 32],
            small(1),
            |x| {
                // The sign of the field continues above it, and bits past the operand are its sign.
                if x[2] == 0 {
                    return 0;
                }
                let field = signed(w, x[0]) >> x[1];
                let unused = 128 - x[2].min(128) as u32;
                (field << unused >> unused) as u64
            },
        );
        lanewise_prepared(
            &format!("bfi.b{w} $d, $a, $b, $c, $x;"),
            w,
            &[w, w, 32, 32],
            small(2),
            |x| {
                let mask = (ones(x[3]) << x[2]) as u64;
                x[1] & !mask | ((u128::from(x[0]) << x[2]) as u64) & mask
            },
        );
    }
    let near = |x: &mut Vec<u64>| {
        x[0] %= 40;
        x[1] %= 40;
    };
    lanewise_prepared("bmsk.clamp.b32 $d, $a, $b;", 32, &[32; 2], near, |x| {
        let (a, b) = (x[0].min(32), x[1].min(32));
        (((1u128 << b) - 1) << a) as u64
    });
    lanewise_prepared("bmsk.wrap.b32 $d, $a, $b;", 32, &[32; 2], near, |x| {
        let (a, b) = (x[0] & 31, x[1] & 31);
        (((1u128 << b) - 1) << a) as u64
    });
    for (mode, ty) in [
        ("clamp", "u32"),
        ("clamp", "s32"),
        ("wrap", "u32"),
        ("wrap", "s32"),
    ] {
        lanewise_prepared(
            &format!("szext.{mode}.{ty} $d, $a, $b;"),
            32,
            &[32; 2],
            // The amounts are around 32, where the modes differ, and some are far above.
            |x| x[1] = if x[1] % 8 == 0 { x[1] } else { x[1] % 40 },
            |x| {
                let bits = if mode == "clamp" {
                    x[1].min(32)
                } else {
                    x[1] % 32
                } as u32;
                let low = x[0] & ((1 << bits) - 1);
                if ty == "u32" || bits == 0 {
                    low
                } else {
                    signed(bits, low) as u64
                }
            },
        );
    }
    let nth = |x: &mut Vec<u64>| {
        x[1] %= 32;
        x[2] = (x[2] as i64 % 10) as u64 & 0xffff_ffff;
    };
    lanewise_prepared("fns.b32 $d, $a, $b, $c;", 32, &[32; 3], nth, |x| {
        // The result is the n-th set bit from the base on: upwards for n > 0 (where the base counts
        // as the first), downwards for n < 0.
        let (mask, base, n) = (x[0], x[1] as i64, x[2] as u32 as i32);
        let set = |i: i64| mask >> i & 1 == 1;
        if n == 0 {
            return if set(base) { base as u64 } else { u64::MAX };
        }
        let mut left = n.unsigned_abs();
        let mut at = base;
        while (0..32).contains(&at) {
            if set(at) {
                left -= 1;
                if left == 0 {
                    return at as u64;
                }
            }
            at += i64::from(n.signum());
        }
        u64::MAX
    });
}

#[test]
fn bytes() {
    let byte = |x: &[u64], selector: u64| {
        let byte = (x[1] << 32 | x[0]) >> (8 * (selector & 7)) & 0xff;
        if selector & 8 == 0 {
            byte
        } else if byte & 0x80 != 0 {
            0xff
        } else {
            0
        }
    };
    lanewise("prmt.b32 $d, $a, $b, $c;", 32, &[32; 3], |x| {
        (0..4).fold(0, |d, i| d | byte(x, x[2] >> (4 * i) & 15) << (8 * i))
    });
    lanewise("prmt.b32.f4e $d, $a, $b, $c;", 32, &[32; 3], |x| {
        (0..4).fold(0, |d, i| d | byte(x, (x[2] & 3) + i) << (8 * i))
    });
    lanewise("prmt.b32.rc16 $d, $a, $b, $c;", 32, &[32; 3], |x| {
        let half = x[0] >> (16 * (x[2] & 1)) & 0xffff;
        half << 16 | half
    });
    for (a, b) in [
        ("u32", "u32"),
        ("s32", "s32"),
        ("u32", "s32"),
        ("s32", "u32"),
    ] {
        let part = |ty: &str, bits: u32, x: u64, i: u32| {
            let part = x >> (bits * i) & ((1 << bits) - 1);
            if ty == "s32" {
                signed(bits, part)
            } else {
                i128::from(part)
            }
        };
        lanewise(
            &format!("dp4a.{a}.{b} $d, $a, $b, $c;"),
            32,
            &[32; 3],
            |x| {
                let sum: i128 = (0..4)
                    .map(|i| part(a, 8, x[0], i) * part(b, 8, x[1], i))
                    .sum();
                (sum as u64).wrapping_add(x[2])
            },
        );
        for (half, first) in [("lo", 0), ("hi", 2)] {
            lanewise(
                &format!("dp2a.{half}.{a}.{b} $d, $a, $b, $c;"),
                32,
                &[32; 3],
                |x| {
                    let sum: i128 = (0..2)
                        .map(|i| part(a, 16, x[0], i) * part(b, 8, x[1], first + i))
                        .sum();
                    (sum as u64).wrapping_add(x[2])
                },
            );
        }
    }
    lanewise("add.s16x2 $d, $a, $b;", 32, &[32; 2], |x| {
        x[0].wrapping_add(x[1]) & 0xffff | (((x[0] >> 16) + (x[1] >> 16)) & 0xffff) << 16
    });
    lanewise("min.s16x2 $d, $a, $b;", 32, &[32; 2], |x| {
        let half = |k: u32| (x[0] >> k) as i16;
        let other = |k: u32| (x[1] >> k) as i16;
        u64::from(half(0).min(other(0)) as u16) | u64::from(half(16).min(other(16)) as u16) << 16
    });
    lanewise("max.u16x2 $d, $a, $b;", 32, &[32; 2], |x| {
        (x[0] & 0xffff).max(x[1] & 0xffff) | (x[0] >> 16).max(x[1] >> 16) << 16
    });
}

#[test]
fn moves() {
    pairwise(
        "mov.b64 {$d, $e}, $a;",
        &[32, 32],
        &[64],
        |_| {},
        |x| vec![x[0], x[0] >> 32],
    );
    pairwise(
        "mov.b32 {$d, $e}, $a;",
        &[16, 16],
        &[32],
        |_| {},
        |x| vec![x[0], x[0] >> 16],
    );
    pairwise(
        "mov.b64 {$d, $e, $f, $g}, $a;",
        &[16; 4],
        &[64],
        |_| {},
        |x| (0..4).map(|i| x[0] >> (16 * i)).collect(),
    );
    pairwise(
        "mov.b64 {_, $d}, $a;",
        &[32],
        &[64],
        |_| {},
        |x| vec![x[0] >> 32],
    );
    lanewise("mov.b64 $d, {$a, $b};", 64, &[32, 32], |x| {
        x[0] | x[1] << 32
    });
    lanewise("mov.b32 $d, {$a, $b};", 32, &[16, 16], |x| {
        x[0] | x[1] << 16
    });
    lanewise("mov.b64 $d, {$a, $b, $c, $x};", 64, &[16; 4], |x| {
        x[0] | x[1] << 16 | x[2] << 32 | x[3] << 48
    });
    lanewise("mov.b32 $d, {$a, 7};", 32, &[16], |x| x[0] | 7 << 16);
    lanewise("mov.u32 $d, -1;", 32, &[], |_| u64::from(u32::MAX));
    lanewise("mov.f32 $d, 1.5;", 32, &[], |_| u64::from(1.5f32.to_bits()));
    lanewise("mov.f64 $d, 0d3FF8000000000000;", 64, &[], |_| {
        1.5f64.to_bits()
    });
    lanewise("mov.b64 $d, 0xfedcba9876543210;", 64, &[], |_| {
        0xfedc_ba98_7654_3210
    });
    lanewise("add.u32 $d, $a, (3+4)*-2;", 32, &[32], |x| {
        x[0].wrapping_sub(14)
    });
}
