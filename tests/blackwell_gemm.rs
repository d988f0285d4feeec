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

/// An emulated Blackwell of so few multiprocessors that a CTA has several tiles.
fn device(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        compute_capability: (10, 0),
        multiprocessors: 2,
        schedule,
        ..EmulatorConfig::default()
    })
}

/// The program's kernels.
fn library(schedule: Schedule) -> Library {
    let modules = Modules::load(&device(schedule)).unwrap();
    Library::with(modules, Table::default())
}

/// The kernels that are tested.
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

/// A product of two tiles along m and two along n, more k tiles than stages, and so more than one
/// tile for each accumulator.
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
        let problem = GemmProblem::new(m, n, k, of.input, output)
            .with_batches(1 + below(2))
            .with_epilogue(epilogue);
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

/// A kernel, what is replaced in its text by what, and a part of the finding.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const ONE: &str = "gemm_f16_f32_tn_128x256x64_s4_umma";
const PAIR: &str = "gemm_bf16_f32_tn_128x256x64_s6_umma_2sm";

const MISTAKES: [Mistake; 0] = [];

#[test]
fn mistakes_are_found_under_every_schedule() {
    for (kernel, from, to, said) in MISTAKES {
        let of = CONFIGURATIONS.iter().find(|of| of.name == kernel).unwrap();
        let whole = alone(kernel);
        let text = entry(&whole, kernel);
        assert!(text.contains(from), "{kernel} has no `{from}`");
        let changed = with_one_entry(&whole, kernel, &text.replace(from, to));
        for schedule in SCHEDULES {
            let library = Library::with(device(schedule).load(&changed).unwrap(), Table::default());
            let run = GemmRun::new(problem(of)).with_kernel(kernel);
            let message = right(&library, &run).expect_err("the mistake passes in silence");
            let found = said.split('|').any(|said| message.contains(said));
            assert!(found, "{from} {schedule:?}: {message}");
        }
    }
}
