//! Checks that copies of tiles give the elements that went in.

use atom_checks::place::places;
use host::Launch;
use host::reference::fill_bits;

/// The kernels that copy a (32,32) tile of halfs through shared memory, each with the architecture
/// that it needs.
const TILES: [(usize, &str); 10] = [
    (75, "tensor_ldmatrix_a_x4"),
    (75, "tensor_ldmatrix_a_x2"),
    (75, "tensor_ldmatrix_a_x1"),
    (75, "tensor_ldmatrix_b_x4"),
    (75, "tensor_ldmatrix_b_x2"),
    (75, "tensor_ldmatrix_a_t"),
    (75, "tensor_ldmatrix_b_t"),
    (90, "tensor_stmatrix_x4"),
    (90, "tensor_stmatrix_x2"),
    (90, "tensor_stmatrix_t"),
];

#[test]
fn tiles_come_through_matrices_unchanged() {
    for place in places() {
        let mut run = 0;
        for (sm, name) in TILES {
            if sm > place.sm {
                continue;
            }
            for seed in 0..3 {
                let source: Vec<u16> = fill_bits(seed, 32 * 32);
                let from = place.device().upload(&source).unwrap();
                let mut result = place.device().upload(&vec![0_u16; 32 * 32]).unwrap();
                let launch = Launch::new(1, 32).shared(2 * 32 * 32);
                place.run(name, &launch, (&mut result, &from));
                assert!(
                    result.to_vec().unwrap() == source,
                    "{name}, {}",
                    place.name()
                );
            }
            run += 1;
        }
        assert_eq!(run, if place.sm >= 90 { 10 } else { 7 });
        println!("{}: {run} tiles through matrices", place.name());
    }
}

#[test]
fn a_ragged_tile_is_zero_where_the_matrix_ends() {
    for place in places() {
        for (m, n) in [(1, 8), (32, 32), (33, 40), (31, 24), (70, 72), (64, 104)] {
            let source: Vec<u16> = fill_bits(u64::from(m * n), (m * n) as usize);
            let from = place.device().upload(&source).unwrap();
            let [rows, columns] = [m, n].map(|extent: u32| extent.next_multiple_of(32));
            // The result holds old bits that are not zero.
            let old = vec![0xaaaa_u16; (rows * columns) as usize];
            let mut result = place.device().upload(&old).unwrap();
            let launch = Launch::new((columns / 32, rows / 32), 128).shared(2 * 32 * 32);
            place.run("tensor_cp_async", &launch, (&mut result, &from, m, n));
            let expected: Vec<u16> = (0..rows * columns)
                .map(|i| match (i / columns, i % columns) {
                    (row, column) if row < m && column < n => source[(row * n + column) as usize],
                    _ => 0,
                })
                .collect();
            let name = place.name();
            assert!(result.to_vec().unwrap() == expected, "({m},{n}), {name}");
        }
        println!("{}: 6 ragged matrices by cp.async", place.name());
    }
}

#[test]
fn cooperating_threads_vectors_and_prefetches_copy_every_element() {
    for place in places() {
        for (name, threads, count) in [
            ("tensor_cooperative", 96, 64 * 40),
            ("tensor_auto", 64, 512),
            ("tensor_prefetch", 32, 2048),
        ] {
            let source: Vec<u16> = fill_bits(count as u64, count);
            let from = place.device().upload(&source).unwrap();
            let mut result = place.device().upload(&vec![0_u16; count]).unwrap();
            let launch = Launch::new(1, threads).shared(2 * count);
            place.run(name, &launch, (&mut result, &from));
            assert!(
                result.to_vec().unwrap() == source,
                "{name}, {}",
                place.name()
            );
        }
        println!("{}: 3 copies of vectors", place.name());
    }
}
