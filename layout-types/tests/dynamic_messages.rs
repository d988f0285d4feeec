//! Checks the text of a refusal: the operation, the operands, the mode and the rule, in plain
//! decimals. Also checks the data that the refusal carries for a program to read.

use std::error::Error;

use layout_types::dynamic::*;

fn layout(text: &str) -> DynLayout {
    text.parse().unwrap()
}

fn tiler(text: &str) -> Tiler {
    text.parse().unwrap()
}

#[test]
fn messages_name_operation_operands_mode_and_rule() {
    let cases: Vec<(LayoutError, &str)> = vec![
        (
            composition(&layout("(4,6,2):(1,8,64)"), layout("(4,2):(3,1)")).unwrap_err(),
            "composition (4,6,2):(1,8,64) o (4,2):(3,1) is not admissible: mode 0: stride 3 does not divide 4, a prefix product of the left shape, nor is divided by it, and the mode's steps run past that boundary",
        ),
        (
            composition(&layout("(4,6,8,10):(2,3,5,7)"), layout("(1,6):(0,10)")).unwrap_err(),
            "composition (4,6,8,10):(2,3,5,7) o (1,6):(0,10) is not admissible: mode 1: stride 10 does not divide 4, a prefix product of the left shape, nor is divided by it",
        ),
        (
            composition(&layout("(8,8):(8,1)"), layout("4:3")).unwrap_err(),
            "composition (8,8):(8,1) o 4:3 is not admissible: mode 0: 3 of 4 steps lie before 8, a prefix product of the left shape, and 3 does not divide 4",
        ),
        (
            composition(&layout("(4,4):(4,1)"), layout("(2,2):(3,1)")).unwrap_err(),
            "composition (4,4):(4,1) o (2,2):(3,1) is not admissible: together the modes of the right side reach 4 in mode 0 of the coalesced left side, whose shape is 4",
        ),
        (
            composition(&layout("(4,4):(4,1)"), layout("(2,2):(4,-1)")).unwrap_err(),
            "composition (4,4):(4,1) o (2,2):(4,-1) is not admissible: strides of opposite sign on the right side borrow from mode 1 of the coalesced left side into mode 0",
        ),
        (
            composition(&layout("(4,6):(6,1)"), tiler("(2,3,1)")).unwrap_err(),
            "composition (4,6):(6,1) o (2,3,1) is not admissible: 3 modes where there are only 2",
        ),
        (
            composition(&layout("((4,6),2):((6,1),24)"), tiler("(6,2)")).unwrap_err(),
            "composition ((4,6),2):((6,1),24) o (6,2) is not admissible: mode 0: composition (4,6):(6,1) o 6:1 is not admissible: mode 0: 4 of 6 steps lie before 4, a prefix product of the left shape, and 4 does not divide 6",
        ),
        (
            composition(&layout("(4,4):(4,1)"), layout("4:1@2")).unwrap_err(),
            "composition (4,4):(4,1) o 4:1@2 is not admissible: the stride's basis names mode 2, and the left side has 2",
        ),
        (
            complement(&layout("(4,4):(1,2)"), 16).unwrap_err(),
            "complement (4,4):(1,2), 16 is not admissible: the layout is not injective: stride 2 lies inside the 4 elements that smaller strides cover",
        ),
        (
            complement(&layout("4:-1"), 8).unwrap_err(),
            "complement 4:-1, 8 is not admissible: stride -1 is negative",
        ),
        (
            logical_divide(&layout("24:1"), layout("(2,4):(1,3)")).unwrap_err(),
            "logical_divide 24:1 / (2,4):(1,3) is not admissible: the sorted strides do not nest: stride 3 is no multiple of the 2 elements that smaller strides cover, so some elements are in no tile",
        ),
        (
            exact_zipped_divide(&layout("(128,64):(64,1)"), tiler("(48,16)")).unwrap_err(),
            "exact_zipped_divide (128,64):(64,1) / (48,16) is not admissible: mode 0: exact_zipped_divide 128:64 / 48:1 is not admissible: the tiles hold 144 elements, the layout 128; the divide without `exact` rounds up",
        ),
        (
            zipped_divide(&layout("(4,3):(3,1)"), tiler("(2,_)")).unwrap_err(),
            "zipped_divide (4,3):(3,1) / (2,_) is not admissible: mode 1: `_` leaves the mode whole, where a pair of tile and rest is needed: write 3 for it, or take the operation that begins with `logical_`",
        ),
        (
            logical_product(&layout("(8):(3)"), layout("(2,8):(1,2)")).unwrap_err(),
            "logical_product (8):(3) x (2,8):(1,2) is not admissible: composition (3,6):(1,24) o (2,8):(1,2) is not admissible: mode 1: stride 2 does not divide 3, a prefix product of the left shape, nor is divided by it, and the mode's steps run past that boundary",
        ),
        (
            left_inverse(&layout("(2,3):(2,3)")).unwrap_err(),
            "left_inverse (2,3):(2,3) is not admissible: stride 3 is no multiple of the next smaller stride 2",
        ),
        (
            left_inverse(&layout("(4,8):(24,6)")).unwrap_err(),
            "left_inverse (4,8):(24,6) is not admissible: overlapping modes reach 4 steps of stride 24, whose mode has 4 elements",
        ),
        (
            upcast(&layout("(8,8):(1,6)"), 4).unwrap_err(),
            "upcast (8,8):(1,6) / 4 is not admissible: mode 1: stride 6 does not divide 4 nor is divided by it",
        ),
        (
            downcast(&layout("(8,8):(2,16)"), 2).unwrap_err(),
            "downcast (8,8):(2,16) / 2 is not admissible: no mode has stride 1, so there are no adjacent elements",
        ),
        (
            tile_to_shape(&layout("(8,8):(8,1)"), &"(12,16)".parse().unwrap()).unwrap_err(),
            "tile_to_shape (8,8):(8,1), (12,16) is not admissible: mode 0: the block's 8 does not divide 12",
        ),
        (
            DynLayout::new("(4,8)".parse().unwrap(), "4".parse().unwrap()).unwrap_err(),
            "make_layout (4,8), 4 is not admissible: the profiles differ",
        ),
        (
            group(&layout("(4,8):(1,4)"), 1, 3).unwrap_err(),
            "group (4,8):(1,4) is not admissible: modes 1..3 are no range of 2 modes",
        ),
        (
            slice(&"(0,_,_)".parse().unwrap(), &layout("(4,8):(1,4)")).unwrap_err(),
            "slice (0,_,_), (4,8):(1,4) is not admissible: 3 modes where 2 are needed",
        ),
        (
            logical_divide(
                &"Sw<2,3,3> o 0 o (8,32):(32,1)"
                    .parse::<AnyLayout>()
                    .unwrap(),
                tiler("(8,32,2)"),
            )
            .unwrap_err(),
            "logical_divide Sw<2,3,3> o 0 o (8,32):(32,1) / (8,32,2) is not admissible: 3 modes where there are only 2",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn an_error_carries_what_its_message_says() {
    let error = logical_divide(&layout("(4,3):(3,1)"), layout("4:3")).unwrap_err();
    assert_eq!(error.operation(), "logical_divide");
    assert_eq!(error.operands(), ["(4,3):(3,1)", "4:3"]);
    assert_eq!(error.mode(), [0]);
    assert_eq!(
        error.rule(),
        Rule::PrefixProduct {
            stride: 3,
            product: 4,
            steps: 4
        }
    );
    let inner = error
        .source()
        .unwrap()
        .downcast_ref::<LayoutError>()
        .unwrap();
    assert_eq!(
        (inner.operation(), inner.operands()[1].as_str()),
        ("composition", "(4,3):(3,1)")
    );
    assert!(inner.source().is_none());
}

#[test]
fn what_is_no_notation_is_refused_with_its_place() {
    for (text, at) in [
        ("", 0),
        ("(4,8", 4),
        ("(4,8):(1)", 0),
        ("4:1:2", 3),
        ("(4,):(1)", 3),
        ("0:1", 0),
        ("99999999999999999999:1", 0),
        ("(4 8):(1,4)", 3),
        ("Sw<3,0,2> o 0 o 8:1", 0),
        ("Sw<2,3,3> o 0", 13),
    ] {
        let error = text.parse::<AnyLayout>().unwrap_err();
        assert_eq!(error.position(), at, "{error}");
        assert!(error.to_string().contains(&format!("`{text}`")));
    }
    let deep = format!("{}4{}", "(".repeat(1000), ")".repeat(1000));
    assert!(deep.parse::<IntTuple>().is_err() && deep.parse::<Tiler>().is_err());
    assert!(
        format!("{}8:1", "Sw<1,0,1> o 0 o ".repeat(1000))
            .parse::<AnyLayout>()
            .is_err()
    );
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let huge = layout("(4294967296,4294967296):(1,4294967296)");
    assert_eq!(huge.size().unwrap_err().rule(), Rule::Overflow);
    let far = layout("(2,2):(4611686018427387904,4611686018427387904)");
    assert_eq!(far.cosize().unwrap_err().rule(), Rule::Overflow);
    assert_eq!(
        logical_product(&huge, layout("4:1")).unwrap_err().rule(),
        Rule::Overflow
    );
    assert_eq!(
        downcast(&layout("(2,2):(1,4611686018427387904)"), 4)
            .unwrap_err()
            .rule(),
        Rule::Overflow
    );
    assert_eq!(
        complement(&layout("2:4611686018427387904"), 8)
            .unwrap_err()
            .rule(),
        Rule::Overflow
    );
    let many = Nested::Tuple(vec![Nested::Leaf(2); 40]);
    let many = DynLayout::new(many.clone(), many.map(|_| Stride::from(1))).unwrap();
    assert_eq!(
        coalesce(&many).unwrap_err().rule(),
        Rule::TooManyModes { most: 32 }
    );
}

/// Checks that one past the largest number gives an error, not a panic.
#[test]
fn the_largest_offset_has_no_cosize() {
    let far = layout("(9223372036854775807,2):(1,1)");
    assert_eq!(far.coshape().unwrap_err().rule(), Rule::Overflow);
    assert_eq!(far.cosize().unwrap_err().rule(), Rule::Overflow);
    let tile = make_layout_left(&"(4,4)".parse().unwrap()).unwrap();
    // The complement fits, and its last copy of the tile ends one past the largest number.
    let rest = complement(&tile, i64::MAX).unwrap();
    assert_eq!(rest.to_string(), "576460752303423488:16");
    let far = layout("(4,4):(1,4611686018427387904)");
    assert_eq!(
        complement(&far, i64::MAX).unwrap_err().rule(),
        Rule::Overflow
    );
}
