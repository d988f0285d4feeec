//! Compares a product by one kernel of the collective with the same product in float64.
//!
//! Law: every element of D is within the limits of [`super::bound`]; everything between and after
//! D's rows is unchanged; the workspace's counters are zero again; and a second launch gives the
//! same bits.

use super::bound::{Rule, finish, sum};
use super::cases::Case;
use super::data::{Kind, Place};
use cutlet::kernels::Modules;
use host::gemm::PlanBuffers;
use host::reference::Random;
use host::{Device, EmulatorReport};
use kernel_abi::gemm::{Configuration, GemmProblem, Major, Plan, Schedule};
use rayon::prelude::*;

/// The byte that fills D before a launch.
pub const POISON: u8 = 0xa5;

/// The operands of a product, in memory.
pub struct Operands {
    pub a: Vec<u8>,
    pub b: Vec<u8>,
    pub c: Vec<u8>,
    pub bias: Vec<f32>,
}

/// Returns A's place in memory, by rows or by columns, and whether it is by columns.
pub fn place_a(gemm: &GemmProblem) -> (Place, bool) {
    let across = gemm.majors.a() == Major::Mn;
    let (rows, columns) = if across {
        (gemm.k, gemm.m)
    } else {
        (gemm.m, gemm.k)
    };
    (
        place(gemm, 0, Kind::input(gemm), rows, columns, gemm.lda),
        across,
    )
}
/// Returns B's place in memory, by columns or by rows, and whether it is by rows.
pub fn place_b(gemm: &GemmProblem) -> (Place, bool) {
    let across = gemm.majors.b() == Major::Mn;
    let (rows, columns) = if across {
        (gemm.k, gemm.n)
    } else {
        (gemm.n, gemm.k)
    };
    (
        place(gemm, 1, Kind::input(gemm), rows, columns, gemm.ldb),
        across,
    )
}
/// Returns C's place in memory.
pub fn place_c(gemm: &GemmProblem) -> Place {
    place(gemm, 2, Kind::output(gemm), gemm.m, gemm.n, gemm.ldc)
}
/// Returns D's place in memory.
pub fn place_d(gemm: &GemmProblem) -> Place {
    place(gemm, 3, Kind::output(gemm), gemm.m, gemm.n, gemm.ldd)
}
fn place(
    gemm: &GemmProblem,
    which: usize,
    kind: Kind,
    rows: u32,
    columns: u32,
    leading: u64,
) -> Place {
    Place {
        kind,
        batches: gemm.batches,
        rows,
        columns,
        leading,
        batch_stride: gemm.batch_strides[which],
    }
}

impl Operands {
    /// Returns random operands of the size that the plan requires.
    pub fn random(gemm: &GemmProblem, plan: &Plan, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let [_, a, b, c, bias, _] = &plan.launch.buffers;
        Self {
            a: place_a(gemm).0.random(a.elements, &mut random),
            b: place_b(gemm).0.random(b.elements, &mut random),
            c: place_c(gemm).random(c.elements, &mut random),
            bias: (0..bias.elements).map(|_| random.element()).collect(),
        }
    }
}

/// Returns the workspace of a plan, where all bytes that need not be zero are not zero.
pub fn workspace(plan: &Plan) -> Vec<u8> {
    let mut contents = vec![0xffu8; plan.launch.buffers[5].elements as usize];
    contents[..plan.zeroed_bytes as usize].fill(0);
    contents
}

/// The results of launches: D's bytes after each launch, and the emulator's counters of the last
/// launch.
struct Launched {
    d: Vec<Vec<u8>>,
    report: Option<EmulatorReport>,
}

/// Launches `plan` `runs` times. An error says which kernel it is about.
fn launch(
    modules: &Modules,
    gemm: &GemmProblem,
    plan: &Plan,
    operands: &Operands,
    runs: usize,
) -> Result<Launched, String> {
    let said = |error: host::Error| error.to_string();
    let device: &Device = modules.device();
    // The addresses have exactly the alignment that the problem states.
    let shifted = |by: u32, bytes: &[u8]| {
        let by = if by >= 16 { 0 } else { by as usize };
        let buffer = device.upload(&[&vec![0; by], bytes].concat());
        buffer.map(|buffer| (buffer, by)).map_err(said)
    };
    let (a, of_a) = shifted(gemm.input_alignment, &operands.a)?;
    let (b, of_b) = shifted(gemm.input_alignment, &operands.b)?;
    let (c, of_c) = shifted(gemm.output_alignment, &operands.c)?;
    let (bias, of_bias) = shifted(
        gemm.output_alignment.max(4),
        bytemuck::cast_slice(&operands.bias),
    )?;
    let elements = plan.launch.buffers[0].elements as usize;
    let poison = vec![POISON; elements * Kind::output(gemm).bytes()];
    let mut workspace = device.upload(&workspace(plan)).map_err(said)?;
    let (mut outcomes, mut report) = (Vec::new(), None);
    for _ in 0..runs {
        let (mut d, of_d) = shifted(gemm.output_alignment, &poison)?;
        let len = d.len();
        let buffers = PlanBuffers {
            d: d.view_mut(of_d..len).map_err(said)?,
            a: a.view(of_a..a.len()).map_err(said)?,
            b: b.view(of_b..b.len()).map_err(said)?,
            c: c.view(of_c..c.len()).map_err(said)?,
            bias: bias.view(of_bias..bias.len()).map_err(said)?,
            workspace: &mut workspace,
        };
        let run = buffers.launch(|name| modules.kernel(name), plan);
        report = run
            .map_err(|error: cutlet::CutletError| error.to_string())?
            .report;
        outcomes.push(d.to_vec().map_err(said)?.split_off(of_d));
    }
    let left = workspace.to_vec().map_err(said)?;
    if left[..plan.zeroed_bytes as usize]
        .iter()
        .any(|&byte| byte != 0)
    {
        return Err("counters of the workspace are left".into());
    }
    Ok(Launched {
        d: outcomes,
        report,
    })
}

/// Returns the largest number of parts whose sums are added for a tile.
pub fn parts(configuration: &Configuration, gemm: &GemmProblem, schedule: Schedule) -> u32 {
    let steps = gemm.k.div_ceil(configuration.tile[2]);
    match schedule {
        Schedule::Tiles | Schedule::Persistent(_) => 1,
        Schedule::SplitK(parts) | Schedule::ClusterSplitK(parts) => parts.clamp(1, steps),
        Schedule::StreamK(_) => steps,
    }
}

/// The outcome of a product that was right.
pub struct Outcome {
    /// The largest distance of an element from the exact value, as a multiple of the allowed
    /// distance.
    pub worst: f64,
    /// D's bytes.
    pub d: Vec<u8>,
    /// The emulator's counters of the last launch.
    pub report: Option<EmulatorReport>,
}

/// Runs a case `runs` times, with operands from `seed`, and compares every element.
///
/// # Errors
/// Returns a message with the case if something is wrong.
pub fn check(modules: &Modules, case: &Case, seed: u64, runs: usize) -> Result<Outcome, String> {
    let plan = case.configuration.plan(&case.gemm, case.schedule);
    plan.map_err(|refused| refused.to_string())
        .and_then(|plan| check_plan(modules, case, &plan, seed, runs))
        .map_err(|why| format!("{case} seed {seed}: {why}"))
}

/// Does what [`check`] does, with a launch that may differ from the case's.
///
/// # Errors
/// Returns a message if something is wrong.
pub fn check_plan(
    modules: &Modules,
    case: &Case,
    plan: &Plan,
    seed: u64,
    runs: usize,
) -> Result<Outcome, String> {
    let Case {
        configuration,
        gemm,
        schedule,
    } = case;
    let operands = Operands::random(gemm, plan, seed);
    let Launched { d, report } = launch(modules, gemm, plan, &operands, runs)?;
    if d.windows(2).any(|two| two[0] != two[1]) {
        return Err("two runs differ".into());
    }
    let Some(d) = d.into_iter().next() else {
        return Err("nothing was run".into());
    };

    let rule = Rule::of(gemm, modules.device().compute_capability());
    let parts = parts(configuration, gemm, *schedule);
    let ((of_a, across_a), (of_b, across_b)) = (place_a(gemm), place_b(gemm));
    let (of_c, of_d) = (place_c(gemm), place_d(gemm));
    let size = of_d.kind.bytes();
    let mut written = vec![false; d.len() / size];
    let mut worst = 0.0f64;
    for batch in 0..gemm.batches {
        let a = of_a.numbers(&operands.a, batch, across_a);
        let b = of_b.numbers(&operands.b, batch, across_b);
        let k = gemm.k as usize;
        let element = |i: usize, j: usize, row: &[f64], column: &[f64]| {
            let (row_of, column_of) = (i as u32, j as u32);
            let sum = sum(row, column, &rule, parts);
            let c = (gemm.epilogue.beta != 0.0).then(|| {
                let at = of_c.at(batch, row_of, column_of) * size;
                of_c.kind.decode(&operands.c[at..])
            });
            let bias = gemm.epilogue.bias.then(|| operands.bias[j]);
            let right = finish(gemm, sum.value, sum.error, c, bias);
            let value = of_d
                .kind
                .decode(&d[of_d.at(batch, row_of, column_of) * size..]);
            right
                .error_of(value)
                .ok_or_else(|| format!("D({i},{j}) of batch {batch} is {value}, not {right:?}"))
        };
        let rows = a.par_chunks(k).enumerate().map(|(i, row)| {
            b.chunks(k)
                .enumerate()
                .try_fold(0.0f64, |worst, (j, column)| {
                    Ok::<f64, String>(worst.max(element(i, j, row, column)?))
                })
        });
        worst = worst.max(rows.try_reduce(|| 0.0, |x, y| Ok(x.max(y)))?);
        for i in 0..gemm.m {
            for j in 0..gemm.n {
                written[of_d.at(batch, i, j)] = true;
            }
        }
    }
    for (index, (written, bytes)) in written.iter().zip(d.chunks(size)).enumerate() {
        if !written && bytes.iter().any(|&byte| byte != POISON) {
            return Err(format!(
                "element {index} lies in no row of D and was written"
            ));
        }
    }
    Ok(Outcome { worst, d, report })
}
