//! Compares tiled copies made from threads and values with CuTe's print and with the definition of
//! a copy.

mod atoms_records;
#[macro_use]
#[path = "atoms_records/tiled_copy.rs"]
mod tiled_copy;

use atoms_records::{Config, compare_compiled};
use layout_types::atom::copy::*;
use layout_types::atom::mma::*;
use layout_types::prelude::*;
use layout_types::tiled::*;
use tiled_copy::All;

include!("data/atoms_tiled_copy.rs");

#[test]
fn the_records_of_cute_are_equal_as_printed_and_start_where_they_start() {
    let records = include_str!("data/atoms_tiled_copy.jsonl");
    compare_compiled(records, CONFIGS, |_| true, 432, 1696);
}

/// Checks that source and destination agree on a tensor of one tile: the bits that the atom's
/// layouts identify go from the source's element to the same element of the destination, for any
/// layouts and swizzles of the tensors, and the copy covers the tile.
fn check_copy<C, S, D>()
where
    C: TidFrg<Source, S> + TidFrg<Destination, D> + CopyTvOf<Source> + CopyTvOf<Destination>,
    S: LayoutFn,
    D: LayoutFn,
{
    fn check_side<C: TidFrg<Side, L> + CopyTvOf<Side>, Side, L: LayoutFn>() {
        let mut owned = vec![0; L::SIZE];
        let values = CopyPartitionOf::<C, Side, L>::SIZE;
        assert_eq!(values * C::THREADS, CopyLayoutTv::<C, Side>::SIZE);
        for thread in 0..C::THREADS {
            let base = thread_offset::<CopyThreadOf<C, Side, L>, usize>(thread);
            for value in 0..values {
                let place = CopyLayoutTv::<C, Side>::index(thread + C::THREADS * value);
                owned[place] += 1;
                let part = thread_offset::<CopyPartitionOf<C, Side, L>, usize>(value);
                assert_eq!(
                    L::swizzled(base + part),
                    L::index(place),
                    "thread {thread} value {value}"
                );
            }
        }
        assert!(owned.iter().all(|&owners| owners > 0), "{owned:?}");
    }
    check_side::<C, Source, S>();
    check_side::<C, Destination, D>();
}

#[test]
fn a_partition_is_the_tensor_behind_the_thread_value_layout() {
    type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
    type Swizzled<L> = Composition<Swizzle<2, 3, 3>, L>;
    check_copy::<
        MakeTiledCopy<
            Sm80_CP_ASYNC_CACHEGLOBAL<u128>,
            half::f16,
            layout!((32,4):(4,1)),
            layout!((1, 8)),
        >,
        layout!((32,32):(512,1)),
        Swizzled<layout!((32,32):(32,1))>,
    >();
    check_copy::<
        MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>,
        Swizzled<layout!((32,16):(16,1))>,
        layout!((32,16):(16,1)),
    >();
    check_copy::<
        MakeTiledCopyB<Sm75_U16x8_LDSM_T, half::f16, Mma>,
        Swizzled<layout!((32,16):(1,32))>,
        layout!((32,16):(16,1)),
    >();
    check_copy::<
        MakeTiledCopyC<UniversalCopy<u32>, half::f16, Mma>,
        layout!((32,32):(32,1)),
        Swizzled<layout!((32,32):(32,1))>,
    >();
}

#[test]
fn copies_and_tensors_of_one_mode_are_cutes() {
    fn show<L: LayoutFn>() -> String {
        L::default().to_string()
    }
    fn shown<C: TidFrg<Source, L>, L: LayoutFn>() -> [String; 3] {
        [
            show::<C::LayoutTv>(),
            show::<TidFrgOf<C, Source, L>>(),
            show::<CopyPartitionOf<C, Source, L>>(),
        ]
    }
    type Line<Values> = MakeTiledCopy<UniversalCopy<u128>, f32, layout!(128:1), Values>;
    // The expected texts are CuTe C++'s: rounds along the only mode stay a tuple, so that a part
    // has two modes.
    let expected = [
        "(128,4):(4,1)",
        "(128,(4,1),(2)):(4,(1,0),(512))",
        "((4,1),(2)):((1,0),(512))",
    ];
    assert_eq!(shown::<Line<layout!(4:1)>, layout!(1024:1)>(), expected);
    assert_eq!(shown::<Line<layout!(4:1)>, layout!((1024):(1))>(), expected);
    assert_eq!(
        shown::<Line<layout!(4:1)>, layout!((1024, 3))>(),
        [
            "(128,4):(4,1)",
            "(128,(4,1),(2,3)):(4,(1,0),(512,1024))",
            "((4,1),2,3):((1,0),512,1024)"
        ]
    );
    assert_eq!(
        shown::<Line<layout!(8:1)>, layout!((1024, 3))>(),
        [
            "(128,8):(8,1)",
            "(128,(4,2),(1,3)):(8,(1,4),(0,1024))",
            "((4,2),1,3):((1,4),0,1024)"
        ]
    );
    check_copy::<Line<layout!(4:1)>, layout!(512:1), layout!((512):(2))>();
}
