//! The barriers of a block.
//!
//! ```text
//! bar.sync 1, 64     warps 0 and 1 wait for each other
//! bar.arrive 2, 64   warp 0 says that it is done, and goes on; warp 1 waits for that by bar.sync 2, 64
//! ```
//!
//! Law: a barrier opens once as many threads have arrived as it waits for; those that arrived by
//! `bar.arrive` count too. A barrier without a thread count waits for all threads of the block that
//! have not exited. A warp whose living lanes have all arrived counts 32 threads. Source: PTX ISA,
//! "bar, barrier".

use super::block::{Block, Failure};
use super::counters::Counters;
use super::grid::LaunchState;
use super::run::{self, Arrival, Site};
use super::warp::State;
use super::{Trap, lanes};
use crate::counted::counted;
use crate::fault::FaultKind;
use crate::frame::WARP;
use crate::ir::BarrierKind;
use crate::memory::objects::Message;

/// One of the 16 barriers.
#[derive(Debug, Clone, Default)]
pub(super) struct Barrier {
    /// The arrivals of this phase.
    arrived: Vec<Came>,
    /// The thread count that the arrivals gave, or `None` for the whole block.
    threads: Option<u32>,
    /// The warps of the barrier's block.
    warps: std::ops::Range<usize>,
}

#[derive(Debug, Clone)]
struct Came {
    warp: usize,
    lanes: u32,
    kind: BarrierKind,
    votes: u32,
    result: u32,
    frame: u32,
    /// For `bar.arrive`: the message that orders the waiting threads after this arrival.
    told: Message,
    site: Site,
    line: u32,
}

impl Block {
    /// Lets lanes of a warp arrive at a barrier.
    pub(super) fn arrive(
        &mut self,
        launch: &LaunchState,
        w: usize,
        arrival: Arrival,
    ) -> Result<(), Failure> {
        let Arrival {
            barrier: number,
            kind,
            lanes: mask,
            threads,
            votes,
            result,
            frame,
            site,
        } = arrival;
        let fail = |problem: String| {
            let what = FaultKind::Barrier {
                barrier: number,
                problem,
            };
            let lane = Some(mask.trailing_zeros() as usize);
            Err((
                w,
                Box::new(Trap {
                    earlier: 0,
                    lanes: mask,
                    lane,
                    address: None,
                    what,
                }),
                site,
            ))
        };
        let most = launch.threads.next_multiple_of(32);
        if let Some(threads) = threads
            && (threads == 0 || !threads.is_multiple_of(32) || threads > most)
        {
            return fail(format!(
                "a thread count must be a multiple of 32 up to {most}, not {threads}"
            ));
        }
        if number >= 16 {
            return fail("a block has the barriers 0 to 15".to_owned());
        }
        // Each block of a cluster has barriers of its own.
        let first = w / launch.warps as usize * launch.warps as usize;
        let of_block = first..first + launch.warps as usize;
        let index = 16 * (w / launch.warps as usize) + number as usize;
        let barrier = &mut self.barriers[index];
        if let Some(first) = barrier.arrived.first() {
            if barrier.threads != threads {
                let count = |threads: Option<u32>| {
                    threads.map_or("all threads".to_owned(), |n| counted(n, "thread"))
                };
                return fail(format!(
                    "this warp waits for {}, those already there (PTX line {}) for {}",
                    count(threads),
                    first.line,
                    count(barrier.threads)
                ));
            }
            let reduces = |kind| !matches!(kind, BarrierKind::Sync | BarrierKind::Arrive);
            if let Some(other) = barrier
                .arrived
                .iter()
                .find(|c| reduces(c.kind) != reduces(kind))
            {
                return fail(format!(
                    "`.red` and another form meet (PTX line {})",
                    other.line
                ));
            }
            if let Some(again) = barrier
                .arrived
                .iter()
                .find(|c| c.warp == w && c.lanes & mask != 0)
            {
                return fail(format!(
                    "lanes arrive twice in one phase (first at PTX line {})",
                    again.line
                ));
            }
        }
        barrier.threads = threads;
        let mut told = Message::default();
        if let (Some(shadow), BarrierKind::Arrive) = (&mut self.shadow, kind) {
            let published = shadow.clocks.publish(w, mask);
            shadow.clocks.send(w, published, &mut told);
        }
        let line = launch.place(site).line;
        barrier.arrived.push(Came {
            warp: w,
            lanes: mask,
            kind,
            votes,
            result,
            frame,
            told,
            site,
            line,
        });
        self.barriers[index].warps = of_block;
        self.release(launch, index);
        Ok(())
    }

    pub(super) fn release_all(&mut self, launch: &LaunchState) {
        for number in 0..self.barriers.len() {
            if !self.barriers[number].arrived.is_empty() {
                self.release(launch, number);
            }
        }
    }

    /// Returns the lanes of each warp that have arrived at a barrier.
    fn arrived(&self, number: usize) -> Vec<u32> {
        let mut lanes = vec![0; self.warps.len()];
        for came in &self.barriers[number].arrived {
            lanes[came.warp] |= came.lanes;
        }
        lanes
    }

    /// Opens the barrier if all threads that it waits for have arrived.
    fn release(&mut self, launch: &LaunchState, number: usize) {
        let lanes_of = self.arrived(number);
        let threads = self.barriers[number].threads;
        let of_block = self.barriers[number].warps.clone();
        let complete = match threads {
            None => self.warps[of_block.clone()]
                .iter()
                .zip(&lanes_of[of_block.clone()])
                .all(|(warp, &came)| warp.live & !came == 0),
            Some(threads) => {
                // A warp whose living lanes have all arrived counts as a whole.
                let count: u32 = self
                    .warps
                    .iter()
                    .zip(&lanes_of)
                    .map(|(warp, &came)| match came {
                        0 => 0,
                        _ if warp.live & !came == 0 => 32,
                        _ => came.count_ones(),
                    })
                    .sum();
                count >= threads
            }
        };
        if !complete {
            return;
        }
        if threads.is_none() {
            self.miss_exited(launch, number);
        }
        let arrived = std::mem::take(&mut self.barriers[number].arrived);
        self.barriers[number].threads = None;
        let synced = |came: &&Came| came.kind != BarrierKind::Arrive;
        if let Some(shadow) = &mut self.shadow {
            let mut lanes = vec![0; self.warps.len()];
            for came in arrived.iter().filter(synced) {
                lanes[came.warp] |= came.lanes;
            }
            let of_cluster = self.warps.len() > of_block.len();
            if threads.is_none() && of_cluster {
                // Threads of the block that have ended count as having met too.
                for w in of_block.filter(|&w| self.warps[w].live == 0) {
                    lanes[w] = u32::MAX;
                }
            }
            let told: Vec<Message> = arrived
                .iter()
                .filter(|came| !synced(came))
                .map(|came| came.told.clone())
                .collect();
            // Threads that have ended count as having arrived only at a barrier of all threads
            // outside of a cluster: they did not arrive at a barrier with a thread count or of
            // another block.
            let ended = |met: u32| threads.is_none() && !of_cluster || met != 0;
            let mut warps = self.warps.iter().zip(&lanes);
            let all = warps.all(|(warp, &met)| warp.live & !met == 0 && ended(met));
            shadow.clocks.meet(&lanes, all, &told);
        }
        let (votes, present) = arrived.iter().fold((0, 0), |(v, p), came| {
            (v + came.votes.count_ones(), p + came.lanes.count_ones())
        });
        for came in arrived.iter().filter(synced) {
            let warp = &mut self.warps[came.warp];
            let registers = &mut warp.frames[came.frame as usize].registers;
            match came.kind {
                BarrierKind::Sync | BarrierKind::Arrive => {}
                BarrierKind::Popc => {
                    registers.write::<u32>(came.result, &[votes; WARP], came.lanes)
                }
                BarrierKind::And => {
                    registers.write_pred(
                        came.result,
                        if votes == present { u32::MAX } else { 0 },
                        came.lanes,
                    );
                }
                BarrierKind::Or => {
                    registers.write_pred(
                        came.result,
                        if votes > 0 { u32::MAX } else { 0 },
                        came.lanes,
                    );
                }
            }
            for lane_group in &mut warp.lane_groups {
                if lane_group.state
                    == (State::Barrier {
                        barrier: (number % 16) as u8,
                    })
                {
                    lane_group.state = State::Ready;
                }
            }
        }
    }

    /// Notes that a barrier of all threads of a block opens although some of them have exited.
    fn miss_exited(&mut self, launch: &LaunchState, number: usize) {
        let barrier = &self.barriers[number];
        let first = barrier.warps.start;
        let mut exited = self.warps[barrier.warps.clone()].iter().enumerate();
        let exited = exited.find_map(|(w, warp)| {
            let first = (w * WARP) as u32;
            let begun = launch.threads.saturating_sub(first).min(WARP as u32);
            let lane = (!warp.live).trailing_zeros();
            (lane < begun).then_some(first + lane)
        });
        let (Some(thread), Some(came)) = (exited, barrier.arrived.first()) else {
            return;
        };
        let what = FaultKind::ExitedThread {
            barrier: (number % 16) as u32,
            exited: launch.thread(thread),
        };
        let trap = Trap {
            earlier: 0,
            lanes: came.lanes,
            lane: lanes(came.lanes).next(),
            address: None,
            what,
        };
        let rank = first / launch.warps.max(1) as usize;
        self.missed
            .push((rank, (came.warp, Box::new(trap), came.site)));
    }

    /// Reports the barriers that opened without threads that have exited.
    pub(super) fn tell_missed(
        &mut self,
        launch: &LaunchState,
        counters: &mut Counters,
    ) -> Result<(), Failure> {
        for (rank, failure) in std::mem::take(&mut self.missed) {
            self.go_on(launch, counters, rank, failure)?;
        }
        Ok(())
    }

    /// Returns the failure that describes a deadlock: what the waiting threads wait for.
    pub(super) fn deadlock(&self, launch: &LaunchState) -> Failure {
        // A warp in which some lanes wait for others that never come is the likelier cause.
        for (w, warp) in self.warps.iter().enumerate() {
            if warp
                .lane_groups
                .iter()
                .any(|f| matches!(f.state, State::Gathering { .. }))
            {
                let (trap, site) = run::stuck(launch, warp);
                return (w, trap, site);
            }
        }
        let mut text = Vec::new();
        for (number, barrier) in self.barriers.iter().enumerate() {
            let Some(first) = barrier.arrived.first() else {
                continue;
            };
            let lanes_of = self.arrived(number);
            let came: u32 = lanes_of.iter().map(|lanes| lanes.count_ones()).sum();
            let wanted = match barrier.threads {
                None => format!(
                    "all {} threads",
                    self.warps[barrier.warps.clone()]
                        .iter()
                        .map(|w| w.live.count_ones())
                        .sum::<u32>()
                ),
                Some(threads) => format!("{threads} threads"),
            };
            let missing: Vec<String> = self.warps[barrier.warps.clone()]
                .iter()
                .zip(&lanes_of[barrier.warps.clone()])
                .filter(|(warp, came)| warp.live & !**came != 0)
                .map(|(warp, came)| {
                    let lanes = warp.live & !came;
                    let line = warp
                        .lane_groups
                        .iter()
                        .find(|f| f.lanes & lanes != 0)
                        .map(|f| Site {
                            function: warp.frames[f.frame as usize].function,
                            pc: f.pc.saturating_sub(1),
                        })
                        .map_or(String::new(), |site| format!(" ({})", launch.named(site)));
                    format!("warp {}{line}", warp.index % launch.warps)
                })
                .collect();
            text.push(format!(
                "barrier {}{} (PTX line {}) waits for {wanted}, {came} came, missing: {}",
                number % 16,
                if launch.ranks > 1 {
                    format!(" of the cluster's block {}", number / 16)
                } else {
                    String::new()
                },
                first.line,
                if missing.is_empty() {
                    "none that lives".to_owned()
                } else {
                    missing.join(", ")
                }
            ));
        }
        let warp = self
            .warps
            .iter()
            .position(|warp| warp.live != 0)
            .unwrap_or(0);
        let site = self.site_of(warp);
        let site = Site {
            pc: site.pc.saturating_sub(1),
            ..site
        };
        let lane = lanes(self.warps[warp].live).next();
        let what = FaultKind::Deadlock(text.join("; "));
        (
            warp,
            Box::new(Trap {
                earlier: 0,
                lanes: 0,
                lane,
                address: None,
                what,
            }),
            site,
        )
    }
}
