//! Random distributions: block, cyclic, block-cyclic, nested, with replicas and with partial sums.

use layout_types::dynamic::DynLayout;

/// The random generator SplitMix64.
pub struct Chance(pub u64);

impl Chance {
    /// Returns a random number from 0 to `most - 1`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most as u64) as usize
    }

    /// Shuffles the items; every order is equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// Returns the prime factors, the smallest first.
pub fn primes(mut number: i64) -> Vec<i64> {
    let mut out = Vec::new();
    let mut divisor = 2;
    while number > 1 {
        while number % divisor == 0 {
            out.push(divisor);
            number /= divisor;
        }
        divisor += 1;
    }
    out
}

/// Returns a tensor's digits as (radix, weight), the fastest digit first.
pub fn digits(radices: &[i64]) -> Vec<(i64, i64)> {
    let mut weight = 1;
    radices
        .iter()
        .map(|&radix| {
            weight *= radix;
            (radix, weight / radix)
        })
        .collect()
}

/// Makes a random distribution over a mesh of these primes, the fastest mode first: block, cyclic,
/// block-cyclic, nested, with replicas and, if `sums`, with partial sums. Also returns the bits of
/// the modes of partial sums.
pub fn along(
    of: &[(i64, i64)],
    along: Vec<i64>,
    sums: bool,
    chance: &mut Chance,
) -> (DynLayout, u32) {
    let mut left = of.to_vec();
    chance.shuffle(&mut left);
    let (mut mesh, mut partial) = (Vec::new(), 0);
    for radix in along {
        let found = left.iter().position(|digit| digit.0 == radix);
        match found.filter(|_| chance.below(3) > 0) {
            Some(place) => mesh.push(left.remove(place)),
            None => {
                if sums && chance.below(2) == 0 {
                    partial |= 1 << mesh.len();
                }
                mesh.push((radix, 0));
            }
        }
    }
    if left.is_empty() {
        left.push((1, 0));
    }
    // The elements are in the order of the coordinate, or in any order.
    if chance.below(2) == 0 {
        left.sort_by_key(|digit| digit.1);
    }
    let mode = |digits: &[(i64, i64)], which: fn(&(i64, i64)) -> i64| {
        let texts: Vec<String> = digits
            .iter()
            .map(|digit| which(digit).to_string())
            .collect();
        format!("({})", texts.join(","))
    };
    let text = format!(
        "({},{}):({},{})",
        mode(&mesh, |digit| digit.0),
        mode(&left, |digit| digit.0),
        mode(&mesh, |digit| digit.1),
        mode(&left, |digit| digit.1)
    );
    (text.parse().unwrap(), partial)
}
