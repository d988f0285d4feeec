//! The backward pass's tensors: checked against each other once, then bound to the three launches
//! of a plan, and where sinks have a gradient to a fourth.

use super::operands::{equal, map_spec};
use super::parts::{PartArgument, of_each_head};
use super::{AttentionElement, AttentionError, HeadTensor, HeadTensorMut, PartOperands};
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::{Buffer, View, ViewMut};
use crate::contract::Contract;
use crate::device::Device;
use crate::enqueue::{Enqueue, EnqueueOn, PreparedLaunch, enqueue_on_main};
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;
use bytemuck::Pod;
use kernel_abi::attention::{
    AttentionBackwardParams, AttentionBackwardPlan, AttentionBackwardProblem, AttentionLoads,
    AttentionMapPlan, AttentionMask, AttentionProblem, FusedBackwardConfiguration,
    FusedBackwardPlan, GradientPlan, SinkGradientPlan,
};
use std::marker::PhantomData;

/// The tensors of an attention's gradients.
#[derive(Debug)]
pub struct AttentionBackwardOperands<'a, T: AttentionElement> {
    /// Q, (batches, heads, queries, D).
    pub q: HeadTensor<'a, T>,
    /// K, (batches, key heads, keys, D).
    pub k: HeadTensor<'a, T>,
    /// V, as K.
    pub v: HeadTensor<'a, T>,
    /// O, as Q: what the forward pass computed.
    pub o: HeadTensor<'a, T>,
    /// The log-sum-exp of each row, (batches, heads, queries), compact: what the forward pass
    /// computed.
    pub lse: View<'a, f32>,
    /// The gradient of O, as Q.
    pub d_o: HeadTensor<'a, T>,
    /// Where the gradient of Q goes, as Q.
    pub dq: HeadTensorMut<'a, T>,
    /// Where the gradient of K goes, as K.
    pub dk: HeadTensorMut<'a, T>,
    /// Where the gradient of V goes, as K.
    pub dv: HeadTensorMut<'a, T>,
}

/// The sinks of a forward pass, and their gradient.
#[derive(Debug)]
pub struct SinkGradientOperands<'a> {
    /// A logit of each head of Q.
    pub sinks: View<'a, f32>,
    /// Where the gradient of each goes.
    pub d_sinks: ViewMut<'a, f32>,
}

/// A plan's launches on given tensors, which it keeps borrowed, and the buffers between them.
pub struct PreparedAttentionBackward<'a> {
    launches: Vec<PreparedLaunch<PhantomData<&'a mut ()>>>,
    /// The values of rows.
    values: Buffer<f32>,
    _sums: Option<Buffer<f32>>,
}

impl<'a> PreparedAttentionBackward<'a> {
    /// The launches in their order: the rows, dK and dV, dQ; of a fused plan the rows, all
    /// gradients, the rounding of dQ. That of the sinks' gradient is behind them.
    #[must_use]
    pub fn launches(&self) -> Vec<&Launch> {
        self.launches.iter().map(PreparedLaunch::launch).collect()
    }

    /// Makes the launches once, in their order, and waits for their end.
    ///
    /// # Errors
    /// [`Error::Fault`].
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<Vec<Run>, Error> {
        let launches = self.launches.iter();
        launches.map(|launch| launch.run(progress)).collect()
    }

    /// The same with the launch of the sinks' gradient, of a plan behind that of the others.
    ///
    /// # Errors
    /// [`AttentionError::OfHeads`] for another number of sinks or of their gradients than heads;
    /// [`AttentionError::Host`] for a launch that is refused.
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
        let arguments = [
            d_sinks.lower(),
            sinks.lower(),
            self.values.all().lower(),
            ByValue(plan.params().to_u64s()).lower(),
        ];
        let launch = Contract::from(plan.launch()).launch();
        let launch = PreparedLaunch::new(kernel, &launch, &arguments, PhantomData)?;
        self.launches.push(launch);
        Ok(self)
    }
}

impl EnqueueOn for PreparedAttentionBackward<'_> {
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error> {
        let mut launches = self.launches.iter();
        // SAFETY: the caller's contract covers the buffers of all launches.
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

/// A map of a tensor, as an argument.
fn map_argument<T: AttentionElement>(
    tensor: &View<'_, T>,
    map: &AttentionMapPlan,
) -> Result<Argument, Error> {
    Ok((&tensor.tensor_map(&map_spec::<T>(map))?).lower())
}

/// A launch of tiles: its parameters, its maps, or none where it reads by addresses, its grid and
/// what comes behind them.
pub(super) type OfTiles<'a> = (
    &'a AttentionBackwardParams,
    Option<&'a [AttentionMapPlan; 4]>,
    Launch,
    Vec<Argument>,
);

/// The launch of a kernel of tiles that reads its tensors by `loads`; `more` are its arguments
/// behind their maps, or behind their strides.
pub(super) fn launch_of_tiles<'a, const BUFFERS: usize>(
    of: &'a GradientPlan<BUFFERS>,
    loads: AttentionLoads,
    more: impl IntoIterator<Item = PartArgument>,
) -> OfTiles<'a> {
    let mut contract = Contract::from(of.launch());
    let (maps, mut behind) = match loads {
        AttentionLoads::Tma | AttentionLoads::TmaUmma => (Some(of.maps()), Vec::new()),
        AttentionLoads::CpAsync => {
            for input in of.inputs() {
                let elements = input.elements as usize;
                contract = contract.reads(input.argument, input.name, elements, input.alignment);
            }
            (None, vec![ByValue(of.reads().to_u64s()).lower()])
        }
    };
    for PartArgument { argument, buffer } in more {
        if let Some((name, elements, alignment)) = buffer {
            contract = contract.reads(TENSORS_END + behind.len(), name, elements, alignment);
        }
        behind.push(argument);
    }
    (of.params(), maps, contract.launch(), behind)
}

/// Arguments of a kernel of tiles: results, values, parameters, four tensors.
const TENSORS_END: usize = 8;

impl<'a, T: AttentionElement> AttentionBackwardOperands<'a, T> {
    /// The head dimension.
    #[must_use]
    pub fn problem_dim(&self) -> u32 {
        self.q.extents.columns
    }

    /// The problem that the tensors state.
    ///
    /// # Errors
    /// [`AttentionError`] with the tensors and the values.
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

    /// Binds the tensors to a plan's launches of its kernels: of the rows, of dK and dV, of dQ.
    ///
    /// # Errors
    /// [`AttentionError::OtherGradients`] where the plan is for other tensors;
    /// [`AttentionError::Host`] for a launch that is refused.
    pub fn prepare(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        self.prepare_parts(kernels, plan, PartOperands::default())
    }

    /// Binds the tensors to a plan's launches of its kernels, of which those of dK and dV and of dQ
    /// have a score function of their own; `score` is the function's value, their last argument.
    /// Kernels that take packed sequences, too, have the arguments of
    /// [`prepare_packed_with`](Self::prepare_packed_with), and
    /// [`prepare_unpacked_with`](Self::prepare_unpacked_with) binds them.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare); a kernel without such an argument, or with one of another
    /// size, is refused.
    pub fn prepare_with<S: Pod>(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        score: ByValue<S>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let more = || vec![score.lower().into()];
        self.bind_plan(kernels, plan, [more(), more()])
    }

    /// Binds the tensors and the operands of the parts of the kernels of tiles to a plan's launches
    /// of sequences of one length. Sinks are no part of theirs.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare); [`AttentionError::Parts`] and [`AttentionError::OfHeads`]
    /// for operands that are not those of the kernels' parts.
    pub fn prepare_parts(
        self,
        kernels: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        operands: PartOperands<'a>,
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let heads = plan.problem().forward.heads;
        let device = kernels[0].device();
        let more = || operands.lower(device, (plan.parts(), None), heads);
        let more = [more()?, more()?];
        self.bind_plan(kernels, plan, more)
    }

    /// Binds the tensors to a plan's launches; `more` are the arguments of each kernel of tiles
    /// behind their maps, or behind their strides.
    pub(super) fn bind_plan(
        self,
        [rows, keys, queries]: [&Kernel; 3],
        plan: &AttentionBackwardPlan,
        [of_keys, of_queries]: [Vec<PartArgument>; 2],
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        self.check_planned(plan.problem())?;
        let of_rows = (plan.rows_params(), Contract::from(plan.rows()).launch());
        let of_tiles = [(plan.keys(), of_keys), (plan.queries(), of_queries)]
            .map(|(of, more)| launch_of_tiles(of, plan.loads(), more));
        let values = plan.problem().values();
        self.bind(
            [rows, keys, queries],
            values,
            (of_rows, Vec::new()),
            of_tiles,
        )
    }

    /// Binds the tensors to a fused plan's launches of its kernels: of the rows, of the gradients,
    /// of dQ.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
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
        let params = |of: &AttentionBackwardParams| ByValue(of.to_u64s()).lower();
        let of_rows = [
            self.o.view.lower(),
            self.d_o.view.lower(),
            self.lse.lower(),
            values.all_mut().lower(),
            params(plan.rows_params()),
            sums.all_mut().lower(),
        ];
        let mut of_gradients = vec![
            self.dk.view.lower(),
            self.dv.view.lower(),
            values.all().lower(),
            params(plan.gradients().params()),
        ];
        let tensors = [&self.k, &self.v, &self.q, &self.d_o].map(|of| &of.view);
        for (tensor, map) in tensors.into_iter().zip(plan.gradients().maps()) {
            of_gradients.push(map_argument(tensor, map)?);
        }
        of_gradients.push(sums.all_mut().lower());
        let of_dq = [
            self.dq.view.lower(),
            sums.all().lower(),
            params(plan.dq_params()),
        ];
        let bound = |kernel, launch: Launch, arguments: &[Argument]| {
            PreparedLaunch::new(kernel, &launch, arguments, PhantomData)
        };
        Ok(PreparedAttentionBackward {
            launches: vec![
                bound(rows, Contract::from(plan.rows()).launch(), &of_rows)?,
                bound(
                    gradients,
                    Contract::from(plan.gradients().launch()).launch(),
                    &of_gradients,
                )?,
                bound(dq, Contract::from(plan.dq()).launch(), &of_dq)?,
            ],
            values,
            _sums: Some(sums),
        })
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

    /// Binds the tensors and so many values to the three launches, with more arguments behind them.
    pub(super) fn bind(
        self,
        [rows, keys, queries]: [&Kernel; 3],
        values: u64,
        ((rows_params, of_rows), more_of_rows): ((&AttentionBackwardParams, Launch), Vec<Argument>),
        [of_keys, of_queries]: [OfTiles<'_>; 2],
    ) -> Result<PreparedAttentionBackward<'a>, AttentionError> {
        let device = rows.device();
        let mut values = device.alloc::<f32>(values as usize)?;
        let mut nothing = device.alloc::<T>(0)?;
        let [q, k, v, d_o] = [&self.q, &self.k, &self.v, &self.d_o].map(|of| &of.view);
        let mut arguments = vec![
            self.o.view.lower(),
            d_o.lower(),
            self.lse.lower(),
            values.all_mut().lower(),
            ByValue(rows_params.to_u64s()).lower(),
        ];
        arguments.extend(more_of_rows);
        let of_rows = PreparedLaunch::new(rows, &of_rows, &arguments, PhantomData)?;
        let of_tiles = |kernel: &Kernel,
                        (params, maps, launch, more): OfTiles<'_>,
                        results: [Argument; 2],
                        tensors: [&View<'a, T>; 4]|
         -> Result<_, Error> {
            let [first, second] = results;
            let mut arguments = vec![
                first,
                second,
                values.all().lower(),
                ByValue(params.to_u64s()).lower(),
            ];
            for (i, tensor) in tensors.into_iter().enumerate() {
                arguments.push(match maps {
                    Some(maps) => map_argument(tensor, &maps[i])?,
                    None => tensor.lower(),
                });
            }
            arguments.extend(more);
            PreparedLaunch::new(kernel, &launch, &arguments, PhantomData)
        };
        let results = [self.dk.view.lower(), self.dv.view.lower()];
        let of_keys = of_tiles(keys, of_keys, results, [k, v, q, d_o])?;
        let results = [self.dq.view.lower(), nothing.all_mut().lower()];
        let of_queries = of_tiles(queries, of_queries, results, [q, d_o, k, v])?;
        Ok(PreparedAttentionBackward {
            launches: vec![of_rows, of_keys, of_queries],
            values,
            _sums: None,
        })
    }
}
