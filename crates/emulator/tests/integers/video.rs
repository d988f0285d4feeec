//! Checks the video instructions, which process parts of 8 or 16 bits.

use super::*;

type Comparison = fn(i64, i64) -> bool;

#[test]
fn bytes_are_treated_one_by_one() {
    type Of = fn(i32, i32) -> i32;
    let operations: [(&str, Of); 5] = [
        ("vadd4", |a, b| a + b),
        ("vsub4", |a, b| a - b),
        ("vabsdiff4", |a, b| (a - b).abs()),
        ("vmin4", |a, b| a.min(b)),
        ("vmax4", |a, b| a.max(b)),
    ];
    let number = |x: u64, i: usize, signed: bool| {
        let byte = (x >> (8 * i)) as u8;
        if signed {
            i32::from(byte as i8)
        } else {
            i32::from(byte)
        }
    };
    for (name, of) in operations {
        for signs in 0..8 {
            let signed = [signs & 1 == 1, signs & 2 == 2, signs & 4 == 4];
            let [d, a, b] = signed.map(|signed| if signed { "s32" } else { "u32" });
            for sat in ["", ".sat"] {
                let result = |x: &[u64]| {
                    (0..4).fold(0, |all, i| {
                        let value = of(number(x[0], i, signed[1]), number(x[1], i, signed[2]));
                        let value = match (sat, signed[0]) {
                            ("", _) => value,
                            (_, true) => value.clamp(-128, 127),
                            (_, false) => value.clamp(0, 255),
                        };
                        all | u64::from(value as u8) << (8 * i)
                    })
                };
                let text = format!("{name}.{d}.{a}.{b}{sat} $d, $a, $b, $a;");
                lanewise(&text, 32, &[32; 2], result);
            }
        }
    }
}

/// Returns the `bits` bits of `x` from bit `at` on, as a number.
fn field(x: u64, at: u32, bits: u32, signed: bool) -> i64 {
    let shifted = (x as u32 >> at) as u64 & ((1 << bits) - 1);
    if signed && shifted >> (bits - 1) == 1 {
        shifted as i64 - (1 << bits)
    } else {
        shifted as i64
    }
}

/// Saturates by comparison with both ends of the range.
fn saturate(value: i64, bits: u32, signed: bool) -> i64 {
    let low = if signed { -(1i64 << (bits - 1)) } else { 0 };
    let high = low + (1i64 << bits) - 1;
    if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    }
}

type Of = fn(i64, i64) -> i64;

fn type_name(signed: bool) -> &'static str {
    if signed { "s32" } else { "u32" }
}

/// Compares every part, with and without a merge or a secondary operation, with the definition in
/// plain numbers.
#[test]
fn scalars_take_parts_merge_and_add() {
    let operations: [(&str, Of); 5] = [
        ("vadd", |a, b| a + b),
        ("vsub", |a, b| a - b),
        ("vabsdiff", |a, b| (a - b).abs()),
        ("vmin", |a, b| if a < b { a } else { b }),
        ("vmax", |a, b| if a > b { a } else { b }),
    ];
    let parts = [
        ("", 0, 32),
        (".b0", 0, 8),
        (".b1", 8, 8),
        (".b2", 16, 8),
        (".b3", 24, 8),
        (".h0", 0, 16),
        (".h1", 16, 16),
    ];
    let mut case = 0;
    for (name, of) in operations {
        for signs in 0..8u32 {
            let signed = [signs & 1 == 1, signs & 2 == 2, signs & 4 == 4];
            let [d, a, b] = signed.map(type_name);
            for follows in ["", ".add", ".min", ".max", "merge"] {
                case += 1;
                let (x, y, z) = (parts[case % 7], parts[case / 7 % 7], parts[1 + case % 6]);
                let sat = if case % 3 == 0 { ".sat" } else { "" };
                let result = |v: &[u64]| -> u64 {
                    let mut t = of(
                        field(v[0], x.1, x.2, signed[1]),
                        field(v[1], y.1, y.2, signed[2]),
                    );
                    let width = if follows == "merge" { z.2 } else { 32 };
                    if !sat.is_empty() {
                        t = saturate(t, width, signed[0]);
                    }
                    if follows == "merge" {
                        let mask = ((1u64 << z.2) - 1) << z.1;
                        return (t as u64) << z.1 & mask | v[2] & !mask & 0xffff_ffff;
                    }
                    let t = field(t as u64, 0, 32, signed[0]);
                    let c = field(v[2], 0, 32, signed[0]);
                    let t = match follows {
                        ".add" => t + c,
                        ".min" => t.min(c),
                        ".max" => t.max(c),
                        _ => t,
                    };
                    u64::from(t as u32)
                };
                let text = match follows {
                    "" => format!("{name}.{d}.{a}.{b}{sat} $d, $a{}, $b{};", x.0, y.0),
                    "merge" => {
                        format!(
                            "{name}.{d}.{a}.{b}{sat} $d{}, $a{}, $b{}, $c;",
                            z.0, x.0, y.0
                        )
                    }
                    op => format!("{name}.{d}.{a}.{b}{sat}{op} $d, $a{}, $b{}, $c;", x.0, y.0),
                };
                lanewise(&text, 32, &[32; 3], result);
            }
        }
    }
}

#[test]
fn shifts_comparisons_and_products() {
    for signed in [false, true] {
        let ty = type_name(signed);
        for (mode, wrap) in [("clamp", false), ("wrap", true)] {
            let count = move |x: u64| {
                let count = field(x, 8, 8, false);
                if wrap { count % 32 } else { count.min(32) }
            };
            let text = format!("vshl.u32.{ty}.u32.{mode} $d, $a.h0, $b.b1;");
            lanewise(&text, 32, &[32; 2], |v| {
                let wide = i128::from(field(v[0], 0, 16, signed)) << count(v[1]);
                u64::from(wide as u32)
            });
            let text = format!("vshr.{ty}.{ty}.u32.{mode}.add $d, $a, $b.b1, $c;");
            lanewise(&text, 32, &[32; 3], |v| {
                let shifted = field(v[0], 0, 32, signed) >> count(v[1]);
                u64::from((shifted as u32).wrapping_add(v[2] as u32))
            });
        }
        let comparisons: [(&str, Comparison); 6] = [
            ("eq", |a, b| a == b),
            ("ne", |a, b| a != b),
            ("lt", |a, b| a < b),
            ("le", |a, b| a <= b),
            ("gt", |a, b| a > b),
            ("ge", |a, b| a >= b),
        ];
        for (name, holds) in comparisons {
            let text = format!("vset.{ty}.u32.{name}.add $d, $a.b2, $b.b2, $c;");
            lanewise(&text, 32, &[32; 3], |v| {
                let one = holds(field(v[0], 16, 8, signed), field(v[1], 16, 8, false));
                u64::from((v[2] as u32).wrapping_add(u32::from(one)))
            });
            let text = format!("vset4.{ty}.{ty}.{name} $d, $a, $b, $c;");
            lanewise(&text, 32, &[32; 3], |v| {
                (0..4).fold(0, |all, i| {
                    let (a, b) = (field(v[0], 8 * i, 8, signed), field(v[1], 8 * i, 8, signed));
                    all | u64::from(holds(a, b)) << (8 * i)
                })
            });
        }
        for (scale, shift) in [("", 0), (".shr7", 7), (".shr15", 15)] {
            for sat in ["", ".sat"] {
                let text = format!("vmad.{ty}.{ty}.{ty}{sat}{scale} $d, $a.h1, $b, $c;");
                lanewise(&text, 32, &[32; 3], |v| {
                    let product = field(v[0], 16, 16, signed) * field(v[1], 0, 32, signed);
                    let sum = (product + field(v[2], 0, 32, signed)) >> shift;
                    let sum = if sat.is_empty() {
                        sum
                    } else {
                        saturate(sum, 32, signed)
                    };
                    u64::from(sum as u32)
                });
            }
        }
        let text = format!("vmad.s32.{ty}.{ty} $d, -$a.h0, $b.h0, $c;");
        lanewise(&text, 32, &[32; 3], |v| {
            let product = field(v[0], 0, 16, signed) * field(v[1], 0, 16, signed);
            u64::from((field(v[2], 0, 32, true) - product) as u32)
        });
        let text = format!("vmad.{ty}.{ty}.{ty}.po $d, $a.b0, $b.b3, $c;");
        lanewise(&text, 32, &[32; 3], |v| {
            let product = field(v[0], 0, 8, signed) * field(v[1], 24, 8, signed);
            u64::from((product + field(v[2], 0, 32, signed) + 1) as u32)
        });
    }
}

/// Checks selections across both operands, masks, sums and averages, for two and four parts.
#[test]
fn parts_are_selected_masked_and_summed() {
    let operations: [(&str, Of); 6] = [
        ("vadd", |a, b| a + b),
        ("vsub", |a, b| a - b),
        ("vavrg", |a, b| {
            (a + b + i64::from(a + b >= 0)).div_euclid(2)
        }),
        ("vabsdiff", |a, b| (a - b).abs()),
        ("vmin", |a, b| a.min(b)),
        ("vmax", |a, b| a.max(b)),
    ];
    for (lanes, letter, masks, selections) in [
        (
            2u32,
            'h',
            &["", "h0", "h1", "h10"][..],
            &["", "h10", "h32", "h03"][..],
        ),
        (
            4,
            'b',
            &["", "b0", "b20", "b321", "b3210"],
            &["", "b7654", "b0123", "b4273"],
        ),
    ] {
        let bits = 32 / lanes;
        let mut case = 0;
        for (name, of) in operations {
            for signs in 0..8u32 {
                let signed = [signs & 1 == 1, signs & 2 == 2, signs & 4 == 4];
                let [d, a, b] = signed.map(type_name);
                for end in ["", ".sat", ".add"] {
                    case += 1;
                    let mask = masks[case % masks.len()];
                    let select = [selections[case % 4], selections[case / 4 % 4]];
                    let lane_of = |which: usize, lane: u32| -> u32 {
                        let text = select[which].trim_start_matches(letter);
                        match text.chars().rev().nth(lane as usize) {
                            Some(digit) => digit.to_digit(10).unwrap(),
                            None => lane + if which == 0 { 0 } else { lanes },
                        }
                    };
                    let result = |v: &[u64]| -> u64 {
                        let part = |which: usize, lane: u32| {
                            let from = lane_of(which, lane);
                            let word = if from < lanes { v[0] } else { v[1] };
                            field(word, from % lanes * bits, bits, signed[1 + which])
                        };
                        let mut out = v[2] as u32;
                        for lane in 0..lanes {
                            if !mask.is_empty()
                                && !mask.contains(char::from_digit(lane, 10).unwrap())
                            {
                                continue;
                            }
                            let mut t = of(part(0, lane), part(1, lane));
                            if end == ".sat" {
                                t = saturate(t, bits, signed[0]);
                            }
                            if end == ".add" {
                                out = out.wrapping_add(t as u32);
                            } else {
                                let ones = ((1u64 << bits) - 1) as u32;
                                out &= !(ones << (lane * bits));
                                out |= (t as u32 & ones) << (lane * bits);
                            }
                        }
                        u64::from(out)
                    };
                    let dot = |part: &str| {
                        if part.is_empty() {
                            String::new()
                        } else {
                            format!(".{part}")
                        }
                    };
                    let text = format!(
                        "{name}{lanes}.{d}.{a}.{b}{end} $d{}, $a{}, $b{}, $c;",
                        dot(mask),
                        dot(select[0]),
                        dot(select[1])
                    );
                    lanewise(&text, 32, &[32; 3], result);
                }
            }
        }
    }
}
