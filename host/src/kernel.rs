//! A kernel, which can be launched, checked and timed.
//!
//! ```text
//!   kernel.launch(&launch, (&a, &b, &mut c, n))
//!          │ check (once, before the device sees it)
//!          │ run and wait
//!          └─► Run, or Error::Refused, or Error::Fault
//! ```

use crate::args::{Argument, KernelArgs};
use crate::check::{Rules, cluster_of};
use crate::device::Device;
use crate::error::{Error, Fault, FaultCause};
use crate::gpu::{Function, Gpu};
use crate::launch::Launch;
use crate::module::{Module, ModuleCode};
use crate::queue::Queue;
use crate::refusal::Refusal;
use crate::signature::Signature;
use crate::timing::{Clock, Time, Timing};
use cuda_driver::DriverError;
use emulator::profile::LiveRegisters;
use emulator::{Emulator, LaunchError, Program, Report};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

pub use crate::gpu::Resources;

/// A callback that receives a launch's progress: the number of CTAs that have ended, and the number
/// of all CTAs. A GPU reports nothing before the launch has ended.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// A kernel of a loaded module. Clones refer to the same kernel.
#[derive(Clone)]
pub struct Kernel(Arc<KernelState>);

struct KernelState {
    signature: Signature,
    fixed_shared: usize,
    executable: Executable,
    module: Module,
}

/// A launch that ended without an error.
#[derive(Debug)]
#[non_exhaustive]
pub struct Run {
    /// The emulator's counts, or `None` on a GPU.
    pub report: Option<Report>,
}

/// The code of a kernel, and the device that runs it.
enum Executable {
    // The function is dropped before the module, which holds the code.
    Gpu(Arc<Gpu>, Function, Resources),
    Emulator(Arc<Emulator>, Arc<Program>),
}

impl Kernel {
    pub(crate) fn new(module: &Module, signature: &Signature) -> Result<Self, Error> {
        let (fixed_shared, executable) = match module.code() {
            ModuleCode::Gpu(code) => {
                let function = code.function(&signature.name)?;
                let resources = function.resources(code.gpu())?;
                let executable = Executable::Gpu(Arc::clone(code.gpu()), function, resources);
                (resources.static_shared as usize, executable)
            }
            ModuleCode::Emulator(emulator, program) => {
                let fixed = program
                    .kernel(&signature.name)
                    .map_or(0, |kernel| kernel.static_shared);
                let executable = Executable::Emulator(Arc::clone(emulator), Arc::clone(program));
                (fixed, executable)
            }
        };
        Ok(Self(Arc::new(KernelState {
            signature: signature.clone(),
            fixed_shared,
            executable,
            module: module.clone(),
        })))
    }

    /// Returns the kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.signature.name
    }

    /// Returns the kernel's parameters, and the requirements on a block that the PTX states.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.0.signature
    }

    /// Returns the static shared memory of a block, in bytes.
    #[must_use]
    pub fn static_shared(&self) -> usize {
        self.0.fixed_shared
    }

    /// Returns the resources that the driver's compiler determined, or `None` on the emulator.
    #[must_use]
    pub fn resources(&self) -> Option<Resources> {
        match &self.0.executable {
            Executable::Gpu(_, _, resources) => Some(*resources),
            Executable::Emulator(..) => None,
        }
    }

    /// Returns the number of registers that the kernel's PTX needs, and an estimate of the number
    /// that `ptxas` uses. Returns `None` on a GPU, which reports the kernel's
    /// [`resources`](Self::resources).
    ///
    /// ```
    /// # use host::Device;
    /// # let ptx = ".version 7.0 .target sm_80 .address_size 64
    /// #   .visible .entry answer(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
    /// #     ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1; ret; }";
    /// let kernel = Device::emulator().load(ptx)?.kernel("answer")?;
    /// let registers = kernel.live_registers().unwrap();
    /// assert_eq!((registers.live, registers.may_spill()), (1, false));
    /// println!("{}: {registers}", kernel.name());
    /// # Ok::<(), host::Error>(())
    /// ```
    #[must_use]
    pub fn live_registers(&self) -> Option<LiveRegisters> {
        match &self.0.executable {
            Executable::Gpu(..) => None,
            Executable::Emulator(_, program) => program.registers(self.name()),
        }
    }

    /// Returns the device on which the kernel runs.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.0.module.device()
    }

    /// Runs the kernel and waits for its end.
    ///
    /// ```
    /// # use host::{Device, Launch};
    /// # let ptx = "
    /// #   .version 7.0 .target sm_80 .address_size 64
    /// #   .visible .entry answer(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;
    /// #     ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 42;
    /// #     st.global.u32 [%rd2], %r1; ret; }";
    /// let device = Device::emulator();
    /// let kernel = device.load(ptx)?.kernel("answer")?;
    /// let mut out = device.upload(&[0_u32])?;
    /// kernel.launch(&Launch::new(1, 1), (&mut out,))?;
    /// assert_eq!(out.to_vec()?, [42]);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if the launch is refused before the kernel starts, or
    /// [`Error::Fault`] if the kernel fails.
    pub fn launch(&self, launch: &Launch, args: impl KernelArgs) -> Result<Run, Error> {
        let arguments = self.checked(launch, &args.lower())?;
        self.run(launch, &arguments, None)
    }

    /// Runs the kernel as [`launch`](Self::launch) does, and calls `progress` for every CTA that
    /// ends.
    ///
    /// # Errors
    /// Returns the errors of [`launch`](Self::launch).
    pub fn launch_with_progress(
        &self,
        launch: &Launch,
        args: impl KernelArgs,
        progress: Progress<'_>,
    ) -> Result<Run, Error> {
        let arguments = self.checked(launch, &args.lower())?;
        self.run(launch, &arguments, Some(progress))
    }

    /// Checks whether a launch would be refused, without running it.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if the launch would be refused.
    pub fn check(&self, launch: &Launch, args: impl KernelArgs) -> Result<(), Error> {
        self.checked(launch, &args.lower()).map(drop)
    }

    /// Runs the kernel `timing.warmup + timing.runs` times, and returns how long the last
    /// `timing.runs` took: by CUDA events on the GPU, by the wall clock on the emulator.
    ///
    /// Each run overwrites the results of the preceding run, so the outputs are right only if they
    /// do not depend on their previous contents.
    ///
    /// # Errors
    /// Returns the errors of [`launch`](Self::launch).
    pub fn time(
        &self,
        launch: &Launch,
        args: impl KernelArgs,
        timing: Timing,
    ) -> Result<Time, Error> {
        let arguments = self.checked(launch, &args.lower())?;
        let runs = timing.runs.max(1);
        match &self.0.executable {
            Executable::Gpu(gpu, function, _) => {
                let seconds = gpu
                    .time_launch(
                        function,
                        self.0.fixed_shared,
                        launch,
                        &arguments,
                        (timing.warmup, runs),
                    )?
                    .map_err(|error| self.gpu_fault(gpu, launch, error))?;
                Ok(Time::from_samples(Clock::CudaEvents, seconds))
            }
            Executable::Emulator(..) => {
                for _ in 0..timing.warmup {
                    self.run(launch, &arguments, None)?;
                }
                let mut seconds = Vec::with_capacity(runs);
                for _ in 0..runs {
                    let start = Instant::now();
                    self.run(launch, &arguments, None)?;
                    seconds.push(start.elapsed().as_secs_f64());
                }
                Ok(Time::from_samples(Clock::Wall, seconds))
            }
        }
    }

    /// Returns the largest number of clusters of `launch` that run at the same time. A cooperative
    /// or persistent kernel must not have more clusters.
    ///
    /// On a GPU it is the result of `cuOccupancyMaxActiveClusters`. On the emulator it is an upper
    /// bound computed from threads and shared memory. A GPU's number can be lower because of
    /// registers, and because no cluster extends across two groups of multiprocessors (GPCs).
    ///
    /// ```
    /// # use host::{Device, Launch};
    /// # let ptx = ".version 8.0 .target sm_90 .address_size 64 .visible .entry k() { ret; }";
    /// let kernel = Device::emulator().load(ptx)?.kernel("k")?;
    /// // One block of a multiprocessor for its shared memory, 132 multiprocessors.
    /// let launch = Launch::new(264, 384).shared(200_000);
    /// assert_eq!(kernel.max_active_clusters(&launch.clone().cluster(2))?, 66);
    /// assert_eq!(kernel.max_active_clusters(&launch.cluster(8))?, 16);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Refused`] for a shape that cannot be launched, and the driver's errors.
    pub fn max_active_clusters(&self, launch: &Launch) -> Result<u32, Error> {
        let refused = |reason| self.refused(reason);
        self.rules().shape_of(launch).map_err(refused)?;
        let cluster = cluster_of(launch, &self.0.signature);
        match &self.0.executable {
            Executable::Gpu(gpu, function, _) => {
                gpu.max_active_clusters(function, self.0.fixed_shared, launch, cluster)
            }
            Executable::Emulator(emulator, _) => {
                let shared = self.0.fixed_shared + launch.dynamic_shared;
                let blocks = resident_blocks(launch.block.count() as usize, shared)
                    * u64::from(emulator.config().multiprocessors);
                Ok(u32::try_from(blocks / cluster.count() as u64).unwrap_or(u32::MAX))
            }
        }
    }

    fn refused(&self, reason: Refusal) -> Error {
        Error::Refused {
            kernel: self.name().into(),
            reason: Box::new(reason),
        }
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            signature: &self.0.signature,
            fixed_shared: self.0.fixed_shared,
            compiled_threads: self.resources().map(|resources| resources.max_threads),
            limits: self.device().limits(),
            device: self.device().id(),
        }
    }

    /// Checks a launch, and returns the arguments' bytes.
    pub(crate) fn checked(
        &self,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Vec<Vec<u8>>, Error> {
        let refused = |reason| self.refused(reason);
        if let Executable::Emulator(_, program) = &self.0.executable
            && let Some(refusal) = program.not_emulated(self.name())
        {
            return Err(refused(Refusal::NotEmulated(Box::new(refusal.clone()))));
        }
        self.rules().check(launch, arguments).map_err(refused)?;
        Ok(arguments
            .iter()
            .map(|argument| argument.bytes.clone())
            .collect())
    }

    /// Raises the kernel's limits for a checked launch that is enqueued later.
    pub(crate) fn ready(&self, launch: &Launch) -> Result<(), Error> {
        match &self.0.executable {
            Executable::Gpu(gpu, function, _) => gpu.ready(function, self.0.fixed_shared, launch),
            Executable::Emulator(..) => Ok(()),
        }
    }

    /// Starts a launch on a queue. The launch was checked and made [`ready`](Self::ready) before.
    /// On the emulator, runs the launch to its end.
    pub(crate) fn enqueue(
        &self,
        launch: &Launch,
        arguments: &[Vec<u8>],
        queue: &Queue,
    ) -> Result<(), Error> {
        match (&self.0.executable, queue.stream_for(self.device())?) {
            (Executable::Gpu(gpu, function, _), Some(stream)) => gpu
                .launch_on(function, launch, arguments, stream)?
                .map_err(|error| self.gpu_fault(gpu, launch, error)),
            (Executable::Gpu(..), None) => Err(queue.refuse(self.device())),
            (Executable::Emulator(emulator, program), _) => self
                .emulate(
                    emulator,
                    program,
                    launch,
                    launch.programmatic,
                    arguments,
                    None,
                )
                .map(drop),
        }
    }

    pub(crate) fn run(
        &self,
        launch: &Launch,
        arguments: &[Vec<u8>],
        progress: Option<Progress<'_>>,
    ) -> Result<Run, Error> {
        match &self.0.executable {
            Executable::Gpu(gpu, function, _) => {
                gpu.launch(function, self.0.fixed_shared, launch, arguments)?
                    .and_then(|()| gpu.synchronize())
                    .map_err(|error| self.gpu_fault(gpu, launch, error))?;
                if let Some(progress) = progress {
                    let blocks = u64::try_from(launch.grid.count()).unwrap_or(u64::MAX);
                    progress(blocks, blocks);
                }
                Ok(Run { report: None })
            }
            // The host waits for the end of each launch before it starts the next one.
            Executable::Emulator(emulator, program) => {
                self.emulate(emulator, program, launch, false, arguments, progress)
            }
        }
    }

    /// Runs a checked launch on the emulator. `programmatic` says whether the launch may begin
    /// before the preceding launch has ended.
    fn emulate(
        &self,
        emulator: &Emulator,
        program: &Program,
        launch: &Launch,
        programmatic: bool,
        arguments: &[Vec<u8>],
        progress: Option<Progress<'_>>,
    ) -> Result<Run, Error> {
        let parameters: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let shape = emulator::Launch {
            grid: launch.grid.0,
            block: launch.block.0,
            dynamic_shared: launch.dynamic_shared,
        };
        let attributes = emulator::LaunchAttributes {
            cluster: launch.cluster.map(|cluster| cluster.0),
            programmatic,
            has_dependents: false,
            cooperative: false,
        };
        emulator
            .launch_with(
                program,
                self.name(),
                &shape,
                &attributes,
                &parameters,
                progress,
            )
            .map(|report| {
                // The output of a kernel goes to standard output, as with a GPU's driver.
                print!("{}", report.output);
                Run {
                    report: Some(report),
                }
            })
            .map_err(|error: LaunchError| self.fault(launch, FaultCause::Emulator(Box::new(error))))
    }

    /// Returns the error for a kernel that failed on the GPU. If the failure ended the context, the
    /// device records it.
    fn gpu_fault(&self, gpu: &Gpu, launch: &Launch, error: DriverError) -> Error {
        gpu.lose_to(&format!("kernel `{}`", self.name()), &error);
        self.fault(launch, FaultCause::Gpu(error))
    }

    fn fault(&self, launch: &Launch, cause: FaultCause) -> Error {
        Error::Fault(Box::new(Fault {
            kernel: self.name().into(),
            device: self.device().name().into(),
            kind: self.device().kind(),
            launch: launch.to_string(),
            cause,
        }))
    }
}

/// Returns the number of blocks that a multiprocessor of compute capability 9.0 holds at a time,
/// limited by threads and shared memory: 64 warps, 32 blocks, and 228 KiB, from which each block
/// takes 1 KiB in addition to its own (CUDA programming guide, *Compute Capabilities*).
fn resident_blocks(threads: usize, shared: usize) -> u64 {
    let by_warps = 64 / threads.div_ceil(32).max(1);
    let by_shared = (228 << 10) / (shared + 1024);
    by_warps.min(by_shared).min(32) as u64
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("signature", &self.0.signature)
            .field("device", self.device())
            .finish_non_exhaustive()
    }
}
