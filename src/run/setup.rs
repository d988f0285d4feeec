//! A product on a device: its data in memory, its prepared launch, and its result.
//!
//! ```text
//!   Setup::new ─► once(choice): poison ─► kernel ─► D     ─► time(choice): the kernel, alternating with cuBLAS
//! ```
//!
//! Law: the D of [`once`](Setup::once) was written by that run alone; [`Gaps`] covers every byte
//! that it must not write.

use super::gemm::{
    Comparison, CublasOutcome, ForeignOperands, ForeignOutcome, ForeignProduct, GemmRun, ROUNDS,
};
use super::groups::Groups;
use super::reference::{Expected, GemmData, verdict_is_possible};
use super::{GUARD, POISON, RunOptions, RunPhase, memory};
use crate::CutletError;
use crate::gemm::{
    AccumulatorType, BlockScales, BorrowedOperands, GemmProblem, InputElement, KernelChoice,
    Library, Matrix, MatrixMut, Operands, Order, OutputElement, PreparedGemm, Scaling, Workspace,
};
use host::cublas::{Compute, Cublas, CublasApi, CublasElement, CublasProduct};
use host::reference::{self, Difference, Element, GemmTolerance};
use host::{
    Buffer, Clock, Device, EmulatorReport, Enqueue, Kind, Launch, Time, Timing, time_interleaved,
};
use std::time::Instant;

/// An element type of A and B that runs here and in cuBLAS.
pub(super) trait RunInput: Element + CublasElement + InputElement {}
impl<T: Element + CublasElement + InputElement> RunInput for T {}
/// An element type of C and D.
pub(super) trait RunOutput<I: RunInput>: Element + CublasElement + OutputElement<I> {}
impl<I: RunInput, T: Element + CublasElement + OutputElement<I>> RunOutput<I> for T {}

/// The least duration of a sample of short kernels, in seconds.
pub(super) const LEAST_SAMPLE: f64 = 100e-6;

/// The number of values that [`Setup::for_times`] repeats. It is no power of two, so that rows
/// differ.
const REPEATED: usize = 1_000_003;

/// A problem on a device: its data and its result.
pub(super) struct Setup<'a, I: RunInput, O: RunOutput<I>> {
    library: &'a Library,
    pub device: Device,
    problem: GemmProblem,
    pub data: GemmData<I, O>,
    a: Buffer<I>,
    b: Buffer<I>,
    c: Buffer<O>,
    bias: Buffer<f32>,
    scales: [Buffer<f32>; 2],
    groups: Buffer<u32>,
    d: Buffer<O>,
    pub gaps: Gaps,
    /// The rows to compare. Rows of all batches are counted in sequence.
    pub rows: Vec<usize>,
    workspace: Workspace,
}

/// The result of one run.
pub(super) struct RunResult<O> {
    pub launch: Launch,
    pub d: Vec<O>,
    pub report: Option<EmulatorReport>,
    pub seconds: f64,
}

impl<'a, I: RunInput, O: RunOutput<I>> Setup<'a, I, O> {
    /// Makes the data of a run on the library's device. `list` is the list of groups of a grouped
    /// product.
    pub fn new(
        library: &'a Library,
        run: &GemmRun,
        list: &[u32],
        options: &RunOptions<'_>,
    ) -> Result<Self, CutletError> {
        let device = library.modules().device();
        let problem = run.problem;
        let groups = Groups::new(&problem, list);
        let written = written_rows(&problem, &groups);
        fits::<I, O>(device, &problem, to_compare(run, written, options.compare))?;
        let rows = rows_to_compare(run, written, options.compare);
        options.report(RunPhase::Inputs);
        let data = GemmData::<I, O>::new(&problem, groups.clone(), run.seed);
        let gaps = Gaps::new(&problem, written, groups);
        let [of_a, of_b] = &data.scales;
        Ok(Self {
            library,
            device: device.clone(),
            problem,
            a: device.upload(&data.a_in_memory(&problem))?,
            b: device.upload(&data.b_in_memory(&problem))?,
            c: device.upload(&data.c_in_memory(&problem))?,
            bias: device.upload(&data.bias)?,
            scales: [device.upload(of_a)?, device.upload(of_b)?],
            groups: device.upload(list)?,
            d: device.alloc(gaps.elements + GUARD / size_of::<O>())?,
            data,
            gaps,
            rows,
            workspace: Workspace::new(),
        })
    }

    /// Makes operands for timing, whose results are not compared: a million random values,
    /// repeated.
    pub fn for_times(library: &'a Library, run: &GemmRun) -> Result<Self, CutletError> {
        let device = library.modules().device();
        let problem = run.problem;
        let groups = Groups::new(&problem, &[]);
        fits::<I, O>(device, &problem, 0)?;
        let [a, b] = problem.contiguous().map(u64::from);
        let [m, n, k] = [problem.m, problem.n, problem.k].map(u64::from);
        let numbers = |seed: u64, elements: u64| -> Vec<I> {
            let some: Vec<I> = reference::fill(seed, REPEATED);
            some.iter()
                .copied()
                .cycle()
                .take(elements as usize)
                .collect()
        };
        let gaps = Gaps::new(&problem, m as usize, groups.clone());
        Ok(Self {
            library,
            device: device.clone(),
            problem,
            a: device.upload(&numbers(run.seed, (m + k - a) * problem.lda))?,
            b: device.upload(&numbers(!run.seed, (n + k - b) * problem.ldb))?,
            c: device.alloc(0)?,
            bias: device.alloc(0)?,
            scales: [device.alloc(0)?, device.alloc(0)?],
            groups: device.alloc(0)?,
            d: device.alloc(gaps.elements)?,
            data: GemmData::nothing(groups),
            gaps,
            rows: Vec::new(),
            workspace: Workspace::new(),
        })
    }

    /// Runs the chosen kernel over a poisoned D.
    pub fn once(
        &mut self,
        choice: &KernelChoice,
        options: &RunOptions<'_>,
    ) -> Result<RunResult<O>, CutletError> {
        self.d.fill_bytes(POISON)?;
        let inputs = Inputs {
            a: &self.a,
            b: &self.b,
            c: &self.c,
            bias: &self.bias,
            scales: &self.scales,
            groups: &self.groups,
        };
        let (d, workspace) = (&mut self.d, &mut self.workspace);
        let prepared = bind(self.library, &self.problem, choice, inputs, d, workspace)?;
        let start = Instant::now();
        let run = prepared.run(Some(&|done, total| {
            options.report(RunPhase::Kernel(done, total))
        }))?;
        let seconds = start.elapsed().as_secs_f64();
        let launch = prepared.launch().clone();
        drop(prepared);
        Ok(RunResult {
            launch,
            d: self.d.to_vec()?,
            report: run.report,
            seconds,
        })
    }

    pub fn compare(
        &self,
        d: &[O],
        expected: &Expected,
    ) -> Result<(Difference, GemmTolerance), CutletError> {
        expected.compare(&self.gaps.rows(d, &self.rows))
    }

    /// Computes the same product by cuBLAS, once. Also returns its D.
    pub fn by_cublas(
        &self,
        cublas: &Cublas,
        (compute, api): (Compute, CublasApi),
        expected: &Expected,
    ) -> Result<(CublasOutcome, Buffer<O>), CutletError> {
        let mut d = self.device.alloc::<O>(self.gaps.elements)?;
        d.fill_bytes(POISON)?;
        let accumulator = if compute == Compute::F16 {
            AccumulatorType::F16
        } else {
            expected.accumulator()
        };
        let result = match verdict_is_possible(&self.problem, accumulator) {
            Err(error) => Err(error.to_string()),
            Ok(()) => match cublas.once(&mut d, &self.a, &self.b, self.product((compute, api))) {
                Err(error) => Err(error.to_string()),
                Ok(()) => Ok(self.compare(&d.to_vec()?, expected)?.0),
            },
        };
        let right = result.as_ref().is_ok_and(|difference| {
            expected
                .tolerance(accumulator, difference.rms)
                .admits(difference)
        });
        // The time is measured later.
        let result = result.map(|difference| (no_time(), difference));
        Ok((
            CublasOutcome {
                compute,
                api,
                result,
                right,
            },
            d,
        ))
    }

    /// Computes the same product from the same bytes in another process.
    pub fn by_other(
        &self,
        other: &mut dyn ForeignProduct,
        expected: &Expected,
    ) -> Result<ForeignOutcome, CutletError> {
        let [of_a, of_b] = &self.data.scales;
        let found = other.compute(&ForeignOperands {
            problem: &self.problem,
            a: bytemuck::cast_slice(&self.data.a_in_memory(&self.problem)),
            b: bytemuck::cast_slice(&self.data.b_in_memory(&self.problem)),
            scales: [of_a, of_b],
            rows: &self.rows,
        });
        let (result, right) = match found {
            Err(why) => (Err(why), false),
            Ok(numbers) => {
                let found: Vec<O> = numbers.into_iter().map(O::from_f64).collect();
                let (difference, tolerance) = expected.compare(&found)?;
                // The time is measured later.
                let right = tolerance.admits(&difference);
                (Ok((no_time(), difference)), right)
            }
        };
        Ok(ForeignOutcome { result, right })
    }

    /// Times the chosen kernel and the other processes that gave a result, in turn. `first` is the
    /// time of the kernel's first round.
    pub fn time_rounds(
        &mut self,
        choice: &KernelChoice,
        options: &RunOptions<'_>,
        first: Time,
        others: &mut [&mut dyn ForeignProduct],
        outcomes: &mut [ForeignOutcome],
    ) -> Result<Time, CutletError> {
        let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
        let mut ours = vec![first.median];
        let mut theirs = vec![Vec::new(); others.len()];
        for round in 0..ROUNDS {
            if round > 0 {
                ours.push(self.time(choice, options, None, &mut [], &mut [])?.median);
            }
            let each = others.iter_mut().zip(&mut *outcomes).zip(&mut theirs);
            for ((other, outcome), seconds) in each.filter(|((_, of), _)| of.result.is_ok()) {
                match other.time(timing) {
                    Ok(median) => seconds.push(median),
                    Err(why) => outcome.result = Err(why),
                }
            }
        }
        for (outcome, seconds) in outcomes.iter_mut().zip(theirs) {
            if let Ok((time, _)) = &mut outcome.result {
                *time = Time::from_samples(Clock::CudaEvents, seconds);
            }
        }
        Ok(Time::from_samples(Clock::CudaEvents, ours))
    }

    fn product(&self, (compute, api): (Compute, CublasApi)) -> CublasProduct {
        let [a, b] = self.problem.majors.orders();
        let GemmProblem { m, n, k, .. } = self.problem;
        CublasProduct {
            a_rows: a == Order::Rows,
            b_rows: b == Order::Rows,
            api,
            ..CublasProduct::new((m, n, k), compute)
        }
    }

    /// Times the chosen kernel, alternating with those calls of cuBLAS that gave a result.
    pub fn time(
        &mut self,
        choice: &KernelChoice,
        options: &RunOptions<'_>,
        cublas: Option<&Cublas>,
        outcomes: &mut [CublasOutcome],
        beside: &mut [Buffer<O>],
    ) -> Result<Time, CutletError> {
        let products: Vec<CublasProduct> = outcomes
            .iter()
            .map(|outcome| self.product((outcome.compute, outcome.api)))
            .collect();
        let inputs = Inputs {
            a: &self.a,
            b: &self.b,
            c: &self.c,
            bias: &self.bias,
            scales: &self.scales,
            groups: &self.groups,
        };
        let (d, workspace) = (&mut self.d, &mut self.workspace);
        let prepared = bind(self.library, &self.problem, choice, inputs, d, workspace)?;
        let mut calls = Vec::new();
        for (at, d) in beside.iter_mut().enumerate() {
            if let (Some(cublas), true) = (cublas, outcomes[at].result.is_ok()) {
                calls.push((at, cublas.prepare(d, &self.a, &self.b, products[at])?));
            }
        }
        let mut competitors: Vec<&dyn Enqueue> = vec![&prepared];
        competitors.extend(calls.iter().map(|(_, call)| call as &dyn Enqueue));
        let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
        let times = time_interleaved(&competitors, timing, LEAST_SAMPLE)?;
        for ((at, _), (time, _)) in calls.iter().zip(&times[1..]) {
            if let Ok((place, _)) = &mut outcomes[*at].result {
                *place = *time;
            }
        }
        Ok(times[0].0)
    }

    /// Times kernels alternately. Each has its own result and workspace.
    pub fn time_each(
        &self,
        choices: &[&KernelChoice],
        timing: Timing,
    ) -> Result<Vec<Time>, CutletError> {
        let mut results = Vec::with_capacity(choices.len());
        for _ in choices {
            let d = self.device.alloc::<O>(self.gaps.elements)?;
            results.push((d, Workspace::new()));
        }
        let mut all = Vec::with_capacity(choices.len());
        for (choice, (d, workspace)) in choices.iter().zip(&mut results) {
            let inputs = Inputs {
                a: &self.a,
                b: &self.b,
                c: &self.c,
                bias: &self.bias,
                scales: &self.scales,
                groups: &self.groups,
            };
            let (library, problem) = (self.library, &self.problem);
            all.push(bind(library, problem, choice, inputs, d, workspace)?);
        }
        let competitors: Vec<&dyn Enqueue> = all.iter().map(|one| one as &dyn Enqueue).collect();
        let times = time_interleaved(&competitors, timing, LEAST_SAMPLE)?;
        Ok(times.into_iter().map(|(time, _)| time).collect())
    }
}

/// The inputs of a product, on the device.
struct Inputs<'a, I: RunInput, O: RunOutput<I>> {
    a: &'a Buffer<I>,
    b: &'a Buffer<I>,
    c: &'a Buffer<O>,
    bias: &'a Buffer<f32>,
    scales: &'a [Buffer<f32>; 2],
    groups: &'a Buffer<u32>,
}

/// Binds a problem's buffers to the chosen launch.
fn bind<'a, I: RunInput, O: RunOutput<I>>(
    library: &Library,
    problem: &GemmProblem,
    choice: &KernelChoice,
    inputs: Inputs<'a, I, O>,
    d: &'a mut Buffer<O>,
    workspace: &'a mut Workspace,
) -> Result<PreparedGemm<BorrowedOperands<'a>>, CutletError> {
    let Inputs {
        a,
        b,
        c,
        bias,
        scales: [of_a, of_b],
        groups,
    } = inputs;
    let [m, n, k] = [problem.m, problem.n, problem.k].map(|x| x as usize);
    let [batches_a, batches_b, batches_c, batches_d] = problem.matrices().map(|x| x as usize);
    let [lda, ldb, ldc, ldd] =
        [problem.lda, problem.ldb, problem.ldc, problem.ldd].map(|x| x as usize);
    let [stride_a, stride_b, stride_c, stride_d] = problem.batch_strides.map(|x| x as usize);
    let [order_a, order_b] = problem.majors.orders();
    let c = Matrix::new(c, m, n)
        .leading(ldc)
        .batched(batches_c, stride_c);
    let operands = Operands {
        a: Matrix::new(a, m, k)
            .order(order_a)
            .leading(lda)
            .batched(batches_a, stride_a),
        b: Matrix::new(b, k, n)
            .order(order_b)
            .leading(ldb)
            .batched(batches_b, stride_b),
        c: (problem.epilogue.beta != 0.0).then_some(c),
        d: MatrixMut::new(d, m, n)
            .leading(ldd)
            .batched(batches_d, stride_d),
        bias: problem.epilogue.bias.then(|| bias.all()),
        scales: (problem.scaling == Scaling::Blocks).then(|| BlockScales {
            a: of_a.all(),
            b: of_b.all(),
        }),
        groups: (problem.groups > 0).then(|| groups.all()),
        own_extents: problem.own_extents,
    };
    library.bind(choice, operands.check()?, workspace)
}

/// Returns a time without samples, for a call that is timed later.
pub(super) fn no_time() -> Time {
    Time::from_samples(Clock::CudaEvents, Vec::new())
}

/// The number of rows that a sampled check compares.
const SAMPLED_ROWS: usize = 256;

/// Returns the number of rows of D that a product writes: those of all batches, or of all groups.
fn written_rows(problem: &GemmProblem, groups: &Groups) -> usize {
    if problem.groups == 0 {
        return problem.m as usize * problem.batches as usize;
    }
    groups.rows()
}

/// Returns the number of rows of D to compare, out of the `rows` that are written.
fn to_compare(run: &GemmRun, rows: usize, compare: Comparison) -> usize {
    let problem = &run.problem;
    let compared = match compare {
        Comparison::Auto if problem.operations() > 2.0 * 4096.0_f64.powi(3) => SAMPLED_ROWS,
        Comparison::Auto | Comparison::Full => rows,
        Comparison::Sampled => SAMPLED_ROWS,
        Comparison::Rows(most) => most.max(1),
    };
    compared.min(rows)
}

/// Returns the rows of D to compare. Rows of all batches are counted in sequence.
pub(super) fn rows_to_compare(run: &GemmRun, rows: usize, compare: Comparison) -> Vec<usize> {
    reference::sample(run.seed, rows, to_compare(run, rows, compare))
}

/// D's rows in its buffer, and the gaps between them.
pub(super) struct Gaps {
    rows: usize,
    /// The number of rows that are written.
    written: usize,
    /// The groups, whose N may give a row fewer columns.
    groups: Groups,
    leading: usize,
    elements: usize,
}

impl Gaps {
    /// Returns the gaps of a problem of which `written` rows are written.
    pub fn new(problem: &GemmProblem, written: usize, groups: Groups) -> Self {
        let rows = problem.m as usize * problem.batches as usize;
        let leading = problem.ldd as usize;
        Self {
            rows,
            written,
            groups,
            leading,
            elements: rows * leading,
        }
    }

    /// Returns the number of rows that are written.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Returns the number of elements of D's buffer.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Returns the elements of these rows.
    pub fn rows<T: Copy>(&self, all: &[T], rows: &[usize]) -> Vec<T> {
        rows.iter()
            .flat_map(|&row| &all[row * self.leading..][..self.groups.extents_of(row)[0]])
            .copied()
            .collect()
    }

    /// Whether every element outside D still holds the poison.
    pub fn intact<T: bytemuck::Pod>(&self, all: &[T]) -> bool {
        let poison = |elements: &[T]| {
            bytemuck::cast_slice::<T, u8>(elements)
                .iter()
                .all(|&byte| byte == POISON)
        };
        let between = |row: usize| {
            let [columns, _] = self.groups.extents_of(row);
            &all[row * self.leading + columns..(row + 1) * self.leading]
        };
        poison(&all[self.written * self.leading..])
            && (0..self.written.min(self.rows)).all(|row| poison(between(row)))
    }
}

/// Refuses a problem whose data the machine or the device cannot hold.
fn fits<I, O>(device: &Device, problem: &GemmProblem, compared: usize) -> Result<(), CutletError> {
    let [m, n, k] = [problem.m, problem.n, problem.k].map(u128::from);
    let [batches_a, batches_b, _, batches_d] = problem.matrices().map(u128::from);
    // The elements of A's and of B's rows in memory, by their leading dimensions.
    let [a, b] = problem.contiguous().map(u128::from);
    let a = (m + k - a) * u128::from(problem.lda);
    let b = (n + k - b) * u128::from(problem.ldb);
    let inputs = (batches_a * a + batches_b * b) * size_of::<I>() as u128;
    let outputs = batches_d * m * u128::from(problem.ldd) * size_of::<O>() as u128 + GUARD as u128;
    let added = if problem.epilogue.beta == 0.0 {
        0
    } else {
        outputs
    };
    // The memory of the host: the data as it is made and in its memory layout, the result, the
    // numbers of the compared rows, these rows with their reference in float64, and the reference's
    // packed block of B (256 columns).
    let compared = compared as u128;
    let of_rows = 8 * compared + (8 + size_of::<O>() as u128) * compared * n;
    let on_host = 2 * (inputs + added) + outputs + of_rows + 8 * 256 * n;
    memory::check(device, on_host, inputs + added + outputs)
}
