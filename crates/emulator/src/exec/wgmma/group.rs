//! The four warps of a group: checks that they issue the same products, and keeps the times at
//! which the products are over.
//!
//! ```text
//! warp 0   wgmma 0  wgmma 1  commit  wait ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ► goes on: 0 and 1 have read A and B, in all four warps
//! warp 3                                wgmma 0  wgmma 1  commit  │ wait ──► goes on
//! ```
//!
//! Law: a product belongs to all four warps. A warp that waits for it continues when all four have
//! issued it, and is then ordered after all their reads; a warp that has not waited is not ordered
//! after them. Each product has its own time at which it is over. Source: PTX ISA,
//! "wgmma.commit_group" (a group belongs to the warp group), "wgmma.wait_group"; CUTLASS, whose
//! `PipelineTmaAsync` frees a stage of a cluster by one thread of a warp group.

use std::collections::VecDeque;

use super::super::block::{Block, Failure};
use super::super::engine::MISSING;
use super::super::grid::LaunchState;
use super::super::run::{Context, Site};
use super::super::warp::{Waiting, Warp};
use super::super::{Outcome, Trap};
use super::{GROUP, WgmmaProduct, multiply, warpgroup};
use crate::fault::FaultKind;
use crate::ir::Wgmma;

/// The products that the warps of a group have issued, from the first one that some warp has not
/// issued.
#[derive(Debug, Default)]
pub(crate) struct Log {
    issued: VecDeque<Issue>,
    first: u64,
    counts: [u64; GROUP],
    /// The times at which products were over, from number `waited` on. These are the products that
    /// some warp has waited for and another has not.
    over: VecDeque<u32>,
    waited: u64,
    /// The number of products that each warp has waited for.
    waits: [u64; GROUP],
}

impl Log {
    /// Returns the number of products that are over.
    fn over(&self) -> u64 {
        self.waited + self.over.len() as u64
    }

    /// Notes that a warp has waited for the product with that index. Returns the time at which the
    /// product was over.
    fn wait(&mut self, warp: usize, index: u64) -> u32 {
        let at = (index - self.waited) as usize;
        let time = self.over.get(at).copied().unwrap_or(0);
        self.waits[warp] = self.waits[warp].max(index + 1);
        let all = self.waits.iter().copied().min().unwrap_or(0);
        while self.waited < all && self.over.pop_front().is_some() {
            self.waited += 1;
        }
        time
    }
}

/// The result of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waited {
    Done,
    /// All four warps have issued the products that the wait is for.
    Issued,
    /// A warp of the group has not issued them.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Issue {
    pub site: u32,
    pub left: u64,
    pub right: u64,
    pub accumulates: bool,
}

/// Checks that the warps of a group issue the same products. Returns the number of products that
/// the warp has issued before.
pub(super) fn agree(cx: &mut Context, issue: Issue) -> Outcome<u64> {
    let (warps, launch) = (cx.launch.warps as usize, cx.launch);
    let (rank, local) = (cx.warp as usize / warps, cx.warp as usize % warps);
    if local / GROUP * GROUP + GROUP > warps {
        return warpgroup(format!(
            "a group has four warps from a multiple of four on; the block has {warps}, this is warp {local}"
        ));
    }
    let groups = &mut cx.engine.warpgroups;
    let log = &mut groups[rank * warps.div_ceil(GROUP) + local / GROUP];
    let count = log.counts[local % GROUP];
    let at = (count - log.first) as usize;
    match log.issued.get(at) {
        None => log.issued.push_back(issue),
        Some(&other) if other == issue => {}
        Some(other) => {
            let line = |site: u32| {
                launch
                    .unpacked(site)
                    .map_or(0, |site| launch.place(site).line)
            };
            let differs = if other.site != issue.site {
                format!("the instruction at PTX line {}", line(other.site))
            } else if (other.left, other.right) != (issue.left, issue.right) {
                format!(
                    "descriptors {:#018x} and {:#018x}, this warp {:#018x} and {:#018x}",
                    other.left, other.right, issue.left, issue.right
                )
            } else {
                "another scale-d".to_owned()
            };
            return warpgroup(format!(
                "warps of a group do not agree: as product {count} another warp has {differs}"
            ));
        }
    }
    log.counts[local % GROUP] += 1;
    let all = log.counts.iter().copied().min().unwrap_or(0);
    while log.first < all && log.issued.pop_front().is_some() {
        log.first += 1;
    }
    Ok(count)
}

impl Block {
    /// Returns the failure for a product that some warps of a group of the block have issued and
    /// others have not.
    pub(in crate::exec) fn disagreement(
        &self,
        launch: &LaunchState,
        rank: usize,
    ) -> Option<Failure> {
        let (warps, each) = (
            launch.warps as usize,
            (launch.warps as usize).div_ceil(GROUP),
        );
        let groups = &self.engine.warpgroups;
        let logs = groups.get(rank * each..(rank + 1) * each)?;
        let unequal = |log: &&Log| log.counts.iter().any(|&count| count != log.counts[0]);
        let log = logs.iter().find(unequal)?;
        let site = launch.unpacked(log.issued.front()?.site)?;
        let problem = "not all four warps of a group come to this instruction".to_owned();
        let mut trap = Trap::boxed(0, 0, FaultKind::Warpgroup { problem });
        trap.address = None;
        Some((rank * warps, trap, site))
    }

    /// Computes, in all four warps, the products that a warp waits for and that its group has
    /// issued. Their operands have then been read.
    pub(in crate::exec) fn complete_products(&mut self, launch: &LaunchState, warp: usize) {
        let (rank, local) = (warp / launch.warps as usize, warp % launch.warps as usize);
        let group = group_of(launch.warps, warp);
        self.shared.select(rank);
        let column = self.engine.mbarriers.column_of_group(group);
        let log = &mut self.engine.warpgroups[group];
        let issued = log.counts.iter().copied().min().unwrap_or(0);
        let first = rank * launch.warps as usize + local / GROUP * GROUP;
        let asked = self.warps[warp].products.asked.min(issued);
        while log.over() < asked {
            let index = log.over();
            let time = match &mut self.shadow {
                Some(shadow) => shadow.clocks.advance(),
                None => 0,
            };
            log.over.push_back(time);
            for warp in &mut self.warps[first..first + GROUP] {
                let Warp {
                    products,
                    frames,
                    index: of_warp,
                    ..
                } = warp;
                let pending = products.pending.iter_mut();
                for product in pending.filter(|product| product.index == index) {
                    let function = product.site.function;
                    let code = &launch.image.functions[function as usize].code;
                    if !std::mem::replace(&mut product.done, true)
                        && let Some(op) = code[product.site.pc as usize].op.get::<Wgmma>()
                        && let Some(frame) = frames.get_mut(product.frame as usize)
                        && frame.function == function
                    {
                        let rows = 16 * (*of_warp as usize % launch.warps as usize % GROUP);
                        let arithmetic = launch.config.tensor_arithmetic;
                        multiply(
                            &self.shared,
                            &mut frame.registers,
                            op,
                            product,
                            rows,
                            arithmetic,
                        );
                    }
                    if let Some(shadow) = &mut self.shadow {
                        shadow.end_group_reading(product.number, column, time);
                    }
                }
            }
        }
    }
}

/// Returns the number of a warp's group in the cluster.
fn group_of(warps: u32, warp: usize) -> usize {
    let warps = warps as usize;
    warp / warps * warps.div_ceil(GROUP) + warp % warps / GROUP
}

/// Executes `wgmma.wait_group keep`.
pub(crate) fn wait(cx: &mut Context, warp: &mut Warp, keep: u32, site: Site) -> Waited {
    let before = warp.products.committed.saturating_sub(u64::from(keep));
    let waited = |product: &WgmmaProduct| product.group < before;
    let last = warp.products.pending.iter().rfind(|p| waited(p));
    let Some((last, index)) = last.map(|product| (product.number, product.index)) else {
        return Waited::Done;
    };
    let group = group_of(cx.launch.warps, cx.warp as usize);
    let log = &mut cx.engine.warpgroups[group];
    if log.counts.iter().any(|&count| count <= index) {
        warp.waiting = Some(Waiting {
            at: MISSING,
            site: cx.launch.packed(site),
        });
        return Waited::Missing;
    }
    if log.over() <= index {
        warp.products.asked = index + 1;
        return Waited::Issued;
    }
    warp.waiting = None;
    let local = cx.warp as usize % cx.launch.warps as usize % GROUP;
    let time = log.wait(local, index);
    let column = cx.engine.mbarriers.column_of_group(group);
    if let Some(shadow) = &mut cx.shadow {
        shadow.clocks.objects.set(cx.warp as usize, column, time);
    }
    let pending = &mut warp.products.pending;
    while pending
        .front()
        .is_some_and(|product| product.number <= last)
    {
        pending.pop_front();
    }
    warp.products.done = last;
    Waited::Done
}
