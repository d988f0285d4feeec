//! Tests GEMM configurations of another crate: one with its own epilogue operation,
//! `examples/kernels/src/fused_gemm.rs`, and one with its own loader of A,
//! `examples/kernels/src/relu_gemm.rs`. They are right on both devices, and `cutlet check` and
//! `cutlet profile` treat such a kernel like any other.

mod common;

use common::{cutlet, devices};
use example_kernels::fused_gemm::Fused;
use example_kernels::relu_gemm::ReluGemm;
use gpu_kernels::gemm::config::GemmConfig;
use half::bf16;
use host::reference::fill;
use host::{ByValue, Contract, Device, Launch};
use kernel_abi::gemm::{
    Activation, Configuration, Epilogue, GemmProblem, InputType, OutputType, Schedule,
};
use std::process::Command;

/// Returns the problem. Its epilogue names C and the bias, so the plan requires their buffers.
fn problem(m: u32, n: u32, k: u32) -> GemmProblem {
    GemmProblem::new(m, n, k, InputType::Bf16, OutputType::Same).with_epilogue(Epilogue {
        alpha: 1.0,
        beta: 1.0,
        bias: true,
        activation: Activation::Gelu,
    })
}

/// Returns `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
fn gelu(x: f64) -> f64 {
    x / 2.0 * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
}

/// Returns D by a kernel of the examples. The operands have the lengths that its plan requires.
fn computed(
    device: &Device,
    configuration: &Configuration,
    (problem, schedule): (GemmProblem, Schedule),
    [a, b, c]: [&[bf16]; 3],
    bias: &[f32],
) -> Vec<bf16> {
    let plan = configuration.plan(&problem, schedule).unwrap();
    let [d, .., workspace] = plan.launch.buffers.map(|buffer| buffer.elements);
    let [on_a, on_b, on_c] = [a, b, c].map(|operand| device.upload(operand).unwrap());
    let on_bias = device.upload(bias).unwrap();
    let mut on_d = device.upload(&vec![bf16::NAN; d as usize]).unwrap();
    let mut workspace = device.upload(&vec![0u8; workspace as usize]).unwrap();
    let module = device.load(example_ptx::ptx().unwrap()).unwrap();
    let kernel = module.kernel(plan.launch.kernel).unwrap();
    let shape = Launch::new(plan.launch.grid, plan.launch.block).shared(plan.launch.shared_bytes);
    let arguments = (
        &mut on_d,
        &on_a,
        &on_b,
        &on_c,
        &on_bias,
        &mut workspace,
        ByValue(plan.params.to_u64s()),
    );
    kernel.launch(&shape, arguments).unwrap();
    on_d.to_vec().unwrap()
}

/// Asserts that every element of D is gelu(A B + bias) + C.
fn assert_right(device: &Device, problem: GemmProblem, schedule: Schedule) {
    let plan = Fused::CONFIGURATION.plan(&problem, schedule).unwrap();
    let [_, a, b, c, bias, _] = plan.launch.buffers.map(|buffer| buffer.elements);
    let [a, b, c]: [Vec<bf16>; 3] =
        [(1, a), (2, b), (3, c)].map(|(seed, elements)| fill(seed, elements as usize));
    let bias: Vec<f32> = fill(4, bias as usize);
    let found = computed(
        device,
        &Fused::CONFIGURATION,
        (problem, schedule),
        [&a, &b, &c],
        &bias,
    );
    let [m, n, k] = [problem.m, problem.n, problem.k].map(|extent| extent as usize);
    for batch in 0..problem.batches as usize {
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (a, b) = (&a[(batch * m + i) * k..], &b[(batch * n + j) * k..]);
            let products = a[..k].iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64());
            let at = (batch * m + i) * n + j;
            let of_c = batch * problem.batch_strides[2] as usize + i * problem.ldc as usize + j;
            let exact = gelu(products.sum::<f64>() + f64::from(bias[j])) + c[of_c].to_f64();
            let error = (found[at].to_f64() - exact).abs();
            // The bound has one rounding to bf16 and the error of the f32 arithmetic before it.
            let bound = exact.abs() / 256.0 + 1e-5 * k as f64;
            assert!(
                error <= bound,
                "{problem:?} {schedule:?}: [{i}][{j}] is {}, not {exact}",
                found[at]
            );
        }
    }
}

#[test]
fn c_may_be_one_row() {
    for device in devices() {
        for (m, n, k) in [(70, 104, 40), (33, 7, 16)] {
            let mut problem = problem(m, n, k);
            problem.ldc = 0;
            assert_right(&device, problem, Schedule::Tiles);
        }
    }
}

#[test]
fn what_the_operation_reads_and_the_problem_has_not_is_refused() {
    let refused = |epilogue: Epilogue| {
        let problem = problem(64, 96, 96).with_epilogue(epilogue);
        let plan = Fused::CONFIGURATION.plan(&problem, Schedule::Tiles);
        plan.unwrap_err().to_string()
    };
    let both = problem(64, 96, 96).epilogue;
    let said = "the epilogue operation of gemm_bf16_f32_tn_64x96x32_s3_gelu_residual reads";
    assert_eq!(
        refused(Epilogue { beta: 0.0, ..both }),
        format!("{said} C, and the problem has none: its `Epilogue` needs a `beta` other than 0")
    );
    assert_eq!(
        refused(Epilogue {
            bias: false,
            ..both
        }),
        format!("{said} a bias, and the problem has none: its `Epilogue` needs `bias: true`")
    );
}

#[test]
fn a_d_of_another_type_than_the_problem_s_is_refused() {
    let device = Device::emulator();
    let problem = GemmProblem {
        output: OutputType::F32,
        ..problem(64, 96, 96)
    };
    let plan = Fused::CONFIGURATION
        .plan(&problem, Schedule::Tiles)
        .unwrap();
    let module = device.load(example_ptx::ptx().unwrap()).unwrap();
    let kernel = module.kernel(plan.launch.kernel).unwrap();
    let of = |at: usize| {
        let elements = plan.launch.buffers[at].elements as usize;
        device.alloc::<bf16>(elements).unwrap()
    };
    let (mut d, a, b, c) = (of(0), of(1), of(2), of(3));
    let bias = device.alloc::<f32>(96).unwrap();
    let mut workspace = device.alloc::<u8>(0).unwrap();
    let parameters = ByValue(plan.params.to_u64s());
    let arguments = (&mut d, &a, &b, &c, &bias, &mut workspace, parameters);
    let launch = Contract::from(&plan.launch).launch();
    let error = kernel.launch(&launch, arguments).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "argument 0 (`D`) has elements of 2 bytes (half::bfloat::bf16); the kernel's have 4"
        ),
        "{error}"
    );
}

#[test]
fn a_configuration_of_another_crate_is_right_on_both_devices() {
    for device in devices() {
        for (m, n, k) in [
            (64, 96, 96),
            (70, 104, 40),
            (1, 1, 8),
            (130, 97, 72),
            (65, 200, 200),
        ] {
            assert_right(&device, problem(m, n, k), Schedule::Tiles);
        }
        assert_right(&device, problem(65, 97, 264), Schedule::SplitK(3));
        assert_right(&device, problem(129, 104, 136), Schedule::StreamK(5));
        assert_right(
            &device,
            problem(33, 40, 48).with_batches(3),
            Schedule::Tiles,
        );
    }
}

#[test]
fn check_and_profile_take_a_kernel_of_another_crate() {
    let folder = std::env::temp_dir().join(format!("cutlet-own-gemm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("fused_gemm.toml");
    std::fs::write(&file, include_str!("../examples/fused_gemm.toml")).unwrap();
    std::fs::write(folder.join("fused_gemm.ptx"), example_ptx::ptx().unwrap()).unwrap();
    let kernel = Fused::CONFIGURATION.kernel;
    for (command, says) in [("check", "no finding"), ("profile", kernel)] {
        let mut run = Command::new(cutlet());
        run.arg(command).arg(&file);
        if command == "profile" {
            run.args(["--size", "m=128", "--size", "n=104", "--size", "k=40"]);
        }
        let output = run.output().unwrap();
        let report = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {report}{errors}");
        assert!(report.contains(says), "{command}: {report}{errors}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks the law of `OperandLoader` for a loader of another crate, element by element: a stage has
/// relu(A) in bounds and zeros elsewhere. Between its rows A has NaNs, which a load out of bounds
/// would bring.
#[test]
fn a_loader_of_another_crate_keeps_the_law() {
    for device in devices() {
        let module = device.load(example_ptx::ptx().unwrap()).unwrap();
        let kernel = module.kernel("relu_a_stages").unwrap();
        for (m, k, ld) in [(64_u32, 96_u32, 96_u32), (70, 40, 48), (1, 8, 16)] {
            let [rows, columns, pitch] = [m, k, ld].map(|extent| extent as usize);
            let values: Vec<bf16> = fill(5, rows * pitch);
            let in_row = |i: usize| i % pitch < columns;
            let a = values.iter().enumerate();
            let a: Vec<bf16> = a
                .map(|(i, &x)| if in_row(i) { x } else { bf16::NAN })
                .collect();
            let on_a = device.upload(&a).unwrap();
            for tile in 0..2 {
                let mut stages = device.upload(&[bf16::NAN; 3 * 64 * 32]).unwrap();
                let launch = Launch::new(1, 128).shared(3 * 64 * 32 * 2);
                let arguments = (&mut stages, &on_a, m, k, ld, tile);
                kernel.launch(&launch, arguments).unwrap();
                for (i, found) in stages.to_vec().unwrap().into_iter().enumerate() {
                    let row = 64 * tile as usize + i / 32 % 64;
                    let column = i / (64 * 32) * 32 + i % 32;
                    let exact = match row < rows && column < columns {
                        true => a[row * pitch + column].to_f64().max(0.0),
                        false => 0.0,
                    };
                    assert_eq!(found.to_f64(), exact, "({m},{k}): [{row}][{column}]");
                }
            }
        }
    }
}

/// Asserts that every element of D is that of the product of relu(A) and B, in float64.
fn assert_relu(device: &Device, problem: GemmProblem, schedule: Schedule) {
    let plan = ReluGemm::CONFIGURATION.plan(&problem, schedule).unwrap();
    let [_, a, b, ..] = plan.launch.buffers.map(|buffer| buffer.elements as usize);
    let (a, b): (Vec<bf16>, Vec<bf16>) = (fill(6, a), fill(7, b));
    let found = computed(
        device,
        &ReluGemm::CONFIGURATION,
        (problem, schedule),
        [&a, &b, &[]],
        &[],
    );
    let [m, n, k] = [problem.m, problem.n, problem.k].map(|extent| extent as usize);
    for (at, found) in found.iter().enumerate() {
        let (batch, i, j) = (at / n / m, at / n % m, at % n);
        let (a, b) = (&a[(batch * m + i) * k..], &b[(batch * n + j) * k..]);
        let products = a[..k]
            .iter()
            .zip(b)
            .map(|(a, b)| a.to_f64().max(0.0) * b.to_f64());
        let exact: f64 = products.sum();
        let bound = exact.abs() / 256.0 + 1e-5 * k as f64;
        assert!(
            (found.to_f64() - exact).abs() <= bound,
            "{problem:?} {schedule:?}: [{i}][{j}] is {found}, not {exact}"
        );
    }
}

#[test]
fn a_loader_of_another_crate_is_right_under_every_schedule() {
    let problem = |m, n, k| GemmProblem::new(m, n, k, InputType::Bf16, OutputType::Same);
    for device in devices() {
        for (m, n, k) in [(64, 96, 96), (70, 104, 40), (1, 1, 8), (130, 97, 200)] {
            assert_relu(&device, problem(m, n, k), Schedule::Tiles);
        }
        assert_relu(&device, problem(65, 97, 264), Schedule::SplitK(3));
        assert_relu(&device, problem(129, 104, 136), Schedule::StreamK(5));
        assert_relu(
            &device,
            problem(33, 40, 48).with_batches(3),
            Schedule::Tiles,
        );
    }
    let unaligned = ReluGemm::CONFIGURATION.plan(&problem(64, 96, 12), Schedule::Tiles);
    assert!(unaligned.unwrap_err().to_string().contains("alignment"));
}
