//! Prefill from pages on a device: K and V are in pages of a cache.
//!
//! ```text
//!   q, o (sequences, heads, queries, D), or packed        k, v (pages, key heads, page size, D), of any strides
//!   PartOperands { pages: PagedKeys { lengths, table }, .. } ─ paged_problem ─► a kernel's plan ─► prepare_paged_parts
//! ```

use super::arguments::bind;
use super::operands::equal;
use super::{
    AttentionElement, AttentionError, AttentionOperands, PagedKeys, PartOperands, PreparedAttention,
};
use crate::args::{Argument, ByValue, KernelArg};
use crate::kernel::Kernel;
use bytemuck::Pod;
use kernel_abi::attention::{
    AttentionArgument, AttentionMask, AttentionProblem, PagedAttentionPlan, PagedAttentionProblem,
};

impl<'a, T: AttentionElement> AttentionOperands<'a, T> {
    /// Returns the problem that the tensors describe. K and V are a cache: a batch of these tensors
    /// is a page. If `packed` is a number of sequences, the queries are packed.
    ///
    /// # Errors
    /// Returns an [`AttentionError`] with the tensors and the values, if the tensors do not fit
    /// together.
    pub fn paged_problem(
        &self,
        pages: PagedKeys<'_>,
        packed: Option<u32>,
        (mask, scale): (AttentionMask, f32),
    ) -> Result<PagedAttentionProblem, AttentionError> {
        let (q, k, v, o) = (
            self.q.extents,
            self.k.extents,
            self.v.extents,
            self.o.extents,
        );
        for (first, of, second, by) in [("O", o, "Q", q), ("V", v, "K", k)] {
            equal("batches", (first, of.batches), (second, by.batches))?;
            equal("heads", (first, of.heads), (second, by.heads))?;
            equal("rows", (first, of.rows), (second, by.rows))?;
        }
        equal("columns", ("K", k.columns), ("Q", q.columns))?;
        equal("columns", ("O", o.columns), ("V", v.columns))?;
        for (name, extents, strides, found) in [
            ("Q", q, &self.q.strides, self.q.view.len()),
            ("K", k, &self.k.strides, self.k.view.len()),
            ("V", v, &self.v.strides, self.v.view.len()),
            ("O", o, &self.o.strides, self.o.view.len()),
        ] {
            let needed = extents.reach(strides);
            if needed > found as u64 {
                return Err(AttentionError::Reach {
                    name,
                    needed,
                    found,
                });
            }
        }
        let rows = u64::from(q.batches) * u64::from(q.heads) * u64::from(q.rows);
        if let Some(lse) = &self.lse
            && lse.len() as u64 != rows
        {
            return Err(AttentionError::Lse {
                found: lse.len(),
                expected: rows,
            });
        }
        let sequences = packed.unwrap_or(q.batches);
        if pages.lengths.len() != sequences as usize {
            return Err(AttentionError::Lengths {
                found: pages.lengths.len(),
                expected: sequences,
            });
        }
        let table = pages.table.len();
        if sequences == 0 || !table.is_multiple_of(sequences as usize) {
            return Err(AttentionError::Table {
                found: table,
                sequences,
            });
        }
        Ok(PagedAttentionProblem {
            of: AttentionProblem {
                element: T::TYPE,
                batches: q.batches,
                heads: q.heads,
                key_heads: k.heads,
                queries: q.rows,
                keys: k.rows,
                dim: q.columns,
                dim_v: v.columns,
                mask,
                scale,
                lse: self.lse.is_some(),
                strides: [
                    self.q.strides,
                    self.k.strides,
                    self.v.strides,
                    self.o.strides,
                ],
            },
            sequences,
            packed: packed.is_some(),
            pages: k.batches,
            // A plan refuses numbers that do not fit in 32 bits.
            table_pages: u32::try_from(table / sequences as usize).unwrap_or(u32::MAX),
        })
    }

    /// Binds the tensors and the operands of the kernel's parts to the launch of attention from
    /// pages.
    ///
    /// # Errors
    /// Returns [`AttentionError::OtherProblem`] if the plan is for other tensors,
    /// [`AttentionError::Parts`], [`AttentionError::OfHeads`] and [`AttentionError::Starts`] for
    /// operands that do not belong to the kernel's parts, and [`AttentionError::Host`] for a launch
    /// that is refused.
    pub fn prepare_paged_parts(
        self,
        kernel: &Kernel,
        plan: &PagedAttentionPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        self.bind_paged(kernel, plan, operands, None)
    }

    /// Binds the tensors and the operands of the kernel's parts to the launch of attention from
    /// pages of a `kernel` with a score function of the caller's. `score` is the value that the
    /// function receives: the kernel's last argument.
    ///
    /// # Errors
    /// Returns the errors of [`prepare_paged_parts`](Self::prepare_paged_parts). A kernel without
    /// this last argument, or whose last argument has another size, is refused.
    pub fn prepare_paged_with<S: Pod>(
        self,
        kernel: &Kernel,
        plan: &PagedAttentionPlan,
        operands: PartOperands<'a>,
        score: ByValue<S>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        self.bind_paged(kernel, plan, operands, Some(score.lower()))
    }

    /// Binds the tensors, the operands of the kernel's parts, and `score`, an argument after all
    /// other arguments.
    fn bind_paged(
        self,
        kernel: &Kernel,
        plan: &PagedAttentionPlan,
        operands: PartOperands<'a>,
        score: Option<Argument>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        let problem = plan.problem();
        operands.check(plan.parts(), problem.of.heads)?;
        if let Some(starts) = &operands.starts {
            starts.check(problem.sequences)?;
        }
        if let Some(keys) = operands.pages {
            let packed = problem.packed.then_some(problem.sequences);
            let found = self.paged_problem(keys, packed, (problem.of.mask, problem.of.scale))?;
            if found != *problem {
                return Err(AttentionError::OtherProblem {
                    found: Box::new(found.of),
                    planned: Box::new(problem.of),
                });
            }
        }
        let device = kernel.device();
        let value = |argument| match argument {
            AttentionArgument::O
            | AttentionArgument::Lse
            | AttentionArgument::Params
            | AttentionArgument::MapQ
            | AttentionArgument::MapK
            | AttentionArgument::MapV => self.value(device, plan.params(), plan.maps(), argument),
            part => operands.value(device, Some(problem.params()), part),
        };
        Ok(PreparedAttention {
            launch: bind(kernel, plan.launch(), plan.arguments(), value, score)?,
            ahead: None,
        })
    }
}
