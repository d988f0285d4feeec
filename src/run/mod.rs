//! Problems whose data is made from a seed, run on a device, and validated.
//!
//! ```text
//!   problem ─► inputs ─► poisoned output ─► kernel ─► result ─┬─► compared with the reference ─┐
//!     seed                 and a guard after it               └─► guard untouched? ────────────┴─► right()
//! ```
//!
//! Law: `right()` is true only if every element that was compared is right, which is all of them
//! unless the outcome says otherwise, and nothing after the output was written.

mod attention;
mod candidates;
mod decode;
mod distributed;
mod exact;
mod fp8_attention;
mod gemm;
mod gradients;
mod groups;
mod memory;
mod packed;
mod paged;
mod reference;
mod score;
mod setup;
mod transpose;
mod tune;
mod vecadd;
mod weights;
mod weights_times;

pub use attention::{AttentionOutcome, AttentionRun, LseAgreement, attention};
pub use candidates::{LaunchTrial, gemm_candidates, gemm_times};
pub use decode::{DecodeOutcome, DecodeRun, Latent, ReadRate, decode};
pub use distributed::{DistributedOutcome, DistributedRun, distributed_gemm};
pub use exact::ExactOutcome;
pub use fp8_attention::{Fp8AttentionRun, fp8_attention};
pub use gemm::{
    Compared, Comparison, CublasOutcome, ForeignOperands, ForeignOutcome, ForeignProduct,
    GemmOutcome, GemmRun, gemm, gemm_beside, gemm_beside_others, grouped_gemm,
};
pub use gradients::{GradientsOutcome, GradientsRun, gradients};
pub use packed::{PackedAttentionRun, packed_attention};
pub use paged::{PagedAttentionRun, paged_attention};
pub use reference::verdict_is_possible;
pub use score::ScoreRun;
pub use transpose::{TransposeProblem, Width, transpose};
pub use tune::{BEST, TunedGemm, fastest, tune_gemm};
pub use vecadd::{VecaddProblem, vecadd};
pub use weights::{
    ForeignWeights, ForeignWeightsOperands, WeightsRun, weights_gemm, weights_gemm_beside,
    weights_gemm_by,
};
pub use weights_times::ColdWeights;

use crate::CutletError;
use bytemuck::Pod;
use host::{Buffer, Clock, Device, EmulatorReport, Kernel, KernelArgs, Kind, Launch, Time, Timing};
use std::time::Instant;

/// The phase that a run is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPhase {
    /// Inputs are made and copied to the device.
    Inputs,
    /// The kernel runs. The numbers are the CTAs that have ended, and all CTAs.
    Kernel(u64, u64),
    /// The kernel runs again, to be timed.
    Timing,
    /// The reference is computed and compared.
    Reference,
}

/// The options of a run.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// The part of a GEMM's D to compare with the reference.
    pub compare: Comparison,
    /// The number of runs of the kernel for its time. The default is [sensible](Timing::sensible)
    /// for the device. On the emulator, the run that gives the result is timed.
    pub timing: Option<Timing>,
    /// A function that is called with each phase of the run, from any thread.
    pub progress: Option<&'a (dyn Fn(RunPhase) + Sync)>,
}

impl RunOptions<'_> {
    fn report(&self, phase: RunPhase) {
        if let Some(progress) = self.progress {
            progress(phase);
        }
    }
}

/// A launch, its time and its counts, for any kind of validation.
#[derive(Debug)]
pub struct RunOutcome {
    /// The kernel's name.
    pub kernel: String,
    /// The launch.
    pub launch: Launch,
    /// The time.
    pub time: Time,
    /// The emulator's counts, or `None` on a GPU.
    pub emulated: Option<EmulatorReport>,
}

/// Runs `kernel` once for its result. On a GPU, it then runs the kernel as often as `options`
/// request for its time.
fn run(
    kernel: &Kernel,
    launch: &Launch,
    args: impl KernelArgs,
    options: &RunOptions<'_>,
) -> Result<RunOutcome, CutletError> {
    let start = Instant::now();
    let emulated = kernel
        .launch_with_progress(launch, &args, &|done, total| {
            options.report(RunPhase::Kernel(done, total));
        })?
        .report;
    let once = start.elapsed().as_secs_f64();
    let time = match kernel.device().kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![once]),
        Kind::Gpu => {
            options.report(RunPhase::Timing);
            let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
            kernel.time(launch, &args, timing)?
        }
    };
    Ok(RunOutcome {
        kernel: kernel.name().into(),
        launch: launch.clone(),
        time,
        emulated,
    })
}

/// The number of bytes after an output that no kernel may write.
const GUARD: usize = 4096;
/// The value of the bytes of an output before the kernel runs, and of the guard after it: NaN in
/// every floating-point type.
const POISON: u8 = 0xff;

/// Allocates an output of `len` elements, filled with poison, followed by the guard.
fn poisoned<T: Pod>(device: &Device, len: usize) -> Result<Buffer<T>, host::Error> {
    let mut buffer = device.alloc(len.saturating_add(GUARD / size_of::<T>()))?;
    buffer.fill_bytes(POISON)?;
    Ok(buffer)
}

/// Returns the first `len` elements of an output, and whether the guard after them is unchanged.
fn unpoisoned<T: Pod>(buffer: &Buffer<T>, len: usize) -> Result<(Vec<T>, bool), host::Error> {
    let mut all = buffer.to_vec()?;
    let guard: &[u8] = bytemuck::cast_slice(&all[len..]);
    let intact = guard.iter().all(|&byte| byte == POISON);
    all.truncate(len);
    Ok((all, intact))
}
