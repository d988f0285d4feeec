//! Compares tiled MMAs with CuTe's print and with the definition of a partition.

mod atoms_records;

use atoms_records::{Case, Config, Cut, compare_compiled, field, records};
use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tiled::*;

macro_rules! tiled_mma {
    ($cfg:literal, $mma:ty, A $([$($a:tt)*]),*; B $([$($b:tt)*]),*; C $([$($c:tt)*]),*) => {{
        type Mma = $mma;
        type TileShape = Cons<
            <Mma as TiledMmaTraits>::TileM,
            Cons<<Mma as TiledMmaTraits>::TileN, Cons<<Mma as TiledMmaTraits>::TileK, Nil>>,
        >;
        type Permutation = Cons<
            <Mma as TiledMmaTraits>::PermutationM,
            Cons<<Mma as TiledMmaTraits>::PermutationN, Cons<<Mma as TiledMmaTraits>::PermutationK, Nil>>,
        >;
        const CASES: &(&[Case], [Cut; 0]) = &(&[
            Case::layout::<<Mma as TiledMmaTraits>::ThrLayoutVmnk>("thr_layout_vmnk"),
            Case::text::<TileShape>("tile_shape"),
            Case::text::<Permutation>("permutation_mnk"),
            Case::layout::<LayoutTv<Mma, OperandA>>("layoutA_TV"),
            Case::layout::<LayoutTv<Mma, OperandB>>("layoutB_TV"),
            Case::layout::<LayoutTv<Mma, OperandC>>("layoutC_TV"),
            $(tiled_mma!(@thrfrg OperandA, "thrfrg_A", [$($a)*]), tiled_mma!(@part OperandA, "partition_A", [$($a)*]),
              tiled_mma!(@fragment OperandA, "partition_fragment_A", [$($a)*]),)*
            $(tiled_mma!(@thrfrg OperandB, "thrfrg_B", [$($b)*]), tiled_mma!(@part OperandB, "partition_B", [$($b)*]),
              tiled_mma!(@fragment OperandB, "partition_fragment_B", [$($b)*]),)*
            $(tiled_mma!(@thrfrg OperandC, "thrfrg_C", [$($c)*]), tiled_mma!(@part OperandC, "partition_C", [$($c)*]),
              tiled_mma!(@fragment OperandC, "partition_fragment_C", [$($c)*]),
              Case {
                  tensor: Some(<layout!($($c)*)>::DESCRIBED),
                  ..Case::text::<PartitionShape<Mma, OperandC, layout!($($c)*)>>("partition_shape_C")
              },)*
        ], []);
        Config::new($cfg, CASES)
    }};
    (@thrfrg $x:ty, $name:literal, [$($l:tt)*]) => {
        Case::of::<layout!($($l)*), ThrFrgOf<Mma, $x, layout!($($l)*)>>($name)
    };
    (@part $x:ty, $name:literal, [$($l:tt)*]) => {
        Case::part::<
            layout!($($l)*),
            PartitionOf<Mma, $x, layout!($($l)*)>,
            ThreadOf<Mma, $x, layout!($($l)*)>,
        >($name)
    };
    (@fragment $x:ty, $name:literal, [$($l:tt)*]) => {
        Case::of::<layout!($($l)*), PartitionFragmentOf<Mma, $x, layout!($($l)*)>>($name)
    };
}

include!("data/atoms_tiled_mma.rs");

#[test]
fn the_records_of_cute_are_equal_as_printed_and_start_where_they_start() {
    let text = include_str!("data/atoms_tiled_mma.jsonl");
    // The records of wgmma's partition shapes do not name their tensors; the next test checks them.
    let named = |record: &serde_json::Value| {
        record["in"] != serde_json::json!({}) || !field(record, "what").contains("partition_shape")
    };
    compare_compiled(text, CONFIGS, named, 221, RECORDS);
}
const RECORDS: usize = 25 * 5 + 21 + 63 * 9 + 63;

/// Compares wgmma's partition shapes with CuTe's. The records do not name their tensors: C
/// (128,256), A (128,64), B (256,64).
#[test]
fn partition_shapes_of_wgmma_are_cutes() {
    type C = layout!((128, 256));
    type A = layout!((128, 64));
    type B = layout!((256, 64));
    let mut seen = 0;
    macro_rules! check {
        ($cfg:literal, $mma:ty) => {
            let ours = [
                (
                    "C",
                    <PartitionShape<$mma, OperandC, C>>::default().to_string(),
                ),
                (
                    "A",
                    <PartitionShape<$mma, OperandA, A>>::default().to_string(),
                ),
                (
                    "B",
                    <PartitionShape<$mma, OperandB, B>>::default().to_string(),
                ),
            ];
            for record in records(include_str!("data/atoms_tiled_mma.jsonl")) {
                let Some(operand) =
                    field(&record, "what").strip_prefix("tiledmma.partition_shape_")
                else {
                    continue;
                };
                if record["cfg"] == $cfg {
                    let shape = &ours.iter().find(|shape| shape.0 == operand).unwrap().1;
                    assert_eq!(record["out"], *shape, "{operand} of {}", $cfg);
                    seen += 1;
                }
            }
        };
    }
    check!("SM90_64x64x16_F32F16F16_SS_KK atoms=(1,1,1)", TiledMma<Sm90_64x64x16_F32F16F16_SS, layout!((1,1,1))>);
    check!("SM90_64x64x16_F32F16F16_SS_KK atoms=(2,1,1)", TiledMma<Sm90_64x64x16_F32F16F16_SS, layout!((2,1,1))>);
    check!("SM90_64x128x16_F32F16F16_SS_KK atoms=(1,1,1)", TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((1,1,1))>);
    check!("SM90_64x128x16_F32F16F16_SS_KK atoms=(2,1,1)", TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((2,1,1))>);
    assert_eq!(seen, 12);
}

/// Checks the threads' parts of a tensor with one tile: every element is the tensor's element at
/// the thread-value layout's coordinate, through the swizzle if there is one. Also checks that
/// every element of the tile has an owner.
fn check_tile<Mma, X, L>()
where
    Mma: TvOf<X> + PartitionMma<X, L>,
    L: LayoutFn,
{
    type Tv<Mma, X> = LayoutTv<Mma, X>;
    let mut owned = vec![0; L::SIZE];
    let values = Tv::<Mma, X>::SIZE / Mma::THREADS;
    assert_eq!(PartitionOf::<Mma, X, L>::SIZE, values);
    for thread in 0..Mma::THREADS {
        let base = thread_offset::<ThreadOf<Mma, X, L>, usize>(thread);
        for value in 0..values {
            let coordinate = Tv::<Mma, X>::index(thread + Mma::THREADS * value);
            owned[coordinate] += 1;
            let part = thread_offset::<PartitionOf<Mma, X, L>, usize>(value);
            assert_eq!(
                L::swizzled(base + part),
                L::index(coordinate),
                "thread {thread} value {value}"
            );
        }
    }
    assert!(owned.iter().all(|&owners| owners == owned[0] && owners > 0));
}

#[test]
fn a_partition_is_the_tensor_behind_the_thread_value_layout() {
    type Atom = Sm80_16x8x16_F32F16F16F32_TN;
    type Plain = TiledMma<Atom, layout!((2, 2, 1))>;
    type Reordered = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, (2,4,4):(1,8,2), 16)>;
    type Quarters =
        TiledMma<Sm80_16x8x32_S32S8S8S32_TN, layout!((4,1,1):(1,0,0)), tile!(_, 16, 64)>;
    type RowMajorWarps = TiledMma<Atom, layout!((2,4,1):(4,1,0))>;
    type Swizzled<L> = Composition<Swizzle<2, 3, 3>, L>;

    check_tile::<Plain, OperandA, layout!((32,16):(16,1))>();
    check_tile::<Plain, OperandA, Swizzled<layout!((32,16):(16,1))>>();
    check_tile::<Plain, OperandB, Swizzled<layout!((16,16):(1,16))>>();
    check_tile::<Plain, OperandC, Swizzled<layout!((32,16):(16,1))>>();
    check_tile::<Reordered, OperandB, Swizzled<layout!((32,16):(16,1))>>();
    check_tile::<Reordered, OperandC, Swizzled<layout!((32,32):(32,1))>>();
    check_tile::<Reordered, OperandC, layout!((32,(4,8)):(1,(256,32)))>();
    check_tile::<Quarters, OperandA, layout!((64,64):(64,1))>();
    check_tile::<Quarters, OperandB, layout!((16,64):(64,1))>();
    check_tile::<Quarters, OperandC, layout!((64,16):(16,1))>();
    check_tile::<RowMajorWarps, OperandA, layout!((32,16):(1,32))>();
    check_tile::<RowMajorWarps, OperandB, layout!((32,16):(16,1))>();
    check_tile::<RowMajorWarps, OperandC, layout!((32,32):(32,1))>();
}

/// Checks that global tensors carry coordinates: the strides are scaled basis elements.
#[test]
fn an_identity_tensor_is_partitioned_into_coordinates() {
    fn show<L: LayoutFn>() -> String {
        L::default().to_string()
    }
    type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2, 2, 1))>;
    type Id = layout!((128,64):(1@0,1@1));
    assert_eq!(
        show::<PartitionOf<Mma, OperandA, Id>>(),
        "((2,2,2),4,4):((1@1,8@0,8@1),32@0,16@1)"
    );
    assert_eq!(
        show::<ThreadOf<Mma, OperandA, Id>>(),
        "(4,8,2,2):(2@1,1@0,16@0,0)"
    );
}
