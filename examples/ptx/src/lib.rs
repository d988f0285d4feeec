//! The PTX of `example-kernels` and `example-hopper-kernels`, for the examples and their tests.
//!
//! ```text
//!   examples/kernels ─────────cuda_builder, in build.rs──► kernels.ptx ──embedded──► ptx() ─────► Device::load
//!   examples/hopper-kernels ──────────────────────────────► hopper.ptx ──────────────► hopper()
//! ```

/// The PTX, for compute capability 8.0 and newer.
///
/// # Errors
/// What the build said where it could not compile kernels, with the command that helps.
///
/// ```
/// assert!(example_ptx::ptx()?.contains(".entry stream_copy"));
/// # Ok::<(), &str>(())
/// ```
pub fn ptx() -> Result<&'static str, &'static str> {
    embedded(include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx")))
}

/// The PTX of the walk-through for Hopper, for compute capability 9.0 alone.
///
/// # Errors
/// As [`ptx`].
///
/// ```
/// assert!(example_ptx::hopper()?.contains(".entry hopper_1_tma"));
/// # Ok::<(), &str>(())
/// ```
pub fn hopper() -> Result<&'static str, &'static str> {
    embedded(include_str!(concat!(env!("OUT_DIR"), "/hopper.ptx")))
}

fn embedded(ptx: &'static str) -> Result<&'static str, &'static str> {
    const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));
    if WHY_NOT.is_empty() {
        Ok(ptx)
    } else {
        Err(WHY_NOT)
    }
}
