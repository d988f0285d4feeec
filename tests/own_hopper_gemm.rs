//! Tests an epilogue operation of another crate on Hopper's collective,
//! `examples/hopper-kernels/src/gemm.rs`: it is right under every schedule of the emulator, and on
//! a GPU if there is one. A problem without the tensors that it reads is refused.

mod common;

use cutlet::kernels::Modules;
use emulator::Schedule as Asynchronous;
use example_hopper_kernels::gemm::FUSED;
use half::bf16;
use host::gemm::{GemmError, Matrix, MatrixMut, Operands, Order, Workspace};
use host::reference::{Element, fill};
use host::{Device, EmulatorConfig, Kind};
use kernel_abi::gemm::{Activation, Epilogue, GemmProblem, Schedule};

const EPILOGUE: Epilogue = Epilogue {
    alpha: 1.0,
    beta: 1.0,
    bias: true,
    activation: Activation::Gelu,
};

/// Returns `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
fn gelu(x: f64) -> f64 {
    x / 2.0 * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3))).tanh())
}

/// Asserts that every element of D is gelu(A B + bias) + C.
fn assert_right(device: &Device, [m, n, k]: [usize; 3], schedule: Schedule) {
    let [a, b, c] =
        [(1, m * k), (2, n * k), (3, m * n)].map(|(seed, elements)| fill::<bf16>(seed, elements));
    let bias: Vec<f32> = fill(4, n);
    let [on_a, on_b, on_c] = [&a, &b, &c].map(|of| device.upload(of).unwrap());
    let on_bias = device.upload(&bias).unwrap();
    let mut on_d = device.upload(&vec![bf16::NAN; m * n]).unwrap();
    let operands = Operands {
        a: Matrix::new(&on_a, m, k),
        b: Matrix::new(&on_b, k, n).order(Order::Columns),
        c: Some(Matrix::new(&on_c, m, n)),
        d: MatrixMut::new(&mut on_d, m, n),
        bias: Some(on_bias.all()),
        scales: None,
        groups: None,
        own_extents: false,
    };
    let operands = operands.check().unwrap();
    let problem = GemmProblem {
        epilogue: EPILOGUE,
        ..*operands.problem()
    };
    let plan = FUSED.plan(&problem, schedule).unwrap();
    let own = device.load(example_ptx::hopper().unwrap()).unwrap();
    let packing = Modules::load(device).unwrap();
    let kernel = |name: &'static str| -> Result<_, GemmError> {
        if name == FUSED.kernel {
            return Ok(own.kernel(name)?);
        }
        packing
            .kernel(name)
            .map_err(|error| panic!("{name}: {error}"))
    };
    let mut workspace = Workspace::new();
    let prepared = operands
        .prepare(device, kernel, &plan, &mut workspace)
        .unwrap();
    prepared.run(None).unwrap();
    drop(prepared);
    let found = on_d.to_vec().unwrap();
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let (a, b) = (&a[i * k..][..k], &b[j * k..][..k]);
        let products = a
            .iter()
            .zip(b)
            .map(|(a, b)| Element::to_f64(*a) * Element::to_f64(*b));
        let at = i * n + j;
        let exact = gelu(products.sum::<f64>() + f64::from(bias[j])) + Element::to_f64(c[at]);
        let error = (Element::to_f64(found[at]) - exact).abs();
        // The bound has one rounding to bf16 and the error of the f32 arithmetic and of `tanh`
        // before it.
        let bound = exact.abs() / 256.0 + 2e-3;
        assert!(
            error <= bound,
            "{m}x{n}x{k} {schedule:?}: [{i}][{j}] is {}, not {exact}",
            found[at]
        );
    }
}

fn each_size(device: &Device) {
    for extents in [[1, 1, 8], [130, 264, 200], [128, 256, 64], [77, 99, 331]] {
        assert_right(device, extents, Schedule::Tiles);
    }
    assert_right(device, [300, 520, 72], Schedule::Persistent(2));
}

#[test]
fn an_operation_of_another_crate_is_right_under_every_schedule() {
    for schedule in [
        Asynchronous::Early,
        Asynchronous::Late,
        Asynchronous::Seeded(3),
    ] {
        each_size(&Device::emulator_with(EmulatorConfig {
            schedule,
            ..EmulatorConfig::default()
        }));
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() == Kind::Gpu && device.compute_capability() == (9, 0) {
            each_size(&device);
        }
    }
}

#[test]
fn what_the_plan_refuses() {
    let problem = GemmProblem::new(
        64,
        96,
        96,
        kernel_abi::gemm::InputType::Bf16,
        kernel_abi::gemm::OutputType::Same,
    );
    let plan = FUSED.plan(&problem, Schedule::Tiles);
    assert_eq!(
        plan.unwrap_err().to_string(),
        "the epilogue operation of gemm_bf16_gelu_residual reads C, and the problem has none: its `Epilogue` needs a `beta` other than 0"
    );
    // The launch that adds slices applies another operation.
    let whole = problem.with_epilogue(EPILOGUE);
    let slices = FUSED.plan(&whole, Schedule::SplitK(2)).unwrap_err();
    assert!(slices.to_string().contains("the schedule"), "{slices}");
}
