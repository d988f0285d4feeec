//! Lets the first program that needs the PTX of the examples' kernels build it, and records the
//! keys of the kernels' sources: tests that execute no kernel do not wait after an edit. With
//! `CUTLET_SM90A=1` all texts are embedded, as Cutlet's own kernels are, for a program that runs
//! without Rust.
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
                    // The program reports the error when it needs the PTX.
                    Ok(_) | Err(CudaBuilderError::RustSrc(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        println!("cargo::rustc-env={variable}={key}");
    }
    Ok(())
}
