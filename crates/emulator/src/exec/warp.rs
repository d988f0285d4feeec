//! A warp: the lanes that execute together, where they diverge and where they meet.
//!
//! ```text
//! group 1111 at 10 ── branch: lanes 0,1 to 20, lanes 2,3 to 11, meeting at 30
//!                        group 0011 at 20 ──┐
//!                        group 1100 at 11 ──┴── join at 30: expects 1111
//! group 1111 at 30
//! ```
//!
//! Law: a lane is in exactly one group, or waits in exactly one join, or has exited. A join lets
//! its lanes continue together once all lanes that it expects, and that are still live, have
//! arrived; then they belong to the enclosing join. Groups of lanes run independently of each
//! other, as on devices from compute capability 7.0 on: a lane may spin on a value that another
//! lane of its warp will write. If that lane waits for the spinning lane in a join, the join lets
//! it continue first (`let_go`).

use crate::frame::Frame;
use crate::ir::NONE;
use crate::memory::lanes::LaneMemory;

use super::copies::AsyncCopies;
use super::step::undefined::Undefined;
use super::wgmma::Products;

/// Lanes that execute together.
#[derive(Debug, Clone)]
pub(crate) struct LaneGroup {
    pub pc: u32,
    pub lanes: u32,
    /// The index of the group's frame in `Warp::frames`.
    pub frame: u32,
    /// The join where the group meets others, or `NONE`.
    pub join: u32,
    pub state: State,
}

/// Whether a group can continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// The group is at a `.sync` or `.aligned` instruction that needs lanes which have not arrived.
    /// `lanes` would execute it, and `mask` names the lanes that must; `aligned` and `anywhere`
    /// (`bar.warp.sync`) distinguish the kinds.
    Gathering {
        lanes: u32,
        mask: u32,
        aligned: bool,
        anywhere: bool,
    },
    /// The group waits at a barrier of the block.
    Barrier {
        barrier: u8,
    },
}

/// A place where groups meet.
#[derive(Debug, Clone, Copy)]
struct Join {
    /// The instruction at which the lanes continue, or `NONE` for the end of a call, which `Return`
    /// reaches.
    pc: u32,
    expected: u32,
    arrived: u32,
    parent: u32,
    frame: u32,
    live: bool,
}

/// A function call in progress: registers and memory of its lanes.
#[derive(Debug, Default)]
pub(crate) struct Activation {
    pub registers: Frame,
    pub parameters: LaneMemory,
    pub function: u32,
    /// The instruction at which the caller continues. `parent` is the caller's frame, and `join` is
    /// the join of the call.
    pub return_pc: u32,
    pub parent: u32,
    pub join: u32,
    /// The end of the call's local memory, including allocations of `alloca`.
    pub local_end: u32,
    /// The end of the call's own variables.
    pub variables_end: u32,
    /// The bytes of a thread that the call and its callers use: variables, parameters, registers.
    pub stack: usize,
    /// For each register that may be read before it is written, the lanes that wrote it; empty if
    /// the launch does not check this.
    pub written: Vec<u32>,
    /// The values that derive from unwritten registers, if the launch follows them.
    pub undefined: Option<Box<Undefined>>,
}

/// A warp of the block that runs.
#[derive(Debug, Default)]
pub(crate) struct Warp {
    pub index: u32,
    /// The lanes that exist: all 32, except in the last warp of a block whose number of threads is
    /// not a multiple of 32.
    pub existing: u32,
    /// The lanes that have not exited.
    pub live: u32,
    pub lane_groups: Vec<LaneGroup>,
    joins: Vec<Join>,
    pub frames: Vec<Activation>,
    free_frames: Vec<u32>,
    pub local: LaneMemory,
    pub copies: AsyncCopies,
    /// The number of instructions that the warp has executed, which `%clock` returns.
    pub instructions: u64,
    /// The number of groups of bulk copies that each lane has committed.
    pub bulk: [u32; 32],
    /// The `wgmma` products of the warp.
    pub products: Products,
    /// The event that the warp polls for, if any.
    pub waiting: Option<Waiting>,
    /// The registers of each of its threads, as `setmaxnreg` counts them.
    pub granted: u32,
}

/// The event, other than a barrier of its block, for which a warp waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// The offset of an mbarrier object in the cluster's shared memory, or a number of
    /// [`engine`](super::engine) for other events.
    pub at: usize,
    /// The instruction, numbered by [`LaunchState::packed`](super::grid::LaunchState::packed).
    pub site: u32,
}

impl Warp {
    /// Resets the warp to the start of a kernel, with `frame` as its first frame.
    pub fn start(&mut self, index: u32, existing: u32, frame: Activation) {
        self.index = index;
        self.existing = existing;
        self.live = existing;
        self.lane_groups.clear();
        self.joins.clear();
        self.frames.clear();
        self.free_frames.clear();
        self.frames.push(frame);
        self.lane_groups.push(LaneGroup {
            pc: 0,
            lanes: existing,
            frame: 0,
            join: NONE,
            state: State::Ready,
        });
        self.local = LaneMemory::default();
        self.copies = AsyncCopies::default();
        self.instructions = 0;
        self.waiting = None;
        self.bulk = [0; 32];
        self.products = Products::default();
    }

    /// Returns the group to run next, or `None` if no group can continue.
    pub fn ready(&self) -> Option<usize> {
        self.lane_groups
            .iter()
            .rposition(|lane_group| lane_group.state == State::Ready)
    }

    /// Lets the other groups run before this one.
    pub fn yield_fragment(&mut self, lane_group: usize) {
        let last = self.lane_groups.remove(lane_group);
        self.lane_groups.insert(0, last);
    }

    fn new_join(&mut self, join: Join) -> u32 {
        match self.joins.iter().position(|old| !old.live) {
            Some(free) => {
                self.joins[free] = join;
                free as u32
            }
            None => {
                self.joins.push(join);
                self.joins.len() as u32 - 1
            }
        }
    }

    /// Returns the instruction at which the group stops to wait for others, or `NONE`.
    pub fn stop(&self, lane_group: usize) -> u32 {
        match self.lane_groups[lane_group].join {
            NONE => NONE,
            join => self.joins[join as usize].pc,
        }
    }

    /// Splits the lanes of a group: `parts` are lanes and their next instruction; the parts meet at
    /// `meeting`. The parts replace the group, and a part that starts at the meeting point has
    /// arrived.
    pub fn part(&mut self, lane_group: usize, parts: &[(u32, u32)], meeting: u32) {
        let old = self.lane_groups.remove(lane_group);
        let mut join = old.join;
        let known = join != NONE && {
            let join = &self.joins[join as usize];
            join.pc == meeting && join.frame == old.frame
        };
        if meeting != NONE && !known {
            join = self.new_join(Join {
                pc: meeting,
                expected: old.lanes,
                arrived: 0,
                parent: old.join,
                frame: old.frame,
                live: true,
            });
        }
        // The last part runs first.
        for &(lanes, pc) in parts {
            let part = LaneGroup {
                pc,
                lanes,
                join,
                ..old.clone()
            };
            self.lane_groups.push(part);
        }
        if meeting != NONE {
            let mut i = 0;
            while i < self.lane_groups.len() {
                let f = &self.lane_groups[i];
                if f.join == join
                    && f.pc == meeting
                    && f.state == State::Ready
                    && f.frame == old.frame
                {
                    self.arrive(i);
                    i = 0;
                } else {
                    i += 1;
                }
            }
        }
    }

    /// Lets a group arrive at the place of its join.
    pub fn arrive(&mut self, lane_group: usize) {
        let LaneGroup { lanes, join, .. } = self.lane_groups.remove(lane_group);
        self.joins[join as usize].arrived |= lanes;
        self.release(join);
    }

    /// Opens a join if all lanes that it expects have arrived.
    fn release(&mut self, join: u32) {
        let Join {
            expected, arrived, ..
        } = self.joins[join as usize];
        if arrived == expected {
            self.open(join);
        }
    }

    /// Lets the lanes that have arrived at a join continue.
    fn open(&mut self, join: u32) {
        let slot = &mut self.joins[join as usize];
        let lanes = std::mem::take(&mut slot.arrived);
        slot.expected &= !lanes;
        slot.live = slot.expected != 0;
        let Join {
            mut pc,
            parent,
            mut frame,
            live,
            ..
        } = *slot;
        if pc == NONE {
            // The call has ended.
            if !live {
                self.free_frames.push(frame);
            }
            let activation = &self.frames[frame as usize];
            (pc, frame) = (activation.return_pc, activation.parent);
        }
        if lanes == 0 {
            return;
        }
        self.lane_groups.push(LaneGroup {
            pc,
            lanes,
            frame,
            join: parent,
            state: State::Ready,
        });
        // The enclosing join may be at the same place.
        if parent != NONE {
            let around = &self.joins[parent as usize];
            if around.pc == pc && around.frame == frame {
                self.arrive(self.lane_groups.len() - 1);
            }
        }
    }

    /// Handles a group that waits for an action of lanes which in turn wait for the group in a
    /// join: the innermost join with such lanes lets them continue. Returns whether such a join
    /// exists.
    pub fn let_go(&mut self, lane_group: usize) -> bool {
        let mut at = self.lane_groups[lane_group].join;
        while at != NONE {
            let join = &self.joins[at as usize];
            if join.arrived != 0 {
                self.open(at);
                return true;
            }
            at = join.parent;
        }
        false
    }

    /// Lets lanes of a group exit; the rest of the group, if any, stays where it is.
    pub fn exit(&mut self, lane_group: usize, lanes: u32) {
        self.live &= !lanes;
        let join = self.lane_groups[lane_group].join;
        self.lane_groups[lane_group].lanes &= !lanes;
        if self.lane_groups[lane_group].lanes == 0 {
            self.lane_groups.remove(lane_group);
        }
        // First all enclosing joins, from the inside out, stop expecting the lanes; then the
        // innermost may open.
        let mut at = join;
        let mut chain = Vec::new();
        while at != NONE {
            self.joins[at as usize].expected &= !lanes;
            chain.push(at);
            at = self.joins[at as usize].parent;
        }
        for join in chain {
            if self.joins[join as usize].live
                && self.joins[join as usize].arrived == self.joins[join as usize].expected
            {
                self.release(join);
            }
        }
    }

    /// Lets a group call a function with the frame `activation`; its lanes meet again at the end of
    /// the call.
    pub fn call(&mut self, lane_group: usize, activation: Activation) {
        let LaneGroup {
            lanes,
            join: parent,
            ..
        } = self.lane_groups[lane_group];
        let frame = match self.free_frames.pop() {
            Some(free) => {
                self.frames[free as usize] = activation;
                free
            }
            None => {
                self.frames.push(activation);
                self.frames.len() as u32 - 1
            }
        };
        let join = self.new_join(Join {
            pc: NONE,
            expected: lanes,
            arrived: 0,
            parent,
            frame,
            live: true,
        });
        self.frames[frame as usize].join = join;
        let lane_group = &mut self.lane_groups[lane_group];
        lane_group.frame = frame;
        lane_group.join = join;
        lane_group.pc = 0;
    }

    /// Ends the function of a group. If the lanes of a branch never meet again inside the function,
    /// they meet in the join of the call.
    pub fn finish_call(&mut self, lane_group: usize) {
        self.arrive(lane_group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warp(lanes: u32) -> Warp {
        let mut warp = Warp::default();
        warp.start(0, lanes, Activation::default());
        warp
    }

    fn state(warp: &Warp) -> Vec<(u32, u32)> {
        let mut all: Vec<_> = warp.lane_groups.iter().map(|f| (f.lanes, f.pc)).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn parts_meet() {
        let mut w = warp(0b1111);
        w.part(0, &[(0b0011, 20), (0b1100, 11)], 30);
        assert_eq!(state(&w), [(0b0011, 20), (0b1100, 11)]);
        assert_eq!(w.lane_groups[w.ready().unwrap()].pc, 11);
        w.arrive(1);
        assert_eq!(state(&w), [(0b0011, 20)]);
        w.arrive(0);
        assert_eq!(state(&w), [(0b1111, 30)]);
        assert_eq!(w.stop(0), NONE);
    }

    #[test]
    fn a_part_that_starts_at_the_meeting_point_waits() {
        let mut w = warp(0b1111);
        w.part(0, &[(0b0011, 30), (0b1100, 11)], 30);
        assert_eq!(state(&w), [(0b1100, 11)]);
        w.arrive(0);
        assert_eq!(state(&w), [(0b1111, 30)]);
    }

    #[test]
    fn a_loop_uses_one_join() {
        let mut w = warp(0b111);
        w.part(0, &[(0b001, 9), (0b110, 2)], 9);
        w.part(0, &[(0b010, 9), (0b100, 2)], 9);
        assert_eq!((state(&w), w.joins.len()), (vec![(0b100, 2)], 1));
        w.arrive(0);
        assert_eq!(state(&w), [(0b111, 9)]);
    }

    #[test]
    fn nested_joins_at_one_place_open_together() {
        let mut w = warp(0b111);
        w.part(0, &[(0b001, 50), (0b110, 10)], 90);
        w.part(1, &[(0b010, 60), (0b100, 20)], 90);
        assert_eq!(w.joins.len(), 1, "the same place needs no second join");
        w.arrive(2);
        w.arrive(1);
        w.arrive(0);
        assert_eq!(state(&w), [(0b111, 90)]);
    }

    #[test]
    fn lanes_that_exit_are_not_waited_for() {
        let mut w = warp(0b1111);
        w.part(0, &[(0b0011, 20), (0b1100, 11)], 30);
        w.arrive(1);
        w.exit(0, 0b0001);
        assert_eq!(state(&w), [(0b0010, 20)]);
        w.exit(0, 0b0010);
        assert_eq!((state(&w), w.live), (vec![(0b1100, 30)], 0b1100));
    }

    #[test]
    fn calls_nest_and_free_their_frames() {
        let mut w = warp(0b11);
        w.lane_groups[0].pc = 5;
        w.call(
            0,
            Activation {
                return_pc: 6,
                parent: 0,
                ..Activation::default()
            },
        );
        w.part(0, &[(0b01, 3), (0b10, 1)], 8);
        w.arrive(1);
        w.arrive(0);
        assert_eq!(state(&w), [(0b11, 8)]);
        w.finish_call(0);
        assert_eq!(
            (state(&w), w.lane_groups[0].frame, w.free_frames.len()),
            (vec![(0b11, 6)], 0, 1)
        );
    }

    #[test]
    fn lanes_are_let_go_one_join_after_the_other() {
        let mut w = warp(0b111);
        w.part(0, &[(0b001, 90), (0b110, 10)], 90);
        w.part(0, &[(0b010, 50), (0b100, 20)], 50);
        assert_eq!(state(&w), [(0b100, 20)]);
        assert!(w.let_go(0));
        assert_eq!(state(&w), [(0b010, 50), (0b100, 20)]);
        assert!(w.let_go(0));
        assert_eq!(state(&w), [(0b001, 90), (0b010, 50), (0b100, 20)]);
        assert!(!w.let_go(0));
        // The others still meet: the lanes of each inner join in that join, and all of them in the
        // outer one.
        let spinning = w.lane_groups.iter().position(|f| f.lanes == 0b100).unwrap();
        w.arrive(spinning);
        assert_eq!(state(&w), [(0b001, 90), (0b010, 50), (0b100, 50)]);
    }

    #[test]
    fn a_call_in_which_all_lanes_exit_leaves_nothing() {
        let mut w = warp(0b11);
        w.call(
            0,
            Activation {
                return_pc: 6,
                parent: 0,
                ..Activation::default()
            },
        );
        w.exit(0, 0b11);
        assert_eq!((state(&w), w.live), (vec![], 0));
    }
}
