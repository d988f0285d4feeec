//! Products of every type, size and layout against plain sums.

use super::common::Random;
use super::common::operand::{Layout, bits, bytes};
use super::kernel::{Kernel, PLACE, Run, none};
use super::{SCHEDULES, blackwell};
use emulator::{Config, LaunchError, Schedule};

/// Elements of A and B, and what D is of them.
#[derive(Clone, Copy, Debug)]
pub struct Types {
    pub kind: &'static str,
    pub a: &'static str,
    pub b: &'static str,
    pub d: &'static str,
}

pub const TYPES: [Types; 11] = [
    of("f16", "f16", "f16", "f32"),
    of("f16", "f16", "f16", "f16"),
    of("f16", "bf16", "bf16", "f32"),
    of("tf32", "tf32", "tf32", "f32"),
    of("f8f6f4", "e4m3", "e4m3", "f32"),
    of("f8f6f4", "e4m3", "e5m2", "f32"),
    of("f8f6f4", "e5m2", "e5m2", "f32"),
    of("i8", "s8", "s8", "s32"),
    of("i8", "u8", "u8", "s32"),
    of("i8", "s8", "u8", "s32"),
    of("i8", "u8", "s8", "s32"),
];

const fn of(kind: &'static str, a: &'static str, b: &'static str, d: &'static str) -> Types {
    Types { kind, a, b, d }
}

/// Returns a canonical layout in which no two elements lie at one place.
pub fn layout(ty: &str, width: usize, transposed: bool) -> Layout {
    let bytes = bytes(ty);
    let leading = match (transposed, width) {
        (true, width) if width > 16 => 8192,
        // Four groups of eight k.
        (true, _) if bytes == 1 => 16384,
        _ => 32768,
    };
    Layout {
        width,
        transposed,
        bytes,
        leading,
    }
}

/// Returns the instruction descriptor of a product of `m` x `n` with these types.
pub fn instruction(types: Types, m: usize, n: usize, transposed: [bool; 2]) -> u32 {
    let element = |ty| match ty {
        "f16" | "e4m3" | "u8" => 0,
        "tf32" => 2,
        _ => 1,
    };
    let d = match types.d {
        "f16" => 0,
        "f32" => 1,
        _ => 2,
    };
    d << 4
        | element(types.a) << 7
        | element(types.b) << 10
        | u32::from(transposed[0]) << 15
        | u32::from(transposed[1]) << 16
        | (n as u32 / 8) << 17
        | (m as u32 / 16) << 24
}

/// Returns a small random number of a type.
fn number(random: &mut Random, ty: &str) -> i32 {
    match ty {
        "u8" => random.below(4) as i32,
        _ => random.below(5) as i32 - 2,
    }
}

/// Returns a random operand: its numbers by row and k, and the bytes of its place in shared memory.
pub fn operand(
    random: &mut Random,
    ty: &str,
    rows: usize,
    lies: Layout,
) -> (Vec<Vec<i32>>, Vec<u8>) {
    let (size, k) = (bytes(ty), 32 / bytes(ty));
    let numbers: Vec<Vec<i32>> = (0..rows)
        .map(|_| (0..k).map(|_| number(random, ty)).collect())
        .collect();
    let mut place = vec![0; PLACE];
    for (mn, row) in numbers.iter().enumerate() {
        for (k, &value) in row.iter().enumerate() {
            let at = lies.at(mn, k);
            place[at..at + size].copy_from_slice(&bits(ty, value).to_le_bytes()[..size]);
        }
    }
    (numbers, place)
}

/// Returns the rows of A as threads put them into tensor memory: 32 bytes for each lane.
pub fn rows_by_lane(ty: &str, numbers: &[Vec<i32>]) -> Vec<u8> {
    let size = bytes(ty);
    let mut place = vec![0; PLACE];
    for (row, values) in numbers.iter().enumerate() {
        let lane = match numbers.len() {
            64 => row / 16 * 32 + row % 16,
            _ => row,
        };
        for (k, &value) in values.iter().enumerate() {
            let at = 32 * lane + k * size;
            place[at..at + size].copy_from_slice(&bits(ty, value).to_le_bytes()[..size]);
        }
    }
    place
}

/// Returns the descriptors of A and B at the places where the kernel has them.
pub fn descriptors([a, b]: [Layout; 2]) -> [u64; 2] {
    [
        a.blackwell_descriptor(SMEM),
        b.blackwell_descriptor(SMEM + PLACE),
    ]
}

/// Types, extents, where A and B lie in shared memory, whether A is in tensor memory instead, and
/// the schedule.
pub type Case = (Types, (usize, usize), [Layout; 2], bool, Schedule);

/// Returns the words of D that a kernel of `blocks` blocks writes. `places` are the bytes of A and
/// B.
pub fn words_of_d(
    (types, (m, n), lies, tensor, schedule): Case,
    text: &str,
    blocks: usize,
    places: [&[u8]; 2],
) -> Result<Vec<u32>, LaunchError> {
    let config = Config {
        schedule,
        ..blackwell()
    };
    let transposed = [!tensor && lies[0].transposed, lies[1].transposed];
    let run = Run {
        text,
        config,
        blocks,
        places,
        descriptors: descriptors(lies),
        instruction: instruction(types, m, n, transposed),
    };
    run.launch(none)
}

/// Dynamic shared memory lies behind the system's 1024 bytes and the static.
pub const SMEM: usize = 2048;

fn product(
    types: Types,
    (m, n): (usize, usize),
    lies: [Layout; 2],
    tensor: bool,
    schedule: Schedule,
) {
    let mut random = Random((m * 1000 + n) as u64);
    let (a, mut of_a) = operand(&mut random, types.a, m, lies[0]);
    let (b, of_b) = operand(&mut random, types.b, n, lies[1]);
    if tensor {
        of_a = rows_by_lane(types.a, &a);
    }
    let halves = if m == 64 { 1 } else { 2 };
    let kernel = Kernel::new(types.kind, n, halves, tensor);
    let what = format!("{types:?} {m} x {n}, {lies:?}, {tensor}, {schedule:?}");
    let case = (types, (m, n), lies, tensor, schedule);
    let found = words_of_d(case, &kernel.ptx(), 1, [&of_a, &of_b])
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    for (row, a) in a.iter().enumerate() {
        let lane = if m == 64 {
            row / 16 * 32 + row % 16
        } else {
            row
        };
        for (column, b) in b.iter().enumerate() {
            let sum: i32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            // Twice, the second time added.
            let expected = bits(types.d, 2 * sum);
            let found = found[256 * lane + column];
            assert_eq!(found, expected, "{what}: ({row}, {column}) of {sum}");
        }
    }
}

#[test]
fn every_type_and_layout_is_multiplied() {
    let mut random = Random(11);
    for types in TYPES {
        for m in [64, 128] {
            for width in [16, 32, 64, 128] {
                for of_mn in 0..4 {
                    let transposed = [of_mn & 1 == 1, of_mn & 2 == 2];
                    if types.kind == "tf32" && of_mn != 0 {
                        continue;
                    }
                    // Of bytes whose neighbours in N lie together there are 16.
                    let eight =
                        m == 64 && types.kind != "i8" && !(transposed[1] && bytes(types.b) == 1);
                    let step = if eight { 8 } else { 16 };
                    let n = step * (1 + random.below(128 / step));
                    let schedule = SCHEDULES[random.below(4)];
                    let lies = [
                        layout(types.a, width, transposed[0]),
                        layout(types.b, width, transposed[1]),
                    ];
                    product(types, (m, n), lies, false, schedule);
                }
            }
        }
    }
}

#[test]
fn a_comes_from_tensor_memory_too() {
    for types in TYPES {
        for m in [64, 128] {
            for schedule in SCHEDULES {
                let lies = [types.a, types.b].map(|ty| layout(ty, 128, false));
                product(types, (m, 48), lies, true, schedule);
            }
        }
    }
}
