//! The state of a cluster apart from its threads: mbarrier objects, its barrier, and the registers
//! that warps exchange.
//!
//! ```text
//! warp 0  setmaxnreg.dec 40   168 -> 40   ──► 4096 registers in the pool
//! warp 4  setmaxnreg.inc 232  168 -> 232  ◄── 2048 of them; it waits until they are there
//! ```
//!
//! Law: the pool is empty at the start. A warp that returns registers does so at once; a warp that
//! requests registers waits until it gets all of them. A fence of the asynchronous proxy covers the
//! writes that its thread is ordered after, and no other writes of other threads. Source: PTX ISA,
//! "setmaxnreg", "membar, fence".

use super::block::{Block, Failure};
use super::bulk::queue::{Memories, Queue};
use super::cluster::{ClusterBarrier, Peers};
use super::dependents::Waits;
use super::global::{self, BulkWrite};
use super::grid::LaunchState;
use super::instruction::{Instruction, LaneStep, Stop};
use super::mbarrier::table::Table;
use super::run::{Context, Site};
use super::shared::slot_of_reading;
use super::tcgen05::Tensor;
use super::warp::{Waiting, Warp};
use super::wgmma::Log;
use super::{Outcome, Trap, lanes};
use crate::fault::FaultKind;
use crate::frame::WARP;
use crate::ir::{InitFence, NamedRow, ProxyFence, Scope, SetRegisters, StoreAsync};
use crate::schedule::Schedule;

/// The place at which a warp waits for registers.
const POOL: usize = usize::MAX;
/// The place at which a warp waits for the other warps of its group.
pub(super) const MISSING: usize = usize::MAX - 2;
/// The place at which a warp waits at the barrier of its cluster.
pub(super) const CLUSTER: usize = usize::MAX - 1;
/// The place at which a warp waits for the other block of its pair.
pub(super) const PAIR: usize = usize::MAX - 3;

/// A warp that waits: the rank of its block, its number in the block, its line, and a description
/// of what it waits for.
type Wait = (usize, usize, String, String);

/// The state of a cluster apart from its threads.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    pub mbarriers: Table,
    pub barrier: ClusterBarrier,
    /// The bulk copies under way.
    pub queue: Queue,
    /// The writes of bulk copies to global memory that their threads have not waited for.
    pub unsettled: Vec<BulkWrite>,
    /// The operations that each group of four warps has issued.
    pub warpgroups: Vec<Log>,
    /// Tensor memory, and the operations under way in it.
    pub tensor: Tensor,
    /// Accesses of other blocks' shared memory.
    pub peers: Peers,
    /// The threads that have waited for the previous launch.
    pub waits: Waits,
    /// The number of registers that warps of each block returned.
    pools: Vec<u32>,
    /// The living lanes of each warp.
    lives: Vec<u32>,
}

impl Engine {
    /// Begins a new cluster.
    pub fn start(&mut self, launch: &LaunchState, unit: u64) {
        let seed = match launch.config.schedule {
            Schedule::Seeded(seed) => seed,
            _ => 0,
        };
        self.queue
            .start((seed ^ unit << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let ranks = launch.ranks as usize;
        self.mbarriers.clear();
        self.unsettled.clear();
        self.pools.clear();
        self.pools.resize(ranks, 0);
        self.lives.clear();
        self.lives.resize(ranks * launch.warps as usize, 0);
        self.barrier.start(self.lives.len());
        self.waits.start(self.lives.len());
        self.warpgroups.clear();
        let groups = ranks * (launch.warps as usize).div_ceil(4);
        self.warpgroups.resize_with(groups, Log::default);
        self.peers.start(ranks, self.lives.len());
        self.tensor.start(ranks, launch.config.strict_tensor_order);
    }

    /// Sets a warp's living lanes.
    pub fn live(&mut self, warp: usize, lanes: u32) {
        self.lives[warp] = lanes;
    }

    /// Returns the living lanes of each warp.
    pub fn lives(&self) -> &[u32] {
        &self.lives
    }
}

/// Executes `fence.proxy.async` for the lanes of `mask`, for global and for shared memory.
pub(crate) fn proxy_fence(cx: &mut Context, mask: u32, (global, shared): (bool, bool)) {
    let warp = cx.warp as usize;
    if global {
        global::proxy_fence(cx, mask);
    }
    let Some(shadow) = cx.shadow.as_mut().filter(|_| shared) else {
        return;
    };
    shadow.clocks.fence(warp, mask);
    let clocks = &shadow.clocks;
    let known = |maker: u32| {
        let own = maker as usize / WARP == warp;
        own && mask >> (maker as usize % WARP) & 1 == 1
            || clocks
                .objects
                .is_fenced(warp, maker as usize, clocks.since(maker).saturating_sub(1))
    };
    cx.engine.mbarriers.show(known);
}

/// Executes `fence.mbarrier_init` for the lanes of `mask`.
pub(crate) fn init_fence(cx: &mut Context, mask: u32) {
    let warp = cx.warp as usize;
    let own =
        |maker: u32| maker as usize / WARP == warp && mask >> (maker as usize % WARP) & 1 == 1;
    cx.engine.mbarriers.show(own);
    global::fence(cx, Scope::Cluster, mask);
}

/// Executes `setmaxnreg`. Returns false if the warp has to wait because it requests registers that
/// are not free.
pub(crate) fn set_registers(
    cx: &mut Context,
    warp: &mut Warp,
    increase: bool,
    count: u32,
    site: Site,
) -> Outcome<bool> {
    let has = warp.granted;
    if cx.launch.registers == 0 {
        return Ok(true);
    }
    if increase && count < has || !increase && count > has {
        let (what, least) = if increase {
            ("inc", "no fewer")
        } else {
            ("dec", "no more")
        };
        let problem = format!(
            "setmaxnreg.{what} to {count} registers where the thread has {has}: {least} than these"
        );
        return Trap::lane(0, FaultKind::Operand(problem));
    }
    let difference = WARP as u32 * has.abs_diff(count);
    let pool = &mut cx.engine.pools[(cx.warp / cx.launch.warps) as usize];
    if !increase {
        *pool += difference;
    } else if *pool < difference {
        warp.waiting = Some(Waiting {
            at: POOL,
            site: cx.launch.packed(site),
        });
        return Ok(false);
    } else {
        *pool -= difference;
    }
    warp.granted = count;
    warp.waiting = None;
    Ok(true)
}

impl Block {
    /// Performs one asynchronous operation if any waits: always with `forced`, and by chance if the
    /// schedule is seeded. Returns whether it did.
    pub(super) fn operate(&mut self, launch: &LaunchState, forced: bool) -> bool {
        let waiting = self.engine.queue.len_waiting();
        let of_tensor = self.engine.tensor.is_waiting();
        if waiting == 0 && !of_tensor {
            return false;
        }
        let seeded = matches!(launch.config.schedule, Schedule::Seeded(_));
        let chosen = forced || seeded && self.engine.queue.random(4) == 0;
        let first = waiting == 0 || seeded && self.engine.queue.random(2) == 0;
        if chosen && of_tensor && first {
            return self.operate_tensor(launch);
        }
        if waiting == 0 {
            return false;
        }
        let Engine {
            queue, mbarriers, ..
        } = &mut self.engine;
        let mut memories = Memories {
            shared: &mut self.shared,
            shadow: self.shadow.as_mut(),
            global: &launch.global,
            objects: mbarriers,
        };
        let nth = match (seeded, forced) {
            (true, true) => queue.random(waiting),
            (true, false) if queue.random(4) == 0 => queue.random(waiting),
            (_, false) => return false,
            (false, true) => 0,
        };
        let Some(index) = queue.waiting(nth) else {
            return false;
        };
        queue.perform(index, &mut memories);
        true
    }

    /// Returns a failure if an operation uses the shared memory of a block that has ended, and no
    /// thread of the block waited for that operation. Among operations that write, the one at the
    /// least offset is reported, whether its bytes have arrived already or not; operations that
    /// only read come after these.
    pub(super) fn left_behind(&self, launch: &LaunchState, rank: usize) -> Option<Failure> {
        let start = self.shared.in_block(0, rank);
        let range = start..start + self.shared.len();
        let queue = &self.engine.queue;
        let warps = launch.warps as usize;
        let own = rank * warps..(rank + 1) * warps;
        let unwaited = |from: usize| {
            let shadow = self.shadow.as_ref()?;
            shadow.unwaited(from..range.end, own.clone())
        };
        // The memory lives until the stores by the block's own threads have arrived.
        let stored_by_itself = |at: usize| {
            let to = queue.destination(at)?;
            let op = launch.operation(launch.unpacked(to.site)?)?;
            let itself = own.contains(&(to.issuer as usize / WARP));
            (itself && op.get::<StoreAsync>().is_some()).then_some(to.at + to.bytes)
        };
        let mut come = unwaited(range.start);
        while let Some(end) = come.and_then(stored_by_itself) {
            come = unwaited(end);
        }
        let written = come.into_iter().chain(queue.writing_to(&range)).min();
        let (issuer, site, reads, slot) = if let Some(at) = written {
            let to = queue.destination(at)?;
            (to.issuer, to.site, false, Some(to.slot(&self.shared)))
        } else if let Some(operation) = queue.reading_from(&range) {
            let slot = operation.source(&self.shared);
            (operation.issuer, operation.site, true, slot)
        } else {
            let reading = self.shadow.as_ref()?.reading_of(range)?;
            let (start, end) = reading.extent;
            let slot = slot_of_reading(&self.shared, reading.id, (start, end - start));
            (reading.issuer, reading.site, true, Some(slot))
        };
        let site = launch.unpacked(site)?;
        let what = FaultKind::LeftBehind {
            operation: launch.asynchronous(site).unwrap_or_default(),
            reads,
            slot,
        };
        let lane = issuer as usize % WARP;
        let mut trap = Trap::lane::<()>(lane, what).err()?;
        trap.lanes = 1 << lane;
        Some((issuer as usize / WARP, trap, site))
    }

    /// Returns the deadlock in which every warp that can continue only polls mbarrier objects,
    /// waits for registers or the like. Returns `None` if some warp does anything else.
    pub(super) fn starved(&self, launch: &LaunchState) -> Option<Failure> {
        let mut waits: Vec<Wait> = Vec::new();
        let mut first = None;
        for (w, warp) in self.warps.iter().enumerate().filter(|(_, w)| w.live != 0) {
            if warp.ready().is_none() {
                continue;
            }
            let waiting = warp.waiting?;
            if waiting.at == MISSING
                && let Some(failure) = self.disagreement(launch, w / launch.warps as usize)
            {
                return Some(failure);
            }
            let site = launch.unpacked(waiting.site)?;
            first.get_or_insert((w, site));
            let line = launch.named(site);
            let rank = w / launch.warps as usize;
            let what = match self.engine.mbarriers.get(waiting.at) {
                Some(object) => {
                    let at = self.shared.address(waiting.at);
                    let made = launch.unpacked(object.site).map_or(String::new(), |site| {
                        format!(" (made at {})", launch.named(site))
                    });
                    format!(
                        "at the mbarrier at {at:#x}{made}, whose phase {} waits for {} of {} arrivals and {} bytes",
                        object.completed, object.pending, object.expected, object.bytes
                    )
                }
                None if waiting.at == POOL => format!(
                    "for registers beyond its {} a thread, {} are free in the block",
                    warp.granted, self.engine.pools[rank]
                ),
                None if waiting.at == PAIR => format!(
                    "for a warp of the pair's other block, rank {} of the cluster",
                    rank ^ 1
                ),
                None if waiting.at == CLUSTER => "at the cluster's barrier".to_owned(),
                None => "at an mbarrier that is gone".to_owned(),
            };
            waits.push((rank, w % launch.warps as usize, line, what));
        }
        // Neighbouring warps that wait for the same thing are reported together.
        let alike = |a: &Wait, b: &Wait| (a.0, a.1 + 1, &a.2, &a.3) == (b.0, b.1, &b.2, &b.3);
        let text = waits.chunk_by(alike).map(|group| {
            let (rank, first, line, what) = &group[0];
            let of_block = match launch.ranks {
                1 => String::new(),
                _ => format!(" of the cluster's block {rank}"),
            };
            match group.len() {
                1 => format!("warp {first}{of_block} ({line}) waits {what}"),
                more => format!(
                    "warps {first} to {}{of_block} ({line}) wait {what}",
                    first + more - 1
                ),
            }
        });
        let text: Vec<String> = text.collect();
        let (w, site) = first?;
        let lane = lanes(self.warps[w].live).next();
        let trap = Trap {
            earlier: 0,
            lanes: self.warps[w].live,
            lane,
            address: None,
            what: FaultKind::Deadlock(text.join("; ")),
        };
        Some((w, Box::new(trap), site))
    }
}

impl Instruction for ProxyFence {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        proxy_fence(step.cx, step.mask, (self.global, self.shared));
        Ok(())
    }
}

impl Instruction for InitFence {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        init_fence(step.cx, step.mask);
        Ok(())
    }
}

impl Instruction for SetRegisters {
    fn named_rows(&mut self, _: &mut dyn FnMut(NamedRow)) {}

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let &SetRegisters { increase, count } = self;
        step.whole_warp_once(|step| set_registers(step.cx, step.warp, increase, count, step.site))
    }
}
