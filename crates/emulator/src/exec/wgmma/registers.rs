//! Registers of a `wgmma` in flight, and registers that need a fence before a `wgmma` may use them.
//!
//! ```text
//! mov %f1 ........ wgmma.fence ... wgmma {%f1, ..} ........ add %f1 ✗ ....... wait_group 0 .... add %f1
//!      touched       clean              in flight            a finding            free
//! ```
//!
//! Law: a `wgmma` may not use a register for D or A that another instruction has used since the
//! last `wgmma.fence`. Another instruction may not use a register that a `wgmma` uses before a wait
//! has covered that `wgmma`. Reading A's registers is allowed, and so is a copy of an accumulator
//! by `mov`, which compilers write and `ptxas` removes. Source: PTX ISA, "wgmma.fence",
//! "wgmma.wait_group".

use super::super::Trap;
use crate::fault::FaultKind;
use crate::ir::{Function, Touch};

/// The state of each register of a function that a `wgmma` uses, by its index.
#[derive(Debug, Default)]
pub(crate) struct Used {
    registers: Vec<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Whether another instruction has used the register since the last fence.
    touched: bool,
    /// The number of the last `wgmma` that uses the register as an accumulator, or 0 if there is
    /// none. `left` is the number of the last `wgmma` that uses the register for A, and `site` is
    /// the instruction of the later of the two.
    sum: u64,
    left: u64,
    site: u32,
}

impl Used {
    fn grow(&mut self, code: &Function) {
        // Before the first fence every register counts as touched.
        let touched = State {
            touched: true,
            ..State::default()
        };
        self.registers
            .resize(code.warpgroup_registers.len(), touched);
    }

    /// Executes `wgmma.fence`: no register counts as touched any more.
    pub fn fence(&mut self, code: &Function) {
        self.grow(code);
        for state in &mut self.registers {
            state.touched = false;
        }
    }

    /// Notes that the `wgmma` with that number uses registers. Returns the trap for the first
    /// register that it may not use.
    pub fn issue(
        &mut self,
        code: &Function,
        (sums, left): (&[u32], &[u32]),
        (number, site): (u64, u32),
    ) -> Option<Box<Trap>> {
        self.grow(code);
        let mut found = None;
        for &register in sums.iter().chain(left) {
            let state = self.registers[register as usize];
            if state.touched {
                let what = FaultKind::WgmmaRegister {
                    register: code.warpgroup_registers[register as usize].clone(),
                    in_flight: false,
                };
                found.get_or_insert_with(|| Trap::of_lane(0, what));
            }
        }
        for &register in sums {
            let state = &mut self.registers[register as usize];
            (state.sum, state.site) = (number, site);
        }
        for &register in left {
            let state = &mut self.registers[register as usize];
            (state.left, state.site) = (number, site);
        }
        found
    }

    /// Notes that another instruction uses registers. Returns whether it needs the results of
    /// products, and the trap for the first register that it may not use. Products up to `done` are
    /// no longer under way.
    pub fn touch(
        &mut self,
        code: &Function,
        touch: &Touch,
        done: u64,
    ) -> (bool, Option<Box<Trap>>) {
        if self.registers.is_empty() {
            return (false, None);
        }
        let (mut copied, mut found) = (None, None);
        for &register in touch.reads.iter().chain(&touch.writes) {
            let state = self.registers[register as usize];
            let writes = touch.writes.contains(&register);
            if state.sum > done && touch.copies && !writes {
                copied = Some(state);
            } else if state.sum > done || state.left > done && writes {
                let what = FaultKind::WgmmaRegister {
                    register: code.warpgroup_registers[register as usize].clone(),
                    in_flight: true,
                };
                let mut trap = Trap::of_lane(0, what);
                trap.earlier = state.site;
                found.get_or_insert(trap);
            }
            // The compiler removes a copy, which therefore touches nothing.
            if !touch.copies {
                self.registers[register as usize].touched = true;
            }
        }
        if touch.copies {
            for &register in &touch.writes {
                let touched = match touch.reads[..] {
                    [from] => self.registers[from as usize].touched,
                    _ => true,
                };
                let state = &mut self.registers[register as usize];
                state.touched = touched;
                if let Some(from) = copied {
                    (state.sum, state.site) = (from.sum, from.site);
                }
            }
        }
        (copied.is_some(), found)
    }
}
