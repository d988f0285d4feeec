//! Compares a device's D with the emulator's numerics, element by element.
//!
//! ```text
//!   registers of D ─┐
//!                   ├─ differing elements ─► counts by class, the first few with row, column and operands
//!   numerics ───────┘
//! ```
//!
//! Law: elements are equal if all their bits are equal.

use super::{Class, Maker, Words};
use emulator::numerics::mma::{Accumulator, Arithmetic, fragment};
use rayon::prelude::*;
use std::fmt;

/// An element of D that differs from the emulator's, or that is kept as a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The tile's number.
    pub tile: u64,
    /// The element's row and column in D.
    pub at: (usize, usize),
    /// The row of A.
    pub a: Vec<u64>,
    /// The column of B.
    pub b: Vec<u64>,
    /// The element of C.
    pub c: u64,
    /// The device's element.
    pub device: u64,
    /// The emulator's element.
    pub ours: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[u64]| {
            let words: Vec<String> = values.iter().map(|value| format!("{value:x}")).collect();
            words.join(",")
        };
        write!(
            f,
            "{:?} {} {} {:x} {:x} {:x}",
            Class::of(self.tile),
            list(&self.a),
            list(&self.b),
            self.c,
            self.device,
            self.ours
        )
    }
}

/// The counts of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of tiles.
    pub tiles: u64,
    /// The number of elements of D.
    pub elements: u64,
    /// The number of elements that are infinite or NaN on the device, which is 0 for integers.
    pub not_finite: u64,
    /// The number of differing elements by class, in the order of [`Class::ALL`].
    pub differ: [u64; Class::COUNT],
    /// Samples of the differing elements, by class.
    pub samples: [Vec<Mismatch>; Class::COUNT],
    /// Samples of the equal elements, by class.
    pub equal: [Vec<Mismatch>; Class::COUNT],
}

impl Tally {
    /// Returns the number of differing elements of all classes.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.differ.iter().sum()
    }

    /// Adds the counts of another chunk, keeping at most `keep` samples per class.
    pub fn merge(&mut self, other: Self, keep: usize) {
        self.tiles += other.tiles;
        self.elements += other.elements;
        self.not_finite += other.not_finite;
        for class in 0..Class::COUNT {
            self.differ[class] += other.differ[class];
        }
        let join = |mine: &mut [Vec<Mismatch>; Class::COUNT],
                    theirs: [Vec<Mismatch>; Class::COUNT]| {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.extend(theirs);
                mine.truncate(keep);
            }
        };
        join(&mut self.samples, other.samples);
        join(&mut self.equal, other.equal);
    }
}

/// Compares D of the tiles from number `first` on. The operands of consecutive tiles follow each
/// other.
#[must_use]
pub fn compare<W: Words>(
    maker: &Maker,
    arithmetic: Arithmetic,
    first: u64,
    operands: [&[W]; 3],
    device: &[W],
    keep: usize,
) -> Tally {
    let execute = |operands: [&[W]; 3], d: &mut [W]| {
        W::execute(maker.mma(), arithmetic, operands, d);
    };
    compare_by(maker, first, operands, device, keep, execute)
}

/// Compares as [`compare`] does; `execute` computes D from the words of A, B and C.
#[must_use]
pub fn compare_by<W: Words>(
    maker: &Maker,
    first: u64,
    operands: [&[W]; 3],
    device: &[W],
    keep: usize,
    execute: impl Fn([&[W]; 3], &mut [W]) + Sync,
) -> Tally {
    let [a, b, c, d] = maker.words();
    device
        .par_chunks(d)
        .enumerate()
        .map(|(i, found)| {
            let mut ours = vec![W::from_bits(0); d];
            let of = |operand: usize, words: usize| &operands[operand][i * words..][..words];
            execute([of(0, a), of(1, b), of(2, c)], &mut ours);
            one(maker, first + i as u64, found, &ours, keep)
        })
        .fold(Tally::default, |mut all, tally| {
            all.merge(tally, keep);
            all
        })
        .reduce(Tally::default, |mut all, tally| {
            all.merge(tally, keep);
            all
        })
}

fn one<W: Words>(maker: &Maker, tile: u64, found: &[W], ours: &[W], keep: usize) -> Tally {
    let mma = maker.mma();
    let (m, n, k) = (mma.shape.m, mma.shape.n, mma.shape.k);
    let class = Class::ALL
        .iter()
        .position(|&c| c == Class::of(tile))
        .unwrap_or(0);
    let mut tally = Tally {
        tiles: 1,
        ..Tally::default()
    };
    let bits = mma.d.bits();
    let per = (mma.registers().bits / bits) as usize;
    let mask = u64::MAX >> (64 - bits);
    let top = match mma.d {
        Accumulator::F16 => 0x7c00,
        Accumulator::F32 => 0x7f80_0000,
        Accumulator::F64 => 0x7ff0_0000_0000_0000,
        Accumulator::S32 => 0,
    };
    let mut elements = None;
    for (word, (found, ours)) in found.iter().zip(ours).enumerate() {
        let (register, lane) = (word / 32, word % 32);
        let (found, ours) = (found.to_bits(), ours.to_bits());
        for e in 0..per {
            let shift = e as u32 * bits;
            let (found, ours) = (found >> shift & mask, ours >> shift & mask);
            tally.elements += 1;
            tally.not_finite += u64::from(top != 0 && found & top == top);
            let same = found == ours;
            tally.differ[class] += u64::from(!same);
            // Keeps a few of the equal elements, not always from the same position.
            let wanted = keep > 0 && (!same || (tile * 7 + word as u64).is_multiple_of(97));
            let list = if same {
                &mut tally.equal[class]
            } else {
                &mut tally.samples[class]
            };
            if !wanted || list.len() >= 4 {
                continue;
            }
            let value = register * per + e;
            let (product, (row, column)) = if mma.is_volta() {
                (
                    fragment::volta_product(lane),
                    fragment::volta_c(mma.d, lane, value),
                )
            } else {
                (0, fragment::c(lane, value))
            };
            let [a, b, c] = elements.get_or_insert_with(|| maker.elements(tile));
            list.push(Mismatch {
                tile,
                at: (row, column),
                a: a[(product * m + row) * k..][..k].to_vec(),
                b: b[(product * n + column) * k..][..k].to_vec(),
                c: c[(product * m + row) * n + column],
                device: found,
                ours,
            });
        }
    }
    tally
}
