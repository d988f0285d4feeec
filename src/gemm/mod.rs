//! Matrix products in one call: `D = act(alpha A B + beta C + bias)` on any device, with a kernel
//! that is chosen for the shape.
//!
//! ```text
//!   Matrix a, b ─┐                      ┌─► table, by shape ─► kernel ─► launch, once, checked
//!   MatrixMut d ─┼─► gemm(&device, ..) ─┤
//!   GemmOptions     ─┘                      └─► CutletError: shapes, strides, alignment, types, overlap, workspace, in values
//! ```
//!
//! ```
//! use cutlet::gemm::{Matrix, MatrixMut, GemmOptions, Order, AccumulatorType, gemm};
//! use cutlet::prelude::*;
//!
//! let device = Device::best();
//! let (m, n, k) = (40, 24, 16);
//! let a = device.upload(&vec![f16::ONE; m * k])?;
//! let b = device.upload(&vec![f16::ONE; k * n])?;
//! let mut d = device.upload(&vec![f16::ZERO; m * n])?;
//! gemm(
//!     &device,
//!     &Matrix::new(&a, m, k),
//!     &Matrix::new(&b, k, n).order(Order::Columns),
//!     &mut MatrixMut::new(&mut d, m, n),
//!     &GemmOptions { alpha: 0.5, accumulator: Some(AccumulatorType::F16), ..GemmOptions::default() },
//! )?;
//! assert!(d.to_vec()?.iter().all(|&x| x == f16::from_f32(8.0)));
//! # Ok::<(), cutlet::CutletError>(())
//! ```
//!
//! Grouped products, for mixtures of experts: the rows of A and D belong to groups, one group after
//! the other, and each group has its own B. The number of rows of each group lies in a list on the
//! device; one launch computes all groups, with the kernels for compute capability 9.0. If groups
//! also have their own N and K, the list has three numbers per group: [`GemmOptions::own_extents`].
//!
//! ```
//! use cutlet::gemm::{Matrix, MatrixMut, GemmOptions, Order, gemm};
//! use cutlet::prelude::*;
//!
//! let device = Device::best();
//! let (rows, n, k) = (30, 24, 16);
//! let groups = device.upload(&[20_u32, 0, 10])?;
//! let a = device.upload(&vec![f16::ONE; rows * k])?;
//! // Three matrices, of ones, twos and threes.
//! let b: Vec<f16> = (0..3 * k * n).map(|at| f16::from_f32((1 + at / (k * n)) as f32)).collect();
//! let b = device.upload(&b)?;
//! let mut d = device.upload(&vec![f16::ZERO; rows * n])?;
//! gemm(
//!     &device,
//!     &Matrix::new(&a, rows, k),
//!     &Matrix::new(&b, k, n).order(Order::Columns).batched(3, k * n),
//!     &mut MatrixMut::new(&mut d, rows, n),
//!     &GemmOptions { groups: Some(groups.all()), ..GemmOptions::default() },
//! )?;
//! let d = d.to_vec()?;
//! assert_eq!([d[0], d[20 * n - 1], d[20 * n], d[30 * n - 1]], [16.0, 16.0, 48.0, 48.0].map(f16::from_f32));
//! # Ok::<(), cutlet::CutletError>(())
//! ```
//!
//! `host` describes a product's operands and launches a plan; `gpu-kernels` describes its kernels
//! in plain numbers, the types of `kernel-abi`. This module connects the two, so that neither
//! depends on the other.
//!
//! A product is described once, as a [`GemmProblem`]: by the operands, or by the code that makes
//! operands for it. [`Configuration::plan`] checks it once, and [`Library::choose`] chooses its
//! kernel once.
//!
//! Law: the result equals the float64 reference up to the rounding of the accumulator and one
//! rounding to D's type, or two if [`GemmOptions::reducing_store`] allows it. Runs of the same
//! choice give the same bits. The launch writes only D's elements.

mod device;
pub mod distributed;
pub mod fit;
mod recent;

pub use gpu_kernels_sm100::gemm::scaled::CONFIGURATIONS as SCALED_CONFIGURATIONS;
pub use host::gemm::{
    BlockScales, BorrowedOperands, CheckedOperands, GemmError, InputElement, Matrix, MatrixMut,
    Operands, Order, OutputElement, PreparedGemm, Workspace,
};
pub use kernel_abi::gemm::{
    AccumulatorType, Activation, Configuration, Epilogue, GemmProblem, InputType, Majors,
    OutputType, Scaling, Schedule,
};
pub use kernel_choice::select::{KernelChoice, KernelRequest};
pub use kernel_choice::{
    Named, Point, ScheduleRequest, Table, TableError, cache_file, model, output_name, output_of,
    select,
};

use crate::{CutletError, kernels};
use bytemuck::Pod;
use host::{Device, Progress, Run, View};
use kernel_choice::KernelDevice;
use kernels::Modules;
use recent::Recent;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All kernels: those for Ampere, then those for Hopper, then those for Blackwell, which no card
/// has run.
pub static CONFIGURATIONS: &[Configuration] = &all();

static AMPERE: &[Configuration] = gpu_kernels::gemm::CONFIGURATIONS;
static HOPPER: &[Configuration] = gpu_kernels_sm90::gemm::CONFIGURATIONS;
static BLACKWELL: &[Configuration] = gpu_kernels_sm100::gemm::CONFIGURATIONS;

const fn all() -> [Configuration; AMPERE.len() + HOPPER.len() + BLACKWELL.len()] {
    let mut all = [HOPPER[0]; AMPERE.len() + HOPPER.len() + BLACKWELL.len()];
    let tables = [AMPERE, HOPPER, BLACKWELL];
    let (mut at, mut table) = (0, 0);
    while table < tables.len() {
        let mut line = 0;
        while line < tables[table].len() {
            all[at] = tables[table][line];
            at += 1;
            line += 1;
        }
        table += 1;
    }
    all
}

/// The inputs of a product besides A, B and D.
#[derive(Clone, Debug)]
pub struct GemmOptions<'a, O: Pod> {
    /// The factor of the accumulator.
    pub alpha: f32,
    /// The factor of C. With 0, C is not read.
    pub beta: f32,
    /// C. Without a C, and if `beta` is not 0, C is the previous contents of D.
    pub c: Option<Matrix<'a, O>>,
    /// The bias: one number per column of D, added to every row.
    pub bias: Option<View<'a, f32>>,
    /// The scales of A and B by blocks of 128, for e4m3 floats, without C and a bias; otherwise
    /// `alpha` contains the product of their scales.
    pub scales: Option<BlockScales<'a>>,
    /// The number of rows of each group of a grouped product: see [`Operands::groups`].
    pub groups: Option<View<'a, u32>>,
    /// Whether that list has M, N and K for each group: see [`Operands::own_extents`].
    pub own_extents: bool,
    /// The epilogue's last operation.
    pub activation: Activation,
    /// The accumulator type. The default is f32, or for s8 32-bit integers. An f16 accumulator is a
    /// preference: if no kernel computes the product with it, the accumulator is f32.
    pub accumulator: Option<AccumulatorType>,
    /// Whether a product with `beta` 1 and no other epilogue operation may be rounded to D's type
    /// before it is added to the contents of D: see [`GemmProblem::reducing_store`]. Ignored for a
    /// product with a separate C.
    pub reducing_store: bool,
    /// The schedule.
    pub schedule: ScheduleRequest,
    /// The kernel's name. By default the table chooses a kernel for the shape.
    pub configuration: Option<&'a str>,
}

impl<O: Pod> GemmOptions<'_, O> {
    /// Returns the problem of these operands with these options.
    fn problem(&self, by_operands: &GemmProblem) -> GemmProblem {
        GemmProblem {
            accumulator: self.accumulator.unwrap_or(by_operands.accumulator),
            epilogue: Epilogue {
                alpha: self.alpha,
                beta: self.beta,
                bias: by_operands.epilogue.bias,
                activation: self.activation,
            },
            reducing_store: self.reducing_store && self.c.is_none(),
            ..*by_operands
        }
    }

    fn request(&self) -> KernelRequest<'_> {
        KernelRequest {
            schedule: self.schedule,
            configuration: self.configuration,
        }
    }
}

impl<O: Pod> Default for GemmOptions<'_, O> {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 0.0,
            c: None,
            bias: None,
            scales: None,
            groups: None,
            own_extents: false,
            activation: Activation::None,
            accumulator: None,
            reducing_store: false,
            schedule: ScheduleRequest::Auto,
            configuration: None,
        }
    }
}

/// The outcome of a product that was computed.
#[derive(Debug)]
pub struct Computed {
    /// The kernel and its launch.
    pub choice: KernelChoice,
    /// The device's counts.
    pub run: Run,
}

/// Computes `d = act(alpha a b + beta c + bias)`.
///
/// `a` is `(m, k)`, `b` `(k, n)`, each row-major or column-major; `d` is `(m, n)`, row-major. The
/// device's kernels are compiled at the first call, and kept.
///
/// # Errors
/// Returns [`CutletError::Gemm`] if the operands do not fit each other or their buffers,
/// [`CutletError::Problem`] if no launch covers the product, [`CutletError::NoKernel`] if there is
/// no kernel for it, and the device's errors.
pub fn gemm<I: InputElement, O: OutputElement<I>>(
    device: &Device,
    a: &Matrix<'_, I>,
    b: &Matrix<'_, I>,
    d: &mut MatrixMut<'_, O>,
    options: &GemmOptions<'_, O>,
) -> Result<Computed, CutletError> {
    Library::of(device)?.gemm(a, b, d, options, None)
}

/// The kernels on a device, with the table and the workspace that a product also needs.
#[derive(Debug)]
pub struct Library {
    modules: Modules,
    table: Table,
    recent: Recent,
    workspace: Mutex<Workspace>,
}

/// The largest number of devices whose libraries are kept.
const KEPT: usize = 4;
static LIBRARIES: Mutex<Vec<Arc<Library>>> = Mutex::new(Vec::new());

impl Library {
    /// Returns the kernels on `device`, compiled at the first use. The libraries of the last few
    /// devices are kept.
    ///
    /// # Errors
    /// Returns [`CutletError::Kernels`], [`CutletError::Table`], and the device's errors.
    pub fn of(device: &Device) -> Result<Arc<Self>, CutletError> {
        let mut libraries = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = libraries
            .iter()
            .position(|library| library.modules.device() == device)
        {
            let found = libraries.remove(at);
            libraries.push(Arc::clone(&found));
            return Ok(found);
        }
        let library = Arc::new(Self::new(Modules::load(device)?)?);
        if libraries.len() == KEPT {
            libraries.remove(0);
        }
        libraries.push(Arc::clone(&library));
        Ok(library)
    }

    /// Uses the kernels of a loaded module, with the user's table for its device, or with the
    /// built-in table.
    ///
    /// # Errors
    /// Returns [`CutletError::Table`] if the user's file is not a table.
    pub fn new(modules: impl Into<Modules>) -> Result<Self, CutletError> {
        let modules = modules.into();
        let table = Table::for_device(modules.device().name())?;
        Ok(Self::with(modules, table))
    }

    /// Uses the kernels of a module, chosen by this table.
    #[must_use]
    pub fn with(modules: impl Into<Modules>, table: Table) -> Self {
        Self {
            modules: modules.into(),
            table,
            recent: Recent::default(),
            workspace: Mutex::new(Workspace::new()),
        }
    }

    /// Returns the modules.
    #[must_use]
    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// Returns the kernels that may be chosen for a product without being named: those that can
    /// launch on the device, and on the emulator only those that are not Hopper's.
    pub fn configurations(&self) -> impl Iterator<Item = &'static Configuration> {
        CONFIGURATIONS
            .iter()
            .filter(|configuration| self.modules.is_chosen(configuration))
            .filter(|configuration| select::launches(&self.modules, configuration))
    }

    /// Returns the launches that are worth trying for a problem: each kernel that computes it, also
    /// with schedules that split k if there are few tiles.
    #[must_use]
    pub fn trials(&self, problem: &GemmProblem) -> Vec<KernelRequest<'static>> {
        let multiprocessors = self.modules.device().limits().multiprocessors;
        select::trials(self.configurations(), multiprocessors, problem)
    }

    /// Returns the first `best` launches in the ranking of the choice for a problem, in that order.
    ///
    /// # Errors
    /// Returns the errors of [`choose`](Self::choose).
    pub fn best_trials(
        &self,
        problem: &GemmProblem,
        best: usize,
    ) -> Result<Vec<KernelRequest<'static>>, CutletError> {
        let ranking = self.explain(problem, ScheduleRequest::Auto)?.ranking;
        let request = |ranked: &select::Ranked| KernelRequest {
            schedule: ranked.schedule.into(),
            configuration: Some(ranked.configuration.name),
        };
        Ok(ranking.iter().take(best).map(request).collect())
    }

    /// Computes [`gemm()`] with these kernels, and calls `progress` for every CTA that ends.
    ///
    /// # Errors
    /// Returns the errors of [`gemm()`].
    pub fn gemm<I: InputElement, O: OutputElement<I>>(
        &self,
        a: &Matrix<'_, I>,
        b: &Matrix<'_, I>,
        d: &mut MatrixMut<'_, O>,
        options: &GemmOptions<'_, O>,
        progress: Option<Progress<'_>>,
    ) -> Result<Computed, CutletError> {
        let mut workspace = self.workspace();
        let (choice, prepared) = self.prepare(a, b, d.reborrow(), options, &mut workspace)?;
        let result = prepared.run(progress);
        drop(prepared);
        match result {
            Ok(run) => Ok(Computed { choice, run }),
            Err(error) => {
                workspace.spoil();
                Err(error.into())
            }
        }
    }

    /// Chooses the kernel and prepares the launch, which can then run many times.
    ///
    /// # Errors
    /// Returns the errors of [`gemm()`].
    pub fn prepare<'a, I: InputElement, O: OutputElement<I>>(
        &self,
        a: &Matrix<'a, I>,
        b: &Matrix<'a, I>,
        d: MatrixMut<'a, O>,
        options: &GemmOptions<'a, O>,
        workspace: &'a mut Workspace,
    ) -> Result<(KernelChoice, PreparedGemm<BorrowedOperands<'a>>), CutletError> {
        let operands = Operands {
            a: *a,
            b: *b,
            c: options.c,
            d,
            bias: options.bias,
            scales: options.scales,
            groups: options.groups,
            own_extents: options.own_extents,
        }
        .check()?;
        let problem = options.problem(operands.problem());
        let choice = self.choose(&problem, &options.request())?;
        let prepared = self.bind(&choice, operands, workspace)?;
        Ok((choice, prepared))
    }

    /// Chooses the kernel and the launch for a problem, without its operands. The library keeps the
    /// last choices.
    ///
    /// # Errors
    /// Returns [`CutletError::Problem`] if no launch covers the problem, and
    /// [`CutletError::NoKernel`] if there is no kernel for it.
    pub fn choose(
        &self,
        problem: &GemmProblem,
        request: &KernelRequest<'_>,
    ) -> Result<KernelChoice, CutletError> {
        let choose = || select::choose(&self.modules, &self.table, problem, request);
        match request.configuration {
            None => self.recent.or_choose(problem, request.schedule, choose),
            // The caller named the kernel, so there is nothing to rank.
            Some(_) => choose(),
        }
    }

    /// Explains the choice for a problem: the point or the model on which it is based, and the
    /// ranking of all launches.
    ///
    /// # Errors
    /// Returns the errors of [`choose`](Self::choose).
    pub fn explain(
        &self,
        problem: &GemmProblem,
        schedule: ScheduleRequest,
    ) -> Result<select::Explanation, CutletError> {
        select::explain(&self.modules, &self.table, problem, schedule)
    }

    /// Binds operands to a launch that was chosen for their problem.
    ///
    /// # Errors
    /// Returns [`CutletError::Gemm`] if the operands are those of another problem, or if the
    /// device's memory is too small for the workspace.
    pub fn bind<'a, I: InputElement, O: OutputElement<I>>(
        &self,
        choice: &KernelChoice,
        operands: CheckedOperands<'a, I, O>,
        workspace: &'a mut Workspace,
    ) -> Result<PreparedGemm<BorrowedOperands<'a>>, CutletError> {
        let device = self.modules.device();
        operands.prepare(
            device,
            |name| self.modules.kernel(name),
            &choice.plan,
            workspace,
        )
    }

    /// Locks the library's own workspace.
    pub(crate) fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.workspace
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
