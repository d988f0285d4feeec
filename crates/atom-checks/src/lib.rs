//! What the kernels of `atom-kernels` are held against, and their PTX.
//!
//! ```text
//!   atom-kernels ──cuda_builder, in build.rs──► sm_80.ptx, sm_90.ptx ──embedded──► MODULES ─► emulator, GPU ─┐
//!   random bits ──► format::Format ─► product::reference ────────────────────────────────────────────────────┴─► equal?
//! ```
//!
//! Law: nothing here knows a layout, a lane or a register. An element is its bits in a format, a
//! product is its sum over k.
//!
//! The tests `atoms` and `algorithms` carry the PTX in themselves, so that their executables run on
//! a machine that has neither cargo nor rustc.

pub mod format;
pub mod gmma;
pub mod place;
pub mod product;
pub mod sweep;

/// A module of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// The compute capability times ten that it is compiled for.
    pub sm: usize,
    /// Its PTX; empty where it could not be built.
    pub ptx: &'static str,
}

/// The kernels for compute capability 9.0 and, but on a push, for 8.0: those that a GPU has of both
/// are the same source.
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

/// Why the kernels were not built; empty where they were.
pub const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));

/// The lines of a kernel's PTX, without the spaces around them.
///
/// Panics where the kernels were not built, or where there is none of that name.
pub fn body<'a>(ptx: &'a str, kernel: &str) -> impl Iterator<Item = &'a str> {
    assert!(WHY_NOT.is_empty(), "the kernels were not built: {WHY_NOT}");
    let head = format!(".visible .entry {kernel}(");
    let (_, rest) = ptx
        .split_once(&head)
        .unwrap_or_else(|| panic!("no kernel {kernel}"));
    let (body, _) = rest.split_once("\n}").expect("the kernel's end");
    body.lines().map(str::trim)
}
