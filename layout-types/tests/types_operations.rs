//! Every operation by its name in the prelude: what it gives is a zero-sized value that prints itself, numbers by
//! [`Show`], as the run-time mirror and CuTe print it.

use layout_types::prelude::*;
use std::fmt::Display;

type A = layout!((4,8):(8,1));
type B = layout!((2,4):(1,2));
type Swizzled = Composition<Swizzle<2, 0, 3>, layout!((8,8):(8,1))>;

fn prints<T: Default + Display>(name: &str, expected: &str) {
    assert_eq!(size_of::<T>(), 0, "{name}");
    assert_eq!(T::default().to_string(), expected, "{name}");
}
macro_rules! prints {
    ($($t:ty => $expected:literal;)*) => {$(prints::<$t>(stringify!($t), $expected);)*};
}

#[test]
fn numbers_print() {
    prints! {
        Show<Size<A>> => "32";
        Show<Cosize<A>> => "32";
        Show<Rank<A>> => "2";
        Show<Depth<A>> => "1";
        Show<MaxCommonVector<A, B>> => "1";
        Show<MaxAlignment<A>> => "32";
        Show<CeilDivLayout<int!(32), layout!(8:1)>> => "4";
        CeilDivLayout<int!(32), layout!((1,2):(0,2))> => "(2,8)";
        Show<ShapeOf<A>> => "(4,8)";
        Show<StrideOf<layout!((4,8):(1@0,1@1))>> => "(1@0,1@1)";
    }
}

#[test]
fn predicates_print() {
    prints! {
        IsCompatible<shape!(32), shape!((4,8))> => "true";
        IsCongruent<shape!((4,8)), shape!((2,2))> => "true";
        IsWeaklyCongruent<shape!((4,8)), shape!(3)> => "false";
        IsInjective<A> => "true";
        IsCompact<A> => "true";
        IsDisjoint<layout!(4:1), layout!(4:4)> => "true";
    }
}

#[test]
fn layouts_print() {
    prints! {
        Flatten<layout!((4,(2,4)):(8,(4,1)))> => "(4,2,4):(8,4,1)";
        Coalesce<B> => "8:1";
        CoalesceBy<A, shape!((1,1))> => "(4,8):(8,1)";
        Filter<layout!((4,8):(0,1))> => "8:1";
        FilterZeros<layout!((4,8):(0,1))> => "(1,8):(0,1)";
        Composition<A, B> => "(2,(2,2)):(8,(16,1))";
        Composition<A, int!(4)> => "4:8";
        Composition<A, tile!(2:1, _)> => "(2,8):(8,1)";
        Complement<A, int!(64)> => "2:32";
        RightInverse<A> => "(8,4):(4,1)";
        LeftInverse<A> => "(8,4):(4,1)";
        Nullspace<layout!((4,8):(0,1))> => "4:1";
        LogicalDivide<A, tile!(2, 4)> => "((2,2),(4,2)):((8,16),(1,4))";
        ZippedDivide<A, tile!(2, 4)> => "((2,4),(2,2)):((8,1),(16,4))";
        TiledDivide<A, tile!(2, 4)> => "((2,4),2,2):((8,1),16,4)";
        FlatDivide<A, tile!(2, 4)> => "(2,4,2,2):(8,1,16,4)";
        ExactLogicalDivide<A, tile!(2, 4)> => "((2,2),(4,2)):((8,16),(1,4))";
        ExactZippedDivide<A, tile!(2, 4)> => "((2,4),(2,2)):((8,1),(16,4))";
        ExactTiledDivide<A, tile!(2, 4)> => "((2,4),2,2):((8,1),16,4)";
        ExactFlatDivide<A, tile!(2, 4)> => "(2,4,2,2):(8,1,16,4)";
        LogicalProduct<B, layout!(3:1)> => "((2,4),3):((1,2),8)";
        ZippedProduct<B, tile!(3, 2)> => "((2,4),(3,2)):((1,2),(2,1))";
        TiledProduct<B, tile!(3, 2)> => "((2,4),3,2):((1,2),2,1)";
        FlatProduct<B, tile!(3, 2)> => "(2,4,3,2):(1,2,2,1)";
        BlockedProduct<B, layout!((3,5))> => "((2,3),(4,5)):((1,8),(2,24))";
        RakedProduct<B, layout!((3,5))> => "((3,2),(5,4)):((8,1),(24,2))";
        TileToShape<B, shape!((4,8))> => "((2,2),(4,2)):((1,8),(2,16))";
        WithShape<B, shape!((4,2))> => "(4,2):(1,4)";
        Upcast<A, int!(4)> => "(4,2):(2,1)";
        ExactUpcast<A, int!(4)> => "(4,2):(2,1)";
        Downcast<A, int!(4)> => "(4,32):(32,1)";
        Recast<A, int!(16), int!(32)> => "(4,4):(4,1)";
        MaxCommonLayout<B, B> => "8:1";
        DomainDistribute<shape!((8,8)), int!(4)> => "4:1";
        Slice<A, coord!(_, 1)> => "(4):(8)";
        Dice<A, coord!(_, 1)> => "(8):(1)";
        SliceAndOffset<A, coord!(_, 1)> => "(4):(8)";
        Select<A, coord!(1, 0)> => "(8,4):(1,8)";
        Take<A, int!(0), int!(1)> => "(4):(8)";
        Group<A, int!(0), int!(1)> => "((4),8):((8),1)";
        Append<A, layout!(2:32)> => "(4,8,2):(8,1,32)";
        AppendTo<A, int!(3)> => "(4,8,1):(8,1,0)";
        Prepend<A, layout!(2:32)> => "(2,4,8):(32,8,1)";
        PrependTo<A, int!(3)> => "(1,4,8):(0,8,1)";
        Replace<A, int!(0), B> => "((2,4),8):((1,2),1)";
        Zip<A, B> => "((4,2),(8,4)):((8,1),(1,2))";
        ZipModes<layout!(((2,3),(4,5)))> => "((2,4),(3,5)):((1,6),(2,24))";
        MakeOrdered<shape!((4,8)), coord!(1, 0)> => "(4,8):(8,1)";
        MakeLike<A> => "(4,8):(8,1)";
        MakeFragmentLike<A> => "(4,(8)):(1,(4))";
        LayoutLeft<shape!((4,8))> => "(4,8):(1,4)";
        LayoutRight<shape!((4,8))> => "(4,8):(8,1)";
        Identity<shape!((4,8))> => "(4,8):(1@0,1@1)";
    }
}

#[test]
fn swizzled_layouts_print() {
    prints! {
        Swizzled => "Sw<2,0,3> o 0 o (8,8):(8,1)";
        Composition<Swizzled, layout!(4:2)> => "Sw<2,0,3> o 0 o 4:16";
        ZippedDivide<Swizzled, tile!(4, 4)> => "Sw<2,0,3> o 0 o ((4,4),(2,2)):((8,1),(32,4))";
        ExactZippedDivide<Swizzled, tile!(4, 4)> => "Sw<2,0,3> o 0 o ((4,4),(2,2)):((8,1),(32,4))";
        Upcast<Swizzled, int!(2)> => "Sw<1,0,3> o 0 o (8,4):(4,1)";
        Slice<Swizzled, coord!(_, _)> => "Sw<2,0,3> o 0 o (8,8):(8,1)";
        SliceAndOffset<Swizzled, coord!(1, _)> => "((2,4)):((-1,2))";
    }
}

/// Strides of both signs on the right, scaled basis elements on the left: a digit may be taken by both signs, and lends
/// where the strides along each basis element allow it. The mirror says the same.
#[test]
fn signs_borrow_along_a_basis() {
    use layout_types::dynamic::{DynLayout, composition};
    fn both<C: Default + Display>(a: &str, b: &str) {
        let (a, b): (DynLayout, DynLayout) = (a.parse().unwrap(), b.parse().unwrap());
        assert_eq!(
            C::default().to_string(),
            composition(&a, &b).unwrap().to_string()
        );
    }
    both::<Composition<layout!((4,8):(1@0,1@1)), layout!((2,3):(1,-1))>>(
        "(4,8):(1@0,1@1)",
        "(2,3):(1,-1)",
    );
    both::<Composition<layout!((2,3,4):(1@0,5@0,12@0)), layout!((2,2):(-1,6))>>(
        "(2,3,4):(1@0,5@0,12@0)",
        "(2,2):(-1,6)",
    );
    let refused = composition(
        &"(2,3,4):(1@0,5@0,12@1)".parse::<DynLayout>().unwrap(),
        "(2,2):(-1,6)".parse::<DynLayout>().unwrap(),
    );
    assert!(refused.unwrap_err().to_string().contains("borrow"));
}
