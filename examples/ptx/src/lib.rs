//! The PTX of `example-kernels`, for the examples and their tests.
//!
//! ```text
//!   examples/kernels ──cuda_builder, in build.rs──► kernels.ptx ──embedded──► ptx() ──► Device::load
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
    const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));
    if WHY_NOT.is_empty() {
        Ok(include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx")))
    } else {
        Err(WHY_NOT)
    }
}
