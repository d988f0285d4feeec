//! Where the elements of a box are, in global memory and in shared memory.
//!
//! ```text
//! coordinates (60, 7), box (64, 8)       element (i, j) of the box: (60 + i, 7 + j) of the tensor, outside where beyond its extents
//! four rows (60; 7, 2, 9, 2)             element (i, j): (60 + i, 7 or 2 or 9 or 2)
//! im2col (c, w, n), offset o             pixel p: the p-th corner of a filter from (w, n) on, moved by o; after the last w the first of n + 1
//!                                        in shared memory: byte i * size + j * pitch, swizzled
//! ```
//!
//! Law: the pieces of a box cover each byte of it once. Rows of a swizzled box are the swizzle's
//! span apart, whatever their bytes. A load takes the elements within the extents. A store and a
//! reduction write whole units of 16 bytes, and so overwrite what follows a row whose bytes are not
//! a multiple of 16. The innermost coordinate must be a multiple of 16 bytes, and a write must have
//! no negative coordinate: otherwise an H200 stops with an illegal instruction. Source: PTX ISA,
//! "Tiled mode", "Swizzling Modes", "Out of Boundary Access". Units and coordinates were measured
//! on an H200 (driver 580.159.04, 2026-11-22) with f16, f32 and u8, boxes of 32 bytes at
//! coordinates of -16 to 32 bytes, and negative ones of each dimension in stores of 1 to 3
//! dimensions and in reductions; the pitch with rows of 16 to 128 bytes under every swizzle; and,
//! on 2026-12-01, 400 unswizzled im2col columns of u16 in 3 to 5 dimensions. Four rows are PTX's
//! words.

use super::queue::Piece;
use crate::tensor_map::{TensorMap, TensorSwizzle};

/// The bytes of global memory that are written together.
const UNIT: u64 = 16;

/// The rows of a copy, given its coordinates.
#[derive(Debug, Clone)]
pub(super) enum Start {
    /// The rows of the box at the coordinates.
    Box,
    /// The innermost coordinate, and four of dimension 1.
    FourRows,
    /// The pixels of an im2col column from the coordinates on, with these offsets of width, height
    /// and depth.
    Pixels(Vec<u16>),
}

/// Checks the coordinates of a copy; returns what is wrong with them.
pub(super) fn check(
    map: &TensorMap,
    start: &Start,
    coordinates: &[i32],
    written: bool,
) -> Result<(), String> {
    if let (Start::Pixels(offsets), Some(of)) = (start, &map.im2col) {
        let most = [0, 0, 0, 1 << 16, 1 << 8, 1 << 5][map.rank()];
        for d in 0..map.rank() - 2 {
            let at = i64::from(coordinates[d + 1]);
            let (low, high) = of.corners(&map.extents, d);
            if !(low..=high).contains(&at) {
                return Err(format!(
                    "coordinate {} is {at}, outside of the filter corners' {low} to {high}",
                    d + 1
                ));
            }
            if let Some(offset) = offsets.get(d).filter(|offset| u32::from(**offset) >= most) {
                return Err(format!("offset {d} is below {most}, not {offset}"));
            }
        }
    }
    let (inner, bytes) = (coordinates[0], map.element.bytes());
    let at = i64::from(inner) * bytes as i64;
    if at % UNIT as i64 != 0 {
        return Err(format!(
            "the innermost coordinate {inner} is byte {at} of a row, not a multiple of {UNIT}"
        ));
    }
    let negative = |&(_, at): &(usize, &i32)| written && *at < 0;
    match coordinates.iter().enumerate().find(negative) {
        Some((d, at)) => Err(format!(
            "coordinate {d} of what is written is {at}: a store's coordinates are not negative"
        )),
        None => Ok(()),
    }
}

/// Returns the mark by which the shadow notes a box's swizzle: 1 for no swizzle, 2 to 4 for 32 to
/// 128 bytes. The mark is 0 if the box is one run of global memory, whose bytes may have been
/// swizzled before, and for the swizzle of pieces of 32 bytes.
pub(crate) fn swizzle_mark(map: &TensorMap) -> u32 {
    let row = map.row_pitch() as u64;
    let run = map.strides.first().is_none_or(|&stride| stride == row);
    match map.swizzle {
        TensorSwizzle::None if run => 0,
        // The shadow has no mark for pieces of 32 bytes: their swizzle is not compared.
        TensorSwizzle::B128Atom32 => 0,
        swizzle => 1 + swizzle as u32,
    }
}

/// Returns the address of a row of the tensor by its outer coordinates, those from dimension 1 on,
/// or `None` if the row is outside of the tensor.
fn row(map: &TensorMap, outer: impl IntoIterator<Item = i64>) -> Option<u64> {
    let mut address = map.address;
    for (d, at) in outer.into_iter().enumerate() {
        if !(0..map.extents[d + 1] as i64).contains(&at) {
            return None;
        }
        address = address.wrapping_add((at as u64).wrapping_mul(map.strides[d]));
    }
    Some(address)
}

/// Returns the addresses of the rows of the box at `coordinates`.
fn rows_of_box(map: &TensorMap, coordinates: &[i32]) -> Vec<Option<u64>> {
    let moved = &map.moved()[1..];
    let steps = &map.element_strides[1..];
    (0..moved.iter().product())
        .map(|mut rest: usize| {
            let outer = moved.iter().zip(steps).zip(&coordinates[1..]);
            row(
                map,
                outer.map(|((&count, &step), &from)| {
                    let i = rest % count;
                    rest /= count;
                    i64::from(from) + i as i64 * i64::from(step)
                }),
            )
        })
        .collect()
}

/// Returns the addresses of the pixels of a column. The corner of the filter advances by the
/// element strides, within its corners, from the width to the images.
fn pixels(map: &TensorMap, coordinates: &[i32], offsets: &[u16]) -> Vec<Option<u64>> {
    let Some(of) = &map.im2col else {
        return Vec::new();
    };
    let mut corner: Vec<i64> = coordinates[1..].iter().map(|&at| at.into()).collect();
    let mut out = Vec::with_capacity(of.pixels as usize);
    for _ in 0..of.pixels {
        let offsets = offsets.iter().map(|&offset| i64::from(offset));
        let offsets = offsets.chain(std::iter::repeat(0));
        out.push(row(map, corner.iter().zip(offsets).map(|(at, by)| at + by)));
        let Some((image, spatial)) = corner.split_last_mut() else {
            return out;
        };
        let mut carries = true;
        for (d, at) in spatial.iter_mut().enumerate() {
            let (low, high) = of.corners(&map.extents, d);
            *at += i64::from(map.element_strides[d + 1]);
            carries = *at > high;
            if !carries {
                break;
            }
            *at = low;
        }
        *image += i64::from(carries);
    }
    out
}

/// Returns the pieces of the copy at `coordinates`, whose first byte is at offset `base` in shared
/// memory. A piece outside of the tensor has no address. `written` is true for stores and
/// reductions.
pub(super) fn pieces(
    map: &TensorMap,
    start: &Start,
    coordinates: &[i32],
    base: usize,
    written: bool,
) -> Vec<Piece> {
    let bytes = map.element.bytes();
    let mut out: Vec<Piece> = Vec::new();
    let (row, pitch) = (map.moved()[0], map.row_pitch());
    let rows = match start {
        Start::Box => rows_of_box(map, coordinates),
        Start::FourRows => coordinates[1..]
            .iter()
            .map(|&at| self::row(map, [at.into()]))
            .collect(),
        Start::Pixels(offsets) => pixels(map, coordinates, offsets),
    };
    // An im2col copy has every channel.
    let every = match start {
        Start::Pixels(_) => 1,
        _ => map.element_strides[0] as usize,
    };
    let inner = match written && every == 1 {
        true => (map.extents[0] * bytes as u64).next_multiple_of(UNIT) / bytes as u64,
        false => map.extents[0],
    };
    let inner = inner as i64;
    // An unswizzled row is one run if every element of it is moved.
    let step = match map.swizzle {
        TensorSwizzle::None if every == 1 => row,
        _ if every == 1 => (16 / bytes).min(row),
        _ => 1,
    };
    for (place, address) in rows.into_iter().enumerate() {
        let (place, inside) = (place * pitch, address.is_some());
        let address = address.unwrap_or_default();
        let mut i = 0;
        while i < row {
            let at = i64::from(coordinates[0]) + (i * every) as i64;
            let here = inside && (0..inner).contains(&at);
            // The run ends where elements change between inside and outside.
            let edge = match (inside, at < 0, here) {
                (true, true, _) => (-at) as usize,
                (true, false, true) => (inner - at) as usize,
                _ => row,
            };
            let count = if step == 1 {
                1
            } else {
                edge.min(step - i % step)
            };
            let offset = place + i * bytes;
            let piece = Piece {
                at: map.swizzle.apply(base + offset).wrapping_sub(base),
                global: here.then(|| address.wrapping_add((at as u64).wrapping_mul(bytes as u64))),
                bytes: count * bytes,
            };
            add(&mut out, piece);
            i += count;
        }
    }
    out
}

/// Adds a piece; merges it with the previous one if both sides are contiguous.
fn add(out: &mut Vec<Piece>, piece: Piece) {
    if let Some(last) = out.last_mut() {
        let follows = last.at + last.bytes == piece.at;
        let same = match (last.global, piece.global) {
            (Some(a), Some(b)) => a + last.bytes as u64 == b,
            (None, None) => true,
            _ => false,
        };
        if follows && same {
            last.bytes += piece.bytes;
            return;
        }
    }
    out.push(piece);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor_map::TensorElement;

    /// Computes the global address of every byte of the box from the definition, element by
    /// element.
    fn plain(map: &TensorMap, coordinates: &[i32], base: usize, written: bool) -> Vec<Option<u64>> {
        let (moved, bytes) = (map.moved(), map.element.bytes());
        let mut all = vec![Some(u64::MAX); map.box_span()];
        for n in 0..moved.iter().product::<usize>() {
            let (mut rest, mut inside, mut address) = (n, true, map.address as i64);
            for d in 0..map.rank() {
                let i = rest % moved[d];
                rest /= moved[d];
                let at = i64::from(coordinates[d]) + i as i64 * i64::from(map.element_strides[d]);
                let mut extent = map.extents[d] as i64;
                if written && d == 0 && map.element_strides[0] == 1 {
                    while extent * bytes as i64 % 16 != 0 {
                        extent += 1;
                    }
                }
                inside &= at >= 0 && at < extent;
                let stride = if d == 0 {
                    bytes as i64
                } else {
                    map.strides[d - 1] as i64
                };
                address += at * stride;
            }
            for byte in 0..bytes {
                let offset = n / moved[0] * map.row_pitch() + n % moved[0] * bytes + byte;
                let place = map.swizzle.apply(base + offset) - base;
                all[place] = inside.then_some((address + byte as i64) as u64);
            }
        }
        all
    }

    #[test]
    fn pieces_are_the_elements_of_the_box() {
        let mut seed = 1u64;
        let mut random = move |low: i64, high: i64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            low + ((seed >> 20) as i64).rem_euclid(high - low + 1)
        };
        let elements = [
            TensorElement::U8,
            TensorElement::F16,
            TensorElement::F32,
            TensorElement::U64,
        ];
        let swizzles = [
            TensorSwizzle::None,
            TensorSwizzle::B32,
            TensorSwizzle::B64,
            TensorSwizzle::B128,
            TensorSwizzle::B128Atom32,
        ];
        let mut tried = 0;
        while tried < 400 {
            let element = elements[random(0, 3) as usize];
            let rank = random(1, 5) as usize;
            let extents: Vec<u64> = (0..rank).map(|_| random(1, 40) as u64).collect();
            let strides: Vec<u64> = (1..rank).map(|_| 16 * random(1, 60) as u64).collect();
            let mut sides: Vec<u32> = (0..rank).map(|_| random(1, 4) as u32).collect();
            sides[0] = random(1, 64) as u32;
            let mut map = TensorMap::new(element, 4096, &extents, &strides, &sides);
            map.swizzle = swizzles[random(0, 4) as usize];
            if random(0, 3) == 0 {
                map.element_strides = (0..rank).map(|_| random(1, 3) as u32).collect();
            }
            if map.encode().is_err()
                || !map.box_span().is_multiple_of(1024) && map.swizzle != TensorSwizzle::None
            {
                continue;
            }
            tried += 1;
            let at: Vec<i32> = (0..rank).map(|_| random(-6, 40) as i32).collect();
            let base = 1024 * random(0, 3) as usize;
            let mut found = vec![Some(u64::MAX); map.box_span()];
            let written = random(0, 1) == 1;
            for piece in pieces(&map, &Start::Box, &at, base, written) {
                for byte in 0..piece.bytes {
                    assert_eq!(found[piece.at + byte], Some(u64::MAX), "a byte twice");
                    found[piece.at + byte] = piece.global.map(|address| address + byte as u64);
                }
            }
            assert_eq!(found, plain(&map, &at, base, written), "{map:?} at {at:?}");
        }
    }
}
