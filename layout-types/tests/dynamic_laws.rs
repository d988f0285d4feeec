//! Checks the laws of every operation on random layouts against the definitions.

#[path = "../../tests/common/sample.rs"]
mod sample;

use layout_types::dynamic::*;
use proptest::prelude::*;

/// Makes a nested tuple of up to four leaves and its congruent strides.
fn layouts(max_stride: i64) -> impl Strategy<Value = DynLayout> {
    let leaf = (1i64..=8, -max_stride..=max_stride);
    let signed = prop::bool::weighted(0.15);
    (prop::collection::vec(leaf, 1..=4), 0u8..4, signed).prop_map(|(leaves, profile, signed)| {
        let pick = |f: fn(&(i64, i64)) -> i64| -> Vec<i64> { leaves.iter().map(f).collect() };
        let (shapes, mut strides) = (pick(|leaf| leaf.0), pick(|leaf| leaf.1));
        if !signed {
            strides.iter_mut().for_each(|stride| *stride = stride.abs());
        }
        let nest = |values: &[i64]| -> IntTuple {
            let leaves: Vec<IntTuple> = values.iter().copied().map(IntTuple::from).collect();
            match (leaves.len(), profile) {
                (1, 0 | 1) => leaves[0].clone(),
                (1, _) | (_, 0 | 1) => Nested::Tuple(leaves),
                (_, 2) => Nested::Tuple(vec![
                    Nested::Tuple(leaves[..1].to_vec()),
                    Nested::Tuple(leaves[1..].to_vec()),
                ]),
                (n, _) => Nested::Tuple(vec![
                    Nested::Tuple(leaves[..n - 1].to_vec()),
                    leaves[n - 1].clone(),
                ]),
            }
        };
        DynLayout::new(
            nest(&shapes),
            nest(&strides).map(|stride| Stride::from(*stride)),
        )
        .unwrap()
    })
}

/// Makes layouts with strides from 0 on that mostly nest.
fn tiles() -> impl Strategy<Value = DynLayout> {
    let shapes = prop::collection::vec(1i64..=6, 1..=3);
    (
        shapes,
        prop::collection::vec(1i64..=3, 3),
        any::<prop::sample::Index>(),
        any::<bool>(),
    )
        .prop_map(|(shapes, gaps, rotate, loose)| {
            let (mut step, mut modes) = (1, Vec::new());
            for (shape, gap) in shapes.iter().zip(gaps) {
                step *= gap;
                modes.push((*shape, step + i64::from(loose)));
                step *= shape;
            }
            let by = rotate.index(modes.len());
            modes.rotate_left(by);
            let text = |f: fn(&(i64, i64)) -> i64| {
                modes
                    .iter()
                    .map(|mode| f(mode).to_string())
                    .collect::<Vec<_>>()
                    .join(",")
            };
            format!("({}):({})", text(|mode| mode.0), text(|mode| mode.1))
                .parse()
                .unwrap()
        })
}

fn offsets(layout: &DynLayout) -> Vec<i64> {
    layout.table().unwrap()
}

fn sorted(mut offsets: Vec<i64>) -> Vec<i64> {
    offsets.sort_unstable();
    offsets
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sample::count("layouts of each law", 4, 4000) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn notation_is_read_as_it_is_printed(layout in layouts(60)) {
        let printed = layout.to_string();
        prop_assert_eq!(printed.parse::<DynLayout>().unwrap(), layout.clone());
        let composed = swizzled(Swizzle::new(2, 1, -3).unwrap(), layout);
        prop_assert_eq!(composed.to_string().parse::<AnyLayout>().unwrap(), composed);
        let identity = make_identity_layout(&printed.split(':').next().unwrap().parse().unwrap()).unwrap();
        prop_assert_eq!(identity.to_string().parse::<DynLayout>().unwrap(), identity);
    }

    #[test]
    fn coalesce_is_the_same_function(layout in layouts(20)) {
        let short = coalesce(&layout).unwrap();
        prop_assert_eq!(offsets(&short), offsets(&layout));
        prop_assert!(short.depth() <= 1 && short.shape().leaves().len() <= layout.shape().leaves().len());
        // No neighbours are left that could be one mode.
        let leaves: Vec<(i64, i64)> =
            short.shape().leaves().into_iter().zip(short.stride().leaves()).map(|(s, d)| (*s, d.value())).collect();
        prop_assert!(leaves.windows(2).all(|pair| pair[0].0 * pair[0].1 != pair[1].1));
        let profile: IntTuple = Nested::Tuple(vec![Nested::Leaf(1); layout.rank()]);
        let by_mode = coalesce_by(&layout, &profile).unwrap();
        prop_assert_eq!(offsets(&by_mode), offsets(&layout));
        prop_assert_eq!(by_mode.shape().product_each().unwrap(), layout.shape().product_each().unwrap());
    }

    #[test]
    fn filter_keeps_the_offsets(layout in layouts(20)) {
        let mut kept = sorted(offsets(&filter(&layout).unwrap()));
        let mut all = sorted(offsets(&layout));
        kept.dedup();
        all.dedup();
        prop_assert_eq!(kept, all);
    }

    #[test]
    fn coordinates_and_indices_agree(layout in layouts(20)) {
        for index in 0..layout.size().unwrap() {
            let coord = idx2crd(index, layout.shape()).unwrap();
            prop_assert_eq!(crd2idx(&Coord::from(&coord), &layout).unwrap(), layout.eval(index).unwrap());
        }
    }

    #[test]
    fn an_accepted_composition_is_the_composition(a in layouts(12), b in layouts(12)) {
        if let Ok(result) = composition(&a, &b) {
            for c in 0..b.size().unwrap() {
                prop_assert_eq!(result.offset(c).unwrap(), a.offset(b.offset(c).unwrap()).unwrap());
            }
            prop_assert!(compatible(b.shape(), result.shape()));
        }
    }

    #[test]
    fn a_basis_stride_composes_with_its_mode(a in layouts(12), extent in 1i64..6, step in 1i64..5) {
        for mode in 0..a.rank() {
            let along: DynLayout = format!("{extent}:{step}@{mode}").parse().unwrap();
            let plain: DynLayout = format!("{extent}:{step}").parse().unwrap();
            let sub = a.mode(mode).unwrap();
            match (composition(&a, along), composition(&sub, plain)) {
                (Ok(x), Ok(y)) => prop_assert_eq!(x, y),
                (x, y) => prop_assert_eq!(x.map_err(|e| e.rule()), y.map_err(|e| e.rule())),
            }
        }
    }

    #[test]
    fn divides_hold_every_element(a in tiles(), b in tiles()) {
        let Ok(result) = logical_divide(&a, &b) else { return Ok(()) };
        let tile = result.mode(0).unwrap();
        prop_assert_eq!(offsets(&tile), offsets(&composition(&a, &b).unwrap()));
        let divided = sorted(offsets(&result));
        prop_assert!(offsets(&a).iter().all(|offset| divided.binary_search(offset).is_ok()));
        match exact_logical_divide(&a, &b) {
            Ok(exact) => {
                prop_assert_eq!(&exact, &result);
                prop_assert_eq!(divided, sorted(offsets(&a)));
            }
            Err(_) => prop_assert!(result.size().unwrap() != a.size().unwrap() || divided != sorted(offsets(&a))),
        }
        for form in [zipped_divide(&a, &b), tiled_divide(&a, &b), flat_divide(&a, &b)] {
            prop_assert_eq!(offsets(&form.unwrap()), offsets(&result));
        }
    }

    #[test]
    fn copies_of_an_injective_block_are_disjoint(block in tiles(), tiler in tiles()) {
        let Ok(product) = logical_product(&block, &tiler) else { return Ok(()) };
        prop_assert_eq!(product.mode(0).unwrap(), block.clone());
        prop_assert!(is_injective(&block).unwrap());
        if is_injective(&tiler).unwrap() {
            prop_assert!(is_injective(&product).unwrap(), "{}", product);
        }
        let blocked = blocked_product(&block, &tiler).unwrap();
        let raked = raked_product(&block, &tiler).unwrap();
        prop_assert_eq!(sorted(offsets(&blocked)), sorted(offsets(&product)));
        prop_assert_eq!(sorted(offsets(&raked)), sorted(offsets(&product)));
    }

    #[test]
    fn inverses_invert(layout in tiles()) {
        let right = right_inverse(&layout).unwrap();
        for index in 0..right.size().unwrap() {
            prop_assert_eq!(layout.offset(right.offset(index).unwrap()).unwrap(), index);
        }
        let Ok(left) = left_inverse(&layout) else { return Ok(()) };
        let injective = is_injective(&layout).unwrap();
        // Only the coalesced layout continues past its end in its last mode of more than one
        // element.
        let layout = coalesce(&layout).unwrap();
        for index in 0..layout.size().unwrap() {
            let offset = layout.offset(index).unwrap();
            let back = left.offset(offset).unwrap();
            prop_assert!(back == index || !injective);
            prop_assert_eq!(layout.offset(back).unwrap(), offset);
        }
    }

    #[test]
    fn the_nullspace_maps_to_zero(layout in layouts(2)) {
        let null = nullspace(&layout).unwrap();
        prop_assert!(offsets(&null).into_iter().all(|index| layout.offset(index).unwrap() == 0));
        let elements = filter_zeros(&layout).unwrap().size().unwrap() * null.size().unwrap();
        prop_assert_eq!(elements, layout.size().unwrap());
    }

    #[test]
    fn an_exact_upcast_counts_in_units(layout in layouts(16), n in 1i64..=8) {
        let Ok(up) = exact_upcast(&layout, n) else { return Ok(()) };
        prop_assert_eq!(&up, &upcast(&layout, n).unwrap());
        // The offsets of the result, times n, are the offsets at which units begin, rounded down.
        let units: std::collections::BTreeSet<i64> = offsets(&layout).iter().map(|offset| offset.div_euclid(n)).collect();
        if layout.stride().leaves().iter().filter(|stride| stride.value() % n != 0).count() <= 1
            && layout.stride().leaves().iter().all(|stride| stride.value() >= 0)
        {
            let found: std::collections::BTreeSet<i64> = offsets(&up).into_iter().collect();
            prop_assert_eq!(found, units);
        }
        if let Ok(down) = downcast(&up, n) {
            prop_assert_eq!(down.size().unwrap() % up.size().unwrap(), 0);
        }
    }

    #[test]
    fn the_common_layout_is_common(a in tiles(), b in tiles()) {
        let Ok(common) = max_common_layout(&a, &b) else { return Ok(()) };
        for index in 0..common.size().unwrap() {
            prop_assert_eq!(a.offset(common.offset(index).unwrap()).unwrap(), index);
            prop_assert_eq!(b.offset(common.offset(index).unwrap()).unwrap(), index);
        }
        prop_assert_eq!(max_common_vector(&a, &b).unwrap(), common.size().unwrap());
    }

    #[test]
    fn an_aligned_vector_is_contiguous_everywhere(layout in tiles()) {
        let Ok(n) = max_alignment(&layout) else { return Ok(()) };
        let mut image = sorted(offsets(&layout));
        image.dedup();
        // The image contains every run of n offsets that it touches as a whole.
        prop_assert!(image.iter().all(|offset| {
            let first = offset - offset % n;
            (first..first + n).all(|offset| image.binary_search(&offset).is_ok())
        }), "{} {}", layout, n);
    }

    #[test]
    fn predicates_say_what_the_offsets_are(layout in layouts(6), other in tiles()) {
        let mut all = sorted(offsets(&layout));
        let whole: Vec<i64> = (0..layout.size().unwrap()).collect();
        prop_assert_eq!(is_compact(&layout).unwrap(), all == whole);
        let elements = all.len();
        all.dedup();
        prop_assert_eq!(is_injective(&layout).unwrap(), all.len() == elements);
        let shared = offsets(&other).into_iter().any(|offset| offset != 0 && all.binary_search(&offset).is_ok());
        prop_assert_eq!(disjoint(&layout, &other).unwrap(), !shared);
    }

    #[test]
    fn a_shape_taken_evenly_has_no_remainder(shape in prop::collection::vec(1i64..=16, 1..=4), elements in 1i64..=64) {
        let shape = Nested::Tuple(shape.into_iter().map(Nested::Leaf).collect());
        let taken = domain_distribute(&shape, elements).unwrap();
        prop_assert_eq!(elements % taken.size().unwrap(), 0);
        prop_assert!(offsets(&taken).windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(composition(&make_layout_left(&shape).unwrap(), &taken).is_ok());
    }

    #[test]
    fn made_layouts_are_compact(layout in layouts(9)) {
        for made in [make_layout_left(layout.shape()), make_layout_right(layout.shape())] {
            prop_assert!(is_compact(&made.unwrap()).unwrap());
        }
        let order = Nested::Tuple((0..layout.rank() as i64).rev().map(Nested::Leaf).collect());
        let shape = layout.shape().product_each().unwrap();
        prop_assert!(is_compact(&make_ordered_layout(&shape, &order).unwrap()).unwrap());
        let identity = make_identity_layout(layout.shape()).unwrap();
        for index in 0..layout.size().unwrap() {
            prop_assert_eq!(identity.eval(index).unwrap(), idx2crd(index, layout.shape()).unwrap());
        }
    }

    #[test]
    fn a_slice_and_its_offset_are_the_layout(bits in 0u32..4, base in 0u32..4, gap in 0i32..3, up in any::<bool>(),
                                             row in 0i64..16, left in any::<bool>()) {
        let shift = (bits as i32 + gap) * if up { 1 } else { -1 };
        let layout: DynLayout = if left { "(16,32):(1,16)" } else { "(16,32):(32,1)" }.parse().unwrap();
        let layout = swizzled(Swizzle::new(bits, base, shift).unwrap(), layout);
        for text in [format!("({row},_)"), format!("(_,{row})"), "(_,_)".to_string()] {
            let (sliced, offset) = slice_and_offset_any(&text.parse().unwrap(), &layout).unwrap();
            let whole = layout.table().unwrap();
            let expected: Vec<i64> = match text.as_bytes() {
                [b'(', b'_', b',', b'_', ..] => whole,
                [b'(', b'_', ..] => (0..16).map(|m| whole[(m + 16 * row) as usize]).collect(),
                _ => (0..32).map(|n| whole[(row + 16 * n) as usize]).collect(),
            };
            let found: Vec<i64> = sliced.table().unwrap().into_iter().map(|o| o + offset).collect();
            prop_assert_eq!(found, expected, "{} of {}", text, layout);
        }
    }
}
