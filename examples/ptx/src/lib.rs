//! The PTX of `example-kernels`, `example-hopper-kernels`, `example-blackwell-kernels` and
//! `example-weights-kernels`, for the examples and their tests.
//!
//! ```text
//!   examples/kernels ─────────cuda_builder, at the first request────────► ptx() ─────► Device::load
//!   examples/hopper-kernels ────────────────────────────────────────────► hopper()
//!   examples/blackwell-kernels ─────────────────────────────────────────► blackwell()
//!   examples/weights-kernels ───────────────────────────────────────────► weights()
//! ```
//!
//! The build script records the keys of the sources. The target folder keeps what was built for a
//! key, for all programs. With `CUTLET_SM90A=1` all texts are embedded instead.

mod recipe;

use recipe::{MODULES, recipe};
use std::path::Path;
use std::sync::OnceLock;

/// Returns the PTX for compute capability 8.0 and newer. The first program that needs it builds it.
///
/// # Errors
/// Returns the build's message if kernels could not be compiled, with the command that helps.
///
/// ```
/// assert!(example_ptx::ptx()?.contains(".entry stream_copy"));
/// # Ok::<(), &str>(())
/// ```
pub fn ptx() -> Result<&'static str, &'static str> {
    static PTX: OnceLock<Result<String, String>> = OnceLock::new();
    let embedded = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
    built(&PTX, 0, embedded, env!("CUTLET_EXAMPLES"))
}

/// Returns the PTX of the walk-through for Hopper, for compute capability 9.0 only. The first
/// program that needs it builds it.
///
/// # Errors
/// Returns the errors of [`ptx`].
///
/// ```
/// assert!(example_ptx::hopper()?.contains(".entry hopper_1_tma"));
/// # Ok::<(), &str>(())
/// ```
pub fn hopper() -> Result<&'static str, &'static str> {
    static PTX: OnceLock<Result<String, String>> = OnceLock::new();
    let embedded = include_str!(concat!(env!("OUT_DIR"), "/hopper-kernels.ptx"));
    built(&PTX, 1, embedded, env!("CUTLET_HOPPER_EXAMPLES"))
}

/// Returns the PTX of the example for Blackwell, for compute capability 10.0 only. The first
/// program that needs it builds it. No card has run it.
///
/// # Errors
/// Returns the errors of [`ptx`].
///
/// ```
/// assert!(example_ptx::blackwell()?.contains("tcgen05.mma"));
/// # Ok::<(), &str>(())
/// ```
pub fn blackwell() -> Result<&'static str, &'static str> {
    static PTX: OnceLock<Result<String, String>> = OnceLock::new();
    let embedded = include_str!(concat!(env!("OUT_DIR"), "/blackwell-kernels.ptx"));
    built(&PTX, 2, embedded, env!("CUTLET_BLACKWELL_EXAMPLES"))
}

/// Returns the PTX of the kernels with weights of 4 and 8 bits, for compute capability 9.0 only.
/// The first program that needs it builds it.
///
/// # Errors
/// Returns the errors of [`ptx`].
///
/// ```
/// assert!(example_ptx::weights()?.contains(".entry weights_int4_g128_bf16_t8"));
/// # Ok::<(), &str>(())
/// ```
pub fn weights() -> Result<&'static str, &'static str> {
    static PTX: OnceLock<Result<String, String>> = OnceLock::new();
    let embedded = include_str!(concat!(env!("OUT_DIR"), "/weights-kernels.ptx"));
    built(&PTX, 3, embedded, env!("CUTLET_WEIGHTS_EXAMPLES"))
}

fn built(
    kept: &'static OnceLock<Result<String, String>>,
    module: usize,
    embedded: &'static str,
    key: &str,
) -> Result<&'static str, &'static str> {
    if !embedded.is_empty() {
        return Ok(embedded);
    }
    let build = || {
        let (folder, arch, _) = MODULES[module];
        let target = cuda_builder::folder_of(Path::new(env!("OUT_DIR")));
        let builder = recipe(folder, arch).build_folder(target);
        match builder.deferred(key) {
            Some(ptx) => Ok(ptx),
            None => builder
                .build_deferred(key)
                .map_err(|error| error.to_string()),
        }
    };
    kept.get_or_init(build)
        .as_ref()
        .map(String::as_str)
        .map_err(String::as_str)
}
