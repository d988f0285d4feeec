//! The PTX of this workspace's kernels, as the build embedded it.
//!
//! ```text
//!   gpu-kernels ──cuda_builder, in build.rs──► kernels.ptx ──embedded──► ptx()
//! ```

use thiserror::Error;

const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));

/// The kernels were not built into this program, because the source of Rust's `core` was not there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this program was built without its kernels: {message}")]
pub struct KernelsNotBuilt {
    /// What the build said, with the command that helps.
    pub message: &'static str,
}

/// The PTX of every kernel, for compute capability 8.0 and newer.
///
/// ```
/// let ptx = cutlet::kernels::ptx()?;
/// assert!(ptx.contains(".entry vecadd"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// [`KernelsNotBuilt`] with the build's message.
pub fn ptx() -> Result<&'static str, KernelsNotBuilt> {
    if WHY_NOT.is_empty() {
        Ok(PTX)
    } else {
        Err(KernelsNotBuilt { message: WHY_NOT })
    }
}
