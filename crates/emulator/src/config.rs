//! The emulated device and a launch on it.

use crate::accept::Acceptance;
use crate::numerics::mma::Arithmetic;
use crate::schedule::Schedule;

/// The properties of the emulated device, and the checks that it makes.
///
/// ```
/// let config = emulator::Config { compute_capability: (8, 0), ..Default::default() };
/// assert!(config.check_races);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The major and minor compute capability; a module for a newer one is refused.
    pub compute_capability: (u32, u32),
    /// The number of multiprocessors, as in `%nsmid`; blocks are distributed over them in turn.
    pub multiprocessors: u32,
    /// The device memory in bytes. The host's memory is taken when the device's is allocated.
    pub memory: usize,
    /// The size in bytes of the heap from which `malloc` in kernels allocates. The heap is reserved
    /// when a module that uses `malloc` is loaded.
    pub heap: usize,
    /// The most threads of a block.
    pub max_threads_per_block: u32,
    /// The largest extents of a block.
    pub max_block: [u32; 3],
    /// The largest extents of a grid.
    pub max_grid: [u32; 3],
    /// The shared memory in bytes that a block has without a request (48 KiB).
    pub default_shared: usize,
    /// The shared memory in bytes that a block can have (227 KiB on an H200); `launch` refuses
    /// more.
    pub max_shared_per_block: usize,
    /// The local memory in bytes of a thread.
    pub local_per_thread: usize,
    /// The number of CPU threads, or `None` for the number of cores.
    pub threads: Option<usize>,
    /// The number of warp instructions after which a block counts as being in an endless loop.
    pub max_instructions_per_block: u64,
    /// The number of warp instructions that all blocks of a launch may execute together; the launch
    /// then ends with [`LaunchError::Budget`](crate::LaunchError::Budget).
    pub max_instructions_per_launch: u64,
    /// The number of bytes that a launch may print.
    pub max_output: usize,
    /// Finds races, reads before a `cp.async` arrived, and reads of uninitialised bytes in shared
    /// memory.
    pub check_races: bool,
    /// Finds races in global memory: between blocks, and with `check_races` between threads of a
    /// block too, by PTX's memory model with its fences and scopes. The check takes 12 bytes for
    /// each place of a buffer that a kernel uses, and 24 while a race that was found is examined
    /// again; a place is as large as the kernel's smallest access, at most 16 bytes. The record of
    /// threads takes 80 bytes for each 32 places that a block uses, or that the launch uses if its
    /// blocks communicate by atomics.
    pub check_global_races: bool,
    /// Finds accesses of another variable or buffer than the ones from which the address was
    /// computed: beyond the end of one shared array in the next, or from one buffer in another. The
    /// check is limited to addresses whose origin is known from the code: it does not apply to
    /// addresses that were loaded from memory or passed to a function.
    pub check_provenance: bool,
    /// Finds reads of uninitialised bytes in global memory.
    pub check_initialised: bool,
    /// Finds reads of uninitialised bytes in local memory. Off by default: compilers copy whole
    /// values, with the padding and the unused variants that were never written, so that correct
    /// code reads such bytes.
    pub check_local_initialised: bool,
    /// Finds every read of a register that was not written. Off by default: compilers make such
    /// reads if the value does not matter, for halves of a pair and for operands whose result is
    /// not used.
    pub check_registers: bool,
    /// Finds addresses, branches and values written to memory that depend on a register that was
    /// not written, that is, that would differ if the register had other bits. With
    /// `check_registers`, which finds the reads themselves, this check does nothing.
    pub check_undefined: bool,
    /// Whether a kernel may use local memory. If not, its first access of local memory is a fault.
    /// Such an access in a kernel that should keep everything in registers means that an array was
    /// indexed at run time, or that there were too few registers.
    pub allow_local_memory: bool,
    /// Counts bank conflicts and sectors for each memory instruction.
    pub count_memory: bool,
    /// Counts lanes, divergent branches, bytes of each bank and `cp.async` groups for each
    /// instruction as well ([`Profile`](crate::Profile)). It has an effect only with
    /// `count_memory`.
    pub profile: bool,
    /// The findings after which a kernel may continue, as the hardware would; the first rule that
    /// fits counts ([`Report::accepted`](crate::Report::accepted)).
    pub accept: Vec<Acceptance>,
    /// Whether a launch continues after every finding after which a kernel can continue, accepted
    /// or not, and lists them in [`Report::findings`](crate::Report::findings). This gives counters
    /// in spite of findings. If this is off, the first finding that is not accepted ends the
    /// launch.
    pub continue_past_findings: bool,
    /// The way in which `mma.sync` adds floats: as an H200 does, to the bit, or in another way.
    /// [`Arithmetic::of_device`] returns the arithmetic of a compute capability.
    pub tensor_arithmetic: Arithmetic,
    /// The time at which asynchronous operations happen: a correct program has the same result with
    /// every schedule.
    pub schedule: Schedule,
    /// Whether the `tcgen05` products and copies of a thread are only in the order that PTX states
    /// ("Pipelined Instructions"): a product after products into the same accumulator and after
    /// copies. If this is off, all products and copies of a thread are in order, which public
    /// kernels rely on.
    pub strict_tensor_order: bool,
    /// The number of the order in which a block's warps take turns: 0 is the ascending order, and
    /// each number below the factorial of the number of warps gives another order. Neither findings
    /// of order nor results of correct programs depend on it.
    pub warp_order: u32,
}

impl Default for Config {
    /// Returns a device of compute capability 9.0 with the limits of an H200. All checks are on
    /// except those of local memory and `check_registers`.
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
            strict_tensor_order: false,
            warp_order: 0,
        }
    }
}

impl Config {
    /// Whether a launch follows values that come from registers which were not written.
    pub(crate) fn follows_undefined(&self) -> bool {
        self.check_undefined && !self.check_registers
    }
}

/// Grid, block and dynamic shared memory of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The number of blocks in x, y, z.
    pub grid: [u32; 3],
    /// The number of threads of a block in x, y, z.
    pub block: [u32; 3],
    /// The bytes of `.extern .shared` arrays.
    pub dynamic_shared: usize,
}

/// The clusters of a launch, and its relation to the other launches of its stream. The defaults are
/// those of [`Emulator::launch`](crate::Emulator::launch): the kernel's own clusters, and a start
/// after the end of the previous launch.
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
    /// The number of blocks of a cluster in x, y, z. `None` means the kernel's own clusters
    /// (`.reqnctapercluster`), or one block if the kernel specifies none.
    pub cluster: Option<[u32; 3]>,
    /// Whether the launch may begin while the previous launch is under way
    /// (`programmaticStreamSerialization`). The emulator begins the launch after the end of the
    /// previous launch anyway, but it checks the accesses that a thread makes before the thread's
    /// wait, and reports them as [`FaultKind::DependentUnwaited`](crate::FaultKind) describes. A
    /// copy by the host between the two launches waits for the first.
    pub programmatic: bool,
    /// Whether the launch is a cooperative one (`cudaLaunchCooperativeKernel`): `%envreg1` and
    /// `%envreg2` then hold the address of the grid's workspace, by which cooperative groups'
    /// `grid.sync()` waits. In another launch they are 0, and `grid.sync()` traps, as on a device.
    pub cooperative: bool,
    /// Whether the next launch may be programmatic, so that the uses of global memory by this
    /// launch are noted: three bits for each byte of the buffers that it uses. This flag is not
    /// needed for a kernel that has a `griddepcontrol.launch_dependents`, nor for a programmatic
    /// launch.
    pub has_dependents: bool,
}
