//! The kernels' layouts against their laws: every tile covered exactly once, every shared-memory access of a
//! phase on distinct banks, every vector contiguous and aligned.

use gpu_kernels::gemm::layouts::{
    Accumulators, GlobalToShared, LdmatrixA, LdmatrixB, SharedTile, Tile, TileD,
};
use gpu_kernels::transpose::{SharedTile16, SharedTile32, ThreadValue};
use layout_types::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// Every index of `L`, with its value.
fn values<L: LayoutFn>() -> impl Iterator<Item = u32> {
    (0..L::SIZE as u32).map(|i| L::index(i))
}

/// Asserts that `places` takes every value below `size` exactly `times`.
fn assert_covers(what: &str, places: impl Iterator<Item = u32>, size: u32, times: usize) {
    let mut owners = BTreeMap::<u32, usize>::new();
    places.for_each(|place| *owners.entry(place).or_default() += 1);
    assert_eq!(
        owners.len() as u32,
        size,
        "{what} leaves places without an owner"
    );
    for (place, count) in owners {
        assert!(
            place < size,
            "{what} names place {place}; the tile has {size}"
        );
        assert_eq!(count, times, "{what} gives place {place} {count} owners");
    }
}

#[test]
fn global_to_shared_covers_the_tile_once_in_runs_of_eight_along_k() {
    let places = values::<GlobalToShared>().flat_map(|place| (0..8).map(move |i| place + 128 * i));
    assert_covers("GlobalToShared", places, 128 * 32, 1);
}

#[test]
fn ldmatrix_covers_the_tiles_once_for_each_warp_that_shares_them() {
    let rows = |places: Box<dyn Iterator<Item = u32>>| {
        places.flat_map(|place| (0..8).map(move |i| place + 128 * i))
    };
    assert_covers(
        "LdmatrixA",
        rows(Box::new(values::<LdmatrixA>())),
        128 * 32,
        2,
    );
    assert_covers(
        "LdmatrixB",
        rows(Box::new(values::<LdmatrixB>())),
        128 * 32,
        2,
    );
}

#[test]
fn accumulators_cover_the_tile_once_in_pairs_along_n() {
    let places = values::<Accumulators>().flat_map(|place| [place, place + 128]);
    assert_covers("Accumulators", places, 128 * 128, 1);
}

#[test]
fn tiles_as_coordinates_are_the_column_major_identity() {
    for i in 0..128 * 32 {
        assert_eq!(Tile::coordinate(i), [i % 128, i / 128]);
    }
    for i in 0..128 * 128 {
        assert_eq!(TileD::coordinate(i), [i % 128, i / 128]);
    }
}

#[test]
fn shared_tiles_are_permutations_of_their_bytes() {
    fn check<L: LayoutFn>(what: &str, bytes: u32) {
        let elements = values::<L>().map(|byte| {
            assert_eq!(byte % bytes, 0, "{what} is misaligned");
            byte / bytes
        });
        assert_covers(what, elements, L::SIZE as u32, 1);
    }
    check::<SharedTile>("gemm::SharedTile", 2);
    check::<SharedTile32>("transpose::SharedTile32", 4);
    check::<SharedTile16>("transpose::SharedTile16", 2);
}

#[test]
fn eight_elements_along_k_are_sixteen_aligned_bytes_in_shared_memory() {
    for row in 0..128u32 {
        for k in (0..32).step_by(8) {
            let first = SharedTile::at((row, k));
            assert_eq!(first % 16, 0, "({row},{k}) is not aligned for 16 bytes");
            for i in 1..8 {
                assert_eq!(
                    SharedTile::at((row, k + i)),
                    first + 2 * i,
                    "({row},{k}..) is not contiguous"
                );
            }
        }
    }
}

/// Asserts that the accesses of `width` bytes at `bytes` touch no bank twice, except in the same word.
fn assert_no_conflict(what: &str, bytes: impl Iterator<Item = u32>, width: u32) {
    let words: HashSet<u32> = bytes
        .flat_map(|byte| (byte / 4)..(byte + width).div_ceil(4))
        .collect();
    let banks: HashSet<u32> = words.iter().map(|word| word % 32).collect();
    assert_eq!(
        words.len(),
        banks.len(),
        "{what}: {} words on {} banks",
        words.len(),
        banks.len()
    );
}

#[test]
fn gemm_accesses_have_no_bank_conflicts() {
    let byte = |place: u32| SharedTile::at((place % 128, place / 128));
    for (name, ldmatrix) in [
        ("LdmatrixA", (|i| LdmatrixA::index(i)) as fn(u32) -> u32),
        ("LdmatrixB", |i| LdmatrixB::index(i)),
    ] {
        // Eight lanes address one 8x8 matrix, a phase.
        for phase in 0..(LdmatrixA::SIZE as u32 / 8) {
            assert_no_conflict(
                name,
                (0..8).map(|lane| byte(ldmatrix(8 * phase + lane))),
                16,
            );
        }
    }
    // A 16-byte store runs a quarter of a warp at a time.
    for phase in 0..(GlobalToShared::SIZE as u32 / 8) {
        assert_no_conflict(
            "GlobalToShared",
            (0..8).map(|lane| byte(GlobalToShared::index(8 * phase + lane))),
            16,
        );
    }
}

#[test]
fn transpose_accesses_have_no_bank_conflicts() {
    for warp in 0..(ThreadValue::SIZE as u32 / 32) {
        let places = || {
            (0..32)
                .map(move |lane| ThreadValue::index(32 * warp + lane))
                .map(|p| (p % 64, p / 64))
        };
        assert_no_conflict(
            "32-bit rows",
            places().map(|(r, c)| SharedTile32::at((r, c))),
            4,
        );
        assert_no_conflict(
            "32-bit columns",
            places().map(|(c, r)| SharedTile32::at((r, c))),
            4,
        );
        assert_no_conflict(
            "16-bit rows",
            places().map(|(r, c)| SharedTile16::at((r, c))),
            2,
        );
        assert_no_conflict(
            "16-bit columns",
            places().map(|(c, r)| SharedTile16::at((r, c))),
            2,
        );
    }
    assert_covers("ThreadValue", values::<ThreadValue>(), 64 * 64, 1);
}
