//! The products of `tcgen05.mma`. They are models, which were not compared with a device here.
//!
//! ```text
//!   .f16 .bf16 .tf32     what `mma.sync` gives on sm_90, with 32 bytes of k
//!   f8f6f4, mxf8f6f4     32 products and C, cut to 25 bits ──► sum ──► .f32 cut; a product's place has the factors' exponents
//!   mxf4, mxf4nvf4       16 products, exactly, times the factors' significands; four such and C, cut to 35 bits ──► sum ──► .f32 cut
//! ```
//!
//! Law: sums are exact on terms cut towards zero. The order of k within one instruction does not
//! matter. A factor that is NaN makes the result NaN. Source: "MMA-Sim", arXiv 2511.10909, whose
//! authors had a B200, and its simulator. The source leaves e2m3, e3m2 and the place of a zero
//! open: here e2m3 and e3m2 are treated as the other floats, and a zero as on sm_90.

use super::Arithmetic;
use super::fused::{Core, Formats, Group, Terms, cut, split};
use super::narrow::{Narrow, ScaledRow};

/// The sum of 32 products of floats of 8 bits and fewer.
const NARROW: Core = Core {
    kept: 25,
    below: 7,
    bytes: 32,
};
/// The number of bits that a sum of 16 products keeps below the largest place.
const KEPT: i32 = 35;
/// The smallest place of `.f32`.
const LOWEST: i32 = -126;
/// The only NaN that results have.
const NAN: u32 = 0x7fff_ffff;

/// The rows of A, the columns of B, and C, for a part of a product.
pub(crate) type Part<'a, const K: usize> = (
    &'a [ScaledRow<K>; 16],
    &'a [ScaledRow<K>; 8],
    &'a [[f32; 8]; 16],
);

/// Computes 16 rows and 8 columns of D, for floats of 8 bits and fewer.
pub(crate) fn narrow_product<const K: usize>(
    arithmetic: Arithmetic,
    formats: [Narrow; 2],
    part: Part<K>,
) -> [[f32; 8]; 16] {
    let by_element = |element: fn(&ScaledRow<K>, &ScaledRow<K>, f32) -> f32| {
        let (a, b, c) = part;
        std::array::from_fn(|i| std::array::from_fn(|j| element(&a[i], &b[j], c[i][j])))
    };
    match arithmetic {
        Arithmetic::Exact => by_element(exact),
        Arithmetic::F32Chain => by_element(chain),
        Arithmetic::Sm80 | Arithmetic::Sm90 if K > 32 => by_element(in_blocks),
        Arithmetic::Sm80 | Arithmetic::Sm90 => fused(formats, part),
    }
}

/// Returns the factor of an element of k.
fn scale<const K: usize>(a: &ScaledRow<K>, b: &ScaledRow<K>, k: usize) -> f64 {
    let of = |row: &ScaledRow<K>| row.scales[4 * k / K].value();
    of(a) * of(b)
}

/// Returns the value, or the canonical NaN if the value is any NaN.
fn canonical(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(NAN)
    } else {
        value
    }
}

fn exact<const K: usize>(a: &ScaledRow<K>, b: &ScaledRow<K>, c: f32) -> f32 {
    let products = (0..K).map(|k| f64::from(a.values[k] * b.values[k]) * scale(a, b, k));
    canonical((products.sum::<f64>() + f64::from(c)) as f32)
}

/// Computes an element of D with one fused multiply-add per step; scaled products are rounded with
/// their sum.
fn chain<const K: usize>(a: &ScaledRow<K>, b: &ScaledRow<K>, c: f32) -> f32 {
    let step = |sum: f32, k: usize| match scale(a, b, k) {
        1.0 => a.values[k].mul_add(b.values[k], sum),
        scale => (f64::from(sum) + f64::from(a.values[k] * b.values[k]) * scale) as f32,
    };
    canonical((0..K).fold(c, step))
}

/// Computes an element of D as four sums, each of a quarter of k and with its factors, and C.
fn in_blocks<const K: usize>(a: &ScaledRow<K>, b: &ScaledRow<K>, c: f32) -> f32 {
    let (significands, places) = split(&[c], LOWEST);
    let of_c = (f64::from(significands[0]), i32::from(places[0]));
    let mut terms = [of_c; 5];
    for (i, term) in terms[1..].iter_mut().enumerate() {
        let all = i * K / 4..(i + 1) * K / 4;
        let sum: f32 = all.map(|k| a.values[k] * b.values[k]).sum();
        let (a, b) = (a.scales[i], b.scales[i]);
        let significand = f64::from(sum) * a.significand * b.significand;
        *term = (significand, a.place + b.place);
    }
    if c.is_nan() || terms.iter().any(|term| term.0.is_nan()) {
        return f32::from_bits(NAN);
    }
    if c.is_infinite() {
        return c;
    }
    let largest = terms
        .iter()
        .fold(LOWEST, |largest, term| largest.max(term.1));
    let kept = |&(significand, place): &(f64, i32)| {
        (significand * f64::powi(2.0, KEPT + place - largest)).trunc()
    };
    let sum: f64 = terms.iter().map(kept).sum();
    cut(sum * f64::powi(2.0, largest - KEPT)) + 0.0
}

/// Computes D with one sum of all products and C for each element.
fn fused<const K: usize>(formats: [Narrow; 2], (a, b, c): Part<K>) -> [[f32; 8]; 16] {
    // There may be fewer than 32 elements: the rest are zeros.
    let values = |row: &ScaledRow<K>| {
        let nan = row.scales[0].significand.is_nan();
        std::array::from_fn(|k| match row.values.get(k) {
            Some(_) if nan => f32::NAN,
            Some(value) => *value,
            None => 0.0,
        })
    };
    let place = |row: &ScaledRow<K>| row.scales[0].place;
    let (mut left, mut right) = (Terms::<16, 32>::new(), Terms::<32, 8>::new());
    for (i, row) in a.iter().enumerate() {
        left.put_scaled(&values(row), formats[0].lowest(), place(row), |k| (i, k));
    }
    for (j, row) in b.iter().enumerate() {
        right.put_scaled(&values(row), formats[1].lowest(), place(row), |k| (k, j));
    }
    let group = Group {
        core: NARROW,
        formats: Formats {
            lowest: LOWEST,
            half: false,
        },
        a: &left,
        b: &right,
    };
    group.sum(0..32, c)
}

#[cfg(test)]
mod tests {
    use super::super::narrow::Scale;
    use super::*;

    fn row<const K: usize>(value: f32, scale: Scale) -> ScaledRow<K> {
        ScaledRow {
            values: [value; K],
            scales: [scale; 4],
        }
    }

    /// Returns an element of the product of rows of one value each, by the models.
    fn element<const K: usize>(
        format: Narrow,
        [a, b]: [(f32, Scale); 2],
        arithmetic: Arithmetic,
        c: f32,
    ) -> f32 {
        let part = (
            &[row::<K>(a.0, a.1); 16],
            &[row::<K>(b.0, b.1); 8],
            &[[c; 8]; 16],
        );
        narrow_product(arithmetic, [format; 2], part)[15][7]
    }

    #[test]
    fn sums_of_32_keep_25_bits() {
        let one = (1.0, Scale::ONE);
        let sum = |c: f32, b: f32| {
            let b = (b, Scale::ONE);
            element::<32>(Narrow::E4m3, [one, b], Arithmetic::Sm90, c)
        };
        assert_eq!(sum(0.0, 1.0), 32.0);
        assert_eq!(sum(1.0, 0.0), 1.0);
        assert_eq!(sum(-1.5, 0.0), -1.5);
        // Hopper keeps 13 bits here.
        assert_eq!(sum(2f32.powi(-14), 1.0), 32.0 + 2f32.powi(-14));
        assert_eq!(sum(2f32.powi(-26), 1.0), 32.0);
    }

    #[test]
    fn a_sum_is_cut_towards_zero_and_may_be_infinite() {
        let sum = |c: f32, b: f32| {
            let of = |value| (value, Scale::ONE);
            element::<32>(Narrow::E4m3, [of(448.0), of(b)], Arithmetic::Sm90, c)
        };
        let products = 32.0 * 448.0 * 448.0;
        assert_eq!(sum(0.75, 448.0), products + 0.5);
        assert_eq!(sum(-0.75, 448.0), products - 1.0);
        assert_eq!(sum(f32::MAX, 0.0), f32::MAX);
        assert_eq!(sum(f32::INFINITY, 448.0), f32::INFINITY);
        assert_eq!(sum(-0.0, 0.0).to_bits(), 0);
    }

    #[test]
    fn factors_move_the_places() {
        let of = |place| Scale {
            significand: 1.0,
            place,
        };
        for arithmetic in Arithmetic::ALL {
            let sum = |c, places: [i32; 2]| {
                let operands = places.map(|place| (1.5, of(place)));
                element::<32>(Narrow::E2m3, operands, arithmetic, c)
            };
            assert_eq!(sum(0.0, [3, -5]), 72.0 / 4.0);
            assert_eq!(sum(0.5, [0, 0]), 72.5);
            assert_eq!(sum(0.0, [-127, 127]), 72.0);
            // Numbers beyond the range of `.f32`.
            assert_eq!(sum(0.0, [127, 127]), f32::INFINITY);
            assert_eq!(sum(1.0, [-100, -100]), 1.0);
        }
    }

    #[test]
    fn blocks_of_16_keep_35_bits() {
        let scale = |significand: f64, place| Scale { significand, place };
        let sum = |c, a, b| element::<64>(Narrow::E2m1, [(1.0, a), (1.0, b)], Arithmetic::Sm90, c);
        assert_eq!(
            sum(0.0, scale(1.875, 0), scale(1.125, 2)),
            64.0 * 1.875 * 4.5
        );
        assert_eq!(sum(-64.0, Scale::ONE, Scale::ONE), 0.0);
        // 35 bits of C below the factors' place are kept, even if all products are zeros.
        let far = |place| sum(2f32.powi(-30), scale(1.0, place), scale(0.0, 0));
        assert_eq!(far(5), 2f32.powi(-30));
        assert_eq!(far(6), 0.0);
        assert!(sum(0.0, scale(f64::NAN, 0), Scale::ONE).is_nan());
        assert_eq!(sum(f32::INFINITY, Scale::ONE, Scale::ONE), f32::INFINITY);
    }

    #[test]
    fn all_ways_agree_where_sums_are_exact() {
        let half = Scale {
            significand: 1.0,
            place: -1,
        };
        for arithmetic in Arithmetic::ALL {
            let operands = [(3.0, half), (-0.5, Scale::ONE)];
            assert_eq!(element::<64>(Narrow::E2m1, operands, arithmetic, 48.5), 0.5);
            assert_eq!(
                element::<32>(Narrow::E2m1, operands, arithmetic, 48.5),
                24.5
            );
        }
    }
}
