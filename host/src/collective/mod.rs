//! Collectives: calls in which devices exchange elements. All devices make the same calls.
//!
//! ```text
//!   Communicator::emulated(&devices, ..)   N devices of this process, calls executed and checked
//!   Communicator::nccl(&devices, ..)       N GPUs of this process, one thread each            ──► the same program
//!   Communicator::from_environment(..)     one process a GPU, or an emulated device: RANK, WORLD_SIZE, an id
//!
//!   all_gather       0 | 1 | 2      ─►  012 | 012 | 012
//!   reduce_scatter   abc | def | ghi ─►  a+d+g | b+e+h | c+f+i
//!   all_reduce       a | b | c      ─►  a+b+c everywhere
//!   broadcast        a | . | .      ─►  a everywhere
//!   all_to_all       abc | def | ghi ─►  adg | beh | cfi
//! ```
//!
//! Law: if every rank makes the same calls in the same order, with the same element type and count,
//! then each rank has the result of the definition above. If a rank makes another call, makes no
//! call, or has ended, the call of every other rank ends in an error within the time limit. On
//! emulated devices the error says which rank it was and what it called. On GPUs the error says
//! which call did not end.
//!
//! Source: NCCL's user guide, *Collective Operations*, *Fault Tolerance*; MPI 4.1, chapter 6.

mod element;
mod emulated;
mod environment;
mod error;
mod nccl;
mod processes;
mod redistribute;

pub use element::{CollectiveElement, ElementType};
pub use environment::{Launched, UniqueId};
pub use error::CollectiveError;
pub use redistribute::Redistributor;

use crate::buffer::Buffer;
use crate::device::{Device, Kind};
use crate::enqueue::Enqueue;
use crate::error::Error;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A call of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveCall {
    /// Each rank receives what every rank sends, in the order of ranks.
    AllGather,
    /// Each rank receives its part of the sum.
    ReduceScatter,
    /// Each rank receives the sum.
    AllReduce,
    /// Each rank receives what this rank sends.
    Broadcast {
        /// The number of the sending rank.
        root: usize,
    },
    /// Rank i's part j goes to rank j's part i.
    AllToAll,
}

impl CollectiveCall {
    /// Returns the call's name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AllGather => "all_gather",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllReduce => "all_reduce",
            Self::Broadcast { .. } => "broadcast",
            Self::AllToAll => "all_to_all",
        }
    }

    /// Returns how many elements each of `size` ranks sends and receives in a call of `count`
    /// elements.
    fn lengths(self, count: usize, size: usize) -> (usize, usize) {
        match self {
            Self::AllGather => (count, count * size),
            Self::ReduceScatter => (count * size, count),
            Self::AllReduce | Self::Broadcast { .. } => (count, count),
            Self::AllToAll => (count * size, count * size),
        }
    }
}

/// A call with its count and element type, which must be the same on every rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallShape {
    pub call: CollectiveCall,
    pub element: ElementType,
    /// The number of elements that a rank sends in `all_gather`, receives in `reduce_scatter`, and
    /// sends to each rank in `all_to_all`. In the other calls it is the number that a rank sends
    /// and receives.
    pub count: usize,
    /// Whether the ranks make the call in order to split off communicators.
    pub splits: bool,
}

impl fmt::Display for CallShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.splits {
            return f.write_str("split");
        }
        write!(f, "{} of {} {}", self.call.name(), self.count, self.element)?;
        if let CollectiveCall::Broadcast { root } = self.call {
            write!(f, " from rank {root}")?;
        }
        Ok(())
    }
}

/// A call with the addresses of its buffers in the device's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawCall {
    pub shape: CallShape,
    pub send: u64,
    pub receive: u64,
}

/// A rank of a communicator, whether NCCL or the emulator moves its elements. The addresses that
/// `enqueue` receives belong to buffers that hold the call's elements, as [`Communicator::prepare`]
/// proved.
pub(crate) trait Collectives: Send + Sync {
    fn rank(&self) -> usize;
    fn size(&self) -> usize;
    fn device(&self) -> &Device;
    /// Starts a call. On emulated devices the call has ended when this function returns.
    fn enqueue(&self, call: &RawCall) -> Result<(), Error>;
    /// Waits for the end of every call, within the time limit.
    fn wait(&self) -> Result<(), Error>;
    /// Makes a communicator of the ranks that pass the same number, and returns this rank's part in
    /// it.
    fn split(&self, group: usize) -> Result<Box<dyn Collectives>, Error>;
    fn about(&self) -> String;
}

/// One rank: a device, and its connection to the other ranks. Each rank needs its own thread.
///
/// ```
/// use host::collective::Communicator;
/// use host::Device;
/// use std::time::Duration;
/// let devices = [Device::emulator(), Device::emulator()];
/// let ranks = Communicator::emulated(&devices, Duration::from_secs(5));
/// std::thread::scope(|scope| {
///     for rank in ranks {
///         scope.spawn(move || {
///             let mine = rank.device().upload(&[1.5_f32 + rank.rank() as f32])?;
///             let mut all = rank.device().alloc(2)?;
///             rank.all_gather(&mine, &mut all)?;
///             assert_eq!(all.to_vec()?, [1.5, 2.5]);
///             Ok::<(), host::Error>(())
///         });
///     }
/// });
/// ```
pub struct Communicator {
    /// The communicators of groups of ranks. The key has, for each rank, the number of its group.
    /// Each communicator is made once and ends together with this communicator. Ending a
    /// communicator frees memory on the GPUs of all its ranks, and freeing waits for the work that
    /// runs there. If a group's communicator ended earlier, a call that not every rank has begun
    /// would never end.
    groups: Mutex<HashMap<Vec<usize>, Arc<Communicator>>>,
    of: Box<dyn Collectives>,
}

impl Communicator {
    fn new(of: Box<dyn Collectives>) -> Self {
        Self {
            groups: Mutex::default(),
            of,
        }
    }

    /// Returns the communicator of this rank's group, where `groups` has the group of each rank.
    /// The first call with these groups makes the communicator as [`split`](Self::split) does.
    /// Every rank makes the same calls, in the same order.
    ///
    /// # Errors
    /// Returns the errors of [`split`](Self::split).
    pub(crate) fn group(&self, groups: &[usize]) -> Result<Arc<Self>, Error> {
        let mut made = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of) = made.get(groups) {
            return Ok(Arc::clone(of));
        }
        let of = Arc::new(self.split(groups[self.rank()])?);
        made.insert(groups.to_vec(), Arc::clone(&of));
        Ok(of)
    }

    /// Makes one rank for each emulated device of this process. A call that is not complete after
    /// `limit` is an error.
    #[must_use]
    pub fn emulated(devices: &[Device], limit: Duration) -> Vec<Self> {
        emulated::ranks(devices, limit)
            .into_iter()
            .map(|rank| Self::new(Box::new(rank)))
            .collect()
    }

    /// Makes one rank for each GPU of this process, connected by NCCL. A call or a connection that
    /// is not complete after `limit` is an error.
    ///
    /// # Errors
    /// Returns [`CollectiveError::NotFound`] without NCCL, [`CollectiveError::NotAGpu`], and the
    /// errors that NCCL reports.
    pub fn nccl(devices: &[Device], limit: Duration) -> Result<Vec<Self>, Error> {
        let id = UniqueId::create()?;
        let size = devices.len();
        let ranks = std::thread::scope(|scope| {
            let threads: Vec<_> = devices
                .iter()
                .enumerate()
                .map(|(rank, device)| {
                    scope.spawn(move || Self::connect(device, rank, size, id, limit))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| match thread.join() {
                    Ok(rank) => rank,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect::<Vec<_>>()
        });
        ranks.into_iter().collect()
    }

    /// Makes one rank for each device. NCCL connects the ranks if all devices are GPUs. The ranks
    /// are emulated if all devices are emulated.
    ///
    /// # Errors
    /// Returns the errors of [`nccl`](Self::nccl). Returns [`CollectiveError::Size`] if there are
    /// devices of both kinds, or if there are none.
    pub fn of(devices: &[Device], limit: Duration) -> Result<Vec<Self>, Error> {
        let gpus = devices
            .iter()
            .filter(|device| device.kind() == Kind::Gpu)
            .count();
        match gpus {
            0 if !devices.is_empty() => Ok(Self::emulated(devices, limit)),
            _ if gpus == devices.len() && gpus > 0 => Self::nccl(devices, limit),
            _ => Err(CollectiveError::Size {
                what: format!("{gpus} GPUs of {} devices: all of them have to be GPUs, or all emulated, and at least one", devices.len()),
            }
            .into()),
        }
    }

    /// Makes rank `rank` of `size` processes or threads that share one id, on this GPU.
    ///
    /// # Errors
    /// Returns the errors of [`nccl`](Self::nccl).
    pub fn connect(
        device: &Device,
        rank: usize,
        size: usize,
        id: UniqueId,
        limit: Duration,
    ) -> Result<Self, Error> {
        Ok(Self::new(Box::new(nccl::NcclRank::connect(
            device, rank, size, id, limit,
        )?)))
    }

    /// Makes this process's rank of a program that `torchrun`, `mpirun` or `srun` started, on the
    /// GPU of its local rank. On a machine without GPUs the rank has an emulated device, and all
    /// ranks are processes of that machine.
    ///
    /// # Errors
    /// Returns [`CollectiveError::Environment`] if the variables of [`Launched`] are missing, and
    /// the errors of [`nccl`](Self::nccl).
    pub fn from_environment(limit: Duration) -> Result<Self, Error> {
        let launched = Launched::from_environment()?;
        if Device::gpu_count().is_err() {
            return Ok(Self::new(launched.emulated(limit)?));
        }
        let device = Device::gpu(launched.local_rank)?;
        let id = launched.unique_id(limit)?;
        let rank = Self::connect(&device, launched.rank, launched.size, id, limit);
        launched.forget_id();
        rank
    }

    /// Returns this rank's number.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.of.rank()
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.of.size()
    }

    /// Returns the rank's device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.of.device()
    }

    /// Returns the name of what connects the ranks: `NCCL 2.28.9`, `emulated`.
    #[must_use]
    pub fn about(&self) -> String {
        self.of.about()
    }

    /// Makes the communicator of those ranks that pass the same number, such as the ranks along an
    /// axis of a mesh. The ranks keep their order. Every rank must make this call.
    ///
    /// ```
    /// use host::collective::Communicator;
    /// use host::Device;
    /// use std::time::Duration;
    /// // A mesh of 2 by 3: sums along its second axis.
    /// let devices: Vec<Device> = (0..6).map(|_| Device::emulator()).collect();
    /// let ranks = Communicator::emulated(&devices, Duration::from_secs(5));
    /// std::thread::scope(|scope| {
    ///     for rank in ranks {
    ///         scope.spawn(move || {
    ///             let (row, column) = (rank.rank() % 2, rank.rank() / 2);
    ///             let axis = rank.split(row)?;
    ///             assert_eq!((axis.rank(), axis.size()), (column, 3));
    ///             let mine = axis.device().upload(&[rank.rank() as u32])?;
    ///             let mut sum = axis.device().alloc(1)?;
    ///             axis.all_reduce(&mine, &mut sum)?;
    ///             assert_eq!(sum.to_vec()?, [[0 + 2 + 4], [1 + 3 + 5]][row]);
    ///             Ok::<(), host::Error>(())
    ///         });
    ///     }
    /// });
    /// ```
    ///
    /// # Errors
    /// Returns a [`CollectiveError`], for instance if a rank does not make the call.
    pub fn split(&self, group: usize) -> Result<Self, Error> {
        Ok(Self::new(self.of.split(group)?))
    }

    /// Checks a call's buffers once, so that the call can be made many times.
    ///
    /// # Errors
    /// Returns [`CollectiveError::Size`] for a buffer of another device, or for a buffer whose
    /// length differs from the length that the call needs.
    pub fn prepare<'a, T: CollectiveElement>(
        &'a self,
        call: CollectiveCall,
        send: &'a Buffer<T>,
        receive: &'a mut Buffer<T>,
    ) -> Result<PreparedCollective<'a>, Error> {
        let size = self.size();
        let count = match call {
            CollectiveCall::AllGather => send.len(),
            CollectiveCall::AllToAll => send.len() / size,
            CollectiveCall::ReduceScatter
            | CollectiveCall::AllReduce
            | CollectiveCall::Broadcast { .. } => receive.len(),
        };
        let shape = CallShape {
            call,
            element: T::TYPE,
            count,
            splits: false,
        };
        let (sent, received) = call.lengths(count, size);
        let wrong = |what: String| Err(CollectiveError::Size { what }.into());
        if let CollectiveCall::Broadcast { root } = call
            && root >= size
        {
            return wrong(format!("{shape}: there are ranks 0 to {}", size - 1));
        }
        for (name, buffer, needed) in [
            ("sends", (send.len(), send.device()), sent),
            ("receives", (receive.len(), receive.device()), received),
        ] {
            let (len, device) = buffer;
            if len != needed {
                return wrong(format!(
                    "{shape} by {size} ranks {name} {needed} elements; the buffer has {len}"
                ));
            }
            if device != self.device() {
                return wrong(format!(
                    "rank {} is {}; what it {name} is on {device}",
                    self.rank(),
                    self.device()
                ));
            }
        }
        Ok(PreparedCollective {
            rank: self,
            call: RawCall {
                shape,
                send: send.address(),
                receive: receive.address(),
            },
            buffers: PhantomData,
        })
    }

    fn run<T: CollectiveElement>(
        &self,
        call: CollectiveCall,
        send: &Buffer<T>,
        receive: &mut Buffer<T>,
    ) -> Result<(), Error> {
        self.prepare(call, send, receive)?.run()
    }

    /// Gathers every rank's elements, in the order of ranks. `receive` has `size` times as many
    /// elements as `send`.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn all_gather<T: CollectiveElement>(
        &self,
        send: &Buffer<T>,
        receive: &mut Buffer<T>,
    ) -> Result<(), Error> {
        self.run(CollectiveCall::AllGather, send, receive)
    }

    /// Computes this rank's part of the sum. `send` has `size` times as many elements as `receive`.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn reduce_scatter<T: CollectiveElement>(
        &self,
        send: &Buffer<T>,
        receive: &mut Buffer<T>,
    ) -> Result<(), Error> {
        self.run(CollectiveCall::ReduceScatter, send, receive)
    }

    /// Computes the sum of every rank's elements.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn all_reduce<T: CollectiveElement>(
        &self,
        send: &Buffer<T>,
        receive: &mut Buffer<T>,
    ) -> Result<(), Error> {
        self.run(CollectiveCall::AllReduce, send, receive)
    }

    /// Copies the elements that rank `root` sends to every rank. On ranks other than `root`, `send`
    /// has the same length and is not read.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn broadcast<T: CollectiveElement>(
        &self,
        root: usize,
        send: &Buffer<T>,
        receive: &mut Buffer<T>,
    ) -> Result<(), Error> {
        self.run(CollectiveCall::Broadcast { root }, send, receive)
    }

    /// Sends part j of rank i to part i of rank j. Both buffers have one part for each rank.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn all_to_all<T: CollectiveElement>(
        &self,
        send: &Buffer<T>,
        receive: &mut Buffer<T>,
    ) -> Result<(), Error> {
        self.run(CollectiveCall::AllToAll, send, receive)
    }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rank {} of {} on {}, {}",
            self.rank(),
            self.size(),
            self.device(),
            self.about()
        )
    }
}

/// A call whose buffers have the right lengths, and stay borrowed as long as this value exists.
pub struct PreparedCollective<'a> {
    rank: &'a Communicator,
    call: RawCall,
    buffers: PhantomData<(&'a (), &'a mut ())>,
}

impl PreparedCollective<'_> {
    /// Makes the call and waits for its end, within the time limit.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn run(&self) -> Result<(), Error> {
        self.enqueue()?;
        self.wait()
    }

    /// Waits for the calls that were enqueued, within the time limit.
    ///
    /// # Errors
    /// Returns a [`CollectiveError`].
    pub fn wait(&self) -> Result<(), Error> {
        self.rank.of.wait()
    }
}

impl Enqueue for PreparedCollective<'_> {
    fn enqueue(&self) -> Result<(), Error> {
        self.rank.of.enqueue(&self.call)
    }
    fn device(&self) -> &Device {
        self.rank.device()
    }
}
