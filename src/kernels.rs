//! The kernels of this workspace: their PTX, and their contracts as the host checks them.
//!
//! ```text
//!   gpu-kernels ──cuda_builder, in build.rs──► kernels.ptx ──embedded──► ptx()
//!            └──contract(..), plain numbers──────────────────► contract(..) ─► host::Contract
//! ```

use gpu_kernels::contract::Contract as Stated;
use host::Contract;
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
/// [`KernelsNotBuilt`] with the build's own words.
pub fn ptx() -> Result<&'static str, KernelsNotBuilt> {
    if WHY_NOT.is_empty() {
        Ok(PTX)
    } else {
        Err(KernelsNotBuilt { message: WHY_NOT })
    }
}

/// A kernel's contract in the form that a launch checks; `scalars` are the arguments `(index, name, value)`
/// that it was computed from, which the launch must have too.
///
/// ```
/// let stated = gpu_kernels::vecadd::contract(1025)?;
/// let contract = cutlet::kernels::contract(&stated, &[(3, "n", 1025)]);
/// assert_eq!(contract.launch().grid.0, [2, 1, 1]);
/// # Ok::<(), gpu_kernels::contract::Refused>(())
/// ```
#[must_use]
pub fn contract<const BUFFERS: usize>(
    stated: &Stated<BUFFERS>,
    scalars: &[(usize, &str, u32)],
) -> Contract {
    let shape = Contract::new()
        .of(stated.kernel)
        .grid(stated.grid)
        .block(stated.block)
        .shared(stated.shared_bytes);
    let with_buffers = stated.buffers.iter().fold(shape, |contract, buffer| {
        // More elements than an address can count are in no buffer, so the launch will be refused.
        let elements = usize::try_from(buffer.elements).unwrap_or(usize::MAX);
        let (index, name, align) = (buffer.argument, buffer.name, buffer.alignment);
        if buffer.written {
            contract.writes(index, name, elements, align)
        } else {
            contract.reads(index, name, elements, align)
        }
    });
    scalars
        .iter()
        .fold(with_buffers, |contract, &(index, name, value)| {
            contract.scalar(index, name, value)
        })
}
