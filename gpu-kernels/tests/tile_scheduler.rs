//! Tests the tile scheduler's law by enumeration.

use gpu_kernels::gemm::tile_scheduler::{TileScheduler, rasterize};
use std::collections::HashSet;

#[test]
fn every_index_is_one_tile() {
    for (columns, rows, group) in
        (1..=9).flat_map(|c| (1..=20).flat_map(move |r| (1..=10).map(move |g| (c, r, g))))
    {
        let tiles: HashSet<_> = (0..columns * rows)
            .map(|tile| rasterize(tile, (columns, rows), group))
            .filter(|&(row, column)| row < rows && column < columns)
            .collect();
        assert_eq!(tiles.len() as u32, columns * rows);
    }
    assert_eq!(
        [0, 1, 2, 3].map(|i| rasterize(i, (2, 3), 8)),
        [(0, 0), (1, 0), (2, 0), (0, 1)]
    );
}

#[test]
fn every_k_tile_is_one_ctas() {
    for (tiles, k_tiles, k_slices) in
        (1..=5).flat_map(|t| (1..=7).flat_map(move |k| (0..=k).map(move |s| (t, k, s))))
    {
        let scheduler = TileScheduler {
            tiles,
            columns: tiles,
            rows: 1,
            raster_group: 1,
            k_tiles,
            k_slices,
        };
        let most = tiles * k_tiles;
        let counts = if k_slices == 0 {
            1..=most
        } else {
            tiles * k_slices..=tiles * k_slices
        };
        for ctas in counts {
            let mut owners = vec![None; most as usize];
            for cta in 0..ctas {
                let work = scheduler.work(cta, ctas);
                let begin = work.tile * k_tiles + work.first;
                for k_tile in begin..begin + work.k_tiles {
                    assert_eq!(owners[k_tile as usize].replace(cta), None);
                    assert!(k_slices != 0 || scheduler.shares(ctas).cta_of(k_tile) == cta);
                }
            }
            assert!(owners.iter().all(Option::is_some));
        }
    }
}
