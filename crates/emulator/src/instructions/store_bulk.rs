//! `st.bulk`, by which each lane zeroes a run of bytes of the CTA's shared memory.
//!
//! ```text
//! st.bulk.weak.shared::cta [%r1], 24, 0;      | 0 .. 7 | 8 .. 15 | 16 .. 23 |  all 0, a word at a time
//! ```
//!
//! Law: a run is a sequence of the lane's weak stores of 8 bytes: it has the races, initialisation
//! and counts of such stores. Source: PTX ISA, "st.bulk".

use crate::exec::access::{self, Addresses};
use crate::exec::banks::Cost;
use crate::exec::values::Values;
use crate::exec::{Instruction, LaneStep, Stop, shared};
use crate::fault::{FaultKind, Outcome, Reached, Trap};
use crate::frame::{Row32, WARP, lanes};
use crate::ir::{Address, NamedRow, Role, Window};
use crate::lower::{Flow, Lowered, Lowering};
use crate::types::Type;

/// The bytes of one store: sizes and addresses are multiples of this.
const WORD: usize = 8;
/// The largest size in bytes.
const MOST: u64 = 1 << 24;

#[derive(Debug)]
struct StoreBulk {
    address: Address,
    /// The 64-bit row of the number of bytes.
    size: u32,
}

/// Lowers `st.bulk{.weak}{.shared::cta} [a], size, 0`.
pub(super) fn lower(l: &mut Lowering) -> Lowered {
    l.lead("bulk");
    l.take("weak");
    let space = l.one_of(&[("shared::cta", Window::Shared)]);
    l.end()?;
    l.count(3..=3)?;
    let address = l.address(0, space.unwrap_or(Window::Generic))?;
    let size = l.source(1, Type::U64)?;
    l.uses.push(size);
    let value = l.immediate(2)?;
    if value != 0 {
        return Err(l.bad_operand(2, format!("0, not {value}")));
    }
    l.note_access(Window::Shared, (WORD, 1), false);
    let size = size.0;
    l.emit(StoreBulk { address, size }, Flow::Next);
    Ok(())
}

impl Instruction for StoreBulk {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Address(&mut self.address));
        f(NamedRow::Value(&mut self.size));
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        let sizes = self.sizes(step)?;
        let writers = lanes(step.mask).filter(|&lane| sizes[lane] != 0);
        let suspects: Vec<Box<Trap>> = writers
            .filter_map(|lane| step.suspect(&self.address, sizes[lane], 1 << lane))
            .flat_map(Vec::from)
            .collect();
        let suspects = (!suspects.is_empty()).then(|| suspects.into());
        step.access(suspects, |step| self.store(step, &sizes))
    }
}

impl StoreBulk {
    /// Returns the number of bytes that each lane writes.
    fn sizes(&self, step: &LaneStep) -> Outcome<[usize; WARP]> {
        let row = &step.frame.registers.r64[self.size as usize];
        let mut sizes = [0; WARP];
        for lane in lanes(step.mask) {
            if !row[lane].is_multiple_of(WORD as u64) || row[lane] > MOST {
                let problem = format!(
                    "{} bytes, where a multiple of {WORD} up to {MOST} is asked for",
                    row[lane]
                );
                return Trap::lane(lane, FaultKind::Operand(problem));
            }
            sizes[lane] = row[lane] as usize;
        }
        Ok(sizes)
    }

    /// Stores words of zeros: word i of all lanes whose run has at least i + 1 words is one store
    /// of the warp.
    fn store(&self, step: &mut LaneStep, sizes: &[usize; WARP]) -> Outcome {
        let (mask, site) = (step.mask, step.site);
        let all = access::addresses(&step.frame.registers, &self.address, mask);
        access::by_memory(&all, self.address.window, mask, |window, all, part| {
            if !matches!(window, Window::Shared | Window::Cluster) {
                return outside(all, part);
            }
            let longest = lanes(part).map(|lane| sizes[lane]).max().unwrap_or(0);
            for at in (0..longest).step_by(WORD) {
                let writes = lanes(part).filter(|&lane| at < sizes[lane]);
                let mask = writes.fold(0, |mask, lane| mask | 1 << lane);
                let all = access::relative(all, (at as u64).wrapping_neg(), mask);
                let request = shared::Request {
                    window: Window::Shared,
                    all: &all,
                    mask,
                    bytes: WORD,
                    cost: Cost::Store,
                    counted: Some(site),
                };
                shared::store(step.cx, &request, None, &Zeros)?;
            }
            Ok(())
        })
    }
}

/// Returns the trap for a generic address outside shared memory.
fn outside(all: &Addresses, part: u32) -> Outcome {
    let lane = part.trailing_zeros() as usize;
    let problem = "an address outside of shared memory, where the zeros go".to_owned();
    Trap::access(lane, all[lane], FaultKind::Operand(problem))
}

/// A word of zeros for each lane.
struct Zeros;

impl Values for Zeros {
    fn bytes(&self) -> usize {
        WORD
    }

    fn element(&self, _: usize, _: usize) -> u64 {
        0
    }

    fn words(&self, _: usize) -> Option<&Row32> {
        None
    }
}
