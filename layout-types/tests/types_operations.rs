//! Calls every operation by its name in the prelude. The result is a zero-sized value that prints
//! itself, numbers by [`Show`], as the run-time mirror and CuTe print it.

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

/// Checks strides of both signs on the right with scaled basis elements on the left: a digit may be
/// taken with both signs, and lends if the strides along each basis element allow it. The mirror
/// gives the same result.
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

#[test]
fn a_layout_after_a_swizzle_is_what_the_mirror_says() {
    use layout_types::dynamic::{AnyLayout, Swizzle as DynSwizzle, swizzle_behind};
    macro_rules! cases {
        ($($shape:tt : $stride:tt, $b:literal $m:literal $s:literal;)*) => {$({
            let layout = <layout!($shape:$stride)>::default().to_string().parse().unwrap();
            let AnyLayout::Plain(plain) = layout else { unreachable!() };
            let expected = swizzle_behind(&plain, DynSwizzle::new($b, $m, $s).unwrap()).unwrap();
            type Found = Composition<layout!($shape:$stride), Swizzle<$b, $m, $s>>;
            assert_eq!(Found::default().to_string(), expected.to_string());
            for i in 0..Found::SIZE {
                let swizzled = Swizzle::<$b, $m, $s>::apply(i);
                assert_eq!(Found::index(i), <layout!($shape:$stride)>::index(swizzled));
            }
        })*};
    }
    cases! {
        (64,8):(8,1), 3 3 3;
        (8,8):(8,1), 2 0 -3;
        (8,64):(64,1), 3 0 3;
        (512):(1), 3 3 3;
        (8,8):(8,1), 0 0 1;
        (4,2,8):(2,1,8), 1 0 2;
    }
}

#[test]
fn a_tiler_of_layouts_prints_as_the_mirror_does() {
    use layout_types::dynamic::Tiler;
    type T = tile!(4:1, _, (2:8, 3), (4,2):(2,1));
    let tiler: Tiler = "(4:1,_,(2:8,3),(4,2):(2,1))".parse().unwrap();
    assert_eq!(T::default().to_string(), tiler.to_string());
}

#[test]
fn what_fits_has_a_result_and_32_leaves_are_the_most() {
    use layout_types::dynamic::{
        DynLayout, Rule, complement, composition, downcast, logical_product, rules::MAX_MODES,
    };
    use layout_types::num::{Nat, Pred};
    // The numbers 2^62 and 2^63 - 1.
    type P62 = <int!(2147483648) as Nat>::Times<int!(2147483648)>;
    type Most = <P62 as Nat>::Plus<Pred<P62>>;
    let two: DynLayout = "2:1".parse().unwrap();
    let rest = complement(&two, i64::MAX).unwrap();
    assert_eq!(rest.to_string(), "4611686018427387904:2");
    assert_eq!(
        Complement::<layout!(2:1), Most>::default().to_string(),
        rest.to_string()
    );
    // The mirror's sentence is that of the types.
    let (a, b) = ("4:1099511627776", "2:1099511627776");
    let (a, b): (DynLayout, DynLayout) = (a.parse().unwrap(), b.parse().unwrap());
    let error = composition(&a, &b).unwrap_err();
    assert_eq!(error.rule(), Rule::Overflow);
    assert!(
        error
            .to_string()
            .ends_with("a number does not fit in 64 bits"),
        "{error}"
    );
    let (a, b): (DynLayout, DynLayout) = (
        "1099511627776:1".parse().unwrap(),
        "8388608:1".parse().unwrap(),
    );
    let error = logical_product(&a, &b).unwrap_err();
    assert_eq!(error.rule(), Rule::Overflow);
    // Each number fits, but the greatest offset does not.
    let wide: DynLayout = "(1,2):(1,4611686018427387904)".parse().unwrap();
    let error = downcast(&wide, 2).unwrap_err();
    assert_eq!(error.rule(), Rule::Overflow);
    type Widest = layout!((
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
        2, 2
    ));
    assert_eq!(MAX_MODES, 32);
    assert_eq!(Coalesce::<Widest>::default().to_string(), "4294967296:1");
    assert_eq!(Composition::<Widest, int!(4)>::default().to_string(), "4:1");
}
