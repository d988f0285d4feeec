//! Compares covering, vectors and banks with their definitions, on random layouts, and in constants
//! on tiles as large as those of kernels.

use layout_types::check::{self, ChosenSwizzle, Lanes, Node, Reflect, Value};
use layout_types::dynamic::rules::{Flat, Swizzle as DynSwizzle};
use layout_types::prelude::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

// A tile of 128x128 halfs: each of 128 threads has 16 vectors, and a vector is 8 halfs in a row.
layouts! {
    type Tile = tile_to_shape(Large, (128,128));
    type Large = composition(Swizzle<3, 3, 4>, (8,128):(128,1));
    type Tv = ((16,8),(8,16)):((1024,1),(128,8));
}
assert_covers!(Tv, (128, 128));
assert_contiguous!(Tv => Tile, 8, 2);
assert_bank_conflict_free!(Tile, 16 bits, [ldmatrix, rows of 16 bytes]);
assert_bank_conflict_free!(Tv => Tile, 16 bits, 16 bytes);
assert_divides!(Tile, (64, 32));
const LARGE: ChosenSwizzle = choose_swizzle!(tile (128,128), 16 bits, [ldmatrix, rows of 16 bytes]);
const WORDS: ChosenSwizzle =
    choose_swizzle!(tile (128,32), f32 32 bits, [ldmatrix, columns of 4 bytes]);
// Conflicts that no swizzle of whole vectors removes are counted.
const TRANSPOSED: ChosenSwizzle =
    choose_swizzle!(tile (64,64), f16 16 bits, [rows of 16 bytes, columns of 2 bytes]);
const COLUMN_MAJOR: ChosenSwizzle = choose_swizzle!(tile (64,128):(1,64), f16 16 bits, [ldmatrix]);

#[test]
fn choices() {
    assert_eq!((LARGE.b, LARGE.m, LARGE.s, LARGE.extra), (3, 3, 4, 0));
    assert_eq!(COLUMN_MAJOR.extra, 0);
    for (choice, bits, accesses) in [
        (LARGE, 16i64, &[Lanes::Ldmatrix, Lanes::Rows(16)][..]),
        (WORDS, 32, &[Lanes::Ldmatrix, Lanes::Columns(4)]),
        (TRANSPOSED, 16, &[Lanes::Rows(16), Lanes::Columns(2)]),
    ] {
        let (rows, columns) = match bits {
            32 => (128, 32),
            _ if choice == LARGE => (128, 128),
            _ => (64, 64),
        };
        let plain = row_major(rows, columns, columns);
        // No swizzle that keeps the vectors whole has fewer conflicts, and no swizzle of fewer bits
        // has equally few.
        for b in 0..=choice.b as u32 {
            for m in (128 / bits).trailing_zeros()..8 {
                for s in (b as i32).max(1)..9 {
                    let extra: i64 = accesses
                        .iter()
                        .map(|lanes| extra(&plain, bits, lanes, (b, m, s)))
                        .sum();
                    let least = choice.extra as i64 + i64::from(b < choice.b as u32);
                    assert!(extra >= least, "{choice:?}: Sw<{b},{m},{s}> has {extra}");
                    if (b as usize, m as usize, s) == (choice.b, choice.m, choice.s) {
                        assert_eq!(extra, choice.extra as i64);
                    }
                }
            }
        }
    }
}

fn row_major(rows: i64, columns: i64, pitch: i64) -> Value {
    Value::from_flat(&Flat::from_slices(&[rows, columns], &[pitch, 1]).unwrap())
}

/// Returns the rows and vectors of a phase's block.
fn block(lanes: &Lanes, columns: i64, elements: i64) -> (i64, i64) {
    match *lanes {
        Lanes::Ldmatrix => (8, 1),
        Lanes::Rows(bytes) => {
            let most = if bytes > 4 { 128 / bytes } else { 32 };
            let across = most.min(columns / elements);
            (most / across, across)
        }
        Lanes::Columns(bytes) => (if bytes > 4 { 128 / bytes } else { 32 }, 1),
        Lanes::Fragment(bytes) => (if bytes > 4 { 32 / bytes } else { 8 }, 4),
    }
}

fn bytes(lanes: &Lanes) -> i64 {
    match *lanes {
        Lanes::Ldmatrix => 16,
        Lanes::Rows(bytes) | Lanes::Columns(bytes) | Lanes::Fragment(bytes) => bytes,
    }
}

/// Counts the passes beyond one per phase by the definition: in each pass, each bank of 4 bytes
/// serves one of the words of all lanes.
fn extra(tile: &Value, bits: i64, lanes: &Lanes, (b, m, s): (u32, u32, i32)) -> i64 {
    let (rows, columns) = (tile.mode(0).size().unwrap(), tile.mode(1).size().unwrap());
    let pitch = tile.stride().child(0).integer();
    let bytes = bytes(lanes);
    let elements = (bytes * 8 / bits).max(1);
    let (down, across) = block(lanes, columns, elements);
    let mut extra = 0;
    for row in (0..rows).step_by(down as usize) {
        for column in (0..columns).step_by((across * elements) as usize) {
            let mut words: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
            for (r, v) in (0..down).flat_map(|r| (0..across).map(move |v| (r, v))) {
                let offset = (row + r) * pitch + column + v * elements;
                let mask = ((1 << b) - 1) << m;
                let swizzled = offset ^ ((offset >> s) & mask);
                let first = swizzled * bits / 32;
                for word in first..first + (bytes / 4).max(1) {
                    words.entry(word % 32).or_default().insert(word);
                }
            }
            extra += words.values().map(BTreeSet::len).max().unwrap() as i64 - 1;
        }
    }
    extra
}

fn layouts(modes: usize, most: i64) -> impl Strategy<Value = Vec<(i64, i64)>> {
    prop::collection::vec((1i64..5, 0..most), modes)
}

fn value(modes: &[(i64, i64)]) -> Value {
    let (shape, stride): (Vec<_>, Vec<_>) = modes.iter().copied().unzip();
    Value::from_flat(&Flat::from_slices(&shape, &stride).unwrap())
}

fn offset(modes: &[(i64, i64)], mut i: i64) -> i64 {
    let mut sum = 0;
    for (shape, stride) in modes {
        sum += i % shape * stride;
        i /= shape;
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn covering(tv in layouts(3, 9)) {
        let size: i64 = tv.iter().map(|(shape, _)| shape).product();
        let mut cells: Vec<i64> = (0..size).map(|i| offset(&tv, i)).collect();
        cells.sort();
        let shape = Value::of(Node::Int(8));
        prop_assert_eq!(check::covers::<8>(&value(&tv), &shape).is_ok(), cells == (0..8).collect::<Vec<_>>());
        // A permutation of compact strides always covers.
        let mut compact = tv.clone();
        let mut step = 1;
        for k in [2, 0, 1] {
            compact[k].1 = step;
            step *= compact[k].0;
        }
        let shape = Value::of(Node::Int(step));
        prop_assert_eq!(check::cells(&shape) as i64, step);
        prop_assert!(check::covers::<64>(&value(&compact), &Value::of(Node::Int(64))).is_ok() == (step == 64));
    }

    #[test]
    fn vectors(modes in layouts(3, 9), width in 0u32..4) {
        let (n, size) = (1i64 << width, modes.iter().map(|(shape, _)| shape).product::<i64>());
        let whole = size % n == 0
            && (0..size).all(|i| {
                let first = offset(&modes, i - i % n);
                first % n == 0 && offset(&modes, i) == first + i % n
            });
        prop_assert_eq!(check::contiguous(&value(&modes), None, n, 1).is_ok(), whole);
    }

    #[test]
    fn vectors_of_threads(threads in 1i64..5, stride in 1i64..9, values in 1i64..9, of in 1i64..3) {
        let tv = value(&[(threads, stride), (values, of)]);
        let memory = value(&[(64, 1)]);
        let whole = values % 2 == 0
            && (0..threads).all(|t| (0..values).all(|v| {
                let first = t * stride + (v - v % 2) * of;
                first % 2 == 0 && t * stride + v * of == first + v % 2
            }));
        prop_assert_eq!(check::contiguous(&memory, Some(&tv), 2, 4).is_ok(), whole);
    }

    #[test]
    fn banks(rows in 3u32..6, columns in 3u32..7, pad in 0i64..3, kind in 0usize..6) {
        let (rows, columns) = (1i64 << rows, 1i64 << columns);
        let (lanes, bits) = [
            (Lanes::Ldmatrix, 16),
            (Lanes::Rows(16), 16),
            (Lanes::Rows(8), 16),
            (Lanes::Columns(4), 32),
            (Lanes::Columns(2), 16),
            (Lanes::Fragment(4), 16),
        ][kind];
        let elements = (bytes(&lanes) * 8 / bits).max(1);
        let pitch = columns + pad * 8;
        let tile = row_major(rows, columns, pitch);
        let (down, across) = block(&lanes, columns, elements);
        let verdict = check::conflict_free(&tile, bits as u32, &lanes);
        if rows % down != 0 || across == 0 || columns % (across * elements) != 0 {
            prop_assert!(verdict.unwrap_err().as_str().contains("cannot be counted"));
            return Ok(());
        }
        let extra = extra(&tile, bits, &lanes, (0, 4, 1));
        prop_assert_eq!(verdict.is_ok(), extra == 0);
        if let Err(text) = verdict {
            prop_assert!(text.as_str().contains("share a bank; "), "{}", text.as_str());
            prop_assert!(text.as_str().contains(&format!(" {extra} extra in all")), "{}", text.as_str());
        }
    }

    /// Compares the check for threads with the definition: no two lanes of a phase have different
    /// words in one bank. Most of these layouts are linear over exclusive or, so that one phase
    /// represents all.
    #[test]
    fn banks_of_any_threads(
        shapes in prop::array::uniform3(prop_oneof![4 => Just(4i64), 4 => Just(8), 1 => Just(3)]),
        order in Just([0usize, 1, 2]).prop_shuffle(),
        pad in prop_oneof![4 => Just(0i64), 1 => Just(1), 1 => Just(4)],
        threads in prop_oneof![4 => Just(64i64), 2 => Just(16), 1 => Just(48)],
        step in prop_oneof![Just(1i64), Just(4), Just(8), Just(3), Just(64)],
        swizzled in 0usize..5,
        words in any::<bool>(),
    ) {
        let (bits, bytes) = if words { (32, 4) } else { (16, 2) };
        // The layout is compact in some order of the modes, except for padding.
        let mut modes = shapes.map(|shape| (shape, 0));
        let mut stride = 1;
        for mode in order {
            modes[mode].1 = stride;
            stride = stride * modes[mode].0 + pad;
        }
        let memory = match swizzled {
            0 => <Composition<Swizzle<3, 0, 4>, layout!((16,16):(16,1))>>::VALUE,
            1 => <Composition<Swizzle<2, 1, 3>, layout!((8,4,8):(1,64,8))>>::VALUE,
            _ => value(&modes),
        };
        let tv = [(threads, step), (4, if step == 1 { threads } else { 1 })];
        let (memory_at, banks) = (check::Function::new(&memory).unwrap(), 32);
        let mut free = true;
        for v in 0..4 {
            for phase in (0..threads).step_by(32) {
                let mut seen = BTreeMap::new();
                for t in phase..threads.min(phase + 32) {
                    let word = memory_at.at(offset(&tv, t + v * threads)) * bits / 32;
                    free &= *seen.entry(word % banks).or_insert(word) == word;
                }
            }
        }
        prop_assert_eq!(check::conflict_free_by(&memory, bits as u32, &value(&tv), bytes).is_ok(), free);
    }

    /// Checks the same phases, written as a thread-value layout.
    #[test]
    fn banks_of_threads(columns in 3u32..7, pad in 0i64..3) {
        let columns = 1i64 << columns;
        let tile = row_major(8, columns, columns + pad * 8);
        // Thread t reads row t, which is 8 halfs; 8 threads are one phase.
        let tv = value(&[(8, 1), (8, 8)]);
        prop_assert_eq!(
            check::conflict_free_by(&tile, 16, &tv, 16).is_ok(),
            check::conflict_free(&value(&[(8, columns + pad * 8), (8, 1)]), 16, &Lanes::Ldmatrix).is_ok()
        );
    }
}

/// Checks that a function with a swizzle after it, in a constant, is the layout's own.
#[test]
fn swizzled_functions() {
    let function = check::Function::new(&Tile::VALUE).unwrap();
    let swizzle = DynSwizzle::new(3, 3, 4).unwrap();
    for i in 0..Tile::SIZE as i64 {
        assert_eq!(function.at(i), Tile::index(i));
        assert_eq!(function.at(i), swizzle.apply(i % 128 * 128 + i / 128));
    }
}
