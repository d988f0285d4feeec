//! Hopper's collective under every schedule of the emulator's asynchronous operations, and with mistakes that each schedule finds.
//!
//! ```text
//!   early        copies and products as soon as they are issued
//!   late         as late as a wait allows: what nobody waits for is not there
//!   seeded       in an order by chance
//! ```
//!
//! `tests/collective` holds the same kernels to float64 for products by chance.

mod common;

use common::ptx_text::{entry, with_one_entry};
use common::sample::sample;
use cutlet::gemm::{
    CONFIGURATIONS, Epilogue, GemmProblem, InputType, Library, Majors, OutputType, Scaling, Table,
};
use cutlet::kernels;
use cutlet::run::{GemmRun, RunOptions, gemm_beside};
use emulator::Schedule;
use host::reference::Random;
use host::{Device, EmulatorConfig};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

fn emulator(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        schedule,
        ..EmulatorConfig::default()
    })
}

/// The kernels of `ptx`, loaded.
fn library(device: &Device, ptx: &str) -> Library {
    Library::with(device.load(ptx).unwrap(), Table::default())
}

/// A product of several tiles, none of them whole, of more k tiles than stages, by the kernel of this name.
fn run(library: &Library, kernel: &'static str) -> Result<bool, String> {
    let of = CONFIGURATIONS
        .iter()
        .find(|of| of.kernel == kernel)
        .unwrap();
    let [tile_m, tile_n, tile_k] = of.tile;
    let problem = GemmProblem::new(
        2 * tile_m - 8,
        3 * tile_n - 56,
        (of.stages + 3) * tile_k - 8,
        of.input,
        of.input.default_output(),
    )
    .with_majors(of.majors)
    .with_accumulator(of.accumulator)
    .with_scaling(of.scaling());
    let run = GemmRun::new(problem).with_kernel(kernel);
    let outcome = gemm_beside(library, &run, &RunOptions::default(), None);
    outcome
        .map(|(outcome, _)| outcome.right())
        .map_err(|error| error.to_string())
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let library = library(&emulator(schedule), kernels::ptx().unwrap());
        let all = CONFIGURATIONS.iter().filter(|of| of.hopper.is_some());
        for of in sample(&format!("{schedule:?}"), SCHEDULES.len(), index, all) {
            assert_eq!(
                run(&library, of.kernel),
                Ok(true),
                "{} {schedule:?}",
                of.kernel
            );
        }
    }
}

/// One kernel of the module for `sm_90a`, with its text changed.
fn changed(kernel: &str, from: &str, to: &str) -> String {
    let ptx = kernels::sm90a().unwrap();
    let text = entry(ptx, kernel);
    assert!(text.contains(from), "{kernel} has no `{from}`");
    with_one_entry(ptx, kernel, &text.replace(from, to))
}

#[test]
fn mistakes_are_found_under_every_schedule() {
    for (kernel, from, to, said) in [
        // A buffer of D is written while TMA reads it.
        (
            "gemm_f16_f32_tn_128x256x64_s4_wgmma",
            "cp.async.bulk.wait_group.read 1",
            "cp.async.bulk.wait_group.read 2",
            "before that thread waited for it",
        ),
        // TMA does not see what the group wrote.
        (
            "gemm_f16_f32_tn_128x128x64_s6_wgmma_pp",
            "fence.proxy.async.shared::cta;",
            "",
            "fence.proxy.async",
        ),
        // A stage is free before its products have ended.
        (
            "gemm_f16_f32_tn_128x256x64_s4_wgmma_2x1",
            "wgmma.wait_group.sync.aligned \t1;",
            "wgmma.wait_group.sync.aligned \t3;",
            "wgmma",
        ),
    ] {
        let ptx = changed(kernel, from, to);
        for schedule in SCHEDULES {
            let found = run(&library(&emulator(schedule), &ptx), kernel);
            let message = found.expect_err("the mistake passes in silence");
            assert!(message.contains(said), "{from} {schedule:?}: {message}");
        }
    }
}

/// What a kernel reads of A's and B's majors comes from its type: a product of other majors is another kernel's.
#[test]
fn there_is_a_kernel_of_each_order_of_f16_and_bf16() {
    for input in [InputType::F16, InputType::Bf16] {
        for majors in [Majors::Tn, Majors::Nn, Majors::Tt, Majors::Nt] {
            let is = |of: &&cutlet::gemm::Configuration| {
                of.hopper.is_some() && of.input == input && of.majors == majors
            };
            assert!(
                CONFIGURATIONS.iter().any(|of| is(&of)),
                "{input:?} {majors:?}"
            );
        }
    }
}

/// Products with a scale for each block, of sizes by chance and at the edges of tiles and blocks, against float64.
#[test]
fn scales_of_blocks_are_those_of_their_blocks() {
    let of = |m, n, k| {
        GemmProblem::new(m, n, k, InputType::E4m3, OutputType::Bf16).with_scaling(Scaling::Blocks)
    };
    let mut sizes = vec![(1, 1, 1), (128, 256, 128), (257, 129, 129), (24, 300, 1000)];
    let mut random = Random::new(17);
    let mut between = |most: u64| 1 + random.below(most) as u32;
    for _ in 0..3 {
        sizes.push((between(300), between(300), between(600)));
    }
    let kernels_of_blocks: Vec<_> = CONFIGURATIONS
        .iter()
        .filter(|of| of.scaling() == Scaling::Blocks)
        .map(|of| of.kernel)
        .collect();
    assert!(!kernels_of_blocks.is_empty());
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let library = library(&emulator(schedule), kernels::ptx().unwrap());
        for (turn, kernel) in kernels_of_blocks.iter().enumerate() {
            let first = (index + turn) % SCHEDULES.len();
            for &(m, n, k) in sizes.iter().skip(first).step_by(SCHEDULES.len()) {
                let run = GemmRun::new(of(m, n, k)).with_kernel(kernel);
                let outcome = gemm_beside(&library, &run, &RunOptions::default(), None);
                let (outcome, _) = outcome.unwrap_or_else(|error| panic!("{run:?}: {error}"));
                assert!(outcome.right(), "{run:?}: {:?}", outcome.difference);
            }
        }
    }
    // What has no kernel is refused with what is wrong.
    let library = library(&Device::emulator(), kernels::ptx().unwrap());
    let refused = |problem: GemmProblem| {
        let run = gemm_beside(
            &library,
            &GemmRun::new(problem),
            &RunOptions::default(),
            None,
        );
        run.map(|_| ()).unwrap_err().to_string()
    };
    let batched = refused(of(16, 16, 16).with_batches(2));
    assert!(
        batched.contains("the number of batches, one with scales of blocks, differs"),
        "{batched}"
    );
    let biased = refused(of(16, 16, 16).with_epilogue(Epilogue {
        bias: true,
        ..Epilogue::NONE
    }));
    assert!(
        biased.contains("the epilogue, without C and a bias with scales of blocks, differs"),
        "{biased}"
    );
}
