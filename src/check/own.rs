//! The launches at which each kernel of the workspace is checked.
//!
//! ```text
//!   contract: grid, block, shared memory, buffers ──► a launch with exactly those bytes, outputs never written before
//! ```
//!
//! Sizes are chosen at the edges: one element; one less and one more than a vector, a warp and a
//! tile; and several tiles.

use super::kernel_module::KernelModule;
use super::{Checked, LaunchOutcome, attention, distinct, settled, weights};
use crate::CutletError;
use emulator::{
    Config, Emulator, Launch, LaunchAttributes, Program, Schedule as Asynchronous, TensorMap,
};
use gpu_kernels::gemm::CONFIGURATIONS;
use gpu_kernels::hgemm_by_hand::{self, HgemmArgument};
use gpu_kernels::transpose::{self, TransposeArgument, Width};
use gpu_kernels::vecadd::{self, VecaddArgument};
use host::reference::Random;
use kernel_abi::gemm::{
    AccumulatorType, Activation, Configuration, Epilogue, GemmArgument, GemmProblem, InputType,
    OutputType, Schedule,
};
use kernel_abi::{ArgumentName, KernelArguments, LaunchSpec};

/// The number of sizes to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// A few small sizes, for tests: seconds.
    Few,
    /// Sizes at every edge, and some of several tiles: a minute.
    #[default]
    Usual,
    /// All sizes of `Usual`, every length of a vector up to 1,100, and hundreds of sizes drawn with
    /// a fixed seed: minutes.
    Many,
}

impl Effort {
    /// Returns as many entries from the front of a list as the effort needs. The list begins with
    /// the most useful sizes.
    pub(super) fn of<T: Copy>(self, list: &[T], few: usize, usual: usize) -> Vec<T> {
        let count = match self {
            Self::Few => few,
            Self::Usual => usual,
            Self::Many => list.len(),
        };
        list.iter().copied().take(count).collect()
    }
}

/// An argument of a launch.
pub(super) enum Given {
    Bytes(Vec<u8>),
    /// A buffer of `bytes` bytes. If `zeroed` is above 0, its first `zeroed` bytes are zeroed
    /// before the launch; otherwise, if `input` is true, all bytes are filled.
    Buffer {
        bytes: usize,
        input: bool,
        zeroed: usize,
    },
    /// A buffer that holds these bytes.
    Written(Vec<u8>),
    /// A tensor map over a buffer of `bytes` bytes that is made for it and filled before the
    /// launch.
    Map {
        map: Box<TensorMap>,
        bytes: usize,
    },
}

/// A launch of an own kernel.
pub(super) struct Own {
    module: KernelModule,
    kernel: &'static str,
    problem: String,
    launch: Launch,
    /// The extents of a cluster, in blocks.
    cluster: [u32; 3],
    pub(super) arguments: Vec<Given>,
}

impl Own {
    /// Returns the name of the kernel.
    #[cfg(test)]
    pub(super) fn kernel(&self) -> &'static str {
        self.kernel
    }

    /// Returns this launch, with its kernel from the module that runs on every GPU.
    pub(super) fn of_every(self) -> Self {
        Self {
            module: KernelModule::Every,
            ..self
        }
    }

    /// Returns this launch, with its kernel from Hopper's module.
    pub(super) fn of_hopper(self) -> Self {
        Self {
            module: KernelModule::Hopper,
            ..self
        }
    }
}

/// Draws `count` extents with a fixed seed, each from 1 to `most`. Draws none if the effort is not
/// [`Effort::Many`].
fn drawn<const N: usize>(effort: Effort, count: usize, most: [u64; N]) -> Vec<[u32; N]> {
    let mut random = Random::new(most.iter().sum());
    let count = if effort == Effort::Many { count } else { 0 };
    let mut one = || most.map(|most| 1 + random.below(most) as u32);
    (0..count).map(|_| one()).collect()
}

/// Returns an argument that is a number.
fn number(value: u32) -> Given {
    Given::Bytes(value.to_le_bytes().to_vec())
}

/// Makes the launch of a spec whose kernel has a list of arguments. The value of each is what
/// `given` returns for it, or else the spec's buffer; without either the result is `None`.
pub(super) fn of_list<N: ArgumentName, const BUFFERS: usize>(
    spec: &LaunchSpec<BUFFERS>,
    problem: String,
    list: KernelArguments<N>,
    given: impl Fn(N) -> Option<Given>,
) -> Option<Own> {
    let argument = |(place, of): (usize, kernel_abi::KernelArgument<N>)| {
        let buffer = || {
            let found = spec
                .buffers
                .iter()
                .find(|buffer| buffer.argument == place)?;
            let element_bytes = found.element_bytes.or(of.ty.element_bytes())?;
            Some(Given::Buffer {
                bytes: found.elements as usize * element_bytes,
                input: !found.written,
                zeroed: 0,
            })
        };
        given(of.name).or_else(buffer)
    };
    let arguments: Option<_> = list.iter().enumerate().map(argument).collect();
    Some(Own {
        module: KernelModule::Every,
        kernel: spec.kernel,
        problem,
        launch: Launch {
            grid: spec.grid,
            block: spec.block,
            dynamic_shared: spec.shared_bytes,
        },
        cluster: spec.cluster,
        arguments: arguments?,
    })
}

fn vecadds(effort: Effort) -> Vec<Own> {
    let lengths = [
        1, 1025, 31, 4, 1027, 3, 5, 33, 1024, 4096, 2, 7, 32, 127, 128, 129, 255, 256, 257, 511,
        513, 1023, 2049, 5000, 8191, 8193, 10_007, 16_384, 100_003,
    ];
    let mut lengths = effort.of(&lengths, 5, 16);
    if effort == Effort::Many {
        lengths.extend(1..=1100);
    }
    let launches = lengths.into_iter().filter_map(|n| {
        let spec = vecadd::launch_spec(n).ok()?;
        let given = |argument| (argument == VecaddArgument::N).then(|| number(n));
        of_list(&spec, format!("n = {n}"), vecadd::ARGUMENTS, given)
    });
    launches.collect()
}

fn transposes(effort: Effort) -> Vec<Own> {
    let sizes = [
        (1, 1),
        (65, 33),
        (64, 64),
        (3, 130),
        (100, 37),
        (1, 257),
        (257, 1),
        (63, 65),
        (31, 32),
        (33, 31),
        (64, 128),
        (128, 96),
        (129, 127),
        (2, 3),
        (7, 200),
        (200, 7),
        (255, 257),
        (300, 211),
        (500, 3),
        (384, 384),
    ];
    let mut found = Vec::new();
    let drawn = drawn(effort, 400, [300, 300]).into_iter();
    let sizes = effort
        .of(&sizes, 4, 13)
        .into_iter()
        .chain(drawn.map(|[rows, cols]| (rows, cols)));
    for (rows, cols) in sizes {
        for width in [Width::B16, Width::B32] {
            let Ok(spec) = transpose::launch_spec(width, rows, cols) else {
                continue;
            };
            let problem = format!("rows = {rows}, cols = {cols}");
            found.extend(of_list(
                &spec,
                problem,
                width.arguments(),
                |argument| match argument {
                    TransposeArgument::Rows => Some(number(rows)),
                    TransposeArgument::Cols => Some(number(cols)),
                    _ => None,
                },
            ));
        }
    }
    found
}

/// The extents of products: m, n, k.
const PRODUCTS: [[u32; 3]; 24] = [
    [1, 1, 1],
    [33, 65, 40],
    [129, 127, 72],
    [17, 130, 77],
    [128, 128, 32],
    [1, 1, 8],
    [128, 128, 96],
    [130, 3, 264],
    [5, 257, 31],
    [127, 129, 33],
    [64, 64, 64],
    [256, 128, 160],
    [1, 300, 16],
    [300, 1, 8],
    [128, 256, 129],
    [255, 255, 40],
    [16, 8, 256],
    [31, 33, 7],
    [200, 100, 300],
    [129, 257, 96],
    [384, 130, 64],
    [257, 129, 511],
    [400, 300, 24],
    [512, 256, 128],
];

/// Returns the launches of the two kernels that show what layouts cost, one written with layouts
/// and one by hand. All extents are multiples of the tile.
fn pair(effort: Effort) -> Vec<Own> {
    let sizes: [[u32; 3]; 3] = [[128, 128, 96], [256, 128, 128], [128, 384, 224]];
    let sizes = effort.of(&sizes, 1, 2).into_iter();
    let pairs = sizes.flat_map(|size| hgemm_by_hand::PAIR.map(|kernel| (kernel, size)));
    let launches = pairs.filter_map(|(kernel, [m, n, k])| {
        let spec = hgemm_by_hand::launch_spec(kernel, m, n, k).ok()?;
        let problem = format!("m = {m}, n = {n}, k = {k}");
        let given = |argument| match argument {
            HgemmArgument::M => Some(number(m)),
            HgemmArgument::N => Some(number(n)),
            HgemmArgument::K => Some(number(k)),
            _ => None,
        };
        of_list(&spec, problem, hgemm_by_hand::ARGUMENTS, given)
    });
    launches.collect()
}

/// Returns the launches of the GEMM's kernels: every configuration, with each schedule and with
/// several epilogues.
fn collective(effort: Effort) -> Vec<Own> {
    let mut found = Vec::new();
    for configuration in CONFIGURATIONS.iter().filter(|c| c.arch <= 90) {
        // Rounds the extents up, so that every row is a whole number of loads.
        let unit = (configuration.load_bytes / configuration.input.bytes()).max(1);
        let mut sizes: Vec<[u32; 3]> = PRODUCTS
            .map(|extents| extents.map(|n| n.next_multiple_of(unit)))
            .to_vec();
        let drawn = drawn(effort, 60, [400, 300, 500]).into_iter();
        sizes.extend(drawn.map(|extents| extents.map(|n: u32| n.next_multiple_of(unit))));
        sizes.dedup();
        for (i, [m, n, k]) in effort.of(&sizes, 2, 8).into_iter().enumerate() {
            let schedule = match i % 3 {
                0 => Schedule::Tiles,
                _ if configuration.persistent => Schedule::Persistent(2),
                1 => Schedule::SplitK(3),
                _ => Schedule::StreamK(5),
            };
            let outputs: &[OutputType] = match configuration.accumulator {
                AccumulatorType::S32 => &[OutputType::Same, OutputType::S32],
                _ if configuration.input == InputType::Tf32 => &[OutputType::F32],
                _ if configuration.input.is_fp8() => {
                    &[OutputType::Bf16, OutputType::Same, OutputType::F32]
                }
                _ => &[OutputType::Same, OutputType::F32],
            };
            // The first output type that the configuration supports; the search starts one further
            // for each size.
            let mut of = (0..outputs.len()).map(|j| outputs[(i + j) % outputs.len()]);
            found.extend(
                of.find_map(|output| product(configuration, [m, n, k], output, schedule, i)),
            );
        }
    }
    found
}

fn product(
    configuration: &Configuration,
    [m, n, k]: [u32; 3],
    output: OutputType,
    schedule: Schedule,
    number: usize,
) -> Option<Own> {
    let mut gemm =
        GemmProblem::new(m, n, k, configuration.input, output).with_majors(configuration.majors);
    gemm.accumulator = configuration.accumulator;
    if number % 2 == 1 && output != OutputType::S32 {
        gemm.epilogue = Epilogue {
            alpha: 0.5,
            beta: [0.0, 2.0][number / 2 % 2],
            bias: number.is_multiple_of(3),
            activation: [Activation::None, Activation::Relu, Activation::Gelu][number % 3],
        };
    }
    if number % 5 == 4 {
        gemm = gemm.with_batches(2);
    }
    let plan = configuration.plan(&gemm, schedule).ok()?;
    let problem = format!(
        "m = {m}, n = {n}, k = {k}, {:?}, {schedule:?}, batches = {}, epilogue {:#x}",
        gemm.majors, gemm.batches, plan.params.epilogue
    );
    let given = |argument| match argument {
        GemmArgument::Params => {
            let words = plan.params.to_u64s().into_iter();
            Some(Given::Bytes(words.flat_map(u64::to_le_bytes).collect()))
        }
        GemmArgument::Workspace => Some(Given::Buffer {
            bytes: plan.workspace_bytes() as usize,
            input: false,
            zeroed: plan.zeroed_bytes as usize,
        }),
        _ => None,
    };
    of_list(&plan.launch, problem, plan.arguments(), given)
}

fn launches(effort: Effort) -> Vec<Own> {
    [
        vecadds(effort),
        transposes(effort),
        pair(effort),
        collective(effort),
        attention::launches(effort),
        weights::launches(effort),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the names of the kernels that [`own`] knows.
///
/// ```
/// assert!(cutlet::check::kernels().contains(&"vecadd"));
/// ```
#[must_use]
pub fn kernels() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = launches(Effort::Usual)
        .iter()
        .map(|own| own.kernel)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the kernels of [`kernels`] that are checked if the user names none: all except those
/// that are built [on demand](crate::kernels::is_on_demand).
///
/// ```
/// use cutlet::check::{kernels, usual_kernels};
/// assert!(usual_kernels().len() < kernels().len());
/// ```
#[must_use]
pub fn usual_kernels() -> Vec<&'static str> {
    let mut names = kernels();
    names.retain(|name| !crate::kernels::is_on_demand(name));
    names
}

/// Returns the kernels of [`kernels`] to which a name refers: the one of that name, or for
/// `attention` all of attention's [`usual_kernels`].
///
/// ```
/// use cutlet::check::named;
/// assert_eq!(named("vecadd"), ["vecadd"]);
/// assert!(named("attention").len() > 20 && named("nothing").is_empty());
/// ```
#[must_use]
pub fn named(name: &str) -> Vec<&'static str> {
    if name == "attention" {
        let own = attention::launches(Effort::Usual);
        let mut names = usual_kernels();
        names.retain(|kernel| own.iter().any(|own| own.kernel == *kernel));
        return names;
    }
    let is = |kernel: &&str| *kernel == name;
    kernels().into_iter().filter(is).collect()
}

/// Counts the launches that [`own`] makes of each kernel, and returns names and counts.
#[must_use]
pub fn own_launches(effort: Effort) -> Vec<(&'static str, usize)> {
    let all = launches(effort);
    let count = |name| all.iter().filter(|own| own.kernel == name).count();
    kernels()
        .into_iter()
        .map(|name| (name, count(name)))
        .collect()
}

/// Checks an own kernel over its sizes, under the configuration's schedule.
///
/// ```
/// use cutlet::check::{Effort, every_check, own};
/// let checked = own("vecadd", Effort::Few, &every_check())?;
/// assert!(checked.clean() && checked.launches.len() >= 5);
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// Returns [`CutletError::Kernels`] if the kernels were not built. A name that is not in
/// [`kernels`] gives no launches.
pub fn own(kernel: &str, effort: Effort, config: &Config) -> Result<Checked, CutletError> {
    own_under(kernel, effort, config, &[config.schedule])
}

/// Checks as [`own`] does, under each of `schedules` if the kernel has bulk copies or `wgmma`,
/// whose timing the schedule decides, else only under the first.
///
/// # Errors
/// Returns the errors of [`own`].
pub fn own_under(
    kernel: &str,
    effort: Effort,
    config: &Config,
    schedules: &[Asynchronous],
) -> Result<Checked, CutletError> {
    let own = launches(effort);
    let own: Vec<&Own> = own.iter().filter(|own| own.kernel == kernel).collect();
    let module = own.first().map_or(KernelModule::Every, |own| own.module);
    let program = &module.program_with(kernel)?;
    let schedules = distinct(schedules, program, [kernel]);
    let mut launches = Vec::new();
    for (own, &schedule) in own
        .into_iter()
        .flat_map(|own| schedules.iter().map(move |schedule| (own, schedule)))
    {
        let config = Config {
            schedule,
            ..config.clone()
        };
        let mut launched = check(program, own, &config);
        launched.schedule = (schedules.len() > 1).then_some(schedule);
        launches.push(launched);
    }
    Ok(Checked {
        kernel: kernel.to_owned(),
        launches,
        accept: config.accept.clone(),
    })
}

pub(super) fn check(program: &Program, own: &Own, config: &Config) -> LaunchOutcome {
    let mut launched = LaunchOutcome {
        problem: own.problem.clone(),
        schedule: None,
        launch: own.launch,
        instructions: 0,
        outputs: Vec::new(),
        finding: None,
        accepted: Vec::new(),
    };
    // Each launch has its own device, so that memory which another launch wrote cannot hide a
    // fault.
    let device = Emulator::new(config.clone());
    if let Err(error) = device.load(program) {
        unreachable!("own kernels are for compute capability 8.0 and 9.0: {error}");
    }
    let mut random = Random::new(own.launch.dynamic_shared as u64);
    // Allocates `bytes` bytes, and writes `written` to the first of them.
    let buffer = |bytes: usize, written: &[u8]| {
        let made = device.alloc(bytes.max(1)).and_then(|address| {
            if !written.is_empty() {
                device.write(address, written)?;
            }
            Ok(address)
        });
        // Sizes are chosen so that they fit.
        made.unwrap_or(0)
    };
    // Makes small numbers in every type: the top bit of an exponent is clear.
    let mut small = |bytes: usize| -> Vec<u8> {
        let one = |_| (random.next_u64() >> 40) as u8 & 0xbf;
        (0..bytes).map(one).collect()
    };
    let arguments: Vec<Vec<u8>> = own
        .arguments
        .iter()
        .map(|given| match given {
            Given::Bytes(bytes) => bytes.clone(),
            &Given::Buffer {
                bytes,
                input,
                zeroed,
            } => {
                let written = if zeroed > 0 {
                    vec![0; zeroed]
                } else {
                    small(if input { bytes } else { 0 })
                };
                buffer(bytes, &written).to_le_bytes().to_vec()
            }
            Given::Written(bytes) => buffer(bytes.len(), bytes).to_le_bytes().to_vec(),
            Given::Map { map, bytes } => {
                let mut map = map.clone();
                map.address = buffer(*bytes, &small(*bytes));
                // Plans make only valid maps. If one were invalid, its argument would have no
                // bytes, and the launch would refuse it.
                map.encode().map_or(Vec::new(), Vec::from)
            }
        })
        .collect();
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let attributes = LaunchAttributes {
        cluster: (own.cluster != [1; 3]).then_some(own.cluster),
        ..LaunchAttributes::default()
    };
    match settled(device.launch_with(
        program,
        own.kernel,
        &own.launch,
        &attributes,
        &arguments,
        None,
    )) {
        Ok(report) => {
            launched.instructions = report.instructions;
            launched.accepted = report.accepted;
        }
        Err(finding) => launched.finding = Some(finding),
    }
    launched
}
