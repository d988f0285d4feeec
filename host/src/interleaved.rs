//! Interleaved timing: competitors are sampled alternately in one run, so that a falling clock or a
//! filling cache affects all of them in the same way.
//!
//! ```text
//!   round 1   A A A | B B B | C C C       a sample of each: several executions back to back, between two events
//!   round 2   B B B | C C C | A A A       another competitor is first
//!   ...                                   ──► a Time for each: median, least and largest of its samples, for one execution
//! ```
//!
//! Law: every competitor has the same number of samples, the samples of a round follow each other,
//! and the numbers of rounds in which two competitors are first differ by at most one.

use crate::device::Backend;
use crate::enqueue::Enqueue;
use crate::error::Error;
use crate::timing::{Clock, Time, Timing};
use std::time::Instant;

/// Enqueues the pieces of work in this order, each on its device, and waits until the last one has
/// ended.
///
/// On a GPU only the stream orders the pieces, so that a
/// [`programmatic`](crate::Launch::programmatic) launch may begin while the preceding launch still
/// runs. On the emulator each piece runs after the preceding one has ended, and an access without
/// the necessary `griddepcontrol.wait` is a finding
/// ([`Launch::programmatic`](crate::Launch::programmatic)).
///
/// ```
/// # use host::{Device, Enqueue, Launch, launch_in_order};
/// # let ptx = "
/// #   .version 8.0 .target sm_90 .address_size 64
/// #   .visible .entry double(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
/// #     griddepcontrol.wait; ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2];
/// #     add.u32 %r1, %r1, %r1; st.global.u32 [%rd2], %r1; ret; }";
/// # let device = Device::emulator();
/// let double = device.load(ptx)?.kernel("double")?;
/// let mut data = device.upload(&[1_u32])?;
/// let twice = double.prepare(&Launch::new(1, 1).programmatic(), (&mut data,))?;
/// launch_in_order(&[&twice, &twice])?;
/// drop(twice);
/// assert_eq!(data.to_vec()?, [4]);
/// # Ok::<(), host::Error>(())
/// ```
///
/// # Errors
/// Returns the error of the first piece of work that fails. On a GPU the wait reports a fault
/// without the kernel's name.
pub fn launch_in_order(work: &[&dyn Enqueue]) -> Result<(), Error> {
    work.iter().try_for_each(|one| one.enqueue())?;
    for one in work {
        if let Backend::Gpu(gpu) = one.device().backend() {
            gpu.synchronize()
                .inspect_err(|error| gpu.lose_to("a launch in order", error))?;
        }
    }
    Ok(())
}

/// The most executions in a sample.
const MOST: f64 = 1000.0;

/// Times competitors alternately. A sample lasts at least `least` seconds, and has as many
/// executions as are needed for that.
///
/// A sample of a few microseconds would also measure the events around it; 100 µs are long enough.
/// Results are in the order of `competitors`. Each has the time of one execution, and the number of
/// executions in a sample.
///
/// On the emulator the result is the wall clock of single executions, which says nothing about a
/// GPU.
///
/// # Errors
/// Returns the errors of the competitors' devices.
pub fn time_interleaved(
    competitors: &[&dyn Enqueue],
    timing: Timing,
    least: f64,
) -> Result<Vec<(Time, usize)>, Error> {
    let Some(first) = competitors.first() else {
        return Ok(Vec::new());
    };
    let device = first.device().clone();
    let rounds = timing.runs.max(1);
    let sample = |competitor: &dyn Enqueue, executions: usize| -> Result<f64, Error> {
        match device.backend() {
            Backend::Gpu(gpu) => gpu.sample(executions, &|| competitor.enqueue()),
            Backend::Emulator(_) => {
                let start = Instant::now();
                for _ in 0..executions {
                    competitor.enqueue()?;
                }
                Ok(start.elapsed().as_secs_f64())
            }
        }
    };
    let mut executions = Vec::with_capacity(competitors.len());
    for &competitor in competitors {
        let warm = timing.warmup.max(1);
        // The first sample only loads code. The second sample decides the number of executions.
        sample(competitor, 1)?;
        let once = sample(competitor, warm)? / warm as f64;
        executions.push((least / once).ceil().clamp(1.0, MOST) as usize);
    }
    let mut seconds = vec![Vec::with_capacity(rounds); competitors.len()];
    for round in 0..rounds {
        for place in 0..competitors.len() {
            let who = (round + place) % competitors.len();
            let lasted = sample(competitors[who], executions[who])?;
            seconds[who].push(lasted / executions[who] as f64);
        }
    }
    let clock = match device.backend() {
        Backend::Gpu(_) => Clock::CudaEvents,
        Backend::Emulator(_) => Clock::Wall,
    };
    Ok(seconds
        .into_iter()
        .zip(executions)
        .map(|(seconds, executions)| (Time::from_samples(clock, seconds), executions))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use std::cell::RefCell;
    use std::rc::Rc;

    struct NamedLaunch(char, Rc<RefCell<String>>, Device);

    impl Enqueue for NamedLaunch {
        fn enqueue(&self) -> Result<(), Error> {
            self.1.borrow_mut().push(self.0);
            Ok(())
        }
        fn device(&self) -> &Device {
            &self.2
        }
    }

    #[test]
    fn each_is_first_alternately() {
        let device = Device::emulator();
        let said = Rc::new(RefCell::new(String::new()));
        let all: Vec<NamedLaunch> = "abc"
            .chars()
            .map(|name| NamedLaunch(name, Rc::clone(&said), device.clone()))
            .collect();
        let competitors: Vec<&dyn Enqueue> = all.iter().map(|one| one as &dyn Enqueue).collect();
        let timing = Timing { warmup: 1, runs: 3 };
        let times = time_interleaved(&competitors, timing, 0.0).unwrap();
        // Each competitor is executed twice to measure how long one execution takes, and then in
        // three rounds.
        assert_eq!(*said.borrow(), "aabbccabcbcacab");
        assert!(
            times
                .iter()
                .all(|(time, executions)| time.runs == 3 && *executions == 1)
        );
        assert!(time_interleaved(&[], timing, 0.0).unwrap().is_empty());
    }

    /// Checks that a sample has as many executions as are needed to last the least time, and that a
    /// result is the time of one execution.
    #[test]
    fn short_ones_are_repeated() {
        struct Sleep(Device, RefCell<usize>);
        impl Enqueue for Sleep {
            fn enqueue(&self) -> Result<(), Error> {
                *self.1.borrow_mut() += 1;
                std::thread::sleep(std::time::Duration::from_millis(2));
                Ok(())
            }
            fn device(&self) -> &Device {
                &self.0
            }
        }
        let one = Sleep(Device::emulator(), RefCell::new(0));
        let times = time_interleaved(&[&one], Timing { warmup: 1, runs: 1 }, 0.01).unwrap();
        let (time, executions) = times[0];
        assert!((1..=5).contains(&executions), "{executions}");
        assert_eq!(*one.1.borrow(), 2 + executions);
        assert!(time.median >= 0.002, "{time}");
    }
}
