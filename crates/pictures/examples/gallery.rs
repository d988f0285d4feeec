//! Every kind of picture, small and large, light and dark, in every format:
//! `cargo run -p cutlet-pictures --example gallery -- FOLDER`.

use layout_types::dynamic::{AnyLayout, IntTuple, Tiler};
use pictures::{Labels, Options, Picture, Theme, kinds, latex, svg, terminal};

fn any(text: &str) -> AnyLayout {
    text.parse().expect("a layout")
}

/// Returns the pictures by name.
fn pictures(options: &Options) -> Vec<(&'static str, Picture)> {
    let layout = |text: &str| kinds::layout(&any(text), options).expect("drawable");
    let tile = |text: &str| text.parse::<IntTuple>().expect("a shape");
    let a = "((4,8),(2,2,2)):((32,1),(16,8,128))";
    let b = "((4,8),(2,2)):((16,1),(8,64))";
    let c = "((4,8),(2,2)):((32,1),(16,8))";
    let atom = kinds::MmaOperands {
        name: "SM80_16x8x16_F32F16F16F32_TN".into(),
        shape: [16, 8, 16],
        a: any(a),
        b: any(b),
        c: any(c),
    };
    let tiled = kinds::MmaOperands {
        name: "TiledMMA SM80_16x8x16_F32F16F16F32_TN, 2x2x1 atoms".into(),
        shape: [32, 16, 16],
        a: any("((4,8,2,2),(2,2,2)):((64,1,16,0),(32,8,256))"),
        b: any("((4,8,2,2),(2,2)):((32,1,0,8),(16,128))"),
        c: any("((4,8,2,2),(2,2)):((64,1,16,256),(32,8))"),
    };
    let big = kinds::MmaOperands {
        name: "a warp tile of 128x128x16".into(),
        shape: [128, 128, 16],
        a: any("((4,8,2,2),(2,2,2,4)):((256,1,16,0),(128,8,1024,32))"),
        b: any("((4,8,2,2),(2,2,8)):((256,1,0,8),(128,1024,16))"),
        c: any("((4,8,2,2),(2,2,4,8)):((256,1,16,1024),(128,8,32,2048))"),
    };
    vec![
        ("layout-4x4", layout("(4,4):(4,1)")),
        (
            "layout-hierarchical",
            layout("((2,4),(2,2)):((1,4),(2,16))"),
        ),
        ("layout-1d", layout("40:3")),
        ("layout-3d", layout("(4,3,2):(1,4,12)")),
        ("layout-basis", layout("(4,3):(1@0,1@1)")),
        ("layout-32", layout("(32,32):(32,1)")),
        ("layout-128", layout("(128,128):(128,1)")),
        (
            "layout-128-tiles",
            layout("((16,8),(32,4)):((32,2048),(1,512))"),
        ),
        (
            "swizzle",
            kinds::swizzle(&any("Sw<3,3,3> o 0 o (8,64):(64,1)"), options).expect("drawable"),
        ),
        (
            "swizzle-128",
            kinds::swizzle(&any("Sw<3,3,3> o 0 o (128,64):(64,1)"), options).expect("drawable"),
        ),
        (
            "swizzle-32bit",
            kinds::swizzle(
                &any("Sw<5,0,5> o 0 o (32,32):(32,1)"),
                &Options {
                    element_bits: 32,
                    access_bytes: 4,
                    ..options.clone()
                },
            )
            .expect("drawable"),
        ),
        (
            "tv",
            kinds::thread_value(&any(c), &tile("(16,8)"), options).expect("drawable"),
        ),
        ("mma", kinds::mma(&atom, options).expect("drawable")),
        ("mma-tiled", kinds::mma(&tiled, options).expect("drawable")),
        ("mma-128", kinds::mma(&big, options).expect("drawable")),
        (
            "copy",
            kinds::tiled_copy(
                "ldmatrix: SM75_U32x4_LDSM_N",
                &tile("(16,16)"),
                &kinds::Side {
                    name: "source: shared memory".into(),
                    tv: any("((16,2),8):((1,128),16)"),
                },
                &kinds::Side {
                    name: "destination: registers".into(),
                    tv: any("((4,8),(2,2,2)):((32,1),(16,8,128))"),
                },
                options,
            )
            .expect("drawable"),
        ),
        (
            "divide",
            kinds::divide(
                &any("(8,8):(1,8)"),
                &"(4,2)".parse::<Tiler>().expect("a tiler"),
                options,
            )
            .expect("drawable"),
        ),
        (
            "divide-strided",
            kinds::divide(
                &any("(8,8):(8,1)"),
                &"(2:4,4)".parse::<Tiler>().expect("a tiler"),
                options,
            )
            .expect("drawable"),
        ),
        (
            "divide-ragged",
            kinds::divide(
                &any("(6,7):(7,1)"),
                &"(4,4)".parse::<Tiler>().expect("a tiler"),
                options,
            )
            .expect("drawable"),
        ),
        (
            "timeline",
            kinds::timeline(
                &kinds::Pipeline {
                    stages: 4,
                    tiles: 10,
                    loads: "cp.async".into(),
                    computes: "mma.sync".into(),
                },
                options,
            )
            .expect("drawable"),
        ),
    ]
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".into());
    std::fs::create_dir_all(&folder)?;
    for (theme, suffix) in [(Theme::Light, ""), (Theme::Dark, "-dark")] {
        let options = Options {
            theme,
            labels: Labels::Auto,
            ..Options::default()
        };
        for (name, picture) in pictures(&options) {
            let path = |ending: &str| format!("{folder}/{name}{suffix}.{ending}");
            std::fs::write(path("svg"), svg::render(&picture, &options))?;
            #[cfg(feature = "png")]
            std::fs::write(
                path("png"),
                pictures::png::render(&picture, &options).expect("drawable"),
            )?;
            if theme == Theme::Light {
                std::fs::write(path("tex"), latex::render(&picture, &options))?;
                std::fs::write(path("txt"), terminal::render(&picture, &options))?;
            }
        }
    }
    Ok(())
}
