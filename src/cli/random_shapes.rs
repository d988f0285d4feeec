//! Random shapes of matrix products. The choice of kernels is fitted to the shapes of one seed, and
//! judged by those of another.
//!
//! ```text
//!   M  1 .. 16384      log-uniform
//!   N  64 .. 32768     log-uniform, two of three rounded to a multiple of 64, the third to a multiple of 8
//!   K  64 .. 32768     as N
//!   2 M N K            10^8 .. 10^13, else the three are drawn again
//! ```
//!
//! Law: a seed gives the same shapes on every machine, and a longer list begins with the shapes of
//! a shorter one.

use super::shape::Shape;
use host::reference::Random;

/// The least and the largest M.
const ROWS: [f64; 2] = [1.0, 16_384.0];
/// The least and the largest N and K.
const EXTENTS: [f64; 2] = [64.0, 32_768.0];
/// The fewest and the most operations.
const OPERATIONS: [f64; 2] = [1e8, 1e13];

/// Returns the first `count` shapes of a seed.
pub fn random_shapes(count: usize, seed: u64) -> Vec<Shape> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(|| shape(&mut random))
        .filter(|shape| {
            let operations = shape.operations();
            (OPERATIONS[0]..=OPERATIONS[1]).contains(&operations)
        })
        .take(count)
        .collect()
}

/// Returns a random shape with any number of operations.
fn shape(random: &mut Random) -> Shape {
    let m = log_uniform(random, ROWS).round() as u32;
    let [n, k] = [(); 2].map(|()| {
        let extent = log_uniform(random, EXTENTS);
        let multiple = if random.below(3) == 0 { 8.0 } else { 64.0 };
        (multiple * (extent / multiple).round()) as u32
    });
    Shape(m, n, k)
}

/// Returns a number whose logarithm is uniform between those of `least` and `most`.
fn log_uniform(random: &mut Random, [least, most]: [f64; 2]) -> f64 {
    let unit = f64::midpoint(random.uniform(), 1.0);
    least * (most / least).powf(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_those_of_the_law() {
        let shapes = random_shapes(600, 1);
        assert_eq!(random_shapes(20, 1), shapes[..20]);
        assert_ne!(random_shapes(20, 2), shapes[..20]);
        let mut of_eight = [0; 2];
        for shape in &shapes {
            let &Shape(m, n, k) = shape;
            assert!((1..=16_384).contains(&m), "{shape}");
            for (count, extent) in of_eight.iter_mut().zip([n, k]) {
                assert!(
                    (64..=32_768).contains(&extent) && extent % 8 == 0,
                    "{shape}"
                );
                *count += usize::from(extent % 64 != 0);
            }
            assert!((1e8..=1e13).contains(&shape.operations()), "{shape}");
        }
        // A third of the Ns, and a third of the Ks, are rounded to a multiple of 8. Some of these
        // are multiples of 64 by chance.
        assert!(
            of_eight.iter().all(|count| (120..240).contains(count)),
            "{of_eight:?}"
        );
        let small = shapes.iter().filter(|Shape(m, ..)| *m < 128).count();
        assert!((120..360).contains(&small), "{small}");
    }
}
