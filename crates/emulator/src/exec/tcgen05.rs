//! `tcgen05`: allocations of tensor memory, its loads and stores, and products of one thread.
//!
//! ```text
//! warp 0     alloc ─ bar ─ mma ─ mma ─ commit ──► mbarrier
//! warps 0-3          bar            wait at it ◄───┘ ─ ld ─ wait::ld ─ bar ─ dealloc (warp 0)
//! ```
//!
//! Law: a warp reaches the lanes of its quarter alone. Loads and stores are done where their warp
//! has waited, products where a commit of their thread has completed at an mbarrier object. The
//! products of a thread happen in their order, each at one time between its issue and that, which
//! the schedule chooses. A `tcgen05.fence` does nothing here, as `ptxas` makes no instruction of
//! it. Source: PTX ISA, "TensorCore 5th Generation Family Instructions".

mod copy;
pub(crate) mod product;
mod scales;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::access::{self, Addresses};
use super::banks::Cost;
use super::block::{Block, Failure};
use super::grid::LaunchState;
use super::run::{Context, Site};
use super::shared::{self, ObjectPlace};
use super::values::Values;
use super::warp::Activation;
use super::wgmma::descriptor::Descriptor;
use super::{Outcome, Trap, lanes, mbarrier};
use crate::address::SHARED_WINDOW;
use crate::fault::FaultKind;
use crate::frame::{Frame, Row32, WARP};
use crate::ir::{Tcgen05, TensorAccess, TensorShape, Window};
use crate::memory::tensor::{Accessor, COLUMNS, Conflict, TensorMemory};
use crate::schedule::Schedule;
use copy::Copy;
use product::Product;

/// What a thread has issued and what has not happened yet.
#[derive(Debug)]
enum Step {
    Product(Box<Product>),
    Copy(Box<Copy>),
    /// An arrival when all products and copies up to a number are done.
    Commit {
        issuer: u32,
        rank: usize,
        object: ObjectPlace,
        last: u64,
    },
}

/// The tensor memories of a cluster's blocks, and what is under way in them.
#[derive(Debug, Default)]
pub(crate) struct Tensor {
    memories: Vec<TensorMemory>,
    steps: VecDeque<Step>,
    /// Of each thread the objects that its commits completed at, and when.
    told: BTreeMap<u32, Vec<(usize, u32)>>,
    /// Products and copies issued.
    issued: u64,
}

impl Tensor {
    /// A fresh cluster of so many blocks.
    pub fn start(&mut self, ranks: usize) {
        self.memories.clear();
        self.memories.resize_with(ranks, TensorMemory::default);
        self.steps.clear();
        self.told.clear();
    }

    /// Whether something has not happened yet.
    pub fn is_waiting(&self) -> bool {
        !self.steps.is_empty()
    }
}

impl Tcgen05 {
    /// Whether the whole warp executes it together.
    pub fn is_of_warp(&self) -> bool {
        !matches!(
            self,
            Self::Multiply(_) | Self::Copy(_) | Self::Commit { .. } | Self::Fence
        )
    }
}

/// Something that is wrong with a use of tensor memory.
fn wrong(lane: usize, address: u32, problem: String) -> Box<Trap> {
    Trap::boxed(lane, address.into(), FaultKind::TensorMemory { problem })
}

/// A use that no kernel goes on from.
fn fail<T>(lane: usize, address: u32, problem: String) -> Outcome<T> {
    Err(wrong(lane, address, problem))
}

/// Tells of a use that is not ordered behind an earlier one.
fn tell(
    cx: &mut Context,
    (lane, address): (usize, u32),
    what: &str,
    (problem, earlier): Conflict,
) -> Outcome {
    let mut trap = wrong(lane, address, format!("{what}: {problem}"));
    trap.earlier = earlier;
    cx.found(trap)
}

/// The block's rank in its cluster.
fn rank(cx: &Context) -> usize {
    (cx.warp / cx.launch.warps) as usize
}

/// Executes an instruction for the lanes of `mask`.
pub(crate) fn execute(
    cx: &mut Context,
    frame: &mut Activation,
    op: &Tcgen05,
    mask: u32,
    site: Site,
) -> Outcome {
    let thread = cx.warp * WARP as u32;
    let registers = &mut frame.registers;
    match op {
        Tcgen05::Allocate { to, columns } => {
            let all = access::addresses(registers, to, 1);
            allocate(cx, (all, to.window), registers, *columns, site)
        }
        Tcgen05::Deallocate { address, columns } => {
            let address = one(&registers.r32[*address as usize], "addresses")?;
            let columns = one(&registers.r32[*columns as usize], "numbers of columns")?;
            deallocate(cx, address, columns, site)
        }
        Tcgen05::Relinquish => {
            let rank = rank(cx);
            cx.engine.tensor.memories[rank].relinquished = true;
            Ok(())
        }
        Tcgen05::Load(op) => load(cx, registers, op, site),
        Tcgen05::Store(op) => store(cx, registers, op, site),
        Tcgen05::WaitLoads | Tcgen05::WaitStores => {
            let stores = matches!(op, Tcgen05::WaitStores);
            let rank = rank(cx);
            let clocks = cx.shadow.as_deref().map(|shadow| &shadow.clocks);
            cx.engine.tensor.memories[rank].wait(clocks, thread, stores);
            Ok(())
        }
        Tcgen05::Fence => Ok(()),
        Tcgen05::Multiply(op) => {
            lanes(mask).try_for_each(|lane| product::issue(cx, registers, op, lane, site))
        }
        Tcgen05::Copy(op) => {
            lanes(mask).try_for_each(|lane| copy::issue(cx, registers, op, lane, site))
        }
        Tcgen05::Commit { object } => {
            let all = access::addresses(registers, object, mask);
            let window = object.window;
            lanes(mask).try_for_each(|lane| commit(cx, lane, window, all[lane]))
        }
    }
}

/// Columns that `what` has are all in an allocation of the block.
fn allocated(cx: &Context, lane: usize, what: &str, columns: &Range<usize>) -> Outcome {
    let memory = &cx.engine.tensor.memories[rank(cx)];
    if columns.end <= COLUMNS && memory.is_allocated(columns) {
        return Ok(());
    }
    let problem = format!(
        "{what} has columns {} to {}, which are not all in an allocation of the block",
        columns.start,
        columns.end.saturating_sub(1)
    );
    fail(lane, columns.start as u32, problem)
}

/// A lane's matrix descriptor.
fn descriptor(registers: &Frame, row: u32, lane: usize, name: &str) -> Outcome<Descriptor> {
    let bits = registers.r64[row as usize][lane];
    Descriptor::of_blackwell(bits).or_else(|problem| {
        let problem = format!("the descriptor {bits:#018x} of {name}: {problem}");
        fail(lane, 0, problem)
    })
}

/// The one value of a row.
fn one(row: &Row32, what: &str) -> Outcome<u32> {
    match (0..WARP).find(|&lane| row[lane] != row[0]) {
        None => Ok(row[0]),
        Some(lane) => {
            let problem = format!(
                "lanes have different {what}: {:#x} and {:#x}",
                row[0], row[lane]
            );
            fail(lane, row[lane], problem)
        }
    }
}

/// A word of one lane.
struct OneWord(u32);

impl Values for OneWord {
    fn bytes(&self) -> usize {
        4
    }

    fn element(&self, _: usize, _: usize) -> u64 {
        self.0.into()
    }

    fn words(&self, _: usize) -> Option<&Row32> {
        None
    }
}

/// `tcgen05.alloc`.
fn allocate(
    cx: &mut Context,
    (all, window): (Addresses, Window),
    registers: &Frame,
    columns: u32,
    site: Site,
) -> Outcome {
    let columns = one(&registers.r32[columns as usize], "numbers of columns")?;
    let count = columns as usize;
    if !count.is_power_of_two() || !(32..=COLUMNS).contains(&count) {
        let problem = format!("32, 64, 128, 256 or 512 columns, not {columns}");
        return fail(0, 0, problem);
    }
    let (rank, packed, warp) = (rank(cx), cx.launch.packed(site), cx.warp);
    let memory = &mut cx.engine.tensor.memories[rank];
    let has: usize = memory
        .allocations
        .iter()
        .map(|(range, ..)| range.len())
        .sum();
    let problem = if memory.relinquished {
        Some("an allocation behind tcgen05.relinquish_alloc_permit".to_owned())
    } else if memory.last.is_some_and(|last| last < count) {
        let last = memory.last.unwrap_or(0);
        Some(format!(
            "{count} columns behind an allocation of {last}: no later one is larger"
        ))
    } else {
        None
    };
    let Some(from) = memory.allocate(count, warp, packed) else {
        let problem = format!(
            "{count} columns where the block has {has} of {COLUMNS}: the allocation waits for ever"
        );
        return fail(0, 0, problem);
    };
    if let Some(problem) = problem {
        cx.go_on(wrong(0, from as u32, problem))?;
    }
    let all = match window {
        Window::Generic => access::relative(&all, SHARED_WINDOW, 1),
        _ => all,
    };
    let request = shared::Request {
        window: Window::Shared,
        all: &all,
        mask: 1,
        bytes: 4,
        cost: Cost::Store,
        counted: None,
    };
    shared::store(cx, &request, None, &OneWord(from as u32))
}

/// `tcgen05.dealloc`.
fn deallocate(cx: &mut Context, address: u32, columns: u32, site: Site) -> Outcome {
    let (rank, packed, warp) = (rank(cx), cx.launch.packed(site), cx.warp);
    let from = (address & 0xffff) as usize;
    let range = from..from + columns as usize;
    let memory = &mut cx.engine.tensor.memories[rank];
    let mut all = memory.allocations.iter();
    let Some(&(_, by, made)) = all.find(|(other, ..)| *other == range) else {
        let problem = format!("no allocation of {columns} columns begins at column {from}");
        return fail(0, address, problem);
    };
    let who = Accessor {
        thread: warp * WARP as u32,
        site: packed,
        tracked: None,
    };
    let clocks = cx.shadow.as_deref().map(|shadow| &shadow.clocks);
    let found = memory.deallocate(clocks, who, &range);
    if by != warp {
        let of_block = |warp: u32| warp % cx.launch.warps;
        let (by, own) = (of_block(by), of_block(warp));
        let problem = format!("warp {own} gives back what warp {by} has allocated");
        let mut trap = wrong(0, address, problem);
        trap.earlier = made;
        cx.go_on(trap)?;
    }
    match found {
        Ok(()) => Ok(()),
        Err(conflict) => tell(cx, (0, address), "columns are given back", conflict),
    }
}

/// A register's lane within the shape's, and its column.
fn place(op: &TensorAccess, lane: usize, register: usize) -> (usize, usize) {
    let (quad, group, r) = (lane % 4, lane / 4, register);
    match op.shape {
        TensorShape::L32x32b => (lane, r),
        TensorShape::L16x64b => (lane % 2 * 8 + group, quad / 2 + 2 * r),
        TensorShape::L16x128b => (group + r % 2 * 8, quad + r / 2 * 4),
        TensorShape::L16x256b => (group + r / 2 % 2 * 8, 2 * quad + r % 2 + r / 4 * 8),
        TensorShape::L16x32bx2 => (lane % 16, r + lane / 16 * op.second as usize),
    }
}

/// Where a warp's access lies: its first lane and column, and the columns of each register.
struct Where {
    lane: usize,
    column: usize,
}

impl Where {
    /// The place of a lane's register, and with `.pack::16b` the place behind it.
    fn of(&self, op: &TensorAccess, lane: usize, register: usize) -> (usize, usize) {
        let (row, column) = place(op, lane, register);
        let column = if op.packs { 2 * column } else { column };
        (self.lane + row, self.column + column)
    }
}

/// Checks the place of a warp's access, and returns it with the columns that it has.
fn reach(cx: &mut Context, registers: &Frame, op: &TensorAccess) -> Outcome<(Where, Vec<usize>)> {
    let all = access::addresses(registers, &op.address, u32::MAX);
    let addresses: Row32 = std::array::from_fn(|lane| all[lane] as u32);
    let address = one(&addresses, "addresses of tensor memory")?;
    let (lane, column) = ((address >> 16) as usize, (address & 0xffff) as usize);
    let own = (cx.warp % cx.launch.warps) as usize % 4;
    let step = match op.shape {
        TensorShape::L32x32b => WARP,
        _ => WARP / 2,
    };
    if lane / WARP != own || !lane.is_multiple_of(step) {
        let first = own * WARP;
        let at = match step {
            WARP => format!("lane {first}"),
            _ => format!("lane {first} or {}", first + step),
        };
        let problem = format!(
            "an access from lane {lane} on: this warp reaches lanes {first} to {}, from {at} on",
            first + WARP - 1
        );
        return fail(0, address, problem);
    }
    let place = Where { lane, column };
    let mut columns: Vec<usize> = (0..WARP)
        .flat_map(|lane| (0..op.registers.len()).map(move |register| (lane, register)))
        .flat_map(|(lane, register)| {
            let (_, column) = place.of(op, lane, register);
            column..=column + usize::from(op.packs)
        })
        .collect();
    columns.sort_unstable();
    columns.dedup();
    let rank = rank(cx);
    let memory = &cx.engine.tensor.memories[rank];
    let missing = columns
        .iter()
        .find(|&&column| column >= COLUMNS || !memory.is_allocated(&(column..column + 1)));
    if let Some(column) = missing {
        let problem = format!("column {column} is in no allocation of the block");
        return fail(0, address, problem);
    }
    Ok((place, columns))
}

/// Notes a warp's access of columns of its quarter.
fn note(
    cx: &mut Context,
    (place, columns): (&Where, &[usize]),
    writes: bool,
    site: Site,
) -> Outcome {
    let (rank, packed) = (rank(cx), cx.launch.packed(site));
    let who = Accessor {
        thread: cx.warp * WARP as u32,
        site: packed,
        tracked: None,
    };
    let quarter = place.lane / WARP;
    let mut first = None;
    let clocks = cx.shadow.as_deref().map(|shadow| &shadow.clocks);
    let memory = &mut cx.engine.tensor.memories[rank];
    for &column in columns {
        let found = match writes {
            true => memory.write(clocks, who, (quarter, column)),
            false => memory.read(clocks, who, (quarter, column)),
        };
        if let (Err(conflict), None) = (found, &first) {
            first = Some((column, conflict));
        }
    }
    let Some((column, conflict)) = first else {
        return Ok(());
    };
    let address = (place.lane << 16 | column) as u32;
    let what = format!(
        "column {column} of lanes {} to {} is {}",
        quarter * WARP,
        quarter * WARP + WARP - 1,
        if writes { "written" } else { "read" }
    );
    tell(cx, (0, address), &what, conflict)
}

/// `tcgen05.ld`.
fn load(cx: &mut Context, registers: &mut Frame, op: &TensorAccess, site: Site) -> Outcome {
    let (place, columns) = reach(cx, registers, op)?;
    let rank = rank(cx);
    let memory = &cx.engine.tensor.memories[rank];
    let mut unwritten = None;
    for (r, &row) in op.registers.iter().enumerate() {
        for lane in 0..WARP {
            let (at, column) = place.of(op, lane, r);
            let mut word = |column: usize| {
                if !memory.is_written(at, column) && unwritten.is_none() {
                    unwritten = Some((lane, at, column));
                }
                memory.word(at, column)
            };
            registers.r32[row as usize][lane] = match op.packs {
                true => word(column) & 0xffff | word(column + 1) << 16,
                false => word(column),
            };
        }
    }
    note(cx, (&place, &columns), false, site)?;
    match unwritten {
        None => Ok(()),
        Some((lane, at, column)) => {
            let problem = format!("lane {at}, column {column} is read and was never written");
            cx.go_on(wrong(lane, (at << 16 | column) as u32, problem))
        }
    }
}

/// `tcgen05.st`.
fn store(cx: &mut Context, registers: &Frame, op: &TensorAccess, site: Site) -> Outcome {
    let (place, columns) = reach(cx, registers, op)?;
    note(cx, (&place, &columns), true, site)?;
    let rank = rank(cx);
    let memory = &mut cx.engine.tensor.memories[rank];
    for (r, &row) in op.registers.iter().enumerate() {
        for lane in 0..WARP {
            let (at, column) = place.of(op, lane, r);
            let value = registers.r32[row as usize][lane];
            match op.packs {
                true => {
                    memory.set_word(at, column, value & 0xffff);
                    memory.set_word(at, column + 1, value >> 16);
                }
                false => memory.set_word(at, column, value),
            }
        }
    }
    Ok(())
}

/// `tcgen05.commit` of one lane.
fn commit(cx: &mut Context, lane: usize, window: Window, address: u64) -> Outcome {
    let (window, address) = match window {
        Window::Generic => (Window::Cluster, address.wrapping_sub(SHARED_WINDOW)),
        _ => (window, address),
    };
    let object = shared::object_at(cx, lane, window, address)?;
    mbarrier::made_before(cx, lane, object)?;
    let step = Step::Commit {
        issuer: cx.warp * WARP as u32 + lane as u32,
        rank: rank(cx),
        object,
        last: cx.engine.tensor.issued,
    };
    cx.engine.tensor.steps.push_back(step);
    now(cx);
    Ok(())
}

/// Does what has not happened yet, where the schedule has it done at its issue.
fn now(cx: &mut Context) {
    let all = match cx.launch.config.schedule {
        Schedule::Early => true,
        Schedule::Late => false,
        Schedule::Seeded(_) => cx.engine.queue.random(3) == 0,
    };
    while all && perform(cx.launch, cx.shared, cx.shadow.as_deref_mut(), cx.engine) {}
}

/// Does the first step that has not happened. Whether there was one.
fn perform(
    launch: &LaunchState,
    shared: &mut shared::Shared,
    shadow: Option<&mut crate::memory::shadow::Shadow>,
    engine: &mut super::engine::Engine,
) -> bool {
    let tensor = &mut engine.tensor;
    match tensor.steps.pop_front() {
        None => return false,
        Some(Step::Product(product)) => {
            let memory = &mut tensor.memories[product.rank];
            product.perform(shared, memory, launch.config.tensor_arithmetic);
        }
        Some(Step::Copy(copy)) => {
            copy.perform(shared, &mut tensor.memories[copy.rank]);
        }
        Some(Step::Commit {
            issuer,
            rank,
            object,
            last,
        }) => {
            let memory = &mut tensor.memories[rank];
            let told = tensor.told.entry(issuer).or_default();
            let done = memory.done_with(issuer, last);
            let shadow = shadow.map(|shadow| {
                let ended = done
                    .iter()
                    .flat_map(|&(of, last)| product::ended(shadow, of, last));
                let ids = ended.collect();
                (shadow, ids)
            });
            engine
                .mbarriers
                .commit(shared, object.at(), shadow, told, |by| {
                    for (of, last) in done {
                        memory.complete(of, last, by);
                    }
                });
        }
    }
    true
}

impl Block {
    /// Does the first `tcgen05` that has not happened. Whether there was one.
    pub(super) fn operate_tensor(&mut self, launch: &LaunchState) -> bool {
        let shadow = self.shadow.as_mut();
        perform(launch, &mut self.shared, shadow, &mut self.engine)
    }

    /// What is wrong with a block's tensor memory at its end: what a product found when it was
    /// done, and columns that nothing gave back.
    pub(super) fn tensor_failures(&self, launch: &LaunchState, rank: usize) -> Vec<Failure> {
        let Some(memory) = self.engine.tensor.memories.get(rank) else {
            return Vec::new();
        };
        let found = memory.found.as_ref().map(|(problem, who)| {
            let lane = who.thread as usize % WARP;
            let trap = wrong(lane, 0, problem.clone());
            (who.thread / WARP as u32, trap, who.site)
        });
        let left = memory.allocations.first().map(|(columns, warp, site)| {
            let problem = format!(
                "the block ends with {} columns from {} on that no tcgen05.dealloc gave back",
                columns.len(),
                columns.start
            );
            let mut trap = wrong(0, columns.start as u32, problem);
            trap.lanes = u32::MAX;
            (*warp, trap, *site)
        });
        let all = found.into_iter().chain(left);
        let failure = |(warp, trap, site)| Some((warp as usize, trap, launch.unpacked(site)?));
        all.filter_map(failure).collect()
    }
}
