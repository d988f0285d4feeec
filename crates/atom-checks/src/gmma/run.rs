//! Runs one instruction with its operands in all places, in one launch.
//!
//! ```text
//!   tiles of A x tiles of B x k blocks ─► a block each ─► D
//! ```

use super::instruction::{Instruction, Left};
use super::tiles::{Tile, left_tiles, right_tiles};
use crate::format::Format;
use host::reference::Random;
use host::{Device, Error, Launch};
use std::collections::HashMap;

/// The number of bytes of shared memory for A's tile; B's tile follows it. Both have space for the
/// largest tile.
const LEFT: u32 = 8 << 10;
const IMAGE: u32 = LEFT + (32 << 10);
/// The largest number of k blocks of a tile.
const BLOCKS: u32 = 4;

/// The places of the operands of one product.
#[derive(Clone, Debug)]
pub struct Step {
    /// A's tile and k block, or `None` if A is in registers, which hold the first k block.
    pub left: Option<(Tile, u32)>,
    /// B's tile and k block.
    pub right: (Tile, u32),
}

/// The results of one instruction's products.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The number of products.
    pub steps: usize,
    /// The number of elements of D.
    pub elements: usize,
    /// The number of elements of D that are not the sum.
    pub wrong: usize,
    /// A description of the first wrong element.
    pub first: Option<String>,
}

fn steps(instruction: &Instruction) -> Vec<Step> {
    let bytes = instruction.operands[0].bytes() as u32;
    let left: Vec<Option<Tile>> = match instruction.left {
        Left::Registers => vec![None],
        left => left_tiles(bytes, left == Left::MajorK)
            .into_iter()
            .map(Some)
            .collect(),
    };
    let mut steps = Vec::new();
    for left in left {
        for right in right_tiles(instruction.n, bytes, instruction.right_is_k_major) {
            let blocks = left.as_ref().map_or(1, |tile| tile.blocks);
            for j in 0..blocks.max(right.blocks) {
                let left = left.clone().map(|tile| (tile, j % blocks));
                let block = j % right.blocks;
                steps.push(Step {
                    left,
                    right: (right.clone(), block),
                });
            }
        }
    }
    steps
}

/// Whole numbers that every format has, small enough for each sum to be exact. There are `columns`
/// numbers for each row, enough for all k blocks.
struct Numbers {
    values: Vec<i64>,
    columns: u32,
    format: Format,
}

impl Numbers {
    fn new(rows: u32, instruction: &Instruction, format: Format, random: &mut Random) -> Self {
        let columns = BLOCKS * instruction.k();
        let low = if format.bits(-1).is_some() && !matches!(format, Format::Unsigned(_)) {
            -3
        } else {
            0
        };
        let values = (0..rows * columns)
            .map(|_| low + random.below(7) as i64)
            .collect();
        Self {
            values,
            columns,
            format,
        }
    }

    fn at(&self, row: u32, column: u32) -> i64 {
        self.values[(row * self.columns + column) as usize]
    }

    /// Returns the bits of an element.
    fn bits(&self, row: u32, column: u32) -> u64 {
        bits(self.format, self.at(row, column))
    }

    /// Puts the whole tile into `image`.
    fn place(&self, rows: u32, tile: &Tile, k: u32, image: &mut [u8]) {
        let bytes = self.format.bytes();
        for (row, column) in
            (0..rows).flat_map(|row| (0..tile.blocks * k).map(move |column| (row, column)))
        {
            let at = tile.byte(row, column) as usize;
            image[at..at + bytes].copy_from_slice(&self.bits(row, column).to_le_bytes()[..bytes]);
        }
    }
}

/// Computes the sums over k of 64 rows by n columns, column by column. Each operand is a pair: its
/// numbers, and the column of these at which k begins.
fn product(a: (&Numbers, u32), b: (&Numbers, u32), n: u32, k: u32) -> Vec<i64> {
    let places = (0..n).flat_map(|column| (0..64).map(move |row| (row, column)));
    let sum = |(row, column)| {
        (0..k)
            .map(|i| a.0.at(row, a.1 + i) * b.0.at(column, b.1 + i))
            .sum()
    };
    places.map(sum).collect()
}

fn bits(format: Format, whole: i64) -> u64 {
    format.bits(whole).expect("a number of the format")
}

/// Executes every product of the instruction on a device, and compares each element of D with its
/// sum.
///
/// # Errors
/// Returns the device's errors.
pub fn check(device: &Device, instruction: &Instruction, seed: u64) -> Result<Outcome, Error> {
    let mut random = Random::new(seed);
    let (n, k, registers) = (instruction.n, instruction.k(), instruction.registers());
    let steps = steps(instruction);
    let [a, b] = instruction.operands;
    let a = Numbers::new(64, instruction, a, &mut random);
    let b = Numbers::new(n, instruction, b, &mut random);

    let mut images = vec![0u8; steps.len() * IMAGE as usize];
    let mut descriptors = Vec::new();
    for (step, image) in steps.iter().zip(images.chunks_exact_mut(IMAGE as usize)) {
        let (left, right) = image.split_at_mut(LEFT as usize);
        let mut descriptor = 0;
        if let Some((tile, block)) = &step.left {
            assert!(tile.size() <= LEFT);
            a.place(64, tile, k, left);
            descriptor = tile.descriptor(0, *block);
        }
        let (tile, block) = &step.right;
        assert!(tile.size() <= IMAGE - LEFT);
        b.place(n, tile, k, right);
        descriptors.extend([descriptor, tile.descriptor(LEFT, *block)]);
    }
    // A's registers are the same for each product. A register holds its values from the lowest bits
    // up.
    let (bytes, per) = (a.format.bytes(), 4 / a.format.bytes() as u32);
    let mut left = vec![0u32; 128 * 4];
    for (thread, value) in
        (0..128).flat_map(|thread| (0..4 * per).map(move |value| (thread, value)))
    {
        let index = (instruction.left_layout)(thread + 128 * value);
        let shift = value % per * 8 * bytes as u32;
        left[(thread * 4 + value / per) as usize] |=
            (a.bits(index % 64, index / 64) as u32) << shift;
    }
    let left = left.repeat(steps.len());
    // C has a number for each element.
    let number = |row: u32, column: u32| i64::from((row * 5 + column * 3) % 7) - 3;
    let (accumulator, packed) = (
        instruction.accumulator,
        4 / instruction.accumulator.bytes() as u32,
    );
    let value_of = |words: &[u32], thread: u32, value: u32| -> u64 {
        let word = words[(thread * registers + value / packed) as usize];
        let width = 32 / packed;
        u64::from(word >> (value % packed * width)) & (u64::MAX >> (64 - width))
    };
    let element = |thread: u32, value: u32| {
        let index = (instruction.accumulator_layout)(thread + 128 * value);
        (index % 64, index / 64)
    };
    let mut c = vec![0u32; (128 * registers) as usize];
    for (thread, value) in (0..128).flat_map(|thread| (0..n / 2).map(move |value| (thread, value)))
    {
        let (row, column) = element(thread, value);
        let word = &mut c[(thread * registers + value / packed) as usize];
        *word |=
            (bits(accumulator, number(row, column)) as u32) << (value % packed * (32 / packed));
    }

    let mut d = device.upload(&c.repeat(steps.len()))?;
    let images = device.upload(&images)?;
    let left = device.upload(&left)?;
    let descriptors = device.upload(&descriptors)?;
    let kernel = device.load(&instruction.ptx(IMAGE))?.kernel("run")?;
    let launch = Launch::new(steps.len() as u32, 128).shared(IMAGE as usize);
    kernel.launch(&launch, (&mut d, &images, &left, &descriptors))?;
    let d = d.to_vec()?;

    let mut outcome = Outcome {
        steps: steps.len(),
        ..Outcome::default()
    };
    // Every tile holds the same numbers, so a pair of k blocks has one product.
    let mut products = HashMap::new();
    for (step, d) in steps.iter().zip(d.chunks_exact(c.len())) {
        let blocks = (
            step.left.as_ref().map_or(0, |(_, block)| *block),
            step.right.1,
        );
        let product = products
            .entry(blocks)
            .or_insert_with(|| product((&a, blocks.0 * k), (&b, blocks.1 * k), n, k));
        for (thread, value) in
            (0..128).flat_map(|thread| (0..n / 2).map(move |value| (thread, value)))
        {
            let (row, column) = element(thread, value);
            let sum = product[(row + 64 * column) as usize];
            let expected = bits(accumulator, number(row, column) + sum);
            let found = value_of(d, thread, value);
            outcome.elements += 1;
            if found != expected {
                outcome.wrong += 1;
                outcome.first.get_or_insert_with(|| {
                    let (tile, block) = &step.right;
                    let left = step.left.as_ref().map_or("registers", |(tile, _)| &tile.notation);
                    format!(
                        "D({row},{column}) is {found:#x} and not {expected:#x}: A in {left}, B in {}, k block {block}",
                        tile.notation
                    )
                });
            }
        }
    }
    Ok(outcome)
}
