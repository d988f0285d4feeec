//! Checks that static layouts take no space: each has size 0 and alignment 1, and so have the types
//! that carry layouts.

use layout_types::prelude::*;
use std::mem::{align_of, size_of};

fn takes_no_room<T>() {
    assert_eq!((size_of::<T>(), align_of::<T>()), (0, 1));
}

/// Checks the size of each type, and of the type next to a value.
macro_rules! take_no_room {
    ($($t:ty),* $(,)?) => {$(
        takes_no_room::<$t>();
        assert_eq!(size_of::<($t, u32)>(), size_of::<u32>(), stringify!($t));
        assert_eq!(size_of::<[$t; 1000]>(), 0, stringify!($t));
    )*};
}

type A = layout!(((4,8),(2,16)):((32,1),(16,128)));
type S = Composition<Swizzle<3, 3, 3>, layout!((64,64):(64,1))>;

#[test]
fn numbers_tuples_and_layouts() {
    take_no_room!(
        int!(1),
        int!(1099511627776),
        shape!((4,(2,8))),
        tile!(4:1, 8, _),
        coord!(_, 3),
        Underscore,
        layout!(4:1),
        layout!((4):(1)),
        layout!((2,2,2,2,2,2,2,2,2,2,2,2)),
        layout!((8,6):(1@0,1@1)),
        layout!((4,8):(-1,-4)),
        A,
        Swizzle<3, 3, 3>,
        S,
    );
}

#[test]
fn results_of_operations() {
    take_no_room!(
        Coalesce<A>,
        Flatten<A>,
        Filter<A>,
        Complement<layout!((2,2):(1,6)), int!(24)>,
        Composition<A, layout!((4,4):(1,4))>,
        Composition<S, tile!(16, 8)>,
        LogicalDivide<A, tile!(4, 8)>,
        ZippedDivide<S, tile!(16, 8)>,
        LogicalProduct<layout!((2,2)), layout!((3,4))>,
        BlockedProduct<layout!((2,2)), layout!((3,4))>,
        RakedProduct<layout!((2,2)), layout!((3,4))>,
        TileToShape<S, shape!((128, 64, 3))>,
        RightInverse<layout!((4,8):(8,1))>,
        LeftInverse<layout!((4,2):(1,5))>,
        Upcast<layout!((1,16)), int!(8)>,
        Slice<A, (Underscore, u32)>,
        Identity<shape!((8, 6))>,
    );
}
