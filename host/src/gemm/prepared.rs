//! A plan's launches on given buffers. They are checked once, and can be made many times.
//!
//! ```text
//!   Plan ─► pack A ─► pack B ─► GEMM ─► reduction      those that the plan has, in this order on the device
//! ```
//!
//! Law: every launch is checked against its specification before the first one runs. Later launches
//! read what earlier launches wrote into the workspace, which is safe because the stream runs them
//! in order. If the caller supplied the workspace, its counters are cleared on the same stream
//! before the first launch.

use super::GemmError;
use crate::args::{Argument, ArgumentKind, ByValue, KernelArg};
use crate::contract::Contract;
use crate::device::Device;
use crate::enqueue::{Enqueue, EnqueueOn, PreparedLaunch, enqueue_on_main};
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;
use crate::tensor_map::{TensorMap, TensorMapSpec};
use kernel_abi::gemm::{GemmArgument, MapBuffer, Packing, Plan, Reduction, TensorMapPlan};
use kernel_abi::{ArgumentName, KernelArguments};

/// The launches of a product. The structure holds a value of type `A`, which keeps the operands
/// borrowed.
pub struct PreparedGemm<A> {
    /// The launches, in the order of [`Plan::kernels`].
    launches: Vec<PreparedLaunch<()>>,
    /// The index of the GEMM's launch.
    gemm: usize,
    /// The memory that is set to zero each time before the launches: its address and its number of
    /// bytes.
    clear: Option<(u64, usize)>,
    _operands: A,
}

/// The six buffers of a plan, lowered.
pub(super) struct PlanArguments {
    pub d: Argument,
    pub a: Argument,
    pub b: Argument,
    pub c: Argument,
    pub bias: Argument,
    pub workspace: Argument,
    /// The number of bytes at the workspace's start that are set to zero before every launch.
    pub cleared: usize,
}

impl<A> PreparedGemm<A> {
    /// Returns the launch of the GEMM itself.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        self.launches[self.gemm].launch()
    }

    /// Makes the launches once and waits for their end. `progress` and the result are those of the
    /// GEMM's launch.
    ///
    /// # Errors
    /// Returns [`Error::Fault`] if a kernel fails.
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<Run, Error> {
        self.clear_on(&Queue::main(self.device()))?;
        for before in &self.launches[..self.gemm] {
            before.run(None)?;
        }
        let run = self.launches[self.gemm].run(progress)?;
        for behind in &self.launches[self.gemm + 1..] {
            behind.run(None)?;
        }
        Ok(run)
    }

    /// Clears the counters in the workspace if the caller supplied it.
    fn clear_on(&self, queue: &Queue) -> Result<(), Error> {
        match self.clear {
            Some((address, bytes)) => queue.zero(address, bytes),
            None => Ok(()),
        }
    }

    /// Checks the launches of a plan. `kernel` loads the kernels that the plan names.
    pub(super) fn new<E: From<GemmError>>(
        plan: &Plan,
        arguments: &PlanArguments,
        mut kernel: impl FnMut(&'static str) -> Result<Kernel, E>,
        operands: A,
    ) -> Result<Self, E> {
        // Hopper's kernels may begin before the preceding launches have ended, but wait for these
        // launches before they access global memory.
        let programmatic = plan.tensor_maps.is_some();
        let prepared = |kernel: &Kernel, contract: Contract, arguments: &[Argument]| {
            let mut launch = contract.launch();
            if programmatic {
                launch = launch.programmatic();
            }
            let prepared = PreparedLaunch::new(kernel, &launch, arguments, ());
            prepared.map_err(GemmError::from)
        };
        let mut launches = Vec::new();
        for (operand, packing) in [&arguments.a, &arguments.b].into_iter().zip(&plan.packing) {
            if let Some(packing) = packing {
                let kernel = kernel(packing.launch.kernel)?;
                let list = Packing::arguments(plan.problem.input.bytes());
                let arguments = arguments.packing(packing, list, operand)?;
                launches.push(prepared(&kernel, (&packing.launch).into(), &arguments)?);
            }
        }
        let gemm = launches.len();
        let kernel_of_gemm = kernel(plan.launch.kernel)?;
        let of_gemm = arguments.gemm(kernel_of_gemm.device(), plan)?;
        launches.push(prepared(&kernel_of_gemm, (&plan.launch).into(), &of_gemm)?);
        if let Some(reduction) = &plan.reduction {
            let kernel = kernel(reduction.launch.kernel)?;
            let arguments = arguments.reduction(reduction)?;
            launches.push(prepared(&kernel, (&reduction.launch).into(), &arguments)?);
        }
        Ok(Self {
            launches,
            gemm,
            clear: arguments.clear(),
            _operands: operands,
        })
    }
}

impl<A> EnqueueOn for PreparedGemm<A> {
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error> {
        // This call refuses a queue of another device before anything is cleared.
        queue.stream_for(self.device())?;
        self.clear_on(queue)?;
        let mut launches = self.launches.iter();
        // SAFETY: the caller guarantees the conditions of `enqueue_on` (`# Safety`) for the whole
        // work, whose buffers are those of all launches. The queue orders the launches.
        launches.try_for_each(|launch| unsafe { launch.enqueue_on(queue) })
    }
}

impl<A> Enqueue for PreparedGemm<A> {
    fn enqueue(&self) -> Result<(), Error> {
        enqueue_on_main(self)
    }
    fn device(&self) -> &Device {
        self.launches[self.gemm].device()
    }
}

/// Returns the values of a list's arguments, in the order of the list.
fn listed(
    list: KernelArguments<GemmArgument>,
    value: impl Fn(GemmArgument) -> Result<Argument, GemmError>,
) -> Result<Vec<Argument>, GemmError> {
    list.iter().map(|of| value(of.name)).collect()
}

impl PlanArguments {
    /// Returns the value of an argument that is a buffer.
    fn buffer(&self, argument: GemmArgument) -> Result<&Argument, GemmError> {
        Ok(match argument {
            GemmArgument::D => &self.d,
            GemmArgument::A => &self.a,
            GemmArgument::B => &self.b,
            GemmArgument::C => &self.c,
            GemmArgument::Bias => &self.bias,
            GemmArgument::Workspace => &self.workspace,
            other => return Err(unbound(other)),
        })
    }

    /// Returns the address and the number of bytes of the workspace that are set to zero before
    /// every launch, or `None` if there are no such bytes.
    fn clear(&self) -> Option<(u64, usize)> {
        match &self.workspace.kind {
            ArgumentKind::Pointer(pointer) if self.cleared > 0 => {
                Some((pointer.address, self.cleared))
            }
            _ => None,
        }
    }

    /// Returns the arguments of the kernel that packs an operand.
    fn packing(
        &self,
        packing: &Packing,
        list: KernelArguments<GemmArgument>,
        operand: &Argument,
    ) -> Result<Vec<Argument>, GemmError> {
        let ([ld, ld_to], [stride, stride_to]) = (packing.ld, packing.batch_stride);
        listed(list, |argument| {
            Ok(match argument {
                GemmArgument::To => self.workspace.bytes_from(packing.offset, true),
                GemmArgument::From => operand.clone(),
                GemmArgument::Rows => packing.rows.lower(),
                GemmArgument::Columns => packing.columns.lower(),
                GemmArgument::Ld => ld.lower(),
                GemmArgument::LdTo => ld_to.lower(),
                GemmArgument::BatchStride => stride.lower(),
                GemmArgument::BatchStrideTo => stride_to.lower(),
                other => return Err(unbound(other)),
            })
        })
    }

    /// Returns the arguments of the kernel that adds slices.
    fn reduction(&self, reduction: &Reduction) -> Result<Vec<Argument>, GemmError> {
        listed(Reduction::ARGUMENTS, |argument| {
            Ok(match argument {
                GemmArgument::Slices => self.workspace.bytes_from(reduction.offset, false),
                GemmArgument::Params => ByValue(reduction.params.to_u64s()).lower(),
                GemmArgument::Ld => reduction.ld.lower(),
                buffer => self.buffer(buffer)?.clone(),
            })
        })
    }

    /// Returns the arguments of the GEMM.
    fn gemm(&self, device: &Device, plan: &Plan) -> Result<Vec<Argument>, GemmError> {
        let maps = plan.tensor_maps.as_ref();
        let map = |argument, of: Option<&TensorMapPlan>| {
            let map = of.ok_or_else(|| unbound(argument))?;
            let buffer = match map.buffer {
                MapBuffer::D => &self.d,
                MapBuffer::A => &self.a,
                MapBuffer::B => &self.b,
                MapBuffer::Workspace => &self.workspace,
                MapBuffer::Codes | MapBuffer::Records => return Err(unbound(argument)),
            };
            let ArgumentKind::Pointer(pointer) = &buffer.kind else {
                return Err(unbound(argument));
            };
            let spec = TensorMapSpec::of_plan(map, plan.problem.input);
            let element = spec.element.bytes();
            // The third map is the map of D, or a map that the kernel does not use.
            let writable = argument == GemmArgument::MapD
                && matches!(map.buffer, MapBuffer::D | MapBuffer::Workspace);
            let pointer = pointer.part(map.offset, element, writable);
            let map = TensorMap::of_pointer(device, &spec, pointer, element)?;
            Ok((&map).lower())
        };
        listed(plan.arguments(), |argument| match argument {
            GemmArgument::Params => Ok(ByValue(plan.params.to_u64s()).lower()),
            GemmArgument::MapA => map(argument, maps.map(|[a, _, _]| a)),
            GemmArgument::MapB => map(argument, maps.map(|[_, b, _]| b)),
            GemmArgument::MapD => map(argument, maps.map(|[_, _, d]| d)),
            GemmArgument::Batches => Ok(plan.batches().lower()),
            buffer => Ok(self.buffer(buffer)?.clone()),
        })
    }
}

/// Returns the error for an argument that no operand provides.
fn unbound(argument: GemmArgument) -> GemmError {
    let name = argument.name();
    GemmError::Argument { name }
}
