//! A product on a device: its data placed, its launch readied, its result read back.
//!
//! ```text
//!   Setup::new ─► once: poison ─► kernel ─► D     ─► time: the last kernel, in turn with cuBLAS
//! ```
//!
//! Law: what [`once`](Setup::once) gives was written by that run alone; [`Gaps`] knows every byte that it must not write.

use super::gemm::{Check, GemmRun, Theirs, orders};
use super::reference::{Expected, Logical};
use super::{GUARD, Options, POISON, Stage, memory};
use crate::Error;
use crate::gemm::{
    self, AccumulatorType, Choice, Library, Matrix, MatrixMut, Order, Scheduling, Workspace,
};
use host::cublas::{Compute, Cublas, CublasElement, Product};
use host::gemm::Prepared;
use host::reference::{self, Difference, Element, GemmTolerance};
use host::{Buffer, Clock, Device, EmulatorReport, Enqueue, Kind, Time, Timing, time_in_turn};
use std::time::Instant;

/// What can be an element of A and B here.
pub(super) trait In: Element + CublasElement + gemm::Input {}
impl<T: Element + CublasElement + gemm::Input> In for T {}
/// What can be an element of C and D.
pub(super) trait Out<I: In>: Element + CublasElement + gemm::Output<I> {}
impl<I: In, T: Element + CublasElement + gemm::Output<I>> Out<I> for T {}

/// How long a sample of short kernels lasts at least, in seconds.
const LEAST_SAMPLE: f64 = 100e-6;

/// A problem on a device: its data, and where its result goes.
pub(super) struct Setup<'a, I: In, O: Out<I>> {
    library: &'a Library,
    pub device: Device,
    problem: GemmRun,
    pub logical: Logical<I, O>,
    a: Buffer<I>,
    b: Buffer<I>,
    c: Buffer<O>,
    bias: Buffer<f32>,
    d: Buffer<O>,
    pub gaps: Gaps,
    /// The rows that are compared, those of all batches in a row.
    pub rows: Vec<usize>,
    workspace: Workspace,
    /// The kernel of the last [`once`](Setup::once).
    last: (Scheduling, Option<&'static str>),
}

/// A run for its result.
pub(super) struct Once<O> {
    pub choice: Choice,
    pub found: Vec<O>,
    pub report: Option<EmulatorReport>,
    pub seconds: f64,
}

impl<'a, I: In, O: Out<I>> Setup<'a, I, O> {
    pub fn new(
        library: &'a Library,
        problem: &GemmRun,
        options: &Options<'_>,
    ) -> Result<Self, Error> {
        let device = library.module().device();
        let rows = rows_to_compare(problem, options.check);
        fits::<I, O>(device, problem, rows.len())?;
        options.tell(Stage::Inputs);
        let logical = Logical::<I, O>::new(problem);
        let gaps = Gaps::new(problem);
        Ok(Self {
            library,
            device: device.clone(),
            problem: *problem,
            a: device.upload(&logical.a_in_memory(problem))?,
            b: device.upload(&logical.b_in_memory(problem))?,
            c: device.upload(&logical.c_in_memory(problem))?,
            bias: device.upload(&logical.bias)?,
            d: device.alloc(gaps.elements + GUARD / size_of::<O>())?,
            logical,
            gaps,
            rows,
            workspace: Workspace::new(),
            last: (Scheduling::Auto, None),
        })
    }

    /// Runs it over poison.
    pub fn once(
        &mut self,
        schedule: Scheduling,
        configuration: Option<&'static str>,
        options: &Options<'_>,
    ) -> Result<Once<O>, Error> {
        self.last = (schedule, configuration);
        self.d.fill_bytes(POISON)?;
        let (choice, prepared) = prepare(
            (self.library, &self.problem, self.last),
            (&self.a, &self.b, &self.c, &self.bias),
            &mut self.d,
            &mut self.workspace,
        )?;
        let start = Instant::now();
        let run = prepared.run(Some(&|done, total| {
            options.tell(Stage::Kernel(done, total))
        }))?;
        let seconds = start.elapsed().as_secs_f64();
        drop(prepared);
        Ok(Once {
            choice,
            found: self.d.to_vec()?,
            report: run.report,
            seconds,
        })
    }

    pub fn compare(
        &self,
        found: &[O],
        expected: &Expected,
    ) -> Result<(Difference, GemmTolerance), Error> {
        expected.compare(&self.gaps.rows(found, &self.rows))
    }

    /// The same product by cuBLAS, once, and its D.
    pub fn by_cublas(
        &self,
        cublas: &Cublas,
        compute: Compute,
        expected: &Expected,
    ) -> Result<(Theirs, Buffer<O>), Error> {
        let mut d = self.device.alloc::<O>(self.gaps.elements)?;
        d.fill_bytes(POISON)?;
        let result = match cublas.once(&mut d, &self.a, &self.b, self.product(compute)) {
            Err(error) => Err(error.to_string()),
            Ok(()) => Ok(self.compare(&d.to_vec()?, expected)?.0),
        };
        let right = result.as_ref().is_ok_and(|difference| {
            let accumulator = if compute == Compute::F16 {
                AccumulatorType::F16
            } else {
                expected.accumulator()
            };
            expected
                .tolerance(accumulator, difference.rms)
                .admits(difference)
        });
        // The time follows.
        let result = result.map(|difference| (no_time(), difference));
        Ok((
            Theirs {
                compute,
                result,
                right,
            },
            d,
        ))
    }

    fn product(&self, compute: Compute) -> Product {
        let [a_rows, b_rows] = orders(self.problem.majors);
        let GemmRun { m, n, k, .. } = self.problem;
        Product {
            a_rows,
            b_rows,
            ..Product::new((m, n, k), compute)
        }
    }

    /// The time of the last kernel, and in turn with it those of cuBLAS's calls that gave a result.
    pub fn time(
        &mut self,
        options: &Options<'_>,
        cublas: Option<&Cublas>,
        theirs: &mut [Theirs],
        beside: &mut [Buffer<O>],
    ) -> Result<Time, Error> {
        let products: Vec<Product> = theirs.iter().map(|one| self.product(one.compute)).collect();
        let (last, problem, library) = (self.last, self.problem, self.library);
        let (_, prepared) = prepare(
            (library, &problem, last),
            (&self.a, &self.b, &self.c, &self.bias),
            &mut self.d,
            &mut self.workspace,
        )?;
        let mut calls = Vec::new();
        for (at, d) in beside.iter_mut().enumerate() {
            if let (Some(cublas), true) = (cublas, theirs[at].result.is_ok()) {
                calls.push((at, cublas.prepare(d, &self.a, &self.b, products[at])?));
            }
        }
        let mut competitors: Vec<&dyn Enqueue> = vec![&prepared];
        competitors.extend(calls.iter().map(|(_, call)| call as &dyn Enqueue));
        let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
        let times = time_in_turn(&competitors, timing, LEAST_SAMPLE)?;
        for ((at, _), (time, _)) in calls.iter().zip(&times[1..]) {
            if let Ok((place, _)) = &mut theirs[*at].result {
                *place = *time;
            }
        }
        Ok(times[0].0)
    }
}

impl<I: In, O: Out<I>> Setup<'_, I, O> {
    /// The times of kernels in turn, each with a result and a workspace of its own.
    pub fn time_each(
        &self,
        kernels: &[(&'static str, Scheduling)],
        timing: Timing,
    ) -> Result<Vec<Time>, Error> {
        let mut rooms = Vec::with_capacity(kernels.len());
        for _ in kernels {
            let d = self.device.alloc::<O>(self.gaps.elements)?;
            rooms.push((d, Workspace::new()));
        }
        let mut all = Vec::with_capacity(kernels.len());
        for (&(kernel, schedule), (d, workspace)) in kernels.iter().zip(&mut rooms) {
            let (_, prepared) = prepare(
                (self.library, &self.problem, (schedule, Some(kernel))),
                (&self.a, &self.b, &self.c, &self.bias),
                d,
                workspace,
            )?;
            all.push(prepared);
        }
        let competitors: Vec<&dyn Enqueue> = all.iter().map(|one| one as &dyn Enqueue).collect();
        let times = time_in_turn(&competitors, timing, LEAST_SAMPLE)?;
        Ok(times.into_iter().map(|(time, _)| time).collect())
    }
}

/// The launch of a problem on these buffers.
fn prepare<'a, I: In, O: Out<I>>(
    (library, problem, (schedule, configuration)): (
        &Library,
        &GemmRun,
        (Scheduling, Option<&'a str>),
    ),
    (a, b, c, bias): (&'a Buffer<I>, &'a Buffer<I>, &'a Buffer<O>, &'a Buffer<f32>),
    d: &'a mut Buffer<O>,
    workspace: &'a mut Workspace,
) -> Result<(Choice, Prepared<'a>), Error> {
    let &GemmRun {
        m,
        n,
        k,
        batches,
        padding,
        majors,
        epilogue,
        accumulator,
        ..
    } = problem;
    let [m, n, k, batches, padding] = [m, n, k, batches, padding].map(|x| x as usize);
    let [a_rows, b_rows] = orders(majors);
    let order = |rows_first: bool| {
        if rows_first {
            Order::Rows
        } else {
            Order::Columns
        }
    };
    let [along_a, across_a] = if a_rows { [k, m] } else { [m, k] };
    let [along_b, across_b] = if b_rows { [n, k] } else { [k, n] };
    let [lda, ldb, ldd] = [along_a, along_b, n].map(|along| along + padding);
    let a = Matrix::new(a, m, k).order(order(a_rows)).leading(lda);
    let b = Matrix::new(b, k, n).order(order(b_rows)).leading(ldb);
    let c = Matrix::new(c, m, n).leading(ldd).batched(batches, m * ldd);
    let d = MatrixMut::new(d, m, n)
        .leading(ldd)
        .batched(batches, m * ldd);
    let options = gemm::Options {
        alpha: epilogue.alpha,
        beta: epilogue.beta,
        c: (epilogue.beta != 0.0).then_some(c),
        bias: epilogue.bias.then(|| bias.all()),
        activation: epilogue.activation,
        accumulator,
        schedule,
        configuration,
    };
    let a = a.batched(batches, across_a * lda);
    let b = b.batched(batches, across_b * ldb);
    library.prepare(&a, &b, d, &options, workspace)
}

/// A time that was not taken.
fn no_time() -> Time {
    Time::from_samples(Clock::CudaEvents, Vec::new())
}

/// Rows that a sampled check looks at.
const SAMPLED_ROWS: usize = 256;

/// Rows of D, those of all batches in a row.
fn rows_to_compare(problem: &GemmRun, check: Check) -> Vec<usize> {
    let rows = problem.m as usize * problem.batches as usize;
    let compared = match check {
        Check::Auto if problem.operations() > 2.0 * 4096.0_f64.powi(3) => SAMPLED_ROWS,
        Check::Auto | Check::Full => rows,
        Check::Sampled => SAMPLED_ROWS,
        Check::Rows(most) => most.max(1),
    };
    let compared = compared.min(rows);
    reference::sample(problem.seed, rows, compared)
}

/// Where D's rows lie in its buffer, and what lies between them.
pub(super) struct Gaps {
    rows: usize,
    columns: usize,
    leading: usize,
    elements: usize,
}

impl Gaps {
    pub fn new(problem: &GemmRun) -> Self {
        let rows = problem.m as usize * problem.batches as usize;
        let columns = problem.n as usize;
        let leading = columns + problem.padding as usize;
        Self {
            rows,
            columns,
            leading,
            elements: rows * leading,
        }
    }

    /// The elements of these rows.
    fn rows<T: Copy>(&self, all: &[T], rows: &[usize]) -> Vec<T> {
        rows.iter()
            .flat_map(|&row| &all[row * self.leading..][..self.columns])
            .copied()
            .collect()
    }

    /// Whether everything but D is poison still.
    pub fn intact<T: bytemuck::Pod>(&self, all: &[T]) -> bool {
        let poison = |part: &[T]| {
            bytemuck::cast_slice::<T, u8>(part)
                .iter()
                .all(|&byte| byte == POISON)
        };
        let between =
            |row: usize| &all[row * self.leading + self.columns..(row + 1) * self.leading];
        poison(&all[self.elements..]) && (0..self.rows).all(|row| poison(between(row)))
    }
}

fn fits<I, O>(device: &Device, problem: &GemmRun, compared: usize) -> Result<(), Error> {
    let [m, n, k, batches, padding] = [
        problem.m,
        problem.n,
        problem.k,
        problem.batches,
        problem.padding,
    ]
    .map(u128::from);
    let inputs = batches
        * ((m + padding) * (k + padding) + (n + padding) * (k + padding))
        * size_of::<I>() as u128;
    let outputs = batches * m * (n + padding) * size_of::<O>() as u128 + GUARD as u128;
    let added = if problem.epilogue.beta == 0.0 {
        0
    } else {
        outputs
    };
    // The data as it is made and as it lies in memory, the result, the reference in float64, and its packed block of B (256
    // columns).
    let on_host = 2 * (inputs + added) + outputs + 8 * (compared as u128 * n + 256 * n);
    memory::check(device, on_host, inputs + added + outputs)
}
