//! Sets `CUTLET_PACK` to the file of kernels: the file that `CUTLET_KERNELS_PACK` names, or else
//! `kernels.pack` beside this file, or else an empty file, so that the crate compiles without
//! kernels.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=CUTLET_KERNELS_PACK");
    println!("cargo::rerun-if-changed=kernels.pack");
    let beside = PathBuf::from("kernels.pack");
    let named = env::var_os("CUTLET_KERNELS_PACK").map(PathBuf::from);
    let pack = match named {
        Some(named) => {
            println!("cargo::rerun-if-changed={}", named.display());
            fs::canonicalize(named)?
        }
        None if beside.is_file() => fs::canonicalize(beside)?,
        None => {
            let empty = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("empty.pack");
            fs::write(&empty, [])?;
            empty
        }
    };
    println!("cargo::rustc-env=CUTLET_PACK={}", pack.display());
    Ok(())
}
