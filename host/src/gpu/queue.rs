//! Streams and events beside the device's own stream, and copies between devices.

use super::Gpu;
use super::driver::{self, DriverHandle, check};
use crate::error::Error;
use cust::context::Context;
use std::ptr;

/// `CU_STREAM_NON_BLOCKING`: no order with the default stream.
const NON_BLOCKING: u32 = 1;
/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;
/// `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`.
const PEER_ACCESS_UNSUPPORTED: i32 = 217;

/// A stream: one that was made for a queue, the device's, or somebody else's.
pub(crate) struct GpuStream {
    handle: DriverHandle,
    /// Held for a stream of ours, which is destroyed: it outlives the context by this.
    owned: Option<Context>,
}

// SAFETY: streams may be used from any thread whose current context is theirs, which every function
// of `Gpu` sees to.
unsafe impl Send for GpuStream {}
// SAFETY: streams may be used from several threads at once: the driver locks them, and the context
// is current as for `Send`.
unsafe impl Sync for GpuStream {}

impl Drop for GpuStream {
    fn drop(&mut self) {
        if self.owned.is_some() {
            // SAFETY: created by `new_stream`, destroyed once, here; the driver ends what is
            // enqueued first, and `owned` keeps the context.
            let _ = unsafe { driver::cuStreamDestroy_v2(self.handle) };
        }
    }
}

/// An event without a time.
pub(crate) struct GpuEvent {
    handle: DriverHandle,
    _context: Context,
}

// SAFETY: events may be used from any thread whose current context is theirs, which every function
// of `Gpu` sees to.
unsafe impl Send for GpuEvent {}
// SAFETY: events may be used from several threads at once: the driver locks them, and the context
// is current in each.
unsafe impl Sync for GpuEvent {}

impl Drop for GpuEvent {
    fn drop(&mut self) {
        // SAFETY: created by `new_event`, destroyed once, here; the context is kept beside it.
        let _ = unsafe { driver::cuEventDestroy_v2(self.handle) };
    }
}

impl GpuStream {
    /// A stream that somebody else made, and destroys.
    pub(crate) fn foreign(handle: DriverHandle) -> Self {
        Self {
            handle,
            owned: None,
        }
    }

    pub(super) fn handle(&self) -> DriverHandle {
        self.handle
    }
}

impl Gpu {
    pub(crate) fn new_stream(&self) -> Result<GpuStream, Error> {
        let _current = self.enter_for_now()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a local that outlives the call; `enter_for_now` made the context
        // current.
        let code = unsafe { driver::cuStreamCreate(&raw mut handle, NON_BLOCKING) };
        check("cuStreamCreate", code)?;
        Ok(GpuStream {
            handle,
            owned: Some(self.context.clone()),
        })
    }

    pub(crate) fn main_stream(&self) -> GpuStream {
        GpuStream {
            handle: self.stream(),
            owned: None,
        }
    }

    pub(crate) fn new_event(&self) -> Result<GpuEvent, Error> {
        let _current = self.enter_for_now()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a local that outlives the call; `enter_for_now` made the context
        // current.
        let code = unsafe { driver::cuEventCreate(&raw mut handle, DISABLE_TIMING) };
        check("cuEventCreate", code)?;
        Ok(GpuEvent {
            handle,
            _context: self.context.clone(),
        })
    }

    pub(crate) fn record(&self, event: &GpuEvent, stream: &GpuStream) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: both handles are alive as long as their owners, which are borrowed.
        let code = unsafe { driver::cuEventRecord(event.handle, stream.handle) };
        Ok(check("cuEventRecord", code)?)
    }

    pub(crate) fn wait(&self, event: &GpuEvent, stream: &GpuStream) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: both handles are alive as long as their owners, which are borrowed; the event may
        // be of another device.
        let code = unsafe { driver::cuStreamWaitEvent(stream.handle, event.handle, 0) };
        Ok(check("cuStreamWaitEvent", code)?)
    }

    pub(crate) fn wait_for(&self, stream: &GpuStream) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: the handle is alive as long as its owner, which is borrowed.
        let code = unsafe { driver::cuStreamSynchronize(stream.handle) };
        check("cuStreamSynchronize", code).inspect_err(|error| self.lose_to("a queue", error))?;
        Ok(())
    }

    /// Sets bytes of this device's memory to zero.
    pub(crate) fn zero_on(
        &self,
        address: u64,
        bytes: usize,
        stream: &GpuStream,
    ) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: the range lies in a buffer, by the view of `Queue::zero`'s caller, whose contract
        // keeps it alive and ordered.
        let code = unsafe { driver::cuMemsetD8Async(address, 0, bytes, stream.handle) };
        Ok(check("cuMemsetD8Async", code)?)
    }

    /// Copies bytes between two devices' memories, which may be one.
    pub(crate) fn copy_peer(
        &self,
        (to, to_address): (&Self, u64),
        (from, from_address): (&Self, u64),
        bytes: usize,
        stream: &GpuStream,
    ) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        let context = |gpu: &Self| -> DriverHandle { gpu.context.as_raw().cast() };
        // SAFETY: both ranges lie in buffers, by the views of `Queue::copy`, the only caller, whose
        // contract keeps them alive and ordered; the contexts are alive as long as their devices.
        let code = unsafe {
            driver::cuMemcpyPeerAsync(
                to_address,
                context(to),
                from_address,
                context(from),
                bytes,
                stream.handle,
            )
        };
        Ok(check("cuMemcpyPeerAsync", code)?)
    }

    /// Copies rows of this device's memory: so many bytes of each, to and from addresses with
    /// pitches in bytes.
    pub(crate) fn copy_rows(
        &self,
        [to, from]: [u64; 2],
        [to_pitch, from_pitch]: [usize; 2],
        [bytes, rows]: [usize; 2],
        stream: &GpuStream,
    ) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        let copy = driver::Copy2d {
            from: driver::CopySide::device(from, from_pitch),
            to: driver::CopySide::device(to, to_pitch),
            bytes,
            rows,
        };
        // SAFETY: all rows lie in buffers, by the views of `Queue::copy_rows`, the only caller,
        // whose contract keeps them alive and ordered; the driver reads `copy` before it returns.
        let code = unsafe { driver::cuMemcpy2DAsync_v2(&raw const copy, stream.handle) };
        Ok(check("cuMemcpy2DAsync", code)?)
    }

    /// Lets this device reach the memory of a peer. No error where they are not linked.
    pub(crate) fn enable_peer(&self, peer: &Self) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: the peer's context is alive as long as the peer, and ours is current by
        // `enter_for_now`.
        let code = unsafe { driver::cuCtxEnablePeerAccess(peer.context.as_raw().cast(), 0) };
        if code == driver::PEER_ACCESS_ALREADY_ENABLED || code == PEER_ACCESS_UNSUPPORTED {
            return Ok(());
        }
        Ok(check("cuCtxEnablePeerAccess", code)?)
    }
}
