//! Compares `cvt` with independent definitions: integers with Rust's wide arithmetic, floats by
//! search and with `std`.

mod random;

use emulator::numerics::convert::{Cvt, Type};
use emulator::numerics::fp8::Fp8;
use emulator::numerics::rounding::Rounding;
use emulator::numerics::soft::{self, Format};
use emulator::numerics::{bf16, float32, half as f16, packed, tf32, ue8m0};
use random::Random;

const INTEGERS: [Type; 8] = [
    Type::U8,
    Type::U16,
    Type::U32,
    Type::U64,
    Type::S8,
    Type::S16,
    Type::S32,
    Type::S64,
];
const FLOATS: [Type; 4] = [Type::F16, Type::Bf16, Type::F32, Type::F64];
const ALL: [Rounding; 4] = [
    Rounding::NearestEven,
    Rounding::Zero,
    Rounding::Down,
    Rounding::Up,
];

/// Returns integers of every length around powers of two, and random ones.
fn words() -> Vec<u64> {
    let mut out = vec![0, 1, u64::MAX];
    for bit in 0..64 {
        let power = 1u64 << bit;
        for near in [
            power,
            power - 1,
            power + 1,
            power | power >> 1,
            power | power >> 24 | 1,
        ] {
            out.extend([near, near.wrapping_neg(), !near]);
        }
    }
    let mut random = Random(21);
    out.extend((0..2000).map(|_| {
        let shift = random.next() % 64;
        random.next() >> shift
    }));
    out
}

fn range(of: Type) -> (i128, i128) {
    match of {
        Type::U8 => (0, 0xff),
        Type::U16 => (0, 0xffff),
        Type::U32 => (0, 0xffff_ffff),
        Type::U64 => (0, u64::MAX as i128),
        Type::S8 => (i8::MIN as i128, i8::MAX as i128),
        Type::S16 => (i16::MIN as i128, i16::MAX as i128),
        Type::S32 => (i32::MIN as i128, i32::MAX as i128),
        _ => (i64::MIN as i128, i64::MAX as i128),
    }
}

fn integer(of: Type, bits: u64) -> i128 {
    match of {
        Type::U8 => bits as u8 as i128,
        Type::U16 => bits as u16 as i128,
        Type::U32 => bits as u32 as i128,
        Type::U64 => bits as i128,
        Type::S8 => bits as i8 as i128,
        Type::S16 => bits as i16 as i128,
        Type::S32 => bits as i32 as i128,
        _ => bits as i64 as i128,
    }
}

fn float(of: Type, bits: u64) -> f64 {
    match of {
        Type::F16 => half::f16::from_bits(bits as u16).to_f64_const(),
        Type::Bf16 => half::bf16::from_bits(bits as u16).to_f64_const(),
        Type::F32 => f32::from_bits(bits as u32) as f64,
        _ => f64::from_bits(bits),
    }
}

#[test]
fn integers_are_cut_or_clamped() {
    for from in INTEGERS {
        for to in INTEGERS {
            for word in words() {
                let value = integer(from, word);
                let cut = integer(to, value as u64);
                assert_eq!(
                    Cvt::new(to, from).apply(word),
                    cut as u64,
                    "{from:?} {to:?} {word:#x}"
                );
                let (least, greatest) = range(to);
                let clamped = value.clamp(least, greatest);
                assert_eq!(
                    Cvt {
                        sat: true,
                        ..Cvt::new(to, from)
                    }
                    .apply(word),
                    clamped as u64
                );
            }
        }
    }
}

/// Checks conversions of integers to floats. The neighbours of the exact integer are found from the
/// result: they are the result and the next float on the other side.
#[test]
fn integers_become_the_float_that_the_mode_names() {
    for from in INTEGERS {
        for word in words() {
            let value = integer(from, word);
            let nearest_single = (value as f32).to_bits() as u64;
            let nearest_double = (value as f64).to_bits();
            assert_eq!(
                Cvt::new(Type::F32, from).apply(word),
                nearest_single,
                "{value}"
            );
            assert_eq!(
                Cvt::new(Type::F64, from).apply(word),
                nearest_double,
                "{value}"
            );
            for to in FLOATS {
                let cvt = |rounding| {
                    float(
                        to,
                        Cvt {
                            rounding,
                            ..Cvt::new(to, from)
                        }
                        .apply(word),
                    )
                };
                let [near, zero, down, up] = ALL.map(cvt);
                // -infinity < down <= value <= up, and down and up are adjacent. The comparisons
                // are exact, in integers.
                let at_most =
                    |x: f64| x == f64::NEG_INFINITY || x.is_finite() && x as i128 <= value;
                let at_least = |x: f64| x == f64::INFINITY || x.is_finite() && x as i128 >= value;
                assert!(at_most(down) && at_least(up), "{value} {to:?} {down} {up}");
                assert!(near == down || near == up);
                assert_eq!(zero, if value < 0 { up } else { down });
                if down == up {
                    assert_eq!(down as i128, value);
                } else {
                    let next = match to {
                        Type::F32 => (down as f32).next_up() as f64,
                        Type::F64 => down.next_up(),
                        _ => {
                            // The next encoding away from zero, or towards zero.
                            let bits = Cvt {
                                rounding: Rounding::Down,
                                ..Cvt::new(to, from)
                            }
                            .apply(word);
                            float(to, if value < 0 { bits - 1 } else { bits + 1 })
                        }
                    };
                    assert_eq!(next, up, "{value} {to:?}");
                }
            }
        }
    }
}

/// Returns floats of every size and their halves, quarters and neighbours, as f64.
fn numbers() -> Vec<f64> {
    let mut out = vec![
        0.0,
        0.25,
        0.5,
        0.75,
        1.5,
        2.5,
        3.5,
        127.5,
        128.5,
        255.5,
        256.5,
        f64::INFINITY,
        1e-42,
        1e300,
    ];
    for bit in 0..70 {
        let power = 2f64.powi(bit);
        out.extend([
            power,
            power - 0.5,
            power + 0.5,
            power.next_down(),
            power.next_up(),
            power * 1.5,
        ]);
        let single = power as f32;
        out.extend([single.next_down() as f64, single.next_up() as f64]);
    }
    let negative: Vec<f64> = out.iter().map(|x| -x).collect();
    out.extend(negative);
    out
}

#[test]
fn floats_become_clamped_integers() {
    for number in numbers() {
        for to in INTEGERS {
            for rounding in ALL {
                let whole = |x: f64| match rounding {
                    Rounding::NearestEven => x.round_ties_even(),
                    Rounding::Zero => x.trunc(),
                    Rounding::Down => x.floor(),
                    _ => x.ceil(),
                };
                let (least, greatest) = range(to);
                // i128 holds every whole f64 up to 2^127; larger ones saturate, and are outside
                // every range.
                let expected = |x: f64| (whole(x) as i128).clamp(least, greatest) as u64;
                let cvt = |from| Cvt {
                    rounding,
                    ..Cvt::new(to, from)
                };
                assert_eq!(
                    cvt(Type::F64).apply(number.to_bits()),
                    expected(number),
                    "{number} {to:?}"
                );
                let single = number as f32;
                assert_eq!(
                    cvt(Type::F32).apply(single.to_bits() as u64),
                    expected(single as f64)
                );
                let half = half::f16::from_f64_const(number);
                assert_eq!(
                    cvt(Type::F16).apply(half.to_bits() as u64),
                    expected(half.to_f64_const())
                );
                let brain = half::bf16::from_f64_const(number);
                assert_eq!(
                    cvt(Type::Bf16).apply(brain.to_bits() as u64),
                    expected(brain.to_f64_const())
                );
            }
        }
    }
}

/// Checks PTX's rule for NaN: the result is zero, but `1 << (bits - 1)` from `.f64` or to 64 bits.
#[test]
fn nan_becomes_what_the_isa_says() {
    let apply = |to, from, bits| Cvt::new(to, from).apply(bits);
    let single = f32::NAN.to_bits() as u64;
    let double = f64::NAN.to_bits();
    assert_eq!(apply(Type::S32, Type::F32, single), 0);
    assert_eq!(apply(Type::U8, Type::F16, 0x7e00), 0);
    assert_eq!(apply(Type::S64, Type::F32, single), 1 << 63);
    assert_eq!(apply(Type::U64, Type::Bf16, 0x7fc0), 1 << 63);
    assert_eq!(apply(Type::U32, Type::F64, double), 1 << 31);
    assert_eq!(apply(Type::S32, Type::F64, double) as u32, 1 << 31);
    assert_eq!(apply(Type::S16, Type::F64, double) as i64, i16::MIN as i64);
    assert_eq!(apply(Type::S64, Type::F64, double), 1 << 63);
    // Conversions to floats give the canonical NaN.
    assert_eq!(apply(Type::F32, Type::F16, 0xfe01), 0x7fff_ffff);
    assert_eq!(apply(Type::F16, Type::F32, 0xffc0_0001), 0x7fff);
    assert_eq!(apply(Type::Bf16, Type::F64, double), 0x7fff);
    // From `.f64`, an H200 keeps the sign and, in `.f32`, the upper part of the payload, and makes
    // the NaN quiet.
    assert_eq!(apply(Type::F32, Type::F64, double), 0x7fc0_0000);
    assert_eq!(
        apply(Type::F32, Type::F64, 0xfff0_0000_e000_0001),
        0xffc0_0007
    );
    assert_eq!(apply(Type::F16, Type::F64, 0x7ff0_0000_0000_0001), 0x7fff);
    assert_eq!(apply(Type::F16, Type::F64, 0xfff8_0000_0000_0000), 0xffff);
    assert!(f64::from_bits(apply(Type::F64, Type::F32, single)).is_nan());
    // Widening bf16 is a shift, which keeps the payload.
    assert_eq!(apply(Type::F32, Type::Bf16, 0xff81), 0xff81_0000);
}

/// Compares conversions between floats with the result's neighbours, exactly in f64.
#[test]
fn floats_become_the_float_that_the_mode_names() {
    let mut random = Random(22);
    for _ in 0..20_000 {
        let word = random.next();
        for from in FLOATS {
            let bits = word & (u64::MAX >> (64 - from.bits()));
            let value = float(from, bits);
            if value.is_nan() {
                continue;
            }
            for to in FLOATS {
                let cvt = |rounding| {
                    float(
                        to,
                        Cvt {
                            rounding,
                            ..Cvt::new(to, from)
                        }
                        .apply(bits),
                    )
                };
                let [near, zero, down, up] = ALL.map(cvt);
                assert!(down <= value && value <= up, "{value:e} {from:?} {to:?}");
                assert_eq!(zero, if value < 0.0 { up } else { down });
                assert!(near == down || near == up);
                let exact = from == to || to == Type::F64 || from == Type::F16 && to == Type::F32;
                if exact || from == Type::Bf16 && to == Type::F32 {
                    assert_eq!((down, up), (value, value));
                } else if down != up && near.is_finite() && down.is_finite() && up.is_finite() {
                    // The neighbours are adjacent: no number of the type lies between, so rounding
                    // their middle down gives `down`.
                    assert!(
                        (value - near).abs()
                            <= (value - if near == down { up } else { down }).abs()
                    );
                    let middle = ((down + up) / 2.0).to_bits();
                    let cvt = Cvt {
                        rounding: Rounding::Down,
                        ..Cvt::new(to, Type::F64)
                    };
                    assert_eq!(float(to, cvt.apply(middle)), down);
                }
            }
        }
    }
}

#[test]
fn rounding_to_an_integer_stays_in_its_type() {
    for number in numbers() {
        for of in FLOATS {
            let bits = Cvt::new(of, Type::F64).apply(number.to_bits());
            let value = float(of, bits);
            for (rounding, expected) in [
                (Rounding::NearestEven, value.round_ties_even()),
                (Rounding::Zero, value.trunc()),
                (Rounding::Down, value.floor()),
                (Rounding::Up, value.ceil()),
            ] {
                let cvt = Cvt {
                    integral: true,
                    rounding,
                    ..Cvt::new(of, of)
                };
                let found = float(of, cvt.apply(bits));
                assert_eq!(
                    found.to_bits(),
                    expected.to_bits(),
                    "{value} {of:?} {rounding:?}"
                );
            }
        }
    }
    let cvt = Cvt {
        integral: true,
        rounding: Rounding::Up,
        ..Cvt::new(Type::F32, Type::F32)
    };
    assert_eq!(cvt.apply(1), 1.0f32.to_bits() as u64);
    assert_eq!(Cvt { ftz: true, ..cvt }.apply(1), 0);
}

#[test]
fn modifiers_act_on_the_result() {
    let minus = (-2.0f32).to_bits() as u64;
    let half = |modifiers: Cvt, bits: u64| modifiers.apply(bits) as u16;
    let base = Cvt::new(Type::F16, Type::F32);
    let (sat, relu) = (Cvt { sat: true, ..base }, Cvt { relu: true, ..base });
    let satfinite = Cvt {
        satfinite: true,
        ..base
    };
    assert_eq!(half(sat, minus), 0);
    assert_eq!(half(sat, 3.0f32.to_bits() as u64), f16::ONE);
    assert_eq!(half(sat, f32::NAN.to_bits() as u64), 0);
    assert_eq!(half(relu, minus), 0);
    assert_eq!(half(relu, f32::NAN.to_bits() as u64), 0x7fff);
    assert_eq!(half(base, 1e6f32.to_bits() as u64), 0x7c00);
    assert_eq!(half(satfinite, 1e6f32.to_bits() as u64), 0x7bff);
    assert_eq!(half(satfinite, f32::NEG_INFINITY.to_bits() as u64), 0xfbff);
    let subnormal = 1e-40f64.to_bits();
    let single = Cvt::new(Type::F32, Type::F64);
    assert_eq!(single.apply(subnormal), 1e-40f32.to_bits() as u64);
    assert_eq!(
        Cvt {
            ftz: true,
            ..single
        }
        .apply(subnormal),
        0
    );
    let to_int = Cvt {
        rounding: Rounding::Up,
        ..Cvt::new(Type::S32, Type::F32)
    };
    assert_eq!(to_int.apply(1), 1);
    assert_eq!(
        Cvt {
            ftz: true,
            ..to_int
        }
        .apply(1),
        0
    );
    let copy = Cvt::new(Type::F32, Type::F32);
    assert_eq!(copy.apply(0x7f80_0001), 0x7f80_0001);
    let sat_copy = Cvt { sat: true, ..copy };
    assert_eq!(sat_copy.apply((-0.0f32).to_bits() as u64), 0);
    assert_eq!(
        Cvt {
            sat: true,
            ..Cvt::new(Type::F64, Type::F64)
        }
        .apply(7.5f64.to_bits()),
        1.0f64.to_bits()
    );
    assert_eq!(
        Cvt {
            sat: true,
            ..Cvt::new(Type::Bf16, Type::F32)
        }
        .apply(0.5f32.to_bits() as u64),
        0x3f00
    );
    // `.sat` applies to an integer source with a float destination.
    assert_eq!(
        Cvt {
            sat: true,
            ..Cvt::new(Type::F32, Type::S32)
        }
        .apply(9),
        1.0f32.to_bits() as u64
    );
}

#[test]
fn pairs_are_two_conversions() {
    let (a, b) = (1.7f32.to_bits(), (-1e9f32).to_bits());
    for to in [Type::F16, Type::Bf16] {
        for satfinite in [false, true] {
            let cvt = Cvt {
                satfinite,
                rounding: Rounding::Zero,
                ..Cvt::new(to, Type::F32)
            };
            let pair = packed::from_f32_pair(&cvt, a, b);
            assert_eq!((pair >> 16) as u64, cvt.apply(a as u64));
            assert_eq!((pair & 0xffff) as u64, cvt.apply(b as u64));
        }
    }
    for kind in [Fp8::E4m3, Fp8::E5m2] {
        let pair = packed::fp8_from_f32_pair(kind, false, a, b);
        assert_eq!((pair >> 8) as u8, kind.from_f32(a));
        assert_eq!(pair as u8, kind.from_f32(b));
        assert_eq!(packed::fp8_from_f32_pair(kind, true, a, b) & 0xff, 0);
        let halves = packed::fp8_to_f16_pair(kind, false, pair);
        assert_eq!((halves >> 16) as u16, kind.to_f16((pair >> 8) as u8));
        assert_eq!(packed::fp8_from_f16_pair(kind, false, halves), pair);
        assert_eq!(packed::fp8_to_f16_pair(kind, true, pair) & 0xffff, 0);
        assert_eq!(packed::fp8_from_f16_pair(kind, true, halves), pair & 0xff00);
    }
}

/// Returns the number that the code of a format of at most 6 bits stands for, by its definition.
fn number(format: Format, code: u32) -> f64 {
    let (bits, fraction_bits) = (format.exponent_bits, format.fraction_bits);
    let bias = (1 << (bits - 1)) - 1;
    let fraction = f64::from(code & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let field = (code >> fraction_bits & ((1 << bits) - 1)) as i32;
    let magnitude = match field {
        0 => fraction * 2f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2f64.powi(field - bias),
    };
    if code >> (bits + fraction_bits) == 1 {
        -magnitude
    } else {
        magnitude
    }
}

/// Returns random floats. Most lie within a format's range or between two of its numbers.
fn floats(format: Format, count: usize) -> Vec<u32> {
    let mut random = Random(57);
    let mut word = || random.next() as u32;
    let codes = 2 * format.sign_bit() as u32;
    let near = |word: u32| {
        let value = number(format, word % codes) as f32;
        value.to_bits().wrapping_add(word >> 29).wrapping_sub(4)
    };
    let middle = |word: u32| {
        let code = word % format.max_finite() as u32;
        ((number(format, code) + number(format, code + 1)) / 2.0) as f32
    };
    let mut all = vec![
        0,
        1 << 31,
        1,
        f32::INFINITY.to_bits(),
        (-f32::INFINITY).to_bits(),
    ];
    all.extend([f32::NAN, f32::MAX, f32::MIN].map(f32::to_bits));
    for _ in 0..count {
        all.extend([
            word(),
            near(word()),
            middle(word()).to_bits(),
            (-middle(word())).to_bits(),
        ]);
        all.push(word() & 0x807f_ffff | (118 + word() % 16) << 23);
    }
    all
}

#[test]
fn floats_of_four_and_six_bits_are_the_nearest() {
    for format in [soft::E2M1, soft::E2M3, soft::E3M2] {
        let place = if format == soft::E2M1 { 4 } else { 8 };
        let codes = 2 * format.sign_bit() as u32;
        let largest = number(format, format.max_finite() as u32);
        let nearest = |bits: u32| -> u32 {
            let value = f64::from(f32::from_bits(bits));
            if value.is_nan() {
                return format.max_finite() as u32;
            }
            let value = value.clamp(-largest, largest);
            let distance = |code: &u32| (number(format, *code) - value).abs();
            let same_sign = |code: &u32| (code & (codes / 2) != 0) == (bits >> 31 == 1);
            let all = (0..codes).filter(same_sign);
            // Of two that are equally near the even one.
            all.min_by(|a, b| {
                distance(a)
                    .total_cmp(&distance(b))
                    .then((a & 1).cmp(&(b & 1)))
            })
            .unwrap()
        };
        let all = floats(format, 2000);
        for pair in all.windows(2) {
            let found = packed::narrow_from_f32_pair(format, false, pair[0], pair[1]);
            let expected = nearest(pair[0]) << place | nearest(pair[1]);
            assert_eq!(u32::from(found), expected, "{format:?} {pair:x?}");
            let positive = |bits: u32| {
                let is_negative = f32::from_bits(bits) < 0.0 || bits == 1 << 31;
                if is_negative { 0 } else { nearest(bits) }
            };
            let found = packed::narrow_from_f32_pair(format, true, pair[0], pair[1]);
            let expected = positive(pair[0]) << place | positive(pair[1]);
            assert_eq!(u32::from(found), expected, "{format:?} {pair:x?}");
        }
        for code in 0..codes {
            let pair = (code << place | (codes - 1 - code)) as u16;
            // What lies beside a number of 6 bits does not count.
            let beside = if place == 8 { 0xc040 } else { 0 };
            let found = packed::narrow_to_f16_pair(format, false, pair | beside);
            let half = |part: u32| f64::from(f32::from_bits(f16::to_f32(part as u16)));
            assert_eq!(half(found >> 16), number(format, code));
            assert_eq!(half(found), number(format, codes - 1 - code));
            assert_eq!(packed::narrow_from_f16_pair(format, false, found), pair);
        }
    }
}

#[test]
fn scale_factors_are_powers_of_two_below_and_above() {
    let power = |code: u8| 2f64.powi(i32::from(code) - 127);
    for bits in floats(soft::E3M2, 4000)
        .into_iter()
        .chain((0..0x100).map(|i| i << 15))
    {
        let value = f64::from(f32::from_bits(bits)).abs();
        for saturates in [false, true] {
            let beyond = if saturates { 254 } else { ue8m0::NAN };
            let of = |found: Option<u8>| match found {
                _ if value.is_nan() => ue8m0::NAN,
                Some(code) => code,
                None => beyond,
            };
            let up = of((0..255).find(|&code| power(code) >= value));
            assert_eq!(ue8m0::from_f32(bits, true, saturates), up, "{bits:x}");
            let below = (0..255)
                .rev()
                .find(|&code| power(code) <= value)
                .or(Some(0));
            let down = of(below.filter(|_| !value.is_infinite()));
            assert_eq!(ue8m0::from_f32(bits, false, saturates), down, "{bits:x}");
            let pair = packed::ue8m0_from_f32_pair([true, saturates], bits, !bits);
            let other = ue8m0::from_f32(!bits, true, saturates);
            assert_eq!(pair, u16::from(up) << 8 | u16::from(other));
            let half = bits & 0xffff_0000;
            let pair = packed::ue8m0_from_bf16_pair([false, saturates], half | 0x3f80);
            let alone = ue8m0::from_f32(half, false, saturates);
            assert_eq!(pair, u16::from(alone) << 8 | 127);
        }
    }
    for code in 0..=255u8 {
        let pair = packed::ue8m0_to_bf16_pair(u16::from(code) << 8 | 0x7f);
        assert_eq!(pair & 0xffff, 0x3f80);
        let value = f64::from(f32::from_bits(bf16::to_f32((pair >> 16) as u16)));
        assert!(
            value == power(code) || code == ue8m0::NAN && pair >> 16 == 0x7fff,
            "{code}"
        );
    }
}

#[test]
fn names_are_read() {
    for of in INTEGERS.into_iter().chain(FLOATS) {
        let name = format!("{of:?}").to_lowercase();
        assert_eq!(Type::from_modifier(&name), Some(of));
    }
    assert_eq!(Type::from_modifier("b32"), None);
    assert_eq!(float32::canonical(0xffff_ffff), 0x7fff_ffff);
}

/// Compares `cvt.rna.satfinite.tf32.f32` with an H200, for special numbers and for numbers around
/// the end of the range.
#[test]
fn saturated_tf32_is_an_h200_s() {
    for (bits, expected) in [
        (0xffff_fffc, 0xffff_c000),
        (0x7fff_ffff, 0x7fff_c000),
        (0xffc6_73a4, 0xffc6_4000),
        (0x7fc0_0000, 0x7fbf_e000),
        (0x7f80_0000, 0x7f7f_e000),
        (0xff80_0000, 0xff7f_e000),
        (0x7f7f_ffff, 0x7f7f_e000),
        (0x7f7f_efff, 0x7f7f_e000),
        (0x7f7f_d000, 0x7f7f_e000),
        (0x3f80_1000, 0x3f80_2000),
        (0x3f80_0fff, 0x3f80_0000),
    ] {
        let found = tf32::from_f32_saturating(bits, Rounding::NearestAway);
        assert_eq!(found, expected, "{bits:x}");
    }
}
