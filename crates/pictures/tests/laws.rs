//! Checks that pictures show the results of the algebra: they are read back from their SVG and
//! compared with definitions.

use layout_types::dynamic::{AnyLayout, IntTuple, Tiler, zipped_divide};
use pictures::{
    ColourBy, DrawError, Item, Labels, Options, Picture, Theme, arrange, kinds, latex, png, svg,
    terminal,
};
use std::collections::{HashMap, HashSet};

fn any(text: &str) -> AnyLayout {
    text.parse().unwrap()
}

fn shape(text: &str) -> IntTuple {
    text.parse().unwrap()
}

/// Returns the attributes of an SVG's cells by (panel, row, column). Checks that each cell occurs
/// once.
fn cells(text: &str) -> HashMap<(usize, usize, usize), HashMap<String, String>> {
    let document = roxmltree::Document::parse(text).unwrap();
    let mut out = HashMap::new();
    for panel in document
        .descendants()
        .filter(|node| node.attribute("class") == Some("panel"))
    {
        let index: usize = panel.attribute("data-panel").unwrap().parse().unwrap();
        for rect in panel
            .children()
            .filter(|node| node.attribute("data-r").is_some())
        {
            let number = |name: &str| rect.attribute(name).unwrap().parse::<usize>().unwrap();
            let attributes = rect
                .attributes()
                .map(|a| (a.name().to_string(), a.value().to_string()))
                .collect();
            let seen = out.insert((index, number("data-r"), number("data-c")), attributes);
            assert!(seen.is_none(), "a cell is drawn twice");
        }
    }
    out
}

const LAYOUTS: [&str; 14] = [
    "(4,4):(4,1)",
    "(4,8):(1,4)",
    "((2,4),(2,2)):((1,4),(2,16))",
    "7:3",
    "100:2",
    "(3,5,2):(10,2,1)",
    "(4,3):(0,1)",
    "(2,3):(-1,4)",
    "(1,1):(0,0)",
    "Sw<3,3,3> o 0 o (8,64):(64,1)",
    "Sw<2,0,2> o 0 o (4,4):(4,1)",
    "(2,(3,4),5):(60,(1,3),12)",
    "(64,64):(64,1)",
    "(128,128):(1,128)",
];

#[test]
fn every_cell_is_drawn_once_with_its_offset() {
    for text in LAYOUTS {
        let layout = any(text);
        let options = Options::default();
        let picture = kinds::layout(&layout, &options).unwrap();
        let cells = cells(&svg::render(&picture, &options));
        let grid = picture.grids().next().unwrap();
        assert_eq!(cells.len(), grid.rows.len * grid.columns.len, "{text}");
        // The definition: index r + rows * c, or rows of 32 for one mode.
        let wrapped = layout.shape().rank() == 1;
        let mut drawn = 0;
        for row in 0..grid.rows.len {
            for column in 0..grid.columns.len {
                let index = if wrapped {
                    row * grid.columns.len + column
                } else {
                    row + grid.rows.len * column
                };
                let found = cells[&(0, row, column)]
                    .get("data-o")
                    .map(|offset| offset.parse::<i64>().unwrap());
                let wanted = layout
                    .offset(index as i64)
                    .ok()
                    .filter(|_| (index as i64) < layout.size().unwrap());
                assert_eq!(found, wanted, "{text}: row {row}, column {column}");
                drawn += usize::from(found.is_some());
            }
        }
        assert_eq!(drawn as i64, layout.size().unwrap(), "{text}");
    }
}

#[test]
fn cells_touch_and_everything_lies_inside() {
    for text in LAYOUTS {
        for labels in [Labels::Auto, Labels::All, Labels::Blocks, Labels::None] {
            let options = Options {
                labels,
                ..Options::default()
            };
            let drawing = arrange(&kinds::layout(&any(text), &options).unwrap(), &options);
            let mut corners = HashSet::new();
            let mut area = 0.0f64;
            let (mut left, mut top, mut right, mut bottom) = (f32::MAX, f32::MAX, 0.0f32, 0.0f32);
            for item in &drawing.items {
                match item {
                    Item::Cell { x, y, w, h, .. } => {
                        assert!(
                            corners.insert((x.to_bits(), y.to_bits())),
                            "{text}: two cells at one place"
                        );
                        area += f64::from(*w) * f64::from(*h);
                        (left, top) = (left.min(*x), top.min(*y));
                        (right, bottom) = (right.max(x + w), bottom.max(y + h));
                    }
                    Item::Text {
                        x,
                        y,
                        size,
                        text: words,
                        upwards,
                        ..
                    } => {
                        assert!(
                            *x >= 0.0 && *x <= drawing.width && *y >= 0.0 && *y <= drawing.height,
                            "{words}"
                        );
                        if *upwards {
                            assert!(
                                y + words.len() as f32 * size * 0.602 <= drawing.height,
                                "{words} hangs out"
                            );
                        }
                    }
                    _ => {}
                }
            }
            let whole = f64::from(right - left) * f64::from(bottom - top);
            assert!(
                (area - whole).abs() <= whole * 1e-3,
                "{text}: cells overlap or leave gaps"
            );
            assert!(
                left >= 0.0 && top >= 0.0 && right <= drawing.width && bottom <= drawing.height
            );
        }
    }
}

#[test]
fn labels_fit_their_cells() {
    for text in LAYOUTS {
        let options = Options {
            labels: Labels::All,
            ..Options::default()
        };
        let drawing = arrange(&kinds::layout(&any(text), &options).unwrap(), &options);
        let width = drawing.items.iter().find_map(|item| match item {
            Item::Cell { w, .. } => Some(*w),
            _ => None,
        });
        for item in &drawing.items {
            if let Item::Text {
                size,
                text: label,
                ink: pictures::Ink::On(_),
                ..
            } = item
            {
                assert!(
                    label.len() as f32 * size * 0.602 <= width.unwrap(),
                    "{text}: {label}"
                );
            }
        }
    }
}

#[test]
fn large_pictures_keep_their_labels_legible() {
    let options = Options::default();
    for text in [
        "(128,128):(128,1)",
        "(128,8):(8,1)",
        "(8,512):(512,1)",
        "(256,256):(1,256)",
    ] {
        let drawing = arrange(&kinds::layout(&any(text), &options).unwrap(), &options);
        assert!(
            drawing.width < 1900.0 && drawing.height < 2100.0,
            "{text}: {} x {}",
            drawing.width,
            drawing.height
        );
        let mut plates: Vec<(f32, f32, f32, f32)> = Vec::new();
        let mut texts = 0;
        for item in &drawing.items {
            match item {
                Item::Text { size, .. } => {
                    assert!(*size >= 8.0);
                    texts += 1;
                }
                Item::Cover { x, y, w, h } => plates.push((*x, *y, *w, *h)),
                _ => {}
            }
        }
        assert!(texts > 64, "{text}");
        for (i, a) in plates.iter().enumerate() {
            for b in &plates[..i] {
                let apart = a.0 + a.2 <= b.0 + 0.01
                    || b.0 + b.2 <= a.0 + 0.01
                    || a.1 + a.3 <= b.1 + 0.01
                    || b.1 + b.3 <= a.1 + 0.01;
                assert!(apart, "{text}: labels overlap at {a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn threads_and_values_stand_where_the_layout_puts_them() {
    let cases = [
        ("((4,8),(2,2)):((32,1),(16,8))", "(16,8)"),
        ("((4,8),(2,2,2)):((32,1),(16,8,128))", "(16,16)"),
        ("(4,2):(2,1)", "(2,4)"),
        ("((4,8,2),(2,2)):((32,1,0),(16,8))", "(16,8)"),
        ("(2,2):(1,2)", "(4,4)"),
    ];
    for (tv, tile) in cases {
        let (layout, tile) = (any(tv), shape(tile));
        let options = Options::default();
        let picture = kinds::thread_value(&layout, &tile, &options).unwrap();
        let grid = picture.grids().next().unwrap();
        let threads = match &layout {
            AnyLayout::Plain(plain) => plain.mode(0).unwrap().size().unwrap(),
            AnyLayout::Composed(_) => unreachable!(),
        };
        let mut owned = 0;
        for (i, cell) in grid.cells.iter().enumerate() {
            let (row, column) = ((i / grid.columns.len) as i64, (i % grid.columns.len) as i64);
            let at = row + grid.rows.len as i64 * column;
            for (thread, value) in &cell.facts.owners {
                assert_eq!(
                    layout.offset(thread + threads * value).unwrap(),
                    at,
                    "{tv}: T{thread} V{value}"
                );
                owned += 1;
            }
            match cell.facts.owners.as_slice() {
                [] => assert_eq!(cell.label, ""),
                [(thread, value)] => assert_eq!(cell.label, format!("T{thread}\nV{value}")),
                [(first, value), (second, _)] => {
                    assert_eq!(cell.label, format!("T{first},{second}\nV{value}"))
                }
                more => panic!("{more:?}"),
            }
        }
        // Every (thread, value) has its cell.
        assert_eq!(owned, layout.size().unwrap(), "{tv}");
    }
}

#[test]
fn tiles_of_a_divide_are_those_of_zipped_divide() {
    let cases = [
        ("(8,8):(1,8)", "(4,2)"),
        ("(8,8):(8,1)", "(2:4,4)"),
        ("(6,7):(7,1)", "(4,4)"),
        ("24:2", "4:3"),
        ("((2,4),6):((1,12),2)", "(4,3)"),
        ("Sw<2,0,3> o 0 o (8,8):(8,1)", "(2,4)"),
    ];
    for (layout, tiler) in cases {
        let (layout, tiler) = (any(layout), tiler.parse::<Tiler>().unwrap());
        let options = Options::default();
        let picture = kinds::divide(&layout, &tiler, &options).unwrap();
        let grids: Vec<_> = picture.grids().collect();
        let divided = zipped_divide(&layout, &tiler).unwrap();
        // The notes name element i of tile r: each names a cell on the left, and both have one
        // offset.
        let mut left = HashMap::new();
        for cell in &grids[0].cells {
            if let Some(offset) = &cell.facts.offset {
                assert!(
                    cell.facts.note.starts_with("element "),
                    "{layout} / {tiler}: {}",
                    cell.facts.note
                );
                let seen = left.insert(
                    cell.facts.note.clone(),
                    (offset.clone(), cell.facts.coordinate.clone()),
                );
                assert!(seen.is_none());
            }
        }
        assert_eq!(left.len() as i64, layout.size().unwrap());
        let rows = grids[1].rows.len;
        let mut found = 0;
        for row in 0..rows {
            for column in 0..grids[1].columns.len {
                let cell = grids[1].cell(row, column);
                let offset = divided.offset((row + rows * column) as i64).unwrap();
                assert_eq!(cell.label, offset.to_string());
                match left.get(&format!("element {row} of tile {column}")) {
                    Some((at, coordinate)) => {
                        assert_eq!(
                            *at, cell.label,
                            "{layout} / {tiler}: element {row} of tile {column}"
                        );
                        assert_eq!(cell.facts.note, format!("at {coordinate} of the layout"));
                        found += 1;
                    }
                    None => assert_eq!(cell.facts.note, "outside the layout"),
                }
            }
        }
        assert_eq!(found, left.len(), "{layout} / {tiler}");
    }
}

#[test]
fn banks_are_those_of_the_addresses() {
    for (bits, access) in [(16, 16), (16, 4), (32, 4), (8, 16), (64, 8), (4, 16)] {
        let options = Options {
            element_bits: bits,
            access_bytes: access,
            ..Options::default()
        };
        for offset in 0..4096i64 {
            let byte = offset * i64::from(bits) / 8;
            let start = byte - byte % i64::from(access);
            assert_eq!(
                options.bank(offset),
                start / 4 % 32,
                "{bits} bits, {access} bytes, {offset}"
            );
        }
    }
    for wrong in [
        Options {
            access_bytes: 12,
            ..Options::default()
        },
        Options {
            element_bits: 0,
            ..Options::default()
        },
        Options {
            element_bits: 129,
            ..Options::default()
        },
    ] {
        assert!(matches!(
            kinds::swizzle(&any("4:1"), &wrong),
            Err(DrawError::Number { .. })
        ));
    }
}

#[test]
fn a_column_of_a_swizzled_tile_has_every_colour() {
    let options = Options::default();
    let picture = kinds::swizzle(&any("Sw<3,3,3> o 0 o (8,64):(64,1)"), &options).unwrap();
    let grids: Vec<_> = picture.grids().collect();
    assert_eq!((grids[1].rows.len, grids[1].columns.len), (8, 8));
    for column in 0..8 {
        let colours = |grid: &pictures::Grid| {
            (0..8)
                .map(|row| grid.cell(row, column).paint)
                .collect::<HashSet<_>>()
        };
        assert_eq!(colours(grids[0]).len(), 1);
        assert_eq!(colours(grids[1]).len(), 8);
    }
}

#[test]
fn a_stage_holds_a_tile_from_its_load_to_its_use() {
    let options = Options::default();
    for (stages, tiles) in [(2, 1), (2, 7), (3, 5), (4, 10), (5, 3)] {
        let pipeline = kinds::Pipeline {
            stages,
            tiles,
            loads: "cp.async".into(),
            computes: "mma.sync".into(),
        };
        let picture = kinds::timeline(&pipeline, &options).unwrap();
        let grid = picture.grids().next().unwrap();
        // Simulates the pipeline: each step loads one tile, stages - 1 steps ahead. The stage is
        // free once its tile was used.
        let mut stage: Vec<Option<i64>> = vec![None; stages as usize];
        for step in -(stages - 1)..tiles {
            let load = step + stages - 1;
            if load < tiles {
                let slot = &mut stage[(load % stages) as usize];
                assert!(slot.is_none());
                *slot = Some(load);
            }
            for (row, held) in stage.iter().enumerate() {
                let label = &grid.cell(row, (step + stages - 1) as usize).label;
                let wanted = held.map_or(String::new(), |tile| match tile {
                    tile if tile == step => format!("C {tile}"),
                    tile if tile == load => format!("L {tile}"),
                    tile => format!("\u{b7} {tile}"),
                });
                assert_eq!(*label, wanted, "{stages} stages, stage {row}, step {step}");
            }
            if step >= 0 {
                assert_eq!(stage[(step % stages) as usize].take(), Some(step));
            }
        }
    }
}

#[test]
fn what_is_too_large_or_makes_no_sense_is_an_error() {
    let options = Options::default();
    let large = kinds::layout(&any("(257,256):(1,257)"), &options);
    assert!(
        matches!(large, Err(DrawError::TooLarge { cells: 65_792, .. })),
        "{large:?}"
    );
    let huge = kinds::layout(&any("(4611686018427387904,4):(1,0)"), &options);
    assert!(matches!(huge, Err(DrawError::Layout(_))), "{huge:?}");
    let outside = kinds::thread_value(&any("(4,2):(2,1)"), &shape("(2,3)"), &options);
    assert!(
        matches!(
            outside,
            Err(DrawError::OutsideTile {
                offset: 6,
                size: 6,
                ..
            })
        ),
        "{outside:?}"
    );
    let one = kinds::thread_value(&any("4:1"), &shape("(2,2)"), &options);
    assert!(matches!(
        one,
        Err(DrawError::NotThreadValue { rank: 1, .. })
    ));
    let negative = kinds::thread_value(&any("(2,2):(-1,2)"), &shape("(2,2)"), &options);
    assert!(matches!(
        negative,
        Err(DrawError::OutsideTile { offset: -1, .. })
    ));
    for (stages, tiles) in [(1, 4), (17, 4), (3, 0), (3, 1000)] {
        let pipeline = kinds::Pipeline {
            stages,
            tiles,
            loads: String::new(),
            computes: String::new(),
        };
        assert!(matches!(
            kinds::timeline(&pipeline, &options),
            Err(DrawError::Number { .. })
        ));
    }
    let picture = kinds::layout(&any("4:1"), &options).unwrap();
    for scale in [0.0, 9.0, f32::NAN, f32::INFINITY] {
        assert!(
            png::render(
                &picture,
                &Options {
                    scale,
                    ..options.clone()
                }
            )
            .is_err()
        );
    }
    let overflow = kinds::layout(
        &any("(2,2):(9223372036854775807,9223372036854775807)"),
        &options,
    );
    assert!(matches!(overflow, Err(DrawError::Layout(_))));
}

fn small() -> Picture {
    let mut picture = kinds::layout(&any("(4,4):(4,1)"), &Options::default()).unwrap();
    picture.title = "a <title> & \"signs\" \\ {of} #1 $ % _ ~ ^".into();
    picture
}

#[test]
fn titles_are_written_as_each_format_has_it() {
    let options = Options::default();
    let text = svg::render(&small(), &options);
    let document = roxmltree::Document::parse(&text).unwrap();
    let title = document
        .descendants()
        .find(|node| node.has_tag_name("title"))
        .unwrap();
    assert_eq!(title.text(), Some(small().title.as_str()));
    let tex = latex::figure(&small(), &options);
    assert!(tex.contains(r"a <title> \& "), "{tex}");
    assert!(
        tex.contains(r"\textbackslash{} \{of\} \#1 \$ \% \_ \textasciitilde{} \textasciicircum{}"),
        "{tex}"
    );
}

#[test]
fn an_svg_refers_to_nothing_outside() {
    let text = svg::render(&small(), &Options::default());
    for word in ["href", "url(", "@import", "script", "http://", "https://"] {
        let found = text
            .replace("http://www.w3.org/2000/svg", "")
            .contains(word);
        assert!(!found, "{word}");
    }
}

#[test]
fn themes_choose_the_colours() {
    let of = |theme| {
        svg::render(
            &small(),
            &Options {
                theme,
                ..Options::default()
            },
        )
    };
    assert!(of(Theme::Auto).contains("@media (prefers-color-scheme:dark)"));
    assert!(!of(Theme::Light).contains("@media") && !of(Theme::Dark).contains("@media"));
    assert_ne!(of(Theme::Light), of(Theme::Dark));
    let pixel = |theme| {
        let bytes = png::render(
            &small(),
            &Options {
                theme,
                scale: 0.5,
                ..Options::default()
            },
        )
        .unwrap();
        let picture = tiny_skia::Pixmap::decode_png(&bytes).unwrap();
        picture.pixels()[0].red()
    };
    assert!(pixel(Theme::Light) > 200 && pixel(Theme::Dark) < 60);
}

#[test]
fn a_png_has_the_paints_at_the_cells_and_ink_in_them() {
    let options = Options {
        colour: ColourBy::Bank,
        theme: Theme::Light,
        scale: 2.0,
        ..Options::default()
    };
    let picture = kinds::layout(&any("(8,8):(64,8)"), &options).unwrap();
    let image = tiny_skia::Pixmap::decode_png(&png::render(&picture, &options).unwrap()).unwrap();
    for item in &arrange(&picture, &options).items {
        if let Item::Cell {
            x, y, w, h, paint, ..
        } = item
        {
            let at = |px: f32, py: f32| {
                let pixel = image.pixel((px * 2.0) as u32, (py * 2.0) as u32).unwrap();
                pictures::Rgb(pixel.red(), pixel.green(), pixel.blue())
            };
            let wanted = pictures::Mode::Light.fill(*paint);
            assert_eq!(at(x + 3.0, y + 3.0), wanted);
            let ink = (0..*w as u32 * *h as u32).any(|i| {
                let (right, down) = (
                    4 + i % (*w as u32 - 8),
                    4 + i / (*w as u32 - 8) % (*h as u32 - 8),
                );
                pictures::contrast(at(x + right as f32, y + down as f32), wanted) > 4.5
            });
            assert!(ink, "no label at ({x},{y})");
        }
    }
}

#[test]
fn a_terminal_without_colour_has_no_escapes_and_every_label() {
    let options = Options {
        terminal_colour: false,
        ..Options::default()
    };
    for text in LAYOUTS {
        let picture = kinds::layout(&any(text), &options).unwrap();
        let shown = terminal::render(&picture, &options);
        assert!(!shown.contains('\x1b'), "{text}");
        let words: HashSet<&str> = shown.split([' ', '\n', '│']).collect();
        for cell in &picture.grids().next().unwrap().cells {
            assert!(
                cell.label.is_empty() || words.contains(cell.label.as_str()),
                "{text}: {}",
                cell.label
            );
        }
    }
    let colour = Options {
        terminal_columns: 100,
        ..Options::default()
    };
    let picture = kinds::layout(&any("(4,128):(128,1)"), &colour).unwrap();
    let shown = terminal::render(&picture, &colour);
    assert!(shown.contains("more columns to the right"), "{shown}");
}
