//! Tiled MMAs against CuTe's print, and against the definition of a partition.

use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tiled::*;
use std::collections::HashMap;

/// What a case says: (record, operand tensor), the print, and the offset of a thread's first element.
type Case = (String, String, String, Option<fn(usize) -> usize>);

fn show<L: LayoutFn>() -> String {
    L::default().to_string()
}
fn start<T: LayoutFn>(thread: usize) -> usize {
    thread_offset::<T, usize>(thread)
}

/// The notation of a permutation, a number or a layout.
trait Print {
    fn print() -> String;
}
impl<U: typenum::Unsigned, B: typenum::Bit> Print for typenum::UInt<U, B> {
    fn print() -> String {
        <Self as typenum::Unsigned>::U64.to_string()
    }
}
impl<S, D> Print for Layout<S, D>
where
    Self: LayoutFn,
{
    fn print() -> String {
        Self::default().to_string()
    }
}
fn permutation<
    Mma: TiledMmaTraits<PermutationM: Print, PermutationN: Print, PermutationK: Print>,
>() -> String {
    format!(
        "({},{},{})",
        Mma::PermutationM::print(),
        Mma::PermutationN::print(),
        Mma::PermutationK::print()
    )
}

macro_rules! tiled_mma {
    ($cfg:literal, $mma:ty, A $([$($a:tt)*]),*; B $([$($b:tt)*]),*; C $([$($c:tt)*]),*) => {{
        type Mma = $mma;
        let mut out: Vec<Case> = Vec::new();
        let mut add = |what: &str, tensor: &str, print: String, starts: Option<fn(usize) -> usize>| {
            out.push((format!("tiledmma.{what} {}", $cfg), tensor.into(), print, starts));
        };
        add("thr_layout_vmnk", "", show::<<Mma as TiledMmaTraits>::ThrLayoutVmnk>(), None);
        let tile = format!(
            "({},{},{})",
            <<Mma as TiledMmaTraits>::TileM as typenum::Unsigned>::U64,
            <<Mma as TiledMmaTraits>::TileN as typenum::Unsigned>::U64,
            <<Mma as TiledMmaTraits>::TileK as typenum::Unsigned>::U64,
        );
        add("tile_shape", "", tile, None);
        add("permutation_mnk", "", permutation::<Mma>(), None);
        add("layoutA_TV", "", show::<LayoutTv<Mma, OperandA>>(), None);
        add("layoutB_TV", "", show::<LayoutTv<Mma, OperandB>>(), None);
        add("layoutC_TV", "", show::<LayoutTv<Mma, OperandC>>(), None);
        tiled_mma!(@operand add, OperandA, "A", $([$($a)*]),*);
        tiled_mma!(@operand add, OperandB, "B", $([$($b)*]),*);
        tiled_mma!(@operand add, OperandC, "C", $([$($c)*]),*);
        $({
            type L = layout!($($c)*);
            let shape = <PartitionShape<Mma, OperandC, L>>::default().to_string();
            add("partition_shape_C", &show::<L>(), shape, None);
        })*
        out
    }};
    (@operand $add:ident, $x:ty, $name:literal, $([$($l:tt)*]),*) => {$({
        type L = layout!($($l)*);
        let tensor = show::<L>();
        $add(concat!("thrfrg_", $name), &tensor, show::<ThrFrgOf<Mma, $x, L>>(), None);
        $add(concat!("partition_", $name), &tensor, show::<PartitionOf<Mma, $x, L>>(), Some(start::<ThreadOf<Mma, $x, L>>));
        $add(concat!("partition_fragment_", $name), &tensor, show::<PartitionFragmentOf<Mma, $x, L>>(), None);
    })*};
}

include!("data/atoms_tiled_mma.rs");

#[test]
fn every_record_of_cute_is_equal_as_printed_and_starts_where_it_starts() {
    let cases: HashMap<_, _> = cases()
        .into_iter()
        .map(|case| ((case.0, case.1), (case.2, case.3)))
        .collect();
    let mut seen = 0;
    for line in include_str!("data/atoms_tiled_mma.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let (what, cfg) = (
            record["what"].as_str().unwrap(),
            record["cfg"].as_str().unwrap(),
        );
        if record["in"] == serde_json::json!({}) && what.contains("partition_shape") {
            continue; // wgmma's, whose tensors the records do not name: below
        }
        let tensor = record["in"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .map_or("", |value| value.as_str().unwrap());
        let key = (format!("{what} {cfg}"), tensor.to_string());
        let (print, start) = cases.get(&key).unwrap_or_else(|| panic!("no case {key:?}"));
        let expected = match &record["out"] {
            serde_json::Value::String(out) => out.clone(),
            list => {
                let parts: Vec<_> = list
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|part| part.to_string().replace('"', ""))
                    .collect();
                format!("({})", parts.join(","))
            }
        };
        assert_eq!(*print, expected, "{key:?}");
        if let Some(starts) = record["starts"].as_array() {
            for (thread, expected) in starts.iter().enumerate() {
                assert_eq!(
                    start.unwrap()(thread) as u64,
                    expected.as_u64().unwrap(),
                    "{key:?} thread {thread}"
                );
            }
        }
        seen += 1;
    }
    assert_eq!(seen, RECORDS);
}
const RECORDS: usize = 25 * 5 + 21 + 63 * 9 + 63;

/// The records of wgmma's partition shapes do not name their tensors: C (128,256), A (128,64), B (256,64).
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
            for line in include_str!("data/atoms_tiled_mma.jsonl").lines() {
                let record: serde_json::Value = serde_json::from_str(line).unwrap();
                let Some(operand) = record["what"]
                    .as_str()
                    .unwrap()
                    .strip_prefix("tiledmma.partition_shape_")
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

/// Every element of every thread's part of a tensor of one tile is the tensor's element at the thread-value layout's
/// coordinate, through the swizzle where there is one; every element of the tile has an owner.
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
                L::twist(base + part),
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

/// Global tensors carry coordinates: the strides are scaled basis elements.
#[test]
fn an_identity_tensor_is_partitioned_into_coordinates() {
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
