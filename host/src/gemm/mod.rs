//! Matrix products on a device: operands with shapes that are checked, and a kernel that somebody describes.
//!
//! ```text
//!   Matrix a, b, c, MatrixMut d ──► Product { m, n, k, .. }     or a GemmError that names the operand and the values
//!                                        │  whoever knows the kernels
//!                                        ▼
//!   Described { launch, parameters, workspace } ──► prepare ──► run, or enqueue again and again
//! ```
//!
//! This crate knows no kernel and no algebra. It knows what a product's operands have to be, and the arguments of a product's
//! kernel: D, A, B, C, the bias, the workspace, and a block of plain numbers.
//!
//! Law: a product that is prepared has operands that fit each other and lie in their buffers, a written one without
//! overlap, and a workspace of the size and contents that the kernel asks for.

mod matrix;
mod workspace;

pub use kernel_abi::gemm::Order;
pub use matrix::{Matrix, MatrixMut, Placement, PlacementError};
pub use workspace::Workspace;

use crate::args::{Argument, ArgumentKind, ByValue, KernelArg, Pointer};
use crate::buffer::View;
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::turns::Enqueue;
use bytemuck::Pod;
use std::marker::PhantomData;
use thiserror::Error as ThisError;

/// Why operands have no product.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum GemmError {
    /// An operand is not a matrix of its buffer.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// Two operands' extents differ.
    #[error("{first} has {found} {what}, {second} has {expected} {other}: they must be equal")]
    Extents {
        /// The one operand.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// What is counted of the one.
        what: &'static str,
        /// What is counted of the other.
        other: &'static str,
        /// How many the one has.
        found: usize,
        /// How many the other has.
        expected: usize,
    },
    /// D or C column-major: `Dᵀ = Bᵀ·Aᵀ` is the product to ask for.
    #[error(
        "{name} is column-major; kernels write rows. Ask for the transpose: exchange A and B, each in the other order"
    )]
    Order {
        /// Which operand.
        name: &'static str,
    },
    /// An extent beyond 32 bits.
    #[error("{what} is {given}; a product's extents are at most {}", u32::MAX)]
    TooLarge {
        /// Which extent.
        what: &'static str,
        /// Its value.
        given: usize,
    },
    /// A bias that is not one number a column.
    #[error(
        "the bias has {}; D has {}",
        emulator::counted(given, "element"),
        emulator::counted(expected, "column")
    )]
    Bias {
        /// Elements of the bias.
        given: usize,
        /// Columns of D.
        expected: usize,
    },
    /// The device, the module or the launch.
    #[error(transparent)]
    Host(#[from] Error),
}

/// What is multiplied, as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// How many products.
    pub batches: u32,
    /// Where A is.
    pub a: Placement,
    /// Where B is.
    pub b: Placement,
    /// Where C is; D's place where C is D.
    pub c: Placement,
    /// Where D is.
    pub d: Placement,
}

/// The matrices of a product `D = act(alpha A B + beta C + bias)`.
#[derive(Debug)]
pub struct Operands<'a, I: Pod, O: Pod> {
    /// `(m, k)`.
    pub a: Matrix<'a, I>,
    /// `(k, n)`.
    pub b: Matrix<'a, I>,
    /// `(m, n)`, what is added; what D held before, where there is none and the kernel reads C.
    pub c: Option<Matrix<'a, O>>,
    /// `(m, n)`.
    pub d: MatrixMut<'a, O>,
    /// One number a column of D.
    pub bias: Option<View<'a, f32>>,
}

impl<I: Pod, O: Pod> Operands<'_, I, O> {
    /// The product, if they fit each other.
    ///
    /// # Errors
    /// [`GemmError`] with the operands and the values.
    pub fn product(&self) -> Result<Product, GemmError> {
        let (a, b, d) = (self.a.placement(), self.b.placement(), self.d.placement());
        a.check("A", self.a.view.len(), false)?;
        b.check("B", self.b.view.len(), false)?;
        d.check("D", self.d.view.len(), true)?;
        let equal = |(first, what, found), (second, other, expected)| {
            if found == expected {
                return Ok(());
            }
            Err(GemmError::Extents {
                first,
                second,
                what,
                other,
                found,
                expected,
            })
        };
        equal(("A", "columns", a.columns), ("B", "rows", b.rows))?;
        equal(("D", "rows", d.rows), ("A", "rows", a.rows))?;
        equal(("D", "columns", d.columns), ("B", "columns", b.columns))?;
        let batches = d.batches.unwrap_or(1);
        let mut c = *d;
        if let Some(matrix) = &self.c {
            c = *matrix.placement();
            c.check("C", matrix.view.len(), false)?;
            equal(("C", "rows", c.rows), ("D", "rows", d.rows))?;
            equal(("C", "columns", c.columns), ("D", "columns", d.columns))?;
        }
        for (name, placement) in [("A", a), ("B", b), ("C", &c)] {
            // A matrix without batches stands for all of them.
            if let Some(count) = placement.batches {
                equal((name, "batches", count), ("D", "batches", batches))?;
            }
        }
        for (name, placement) in [("D", d), ("C", &c)] {
            if placement.order == Order::Columns {
                return Err(GemmError::Order { name });
            }
        }
        if let Some(bias) = &self.bias
            && bias.len() != d.columns
        {
            return Err(GemmError::Bias {
                given: bias.len(),
                expected: d.columns,
            });
        }
        let small =
            |what, given| u32::try_from(given).map_err(|_| GemmError::TooLarge { what, given });
        Ok(Product {
            m: small("M", d.rows)?,
            n: small("N", d.columns)?,
            k: small("K", a.columns)?,
            batches: small("the number of batches", batches)?,
            a: *a,
            b: *b,
            c,
            d: *d,
        })
    }

    /// The largest power of two that divides the addresses of A and B, in bytes.
    #[must_use]
    pub fn inputs_alignment(&self) -> u64 {
        self.a.view.alignment().min(self.b.view.alignment())
    }

    /// The largest power of two that divides the addresses of D, C and the bias, in bytes.
    #[must_use]
    pub fn outputs_alignment(&self) -> u64 {
        let c = self.c.map_or(u64::MAX, |c| c.view.alignment());
        let matrices = self.d.view.alignment().min(c);
        let bias = self.bias.map_or(u64::MAX, |bias| bias.alignment());
        matrices.min(bias)
    }
}

/// A launch of a kernel that computes a product.
#[derive(Clone, Debug)]
pub struct Described<P> {
    /// Grid, block, shared memory, and the contract that the arguments are held to.
    pub launch: Launch,
    /// What the kernel is told: its last argument.
    pub parameters: P,
    /// Whether it reads C.
    pub reads_c: bool,
    /// Bytes of workspace.
    pub workspace_bytes: usize,
    /// So many of them, from the first, are zero before each launch and after it.
    pub zeroed_bytes: usize,
}

/// A product ready to run. It borrows its operands and its workspace.
pub struct Prepared<'a> {
    kernel: Kernel,
    launch: Launch,
    bytes: Vec<Vec<u8>>,
    borrowed: PhantomData<&'a mut ()>,
}

/// Checks a product and readies it for `kernel`.
///
/// # Errors
/// [`GemmError`]: operands that do not fit, a launch that is refused, a device without room for the workspace.
pub fn prepare<'a, I: Pod, O: Pod, P: Pod>(
    kernel: &Kernel,
    described: &Described<P>,
    operands: Operands<'a, I, O>,
    workspace: &'a mut Workspace,
) -> Result<Prepared<'a>, GemmError> {
    operands.product()?;
    let device = kernel.device();
    let &Described {
        ref launch,
        parameters,
        reads_c,
        workspace_bytes,
        zeroed_bytes,
    } = described;
    let d = operands.d.view.lower();
    let workspace = workspace.ready(device, workspace_bytes, zeroed_bytes)?;
    let no_c = device.alloc::<O>(0)?;
    let no_bias = device.alloc::<f32>(0)?;
    let c = match (&operands.c, reads_c) {
        (Some(c), true) => c.view.lower(),
        // What D held before: read where it is written, element by element.
        (None, true) => read_only(&d),
        (_, false) => (&no_c).lower(),
    };
    let bias = operands
        .bias
        .map_or_else(|| (&no_bias).lower(), |bias| bias.lower());
    let arguments = [
        d,
        operands.a.view.lower(),
        operands.b.view.lower(),
        c,
        bias,
        workspace.lower(),
        ByValue(parameters).lower(),
    ];
    Ok(Prepared {
        bytes: kernel.checked(launch, &arguments)?,
        kernel: kernel.clone(),
        launch: launch.clone(),
        borrowed: PhantomData,
    })
}

/// The same buffer, to be read.
fn read_only(written: &Argument) -> Argument {
    let mut argument = written.clone();
    if let ArgumentKind::Pointer(Pointer { writable, .. }) = &mut argument.kind {
        *writable = false;
    }
    argument
}

impl Prepared<'_> {
    /// Runs it once and waits for its end.
    ///
    /// # Errors
    /// [`Error::Fault`].
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<Run, Error> {
        self.kernel.run(&self.launch, &self.bytes, progress)
    }
}

impl Enqueue for Prepared<'_> {
    fn enqueue(&self) -> Result<(), Error> {
        self.kernel.enqueue(&self.launch, &self.bytes)
    }
    fn device(&self) -> &Device {
        self.kernel.device()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(build: impl FnOnce(&Device) -> Result<Product, GemmError>) -> String {
        build(&Device::emulator()).unwrap_err().to_string()
    }

    #[test]
    fn operands_that_do_not_fit_are_named() {
        let product = |device: &Device, [am, ak, bk, bn, dm, dn]: [usize; 6]| {
            let room = device.alloc::<f32>(100)?;
            let mut d = device.alloc::<f32>(100)?;
            Operands {
                a: Matrix::new(&room, am, ak),
                b: Matrix::new(&room, bk, bn).order(Order::Columns),
                c: None,
                d: MatrixMut::new(&mut d, dm, dn),
                bias: None,
            }
            .product()
        };
        let right = product(&Device::emulator(), [3, 4, 4, 5, 3, 5]).unwrap();
        assert_eq!((right.m, right.n, right.k, right.batches), (3, 5, 4, 1));
        assert_eq!(
            said(|device| product(device, [3, 4, 6, 5, 3, 5])),
            "A has 4 columns, B has 6 rows: they must be equal"
        );
        assert_eq!(
            said(|device| product(device, [3, 4, 4, 5, 2, 5])),
            "D has 2 rows, A has 3 rows: they must be equal"
        );
        assert_eq!(
            said(|device| product(device, [3, 40, 40, 5, 3, 5])),
            "A reaches over 120 elements; its buffer has 100"
        );
    }

    #[test]
    fn batches_orders_and_biases_are_looked_at() {
        let with = |device: &Device, change: &dyn Fn(&mut Operands<'_, f32, f32>)| {
            let room = device.alloc::<f32>(100)?;
            let mut d = device.alloc::<f32>(100)?;
            let mut operands = Operands {
                a: Matrix::new(&room, 2, 3).batched(4, 6),
                b: Matrix::new(&room, 3, 5),
                c: None,
                d: MatrixMut::new(&mut d, 2, 5).batched(4, 10),
                bias: None,
            };
            change(&mut operands);
            operands.product()
        };
        assert_eq!(with(&Device::emulator(), &|_| {}).unwrap().batches, 4);
        assert_eq!(
            said(|device| with(device, &|operands| operands.a = operands.a.batched(3, 6))),
            "A has 3 batches, D has 4 batches: they must be equal"
        );
        let device = Device::emulator();
        let (room, bias) = (
            device.alloc::<f32>(100).unwrap(),
            device.alloc::<f32>(3).unwrap(),
        );
        let mut d = device.alloc::<f32>(100).unwrap();
        let mut operands = Operands {
            a: Matrix::new(&room, 2, 3),
            b: Matrix::new(&room, 3, 5),
            c: None,
            d: MatrixMut::new(&mut d, 2, 5),
            bias: Some(bias.all()),
        };
        assert_eq!(
            operands.product().unwrap_err().to_string(),
            "the bias has 3 elements; D has 5 columns"
        );
        operands.bias = None;
        operands.c = Some(Matrix::new(&room, 2, 5).order(Order::Columns));
        assert!(matches!(
            operands.product(),
            Err(GemmError::Order { name: "C" })
        ));
    }
}
