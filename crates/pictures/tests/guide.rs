//! The pictures of the documentation are what the crate draws: `docs/guide/images`.
//!
//! A change that is meant is approved by running the test with `APPROVE=1` and looking at what changed.

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
