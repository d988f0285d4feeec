//! Work that was checked once and is enqueued again and again: on the device's own queue, or on one
//! that the caller chooses.
//!
//! ```text
//!   prepare ─► PreparedLaunch ─┬─ enqueue ────────────► the device's own queue     safe: all copies are in order with it
//!   checked, kernels loaded    └─ enqueue_on(&queue) ─► Queue::from_raw(stream)    unsafe: the caller orders
//! ```
//!
//! Law: what can be refused is refused when the work is prepared; to enqueue it is launches on one
//! stream, and nothing else.

use crate::args::{Argument, KernelArgs};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;

/// Work that can be enqueued on a device again and again.
pub trait Enqueue {
    /// Enqueues the work once. On a GPU it need not have ended when this returns.
    ///
    /// # Errors
    /// What the device reports.
    fn enqueue(&self) -> Result<(), Error>;
    /// The device that does the work.
    fn device(&self) -> &Device;
}

/// Work whose queue the caller chooses: a queue of one's own, or a stream of somebody else's
/// ([`Queue::from_raw`]).
///
/// ```
/// # use host::{Device, EnqueueOn, Launch, Queue};
/// # let ptx = "
/// #   .version 7.0 .target sm_80 .address_size 64
/// #   .visible .entry answer(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
/// #     ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 42;
/// #     st.global.u32 [%rd2], %r1; ret; }";
/// let device = Device::best();
/// let mut out = device.upload(&[0_u32])?;
/// let queue = Queue::new(&device)?;
/// let prepared = device.load(ptx)?.kernel("answer")?.prepare(&Launch::new(1, 1), (&mut out,))?;
/// // SAFETY: `out` lives, and nothing else uses it, until `synchronize` has returned.
/// unsafe { prepared.enqueue_on(&queue)? };
/// queue.synchronize()?;
/// drop(prepared);
/// assert_eq!(out.to_vec()?, [42]);
/// # Ok::<(), host::Error>(())
/// ```
pub trait EnqueueOn: Enqueue {
    /// Enqueues the work once, on this queue, and waits for nothing.
    ///
    /// On a GPU this makes launches on the queue's stream, of kernels that were loaded when the
    /// work was prepared, and clears there what has to be zero in scratch that the caller supplied:
    /// nothing is allocated, waited for, or done on another stream. So the stream may be capturing
    /// a CUDA graph, and the thread's current context is afterwards what it was.
    ///
    /// # Errors
    /// [`Error::OtherQueue`] for a queue of another device, and what the driver reports; of a
    /// kernel that fails later [`Queue::synchronize`] says so.
    ///
    /// # Safety
    /// Until the queue has run the work, and every graph that captured it has run for the last
    /// time: the buffers that it takes and the scratch live, its kernels stay loaded (by the work,
    /// a [`Kernel`] or its module), and nothing but what the queue or events order writes what it
    /// reads, or accesses what it writes.
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error>;
}

/// Enqueues work on its device's own queue.
pub(crate) fn enqueue_on_main(work: &impl EnqueueOn) -> Result<(), Error> {
    // SAFETY: the device's own stream is ordered with the default stream, through which all copies
    // of buffers go, and freeing memory or unloading a module waits for the context's work: what
    // borrows the buffers no longer finds it done.
    unsafe { work.enqueue_on(&Queue::main(work.device())) }
}

/// A launch that was checked once, to run many times. It holds `A`, which keeps the arguments
/// borrowed.
pub struct PreparedLaunch<A> {
    kernel: Kernel,
    launch: Launch,
    bytes: Vec<Vec<u8>>,
    _arguments: A,
}

impl Kernel {
    /// Checks a launch once, to make it many times.
    ///
    /// ```
    /// # use host::{Device, Enqueue, Launch};
    /// # let ptx = "
    /// #   .version 7.0 .target sm_80 .address_size 64
    /// #   .visible .entry answer(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
    /// #     ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 42;
    /// #     st.global.u32 [%rd2], %r1; ret; }";
    /// let device = Device::emulator();
    /// let mut out = device.upload(&[0_u32])?;
    /// let prepared = device.load(ptx)?.kernel("answer")?.prepare(&Launch::new(1, 1), (&mut out,))?;
    /// prepared.enqueue()?;
    /// drop(prepared); // it borrows what it writes
    /// assert_eq!(out.to_vec()?, [42]);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Refused`], as [`launch`](Self::launch).
    pub fn prepare<A: KernelArgs>(
        &self,
        launch: &Launch,
        arguments: A,
    ) -> Result<PreparedLaunch<A>, Error> {
        PreparedLaunch::new(self, launch, &arguments.lower(), arguments)
    }
}

impl<A> PreparedLaunch<A> {
    /// Checks a launch of `kernel` with `lowered` arguments, which `borrowed` keeps borrowed.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub(crate) fn new(
        kernel: &Kernel,
        launch: &Launch,
        lowered: &[Argument],
        borrowed: A,
    ) -> Result<Self, Error> {
        let bytes = kernel.checked(launch, lowered)?;
        kernel.ready(launch)?;
        Ok(Self {
            bytes,
            kernel: kernel.clone(),
            launch: launch.clone(),
            _arguments: borrowed,
        })
    }

    /// The launch that was checked.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Runs the launch once and waits for its end.
    ///
    /// # Errors
    /// [`Error::Fault`].
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<Run, Error> {
        self.kernel.run(&self.launch, &self.bytes, progress)
    }
}

impl<A> EnqueueOn for PreparedLaunch<A> {
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error> {
        self.kernel.enqueue(&self.launch, &self.bytes, queue)
    }
}

impl<A> Enqueue for PreparedLaunch<A> {
    fn enqueue(&self) -> Result<(), Error> {
        enqueue_on_main(self)
    }
    fn device(&self) -> &Device {
        self.kernel.device()
    }
}
