//! Random operands in CuTe's notation, from a seed.
//!
//! ```text
//!   seed ──► shape ((4,3),2)  ──► strides: compact in a random order, spread, repeated, negated, or any
//! ```

use layout_types::dynamic::IntTuple;
use std::fmt::Write;

/// The random generator SplitMix64, which gives the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns one of some values at random.
    pub fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// The limits on extents, and on the nesting of tuples.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The smallest and the largest number of modes; a shape without modes is an integer.
    pub rank: (u64, u64),
    /// Whether a mode may have modes.
    pub nested: bool,
    /// The largest size.
    pub size: i64,
}

/// The limits that the tests use.
pub const SMALL: Limits = Limits {
    rank: (0, 4),
    nested: true,
    size: 256,
};

const EXTENTS: [i64; 14] = [1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 6, 8, 8, 16];

/// A tuple as a tree of numbers.
#[derive(Clone)]
enum Tree {
    Leaf(i64),
    Tuple(Vec<Tree>),
}

impl Tree {
    fn leaves(&self, out: &mut Vec<i64>) {
        match self {
            Self::Leaf(value) => out.push(*value),
            Self::Tuple(modes) => modes.iter().for_each(|mode| mode.leaves(out)),
        }
    }

    fn print(&self, leaf: &mut dyn FnMut(i64) -> String, out: &mut String) {
        match self {
            Self::Leaf(value) => out.push_str(&leaf(*value)),
            Self::Tuple(modes) => {
                for (i, mode) in modes.iter().enumerate() {
                    out.push(if i == 0 { '(' } else { ',' });
                    mode.print(leaf, out);
                }
                out.push(')');
            }
        }
    }

    fn text(&self, mut leaf: impl FnMut(i64) -> String) -> String {
        let mut out = String::new();
        self.print(&mut leaf, &mut out);
        out
    }
}

fn tree(random: &mut Random, limits: Limits) -> Tree {
    loop {
        let (least, most) = limits.rank;
        let rank = least + random.below(most - least + 1);
        let extent = |random: &mut Random| Tree::Leaf(random.of(&EXTENTS));
        let shape = if rank == 0 {
            extent(random)
        } else {
            let modes = (0..rank).map(|_| {
                if limits.nested && random.one_in(4) {
                    let modes = 1 + random.below(3);
                    Tree::Tuple((0..modes).map(|_| extent(random)).collect())
                } else {
                    extent(random)
                }
            });
            Tree::Tuple(modes.collect())
        };
        let mut leaves = Vec::new();
        shape.leaves(&mut leaves);
        if leaves.iter().product::<i64>() <= limits.size {
            return shape;
        }
    }
}

/// Draws a shape.
pub fn shape(random: &mut Random, limits: Limits) -> String {
    tree(random, limits).text(|extent| extent.to_string())
}

/// Draws a layout. It is mostly one-to-one, sometimes with gaps, repetitions, negative strides, or
/// any strides.
pub fn layout(random: &mut Random, limits: Limits) -> String {
    let shape = tree(random, limits);
    let mut extents = Vec::new();
    shape.leaves(&mut extents);
    let mut order: Vec<usize> = (0..extents.len()).collect();
    if !random.one_in(3) {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i as u64 + 1) as usize);
        }
    }
    let mut step = if random.one_in(4) {
        random.of(&[2, 3, 4, 8])
    } else {
        1
    };
    let mut strides = vec![0; extents.len()];
    let kind = random.below(10);
    for leaf in order {
        strides[leaf] = match kind {
            0 if random.one_in(2) => 0,
            1 => random.of(&[0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]),
            2 if random.one_in(3) => -step,
            _ => step,
        };
        step *= extents[leaf];
        if kind == 3 {
            step *= random.of(&[1, 2, 3]);
        }
    }
    let mut strides = strides.into_iter();
    let shown = shape.text(|extent| extent.to_string());
    let strides = shape.text(|_| strides.next().expect("a stride a leaf").to_string());
    format!("{shown}:{strides}")
}

/// Draws a layout with strides of both signs and more elements.
pub fn signed(random: &mut Random, limits: Limits) -> String {
    let larger = Limits {
        rank: (2, limits.rank.1),
        size: 16 * limits.size,
        ..limits
    };
    loop {
        let drawn = layout(random, larger);
        let (shape, stride) = drawn.split_once(':').expect("a layout");
        let stride: IntTuple = stride.parse().expect("integers");
        let stride = like(&stride, &mut |stride| {
            let sign = random.of(&[1, 1, -1]);
            (sign * stride).to_string()
        });
        // There is a stride below 0 and a stride above 0.
        if stride.contains('-')
            && stride
                .split(['(', ',', ')'])
                .any(|d| d.parse().is_ok_and(|d: i64| d > 0))
        {
            return format!("{shape}:{stride}");
        }
    }
}

/// Draws three modes. The last stride is often such that the first mode can borrow from the last:
/// 12 = 2*1 + (3-1)*5.
pub fn levels(random: &mut Random) -> String {
    let [s0, s1, s2] = [(); 3].map(|()| random.of(&[2, 2, 3, 4]));
    let [d0, d1] = [(); 2].map(|()| random.of(&[0, 1, 1, 2, 3, 5, 8, -1, -4]));
    let d2 = if random.one_in(4) {
        random.of(&[0, 1, 7, 30])
    } else {
        s0 * d0 + (s1 - 1) * d1
    };
    format!("({s0},{s1},{s2}):({d0},{d1},{d2})")
}

/// Draws two to four modes; each takes some steps in one mode of `shape`, up or down.
pub fn steps(random: &mut Random, shape: &IntTuple) -> String {
    let extents: Vec<i64> = shape.leaves().into_iter().copied().collect();
    let (mut shapes, mut strides) = (Vec::new(), Vec::new());
    for _ in 0..2 + random.below(3) {
        let mode = random.below(extents.len() as u64) as usize;
        let before: i64 = extents[..mode].iter().product();
        let sign = random.of(&[1, -1]);
        shapes.push(random.of(&[2, 2, 2, 3, extents[mode]]).to_string());
        strides.push((sign * before * random.of(&[1, 1, 2])).to_string());
    }
    format!("({}):({})", shapes.join(","), strides.join(","))
}

/// Draws a layout with a swizzle after it.
pub fn swizzled(random: &mut Random) -> String {
    let rows = random.of(&[8, 16, 32]);
    let columns = random.of(&[16, 32, 64]);
    let (b, m, s) = (1 + random.below(3), random.below(4), 3 + random.below(2));
    let strides = random.of(&[(columns, 1), (1, rows)]);
    format!(
        "Sw<{b},{m},{s}> o 0 o ({rows},{columns}):({},{})",
        strides.0, strides.1
    )
}

/// Draws a layout with a swizzle of either direction after it, and an offset between them. The
/// extents are not powers of two, and the rows may be padded.
pub fn ragged(random: &mut Random) -> String {
    let (rows, columns) = (
        random.of(&[3, 5, 6, 8]),
        random.of(&[6, 12, 20, 24, 40, 48]),
    );
    let bits = 1 + random.below(3) as i64;
    let shift = random.of(&[1, -1]) * (bits + random.below((4 - bits) as u64) as i64);
    let base = random.below(5);
    let pitch = columns + random.of(&[0, 0, 0, 1, 4]);
    let strides = random.of(&[(pitch, 1), (pitch, 1), (1, rows)]);
    let offset = random.of(&[0, 0, 0, 8, 5, 48]);
    format!(
        "Sw<{bits},{base},{shift}> o {offset} o ({rows},{columns}):({},{})",
        strides.0, strides.1
    )
}

/// Draws a tuple of tilers without its parentheses, with at most one tiler for each mode of a
/// layout of rank `rank`.
pub fn tile(random: &mut Random, rank: usize) -> String {
    let len = 1 + random.below(rank.clamp(1, 4) as u64);
    let mut out = String::new();
    for i in 0..len {
        if i > 0 {
            out.push(',');
        }
        let extent = random.of(&[1, 2, 2, 3, 4, 4, 8]);
        let _ = match random.below(8) {
            0 => write!(out, "_"),
            1 | 2 => write!(out, "{extent}:{}", random.of(&[1, 2, 2, 4])),
            3 => write!(out, "(2,{extent}):({},{})", random.of(&[1, 4]), 2),
            _ => write!(out, "{extent}"),
        };
    }
    out
}

/// Makes a tuple with the nesting of `shape`; `leaf` writes each leaf.
pub fn like(shape: &IntTuple, leaf: &mut dyn FnMut(i64) -> String) -> String {
    match shape {
        IntTuple::Leaf(extent) => leaf(*extent),
        IntTuple::Tuple(modes) => {
            let modes: Vec<String> = modes.iter().map(|mode| like(mode, leaf)).collect();
            format!("({})", modes.join(","))
        }
    }
}

/// Draws a coordinate of `shape` with `_` for some modes.
pub fn coordinate(random: &mut Random, shape: &IntTuple) -> String {
    match shape {
        _ if random.one_in(3) => "_".to_owned(),
        IntTuple::Tuple(modes) if !random.one_in(4) => {
            let modes: Vec<String> = modes.iter().map(|mode| coordinate(random, mode)).collect();
            format!("({})", modes.join(","))
        }
        mode => {
            let size = mode.product().unwrap_or(1).max(1);
            random.below(size as u64).to_string()
        }
    }
}
