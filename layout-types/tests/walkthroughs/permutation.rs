//! Checks `docs/walkthroughs/permutation.md`: computes the product by figures and partitions, for
//! any permutation.

use super::*;

type SmemA = layout!((64,32):(32,1));
type SmemB = layout!((64,32):(32,1));
type GmemC = layout!((64,64):(64,1));

fn element(seed: usize, i: usize) -> i64 {
    (i * 2_654_435_761 + seed * 40_503) as i64 % 13 - 6
}

/// Computes the product of a tiled MMA. Every warp multiplies its atoms, whose lanes and values
/// follow the figures; the partitions locate them in memory.
fn product<Mma>() -> Vec<i64>
where
    Mma: PartitionMma<OperandA, SmemA>
        + PartitionMma<OperandB, SmemB>
        + PartitionMma<OperandC, GmemC>,
{
    let atoms = |values: usize, size: usize| size / values;
    let a_atoms = atoms(8, PartitionOf::<Mma, OperandA, SmemA>::SIZE);
    let b_atoms = atoms(4, PartitionOf::<Mma, OperandB, SmemB>::SIZE);
    let c_atoms = atoms(4, PartitionOf::<Mma, OperandC, GmemC>::SIZE);
    let (rests_k, rests_m) = (32 / 16, a_atoms / 2);
    let rests_n = b_atoms / rests_k;
    assert_eq!(c_atoms, rests_m * rests_n);
    let mut c = vec![i64::MAX; 64 * 64];
    for warp in 0..4 {
        for (i, j) in (0..rests_m).flat_map(|i| (0..rests_n).map(move |j| (i, j))) {
            let mut tile = [[0i64; 8]; 16];
            for k in 0..rests_k {
                let (mut a, mut b) = ([[0i64; 16]; 16], [[0i64; 16]; 8]);
                for lane in 0..32 {
                    for value in 0..8 {
                        let (m, kk) = figure::a(lane, value);
                        let index = value + 8 * (i + rests_m * k);
                        a[m][kk] =
                            element(1, parted::<Mma, OperandA, SmemA>(32 * warp + lane, index));
                    }
                    for value in 0..4 {
                        let (n, kk) = figure::b(lane, value);
                        let index = value + 4 * (j + rests_n * k);
                        b[n][kk] =
                            element(2, parted::<Mma, OperandB, SmemB>(32 * warp + lane, index));
                    }
                }
                for (m, row) in tile.iter_mut().enumerate() {
                    for (n, sum) in row.iter_mut().enumerate() {
                        *sum += (0..16).map(|kk| a[m][kk] * b[n][kk]).sum::<i64>();
                    }
                }
            }
            for (lane, value) in (0..32).flat_map(|lane| (0..4).map(move |v| (lane, v))) {
                let (m, n) = figure::c(lane, value);
                let index = value + 4 * (i + rests_m * j);
                let to = parted::<Mma, OperandC, GmemC>(32 * warp + lane, index);
                assert_eq!(std::mem::replace(&mut c[to], tile[m][n]), i64::MAX);
            }
        }
    }
    c
}

#[test]
fn a_permutation_moves_values_between_threads_and_not_the_product() {
    let expected: Vec<i64> = (0..64 * 64)
        .map(|i| {
            let (m, n) = (i / 64, i % 64);
            (0..32)
                .map(|k| element(1, 32 * m + k) * element(2, 32 * n + k))
                .sum()
        })
        .collect();
    assert_eq!(product::<TiledMma<Atom, layout!((2, 2, 1))>>(), expected);
    assert_eq!(
        product::<TiledMma<Atom, layout!((2, 2, 1)), tile!(32, 32, 16)>>(),
        expected
    );
    type Permuted = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, (2,4,2,2):(1,4,16,2), 16)>;
    assert_eq!(product::<Permuted>(), expected);
    // The permutation moves columns: thread 1's values of row 0 are columns 4 to 7.
    let columns = |i: usize| parted::<Permuted, OperandC, GmemC>(1, i);
    assert_eq!([0, 1, 8, 9].map(columns), [4, 5, 6, 7]);
}
