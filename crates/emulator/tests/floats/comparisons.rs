//! Checks `setp`, `set`, `selp`, `slct`.

use super::*;

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
        // The first result may be the predicate with which the comparison is combined.
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
    for (to, from, one) in [
        ("u32", "f16x2", 0xffff),
        ("f16x2", "f16x2", 0x3c00),
        ("s32", "bf16x2", 0xffff),
        ("bf16x2", "bf16x2", 0x3f80),
    ] {
        let number = |x: u64, half: u32| {
            let bits = (x >> (16 * half)) as u16;
            match from {
                "f16x2" => half::f16::from_bits(bits).to_f32(),
                _ => half::bf16::from_bits(bits).to_f32(),
            }
        };
        let result = |x: &[u64], holds: &dyn Fn(f32, f32) -> bool| {
            (0..2).fold(0, |all, half| {
                let holds = holds(number(x[0], half), number(x[1], half));
                all | if holds { one << (16 * half) } else { 0u64 }
            })
        };
        lanewise(
            &format!("set.geu.{to}.{from} $d, $a, $b;"),
            32,
            &[32; 2],
            |x| result(x, &|a, b| a.is_nan() || b.is_nan() || a >= b),
        );
        lanewise(
            &format!("set.lt.xor.{to}.{from} $d, $a, $b, $c;"),
            32,
            &[32, 32, 1],
            |x| result(x, &|a, b| (a < b) != (x[2] == 1)),
        );
    }
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
