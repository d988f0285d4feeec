//! Compares every kernel with its reference, on the emulator and on the GPU if there is one.

mod common;

use common::{SIZES, devices};
use cutlet::gemm::{GemmProblem, InputType, OutputType};
use cutlet::kernels::Modules;
use cutlet::run::{
    self, Compared, Comparison, GemmRun, RunOptions, TransposeProblem, VecaddProblem, Width,
};
use host::{Device, Kind, Timing};

const TYPES: [(InputType, OutputType); 4] = [
    (InputType::F16, OutputType::Same),
    (InputType::F16, OutputType::F32),
    (InputType::Bf16, OutputType::Same),
    (InputType::Bf16, OutputType::F32),
];

fn quick() -> RunOptions<'static> {
    RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    }
}

fn gemm(modules: &Modules, (m, n, k): (u32, u32, u32), (input, output): (InputType, OutputType)) {
    let seed = u64::from(m) << 40 | u64::from(n) << 20 | u64::from(k);
    let problem = GemmProblem::new(m, n, k, input, output);
    let run = GemmRun::new(problem).with_seed(seed);
    let outcome = run::gemm(modules, &run, &quick()).unwrap();
    assert_eq!(outcome.compared, Compared::Full);
    assert_eq!(outcome.difference.elements, m as usize * n as usize);
    assert!(outcome.right(), "{problem:?}: {outcome:?}");
}

fn on_every_device(test: impl Fn(&Device, &Modules)) {
    for device in devices() {
        test(&device, &Modules::load(&device).unwrap());
    }
}

#[test]
fn gemm_at_the_edges_of_tiles() {
    on_every_device(|_, modules| {
        for (index, m) in SIZES.into_iter().enumerate() {
            for n in SIZES {
                for (depth, k) in SIZES.into_iter().enumerate() {
                    // The types take turns, so that each type meets every size of each extent.
                    gemm(modules, (m, n, k), TYPES[(index + depth) % 4]);
                }
            }
        }
    });
}

#[test]
fn gemm_of_every_type_and_path() {
    on_every_device(|_, modules| {
        for types in TYPES {
            for shape in [(128, 128, 64), (129, 127, 40), (65, 257, 77), (1, 1, 1)] {
                gemm(modules, shape, types);
            }
        }
    });
}

#[test]
fn gemm_that_is_not_square() {
    on_every_device(|_, modules| {
        for shape in [
            (1, 1000, 16),
            (1000, 1, 24),
            (300, 20, 1000),
            (17, 300, 333),
            (2, 3, 2048),
        ] {
            gemm(modules, shape, TYPES[0]);
            gemm(modules, shape, TYPES[3]);
        }
    });
}

#[test]
fn gemm_512() {
    on_every_device(|_, modules| {
        for types in TYPES {
            gemm(modules, (512, 512, 512), types);
        }
    });
}

/// Checks large sizes by rows on the GPU. On the emulator they would take too long; there the test
/// takes the same path at a smaller size.
#[test]
fn gemm_checked_by_rows() {
    on_every_device(|device, modules| {
        let sizes: &[u32] = match device.kind() {
            Kind::Gpu => &[2048, 4096, 8192],
            Kind::Emulator => &[384],
        };
        for &size in sizes {
            for (input, output) in [TYPES[0], TYPES[3]] {
                let problem = GemmProblem::new(size, size, size, input, output);
                let run = GemmRun::new(problem).with_seed(11);
                let options = RunOptions {
                    compare: Comparison::Sampled,
                    ..quick()
                };
                let outcome = run::gemm(modules, &run, &options).unwrap();
                assert_eq!(outcome.compared, Compared::Rows(256));
                assert_eq!(outcome.difference.elements, 256 * size as usize);
                assert!(outcome.right(), "{problem:?}: {outcome:?}");
                println!("{size}: relative error {:.2e}", outcome.difference.relative);
            }
        }
    });
}

#[test]
fn transpose_at_the_edges_of_tiles() {
    on_every_device(|_, modules| {
        let sizes = SIZES.into_iter().chain([31, 32, 33, 512]);
        for rows in sizes.clone() {
            for cols in sizes.clone() {
                for width in [Width::B16, Width::B32] {
                    let problem = TransposeProblem {
                        rows,
                        cols,
                        width,
                        seed: 5,
                    };
                    let outcome = run::transpose(modules.base(), &problem, &quick()).unwrap();
                    assert!(outcome.right(), "{problem:?}: {outcome:?}");
                    assert_eq!(outcome.elements, rows as usize * cols as usize);
                }
            }
        }
        for (rows, cols) in [(1, 5000), (5000, 1), (1000, 77)] {
            let problem = TransposeProblem {
                rows,
                cols,
                width: Width::B32,
                seed: 6,
            };
            assert!(
                run::transpose(modules.base(), &problem, &quick())
                    .unwrap()
                    .right(),
                "{problem:?}"
            );
        }
    });
}

#[test]
fn vecadd_at_the_edges_of_vectors() {
    on_every_device(|_, modules| {
        let sizes = SIZES
            .into_iter()
            .chain([2, 3, 4, 5, 512, 1023, 1024, 1025, 100_003]);
        for n in sizes {
            let problem = VecaddProblem { n, seed: 9 };
            let outcome = run::vecadd(modules.base(), &problem, &quick()).unwrap();
            assert!(outcome.right(), "{problem:?}: {outcome:?}");
            assert_eq!(outcome.elements, n as usize);
        }
    });
}
