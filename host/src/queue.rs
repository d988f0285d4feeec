//! Queues in addition to a device's own queue: for copies that run at the same time as kernels,
//! with events that order the two.
//!
//! ```text
//!   Queue::main(device)   launches, in order ──record──► event ──wait──┐
//!   Queue::new(device)    copies by the copy engines, also to another device's memory ◄─┘
//!   Queue::from_raw(device, CUstream)    another library's stream, which may be capturing a CUDA graph
//! ```
//!
//! Law: work on one queue runs in order. Work that waits for an event runs after all work that was
//! enqueued before the event was recorded. On emulated devices everything runs when it is enqueued,
//! so a program is right on both kinds of device if it enqueues work in an order that its events
//! allow.
//!
//! Source: CUDA driver API, *Stream Management*, *Event Management*, *Peer Context Memory Access*.

use crate::buffer::Buffer;
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::gpu::{Gpu, GpuEvent, GpuStream};
use bytemuck::Pod;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

/// The largest number of bytes between rows that a driver accepts.
const MOST_PITCH: usize = i32::MAX as usize;

/// A queue of a device.
pub struct Queue {
    device: Device,
    gpu: Option<(Arc<Gpu>, GpuStream)>,
}

/// Rows of elements in one buffer, and the rows in another buffer to which the elements are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiedRows {
    /// The index of the first row's first element at the source.
    pub from: usize,
    /// The number of elements from one row to the next at the source. It is ignored for one row.
    pub from_pitch: usize,
    /// The index of the first row's first element at the destination.
    pub to: usize,
    /// The number of elements from one row to the next at the destination. It is ignored for one
    /// row.
    pub to_pitch: usize,
    /// The number of elements of a row.
    pub len: usize,
    /// The number of rows.
    pub rows: usize,
}

impl CopiedRows {
    /// Returns a single row.
    #[must_use]
    pub const fn run(from: usize, to: usize, len: usize) -> Self {
        Self {
            from,
            from_pitch: len,
            to,
            to_pitch: len,
            len,
            rows: 1,
        }
    }

    /// Adds a row if it has the same length as the other rows and continues their pitches. Returns
    /// whether the row was added.
    ///
    /// ```
    /// use host::CopiedRows;
    /// let mut rows = CopiedRows::run(0, 10, 2);
    /// assert!(rows.join(&CopiedRows::run(8, 12, 2)) && rows.join(&CopiedRows::run(16, 14, 2)));
    /// assert_eq!((rows.rows, rows.from_pitch, rows.to_pitch), (3, 8, 2));
    /// assert!(!rows.join(&CopiedRows::run(20, 16, 2)) && !rows.join(&CopiedRows::run(24, 16, 1)));
    /// ```
    pub fn join(&mut self, row: &Self) -> bool {
        let behind = |first: usize, at: usize| at.checked_sub(first).filter(|&by| by >= self.len);
        let (Some(from), Some(to)) = (behind(self.from, row.from), behind(self.to, row.to)) else {
            return false;
        };
        if row.len != self.len || row.rows != 1 {
            return false;
        }
        if self.rows == 1 {
            (self.from_pitch, self.to_pitch) = (from, to);
        } else if (from, to) != (self.rows * self.from_pitch, self.rows * self.to_pitch) {
            return false;
        }
        self.rows += 1;
        true
    }

    /// Returns the number of elements that the rows span, if the rows are `pitch` elements apart.
    fn span(&self, pitch: usize) -> usize {
        self.rows
            .saturating_sub(1)
            .saturating_mul(pitch)
            .saturating_add(self.len)
    }
}

/// A point of a queue for which other queues can wait, even queues of other devices.
pub struct QueueEvent(Option<GpuEvent>);

fn gpu(device: &Device) -> Option<&Arc<Gpu>> {
    match device.backend() {
        Backend::Gpu(gpu) => Some(gpu),
        Backend::Emulator(_) => None,
    }
}

impl Queue {
    /// Makes a separate queue, which waits for no other queue.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let queue = |gpu: &Arc<Gpu>| Ok::<_, Error>((Arc::clone(gpu), gpu.new_stream()?));
        Ok(Self {
            device: device.clone(),
            gpu: gpu(device).map(queue).transpose()?,
        })
    }

    /// Makes a queue of a stream that another library made, such as PyTorch's current stream. Work
    /// that is [enqueued](crate::EnqueueOn) on the queue runs in the stream's order, or becomes
    /// nodes of the graph that the stream captures. Dropping the queue leaves the stream as it is.
    ///
    /// `stream` is a `CUstream`, which is the runtime's `cudaStream_t`. A null pointer is the
    /// default stream. An emulated device has no streams: everything runs when it is enqueued, and
    /// the handle is ignored.
    ///
    /// ```
    /// use host::{Device, EnqueueOn, Launch, Queue};
    /// # let ptx = "
    /// #   .version 7.0 .target sm_80 .address_size 64
    /// #   .visible .entry answer(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
    /// #     ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 42;
    /// #     st.global.u32 [%rd2], %r1; ret; }";
    /// let device = Device::best();
    /// let theirs = std::ptr::null_mut(); // the default stream; or torch.cuda.current_stream().cuda_stream
    /// // SAFETY: the default stream lives as long as the device's context.
    /// let queue = unsafe { Queue::from_raw(&device, theirs) };
    /// let mut out = device.upload(&[0_u32])?;
    /// let prepared = device.load(ptx)?.kernel("answer")?.prepare(&Launch::new(1, 1), (&mut out,))?;
    /// // SAFETY: `out` lives, and nothing else uses it, until `synchronize` has returned.
    /// unsafe { prepared.enqueue_on(&queue)? };
    /// queue.synchronize()?;
    /// drop(prepared);
    /// assert_eq!(out.to_vec()?, [42]);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Safety
    /// `stream` is null or a stream of `device`'s context, and lives as long as the queue. For
    /// [`Device::gpu`] and [`Device::best`] the context is the primary context, which the runtime
    /// API, PyTorch and cudarc use. For [`Device::from_current_context`] it is the context that was
    /// current.
    #[must_use]
    pub unsafe fn from_raw(device: &Device, stream: *mut c_void) -> Self {
        Self {
            device: device.clone(),
            gpu: gpu(device).map(|gpu| (Arc::clone(gpu), GpuStream::foreign(stream))),
        }
    }

    /// Returns the queue on which the device's launches run.
    #[must_use]
    pub fn main(device: &Device) -> Self {
        Self {
            device: device.clone(),
            gpu: gpu(device).map(|gpu| (Arc::clone(gpu), gpu.main_stream())),
        }
    }

    /// Returns the device of the queue.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Records the event after all work that was enqueued so far. The event must belong to the same
    /// device.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn record(&self, event: &QueueEvent) -> Result<(), Error> {
        match (&self.gpu, &event.0) {
            (Some((gpu, stream)), Some(event)) => gpu.record(event, stream),
            _ => Ok(()),
        }
    }

    /// Makes work that is enqueued from now on wait for the event. An event that was never recorded
    /// causes no wait.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn wait(&self, event: &QueueEvent) -> Result<(), Error> {
        match (&self.gpu, &event.0) {
            (Some((gpu, stream)), Some(event)) => gpu.wait(event, stream),
            _ => Ok(()),
        }
    }

    /// Copies elements of `from` to the elements of `to` from `to_at` on. The two buffers may be on
    /// different devices. Emulated devices copy at once, and GPUs copy in the order of the queue.
    ///
    /// ```
    /// use host::{Device, Queue, QueueEvent, enable_peer_access};
    /// let devices = [Device::emulator(), Device::emulator()];
    /// enable_peer_access(&devices)?;
    /// let from = devices[0].upload(&[1_u32, 2, 3])?;
    /// let to = devices[1].upload(&[0_u32; 4])?;
    /// let (queue, arrived) = (Queue::new(&devices[0])?, QueueEvent::new(&devices[0])?);
    /// // SAFETY: both buffers outlive the queue's work, which `synchronize` waits for, and nothing else uses them meanwhile.
    /// unsafe { queue.copy(&to, 1, &from, 1..3)? };
    /// queue.record(&arrived)?;
    /// Queue::main(&devices[1]).wait(&arrived)?;
    /// queue.synchronize()?;
    /// assert_eq!(to.to_vec()?, [0, 2, 3, 0]);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Range`] for elements outside a buffer,
    /// [`CollectiveError::Size`](crate::collective::CollectiveError::Size) for a copy between a GPU
    /// and an emulated device, and the device's errors.
    ///
    /// # Safety
    /// Until the queue has run the copy, both buffers live. Other work that writes the elements
    /// that the copy reads, or that accesses the elements that the copy writes, is ordered with the
    /// copy by events.
    pub unsafe fn copy<T: Pod>(
        &self,
        to: &Buffer<T>,
        to_at: usize,
        from: &Buffer<T>,
        range: Range<usize>,
    ) -> Result<(), Error> {
        let elements = range.len();
        let source = from.view(range)?;
        let target = to.view(to_at..to_at + elements)?;
        let bytes = elements * size_of::<T>();
        if bytes == 0 {
            return Ok(());
        }
        match (gpu(to.device()), gpu(from.device()), &self.gpu) {
            (Some(to), Some(from), Some((gpu, stream))) => {
                gpu.copy_peer((to, target.address()), (from, source.address()), bytes, stream)
            }
            (None, None, None) => {
                let mut held = vec![0; bytes];
                from.device().read(source.address(), &mut held)?;
                to.device().write(target.address(), &held)
            }
            _ => Err(crate::collective::CollectiveError::Size {
                what: format!(
                    "a copy from {} to {} on a queue of {}: all of them have to be GPUs, or all emulated",
                    from.device(),
                    to.device(),
                    self.device
                ),
            }
            .into()),
        }
    }

    /// Copies rows of elements as [`copy`](Self::copy) does. If both buffers are on the queue's
    /// GPU, all rows are one copy operation.
    ///
    /// ```
    /// use host::{CopiedRows, Device, Queue};
    /// let device = Device::emulator();
    /// let from = device.upload(&[0_u32, 1, 2, 3, 4, 5])?;
    /// let to = device.upload(&[9_u32; 4])?;
    /// let every_other = CopiedRows { from_pitch: 2, to_pitch: 1, rows: 3, ..CopiedRows::run(1, 0, 1) };
    /// // SAFETY: both buffers outlive the copy, which an emulated device makes at once.
    /// unsafe { Queue::main(&device).copy_rows(&to, &from, &every_other)? };
    /// assert_eq!(to.to_vec()?, [1, 3, 5, 9]);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`copy`](Self::copy).
    ///
    /// # Safety
    /// The conditions of [`copy`](Self::copy) hold for all rows.
    pub unsafe fn copy_rows<T: Pod>(
        &self,
        to: &Buffer<T>,
        from: &Buffer<T>,
        rows: &CopiedRows,
    ) -> Result<(), Error> {
        let (from_span, to_span) = (rows.span(rows.from_pitch), rows.span(rows.to_pitch));
        let source = from.view(rows.from..rows.from.saturating_add(from_span))?;
        let target = to.view(rows.to..rows.to.saturating_add(to_span))?;
        let size = size_of::<T>();
        let pitches = [rows.to_pitch, rows.from_pitch].map(|pitch| pitch.saturating_mul(size));
        let apart = |pitch: usize| (rows.len * size..=MOST_PITCH).contains(&pitch);
        let is_here = |of: &Device| *of == self.device;
        let is_one = rows.rows > 1
            && rows.len > 0
            && pitches.into_iter().all(apart)
            && is_here(to.device())
            && is_here(from.device());
        if let (Some((gpu, stream)), true) = (&self.gpu, is_one) {
            return gpu.copy_rows(
                [target.address(), source.address()],
                pitches,
                [rows.len * size, rows.rows],
                stream,
            );
        }
        for row in 0..rows.rows {
            let first = rows.from + row * rows.from_pitch;
            let to_at = rows.to + row * rows.to_pitch;
            // SAFETY: the caller guarantees the conditions of `copy` for all rows (`# Safety`).
            unsafe { self.copy(to, to_at, from, first..first + rows.len)? };
        }
        Ok(())
    }

    /// Returns the queue's stream for work of `device`, or `None` on an emulated device, where work
    /// runs at once.
    ///
    /// # Errors
    /// Returns [`Error::OtherQueue`] for work of another device.
    pub(crate) fn stream_for(&self, device: &Device) -> Result<Option<&GpuStream>, Error> {
        if *device != self.device {
            return Err(self.refuse(device));
        }
        Ok(self.gpu.as_ref().map(|(_, stream)| stream))
    }

    /// Returns the error for work of another device.
    pub(crate) fn refuse(&self, device: &Device) -> Error {
        Error::OtherQueue {
            queue: self.device.to_string(),
            device: device.to_string(),
        }
    }

    /// Sets `bytes` bytes from an address on to zero, in the order of the queue. The caller
    /// guarantees, under the conditions of [`enqueue_on`](crate::EnqueueOn::enqueue_on), that the
    /// bytes lie in a buffer of the queue's device.
    pub(crate) fn zero(&self, address: u64, bytes: usize) -> Result<(), Error> {
        match &self.gpu {
            Some((gpu, stream)) => gpu.zero_on(address, bytes, stream),
            None => self.device.fill(address, bytes, 0),
        }
    }

    /// Waits for all work on the queue.
    ///
    /// # Errors
    /// Returns the driver's errors, including a kernel's fault.
    pub fn synchronize(&self) -> Result<(), Error> {
        match &self.gpu {
            Some((gpu, stream)) => gpu.wait_for(stream),
            None => Ok(()),
        }
    }
}

impl QueueEvent {
    /// Makes an event for the queues of a device.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub fn new(device: &Device) -> Result<Self, Error> {
        Ok(Self(gpu(device).map(|gpu| gpu.new_event()).transpose()?))
    }
}

/// Lets each of the devices copy directly to and from the memory of the others, if they are GPUs
/// that are linked. Otherwise copies go through the host.
///
/// # Errors
/// Returns the driver's errors, except for GPUs that are not linked.
pub fn enable_peer_access(devices: &[Device]) -> Result<(), Error> {
    for device in devices {
        for peer in devices {
            if let (Some(gpu), Some(peer)) = (gpu(device), gpu(peer))
                && !Arc::ptr_eq(gpu, peer)
            {
                gpu.enable_peer(peer)?;
            }
        }
    }
    Ok(())
}
