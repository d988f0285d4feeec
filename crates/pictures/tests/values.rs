//! Checks that every kind of value has its picture, and that an expression's picture shows its
//! operation.

use notation::atoms::{copy_names, mma_names};
use notation::{Operand, Value};
use pictures::{DrawError, ExpressionError, Format, Options, Paint, draw, draw_expression, render};
use std::collections::{HashMap, HashSet};

fn value(text: &str) -> Value {
    notation::eval(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the captions of the grids and their sizes.
fn panels(text: &str) -> Vec<(String, usize, usize)> {
    let picture = draw_expression(text, &Options::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    picture
        .grids()
        .map(|grid| (grid.caption.clone(), grid.rows.len, grid.columns.len))
        .collect()
}

fn sizes(text: &str) -> Vec<(usize, usize)> {
    panels(text)
        .into_iter()
        .map(|(_, rows, columns)| (rows, columns))
        .collect()
}

#[test]
fn each_kind_of_value_has_its_picture() {
    assert_eq!(sizes("(4,8)"), [(4, 8)]);
    assert_eq!(sizes("(4,8):(8,1)"), [(4, 8)]);
    assert_eq!(sizes("((4,8):(8,1))(_,3)"), [(1, 4)]);
    assert_eq!(sizes("Sw<3,3,3>"), [(8, 8), (8, 8)]);
    assert_eq!(sizes("Sw<2,3,3> o (8,32):(32,1)"), [(8, 4), (8, 4)]);
    assert_eq!(sizes("SM80_16x8x16_F32F16F16F32_TN.A"), [(16, 16)]);
    assert_eq!(
        sizes("SM80_16x8x16_F32F16F16F32_TN"),
        [(16, 8), (16, 16), (16, 8)]
    );
    assert_eq!(
        sizes("tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))"),
        [(16, 32), (32, 16), (32, 32)]
    );
    assert_eq!(
        sizes("make_tiled_copy(UniversalCopy<u128>, f16, (16,8):(8,1), (1,8))"),
        [(16, 64)],
        "source and destination are one layout, and one panel"
    );
    assert_eq!(sizes("zipped_divide((8,8):(1,8), (4,2))"), [(8, 8), (8, 8)]);
    assert_eq!(
        sizes("zipped_divide((16,32):(32,1), (4,8))"),
        [(16, 32), (4, 8), (4, 4)],
        "a tile and the tiles by themselves, where the matrix would be 32 rows of 16"
    );
    assert_eq!(sizes("pipeline(3, 8)"), [(3, 10)]);
    assert_eq!(sizes("pipeline(4, 2, TMA)"), [(4, 5)]);
}

#[test]
fn several_warps_have_a_colour_each() {
    let colours = |text: &str| {
        let picture = draw(&value(text), &Options::default()).unwrap();
        let accumulators = picture.grids().last().unwrap();
        let places = (0..accumulators.rows.len)
            .flat_map(|row| (0..accumulators.columns.len).map(move |column| (row, column)));
        let warps: HashSet<_> = places
            .map(|(row, column)| {
                let cell = accumulators.cell(row, column);
                (cell.facts.owners[0].0 / 32, format!("{:?}", cell.paint))
            })
            .collect();
        warps.len()
    };
    let four = "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))";
    assert_eq!(colours(four), 4);
    assert_eq!(
        colours("SM80_16x8x16_F32F16F16F32_TN"),
        32,
        "by thread in one warp"
    );
}

#[test]
fn every_atom_is_drawn_and_every_owner_is_the_layouts() {
    let options = Options::default();
    let mut seen = HashSet::new();
    let mut drawn = 0;
    for name in mma_names() {
        let Value::MmaAtom(atom) = value(&name) else {
            panic!("{name}")
        };
        // Atoms that differ only in the types of D, A, B and C have the same layouts.
        let layouts =
            [Operand::A, Operand::B, Operand::C].map(|operand| atom.layout(operand).to_string());
        if !seen.insert((atom.shape(), layouts)) {
            continue;
        }
        let [m, n, k] = atom.shape();
        // Shapes of `wgmma` differ only in N, so narrow ones suffice.
        if m * n > 64 * 32 {
            continue;
        }
        drawn += 1;
        let picture = draw(&Value::MmaAtom(atom.clone()), &options)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let grids: Vec<_> = picture.grids().collect();
        for (operand, grid, transposed, height) in [
            (Operand::B, grids[0], true, n),
            (Operand::A, grids[1], false, m),
            (Operand::C, grids[2], false, m),
        ] {
            let tv = atom.operand(operand);
            let mut places: HashMap<(i64, i64), i64> = HashMap::new();
            for row in 0..grid.rows.len {
                for column in 0..grid.columns.len {
                    let (i, j) = if transposed {
                        (column, row)
                    } else {
                        (row, column)
                    };
                    for owner in &grid.cell(row, column).facts.owners {
                        places.insert(*owner, i as i64 + height * j as i64);
                    }
                }
            }
            assert_eq!(places.len() as i64, tv.threads() * tv.values(), "{name}");
            for ((thread, value), at) in places {
                assert_eq!(
                    tv.index(thread, value),
                    Some(at),
                    "{name}: T{thread} V{value}"
                );
            }
        }
        assert_eq!(
            (grids[2].rows.len, grids[2].columns.len),
            (m as usize, n as usize)
        );
        assert_eq!(
            (grids[1].columns.len, grids[0].rows.len),
            (k as usize, k as usize)
        );
    }
    assert!(drawn >= 20, "{drawn}");
    for name in copy_names() {
        // A name that takes a type has no layout without it.
        if let Ok(value) = notation::eval(name) {
            draw(&value, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn operands_of_a_divide_may_have_names() {
    let named = "let l = (8,8):(1,8); let t = (4,2); let d = zipped_divide(l, t)";
    assert_eq!(panels(named), panels("zipped_divide((8,8):(1,8), (4,2))"));
    // The last expression's own name is that of its operand.
    assert_eq!(
        sizes("let l = (8,8):(1,8); let l = zipped_divide(l, (4,2))"),
        [(8, 8), (8, 8)]
    );
}

#[test]
fn what_has_no_picture_says_why() {
    let no = |text: &str| draw_expression(text, &Options::default()).unwrap_err();
    assert!(
        matches!(no("size((4,8))"), ExpressionError::Draw(_)) || sizes("size((4,8))") == [(1, 32)]
    );
    assert!(matches!(
        no("(2,_)"),
        ExpressionError::Draw(DrawError::NotDrawable { .. })
    ));
    assert!(matches!(
        no("Sw<8,8,8>"),
        ExpressionError::Draw(DrawError::TooLarge { .. })
    ));
    assert!(matches!(
        no("(1000,1000)"),
        ExpressionError::Draw(DrawError::TooLarge { .. })
    ));
    let refused = no("(4,4):(4,1) o 8:3");
    assert!(
        refused.to_string().contains('^') && refused.to_string().contains("not admissible"),
        "{refused}"
    );
    assert!(matches!(
        no("pipeline(1, 4)"),
        ExpressionError::Draw(DrawError::Number { .. })
    ));
    assert!(matches!(no(""), ExpressionError::Expression(_)));
    for hostile in [
        "(".repeat(50_000),
        "pipeline(99999999999999999999, 1)".into(),
        "4:1 o ".repeat(4000),
    ] {
        assert!(matches!(no(&hostile), ExpressionError::Expression(_)));
    }
}

#[test]
fn every_format_draws_every_kind() {
    let options = Options {
        scale: 0.5,
        ..Options::default()
    };
    for text in [
        "(4,4):(4,1)",
        "Sw<1,0,1>",
        "SM80_8x8x4_F64F64F64F64_TN",
        "zipped_divide((4,4),(2,2))",
        "tma_box(Sw<2,3,3> o (16,32):(32,1), f16)",
        "wgmma_operand(tile_to_shape(Sw<2,3,3> o (8,32):(32,1), (64,32)), f16, MajorK)",
        "pipeline(2,3)",
    ] {
        let picture = draw_expression(text, &options).unwrap();
        for format in [Format::Svg, Format::Png, Format::Latex, Format::Terminal] {
            assert!(
                render(&picture, format, &options).unwrap().len() > 100,
                "{text} as {format:?}"
            );
        }
    }
}

#[test]
fn boxes_and_operands_are_cut_out_of_their_tile() {
    // Cells are 16 bytes, 8 halves: 16 across a row of two boxes, 8 of the first.
    let text = "tma_box(tile_to_shape(Sw<3,3,3> o (8,64):(64,1), (16,128)), f16)";
    let picture = draw_expression(text, &Options::default()).unwrap();
    assert_eq!(
        picture.notes[0],
        "box (64,16), 128-byte swizzle, 2048 bytes; (1,2) boxes, 4096 bytes in all"
    );
    let after = picture.grids().last().unwrap();
    assert_eq!((after.rows.len, after.columns.len), (16, 16));
    for (i, cell) in after.cells.iter().enumerate() {
        let (row, vector) = (i / 16, i % 16);
        let said = format!("box (0,{})", vector / 8);
        assert!(cell.facts.note.starts_with(&said), "{}", cell.facts.note);
        assert_eq!(cell.group == after.cells[0].group, vector < 8);
        // The 8 cells of a box row, 128 bytes, cover all banks; the swizzle decides their order.
        let bank = 4 * ((vector % 8) ^ (row % 8)) as i64;
        assert_eq!(cell.facts.bank, Some(bank), "({row},{vector})");
    }
    let text = "wgmma_operand(tile_to_shape(Sw<3,4,3> o (8,128):(128,1), (64,128,2)), u8, MajorK)";
    let picture = draw_expression(text, &Options::default()).unwrap();
    let after = picture.grids().last().unwrap();
    let said: Vec<&str> = after.cells[..16]
        .iter()
        .map(|cell| cell.facts.note.split(';').next().unwrap())
        .collect();
    assert_eq!(
        (said[0], said[2], said[7]),
        ("operand (0,0)", "operand (0,1)", "operand (0,3)")
    );
    assert_eq!(
        (said[8], said[15]),
        ("operand (0,0), stage 1", "operand (0,3), stage 1")
    );
    let groups: std::collections::BTreeSet<u32> =
        after.cells.iter().map(|cell| cell.group).collect();
    assert_eq!(groups.len(), 8);
}

/// Draws the uneven shares of ten rows on four devices: padding has no owner, and every other cell
/// has its owner.
#[test]
fn a_ragged_distribution_is_drawn_without_its_padding() {
    let text = "let rows = distribution((4,(3,2)):(3,(1,12)), (12,2), (10,2))";
    let other = "let cyclic = distribution((4,(3,2)):(1,(4,12)), (12,2), (10,2))";
    for (tail, grids) in [("rows", 1), ("redistribution(rows, cyclic)", 2)] {
        let value = notation::eval(&format!("{text}; {other}; {tail}")).unwrap();
        let picture = draw(&value, &Options::default()).unwrap();
        assert_eq!(picture.grids().count(), grids);
        for grid in picture.grids() {
            for (at, cell) in grid.cells.iter().enumerate() {
                // Two columns: rows 10 and 11 are cells 20 to 23.
                assert_eq!(cell.paint == Paint::Void, at >= 20, "{tail}: cell {at}");
            }
        }
    }
}
