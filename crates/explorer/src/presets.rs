//! Examples from the walk-throughs, as starting points.

use serde::Serialize;

/// An example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// The page of `docs/walkthroughs`, or the topic of the example.
    pub group: &'static str,
    /// The subject of the example.
    pub name: &'static str,
    /// The expression.
    pub text: &'static str,
}

const fn preset(group: &'static str, name: &'static str, text: &'static str) -> Preset {
    Preset { group, name, text }
}

const PRESETS: &[Preset] = &[
    preset("the algebra", "rows", "(8,8):(8,1)"),
    preset(
        "the algebra",
        "a mode of modes",
        "((2,4),(2,2)):((1,4),(2,16))",
    ),
    preset(
        "the algebra",
        "composition",
        "composition((6,2):(8,2), (4,3):(3,1))",
    ),
    preset(
        "the algebra",
        "a composition that is refused",
        "composition((4,6,2):(1,8,64), (4,2):(3,1))",
    ),
    preset(
        "the algebra",
        "a divide into tiles",
        "zipped_divide((8,8):(1,8), (4,2))",
    ),
    preset(
        "the algebra",
        "a divide with a rest",
        "zipped_divide((6,7):(7,1), (4,4))",
    ),
    preset(
        "the algebra",
        "a divide that is refused",
        "exact_zipped_divide((6,8):(8,1), (4,4))",
    ),
    preset(
        "the algebra",
        "tiles laid out in turn",
        "raked_product((4,3):(3,1), (2,2))",
    ),
    preset("the algebra", "an inverse", "right_inverse((4,8):(8,1))"),
    preset(
        "swizzles",
        "16-byte vectors of halfs",
        "Sw<3,3,3> o (8,64):(64,1)",
    ),
    preset("swizzles", "rows of 32 halfs", "Sw<2,3,3> o (8,32):(32,1)"),
    preset(
        "make-tiled-copy",
        "128 threads, vectors of 8 halfs",
        "make_tiled_copy(UniversalCopy<u128>, f16, (32,4):(4,1), (1,8))",
    ),
    preset(
        "cp-async",
        "a tile (16,64) by cp.async",
        "make_tiled_copy(SM80_CP_ASYNC_CACHEGLOBAL<u128>, f16, (16,8):(8,1), (1,8))",
    ),
    preset("cp-async", "three stages", "pipeline(3, 12)"),
    preset(
        "ldmatrix",
        "four matrices",
        "let mma = tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1,1,1)); make_tiled_copy_a(SM75_U32x4_LDSM_N, f16, mma)",
    ),
    preset("permutation", "one atom", "SM80_16x8x16_F32F16F16F32_TN"),
    preset(
        "permutation",
        "2 by 2 atoms, 32 along N",
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))",
    ),
    preset(
        "tidfrg",
        "the operand A of a tiled MMA",
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16)).A",
    ),
    preset(
        "tiled-copy-c",
        "accumulators to shared memory",
        "let mma = tiled_mma(SM80_16x8x16_F16F16F16F16_TN, (2,2,1), (64,32,16)); make_tiled_copy_c(UniversalCopy<u32>, f16, mma)",
    ),
    preset(
        "thread-value-layouts",
        "who holds what of C",
        "SM80_16x8x16_F32F16F16F32_TN.C",
    ),
];

/// Returns the examples, by page.
pub fn presets() -> &'static [Preset] {
    PRESETS
}
