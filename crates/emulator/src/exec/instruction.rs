//! The trait of an instruction family, and the step in which an instruction executes.
//!
//! ```text
//!                      ┌ named_rows ─► rows of registers, addresses with provenance    (lower)
//! impl Instruction ────┼ role, origin ─► undefined values, provenance of addresses     (lower)
//!  for one IR struct   ├ asynchrony ─► whether a schedule may delay its accesses       (lower, exec)
//!                      └ execute(step) ─► the effect on the lanes of the step          (exec::step)
//! ```
//!
//! Law: the lowering and the step loop use a family only through this trait. A new family is a file
//! of `instructions` and an entry of its `FAMILIES`.

use std::any::Any;
use std::fmt::Debug;

use super::Trap;
use super::gather::{self, Gathered};
use super::provenance::{self, Suspects};
use super::run::{Context, Leave, Site};
use super::warp::{Activation, State, Warp};
use super::{Outcome, lanes};
use crate::fault::FaultKind;
use crate::frame::{FULL, Frame};
use crate::ir::{Address, Asynchrony, Function, NamedRow, Origin, Role};
use crate::numerics::mma::Arithmetic;

/// An instruction of some family, after lowering.
pub(crate) trait Instruction: Any + Debug + Send + Sync {
    /// Calls `f` with every row that the instruction names, absent operands included; the base row
    /// of an address comes with its whole address.
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow));

    /// Returns how the instruction uses the values that it reads.
    fn role(&self) -> Role {
        Role::Address
    }

    /// Returns where the addresses among the instruction's results come from.
    fn origin(&self) -> Origin {
        Origin::Unknown
    }

    /// Whether the instruction's memory accesses complete asynchronously to the thread.
    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Synchronous
    }

    /// Computes the results of an instruction whose role is [`Role::Computes`] for `lanes`, which
    /// execute it together.
    ///
    /// # Errors
    ///
    /// The trap of an operand for which the results are undefined.
    fn compute(&self, _registers: &mut Frame, _lanes: u32, _sums: Arithmetic) -> Outcome {
        Ok(())
    }

    /// Executes the instruction for the step's lanes.
    ///
    /// # Errors
    ///
    /// The reason why the group of lanes does not continue with the next instruction.
    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop>;
}

/// The reason why a group of lanes does not continue with the next instruction.
pub(crate) enum Stop {
    Trap(Box<Trap>),
    /// The group leaves the step loop; the instruction is done.
    Leave(Leave),
    /// The group leaves the step loop and retries the instruction later; this attempt is not
    /// counted.
    Again(Leave),
}

impl From<Box<Trap>> for Stop {
    fn from(trap: Box<Trap>) -> Stop {
        Stop::Trap(trap)
    }
}

/// One instruction of a group of lanes: the lanes that execute it, and the state that they see.
pub(crate) struct LaneStep<'s, 'c> {
    pub cx: &'s mut Context<'c>,
    pub warp: &'s mut Warp,
    pub frame: &'s mut Activation,
    pub code: &'s Function,
    /// The group's number in its warp.
    pub group: usize,
    /// The lanes of the group (`present`), and those for which the instruction's guard is true
    /// (`mask`).
    pub present: u32,
    pub mask: u32,
    pub site: Site,
    /// The number of instructions that the warp has executed, including this one.
    pub now: u64,
}

impl LaneStep<'_, '_> {
    /// Begins a memory access: subsequent findings and access records refer to it.
    #[inline]
    pub fn begin(&mut self) {
        self.cx.begin(self.site, self.mask);
    }

    /// Returns the number, within the warp, of the activation that the lanes execute.
    pub fn own_frame(&self) -> u32 {
        self.warp.lane_groups[self.group].frame
    }

    /// Finds the lanes of `mask` that access `bytes` bytes outside the object from which their
    /// address derives. Returns one fault for each such lane.
    #[inline]
    pub fn suspect(&self, address: &Address, bytes: usize, mask: u32) -> Suspects {
        provenance::suspect(
            self.cx.launch,
            &self.frame.registers,
            self.frame.function,
            address,
            bytes,
            mask,
        )
    }

    /// Executes a memory access. The `suspects`, which were computed before, are reported after the
    /// access's own faults.
    pub fn access(
        &mut self,
        suspects: Suspects,
        access: impl FnOnce(&mut Self) -> Outcome,
    ) -> Result<(), Stop> {
        self.begin();
        let done = access(self);
        Ok(provenance::conclude(self.cx, done, suspects)?)
    }

    /// Executes an access of `bytes` at an address of each lane.
    pub fn access_at(
        &mut self,
        address: &Address,
        bytes: usize,
        access: impl FnOnce(&mut Self) -> Outcome,
    ) -> Result<(), Stop> {
        let suspects = self.suspect(address, bytes, self.mask);
        self.access(suspects, access)
    }

    /// Gathers the lanes that the masks in a row name, and returns them. With `anywhere` they may
    /// wait at other instructions.
    #[inline]
    pub fn with_mask(&mut self, row: u32, anywhere: bool) -> Result<u32, Stop> {
        let members = &self.frame.registers.r32[row as usize];
        let gathered = gather::sync(
            self.warp,
            self.group,
            self.site.pc,
            self.mask,
            members,
            anywhere,
        )?;
        self.together(gathered, |_, _| Ok(true))
    }

    /// Gathers, at this instruction, the lanes that the masks in a row name, and computes the
    /// instruction's results for them.
    #[inline(always)]
    pub fn compute_with_mask(
        &mut self,
        instruction: &impl Instruction,
        row: u32,
    ) -> Result<(), Stop> {
        let all = self.with_mask(row, false)?;
        let sums = self.cx.launch.config.tensor_arithmetic;
        Ok(instruction.compute(&mut self.frame.registers, all, sums)?)
    }

    /// Gathers the live lanes of the warp at an `.aligned` instruction, then runs `done`. The lanes
    /// retry the instruction until all have arrived and `done` returns true.
    pub fn aligned(
        &mut self,
        done: impl FnOnce(&mut Self, u32) -> Outcome<bool>,
    ) -> Result<u32, Stop> {
        let gathered = gather::aligned(self.warp, self.group, self.site.pc, self.mask)?;
        self.together(gathered, done)
    }

    /// Gathers all 32 lanes of the warp; afterwards the step applies to all of them.
    pub fn whole_warp(&mut self) -> Result<(), Stop> {
        self.whole_warp_once(|_| Ok(true))
    }

    /// Gathers all 32 lanes of the warp and runs `done`; retries until `done` returns true.
    pub fn whole_warp_once(
        &mut self,
        done: impl FnOnce(&mut Self) -> Outcome<bool>,
    ) -> Result<(), Stop> {
        self.aligned(|step, all| {
            if all != FULL {
                let what = FaultKind::Divergent {
                    active: all,
                    required: FULL,
                };
                return Trap::lane(all.trailing_zeros() as usize, what);
            }
            done(step)
        })?;
        self.mask = FULL;
        Ok(())
    }

    /// Runs `done` for the gathered lanes. If `done` returns true, the other groups of lanes
    /// continue after the instruction. If lanes are missing or `done` returns false, the group
    /// retries later.
    #[inline(always)]
    pub fn together(
        &mut self,
        gathered: Gathered,
        done: impl FnOnce(&mut Self, u32) -> Outcome<bool>,
    ) -> Result<u32, Stop> {
        let Gathered::Go { lanes, others } = gathered else {
            return Err(Stop::Again(Leave::Wait));
        };
        if !done(self, lanes)? {
            return Err(Stop::Again(Leave::Yield { spinning: true }));
        }
        if !others.is_empty() {
            self.release(&others, lanes);
        }
        Ok(lanes)
    }

    /// Lets the other groups continue after the instruction, which all of `lanes` have executed.
    #[cold]
    fn release(&mut self, others: &[usize], lanes: u32) {
        for &other in others {
            let other = &mut self.warp.lane_groups[other];
            other.pc = self.site.pc + 1;
            other.state = State::Ready;
        }
        self.count_others(lanes);
    }

    /// Counts the lanes of `all` that other groups contributed.
    pub fn count_others(&mut self, all: u32) {
        if self.cx.counters.has_details() {
            let others = all & !self.mask;
            self.cx.counters.detail(self.site).lanes(others, others);
        }
    }

    /// Returns the value that a 32-bit row has in all of these lanes. If the values differ, a lane
    /// traps, and `what` names the value in the message.
    pub fn uniform(&self, row: u32, all: u32, what: &str) -> Outcome<u32> {
        let row = &self.frame.registers.r32[row as usize];
        let first = row[all.trailing_zeros() as usize];
        match lanes(all).find(|&lane| row[lane] != first) {
            None => Ok(first),
            Some(lane) => {
                let problem = format!("lanes give different {what}: {first} and {}", row[lane]);
                Trap::lane(lane, FaultKind::Operand(problem))
            }
        }
    }
}
