//! Scratch memory through which the kernels of a launch pass data to each other. It grows as
//! launches need it, or is a buffer that the caller supplies.
//!
//! ```text
//!   Workspace::new()          allocates to grow, when work is prepared; a plan's counters are zero, and zero again after every launch
//!   Workspace::of(buffer)     of the size that the plan states; counters are set to zero before every launch, on its stream
//! ```
//!
//! Law: the scratch of a prepared launch has as many bytes as the launch's plan states, and its
//! counters are zero when the first kernel begins.

use crate::buffer::{Buffer, ViewMut};
use crate::device::Device;
use crate::error::Error;

/// A buffer for data that kernels pass to each other.
#[derive(Debug, Default)]
pub struct Workspace {
    buffer: Option<Buffer<u8>>,
    /// The number of bytes from the start that are zero.
    zeroed: usize,
    /// Whether the caller supplied the buffer. Such a buffer does not grow, and its contents are
    /// unknown.
    supplied: bool,
}

/// A workspace that is ready for a launch.
pub(crate) struct ReadyWorkspace<'a> {
    pub view: ViewMut<'a, u8>,
    /// The number of bytes at the view's start that must be set to zero before every launch.
    pub cleared: usize,
}

impl Workspace {
    /// Returns an empty workspace, which grows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a workspace of the caller's buffer, which may have any contents and may be memory of
    /// another library's allocator ([`Buffer::from_raw`]). The buffer's address must be a multiple
    /// of 256, and the buffer must have at least as many bytes as the plan states. Preparing a
    /// launch then allocates nothing, and one buffer can serve several consecutive launches.
    ///
    /// The number of bytes is [`Plan::workspace_bytes`](kernel_abi::gemm::Plan::workspace_bytes) or
    /// [`DecodePlan::scratch_bytes`](kernel_abi::attention::DecodePlan::scratch_bytes). Attention's
    /// forward pass needs no scratch, except for 8-bit floats, for which Vᵀ is allocated during
    /// preparation.
    ///
    /// ```
    /// use host::{Device, Workspace};
    /// let workspace = Workspace::of(Device::best().alloc::<u8>(1 << 20)?);
    /// assert_eq!(workspace.len(), 1 << 20);
    /// # Ok::<(), host::Error>(())
    /// ```
    #[must_use]
    pub fn of(buffer: Buffer<u8>) -> Self {
        Self {
            buffer: Some(buffer),
            zeroed: 0,
            supplied: true,
        }
    }

    /// Returns the workspace's current size, in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer.as_ref().map_or(0, Buffer::len)
    }

    /// Whether the workspace has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Marks the contents as unknown, after a launch that failed.
    pub fn spoil(&mut self) {
        self.zeroed = 0;
    }

    /// Returns `bytes` bytes of the device's memory. The first `zeroed` of them are zero when a
    /// launch begins.
    ///
    /// # Errors
    /// Returns [`Error::Scratch`] or [`Error::ScratchElsewhere`] if the caller's buffer does not
    /// satisfy the launch's needs, and otherwise the errors of an allocation.
    pub(crate) fn ready(
        &mut self,
        device: &Device,
        bytes: usize,
        zeroed: usize,
    ) -> Result<ReadyWorkspace<'_>, Error> {
        let fits = |buffer: &Buffer<u8>| buffer.len() >= bytes && buffer.device_id() == device.id();
        let mut buffer = match self.buffer.take() {
            Some(buffer) if self.supplied => {
                return supplied(self.buffer.insert(buffer), device, bytes, zeroed);
            }
            Some(buffer) if fits(&buffer) => buffer,
            old => {
                drop(old);
                self.zeroed = 0;
                device.alloc(bytes)?
            }
        };
        if zeroed > self.zeroed {
            buffer.fill_bytes(0)?;
        }
        // The next launch leaves these bytes zero, and may write the bytes after them.
        if bytes > 0 {
            self.zeroed = zeroed;
        }
        Ok(ReadyWorkspace {
            view: self.buffer.insert(buffer).all_mut(),
            cleared: 0,
        })
    }
}

/// Returns the caller's buffer, checked for a launch on `device`.
fn supplied<'a>(
    buffer: &'a mut Buffer<u8>,
    device: &Device,
    bytes: usize,
    zeroed: usize,
) -> Result<ReadyWorkspace<'a>, Error> {
    if buffer.device() != device {
        return Err(Error::ScratchElsewhere {
            scratch: buffer.device().to_string(),
            device: device.to_string(),
        });
    }
    if buffer.len() < bytes {
        return Err(Error::Scratch {
            found: buffer.len(),
            needed: bytes,
        });
    }
    Ok(ReadyWorkspace {
        view: buffer.all_mut(),
        cleared: zeroed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_and_is_zero_where_it_has_to_be() {
        let device = Device::emulator();
        let mut workspace = Workspace::new();
        assert_eq!(workspace.ready(&device, 0, 0).unwrap().view.len(), 0);
        assert_eq!(
            workspace.ready(&device, 1000, 100).unwrap().view.len(),
            1000
        );
        let zero = |workspace: &Workspace, bytes: usize| {
            let all = workspace.buffer.as_ref().unwrap().to_vec().unwrap();
            all[..bytes].iter().all(|&byte| byte == 0)
        };
        assert!(zero(&workspace, 100));
        // A launch writes the bytes after its counters. A plan with more counters still finds its
        // counters zero.
        let spoilt: Vec<u8> = (0..1000).map(|at| u8::from(at >= 100)).collect();
        workspace
            .buffer
            .as_mut()
            .unwrap()
            .copy_from(&spoilt)
            .unwrap();
        assert_eq!(workspace.ready(&device, 500, 50).unwrap().view.len(), 1000);
        assert!(!zero(&workspace, 1000));
        workspace.ready(&device, 1000, 200).unwrap();
        assert!(zero(&workspace, 200));
        // For another device, the workspace allocates new memory.
        let other = Device::emulator();
        workspace.ready(&other, 10, 10).unwrap();
        assert_eq!(workspace.len(), 10);
        assert!(zero(&workspace, 10));
    }
    #[test]
    fn a_buffer_of_the_callers_is_as_large_as_it_is() {
        let device = Device::emulator();
        let mut workspace = Workspace::of(device.alloc(100).unwrap());
        let ready = workspace.ready(&device, 100, 8).unwrap();
        assert_eq!((ready.view.len(), ready.cleared), (100, 8));
        let said = |result: Result<ReadyWorkspace<'_>, Error>| result.err().unwrap().to_string();
        assert_eq!(
            said(workspace.ready(&device, 101, 8)),
            "the scratch has 100 bytes; the launch needs 101, as its plan says"
        );
        assert_eq!(
            said(workspace.ready(&Device::emulator(), 100, 8)),
            "the scratch lies on emulated sm_90, the launch is one of emulated sm_90: they must be one device"
        );
    }
}
