//! Work that is checked once and enqueued any number of times: on the device's own queue, or on a
//! queue that the caller chooses.
//!
//! ```text
//!   prepare ─► PreparedLaunch ─┬─ enqueue ────────────► the device's own queue     safe: all copies are ordered with it
//!   checked, kernels loaded    └─ enqueue_on(&queue) ─► Queue::from_raw(stream)    unsafe: the caller orders
//! ```
//!
//! Law: every refusal happens when the work is prepared. Enqueueing the work only makes launches on
//! one stream.

use crate::args::{Argument, KernelArgs};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;

/// Work that can be enqueued on a device any number of times.
pub trait Enqueue {
    /// Enqueues the work once. On a GPU the work may still be running when this returns.
    ///
    /// # Errors
    /// Returns the device's errors.
    fn enqueue(&self) -> Result<(), Error>;
    /// Returns the device that does the work.
    fn device(&self) -> &Device;
}

/// Work whose queue the caller chooses: a separate queue, or a stream of another library
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
    /// Enqueues the work once on this queue, without waiting.
    ///
    /// On a GPU this launches, on the queue's stream, kernels that were loaded when the work was
    /// prepared, and clears the parts of the caller's scratch that must be zero. It allocates
    /// nothing, waits for nothing, and uses no other stream. The stream may therefore be capturing
    /// a CUDA graph, and the thread's current context is unchanged afterwards.
    ///
    /// # Errors
    /// Returns [`Error::OtherQueue`] for a queue of another device, and the driver's errors. If a
    /// kernel fails later, [`Queue::synchronize`] returns the error.
    ///
    /// # Safety
    /// These conditions hold until the queue has run the work, and every graph that captured it has
    /// run for the last time. The buffers and the scratch memory that the work uses are not freed.
    /// The module of each kernel of the work stays loaded, as it does while the work, the module or
    /// a [`Kernel`] of the module is alive. Other work that writes what this work reads, or that
    /// accesses what this work writes, is ordered with it by the queue or by events.
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error>;
}

/// Enqueues work on its device's own queue.
pub(crate) fn enqueue_on_main(work: &impl EnqueueOn) -> Result<(), Error> {
    // SAFETY: the device's own stream is ordered with the default stream, through which all copies
    // of buffers go. Freeing memory or unloading a module waits for the context's work, so the work
    // has ended before its buffers or kernels go away.
    unsafe { work.enqueue_on(&Queue::main(work.device())) }
}

/// A launch that was checked once and can run any number of times. It holds a value of type `A`,
/// which keeps the arguments borrowed.
pub struct PreparedLaunch<A> {
    kernel: Kernel,
    launch: Launch,
    bytes: Vec<Vec<u8>>,
    _arguments: A,
}

impl Kernel {
    /// Checks a launch once, so that it can run any number of times.
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
    /// Returns [`Error::Refused`] under the same conditions as [`launch`](Self::launch).
    pub fn prepare<A: KernelArgs>(
        &self,
        launch: &Launch,
        arguments: A,
    ) -> Result<PreparedLaunch<A>, Error> {
        PreparedLaunch::new(self, launch, &arguments.lower(), arguments)
    }
}

impl<A> PreparedLaunch<A> {
    /// Checks a launch of `kernel` with the arguments `lowered`. The returned launch holds
    /// `borrowed`, which keeps these arguments borrowed.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if the launch is refused.
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

    /// Returns the launch that was checked.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Runs the launch once and waits for its end.
    ///
    /// # Errors
    /// Returns [`Error::Fault`] if the kernel fails.
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
