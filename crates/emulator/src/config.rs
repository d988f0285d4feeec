//! The emulated device and a launch on it.

use crate::accept::Acceptance;
use crate::numerics::mma::Arithmetic;
use crate::schedule::Schedule;

/// Properties of the emulated device, and which checks it makes.
///
/// ```
/// let config = emulator::Config { compute_capability: (8, 0), ..Default::default() };
/// assert!(config.check_races);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Major and minor; a module for a newer one is refused.
    pub compute_capability: (u32, u32),
    /// Multiprocessors, as `%nsmid` says; blocks are dealt over them in turn.
    pub multiprocessors: u32,
    /// Device memory in bytes. It is taken from the host as it is allocated.
    pub memory: usize,
    /// Bytes that `malloc` in kernels takes from; they are set aside when a module that uses it is
    /// loaded.
    pub heap: usize,
    /// Most threads of a block.
    pub max_threads_per_block: u32,
    /// Largest extents of a block.
    pub max_block: [u32; 3],
    /// Largest extents of a grid.
    pub max_grid: [u32; 3],
    /// Shared memory in bytes that a block has without asking (48 KiB).
    pub default_shared: usize,
    /// Shared memory in bytes that a block can have (227 KiB on an H200); `launch` refuses more.
    pub max_shared_per_block: usize,
    /// Local memory in bytes of a thread.
    pub local_per_thread: usize,
    /// CPU threads; `None` for as many as there are cores.
    pub threads: Option<usize>,
    /// Warp instructions after which a block counts as caught in an endless loop.
    pub max_instructions_per_block: u64,
    /// Warp instructions that all blocks of a launch may execute together; the launch then ends
    /// with [`LaunchError::Budget`](crate::LaunchError::Budget).
    pub max_instructions_per_launch: u64,
    /// Bytes that a launch may print.
    pub max_output: usize,
    /// Finds races, reads before a `cp.async` arrived, and reads of uninitialised bytes in shared
    /// memory.
    pub check_races: bool,
    /// Finds races in global memory: between blocks, and with `check_races` between threads of a
    /// block too, by PTX's memory model with its fences and scopes. It takes 12 bytes for each
    /// place of a buffer that a kernel uses, and 24 while a race that was found is looked at again;
    /// a place is as large as the kernel's smallest access, at most 16 bytes. The record of threads
    /// takes 80 bytes for each 32 places that a block uses, or that the launch does where its
    /// blocks communicate by atomics.
    pub check_global_races: bool,
    /// Finds accesses of another variable or buffer than the ones that the address was computed
    /// from: beyond the end of one shared array in the next, from one buffer in another. Only where
    /// that is known from the code: not for addresses that were loaded from memory or given to a
    /// function.
    pub check_provenance: bool,
    /// Finds reads of uninitialised bytes in global memory.
    pub check_initialised: bool,
    /// Finds reads of uninitialised bytes in local memory. Off unless asked for: compilers copy
    /// values whole, with the padding and the unused variants that nothing ever wrote, so that
    /// right code reads such bytes.
    pub check_local_initialised: bool,
    /// Finds every read of a register that nothing wrote. Off unless asked for: compilers make such
    /// reads where the value does not matter, of the halves of a pair and of operands whose result
    /// is not used.
    pub check_registers: bool,
    /// Finds addresses, branches and values on their way to memory that depend on a register that
    /// nothing wrote: that would be others if other bits were there. Where `check_registers` finds
    /// the reads themselves it does nothing.
    pub check_undefined: bool,
    /// Whether a kernel may use local memory. Without, its first access of local memory is a fault:
    /// in a kernel that is to keep everything in registers an array has been indexed at run time,
    /// or registers ran out.
    pub allow_local_memory: bool,
    /// Counts bank conflicts and sectors for each memory instruction.
    pub count_memory: bool,
    /// Counts lanes, divergent branches, bytes of each bank and `cp.async` groups for each
    /// instruction as well ([`Profile`](crate::Profile)). It has an effect only with
    /// `count_memory`.
    pub profile: bool,
    /// Findings that a kernel may go on from, as the hardware would; the first rule that fits
    /// counts ([`Report::accepted`](crate::Report::accepted)).
    pub accept: Vec<Acceptance>,
    /// Goes on from every finding that a kernel can go on from, accepted or not, and tells them in
    /// [`Report::findings`](crate::Report::findings): for counters in spite of findings. Off, the
    /// first one that is not accepted ends the launch.
    pub continue_past_findings: bool,
    /// How `mma.sync` adds floats: as an H200 does, to the bit, or in another way.
    /// [`Arithmetic::of_device`] has it by compute capability.
    pub tensor_arithmetic: Arithmetic,
    /// When asynchronous operations happen: a right program has one result.
    pub schedule: Schedule,
    /// In which of the orders of a block's warps they take turns: 0 for the rising one, each number
    /// below the factorial of the warps for another. Neither findings of order nor results of right
    /// programs depend on it.
    pub warp_order: u32,
}

impl Default for Config {
    /// A device of compute capability 9.0 with the limits of an H200, and every check on but those
    /// of local memory.
    fn default() -> Self {
        Config {
            compute_capability: (9, 0),
            multiprocessors: 132,
            memory: 16 << 30,
            heap: 8 << 20,
            max_threads_per_block: 1024,
            max_block: [1024, 1024, 64],
            max_grid: [0x7fff_ffff, 0xffff, 0xffff],
            default_shared: 48 << 10,
            max_shared_per_block: 227 << 10,
            local_per_thread: 512 << 10,
            threads: None,
            max_instructions_per_block: 1 << 32,
            max_instructions_per_launch: 1 << 40,
            max_output: 64 << 20,
            check_races: true,
            check_global_races: true,
            check_provenance: true,
            check_initialised: true,
            check_local_initialised: false,
            check_registers: false,
            check_undefined: true,
            allow_local_memory: true,
            count_memory: true,
            profile: false,
            accept: Vec::new(),
            continue_past_findings: false,
            tensor_arithmetic: Arithmetic::Sm90,
            schedule: Schedule::Early,
            warp_order: 0,
        }
    }
}

impl Config {
    /// Whether a launch follows what comes from registers that nothing wrote.
    pub(crate) fn follows_undefined(&self) -> bool {
        self.check_undefined && !self.check_registers
    }
}

/// Grid, block and dynamic shared memory of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes behind `.extern .shared` arrays.
    pub dynamic_shared: usize,
}

/// How a launch lies in clusters and among the launches of its stream. By default as
/// [`Emulator::launch`](crate::Emulator::launch): the kernel's own clusters, begun once the launch
/// before has ended.
///
/// ```
/// use emulator::{Config, Emulator, FaultKind, Launch, LaunchAttributes, LaunchError, Program};
///
/// let program = Program::parse(
///     ".version 8.7
///      .target sm_90
///      .address_size 64
///      .visible .entry first(.param .u64 p) {
///          .reg .b64 %rd<2>;
///          griddepcontrol.launch_dependents;
///          ld.param.u64 %rd1, [p];
///          st.global.u32 [%rd1], 7;
///          ret;
///      }
///      .visible .entry second(.param .u64 p) {
///          .reg .b32 %r<2>;
///          .reg .b64 %rd<2>;
///          ld.param.u64 %rd1, [p];
///          ld.global.u32 %r1, [%rd1];
///          griddepcontrol.wait;
///          ret;
///      }",
/// )?;
/// let device = Emulator::new(Config::default());
/// device.load(&program)?;
/// let buffer = device.alloc(4)?;
/// let launch = Launch { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared: 0 };
/// let (params, attributes) = ([&buffer.to_le_bytes()[..]], LaunchAttributes { programmatic: true, ..Default::default() });
/// device.launch(&program, "first", &launch, &params, None)?;
/// let Err(LaunchError::Fault(fault)) = device.launch_with(&program, "second", &launch, &attributes, &params, None) else {
///     panic!("the read stands before the wait");
/// };
/// assert!(matches!(fault.what, FaultKind::DependentUnwaited { .. }));
/// assert_eq!(fault.line, 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: CUDA driver API, `CUlaunchAttribute`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaunchAttributes {
    /// Blocks of a cluster in x, y, z; none for what the kernel says (`.reqnctapercluster`), one
    /// block where it says nothing.
    pub cluster: Option<[u32; 3]>,
    /// Whether the launch may begin while the one before it is under way
    /// (`programmaticStreamSerialization`). It begins after that one all the same; what a thread
    /// does before it waits is looked at as [`FaultKind::DependentUnwaited`](crate::FaultKind)
    /// says. A copy by the host between the two launches waits for the first.
    pub programmatic: bool,
    /// Whether the launch is a cooperative one (`cudaLaunchCooperativeKernel`): `%envreg1` and
    /// `%envreg2` then hold the address of the grid's workspace, by which cooperative groups'
    /// `grid.sync()` waits. In another launch they are 0, and that traps, as on a device.
    pub cooperative: bool,
    /// Whether the launch behind it may be programmatic, so that this one's uses of global memory
    /// are noted: three bits a byte of the buffers that it uses. It needs not be said of a kernel
    /// that has a `griddepcontrol.launch_dependents`, nor of a programmatic launch.
    pub has_dependents: bool,
}
