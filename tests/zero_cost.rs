//! Checks that the GEMM with indices computed by hand gives the same result as the GEMM on layouts,
//! and that neither has bank conflicts.

mod common;

use common::{devices, load};
use cutlet::kernels::Modules;
use gpu_kernels::hgemm_by_hand::{ARGUMENTS, HgemmArgument, PAIR, launch_spec};
use half::f16;
use host::reference::{difference, fill, gemm};
use host::{Contract, Device, EmulatorReport, NamedArguments};

/// Returns A, B, and D by one kernel of the pair, and the emulator's counters.
fn run(
    modules: &Modules,
    name: &'static str,
    (m, n, k): (u32, u32, u32),
) -> ([Vec<f16>; 3], Option<EmulatorReport>) {
    let (rows, columns, depth) = (m as usize, n as usize, k as usize);
    let (a, b) = (
        fill::<f16>(1, rows * depth),
        fill::<f16>(2, columns * depth),
    );
    let device = modules.device();
    let (d_a, d_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let mut d = device.alloc::<f16>(rows * columns).unwrap();
    d.fill_bytes(0xff).unwrap();
    let spec = launch_spec(name, m, n, k).unwrap();
    let launch = Contract::from(&spec)
        .argument(ARGUMENTS, HgemmArgument::M, m)
        .argument(ARGUMENTS, HgemmArgument::N, n)
        .argument(ARGUMENTS, HgemmArgument::K, k)
        .launch();
    let arguments = NamedArguments::new(ARGUMENTS)
        .with(HgemmArgument::D, &mut d)
        .with(HgemmArgument::A, &d_a)
        .with(HgemmArgument::B, &d_b)
        .with(HgemmArgument::M, m)
        .with(HgemmArgument::N, n)
        .with(HgemmArgument::K, k);
    let kernel = modules.kernel(name).unwrap();
    let ran = kernel.launch(&launch, arguments.bind().unwrap()).unwrap();
    ([a, b, d.to_vec().unwrap()], ran.report)
}

#[test]
fn by_hand_is_right_and_the_same_as_on_layouts() {
    let [on_layouts, by_hand] = PAIR;
    for device in devices() {
        let modules = load(&device);
        for (m, n, k) in [(128, 128, 32), (1, 8, 8), (300, 136, 104), (129, 256, 64)] {
            let ([a, b, found], _) = run(&modules, by_hand, (m, n, k));
            let ([_, _, same], _) = run(&modules, on_layouts, (m, n, k));
            assert!(found == same, "({m}, {n}, {k}): not the same bits");
            let expected = gemm(&a, &b, m as usize, n as usize, k as usize).unwrap();
            let difference = difference(&found, &expected).unwrap();
            // Sums are rounded to f16 after every 16 products, and each rounding is within one unit
            // of the sum.
            let steps = f64::from(k) / 16.0;
            assert!(
                difference.relative <= (steps + 1.0) * 2_f64.powi(-11),
                "({m}, {n}, {k}): {difference:?}"
            );
        }
    }
}

#[test]
fn no_access_to_shared_memory_waits_for_a_bank() {
    let modules = load(&Device::emulator());
    // There are four blocks of four warps, four steps, and rows, columns and k that end within a
    // tile.
    for (m, n, k) in [(256, 256, 128), (200, 136, 72)] {
        for name in PAIR {
            let (_, report) = run(&modules, name, (m, n, k));
            let report = report.expect("the emulator counts");
            let (mut reads, mut fills) = (0, 0);
            for line in &report.lines {
                assert_eq!(
                    line.memory.bank_conflicts, 0,
                    "{name}: {}",
                    line.instruction
                );
                if line.opcode.starts_with("ldmatrix") {
                    // An instruction reads four matrices of 128 bytes: all banks four times.
                    assert_eq!(line.memory.shared_wavefronts, 4 * line.executed);
                    reads += line.executed;
                } else if line.opcode.starts_with("cp.async.cg") {
                    fills += line.executed;
                }
            }
            // There are 16 ldmatrix per step and 8 before the loop, and 8 copies per step, for at
            // least three steps.
            let (warps, steps) = (16, u64::from(k.div_ceil(32)));
            assert_eq!(reads, warps * (16 * steps + 8), "{name}");
            assert_eq!(fills, warps * 8 * steps.max(3), "{name}");
        }
    }
}
