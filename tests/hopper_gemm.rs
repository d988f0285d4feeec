//! Runs Hopper's collective under every schedule of the emulator's asynchronous operations, and
//! checks that each schedule finds planted mistakes.
//!
//! ```text
//!   early        copies and products as soon as they are issued
//!   late         as late as a wait allows: data without a wait has not arrived
//!   seeded       in a random order
//! ```
//!
//! `tests/collective` compares the same kernels with float64 for random products.

mod common;

use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::{is_pushed, sample};
use cutlet::CutletError;
use cutlet::gemm::{
    CONFIGURATIONS, Configuration, Epilogue, GemmOptions, GemmProblem, InputType, Library, Majors,
    Matrix, MatrixMut, Order, OutputType, Scaling, ScheduleRequest, Table,
};
use cutlet::kernels::Modules;
use cutlet::run::{Compared, GemmRun, RunOptions, gemm_beside, grouped_gemm};
use emulator::Schedule;
use half::{bf16, f16};
use host::gemm::{InputElement, OutputElement};
use host::reference::{Element, Random};
use host::{Device, EmulatorConfig};
use layout_types::atom::element::FloatE4M3;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

fn emulator(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        schedule,
        ..EmulatorConfig::default()
    })
}

/// Returns the program's kernels.
fn library(device: &Device) -> Library {
    Library::with(Modules::load(device).unwrap(), Table::default())
}

/// Returns a library with the kernels of `ptx`, and the program's for all other kernels.
fn library_of(device: &Device, ptx: &str) -> Library {
    Library::with(device.load(ptx).unwrap(), Table::default())
}

/// Runs a product of several partial tiles, with more k tiles than stages, by the kernel of this
/// name.
fn run(library: &Library, kernel: &'static str) -> Result<bool, String> {
    let of = CONFIGURATIONS.iter().find(|of| of.name == kernel).unwrap();
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
    if of.is_grouped() {
        // Some groups end inside a tile or at its end, one is empty, and some rows belong to no
        // group.
        return grouped(library, kernel, problem, &[tile_m, 0, tile_m / 2 + 5, 11]);
    }
    let run = GemmRun::new(problem).with_kernel(kernel);
    let outcome = gemm_beside(library, &run, &RunOptions::default(), None);
    outcome
        .map(|(outcome, _)| outcome.right())
        .map_err(|error| error.to_string())
}

/// Runs a grouped product with this number of rows in each group. The problem has the rows of all
/// groups, and may have more.
fn grouped(
    library: &Library,
    kernel: &'static str,
    problem: GemmProblem,
    groups: &[u32],
) -> Result<bool, String> {
    let problem = problem.with_groups(groups.len() as u32);
    let run = GemmRun::new(problem).with_kernel(kernel);
    let outcome = grouped_gemm(library, &run, groups, &RunOptions::default());
    outcome
        .map(|outcome| outcome.right())
        .map_err(|error| error.to_string())
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let library = library(&emulator(schedule));
        let all = CONFIGURATIONS
            .iter()
            .filter(|of| of.arch == 90 && is_pushed(of.kernel));
        for of in sample(&format!("{schedule:?}"), SCHEDULES.len(), index, all) {
            assert_eq!(run(&library, of.name), Ok(true), "{} {schedule:?}", of.name);
        }
    }
}

/// Checks random clusters whose CTAs share tiles and have slices of their k, among all clusters and
/// kernels that support both.
#[test]
fn clusters_share_tiles_and_split_k() {
    let mut random = Random::new(51);
    let splits = |of: &&Configuration| {
        let hopper = of.hopper;
        hopper.is_some_and(|of| of.any_cluster && of.cluster_split && [2, 4].contains(&of.ctas()))
    };
    let all = CONFIGURATIONS.iter().filter(splits);
    let all: Vec<_> = all.filter(|of| is_pushed(of.kernel)).collect();
    for schedule in SCHEDULES {
        let library = library(&emulator(schedule));
        for _ in 0..4 {
            let of = all[random.below(all.len() as u64) as usize];
            let [tile_m, tile_n, tile_k] = of.tile;
            let most = 8 / of.hopper.unwrap().ctas();
            let slices = 2 + random.below(u64::from(most) - 1) as u32;
            let mut below = |most: u32| random.below(u64::from(most)) as u32;
            let problem = GemmProblem::new(
                tile_m + 1 + below(tile_m),
                tile_n + 8 + below(tile_n),
                (2 * slices + below(3)) * tile_k - below(tile_k),
                of.input,
                of.input.default_output(),
            )
            .with_accumulator(of.accumulator);
            let mut run = GemmRun::new(problem).with_kernel(of.name);
            run.request.schedule = ScheduleRequest::ClusterSplitK(slices);
            let outcome = gemm_beside(&library, &run, &RunOptions::default(), None);
            let right = outcome.map(|(outcome, _)| outcome.right());
            assert!(matches!(right, Ok(true)), "{run:?} {schedule:?}: {right:?}");
        }
    }
}

/// Returns one kernel of the module for `sm_90a`, with its text changed.
fn changed(kernel: &str, from: &str, to: &str) -> String {
    let ptx = &alone(kernel);
    let text = entry(ptx, kernel);
    assert!(text.contains(from), "{kernel} has no `{from}`");
    with_one_entry(ptx, kernel, &text.replace(from, to))
}

#[test]
fn mistakes_are_found_under_every_schedule() {
    for (kernel, name, from, to, said) in [
        // A buffer of D is written while TMA reads it.
        (
            "gemm_f16_f32_tn_128x256x64_s4_wgmma",
            "gemm_f16_f32_tn_128x256x64_s4_wgmma",
            "cp.async.bulk.wait_group.read 1",
            "cp.async.bulk.wait_group.read 2",
            "before that thread waited for it",
        ),
        // TMA does not see the writes of the group.
        (
            "gemm_f16_f32_tn_128x128x64_s6_wgmma_pp",
            "gemm_f16_f32_tn_128x128x64_s6_wgmma_pp",
            "fence.proxy.async.shared::cta;",
            "",
            "fence.proxy.async",
        ),
        // A stage is free before its products have ended.
        (
            "gemm_f16_f32_tn_128x256x64_s4_wgmma",
            "gemm_f16_f32_tn_128x256x64_s4_wgmma_2x1",
            "wgmma.wait_group.sync.aligned \t1;",
            "wgmma.wait_group.sync.aligned \t3;",
            "wgmma",
        ),
    ] {
        let ptx = changed(kernel, from, to);
        for schedule in SCHEDULES {
            let found = run(&library_of(&emulator(schedule), &ptx), name);
            let message = found.expect_err("the mistake passes in silence");
            assert!(message.contains(said), "{from} {schedule:?}: {message}");
        }
    }
}

/// Checks stream-K, whose parts are added when all are saved. If they are added earlier, they are
/// read while other CTAs write them; if they are not counted, no tile is stored.
#[test]
fn parts_that_are_not_counted_are_seen() {
    let kernel = "gemm_f16_f32_tn_128x256x64_s4_wgmma_sk";
    let problem = GemmProblem::new(136, 250, 330, InputType::F16, OutputType::Same);
    let mut run = GemmRun::new(problem).with_kernel(kernel);
    run.request.schedule = ScheduleRequest::StreamK;
    let of = |library: &Library| {
        let outcome = gemm_beside(library, &run, &RunOptions::default(), None);
        outcome
            .map(|(outcome, _)| outcome.right())
            .map_err(|error| error.to_string())
    };
    let add = "atom.acq_rel.gpu.add.u32";
    let alone = alone(kernel);
    let text = entry(&alone, kernel);
    let first = &text[text.find(add).unwrap()..];
    let first = &first[..=first.find(';').unwrap()];
    let (before, _) = first[add.len()..].split_once(',').unwrap();
    let too_soon = changed(
        kernel,
        first,
        &format!("{first} mov.u32 {before}, 1000000;"),
    );
    let uncounted = changed(kernel, add, "atom.acq_rel.gpu.min.u32");
    for schedule in SCHEDULES {
        let device = emulator(schedule);
        assert_eq!(of(&library(&device)), Ok(true), "{schedule:?}");
        let message =
            of(&library_of(&device, &too_soon)).expect_err("the mistake passes in silence");
        assert!(
            message.contains("race on global memory"),
            "{schedule:?}: {message}"
        );
        let uncounted = library_of(&device, &uncounted);
        assert_eq!(of(&uncounted), Ok(false), "{schedule:?}");
    }
}

/// Returns the configurations of the kernels with swapped operands.
fn kernels_of_swapped_operands() -> Vec<&'static Configuration> {
    let swapped = |of: &&Configuration| of.hopper.is_some_and(|hopper| hopper.swapped);
    let all: Vec<_> = CONFIGURATIONS
        .iter()
        .filter(|of| swapped(of) && is_pushed(of.kernel))
        .collect();
    assert!(!all.is_empty());
    all
}

/// Checks swapped operands. They give D transposed, and the store transposes it again: the bias
/// belongs to D's columns, and C and D are row-major. A product of integers, each of which
/// identifies its row and column, is exact in every bit.
#[test]
fn swapped_operands_store_rows_of_d() {
    let library = library(&Device::emulator());
    let device = library.modules().device();
    let (m, n, k) = (19, 152, 16);
    let of_row = |i: usize| (i % 7) as f32;
    let of_column = |j: usize| (j % 5) as f32 - 2.0;
    // A's first column identifies the row, B's first row the column.
    let first = |of: &dyn Fn(usize) -> f32, lines: usize| -> Vec<f32> {
        let element = |at: usize| {
            if at.is_multiple_of(k) {
                of(at / k)
            } else {
                0.0
            }
        };
        (0..lines * k).map(element).collect()
    };
    let (a, b) = (first(&of_row, m), first(&of_column, n));
    let c: Vec<f32> = (0..m * n).map(|at| (at % 64) as f32).collect();
    let bias: Vec<f32> = (0..n).map(|j| j as f32 / 2.0).collect();
    let bias = device.upload(&bias).unwrap();
    for of in kernels_of_swapped_operands() {
        fn d_of<E: InputElement + OutputElement<E> + Element>(
            library: &Library,
            kernel: &str,
            [a, b, c]: [&[f32]; 3],
            bias: &host::Buffer<f32>,
            [m, n, k]: [usize; 3],
        ) -> Vec<f64> {
            let device = library.modules().device();
            let of = |values: &[f32]| -> host::Buffer<E> {
                let values: Vec<E> = values.iter().map(|&x| E::from_f64(x.into())).collect();
                device.upload(&values).unwrap()
            };
            let (a, b, c) = (of(a), of(b), of(c));
            let mut d = of(&vec![-1.0; m * n]);
            let options = GemmOptions {
                beta: 1.0,
                c: Some(Matrix::new(&c, m, n)),
                bias: Some(bias.all()),
                configuration: Some(kernel),
                ..GemmOptions::default()
            };
            let b = Matrix::new(&b, k, n).order(Order::Columns);
            let a = Matrix::new(&a, m, k);
            library
                .gemm(&a, &b, &mut MatrixMut::new(&mut d, m, n), &options, None)
                .unwrap();
            d.to_vec().unwrap().into_iter().map(E::to_f64).collect()
        }
        let operands = [&a[..], &b[..], &c[..]];
        let d = match of.input {
            InputType::Bf16 => d_of::<bf16>(&library, of.name, operands, &bias, [m, n, k]),
            _ => d_of::<f16>(&library, of.name, operands, &bias, [m, n, k]),
        };
        for (at, &found) in d.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            let sum = of_row(i) * of_column(j) + c[at] + j as f32 / 2.0;
            // bf16 cannot represent halves above 128.
            let expected = match of.input {
                InputType::Bf16 => bf16::from_f32(sum).to_f64(),
                _ => sum.into(),
            };
            assert_eq!(found, expected, "{} ({i}, {j})", of.name);
        }
    }
}

/// Checks that a store of swapped operands' D without the transpose is found.
#[test]
fn a_d_that_is_not_transposed_is_seen() {
    let kernel = "gemm_bf16_f32_tn_16x128x64_s12_wgmma_swapped";
    let problem = GemmProblem::new(16, 128, 128, InputType::Bf16, OutputType::Same);
    let run = GemmRun::new(problem).with_kernel(kernel);
    let right = |library: &Library| {
        let outcome = gemm_beside(library, &run, &RunOptions::default(), None);
        outcome.unwrap().0.right()
    };
    let device = Device::emulator();
    assert!(right(&library(&device)));
    let plain = changed(kernel, ".x4.trans.shared", ".x4.shared");
    assert!(!right(&library_of(&device, &plain)));
}

/// Checks that a kernel's type determines A's and B's majors: a product with other majors has
/// another kernel.
#[test]
fn there_is_a_kernel_of_each_order_of_f16_and_bf16() {
    for input in [InputType::F16, InputType::Bf16] {
        for majors in [Majors::Tn, Majors::Nn, Majors::Tt, Majors::Nt] {
            let is =
                |of: &&Configuration| of.arch == 90 && of.input == input && of.majors == majors;
            assert!(
                CONFIGURATIONS.iter().any(|of| is(&of)),
                "{input:?} {majors:?}"
            );
        }
    }
}

/// Compares products with a scale for each block with float64, at random sizes and at the edges of
/// tiles and blocks.
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
        .filter(|of| of.scaling() == Scaling::Blocks && is_pushed(of.kernel))
        .map(|of| of.kernel)
        .collect();
    assert!(!kernels_of_blocks.is_empty());
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let library = library(&emulator(schedule));
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
    // A problem without a kernel is refused, and the message names the reason.
    let library = library(&Device::emulator());
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

/// Returns the configurations of the kernels for grouped products.
fn kernels_of_groups() -> Vec<&'static Configuration> {
    let all = CONFIGURATIONS
        .iter()
        .filter(|of| of.is_grouped() && is_pushed(of.kernel));
    let all: Vec<_> = all.collect();
    assert!(!all.is_empty());
    all
}

/// Checks grouped products with random lists, with empty groups, any number of rows and columns,
/// and each type of D.
#[test]
fn rows_are_multiplied_by_their_groups_matrix() {
    let mut random = Random::new(170);
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let library = library(&emulator(schedule));
        for (turn, of) in kernels_of_groups().into_iter().enumerate() {
            let mut between =
                |least: u64, most: u64| (least + random.below(most - least + 1)) as u32;
            let mut groups: Vec<u32> = (0..between(1, 7))
                .map(|_| match between(0, 3) {
                    0 => 0,
                    1 => 16 * between(1, 8),
                    _ => between(1, 150),
                })
                .collect();
            groups.push(between(1, 9));
            let rows: u32 = groups.iter().sum();
            let outputs = [of.input.default_output(), OutputType::F32, OutputType::Same];
            let problem = GemmProblem::new(
                (rows + between(0, 40)).max(1),
                // Some rows of D, A and B are aligned to 16 bytes, others are not.
                if turn % 2 == 0 {
                    8 * between(1, 40)
                } else {
                    between(1, 300)
                },
                if index % 2 == 0 {
                    16 * between(1, 20)
                } else {
                    between(1, 300)
                },
                of.input,
                outputs[(index + turn) % outputs.len()],
            )
            .with_epilogue(Epilogue {
                alpha: if turn % 2 == 0 { 1.0 } else { 0.5 },
                bias: turn % 3 == 0,
                ..Epilogue::NONE
            });
            let found = grouped(&library, of.kernel, problem, &groups);
            assert_eq!(
                found,
                Ok(true),
                "{} {schedule:?} {groups:?} {problem:?}",
                of.kernel
            );
        }
    }
}

/// Checks a product without rows, and a product whose list has more rows than A and D: nothing else
/// is written.
#[test]
fn a_list_of_rows_reaches_no_further_than_d() {
    let library = library(&Device::emulator());
    let device = library.modules().device();
    for of in kernels_of_groups()
        .into_iter()
        .filter(|of| of.input == InputType::F16)
    {
        for (list, written) in [
            ([0, 0, 0], 0),
            ([20, 1000, 7], 40),
            ([u32::MAX, u32::MAX, 1], 40),
            ([3, 30, 0], 33),
        ] {
            let (rows, n, k) = (40, 72, 64);
            let list = device.upload(&list).unwrap();
            let a = device.upload(&vec![f16::ONE; rows * k]).unwrap();
            let b = device.upload(&vec![f16::ONE; 3 * n * k]).unwrap();
            let mut d = device
                .upload(&vec![f16::NEG_ONE; (rows + 200) * n])
                .unwrap();
            let options = GemmOptions {
                groups: Some(list.all()),
                configuration: Some(of.kernel),
                ..GemmOptions::default()
            };
            let b = Matrix::new(&b, k, n)
                .order(Order::Columns)
                .batched(3, n * k);
            let a = Matrix::new(&a, rows, k);
            library
                .gemm(&a, &b, &mut MatrixMut::new(&mut d, rows, n), &options, None)
                .unwrap();
            let d = d.to_vec().unwrap();
            let (inside, behind) = d.split_at(written * n);
            assert!(
                inside.iter().all(|x| x.to_f32() == 64.0),
                "{} {written}",
                of.kernel
            );
            assert!(
                behind.iter().all(|x| x.to_f32() == -1.0),
                "{} {written}",
                of.kernel
            );
        }
    }
}

/// Checks a box of D that begins in a group and ends after it. The kernel stores it by rows; a
/// store of the whole box is found.
#[test]
fn a_row_of_another_group_is_seen() {
    let kernel = "gemm_f16_f32_tn_64x128x64_s8_wgmma_pp_groups";
    let problem = GemmProblem::new(90, 128, 128, InputType::F16, OutputType::Same);
    // The comparison is of the last of a warp's sixteen rows with the group's end.
    let ptx = changed(kernel, ", 16;\n\tsetp.gt.u32", ", 0;\n\tsetp.gt.u32");
    for schedule in SCHEDULES {
        let device = emulator(schedule);
        let of = |library: &Library| grouped(library, kernel, problem, &[37, 33]);
        assert_eq!(of(&library(&device)), Ok(true), "{schedule:?}");
        let message = of(&library_of(&device, &ptx)).expect_err("the mistake passes in silence");
        assert!(
            message.contains("race on global memory"),
            "{schedule:?}: {message}"
        );
    }
}

/// Multiplies small integers in groups of M, N and K. Returns a message about an element of D that
/// is not the sum, or that was changed although it is outside. After each group's N and K, and
/// after the groups' rows, A and B are NaN.
fn of_own_extents<I: InputElement + Element, O: OutputElement<I> + Element>(
    library: &Library,
    kernel: &str,
    groups: &[[u32; 3]],
) -> Result<Option<String>, CutletError> {
    let device = library.modules().device();
    let groups: Vec<[usize; 3]> = groups.iter().map(|of| of.map(|x| x as usize)).collect();
    let most = |at: usize| groups.iter().map(|of| of[at]).max().unwrap_or(0);
    let rows = groups.iter().map(|of| of[0]).sum::<usize>() + 3;
    let [n, k] = [most(1), most(2)];
    let mut random = Random::new(n as u64);
    let mut a = vec![I::from_f64(f64::NAN); rows * k];
    let mut b = vec![I::from_f64(f64::NAN); groups.len() * n * k];
    let before = O::from_f64(-77.0);
    let mut expected = vec![before; rows * n];
    let mut first = 0;
    for (group, &[of_m, of_n, of_k]) in groups.iter().enumerate() {
        let mut integers = |count: usize| -> Vec<f64> {
            (0..count).map(|_| random.below(5) as f64 - 2.0).collect()
        };
        let (of_a, of_b) = (integers(of_m * of_k), integers(of_n * of_k));
        for (i, row) in of_a.chunks(of_k.max(1)).enumerate() {
            for (p, &x) in row.iter().enumerate() {
                a[(first + i) * k + p] = I::from_f64(x);
            }
        }
        for (j, column) in of_b.chunks(of_k.max(1)).enumerate() {
            for (p, &x) in column.iter().enumerate() {
                b[(group * n + j) * k + p] = I::from_f64(x);
            }
        }
        for (i, row) in of_a.chunks(of_k.max(1)).enumerate() {
            for (j, column) in of_b.chunks(of_k.max(1)).enumerate() {
                let products = row.iter().zip(column).map(|(x, y)| x * y);
                // The fold begins at +0, because the sum of no numbers is -0.
                let sum = products.fold(0.0, |sum, product| sum + product);
                expected[(first + i) * n + j] = O::from_f64(sum);
            }
        }
        first += of_m;
    }
    let list: Vec<u32> = groups.iter().flatten().map(|&x| x as u32).collect();
    let (list, a, b) = (
        device.upload(&list)?,
        device.upload(&a)?,
        device.upload(&b)?,
    );
    let mut d = device.upload(&vec![before; rows * n])?;
    let options = GemmOptions {
        groups: Some(list.all()),
        own_extents: true,
        configuration: Some(kernel),
        ..GemmOptions::default()
    };
    let (a, b) = (
        Matrix::new(&a, rows, k),
        Matrix::new(&b, k, n)
            .order(Order::Columns)
            .batched(groups.len(), n * k),
    );
    library.gemm(&a, &b, &mut MatrixMut::new(&mut d, rows, n), &options, None)?;
    let d = d.to_vec()?;
    let other = d.iter().zip(&expected).position(|(d, of)| d != of);
    Ok(other.map(|at| {
        let (found, of) = (d[at].to_f64(), expected[at].to_f64());
        format!("({}, {}): {found}, not {of}", at / n, at % n)
    }))
}

/// Calls [`of_own_extents`] with the kernel's types; `wide` selects a D of f32.
fn own_extents(
    library: &Library,
    of: &Configuration,
    wide: bool,
    groups: &[[u32; 3]],
) -> Result<Option<String>, CutletError> {
    let run = match (of.input, wide) {
        (InputType::F16, false) => of_own_extents::<f16, f16>,
        (InputType::F16, true) => of_own_extents::<f16, f32>,
        (InputType::Bf16, false) => of_own_extents::<bf16, bf16>,
        (InputType::Bf16, true) => of_own_extents::<bf16, f32>,
        (InputType::E4m3, false) => of_own_extents::<FloatE4M3, FloatE4M3>,
        (InputType::E4m3, true) => of_own_extents::<FloatE4M3, bf16>,
        (other, _) => panic!("a grouped kernel of {other:?}"),
    };
    run(library, of.kernel, groups)
}

/// Checks groups with their own N and K: they end within tiles, k tiles, boxes and vectors, and
/// some have no row, no column or no k.
#[test]
fn groups_have_extents_of_their_own() {
    let mut random = Random::new(1700);
    for (index, schedule) in SCHEDULES.into_iter().enumerate() {
        let library = library(&emulator(schedule));
        for (turn, of) in kernels_of_groups().into_iter().enumerate() {
            let mut below = |most: u64| random.below(most) as u32;
            let mut groups = vec![
                [40, 72, 64],
                [0, 16, 64],
                [130, 264, 203],
                [17, 0, 8],
                [33, 100, 130],
                [5, 8, 0],
                [9, 136, 1],
                // A tensor map supports some rows of A and B, and not others.
                [2, 8, if turn % 2 == 0 { 320 } else { 321 }],
            ];
            groups.extend((0..2).map(|_| [below(90), below(264), below(320)]));
            if (index + turn) % 3 == 0 {
                // The rows of D are not aligned.
                groups.push([1, 267, 24]);
            }
            let found = own_extents(&library, of, (index + turn) % 2 == 0, &groups);
            assert!(
                matches!(found, Ok(None)),
                "{} {schedule:?} {groups:?}: {found:?}",
                of.kernel
            );
        }
    }
}

/// Checks that a run in groups with their own extents is compared as a whole: A and B are NaN after
/// each group's N and K, and D keeps its poison there.
#[test]
fn a_run_in_groups_of_their_own_has_a_verdict() {
    let groups = [[40, 72, 64], [0, 16, 64], [5, 8, 0], [130, 100, 136]];
    let problem = GemmProblem::new(175, 100, 136, InputType::F16, OutputType::Same)
        .with_groups(groups.len() as u32)
        .with_own_extents(true);
    let run = GemmRun::new(problem).with_kernel("gemm_f16_f32_tn_128x256x64_s4_wgmma_groups");
    let library = library(&Device::emulator());
    let outcome = grouped_gemm(&library, &run, &groups.concat(), &RunOptions::default()).unwrap();
    assert!(outcome.right());
    assert_eq!(outcome.compared, Compared::Full);
}

/// Checks that both consumer groups clear the bytes after a group's K before either multiplies
/// them: a kernel without their barrier is found.
#[test]
fn a_tail_that_is_not_waited_for_is_seen() {
    let kernel = "gemm_f16_f32_tn_128x256x64_s4_wgmma_groups";
    let of = CONFIGURATIONS.iter().find(|of| of.kernel == kernel);
    let ptx = changed(kernel, "bar.sync \t7, 256;", "");
    for schedule in SCHEDULES {
        let library = library_of(&emulator(schedule), &ptx);
        let groups = [[128, 256, 72], [128, 256, 128]];
        let found = own_extents(&library, of.unwrap(), false, &groups);
        let message = found
            .expect_err("the mistake passes in silence")
            .to_string();
        assert!(message.contains("race"), "{schedule:?}: {message}");
    }
}

/// Checks that a list without three numbers for each group is refused.
#[test]
fn a_list_of_extents_has_three_numbers_a_group() {
    let device = Device::emulator();
    let list = device.upload(&[8_u32, 8, 8, 8]).unwrap();
    let room = device.upload(&[f16::ONE; 64]).unwrap();
    let mut d = device.upload(&[f16::ONE; 64]).unwrap();
    let options = GemmOptions {
        groups: Some(list.all()),
        own_extents: true,
        ..GemmOptions::default()
    };
    let (a, b) = (
        Matrix::new(&room, 8, 8),
        Matrix::new(&room, 8, 8).order(Order::Columns).batched(1, 0),
    );
    let d = &mut MatrixMut::new(&mut d, 8, 8);
    let refused = cutlet::gemm::gemm(&device, &a, &b, d, &options).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the list of a grouped product with extents of its own has M, N and K of each group; this one has 4 numbers, no multiple of 3"
    );
}
