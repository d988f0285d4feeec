//! The definitions that the kernels of `atom-kernels` are compared with, and the kernels' PTX.
//!
//! ```text
//!   atom-kernels ──cuda_builder, in build.rs──► sm_80.ptx, sm_90.ptx ──embedded──► MODULES ─► emulator, GPU ─┐
//!   random bits ──► format::Format ─► product::reference ────────────────────────────────────────────────────┴─► equal?
//! ```
//!
//! Law: this crate knows no layout, lane or register. An element is its bits in a format, and a
//! product is its sum over k.
//!
//! The tests `atoms` and `algorithms` embed the PTX, so that their executables run on a machine
//! that has neither cargo nor rustc.

pub mod format;
pub mod gmma;
pub mod place;
pub mod product;
pub mod sweep;

/// A module of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// The compute capability of the module's target, times ten.
    pub sm: usize,
    /// The module's PTX, which is empty if it could not be built.
    pub ptx: &'static str,
}

/// The kernels for compute capability 9.0 and, except in the checks of a push, for 8.0. A kernel
/// that both have comes from the same source.
pub const MODULES: &[Module] = &[
    #[cfg(not(of_a_push))]
    Module {
        sm: 80,
        ptx: include_str!(concat!(env!("OUT_DIR"), "/sm_80.ptx")),
    },
    Module {
        sm: 90,
        ptx: include_str!(concat!(env!("OUT_DIR"), "/sm_90.ptx")),
    },
];

/// The GEMM's reference configuration, compiled for compute capability 9.0.
pub const GEMM_SM_90: &str = include_str!(concat!(env!("OUT_DIR"), "/gemm_sm_90.ptx"));

/// The reason why the kernels were not built, which is empty if they were built.
pub const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));

/// Returns the lines of a kernel's PTX, without the spaces around them.
///
/// Panics if the kernels were not built, or if there is no kernel with this name.
pub fn body<'a>(ptx: &'a str, kernel: &str) -> impl Iterator<Item = &'a str> {
    assert!(WHY_NOT.is_empty(), "the kernels were not built: {WHY_NOT}");
    let head = format!(".visible .entry {kernel}(");
    let (_, rest) = ptx
        .split_once(&head)
        .unwrap_or_else(|| panic!("no kernel {kernel}"));
    let (body, _) = rest.split_once("\n}").expect("the kernel's end");
    body.lines().map(str::trim)
}
