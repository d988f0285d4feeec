//! The number of GPU registers that a function needs at once, from the lives of its PTX registers.
//!
//! ```text
//! ld.param.u64  %rd1, [out];         uniform: the same in all threads of a warp, no register of a thread
//! mov.u32       %r1, %tid.x;         1
//! ld.global.f32 %f1, [%rd2];         2
//! fma.rn.f32    %f2, %f1, %f1, %f1;  2: %f1 ends where %f2 begins
//! ```
//!
//! Law: `Pressure::words` is the largest number of 32-bit words of registers that are live between
//! two instructions, without uniform registers. A 64-bit register has two words, a predicate none.
//! A result that an integer instruction computes only from parameters, constants and the block's
//! coordinates is uniform: since sm_75 the GPU holds such values in registers with one value per
//! warp.

use super::body::{Body, Draft};
use super::lives::{Lives, members};
use super::slot::Slot;
use crate::ir::{Constant, Op, Pressure, Special, Window};
use crate::types::Class;

/// Integer instructions that the GPU executes once per warp if their operands are uniform.
const ONCE: [&str; 16] = [
    "add", "sub", "mul", "mad", "shl", "shr", "and", "or", "xor", "not", "lop3", "shf", "setp",
    "selp", "cvt", "cvta",
];

impl Body<'_, '_> {
    /// Returns the largest number of words that are live at once.
    pub(super) fn pressure(&self, lives: &Lives<'_>) -> Pressure {
        let uniform = self.uniform(lives);
        let words_of = |bit: usize| match lives.slot(bit).class() {
            _ if uniform[bit] => 0,
            Class::R32 => 1,
            Class::R64 => 2,
            Class::Pred => 0,
        };
        let mut found = Pressure::default();
        for (range, live_out) in lives.blocks() {
            let (mut live, mut words) = (live_out.to_vec(), 0);
            members(live_out, |bit| words += words_of(bit));
            for pc in range.rev() {
                let draft = &self.drafts[pc];
                if words > found.words {
                    (found.words, found.pc) = (words, pc as u32);
                }
                let mut set = |slot: Slot, is_live: bool| {
                    let Some(bit) = lives.bit(slot) else { return };
                    let (word, mask) = (&mut live[bit / 64], 1 << (bit % 64));
                    if (*word & mask != 0) != is_live {
                        *word ^= mask;
                        let of = words_of(bit);
                        words = if is_live { words + of } else { words - of };
                    }
                };
                // A guarded write keeps the old value in the lanes where the guard is false.
                let is_kept = draft.guard.is_some();
                draft.defs.iter().for_each(|&slot| set(slot, is_kept));
                draft.uses.iter().for_each(|&slot| set(slot, true));
                if let Some((slot, _)) = draft.guard {
                    set(slot, true);
                }
            }
        }
        found
    }

    /// Finds the registers that are uniform, by bit. A register is uniform if every instruction
    /// that writes it preserves uniformity.
    fn uniform(&self, lives: &Lives<'_>) -> Vec<bool> {
        let mut uniform = vec![true; lives.count()];
        let mut changed = true;
        while changed {
            changed = false;
            for draft in &self.drafts {
                let mut read = draft.uses.iter().copied().chain(draft.guard.map(|of| of.0));
                let is_uniform = |slot| match lives.bit(slot) {
                    Some(bit) => uniform[bit],
                    None => !self.is_of_thread(slot),
                };
                if read.all(is_uniform) && self.keeps_uniform(draft) {
                    continue;
                }
                for bit in draft.defs.iter().filter_map(|&slot| lives.bit(slot)) {
                    changed |= uniform[bit];
                    uniform[bit] = false;
                }
            }
        }
        uniform
    }

    /// Whether a constant is a special register that differs between the threads of a warp or the
    /// warps of a block.
    fn is_of_thread(&self, slot: Slot) -> bool {
        if slot == Slot::NONE || slot.class() != Class::R32 {
            return false;
        }
        let constant = self.function.constants32.get(slot.number() as usize);
        matches!(
            constant,
            Some(Constant::Special(
                Special::Tid(_)
                    | Special::LaneId
                    | Special::WarpId
                    | Special::LaneMaskEq
                    | Special::LaneMaskLe
                    | Special::LaneMaskLt
                    | Special::LaneMaskGe
                    | Special::LaneMaskGt
            ))
        )
    }

    /// Whether an instruction with uniform operands has the same result in all threads of a warp.
    fn keeps_uniform(&self, draft: &Draft) -> bool {
        match &draft.op {
            Op::Load(transfer) => transfer.address.window == Window::EntryParam,
            Op::Alu { .. } => {
                let Some(place) = draft.inst.map(|i| &self.places[i as usize]) else {
                    return true;
                };
                let mut parts = place.opcode.split('.');
                let name = parts.next().unwrap_or_default();
                let of_floats = |part: &str| part != "ftz" && part.contains('f');
                name == "mov" || ONCE.contains(&name) && !parts.any(of_floats)
            }
            _ => false,
        }
    }
}
