//! Atoms by name, as values: when an expression names an atom, its facts come from the Rust type.
//!
//! ```text
//! SM80_16x8x16_F32F16F16F32_TN.C      ((4,8),(2,2)):((32,1),(16,8)) in a tile (16,8)
//! SM75_U32x4_LDSM_N                   of f16: (32,8):(8,1) -> (32,(2,4)):(2,(1,64))
//! ```
//!
//! Law: every layout is printed by the atom's type and parsed again; no layout is written twice.
//! Only the 32 widths of each kind of `wgmma` are computed, and a test compares them with the
//! types.

mod copy;
mod element;
mod mma;

pub use copy::{CopyAtom, CopyOperation};
pub use element::Element;
pub use mma::{MmaAtom, Operand};

use layout_types::atom::LayoutFacts;
use layout_types::dynamic::DynLayout;

/// Parses the layout that a type prints.
fn printed(facts: &LayoutFacts) -> DynLayout {
    facts
        .to_string()
        .parse()
        .expect("a layout's type prints CuTe's notation")
}

/// Returns CuTe's spelling of a name that may be written as the Rust type's: `SM80_..` for
/// `Sm80_..`.
fn cute_name(name: &str) -> String {
    match name.strip_prefix("Sm") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("SM{rest}"),
        _ => name.to_string(),
    }
}

/// Returns the names of the MMA atoms of warps and warpgroups (without `UniversalFMA`). Each kind
/// of `wgmma` is listed with the widths 8, 64, 128 and 256.
///
/// ```
/// assert!(notation::atoms::mma_names().iter().any(|name| name == "SM80_16x8x16_F32F16F16F32_TN"));
/// ```
pub fn mma_names() -> Vec<String> {
    mma::names()
}

/// Returns the names of every copy operation.
///
/// ```
/// assert!(notation::atoms::copy_names().contains(&"SM75_U32x4_LDSM_N"));
/// ```
pub fn copy_names() -> Vec<&'static str> {
    copy::names()
}
