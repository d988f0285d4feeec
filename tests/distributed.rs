//! Checks products over 1 to 8 devices: every element is exact, for each way to distribute the
//! product, in pieces, with ragged rests; on emulated devices, and on all GPUs of a machine that
//! has several.

use cutlet::gemm::distributed::{DistributedGemm, DistributedProblem, Parallel};
use cutlet::gemm::{GemmOptions, Library, Matrix, MatrixMut, Order};
use half::{bf16, f16};
use host::Device;
use host::reference::{Random, gemm};

/// Returns numbers from -1 to 1, so that sums of up to 256 of them are exact in bf16.
fn small(seed: u64, len: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..len).map(|_| random.below(3) as f32 - 1.0).collect()
}

fn problem(
    parallel: Parallel,
    (m, n, k): (usize, usize, usize),
    chunks: usize,
) -> DistributedProblem {
    DistributedProblem {
        m,
        n,
        k,
        parallel,
        chunks,
        configuration: None,
    }
}

macro_rules! exact {
    ($name:ident, $ty:ty) => {
        /// Returns the number of wrong elements.
        fn $name(devices: &[Device], problem: DistributedProblem) -> usize {
            let DistributedProblem { m, n, k, .. } = problem;
            let round = |values: Vec<f32>| -> Vec<$ty> {
                values.into_iter().map(<$ty>::from_f32).collect()
            };
            let (a, b) = (round(small(1, m * k)), round(small(2, n * k)));
            let expected = gemm(&a, &b, m, n, k).unwrap();
            let mut distributed = DistributedGemm::<$ty, $ty>::new(devices, problem).unwrap();
            distributed.load(&a, &b).unwrap();
            // The product runs twice: the second run has to wait for the copies of the first.
            distributed
                .with_program(|program| {
                    program.enqueue()?;
                    program.enqueue()
                })
                .unwrap();
            let rows: Vec<usize> = (0..m).collect();
            let found = distributed.rows(&rows).unwrap();
            assert!(problem.parallel != Parallel::Data || found.len() == devices.len());
            found
                .iter()
                .map(|d| {
                    d.iter()
                        .zip(&expected)
                        .filter(|(d, e)| f64::from(d.to_f32()) != **e)
                        .count()
                })
                .sum()
        }
    };
}
exact!(exact_f16, f16);
exact!(exact_bf16, bf16);

const ALL: [Parallel; 3] = [Parallel::Column, Parallel::Row, Parallel::Data];

fn emulated(count: usize) -> Vec<Device> {
    (0..count).map(|_| Device::emulator()).collect()
}

#[test]
fn every_distribution_is_the_product_on_1_to_4_devices() {
    for count in 1..=4 {
        let devices = emulated(count);
        for parallel in ALL {
            let wrong = exact_bf16(&devices, problem(parallel, (56, 56, 64), 1));
            assert_eq!(wrong, 0, "{} on {count}", parallel.name());
        }
    }
}

#[test]
fn pieces_and_ragged_rests_are_right_too() {
    let devices = emulated(3);
    for parallel in ALL {
        // Rows are in blocks of 176, 176 and 148, each in two pieces. There are 37 columns, and k
        // is 52, in parts of 24, 24 and 4.
        let wrong = exact_f16(&devices, problem(parallel, (500, 37, 52), 2));
        assert_eq!(wrong, 0, "{}", parallel.name());
    }
}

/// Checks random extents, whose last part has up to a whole part's length, in 1 to 3 pieces.
#[test]
fn shapes_by_chance_are_right_on_2_to_8_devices() {
    let mut random = Random::new(22);
    for count in 2..=8 {
        let devices = emulated(count);
        for parallel in ALL {
            let mut extent = || {
                let part = [8, 16][random.below(2) as usize];
                (count - 1) * part + 1 + random.below(part as u64) as usize
            };
            let (m, n, k) = (extent(), extent(), extent());
            let chunks = 1 + random.below(3) as usize;
            let wrong = exact_f16(&devices, problem(parallel, (m, n, k), chunks));
            let name = parallel.name();
            assert_eq!(
                wrong, 0,
                "{name} on {count}: {m} x {n} x {k}, {chunks} pieces"
            );
        }
    }
}

/// Kernels whose tiles are stored by TMA: with two groups for one tile, with a tile for each group,
/// and with boxes of 56 columns.
const STORED_BY_TMA: [&str; 3] = [
    "gemm_bf16_f32_tn_128x256x64_s4_wgmma",
    "gemm_bf16_f32_tn_128x128x64_s6_wgmma_pp",
    "gemm_bf16_f32_tn_128x112x64_s6_wgmma",
];

/// Computes D = A B + D of integers, by a kernel of this name. Returns D before, D after, and D by
/// the definition.
fn added(kernel: &str, reducing_store: bool) -> [Vec<bf16>; 3] {
    // There are no whole tiles, but rows are whole vectors. Sums reach some thousands, which f32
    // represents exactly and bf16 does not.
    let (m, n, k) = (136, 264, 104);
    let mut random = Random::new(5);
    let mut integers = |len: usize, below: u64| -> Vec<bf16> {
        (0..len)
            .map(|_| bf16::from_f32(random.below(below) as f32))
            .collect()
    };
    let (a, b, before) = (integers(m * k, 7), integers(n * k, 7), integers(m * n, 250));
    let device = Device::emulator();
    let library = Library::of(&device).unwrap();
    let held = device.upload(&a).unwrap();
    let columns = device.upload(&b).unwrap();
    let mut d = device.upload(&before).unwrap();
    let options = GemmOptions {
        beta: 1.0,
        reducing_store,
        configuration: Some(kernel),
        ..GemmOptions::default()
    };
    library
        .gemm(
            &Matrix::new(&held, m, k),
            &Matrix::new(&columns, k, n).order(Order::Columns),
            &mut MatrixMut::new(&mut d, m, n),
            &options,
            None,
        )
        .unwrap();
    let product = gemm(&a, &b, m, n, k).unwrap();
    let exact = product.into_iter().zip(&before).map(|(sum, before)| {
        let rounded = if reducing_store {
            f64::from(bf16::from_f64(sum).to_f32())
        } else {
            sum
        };
        bf16::from_f64(rounded + f64::from(before.to_f32()))
    });
    let exact = exact.collect();
    [before, d.to_vec().unwrap(), exact]
}

/// Checks that TMA adds the product rounded to bf16, and rounds the sum again, while a product with
/// C is rounded once.
#[test]
fn a_reducing_store_adds_what_was_rounded() {
    for kernel in STORED_BY_TMA {
        let [before, found, exact] = added(kernel, true);
        assert_eq!(found, exact, "{kernel}");
        let [_, once, exact] = added(kernel, false);
        assert_eq!(once, exact, "{kernel}");
        // The two results differ, and both differ from the previous contents.
        assert_ne!(found, once, "{kernel}");
        assert_ne!(found, before, "{kernel}");
    }
}

/// Checks that reducing stores also serve to pass sums around.
#[test]
fn kernels_that_store_by_tma_are_right() {
    let devices = emulated(3);
    for kernel in STORED_BY_TMA {
        for parallel in [Parallel::Row, Parallel::Data] {
            let problem = DistributedProblem {
                configuration: Some(kernel),
                ..problem(parallel, (400, 40, 72), 2)
            };
            assert_eq!(exact_bf16(&devices, problem), 0, "{kernel} {parallel:?}");
        }
    }
}

#[test]
fn a_product_without_a_part_for_each_device_is_refused() {
    let error =
        DistributedGemm::<f16, f16>::new(&emulated(4), problem(Parallel::Row, (64, 64, 24), 1))
            .err();
    assert_eq!(
        error.map(|error| error.to_string()).as_deref(),
        Some(
            "row parallel over 4 devices: k is 24, and in parts of a multiple of 8 the last device has none"
        )
    );
}

#[test]
fn gpus_do_the_same() {
    let count = Device::gpu_count().unwrap_or(0);
    if count < 2 {
        println!("{count} GPUs: nothing to distribute over");
        return;
    }
    let devices: Vec<Device> = (0..count)
        .map(|index| Device::gpu(index).unwrap())
        .collect();
    for parallel in ALL {
        for (shape, chunks) in [
            ((512, 512, 256), 1),
            ((1000, 520, 200), 2),
            ((2048, 384, 240), 4),
        ] {
            let wrong = exact_bf16(&devices, problem(parallel, shape, chunks));
            assert_eq!(wrong, 0, "{} {shape:?}", parallel.name());
        }
    }
}
