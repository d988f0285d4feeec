//! The tensor memory of a block: its words, their allocations, and the order of accesses.
//!
//! ```text
//!            column 0 .. 511
//! lane  0    +-----------------+    a word of 32 bits each; an address is lane << 16 | column
//!  ..        |  quarter 0      |    a cell: a column of a quarter, which one access of a warp has
//! lane 31    +-----------------+
//!  ..        |  quarters 1..3  |
//! lane 127   +-----------------+
//! ```
//!
//! Law: an access has to be ordered after the write before it, and a write also after the reads. A
//! load or a store is under way until its warp's `wait::ld` or `wait::st`, a product or a copy
//! until a commit of its thread completes at an mbarrier object and somebody has waited for that.
//! Products and copies of one thread are in order. A product is also in order after another
//! thread's products and copies if its thread is ordered after them. The fences of `fences.rs` are
//! needed between the accesses of two warps. Source: PTX ISA, "Tensor Memory", "Memory Consistency
//! Model for tcgen05".

mod fences;

use super::clocks::Clocks;
use crate::frame::WARP;
use fences::Missing;
pub(crate) use fences::{Fences, Order};
use std::ops::Range;

/// The number of lanes.
pub(crate) const LANES: usize = 128;
/// The number of columns.
pub(crate) const COLUMNS: usize = 512;
/// The number of quarters. A quarter has the lanes that one warp reaches.
const QUARTERS: usize = LANES / WARP;

/// How far an access has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A load or store of a warp that has not waited.
    Unwaited,
    /// A product or a copy that no commit has completed.
    Tracked(Tracked),
    /// An access that is done. `by` is the thread or the object that tells of it, at `time`.
    Done,
}

impl Stage {
    /// Returns the number of a product or a copy under way if it is at most `last`, or else `None`.
    fn tracked(self, last: u64) -> Option<u64> {
        match self {
            Stage::Tracked(op) if op.number <= last => Some(op.number),
            _ => None,
        }
    }
}

/// An access: the thread, or the mbarrier object that tells of it, and when.
#[derive(Debug, Clone, Copy)]
struct Mark {
    by: u32,
    time: u32,
    site: u32,
    stage: Stage,
    /// The thread that issued it, whatever tells of it, and the product or copy that it is.
    issuer: u32,
    tracked: Option<Tracked>,
    /// The `fence::before_thread_sync` that its warp had executed before it.
    fences: usize,
}

/// The last accesses of a cell.
#[derive(Debug, Clone, Default)]
struct Cell {
    write: Option<Mark>,
    reads: Vec<Mark>,
    /// Lanes that hold something.
    written: u32,
}

/// A product or a copy, which a commit completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tracked {
    pub number: u64,
    /// A number that products of one kind and shape into the same columns have in common; `None`
    /// for a copy.
    pub accumulator: Option<u64>,
}

impl Tracked {
    /// Whether PTX orders a later operation of the same thread after this one: a product after
    /// copies, and after products into the same accumulator. Source: PTX ISA, "Pipelined
    /// tcgen05 Instructions".
    fn precedes(self, later: Tracked) -> bool {
        match (self.accumulator, later.accumulator) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(own), Some(later)) => own == later,
        }
    }
}

/// The thread and the instruction of an access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accessor {
    pub thread: u32,
    pub site: u32,
    /// The product or copy that accesses, or `None` for a load or a store.
    pub tracked: Option<Tracked>,
}

/// The reason why an access is not ordered after an earlier one.
#[derive(Debug)]
pub(crate) struct Conflict {
    pub problem: String,
    /// The instruction of the earlier access.
    pub earlier: u32,
    /// Whether only a `tcgen05.fence` is missing.
    pub fence: bool,
}

impl Conflict {
    /// Whether this conflict replaces `known`: either `known` is `None`, or `known` is only a
    /// missing fence and this conflict is more.
    pub fn replaces(&self, known: Option<&Conflict>) -> bool {
        known.is_none_or(|known| known.fence && !self.fence)
    }
}

/// Returns the first conflict that is more than a missing fence, or the first conflict if all are
/// missing fences.
fn gravest(all: impl Iterator<Item = Conflict>) -> Option<Conflict> {
    let mut found: Option<Conflict> = None;
    for conflict in all {
        if conflict.replaces(found.as_ref()) {
            found = Some(conflict);
        }
    }
    found
}

/// The tensor memory of a block.
#[derive(Debug, Default)]
pub(crate) struct TensorMemory {
    /// The words, row by row. The vector is empty before the first allocation.
    words: Vec<u32>,
    /// The cells, by quarter and then by column.
    cells: Vec<Cell>,
    /// The columns of each allocation, the warp that made it, and its instruction.
    pub allocations: Vec<(Range<usize>, u32, u32)>,
    /// Whether a thread has given up the right to allocate.
    pub relinquished: bool,
    /// The number of columns of the last allocation.
    pub last: Option<usize>,
    /// The first problem that a product found when it was performed, and the product.
    pub found: Option<(String, Accessor)>,
    /// The cells that a warp reads or writes by instructions for which it has not waited: the
    /// warp's first thread, whether it writes, and the cell.
    unwaited: Vec<(u32, bool, usize)>,
    /// The threads with products and copies that no commit has completed, and the cells that these
    /// use.
    pending: Vec<(u32, usize)>,
}

impl Cell {
    fn marks(&mut self) -> impl Iterator<Item = &mut Mark> {
        self.write.iter_mut().chain(&mut self.reads)
    }

    /// Whether a product or a copy of a thread uses the cell and no commit has completed it.
    fn is_pending(&mut self, thread: u32) -> bool {
        let of_thread = |mark: &Mark| mark.by == thread && matches!(mark.stage, Stage::Tracked(_));
        self.marks().any(|mark| of_thread(mark))
    }
}

fn index(quarter: usize, column: usize) -> usize {
    quarter * COLUMNS + column
}

impl TensorMemory {
    /// Whether no allocation has any of the columns.
    pub fn is_free(&self, columns: &Range<usize>) -> bool {
        let mut all = self.allocations.iter();
        !all.any(|(other, ..)| other.start < columns.end && columns.start < other.end)
    }

    /// Allocates free columns for a warp, and marks their words as not written.
    pub fn take(&mut self, columns: Range<usize>, warp: u32, site: u32) {
        if self.words.is_empty() {
            self.words = vec![0; LANES * COLUMNS];
            self.cells = vec![Cell::default(); QUARTERS * COLUMNS];
        }
        self.last = Some(columns.len());
        for quarter in 0..QUARTERS {
            for column in columns.clone() {
                self.cells[index(quarter, column)].written = 0;
            }
        }
        self.allocations.push((columns, warp, site));
    }

    /// Whether all columns of a range are allocated.
    pub fn is_allocated(&self, columns: &Range<usize>) -> bool {
        columns.clone().all(|column| {
            let mut all = self.allocations.iter();
            all.any(|(range, ..)| range.contains(&column))
        })
    }

    pub fn word(&self, lane: usize, column: usize) -> u32 {
        self.words[lane * COLUMNS + column]
    }

    pub fn set_word(&mut self, lane: usize, column: usize, value: u32) {
        self.words[lane * COLUMNS + column] = value;
        self.cells[index(lane / WARP, column)].written |= 1 << (lane % WARP);
    }

    /// Whether something was written to a word since its column was allocated.
    pub fn is_written(&self, lane: usize, column: usize) -> bool {
        self.cells[index(lane / WARP, column)].written >> (lane % WARP) & 1 == 1
    }

    /// Keeps the first finding for the block's end.
    pub fn tell_at_the_end(&mut self, problem: String, who: Accessor) {
        self.found.get_or_insert((problem, who));
    }

    /// Notes that a product or a copy is to write these lanes, before it has.
    pub fn will_write(&mut self, quarter: usize, column: usize, lanes: u32) {
        self.cells[index(quarter, column)].written |= lanes;
    }

    /// Notes a read of a cell. Returns a conflict if the read is not ordered after an earlier
    /// write.
    pub fn read(
        &mut self,
        order: Option<Order>,
        who: Accessor,
        (quarter, column): (usize, usize),
    ) -> Result<(), Conflict> {
        let at = index(quarter, column);
        let cell = &mut self.cells[at];
        let found = cell
            .write
            .as_ref()
            .and_then(|write| unordered(order, who, write, true));
        let mark = who.mark(order);
        let pending = cell.is_pending(who.thread);
        cell.reads.retain(|read| {
            read.by != mark.by || matches!(read.stage, Stage::Tracked(_)) != who.tracked.is_some()
        });
        cell.reads.push(mark);
        self.begin(who, false, at, pending);
        found.map_or(Ok(()), Err)
    }

    /// Notes a write of a cell. Returns a conflict if the write is not ordered after an earlier
    /// access.
    pub fn write(
        &mut self,
        order: Option<Order>,
        who: Accessor,
        (quarter, column): (usize, usize),
    ) -> Result<(), Conflict> {
        let at = index(quarter, column);
        let cell = &mut self.cells[at];
        let written = cell.write.iter().map(|write| (write, true));
        let marks = written.chain(cell.reads.iter().map(|read| (read, false)));
        let of_mark = |(mark, wrote)| unordered(order, who, mark, wrote);
        let found = gravest(marks.filter_map(of_mark));
        let pending = cell.is_pending(who.thread);
        cell.write = Some(who.mark(order));
        cell.reads.clear();
        self.begin(who, true, at, pending);
        found.map_or(Ok(()), Err)
    }

    /// Keeps a cell for the wait or the commit that ends the access.
    fn begin(&mut self, who: Accessor, writes: bool, at: usize, pending: bool) {
        match who.tracked {
            None => self.unwaited.push((who.thread, writes, at)),
            Some(_) if pending => {}
            Some(_) => self.pending.push((who.thread, at)),
        }
    }

    /// Notes that a warp has waited for its loads or, with `stores`, for its stores: they are done
    /// now. `thread` is the warp's first thread.
    pub fn wait(&mut self, clocks: Option<&Clocks>, thread: u32, stores: bool) {
        let time = clocks.map_or(0, |clocks| clocks.since(thread));
        let done = |mark: &mut Mark| {
            if mark.by == thread && mark.stage == Stage::Unwaited {
                (mark.stage, mark.time) = (Stage::Done, time);
            }
        };
        let cells = &mut self.cells;
        self.unwaited.retain(|&(by, writes, at)| {
            if by != thread || writes != stores {
                return true;
            }
            let cell = &mut cells[at];
            if writes {
                cell.write.iter_mut().for_each(done);
            } else {
                cell.reads.iter_mut().for_each(done);
            }
            false
        });
    }

    /// Returns the products and copies that are done once those of `thread` up to the number `last`
    /// are. Each pair has a thread and the number up to which its operations are done. Another
    /// thread is in a pair if it wrote what one of these operations has read.
    pub fn done_with(&mut self, thread: u32, last: u64) -> Vec<(u32, u64)> {
        let mut all = vec![(thread, last)];
        let mut next = 0;
        while let Some(&(thread, last)) = all.get(next) {
            next += 1;
            for &(_, at) in self.pending.iter().filter(|(of, _)| *of == thread) {
                let cell = &mut self.cells[at];
                let done = cell.marks().filter(|mark| mark.by == thread);
                let done = done.filter_map(|mark| mark.stage.tracked(last)).max();
                let Some(write) = cell.write.filter(|write| write.by != thread) else {
                    continue;
                };
                if let Some(number) = write.stage.tracked(last)
                    && Some(number) < done
                    && !all.contains(&(write.by, number))
                {
                    all.push((write.by, number));
                }
            }
        }
        all
    }

    /// Marks the products and copies of `thread` up to the number `last` as done. The object `by`
    /// tells of them, at `time`.
    pub fn complete(&mut self, thread: u32, last: u64, (by, time): (u32, u32)) {
        let cells = &mut self.cells;
        self.pending.retain(|&(thread_of, at)| {
            if thread_of != thread {
                return true;
            }
            for mark in cells[at].marks().filter(|mark| mark.by == thread) {
                if mark.stage.tracked(last).is_some() {
                    (mark.by, mark.time, mark.stage) = (by, time, Stage::Done);
                }
            }
            cells[at].is_pending(thread)
        });
    }

    /// Frees the columns of one whole allocation. Returns a conflict if the deallocation is not
    /// ordered after an access of them. The instruction is synchronous, and needs no fence.
    pub fn deallocate(
        &mut self,
        order: Option<Order>,
        who: Accessor,
        columns: &Range<usize>,
    ) -> Result<(), Conflict> {
        self.allocations.retain(|(range, ..)| range != columns);
        let mut found = None;
        for quarter in 0..QUARTERS {
            for column in columns.clone() {
                let cell = &mut self.cells[index(quarter, column)];
                let write = cell.write.iter().map(|mark| (mark, true));
                let marks = write.chain(cell.reads.iter().map(|mark| (mark, false)));
                let of_mark = |(mark, wrote)| unordered(order, who, mark, wrote);
                let mut conflicts = marks.filter_map(of_mark).filter(|conflict| !conflict.fence);
                found = found.or_else(|| conflicts.next());
                (cell.write, cell.reads) = (None, Vec::new());
            }
        }
        found.map_or(Ok(()), Err)
    }
}

impl Accessor {
    fn mark(self, order: Option<Order>) -> Mark {
        Mark {
            by: self.thread,
            time: order.map_or(0, |order| order.clocks.since(self.thread)),
            site: self.site,
            stage: self.tracked.map_or(Stage::Unwaited, Stage::Tracked),
            issuer: self.thread,
            tracked: self.tracked,
            fences: order.map_or(0, |order| order.fences_of(self.thread)),
        }
    }
}

/// Whether a thread is ordered after an access.
fn is_behind(clocks: &Clocks, thread: u32, earlier: &Mark) -> bool {
    earlier.time <= clocks.base || clocks.ordered(thread, earlier.by, earlier.time)
}

/// Returns what an access lacks to be ordered after an earlier one, or `None` if it is ordered or
/// no order is followed. `wrote` says whether the earlier access wrote or read.
fn unordered(order: Option<Order>, who: Accessor, earlier: &Mark, wrote: bool) -> Option<Conflict> {
    let order = order?;
    let clocks = order.clocks;
    let did = if wrote { "wrote" } else { "read" };
    let was = if wrote { "written" } else { "read" };
    // Two operations that one thread issues are in order, even with a commit between them.
    let pipelined = match (earlier.tracked, who.tracked) {
        (Some(before), Some(now)) if earlier.issuer == who.thread => {
            !order.strict || before.precedes(now)
        }
        _ => false,
    };
    let is_product = who.tracked.is_some_and(|now| now.accumulator.is_some());
    let problem = match earlier.stage {
        _ if pipelined => return None,
        // A product is ordered after another thread's product or copy if its thread is ordered
        // after the issue.
        Stage::Tracked(_)
            if is_product && !order.strict && is_behind(clocks, who.thread, earlier) =>
        {
            return unfenced(order, who, earlier, was);
        }
        Stage::Tracked(op) => {
            let name = if op.accumulator.is_some() {
                "mma"
            } else {
                "cp"
            };
            format!("a tcgen05.{name} {did} it, and no tcgen05.commit behind it has completed")
        }
        Stage::Unwaited if earlier.time <= clocks.base => return None,
        Stage::Unwaited => {
            let (op, wait) = match wrote {
                true => ("tcgen05.st", "wait::st"),
                false => ("tcgen05.ld", "wait::ld"),
            };
            format!("a {op} {did} it, and no tcgen05.{wait} follows that one")
        }
        Stage::Done if is_behind(clocks, who.thread, earlier) => {
            return unfenced(order, who, earlier, was);
        }
        Stage::Done => format!("it was {was}, and nothing orders the two"),
    };
    Some(Conflict {
        problem,
        earlier: earlier.site,
        fence: false,
    })
}

/// Returns the conflict if a fence is missing between an access and an earlier one, whose threads
/// are in order, or else `None`.
fn unfenced(order: Order, who: Accessor, earlier: &Mark, was: &str) -> Option<Conflict> {
    let problem = match order.missing(who.thread, earlier)? {
        Missing::Before => format!(
            "it was {was}, and no tcgen05.fence::before_thread_sync stands between that and the synchronisation with this thread"
        ),
        Missing::After => format!(
            "it was {was}, and no tcgen05.fence::after_thread_sync stands between the synchronisation with that and this access"
        ),
    };
    Some(Conflict {
        problem,
        earlier: earlier.site,
        fence: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order<'a>(clocks: &'a Clocks, fences: &'a Fences) -> Option<Order<'a>> {
        Some(Order {
            clocks,
            fences,
            strict: false,
        })
    }

    #[test]
    fn what_is_taken_is_not_free() {
        let mut memory = TensorMemory::default();
        assert!(memory.is_free(&(384..512)) && !memory.is_allocated(&(384..385)));
        memory.take(384..512, 0, 0);
        memory.take(320..384, 0, 0);
        assert!(memory.is_allocated(&(320..512)));
        assert!(!memory.is_free(&(256..321)) && memory.is_free(&(0..320)));
    }

    #[test]
    fn a_commit_completes_the_products_before_it_alone() {
        let mut clocks = Clocks::default();
        clocks.reset(8);
        let fences = Fences::default();
        let mut memory = TensorMemory::default();
        memory.take(480..512, 0, 0);
        let of = |thread, number| Accessor {
            thread,
            site: 0,
            tracked: Some(Tracked {
                number,
                accumulator: Some(0),
            }),
        };
        let object = (8 * 32, 0);
        for (who, column) in [(of(0, 1), 480), (of(0, 2), 481), (of(32, 3), 482)] {
            memory
                .write(order(&clocks, &fences), who, (0, column))
                .unwrap();
        }
        memory.complete(0, 1, object);
        assert_eq!(memory.pending, [(0, 481), (32, 482)]);
        // The second product uses the first one's column: it is kept once.
        memory
            .read(order(&clocks, &fences), of(0, 4), (0, 481))
            .unwrap();
        assert_eq!(memory.pending.len(), 2);
        memory.complete(0, 3, object);
        assert_eq!(memory.pending, [(0, 481), (32, 482)]);
        memory.complete(0, 4, object);
        memory.complete(32, 4, object);
        assert!(memory.pending.is_empty());
    }

    /// Checks that a thread may go on adding to the same columns after a commit has completed that
    /// no thread waited for, such as a commit that frees the operands of a product.
    #[test]
    fn products_of_one_thread_are_in_order_over_a_commit() {
        let mut clocks = Clocks::default();
        clocks.reset(8);
        let fences = Fences::default();
        let mut memory = TensorMemory::default();
        memory.take(480..512, 0, 0);
        let of = |thread, number| Accessor {
            thread,
            site: 0,
            tracked: Some(Tracked {
                number,
                accumulator: Some(0),
            }),
        };
        memory
            .write(order(&clocks, &fences), of(0, 1), (0, 480))
            .unwrap();
        memory.complete(0, 1, (8 * 32, 1));
        assert!(
            memory
                .write(order(&clocks, &fences), of(32, 2), (0, 480))
                .is_err()
        );
        memory
            .write(order(&clocks, &fences), of(0, 3), (0, 481))
            .unwrap();
        memory.complete(0, 3, (8 * 32, 1));
        memory
            .write(order(&clocks, &fences), of(0, 4), (0, 481))
            .unwrap();
    }

    /// Checks two rules of PTX. A product is ordered after another thread's copy as soon as the
    /// threads are in order, but a copy is ordered after a product only by a commit.
    #[test]
    fn products_follow_what_other_threads_issued() {
        let mut clocks = Clocks::default();
        clocks.reset(8);
        let mut fences = Fences::default();
        let mut memory = TensorMemory::default();
        memory.take(480..512, 0, 0);
        let of = |thread, number, copies: bool| Accessor {
            thread,
            site: 0,
            tracked: Some(Tracked {
                number,
                accumulator: (!copies).then_some(0),
            }),
        };
        memory
            .write(order(&clocks, &fences), of(0, 1, true), (0, 480))
            .unwrap();
        memory
            .write(order(&clocks, &fences), of(0, 2, true), (1, 480))
            .unwrap();
        let product = of(32, 3, false);
        let found = memory
            .read(order(&clocks, &fences), product, (0, 480))
            .unwrap_err();
        assert!(found.problem.contains("a tcgen05.cp wrote it"), "{found:?}");
        fences.before(&clocks, 0, 1);
        let time = clocks.advance();
        clocks.of_all.fill(time);
        clocks.of_warps.fill(time);
        fences.after(&clocks, 1);
        memory
            .read(order(&clocks, &fences), product, (1, 480))
            .unwrap();
        let copy = of(64, 4, true);
        let found = memory
            .write(order(&clocks, &fences), copy, (1, 480))
            .unwrap_err();
        assert!(found.problem.contains("tcgen05.commit"), "{found:?}");
    }

    #[test]
    fn a_load_is_under_way_until_its_warp_has_waited() {
        let mut clocks = Clocks::default();
        clocks.reset(8);
        let fences = Fences::default();
        let mut memory = TensorMemory::default();
        memory.take(480..512, 0, 0);
        let load = Accessor {
            thread: 0,
            site: 1,
            tracked: None,
        };
        let product = Accessor {
            thread: 32,
            site: 2,
            tracked: Some(Tracked {
                number: 1,
                accumulator: Some(0),
            }),
        };
        memory
            .read(order(&clocks, &fences), load, (0, 480))
            .unwrap();
        let found = memory
            .write(order(&clocks, &fences), product, (0, 480))
            .unwrap_err();
        assert!(found.problem.contains("wait::ld"), "{found:?}");
        memory
            .read(order(&clocks, &fences), load, (1, 480))
            .unwrap();
        memory.wait(Some(&clocks), 0, false);
        // It is done, and still the two threads have not met.
        let found = memory
            .write(order(&clocks, &fences), product, (1, 480))
            .unwrap_err();
        assert!(found.problem.contains("nothing orders"), "{found:?}");
    }
}
