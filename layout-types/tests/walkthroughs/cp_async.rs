//! Checks `docs/walkthroughs/cp-async.md`: the tile arrives in swizzled shared memory.

use super::*;

type G2s =
    MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, layout!((16,8):(8,1)), layout!((1, 8))>;
type Global = layout!((128,64):(4096,1));
type Smem = TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>, shape!((128, 64))>;

#[test]
fn the_tile_arrives_and_each_row_is_read_by_eight_neighbours() {
    let mut smem = vec![usize::MAX; 128 * 64];
    for (thread, i) in (0..128).flat_map(|thread| (0..64).map(move |i| (thread, i))) {
        let from = copied::<G2s, Source, Global>(thread, i);
        let (value, round) = (i % 8, i / 8);
        assert_eq!(
            from,
            4096 * (thread / 8 + 16 * round) + 8 * (thread % 8) + value
        );
        let to = copied::<G2s, Destination, Smem>(thread, i);
        // An instruction's eight halfs are contiguous on both sides, and 16-byte aligned.
        assert_eq!((from % 8, to % 8), (value, value));
        assert_eq!(std::mem::replace(&mut smem[to], from), usize::MAX);
    }
    for (m, n) in (0..128).flat_map(|m| (0..64).map(move |n| (m, n))) {
        assert_eq!(smem[Smem::at::<usize, _>((m, n))], 4096 * m + n);
    }
}
