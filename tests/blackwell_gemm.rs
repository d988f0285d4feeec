//! Blackwell's collective on the emulator, under every schedule of its asynchronous operations, and
//! with mistakes that each schedule finds. No card has run these kernels.
//!
//! ```text
//!   early        copies and products as soon as they are issued
//!   late         as late as a wait allows: what nobody waits for is not there
//!   seeded       in an order by chance
//! ```

mod common;

use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::is_pushed;
use cutlet::gemm::{
    Activation, CONFIGURATIONS, Configuration, Epilogue, GemmProblem, InputType, Library,
    OutputType, ScheduleRequest, Table,
};
use cutlet::kernels::Modules;
use cutlet::run::{GemmRun, RunOptions, gemm_beside};
use emulator::Schedule;
use host::reference::Random;
use host::{Device, EmulatorConfig};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

/// Configures an emulated Blackwell with so few multiprocessors that a CTA has several tiles.
fn config(schedule: Schedule) -> EmulatorConfig {
    EmulatorConfig {
        compute_capability: (10, 0),
        multiprocessors: 2,
        schedule,
        ..EmulatorConfig::default()
    }
}

fn device(schedule: Schedule) -> Device {
    Device::emulator_with(config(schedule))
}

/// Returns the device on which products and copies of a thread are ordered only as PTX states it.
fn strict(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        strict_tensor_order: true,
        ..config(schedule)
    })
}

/// Returns the program's kernels, loaded on the emulated device.
fn library(schedule: Schedule) -> Library {
    let modules = Modules::load(&device(schedule)).unwrap();
    Library::with(modules, Table::default())
}

/// Returns the kernels that are tested.
fn kernels() -> impl Iterator<Item = &'static Configuration> {
    let all = CONFIGURATIONS.iter();
    all.filter(|of| of.arch == 100 && is_pushed(of.kernel))
}

fn right(library: &Library, run: &GemmRun) -> Result<bool, String> {
    let outcome = gemm_beside(library, run, &RunOptions::default(), None);
    outcome
        .map(|(outcome, _)| outcome.right())
        .map_err(|error| error.to_string())
}

/// Returns a product of four CTA tiles along m and two along n, with more k tiles than stages. Each
/// accumulator serves more than one tile.
fn problem(of: &Configuration) -> GemmProblem {
    let [tile_m, tile_n, tile_k] = of.tile;
    let [m, n, k] = [
        4 * tile_m - 8,
        2 * tile_n - 16,
        (of.stages + 2) * tile_k - 16,
    ];
    GemmProblem::new(m, n, k, of.input, of.input.default_output()).with_majors(of.majors)
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut tested = 0;
    for of in kernels() {
        for schedule in SCHEDULES {
            let run = GemmRun::new(problem(of)).with_kernel(of.name);
            assert_eq!(
                right(&library(schedule), &run),
                Ok(true),
                "{} {schedule:?}",
                of.name
            );
        }
        tested += 1;
    }
    assert!(tested > 0);
}

#[test]
fn strict_order_finds_nothing() {
    for (of, schedule) in kernels().take(3).zip(SCHEDULES) {
        let modules = Modules::load(&strict(schedule)).unwrap();
        let library = Library::with(modules, Table::default());
        let run = GemmRun::new(problem(of)).with_kernel(of.name);
        let found = right(&library, &run);
        assert_eq!(found, Ok(true), "{} {schedule:?}", of.name);
    }
}

/// Extents by chance, most of them with residues that no vector has, and every epilogue.
#[test]
fn products_by_chance_are_right() {
    let mut random = Random::new(57);
    let mut below = |most: u32| random.below(u64::from(most)) as u32;
    let all: Vec<_> = kernels().collect();
    for (index, of) in all.iter().cycle().take(12).enumerate() {
        let [tile_m, tile_n, tile_k] = of.tile;
        let output = match below(3) {
            0 => OutputType::F32,
            _ => of.input.default_output(),
        };
        let extents = [
            1 + below(3 * tile_m),
            1 + below(3 * tile_n),
            1 + below(9 * tile_k),
        ];
        // Every other one in whole vectors, which TMA stores.
        let [m, n, k] = extents.map(|extent| match index % 2 {
            0 => extent.next_multiple_of(16),
            _ => extent,
        });
        let epilogue = Epilogue {
            alpha: [1.0, 0.5][below(2) as usize],
            beta: [0.0, 1.0, -2.0][below(3) as usize],
            bias: below(2) == 0,
            activation: [Activation::None, Activation::Relu, Activation::Gelu][below(3) as usize],
        };
        let mut problem = GemmProblem::new(m, n, k, of.input, output);
        if below(2) == 0 {
            problem = problem.with_batches(2);
        }
        problem = problem.with_epilogue(epilogue);
        let mut run = GemmRun::new(problem)
            .with_kernel(of.name)
            .with_seed(index as u64);
        if below(3) == 0 {
            run.request.schedule = ScheduleRequest::SplitK(2);
        }
        let schedule = SCHEDULES[index % 3];
        assert_eq!(
            right(&library(schedule), &run),
            Ok(true),
            "{run:?} {schedule:?}"
        );
    }
}

/// Without a name an emulated Blackwell runs its own kernels, and those of Ampere where it has
/// none.
#[test]
fn an_emulated_blackwell_runs_its_own_kernels() {
    let library = library(Schedule::Early);
    let problem = GemmProblem::new(256, 256, 128, InputType::Bf16, OutputType::Same);
    let choice = library.choose(&problem, &Default::default()).unwrap();
    assert!(
        choice.configuration.contains("_umma"),
        "{}",
        choice.configuration
    );
    assert_eq!(right(&library, &GemmRun::new(problem)), Ok(true));
}

const ONE: &str = "gemm_f16_f32_tn_128x256x64_s4_umma";
const PAIR: &str = "gemm_bf16_f32_tn_128x256x64_s6_umma_2sm";

/// What is done to a kernel's text.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Every line with the word goes.
    Without(&'static str),
    /// The line that has the word for the n-th time goes.
    WithoutNth(&'static str, usize),
    /// Text in the place of other text.
    Replaced(&'static str, &'static str),
    /// The epilogue waits for its accumulator by the other parity.
    WrongParity,
    /// A pair commits in its leader alone.
    CommitsInLeader,
}
use Change::{CommitsInLeader, Replaced, Without, WithoutNth, WrongParity};

impl Change {
    fn of(self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let with = |lines: &[String], word: &str| -> Vec<usize> {
            (0..lines.len())
                .filter(|&i| lines[i].contains(word))
                .collect()
        };
        match self {
            Without(word) => lines.retain(|line| !line.contains(word)),
            WithoutNth(word, nth) => {
                let line = with(&lines, word)[nth];
                lines[line].clear();
            }
            Replaced(from, to) => {
                for line in &mut lines {
                    *line = line.replace(from, to);
                }
            }
            WrongParity => {
                // The last wait ahead of the first load of tensor memory.
                let load = with(&lines, "tcgen05.ld.")[0];
                let wait = *with(&lines[..load], "try_wait.parity").last().unwrap();
                let (before, parity) = lines[wait].split_once("p, [").unwrap();
                let (barrier, parity) = parity.split_once("], ").unwrap();
                let (parity, after) = parity.split_once(';').unwrap();
                let (before, wait_for) = before.split_once("mbarrier").unwrap();
                let other = format!(
                    "{before}.reg .b32 other; xor.b32 other, {parity}, 1; mbarrier{wait_for}p, [{barrier}], other;{after}"
                );
                lines[wait] = other;
            }
            CommitsInLeader => {
                for i in with(&lines, "tcgen05.commit") {
                    let line = lines[i].replace(".multicast::cluster", "");
                    let (barrier, _mask) = line.split_once("],").unwrap();
                    lines[i] = format!("{barrier}];");
                }
            }
        }
        lines.join("\n")
    }
}

const BEFORE: &str = "tcgen05.fence::before_thread_sync";
const AFTER: &str = "tcgen05.fence::after_thread_sync";
const NO_BEFORE: &str = "no tcgen05.fence::before_thread_sync stands between";
const NO_AFTER: &str = "no tcgen05.fence::after_thread_sync stands between";

/// What is missing or wrong, and parts of the findings.
const MISTAKES: [(&str, Change, &str); 19] = [
    // A stage that is never free, an accumulator that is never there.
    (ONE, WithoutNth("tcgen05.commit", 0), "deadlock"),
    (ONE, WithoutNth("tcgen05.commit", 1), "deadlock"),
    (PAIR, CommitsInLeader, "deadlock"),
    // The accumulator is written again under the loads.
    (
        ONE,
        Without("tcgen05.wait::ld"),
        "no tcgen05.wait::ld follows",
    ),
    (
        PAIR,
        Without("tcgen05.wait::ld"),
        "no tcgen05.wait::ld follows",
    ),
    // The fences of tensor memory, on either side of the barriers.
    (ONE, Without(AFTER), NO_AFTER),
    (PAIR, Without(AFTER), NO_AFTER),
    (ONE, Without(BEFORE), NO_BEFORE),
    (PAIR, Without(BEFORE), NO_BEFORE),
    (
        ONE,
        WrongParity,
        "no tcgen05.commit behind it has completed|never written|parity|phase",
    ),
    (
        PAIR,
        WrongParity,
        "no tcgen05.commit behind it has completed|never written|parity|phase",
    ),
    // Columns.
    (
        ONE,
        Without("tcgen05.dealloc"),
        "no tcgen05.dealloc gave back",
    ),
    (
        PAIR,
        Without("tcgen05.dealloc"),
        "no tcgen05.dealloc gave back",
    ),
    (
        ONE,
        Without("tcgen05.alloc"),
        "uninitialised shared memory|not all in an allocation",
    ),
    // The columns are given back while the last product and its loads are still to come.
    (
        ONE,
        WithoutNth("bar.sync", 2),
        "not all in an allocation|given back|no tcgen05.wait|no tcgen05.commit|nothing orders",
    ),
    // TMA does not see what the epilogue staged.
    (ONE, Without("fence.proxy.async"), "fence.proxy.async"),
    // Half of the bytes of a stage are expected: those of one CTA.
    (
        PAIR,
        Replaced(", 65536;", ", 32768;"),
        "bytes|never written|uninitialised|nothing orders",
    ),
    // The barriers are not there for the peer, and its release does not reach the leader.
    (PAIR, Without("fence.mbarrier_init"), "fence.mbarrier_init"),
    (
        PAIR,
        Replaced("arrive.release.cluster.shared", "arrive.release.cta.shared"),
        "nothing orders",
    ),
];

/// Each mistake is found, and the kernel without it is silent.
#[test]
fn mistakes_are_found_under_every_schedule() {
    for kernel in [ONE, PAIR] {
        let whole = alone(kernel);
        let of = CONFIGURATIONS.iter().find(|of| of.name == kernel).unwrap();
        let run = GemmRun::new(problem(of)).with_kernel(kernel);
        let found = |ptx: &str, schedule| {
            let module = device(schedule).load(ptx).unwrap();
            right(&Library::with(module, Table::default()), &run)
        };
        for schedule in SCHEDULES {
            assert_eq!(found(&whole, schedule), Ok(true), "{kernel} {schedule:?}");
        }
        let text = entry(&whole, kernel);
        for (_, change, said) in MISTAKES.iter().filter(|(of, ..)| *of == kernel) {
            let changed = change.of(text);
            assert_ne!(
                changed,
                text.lines().collect::<Vec<_>>().join("\n"),
                "{change:?}"
            );
            let changed = with_one_entry(&whole, kernel, &changed);
            for schedule in SCHEDULES {
                let message =
                    found(&changed, schedule).expect_err(&format!("{change:?} passes in silence"));
                let is_said = said.split('|').any(|said| message.contains(said));
                assert!(is_said, "{kernel} {change:?} {schedule:?}: {message}");
            }
        }
    }
}
