//! Checks `docs/walkthroughs/tidfrg.md`: every value is at its coordinate, even if the tile extends
//! past the tensor.

use super::*;

type Tensor = layout!((24,16):(1@0,1@1));
type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((8, 16)), layout!((2, 4))>;

#[test]
fn every_value_is_at_its_coordinate_and_the_tensor_is_covered_once() {
    let mut owners = [[0; 16]; 24];
    for (thread, index) in (0..128).flat_map(|thread| (0..16).map(move |i| (thread, i))) {
        let start = CopyThreadOf::<Copy, Destination, Tensor>::coordinate::<usize, _, 2>(thread);
        let step = CopyPartitionOf::<Copy, Destination, Tensor>::coordinate::<usize, _, 2>(index);
        let (m, n) = (start[0] + step[0], start[1] + step[1]);
        let [down, right, round] = digits(index, [2, 4, 2]);
        assert_eq!(
            (m, n),
            (
                2 * (thread % 8) + down + 16 * round,
                4 * (thread / 8) + right
            )
        );
        if m < 24 && n < 16 {
            owners[m][n] += 1;
        }
    }
    assert!(owners.iter().flatten().all(|&count| count == 1));
}

#[test]
fn the_steps_of_the_page_are_the_part_of_any_tensor() {
    fn check<L: LayoutFn>(at: fn(usize, usize) -> usize)
    where
        Copy: TidFrg<Destination, L>,
    {
        for (thread, index) in (0..128).flat_map(|thread| (0..32).map(move |i| (thread, i))) {
            let [down, right, i, j] = digits(index, [2, 4, 2, 2]);
            let (m, n) = (
                2 * (thread % 8) + down + 16 * i,
                4 * (thread / 8) + right + 64 * j,
            );
            assert_eq!(copied::<Copy, Destination, L>(thread, index), at(m, n));
        }
    }
    check::<layout!((32,128):(128,1))>(|m, n| 128 * m + n);
    check::<layout!((32,128):(1,33))>(|m, n| m + 33 * n);
}
