//! What an instruction family says of itself, once, and where it executes.
//!
//! ```text
//!                      ┌ named_rows ─► rows of registers, addresses with provenance   (lower)
//! impl Instruction ────┼ role, origin ─► undefined values, what addresses come from    (lower)
//!  for one IR struct   ├ asynchrony ─► whether a schedule moves it                     (lower, exec)
//!                      └ execute(step) ─► what the lanes of the step do                (exec::step)
//! ```
//!
//! Law: the lowering and the step loop know a family by this trait alone. A new family is a file of
//! `instructions` and a line of its `FAMILIES`.

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

/// An instruction of some family, as lowered.
pub(crate) trait Instruction: Any + Debug + Send + Sync {
    /// Hands every row that the instruction names to `f`, absent ones too: the base of an address
    /// with the address around it.
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow));

    /// What becomes of the values that it reads.
    fn role(&self) -> Role {
        Role::Address
    }

    /// Which addresses its results may be.
    fn origin(&self) -> Origin {
        Origin::Unknown
    }

    /// Whether its accesses of memory happen beside the threads.
    fn asynchrony(&self) -> Asynchrony {
        Asynchrony::Synchronous
    }

    /// Computes the results of an instruction whose role is [`Role::Computes`] in `lanes`, which
    /// are together.
    ///
    /// # Errors
    ///
    /// An operand for which the results are not defined.
    fn compute(&self, _registers: &mut Frame, _lanes: u32, _sums: Arithmetic) -> Outcome {
        Ok(())
    }

    /// Executes the instruction for the step's lanes.
    ///
    /// # Errors
    ///
    /// Why the group of lanes does not go on to the next instruction.
    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop>;
}

/// Why a group of lanes does not go on to the next instruction.
pub(crate) enum Stop {
    Trap(Box<Trap>),
    /// It leaves the loop, the instruction done.
    Leave(Leave),
    /// It leaves the loop and comes here again: the instruction is counted then.
    Again(Leave),
}

impl From<Box<Trap>> for Stop {
    fn from(trap: Box<Trap>) -> Stop {
        Stop::Trap(trap)
    }
}

/// One instruction of a group of lanes: who executes it, and on what.
pub(crate) struct LaneStep<'s, 'c> {
    pub cx: &'s mut Context<'c>,
    pub warp: &'s mut Warp,
    pub frame: &'s mut Activation,
    pub code: &'s Function,
    /// The group's number in its warp.
    pub group: usize,
    /// The lanes of the group, and those that the instruction's guard lets through.
    pub present: u32,
    pub mask: u32,
    pub site: Site,
    /// Instructions that the warp has executed, this one included.
    pub now: u64,
}

impl LaneStep<'_, '_> {
    /// An access of memory begins: findings and records of accesses are about it.
    #[inline]
    pub fn begin(&mut self) {
        self.cx.begin(self.site, self.mask);
    }

    /// The activation in which the lanes are, by its number in the warp.
    pub fn own_frame(&self) -> u32 {
        self.warp.lane_groups[self.group].frame
    }

    /// What an access of so many bytes by lanes of `mask` does beyond what its address comes from.
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

    /// Executes an access of memory whose suspects are known: these are reported behind what the
    /// access itself reports.
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

    /// Brings the lanes of the masks in a row together: all that execute. With `anywhere` they may
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

    /// Brings the lanes of the masks in a row together, where they are to meet at this instruction,
    /// and computes its results.
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

    /// Brings the living lanes of the warp together at an `.aligned` instruction, which executes
    /// `done`: where that is not so yet, the lanes wait and come again.
    pub fn aligned(
        &mut self,
        done: impl FnOnce(&mut Self, u32) -> Outcome<bool>,
    ) -> Result<u32, Stop> {
        let gathered = gather::aligned(self.warp, self.group, self.site.pc, self.mask)?;
        self.together(gathered, done)
    }

    /// Brings all 32 lanes of the warp together; from here on the step is of them all.
    pub fn whole_warp(&mut self) -> Result<(), Stop> {
        self.whole_warp_once(|_| Ok(true))
    }

    /// Brings all 32 lanes of the warp together once what they do together is done.
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

    /// Goes on with the lanes that were gathered once what they do together is done; else waits.
    /// The other groups of lanes go on behind the instruction.
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

    /// Lets other groups go on behind the instruction, which all of `lanes` have executed.
    #[cold]
    fn release(&mut self, others: &[usize], lanes: u32) {
        for &other in others {
            let other = &mut self.warp.lane_groups[other];
            other.pc = self.site.pc + 1;
            other.state = State::Ready;
        }
        self.count_others(lanes);
    }

    /// Counts the lanes that other groups brought.
    pub fn count_others(&mut self, all: u32) {
        if self.cx.counters.has_details() {
            let others = all & !self.mask;
            self.cx.counters.detail(self.site).lanes(others, others);
        }
    }

    /// The number that all of these lanes give in a row of 32 bits; `what` names it where they
    /// differ.
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
