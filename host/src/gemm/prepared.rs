//! A plan's launches on given buffers, checked once, to be made many times.
//!
//! ```text
//!   Plan ─► pack A ─► pack B ─► GEMM ─► reduction      each where the plan has it, in this order on the device
//! ```
//!
//! Law: every launch is checked against its specification before the first one runs; what one of
//! them writes into the workspace the next ones read, which a stream's order guarantees. Counters
//! in scratch of the caller's are cleared ahead of them, on the same stream.

use super::GemmError;
use crate::args::{Argument, ArgumentKind, ByValue, KernelArg, Pointer};
use crate::contract::Contract;
use crate::device::Device;
use crate::enqueue::{Enqueue, EnqueueOn, PreparedLaunch, enqueue_on_main};
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;
use crate::tensor_map::{TensorMap, TensorMapSpec};
use kernel_abi::gemm::{Packing, Plan, Reduction};

/// The launches of a product. It holds `A`, which keeps the operands borrowed.
pub struct PreparedGemm<A> {
    /// In the order of [`Plan::kernels`].
    launches: Vec<PreparedLaunch<()>>,
    /// The place of the GEMM among them.
    gemm: usize,
    /// What is set to zero ahead of them each time: an address, and bytes.
    clear: Option<(u64, usize)>,
    _operands: A,
}

/// The six buffers of a plan, lowered.
pub(super) struct PlanArguments {
    pub buffers: [Argument; 6],
    /// Bytes at the workspace's start that are set to zero ahead of every launch.
    pub cleared: usize,
}

impl<A> PreparedGemm<A> {
    /// The launch of the GEMM itself.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        self.launches[self.gemm].launch()
    }

    /// Makes the launches once and waits for their end; `progress` and the result are the GEMM's.
    ///
    /// # Errors
    /// [`Error::Fault`].
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

    /// Clears the counters of scratch that the caller supplied.
    fn clear_on(&self, queue: &Queue) -> Result<(), Error> {
        match self.clear {
            Some((address, bytes)) => queue.zero(address, bytes),
            None => Ok(()),
        }
    }

    /// Checks the launches of a plan; `kernel` loads those that it names.
    pub(super) fn new<E: From<GemmError>>(
        plan: &Plan,
        arguments: &PlanArguments,
        mut kernel: impl FnMut(&'static str) -> Result<Kernel, E>,
        operands: A,
    ) -> Result<Self, E> {
        // Hopper's kernels wait for the launches ahead before they access global memory, and begin
        // before those have ended.
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
        for (operand, packing) in plan.packing.iter().enumerate() {
            if let Some(packing) = packing {
                let kernel = kernel(packing.launch.kernel)?;
                let arguments = arguments.packing(packing, operand);
                launches.push(prepared(&kernel, (&packing.launch).into(), &arguments)?);
            }
        }
        let gemm = launches.len();
        let kernel_of_gemm = kernel(plan.launch.kernel)?;
        let of_gemm = arguments.gemm(kernel_of_gemm.device(), plan)?;
        launches.push(prepared(&kernel_of_gemm, (&plan.launch).into(), &of_gemm)?);
        if let Some(reduction) = &plan.reduction {
            let kernel = kernel(reduction.launch.kernel)?;
            let arguments = arguments.reduction(reduction);
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
        // Another device's queue clears nothing.
        queue.stream_for(self.device())?;
        self.clear_on(queue)?;
        let mut launches = self.launches.iter();
        // SAFETY: the caller's contract covers the buffers of all launches, and the queue orders
        // them.
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

/// The buffer of the workspace.
const WORKSPACE: usize = 5;

impl PlanArguments {
    /// A buffer from `offset` bytes on, as one of elements of `element` bytes.
    fn part(&self, buffer: usize, offset: u64, element: usize, writable: bool) -> Option<Pointer> {
        match &self.buffers[buffer].kind {
            ArgumentKind::Pointer(pointer) => Some(pointer.part(offset, element, writable)),
            _ => None,
        }
    }

    /// The workspace from `offset` bytes on.
    fn workspace(&self, offset: u64, writable: bool) -> Argument {
        self.buffers[WORKSPACE].bytes_from(offset, writable)
    }

    /// What of the workspace is set to zero ahead of every launch.
    fn clear(&self) -> Option<(u64, usize)> {
        match &self.buffers[WORKSPACE].kind {
            ArgumentKind::Pointer(pointer) if self.cleared > 0 => {
                Some((pointer.address, self.cleared))
            }
            _ => None,
        }
    }

    fn packing(&self, packing: &Packing, operand: usize) -> Vec<Argument> {
        let ([ld, ld_to], [stride, stride_to]) = (packing.ld, packing.batch_stride);
        vec![
            self.workspace(packing.offset, true),
            self.buffers[1 + operand].clone(),
            packing.rows.lower(),
            packing.columns.lower(),
            ld.lower(),
            ld_to.lower(),
            stride.lower(),
            stride_to.lower(),
        ]
    }

    fn reduction(&self, reduction: &Reduction) -> Vec<Argument> {
        let [d, _, _, c, bias, _] = &self.buffers;
        vec![
            d.clone(),
            self.workspace(reduction.offset, false),
            c.clone(),
            bias.clone(),
            ByValue(reduction.params.to_u64s()).lower(),
            reduction.ld.lower(),
        ]
    }

    /// The arguments of the GEMM: its six buffers, the parameters, and of a kernel of Hopper's
    /// collective the tensor maps.
    fn gemm(&self, device: &Device, plan: &Plan) -> Result<Vec<Argument>, GemmError> {
        let mut arguments = Vec::from(self.buffers.clone());
        arguments.push(ByValue(plan.params.to_u64s()).lower());
        let Some(maps) = &plan.tensor_maps else {
            return Ok(arguments);
        };
        for (operand, map) in maps.iter().enumerate() {
            let spec = TensorMapSpec::of_plan(map, plan.problem.input);
            let element = spec.element.bytes();
            // The third is D's, or one that the kernel does not use.
            let writable = operand == 2 && matches!(map.buffer, 0 | WORKSPACE);
            if let Some(pointer) = self.part(map.buffer, map.offset, element, writable) {
                let map = TensorMap::of_pointer(device, &spec, pointer, element)?;
                arguments.push((&map).lower());
            }
        }
        let problem = &plan.problem;
        let count = match problem.groups {
            0 => problem.batches,
            groups => groups,
        };
        arguments.push(count.lower());
        Ok(arguments)
    }
}
