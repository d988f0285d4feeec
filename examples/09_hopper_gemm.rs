//! The GEMM for Hopper in nine steps. The example checks every step, and on a GPU of compute
//! capability 9.0 it times each step beside the previous one.
//!
//! ```console
//! cargo run --release --example 09_hopper_gemm              all steps, and step 8 by hand
//! cargo run --release --example 09_hopper_gemm -- roles     one of them: tma, stages, roles, registers, persistent, order,
//!                                                           cluster, store, pingpong
//! ```
//!
//! The kernels: `examples/hopper-kernels/src`; the story: `docs/hopper-gemm.md`.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, ensure, size};
use example_hopper_kernels::{BY_HAND, STEPS, Step};
use half::f16;
use host::reference::{GemmTolerance, difference, fill, gemm_rows, sample};
use host::{
    Buffer, Contract, Device, Enqueue, Error, Kind, Launch, Module, TensorElement, TensorMap,
    TensorMapSpec, TensorSwizzle, Timing, time_interleaved,
};

/// The extents of a product.
type Extents = [usize; 3];

/// Returns the launch of a step.
fn launch(device: &Device, step: &Step, [m, n, k]: Extents) -> Launch {
    let tiles = (m as u32 / step.tile[0]) * (n as u32 / step.tile[1]);
    // There are as many CTAs as multiprocessors, rounded down to whole clusters.
    let most = device.limits().multiprocessors / step.cluster * step.cluster;
    let ctas = if step.persistent {
        tiles.min(most)
    } else {
        tiles
    };
    let contract = Contract::new()
        .of(step.kernel)
        .grid([ctas, 1, 1])
        .block(step.threads)
        .cluster([step.cluster, 1, 1])
        .shared(step.shared_bytes() as usize);
    let contract = if step.stores_boxes {
        contract
    } else {
        contract.writes_of::<f16>(0, "D", m * n, 16)
    };
    // The first two steps do not take m.
    let scalars = [("M", m), ("N", n), ("K", k)];
    let scalars = if step.threads == 128 {
        &scalars[1..]
    } else {
        &scalars[..]
    };
    let scalars = scalars.iter().enumerate();
    scalars
        .fold(contract, |contract, (at, (name, value))| {
            contract.scalar(3 + at, name, *value as u32)
        })
        .launch()
}

/// Returns the specification of a tensor map with `rows` rows and `columns` columns, in boxes with
/// `box_rows` rows and 64 columns.
fn spec(rows: usize, columns: usize, box_rows: u32) -> TensorMapSpec {
    let extents = [columns as u64, rows as u64];
    TensorMapSpec::new(
        TensorElement::F16,
        &extents,
        &[2 * columns as u64],
        &[64, box_rows],
    )
    .swizzle(TensorSwizzle::B128)
}

/// The argument for D: its buffer, or its tensor map.
enum Output<'a> {
    Buffer(&'a mut Buffer<f16>),
    Map(Box<TensorMap<'a>>),
}

impl<'a> Output<'a> {
    fn of(step: &Step, d: &'a mut Buffer<f16>, [m, n, _]: Extents) -> Result<Self, Error> {
        Ok(if step.stores_boxes {
            Self::Map(Box::new(d.tensor_map_mut(&spec(m, n, 16))?))
        } else {
            Self::Buffer(d)
        })
    }
}

/// Prepares a step, so that it can be launched again and again.
fn prepare<'a>(
    module: &Module,
    step: &Step,
    extents: Extents,
    d: &'a mut Output<'_>,
    [a, b]: [&'a TensorMap<'a>; 2],
) -> Result<Box<dyn Enqueue + 'a>, Error> {
    let kernel = module.kernel(step.kernel)?;
    let launch = launch(module.device(), step, extents);
    let [m, n, k] = extents.map(|extent| extent as u32);
    Ok(match d {
        Output::Map(d) => Box::new(kernel.prepare(&launch, (&**d, a, b, m, n, k))?),
        Output::Buffer(d) => {
            let d = &mut **d;
            if step.threads == 128 {
                Box::new(kernel.prepare(&launch, (d, a, b, n, k))?)
            } else {
                Box::new(kernel.prepare(&launch, (d, a, b, m, n, k))?)
            }
        }
    })
}

/// Runs the example.
pub fn main() -> Outcome {
    // A word that names no step, such as the filter of a test, selects no single step.
    let asked = std::env::args()
        .skip(1)
        .find(|word| STEPS.iter().any(|step| step.name == *word));
    let steps: Vec<Step> = STEPS
        .into_iter()
        .chain([BY_HAND])
        .filter(|step| asked.as_deref().is_none_or(|asked| asked == step.name))
        .collect();
    let (device, module) = Device::best_for(example_ptx::hopper()?)?;
    println!("{}", device.where_it_ran());
    // The emulator gets more k tiles than any step has stages, and tiles for more than one cluster.
    let extents = size(&device, [512, 512, 448], [4096; 3]);
    let [m, n, k] = extents;
    let (a, b): (Vec<f16>, Vec<f16>) = (fill(1, m * k), fill(2, n * k));
    let (d_a, d_b) = (device.upload(&a)?, device.upload(&b)?);
    let rows = sample(3, m, 16);
    let expected = gemm_rows(&a, &b, (m, n, k), &rows)?;
    println!("D = A·Bᵀ, {m}×{n}×{k}, f16, f32 sums");
    let mut outputs = Vec::new();
    let mut maps = Vec::new();
    for step in &steps {
        let [rows_a, rows_b] = step.box_rows();
        maps.push([
            d_a.tensor_map(&spec(m, k, rows_a))?,
            d_b.tensor_map(&spec(n, k, rows_b))?,
        ]);
        let mut d = device.alloc::<f16>(m * n)?;
        d.fill_bytes(0xff)?;
        outputs.push(d);
    }
    for ((step, d), maps) in steps.iter().zip(&mut outputs).zip(&maps) {
        let mut output = Output::of(step, d, extents)?;
        let prepared = prepare(&module, step, extents, &mut output, maps.each_ref())?;
        prepared.enqueue()?;
        drop(prepared);
        drop(output);
        let all = d.to_vec()?;
        ensure(all.iter().all(|x| !x.is_nan()), || {
            format!("{}: elements were not written", step.name)
        })?;
        let found: Vec<f16> = rows
            .iter()
            .flat_map(|&row| &all[row * n..][..n])
            .copied()
            .collect();
        let off = difference(&found, &expected)?;
        let tolerance = GemmTolerance::f32_accumulator::<f16>(k, 8, off.rms);
        ensure(tolerance.admits(&off), || {
            format!("{}: off by {:.1e}", step.name, off.relative)
        })?;
        println!("{:10} relative error {:.1e}", step.name, off.relative);
    }
    // Step 8 and the same step by hand compute the same bits.
    if let [.., store, _, by_hand] = &outputs[..] {
        let bits = |d: &Buffer<f16>| {
            d.to_vec()
                .map(|all| all.iter().map(|x| x.to_bits()).collect())
        };
        let [store, by_hand]: [Vec<u16>; 2] = [bits(store)?, bits(by_hand)?];
        ensure(store == by_hand, || "by hand the bits are others".into())?;
    }
    if device.kind() == Kind::Emulator {
        return Ok(());
    }
    let mut outputs = steps
        .iter()
        .zip(&mut outputs)
        .map(|(step, d)| Output::of(step, d, extents))
        .collect::<Result<Vec<_>, _>>()?;
    let prepared = steps
        .iter()
        .zip(&mut outputs)
        .zip(&maps)
        .map(|((step, d), maps)| prepare(&module, step, extents, d, maps.each_ref()))
        .collect::<Result<Vec<_>, _>>()?;
    let competitors: Vec<&dyn Enqueue> = prepared.iter().map(|one| &**one).collect();
    let timing = Timing {
        warmup: 2,
        runs: 20,
    };
    let times = time_interleaved(&competitors, timing, 0.0)?;
    let mut before: Option<f64> = None;
    println!(
        "{:10} {:>12} {:>9} {:>14}",
        "step", "time", "TFLOP/s", "to the last"
    );
    for (step, (time, _)) in steps.iter().zip(&times) {
        let rate = time.tera_per_second(2.0 * (m * n * k) as f64);
        let won = before.map_or_else(String::new, |before| format!("× {:.2}", rate / before));
        println!(
            "{:10} {:>9.1} µs {rate:>9.1} {won:>14}",
            step.name,
            time.median * 1e6
        );
        before = Some(rate);
    }
    Ok(())
}
