//! Matrix products in one call: `D = act(alpha A B + beta C + bias)` on any device, with a kernel that suits the shape.
//!
//! ```text
//!   Matrix a, b ─┐                      ┌─► table, by shape ─► kernel ─► launch, once, checked
//!   MatrixMut d ─┼─► gemm(&device, ..) ─┤
//!   Options     ─┘                      └─► Error: shapes, strides, alignment, types, overlap, workspace, in values
//! ```
//!
//! ```
//! use cutlet::gemm::{Matrix, MatrixMut, Options, Order, AccumulatorType, gemm};
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
//!     &Options { alpha: 0.5, accumulator: Some(AccumulatorType::F16), ..Options::default() },
//! )?;
//! assert!(d.to_vec()?.iter().all(|&x| x == f16::from_f32(8.0)));
//! # Ok::<(), cutlet::Error>(())
//! ```
//!
//! `host` knows what a product's operands are and how a described kernel is launched; `gpu-kernels` describes its kernels in
//! plain numbers. This module is where they meet, so that neither depends on the other.
//!
//! Law: the result is that of the float64 reference up to the rounding of the accumulator and one rounding to D's type, the same
//! bits on every run of the same choice; nothing but D's elements is written.

mod estimate;
mod names;
pub mod select;
mod table;

pub use gpu_kernels::gemm::CONFIGURATIONS;
pub use host::gemm::{GemmError, Matrix, MatrixMut, Order, Workspace};
pub use kernel_abi::gemm::{
    AccumulatorType, Activation, Configuration, Epilogue, GemmProblem, InputType, Majors,
    OutputType, Schedule,
};
pub use names::{Named, Scheduling, output_name, output_of};
pub use select::Choice;
pub use table::{Point, Table, TableError, cache_file};

use crate::{Error, kernels};
use bytemuck::Pod;
use half::{bf16, f16};
use host::gemm::{Described, Operands, Placement, Prepared};
use host::{Device, Module, Progress, Run, View};
use select::Wishes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A type of A's and B's elements.
pub trait Input: Pod {
    /// Its name in a kernel's description.
    const TYPE: InputType;
}
impl Input for f16 {
    const TYPE: InputType = InputType::F16;
}
impl Input for bf16 {
    const TYPE: InputType = InputType::Bf16;
}
/// Multiplied as TF32: rounded to 10 bits of fraction.
impl Input for f32 {
    const TYPE: InputType = InputType::Tf32;
}
impl Input for i8 {
    const TYPE: InputType = InputType::S8;
}

/// A type of C's and D's elements, of products of `I`.
pub trait Output<I: Input>: Pod {
    /// Its name in a kernel's description.
    const TYPE: OutputType;
}
impl<I: Input> Output<I> for I {
    const TYPE: OutputType = OutputType::Same;
}
impl Output<f16> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl Output<bf16> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl Output<i8> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl Output<i8> for i32 {
    const TYPE: OutputType = OutputType::S32;
}

/// What there is to a product besides its matrices.
#[derive(Clone, Debug)]
pub struct Options<'a, O: Pod> {
    /// What the product is multiplied by.
    pub alpha: f32,
    /// What C is multiplied by. With 0, C is not read.
    pub beta: f32,
    /// What is added; where there is none, and `beta` is not 0, what D held before.
    pub c: Option<Matrix<'a, O>>,
    /// One number a column of D, added to every row.
    pub bias: Option<View<'a, f32>>,
    /// What is applied last.
    pub activation: Activation,
    /// The accumulator type; by default f32, of s8 32-bit integers. An f16 accumulator is a preference: where no kernel
    /// computes the product with it, it is f32.
    pub accumulator: Option<AccumulatorType>,
    /// How the work is shared out.
    pub schedule: Scheduling,
    /// The kernel; by default the one that the table has for the shape.
    pub configuration: Option<&'a str>,
}

impl<O: Pod> Default for Options<'_, O> {
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 0.0,
            c: None,
            bias: None,
            activation: Activation::None,
            accumulator: None,
            schedule: Scheduling::Auto,
            configuration: None,
        }
    }
}

/// A product that was computed.
#[derive(Debug)]
pub struct Computed {
    /// What was chosen.
    pub choice: Choice,
    /// What the device said.
    pub run: Run,
}

/// `d = act(alpha a b + beta c + bias)`.
///
/// `a` is `(m, k)`, `b` `(k, n)`, each row-major or column-major; `d` is `(m, n)`, row-major. The device's kernels are compiled
/// the first time, and kept.
///
/// # Errors
/// [`Error::Gemm`] for operands that do not fit each other or their buffers, [`Error::Problem`] for a product that no launch
/// covers, [`Error::NoKernel`] and [`Error::NoConfiguration`] where there is no kernel for it, and what the device reports.
pub fn gemm<I: Input, O: Output<I>>(
    device: &Device,
    a: &Matrix<'_, I>,
    b: &Matrix<'_, I>,
    d: &mut MatrixMut<'_, O>,
    options: &Options<'_, O>,
) -> Result<Computed, Error> {
    Library::of(device)?.gemm(a, b, d, options, None)
}

/// The kernels on a device, with what a product needs besides: the table and the workspace.
#[derive(Debug)]
pub struct Library {
    module: Module,
    table: Table,
    workspace: Mutex<Workspace>,
}

/// The most devices whose libraries are kept.
const KEPT: usize = 4;
static LIBRARIES: Mutex<Vec<Arc<Library>>> = Mutex::new(Vec::new());

impl Library {
    /// The kernels on `device`, compiled the first time that they are asked for; the last few devices' are kept.
    ///
    /// # Errors
    /// [`Error::Kernels`], [`Error::Table`], and what the device reports.
    pub fn of(device: &Device) -> Result<Arc<Self>, Error> {
        let mut libraries = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = libraries
            .iter()
            .position(|library| library.module.device() == device)
        {
            let found = libraries.remove(at);
            libraries.push(Arc::clone(&found));
            return Ok(found);
        }
        let library = Arc::new(Self::new(device.load(kernels::ptx()?)?)?);
        if libraries.len() == KEPT {
            libraries.remove(0);
        }
        libraries.push(Arc::clone(&library));
        Ok(library)
    }

    /// The kernels of a module that was loaded, with the user's table for its device, or the built-in one.
    ///
    /// # Errors
    /// [`Error::Table`] for a user's file that is no table.
    pub fn new(module: Module) -> Result<Self, Error> {
        let table = Table::for_device(module.device().name())?;
        Ok(Self::with(module, table))
    }

    /// The kernels of a module, chosen by this table.
    #[must_use]
    pub fn with(module: Module, table: Table) -> Self {
        Self {
            module,
            table,
            workspace: Mutex::new(Workspace::new()),
        }
    }

    /// The loaded module.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The kernels that can launch on the device.
    pub fn configurations(&self) -> impl Iterator<Item = &'static Configuration> {
        CONFIGURATIONS
            .iter()
            .filter(|configuration| select::launches(&self.module, configuration))
    }

    /// [`gemm()`], with these kernels; `progress` is told about every block that ends.
    ///
    /// # Errors
    /// As [`gemm()`].
    pub fn gemm<I: Input, O: Output<I>>(
        &self,
        a: &Matrix<'_, I>,
        b: &Matrix<'_, I>,
        d: &mut MatrixMut<'_, O>,
        options: &Options<'_, O>,
        progress: Option<Progress<'_>>,
    ) -> Result<Computed, Error> {
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

    /// Chooses the kernel and readies the launch, to be run many times.
    ///
    /// # Errors
    /// As [`gemm()`].
    pub fn prepare<'a, I: Input, O: Output<I>>(
        &self,
        a: &Matrix<'a, I>,
        b: &Matrix<'a, I>,
        d: MatrixMut<'a, O>,
        options: &Options<'a, O>,
        workspace: &'a mut Workspace,
    ) -> Result<(Choice, Prepared<'a>), Error> {
        let operands = Operands {
            a: *a,
            b: *b,
            c: options.c,
            d,
            bias: options.bias,
        };
        let wishes = Wishes {
            schedule: options.schedule,
            configuration: options.configuration,
        };
        let gemm = described(&operands, options)?;
        let choice = select::choose(&self.module, &self.table, &gemm, &wishes)?;
        let kernel = self.module.kernel(choice.kernel)?;
        // More than an address can count is refused as no room.
        let count = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let described = Described {
            launch: choice.launch.clone(),
            parameters: choice.plan.params.to_u64s(),
            reads_c: gemm.epilogue.beta != 0.0,
            workspace_bytes: count(choice.plan.launch.buffers[5].elements),
            zeroed_bytes: count(choice.plan.zeroed_bytes),
        };
        let prepared = host::gemm::prepare(&kernel, &described, operands, workspace)?;
        Ok((choice, prepared))
    }

    /// The kernel and the launch for a product, without its operands.
    ///
    /// # Errors
    /// [`Error::Problem`] for a product that no launch covers, [`Error::NoKernel`] and [`Error::NoConfiguration`] where there is
    /// no kernel for it.
    pub fn choose(
        &self,
        gemm: &GemmProblem,
        schedule: Scheduling,
        configuration: Option<&str>,
    ) -> Result<Choice, Error> {
        let mut gemm = *gemm;
        select::resolve_accumulator(&mut gemm);
        select::choose(
            &self.module,
            &self.table,
            &gemm,
            &Wishes {
                schedule,
                configuration,
            },
        )
    }

    /// The library's own workspace.
    pub(crate) fn workspace(&self) -> MutexGuard<'_, Workspace> {
        self.workspace
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The product in the kernels' terms.
fn described<I: Input, O: Output<I>>(
    operands: &Operands<'_, I, O>,
    options: &Options<'_, O>,
) -> Result<GemmProblem, Error> {
    let product = operands.product()?;
    let major = |along_k: bool, other: bool| match (along_k, other) {
        (true, true) => Majors::Tn,
        (false, true) => Majors::Nn,
        (true, false) => Majors::Tt,
        (false, false) => Majors::Nt,
    };
    // A matrix that stands for all batches is at the same place in each.
    let stride = |placement: &Placement| match placement.batches {
        Some(_) => placement.batch_stride as u64,
        None => 0,
    };
    let mut gemm = GemmProblem {
        batches: product.batches,
        majors: major(
            product.a.order == Order::Rows,
            product.b.order == Order::Columns,
        ),
        lda: product.a.leading as u64,
        ldb: product.b.leading as u64,
        ldc: product.c.leading as u64,
        ldd: product.d.leading as u64,
        batch_strides: [&product.a, &product.b, &product.c, &product.d].map(stride),
        // Kernels ask for 16 bytes at most.
        input_alignment: operands.inputs_alignment().min(16) as u32,
        output_alignment: operands.outputs_alignment().min(16) as u32,
        epilogue: Epilogue {
            alpha: options.alpha,
            beta: options.beta,
            bias: options.bias.is_some(),
            activation: options.activation,
        },
        ..GemmProblem::new(product.m, product.n, product.k, I::TYPE, O::TYPE)
    };
    if let Some(accumulator) = options.accumulator {
        gemm.accumulator = accumulator;
    }
    select::resolve_accumulator(&mut gemm);
    Ok(gemm)
}
