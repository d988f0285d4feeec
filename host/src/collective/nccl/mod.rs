//! Ranks on GPUs, connected by NCCL. The communicators do not block, so that a lost peer leads to
//! an error and not to a hang.
//!
//! ```text
//!   connect ─► ncclCommInitRankConfig(blocking = 0) ─► poll ─► connected, or abort after the limit
//!   enqueue ─► ncclAllGather, ..  on the device's stream ─► poll while NCCL is still setting up
//!   wait    ─► cuStreamQuery and ncclCommGetAsyncError, in turn ─► done, NCCL's error, or abort after the limit
//! ```
//!
//! Law: no call waits longer than the limit. An aborted communicator returns its first error from
//! every later call.
//!
//! Source: NCCL's user guide, *Fault Tolerance*, *Point-to-point communication*, and the *API* page
//! of each function.

mod library;

use super::environment::UniqueId;
use super::{CallShape, CollectiveCall, CollectiveError, Collectives, RawCall};
use crate::device::{Backend, Device};
use crate::error::Error;
use crate::gpu::Gpu;
use cuda_driver::Entered;
use library::{Comm, Config, IN_PROGRESS, Id, Nccl, SUCCESS, SUM, Status};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Makes a new id.
pub(super) fn unique_id() -> Result<UniqueId, Error> {
    let nccl = Nccl::get()?;
    let mut id = Id([0; 128]);
    // SAFETY: `id` is a local of the 128 bytes that the function writes.
    let status = unsafe { (nccl.get_unique_id)(&raw mut id) };
    nccl.check("ncclGetUniqueId", status, ptr::null_mut())?;
    Ok(UniqueId(id.0))
}

/// A rank on a GPU.
pub(super) struct NcclRank {
    nccl: &'static Nccl,
    comm: Comm,
    rank: usize,
    size: usize,
    device: Device,
    gpu: Arc<Gpu>,
    limit: Duration,
    /// The call that was enqueued last, and the error that ended the communicator, if there is one.
    state: Mutex<(Option<CallShape>, Option<String>)>,
    /// The lock that a thread holds while it uses the communicator.
    in_use: Mutex<()>,
}

// SAFETY: any thread may use a communicator, but one thread at a time (NCCL's user guide, *Thread
// Safety*). Sending the rank moves it to another thread without sharing it.
unsafe impl Send for NcclRank {}
// SAFETY: only `enqueue`, `wait` and `split` use `comm` by a shared reference, and each holds
// `in_use` while it does, so that one thread at a time uses the communicator.
unsafe impl Sync for NcclRank {}

impl NcclRank {
    /// Connects this rank with the other ranks that have the id.
    pub(super) fn connect(
        device: &Device,
        rank: usize,
        size: usize,
        id: UniqueId,
        limit: Duration,
    ) -> Result<Self, Error> {
        let Backend::Gpu(gpu) = device.backend() else {
            return Err(CollectiveError::NotAGpu {
                device: device.name().into(),
            }
            .into());
        };
        if rank >= size {
            return Err(CollectiveError::Size {
                what: format!(
                    "rank {rank} of {size}: there are ranks 0 to {}",
                    size.saturating_sub(1)
                ),
            }
            .into());
        }
        let nccl = Nccl::get()?;
        let _entered = gpu.enter()?;
        let (mut comm, mut config) = (ptr::null_mut(), Config::non_blocking());
        let [count, number] = [size, rank].map(|x| i32::try_from(x).unwrap_or(i32::MAX));
        // SAFETY: `comm` and `config` are locals that outlive the call, which reads the
        // configuration before it returns; the context of the GPU is current by `enter`.
        let status = unsafe {
            (nccl.comm_init_rank_config)(&raw mut comm, count, Id(id.0), number, &raw mut config)
        };
        let rank = Self {
            nccl,
            comm,
            rank,
            size,
            device: device.clone(),
            gpu: Arc::clone(gpu),
            limit,
            state: Mutex::new((None, None)),
            in_use: Mutex::new(()),
        };
        rank.settle("ncclCommInitRankConfig", status, "connecting")?;
        Ok(rank)
    }

    /// Waits until NCCL has finished setting up a call.
    fn settle(&self, call: &'static str, status: Status, doing: &str) -> Result<(), Error> {
        let until = Instant::now() + self.limit;
        let mut status = status;
        while status == IN_PROGRESS {
            if Instant::now() >= until {
                return Err(self.abort(self.timed_out(doing)));
            }
            std::thread::yield_now();
            status = self.asynchronous_error();
        }
        match self.nccl.check(call, status, self.comm) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.abort(error)),
        }
    }

    fn asynchronous_error(&self) -> Status {
        let mut state = SUCCESS;
        // SAFETY: `comm` is alive until `Drop`, or until `abort`, after which `entered` refuses
        // every call. `state` is a local that outlives the call.
        let status = unsafe { (self.nccl.comm_get_async_error)(self.comm, &raw mut state) };
        if status == SUCCESS { state } else { status }
    }

    fn timed_out(&self, call: &str) -> CollectiveError {
        CollectiveError::TimedOut {
            rank: self.rank,
            size: self.size,
            call: call.into(),
            limit: self.limit,
        }
    }

    /// Ends the communicator and the work that it still runs on the GPU. Returns `error`.
    fn abort(&self, error: CollectiveError) -> Error {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.1.is_none() {
            state.1 = Some(error.to_string());
            if !self.comm.is_null() {
                // SAFETY: this is the first error, by the state above, so `comm` is alive. Nothing
                // uses it afterwards, because `entered` then refuses.
                let _ = unsafe { (self.nccl.comm_abort)(self.comm) };
            }
        }
        error.into()
    }

    /// Makes the context current, as [`Gpu::enter`] does, or returns an error if the communicator
    /// has ended.
    fn entered(&self) -> Result<Option<Entered<'_>>, Error> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = &state.1 {
            return Err(CollectiveError::Ended {
                first: first.clone(),
            }
            .into());
        }
        self.gpu.enter()
    }

    /// Locks the communicator for one thread at a time.
    fn mine(&self) -> MutexGuard<'_, ()> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of every call, within the time limit.
    fn finish(&self) -> Result<(), Error> {
        let _entered = self.entered()?;
        let until = Instant::now() + self.limit;
        loop {
            if self.gpu.is_idle()? {
                return Ok(());
            }
            let status = self.asynchronous_error();
            if status != SUCCESS && status != IN_PROGRESS {
                return match self.nccl.check("ncclCommGetAsyncError", status, self.comm) {
                    Ok(()) => Ok(()),
                    Err(error) => Err(self.abort(error)),
                };
            }
            if Instant::now() >= until {
                let last = self.state.lock().unwrap_or_else(PoisonError::into_inner).0;
                let call = last.map_or_else(|| "a call".into(), |shape| shape.to_string());
                return Err(self.abort(self.timed_out(&call)));
            }
            std::thread::yield_now();
        }
    }

    /// Calls NCCL's function. The caller has called `entered`.
    fn start(&self, call: &RawCall) -> (&'static str, Status) {
        let CallShape {
            call: kind,
            element,
            count,
            ..
        } = call.shape;
        let pointer = |address: u64| ptr::with_exposed_provenance_mut::<c_void>(address as usize);
        let (send, receive) = (pointer(call.send), pointer(call.receive));
        let (nccl, comm, stream, element_type) =
            (self.nccl, self.comm, self.gpu.stream(), element.nccl());
        // SAFETY: the following holds for every call below. `comm` is alive by `entered`, and the
        // stream belongs to the GPU whose context is current. `send` and `receive` hold the call's
        // elements, which `Communicator::prepare` proved, and `PreparedCollective` keeps them
        // borrowed.
        unsafe {
            match kind {
                CollectiveCall::AllGather => (
                    "ncclAllGather",
                    (nccl.all_gather)(send, receive, count, element_type, comm, stream),
                ),
                CollectiveCall::ReduceScatter => (
                    "ncclReduceScatter",
                    (nccl.reduce_scatter)(send, receive, count, element_type, SUM, comm, stream),
                ),
                CollectiveCall::AllReduce => (
                    "ncclAllReduce",
                    (nccl.all_reduce)(send, receive, count, element_type, SUM, comm, stream),
                ),
                CollectiveCall::Broadcast { root } => {
                    let root = root as i32;
                    (
                        "ncclBroadcast",
                        (nccl.broadcast)(send, receive, count, element_type, root, comm, stream),
                    )
                }
                CollectiveCall::AllToAll => {
                    let part = (count * element.size()) as u64;
                    let mut status = (nccl.group_start)();
                    for peer in 0..self.size {
                        let (to, offset) = (peer as i32, part * peer as u64);
                        for (function, address) in
                            [(nccl.send, call.send), (nccl.receive, call.receive)]
                        {
                            if status == SUCCESS || status == IN_PROGRESS {
                                status = function(
                                    pointer(address + offset),
                                    count,
                                    element_type,
                                    to,
                                    comm,
                                    stream,
                                );
                            }
                        }
                    }
                    let end = (nccl.group_end)();
                    (
                        "ncclSend and ncclRecv",
                        if status == SUCCESS || status == IN_PROGRESS {
                            end
                        } else {
                            status
                        },
                    )
                }
            }
        }
    }
}

impl Collectives for NcclRank {
    fn rank(&self) -> usize {
        self.rank
    }
    fn size(&self) -> usize {
        self.size
    }
    fn device(&self) -> &Device {
        &self.device
    }

    fn enqueue(&self, call: &RawCall) -> Result<(), Error> {
        let _mine = self.mine();
        let _entered = self.entered()?;
        let (name, status) = self.start(call);
        self.settle(name, status, &call.shape.to_string())?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = Some(call.shape);
        Ok(())
    }

    fn wait(&self) -> Result<(), Error> {
        let _mine = self.mine();
        self.finish()
    }

    fn split(&self, group: usize) -> Result<Box<dyn Collectives>, Error> {
        let _mine = self.mine();
        // NCCL does not split a communicator that is still working.
        self.finish()?;
        let Ok(color) = i32::try_from(group) else {
            return Err(CollectiveError::Size {
                what: format!("a communicator of group {group}: NCCL numbers them by 31 bits"),
            }
            .into());
        };
        // The allocation stays on the heap after an error, because NCCL's thread writes to it once
        // the communicator exists.
        let place = Box::new(AtomicPtr::new(ptr::null_mut::<c_void>()));
        let place: &'static AtomicPtr<c_void> = Box::leak(place);
        let key = i32::try_from(self.rank).unwrap_or(i32::MAX);
        // SAFETY: `comm` is alive by `entered` in `finish`. `place` was leaked, so it lives
        // forever. A null configuration is allowed: the new communicator then takes the
        // configuration of `self.comm`.
        let status = unsafe {
            (self.nccl.comm_split)(self.comm, color, key, place.as_ptr(), ptr::null_mut())
        };
        // A communicator that does not block returns success even while it is still working.
        let status = if status == SUCCESS {
            IN_PROGRESS
        } else {
            status
        };
        self.settle("ncclCommSplit", status, "split")?;
        let until = Instant::now() + self.limit;
        let comm = loop {
            let comm = place.load(Ordering::Acquire);
            if !comm.is_null() {
                break comm;
            }
            if Instant::now() >= until {
                return Err(self.abort(self.timed_out("split")));
            }
            std::thread::yield_now();
        };
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the following holds for both calls. NCCL has written `comm`, which is alive from
        // then on. The integers are locals that outlive the calls.
        let status = unsafe {
            let status = (self.nccl.comm_user_rank)(comm, &raw mut rank);
            match status {
                SUCCESS => (self.nccl.comm_count)(comm, &raw mut size),
                status => status,
            }
        };
        let [rank, size] = [rank, size].map(|number: i32| usize::try_from(number).unwrap_or(0));
        let split = Self {
            nccl: self.nccl,
            comm,
            rank,
            size,
            device: self.device.clone(),
            gpu: Arc::clone(&self.gpu),
            limit: self.limit,
            state: Mutex::new((None, None)),
            in_use: Mutex::new(()),
        };
        split.settle("ncclCommCount", status, "split")?;
        Ok(Box::new(split))
    }

    fn about(&self) -> String {
        format!("NCCL {}", self.nccl.version())
    }
}

impl Drop for NcclRank {
    fn drop(&mut self) {
        let ended = self
            .state
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .1
            .is_some();
        let entered = self.gpu.enter();
        if !ended && !self.comm.is_null() && entered.is_ok() {
            // `ncclCommDestroy` would wait until the other ranks call it too, which a lost rank
            // never does. `ncclCommAbort` waits for no rank.
            let _ = self.gpu.synchronize();
            // SAFETY: no error has ended the communicator, so `comm` is alive. Nothing uses it
            // after this drop.
            let _ = unsafe { (self.nccl.comm_abort)(self.comm) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulated_device_is_refused_by_name() {
        let error = NcclRank::connect(
            &Device::emulator(),
            0,
            1,
            UniqueId([0; 128]),
            Duration::from_secs(1),
        );
        assert_eq!(
            error.err().map(|error| error.to_string()).as_deref(),
            Some(
                "NCCL needs a GPU; this device is the emulated sm_90; emulated devices have `Communicator::emulated`"
            )
        );
    }
}
