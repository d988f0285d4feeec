//! Compares blocks that run at the same time with the same blocks one after the other, by brute
//! force.
//!
//! ```text
//! block 0: W1 R      every order of the steps ─► nothing suspected ─► no order of the blocks has a race
//! block 1: W1 W0
//! ```

use super::*;
use crate::memory::global::HostMemory;

/// An access by a block to the only place, which holds 0 at first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Read,
    Write(u8),
}

const OPS: [Op; 4] = [Op::Read, Op::Write(0), Op::Write(1), Op::Write(2)];

/// A launch of blocks on a buffer of one word.
struct Bench {
    global: HostMemory,
    races: Races,
}

impl Bench {
    fn new(parallel: bool) -> Bench {
        let mut global = HostMemory::default();
        global.allocate(4, 1, Kind::Buffer, 4).unwrap();
        let races = Races::new(&global, 4, 3, false, parallel).unwrap();
        Bench { global, races }
    }

    fn note(&self, block: usize, op: Op) -> Result<(), Conflict> {
        let word = self.global.at(0).unwrap();
        match op {
            Op::Read => self.races.read((0, word), 0, 4, block as u32, false),
            Op::Write(value) => self
                .races
                .write((0, word), 0, 4, block as u32, false, |at| {
                    let mut byte = [0];
                    let address = word.base + at as u64;
                    self.global.read(address, &mut byte).unwrap();
                    Some((byte[0], value))
                }),
        }
    }

    fn execute(&self, op: Op) {
        if let Op::Write(value) = op {
            let base = self.global.at(0).unwrap().base;
            self.global.write(base, &[value; 4]).unwrap();
        }
    }
}

/// Whether the blocks have a race if they run one after the other in some order.
fn races_in_some_order(program: &[Vec<Op>]) -> bool {
    let mut orders = vec![vec![]];
    for block in 0..program.len() {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(|at| {
                    let mut longer = order.clone();
                    longer.insert(at, block);
                    longer
                })
            })
            .collect();
    }
    orders.iter().any(|order| {
        let bench = Bench::new(false);
        order.iter().any(|&block| {
            program[block].iter().any(|&op| {
                let found = bench.note(block, op).is_err();
                bench.execute(op);
                found
            })
        })
    })
}

/// Returns every program of `blocks` blocks that have `length` operations each, out of the first
/// `ops` operations.
fn programs(blocks: usize, length: usize, ops: usize) -> impl Iterator<Item = Vec<Vec<Op>>> {
    (0..ops.pow((blocks * length) as u32)).map(move |mut number| {
        let mut next = || {
            let op = OPS[number % ops];
            number /= ops;
            op
        };
        (0..blocks)
            .map(|_| (0..length).map(|_| next()).collect())
            .collect()
    })
}

/// Returns every order of the steps of blocks that have `steps` steps each, as the block of each
/// step.
fn interleavings(blocks: usize, steps: usize) -> Vec<Vec<usize>> {
    let mut all = vec![(vec![], vec![steps; blocks])];
    for _ in 0..blocks * steps {
        all = all
            .into_iter()
            .flat_map(|(order, left): (Vec<usize>, Vec<usize>)| {
                (0..blocks).filter_map(move |block| {
                    let mut left = left.clone();
                    left[block] = left[block].checked_sub(1)?;
                    let mut order = order.clone();
                    order.push(block);
                    Some((order, left))
                })
            })
            .collect();
    }
    all.into_iter().map(|(order, _)| order).collect()
}

/// Whether a conflict is suspected if the steps come in that order. With `apart`, an operation
/// takes two steps: the first notes it, and the second executes it.
fn suspects(program: &[Vec<Op>], order: &[usize], apart: bool) -> bool {
    let bench = Bench::new(true);
    let mut next = vec![0; program.len()];
    order.iter().any(|&block| {
        let step = next[block];
        next[block] += 1;
        let op = program[block][if apart { step / 2 } else { step }];
        let found = (!apart || step.is_multiple_of(2)) && bench.note(block, op).is_err();
        if !apart || !step.is_multiple_of(2) {
            bench.execute(op);
        }
        found
    })
}

#[test]
fn without_a_suspicion_no_order_of_the_blocks_has_a_race() {
    let mut right = 0;
    for (blocks, length, ops, apart) in [
        (2, 2, 4, true),
        (2, 3, 3, true),
        (2, 4, 3, false),
        (3, 2, 4, false),
    ] {
        let orders = interleavings(blocks, if apart { 2 * length } else { length });
        for program in programs(blocks, length, ops) {
            let race = races_in_some_order(&program);
            let mut suspected = true;
            for order in &orders {
                let found = suspects(&program, order, apart);
                assert!(found || !race, "{program:?} {order:?}");
                suspected &= found;
            }
            right += usize::from(!suspected);
        }
    }
    // The right programs are those in which blocks only read, and those that write one value which
    // was not in memory before.
    assert_eq!(right, 10);
}

/// Checks that blocks which all write one value, again and again, are not suspected: the launch
/// need not run a second time.
#[test]
fn equal_writes_are_not_suspected() {
    for value in [1, 2] {
        let program = vec![vec![Op::Write(value); 2]; 3];
        for order in interleavings(3, 2) {
            assert!(!suspects(&program, &order, false), "{order:?}");
        }
    }
}
