//! Products with weights of few bits: published codes are packed once and the library chooses a
//! kernel; then a format and kernels of this crate. All are compared with float64.
//!
//! ```console
//! cargo run --release --example 11_weights
//! ```
//!
//! This crate's own kernels: `examples/weights-kernels`. `cutlet bench weights` times the library's
//! kernels beside cuBLAS.

#[path = "common/mod.rs"]
mod common;

use common::Outcome;
use cutlet::kernels::Modules;
use cutlet::run::{RunOptions, WeightsRun, weights_gemm_by};
use cutlet::weights::{
    self, FormatValue, InputType, Published, Weights, WeightsChoice, WeightsLibrary,
    WeightsOperands, WeightsProblem, published,
};
use example_weights_kernels::{Fp4Bf16T8, Fp4G64};
use half::bf16;
use host::Device;

/// Runs the example.
pub fn main() -> Outcome {
    // A layer of 96 rows and 256 columns as GPTQ publishes it: words of codes, and scales.
    let (n, k) = (96, 256);
    let int4 = weights::format("int4:128", InputType::Bf16)?;
    let qweight: Vec<u8> = host::reference::fill_bits(1, (n * k / 2) as usize);
    let code = published(&qweight, Published::Gptq, n, k);
    let scale = |row: u32, group: u32| bf16::from_f32(0.01 * (1 + row % 3 + group) as f32);
    let device = Device::emulator();
    let packed = Weights::upload(
        &device,
        int4,
        (n, k),
        &code,
        |row, group| scale(row, group).to_bits().into(),
        |_, _| 0,
    )?;
    println!(
        "{n} x {k} packed as {}: {} bytes",
        packed.packed(),
        packed.bytes()
    );

    // X is three tokens of ones, so D has the sum of each row's weights.
    let library = WeightsLibrary::new(Modules::load(&device)?);
    let m = 3;
    let problem = WeightsProblem::new((m, n, k), InputType::Bf16, packed.packed());
    let choice = library.choose(&problem, None)?;
    let x = device.upload(&vec![bf16::ONE; (m * k) as usize])?;
    let mut d = device.alloc::<bf16>((m * n) as usize)?;
    let operands = WeightsOperands {
        x: &x,
        weights: &packed,
        c: None,
        bias: None,
        d: &mut d,
    };
    library.prepare(&choice, operands)?.run(None)?;
    for (at, found) in d.to_vec()?.iter().enumerate() {
        let row = at as u32 % n;
        let weight = |of: u32| (code(row, of) as f64 - 8.0) * scale(row, of / 128).to_f64();
        let sum: f64 = (0..k).map(weight).sum();
        let near = (found.to_f64() - sum).abs() <= sum.abs() / 256.0 + 1e-4;
        common::ensure(near, || format!("row {row}: {found}, not {sum}"))?;
    }
    println!("{}: right", choice.configuration.kernel);

    // The example's own format, with the example's own kernel.
    let module = device.load(example_ptx::weights()?)?;
    let configuration = Fp4Bf16T8::CONFIGURATION;
    let kernel = module.kernel(configuration.kernel)?;
    let run = WeightsRun {
        problem: WeightsProblem::new((7, 100, 640), InputType::Bf16, configuration.packed),
        format: FormatValue::new::<Fp4G64>(configuration.packed),
        tensor_scale: 1.0,
        kernel: None,
        seed: 5,
    };
    let choice = WeightsChoice {
        configuration,
        plan: configuration.plan(&run.problem, &weights::resources(&device))?,
    };
    let outcome = weights_gemm_by(&kernel, &choice, &run, &RunOptions::default())?;
    let error = outcome.difference.relative;
    println!("{}: relative error {error:.1e}", configuration.kernel);
    common::ensure(outcome.right(), || "beyond what is allowed".into())
}
