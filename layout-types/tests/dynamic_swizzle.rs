//! Compares swizzles, bank conflicts and the swizzle chooser with plain definitions, and decides
//! the rule of the article that the project started from.

use layout_types::dynamic::rules::{
    AccessShape, Conflicts, Flat, Rule, Swizzle, SwizzleChoice, Tile, choose_swizzle, conflicts,
};
use layout_types::dynamic::{DynLayout, swizzle_behind};
use proptest::prelude::*;

const HALF: u32 = 16;

/// Counts the passes of one phase by the plain definition: the largest number of different 4-byte
/// words in one of 32 banks.
fn passes(addresses: &[(i64, i64)]) -> i64 {
    let mut words: Vec<i64> = addresses
        .iter()
        .flat_map(|(byte, bytes)| byte / 4..=(byte + bytes - 1) / 4)
        .collect();
    words.sort_unstable();
    words.dedup();
    (0..32)
        .map(|bank| words.iter().filter(|word| *word % 32 == bank).count() as i64)
        .max()
        .unwrap()
}

/// Counts the conflicts of blocks of `rows` x `vectors` over a row-major tile, by the plain
/// definition.
fn by_definition(
    shape: (i64, i64, i64),
    bits: i64,
    block: (i64, i64, i64),
    swizzle: &Swizzle,
) -> Conflicts {
    let ((rows, columns, pitch), (block_rows, vectors, bytes)) = (shape, block);
    let elements = (bytes * 8 / bits).max(1);
    let mut out = Conflicts { extra: 0, ways: 1 };
    for row in (0..rows).step_by(block_rows as usize) {
        for column in (0..columns).step_by((vectors * elements) as usize) {
            let lanes: Vec<(i64, i64)> = (0..block_rows)
                .flat_map(|r| (0..vectors).map(move |v| (row + r, column + v * elements)))
                .map(|(row, column)| (swizzle.apply(row * pitch + column) * bits / 8, bytes))
                .collect();
            let ways = passes(&lanes);
            out.extra += ways - 1;
            out.ways = out.ways.max(ways);
        }
    }
    out
}

fn chosen(tile: &Tile, accesses: &[AccessShape]) -> (String, i64, i64) {
    let SwizzleChoice { swizzle, conflicts } = choose_swizzle(tile, accesses).unwrap();
    (swizzle.to_string(), conflicts.extra, conflicts.ways)
}

/// The article's formulas for a tile with rows of `x` elements of `k` bits, and vectors of `2^m`
/// elements.
struct Article {
    bits: i64,
    shift: i64,
}

fn article(x: i64, k: i64, m: u32) -> Article {
    let log2 = |n: i64| i64::from(n.ilog2());
    let vector = k << m;
    Article {
        bits: log2((1 << m).max(1024 / vector)),
        shift: log2(1024.max(x * k) / vector),
    }
}

/// Returns the number of bits that the article's own examples use, as the proof in the
/// documentation derives it.
fn bits_needed(x: i64, k: i64, m: u32) -> i64 {
    i64::from((1024.min(x * k) / (k << m)).ilog2())
}

#[test]
fn the_articles_formula_for_b_is_wrong_and_its_examples_are_right() {
    // The tiles are (16,16), (16,32) and (128,32) halfs that ldmatrix reads: the text uses B = 1, 2
    // and 2.
    for (rows, x, bits) in [(16, 16, 1), (16, 32, 2), (128, 32, 2)] {
        let tile = Tile::row_major(rows, x, x, HALF).unwrap();
        let choice = choose_swizzle(&tile, &[AccessShape::ldmatrix()]).unwrap();
        assert_eq!(
            (choice.swizzle.to_string(), choice.conflicts.extra),
            (format!("Sw<{bits},3,3>"), 0)
        );
        assert_eq!(bits_needed(x, 16, 3), bits);
        assert_eq!(article(x, 16, 3).shift, 3);
        // The formula gives 3 for each of them.
        assert_eq!(article(x, 16, 3).bits, 3);
    }
}

#[test]
fn the_corrected_rule_is_the_least_swizzle_for_every_row_length() {
    for k in [8, 16, 32, 64] {
        let m = (128 / k as u32).ilog2();
        for x in (0..10)
            .map(|n| (128 / k) << n)
            .filter(|x| x * k <= 16 * 1024)
        {
            let tile = Tile::row_major(64, x, x, k as u32).unwrap();
            let accesses = [
                AccessShape::ldmatrix(),
                AccessShape::along_rows(&tile, 16).unwrap(),
            ];
            let choice = choose_swizzle(&tile, &accesses).unwrap();
            assert_eq!(
                choice.conflicts,
                Conflicts { extra: 0, ways: 1 },
                "{x} of {k} bits"
            );
            let bits = bits_needed(x, k, m);
            let expected = match bits {
                0 => Swizzle::IDENTITY,
                _ => Swizzle::new(bits as u32, m, article(x, k, m).shift as i32).unwrap(),
            };
            assert_eq!(choice.swizzle, expected, "{x} of {k} bits");
            // One bit less has conflicts for any base and shift.
            for base in m..10 {
                for shift in bits.max(1) - 1..10 {
                    let Ok(less) = Swizzle::new((bits.max(1) - 1) as u32, base, shift as i32)
                    else {
                        continue;
                    };
                    let free = conflicts(&tile, &accesses, &less).unwrap().extra == 0;
                    assert_eq!(free, bits == 0, "{x} of {k} bits behind {less}");
                }
            }
        }
    }
}

#[test]
fn where_the_rule_is_not_optimal_the_chooser_differs() {
    // Rows padded to 40 halfs need no swizzle; the rule knows only the row's length.
    let padded = Tile::row_major(128, 32, 40, HALF).unwrap();
    assert_eq!(
        chosen(&padded, &[AccessShape::ldmatrix()]),
        ("Sw<0,4,3>".into(), 0, 1)
    );
    // A tile that is only copied along its rows needs no swizzle either.
    let rows_only = Tile::row_major(128, 32, 32, HALF).unwrap();
    assert_eq!(
        chosen(
            &rows_only,
            &[AccessShape::along_rows(&rows_only, 16).unwrap()]
        ),
        ("Sw<0,4,3>".into(), 0, 1)
    );
    // Scalars are read down a column: with vectors of one element, 5 bits suffice.
    let floats = Tile::row_major(32, 32, 32, 32).unwrap();
    let column = AccessShape::down_columns(4).unwrap();
    assert_eq!(chosen(&floats, &[column]), ("Sw<5,0,5>".into(), 0, 1));
    let rule = Swizzle::new(3, 2, 3).unwrap();
    assert_eq!(conflicts(&floats, &[column], &rule).unwrap().ways, 4);
    // With 16-byte writes as well, no swizzle is free of conflicts: 3 bits leave 4 ways down the
    // columns.
    let vectors = AccessShape::along_rows(&floats, 16).unwrap();
    assert_eq!(
        chosen(&floats, &[vectors, column]),
        ("Sw<3,2,3>".into(), 96, 4)
    );
    // An accumulator is written in its own layout, two halfs per lane, and read back by rows of 16
    // bytes.
    let epilogue = Tile::row_major(32, 32, 32, HALF).unwrap();
    let accesses = [
        AccessShape::fragment(4).unwrap(),
        AccessShape::along_rows(&epilogue, 16).unwrap(),
    ];
    assert_eq!(chosen(&epilogue, &accesses), ("Sw<2,3,3>".into(), 0, 1));
}

#[test]
fn accesses_that_no_vector_can_make_are_refused() {
    let columns = Tile::new(
        Flat::from_slices(&[64], &[1]).unwrap(),
        Flat::from_slices(&[32], &[64]).unwrap(),
        HALF,
    )
    .unwrap();
    let refused = choose_swizzle(&columns, &[AccessShape::ldmatrix()]);
    assert_eq!(
        refused,
        Err(Rule::Scattered {
            elements: 8,
            stride: 64
        })
    );
    let tile = Tile::row_major(128, 32, 32, HALF).unwrap();
    let torn = conflicts(
        &tile,
        &[AccessShape::ldmatrix()],
        &Swizzle::new(2, 2, 3).unwrap(),
    );
    assert_eq!(
        torn,
        Err(Rule::Scattered {
            elements: 8,
            stride: 4
        })
    );
    let odd = Tile::row_major(12, 32, 32, HALF).unwrap();
    assert_eq!(
        choose_swizzle(&odd, &[AccessShape::ldmatrix()]),
        Err(Rule::BlockDivides {
            block: 8,
            shape: 12
        })
    );
    assert!(AccessShape::new(9, 1, 16).is_err() && AccessShape::down_columns(3).is_err());
}

/// The choice that the chooser makes in the compiler.
const AT_COMPILE_TIME: SwizzleChoice = {
    let Ok(tile) = Tile::row_major(128, 32, 32, HALF) else {
        panic!()
    };
    let Ok(rows) = AccessShape::along_rows(&tile, 16) else {
        panic!()
    };
    match choose_swizzle(&tile, &[rows, AccessShape::ldmatrix()]) {
        Ok(choice) => choice,
        Err(_) => panic!(),
    }
};

#[test]
fn the_chooser_runs_at_compile_time() {
    assert_eq!(AT_COMPILE_TIME.swizzle.to_string(), "Sw<2,3,3>");
    assert_eq!(AT_COMPILE_TIME.conflicts.extra, 0);
}

#[test]
fn swizzles_that_cute_rejects_are_refused() {
    assert_eq!(
        Swizzle::new(3, 0, 2),
        Err(Rule::SwizzleOverlap { bits: 3, shift: 2 })
    );
    assert_eq!(Swizzle::new(3, 30, 3), Err(Rule::SwizzleRange { end: 36 }));
    let (a, b) = (
        Swizzle::new(1, 3, 3).unwrap(),
        Swizzle::new(1, 3, 2).unwrap(),
    );
    assert_eq!(a.compose(&b), Err(Rule::SwizzleShift { left: 3, right: 2 }));
    assert_eq!(
        Swizzle::from_masks(0b110, 0b1),
        Err(Rule::SwizzleMasks { y: 6, z: 1 })
    );
    assert_eq!(
        Swizzle::from_masks(0b101000, 0b11),
        Err(Rule::SwizzleMasks { y: 40, z: 3 })
    );
}

fn swizzles() -> impl Strategy<Value = Swizzle> {
    (0u32..4, 0u32..5, 0i32..3, any::<bool>()).prop_map(|(bits, base, gap, up)| {
        Swizzle::new(bits, base, (bits as i32 + gap) * if up { 1 } else { -1 }).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_swizzle_is_an_involution_that_moves_vectors_whole(swizzle in swizzles(), offset in 0i64..1 << 20) {
        prop_assert_eq!(swizzle.apply(swizzle.apply(offset)), offset);
        let vector = 1 << swizzle.base();
        prop_assert_eq!(swizzle.apply(offset) % vector, offset % vector);
        prop_assert_eq!(swizzle.apply(offset) / vector, swizzle.apply(offset - offset % vector) / vector);
        prop_assert_eq!(Swizzle::from_masks(swizzle.yyy_mask(), swizzle.zzz_mask()).map(|found| found.apply(offset)),
                        Ok(swizzle.apply(offset)));
    }

    #[test]
    fn merged_swizzles_are_one_after_the_other(a in swizzles(), b in swizzles(), offset in 0i64..1 << 20) {
        if let Ok(both) = a.compose(&b) {
            prop_assert_eq!(both.apply(offset), a.apply(b.apply(offset)));
        }
    }

    #[test]
    fn casts_count_in_other_units(swizzle in swizzles(), log2 in 0u32..6, offset in 0i64..1 << 20) {
        let n = 1i64 << log2;
        match swizzle.upcast(n) {
            Ok(up) => prop_assert_eq!(up.apply(offset / n), swizzle.apply(offset) / n),
            // In that case, the swizzle separates two elements of one unit.
            Err(_) => prop_assert!((1..n).any(|i| swizzle.apply(i) / n != swizzle.apply(0) / n)),
        }
        prop_assert_eq!(swizzle.downcast(n).unwrap().apply(offset * n), swizzle.apply(offset) * n);
    }

    /// Checks layouts whose index bits are offset bits in any order, some of them shared or left
    /// out: the decision bit by bit agrees with a check of every index.
    #[test]
    fn a_swizzle_moves_through_bits_as_through_indices(modes in prop::collection::vec((0u32..4, 0u32..9, 0u8..8), 1..4),
                                                       bits in 1u32..3, base in 0u32..4, shift in -4i32..5) {
        let Ok(swizzle) = Swizzle::new(bits, base, shift) else { return Ok(()) };
        let mut next = 0;
        let text = |f: &mut dyn FnMut(&(u32, u32, u8)) -> i64| {
            let all: Vec<String> = modes.iter().map(|mode| f(mode).to_string()).collect();
            format!("({})", all.join(","))
        };
        let shape = text(&mut |mode| 1 << mode.0);
        let stride = text(&mut |mode| {
            let own = 1 << next;
            next += mode.0;
            match mode.2 { 0 => 0, 1 => 1 << mode.1, _ => own }
        });
        let layout: DynLayout = format!("{shape}:{stride}").parse().unwrap();
        let at = |index: i64| layout.offset(index).unwrap();
        let (y, z) = (at(swizzle.yyy_mask()), at(swizzle.zzz_mask()));
        let is_move = Swizzle::from_masks(y, z).is_ok_and(|outer| {
            (0..layout.size().unwrap()).all(|i| outer.apply(at(i)) == at(swizzle.apply(i)))
        });
        prop_assert_eq!(swizzle_behind(&layout, swizzle).is_ok(), is_move, "{} o {}", layout, swizzle);
    }

    #[test]
    fn conflicts_are_counted_as_defined(swizzle in swizzles(), rows in 1i64..=8, columns in 3u32..=6, pad in 0i64..4,
                                        log2_bytes in 0u32..=4, log2_bits in 3u32..=5, tall in any::<bool>()) {
        let (bytes, bits) = (1i64 << log2_bytes, 1i64 << log2_bits);
        let lanes = if bytes > 4 { 128 / bytes } else { 32 };
        let (rows, columns) = (rows * 32, 1i64 << columns);
        let elements = (bytes * 8 / bits).max(1);
        let pitch = columns + pad * elements;
        let (block_rows, vectors) = if tall { (lanes, 1) } else { (lanes / 4, 4) };
        let tile = Tile::row_major(rows, columns, pitch, bits as u32).unwrap();
        let access = AccessShape::new(block_rows, vectors, bytes).unwrap();
        if let Ok(found) = conflicts(&tile, &[access], &swizzle) {
            prop_assert_eq!(found, by_definition((rows, columns, pitch), bits, (block_rows, vectors, bytes), &swizzle));
        }
    }
}

#[test]
fn the_prefix_within_is_the_longest_that_the_swizzle_keeps_within() {
    let mut compared = 0;
    for (bits, base, shift) in sweep_swizzles() {
        let swizzle = Swizzle::new(bits, base, shift).unwrap();
        let all: Vec<i64> = (0..2200).map(|i| swizzle.apply(i)).collect();
        for n in 0..2200i64 {
            let expected = all[..n as usize].iter().position(|image| *image >= n);
            let expected = expected.map_or(n, |at| at as i64);
            assert_eq!(swizzle.prefix_within(n), expected, "{swizzle} within {n}");
            compared += 1;
        }
        let first = (0..2200).find(|i| swizzle.apply(*i) != *i);
        assert_eq!(swizzle.first_moved(), first.unwrap_or(i64::MAX));
    }
    println!("{compared} prefixes");
}

/// Returns every valid swizzle of up to three bits, shifted by up to three, with base 0 to 4.
fn sweep_swizzles() -> Vec<(u32, u32, i32)> {
    let all = (0..4).flat_map(|bits| (0..5).map(move |base| (bits, base)));
    all.flat_map(|(bits, base)| (-3i32..=3).map(move |shift| (bits, base, shift)))
        .filter(|(bits, _, shift)| shift.unsigned_abs() >= *bits)
        .collect()
}
