//! Checks that the pictures of the documentation are those that the crate draws:
//! `docs/guide/images`, and `layout-types/src/pictures` for rustdoc.
//!
//! To approve an intended change, run the test with `APPROVE=1` and look at the differences.

use pictures::{Options, draw_expression, svg};
use std::path::Path;

const IMAGES: &[(&str, &str)] = &[
    ("layout", "(4,8):(8,1)"),
    ("nested", "((2,4),(2,2)):((1,4),(2,16))"),
    ("divide", "zipped_divide((8,8):(1,8), (4,2))"),
    ("mma", "SM80_16x8x16_F32F16F16F32_TN"),
    ("thread-value", "SM80_16x8x16_F32F16F16F32_TN.C"),
    ("swizzle", "Sw<3,3,3> o (8,64):(64,1)"),
    ("pipeline", "pipeline(3, 8)"),
    ("ragged", "zipped_divide((6,7):(7,1), (4,4))"),
    ("ldmatrix", "SM75_U32x4_LDSM_N"),
    ("key-blocks", "pipeline(2, 8, TMA)"),
    ("hopper-pipeline", "pipeline(4, 8, TMA)"),
];

/// The pictures on rustdoc's pages, each with its alternative text.
const RUSTDOC: &[(&str, &str)] = &[
    (
        "layout",
        "The layout (4,8):(8,1) as a grid: row m, column n, offset 8m + n",
    ),
    (
        "divide",
        "zipped_divide of (8,8):(1,8) by (4,2): the tiles in their places, and beside them the result, a tile a column",
    ),
    (
        "swizzle",
        "Sw(3,3,3) on rows of 64 halves: before, the rows' accesses share banks; behind it, each row is turned",
    ),
    (
        "thread-value",
        "Accumulator of the atom SM80 16x8x16: each cell of C with the thread and the value that hold it",
    ),
];

#[test]
fn the_documentations_pictures_are_drawn_by_this_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/images");
    for (name, expression) in IMAGES {
        let options = Options::default();
        let found = svg::render(&draw_expression(expression, &options).unwrap(), &options);
        let path = folder.join(format!("{name}.svg"));
        if std::env::var_os("APPROVE").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &found).unwrap();
        }
        let kept = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            kept == found,
            "{name}.svg is not what {expression} draws now"
        );
        assert!(
            found.len() < 200_000,
            "{name}.svg has {} bytes",
            found.len()
        );
    }
}

/// Checks the pictures on rustdoc's pages. Rustdoc copies no files to its pages, so each picture is
/// an address that holds the whole picture. An image has classes and colours of its own, and
/// follows the reader's light or dark theme.
#[test]
fn rustdocs_pictures_are_drawn_by_this_crate() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../layout-types/src/pictures");
    for (name, says) in RUSTDOC {
        let (_, expression) = IMAGES.iter().find(|image| image.0 == *name).unwrap();
        let options = Options::default();
        let drawn = svg::render(&draw_expression(expression, &options).unwrap(), &options);
        let found = format!(
            "<img alt=\"{says}\" src=\"data:image/svg+xml;charset=utf-8,{}\">\n",
            in_an_address(&drawn)
        );
        let path = folder.join(format!("{name}.html"));
        if std::env::var_os("APPROVE").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &found).unwrap();
        }
        let kept = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            kept == found,
            "{name}.html is not what {expression} draws now"
        );
    }
}

/// Escapes a picture's text for an address: each character that an address or an HTML attribute
/// reserves becomes `%` and two digits.
fn in_an_address(text: &str) -> String {
    text.chars().fold(String::new(), |mut address, c| {
        match c {
            '%' | '#' | '&' | '"' | '<' | '>' | '\n' | '`' | '*' | '_' | '[' | ']' | '\\' => {
                address += &format!("%{:02X}", c as u32);
            }
            _ => address.push(c),
        }
        address
    })
}
