//! Checks `shfl`, `vote`, `match`, `redux` and their masks.

use super::*;

/// Executes the PTX ISA's own program for shfl, written down again.
fn shfl(mode: &str, lane: i32, b: i32, c: i32) -> (usize, bool) {
    let (bval, cval, segmask) = (b & 31, c & 31, c >> 8 & 31);
    let max_lane = (lane & segmask) | (cval & !segmask);
    let min_lane = lane & segmask;
    let (j, p) = match mode {
        "up" => (lane - bval, lane - bval >= max_lane),
        "down" => (lane + bval, lane + bval <= max_lane),
        "bfly" => (lane ^ bval, (lane ^ bval) <= max_lane),
        _ => {
            let j = min_lane | (bval & !segmask);
            (j, j <= max_lane)
        }
    };
    (if p { j as usize } else { lane as usize }, p)
}

#[test]
fn shuffles() {
    let input = random_words(64, 3);
    for mode in ["up", "down", "bfly", "idx"] {
        for b in [0, 1, 2, 5, 16, 31] {
            for segment in [0, 16, 24, 28, 31] {
                let clamp = if mode == "up" { 0 } else { 31 };
                let c = segment << 8 | clamp;
                let body = format!(
                    "shfl.sync.{mode}.b32 %r1|%p1, %r0, {b}, {c}, 0xffffffff; selp.u32 %r2, 1, 0, %p1; xor.b32 %r1, %r1, %r2;"
                );
                let found = results(&body, 64, &input);
                for (i, &found) in found.iter().enumerate() {
                    let (source, valid) = shfl(mode, i as i32 % 32, b, c);
                    let expected = input[i / 32 * 32 + source] ^ u32::from(valid);
                    assert_eq!(found, expected, "{mode} b={b} c={c:#x} lane {i}");
                }
            }
        }
    }
}

#[test]
fn votes_matches_and_reductions() {
    let input: Vec<u32> = random_words(64, 5).into_iter().map(|w| w % 5).collect();
    let mask_of = |warp: usize, holds: &dyn Fn(u32) -> bool| {
        (0..32).fold(0u32, |m, l| m | u32::from(holds(input[warp * 32 + l])) << l)
    };
    let each = |body: &str, expected: &dyn Fn(usize) -> u32| {
        let found = results(body, 64, &input);
        for (i, &found) in found.iter().enumerate() {
            assert_eq!(found, expected(i), "{body} lane {i}");
        }
    };
    let zero = |i: usize| mask_of(i / 32, &|v| v == 0);
    each(
        "setp.eq.u32 %p1, %r0, 0; vote.sync.ballot.b32 %r1, %p1, -1;",
        &zero,
    );
    each(
        "setp.eq.u32 %p1, %r0, 0; vote.sync.ballot.b32 %r1, !%p1, -1;",
        &|i| !zero(i),
    );
    each(
        "setp.lt.u32 %p1, %r0, 5; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 7,
    );
    each(
        "setp.eq.u32 %p1, %r0, 4; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 0,
    );
    each(
        "setp.eq.u32 %p1, %r0, 4; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 7,
    );
    each(
        "setp.eq.u32 %p1, %r0, 9; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 7,
    );
    each("match.any.sync.b32 %r1, %r0, -1;", &|i| {
        mask_of(i / 32, &|v| v == input[i])
    });
    each(
        "match.all.sync.b32 %r1|%p1, %r0, -1; @%p1 mov.u32 %r1, 99;",
        &|_| 0,
    );
    each(
        "mov.u64 %d9, 5; match.all.sync.b64 %r1|%p1, %d9, -1; @!%p1 mov.u32 %r1, 99;",
        &|_| u32::MAX,
    );
    let fold = |i: usize, f: fn(u32, u32) -> u32| {
        input[i / 32 * 32..i / 32 * 32 + 32]
            .iter()
            .copied()
            .reduce(f)
            .unwrap()
    };
    each("redux.sync.add.u32 %r1, %r0, -1;", &|i| {
        fold(i, |a, b| a + b)
    });
    each("redux.sync.max.s32 %r1, %r0, -1;", &|i| {
        fold(i, |a, b| a.max(b))
    });
    each("redux.sync.xor.b32 %r1, %r0, -1;", &|i| {
        fold(i, |a, b| a ^ b)
    });
    each("activemask.b32 %r1;", &|_| u32::MAX);
    each(
        "elect.sync %r2|%p1, -1; selp.u32 %r1, 1, 0, %p1; add.u32 %r1, %r1, %r2;",
        &|i| u32::from(i % 32 == 0),
    );
}

/// Returns random floats, with zeros of both signs, infinities and NaNs among them. The second warp
/// has NaNs only.
fn random_floats() -> Vec<u32> {
    let mut all = random_words(64, 57);
    for (i, word) in all.iter_mut().enumerate() {
        match (i, *word % 8) {
            (32.., _) => *word |= 0x7fc0_0000,
            (_, 0) => *word &= 1 << 31,
            (_, 1) => *word = *word & 1 << 31 | 0x7f80_0000,
            (_, 2) => *word |= 0x7fc0_0000,
            _ => {}
        }
    }
    all
}

#[test]
fn reductions_of_floats_are_folds_of_the_numbers() {
    let input = random_floats();
    assert!(
        input[..16]
            .iter()
            .any(|&word| f32::from_bits(word).is_nan())
    );
    for (max, abs, nan) in [false, true].into_iter().flat_map(|max| {
        [
            (max, false, false),
            (max, true, false),
            (max, false, true),
            (max, true, true),
        ]
    }) {
        let name = if max { ".max" } else { ".min" };
        let (of_abs, of_nan) = (if abs { ".abs" } else { "" }, if nan { ".NaN" } else { "" });
        // Each half of a warp has a mask of its own.
        let body = format!(
            "and.b32 %r3, %tid, 16; shl.b32 %r2, 0xffff, %r3; redux.sync{name}{of_abs}{of_nan}.f32 %r1, %r0, %r2;"
        );
        for (i, found) in results(&body, 64, &input).into_iter().enumerate() {
            let of_half = &input[i / 16 * 16..i / 16 * 16 + 16];
            let clear = if abs { 0x7fff_ffff } else { u32::MAX };
            let values = of_half.iter().map(|word| f32::from_bits(word & clear));
            let numbers: Vec<f32> = values.clone().filter(|value| !value.is_nan()).collect();
            // `total_cmp` has -0.0 below +0.0, as PTX has.
            let best = match max {
                true => numbers.iter().copied().max_by(f32::total_cmp),
                false => numbers.iter().copied().min_by(f32::total_cmp),
            };
            let is_nan = nan && numbers.len() < values.len();
            let expected = match best {
                Some(best) if !is_nan => best.to_bits(),
                _ => 0x7fff_ffff,
            };
            assert_eq!(found, expected, "{body} lane {i}");
        }
    }
    // A lane by itself has its own number, and a canonical NaN in place of another.
    let alone = "shl.b32 %r2, 1, %r4; redux.sync.min.f32 %r1, %r0, %r2;";
    let body = format!("and.b32 %r4, %tid, 31; {alone}");
    for (i, found) in results(&body, 64, &input).into_iter().enumerate() {
        let own = f32::from_bits(input[i]);
        let expected = if own.is_nan() { 0x7fff_ffff } else { input[i] };
        assert_eq!(found, expected, "lane {i}");
    }
}

#[test]
fn halves_of_a_warp_exchange_with_masks_of_their_own() {
    let input = random_words(32, 9);
    let found = results(
        "and.b32 %r3, %tid, 16; shl.b32 %r2, 0xffff, %r3; shfl.sync.bfly.b32 %r1, %r0, 3, 31, %r2;",
        32,
        &input,
    );
    assert_eq!(found, (0..32).map(|i| input[i ^ 3]).collect::<Vec<_>>());
    // The same in code where the halves have diverged.
    let found = results(
        "setp.lt.u32 %p1, %tid, 16; @%p1 bra LOW;\n\
         shfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff0000; bra END;\n\
         LOW: shfl.sync.idx.b32 %r1, %r0, 3, 31, 0x0000ffff;\n\
         END:",
        32,
        &input,
    );
    assert_eq!(
        found,
        (0..32)
            .map(|i| input[if i < 16 { 3 } else { 20 }])
            .collect::<Vec<_>>()
    );
}

#[test]
fn lanes_that_come_by_different_ways_meet_at_a_sync_instruction() {
    // Both branches lead to one shfl of all lanes, which they reach one after the other: `brx`
    // hides that they converge there.
    let input = random_words(32, 11);
    let found = results(
        "setp.lt.u32 %p1, %tid, 7; @%p1 bra A; add.u32 %r0, %r0, 1; bra B;\n\
         A: add.u32 %r0, %r0, 2;\n\
         B: shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;",
        32,
        &input,
    );
    let changed = |i: usize| input[i].wrapping_add(if i < 7 { 2 } else { 1 });
    assert_eq!(found, (0..32).map(|i| changed(i ^ 1)).collect::<Vec<_>>());
}
