//! Checks `docs/walkthroughs/make-tiled-copy.md`: every value of every thread, in tensors of
//! several strides.

use super::*;

type Copy = MakeTiledCopy<UniversalCopy<f16>, f16, layout!((16,8):(8,1)), layout!((1, 4))>;

/// Checks that value `v` of thread `t` in round (i, j) is (t / 8 + 16 i, 4 (t % 8) + v + 32 j).
fn check<L: LayoutFn>(rows: usize, columns: usize, at: fn(usize, usize) -> usize)
where
    Copy: TidFrg<Source, L> + TidFrg<Destination, L>,
{
    let rounds = [4, rows / 16, columns / 32];
    assert_eq!(
        CopyPartitionOf::<Copy, Source, L>::SIZE,
        rounds.iter().product::<usize>()
    );
    for thread in 0..128 {
        for index in 0..rounds.iter().product() {
            let [value, i, j] = digits(index, rounds);
            let (m, n) = (thread / 8 + 16 * i, 4 * (thread % 8) + value + 32 * j);
            assert_eq!(
                copied::<Copy, Source, L>(thread, index),
                at(m, n),
                "thread {thread} ({m},{n})"
            );
            assert_eq!(copied::<Copy, Destination, L>(thread, index), at(m, n));
        }
    }
}

#[test]
fn every_value_is_the_tensor_at_its_coordinate() {
    check::<layout!((16,32):(4096,1))>(16, 32, |m, n| 4096 * m + n);
    check::<layout!((16,32):(1,4096))>(16, 32, |m, n| m + 4096 * n);
    check::<layout!((128,64):(4096,1))>(128, 64, |m, n| 4096 * m + n);
    check::<layout!(((4,4),(8,4)):((1,32),(4,128)))>(16, 32, |m, n| {
        m % 4 + m / 4 * 32 + n % 8 * 4 + n / 8 * 128
    });
}

#[test]
fn value_2_of_thread_9_is_at_1_6() {
    type Id = layout!((16,32):(1@0,1@1));
    let start = <CopyThreadOf<Copy, Source, Id>>::coordinate::<usize, _, 2>(9usize);
    let step = <CopyPartitionOf<Copy, Source, Id>>::coordinate::<usize, _, 2>(2usize);
    assert_eq!([start[0] + step[0], start[1] + step[1]], [1, 6]);
}
