//! Compares elements of `wgmma` with those that an H200 computed, at every end of the formats'
//! ranges.
//!
//! ```text
//!   row of A, column of B, C ─ fragments ─► a tile, eight such elements on its diagonal ─► D's element == the H200's
//! ```
//!
//! The record is drawn from the tiles of `wgmma_sweep` (crate atom-checks), with some elements of
//! each type, variant and class of numbers.

use emulator::numerics::mma::{Arithmetic, Mma, fragment};

const RECORD: &str = include_str!("data/h200_wgmma_elements.txt");

struct Sample<'a> {
    text: &'a str,
    a: Vec<u32>,
    b: Vec<u32>,
    c: u32,
    d: u32,
}

/// Returns the record's instructions, their variants and their samples.
fn samples() -> Vec<(Mma, &'static str, Vec<Sample<'static>>)> {
    let mut all: Vec<(Mma, &str, Vec<Sample>)> = Vec::new();
    for text in RECORD.lines().filter(|row| !row.starts_with('#')) {
        let words: Vec<&str> = text.split(' ').collect();
        let [name, variant, _, a, b, c, d] = words[..] else {
            panic!("{text}")
        };
        let number = |word: &str| u32::from_str_radix(word, 16).unwrap();
        let list = |word: &str| word.split(',').map(number).collect();
        let sample = Sample {
            text,
            a: list(a),
            b: list(b),
            c: number(c),
            d: number(d),
        };
        let mma = Mma::parse(name).unwrap();
        match all.last_mut() {
            Some((last, same, samples)) if (*last, *same) == (mma, variant) => samples.push(sample),
            _ => all.push((mma, variant, vec![sample])),
        }
    }
    all
}

/// Returns D's elements on the diagonal of the tile with these rows and columns.
fn diagonal(mma: &Mma, variant: &str, samples: &[Sample]) -> Vec<u32> {
    let need = mma.registers();
    let bits = [mma.a.bits(), mma.b.bits(), mma.c.bits()];
    let mut operands = [need.a, need.b, need.c].map(|n| vec![[0u32; 32]; n]);
    // The variants have `scale-d = 0`, or A with the opposite sign.
    let sign = match variant {
        "Negate" => 1 << (bits[0] - 1),
        _ => 0,
    };
    for (operand, lane) in (0..3).flat_map(|operand| (0..32).map(move |lane| (operand, lane))) {
        let per = (32 / bits[operand]) as usize;
        for value in 0..operands[operand].len() * per {
            let element = match operand {
                0 => {
                    let (row, k) = fragment::a(mma, lane, value);
                    samples.get(row).map_or(0, |sample| sample.a[k] ^ sign)
                }
                1 => {
                    let (k, column) = fragment::b(mma, lane, value);
                    samples.get(column).map_or(0, |sample| sample.b[k])
                }
                _ => match fragment::c(lane, value) {
                    (row, column) if row == column && variant != "Multiply" => {
                        samples.get(row).map_or(0, |sample| sample.c)
                    }
                    _ => 0,
                },
            };
            operands[operand][value / per][lane] |=
                element << (value % per * bits[operand] as usize);
        }
    }
    let mut d = vec![[0u32; 32]; need.d];
    let [a, b, c] = &operands;
    mma.execute_in_warpgroup(Arithmetic::Sm90, a, b, c, &mut d)
        .unwrap();
    let bits = mma.d.bits() as usize;
    let per = 32 / bits;
    let mut found = vec![0; samples.len()];
    for (register, lanes) in d.iter().enumerate() {
        for (lane, e) in (0..32).flat_map(|lane| (0..per).map(move |e| (lane, e))) {
            let (row, column) = fragment::c(lane, register * per + e);
            if row == column && row < samples.len() {
                found[row] = lanes[lane] >> (e * bits) & (u32::MAX >> (32 - bits));
            }
        }
    }
    found
}

#[test]
fn elements_are_the_h200_s_to_the_bit() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (mma, variant, samples) in samples() {
        for samples in samples.chunks(8) {
            let found = diagonal(&mma, variant, samples);
            for (sample, found) in samples.iter().zip(found) {
                count += 1;
                if found != sample.d {
                    wrong.push(format!("{}: {found:x}", sample.text));
                }
            }
        }
    }
    assert!(count > 500, "{count}");
    assert!(
        wrong.is_empty(),
        "{} of {count}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
