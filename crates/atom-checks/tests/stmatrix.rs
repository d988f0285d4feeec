//! Checks the GEMM's reference configuration as it is built for Hopper: its sums are written to
//! shared memory by `stmatrix`.

use atom_checks::{GEMM_SM_90, WHY_NOT, body};
use gpu_kernels::gemm::CONFIGURATIONS;
use half::f16;
use host::{ByValue, Device, Launch};
use kernel_abi::gemm::{AccumulatorType, GemmProblem, InputType, OutputType, Schedule};

const KERNEL: &str = "gemm_f16_f16_tn_128x128x32_s3";

/// Returns small integers. All their sums are exact.
fn integers(seed: usize, count: usize) -> Vec<f16> {
    (0..count)
        .map(|i| f16::from_f32(((i * 7 + i / 13 * 5 + seed) % 5) as f32 - 2.0))
        .collect()
}

#[test]
fn sums_by_stmatrix_are_the_product() {
    assert!(WHY_NOT.is_empty(), "the kernels were not built: {WHY_NOT}");
    let instructions = body(GEMM_SM_90, KERNEL)
        .filter(|line| line.contains("stmatrix."))
        .count();
    assert!(instructions > 0, "the kernel has no stmatrix");
    let of = CONFIGURATIONS
        .iter()
        .find(|of| of.kernel == KERNEL)
        .unwrap();
    let device = Device::emulator();
    println!("{}", device.where_it_ran());
    let module = device.load(GEMM_SM_90).unwrap();
    for (m, n, k) in [(128, 128, 64), (200, 136, 72), (1, 8, 8)] {
        let mut gemm = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
        gemm.accumulator = AccumulatorType::F16;
        let plan = of.plan(&gemm, Schedule::Tiles).unwrap();
        let (rows, columns, depth) = (m as usize, n as usize, k as usize);
        let (a, b) = (integers(1, rows * depth), integers(2, columns * depth));
        let bytes = |elements: &[f16]| -> Vec<u8> {
            elements
                .iter()
                .flat_map(|element| element.to_le_bytes())
                .collect()
        };
        let d_a = device.upload(&bytes(&a)).unwrap();
        let d_b = device.upload(&bytes(&b)).unwrap();
        let mut d = device.upload(&vec![0xff_u8; 2 * rows * columns]).unwrap();
        let launch =
            Launch::new(plan.launch.grid, plan.launch.block).shared(plan.launch.shared_bytes);
        let words: [u32; 24] = bytemuck::cast(plan.params.to_u64s());
        // The kernel does not touch C, the bias and the workspace.
        let (c, bias, mut rest) = (
            device.alloc::<u8>(16).unwrap(),
            device.alloc::<f32>(4).unwrap(),
            device.alloc::<u8>(16).unwrap(),
        );
        let arguments = (&mut d, &d_a, &d_b, &c, &bias, &mut rest, ByValue(words));
        module
            .kernel(KERNEL)
            .unwrap()
            .launch(&launch, arguments)
            .unwrap();
        let d = d.to_vec().unwrap();
        let found = |at: usize| f16::from_le_bytes([d[2 * at], d[2 * at + 1]]).to_f32();
        for i in 0..rows {
            for j in 0..columns {
                let sum: f32 = (0..depth)
                    .map(|l| a[i * depth + l].to_f32() * b[j * depth + l].to_f32())
                    .sum();
                assert_eq!(found(i * columns + j), sum, "({m}, {n}, {k}): D({i}, {j})");
            }
        }
    }
}
