//! `tcgen05`: allocations of tensor memory, its loads and stores, and the products and copies that
//! one thread issues, for its block or for a pair of blocks.
//!
//! ```text
//! warp 0     alloc ─ bar ─ mma ─ mma ─ commit ──► mbarrier
//! warps 0-3          bar            wait at it ◄───┘ ─ ld ─ wait::ld ─ bar ─ dealloc (warp 0)
//! ```
//!
//! Law: a warp reaches only the lanes of its quarter. Loads and stores are done once their warp has
//! waited, products and copies once a commit of their thread has completed at an mbarrier object.
//! The products and copies of a thread happen in their order, each at a time between its issue and
//! the commit's completion; the schedule chooses this time. A `tcgen05.fence`, for which `ptxas`
//! emits no instruction, changes no value and is noted for the order of accesses
//! (`memory/tensor/fences.rs`). Source: PTX ISA, "TensorCore 5th Generation Family Instructions".

mod allocation;
mod copy;
pub(crate) mod product;
mod scales;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::access;
use super::block::{Block, Failure};
use super::grid::LaunchState;
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::{Context, Site};
use super::shared::{self, OBJECT_BYTES, ObjectPlace};
use super::warp::{Activation, Warp};
use super::wgmma::descriptor::Descriptor;
use super::{Outcome, Trap, cluster, lanes, mbarrier};
use crate::address::SHARED_WINDOW;
use crate::fault::{Access, FaultKind};
use crate::frame::{FULL, Frame, Row32, WARP};
use crate::ir::{Asynchrony, NamedRow, Tcgen05, TensorAccess, TensorShape, Window};
use crate::memory::objects::Message;
use crate::memory::shadow::Shadow;
use crate::memory::tensor::{Accessor, COLUMNS, Conflict, Fences, Order, TensorMemory, Tracked};
use crate::schedule::Schedule;
use allocation::Pairs;
use copy::Copy;
use product::Product;

/// An operation that a thread has issued and that has not happened yet.
#[derive(Debug)]
enum Step {
    Product(Box<Product>),
    Copy(Box<Copy>),
    /// An arrival when all products and copies up to a number are done.
    Commit {
        issuer: u32,
        /// The blocks in whose tensor memories the products and copies are.
        ranks: Vec<usize>,
        objects: Vec<ObjectPlace>,
        last: u64,
        /// The events that the thread had waited for when it committed. Its products are ordered
        /// after them, and so are the threads that wait for the products.
        waited: Message,
    },
}

/// The tensor memories of a cluster's blocks, and the operations under way in them.
#[derive(Debug, Default)]
pub(crate) struct Tensor {
    memories: Vec<TensorMemory>,
    fences: Fences,
    steps: VecDeque<Step>,
    /// For each thread, the objects at which its commits completed, and the times of completion.
    told: BTreeMap<u32, Vec<(usize, u32)>>,
    /// The number of products and copies issued.
    issued: u64,
    /// Whether a thread's products and copies are only in the order that PTX states.
    strict: bool,
    /// The allocations and deallocations that the blocks of a pair execute together.
    pairs: Pairs,
}

impl Tensor {
    /// Begins a cluster of `ranks` blocks, whose products and copies are in PTX's order if
    /// `strict`.
    pub fn start(&mut self, ranks: usize, strict: bool) {
        self.strict = strict;
        self.memories.clear();
        self.memories.resize_with(ranks, TensorMemory::default);
        self.fences.clear();
        self.steps.clear();
        self.told.clear();
        self.pairs.start(ranks);
    }

    /// Whether some operation has not happened yet.
    pub fn is_waiting(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns the memory of the block of a rank, and the order of the cluster's threads, or `None`
    /// if there is no shadow that follows the order.
    fn ordered<'a>(
        &'a mut self,
        rank: usize,
        shadow: Option<&'a Shadow>,
    ) -> (&'a mut TensorMemory, Option<Order<'a>>) {
        let (clocks, fences) = (shadow.map(|shadow| &shadow.clocks), &self.fences);
        let strict = self.strict;
        let order = clocks.map(|clocks| Order {
            clocks,
            fences,
            strict,
        });
        (&mut self.memories[rank], order)
    }
}

impl Tcgen05 {
    /// Whether the whole warp executes the instruction together.
    pub fn is_of_warp(&self) -> bool {
        !matches!(
            self,
            Self::Multiply(_)
                | Self::Copy(_)
                | Self::Commit { .. }
                | Self::FenceBefore
                | Self::FenceAfter
        )
    }
}

/// Returns the trap for a wrong use of tensor memory.
fn wrong(lane: usize, address: u32, problem: String) -> Box<Trap> {
    Trap::boxed(lane, address.into(), FaultKind::TensorMemory { problem })
}

/// Returns the error for a use after which no kernel continues.
fn fail<T>(lane: usize, address: u32, problem: String) -> Outcome<T> {
    Err(wrong(lane, address, problem))
}

/// Reports a use that is not ordered after an earlier one.
fn tell(
    cx: &mut Context,
    (lane, address): (usize, u32),
    what: &str,
    conflict: Conflict,
) -> Outcome {
    let problem = format!("{what}: {}", conflict.problem);
    let kind = match conflict.fence {
        true => FaultKind::TensorFence { problem },
        false => FaultKind::TensorMemory { problem },
    };
    let mut trap = Trap::boxed(lane, address.into(), kind);
    trap.earlier = conflict.earlier;
    cx.found(trap)
}

/// Returns the block's rank in its cluster.
fn rank(cx: &Context) -> usize {
    (cx.warp / cx.launch.warps) as usize
}

/// Returns the number of a product or a copy that a lane issues, and the accessor that describes
/// it. `accumulator` tells apart the accumulators of products; a copy has none.
fn number(cx: &mut Context, lane: usize, site: Site, accumulator: Option<u64>) -> (u64, Accessor) {
    let tensor = &mut cx.engine.tensor;
    tensor.issued += 1;
    let number = tensor.issued;
    let who = Accessor {
        thread: cx.warp * WARP as u32 + lane as u32,
        site: cx.launch.packed(site),
        tracked: Some(Tracked {
            number,
            accumulator,
        }),
    };
    (number, who)
}

/// Returns the block's own rank, or with `pair` the ranks of both blocks of its pair, the even one
/// first.
fn ranks(cx: &Context, lane: usize, pair: bool) -> Outcome<Vec<usize>> {
    let own = rank(cx);
    if !pair {
        return Ok(vec![own]);
    }
    let blocks = cx.launch.ranks as usize;
    if !blocks.is_multiple_of(2) {
        let problem = format!(
            "`.cta_group::2` in a cluster of {blocks}: pairs need clusters of an even number of blocks"
        );
        return fail(lane, 0, problem);
    }
    let peer = own ^ 1;
    if cx.engine.peers.has_ended(peer) {
        let problem = format!("the pair's other block, rank {peer} of the cluster, has ended");
        return fail(lane, 0, problem);
    }
    Ok(vec![own & !1, own | 1])
}

/// Executes an instruction for the lanes of `mask`. Returns whether it is complete.
pub(crate) fn execute(
    cx: &mut Context,
    warp: &mut Warp,
    frame: &mut Activation,
    op: &Tcgen05,
    mask: u32,
    site: Site,
) -> Outcome<bool> {
    let registers = &mut frame.registers;
    match op {
        Tcgen05::Allocate { to, columns, pair } => {
            let all = access::addresses(registers, to, 1);
            let request = (all, to.window);
            return allocation::allocate(cx, warp, request, registers, (*columns, *pair), site);
        }
        Tcgen05::Deallocate {
            address,
            columns,
            pair,
        } => {
            let address = one(&registers.r32[*address as usize], "addresses")?;
            let columns = one(&registers.r32[*columns as usize], "numbers of columns")?;
            return allocation::deallocate(cx, warp, address, (columns, *pair), site);
        }
        _ => {}
    }
    act(cx, frame, op, mask, site)?;
    Ok(true)
}

/// Executes an instruction at which no warp waits: one that is not an allocation or deallocation.
fn act(cx: &mut Context, frame: &mut Activation, op: &Tcgen05, mask: u32, site: Site) -> Outcome {
    let thread = cx.warp * WARP as u32;
    let registers = &mut frame.registers;
    match op {
        // `execute` handles these.
        Tcgen05::Allocate { .. } | Tcgen05::Deallocate { .. } => Ok(()),
        Tcgen05::Relinquish { pair } => {
            if *pair {
                allocation::peer_has_begun(cx)?;
            }
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
        Tcgen05::FenceBefore => {
            fence_before(cx, mask);
            Ok(())
        }
        Tcgen05::FenceAfter => {
            if let Some(shadow) = cx.shadow.as_deref() {
                let fences = &mut cx.engine.tensor.fences;
                fences.after(&shadow.clocks, cx.warp as usize);
            }
            Ok(())
        }
        Tcgen05::Multiply(op) => {
            lanes(mask).try_for_each(|lane| product::issue(cx, registers, op, lane, site))
        }
        Tcgen05::Copy(op) => {
            lanes(mask).try_for_each(|lane| copy::issue(cx, registers, op, lane, site))
        }
        Tcgen05::Commit {
            object,
            pair,
            ranks,
        } => {
            let all = access::addresses(registers, object, mask);
            let window = object.window;
            let ranks = ranks.map(|row| registers.r32[row as usize]);
            fence_before(cx, mask);
            lanes(mask).try_for_each(|lane| {
                let of = ranks.map(|ranks| ranks[lane] & 0xffff);
                commit(cx, lane, (window, all[lane]), *pair, of)
            })
        }
    }
}

/// Notes a `tcgen05.fence::before_thread_sync` of the lanes of `mask`. A commit counts as such a
/// fence.
fn fence_before(cx: &mut Context, mask: u32) {
    if let Some(shadow) = cx.shadow.as_deref() {
        let fences = &mut cx.engine.tensor.fences;
        fences.before(&shadow.clocks, cx.warp as usize, mask);
    }
}

/// Checks that all columns of `what` are allocated in the block of a rank.
fn allocated(
    cx: &Context,
    lane: usize,
    rank: usize,
    what: &str,
    columns: &Range<usize>,
) -> Outcome {
    let memory = &cx.engine.tensor.memories[rank];
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

/// Decodes a lane's matrix descriptor.
fn descriptor(registers: &Frame, row: u32, lane: usize, name: &str) -> Outcome<Descriptor> {
    let bits = registers.r64[row as usize][lane];
    Descriptor::of_blackwell(bits).or_else(|problem| {
        let problem = format!("the descriptor {bits:#018x} of {name}: {problem}");
        fail(lane, 0, problem)
    })
}

/// Returns the value of a row, which must be the same in all lanes.
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

/// Returns the lane within the shape's lanes, and the column, of a register.
fn place(op: &TensorAccess, lane: usize, register: usize) -> (usize, usize) {
    let (quad, group, r) = (lane % 4, lane / 4, register);
    match op.shape {
        TensorShape::L32x32b => (lane, r),
        TensorShape::L16x64b => (lane % 2 * 8 + group, quad / 2 + 2 * r),
        TensorShape::L16x128b => (group + r % 2 * 8, quad + r / 2 * 4),
        TensorShape::L16x256b => (group + r / 2 % 2 * 8, 2 * quad + r % 2 + r / 4 * 8),
        TensorShape::L16x32bx2 => (lane % 16, r),
    }
}

/// Returns the number of columns by which the second half of a shape with two halves is shifted,
/// for a lane. This number is not packed, whatever the registers are.
fn second(op: &TensorAccess, lane: usize) -> usize {
    match op.shape {
        TensorShape::L16x32bx2 => lane / 16 * op.second as usize,
        _ => 0,
    }
}

/// The place of a warp's access: its first lane and column.
struct Where {
    lane: usize,
    column: usize,
}

impl Where {
    /// Returns the place of a lane's register; with `.pack::16b` the register also holds the next
    /// column.
    fn of(&self, op: &TensorAccess, lane: usize, register: usize) -> (usize, usize) {
        let (row, column) = place(op, lane, register);
        let column = if op.packs { 2 * column } else { column } + second(op, lane);
        (self.lane + row, self.column + column)
    }
}

/// Checks the place of a warp's access. Returns it with the access's columns.
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

/// Notes a warp's access to columns of its quarter.
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
    let mut first: Option<(usize, Conflict)> = None;
    let (memory, order) = cx.engine.tensor.ordered(rank, cx.shadow.as_deref());
    for &column in columns {
        let found = match writes {
            true => memory.write(order, who, (quarter, column)),
            false => memory.read(order, who, (quarter, column)),
        };
        if let Err(conflict) = found
            && conflict.replaces(first.as_ref().map(|(_, known)| known))
        {
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

/// Executes `tcgen05.ld`.
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

/// Executes `tcgen05.st`.
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

/// Executes `tcgen05.commit` of one lane: at one object, or at the objects of the blocks whose bits
/// are set in `of`.
fn commit(
    cx: &mut Context,
    lane: usize,
    (window, address): (Window, u64),
    pair: bool,
    of: Option<u32>,
) -> Outcome {
    let (window, address) = match window {
        Window::Generic => (Window::Cluster, address.wrapping_sub(SHARED_WINDOW)),
        _ => (window, address),
    };
    let spot = shared::spot(cx, lane, window, address, OBJECT_BYTES, OBJECT_BYTES)?;
    let memories = ranks(cx, lane, pair)?;
    let objects: Vec<ObjectPlace> = match of {
        None => vec![spot.object()],
        Some(of) => {
            let blocks = cx.launch.ranks;
            if of == 0 || of >> blocks != 0 {
                let problem = format!(
                    "tcgen05.commit at the blocks {of:#06x} of a cluster of {blocks}: the mask names one or more of them alone"
                );
                return fail(lane, address as u32, problem);
            }
            let ranks = lanes(of);
            ranks
                .map(|rank| spot.in_block(cx.shared, rank).object())
                .collect()
        }
    };
    for object in &objects {
        let rank = cx.shared.rank(object.at());
        cluster::living_peer(cx, lane, rank, object.address(), Access::Atomic)?;
        mbarrier::made_before(cx, lane, *object)?;
    }
    let step = Step::Commit {
        issuer: cx.warp * WARP as u32 + lane as u32,
        ranks: memories,
        objects,
        last: cx.engine.tensor.issued,
        waited: match &cx.shadow {
            Some(shadow) => shadow.clocks.objects.of_warp(cx.warp as usize),
            None => Message::default(),
        },
    };
    cx.engine.tensor.steps.push_back(step);
    now(cx);
    Ok(())
}

/// Performs the steps that have not happened yet, if the schedule performs them at their issue.
fn now(cx: &mut Context) {
    let all = match cx.launch.config.schedule {
        Schedule::Early => true,
        Schedule::Late => false,
        Schedule::Seeded(_) => cx.engine.queue.random(3) == 0,
    };
    while all && perform(cx.launch, cx.shared, cx.shadow.as_deref_mut(), cx.engine) {}
}

/// Performs the first step that has not happened yet. Returns whether there was one.
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
            product.perform(
                shared,
                &mut tensor.memories,
                launch.config.tensor_arithmetic,
            );
        }
        Some(Step::Copy(copy)) => copy.perform(shared, &mut tensor.memories),
        Some(Step::Commit {
            issuer,
            ranks,
            objects,
            last,
            waited,
        }) => {
            let told = tensor.told.entry(issuer).or_default();
            let mut done = vec![(issuer, last)];
            for &rank in &ranks {
                done.extend(tensor.memories[rank].done_with(issuer, last));
            }
            done.sort_unstable();
            done.dedup();
            let mut shadow = shadow;
            // The first object knows everything; the others know what the first one knows.
            let mut first = true;
            for object in objects {
                let shadow = shadow.as_deref_mut().map(|shadow| {
                    let ended = done.iter().filter(|_| first);
                    let ended = ended.flat_map(|&(of, last)| product::ended(shadow, of, last));
                    let ids = ended.collect();
                    (shadow, ids)
                });
                let memories = &mut tensor.memories;
                engine
                    .mbarriers
                    .commit(shared, object.at(), shadow, (&mut *told, &waited), |by| {
                        for &rank in ranks.iter().filter(|_| first) {
                            for &(of, last) in &done {
                                memories[rank].complete(of, last, by);
                            }
                        }
                    });
                first = false;
            }
        }
    }
    true
}

impl Block {
    /// Performs the first `tcgen05` operation that has not happened yet. Returns whether there was
    /// one.
    pub(super) fn operate_tensor(&mut self, launch: &LaunchState) -> bool {
        let shadow = self.shadow.as_mut();
        perform(launch, &mut self.shared, shadow, &mut self.engine)
    }

    /// Returns the failures of a block's tensor memory at its end: a problem that a product found
    /// when it was performed, and columns that were not deallocated.
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

impl Instruction for Tcgen05 {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        Tcgen05::named_rows(self, f);
    }

    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Scheduled
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let run = |step: &mut LaneStep, mask| {
            step.cx.begin(step.site, step.mask);
            execute(step.cx, step.warp, step.frame, self, mask, step.site)
        };
        match self.is_of_warp() {
            true => step.whole_warp_once(|step| run(step, FULL)),
            false => run(step, step.mask).map(|_done| ()).map_err(Stop::from),
        }
    }
}
