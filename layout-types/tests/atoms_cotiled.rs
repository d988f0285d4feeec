//! Compares tiled copies made from addresses with their definition.

use layout_types::atom::copy::{Sm80_CP_ASYNC_CACHEALWAYS, UniversalCopy};
use layout_types::prelude::*;
use layout_types::tiled::*;

/// Checks that, in a tensor with layout `Data`, value `v` of thread `t` is at offset `AtomTv(t,
/// v)`.
fn check<C, AtomTv, Data>()
where
    C: TidFrg<Source, Data> + TidFrg<Destination, Data>,
    AtomTv: LayoutFn,
    Data: LayoutFn,
{
    let values = AtomTv::SIZE / C::THREADS;
    for thread in 0..C::THREADS {
        for value in 0..values {
            let expected = AtomTv::index(thread + C::THREADS * value);
            let source = thread_offset::<CopyThreadOf<C, Source, Data>, usize>(thread)
                + CopyPartitionOf::<C, Source, Data>::index(value);
            let destination = thread_offset::<CopyThreadOf<C, Destination, Data>, usize>(thread)
                + CopyPartitionOf::<C, Destination, Data>::index(value);
            assert_eq!(
                (source, destination),
                (expected, expected),
                "thread {thread} value {value}"
            );
        }
    }
}

macro_rules! check {
    ($op:ty, $t:ty, [$($tv:tt)*], [$($data:tt)*]) => {
        check::<MakeCotiledCopy<$op, $t, layout!($($tv)*), layout!($($data)*)>, layout!($($tv)*), layout!($($data)*)>()
    };
}

#[test]
fn a_cotiled_copy_moves_the_addresses_that_it_was_made_from() {
    check!(UniversalCopy<u128>, half::f16, [(32,8):(8,1)], [(16,16):(16,1)]);
    check!(UniversalCopy<u32>, f32, [(32,4):(1,32)], [(8,16):(1,8)]);
    check!(Sm80_CP_ASYNC_CACHEALWAYS<u64>, half::f16, [((8,4),4):((4,64),1)], [(8,32):(32,1)]);
    check!(UniversalCopy<u64>, f32, [(16,(2,2)):(2,(1,64))], [(8,16):(16,1)]);
    // A compact tensor; padded rows, whose gaps no thread addresses; two threads with one address.
    check!(UniversalCopy<u128>, half::f16, [(16,8):(16,1)], [(16,8):(16,1)]);
    check!(UniversalCopy<u128>, half::f16, [((2,8),8):((8,24),1)], [(8,16):(24,1)]);
    check!(UniversalCopy<u32>, f32, [((8,4),4):((1,0),8)], [(8,4):(1,8)]);
    // Tensors with any number of modes, some with a mode or a part of a mode that the copy leaves
    // to further rounds.
    check!(UniversalCopy<u128>, f32, [(32,4):(4,1)], [(8,4,4):(16,4,1)]);
    check!(UniversalCopy<u128>, f32, [(16,4):(4,1)], [(4,8,4):(1,16,4)]);
    check!(UniversalCopy<u128>, f32, [(16,4):(4,1)], [(64,2):(1,64)]);
    check!(UniversalCopy<u128>, f32, [(16,4):(4,1)], [(4,4,2,4):(1,4,64,16)]);
}

#[test]
fn a_cotiled_copy_of_any_rank_is_cutes() {
    fn show<C: TidFrg<Source, L>, L: LayoutFn>() -> [String; 2] {
        let tv = <C as TiledCopyTraits>::LayoutTv::default().to_string();
        [tv, CopyPartitionOf::<C, Source, L>::default().to_string()]
    }
    type F32x4<Tv, Data> = MakeCotiledCopy<UniversalCopy<u128>, f32, Tv, Data>;
    type Tv = layout!((16,4):(4,1));
    // The expected texts are CuTe C++'s.
    type Cube = layout!((8,4,4):(16,4,1));
    assert_eq!(
        show::<F32x4<layout!((32,4):(4,1)), Cube>, Cube>(),
        ["((4,8),4):((8,1),32)", "((4,1),1,1,1):((1,0),0,0,0)"]
    );
    type Rounds = layout!((4,8,4):(1,16,4));
    assert_eq!(
        show::<F32x4<Tv, Rounds>, Rounds>(),
        ["((4,4),4):((16,4),1)", "((4,1),1,2,1):((1,0),0,64,0)"]
    );
    type Columns = layout!((64,2):(1,64));
    assert_eq!(
        show::<F32x4<Tv, Columns>, Columns>(),
        ["(16,4):(1,16)", "((4,1),1,2):((1,0),0,64)"]
    );
    type Line = layout!(64:1);
    assert_eq!(
        show::<F32x4<Tv, Line>, Line>(),
        ["(16,4):(1,16)", "((4,1),(1)):((1,0),(0))"]
    );
    type Tuple = layout!((64):(1));
    assert_eq!(
        show::<F32x4<Tv, Tuple>, Tuple>(),
        ["(16,4):(1,16)", "((4,1),(1)):((1,0),(0))"]
    );
    type Four = layout!((4,4,2,4):(1,4,64,16));
    assert_eq!(
        show::<F32x4<Tv, Four>, Four>(),
        ["((4,4),4):((4,16),1)", "((4,1),1,1,2,1):((1,0),0,0,64,0)"]
    );
}
