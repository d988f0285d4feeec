//! From a product to a kernel: by name, by the nearest measured point, or, where nothing was measured, by an estimate.
//!
//! ```text
//!   CONFIGURATIONS ─ that can launch here ─ that compute this ──► candidates
//!                                         named? ─► that one;  a point of the table? ─► its kernel;  else the least estimate
//! ```
//!
//! Law: what is chosen has a plan, its kernel is in the module, and its block fits the device's shared memory and registers.

use super::names::Scheduling;
use super::table::Table;
use crate::{Error, kernels};
use gpu_kernels::gemm::{
    CONFIGURATIONS, Configuration, Gemm, Input, InputType, Output, OutputType, Plan, Problem,
    Schedule, SumType,
};
use host::{Device, Kernel, Launch, Module};

/// A kernel and a launch for a product.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The type that it sums in.
    pub sums: SumType,
    /// How the work is shared out.
    pub schedule: Schedule,
    /// The launch.
    pub launch: Launch,
    /// What the kernel is told besides its matrices; `None` for one that takes extents only.
    pub(super) plan: Option<Plan>,
}

impl Choice {
    fn new(configuration: &Configuration, schedule: Schedule, plan: Plan) -> Self {
        Self {
            kernel: configuration.kernel,
            sums: configuration.sums,
            schedule,
            launch: kernels::contract(&plan.contract, &[]).launch(),
            plan: Some(plan),
        }
    }

    /// The kernels of plain products, for whatever the collective has no configuration for.
    fn plain(gemm: &Gemm) -> Option<Self> {
        let &Gemm { m, n, k, .. } = gemm;
        let input = match gemm.input {
            InputType::F16 => Input::F16,
            InputType::Bf16 => Input::Bf16,
            InputType::Tf32 | InputType::S8 => return None,
        };
        let output = match gemm.output {
            OutputType::Same => Output::Same,
            OutputType::F32 => Output::F32,
            OutputType::S32 => return None,
        };
        let packed = Gemm {
            sums: SumType::F32,
            batch_strides: gemm.batch_strides,
            addresses: gemm.addresses,
            outputs: gemm.outputs,
            ..Gemm::new(m, n, k, gemm.input, gemm.output)
        };
        if *gemm != packed {
            return None;
        }
        let stated = Problem { m, n, k }.contract(input, output).ok()?;
        let scalars = [(3, "M", m), (4, "N", n), (5, "K", k)];
        Some(Self {
            kernel: stated.kernel,
            sums: SumType::F32,
            schedule: Schedule::Tiles,
            launch: kernels::contract(&stated, &scalars).launch(),
            plan: None,
        })
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
fn named(module: &Module, gemm: &Gemm, name: &str) -> Result<&'static Configuration, Error> {
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

/// The schedule in a kernel's terms; `Auto` is a tile a block.
#[must_use]
pub fn schedule(wish: Scheduling, configuration: &Configuration, kernel: &Kernel) -> Schedule {
    match wish {
        Scheduling::Auto | Scheduling::Tiles => Schedule::Tiles,
        Scheduling::SplitK(parts) => Schedule::SplitK(parts),
        Scheduling::StreamK => {
            let multiprocessors = kernel.device().limits().multiprocessors;
            Schedule::StreamK(multiprocessors * blocks_at_once(configuration, kernel))
        }
    }
}

/// The kernel and the launch for `gemm`.
pub(super) fn choose(
    module: &Module,
    table: &Table,
    gemm: &Gemm,
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
        .filter(|configuration| configuration.plan(gemm, Schedule::Tiles).is_ok())
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
    let point = table.nearest(gemm, |point| is_candidate(&point.kernel).is_some());
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
            let estimate = estimate(configuration, gemm, wish, module.device(), at_once);
            if best.is_none_or(|(least, ..)| estimate < least) {
                best = Some((estimate, configuration, wish));
            }
        }
    }
    match best {
        Some((_, configuration, wish)) => with(configuration, wish),
        None => Choice::plain(gemm).ok_or_else(|| why_none(gemm)),
    }
}

/// Why no kernel computes it: the words of the one that comes closest.
fn why_none(gemm: &Gemm) -> Error {
    let extents = Problem {
        m: gemm.m,
        n: gemm.n,
        k: gemm.k,
    }
    .contract(Input::F16, Output::Same);
    if let Err(refused) = extents {
        return refused.into();
    }
    let mut refusals = CONFIGURATIONS
        .iter()
        .filter(|configuration| {
            (configuration.input, configuration.sums) == (gemm.input, gemm.sums)
                && configuration.majors == gemm.majors
        })
        .filter_map(|configuration| configuration.plan(gemm, Schedule::Tiles).err());
    match refusals.next() {
        Some(refused) => refused.into(),
        None => Error::NoKernel {
            input: super::Named::name(gemm.input),
            sums: super::Named::name(gemm.sums),
            majors: super::Named::name(gemm.majors),
        },
    }
}

/// Sums of f16 in f32 where no kernel sums in f16: at least as exact.
pub(super) fn sums(gemm: &mut Gemm) {
    let fits = |configuration: &Configuration| configuration.plan(gemm, Schedule::Tiles).is_ok();
    if gemm.sums == SumType::F16 && !CONFIGURATIONS.iter().any(fits) {
        gemm.sums = SumType::F32;
    }
}

/// The schedules worth an estimate.
fn options(
    wish: Scheduling,
    configuration: &Configuration,
    gemm: &Gemm,
    device: &Device,
    at_once: u32,
) -> Vec<Scheduling> {
    if wish != Scheduling::Auto {
        return vec![wish];
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

/// Tiles of all batches, and steps of k of each.
fn counts(configuration: &Configuration, gemm: &Gemm) -> (f64, f64) {
    let [tile_m, tile_n, tile_k] = configuration.tile;
    let tiles = f64::from(gemm.m.div_ceil(tile_m)) * f64::from(gemm.n.div_ceil(tile_n));
    (
        tiles * f64::from(gemm.batches),
        f64::from(gemm.k.div_ceil(tile_k)),
    )
}

/// Time in arbitrary units: rounds of blocks, of steps that multiply and load, and what a block does besides.
///
/// A step of a (128, 128) tile of 16-bit elements was measured to take about as long for its loads from the second-level
/// cache as half of its products; a block's begin and end about as long as 10 steps of 32.
fn estimate(
    configuration: &Configuration,
    gemm: &Gemm,
    wish: Scheduling,
    device: &Device,
    at_once: u32,
) -> f64 {
    let [tile_m, tile_n, tile_k] = configuration.tile.map(f64::from);
    let (tiles, steps) = counts(configuration, gemm);
    let room = f64::from(device.limits().multiprocessors * at_once);
    let (blocks, steps, reduction) = match wish {
        Scheduling::SplitK(parts) => {
            let parts = f64::from(parts);
            (tiles * parts, (steps / parts).ceil(), 4.0 * parts)
        }
        Scheduling::StreamK => (room, (tiles * steps / room).ceil(), 8.0),
        Scheduling::Auto | Scheduling::Tiles => (tiles, steps, 0.0),
    };
    let bytes = f64::from(gemm.input.bytes());
    let products = tile_m * tile_n * tile_k * bytes / 2.0;
    let loads = (tile_m + tile_n) * tile_k * bytes / 2.0 * 32.0;
    let outside = 10.0 * tile_m * tile_n * 32.0 + reduction * tile_m * tile_n * 8.0;
    let rounds = (blocks / room).ceil();
    // Blocks that share a multiprocessor share its speed.
    let sharing =
        f64::from(at_once).min((blocks / f64::from(device.limits().multiprocessors)).ceil());
    rounds * sharing * (steps * (products + loads) + outside / sharing.max(1.0))
}
