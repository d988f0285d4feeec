//! Random data from a seed. The data is the same on every machine and for any number of threads.
//!
//! ```text
//!   seed ──SplitMix64──► 4 × 64 bits of state ──xoshiro256++──► u64, u64, u64, …
//! ```
//!
//! Sources: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014), for
//! SplitMix64; Blackman, Vigna, "Scrambled Linear Pseudorandom Number Generators" (2021), for
//! xoshiro256++ and for seeding it through SplitMix64.

use super::element::Element;
use bytemuck::Pod;
use rayon::prelude::*;

/// The generator xoshiro256++.
///
/// ```
/// use host::reference::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.next_u64(), b.next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// Returns a generator whose sequence depends only on `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut weyl = seed;
        let state = std::array::from_fn(|_| {
            weyl = weyl.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = weyl;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Self { state }
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let result = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let shifted = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= shifted;
        *s3 = s3.rotate_left(45);
        result
    }

    /// Returns a number from 0 to `bound - 1`, or 0 for a bound of 0. The probabilities of any two
    /// numbers differ by a factor of at most about 1 + 2⁻⁶⁴ · `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a number that is uniform in [-1, 1), on a grid of 2⁻⁵².
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 52) as f64) - 1.0
    }

    /// Returns a random element, rounded to nearest: uniform in [-1, 1), or in the whole range of
    /// an integer type. If a number rounds up to the end of the range, another number is drawn.
    pub fn element<T: Element>(&mut self) -> T {
        loop {
            let value = T::from_f64(self.uniform() * T::RANGE);
            if value.to_f64() < T::RANGE {
                return value;
            }
        }
    }
}

/// Returns `len` elements, uniform in [-1, 1), or in the whole range of an integer type. The
/// elements depend only on `seed` and `len`.
///
/// ```
/// let data: Vec<f32> = host::reference::fill(1, 1000);
/// assert!(data.iter().all(|x| (-1.0..1.0).contains(x)));
/// assert_eq!(data, host::reference::fill::<f32>(1, 1000));
/// ```
#[must_use]
pub fn fill<T: Element>(seed: u64, len: usize) -> Vec<T> {
    in_pieces(seed, len, T::draw)
}

/// Returns `len` values of random bits, which include NaNs of every kind, for kernels that only
/// move data.
#[must_use]
pub fn fill_bits<T: Pod + Send>(seed: u64, len: usize) -> Vec<T> {
    in_pieces(seed, len, |random, to: &mut [T]| {
        for value in to {
            for bytes in bytemuck::bytes_of_mut(value).chunks_mut(8) {
                bytes.copy_from_slice(&random.next_u64().to_le_bytes()[..bytes.len()]);
            }
        }
    })
}

/// Fills `len` values piece by piece. Every piece has its own generator, so the result does not
/// depend on the number of threads.
fn in_pieces<T: Pod + Send>(
    seed: u64,
    len: usize,
    draw: impl Fn(&mut Random, &mut [T]) + Sync,
) -> Vec<T> {
    const PIECE: usize = 1 << 16;
    let base = Random::new(seed).next_u64();
    let mut data = vec![T::zeroed(); len];
    data.par_chunks_mut(PIECE)
        .enumerate()
        .for_each(|(piece, chunk)| {
            let mut random = Random::new(base ^ piece as u64);
            draw(&mut random, chunk);
        });
    data
}

/// Returns `count` different numbers from 0 to `bound - 1` in ascending order, or all numbers if
/// `count` reaches `bound`. The result includes 0 and `bound - 1` if `count` allows it.
///
/// ```
/// let rows = host::reference::sample(3, 8192, 16);
/// assert_eq!((rows.len(), rows[0], rows[15]), (16, 0, 8191));
/// ```
#[must_use]
pub fn sample(seed: u64, bound: usize, count: usize) -> Vec<usize> {
    if count >= bound {
        return (0..bound).collect();
    }
    let mut random = Random::new(seed);
    let mut chosen: std::collections::BTreeSet<usize> =
        [0, bound - 1].into_iter().take(count).collect();
    while chosen.len() < count {
        chosen.insert(random.below(bound as u64) as usize);
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    /// Checks the first numbers of xoshiro256++ from the state 1, 2, 3, 4, worked out by hand from
    /// the definition: rotl(s0 + s3, 23) + s0.
    #[test]
    fn first_words_from_a_known_state() {
        let mut random = Random {
            state: [1, 2, 3, 4],
        };
        assert_eq!(random.next_u64(), (5 << 23) + 1);
        // t = s1 << 17; s2 ^= s0; s3 ^= s1; s1 ^= s2; s0 ^= s3; s2 ^= t; s3 = rotl(s3, 45)
        assert_eq!(
            random.state,
            [1 ^ (4 ^ 2), 2 ^ (3 ^ 1), (3 ^ 1) ^ (2 << 17), 6 << 45]
        );
    }

    /// Checks the published first outputs of SplitMix64 for the seed 1234567.
    #[test]
    fn seeding_is_splitmix64() {
        assert_eq!(
            Random::new(1_234_567).state,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431
            ]
        );
    }

    fn uniform<T: Element>() {
        let data: Vec<T> = fill(5, 200_000);
        let values: Vec<f64> = data.iter().map(|x| x.to_f64()).collect();
        assert!(values.iter().all(|x| (-1.0..1.0).contains(x)));
        let mean = values.iter().sum::<f64>() / 2e5;
        let square = values.iter().map(|x| x * x).sum::<f64>() / 2e5;
        // The two means have the standard deviations 1.3e-3 and 6.7e-4. For f16 and bf16, a number
        // that rounds to 1 is drawn again.
        assert!(mean.abs() < 1e-2, "{} {mean}", T::NAME);
        assert!((square - 1.0 / 3.0).abs() < 1e-2, "{} {square}", T::NAME);
        assert!(
            data != fill::<T>(6, 200_000),
            "another seed gives other data"
        );
    }

    #[test]
    fn elements_are_uniform() {
        uniform::<f16>();
        uniform::<bf16>();
        uniform::<f32>();
        uniform::<f64>();
    }

    #[test]
    fn bits_are_random_in_every_position() {
        let data: Vec<u16> = fill_bits(2, 100_000);
        for bit in 0..16 {
            let set = data.iter().filter(|&value| value >> bit & 1 == 1).count();
            assert!((48_000..52_000).contains(&set), "bit {bit}: {set}");
        }
        assert_eq!(fill_bits::<[u64; 3]>(2, 5).len(), 5);
    }

    #[test]
    fn pieces_differ() {
        let data: Vec<f32> = fill(9, 1 << 17);
        assert_ne!(data[..1 << 16], data[1 << 16..]);
    }

    #[test]
    fn samples_are_distinct_and_ascending() {
        for (bound, count) in [
            (0, 5),
            (1, 1),
            (5, 0),
            (5, 1),
            (5, 2),
            (5, 5),
            (5, 9),
            (1000, 64),
        ] {
            let rows = sample(1, bound, count);
            assert_eq!(rows.len(), count.min(bound));
            assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(rows.iter().all(|&row| row < bound));
        }
    }
}
