//! Compares the rules exhaustively with brute force.
//!
//! Every function walks all layouts within its [`Limits`] and compares a rule's answer with the
//! definition, element by element. The left sides of compositions and divides are reduced to the
//! properties on which a result can depend (see [`composition`]), so that small loops represent
//! every pair of layouts.

mod composed;
mod composition;
mod divide;
mod inverse;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use layout_types::dynamic::rules::{
    Flat, Rule, Split, complement as complement_rule, holes, left_inverse, left_inverse_as_cute,
    nests, right_inverse, split, split_as_cute,
};
use layout_types::dynamic::{self, DynLayout, IntTuple, Nested};

pub use composed::composed;
pub use composition::{composition, random};
pub use divide::divide;
pub use inverse::{complement, inverses};

/// Whether there is a composition of these layouts, or the rule that forbids it.
fn composition_rule(a: &Flat, b: &Flat) -> Result<(), Rule> {
    let layout = |flat: &Flat| {
        let leaf = |number: i64| IntTuple::from(number);
        let modes = 0..flat.len();
        let shape = modes.clone().map(|i| leaf(flat.shape(i))).collect();
        let stride = modes.map(|i| Nested::Leaf(flat.stride(i).into())).collect();
        DynLayout::new(Nested::Tuple(shape), Nested::Tuple(stride)).expect("a layout")
    };
    dynamic::composition(&layout(a), layout(b))
        .map(|_| ())
        .map_err(|error| error.rule())
}

/// The layouts of a sweep: shapes up to `shape`, strides up to `stride`, up to three modes.
#[derive(Clone, Copy)]
pub struct Limits {
    pub shape: i64,
    pub stride: i64,
}

/// The counts of a sweep.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// The number of cases that were decided.
    pub cases: u64,
    /// The number of cases that are accepted, and right by brute force.
    pub accepted: u64,
    /// The number of cases that are refused here while CuTe gives a result, and wrong by brute
    /// force.
    pub refused: u64,
    /// The number of cases that CuTe refuses too.
    pub both: u64,
    /// The number of elements that were compared.
    pub points: u64,
    /// The first few disagreements.
    pub disagreements: Vec<String>,
}

impl Report {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.both += other.both;
        self.points += other.points;
        self.disagreements.extend(other.disagreements);
    }

    fn disagree(&mut self, what: impl FnOnce() -> String) {
        if self.disagreements.len() < 20 {
            self.disagreements.push(what());
        }
    }
}

/// Runs `work` on every item, on as many threads as there are cores.
fn parallel<T: Sync>(items: &[T], work: impl Fn(&T, &mut Report) + Sync) -> Report {
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Report::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut report = Report::default();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item, &mut report);
                }
                total.lock().unwrap().add(report);
            });
        }
    });
    total.into_inner().unwrap()
}

fn flat(modes: &[(i64, i64)]) -> Flat {
    let mut flat = Flat::new();
    modes
        .iter()
        .for_each(|(shape, stride)| flat.push(*shape, *stride, 0).unwrap());
    flat
}

fn show(flat: &Flat) -> String {
    let list = |f: fn(&Flat, usize) -> i64| {
        (0..flat.len())
            .map(|i| f(flat, i).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    format!("({}):({})", list(Flat::shape), list(Flat::stride))
}

/// Returns every mode of more than one element within the limits.
fn modes(limits: Limits) -> Vec<(i64, i64)> {
    (2..=limits.shape)
        .flat_map(|shape| (1..=limits.stride).map(move |stride| (shape, stride)))
        .collect()
}

/// Left strides so far apart that an offset shows each digit: digit `j` counts in units of
/// `2^(20 j)`.
const UNIT: [i64; 3] = [1, 1 << 20, 1 << 40];

fn digits(offset: i64) -> [i64; 3] {
    [offset & 0xf_ffff, (offset >> 20) & 0xf_ffff, offset >> 40]
}

/// Returns the offsets of one mode of the right side in CuTe's result, by the mode's coordinate.
fn offsets(a: &Flat, parts: &Split, shape: i64) -> Vec<i64> {
    (0..shape)
        .map(|c| {
            let (mut rest, mut sum) = (c, 0);
            for p in 0..parts.len() {
                let part = parts.part(p);
                sum += rest % part.shape * part.step * a.stride(part.left);
                rest /= part.shape;
            }
            sum
        })
        .collect()
}
