//! Checks tensor copies that go over their tensor in other ways than a box: four rows (`gather4`,
//! `scatter4`), and im2col.
//!
//! ```text
//!   gather4, scatter4    rows 7, 2, 9, 2 of the tensor  <-> four rows of shared memory
//!   im2col               filter corners (w, h), by their order -> a pixel a row, moved by the offsets
//! ```
//!
//! The order of pixels is an H200's: 400 random columns of u16 in 3 to 5 dimensions, unswizzled,
//! with strides of 1 to 3 and offsets of 0 to 3, equal it in every element (2026-12-01). No card
//! has confirmed four rows, which need a Blackwell.

use super::bulk::{SCHEDULES, Tensors, loading, mapped, numbers};
use super::common::Random;
use emulator::{Im2col, Schedule, TensorElement, TensorMap, TensorSwizzle};

const SWIZZLES: [TensorSwizzle; 4] = [
    TensorSwizzle::None,
    TensorSwizzle::B32,
    TensorSwizzle::B64,
    TensorSwizzle::B128,
];

/// Writes a kernel that loads by a mode, and copies the bytes of shared memory to the buffer.
fn loads(mode: &str, at: &[i32], offsets: &str, bytes: usize, rank: usize) -> String {
    let body = loading(rank, at, bytes)
        .replace(".global.tile.", &format!(".global{mode}."))
        .replace("[%r30];\nWAIT", &format!("[%r30]{offsets};\nWAIT"));
    mapped("", &body)
}

/// Writes a kernel that stores words that count up by a mode.
fn stores(instruction: &str, at: &[i32], bytes: usize, rank: usize) -> String {
    let list: Vec<String> = at.iter().map(i32::to_string).collect();
    let list = list.join(", ");
    let words = bytes / 4;
    let body = format!(
        "mov.u32 %r2, %tid;\nLOOP: setp.ge.u32 %p3, %r2, {words}; @%p3 bra FULL;\n\
         mad.lo.u32 %r3, %r2, 4, %r30; add.u32 %r4, %r2, 1000; st.shared.u32 [%r3], %r4; add.u32 %r2, %r2, 32; bra LOOP;\n\
         FULL: fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra END;\n\
         {} [%map, {{{list}}}], [%r30]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
        instruction.replace("RANK", &format!("{rank}d"))
    );
    mapped("", &body)
}

/// Returns the bytes of shared memory whose rows are the elements from `inner` on of rows of the
/// tensor. A row is a byte offset in the tensor, or `None` outside of it.
fn rows_of(map: &TensorMap, tensor: &[u8], inner: i64, rows: &[Option<usize>]) -> Vec<u8> {
    let (size, pitch) = (map.element.bytes(), map.row_pitch());
    let mut all = vec![0; rows.len() * pitch];
    for (r, row) in rows.iter().enumerate() {
        for i in 0..map.moved()[0] {
            let at = inner + i as i64;
            let inside = (0..map.extents[0] as i64).contains(&at);
            for byte in 0..size {
                let place = map.swizzle.apply(r * pitch + i * size + byte);
                all[place] = match row {
                    Some(row) if inside => tensor[row + at as usize * size + byte],
                    _ => 0,
                };
            }
        }
    }
    all
}

/// Returns the element of 2 bytes and the swizzle of a case, with as many elements as the swizzle
/// spans.
fn shape(random: &mut Random) -> (TensorSwizzle, u32) {
    let swizzle = SWIZZLES[random.below(4)];
    let elements = match swizzle {
        TensorSwizzle::None => 8 * (1 + random.below(8)),
        other => 8 << other as usize,
    };
    (swizzle, elements as u32)
}

#[test]
fn four_rows_come_from_where_they_are_and_go_there() {
    let mut random = Random(4);
    let tensor = numbers(1 << 13);
    for case in 0..60 {
        let schedule = SCHEDULES[case % SCHEDULES.len()];
        let bench = Tensors::new(schedule, &tensor);
        let (swizzle, elements) = shape(&mut random);
        let (extents, strides) = ([72, 40], [160 + 16 * random.below(4) as u64]);
        let mut map = TensorMap::new(
            TensorElement::U16,
            bench.tensor,
            &extents,
            &strides,
            &[elements, 1],
        );
        map.swizzle = swizzle;
        let bytes = 4 * map.box_bytes();
        // Rows may be the same, and outside.
        let x = 8 * random.below(10) as i32 - 8;
        let y: Vec<i32> = (0..4).map(|_| random.below(46) as i32 - 3).collect();
        let at = [&[x], &y[..]].concat();
        let text = loads(".tile::gather4", &at, "", bytes, 2);
        bench
            .run(&text, 1, 32, &map)
            .unwrap_or_else(|error| panic!("{at:?} {map:?}: {error}"));
        let row = |y: &i32| {
            (0..40)
                .contains(y)
                .then(|| *y as usize * strides[0] as usize)
        };
        let rows: Vec<_> = y.iter().map(row).collect();
        let wanted = rows_of(&map, &tensor, x.into(), &rows);
        assert_eq!(bench.read(bench.buffer, bytes), wanted, "{at:?} {map:?}");
        // Distinct rows are stored; what is outside is not.
        let x = 8 * random.below(9) as i32;
        let first = random.below(37) as i32;
        let y = [first + 3, first, first + 5, first + 1];
        let at = [&[x], &y[..]].concat();
        let store = "cp.async.bulk.tensor.RANK.global.shared::cta.tile::scatter4.bulk_group";
        bench
            .run(&stores(store, &at, bytes, 2), 1, 32, &map)
            .unwrap_or_else(|error| panic!("{at:?} {map:?}: {error}"));
        let mut wanted = tensor.clone();
        for (r, &y) in y.iter().enumerate().filter(|(_, y)| **y < 40) {
            for i in 0..elements as usize {
                for byte in 0..2 {
                    let place = map.swizzle.apply(r * map.row_pitch() + 2 * i + byte);
                    let to = y as usize * strides[0] as usize + 2 * (x as usize + i) + byte;
                    if x as usize + i < 72 {
                        wanted[to] = (1000 + place as u32 / 4).to_le_bytes()[place % 4];
                    }
                }
            }
        }
        assert!(
            bench.read(bench.tensor, tensor.len()) == wanted,
            "{at:?} {map:?}"
        );
    }
}

/// Returns the filter corners of an im2col copy in their order, by nested loops: within the first
/// row, plane and image from where the copy begins, then from the least corner.
fn corners(map: &TensorMap, from: &[i32]) -> Vec<Vec<i64>> {
    let of = map.im2col.as_ref().unwrap();
    let range = |d: usize, from: i64| {
        let high = map.extents[d + 1] as i64 - 1 + i64::from(of.upper[d]);
        (from..=high).step_by(map.element_strides[d + 1] as usize)
    };
    let spatial = map.rank() - 2;
    let mut all = Vec::new();
    let start: Vec<i64> = from[1..].iter().map(|&at| at.into()).collect();
    let low = |d: usize| i64::from(of.lower[d]);
    let mut image = start[spatial];
    let mut first = true;
    while all.len() < of.pixels as usize {
        let begin = |d: usize, first: bool| if first { start[d] } else { low(d) };
        let depths: Vec<i64> = match spatial {
            3 => range(2, begin(2, first)).collect(),
            _ => vec![0],
        };
        for (k, &depth) in depths.iter().enumerate() {
            let heights: Vec<i64> = match spatial {
                1 => vec![0],
                _ => range(1, begin(1, first && k == 0)).collect(),
            };
            for (j, &height) in heights.iter().enumerate() {
                for width in range(0, begin(0, first && k == 0 && j == 0)) {
                    let corner = [width, height, depth];
                    all.push([&corner[..spatial], &[image]].concat());
                }
            }
        }
        first = false;
        image += 1;
    }
    all.truncate(of.pixels as usize);
    all
}

#[test]
fn im2col_takes_the_pixels_in_the_order_of_their_filter_corners() {
    let mut random = Random(5);
    let tensor = numbers(1 << 16);
    for case in 0..150 {
        let schedule = SCHEDULES[case % SCHEDULES.len()];
        let bench = Tensors::new(schedule, &tensor);
        let rank = 3 + random.below(3);
        let spatial = rank - 2;
        let (swizzle, channels) = shape(&mut random);
        let mut extents = vec![64];
        let mut strides = vec![128];
        for d in 0..=spatial {
            extents.push(2 + random.below([9, 6, 4, 3][d]) as u64);
            strides.push(strides[d] * extents[d + 1]);
        }
        strides.pop();
        let number = |random: &mut Random| random.below(4) as i32 - 2;
        let mut of = Im2col {
            lower: (0..spatial).map(|_| number(&mut random)).collect(),
            upper: (0..spatial).map(|_| number(&mut random)).collect(),
            channels,
            pixels: 1 + random.below(64) as u32,
        };
        for d in 0..spatial {
            // At least one corner is left.
            of.upper[d] = of.upper[d].max(of.lower[d] + 1 - extents[d + 1] as i32);
        }
        let (lower, pixels) = (of.lower.clone(), of.pixels);
        let high: Vec<i32> = (0..spatial)
            .map(|d| extents[d + 1] as i32 - 1 + of.upper[d])
            .collect();
        let mut map =
            TensorMap::for_im2col(TensorElement::U16, bench.tensor, &extents, &strides, of);
        map.swizzle = swizzle;
        for step in &mut map.element_strides[1..=spatial] {
            *step = 1 + random.below(3) as u32;
        }
        let mut at = vec![8 * random.below(9) as i32 - 8];
        for d in 0..spatial {
            let steps = (high[d] - lower[d]) / map.element_strides[d + 1] as i32;
            let step = random.below(steps as usize + 1) as i32;
            at.push(lower[d] + step * map.element_strides[d + 1] as i32);
        }
        at.push(random.below(extents[rank - 1] as usize) as i32);
        let offsets: Vec<i64> = (0..spatial).map(|_| random.below(4) as i64).collect();
        let rows: Vec<Option<usize>> = corners(&map, &at)
            .into_iter()
            .map(|corner| {
                let mut place = 0;
                for (d, at) in corner.iter().enumerate() {
                    let at = at + offsets.get(d).unwrap_or(&0);
                    if !(0..extents[d + 1] as i64).contains(&at) {
                        return None;
                    }
                    place += at as usize * strides[d] as usize;
                }
                Some(place)
            })
            .collect();
        let bytes = map.box_bytes();
        let list: Vec<String> = offsets.iter().map(i64::to_string).collect();
        let text = loads(
            ".im2col",
            &at,
            &format!(", {{{}}}", list.join(", ")),
            bytes,
            rank,
        );
        bench
            .run(&text, 1, 32, &map)
            .unwrap_or_else(|error| panic!("{at:?} {offsets:?} {map:?}: {error}"));
        let wanted = rows_of(&map, &tensor, at[0].into(), &rows);
        assert_eq!(
            bench.read(bench.buffer, bytes),
            wanted,
            "{at:?} {offsets:?} {map:?}"
        );
        assert_eq!(rows.len(), pixels as usize);
    }
}

#[test]
fn a_column_is_stored_to_its_pixels() {
    let tensor = numbers(1 << 12);
    let bench = Tensors::new(Schedule::Late, &tensor);
    let of = Im2col {
        lower: vec![1],
        upper: vec![-2],
        channels: 8,
        pixels: 5,
    };
    let map = TensorMap::for_im2col(
        TensorElement::U16,
        bench.tensor,
        &[16, 6, 3],
        &[32, 192],
        of,
    );
    let store = "cp.async.bulk.tensor.RANK.global.shared::cta.im2col_no_offs.bulk_group";
    let text = stores(store, &[8, 2, 0], map.box_bytes(), 3);
    bench
        .run(&text, 1, 32, &map)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut wanted = tensor.clone();
    // Corners are 1 to 3: of image 0 the pixels 2 and 3, of image 1 the pixels 1 to 3.
    for (r, pixel) in [2, 3, 6 + 1, 6 + 2, 6 + 3].into_iter().enumerate() {
        for byte in 0..16 {
            let word = 1000 + (16 * r + byte) as u32 / 4;
            wanted[32 * pixel + 16 + byte] = word.to_le_bytes()[byte % 4];
        }
    }
    assert!(bench.read(bench.tensor, tensor.len()) == wanted);
}

#[test]
fn maps_and_coordinates_of_another_mode_are_refused() {
    let tensor = numbers(1 << 12);
    let bench = Tensors::new(Schedule::Early, &tensor);
    let boxed = |rows| {
        TensorMap::new(
            TensorElement::U16,
            bench.tensor,
            &[16, 6, 3],
            &[32, 192],
            &[8, rows, 1],
        )
    };
    let flat = |rows| {
        TensorMap::new(
            TensorElement::U16,
            bench.tensor,
            &[16, 18],
            &[32],
            &[8, rows],
        )
    };
    let of = Im2col {
        lower: vec![-1],
        upper: vec![-1],
        channels: 8,
        pixels: 4,
    };
    let pixels = TensorMap::for_im2col(
        TensorElement::U16,
        bench.tensor,
        &[16, 6, 3],
        &[32, 192],
        of,
    );
    let column = |at, offsets| loads(".im2col", at, offsets, 64, 3);
    let store = "cp.async.bulk.tensor.RANK.global.shared::cta.im2col_no_offs.bulk_group";
    for (text, map, said) in [
        (
            loads(".tile::gather4", &[0, 1, 2, 3, 4], "", 64, 2),
            flat(2),
            "four rows go by a map whose box has one row, not 2",
        ),
        (
            column(&[0, 0, 0], ", {0}"),
            boxed(4),
            "an im2col copy by a tensor map for boxes",
        ),
        (
            loads(".tile", &[0, 0, 0], "", 64, 3),
            pixels.clone(),
            "a copy of a box by a tensor map for im2col",
        ),
        (
            column(&[0, -2, 0], ", {0}"),
            pixels.clone(),
            "coordinate 1 is -2, outside of the filter corners' -1 to 4",
        ),
        (
            column(&[0, 5, 0], ", {0}"),
            pixels.clone(),
            "coordinate 1 is 5, outside of the filter corners' -1 to 4",
        ),
        (
            column(&[4, 0, 0], ", {0}"),
            pixels.clone(),
            "not a multiple of 16",
        ),
        (
            stores(store, &[0, -1, 0], 64, 3),
            pixels.clone(),
            "a store's coordinates are not negative",
        ),
    ] {
        let found = bench.run(&text, 1, 32, &map).expect_err(said).to_string();
        assert!(found.contains(said), "{said}: {found}");
    }
    for (change, said) in [
        (
            (|m| m.im2col.as_mut().unwrap().upper[0] = -7) as fn(&mut TensorMap),
            "leave -1..=-2",
        ),
        (
            |m| m.im2col.as_mut().unwrap().pixels = 1025,
            "1 to 1024 pixels a column, not 1025",
        ),
        (
            |m| m.im2col.as_mut().unwrap().channels = 0,
            "1 to 256 channels a pixel, not 0",
        ),
        (
            |m| m.im2col.as_mut().unwrap().upper[0] = 1 << 15,
            "within -32768..=32767",
        ),
        (
            |m| m.im2col.as_mut().unwrap().lower.push(0),
            "1 coordinates of the lower corner, not 2",
        ),
    ] {
        let mut map = pixels.clone();
        change(&mut map);
        let found = map.encode().expect_err(said).to_string();
        assert!(found.contains(said), "{said}: {found}");
    }
}
