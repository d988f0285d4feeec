//! `cutlet bench attention`: attention beside cuDNN and FlashAttention-2, by PyTorch where it is installed.
//!
//! ```text
//!   Q, K, V by chance ─┬─► our kernel ────────────────► O, rows against float64 ┐
//!                      └─► files ─► PyTorch's process ─► O, the same rows ───────┴─► times in turn, three rounds; medians
//! ```

use super::super::attention::Loads;
use super::super::output::{self, DeviceReport, Report, Verdict};
use super::super::{Common, Failure};
use super::torch::Torch;
use clap::{Args, ValueEnum};
use cutlet::attention::{
    AttentionElement, AttentionMask, AttentionOperands, AttentionProblem, AttentionScales,
    Fp8AttentionProblem, HeadTensor, HeadTensorMut, Heads, cheapest, configurations_by,
    default_scale, fp8_plan, prepare, prepare_fp8,
};
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::reference::{self, Element, attention_row, difference};
use host::{Timing, time_interleaved};
use layout_types::atom::element::FloatE4M3;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::{env, fs, process};

/// Times attention beside cuDNN and FlashAttention-2, which PyTorch has
///
/// Batches × length is `--tokens`, heads × dim `--width`. Operands are shared by files, times taken in turn, each the median of three
/// rounds' medians. Without PyTorch the table has our times alone, and says so. Of e4m3 our own bf16 and PyTorch's have the same operands in
/// bf16: it has no attention of 8-bit floats.
#[derive(Args)]
pub struct BenchAttentionArguments {
    /// Queries and keys of a head
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [1024, 2048, 4096, 8192, 16384],
        value_parser = clap::value_parser!(u32).range(1..))]
    lengths: Vec<u32>,
    /// Columns of a head
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_values_t = [64, 128, 256],
        value_parser = clap::value_parser!(u32).range(1..))]
    dims: Vec<u32>,
    /// Which keys a query sees
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Mask::Full, Mask::Causal])]
    masks: Vec<Mask>,
    /// The type of Q, K, V and O
    #[arg(long, value_enum, default_value_t = Dtype::Bf16)]
    dtype: Dtype,
    /// Batches × length
    #[arg(long, value_name = "NUMBER", default_value_t = 16384, value_parser = clap::value_parser!(u32).range(1..))]
    tokens: u32,
    /// Heads × dim
    #[arg(long, value_name = "NUMBER", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    width: u32,
    /// The kernels, by how they load: cp-async (and multiply by mma.sync) or tma (and wgmma) [default: the device's]
    #[arg(long, value_enum, value_name = "LOADS")]
    loads: Option<Loads>,
    /// The Python whose PyTorch is asked
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mask {
    Full,
    Causal,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dtype {
    F16,
    Bf16,
    E4m3,
}

#[derive(Serialize)]
struct AttentionBench {
    device: DeviceReport,
    dtype: &'static str,
    /// PyTorch's version and cuDNN's, or why there is none.
    torch: String,
    rows: Vec<Row>,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Row {
    dim: u32,
    length: u32,
    batches: u32,
    heads: u32,
    mask: &'static str,
    kernel: &'static str,
    seconds: f64,
    tera_operations_per_second: f64,
    relative_frobenius: f64,
    right: bool,
    competitors: Vec<Competitor>,
}

#[derive(Serialize)]
struct Competitor {
    name: String,
    #[serde(serialize_with = "output::found_or_error")]
    found: Result<Beside, String>,
}

#[derive(Serialize)]
struct Beside {
    seconds: f64,
    /// Its time over ours.
    ratio: f64,
    relative_frobenius: f64,
    right: bool,
}

impl Report for AttentionBench {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("device", self.device.line()),
            ("beside", self.torch.clone()),
        ];
        for row in &self.rows {
            let wrong = |right| if right { "" } else { " WRONG" };
            let beside: Vec<String> = row
                .competitors
                .iter()
                .map(|of| match &of.found {
                    Ok(found) => format!(
                        "{} {:.1} µs, ratio {:.3}{}",
                        of.name,
                        found.seconds * 1e6,
                        found.ratio,
                        wrong(found.right)
                    ),
                    Err(why) => format!("{}: {why}", of.name),
                })
                .collect();
            lines.push((
                row.mask,
                format!(
                    "d {:<3}  S {:<6} {:.1} µs  {:.0} TFLOP/s  error {:.1e}{}  {}  {}",
                    row.dim,
                    row.length,
                    row.seconds * 1e6,
                    row.tera_operations_per_second,
                    row.relative_frobenius,
                    wrong(row.right),
                    beside.join("; "),
                    row.kernel
                ),
            ));
        }
        lines.push(("verdict", self.verdict.name().into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        self.verdict
    }
}

/// Rows of O that are compared with float64.
const COMPARED: usize = 32;
/// A sample lasts so many seconds at least, by executions one behind the other.
const LEAST: f64 = 3e-3;
/// Rounds, ours and each competitor's in turn.
const ROUNDS: usize = 3;

/// The files of a point's operands, removed in the end.
struct OperandFiles(Vec<PathBuf>);

impl OperandFiles {
    fn write<T: Element>(operands: [&[T]; 3]) -> Result<Self, Failure> {
        let mut files = Self(Vec::new());
        for (name, data) in ["q", "k", "v"].into_iter().zip(operands) {
            let path = env::temp_dir().join(format!("cutlet-attention-{}-{name}", process::id()));
            files.0.push(path.clone());
            fs::write(&path, bytemuck::cast_slice::<T, u8>(data))
                .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
        }
        Ok(files)
    }
}

impl Drop for OperandFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

/// Runs the command.
pub fn run(arguments: &BenchAttentionArguments) -> Result<Verdict, Failure> {
    let modules = arguments.common.open()?;
    super::needs_gpu(modules.device())?;
    let mut torch = Torch::start(&arguments.python, include_str!("attention_torch.py"));
    let mut bench = AttentionBench {
        device: DeviceReport::new(modules.device()),
        dtype: match arguments.dtype {
            Dtype::F16 => "f16",
            Dtype::Bf16 => "bf16",
            Dtype::E4m3 => "e4m3",
        },
        torch: match &torch {
            Ok(torch) => format!(
                "PyTorch {}, cuDNN {}",
                torch.about["torch"].as_str().unwrap_or_default(),
                torch.about["cudnn"]
            ),
            Err(why) => format!("{why}: our times alone"),
        },
        rows: Vec::new(),
        verdict: Verdict::Right,
    };
    for &dim in &arguments.dims {
        for &length in &arguments.lengths {
            for &mask in &arguments.masks {
                let torch = torch.as_mut().ok();
                let of = (dim, length, mask);
                bench.rows.push(match arguments.dtype {
                    Dtype::F16 => point::<f16>(&modules, arguments, of, "f16", torch),
                    Dtype::Bf16 => point::<bf16>(&modules, arguments, of, "bf16", torch),
                    Dtype::E4m3 => point::<bf16>(&modules, arguments, of, "e4m3", torch),
                }?);
            }
        }
    }
    let beside = |row: &Row| {
        !row.competitors.is_empty()
            && (row.competitors.iter()).all(|of| of.found.as_ref().is_ok_and(|found| found.right))
    };
    bench.verdict = if !bench.rows.iter().all(|row| row.right) {
        Verdict::Wrong
    } else if !bench.rows.iter().all(beside) {
        Verdict::NotCompared
    } else {
        Verdict::Right
    };
    output::print(&bench, arguments.common.json)
}

fn point<T: AttentionElement + Element>(
    modules: &Modules,
    arguments: &BenchAttentionArguments,
    (dim, length, mask): (u32, u32, Mask),
    dtype: &'static str,
    torch: Option<&mut Torch>,
) -> Result<Row, Failure> {
    let batches = (arguments.tokens / length).max(1);
    let heads = (arguments.width / dim).max(1);
    let of = Heads {
        batches,
        heads,
        rows: length,
        columns: dim,
    };
    let (is_fp8, element) = (dtype == "e4m3", T::TYPE);
    let band = match mask {
        Mask::Full => AttentionMask::Full,
        Mask::Causal => AttentionMask::Causal,
    };
    let scale = default_scale(dim);
    let problem = AttentionProblem::new(element, (batches, heads, length, dim), band, scale);
    let (rows, columns) = ((batches * heads * length) as usize, dim as usize);
    let device = modules.device();
    let in_fp8 = [0, 1 << 32, 1 << 33].map(|of| {
        let count = if is_fp8 { rows * columns } else { 0 };
        reference::fill::<FloatE4M3>(arguments.common.seed ^ of, count)
    });
    let exactly = |of: &FloatE4M3| T::from_f64(of.to_f64());
    let [q, k, v] = [0, 1, 2].map(|i: usize| match is_fp8 {
        true => in_fp8[i].iter().map(exactly).collect(),
        false => reference::fill(
            arguments.common.seed ^ [0, 1 << 32, 1 << 33][i],
            rows * columns,
        ),
    });
    let on_device = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let mut o = device.alloc::<T>(rows * columns)?;
    o.fill_bytes(0xff)?;
    let by = arguments
        .loads
        .and_then(|loads| cheapest(configurations_by(loads.of_table()), &problem));
    let plan = cutlet::attention::plan(device, &problem, by)?;
    let prepared = prepare(
        modules,
        AttentionOperands {
            q: HeadTensor::new(&on_device.0, of),
            k: HeadTensor::new(&on_device.1, of),
            v: HeadTensor::new(&on_device.2, of),
            o: HeadTensorMut::new(&mut o, of),
            lse: None,
        },
        band,
        Some(scale),
        by,
    )?;
    prepared.run(None)?;
    let on_device_fp8 = (
        device.upload(&in_fp8[0])?,
        device.upload(&in_fp8[1])?,
        device.upload(&in_fp8[2])?,
    );
    let one = device.upload(&[1.0_f32])?;
    let mut o_fp8 = device.alloc::<T>(if is_fp8 { rows * columns } else { 0 })?;
    o_fp8.fill_bytes(0xff)?;
    let (mut fp8, mut fp8_kernel) = (None, "");
    if is_fp8 {
        let of_fp8 = Fp8AttentionProblem {
            of: problem,
            scales_of_heads: false,
        };
        fp8_kernel = fp8_plan(device, &of_fp8, None)?.launch().kernel;
        let operands = AttentionOperands {
            q: HeadTensor::new(&on_device_fp8.0, of),
            k: HeadTensor::new(&on_device_fp8.1, of),
            v: HeadTensor::new(&on_device_fp8.2, of),
            o: HeadTensorMut::new(&mut o_fp8, of),
            lse: None,
        };
        let scales = AttentionScales {
            q: one.all(),
            k: one.all(),
            v: one.all(),
        };
        let ours = prepare_fp8(modules, operands, scales, band, Some(scale), None)?;
        ours.run(None)?;
        fp8 = Some(ours);
    }

    // ---- the rows that are compared, and theirs ----
    let compared = reference::sample(arguments.common.seed, rows, COMPARED);
    let head = length as usize * columns;
    let expected: Vec<f64> = compared
        .iter()
        .flat_map(|&row| {
            let keys = row / length as usize * head;
            let (k, v) = (&k[keys..][..head], &v[keys..][..head]);
            let q = &q[row * columns..][..columns];
            attention_row(&problem, row % length as usize, q, k, v).0
        })
        .collect();
    let allowed = 2.0 * T::UNIT_ROUNDOFF;
    let mut others: Vec<(String, Result<f64, String>)> = Vec::new();
    let (mut torch, mut files) = (torch, None);
    if let Some(torch) = &mut torch {
        let written = OperandFiles::write([&q, &k, &v])?;
        let path = |at: usize| written.0[at].to_string_lossy().into_owned();
        let question = json!({
            "batches": batches, "heads": heads, "rows": length, "dim": dim, "dtype": element.name(), "causal": mask == Mask::Causal,
            "scale": scale, "q": path(0), "k": path(1), "v": path(2), "compared": compared,
        });
        match torch.ask(&question) {
            Ok(Value::Object(answers)) => {
                for (name, answer) in answers {
                    others.push((name, error_of(&answer, &expected)));
                }
            }
            Ok(_) => {}
            Err(why) => others.push(("PyTorch".into(), Err(why))),
        }
        files = Some(written);
    }

    // ---- times, in turn ----
    let timing = arguments.common.timing().unwrap_or(Timing {
        warmup: 3,
        runs: 10,
    });
    let (mut ours, mut theirs) = (Vec::new(), vec![Vec::new(); others.len()]);
    let mut in_bf16 = Vec::new();
    for _ in 0..ROUNDS {
        match &fp8 {
            None => ours.push(time_interleaved(&[&prepared], timing, LEAST)?[0].0.median),
            Some(fp8) => {
                let times = time_interleaved(&[fp8, &prepared], timing, LEAST)?;
                ours.push(times[0].0.median);
                in_bf16.push(times[1].0.median);
            }
        }
        for ((name, found), times) in others.iter_mut().zip(&mut theirs) {
            if let (Ok(_), Some(torch)) = (&found, &mut torch) {
                match torch.ask(&json!({"time": name, "runs": timing.runs, "least": LEAST})) {
                    Ok(answer) => times.extend(answer["seconds"].as_f64()),
                    Err(why) => *found = Err(why),
                }
            }
        }
    }
    drop((prepared, fp8, files));
    let seconds = median(ours);
    let distance_of = |all: Vec<T>| {
        let rows = compared.iter();
        let found: Vec<T> = rows
            .flat_map(|&row| all[row * columns..][..columns].iter().copied())
            .collect();
        difference(&found, &expected).map_err(|error| Failure::Run(error.to_string()))
    };
    let mut distance = distance_of(o.to_vec()?)?;
    let mut allowed_of_ours = allowed;
    if is_fp8 {
        others.push(("bf16, ours".into(), Ok(distance.relative)));
        theirs.push(in_bf16);
        distance = distance_of(o_fp8.to_vec()?)?;
        // P is rounded to e4m3.
        allowed_of_ours = FloatE4M3::UNIT_ROUNDOFF;
    }
    Ok(Row {
        dim,
        length,
        batches,
        heads,
        mask: match mask {
            Mask::Full => "full",
            Mask::Causal => "causal",
        },
        kernel: if is_fp8 {
            fp8_kernel
        } else {
            plan.launch().kernel
        },
        seconds,
        tera_operations_per_second: problem.operations() / seconds * 1e-12,
        relative_frobenius: distance.relative,
        right: distance.not_finite == 0 && distance.relative <= allowed_of_ours,
        competitors: others
            .into_iter()
            .zip(theirs)
            .map(|((name, error), times)| Competitor {
                name,
                found: error.map(|error| {
                    let theirs = median(times);
                    Beside {
                        seconds: theirs,
                        ratio: theirs / seconds,
                        relative_frobenius: error,
                        // Their sums are in another order, and P is rounded too.
                        right: error <= 2.0 * allowed,
                    }
                }),
            })
            .collect(),
    })
}

/// The relative distance of a competitor's rows.
fn error_of(answer: &Value, expected: &[f64]) -> Result<f64, String> {
    if let Some(error) = answer["error"].as_str() {
        return Err(error.to_owned());
    }
    let rows = answer["rows"].as_array().map_or(&[][..], Vec::as_slice);
    if rows.len() != expected.len() {
        return Err(format!(
            "{} numbers came, of {}",
            rows.len(),
            expected.len()
        ));
    }
    let square = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>();
    let found = rows.iter().map(|of| of.as_f64().unwrap_or(f64::NAN));
    let distance = square(
        &mut found
            .zip(expected)
            .map(|(found, expected)| found - expected),
    );
    Ok((distance / square(&mut expected.iter().copied())).sqrt())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{error_of, median};
    use serde_json::json;

    #[test]
    fn a_competitor_s_rows_are_compared() {
        let of = |answer| error_of(&answer, &[3.0, 4.0]);
        assert_eq!(of(json!({"rows": [3.0, 4.0]})), Ok(0.0));
        assert_eq!(of(json!({"rows": [3.0, 4.5]})), Ok(0.1));
        assert_eq!(
            of(json!({"rows": [3.0]})),
            Err("1 numbers came, of 2".into())
        );
        assert_eq!(of(json!({"error": "no kernel"})), Err("no kernel".into()));
        // A NaN, which JSON does not have, is no small distance.
        assert!(of(json!({"rows": [3.0, null]})).unwrap().is_nan());
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
