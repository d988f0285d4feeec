//! The tensors of attention. They are checked against each other once, and then bound to a plan's
//! launch.

use super::arguments::{Bound, BoundLaunch, bind, nothing, unbound};
use super::{AttentionElement, AttentionError, HeadTensor, HeadTensorMut};
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::{Buffer, ViewMut};
use crate::device::Device;
use crate::enqueue::{Enqueue, EnqueueOn, enqueue_on_main};
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;
use crate::tensor_map::{TensorMapSpec, TmaElement};
use bytemuck::Pod;
use emulator::TensorSwizzle;
use kernel_abi::LaunchSpec;
use kernel_abi::attention::{
    AttentionArgument, AttentionMapPlan, AttentionMask, AttentionParams, AttentionPlan,
    AttentionProblem,
};

/// The tensors of `O = softmax(scale Q Kᵀ + mask) V`. Q, K and V have elements of `T`, and O has
/// elements of `O`.
#[derive(Debug)]
pub struct AttentionOperands<'a, T: Pod, O: AttentionElement = T> {
    /// Q, (batches, heads, queries, D).
    pub q: HeadTensor<'a, T>,
    /// K, (batches, key heads, keys, D).
    pub k: HeadTensor<'a, T>,
    /// V, (batches, key heads, keys, columns of O).
    pub v: HeadTensor<'a, T>,
    /// O, (batches, heads, queries, columns of V).
    pub o: HeadTensorMut<'a, O>,
    /// The log-sum-exp of each row, (batches, heads, queries), compact.
    pub lse: Option<ViewMut<'a, f32>>,
}

/// A plan's launch on given tensors. The value keeps the tensors borrowed.
pub struct PreparedAttention<'a> {
    pub(super) launch: BoundLaunch<'a>,
    /// A launch that runs before `launch`, and the buffer that this first launch writes.
    pub(super) ahead: Option<(BoundLaunch<'a>, Buffer<u8>)>,
}

impl PreparedAttention<'_> {
    /// Returns the launch.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        self.launch.launch()
    }

    /// Makes the launch once and waits for its end. If another launch has to come first, it is made
    /// before.
    ///
    /// # Errors
    /// Returns [`Error::Fault`] if a kernel fails.
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<Run, Error> {
        if let Some((ahead, _)) = &self.ahead {
            ahead.run(progress)?;
        }
        self.launch.run(progress)
    }
}

impl EnqueueOn for PreparedAttention<'_> {
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error> {
        let ahead = self.ahead.iter().map(|(launch, _)| launch);
        let mut launches = ahead.chain([&self.launch]);
        // SAFETY: the caller guarantees the conditions of `enqueue_on` (`# Safety`) for the whole
        // work, whose buffers are those of both launches. The queue orders the launches.
        launches.try_for_each(|launch| unsafe { launch.enqueue_on(queue) })
    }
}

impl Enqueue for PreparedAttention<'_> {
    fn enqueue(&self) -> Result<(), Error> {
        enqueue_on_main(self)
    }
    fn device(&self) -> &Device {
        self.launch.device()
    }
}

impl<T: Pod + TmaElement, O: AttentionElement> AttentionOperands<'_, T, O> {
    /// Returns the value of an argument that all kernels of the forward pass by TMA have.
    pub(super) fn value(
        &self,
        device: &Device,
        params: &AttentionParams,
        [q, k, v]: &[AttentionMapPlan; 3],
        argument: AttentionArgument,
    ) -> Result<Bound, AttentionError> {
        Ok(match argument {
            AttentionArgument::O => self.o.view.lower().into(),
            AttentionArgument::Lse => match &self.lse {
                Some(lse) => lse.lower().into(),
                None => nothing::<f32>(device)?.into(),
            },
            AttentionArgument::Params => Bound::words(params.to_u64s()),
            AttentionArgument::MapQ => Bound::map(&self.q.view, q)?,
            AttentionArgument::MapK => Bound::map(&self.k.view, k)?,
            AttentionArgument::MapV => Bound::map(&self.v.view, v)?,
            other => return Err(unbound(other)),
        })
    }
}

impl<T: Pod, O: AttentionElement> AttentionOperands<'_, T, O> {
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
    ) -> Result<AttentionProblem, AttentionError> {
        let (q, k, v, o) = (
            self.q.extents,
            self.k.extents,
            self.v.extents,
            self.o.extents,
        );
        for (first, of, second, by) in [("K", k, "Q", q), ("V", v, "Q", q), ("O", o, "Q", q)] {
            equal("batches", (first, of.batches), (second, by.batches))?;
        }
        equal("columns", ("K", k.columns), ("Q", q.columns))?;
        equal("columns", ("O", o.columns), ("V", v.columns))?;
        equal("heads", ("O", o.heads), ("Q", q.heads))?;
        equal("rows", ("O", o.rows), ("Q", q.rows))?;
        equal("heads", ("V", v.heads), ("K", k.heads))?;
        equal("rows", ("V", v.rows), ("K", k.rows))?;
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
        if let Some(lse) = &self.lse {
            let expected = u64::from(q.batches) * u64::from(q.heads) * u64::from(q.rows);
            if lse.len() as u64 != expected {
                return Err(AttentionError::Lse {
                    found: lse.len(),
                    expected,
                });
            }
        }
        Ok(AttentionProblem {
            element: O::TYPE,
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
        })
    }

    /// Checks that the tensors describe the planned problem.
    pub(super) fn check_planned(&self, planned: &AttentionProblem) -> Result<(), AttentionError> {
        let found = self.problem(planned.mask, planned.scale)?;
        if found == *planned {
            return Ok(());
        }
        Err(AttentionError::OtherProblem {
            found: Box::new(found),
            planned: Box::new(*planned),
        })
    }
}

impl<'a, T: AttentionElement> AttentionOperands<'a, T> {
    /// Binds the tensors to a plan's launch of `kernel`.
    ///
    /// # Errors
    /// Returns [`AttentionError::OtherProblem`] if the plan is for other tensors. Returns
    /// [`AttentionError::Host`] for a launch that is refused.
    pub fn prepare(
        self,
        kernel: &Kernel,
        plan: &AttentionPlan,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        let launch = (plan.launch(), plan.params());
        self.bind_plan(kernel, plan, launch, |of| Err(unbound(of)), None)
    }

    /// Binds the tensors to a plan's launch of `kernel`, which has a score function of the
    /// caller's. `score` is the value that the function receives: the kernel's last argument.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare). A kernel without this last argument, or
    /// whose last argument has another size, is refused.
    ///
    /// If the kernel also has parts of this library, [`prepare_parts`](Self::prepare_parts) binds
    /// their operands.
    pub fn prepare_with<S: Pod>(
        self,
        kernel: &Kernel,
        plan: &AttentionPlan,
        score: ByValue<S>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        let (launch, score) = ((plan.launch(), plan.params()), score.lower());
        self.bind_plan(kernel, plan, launch, |of| Err(unbound(of)), Some(score))
    }

    /// Binds the tensors to a launch and its parameters, for a kernel with the arguments of `plan`.
    /// `more` returns the values of the arguments that the kernel's parts add, and `score` is an
    /// argument after all other arguments.
    pub(super) fn bind_plan<const BUFFERS: usize>(
        self,
        kernel: &Kernel,
        plan: &AttentionPlan,
        (launch, params): (&LaunchSpec<BUFFERS>, &AttentionParams),
        more: impl Fn(AttentionArgument) -> Result<Bound, AttentionError>,
        score: Option<Argument>,
    ) -> Result<PreparedAttention<'a>, AttentionError> {
        self.check_planned(plan.problem())?;
        let [q, k, v] = &plan.inputs();
        let value = |argument| match argument {
            AttentionArgument::Q => Ok(Bound::read(&self.q.view, q)),
            AttentionArgument::K => Ok(Bound::read(&self.k.view, k)),
            AttentionArgument::V => Ok(Bound::read(&self.v.view, v)),
            AttentionArgument::Reads => Ok(Bound::words(plan.reads().to_u64s())),
            AttentionArgument::QueryStarts
            | AttentionArgument::KeyStarts
            | AttentionArgument::SoftCap
            | AttentionArgument::Slopes
            | AttentionArgument::Sinks => more(argument),
            other => self.value(kernel.device(), params, plan.maps(), other),
        };
        Ok(PreparedAttention {
            launch: bind(kernel, launch, plan.arguments(), value, score)?,
            ahead: None,
        })
    }
}

/// Returns the specification of a plan's tensor map.
pub(super) fn map_spec<T: TmaElement>(map: &AttentionMapPlan) -> TensorMapSpec {
    let bytes = size_of::<T>() as u32;
    let strides = map
        .strides
        .map(|stride| stride.saturating_mul(bytes.into()));
    let swizzle = match map.swizzle_bytes(bytes) {
        64 => TensorSwizzle::B64,
        128 => TensorSwizzle::B128,
        _ => TensorSwizzle::None,
    };
    TensorMapSpec::new(T::ELEMENT, &map.extents, &strides, &map.box_extents).swizzle(swizzle)
}

pub(super) fn equal(
    what: &'static str,
    (first, found): (&'static str, u32),
    (second, expected): (&'static str, u32),
) -> Result<(), AttentionError> {
    if found == expected {
        return Ok(());
    }
    Err(AttentionError::Extents {
        first,
        second,
        what,
        found,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Heads;
    use super::*;
    use half::f16;
    use kernel_abi::attention::AttentionStrides;

    const QUERIES: Heads = Heads {
        batches: 2,
        heads: 4,
        rows: 10,
        columns: 64,
    };
    const KEYS: Heads = Heads {
        heads: 2,
        rows: 7,
        ..QUERIES
    };

    /// Returns the problem of tensors that `change` has changed, in buffers with as many elements
    /// as `QUERIES`.
    fn problem(
        change: impl FnOnce(&mut AttentionOperands<'_, f16>),
    ) -> Result<AttentionProblem, String> {
        let device = Device::emulator();
        let room = device.alloc::<f16>(2 * 4 * 10 * 64).unwrap();
        let mut o = device.alloc::<f16>(2 * 4 * 10 * 64).unwrap();
        let mut lse = device.alloc::<f32>(2 * 4 * 10).unwrap();
        let mut operands = AttentionOperands {
            q: HeadTensor::new(&room, QUERIES),
            k: HeadTensor::new(&room, KEYS),
            v: HeadTensor::new(&room, KEYS),
            o: HeadTensorMut::new(&mut o, QUERIES),
            lse: Some(lse.all_mut()),
        };
        change(&mut operands);
        let problem = operands.problem(AttentionMask::Causal, 0.5);
        problem.map_err(|error| error.to_string())
    }

    #[test]
    fn tensors_state_their_problem() {
        let found = problem(|_| {}).unwrap();
        assert_eq!((found.heads, found.key_heads), (4, 2));
        assert_eq!((found.queries, found.keys, found.lse), (10, 7, true));
        assert_eq!(found.strides[1], AttentionStrides::compact(2, 7, 64));
        let found = problem(|of| of.q.strides = QUERIES.interleaved()).unwrap();
        assert_eq!((found.strides[0].row, found.strides[0].head), (256, 64));
    }

    #[test]
    fn tensors_that_do_not_fit_are_named() {
        let said = |change: fn(&mut AttentionOperands<'_, f16>)| problem(change).unwrap_err();
        for (found, expected) in [
            (
                said(|of| of.v.extents.rows = 8),
                "V has 8 rows, K has 7: they must be equal",
            ),
            (
                said(|of| of.k.extents.columns = 128),
                "K has 128 columns, Q has 64: they must be equal",
            ),
            (
                said(|of| of.q.strides.batch = 4000),
                "Q reaches over 6560 elements; its buffer has 5120",
            ),
            (
                said(|of| of.o.extents.batches = 1),
                "O has 1 batches, Q has 2: they must be equal",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }
}
