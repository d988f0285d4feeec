//! Streams and events in addition to the device's own stream, and copies between devices.

use super::Gpu;
use crate::error::Error;
use cuda_driver::calls::{self, Code, Copy2d, CopySide, Handle};
use cuda_driver::{Event, Stream, check};

/// `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`.
const PEER_ACCESS_UNSUPPORTED: Code = 217;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
const PEER_ACCESS_ALREADY_ENABLED: Code = 704;

/// A stream, which belongs to a queue, to the device, or to another library.
pub(crate) struct GpuStream {
    handle: Handle,
    /// The owner of a stream made here, which destroys the stream. It is `None` for other streams.
    _owned: Option<Stream>,
}

// SAFETY: any thread whose current context is a stream's may use the stream, and every function of
// `Gpu` makes that context current.
unsafe impl Send for GpuStream {}
// SAFETY: several threads may use a stream at once, since the driver locks it. Every function of
// `Gpu` makes the stream's context current.
unsafe impl Sync for GpuStream {}

/// An event that records no time.
pub(crate) struct GpuEvent(Event);

impl GpuStream {
    /// Returns a stream that this value does not destroy: the device's own stream, or another
    /// library's.
    pub(crate) fn foreign(handle: Handle) -> Self {
        Self {
            handle,
            _owned: None,
        }
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }
}

impl Gpu {
    pub(crate) fn new_stream(&self) -> Result<GpuStream, Error> {
        self.refuse_if_lost()?;
        let stream = Stream::independent(&self.context)?;
        Ok(GpuStream {
            handle: stream.raw(),
            _owned: Some(stream),
        })
    }

    pub(crate) fn main_stream(&self) -> GpuStream {
        GpuStream::foreign(self.stream())
    }

    pub(crate) fn new_event(&self) -> Result<GpuEvent, Error> {
        self.refuse_if_lost()?;
        Ok(GpuEvent(Event::untimed(&self.context)?))
    }

    pub(crate) fn record(&self, event: &GpuEvent, stream: &GpuStream) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: both handles are alive as long as their owners, which are borrowed.
        let code = unsafe { calls::cuEventRecord(event.0.raw(), stream.handle) };
        Ok(check("cuEventRecord", code)?)
    }

    pub(crate) fn wait(&self, event: &GpuEvent, stream: &GpuStream) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: both handles are alive as long as their owners, which are borrowed. The event may
        // belong to another device.
        let code = unsafe { calls::cuStreamWaitEvent(stream.handle, event.0.raw(), 0) };
        Ok(check("cuStreamWaitEvent", code)?)
    }

    pub(crate) fn wait_for(&self, stream: &GpuStream) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: the handle is alive as long as its owner, which is borrowed.
        let code = unsafe { calls::cuStreamSynchronize(stream.handle) };
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
        // SAFETY: the range lies in a buffer, because the caller of `Queue::zero` took it from a
        // view. That caller guarantees, by the conditions of `enqueue_on`, that the buffer lives
        // and that accesses are ordered.
        let code = unsafe { calls::cuMemsetD8Async(address, 0, bytes, stream.handle) };
        Ok(check("cuMemsetD8Async", code)?)
    }

    /// Copies bytes from one device's memory to another's, or within one device's memory.
    pub(crate) fn copy_peer(
        &self,
        (to, to_address): (&Self, u64),
        (from, from_address): (&Self, u64),
        bytes: usize,
        stream: &GpuStream,
    ) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        let context = |gpu: &Self| gpu.context.raw();
        // SAFETY: both ranges lie in buffers, by the views of `Queue::copy`, the only caller. The
        // caller of `Queue::copy` guarantees that the buffers live and that accesses are ordered
        // (`# Safety`). The contexts are alive as long as their devices.
        let code = unsafe {
            calls::cuMemcpyPeerAsync(
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

    /// Copies `rows` rows of `bytes` bytes within this device's memory. The source and the
    /// destination each have an address and a pitch in bytes.
    pub(crate) fn copy_rows(
        &self,
        [to, from]: [u64; 2],
        [to_pitch, from_pitch]: [usize; 2],
        [bytes, rows]: [usize; 2],
        stream: &GpuStream,
    ) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        let copy = Copy2d {
            from: CopySide::device(from, from_pitch),
            to: CopySide::device(to, to_pitch),
            bytes,
            rows,
        };
        // SAFETY: all rows lie in buffers, by the views of `Queue::copy_rows`, the only caller. The
        // caller of `Queue::copy_rows` guarantees that the buffers live and that accesses are
        // ordered (`# Safety`). The driver reads `copy` before it returns.
        let code = unsafe { calls::cuMemcpy2DAsync_v2(&raw const copy, stream.handle) };
        Ok(check("cuMemcpy2DAsync", code)?)
    }

    /// Lets this device access the memory of a peer. It is not an error if the two devices are not
    /// linked.
    pub(crate) fn enable_peer(&self, peer: &Self) -> Result<(), Error> {
        let _current = self.enter_for_now()?;
        // SAFETY: the peer's context is alive as long as the peer, and `enter_for_now` made ours
        // current.
        let code = unsafe { calls::cuCtxEnablePeerAccess(peer.context.raw(), 0) };
        if code == PEER_ACCESS_ALREADY_ENABLED || code == PEER_ACCESS_UNSUPPORTED {
            return Ok(());
        }
        Ok(check("cuCtxEnablePeerAccess", code)?)
    }
}
