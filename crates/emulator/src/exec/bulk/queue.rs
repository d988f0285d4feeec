//! Bulk copies under way in a cluster, and when they happen.
//!
//! ```text
//! early     at their issue
//! late      when a wait cannot go on without them, the oldest first
//! seeded    at some turn of some warp, in some order
//! ```
//!
//! Law: an operation has its issuer, its instruction, the data that it moves, and what it
//! completes: objects, by bytes, or a group of its thread. The data are checked at the issue, and
//! all moved at one time. The bytes complete once at each object. The choice of the schedule
//! changes neither a result of a right program nor a finding.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::global::Pieces;
use super::super::mbarrier::table::{Table, Written};
use super::super::shared::{Issued, ObjectPlace, Shared, Spot};
use crate::fault::{Completion, Slot};
use crate::memory::global::Global;
use crate::memory::shadow::Shadow;
use crate::numerics::rounding::Rounding;
use crate::numerics::tf32;

/// A run of bytes: its offset in the box, and its global address, or `None` if it is outside of the
/// tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub at: usize,
    pub global: Option<u64>,
    pub bytes: usize,
}

/// A function from the bits of the old value and of the operand to those of the new value, and the
/// number of bytes of a value.
pub(crate) type Reduction = (fn(u64, u64, u64) -> u64, usize);

/// The data that an operation moves.
#[derive(Debug)]
pub(crate) enum Moves {
    /// A copy to shared memory: to the same place in one or more blocks, each with its object.
    Load {
        pieces: Pieces,
        /// The places of the box and of the object in each block.
        targets: Vec<(Spot, ObjectPlace)>,
        bytes: usize,
        /// The bytes from the box's first to its last: more than `bytes` if rows are narrower than
        /// their swizzle.
        span: usize,
        /// The swizzle mark of the box, for the shadow.
        swizzle: u32,
        /// The bytes, repeated, that pieces outside of the tensor get.
        fill: Vec<u8>,
        /// Whether each loaded number of 4 bytes is rounded to `.tf32`.
        rounds: bool,
    },
    /// A copy or reduction from the box in shared memory to global memory.
    Store {
        from: Spot,
        pieces: Pieces,
        reduction: Option<Reduction>,
    },
    /// A copy or reduction from shared memory to another block's.
    Copy {
        from: Spot,
        to: Spot,
        bytes: usize,
        object: ObjectPlace,
        /// The object's phase when the copy was issued.
        phase: u64,
        reduction: Option<Reduction>,
    },
}

/// A bulk operation.
#[derive(Debug)]
pub(crate) struct Operation {
    pub id: u64,
    pub issuer: u32,
    pub site: u32,
    /// The group of its thread that contains the operation, if the operation completes a group.
    pub group: u32,
    pub moves: Moves,
}

impl Operation {
    /// Returns the offset, the number of bytes and the object's offset of each place in shared
    /// memory that the operation writes.
    fn writes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let (targets, one) = match &self.moves {
            Moves::Load { targets, span, .. } => (Some((targets, *span)), None),
            &Moves::Copy {
                to, bytes, object, ..
            } => (None, Some((to.at(), bytes, object.at()))),
            Moves::Store { .. } => (None, None),
        };
        let many = targets.into_iter().flat_map(|(targets, span)| {
            let one = move |&(to, object): &(Spot, ObjectPlace)| (to.at(), span, object.at());
            targets.iter().map(one)
        });
        many.chain(one)
    }

    /// Returns the offset at which the operation reads shared memory and the bytes from the first
    /// to the last, or `None` for a load.
    fn reads(&self) -> Option<(usize, usize)> {
        match &self.moves {
            Moves::Load { .. } => None,
            Moves::Store { from, pieces, .. } => {
                let ends = pieces.iter().map(|piece| piece.at + piece.bytes);
                Some((from.at(), ends.max().unwrap_or(0)))
            }
            &Moves::Copy { from, bytes, .. } => Some((from.at(), bytes)),
        }
    }

    /// Returns the places in shared memory that the operation writes. Each has the number of phases
    /// that its object in `objects` has completed, or 0 if the object is not there.
    pub fn destinations(&self, objects: &Table) -> impl Iterator<Item = Destination> {
        self.writes().map(move |(at, bytes, object)| Destination {
            at,
            bytes,
            object,
            phase: objects.get(object).map_or(0, |object| object.completed),
            issuer: self.issuer,
            site: self.site,
        })
    }

    /// Returns the description, for a fault, of the shared memory that the operation reads, or
    /// `None` for a load.
    pub fn source(&self, shared: &Shared) -> Option<Slot> {
        let (from, bytes) = self.reads()?;
        let completes = match self.moves {
            Moves::Copy { object, phase, .. } => Completion::Phase {
                barrier: shared.address(object.at()),
                phase,
            },
            _ => Completion::BulkGroup(self.group),
        };
        Some(Slot {
            address: shared.address(from),
            bytes,
            completes,
        })
    }

    /// Whether the operation is a reduction: combines its operands with the contents of the
    /// destination.
    pub fn reduces(&self) -> bool {
        match &self.moves {
            Moves::Load { .. } => false,
            Moves::Store { reduction, .. } | Moves::Copy { reduction, .. } => reduction.is_some(),
        }
    }

    /// Whether the operation completes a group of its thread, and not objects.
    pub fn is_grouped(&self) -> bool {
        matches!(self.moves, Moves::Store { .. })
    }
}

/// The place of the last copy to a part of shared memory, and the phase that the copy completes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Destination {
    /// Offset and bytes in shared memory.
    pub at: usize,
    pub bytes: usize,
    /// The object's offset, and its phase when the copy was issued.
    pub object: usize,
    pub phase: u64,
    /// The thread that issued the copy, and its instruction.
    pub issuer: u32,
    pub site: u32,
}

impl Destination {
    /// Returns the description of the place for a fault.
    pub fn slot(self, shared: &Shared) -> Slot {
        Slot {
            address: shared.address(self.at),
            bytes: self.bytes,
            completes: Completion::Phase {
                barrier: shared.address(self.object),
                phase: self.phase,
            },
        }
    }
}

/// The memories and objects that operations access.
pub(crate) struct Memories<'a> {
    pub shared: &'a mut Shared,
    pub shadow: Option<&'a mut Shadow>,
    pub global: &'a Global,
    pub objects: &'a mut Table,
}

/// The operations under way.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    operations: Vec<Issued>,
    /// The last copy to each place, by the offset at which the place begins.
    destinations: BTreeMap<usize, Destination>,
    issued: u64,
    seed: u64,
}

impl Queue {
    /// Starts a cluster without operations. `seed` is the seed for the cluster's number.
    pub fn start(&mut self, seed: u64) {
        self.operations.clear();
        self.destinations.clear();
        self.issued = 0;
        self.seed = seed | 1;
    }

    /// Returns the number of a new operation.
    pub fn number(&mut self) -> u64 {
        self.issued += 1;
        self.issued
    }

    /// Adds an operation that the shadow already knows, and notes its destinations.
    pub fn push(&mut self, operation: Issued, objects: &Table) {
        for destination in operation.destinations(objects) {
            self.note(destination);
        }
        self.operations.push(operation);
    }

    /// Notes a destination, and removes those that overlap with it.
    pub fn note(&mut self, new: Destination) {
        while let Some(old) = self.last_before(new.at + new.bytes)
            && old.at + old.bytes > new.at
        {
            self.destinations.remove(&old.at);
        }
        self.destinations.insert(new.at, new);
    }

    fn last_before(&self, end: usize) -> Option<Destination> {
        let mut before = self.destinations.range(..end);
        before.next_back().map(|(_, &to)| to)
    }

    /// Returns the last copy that writes a byte, done or not, or `None` if no copy does.
    pub fn destination(&self, byte: usize) -> Option<Destination> {
        let found = self.last_before(byte + 1);
        found.filter(|to| to.at + to.bytes > byte)
    }

    /// Returns the least offset in a range at which a destination of a copy under way begins, or
    /// `None` if no destination begins there.
    pub fn writing_to(&self, range: &Range<usize>) -> Option<usize> {
        let all = self.operations.iter().filter(|operation| !operation.done);
        let places = all.flat_map(|operation| operation.writes().map(|(at, ..)| at));
        places.filter(|at| range.contains(at)).min()
    }

    /// Returns the first operation whose source in shared memory begins in a range and that its
    /// thread has not waited for, or `None` if there is no such operation.
    pub fn reading_from(&self, range: &Range<usize>) -> Option<&Operation> {
        let found = self.operations.iter().find(|operation| {
            operation
                .reads()
                .is_some_and(|(from, _)| range.contains(&from))
        });
        found.map(|issued| &**issued)
    }

    /// Returns the operation with number `id`, or `None` if it is no longer in the queue.
    pub fn get(&self, id: u64) -> Option<&Operation> {
        let found = self.operations.iter().find(|operation| operation.id == id);
        found.map(|issued| &**issued)
    }

    /// Returns a random number less than `below`, or 0 if `below` is 0.
    pub fn random(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 33) as usize % below.max(1)
    }

    /// Returns the index of the `nth` operation that is not done yet, or `None` if there are fewer.
    pub fn waiting(&self, nth: usize) -> Option<usize> {
        let mut waiting = self.operations.iter().enumerate().filter(|(_, o)| !o.done);
        waiting.nth(nth).map(|(i, _)| i)
    }

    /// Returns the number of operations that are not done yet.
    pub fn len_waiting(&self) -> usize {
        self.operations.iter().filter(|o| !o.done).count()
    }

    /// Performs an operation if it is not done yet. Removes the operation from the queue if it
    /// completes objects.
    pub fn perform(&mut self, index: usize, memories: &mut Memories) {
        let operation = &mut self.operations[index];
        if !operation.done {
            operation.done = true;
            perform(operation, memories);
        }
        if !operation.is_grouped() {
            let over = self.operations.remove(index);
            if let (Moves::Copy { .. }, Some(shadow)) = (&over.moves, &mut memories.shadow) {
                shadow.end_reading(over.id, over.issuer, true);
            }
        }
    }

    /// Performs and removes the operations of a thread's groups before `group`. What they read may
    /// be written again.
    pub fn end_groups(&mut self, thread: u32, group: u32, memories: &mut Memories) {
        let mut i = 0;
        while let Some(operation) = self.operations.get(i) {
            if !operation.is_grouped() || operation.issuer != thread || operation.group >= group {
                i += 1;
                continue;
            }
            self.perform(i, memories);
            let over = self.operations.remove(i);
            if let Some(shadow) = &mut memories.shadow {
                shadow.end_reading(over.id, thread, true);
            }
        }
    }
}

/// Moves the bytes of an operation, and completes them at its objects.
fn perform(operation: &Issued, memories: &mut Memories) {
    let Memories {
        shared,
        shadow,
        global,
        objects,
    } = memories;
    match &operation.moves {
        Moves::Load {
            pieces,
            targets,
            bytes,
            span,
            swizzle,
            fill,
            rounds,
        } => {
            for (number, (to, object)) in targets.iter().enumerate() {
                for (i, piece) in pieces.iter().enumerate() {
                    let into = operation.destination(shared, number, piece.at, piece.bytes);
                    if !pieces.read(global, i, into) {
                        let pattern = fill.iter().cycle();
                        into.iter_mut().zip(pattern).for_each(|(b, &f)| *b = f);
                    } else if *rounds {
                        round(into);
                    }
                }
                let written = Written {
                    at: to.at(),
                    bytes: *bytes,
                    span: *span,
                    swizzle: *swizzle,
                    reduction: None,
                };
                let (issuer, following) = (operation.issuer, shadow.as_deref_mut());
                let done = objects.complete(shared, following, object.at(), issuer, written);
                if let (Some((column, time)), Some(shadow)) = (done, shadow.as_deref_mut()) {
                    shadow.sources.complete(operation.id, column, time);
                }
            }
        }
        Moves::Store {
            pieces, reduction, ..
        } => {
            for (i, piece) in pieces.iter().enumerate() {
                let mut bytes = operation.source(shared, piece.at, piece.bytes).to_vec();
                if let Some(reduction) = reduction {
                    let mut old = vec![0; bytes.len()];
                    pieces.read(global, i, &mut old);
                    reduce(&mut old, &bytes, reduction);
                    bytes = old;
                }
                pieces.write(global, i, &bytes);
            }
        }
        Moves::Copy {
            to,
            bytes,
            object,
            reduction,
            ..
        } => {
            let new = operation.source(shared, 0, *bytes).to_vec();
            let into = operation.destination(shared, 0, 0, *bytes);
            match reduction {
                Some(reduction) => reduce(into, &new, reduction),
                None => into.copy_from_slice(&new),
            }
            let shadow = shadow.as_deref_mut();
            let written = Written {
                at: to.at(),
                bytes: *bytes,
                span: *bytes,
                swizzle: 0,
                reduction: reduction.as_ref().map(|_| operation.id),
            };
            objects.complete(shared, shadow, object.at(), operation.issuer, written);
        }
    }
}

/// Rounds numbers of 32 bits to `.tf32`, as an H200's load does.
fn round(numbers: &mut [u8]) {
    for number in numbers.as_chunks_mut::<4>().0 {
        let rounded = tf32::from_f32(u32::from_le_bytes(*number), Rounding::NearestEven);
        *number = rounded.to_le_bytes();
    }
}

/// Combines the numbers in `old` with those in `new`, and writes the results to `old`.
fn reduce(old: &mut [u8], new: &[u8], &(apply, bytes): &Reduction) {
    let number = |bytes: &[u8]| {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(all)
    };
    for (old, new) in old.chunks_exact_mut(bytes).zip(new.chunks_exact(bytes)) {
        let value = apply(number(old), number(new), 0);
        old.copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}
