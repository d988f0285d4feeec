//! Tiled copies against CuTe's print, and against the definition of a copy.

use layout_types::atom::copy::*;
use layout_types::atom::element::TFloat32;
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

/// The notation of a tiler.
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
impl<A: Print, B: Print> Print for Cons<A, Cons<B, Nil>> {
    fn print() -> String {
        format!("({},{})", A::print(), B::print())
    }
}

macro_rules! tiled_copy {
    ($cfg:literal, $copy:ty, tidfrg_S $([$($ts:tt)*])*; tidfrg_D $([$($td:tt)*])*;
     partition_S $([$($ps:tt)*])*; partition_D $([$($pd:tt)*])*; retile_S $([$($rs:tt)*])*; retile_D $([$($rd:tt)*])*) => {{
        type C = $copy;
        let mut out: Vec<Case> = Vec::new();
        let mut add = |what: &str, tensor: &str, print: String, starts: Option<fn(usize) -> usize>| {
            out.push((format!("tiledcopy.{what} {}", $cfg), tensor.into(), print, starts));
        };
        add("Tiler_MN", "", <C as TiledCopyTraits>::TilerMn::print(), None);
        add("TiledLayout_TV", "", show::<<C as TiledCopyTraits>::LayoutTv>(), None);
        add("layoutS_TV", "", show::<CopyLayoutTv<C, Source>>(), None);
        add("layoutD_TV", "", show::<CopyLayoutTv<C, Destination>>(), None);
        $({
            type L = layout!($($ts)*);
            add("tidfrg_S", &show::<L>(), show::<TidFrgOf<C, Source, L>>(), None);
        })*
        $({
            type L = layout!($($td)*);
            add("tidfrg_D", &show::<L>(), show::<TidFrgOf<C, Destination, L>>(), None);
        })*
        $({
            type L = layout!($($ps)*);
            let starts = start::<CopyThreadOf<C, Source, L>>;
            add("partition_S", &show::<L>(), show::<CopyPartitionOf<C, Source, L>>(), Some(starts));
        })*
        $({
            type L = layout!($($pd)*);
            let starts = start::<CopyThreadOf<C, Destination, L>>;
            add("partition_D", &show::<L>(), show::<CopyPartitionOf<C, Destination, L>>(), Some(starts));
        })*
        $({
            type L = layout!($($rs)*);
            add("retile_S", &show::<L>(), show::<RetileOf<C, L>>(), None);
        })*
        $({
            type L = layout!($($rd)*);
            add("retile_D", &show::<L>(), show::<RetileOf<C, L>>(), None);
        })*
        out
    }};
}

include!("data/atoms_tiled_copy.rs");

#[test]
fn every_record_of_cute_is_equal_as_printed_and_starts_where_it_starts() {
    let cases: HashMap<_, _> = cases()
        .into_iter()
        .map(|case| ((case.0, case.1), (case.2, case.3)))
        .collect();
    let mut seen = 0;
    for line in include_str!("data/atoms_tiled_copy.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let (what, cfg) = (
            record["what"].as_str().unwrap(),
            record["cfg"].as_str().unwrap(),
        );
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
    assert_eq!(seen, 750);
}

/// What source and destination say about one tensor of one tile agrees: the bits that the atom's layouts call the same go from
/// the source's element to the same element of the destination, whatever the tensors' layouts and swizzles; the copy covers the
/// tile.
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
                    L::twist(base + part),
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
    fn shown<C: TidFrg<Source, L>, L: LayoutFn>() -> [String; 3] {
        [
            show::<C::LayoutTv>(),
            show::<TidFrgOf<C, Source, L>>(),
            show::<CopyPartitionOf<C, Source, L>>(),
        ]
    }
    type Line<Values> = MakeTiledCopy<UniversalCopy<u128>, f32, layout!(128:1), Values>;
    // As CuTe C++ prints them: rounds along the only mode stay a tuple, so that a part has two modes.
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
