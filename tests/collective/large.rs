//! Checks the benchmark sizes, which have too many elements for a float64 reference of each
//! element.
//!
//! ```text
//!   a sample of 64 rows and 64 columns of D    against float64, as everywhere
//!   every element                              against the same product by another kernel or another schedule
//! ```
//!
//! Law: the sample is within the limits of [`super::bound`]. f16 sums, whose worst case is far from
//! typical errors, are within eight standard deviations. Any two results differ by at most three
//! times the allowed error of the sample's elements; results of bytes are equal. A second launch
//! gives the same bits.

use super::bound::{Rule, finish, sum};
use super::cases::Case;
use super::data::{Kind, Place};
use super::harness::{POISON, parts, place_a, place_b, place_c, place_d, workspace};
use bytemuck::cast_slice;
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::reference::{fill, sample};
use host::{Buffer, ByValue, Launch};
use kernel_abi::gemm::{
    AccumulatorType, Activation, Epilogue, GemmProblem, InputType, Majors, OutputType, Plan,
};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};
use rayon::prelude::*;

/// The shapes that are measured: M, N and K.
pub const SHAPES: [[u32; 3]; 7] = [
    [512, 512, 512],
    [2048, 2048, 2048],
    [4096, 4096, 4096],
    [8192, 8192, 8192],
    [4096, 4096, 128],
    [8192, 512, 4096],
    [81920, 256, 256],
];

/// The operands of a shape, on the device and on the host.
pub struct Inputs {
    a: (Vec<u8>, Buffer<u8>),
    b: (Vec<u8>, Buffer<u8>),
    /// C, in each of D's two types.
    c: [(Vec<u8>, Buffer<u8>); 2],
    bias: (Vec<f32>, Buffer<f32>),
}

fn bytes(kind: Kind, seed: u64, elements: usize) -> Vec<u8> {
    match kind {
        Kind::F16 => cast_slice(&fill::<f16>(seed, elements)).to_vec(),
        Kind::Bf16 => cast_slice(&fill::<bf16>(seed, elements)).to_vec(),
        Kind::F32 | Kind::Tf32 => cast_slice(&fill::<f32>(seed, elements)).to_vec(),
        Kind::S8 => cast_slice(&fill::<i8>(seed, elements)).to_vec(),
        Kind::E4m3 => cast_slice(&fill::<FloatE4M3>(seed, elements)).to_vec(),
        Kind::E5m2 => cast_slice(&fill::<FloatE5M2>(seed, elements)).to_vec(),
        Kind::S32 => Vec::new(),
    }
}

impl Inputs {
    /// Returns random operands.
    pub fn new(module: &Modules, [m, n, k]: [u32; 3], input: InputType, seed: u64) -> Self {
        let device = module.device();
        let on_both = |kind: Kind, seed: u64, elements: u64| {
            let bytes = bytes(kind, seed, elements as usize);
            let there = device.upload(&bytes).unwrap();
            (bytes, there)
        };
        let [m, n, k] = [m, n, k].map(u64::from);
        let gemm = |output| GemmProblem::new(1, 1, 1, input, output);
        let kind = Kind::input(&gemm(OutputType::Same));
        let bias = fill::<f32>(seed + 4, n as usize);
        let of_bias = device.upload(&bias).unwrap();
        Self {
            a: on_both(kind, seed, m * k),
            b: on_both(kind, seed + 1, k * n),
            c: [
                on_both(Kind::output(&gemm(OutputType::Same)), seed + 2, m * n),
                on_both(Kind::F32, seed + 3, m * n),
            ],
            bias: (bias, of_bias),
        }
    }
}

/// Returns the products that every kernel of a group computes: a plain product, and one with every
/// option.
pub fn products(
    [m, n, k]: [u32; 3],
    input: InputType,
    accumulator: AccumulatorType,
    majors: Majors,
) -> [GemmProblem; 2] {
    let bytes = input == InputType::S8;
    let of = |output| {
        let mut gemm = GemmProblem::new(m, n, k, input, output).with_majors(majors);
        gemm.accumulator = accumulator;
        gemm
    };
    let plain = of(if bytes {
        OutputType::S32
    } else {
        OutputType::Same
    });
    let mut all = of(OutputType::F32);
    all.epilogue = Epilogue {
        alpha: if bytes { 0.000_3 } else { 0.3 },
        beta: -0.7,
        bias: true,
        activation: Activation::Gelu,
    };
    [plain, all]
}

/// Launches twice, and returns D. Both results have to be equal.
fn launch(
    module: &Modules,
    gemm: &GemmProblem,
    plan: &Plan,
    inputs: &Inputs,
) -> Result<Vec<u8>, String> {
    let said = |error: host::Error| error.to_string();
    let device = module.device();
    let size = plan.launch.buffers[0].elements as usize * Kind::output(gemm).bytes();
    let mut d = device.alloc::<u8>(size).map_err(said)?;
    let mut workspace = device.upload(&workspace(plan)).map_err(said)?;
    let nothing = device.alloc::<u8>(0).map_err(said)?;
    let no_bias = device.alloc::<f32>(0).map_err(said)?;
    let wide = usize::from(gemm.output == OutputType::F32);
    let kernel = module
        .kernel(plan.launch.kernel)
        .map_err(|error| error.to_string())?;
    let shape = Launch::new(plan.launch.grid, plan.launch.block).shared(plan.launch.shared_bytes);
    let words: [u32; 24] = bytemuck::cast(plan.params.to_u64s());
    let mut once = || {
        d.fill_bytes(POISON)?;
        let c = if gemm.epilogue.beta == 0.0 {
            &nothing
        } else {
            &inputs.c[wide].1
        };
        let bias = if gemm.epilogue.bias {
            &inputs.bias.1
        } else {
            &no_bias
        };
        let (a, b, words) = (&inputs.a.1, &inputs.b.1, ByValue(words));
        kernel.launch(&shape, (&mut d, a, b, c, bias, &mut workspace, words))?;
        d.to_vec()
    };
    let (first, second) = (once().map_err(said)?, once().map_err(said)?);
    if first == second {
        Ok(first)
    } else {
        Err("two runs differ".into())
    }
}

/// A result with which other results are compared, and how far a result may be from the exact one.
pub struct Base {
    d: Vec<u8>,
    off: f64,
    what: String,
}

/// Runs a case and compares the result. Returns the largest error of the sample, as a multiple of
/// the allowed error.
///
/// # Errors
/// Returns a message with the case if something is wrong.
pub fn check(
    module: &Modules,
    case: &Case,
    inputs: &Inputs,
    base: &mut Option<Base>,
) -> Result<f64, String> {
    compare(module, case, inputs, base).map_err(|why| format!("{case}: {why}"))
}

fn compare(
    module: &Modules,
    case: &Case,
    inputs: &Inputs,
    base: &mut Option<Base>,
) -> Result<f64, String> {
    let Case {
        configuration,
        gemm,
        schedule,
    } = case;
    let plan = configuration.plan(gemm, *schedule);
    let plan = plan.map_err(|refused| refused.to_string())?;
    let d = launch(module, gemm, &plan, inputs)?;

    let rule = Rule::of(gemm, module.device().compute_capability());
    let parts = parts(configuration, gemm, *schedule);
    let k = gemm.k as usize;
    let line = |(place, across): (Place, bool), bytes: &[u8], row: usize| {
        let number = |k: usize| {
            let (row, k) = (row as u32, k as u32);
            let (row, column) = if across { (k, row) } else { (row, k) };
            place
                .kind
                .decode(&bytes[place.at(0, row, column) * place.kind.bytes()..])
        };
        (0..k).map(number).collect::<Vec<f64>>()
    };
    let columns: Vec<(usize, Vec<f64>)> = sample(2, gemm.n as usize, 64)
        .into_par_iter()
        .map(|j| (j, line(place_b(gemm), &inputs.b.0, j)))
        .collect();
    let (of_c, of_d) = (place_c(gemm), place_d(gemm));
    let size = of_d.kind.bytes();
    let wide = usize::from(gemm.output == OutputType::F32);
    let sampled = sample(1, gemm.m as usize, 64).into_par_iter().map(|i| {
        let row = line(place_a(gemm), &inputs.a.0, i);
        let (mut worst, mut off) = (0.0f64, 0.0f64);
        for (j, column) in &columns {
            let sum = sum(&row, column, &rule, parts);
            let c = (gemm.epilogue.beta != 0.0).then(|| {
                let at = of_c.at(0, i as u32, *j as u32) * size;
                of_c.kind.decode(&inputs.c[wide].0[at..])
            });
            let bias = gemm.epilogue.bias.then(|| inputs.bias.0[*j]);
            let right = finish(gemm, sum.value, sum.likely, c, bias);
            let value = of_d
                .kind
                .decode(&d[of_d.at(0, i as u32, *j as u32) * size..]);
            let error = right.error_of(value);
            let error = error.ok_or_else(|| format!("D({i},{j}) is {value}, not {right:?}"))?;
            (worst, off) = (worst.max(error), off.max(right.allowed));
        }
        Ok::<_, String>((worst, off))
    });
    let (worst, off) =
        sampled.try_reduce(|| (0.0, 0.0), |x, y| Ok((x.0.max(y.0), x.1.max(y.1))))?;
    let Some(base) = base else {
        *base = Some(Base {
            d,
            off,
            what: case.to_string(),
        });
        return Ok(worst);
    };
    let exact =
        gemm.accumulator == AccumulatorType::S32 && gemm.epilogue.activation == Activation::None;
    let most = if exact { 0.0 } else { 3.0 * off.max(base.off) };
    let pairs = base.d.par_chunks(size).zip(d.par_chunks(size));
    let furthest = pairs
        .map(|(one, other)| {
            let distance = (of_d.kind.decode(one) - of_d.kind.decode(other)).abs();
            // NaN counts as infinitely far.
            if distance.is_nan() {
                f64::INFINITY
            } else {
                distance
            }
        })
        .reduce(|| 0.0, f64::max);
    if furthest <= most {
        Ok(worst)
    } else {
        Err(format!("{furthest:e} from {}, allowed {most:e}", base.what))
    }
}
