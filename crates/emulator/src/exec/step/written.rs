//! Finds registers that are read before they are written, in launches that check this.

use super::super::run::{Context, Site};
use super::super::warp::Activation;
use super::super::{Outcome, Trap, lanes};
use crate::fault::FaultKind;
use crate::ir::Function;

/// Checks the registers that an instruction reads, and notes those that it writes, for registers
/// that may be read before they are written. All lanes of `all` reach the instruction; those of
/// `mask` execute it.
#[cold]
pub(super) fn registers(
    cx: &mut Context,
    frame: &mut Activation,
    code: &Function,
    site: Site,
    all: u32,
    mask: u32,
) -> Outcome {
    let Some((watched, used)) = code
        .registers
        .as_ref()
        .and_then(|watched| Some((watched, watched.at(site.pc)?)))
    else {
        return Ok(());
    };
    let guard = used.guard.map(|register| (register, all));
    let reads = used.reads.iter().map(|&register| (register, mask));
    for (register, readers) in guard.into_iter().chain(reads) {
        let missing = readers & !frame.written[register as usize];
        let name = &watched.names[register as usize];
        if missing != 0 && !name.is_empty() {
            cx.begin(site, readers);
            for lane in lanes(missing) {
                let register = name.clone();
                let what = FaultKind::UninitialisedRegister { register };
                cx.found(Trap::of_lane(lane, what))?;
            }
        }
    }
    for &register in &used.writes {
        frame.written[register as usize] |= mask;
    }
    Ok(())
}
