//! Compares the kernels' layouts with their laws, by enumeration: which thread gets which element
//! through the tensors that the kernels use. (The types themselves assert that every tile is
//! covered once, that every vector is contiguous and that every phase is free of bank conflicts.
//! These tests count the same without the code of those assertions.)

use gpu_kernels::gemm::config::GemmConfig;
use gpu_kernels::gemm::configurations::{Reference, ReferenceS2rA as S2rA, ReferenceS2rB as S2rB};
use gpu_kernels::gemm::mainloop::Operand;
use gpu_kernels::transpose::{SharedTile16, SharedTile32, ThreadValue};
use layout_types::atom::copy::{Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, UniversalCopy};
use layout_types::prelude::*;
use layout_types::tensor::{Plain, Shared, identity_tensor};
use layout_types::tiled::{
    MakeTiledCopy, MakeTiledCopyC, OperandA, OperandB, OperandC, PartitionFragmentOf,
};
use std::collections::{BTreeMap, HashSet};

// The reference configuration of the GEMM. The tiles of A and of B have the same layout.
type Mma = <Reference as GemmConfig>::Mma;
type SharedTiles = <<Reference as GemmConfig>::A as Operand>::Stages;
type FragmentA = PartitionFragmentOf<Mma, OperandA, Slice<SharedTiles, coord!(_, _, 0)>>;
type FragmentB = PartitionFragmentOf<Mma, OperandB, Slice<SharedTiles, coord!(_, _, 0)>>;
type FragmentC = PartitionFragmentOf<Mma, OperandC, TileMn>;
/// The tiled copy from global to shared memory, for both operands.
type G2s = MakeTiledCopy<
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>,
    u16,
    layout!((32,4):(4,1)),
    layout!((1, 8)),
>;
/// The tiled copy from the accumulator to shared memory, by pairs.
type R2s = MakeTiledCopyC<UniversalCopy<u32>, u16, Mma>;

const TILE_M: u32 = 128;
const TILE_K: u32 = 32;
const STAGES: u32 = Reference::CONFIGURATION.stages;
const THREADS: u32 = Reference::CONFIGURATION.threads;

type TileK = layout!((128,32):(1@0,1@1));
type TileMn = layout!((128,128):(1@0,1@1));

/// Returns the address in shared memory of element `i` of a tensor.
fn address<T: Plain, L: LayoutFn>(tensor: &Tensor<Shared<T>, L>, i: u32) -> u32 {
    use layout_types::tensor::Engine;
    tensor.engine().step::<L, u32>(i).address::<L>()
}

/// Returns the stages of A, at address 0. Only addresses are computed from the tensor.
fn stages() -> Tensor<Shared<u16>, SharedTiles> {
    // SAFETY: no element is read or written.
    unsafe { Tensor::shared(0) }
}

/// Asserts that there are `count` different things and that each of them has `owners` owners.
fn assert_owned<T: Ord + std::fmt::Debug>(
    what: &str,
    things: impl Iterator<Item = T>,
    count: usize,
    owners: usize,
) {
    let mut times = BTreeMap::<T, usize>::new();
    things.for_each(|thing| *times.entry(thing).or_default() += 1);
    assert_eq!(
        times.len(),
        count,
        "{what} leaves something without an owner"
    );
    for (thing, found) in times {
        assert_eq!(found, owners, "{what}: {thing:?} has {found} owners");
    }
}

#[test]
fn a_tile_goes_to_shared_memory_once_each_element_to_its_place() {
    let (tile, stages) = (identity_tensor::<TileK, 2>(), stages());
    for stage in 0..STAGES {
        let mut places = Vec::new();
        for thread in 0..THREADS {
            let g2s = G2s::get_slice(thread);
            let (from, to) = (g2s.partition_s(&tile), g2s.partition_d(&stages));
            for i in 0..from.layout_size() {
                let [row, k] = from.get(i);
                let place = address(&stages.slice((row, k, stage)), 0);
                assert_eq!(
                    address(&to.slice((__, __, __, stage)), i),
                    place,
                    "({row},{k})"
                );
                places.push(place);
            }
        }
        let bytes = TILE_M * TILE_K * 2;
        assert!(
            places
                .iter()
                .all(|place| (stage * bytes..(stage + 1) * bytes).contains(place))
        );
        assert_owned("G2s", places.into_iter(), (TILE_M * TILE_K) as usize, 1);
    }
    assert_eq!(
        2 * STAGES * TILE_M * TILE_K * 2,
        Reference::CONFIGURATION.shared_bytes
    );
}

/// The number of elements, as the index type of these tests.
trait LayoutSize {
    fn layout_size(&self) -> u32;
}
impl<E: layout_types::tensor::Engine, L: LayoutFn> LayoutSize for Tensor<E, L> {
    fn layout_size(&self) -> u32 {
        L::SIZE as u32
    }
}

/// Checks that `ldmatrix` gives each lane the elements that the MMA multiplies: they lie in matrix
/// `m`, in row `lane / 4` and in columns `2 (lane % 4)` and `2 (lane % 4) + 1`.
#[test]
fn fragments_hold_what_the_mma_multiplies() {
    fn check(
        what: &str,
        lanes: impl Fn(u32) -> Vec<u32>,
        parts: impl Fn(u32) -> Vec<[u32; 2]>,
        order: impl Fn() -> Vec<u32>,
    ) {
        let address_of: BTreeMap<u32, [u32; 2]> = {
            let stages = stages();
            (0..TILE_M)
                .flat_map(|row| (0..TILE_K).map(move |k| (row, k)))
                .map(|(row, k)| (address(&stages.slice((row, k, 0u32)), 0), [row, k]))
                .collect()
        };
        for warp in 0..THREADS / 32 {
            let rows: Vec<Vec<u32>> = (0..32).map(|lane| lanes(32 * warp + lane)).collect();
            for lane in 0..32u32 {
                let part = parts(32 * warp + lane);
                let mut found = vec![[u32::MAX; 2]; part.len()];
                // Each instruction loads four matrices; lanes 8 m .. 8 m + 8 address the rows of
                // matrix m.
                for instruction in 0..rows[0].len() / 8 {
                    for value in 0..8u32 {
                        let (matrix, column) = (value / 2, 2 * (lane % 4) + value % 2);
                        let first = rows[(8 * matrix + lane / 4) as usize][8 * instruction];
                        let register = order()[8 * instruction + value as usize];
                        found[register as usize] = address_of[&(first + 2 * column)];
                    }
                }
                assert_eq!(found, part, "{what}: thread {}", 32 * warp + lane);
            }
        }
    }
    let tile = identity_tensor::<TileK, 2>();
    macro_rules! operand {
        ($what:literal, $copy:ty, $fragment:ty, $partition:ident) => {
            check(
                $what,
                |thread| {
                    let part = <$copy>::get_slice(thread)
                        .partition_s(&stages())
                        .slice((__, __, __, 0u32));
                    (0..part.layout_size()).map(|i| address(&part, i)).collect()
                },
                |thread| {
                    let part = Mma::get_slice(thread).$partition(&tile);
                    let mut registers = vec![[0; 2]; <$fragment>::SIZE];
                    for i in 0..part.layout_size() {
                        registers[<$fragment>::index(i) as usize] = part.get(i);
                    }
                    registers
                },
                || {
                    type View = layout_types::tiled::RetileOf<$copy, $fragment>;
                    (0..View::SIZE as u32).map(|i| View::index(i)).collect()
                },
            );
        };
    }
    operand!("A", S2rA, FragmentA, partition_a);
    operand!("B", S2rB, FragmentB, partition_b);
}

#[test]
fn accumulators_and_stores_cover_the_tile_once_and_agree() {
    let tile = identity_tensor::<TileMn, 2>();
    let mut owned = Vec::new();
    for thread in 0..THREADS {
        let part = Mma::get_slice(thread).partition_c(&tile);
        let mut registers = vec![[0; 2]; FragmentC::SIZE];
        for i in 0..part.layout_size() {
            registers[FragmentC::index(i) as usize] = part.get(i);
        }
        type View = layout_types::tiled::RetileOf<R2s, FragmentC>;
        let stored = R2s::get_slice(thread).partition_d(&tile);
        for i in 0..stored.layout_size() {
            assert_eq!(
                stored.get(i),
                registers[View::index(i) as usize],
                "thread {thread}"
            );
        }
        owned.extend(registers);
    }
    assert_owned("Mma", owned.into_iter(), 128 * 128, 1);
}

/// Asserts that accesses of `width` bytes at `bytes` touch no bank twice, except in the same word.
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
    // A lane accesses 16 bytes, so eight lanes make a phase.
    macro_rules! phases {
        ($what:literal, $copy:ty, $side:ident) => {
            for phase in 0..THREADS / 8 {
                let parts = (0..8).map(|lane| {
                    <$copy>::get_slice(8 * phase + lane)
                        .$side(&stages())
                        .slice((__, __, __, 0u32))
                });
                let parts: Vec<_> = parts.collect();
                for i in (0..parts[0].layout_size()).step_by(8) {
                    assert_no_conflict($what, parts.iter().map(|part| address(part, i)), 16);
                }
            }
        };
    }
    phases!("G2s", G2s, partition_d);
    phases!("S2rA", S2rA, partition_s);
    phases!("S2rB", S2rB, partition_s);
}

#[test]
fn transpose_accesses_have_no_bank_conflicts() {
    assert_owned("ThreadValue", (0..4096u32).map(ThreadValue::index), 4096, 1);
    for warp in 0..(ThreadValue::SIZE as u32 / 32) {
        let places = || {
            (0..32)
                .map(move |lane| ThreadValue::index(32 * warp + lane))
                .map(|p| (p % 64, p / 64))
        };
        assert_no_conflict(
            "32-bit rows",
            places().map(|(r, c)| 4 * SharedTile32::at((r, c))),
            4,
        );
        assert_no_conflict(
            "32-bit columns",
            places().map(|(c, r)| 4 * SharedTile32::at((r, c))),
            4,
        );
        assert_no_conflict(
            "16-bit rows",
            places().map(|(r, c)| 2 * SharedTile16::at((r, c))),
            2,
        );
        assert_no_conflict(
            "16-bit columns",
            places().map(|(c, r)| 2 * SharedTile16::at((r, c))),
            2,
        );
    }
}
