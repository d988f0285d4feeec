//! Executes redistributions. Each exchange is a collective among the ranks that take part in it.
//!
//! ```text
//!   send ─ pack: rows of elements ─► collective of a group ─ unpack ─► .. ─► receive
//! ```
//!
//! Law: after a redistribution, element i of rank d is the element that `to` assigns to (d, i), for
//! every element that `from` holds. Padding elements are moved like other elements.

use super::{CollectiveCall, CollectiveElement, CollectiveError, Communicator};
use crate::buffer::Buffer;
use crate::error::Error;
use crate::queue::{CopiedRows, Queue};
use distribute::{Distribution, Exchange, stages};
use layout_types::dynamic::{DynLayout, flatten};
use std::collections::HashMap;
use std::sync::Arc;

/// The rows of elements that an exchange copies from one buffer to another. The last row may still
/// grow.
#[derive(Default)]
struct Runs {
    copies: Vec<CopiedRows>,
    last: Option<CopiedRows>,
}

impl Runs {
    /// Adds a run of `len` elements. If it continues the last run, the last run is extended.
    fn push(&mut self, from: usize, to: usize, len: usize) {
        match &mut self.last {
            Some(last) if last.from + last.len == from && last.to + last.len == to => {
                last.len += len;
            }
            _ => {
                self.close();
                self.last = Some(CopiedRows::run(from, to, len));
            }
        }
    }

    /// Ends the last run. If the run is one more row of the preceding copy, it is added to that
    /// copy.
    fn close(&mut self) {
        let Some(run) = self.last.take() else { return };
        if !self.copies.last_mut().is_some_and(|copy| copy.join(&run)) {
            self.copies.push(run);
        }
    }

    /// Whether the runs copy all `elements` elements to the same positions.
    fn is_whole(&self, elements: usize) -> bool {
        let whole = |last: CopiedRows| (last.from, last.to, last.len) == (0, 0, elements);
        self.copies.is_empty() && self.last.is_some_and(whole)
    }
}

/// One exchange with its buffers.
struct StageWork<T: CollectiveElement> {
    call: Option<CollectiveCall>,
    /// The ranks that exchange with each other, if they are not all ranks.
    group: Option<Arc<Communicator>>,
    /// The copies from the buffer before the exchange to the buffer that is sent. Without copies,
    /// the buffer before the exchange is sent directly.
    pack: Runs,
    sent: Option<Buffer<T>>,
    /// The copies from the received buffer to the buffer after the exchange. Without copies, the
    /// exchange receives directly into the buffer after it.
    unpack: Runs,
    received: Option<Buffer<T>>,
    /// The copies from the buffer before the exchange to the buffer after it.
    keep: Runs,
    /// The buffer after this exchange, or `None` for the last exchange.
    after: Option<Buffer<T>>,
}

/// The exchanges that move a tensor from one distribution to another on the ranks of a
/// communicator. They are planned once, together with their buffers.
///
/// Packing copies rows, as in [`CopiedRows`]: one copy moves a block, and one copy moves all
/// elements of a cyclic distribution that are equally far apart.
///
/// ```
/// use distribute::{Distributed, prelude::*};
/// use host::Device;
/// use host::collective::{Communicator, Redistributor};
/// use std::time::Duration;
/// // A mesh of 2 by 3: 4 x 6 in rows along its first axis; then in columns along its second one.
/// type Rows = layout!(((2,3),(2,6)):((2,0),(1,4)));
/// type Columns = layout!(((2,3),(4,2)):((0,8),(1,4)));
/// assert_redistribution!(Rows => Columns, AllToAll);
///
/// let devices: Vec<Device> = (0..6).map(|_| Device::emulator()).collect();
/// let ranks = Communicator::emulated(&devices, Duration::from_secs(5));
/// std::thread::scope(|scope| {
///     for rank in ranks {
///         scope.spawn(move || {
///             let mut way = Redistributor::new(&rank, &Rows::DISTRIBUTION, &Columns::DISTRIBUTION)?;
///             let me = rank.rank() as u32;
///             // The tensor's elements are their coordinates.
///             let rows: Vec<u32> = (0..12).map(|i| Rows::at((me, i)) as u32).collect();
///             let rows = rank.device().upload(&rows)?;
///             let mut columns = rank.device().alloc(8)?;
///             way.run(&rows, &mut columns)?;
///             let expected: Vec<u32> = (0..8).map(|i| Columns::at((me, i)) as u32).collect();
///             assert_eq!(columns.to_vec()?, expected);
///             Ok::<(), host::Error>(())
///         });
///     }
/// });
/// ```
pub struct Redistributor<'a, T: CollectiveElement> {
    rank: &'a Communicator,
    queue: Queue,
    works: Vec<StageWork<T>>,
    held: usize,
    shall_hold: usize,
}

fn wrong(what: String) -> Error {
    CollectiveError::Size { what }.into()
}

/// A distribution whose elements are grouped in runs of `run` elements, with the number of devices,
/// and the number of runs that each device holds.
struct RunTable<'a> {
    layout: &'a DynLayout,
    run: i64,
    devices: i64,
    held: i64,
}

/// The largest number of runs for which a rank plans.
const MOST_RUNS: i64 = 1 << 24;

impl<'a> RunTable<'a> {
    fn new(layout: &'a DynLayout, run: i64) -> Self {
        let size = |i| {
            layout
                .mode(i)
                .and_then(|mode| mode.size().ok())
                .unwrap_or(1)
        };
        Self {
            layout,
            run,
            devices: size(0),
            held: size(1) / run,
        }
    }

    /// Returns the coordinates of the runs that a device holds, in units of runs. A device that is
    /// not in the distribution holds no runs.
    fn of(&self, device: usize) -> Vec<i64> {
        let device = device as i64;
        let runs = if device < self.devices { self.held } else { 0 };
        (0..runs)
            .map(|i| self.layout.offset(device + i * self.run * self.devices))
            .map(|at| at.unwrap_or(0) / self.run)
            .collect()
    }
}

/// Returns the largest length such that each aligned group of that many consecutive elements of a
/// device is also consecutive in the tensor.
fn run(layout: &DynLayout) -> i64 {
    let elements = layout.mode(1).and_then(|mode| flatten(&mode).ok());
    let mut run = 1;
    for mode in elements.iter().flat_map(|layout| layout.modes()) {
        let size = mode.size().unwrap_or(1);
        if size > 1 {
            if mode.offset(1).unwrap_or(0) != run {
                break;
            }
            run *= size;
        }
    }
    run
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl<'a, T: CollectiveElement> Redistributor<'a, T> {
    /// Plans the redistribution. Every rank must make the call, because each exchange among only
    /// some of the ranks has its own communicator.
    ///
    /// # Errors
    /// Returns [`CollectiveError::Size`] if the distributions are of different tensors, if their
    /// number of devices is not the number of ranks, or if they break the tensor into more runs
    /// than a rank can plan for. Also returns the errors of [`Communicator::split`].
    pub fn new(
        rank: &'a Communicator,
        from: &Distribution,
        to: &Distribution,
    ) -> Result<Self, Error> {
        let way = stages(from, to).map_err(|text| wrong(text.as_str().into()))?;
        let devices = from.devices().max(to.devices()) as usize;
        if devices != rank.size() {
            return Err(wrong(format!(
                "the distributions are on {devices} devices, the communicator has {} ranks",
                rank.size()
            )));
        }
        let first = from.layout().notation();
        let mut before: DynLayout = first
            .as_str()
            .parse()
            .map_err(|_| wrong(format!("{} is no layout of numbers", first.as_str())))?;
        let held = |of: &Distribution| match (rank.rank() as i64) < of.devices() {
            true => of.held() as usize,
            false => 0,
        };
        let mut out = Self {
            rank,
            queue: Queue::main(rank.device()),
            works: Vec::new(),
            held: held(from),
            shall_hold: held(to),
        };
        let last = way.len() - 1;
        for (i, stage) in way.into_iter().enumerate() {
            let members: Vec<usize> = (0..devices)
                .filter(|&device| stage.group[device] == stage.group[rank.rank()])
                .collect();
            let alone = matches!(stage.exchange, Exchange::Nothing | Exchange::LocalCopy);
            let group = match alone || members.len() == devices {
                true => None,
                false => {
                    let groups: Vec<usize> =
                        (stage.group.iter()).map(|&group| group as usize).collect();
                    Some(rank.group(&groups)?)
                }
            };
            let run = gcd(run(&before), run(&stage.after));
            let tables = (
                RunTable::new(&before, run),
                RunTable::new(&stage.after, run),
            );
            if (tables.0.held.max(tables.1.held)).saturating_mul(members.len() as i64) > MOST_RUNS {
                return Err(wrong(format!(
                    "from {before} to {} are more than {MOST_RUNS} runs of {run} elements",
                    stage.after
                )));
            }
            let mut work = out.work(stage.exchange, &members, &tables)?;
            work.group = group;
            if i < last {
                let elements = tables.1.held * run;
                work.after = Some(rank.device().alloc(elements as usize)?);
            }
            out.works.push(work);
            before = stage.after;
        }
        Ok(out)
    }

    /// Returns the copies of a stage, and the buffers that it sends and receives.
    fn work(
        &self,
        exchange: Exchange,
        members: &[usize],
        (before, after): &(RunTable<'_>, RunTable<'_>),
    ) -> Result<StageWork<T>, Error> {
        let (device, me, run) = (self.rank.device(), self.rank.rank(), before.run as usize);
        let mine = before.of(me);
        let place: HashMap<i64, usize> = mine
            .iter()
            .enumerate()
            .map(|(i, &at)| (at, i * run))
            .collect();
        let wanted = after.of(me);
        let held = mine.len() * run;
        let mut work = StageWork {
            call: None,
            group: None,
            pack: Runs::default(),
            sent: None,
            unpack: Runs::default(),
            received: None,
            keep: Runs::default(),
            after: None,
        };
        // This rank sends these runs of the tensor, one after the other.
        let send =
            |work: &mut StageWork<T>, runs: &mut dyn Iterator<Item = i64>| -> Result<(), Error> {
                let mut len = 0;
                for at in runs {
                    if let Some(&from) = place.get(&at) {
                        work.pack.push(from, len, run);
                    }
                    len += run;
                }
                if len != held || !work.pack.is_whole(len) {
                    work.sent = Some(device.alloc(len)?);
                }
                Ok(())
            };
        match exchange {
            Exchange::Nothing | Exchange::LocalCopy => {
                for (i, at) in wanted.iter().enumerate() {
                    work.keep.push(place[at], i * run, run);
                }
            }
            Exchange::AllGather => {
                work.call = Some(CollectiveCall::AllGather);
                let all = members.iter().flat_map(|&member| before.of(member));
                let mut there = HashMap::new();
                for (i, at) in all.enumerate() {
                    there.entry(at).or_insert(i * run);
                }
                for (i, at) in wanted.iter().enumerate() {
                    work.unpack.push(there[at], i * run, run);
                }
                let len = held * members.len();
                if len != wanted.len() * run || !work.unpack.is_whole(len) {
                    work.received = Some(device.alloc(len)?);
                }
            }
            Exchange::ReduceScatter => {
                work.call = Some(CollectiveCall::ReduceScatter);
                let mut all = members.iter().flat_map(|&member| after.of(member));
                send(&mut work, &mut all)?;
            }
            Exchange::AllReduce => {
                work.call = Some(CollectiveCall::AllReduce);
                send(&mut work, &mut wanted.into_iter())?;
            }
            Exchange::Broadcast => {
                work.call = Some(CollectiveCall::Broadcast { root: 0 });
                send(&mut work, &mut wanted.into_iter())?;
            }
            Exchange::AllToAll => self.all_to_all(&mut work, members, (before, after), &place)?,
        }
        for runs in [&mut work.pack, &mut work.unpack, &mut work.keep] {
            runs.close();
        }
        Ok(work)
    }

    /// Plans a part for each member of the group. It contains the elements that the member lacks
    /// and that this rank is the first of its group to have. All parts are as long as the longest.
    fn all_to_all(
        &self,
        work: &mut StageWork<T>,
        members: &[usize],
        (before, after): (&RunTable<'_>, &RunTable<'_>),
        place: &HashMap<i64, usize>,
    ) -> Result<(), Error> {
        let (me, run) = (self.rank.rank(), before.run as usize);
        let mut owner = HashMap::new();
        let mut has: Vec<HashMap<i64, ()>> = Vec::new();
        for (number, &member) in members.iter().enumerate() {
            let runs = before.of(member);
            for &at in &runs {
                owner.entry(at).or_insert(number);
            }
            has.push(runs.into_iter().map(|at| (at, ())).collect());
        }
        // The number of runs so far, for each member and owner.
        let mut sent = vec![vec![0; members.len()]; members.len()];
        let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
        for (to, &member) in members.iter().enumerate() {
            for (i, at) in after.of(member).into_iter().enumerate() {
                if has[to].contains_key(&at) {
                    if member == me {
                        work.keep.push(place[&at], i * run, run);
                    }
                    continue;
                }
                let from = owner[&at];
                let slot = sent[to][from];
                sent[to][from] += 1;
                if members[from] == me {
                    packed.push((place[&at], to, slot));
                }
                if member == me {
                    unpacked.push((from, slot, i * run));
                }
            }
        }
        let longest = sent.iter().flatten().copied().max().unwrap_or(0);
        let at = |member: usize, slot: usize| (member * longest + slot) * run;
        for (from, to, slot) in packed {
            work.pack.push(from, at(to, slot), run);
        }
        for (from, slot, to) in unpacked {
            work.unpack.push(at(from, slot), to, run);
        }
        let len = members.len() * longest * run;
        work.sent = Some(self.rank.device().alloc(len)?);
        work.received = Some(self.rank.device().alloc(len)?);
        work.call = Some(CollectiveCall::AllToAll);
        Ok(())
    }

    /// Moves this rank's elements: `send` has the distribution `from`, and `receive` gets the
    /// distribution `to`. Every rank must make the call.
    ///
    /// # Errors
    /// Returns [`CollectiveError::Size`] if a buffer does not have the length of its distribution,
    /// or is on another device. Also returns the other errors of [`CollectiveError`].
    pub fn run(&mut self, send: &Buffer<T>, receive: &mut Buffer<T>) -> Result<(), Error> {
        for (name, buffer, len) in [
            ("before", send, self.held),
            ("after", &*receive, self.shall_hold),
        ] {
            if buffer.len() != len || buffer.device() != self.rank.device() {
                return Err(wrong(format!(
                    "rank {} holds {len} elements {name}, on {}; the buffer has {} on {}",
                    self.rank.rank(),
                    self.rank.device(),
                    buffer.len(),
                    buffer.device()
                )));
            }
        }
        let last = self.works.len() - 1;
        let mut result = Ok(());
        for i in 0..=last {
            let (done, rest) = self.works.split_at_mut(i);
            let before = done
                .last()
                .and_then(|work| work.after.as_ref())
                .unwrap_or(send);
            let work = &mut rest[0];
            result = match work.after.take() {
                Some(mut after) => {
                    let result = work.run(&self.queue, self.rank, before, &mut after);
                    work.after = Some(after);
                    result
                }
                None => work.run(&self.queue, self.rank, before, receive),
            };
            if result.is_err() {
                break;
            }
        }
        // Waits after an error too: the enqueued work must end before its buffers are freed.
        let ended = self.queue.synchronize();
        result.and(ended)
    }
}

impl<T: CollectiveElement> StageWork<T> {
    fn run(
        &mut self,
        queue: &Queue,
        rank: &Communicator,
        before: &Buffer<T>,
        after: &mut Buffer<T>,
    ) -> Result<(), Error> {
        let copy = |runs: &Runs, from: &Buffer<T>, to: &Buffer<T>| {
            // SAFETY: the queue is the device's main queue, on which the collectives also run, so
            // copies and collectives are in order. `Redistributor::run` borrows all buffers until
            // it has waited for the queue.
            runs.copies
                .iter()
                .try_for_each(|rows| unsafe { queue.copy_rows(to, from, rows) })
        };
        if let Some(sent) = &self.sent {
            copy(&self.pack, before, sent)?;
        }
        if let Some(call) = self.call {
            let rank = self.group.as_deref().unwrap_or(rank);
            let sent = self.sent.as_ref().unwrap_or(before);
            match &mut self.received {
                Some(received) => {
                    rank.prepare(call, sent, received)?.run()?;
                    copy(&self.unpack, received, after)?;
                }
                None => rank.prepare(call, sent, after)?.run()?,
            }
        }
        copy(&self.keep, before, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges runs into copies of rows, and returns the copies.
    fn copies(runs: &[[usize; 3]]) -> Vec<CopiedRows> {
        let mut out = Runs::default();
        for &[from, to, len] in runs {
            out.push(from, to, len);
        }
        out.close();
        let elements = |runs: &mut dyn Iterator<Item = [usize; 3]>| -> Vec<[usize; 2]> {
            runs.flat_map(|[from, to, len]| (0..len).map(move |i| [from + i, to + i]))
                .collect()
        };
        let mut copied = out.copies.iter().flat_map(|of| {
            (0..of.rows).map(|row| {
                [
                    of.from + row * of.from_pitch,
                    of.to + row * of.to_pitch,
                    of.len,
                ]
            })
        });
        assert_eq!(elements(&mut copied), elements(&mut runs.iter().copied()));
        out.copies
    }

    #[test]
    fn runs_that_lie_equally_far_apart_are_rows_of_one_copy() {
        // Every fourth element, and every fourth pair of elements, in either direction.
        let cyclic: Vec<_> = (0..1000).map(|i| [4 * i, i, 1]).collect();
        assert_eq!(copies(&cyclic).len(), 1);
        let pairs: Vec<_> = (0..1000).map(|i| [i / 2 * 8 + i % 2, i, 1]).collect();
        assert_eq!(copies(&pairs).len(), 1);
        assert_eq!(copies(&pairs)[0].rows, 500);
        let backwards: Vec<_> = (0..10).map(|i| [40 - 4 * i, i, 1]).collect();
        assert_eq!(copies(&backwards).len(), 10);
        // The runs form a block, or rows of two lengths.
        assert_eq!(copies(&[[3, 0, 2], [5, 2, 7]]).len(), 1);
        assert_eq!(
            copies(&[[0, 0, 2], [4, 2, 2], [8, 4, 3], [16, 7, 3]]).len(),
            2
        );
    }
}
