//! The operands of a product. They are checked against each other once, and then bound to a launch.
//!
//! ```text
//!   Operands { a, b, c, d, bias } ─ check ─► CheckedOperands ─ prepare(kernels, plan, workspace) ─► PreparedGemm
//! ```
//!
//! Law: [`Operands::check`] is the only check. [`CheckedOperands`] are never bound to a plan of
//! another problem.

use super::prepared::PlanArguments;
use super::{
    BlockScales, GemmError, InputElement, Matrix, MatrixMut, Order, OutputElement, Placement,
    PreparedGemm, Workspace,
};
use crate::args::{Argument, ArgumentKind, KernelArg, Pointer};
use crate::buffer::{Buffer, View, ViewMut};
use crate::device::Device;
use crate::kernel::{Kernel, Run};
use kernel_abi::gemm::{Epilogue, GemmProblem, Majors, Plan, Scaling};
use std::marker::PhantomData;

/// The matrices of a product `D = act(alpha A·B + beta C + bias)`.
#[derive(Debug)]
pub struct Operands<'a, I: InputElement, O: OutputElement<I>> {
    /// A, `(m, k)`.
    pub a: Matrix<'a, I>,
    /// B, `(k, n)`.
    pub b: Matrix<'a, I>,
    /// C, `(m, n)`. If this field is `None` and the epilogue reads C, the kernel reads the previous
    /// contents of D as C.
    pub c: Option<Matrix<'a, O>>,
    /// D, `(m, n)`.
    pub d: MatrixMut<'a, O>,
    /// The bias: one number per column of D.
    pub bias: Option<View<'a, f32>>,
    /// The scales of A and B by blocks. A product with such scales has neither C nor bias.
    pub scales: Option<BlockScales<'a>>,
    /// For a grouped product, the list with each group's number of rows of A and D. The groups'
    /// rows follow each other. B then has a matrix for each group, and there is no C. Rows after
    /// those of the last group are not written.
    pub groups: Option<View<'a, u32>>,
    /// Whether the list of a grouped product has three numbers for each group: M, N and K. A group
    /// uses the first columns of its rows of A and D, and the first rows and columns of its B. The
    /// other columns of D are not written. For a group whose M, N or K is 0, nothing of D is
    /// written.
    pub own_extents: bool,
}

/// Operands that fit each other, and the problem that they describe.
#[derive(Debug)]
pub struct CheckedOperands<'a, I: InputElement, O: OutputElement<I>> {
    operands: Operands<'a, I, O>,
    problem: GemmProblem,
}

/// The borrow of a prepared product's operands and workspace.
pub type BorrowedOperands<'a> = PhantomData<&'a mut ()>;

impl<'a, I: InputElement, O: OutputElement<I>> Operands<'a, I, O> {
    /// Checks that the operands lie in their buffers and form a product.
    ///
    /// # Errors
    /// Returns a [`GemmError`] with the operands and the values that do not fit.
    pub fn check(self) -> Result<CheckedOperands<'a, I, O>, GemmError> {
        let (a, b, d) = (self.a.placement(), self.b.placement(), self.d.placement());
        a.check("A", self.a.view.len(), false)?;
        b.check("B", self.b.view.len(), false)?;
        d.check("D", self.d.view.len(), true)?;
        equal(("A", "columns", a.columns), ("B", "rows", b.rows))?;
        equal(("D", "rows", d.rows), ("A", "rows", a.rows))?;
        equal(("D", "columns", d.columns), ("B", "columns", b.columns))?;
        let batches = d.batches.unwrap_or(1);
        let c = match &self.c {
            None => *d,
            Some(matrix) => {
                let c = *matrix.placement();
                c.check("C", matrix.view.len(), false)?;
                equal(("C", "rows", c.rows), ("D", "rows", d.rows))?;
                equal(("C", "columns", c.columns), ("D", "columns", d.columns))?;
                c
            }
        };
        let numbers = if self.own_extents { 3 } else { 1 };
        let listed = self.groups.map_or(0, |list| list.len());
        let groups = listed / numbers;
        let mut batched = vec![("A", a), ("B", b), ("C", &c)];
        if self.groups.is_some() {
            if self.c.is_some() || self.scales.is_some() || groups == 0 {
                return Err(GemmError::Groups { groups });
            }
            if !listed.is_multiple_of(numbers) {
                return Err(GemmError::GroupExtents { listed });
            }
            equal(
                ("D", "batches", batches),
                ("a grouped product", "batches", 1),
            )?;
            equal(
                ("B", "matrices", b.batches.unwrap_or(1)),
                ("the list", "groups", groups),
            )?;
            batched.remove(1);
        }
        for (name, placement) in batched {
            // A matrix without batches is the same for all batches.
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
        // The stride of a single batch, or of one matrix for all batches, has no effect.
        let stride = |placement: &Placement| match placement.batches {
            Some(2..) => placement.batch_stride as u64,
            _ => 0,
        };
        let [m, n, k] = [
            extent("M", d.rows)?,
            extent("N", d.columns)?,
            extent("K", a.columns)?,
        ];
        let problem = GemmProblem {
            batches: extent("the number of batches", batches)?,
            groups: extent("the number of groups", groups)?,
            own_extents: self.own_extents && groups > 0,
            majors: Majors::of(a.order, b.order),
            lda: a.leading as u64,
            ldb: b.leading as u64,
            ldc: c.leading as u64,
            ldd: d.leading as u64,
            batch_strides: [a, b, &c, d].map(stride),
            input_alignment: self.input_alignment(),
            output_alignment: self.output_alignment(),
            epilogue: Epilogue {
                bias: self.bias.is_some(),
                ..Epilogue::NONE
            },
            scaling: match self.scales {
                None => Scaling::Tensor,
                Some(_) => Scaling::Blocks,
            },
            ..GemmProblem::new(m, n, k, I::TYPE, O::TYPE)
        };
        if let Some(scales) = &self.scales {
            scales.check(&problem)?;
        }
        Ok(CheckedOperands {
            operands: self,
            problem,
        })
    }

    /// Returns the largest power of two, up to 16, that divides the addresses of A and B, in bytes.
    fn input_alignment(&self) -> u32 {
        up_to_16(self.a.view.alignment().min(self.b.view.alignment()))
    }

    /// Returns the largest power of two, up to 16, that divides the addresses of D, C and the bias,
    /// in bytes.
    fn output_alignment(&self) -> u32 {
        let c = self.c.map_or(u64::MAX, |c| c.view.alignment());
        let bias = self.bias.map_or(u64::MAX, |bias| bias.alignment());
        up_to_16(self.d.view.alignment().min(c).min(bias))
    }
}

/// Limits an alignment to 16 bytes, since no kernel has wider accesses.
fn up_to_16(alignment: u64) -> u32 {
    alignment.min(16) as u32
}

fn extent(what: &'static str, given: usize) -> Result<u32, GemmError> {
    u32::try_from(given).map_err(|_| GemmError::TooLarge { what, given })
}

/// An operand's name, the name of what is counted, and the count.
type Count = (&'static str, &'static str, usize);

fn equal((first, what, found): Count, (second, other, expected): Count) -> Result<(), GemmError> {
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
}

impl<'a, I: InputElement, O: OutputElement<I>> CheckedOperands<'a, I, O> {
    /// Returns the problem that the operands describe: with the default accumulator, and with an
    /// epilogue that only adds the bias if there is one. The code that plans a launch sets the
    /// rest.
    #[must_use]
    pub fn problem(&self) -> &GemmProblem {
        &self.problem
    }

    /// Binds the operands to a plan's launches on `device`, and prepares the workspace. `kernel`
    /// loads the launches' kernels.
    ///
    /// # Errors
    /// Returns [`GemmError::OtherProblem`] if the plan is for other operands, [`GemmError::Host`]
    /// if a launch is refused or the device lacks memory for the workspace, and the errors of
    /// `kernel`.
    pub fn prepare<E: From<GemmError>>(
        self,
        device: &Device,
        kernel: impl FnMut(&'static str) -> Result<Kernel, E>,
        plan: &Plan,
        workspace: &'a mut Workspace,
    ) -> Result<PreparedGemm<BorrowedOperands<'a>>, E> {
        self.expect(&plan.problem)?;
        let arguments = self.lower(device, plan, workspace)?;
        PreparedGemm::new(plan, &arguments, kernel, PhantomData)
    }

    /// Returns the buffers of a plan, as arguments.
    fn lower(
        self,
        device: &Device,
        plan: &Plan,
        workspace: &'a mut Workspace,
    ) -> Result<PlanArguments, GemmError> {
        let operands = self.operands;
        // A workspace larger than an address can count is refused for lack of memory.
        let count = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let workspace = workspace.ready(
            device,
            count(plan.workspace_bytes()),
            count(plan.zeroed_bytes),
        )?;
        let no_c = device.alloc::<O>(0)?;
        let no_bias = device.alloc::<f32>(0)?;
        let d = operands.d.view.lower();
        let c = match (&operands.c, plan.problem.epilogue.beta != 0.0) {
            (Some(c), true) => c.view.lower(),
            // C is the previous contents of D: the kernel reads an element before it writes the
            // element.
            (None, true) => read_only(&d),
            (_, false) => (&no_c).lower(),
        };
        let bias = operands
            .bias
            .map_or_else(|| (&no_bias).lower(), |bias| bias.lower());
        // If a plan has scales by blocks, they are its arguments C and bias, and it has neither C
        // nor bias.
        let (c, bias) = match &operands.scales {
            None => (c, bias),
            Some(scales) => (scales.b.lower(), scales.a.lower()),
        };
        // The list of a grouped product is the argument C.
        let c = match &operands.groups {
            None => c,
            Some(list) => list.lower(),
        };
        let (a, b) = (operands.a.view.lower(), operands.b.view.lower());
        Ok(PlanArguments {
            d,
            a,
            b,
            c,
            bias,
            workspace: workspace.view.lower(),
            cleared: workspace.cleared,
        })
    }

    /// Refuses a problem with other matrices.
    fn expect(&self, planned: &GemmProblem) -> Result<(), GemmError> {
        // A reducing store reads no C, because it adds to D.
        let has_c = self.operands.c.is_some() && planned.reducing_store;
        if by_operands(&self.problem) == by_operands(planned) && !has_c {
            return Ok(());
        }
        Err(GemmError::OtherProblem {
            found: Box::new(self.problem),
            planned: Box::new(*planned),
        })
    }
}

/// Returns the problem with only those properties that operands determine. The plan decides the
/// accumulator, alpha, beta, the activation and the store, and the launch's contract checks
/// alignments.
fn by_operands(problem: &GemmProblem) -> GemmProblem {
    GemmProblem {
        accumulator: problem.input.default_accumulator(),
        input_alignment: 16,
        output_alignment: 16,
        reducing_store: false,
        epilogue: Epilogue {
            bias: problem.epilogue.bias,
            ..Epilogue::NONE
        },
        ..*problem
    }
}

/// The buffers of a plan as bytes, for launches whose element types are known only at run time.
#[derive(Debug)]
pub struct PlanBuffers<'a> {
    /// D.
    pub d: ViewMut<'a, u8>,
    /// A.
    pub a: View<'a, u8>,
    /// B.
    pub b: View<'a, u8>,
    /// C, or an empty view.
    pub c: View<'a, u8>,
    /// The bias, or an empty view.
    pub bias: View<'a, u8>,
    /// The workspace, whose first [`Plan::zeroed_bytes`] are zero.
    pub workspace: &'a mut Buffer<u8>,
}

impl PlanBuffers<'_> {
    /// Makes the plan's launches once. `kernel` loads their kernels.
    ///
    /// # Errors
    /// Returns [`GemmError::Host`] for buffers that do not suit the plan and for a fault, and the
    /// errors of `kernel`.
    pub fn launch<E: From<GemmError>>(
        self,
        kernel: impl FnMut(&'static str) -> Result<Kernel, E>,
        plan: &Plan,
    ) -> Result<Run, E> {
        let arguments = PlanArguments {
            d: self.d.lower(),
            a: self.a.lower(),
            b: self.b.lower(),
            c: self.c.lower(),
            bias: self.bias.lower(),
            workspace: self.workspace.lower(),
            cleared: 0,
        };
        let prepared = PreparedGemm::new(plan, &arguments, kernel, ())?;
        Ok(prepared.run(None).map_err(GemmError::from)?)
    }
}

/// Returns the same buffer as a read-only argument.
fn read_only(written: &Argument) -> Argument {
    let mut argument = written.clone();
    if let ArgumentKind::Pointer(Pointer { writable, .. }) = &mut argument.kind {
        *writable = false;
    }
    argument
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_abi::gemm::{InputType, OutputType};

    fn said(build: impl FnOnce(&Device) -> Result<GemmProblem, GemmError>) -> String {
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
                scales: None,
                groups: None,
                own_extents: false,
            }
            .check()
            .map(|checked| *checked.problem())
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
                scales: None,
                groups: None,
                own_extents: false,
            };
            change(&mut operands);
            operands.check().map(|checked| *checked.problem())
        };
        assert_eq!(with(&Device::emulator(), &|_| {}).unwrap().batches, 4);
        assert_eq!(
            said(|device| with(device, &|operands| operands.a = operands.a.batched(3, 6))),
            "A has 3 batches, D has 4 batches: they must be equal"
        );
        assert_eq!(
            said(|device| biased(device, 3, None)),
            "the bias has 3 elements; D has 5 columns"
        );
        assert!(matches!(
            biased(&Device::emulator(), 5, Some(Order::Columns)),
            Err(GemmError::Order { name: "C" })
        ));
        let problem = biased(&Device::emulator(), 5, Some(Order::Rows)).unwrap();
        assert!(problem.epilogue.bias);
    }

    /// Returns the problem of a (2, 3, 5) product with a bias of `columns` numbers, and a C in this
    /// order.
    fn biased(device: &Device, columns: usize, c: Option<Order>) -> Result<GemmProblem, GemmError> {
        let (room, bias) = (device.alloc::<f32>(100)?, device.alloc::<f32>(columns)?);
        let mut d = device.alloc::<f32>(100)?;
        let operands = Operands {
            a: Matrix::new(&room, 2, 3),
            b: Matrix::new(&room, 3, 5),
            c: c.map(|order| Matrix::new(&room, 2, 5).order(order)),
            d: MatrixMut::new(&mut d, 2, 5),
            bias: Some(bias.all()),
            scales: None,
            groups: None,
            own_extents: false,
        };
        operands.check().map(|checked| *checked.problem())
    }

    #[test]
    fn a_plan_is_for_its_own_operands() {
        let device = Device::emulator();
        let room = device.alloc::<f32>(100).unwrap();
        let mut d = device.alloc::<f32>(100).unwrap();
        let operands = Operands {
            a: Matrix::new(&room, 2, 3),
            b: Matrix::new(&room, 3, 5).order(Order::Columns),
            c: None,
            d: MatrixMut::new(&mut d, 2, 5),
            bias: None,
            scales: None,
            groups: None,
            own_extents: false,
        };
        let checked = operands.check().unwrap();
        let right = GemmProblem::new(2, 5, 3, InputType::Tf32, OutputType::Same);
        assert_eq!(checked.problem(), &right);
        // Properties that the operands do not determine may differ. Here a factor is even NaN.
        let epilogue = Epilogue {
            alpha: f32::NAN,
            ..Epilogue::NONE
        };
        assert!(checked.expect(&right.with_epilogue(epilogue)).is_ok());
        let wrong: [&dyn Fn(&mut GemmProblem); 5] = [
            &|problem| problem.k = 4,
            &|problem| problem.lda = 4,
            &|problem| problem.batches = 2,
            &|problem| problem.majors = Majors::Tt,
            &|problem| problem.epilogue.bias = true,
        ];
        for change in wrong {
            let mut planned = right;
            change(&mut planned);
            assert!(matches!(
                checked.expect(&planned),
                Err(GemmError::OtherProblem { .. })
            ));
        }
    }
}
