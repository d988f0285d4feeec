//! Ranks on emulated devices of one process. All ranks meet in every call.
//!
//! ```text
//!   rank 0 ── all_gather of 4 f32 ──┐
//!   rank 1 ── all_gather of 4 f32 ──┼──► the same? ──► each rank reads all that was sent, and writes its own result
//!   rank 2 ── all_gather of 4 f32 ──┘        └─► Mismatch, Missing after the limit, Left: for all ranks
//! ```
//!
//! Law: a meeting ends for every rank with a result, or for every rank with the same error, which
//! names a rank. No rank waits longer than the limit.

use super::{CallShape, CollectiveCall, CollectiveError, Collectives, ElementType, RawCall};
use crate::device::Device;
use crate::error::Error;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The data that a rank brings to a meeting.
pub(super) struct Posted {
    pub shape: CallShape,
    pub sent: Vec<u8>,
}

#[derive(Default)]
struct State {
    /// The number of meetings that have ended.
    over: u64,
    posted: Vec<Option<Posted>>,
    /// The data that was sent at the last meeting that ended.
    last: Option<Arc<Vec<Posted>>>,
    /// For each rank, whether it left by a panic, or `None` if it has not left.
    left: Vec<Option<bool>>,
    failed: Option<CollectiveError>,
    /// The ranks that have received the error: a rank that comes late to the failed meeting
    /// receives it too.
    told: Vec<bool>,
    /// The meetings that ranks split off. The key is the number of the call and the number of the
    /// group.
    split: BTreeMap<(u64, u32), Arc<Meeting>>,
}

struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
    limit: Duration,
}

impl Meeting {
    fn new(size: usize, limit: Duration) -> Arc<Self> {
        let state = State {
            posted: (0..size).map(|_| None).collect(),
            left: vec![None; size],
            told: vec![false; size],
            ..State::default()
        };
        Arc::new(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            limit,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A rank on an emulated device.
pub(super) struct EmulatedRank {
    rank: usize,
    size: usize,
    device: Device,
    meeting: Arc<Meeting>,
}

/// Returns one rank for each device.
pub(super) fn ranks(devices: &[Device], limit: Duration) -> Vec<EmulatedRank> {
    let size = devices.len();
    let meeting = Meeting::new(size, limit);
    let rank = |(rank, device): (usize, &Device)| EmulatedRank {
        rank,
        size,
        device: device.clone(),
        meeting: Arc::clone(&meeting),
    };
    devices.iter().enumerate().map(rank).collect()
}

impl State {
    /// Ends the meeting if all ranks have come, or if the meeting can no longer take place.
    fn settle(&mut self) {
        if self.failed.is_some() {
            return;
        }
        let Some(first) = self.posted.iter().position(Option::is_some) else {
            return;
        };
        let of = |rank: usize| self.posted[rank].as_ref().map(|posted| posted.shape);
        let Some(shape) = of(first) else { return };
        let other = (first + 1..self.posted.len())
            .find(|&rank| of(rank).is_some_and(|other| other != shape));
        if let Some(other) = other {
            let named = |rank: usize| {
                (
                    rank,
                    of(rank).map_or_else(String::new, |shape| shape.to_string()),
                )
            };
            self.failed = Some(CollectiveError::Mismatch {
                number: self.over,
                one: named(first),
                other: named(other),
            });
            return;
        }
        let left: Vec<usize> = (0..self.left.len())
            .filter(|&rank| self.left[rank].is_some() && self.posted[rank].is_none())
            .collect();
        if !left.is_empty() {
            self.failed = Some(CollectiveError::Left {
                number: self.over,
                call: shape.to_string(),
                panicking: left.iter().any(|&rank| self.left[rank] == Some(true)),
                left,
            });
            return;
        }
        if self.posted.iter().all(Option::is_some) {
            let posted = self.posted.iter_mut().filter_map(Option::take).collect();
            self.last = Some(Arc::new(posted));
            self.over += 1;
        }
    }

    fn missing(&self, shape: CallShape, limit: Duration) -> CollectiveError {
        CollectiveError::Missing {
            number: self.over,
            call: shape.to_string(),
            missing: (0..self.posted.len())
                .filter(|&rank| self.posted[rank].is_none())
                .collect(),
            limit,
        }
    }
}

impl EmulatedRank {
    /// Meets the other ranks. Returns the call's number and the data that all ranks sent.
    fn meet(&self, posted: Posted) -> Result<(u64, Arc<Vec<Posted>>), CollectiveError> {
        let (meeting, shape) = (&self.meeting, posted.shape);
        let until = Instant::now() + meeting.limit;
        let mut state = meeting.lock();
        if let Some(first) = state.failed.clone() {
            return Err(match std::mem::replace(&mut state.told[self.rank], true) {
                false => first,
                true => CollectiveError::Ended {
                    first: first.to_string(),
                },
            });
        }
        let number = state.over;
        state.posted[self.rank] = Some(posted);
        state.settle();
        meeting.changed.notify_all();
        loop {
            if state.over > number {
                let last = state.last.clone();
                return last
                    .map(|last| (number, last))
                    .ok_or_else(|| state.missing(shape, meeting.limit));
            }
            if let Some(error) = state.failed.clone() {
                state.told[self.rank] = true;
                return Err(error);
            }
            let now = Instant::now();
            if now >= until {
                let error = state.missing(shape, meeting.limit);
                state.failed = Some(error.clone());
                state.told[self.rank] = true;
                meeting.changed.notify_all();
                return Err(error);
            }
            (state, _) = meeting
                .changed
                .wait_timeout(state, until - now)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Meets the other ranks. Returns the data that this rank receives.
    pub fn exchange(&self, posted: Posted) -> Result<Vec<u8>, CollectiveError> {
        let shape = posted.shape;
        let (_, all) = self.meet(posted)?;
        Ok(self.received(&shape, &all))
    }

    /// Splits off a meeting of the ranks that pass the same number. Returns this rank's part in the
    /// new meeting.
    pub fn split_off(&self, group: usize) -> Result<Self, CollectiveError> {
        let group = u32::try_from(group).unwrap_or(u32::MAX);
        let shape = CallShape {
            call: CollectiveCall::AllGather,
            element: ElementType::U32,
            count: 1,
            splits: true,
        };
        let sent = group.to_le_bytes().to_vec();
        let (number, all) = self.meet(Posted { shape, sent })?;
        let same: Vec<bool> = all
            .iter()
            .map(|posted| posted.sent == group.to_le_bytes())
            .collect();
        let count = |ranks: &[bool]| ranks.iter().filter(|same| **same).count();
        let size = count(&same);
        let mut state = self.meeting.lock();
        let meeting = state
            .split
            .entry((number, group))
            .or_insert_with(|| Meeting::new(size, self.meeting.limit));
        Ok(Self {
            rank: count(&same[..self.rank]),
            size,
            device: self.device.clone(),
            meeting: Arc::clone(meeting),
        })
    }

    /// Returns the data that this rank receives, from the data that all ranks sent.
    fn received(&self, call: &CallShape, all: &[Posted]) -> Vec<u8> {
        let part = call.count * call.element.size();
        let mine = self.rank * part..(self.rank + 1) * part;
        match call.call {
            CollectiveCall::AllGather => {
                all.iter().flat_map(|posted| posted.sent.clone()).collect()
            }
            CollectiveCall::Broadcast { root } => all[root].sent.clone(),
            CollectiveCall::AllToAll => all
                .iter()
                .flat_map(|posted| posted.sent[mine.clone()].to_vec())
                .collect(),
            CollectiveCall::AllReduce => {
                let sent: Vec<&[u8]> = all.iter().map(|posted| posted.sent.as_slice()).collect();
                call.element.sum(&sent)
            }
            CollectiveCall::ReduceScatter => {
                let sent: Vec<&[u8]> = all
                    .iter()
                    .map(|posted| &posted.sent[mine.clone()])
                    .collect();
                call.element.sum(&sent)
            }
        }
    }
}

/// Returns the bytes that a rank sends.
pub(super) fn sent(
    device: &Device,
    rank: usize,
    size: usize,
    call: &RawCall,
) -> Result<Vec<u8>, Error> {
    let CallShape {
        call: kind,
        element,
        count,
        ..
    } = call.shape;
    let (sent, _) = kind.lengths(count, size);
    let reads = !matches!(kind, CollectiveCall::Broadcast { root } if root != rank);
    let mut bytes = vec![0; if reads { sent * element.size() } else { 0 }];
    if !bytes.is_empty() {
        device.read(call.send, &mut bytes)?;
    }
    Ok(bytes)
}

impl Collectives for EmulatedRank {
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
        let sent = sent(&self.device, self.rank, self.size, call)?;
        let received = self.exchange(Posted {
            shape: call.shape,
            sent,
        })?;
        if !received.is_empty() {
            self.device.write(call.receive, &received)?;
        }
        Ok(())
    }
    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
    fn split(&self, group: usize) -> Result<Box<dyn Collectives>, Error> {
        Ok(Box::new(self.split_off(group)?))
    }
    fn about(&self) -> String {
        "emulated".into()
    }
}

impl Drop for EmulatedRank {
    fn drop(&mut self) {
        let mut state = self.meeting.lock();
        state.left[self.rank] = Some(std::thread::panicking());
        state.settle();
        self.meeting.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use crate::collective::Communicator;
    use crate::device::Device;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn a_group_is_split_off_once() {
        let devices = [(); 4].map(|()| Device::emulator());
        let ranks = Communicator::emulated(&devices, Duration::from_secs(5));
        std::thread::scope(|scope| {
            for rank in &ranks {
                scope.spawn(move || {
                    let [rows, columns] = [[0, 1, 0, 1], [0, 0, 1, 1]];
                    let row = rank.group(&rows).unwrap();
                    let column = rank.group(&columns).unwrap();
                    assert!(Arc::ptr_eq(&row, &rank.group(&rows).unwrap()));
                    assert!(!Arc::ptr_eq(&row, &column));
                    let [of_row, of_column] = [[0, 0, 1, 1], [0, 1, 0, 1]];
                    assert_eq!((row.rank(), row.size()), (of_row[rank.rank()], 2));
                    assert_eq!((column.rank(), column.size()), (of_column[rank.rank()], 2));
                });
            }
        });
    }
}
