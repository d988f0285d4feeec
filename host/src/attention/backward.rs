//! The tensors of the backward pass. They are checked against each other once, and then bound to
//! the three launches of a plan. If the sinks have a gradient, there is a fourth launch.

use super::arguments::{Bound, BoundLaunch, bind, nothing, unbound};
use super::operands::equal;
use super::parts::of_each_head;
use super::{AttentionElement, AttentionError, HeadTensor, HeadTensorMut, PartOperands};
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::{Buffer, View, ViewMut};
use crate::device::Device;
use crate::enqueue::{Enqueue, EnqueueOn, PreparedLaunch, enqueue_on_main};
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;
use bytemuck::Pod;
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardParams, AttentionBackwardPlan, AttentionBackwardProblem,
    AttentionMask, AttentionProblem, FusedBackwardConfiguration, FusedBackwardPlan, GradientPlan,
    SinkGradientPlan,
};
use kernel_abi::{KernelArguments, LaunchSpec};

/// The tensors of an attention's gradients.
#[derive(Debug)]
pub struct AttentionBackwardOperands<'a, T: AttentionElement> {
    /// Q, (batches, heads, queries, D).
    pub q: HeadTensor<'a, T>,
    /// K, (batches, key heads, keys, D).
    pub k: HeadTensor<'a, T>,
    /// V, with K's extents.
    pub v: HeadTensor<'a, T>,
    /// O, with Q's extents, as the forward pass computed it.
    pub o: HeadTensor<'a, T>,
    /// The log-sum-exp of each row, (batches, heads, queries), compact, as the forward pass
    /// computed it.
    pub lse: View<'a, f32>,
    /// The gradient of O, with Q's extents.
    pub d_o: HeadTensor<'a, T>,
    /// The output for the gradient of Q, with Q's extents.
    pub dq: HeadTensorMut<'a, T>,
    /// The output for the gradient of K, with K's extents.
    pub dk: HeadTensorMut<'a, T>,
    /// The output for the gradient of V, with K's extents.
    pub dv: HeadTensorMut<'a, T>,
}

/// The sinks of a forward pass, and their gradient.
#[derive(Debug)]
pub struct SinkGradientOperands<'a> {
    /// The sinks: one logit for each head of Q.
    pub sinks: View<'a, f32>,
    /// The output for the gradients of the sinks, one for each head of Q.
    pub d_sinks: ViewMut<'a, f32>,
}

/// A plan's launches on given tensors, and the buffers through which one launch passes data to the
/// next. The value keeps the tensors borrowed.
pub struct PreparedAttentionBackward<'a> {
    launches: Vec<BoundLaunch<'a>>,
    /// The values of rows: the log-sum-exp and δ.
    values: Buffer<f32>,
    _sums: Option<Buffer<f32>>,
}

impl<'a> PreparedAttentionBackward<'a> {
    /// Returns the launches in their order: the launch of the rows, the launch of dK and dV, and
    /// the launch of dQ. A fused plan has the launch of the rows, the launch of all gradients, and
    /// the launch that rounds dQ. If the sinks have a gradient, its launch is the last.
    #[must_use]
    pub fn launches(&self) -> Vec<&Launch> {
        self.launches.iter().map(PreparedLaunch::launch).collect()
    }

    /// Makes the launches once, in their order, and waits for their end.
    ///
    /// # Errors
    /// Returns [`Error::Fault`] if a kernel fails.
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<Vec<Run>, Error> {
        let launches = self.launches.iter();
        launches.map(|launch| launch.run(progress)).collect()
    }

    /// Returns the same launches followed by the launch of the sinks' gradient. The plan of that
    /// launch must have been made from the plan of these launches.
    ///
    /// # Errors
    /// Returns [`AttentionError::OfHeads`] if the number of sinks, or the number of their
    /// gradients, is not the number of heads. Returns [`AttentionError::Host`] for a launch that is
    /// refused.
    pub fn with_sinks(
        mut self,
        kernel: &Kernel,
        plan: &SinkGradientPlan,
        operands: SinkGradientOperands<'a>,
    ) -> Result<Self, AttentionError> {
        let heads = plan.params().of.heads;
        let SinkGradientOperands { sinks, d_sinks } = operands;
        of_each_head("the sinks", sinks.len(), heads)?;
        of_each_head("the gradients of the sinks", d_sinks.len(), heads)?;
        let value = |argument| match argument {
            AttentionArgument::GradientOfSinks => Ok(d_sinks.lower().into()),
            AttentionArgument::Sinks => Ok(sinks.lower().into()),
            AttentionArgument::Values => Ok(self.values.all().lower().into()),
            AttentionArgument::Params => Ok(Bound::words(plan.params().to_u64s())),
            other => Err(unbound(other)),
        };
        let launch = bind(kernel, plan.launch(), plan.arguments(), value, None)?;
        self.launches.push(launch);
        Ok(self)
    }
}

impl EnqueueOn for PreparedAttentionBackward<'_> {
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error> {
        let mut launches = self.launches.iter();
        // SAFETY: the caller guarantees the conditions of `enqueue_on` (`# Safety`) for the whole
        // work, whose buffers are those of its launches.
        launches.try_for_each(|launch| unsafe { launch.enqueue_on(queue) })
    }
}

impl Enqueue for PreparedAttentionBackward<'_> {
    fn enqueue(&self) -> Result<(), Error> {
        enqueue_on_main(self)
    }
    fn device(&self) -> &Device {
        self.launches[0].device()
    }
}

/// The launch of a kernel of the rows, its arguments and its parameters.
pub(super) type RowsLaunch<'a, const BUFFERS: usize> = (
    &'a LaunchSpec<BUFFERS>,
    KernelArguments<AttentionArgument>,
    &'a AttentionBackwardParams,
);
/// The plan of a kernel of tiles, and its arguments.
pub(super) type TilesLaunch<'a, const BUFFERS: usize> = (
    &'a GradientPlan<BUFFERS>,
    KernelArguments<AttentionArgument>,
);

/// The tensors of a kernel of tiles, and the arguments for its results.
struct Tiles<'b, T: AttentionElement> {
    /// Whether a tile is of keys, so that the kernel computes dK and dV.
    of_keys: bool,
    /// The first and the second gradient.
    results: [Argument; 2],
    /// The tensors of the tile (x 0 and x 1), and those that are streamed (y 0 and y 1).
    tensors: [&'b View<'b, T>; 4],
    /// The values of rows.
    values: Argument,
}

impl<T: AttentionElement> Tiles<'_, T> {
    /// Binds the launch of a kernel with these arguments. `more` returns the values of the
    /// arguments that the kernel's parts add, and `score` is an argument after all other arguments.
    fn bind<'a, const BUFFERS: usize>(
        self,
        kernel: &Kernel,
        plan: &GradientPlan<BUFFERS>,
        list: KernelArguments<AttentionArgument>,
        more: impl Fn(AttentionArgument) -> Result<Bound, AttentionError>,
        score: Option<Argument>,
    ) -> Result<BoundLaunch<'a>, AttentionError> {
        let [first, second] = &self.results;
        let [x_0, x_1, y_0, y_1] = self.tensors;
        let [map_x0, map_x1, map_y0, map_y1] = plan.maps();
        let [of_x0, of_x1, of_y0, of_y1] = &plan.inputs();
        // If tiles are of keys, the tile's tensors take the starts of keys, and the streamed
        // tensors the starts of queries.
        let (tile, streamed) = match self.of_keys {
            true => (AttentionArgument::KeyStarts, AttentionArgument::QueryStarts),
            false => (AttentionArgument::QueryStarts, AttentionArgument::KeyStarts),
        };
        let value = |argument| {
            Ok(match argument {
                AttentionArgument::First => first.clone().into(),
                AttentionArgument::Second => second.clone().into(),
                AttentionArgument::Values => self.values.clone().into(),
                AttentionArgument::Params => Bound::words(plan.params().to_u64s()),
                AttentionArgument::MapX0 => Bound::map(x_0, map_x0)?,
                AttentionArgument::MapX1 => Bound::map(x_1, map_x1)?,
                AttentionArgument::MapY0 => Bound::map(y_0, map_y0)?,
                AttentionArgument::MapY1 => Bound::map(y_1, map_y1)?,
                AttentionArgument::X0 => Bound::read(x_0, of_x0),
                AttentionArgument::X1 => Bound::read(x_1, of_x1),
                AttentionArgument::Y0 => Bound::read(y_0, of_y0),
                AttentionArgument::Y1 => Bound::read(y_1, of_y1),
                AttentionArgument::Reads => Bound::words(plan.reads().to_u64s()),
                AttentionArgument::TileStarts => more(tile)?,
                AttentionArgument::StreamedStarts => more(streamed)?,
                part => more(part)?,
            })
        };
        bind(kernel, plan.launch(), list, value, score)
    }
}

impl<'a, T: AttentionElement> AttentionBackwardOperands<'a, T> {
    /// Returns the head dimension.
    #[must_use]
    pub fn problem_dim(&self) -> u32 {
        self.q.extents.columns
    }

    /// Returns the problem that the tensors describe.
    ///
    /// # Errors
    /// Returns an [`AttentionError`] with the tensors and the values, if the tensors do not fit
    /// together.
    pub fn problem(
        &self,
        mask: AttentionMask,
        scale: f32,
    ) -> Result<AttentionBackwardProblem, AttentionError> {
        let (q, k) = (self.q.extents, self.k.extents);
        equal("batches", ("K", k.batches), ("Q", q.batches))?;
        equal("columns", ("K", k.columns), ("Q", q.columns))?;
        for (first, of, second, by) in [
            ("V", self.v.extents, "K", k),
            ("O", self.o.extents, "Q", q),
            ("dO", self.d_o.extents, "Q", q),
            ("dQ", self.dq.extents, "Q", q),
            ("dK", self.dk.extents, "K", k),
            ("dV", self.dv.extents, "K", k),
        ] {
            equal("batches", (first, of.batches), (second, by.batches))?;
            equal("heads", (first, of.heads), (second, by.heads))?;
            equal("rows", (first, of.rows), (second, by.rows))?;
            equal("columns", (first, of.columns), (second, by.columns))?;
        }
        for (name, extents, strides, found) in [
            ("Q", q, &self.q.strides, self.q.view.len()),
            ("K", k, &self.k.strides, self.k.view.len()),
            ("V", k, &self.v.strides, self.v.view.len()),
            ("O", q, &self.o.strides, self.o.view.len()),
            ("dO", q, &self.d_o.strides, self.d_o.view.len()),
            ("dQ", q, &self.dq.strides, self.dq.view.len()),
            ("dK", k, &self.dk.strides, self.dk.view.len()),
            ("dV", k, &self.dv.strides, self.dv.view.len()),
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
        let expected = u64::from(q.batches) * u64::from(q.heads) * u64::from(q.rows);
        if self.lse.len() as u64 != expected {
            return Err(AttentionError::Lse {
                found: self.lse.len(),
                expected,
            });
        }
        Ok(AttentionBackwardProblem {
            forward: AttentionProblem {
                element: T::TYPE,
                batches: q.batches,
                heads: q.heads,
                key_heads: k.heads,
                queries: q.rows,
                keys: k.rows,
                dim: q.columns,
                dim_v: q.columns,
                mask,
                scale,
                lse: true,
                strides: [
                    self.q.strides,
                    self.k.strides,
                    self.v.strides,
                    self.o.strides,
                ],
            },
            gradients: [
                self.d_o.strides,
                self.dq.strides,
                self.dk.strides,
                self.dv.strides,
            ],
        })
    }

    /// Binds the tensors to the launches of a plan by its three kernels: the kernel of the rows,
    /// the kernel of dK and dV, and the kernel of dQ.
    ///
    /// # Errors
    /// Returns [`AttentionError::OtherGradients`] if the plan is for other tensors. Returns
    /// [`AttentionError::Host`] for a launch that is refused.
    pub fn prepare(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        self.prepare_parts(kernels, plan, PartOperands::default())
    }

    /// Binds the tensors to the launches of a plan by its three kernels. The kernel of dK and dV
    /// and the kernel of dQ have a score function of the caller's. `score` is the value that the
    /// function receives: the last argument of both kernels.
    ///
    /// Kernels that also take packed sequences have the arguments of
    /// [`prepare_packed_with`](Self::prepare_packed_with), and
    /// [`prepare_unpacked_with`](Self::prepare_unpacked_with) binds them.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare). A kernel without this last argument, or
    /// whose last argument has another size, is refused.
    pub fn prepare_with<S: Pod>(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        score: ByValue<S>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let lists = [plan.keys().arguments(), plan.queries().arguments()];
        let score = Some(score.lower());
        self.bind_plan(kernels, plan, lists, |of| Err(unbound(of)), score)
    }

    /// Binds the tensors, and the operands of the parts of the kernels of tiles, to a plan's
    /// launches for sequences of one length. Sinks are not a part of these kernels.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare). Returns [`AttentionError::Parts`] and
    /// [`AttentionError::OfHeads`] for operands that do not belong to the kernels' parts.
    pub fn prepare_parts(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        operands.check(plan.parts(), plan.problem().forward.heads)?;
        let [rows, ..] = kernels;
        let more = |of| operands.value(rows.device(), None, of);
        let lists = [plan.keys().arguments(), plan.queries().arguments()];
        self.bind_plan(kernels, plan, lists, more, None)
    }

    /// Binds the tensors to a plan's launches. The kernels of dK and dV and of dQ have these
    /// arguments. `more` returns the values of the arguments that the kernels' parts add, and
    /// `score` is an argument after all other arguments.
    pub(super) fn bind_plan(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        [of_keys, of_queries]: [KernelArguments<AttentionArgument>; 2],
        more: impl Fn(AttentionArgument) -> Result<Bound, AttentionError>,
        score: Option<Argument>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        self.check_planned(plan.problem())?;
        let rows = (plan.rows(), plan.rows_arguments(), plan.rows_params());
        let keys = (plan.keys(), of_keys);
        let queries = (plan.queries(), of_queries);
        let values = plan.problem().values();
        self.bind(kernels, values, rows, [keys, queries], more, score)
    }

    /// Binds the tensors to a fused plan's launches by its three kernels: the kernel of the rows,
    /// the kernel of the gradients, and the kernel of dQ.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare).
    pub fn prepare_fused(
        self,
        [rows, gradients, dq]: [&Kernel; 3],
        plan: &FusedBackwardPlan,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let problem = plan.problem();
        self.check_planned(problem)?;
        let device = rows.device();
        let mut values = device.alloc::<f32>(problem.values() as usize)?;
        let sums = FusedBackwardConfiguration::sums(problem) as usize;
        let mut sums = device.alloc::<f32>(sums)?;
        let [values_written, sums_written] =
            [&mut values, &mut sums].map(|of| of.all_mut().lower());
        let sums_of = |argument| match argument {
            AttentionArgument::Sums => Ok(sums_written.clone().into()),
            other => Err(unbound(other)),
        };
        let of_rows = (plan.rows(), plan.rows_arguments(), plan.rows_params());
        let of_rows = self.bind_rows(rows, of_rows, &values_written, sums_of)?;
        let of_gradients = plan.gradients();
        let [k, v, q, d_o] = of_gradients.maps();
        let value = |argument| {
            Ok(match argument {
                AttentionArgument::GradientOfK => self.dk.view.lower().into(),
                AttentionArgument::GradientOfV => self.dv.view.lower().into(),
                AttentionArgument::Values => values.all().lower().into(),
                AttentionArgument::Params => Bound::words(of_gradients.params().to_u64s()),
                AttentionArgument::MapK => Bound::map(&self.k.view, k)?,
                AttentionArgument::MapV => Bound::map(&self.v.view, v)?,
                AttentionArgument::MapQ => Bound::map(&self.q.view, q)?,
                AttentionArgument::MapGradientOfO => Bound::map(&self.d_o.view, d_o)?,
                other => return sums_of(other),
            })
        };
        let list = of_gradients.arguments();
        let of_gradients = bind(gradients, of_gradients.launch(), list, value, None)?;
        let value = |argument| match argument {
            AttentionArgument::GradientOfQ => Ok(self.dq.view.lower().into()),
            AttentionArgument::Sums => Ok(sums.all().lower().into()),
            AttentionArgument::Params => Ok(Bound::words(plan.dq_params().to_u64s())),
            other => Err(unbound(other)),
        };
        let of_dq = bind(dq, plan.dq(), plan.dq_arguments(), value, None)?;
        Ok(PreparedAttentionBackward {
            launches: vec![of_rows, of_gradients, of_dq],
            values,
            _sums: Some(sums),
        })
    }

    /// Binds the tensors to a launch of a kernel of the rows. `more` returns the values of the
    /// kernel's other arguments.
    fn bind_rows<const BUFFERS: usize>(
        &self,
        kernel: &Kernel,
        (launch, list, params): RowsLaunch<'_, BUFFERS>,
        values: &Argument,
        more: impl Fn(AttentionArgument) -> Result<Bound, AttentionError>,
    ) -> Result<BoundLaunch<'a>, AttentionError> {
        let value = |argument| match argument {
            AttentionArgument::O => Ok(self.o.view.lower().into()),
            AttentionArgument::GradientOfO => Ok(self.d_o.view.lower().into()),
            AttentionArgument::Lse => Ok(self.lse.lower().into()),
            AttentionArgument::Values => Ok(values.clone().into()),
            AttentionArgument::Params => Ok(Bound::words(params.to_u64s())),
            other => more(other),
        };
        bind(kernel, launch, list, value, None)
    }

    /// Checks that the tensors are those of the problem that was planned.
    pub(super) fn check_planned(
        &self,
        planned: &AttentionBackwardProblem,
    ) -> Result<(), AttentionError> {
        let found = self.problem(planned.forward.mask, planned.forward.scale)?;
        if found == *planned {
            return Ok(());
        }
        Err(AttentionError::OtherGradients {
            found: Box::new(found),
            planned: Box::new(*planned),
        })
    }

    /// Binds the tensors and a buffer of `values` elements for the values of rows to the three
    /// launches. `more` returns the values of the arguments that the kernels' parts add, and
    /// `score` follows the other arguments of the kernels of tiles.
    pub(super) fn bind<const OF_ROWS: usize, const OF_TILES: usize>(
        self,
        [rows, keys, queries]: [&Kernel; 3],
        values: u64,
        of_rows: RowsLaunch<'_, OF_ROWS>,
        [of_keys, of_queries]: [TilesLaunch<'_, OF_TILES>; 2],
        more: impl Fn(AttentionArgument) -> Result<Bound, AttentionError>,
        score: Option<Argument>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let device = rows.device();
        let mut values = device.alloc::<f32>(values as usize)?;
        let of_rows = self.bind_rows(rows, of_rows, &values.all_mut().lower(), &more)?;
        let [q, k, v, d_o] = [&self.q, &self.k, &self.v, &self.d_o].map(|of| &of.view);
        let tiles_of_keys = Tiles {
            of_keys: true,
            results: [self.dk.view.lower(), self.dv.view.lower()],
            tensors: [k, v, q, d_o],
            values: values.all().lower(),
        };
        let tiles_of_queries = Tiles {
            of_keys: false,
            results: [self.dq.view.lower(), nothing::<T>(device)?],
            tensors: [q, d_o, k, v],
            values: values.all().lower(),
        };
        let (plan, list) = of_keys;
        let of_keys = tiles_of_keys.bind(keys, plan, list, &more, score.clone())?;
        let (plan, list) = of_queries;
        let of_queries = tiles_of_queries.bind(queries, plan, list, &more, score)?;
        Ok(PreparedAttentionBackward {
            launches: vec![of_rows, of_keys, of_queries],
            values,
            _sums: None,
        })
    }
}
