//! Compares each kind of picture with a reference that a person has approved: `tests/approved`.
//!
//! To approve an intended change, run the test with `APPROVE=1` and look at the differences.

use layout_types::dynamic::AnyLayout;
use pictures::{ColourBy, Options, Picture, Theme, kinds, latex, svg, terminal};
use std::path::Path;

fn any(text: &str) -> AnyLayout {
    text.parse().unwrap()
}

fn check(name: &str, picture: &Picture) {
    let options = Options {
        terminal_colour: false,
        ..Options::default()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/approved");
    let colour = Options {
        theme: Theme::Dark,
        ..Options::default()
    };
    // Escape sequences are written as `^[`, so that the references are text.
    let coloured = terminal::render(picture, &colour).replace('\x1b', "^[");
    for (ending, found) in [
        ("svg", svg::render(picture, &options)),
        ("tex", latex::figure(picture, &options)),
        ("txt", terminal::render(picture, &options)),
        ("ansi", coloured),
    ] {
        let path = folder.join(format!("{name}.{ending}"));
        if std::env::var_os("APPROVE").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &found).unwrap();
            continue;
        }
        let approved = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let line = found
            .lines()
            .zip(approved.lines())
            .position(|(a, b)| a != b);
        let at = line.unwrap_or_else(|| found.lines().count().min(approved.lines().count()));
        assert!(
            found == approved,
            "{name}.{ending} differs from the approved one from line {}:\n found    {:?}\n approved {:?}",
            at + 1,
            found.lines().nth(at),
            approved.lines().nth(at)
        );
    }
}

#[test]
fn layouts() {
    let options = Options::default();
    check(
        "layout",
        &kinds::layout(&any("(4,4):(4,1)"), &options).unwrap(),
    );
    check(
        "layout-nested",
        &kinds::layout(&any("((2,2),(2,2)):((1,4),(2,8))"), &options).unwrap(),
    );
    check(
        "layout-coordinates",
        &kinds::layout(&any("(2,3):(1@0,1@1)"), &options).unwrap(),
    );
    let banks = Options {
        colour: ColourBy::Bank,
        element_bits: 32,
        access_bytes: 16,
        ..options
    };
    check(
        "layout-banks",
        &kinds::layout(&any("(4,8):(8,1)"), &banks).unwrap(),
    );
}

#[test]
fn swizzles() {
    check(
        "swizzle",
        &kinds::swizzle(&any("Sw<2,3,3> o 0 o (4,32):(64,1)"), &Options::default()).unwrap(),
    );
}

#[test]
fn thread_value_layouts() {
    let tile = "(4,8)".parse().unwrap();
    check(
        "thread-value",
        &kinds::thread_value(&any("((4,4),2):((8,1),4)"), &tile, &Options::default()).unwrap(),
    );
}

/// Draws `mma.sync.m8n8k4` of f64, the smallest MMA (PTX ISA, *Matrix fragments for mma.m8n8k4*).
#[test]
fn mmas() {
    let operands = kinds::MmaOperands {
        name: "SM80_8x8x4_F64F64F64F64_TN".into(),
        shape: [8, 8, 4],
        a: any("((4,8),1):((8,1),0)"),
        b: any("((4,8),1):((8,1),0)"),
        c: any("((4,8),2):((16,1),8)"),
    };
    check("mma", &kinds::mma(&operands, &Options::default()).unwrap());
}

#[test]
fn copies() {
    let side = |name: &str, tv: &str| kinds::Side {
        name: name.into(),
        tv: any(tv),
    };
    let picture = kinds::tiled_copy(
        "one 8x8 matrix by ldmatrix",
        &"(8,8)".parse().unwrap(),
        &side("source: shared memory", "(8,8):(1,8)"),
        &side("destination: registers", "((4,8),2):((16,1),8)"),
        &Options::default(),
    );
    check("copy", &picture.unwrap());
}

#[test]
fn divides() {
    let tiler: layout_types::dynamic::Tiler = "(2,2)".parse().unwrap();
    check(
        "divide",
        &kinds::divide(&any("(4,6):(1,4)"), &tiler, &Options::default()).unwrap(),
    );
    check(
        "divide-ragged",
        &kinds::divide(&any("(3,5):(5,1)"), &tiler, &Options::default()).unwrap(),
    );
}

#[test]
fn timelines() {
    let pipeline = kinds::Pipeline {
        stages: 3,
        tiles: 5,
        loads: "cp.async".into(),
        computes: "mma.sync".into(),
    };
    check(
        "timeline",
        &kinds::timeline(&pipeline, &Options::default()).unwrap(),
    );
}
