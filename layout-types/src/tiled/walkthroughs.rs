//! The walk-throughs of `docs/walkthroughs/` as tests.
//!
//! ```text
//!   docs/walkthroughs/retile.md     each Rust block a test; each compile_fail block a refusal
//! ```
//!
//! Law: every number on those pages is asserted there.

macro_rules! pages {
    ($($name:ident $page:literal;)*) => {$(
        #[doc = include_str!(concat!("../../../docs/walkthroughs/", $page, ".md"))]
        pub struct $name;
    )*};
}
pages! {
    MakeTiledCopy "make-tiled-copy";
    CpAsync "cp-async";
    TidFrg "tidfrg";
    Ldmatrix "ldmatrix";
    Retile "retile";
    TiledCopyC "tiled-copy-c";
    Permutation "permutation";
    ThreadValueLayouts "thread-value-layouts";
    Errata "errata";
}
