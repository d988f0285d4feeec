//! Compares the predicates injective, compact and disjoint, for types and in the mirror, with the
//! offsets themselves.

use layout_types::dynamic::{AnyLayout, disjoint, is_compact, is_injective};
use layout_types::notation::Described;
use layout_types::num::Bool;
use layout_types::prelude::*;
use std::collections::BTreeSet;

/// The facts that the types state about one layout.
struct One {
    layout: Described,
    injective: bool,
    compact: bool,
}
/// The facts that the types state about two layouts.
struct Two {
    layouts: [Described; 2],
    disjoint: bool,
}

fn offsets(layout: &Described) -> Vec<i64> {
    (0..layout.node.size()).map(|i| layout.offset(i)).collect()
}
/// Converts the layout to the mirror through its notation.
fn mirror(layout: &Described) -> AnyLayout {
    layout.to_string().parse().unwrap()
}

macro_rules! one {
    ($layout:ty) => {
        One {
            layout: <$layout>::DESCRIBED,
            injective: <IsInjective<$layout>>::VALUE,
            compact: <IsCompact<$layout>>::VALUE,
        }
    };
}
macro_rules! two {
    ($a:ty, $b:ty) => {
        Two {
            layouts: [<$a>::DESCRIBED, <$b>::DESCRIBED],
            disjoint: <IsDisjoint<$a, $b>>::VALUE,
        }
    };
}
type Behind<const B: usize, const M: usize, const S: i32, O, L> =
    ComposedLayout<Swizzle<B, M, S>, O, L>;
macro_rules! cases {
    (plain { $($s:tt : $d:tt;)* } swizzled { $($b:literal $m:literal $shift:literal $o:literal $ls:tt : $ld:tt;)* }
     pairs { $($s1:tt : $d1:tt / $s2:tt : $d2:tt;)* }
     swizzled_pairs { $($b1:literal $m1:literal $h1:literal $o1:literal $ls1:tt : $ld1:tt / $b2:literal $m2:literal $h2:literal $o2:literal $ls2:tt : $ld2:tt;)* }) => {
        const ONE: &[One] = &[
            $(one!(layout!($s:$d)),)*
            $(one!(Behind<$b, $m, $shift, int!($o), layout!($ls:$ld)>),)*
        ];
        const TWO: &[Two] = &[
            $(two!(layout!($s1:$d1), layout!($s2:$d2)),)*
            $(two!(Behind<$b1, $m1, $h1, int!($o1), layout!($ls1:$ld1)>, Behind<$b2, $m2, $h2, int!($o2), layout!($ls2:$ld2)>),)*
        ];
    };
}
include!("data/check_predicates.rs");

#[test]
fn one_layout() {
    let mut counts = [0; 4];
    for One {
        layout,
        injective,
        compact,
    } in ONE
    {
        let all = offsets(layout);
        let distinct: BTreeSet<i64> = all.iter().copied().collect();
        assert_eq!(
            *injective,
            distinct.len() == all.len(),
            "{layout} injective"
        );
        assert_eq!(
            *compact,
            distinct.iter().copied().eq(0..all.len() as i64),
            "{layout} compact"
        );
        assert_eq!(is_injective(&mirror(layout)), Ok(*injective));
        assert_eq!(is_compact(&mirror(layout)), Ok(*compact));
        counts[usize::from(*injective)] += 1;
        counts[2 + usize::from(*compact)] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 40), "{counts:?}");
}

#[test]
fn two_layouts() {
    let mut counts = [0; 2];
    for Two {
        layouts: [a, b],
        disjoint: claim,
    } in TWO
    {
        let shared: BTreeSet<i64> = offsets(a).into_iter().collect();
        let meet = offsets(b)
            .into_iter()
            .any(|offset| offset != 0 && shared.contains(&offset));
        assert_eq!(*claim, !meet, "{a} and {b}");
        assert_eq!(disjoint(&mirror(a), &mirror(b)), Ok(*claim));
        counts[usize::from(*claim)] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 40), "{counts:?}");
}

macro_rules! injective {
    ($($s:tt : $d:tt;)*) => {
        const INJECTIVE: &[(Described, bool)] =
            &[$((<layout!($s:$d)>::DESCRIBED, <IsInjective<layout!($s:$d)>>::VALUE)),*];
    };
}
include!("data/check_injective.rs");

#[test]
fn injective_is_what_all_offsets_say() {
    let mut counts = [0; 2];
    for (layout, claim) in INJECTIVE {
        let all = offsets(layout);
        let distinct: BTreeSet<i64> = all.iter().copied().collect();
        assert_eq!(*claim, distinct.len() == all.len(), "{layout}");
        assert_eq!(is_injective(&mirror(layout)), Ok(*claim), "{layout}");
        counts[usize::from(*claim)] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 40), "{counts:?}");
}

#[test]
fn the_mirror_decides_by_arithmetic_what_all_offsets_say() {
    // A Lehmer generator, so that each run draws the same layouts.
    let mut state = 14u64;
    let mut random = |below: i64| {
        state = state * 48271 % 0x7fff_ffff;
        (state % below as u64) as i64
    };
    let mut counts = [0; 2];
    for _ in 0..4000 {
        let modes = 1 + random(4);
        let (mut shape, mut stride) = (Vec::new(), Vec::new());
        for _ in 0..modes {
            shape.push((1 + random(7)).to_string());
            stride.push((random(61) - 10).to_string());
        }
        let text = format!("({}):({})", shape.join(","), stride.join(","));
        let layout: AnyLayout = text.parse().unwrap();
        let all = layout.table().unwrap();
        let distinct: BTreeSet<i64> = all.iter().copied().collect();
        let expected = distinct.len() == all.len();
        assert_eq!(is_injective(&layout), Ok(expected), "{layout}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 500), "{counts:?}");
}

#[test]
fn large_layouts_are_decided_by_arithmetic() {
    // 5 steps of 3 equal 3 steps of 5; 65537 and 65536 have no common multiple within their modes.
    type Collides = layout!((4096,4096):(3,5));
    type Larger = layout!((2147483648,1073741824):(3,5));
    type Coprime = layout!((65536,65536):(65537,65536));
    const {
        assert!(!<IsInjective<Collides>>::VALUE && !<IsInjective<Larger>>::VALUE);
        assert!(<IsInjective<Coprime>>::VALUE && !<IsCompact<Larger>>::VALUE);
    }
    let begin = std::time::Instant::now();
    for (text, expected) in [
        ("(4096,4096):(3,5)", Some(false)),
        ("(2147483648,1073741824):(3,5)", Some(false)),
        ("(65536,65536):(65537,65536)", Some(true)),
        ("(64,64,64):(4099,4096,4093)", Some(false)),
        ("(1048576,1048576,1048576):(1000003,999983,1)", Some(false)),
    ] {
        let found = is_injective(&text.parse::<AnyLayout>().unwrap());
        assert_eq!(found.ok(), expected, "{text}");
    }
    // Layouts that no rule decides are refused.
    let (a, b) = ("(65536,65536):(3,5)", "(65536,65536):(7,11)");
    let (a, b): (AnyLayout, AnyLayout) = (a.parse().unwrap(), b.parse().unwrap());
    let error = disjoint(&a, &b).unwrap_err().to_string();
    assert!(error.contains("there are more than 1048576"), "{error}");
    assert!(begin.elapsed() < std::time::Duration::from_secs(2));
}

#[test]
fn large_layouts_are_decided() {
    type Smem =
        TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>, shape!((128, 64, 4))>;
    const { assert!(<IsInjective<Smem>>::VALUE && <IsCompact<Smem>>::VALUE) }
    type Padded = layout!((128,64):(72,1));
    const { assert!(<IsInjective<Padded>>::VALUE && !<IsCompact<Padded>>::VALUE) }
    type A = layout!((128,128):(1,256));
    const { assert!(<IsDisjoint<A, Complement<A, int!(65536)>>>::VALUE) }
    // Two buffers with the same swizzle.
    type First = Behind<2, 3, 3, int!(0), layout!((8,32):(32,1))>;
    type Second = Behind<2, 3, 3, int!(256), layout!((8,32):(32,1))>;
    const { assert!(<IsDisjoint<First, Second>>::VALUE && !<IsDisjoint<First, First>>::VALUE) }
    fn all<A: Injective + Compact + DisjointFrom<B>, B>() {}
    all::<layout!((2,2):(1,2)), layout!(4:4)>();
}
