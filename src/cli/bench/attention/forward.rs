//! Benchmarks one point of the attention forward pass, with O of 16 bits or with e4m3 inputs.

use super::super::super::Failure;
use super::super::competitor::Started;
use super::competitors::{Competitors, median};
use super::{AttentionPoint, BenchAttentionArguments, Dtype, LEAST, ROUNDS, Row};
use cutlet::attention::{
    AttentionConfiguration, AttentionElement, AttentionOperands, AttentionProblem, AttentionScales,
    Fp8AttentionProblem, HeadTensor, HeadTensorMut, cheapest, configurations_by, fp8_plan, prepare,
    prepare_fp8,
};
use cutlet::kernels::Modules;
use host::reference::{self, Element, attention_row, difference};
use host::time_interleaved;
use layout_types::atom::element::FloatE4M3;

/// Times a point, and compares rows of O.
pub fn point<T: AttentionElement + Element>(
    modules: &Modules,
    arguments: &BenchAttentionArguments,
    point: &AttentionPoint,
    started: &mut [Started],
) -> Result<Row, Failure> {
    let is_fp8 = arguments.dtype == Dtype::E4m3;
    let AttentionPoint { of, problem, .. } = point;
    let (of, scale, band) = (*of, problem.scale, problem.mask);
    let (rows, columns) = (point.rows(), problem.dim as usize);
    let device = modules.device();
    let seeds = [0, 1 << 32, 1 << 33].map(|of| arguments.common.seed ^ of);
    let count = if is_fp8 { rows * columns } else { 0 };
    let in_fp8 = seeds.map(|seed| reference::fill::<FloatE4M3>(seed, count));
    let exactly = |of: &FloatE4M3| T::from_f64(of.to_f64());
    let [q, k, v] = [0, 1, 2].map(|i: usize| match is_fp8 {
        true => in_fp8[i].iter().map(exactly).collect(),
        false => reference::fill(seeds[i], rows * columns),
    });
    let on_device = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let mut o = device.alloc::<T>(rows * columns)?;
    o.fill_bytes(0xff)?;
    let by = configuration(arguments, problem)?;
    let plan = cutlet::attention::plan(device, problem, by)?;
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
    let mut o_fp8 = device.alloc::<T>(count)?;
    o_fp8.fill_bytes(0xff)?;
    let (mut fp8, mut kernel) = (None, plan.launch().kernel);
    if is_fp8 {
        let of_fp8 = Fp8AttentionProblem {
            of: *problem,
            scales_of_heads: false,
        };
        kernel = fp8_plan(device, &of_fp8, None)?.launch().kernel;
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

    // ---- the rows that are compared, and their expected values ----
    let compared = point.compared(arguments.common.seed);
    let expected = [expected(point, &compared, &q, &k, &v)];
    let operands = [("q", &q[..]), ("k", &k), ("v", &v)];
    let question = point.question(&compared);
    let mut others = Competitors::ask(started, &operands, question, &expected)?;

    // ---- times, in turn ----
    let timing = point.timing;
    let (mut ours, mut in_bf16) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        match &fp8 {
            None => ours.push(time_interleaved(&[&prepared], timing, LEAST)?[0].0.median),
            Some(fp8) => {
                let times = time_interleaved(&[fp8, &prepared], timing, LEAST)?;
                ours.push(times[0].0.median);
                in_bf16.push(times[1].0.median);
            }
        }
        others.time(timing);
    }
    drop((prepared, fp8));
    let seconds = median(ours);
    let distance_of = |all: Vec<T>| {
        let found = point.rows_of(&all, &compared);
        difference(&found, &expected[0]).map_err(|error| Failure::Run(error.to_string()))
    };
    let mut distance = distance_of(o.to_vec()?)?;
    let mut allowed = 2.0 * T::UNIT_ROUNDOFF;
    // Competitors add in another order, and also round P.
    let allowed_of_theirs = 2.0 * allowed;
    if is_fp8 {
        others.push("bf16, ours", distance.relative, in_bf16);
        distance = distance_of(o_fp8.to_vec()?)?;
        // P is rounded to e4m3.
        allowed = FloatE4M3::UNIT_ROUNDOFF;
    }
    let right = distance.not_finite == 0 && distance.relative <= allowed;
    let competitors = others.beside(seconds, allowed_of_theirs);
    let result = (distance.relative, right);
    Ok(point.row(kernel, (seconds, problem.operations()), result, competitors))
}

/// Returns the kernel that loads as the arguments say, or `None` if they do not say.
fn configuration(
    arguments: &BenchAttentionArguments,
    problem: &AttentionProblem,
) -> Result<Option<&'static AttentionConfiguration>, Failure> {
    let Some(loads) = arguments.loads else {
        return Ok(None);
    };
    let of = cheapest(configurations_by(loads.of_table()), problem);
    let none = || format!("--loads: it has no kernel of {} columns", problem.dim);
    Ok(Some(of.ok_or_else(|| Failure::Usage(none()))?))
}

/// Computes the expected rows of O, in float64.
fn expected<T: AttentionElement + Element>(
    point: &AttentionPoint,
    compared: &[usize],
    q: &[T],
    k: &[T],
    v: &[T],
) -> Vec<f64> {
    let columns = point.problem.dim as usize;
    let row = |&row: &usize| {
        let (head, query) = point.head_of(row);
        let q = &q[row * columns..][..columns];
        attention_row(&point.problem, query, q, &k[head.clone()], &v[head]).0
    };
    compared.iter().flat_map(row).collect()
}
