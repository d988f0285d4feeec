//! Tells `cutlet` where this crate's sources are, in a workspace or as unpacked from a registry.
//! `cutlet` builds them to PTX.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::metadata=folder={folder}");
}
