//! Checks that the compile-time verdicts are those of the run-time mirror, word for word, on random
//! layouts and on nested types.

use layout_types::check::{self, Node, Reflect, Value, Verdict};
use layout_types::dynamic::rules::{Flat, Rule};
use layout_types::dynamic::{self, AnyLayout, DynLayout, IntTuple, Tiler};
use layout_types::prelude::*;
use proptest::prelude::*;

fn value(layout: &DynLayout) -> Value {
    let shape: Vec<i64> = layout.shape().leaves().into_iter().copied().collect();
    let stride: Vec<i64> = layout.stride().leaves().iter().map(|s| s.value()).collect();
    Value::from_flat(&Flat::from_slices(&shape, &stride).unwrap())
}

fn agree<T: core::fmt::Display>(verdict: Verdict, mirror: dynamic::Result<T>) {
    match (verdict, mirror) {
        (Ok(()), Ok(_)) => {}
        (Err(text), Err(error)) => assert_eq!(text.as_str(), error.to_string()),
        (Ok(()), Err(error)) => panic!("the mirror alone refuses: {error}"),
        (Err(text), Ok(result)) => panic!("the check refuses what is {result}: {}", text.as_str()),
    }
}

fn layouts() -> impl Strategy<Value = DynLayout> {
    prop::collection::vec((1i64..9, prop_oneof![0i64..17, -4i64..33]), 1..4).prop_map(|modes| {
        let (shape, stride): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
        let flat = Flat::from_slices(&shape, &stride).unwrap();
        Value::from_flat(&flat).notation().as_str().parse().unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compositions(a in layouts(), b in layouts()) {
        agree(check::composition(&value(&a), &value(&b)), dynamic::composition(&a, b.clone()));
    }

    #[test]
    fn divides(a in layouts(), b in layouts()) {
        agree(check::divide("zipped_divide", &value(&a), &value(&b), false), dynamic::zipped_divide(&a, b.clone()));
        agree(
            check::divide("exact_zipped_divide", &value(&a), &value(&b), true),
            dynamic::exact_zipped_divide(&a, b.clone()),
        );
    }

    #[test]
    fn complements(a in layouts(), target in 1i64..200) {
        agree(
            check::complement(&value(&a), &Value::of(Node::Int(target))),
            dynamic::complement(&a, target),
        );
    }

    #[test]
    fn products(a in layouts(), b in layouts()) {
        agree(
            check::product("logical_product", &value(&a), &value(&b)),
            dynamic::logical_product(&a, b.clone()),
        );
    }

    #[test]
    fn inverses(a in layouts()) {
        agree(check::inverse("left_inverse", &value(&a)), dynamic::left_inverse(&a));
        agree(check::inverse("right_inverse", &value(&a)), dynamic::right_inverse(&a));
    }

    #[test]
    fn casts(a in layouts(), n in 1i64..9) {
        let by = Value::of(Node::Int(n));
        agree(check::cast("upcast", &value(&a), &by), dynamic::upcast(&a, n));
        agree(check::cast("exact_upcast", &value(&a), &by), dynamic::exact_upcast(&a, n));
        agree(check::cast("downcast", &value(&a), &by), dynamic::downcast(&a, n));
    }

    #[test]
    fn functions(a in layouts()) {
        let function = check::Function::new(&value(&a)).unwrap();
        for i in 0..a.size().unwrap() {
            prop_assert_eq!(function.at(i), a.offset(i).unwrap());
        }
    }
}

/// Checks verdicts on types: nested types, tuples, swizzled layouts, and strides that are scaled
/// basis elements.
macro_rules! on_types {
    ($($check:ident($($option:literal,)? $a:ty, $b:ty $(; $exact:literal)?) == $mirror:expr;)*) => {$({
        const VERDICT: Verdict =
            check::$check($($option,)? &<$a as Reflect>::VALUE, &<$b as Reflect>::VALUE $(, $exact)?);
        let (a, b) = (
            <$a as Reflect>::VALUE.notation().as_str().to_owned(),
            <$b as Reflect>::VALUE.notation().as_str().to_owned(),
        );
        let mirror: fn(&AnyLayout, &str) -> dynamic::Result<String> = $mirror;
        agree(VERDICT, mirror(&a.parse().unwrap(), &b));
    })*};
}

fn composition(a: &AnyLayout, b: &str) -> dynamic::Result<String> {
    dynamic::composition(a, b.parse::<Tiler>().unwrap()).map(|layout| layout.to_string())
}
fn zipped_divide(a: &AnyLayout, b: &str) -> dynamic::Result<String> {
    dynamic::zipped_divide(a, b.parse::<Tiler>().unwrap()).map(|layout| layout.to_string())
}
fn exact_zipped_divide(a: &AnyLayout, b: &str) -> dynamic::Result<String> {
    dynamic::exact_zipped_divide(a, b.parse::<Tiler>().unwrap()).map(|layout| layout.to_string())
}
fn upcast(a: &AnyLayout, b: &str) -> dynamic::Result<String> {
    dynamic::upcast(a, b.parse().unwrap()).map(|layout| layout.to_string())
}
fn tile_to_shape(a: &AnyLayout, b: &str) -> dynamic::Result<String> {
    dynamic::tile_to_shape(a, &b.parse::<IntTuple>().unwrap()).map(|layout| layout.to_string())
}

type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;

#[test]
fn types() {
    on_types! {
        composition(layout!((6,2):(8,2)), layout!((4,3):(3,1))) == composition;
        composition(layout!((4,6,8):(2,3,5)), layout!(6:3)) == composition;
        composition(layout!((4,4):(4,1)), layout!(((2,1),2):((3,0),1))) == composition;
        composition(layout!((4,(2,8)):(4,(24,2))), layout!((2,(8,3)):(1,(3,1)))) == composition;
        composition(layout!((8,6):(1@0,1@1)), tile!(4:2, 3)) == composition;
        composition(layout!((8,6):(1@0,1@1)), tile!(3:2, 4:3)) == composition;
        composition(layout!((8,6):(1,8)), layout!((2,3):(2@1,1@0))) == composition;
        composition(layout!((8,6):(1,8)), layout!((2,3):(2@2,1@0))) == composition;
        composition(layout!((8,6):(1,8)), layout!((2,3):(2@1,1))) == composition;
        composition(layout!((8,(6,2)):(1,(8,1))), layout!((3,2):(2@0@1,1@1@1))) == composition;
        composition(layout!((8,(6,2)):(1,(8,1))), layout!((4,2):(2@0@1,1@1@1))) == composition;
        composition(layout!((12,(4,8)):(59,(13,1))), tile!(3:4, 8:2)) == composition;
        composition(layout!((12,(4,8)):(59,(13,1))), tile!(3:5, 8:3)) == composition;
        composition(layout!((12,(4,8)):(59,(13,1))), tile!(3:4, 8:2, 1)) == composition;
        composition(Smem, tile!(4:2, _)) == composition;
        composition(Smem, tile!(3:3, _)) == composition;
        composition(Smem, layout!(5:7)) == composition;
        divide("zipped_divide", layout!((128,64):(64,1)), tile!(48, 16); false) == zipped_divide;
        divide("exact_zipped_divide", layout!((128,64):(64,1)), tile!(48, 16); true) == exact_zipped_divide;
        divide("exact_zipped_divide", layout!((128,64):(64,1)), tile!(32, 16); true) == exact_zipped_divide;
        divide("exact_zipped_divide", Smem, tile!(4, 16:2); true) == exact_zipped_divide;
        divide("exact_zipped_divide", Smem, tile!(3, 16:2); true) == exact_zipped_divide;
        divide("zipped_divide", layout!((8,6)), tile!((2,4):(1,1), 3); false) == zipped_divide;
        divide("zipped_divide", layout!((8,6)), tile!((2,2):(1,3), 3); false) == zipped_divide;
        cast("upcast", Smem, int!(8)) == upcast;
        cast("upcast", Smem, int!(64)) == upcast;
        cast("upcast", Smem, int!(3)) == upcast;
        cast("upcast", Composition<Swizzle<2, 3, -3>, layout!((8,32):(32,1))>, int!(16)) == upcast;
        cast("upcast", layout!((8,(2,3)):(1,(8,12))), int!(8)) == upcast;
        tile_to_shape(Smem, shape!((128,32,3))) == tile_to_shape;
        tile_to_shape(Smem, shape!((100,32))) == tile_to_shape;
        tile_to_shape(layout!((8,(2,2)):(1,(8,16))), shape!((8,6))) == tile_to_shape;
        tile_to_shape(layout!((8,4):(1,8)), shape!(64)) == tile_to_shape;
    }
}

/// Checks that every rule has its own sentence, with the numbers that break it, in decimals.
#[test]
fn sentences() {
    let rules = [
        Rule::PrefixProduct {
            stride: 3,
            product: 4,
            steps: 8,
        },
        Rule::PrefixProduct {
            stride: 9,
            product: 4,
            steps: 8,
        },
        Rule::ShapeSplit {
            steps: 1,
            fit: 2,
            product: 3,
        },
        Rule::Carry {
            left: 1,
            shape: 2,
            reach: 3,
        },
        Rule::Borrow { low: 1, high: 2 },
        Rule::Differs { at: 1 },
        Rule::TooManyPoints { most: 1 },
        Rule::NoSuchMode { mode: 1, rank: 2 },
        Rule::MixedBasis,
        Rule::Overlap {
            stride: 1,
            covered: 2,
        },
        Rule::Gap {
            stride: 1,
            covered: 2,
        },
        Rule::Uncovered {
            wanted: 1,
            reached: 2,
            size: 3,
            of: 4,
        },
        Rule::Places {
            needed: 1,
            places: 2,
        },
        Rule::Uncounted { left: 1, step: 2 },
        Rule::Ragged { tiled: 1, size: 2 },
        Rule::InverseStride {
            stride: 1,
            before: 2,
        },
        Rule::NotQuasiInverse {
            stride: 1,
            shape: 2,
            steps: 3,
        },
        Rule::NegativeStride { stride: -1 },
        Rule::BasisStride,
        Rule::CastStride { stride: 1, n: 2 },
        Rule::CastShape {
            shape: 1,
            per_unit: 2,
        },
        Rule::NoUnitStride,
        Rule::NotPositive { value: i64::MIN },
        Rule::NotPowerOfTwo { value: i64::MAX },
        Rule::SwizzleOverlap { bits: 1, shift: -2 },
        Rule::SwizzleRange { end: 32 },
        Rule::SwizzleMasks { y: 1, z: 2 },
        Rule::SwizzleShift { left: 1, right: -2 },
        Rule::SwizzleDiffers { at: 1 },
        Rule::SwizzleTorn { n: 1, whole: 2 },
        Rule::Offset { offset: 1 },
        Rule::Congruence,
        Rule::Rank {
            found: 1,
            needed: 2,
        },
        Rule::RankAbove { found: 1, most: 2 },
        Rule::Range {
            begin: 1,
            end: 2,
            rank: 3,
        },
        Rule::Empty,
        Rule::BlockDivides { block: 1, shape: 2 },
        Rule::Scattered {
            elements: 1,
            stride: 2,
        },
        Rule::TooManyModes { most: 1 },
        Rule::Overflow,
    ];
    let mut seen = std::collections::HashSet::new();
    for rule in rules {
        let sentence = rule.to_string();
        assert_eq!(check::sentence(&rule).as_str(), sentence);
        let name = format!("{rule:?}");
        for number in name
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter(|n| !n.is_empty())
        {
            // The number of steps of a mode decides whether a rule holds, but is not part of the
            // sentence.
            let steps =
                name.starts_with("PrefixProduct") && name.contains(&format!("steps: {number}"));
            assert!(steps || sentence.contains(number), "{name}: {sentence}");
        }
        assert!(seen.insert(sentence), "{name}");
    }
}

/// Checks that a type and its value print the same.
#[test]
fn notation() {
    macro_rules! prints {
        ($($layout:ty;)*) => {$(
            assert_eq!(<$layout as Reflect>::VALUE.notation().as_str(), <$layout>::default().to_string());
            assert_eq!(<$layout as Reflect>::VALUE.size().unwrap() as usize, <$layout>::SIZE);
            assert_eq!(<$layout as Reflect>::VALUE.rank(), <$layout>::RANK);
        )*};
    }
    prints! {
        layout!(8:1);
        layout!((8):(-1));
        layout!((4,(2,3)):(1,(8,16)));
        layout!(((4,8),2):((1@0,2@1@0),-5));
        Smem;
        TileToShape<Smem, shape!((128,32,3))>;
        LayoutRight<shape!((1000000,3))>;
    }
}
