//! Leaves the PTX of the examples' kernels to the program that asks for it first, and notes the
//! keys of their sources: tests that execute neither are not kept waiting by an edit. With
//! `CUTLET_SM90A=1` both are embedded, as Cutlet's own kernels are, for a program that runs where
//! there is no Rust.
//!
//! ```text
//!   CUTLET_SM90A=1    OUT_DIR/NAME.ptx: embedded
//!   otherwise         OUT_DIR/NAME.ptx is empty; the variable has the key
//! ```

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use cuda_builder::CudaBuilderError;

#[path = "src/recipe.rs"]
mod recipe;

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    println!("cargo::rerun-if-env-changed=CUTLET_SM90A");
    let embed = env::var("CUTLET_SM90A").is_ok_and(|value| value != "0");
    for (folder, arch, variable) in recipe::MODULES {
        let ptx = out_dir.join(folder).with_extension("ptx");
        fs::write(&ptx, "")?;
        let mut key = String::new();
        if !cuda_builder::in_clippy() {
            let builder = recipe::recipe(folder, arch);
            key = builder.defer()?;
            if embed {
                match builder.copy_to(&ptx).build() {
                    // The program says so, when it is asked for the text.
                    Ok(_) | Err(CudaBuilderError::RustSrc(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        println!("cargo::rustc-env={variable}={key}");
    }
    Ok(())
}
