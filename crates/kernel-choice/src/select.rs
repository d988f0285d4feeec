//! Chooses the kernel for a problem: by the kernel's name, by a measured point, or by the least
//! estimated time.
//!
//! ```text
//!   configurations ─ that launch on this device ─ that compute the problem ──► candidates
//!                                   named? ─► that one;  a measured point near? ─► its kernel;  else the least estimate
//!
//!   a model of the kind was fitted     near: nearly the same shape      estimate: by the model, every schedule of Hopper's kernels
//!   none                               near: three doublings            estimate: from a few measured rates
//! ```
//!
//! Law: the choice has a plan, its kernel is in the module, and its CTA fits the device's shared
//! memory and registers.

use super::device::{ChoiceError, KernelDevice};
use super::estimate::{counts, estimate};
use super::model::{LaunchParts, Model, Terms, occupied};
use super::names::{Named, ScheduleRequest};
use super::table::{Point, Table};
use kernel_abi::ProblemError;
use kernel_abi::gemm::{
    AccumulatorType, Configuration, GemmProblem, MAX_CLUSTER, Plan, Scaling, Schedule,
};

/// What a caller requests in addition to the problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelRequest<'a> {
    /// The schedule.
    pub schedule: ScheduleRequest,
    /// The kernel's name. By default the table chooses the kernel for the shape.
    pub configuration: Option<&'a str>,
}

/// A kernel and its launch for a problem.
#[derive(Clone, Debug)]
pub struct KernelChoice {
    /// The configuration's name.
    pub configuration: &'static str,
    /// How the configuration's tiles are assigned to CTAs.
    pub schedule: Schedule,
    /// The launch, and the problem that the launch computes. The problem's accumulator is f32 if
    /// f16 was requested and no kernel has an f16 accumulator.
    pub plan: Plan,
}

/// Returns the configuration with this name if its kernel exists and launches on the device. If a
/// kernel has several configurations, returns the one with the problem's orders.
fn named<D: KernelDevice>(
    device: &D,
    problem: &GemmProblem,
    name: &str,
) -> Result<&'static Configuration, D::Error> {
    let all = || {
        let all = device.configurations().iter();
        all.filter(|configuration| launches(device, configuration))
    };
    let of_name = || all().filter(|configuration| configuration.name == name);
    if let Some(left_out) = device.left_out(name) {
        return Err(left_out);
    }
    let found = of_name()
        .find(|configuration| configuration.majors == problem.majors)
        .or_else(|| of_name().next());
    found.ok_or_else(|| {
        let available = all().map(|configuration| configuration.name).collect();
        let name = name.into();
        ChoiceError::NoConfiguration { name, available }.into()
    })
}

/// Whether the device has the kernel of `configuration` and can run a CTA of it, by architecture,
/// shared memory and number of threads. Registers need no check: the kernel declares its number of
/// threads, and the compiler uses no more registers than that number of threads may have. The check
/// loads no kernel, because a GPU's driver takes seconds for each, and most kernels are never
/// chosen.
#[must_use]
pub fn launches(device: &impl KernelDevice, configuration: &Configuration) -> bool {
    let (major, minor) = device.compute_capability();
    configuration.arch <= 10 * major + minor
        && configuration.shared_bytes as usize <= device.shared_bytes()
        && configuration.threads <= device.max_threads()
        && device.has(configuration.kernel)
}

/// The number of registers per thread of Hopper's kernels: the 64 Ki registers of a multiprocessor
/// divided by 384 threads, rounded down to a multiple of 8.
const HOPPER_REGISTERS: u32 = 168;

/// Returns how many CTAs of a configuration's kernel are resident on a multiprocessor at once.
///
/// # Errors
/// Returns the device's error for a kernel that it must load first.
pub fn resident_ctas<D: KernelDevice>(
    device: &D,
    configuration: &Configuration,
) -> Result<u32, D::Error> {
    // A multiprocessor has 64 Ki registers, room for 2048 threads, and 1 KiB more shared memory
    // than a CTA may have. The system takes 1 KiB of this shared memory for every CTA (CUDA
    // programming guide, compute capabilities 8.0 and 9.0).
    let registers = if configuration.hopper.is_some() {
        HOPPER_REGISTERS
    } else {
        device.registers(configuration.kernel)?.unwrap_or(255)
    };
    let by_shared = (device.shared_bytes() as u32 + 1024) / (configuration.shared_bytes + 1024);
    let by_registers = 65_536 / (registers.next_multiple_of(8).max(8) * configuration.threads);
    Ok(by_shared
        .min(by_registers)
        .min(2048 / configuration.threads)
        .max(1))
}

/// Returns the schedule for the request on the device, with as many CTAs as are resident at once.
///
/// # Errors
/// Returns the errors of [`resident_ctas`].
pub fn schedule<D: KernelDevice>(
    request: ScheduleRequest,
    configuration: &Configuration,
    device: &D,
) -> Result<Schedule, D::Error> {
    let resident = || {
        let of_one = resident_ctas(device, configuration)?;
        let cluster = configuration.hopper.map_or(1, |hopper| hopper.ctas());
        Ok::<_, D::Error>(occupied(device.multiprocessors(), cluster) * of_one)
    };
    Ok(match of_one_cta(request, configuration) {
        Schedule::StreamK(_) => Schedule::StreamK(resident()?),
        Schedule::Persistent(_) => Schedule::Persistent(resident()?),
        other => other,
    })
}

/// Returns the schedule for the request, with one CTA if the schedule has a number of CTAs. This is
/// enough to check whether a kernel accepts the schedule.
fn of_one_cta(request: ScheduleRequest, configuration: &Configuration) -> Schedule {
    match request {
        ScheduleRequest::Auto if configuration.persistent => Schedule::Persistent(1),
        ScheduleRequest::Auto | ScheduleRequest::Tiles => Schedule::Tiles,
        ScheduleRequest::SplitK(slices) => Schedule::SplitK(slices),
        ScheduleRequest::ClusterSplitK(ctas) => Schedule::ClusterSplitK(ctas),
        ScheduleRequest::StreamK => Schedule::StreamK(1),
        ScheduleRequest::Persistent => Schedule::Persistent(1),
    }
}

/// Chooses the kernel and the launch for `problem`.
///
/// # Errors
/// Returns a [`ProblemError`] if no launch covers the problem, a [`ChoiceError`] if there is no
/// kernel for the problem, and the device's errors.
pub fn choose<D: KernelDevice>(
    device: &D,
    table: &Table,
    problem: &GemmProblem,
    request: &KernelRequest<'_>,
) -> Result<KernelChoice, D::Error> {
    let problem = &with_accumulator_of_a_kernel(device, problem);
    let choice = |configuration: &'static Configuration, schedule| {
        let plan = configuration.plan(problem, schedule)?;
        Ok(KernelChoice {
            configuration: configuration.name,
            schedule,
            plan,
        })
    };
    if let Some(name) = request.configuration {
        let configuration = named(device, problem, name)?;
        let schedule = schedule(request.schedule, configuration, device)?;
        return choice(configuration, schedule);
    }
    let candidates = candidates(device, problem, request.schedule);
    if let Some((configuration, schedule)) =
        from_table(device, table, problem, request.schedule, &candidates)
    {
        return choice(configuration, schedule);
    }
    let ranking = rank(
        device,
        table.model(problem),
        problem,
        request.schedule,
        &candidates,
    )?;
    match ranking.first() {
        Some(first) => choice(first.configuration, first.schedule),
        None => Err(why_none(device, problem, request.schedule)),
    }
}

/// A launch with its estimated time.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    /// The kernel's configuration.
    pub configuration: &'static Configuration,
    /// How the configuration's tiles are assigned to CTAs.
    pub schedule: Schedule,
    /// The estimate.
    pub microseconds: f64,
    /// The parts of the estimate, if the estimate comes from the model.
    pub terms: Option<Terms>,
}

/// The reason for which a launch is chosen for a problem.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The choice.
    pub choice: KernelChoice,
    /// The measured point on which the choice is based.
    pub point: Option<Point>,
    /// The model for problems of this kind.
    pub model: Option<Model>,
    /// All launches. The launch with the least estimate comes first.
    pub ranking: Vec<Ranked>,
}

/// Explains the choice of [`choose`] for a request without a kernel's name.
///
/// # Errors
/// Returns the errors of [`choose`].
pub fn explain<D: KernelDevice>(
    device: &D,
    table: &Table,
    problem: &GemmProblem,
    request: ScheduleRequest,
) -> Result<Explanation, D::Error> {
    let by_schedule = KernelRequest {
        schedule: request,
        configuration: None,
    };
    let choice = choose(device, table, problem, &by_schedule)?;
    let problem = &choice.plan.problem;
    let candidates = candidates(device, problem, request);
    let model = table.model(problem);
    Ok(Explanation {
        point: nearest(device, table, problem, request, &candidates).cloned(),
        model: model.cloned(),
        ranking: rank(device, model, problem, request, &candidates)?,
        choice,
    })
}

/// Replaces an f16 accumulator by f32, which is at least as exact, if no kernel computes the
/// problem with f16.
fn with_accumulator_of_a_kernel(device: &impl KernelDevice, problem: &GemmProblem) -> GemmProblem {
    let all = device.configurations();
    let fits = |configuration: &Configuration| configuration.plan(problem, Schedule::Tiles).is_ok();
    if problem.accumulator == AccumulatorType::F16 && !all.iter().any(fits) {
        return problem.with_accumulator(AccumulatorType::F32);
    }
    *problem
}

/// Returns the configurations that compute the problem on the device. Among Ampere's
/// configurations, only those with the widest loads that the problem allows are returned, because
/// narrower loads are never faster.
fn candidates(
    device: &impl KernelDevice,
    problem: &GemmProblem,
    request: ScheduleRequest,
) -> Vec<&'static Configuration> {
    let mut all: Vec<&'static Configuration> = device
        .configurations()
        .iter()
        .filter(|configuration| {
            let schedule = of_one_cta(request, configuration);
            configuration.plan(problem, schedule).is_ok()
        })
        .filter(|configuration| {
            // Only Hopper's kernels support scales of blocks and groups.
            problem.scaling == Scaling::Blocks
                || problem.groups > 0
                || device.is_chosen(configuration)
        })
        .filter(|configuration| launches(device, configuration))
        .collect();
    keep_widest_loads(&mut all);
    all
}

/// Removes Ampere's configurations except those with the widest loads. Keeps all of Hopper's
/// configurations, whose operands are packed if necessary.
pub fn keep_widest_loads(all: &mut Vec<&'static Configuration>) {
    let bytes = |of: &&Configuration| of.hopper.is_none().then_some(of.load_bytes);
    let widest = all.iter().filter_map(bytes).max();
    all.retain(|of| of.hopper.is_some() || Some(of.load_bytes) == widest);
}

/// Returns the launches that are worth trying: every kernel of `configurations` that computes the
/// product, with each of its schedules that is worth trying.
#[must_use]
pub fn trials(
    configurations: impl Iterator<Item = &'static Configuration>,
    multiprocessors: u32,
    problem: &GemmProblem,
) -> Vec<KernelRequest<'static>> {
    let fits =
        |configuration: &&Configuration| configuration.plan(problem, Schedule::Tiles).is_ok();
    let mut fitting: Vec<_> = configurations.filter(fits).collect();
    keep_widest_loads(&mut fitting);
    let of = |configuration: &'static Configuration| {
        let schedules = schedules(configuration, problem, multiprocessors).into_iter();
        schedules.map(|schedule| KernelRequest {
            schedule,
            configuration: Some(configuration.name),
        })
    };
    fitting.into_iter().flat_map(of).collect()
}

/// The numbers of slices into which k is split, in addition to the numbers that give each
/// multiprocessor a CTA.
const SLICES: [u32; 11] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// Returns the schedules of a kernel that are worth trying. If there are few tiles, they include
/// schedules that split k.
fn schedules(
    configuration: &Configuration,
    problem: &GemmProblem,
    multiprocessors: u32,
) -> Vec<ScheduleRequest> {
    let (tiles, k_tiles) = counts(configuration, problem);
    let (tiles, k_tiles) = (tiles as u32, k_tiles as u32);
    let Some(hopper) = &configuration.hopper else {
        if configuration.persistent {
            return vec![ScheduleRequest::Persistent];
        }
        let mut all = vec![ScheduleRequest::Tiles];
        if tiles < 8 * multiprocessors && k_tiles >= 8 {
            all.push(ScheduleRequest::StreamK);
        }
        let few = |slices: &u32| {
            tiles.saturating_mul(*slices) <= 4 * multiprocessors && k_tiles >= 4 * slices
        };
        let slices = [2, 4, 8, 16, 32].into_iter().filter(few);
        all.extend(slices.map(ScheduleRequest::SplitK));
        return all;
    };
    let along = [(problem.m, 0), (problem.n, 1)];
    let fills = |(extent, i): (u32, usize)| {
        hopper.cluster[i] == 1 || extent.div_ceil(configuration.tile[i]) >= hopper.cluster[i]
    };
    if hopper.any_cluster && !along.into_iter().all(fills) {
        // The cluster would have CTAs outside D. The same kernel has configurations with smaller
        // clusters.
        return Vec::new();
    }
    let mut all = vec![ScheduleRequest::Persistent];
    if hopper.stream_k && tiles.checked_rem(multiprocessors) != Some(0) {
        all.push(ScheduleRequest::StreamK);
    }
    let few = |slices: u32| tiles.saturating_mul(slices) <= 2 * multiprocessors;
    if hopper.cluster_split {
        let most = MAX_CLUSTER / hopper.ctas();
        let slices = (2..=most).filter(|&slices| few(slices) && k_tiles >= 2 * slices);
        all.extend(slices.map(ScheduleRequest::ClusterSplitK));
    }
    if hopper.splits_k() {
        // The number of slices with one CTA for each multiprocessor, and one slice fewer, because
        // clusters of four leave some multiprocessors idle.
        let full = multiprocessors / tiles.max(1);
        let full = [full, full.saturating_sub(1)].into_iter();
        let full = full.filter(|slices| *slices > 1 && !SLICES.contains(slices));
        let slices = SLICES.into_iter().chain(full);
        let slices = slices.filter(|&slices| few(slices) && k_tiles >= 8 * slices);
        all.extend(slices.map(ScheduleRequest::SplitK));
    }
    all
}

/// Returns the kernel and the schedule of a measured point, if the problem can use them.
fn of_point(
    device: &impl KernelDevice,
    problem: &GemmProblem,
    request: ScheduleRequest,
    candidates: &[&'static Configuration],
    point: &Point,
) -> Option<(&'static Configuration, Schedule)> {
    let configuration = *candidates.iter().find(|c| c.name == point.kernel)?;
    let request = match request {
        ScheduleRequest::Auto => point.schedule,
        requested => requested,
    };
    let schedule = schedule(request, configuration, device).ok()?;
    // Not every configuration accepts every schedule.
    configuration.plan(problem, schedule).ok()?;
    Some((configuration, schedule))
}

/// Returns the table's nearest point that the problem can use.
fn nearest<'a>(
    device: &impl KernelDevice,
    table: &'a Table,
    problem: &GemmProblem,
    request: ScheduleRequest,
    candidates: &[&'static Configuration],
) -> Option<&'a Point> {
    table.nearest(problem, |point| {
        of_point(device, problem, request, candidates, point).is_some()
    })
}

/// Returns the kernel and the schedule of the table's nearest point that the problem can use.
fn from_table(
    device: &impl KernelDevice,
    table: &Table,
    problem: &GemmProblem,
    request: ScheduleRequest,
    candidates: &[&'static Configuration],
) -> Option<(&'static Configuration, Schedule)> {
    let point = nearest(device, table, problem, request, candidates)?;
    of_point(device, problem, request, candidates, point)
}

/// Returns the launches of the candidates, in the order of increasing estimates. If there is a
/// model for the problem's kind and there are Hopper kernels among the candidates, the result has
/// only these kernels, estimated by the model.
fn rank<D: KernelDevice>(
    device: &D,
    model: Option<&Model>,
    problem: &GemmProblem,
    request: ScheduleRequest,
    candidates: &[&'static Configuration],
) -> Result<Vec<Ranked>, D::Error> {
    let multiprocessors = device.multiprocessors();
    let mut ranking = Vec::new();
    if let Some(model) = model {
        for &configuration in candidates.iter().filter(|of| of.hopper.is_some()) {
            let requests = match request {
                ScheduleRequest::Auto => schedules(configuration, problem, multiprocessors),
                requested => vec![requested],
            };
            for request in requests {
                let schedule = schedule(request, configuration, device)?;
                let parts = LaunchParts::new(configuration, problem, schedule, multiprocessors);
                let Some(parts) = parts else { continue };
                if configuration.plan(problem, schedule).is_err() {
                    continue;
                }
                let terms = parts.terms(&model.constants);
                ranking.push(Ranked {
                    configuration,
                    schedule,
                    microseconds: terms.total * model.factor(configuration),
                    terms: Some(terms),
                });
            }
        }
    }
    if ranking.is_empty() {
        for &configuration in candidates {
            let resident = resident_ctas(device, configuration)?;
            for request in
                worth_an_estimate(request, configuration, problem, multiprocessors, resident)
            {
                let schedule = schedule(request, configuration, device)?;
                if configuration.plan(problem, schedule).is_err() {
                    continue;
                }
                ranking.push(Ranked {
                    configuration,
                    schedule,
                    microseconds: estimate(
                        configuration,
                        problem,
                        schedule,
                        multiprocessors,
                        resident,
                    ),
                    terms: None,
                });
            }
        }
    }
    // The sort is stable, so among equal estimates the first in the table comes first.
    ranking.sort_by(|a, b| a.microseconds.total_cmp(&b.microseconds));
    Ok(ranking)
}

/// Returns the schedules that are worth an estimate.
fn worth_an_estimate(
    request: ScheduleRequest,
    configuration: &Configuration,
    problem: &GemmProblem,
    multiprocessors: u32,
    resident: u32,
) -> Vec<ScheduleRequest> {
    if request != ScheduleRequest::Auto {
        return vec![request];
    }
    let mut all = if configuration.persistent {
        vec![ScheduleRequest::Persistent]
    } else {
        vec![ScheduleRequest::Tiles]
    };
    if configuration.persistent && configuration.hopper.is_none() {
        return all;
    }
    let (tiles, k_tiles) = counts(configuration, problem);
    let ctas = f64::from(multiprocessors * resident);
    // As many slices as the resident CTAs can compute at once, but each with at least 8 k tiles.
    let slices = (ctas / tiles).min(k_tiles / 8.0) as u32;
    if slices >= 2 {
        all.push(ScheduleRequest::SplitK(slices.min(64)));
    }
    all
}

/// Explains why no kernel computes the problem. The error is a fault of the problem itself, or else
/// the reason for which the first kernel with the problem's types and orders refuses the problem.
fn why_none<D: KernelDevice>(
    device: &D,
    problem: &GemmProblem,
    request: ScheduleRequest,
) -> D::Error {
    if let Err(error) = problem.check() {
        return error.into();
    }
    let refusals: Vec<ProblemError> = device
        .configurations()
        .iter()
        .filter(|configuration| {
            (configuration.input, configuration.accumulator) == (problem.input, problem.accumulator)
                && configuration.majors == problem.majors
                && configuration.scaling() == problem.scaling
                && configuration.is_grouped() == (problem.groups > 0)
        })
        .filter_map(|configuration| {
            let schedule = of_one_cta(request, configuration);
            configuration.plan(problem, schedule).err()
        })
        .collect();
    let of_the_problem = |error: &&ProblemError| !matches!(error, ProblemError::Mismatch { .. });
    match refusals.iter().find(of_the_problem).or(refusals.first()) {
        Some(error) => (*error).into(),
        None => ChoiceError::NoKernel {
            input: problem.input.name(),
            accumulator: problem.accumulator.name(),
            majors: problem.majors.name(),
        }
        .into(),
    }
}
