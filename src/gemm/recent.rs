//! The latest choices of a library. The layers of a model have few shapes, and ranking all launches
//! takes longer than one launch.
//!
//! ```text
//!   problem, schedule ─ among the last 64? ─► the choice made then
//!                       else ─► ranked, and kept in place of the least recently used choice
//! ```
//!
//! Law: a choice follows from the problem, the requested schedule, the kernels and the table, and a
//! library's kernels and table do not change. A kept choice is therefore the one that would be made
//! again.

use super::{KernelChoice, ScheduleRequest};
use crate::CutletError;
use kernel_abi::gemm::GemmProblem;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The largest number of choices that are kept.
const KEPT: usize = 64;

/// A choice, and the problem and schedule for which it was made.
#[derive(Debug)]
struct Kept {
    problem: GemmProblem,
    schedule: ScheduleRequest,
    choice: KernelChoice,
}

/// The last choices. The latest comes first.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<VecDeque<Kept>>);

impl Recent {
    /// Returns the choice for a problem and a schedule: the kept one, or the one that `choose`
    /// returns.
    pub(super) fn or_choose(
        &self,
        problem: &GemmProblem,
        schedule: ScheduleRequest,
        choose: impl FnOnce() -> Result<KernelChoice, CutletError>,
    ) -> Result<KernelChoice, CutletError> {
        if let Some(choice) = self.find(problem, schedule) {
            return Ok(choice);
        }
        // The lock is not held: several threads may choose at once, and keep the same choice twice.
        let choice = choose()?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.push_front(Kept {
            problem: *problem,
            schedule,
            choice: choice.clone(),
        });
        Ok(choice)
    }

    /// Finds the kept choice, and makes it the latest.
    fn find(&self, problem: &GemmProblem, schedule: ScheduleRequest) -> Option<KernelChoice> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept
            .iter()
            .position(|of| of.schedule == schedule && of.problem == *problem)?;
        let found = kept.remove(at)?;
        let choice = found.choice.clone();
        kept.push_front(found);
        Some(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemm::{InputType, KernelRequest, Library, OutputType};
    use host::Device;

    fn problem(m: u32) -> GemmProblem {
        GemmProblem::new(m, 256, 512, InputType::F16, OutputType::Same)
    }

    #[test]
    fn a_choice_is_made_once_and_the_oldest_is_dropped() {
        let device = Device::emulator();
        let modules = crate::kernels::Modules::load(&device).unwrap();
        let library = Library::new(modules).unwrap();
        let made = |m| library.choose(&problem(m), &KernelRequest::default());
        let recent = Recent::default();
        let auto = ScheduleRequest::Auto;
        let kept = |m: u32| {
            let mut is_kept = true;
            let choice = recent.or_choose(&problem(m), auto, || {
                is_kept = false;
                made(m)
            });
            assert_eq!(
                choice.unwrap().configuration,
                made(m).unwrap().configuration
            );
            is_kept
        };
        assert!(!kept(1) && kept(1));
        // Asks for another problem, and for another schedule of the same problem.
        assert!(!kept(2));
        let tiles = recent.or_choose(&problem(1), ScheduleRequest::Tiles, || made(3));
        assert_eq!(tiles.unwrap().plan.problem.m, 3);
        assert!(kept(1) && kept(2));
        for m in 100..100 + KEPT as u32 {
            assert!(!kept(m));
        }
        assert!(!kept(1) && kept(100 + KEPT as u32 - 1));
    }

    #[test]
    fn a_refusal_is_not_kept() {
        let recent = Recent::default();
        let refused = || Err(CutletError::Weights("refused".into()));
        let auto = ScheduleRequest::Auto;
        assert!(recent.or_choose(&problem(1), auto, refused).is_err());
        assert!(recent.find(&problem(1), auto).is_none());
    }
}
