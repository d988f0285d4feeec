//! Checks the colours of whole pictures, read back from their SVGs: a cell with a meaning contrasts
//! with the paper, and different cells look different.

use pictures::{Options, Rgb, Theme, contrast, draw_expression, svg};
use std::collections::{BTreeMap, BTreeSet};

fn drawn(expression: &str, theme: Theme) -> String {
    let options = Options {
        theme,
        ..Options::default()
    };
    svg::render(&draw_expression(expression, &options).unwrap(), &options)
}

/// Returns the fills by class, from the style sheet.
fn fills(svg: &str) -> BTreeMap<String, Rgb> {
    let rules = svg.split(".cutlet .").skip(1);
    let fill = |rule: &str| {
        let (name, rest) = rule.split_once("{fill:#")?;
        let part = |at: usize| u8::from_str_radix(rest.get(at..at + 2)?, 16).ok();
        Some((name.to_owned(), Rgb(part(0)?, part(2)?, part(4)?)))
    };
    rules.filter_map(fill).collect()
}

/// Returns the colour of the paper.
fn paper(svg: &str) -> Rgb {
    let (_, rest) = svg
        .split_once(".cutlet .paper,.cutlet .cover{fill:#")
        .unwrap();
    let part = |at: usize| u8::from_str_radix(&rest[at..at + 2], 16).unwrap();
    Rgb(part(0), part(2), part(4))
}

/// Returns the classes of the cells, in their order, each with its bands.
fn cells(svg: &str) -> Vec<Vec<String>> {
    let mut cells: Vec<Vec<String>> = Vec::new();
    for rect in svg.split("<rect class=\"").skip(1) {
        let (classes, rest) = rect.split_once('"').unwrap();
        let paint = classes.split(' ').next().unwrap().to_owned();
        if classes.ends_with("band") {
            cells.last_mut().unwrap().push(paint);
        } else if rest.split('>').next().unwrap().contains("data-r=") {
            cells.push(vec![paint]);
        }
    }
    cells
}

#[test]
fn every_colour_of_a_picture_stands_out_with_its_text() {
    for expression in [
        "(4,8):(8,1)",
        "(128,64):(64,1)",
        "Sw<3,3,3> o (8,64):(64,1)",
        "zipped_divide((24,16):(16,1), (4,4))",
        "SM80_16x8x16_F32F16F16F32_TN",
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,4,1))",
        "SM75_U32x4_LDSM_N",
        "pipeline(4, 12)",
    ] {
        for theme in [Theme::Light, Theme::Dark] {
            let svg = drawn(expression, theme);
            let fills = fills(&svg);
            let paper = paper(&svg);
            let mut seen = 0;
            for (name, fill) in &fills {
                let (kind, rest) = name.split_at(1);
                if !["c", "s"].contains(&kind) || rest.parse::<u8>().is_err() {
                    continue;
                }
                seen += 1;
                let label = contrast(*fill, fills[&format!("on-{name}")]);
                let found = contrast(*fill, paper);
                assert!(
                    found >= 3.0 && label >= 4.5,
                    "{expression} {theme:?} {name}: {found} on paper, {label} its label"
                );
            }
            assert!(seen > 0, "{expression}");
        }
    }
}

#[test]
fn as_many_tiles_as_colours_have_one_each_and_a_key() {
    for (expression, tiles) in [
        ("zipped_divide((24,16):(16,1), (4,4))", 24),
        ("zipped_divide((16,16):(16,1), (2,4))", 32),
        ("zipped_divide((64,8):(8,1), (4,4))", 32),
        ("zipped_divide((6,7):(7,1), (4,4))", 4),
    ] {
        let picture = draw_expression(expression, &Options::default()).unwrap();
        let svg = drawn(expression, Theme::Light);
        let paints: BTreeSet<String> = cells(&svg)
            .into_iter()
            .flatten()
            .filter(|paint| paint.starts_with('c'))
            .collect();
        assert_eq!(paints.len(), tiles, "{expression}");
        let key: Vec<&str> = picture.key.iter().map(|entry| &*entry.text).collect();
        let wanted: Vec<String> = (0..tiles).map(|tile| format!("tile {tile}")).collect();
        assert_eq!(key, wanted, "{expression}");
    }
    // There are more tiles than colours: the key lists the tiles of each colour, and neighbours
    // differ.
    let picture =
        draw_expression("zipped_divide((64,64):(64,1), (8,4))", &Options::default()).unwrap();
    assert_eq!(picture.key.len(), 32);
    assert!(
        picture.key[0].text.starts_with("tiles 0, "),
        "{:?}",
        picture.key[0]
    );
    let grid = picture.grids().next().unwrap();
    for (row, column) in (0..64).flat_map(|row| (0..64).map(move |column| (row, column))) {
        let cell = grid.cell(row, column);
        for (down, right) in [(1, 0), (0, 1)] {
            if row + down < 64 && column + right < 64 {
                let next = grid.cell(row + down, column + right);
                assert_eq!(
                    cell.group == next.group,
                    cell.paint == next.paint,
                    "{row} {column}"
                );
            }
        }
    }
}

/// Checks that the warps of every cell's threads, taken from its facts, are the colours of the
/// cell.
#[test]
fn a_cell_of_several_warps_has_the_colours_of_all() {
    for expression in [
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))",
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1,4,1))",
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (4,2,1)).A",
    ] {
        let picture = draw_expression(expression, &Options::default()).unwrap();
        let svg = drawn(expression, Theme::Light);
        let painted = cells(&svg);
        let mut several = 0;
        for (cell, paints) in picture.grids().flat_map(|grid| &grid.cells).zip(&painted) {
            let warps: BTreeSet<i64> = cell.facts.owners.iter().map(|owner| owner.0 / 32).collect();
            let wanted: BTreeSet<String> = warps.iter().map(|warp| format!("c{warp}")).collect();
            assert_eq!(
                paints.iter().cloned().collect::<BTreeSet<_>>(),
                wanted,
                "{expression}"
            );
            several += usize::from(warps.len() > 1);
        }
        assert!(several > 0, "{expression}");
        assert!(
            picture.key.iter().any(|entry| entry.text == "warp 3"),
            "{expression}"
        );
    }
}
