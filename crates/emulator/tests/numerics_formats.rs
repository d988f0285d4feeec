//! Compares the 8-, 16- and 19-bit formats with independent definitions: the `half` crate, the
//! formats' formulas, and the two neighbours of a value, which a search finds.

use emulator::numerics::fp8::Fp8;
use emulator::numerics::rounding::Rounding;
use emulator::numerics::soft::{self, Format, Value};
use emulator::numerics::{bf16, half as f16, tf32};

const DIRECTED: [Rounding; 4] = [
    Rounding::Zero,
    Rounding::Down,
    Rounding::Up,
    Rounding::NearestAway,
];

/// Returns bits of `f32` with every exponent, with fractions around the rounding points of 7 to 11
/// bits, and with both signs.
fn singles() -> impl Iterator<Item = u32> {
    let mut fractions = vec![0u32, 1, 0x7f_ffff, 0x2a_aaaa, 0x55_5555];
    for bit in 9..20 {
        let half = 1u32 << bit;
        fractions.extend([
            half,
            half - 1,
            half + 1,
            3 * half,
            3 * half + 1,
            0x7f_ffff & !(half - 1),
        ]);
        fractions.push(0x7f_ffff & !half);
    }
    fractions.retain(|&fraction| fraction < 1 << 23);
    (0..256u32).flat_map(move |exponent| {
        let fractions = fractions.clone();
        fractions
            .into_iter()
            .flat_map(move |f| [exponent << 23 | f, 1 << 31 | exponent << 23 | f])
    })
}

#[test]
fn f16_widens_as_the_half_crate_has_it() {
    for bits in 0..=u16::MAX {
        let reference = half::f16::from_bits(bits);
        if reference.is_nan() {
            assert_eq!(f16::to_f32(bits), 0x7fff_ffff);
            assert!(f64::from_bits(f16::to_f64(bits)).is_nan());
        } else {
            assert_eq!(
                f16::to_f32(bits),
                reference.to_f32_const().to_bits(),
                "{bits:#06x}"
            );
            assert_eq!(f16::to_f64(bits), reference.to_f64_const().to_bits());
            assert_eq!(f16::from_f32(f16::to_f32(bits), Rounding::Up), bits);
        }
    }
}

#[test]
fn bf16_widens_by_a_shift() {
    for bits in 0..=u16::MAX {
        assert_eq!(bf16::to_f32(bits), (bits as u32) << 16);
        let reference = half::bf16::from_bits(bits);
        if !reference.is_nan() {
            assert_eq!(bf16::to_f32(bits), reference.to_f32_const().to_bits());
            assert_eq!(bf16::from_f32(bf16::to_f32(bits), Rounding::Down), bits);
        }
    }
}

#[test]
fn narrowing_to_nearest_is_the_half_crate_s() {
    // Every 251st f32 (a prime step, so that all low bits occur) and the edges.
    for bits in (0..u32::MAX).step_by(251).chain(singles()) {
        let value = f32::from_bits(bits);
        if value.is_nan() {
            assert_eq!(
                (f16::from_f32_nearest(bits), bf16::from_f32_nearest(bits)),
                (0x7fff, 0x7fff)
            );
        } else {
            assert_eq!(
                f16::from_f32_nearest(bits),
                half::f16::from_f32_const(value).to_bits(),
                "{bits:#010x}"
            );
            assert_eq!(
                bf16::from_f32_nearest(bits),
                half::bf16::from_f32_const(value).to_bits(),
                "{bits:#010x}"
            );
        }
    }
}

/// Returns the value of a finite encoding by the formula of its format.
fn formula(format: Format, bits: u64) -> f64 {
    let bias = (1 << (format.exponent_bits - 1)) - 1;
    let exponent = (bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1)) as i32;
    let fraction =
        (bits & ((1 << format.fraction_bits) - 1)) as f64 / (1u64 << format.fraction_bits) as f64;
    let magnitude = if exponent == 0 {
        fraction * 2f64.powi(1 - bias)
    } else {
        (1.0 + fraction) * 2f64.powi(exponent - bias)
    };
    if bits & format.sign_bit() != 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// Returns the rounded encoding by its definition: a search in the sorted magnitudes finds the two
/// neighbours, and the mode chooses between them. Ties and distances are computed in f64, which is
/// exact for these formats.
fn rounded_by_search(format: Format, value: f64, rounding: Rounding, saturate: bool) -> u64 {
    let sign = if value.is_sign_negative() {
        format.sign_bit()
    } else {
        0
    };
    let magnitude = value.abs();
    let largest = format.max_finite();
    let (mut low, mut high) = (0u64, largest + 1);
    // Invariant: formula(low) <= magnitude < formula(high), where formula(high) continues past the
    // format's largest number.
    let at = |bits: u64| {
        if bits > largest {
            2.0 * formula(format, largest)
        } else {
            formula(format, bits)
        }
    };
    while high - low > 1 {
        let middle = low.midpoint(high);
        if at(middle) <= magnitude {
            low = middle
        } else {
            high = middle
        }
    }
    if formula(format, low) == magnitude {
        return sign | low;
    }
    // Above the largest number the next step would have the same size.
    let step = formula(format, largest) - formula(format, largest - 1);
    let above = if low == largest {
        formula(format, largest) + step
    } else {
        formula(format, low + 1)
    };
    let middle = formula(format, low) + (above - formula(format, low)) / 2.0;
    let up = match rounding {
        Rounding::NearestEven => magnitude > middle || magnitude == middle && low & 1 == 1,
        Rounding::NearestAway => magnitude >= middle,
        Rounding::Zero => false,
        Rounding::Down => sign != 0,
        Rounding::Up => sign == 0,
    };
    let result = low + u64::from(up);
    if result > largest && (saturate || !format.has_infinity) {
        return if saturate { sign | largest } else { format.nan };
    }
    sign | result
}

#[test]
fn packing_chooses_the_neighbour_that_the_mode_names() {
    for bits in singles().filter(|&bits| f32::from_bits(bits).is_finite()) {
        let value = f32::from_bits(bits);
        for format in [soft::F16, soft::BF16, soft::TF32, soft::E5M2, soft::E4M3] {
            for rounding in DIRECTED.into_iter().chain([Rounding::NearestEven]) {
                let expected = rounded_by_search(format, value as f64, rounding, false);
                let found = soft::convert(soft::F32, format, bits as u64, rounding);
                assert_eq!(found, expected, "{value:e} {rounding:?} {format:?}");
                let saturated =
                    soft::pack_saturating(format, soft::unpack(soft::F32, bits as u64), rounding);
                assert_eq!(
                    saturated,
                    rounded_by_search(format, value as f64, rounding, true)
                );
            }
        }
    }
}

#[test]
fn directed_narrowing_goes_through_the_same_door() {
    for bits in singles() {
        for rounding in DIRECTED {
            let expected = soft::convert(soft::F32, soft::F16, bits as u64, rounding) as u16;
            assert_eq!(f16::from_f32(bits, rounding), expected);
            let wide = (f32::from_bits(bits) as f64).to_bits();
            assert_eq!(f16::from_f64(wide, rounding), expected);
            let expected = soft::convert(soft::F32, soft::BF16, bits as u64, rounding) as u16;
            assert_eq!(bf16::from_f32(bits, rounding), expected);
            assert_eq!(bf16::from_f64(wide, rounding), expected);
        }
    }
    // This double is just above a tie: rounding through f32 would lose the last bit and round the
    // tie to even.
    let above_tie = (1.0f64 + 2f64.powi(-11)).to_bits() + 1;
    assert_eq!(f16::from_f64(above_tie, Rounding::NearestEven), 0x3c01);
    let above_tie = (1.0f64 + 2f64.powi(-8)).to_bits() + 1;
    assert_eq!(bf16::from_f64(above_tie, Rounding::NearestEven), 0x3f81);
}

#[test]
fn tf32_keeps_ten_bits() {
    for bits in singles() {
        let value = f32::from_bits(bits);
        if !value.is_finite() {
            assert_eq!(tf32::from_f32_away(bits), bits & tf32::MASK);
            let saturated = tf32::from_f32_saturating(bits, Rounding::NearestAway);
            // The top exponent saturates one step lower, for NaN as for infinity.
            assert_eq!(saturated, (bits & tf32::MASK) - 0x2000);
            continue;
        }
        for rounding in [Rounding::NearestAway, Rounding::NearestEven, Rounding::Zero] {
            let expected =
                (rounded_by_search(soft::TF32, value as f64, rounding, false) << 13) as u32;
            assert_eq!(
                tf32::from_f32(bits, rounding),
                expected,
                "{value:e} {rounding:?}"
            );
        }
        assert_eq!(tf32::operand(bits), tf32::from_f32(bits, Rounding::Zero));
    }
}

#[test]
fn fp8_is_its_formula() {
    for kind in [Fp8::E4m3, Fp8::E5m2] {
        let format = kind.format();
        for code in 0..=255u8 {
            let magnitude = (code & 0x7f) as u64;
            let single = kind.to_f32(code);
            let half = kind.to_f16(code);
            if magnitude < format.overflow {
                assert_eq!(
                    f32::from_bits(single) as f64,
                    formula(format, code as u64),
                    "{kind:?} {code:#x}"
                );
                assert_eq!(f32::from_bits(single).is_sign_negative(), code > 127);
                assert_eq!(kind.from_f32(single), code);
                assert_eq!(kind.from_f16(half), code);
            }
            assert_eq!(f16::to_f32(half), single, "{kind:?} {code:#x}");
        }
        assert_eq!(kind.from_f32(f32::NAN.to_bits()), 0x7f);
        assert_eq!(
            kind.from_f32(f32::NEG_INFINITY.to_bits()) as u64,
            0x80 | format.max_finite()
        );
    }
    assert_eq!(f32::from_bits(Fp8::E4m3.to_f32(0x7e)), 448.0);
    assert_eq!(Fp8::E4m3.to_f32(0xff), 0x7fff_ffff);
    assert_eq!(f32::from_bits(Fp8::E5m2.to_f32(0x7b)), 57344.0);
    assert_eq!(Fp8::E5m2.to_f32(0xfc), f32::NEG_INFINITY.to_bits());
}

#[test]
fn unpacking_is_exact() {
    for bits in singles().filter(|&bits| f32::from_bits(bits).is_finite()) {
        let Value::Finite {
            negative,
            exponent,
            significand,
        } = soft::unpack(soft::F32, bits as u64)
        else {
            panic!("{bits:#x} is finite");
        };
        let magnitude = significand as f64 * 2f64.powi(exponent);
        assert_eq!(
            if negative { -magnitude } else { magnitude },
            f32::from_bits(bits) as f64
        );
    }
}
