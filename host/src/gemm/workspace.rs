//! Memory in which a GEMM's CTAs pass on partial accumulator tiles, kept from launch to launch.
//!
//! ```text
//!   ┌ counters: zero before a launch, and again after it ┬ partial accumulator tiles: anything ┐
//! ```
//!
//! Law: [`ready`](Workspace::ready) gives at least the bytes requested, the first so many of them
//! zero, provided that every launch since left them so; it allocates only to grow, and writes only
//! what it does not know to be zero.

use crate::buffer::{Buffer, ViewMut};
use crate::device::Device;
use crate::error::Error;

/// A buffer that grows as products need it.
#[derive(Debug, Default)]
pub struct Workspace {
    buffer: Option<Buffer<u8>>,
    /// Zero from the start to here.
    zeroed: usize,
}

impl Workspace {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The workspace's current size, in bytes.
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

    /// `bytes` of the device's memory, of which the first `zeroed` are zero.
    pub(super) fn ready(
        &mut self,
        device: &Device,
        bytes: usize,
        zeroed: usize,
    ) -> Result<ViewMut<'_, u8>, Error> {
        let fits = |buffer: &Buffer<u8>| buffer.len() >= bytes && buffer.device_id() == device.id();
        let mut buffer = match self.buffer.take() {
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
        // The launch to come leaves these as they are; what lies behind them it may write.
        if bytes > 0 {
            self.zeroed = zeroed;
        }
        let len = buffer.len();
        self.buffer.insert(buffer).view_mut(0..len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_and_is_zero_where_it_has_to_be() {
        let device = Device::emulator();
        let mut workspace = Workspace::new();
        assert_eq!(workspace.ready(&device, 0, 0).unwrap().len(), 0);
        assert_eq!(workspace.ready(&device, 1000, 100).unwrap().len(), 1000);
        let zero = |workspace: &Workspace, bytes: usize| {
            let all = workspace.buffer.as_ref().unwrap().to_vec().unwrap();
            all[..bytes].iter().all(|&byte| byte == 0)
        };
        assert!(zero(&workspace, 100));
        // A launch writes behind its counters; a plan with more counters finds them zero.
        let spoilt: Vec<u8> = (0..1000).map(|at| u8::from(at >= 100)).collect();
        workspace
            .buffer
            .as_mut()
            .unwrap()
            .copy_from(&spoilt)
            .unwrap();
        assert_eq!(workspace.ready(&device, 500, 50).unwrap().len(), 1000);
        assert!(!zero(&workspace, 1000));
        workspace.ready(&device, 1000, 200).unwrap();
        assert!(zero(&workspace, 200));
        // Another device's memory is another.
        let other = Device::emulator();
        workspace.ready(&other, 10, 10).unwrap();
        assert_eq!(workspace.len(), 10);
        assert!(zero(&workspace, 10));
    }
}
