//! Compares elements of `mma.sync` with those that an H200 computed, at every end of the formats'
//! ranges.
//!
//! ```text
//!   row of A, column of B, C ─ fragments ─► a tile, eight such elements on its diagonal ─► D's element == the H200's
//! ```
//!
//! The record is drawn from the tiles of `mma_sweep` (crate atom-checks), with some elements of
//! each instruction and class of numbers.

use emulator::numerics::mma::{Accumulator, Arithmetic, Mma, fragment};

const RECORD: &str = include_str!("data/h200_mma_elements.txt");

struct Sample {
    class: String,
    a: Vec<u64>,
    b: Vec<u64>,
    c: u64,
    d: u64,
}

/// Returns the record's instructions with their samples.
fn samples() -> Vec<(Mma, Vec<Sample>)> {
    let mut all: Vec<(Mma, Vec<Sample>)> = Vec::new();
    for row in RECORD.lines().filter(|row| !row.starts_with('#')) {
        let words: Vec<&str> = row.split(' ').collect();
        let [name, class, a, b, c, d] = words[..] else {
            panic!("{row}")
        };
        let number = |word: &str| u64::from_str_radix(word, 16).unwrap();
        let list = |word: &str| word.split(',').map(number).collect();
        let sample = Sample {
            class: class.to_owned(),
            a: list(a),
            b: list(b),
            c: number(c),
            d: number(d),
        };
        let mma = Mma::parse(name).unwrap();
        match all.last_mut() {
            Some((last, samples)) if *last == mma => samples.push(sample),
            _ => all.push((mma, vec![sample])),
        }
    }
    all
}

/// Returns D's elements on the diagonal of the tile with these rows and columns. For `m8n8k4` with
/// `.f16`, it is the tile of the first product.
fn diagonal(mma: &Mma, arithmetic: Arithmetic, samples: &[Sample]) -> Vec<u64> {
    let need = mma.registers();
    let mut operands = [need.a, need.b, need.c].map(|n| vec![[0u64; 32]; n]);
    let volta = mma.is_volta();
    for lane in 0..32 {
        if volta && fragment::volta_product(lane) != 0 {
            continue;
        }
        for (operand, bits) in [mma.a.bits(), mma.b.bits(), mma.c.bits()]
            .into_iter()
            .enumerate()
        {
            let per = (need.bits / bits) as usize;
            for value in 0..operands[operand].len() * per {
                let of = |i: usize, k: usize, list: fn(&Sample) -> &Vec<u64>| {
                    samples.get(i).map_or(0, |sample| list(sample)[k])
                };
                let element = match operand {
                    0 => {
                        let (row, k) = if volta {
                            fragment::volta_a(mma.a_order, lane, value)
                        } else {
                            fragment::a(mma, lane, value)
                        };
                        of(row, k, |sample| &sample.a)
                    }
                    1 => {
                        let (k, column) = if volta {
                            fragment::volta_b(mma.b_order, lane, value)
                        } else {
                            fragment::b(mma, lane, value)
                        };
                        of(column, k, |sample| &sample.b)
                    }
                    _ => {
                        let (row, column) = place(mma, mma.c, lane, value);
                        match samples.get(row) {
                            Some(sample) if row == column => sample.c,
                            _ => 0,
                        }
                    }
                };
                operands[operand][value / per][lane] |= element << (value % per * bits as usize);
            }
        }
    }
    let mut d = vec![[0u64; 32]; need.d];
    let [a, b, c] = &operands;
    if need.bits == 64 {
        mma.execute_wide(a, b, c, &mut d).unwrap();
    } else {
        let narrow = |registers: &Vec<[u64; 32]>| -> Vec<[u32; 32]> {
            registers
                .iter()
                .map(|lanes| lanes.map(|word| word as u32))
                .collect()
        };
        let mut out = vec![[0u32; 32]; need.d];
        let [a, b, c] = [a, b, c].map(narrow);
        mma.execute_in(arithmetic, &a, &b, &c, &mut out).unwrap();
        d = out.iter().map(|lanes| lanes.map(u64::from)).collect();
    }
    let bits = mma.d.bits();
    let per = (need.bits / bits) as usize;
    let mut found = vec![0; samples.len()];
    for (register, lanes) in d.iter().enumerate() {
        for (lane, word) in lanes.iter().enumerate() {
            if volta && fragment::volta_product(lane) != 0 {
                continue;
            }
            for e in 0..per {
                let (row, column) = place(mma, mma.d, lane, register * per + e);
                if row == column && row < samples.len() {
                    found[row] = word >> (e * bits as usize) & (u64::MAX >> (64 - bits));
                }
            }
        }
    }
    found
}

fn place(mma: &Mma, kind: Accumulator, lane: usize, value: usize) -> (usize, usize) {
    if mma.is_volta() {
        fragment::volta_c(kind, lane, value)
    } else {
        fragment::c(lane, value)
    }
}

#[test]
fn elements_are_the_h200_s_to_the_bit() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (mma, samples) in samples() {
        for samples in samples.chunks(8) {
            let found = diagonal(&mma, Arithmetic::Sm90, samples);
            for (sample, found) in samples.iter().zip(found) {
                count += 1;
                if found != sample.d {
                    let Sample { class, a, b, c, d } = sample;
                    wrong.push(format!(
                        "{mma} {class} {a:x?} {b:x?} {c:x}: {found:x}, the H200 {d:x}"
                    ));
                }
            }
        }
    }
    println!("{count} elements");
    assert!(
        wrong.is_empty(),
        "{} of {count}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
