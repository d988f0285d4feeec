//! From a product to a kernel: by name, by the nearest measured point, or, where nothing was measured, by an estimate.
//!
//! ```text
//!   CONFIGURATIONS ─ that can launch here ─ that compute this ──► candidates
//!                                         named? ─► that one;  a point of the table? ─► its kernel;  else the least estimate
//! ```
//!
//! Law: what is chosen has a plan, its kernel is in the module, and its block fits the device's shared memory and registers.

use super::estimate::{counts, estimate};
use super::names::Scheduling;
use super::table::Table;
use crate::Error;
use gpu_kernels::gemm::CONFIGURATIONS;
use host::{Contract, Device, Kernel, Launch, Module};
use kernel_abi::ProblemError;
use kernel_abi::gemm::{AccumulatorType, Configuration, GemmProblem, Plan, Schedule};

/// A kernel and a launch for a product.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The type of its accumulator.
    pub accumulator: AccumulatorType,
    /// How the work is shared out.
    pub schedule: Schedule,
    /// The launch.
    pub launch: Launch,
    /// What the kernel is told besides its matrices.
    pub(super) plan: Plan,
}

impl Choice {
    fn new(configuration: &Configuration, schedule: Schedule, plan: Plan) -> Self {
        Self {
            kernel: configuration.kernel,
            accumulator: configuration.accumulator,
            schedule,
            launch: Contract::from(&plan.launch).launch(),
            plan,
        }
    }
}

/// What a choice depends on besides the product.
pub(super) struct Wishes<'a> {
    /// How the work is to be shared out.
    pub schedule: Scheduling,
    /// The kernel to take.
    pub configuration: Option<&'a str>,
}

/// The configuration of this name, if its kernel is in `module` and can launch on its device: the one of the product's orders,
/// where a kernel has several.
fn named(module: &Module, gemm: &GemmProblem, name: &str) -> Result<&'static Configuration, Error> {
    let all = || {
        CONFIGURATIONS
            .iter()
            .filter(|configuration| launches(module, configuration))
    };
    let of_name = || all().filter(|configuration| configuration.kernel == name);
    of_name()
        .find(|configuration| configuration.majors == gemm.majors)
        .or_else(|| of_name().next())
        .ok_or_else(|| Error::NoConfiguration {
            name: name.into(),
            available: all().map(|configuration| configuration.kernel).collect(),
        })
}

/// Whether a block of `configuration` fits the module's device: its architecture, its shared memory, its threads, and, on a
/// GPU, whose compiler says how many a thread takes, its registers.
#[must_use]
pub fn launches(module: &Module, configuration: &Configuration) -> bool {
    let device = module.device();
    let (major, minor) = device.compute_capability();
    configuration.arch <= 10 * major + minor
        && configuration.shared_bytes as usize <= device.limits().max_shared
        && configuration.threads <= device.limits().max_threads_per_block
        && module.kernel(configuration.kernel).is_ok_and(|kernel| {
            kernel
                .resources()
                .is_none_or(|resources| configuration.threads <= resources.max_threads)
        })
}

/// How many blocks of a kernel a multiprocessor runs at once.
#[must_use]
pub fn blocks_at_once(configuration: &Configuration, kernel: &Kernel) -> u32 {
    // A multiprocessor has 64 Ki registers, room for 2048 threads, and 1 KiB more of shared memory than a block may ask for,
    // which every block takes 1 KiB of for the system (CUDA programming guide, compute capabilities 8.0 and 9.0).
    let limits = kernel.device().limits();
    let registers = kernel
        .resources()
        .map_or(255, |resources| resources.registers);
    let by_shared = (limits.max_shared as u32 + 1024) / (configuration.shared_bytes + 1024);
    let by_registers = 65_536 / (registers.next_multiple_of(8).max(8) * configuration.threads);
    by_shared
        .min(by_registers)
        .min(2048 / configuration.threads)
        .max(1)
}

/// The schedule in a kernel's terms; `Auto` is what the kernel is made for.
#[must_use]
pub fn schedule(wish: Scheduling, configuration: &Configuration, kernel: &Kernel) -> Schedule {
    let all_at_once =
        || kernel.device().limits().multiprocessors * blocks_at_once(configuration, kernel);
    match by_one_block(wish, configuration) {
        Schedule::StreamK(_) => Schedule::StreamK(all_at_once()),
        Schedule::Persistent(_) => Schedule::Persistent(all_at_once()),
        other => other,
    }
}

/// The same, by one block where blocks are counted: to know whether a kernel has it.
fn by_one_block(wish: Scheduling, configuration: &Configuration) -> Schedule {
    match wish {
        Scheduling::Auto if configuration.persistent => Schedule::Persistent(1),
        Scheduling::Auto | Scheduling::Tiles => Schedule::Tiles,
        Scheduling::SplitK(parts) => Schedule::SplitK(parts),
        Scheduling::StreamK => Schedule::StreamK(1),
        Scheduling::Persistent => Schedule::Persistent(1),
    }
}

/// The kernel and the launch for `gemm`.
pub(super) fn choose(
    module: &Module,
    table: &Table,
    gemm: &GemmProblem,
    wishes: &Wishes<'_>,
) -> Result<Choice, Error> {
    let with = |configuration: &'static Configuration, wish| -> Result<Choice, Error> {
        let kernel = module.kernel(configuration.kernel)?;
        let schedule = schedule(wish, configuration, &kernel);
        let plan = configuration.plan(gemm, schedule)?;
        Ok(Choice::new(configuration, schedule, plan))
    };
    if let Some(name) = wishes.configuration {
        let configuration = named(module, gemm, name)?;
        return with(configuration, wishes.schedule);
    }
    let candidates: Vec<&'static Configuration> = CONFIGURATIONS
        .iter()
        .filter(|configuration| {
            let schedule = by_one_block(wishes.schedule, configuration);
            configuration.plan(gemm, schedule).is_ok()
        })
        .filter(|configuration| launches(module, configuration))
        .collect();
    // The widest loads that the product allows: narrower ones only ever cost.
    let widest = candidates
        .iter()
        .map(|configuration| configuration.load_bytes)
        .max();
    let candidates: Vec<_> = candidates
        .into_iter()
        .filter(|configuration| Some(configuration.load_bytes) == widest)
        .collect();
    let is_candidate = |name: &str| candidates.iter().find(|c| c.kernel == name).copied();
    // A schedule that is asked for is not every configuration's.
    let takes = |configuration: &Configuration, wish| {
        module.kernel(configuration.kernel).is_ok_and(|kernel| {
            let schedule = schedule(wish, configuration, &kernel);
            configuration.plan(gemm, schedule).is_ok()
        })
    };
    let point = table.nearest(gemm, |point| {
        is_candidate(&point.kernel).is_some_and(|configuration| match wishes.schedule {
            Scheduling::Auto => takes(configuration, point.schedule),
            wish => takes(configuration, wish),
        })
    });
    if let Some(point) = point
        && let Some(configuration) = is_candidate(&point.kernel)
    {
        let wish = match wishes.schedule {
            Scheduling::Auto => point.schedule,
            wish => wish,
        };
        return with(configuration, wish);
    }
    let mut best: Option<(f64, &'static Configuration, Scheduling)> = None;
    for configuration in candidates {
        let kernel = module.kernel(configuration.kernel)?;
        let at_once = blocks_at_once(configuration, &kernel);
        for wish in options(
            wishes.schedule,
            configuration,
            gemm,
            module.device(),
            at_once,
        ) {
            let multiprocessors = module.device().limits().multiprocessors;
            let schedule = schedule(wish, configuration, &kernel);
            if configuration.plan(gemm, schedule).is_err() {
                continue;
            }
            let estimate = estimate(configuration, gemm, schedule, multiprocessors, at_once);
            if best.is_none_or(|(least, ..)| estimate < least) {
                best = Some((estimate, configuration, wish));
            }
        }
    }
    match best {
        Some((_, configuration, wish)) => with(configuration, wish),
        None => Err(why_none(gemm, wishes.schedule)),
    }
}

/// Why no kernel computes it: what is wrong with the product itself, where a kernel says so, else the words of the first that is
/// made for its types and orders.
fn why_none(gemm: &GemmProblem, wish: Scheduling) -> Error {
    let refusals: Vec<ProblemError> = CONFIGURATIONS
        .iter()
        .filter(|configuration| {
            (configuration.input, configuration.accumulator) == (gemm.input, gemm.accumulator)
                && configuration.majors == gemm.majors
        })
        .filter_map(|configuration| {
            let schedule = by_one_block(wish, configuration);
            configuration.plan(gemm, schedule).err()
        })
        .collect();
    let of_itself = |refused: &&ProblemError| !matches!(refused, ProblemError::Mismatch { .. });
    match refusals.iter().find(of_itself).or(refusals.first()) {
        Some(refused) => (*refused).into(),
        None => Error::NoKernel {
            input: super::Named::name(gemm.input),
            accumulator: super::Named::name(gemm.accumulator),
            majors: super::Named::name(gemm.majors),
        },
    }
}

/// Replaces an f16 accumulator by f32, which is at least as exact, where no kernel computes the problem with it.
pub(super) fn resolve_accumulator(gemm: &mut GemmProblem) {
    let fits = |configuration: &Configuration| configuration.plan(gemm, Schedule::Tiles).is_ok();
    if gemm.accumulator == AccumulatorType::F16 && !CONFIGURATIONS.iter().any(fits) {
        gemm.accumulator = AccumulatorType::F32;
    }
}

/// The schedules worth an estimate.
fn options(
    wish: Scheduling,
    configuration: &Configuration,
    gemm: &GemmProblem,
    device: &Device,
    at_once: u32,
) -> Vec<Scheduling> {
    if wish != Scheduling::Auto {
        return vec![wish];
    }
    if configuration.persistent {
        return vec![Scheduling::Persistent];
    }
    let mut all = vec![Scheduling::Tiles];
    let (tiles, steps) = counts(configuration, gemm);
    let room = f64::from(device.limits().multiprocessors * at_once);
    // As many parts as there is room for, each of 8 steps or more.
    let parts = (room / tiles).min(steps / 8.0) as u32;
    if parts >= 2 {
        all.push(Scheduling::SplitK(parts.min(64)));
    }
    all
}
