//! One emulated device.

mod textures;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use crate::address::{FUNCTION_START, FUNCTION_STEP};
use crate::config::{Config, Launch, LaunchAttributes};
use crate::counted::counted;
use crate::error::{LaunchError, LoadError, MemoryError};
use crate::exec::dependents::Dependence;
use crate::exec::dispatch;
use crate::exec::grid::{self, LaunchState};
use crate::exec::provenance::Provenance;
use crate::exec::shape::clusters;
use crate::fault::TensorShape;
use crate::ir::{Builtin, Kernel, Symbol, VariableKind, registers};
use crate::memory::allocation::Kind;
use crate::memory::footprint::Footprint;
use crate::memory::global::HostMemory;
use crate::memory::heap::Heap;
use crate::memory::races::Races;
use crate::memory::texture::Textures;
use crate::names::demangle;
use crate::program::Program;
use crate::report::Report;
use crate::signature::Signature;

/// The bytes of a cooperative launch's workspace.
const WORKSPACE: usize = 64;

/// A device with its global memory. Programs are loaded onto it and launched.
///
/// ```
/// use emulator::{Config, Emulator, Launch, Program};
///
/// let program = Program::parse(
///     ".version 7.0
///      .target sm_80
///      .address_size 64
///      .visible .entry double(.param .u64 p) {
///          .reg .b32 %r<3>;
///          .reg .b64 %rd<4>;
///          ld.param.u64 %rd1, [p];
///          mov.u32 %r1, %tid.x;
///          mul.wide.u32 %rd2, %r1, 4;
///          add.s64 %rd3, %rd1, %rd2;
///          ld.global.u32 %r2, [%rd3];
///          add.u32 %r2, %r2, %r2;
///          st.global.u32 [%rd3], %r2;
///          ret;
///      }",
/// )?;
/// let device = Emulator::new(Config::default());
/// device.load(&program)?;
/// let buffer = device.alloc(16)?;
/// device.write(buffer, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])?;
/// let launch = Launch { grid: [1, 1, 1], block: [4, 1, 1], dynamic_shared: 0 };
/// let report = device.launch(&program, "double", &launch, &[&buffer.to_le_bytes()], None)?;
/// let mut out = [0; 16];
/// device.read(buffer, &mut out)?;
/// assert_eq!(out, [2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0]);
/// assert_eq!(report.instructions, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Emulator {
    config: Config,
    global: RwLock<HostMemory>,
    pub(crate) textures: RwLock<Textures>,
    /// The addresses of the variables of each loaded module.
    modules: Mutex<HashMap<u64, Vec<u64>>>,
    /// The heap, which is made when the first module that uses it is loaded.
    heap: OnceLock<Arc<Heap>>,
    pool: Option<rayon::ThreadPool>,
    launches: AtomicU64,
    /// The tensors in buffers that the host has described, by address.
    tensors: Mutex<BTreeMap<u64, TensorShape>>,
    /// The memory that the last launch used, if the next launch may be its programmatic dependent.
    last: Mutex<Option<Arc<Footprint>>>,
}

impl Emulator {
    /// Creates a device with empty memory.
    pub fn new(config: Config) -> Self {
        // If a pool cannot be created, the launches use the common pool; only their speed depends
        // on the pool.
        let pool = config.threads.and_then(|threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.max(1))
                .build()
                .ok()
        });
        Emulator {
            config,
            global: RwLock::default(),
            textures: RwLock::default(),
            modules: Mutex::default(),
            heap: OnceLock::new(),
            pool,
            launches: AtomicU64::new(1),
            tensors: Mutex::default(),
            last: Mutex::default(),
        }
    }

    /// Returns the device's properties.
    pub fn config(&self) -> &Config {
        &self.config
    }

    // A panic elsewhere leaves the memory valid: every change is a single call.
    fn read_global(&self) -> RwLockReadGuard<'_, HostMemory> {
        self.global.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_global(&self) -> RwLockWriteGuard<'_, HostMemory> {
        self.global.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_modules(&self) -> MutexGuard<'_, HashMap<u64, Vec<u64>>> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory that the last launch used, and forgets it.
    fn take_last(&self) -> Option<Arc<Footprint>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.take()
    }

    /// Allocates `bytes` bytes and returns their address, a multiple of 256. The bytes are not
    /// initialised: a kernel that reads them before they are written faults
    /// (`Config::check_initialised`).
    ///
    /// # Errors
    /// [`MemoryError::Empty`] for 0 bytes, [`MemoryError::OutOfMemory`] beyond `Config::memory`.
    pub fn alloc(&self, bytes: usize) -> Result<u64, MemoryError> {
        Ok(self
            .write_global()
            .allocate(bytes, 1, Kind::Buffer, self.config.memory)?
            .base)
    }

    /// Creates an address on this device for `bytes` bytes of several devices; this device may be
    /// among them or not. By this address, `multimem` in a kernel that is launched here reads,
    /// writes and adds to the memory of all devices in `parts`; reads combine the devices in this
    /// order. No other instruction may use the address. Each device that is to use the memory needs
    /// an address of its own.
    ///
    /// ```
    /// use emulator::{Config, Emulator, Launch, Program};
    /// let program = Program::parse(
    ///     ".version 8.1 .target sm_90 .address_size 64
    ///      .visible .entry sum(.param .u64 m, .param .u64 y) { .reg .b32 %r; .reg .b64 %m, %y;
    ///        ld.param.u64 %m, [m]; ld.param.u64 %y, [y];
    ///        multimem.ld_reduce.weak.global.add.u32 %r, [%m]; st.global.u32 [%y], %r; ret; }",
    /// )?;
    /// let devices = [(); 2].map(|()| Emulator::new(Config::default()));
    /// let [x, y] = [3u32, 4].map(u32::to_le_bytes);
    /// let parts = [devices[0].alloc(4)?, devices[1].alloc(4)?];
    /// devices[0].write(parts[0], &x)?;
    /// devices[1].write(parts[1], &y)?;
    /// let all = devices[0].multicast(&[(&devices[0], parts[0]), (&devices[1], parts[1])], 4)?;
    /// devices[0].load(&program)?;
    /// let (launch, out) = (Launch { grid: [1; 3], block: [1; 3], dynamic_shared: 0 }, devices[0].alloc(4)?);
    /// devices[0].launch(&program, "sum", &launch, &[&all.to_le_bytes(), &out.to_le_bytes()], None)?;
    /// let mut sum = [0; 4];
    /// devices[0].read(out, &mut sum)?;
    /// assert_eq!(u32::from_le_bytes(sum), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MemoryError::Empty`] for no bytes or no devices. Another [`MemoryError`] if a device has
    /// no allocation with `bytes` bytes at its address.
    pub fn multicast(&self, parts: &[(&Emulator, u64)], bytes: usize) -> Result<u64, MemoryError> {
        if bytes == 0 || parts.is_empty() {
            return Err(MemoryError::Empty);
        }
        let part =
            |&(device, address): &(&Emulator, u64)| device.read_global().part(address, bytes);
        let members = parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(self.write_global().multicast(bytes, members))
    }

    /// Frees an allocation. Its addresses are never used again, so a later access is recognised as
    /// one to freed memory.
    ///
    /// # Errors
    /// If `address` was not returned by `alloc`, or was freed before.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        self.write_global().free(address)?;
        self.lock_tensors().remove(&address);
        Ok(())
    }

    /// Describes the tensor in the buffer at `address`, so that faults name its elements by
    /// coordinates.
    pub fn describe(&self, address: u64, tensor: TensorShape) {
        self.lock_tensors().insert(address, tensor);
    }

    fn lock_tensors(&self) -> MutexGuard<'_, BTreeMap<u64, TensorShape>> {
        self.tensors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies `bytes` to device memory at `address`.
    ///
    /// # Errors
    /// If the bytes do not lie in one allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        // The copy follows the launch in the stream.
        self.take_last();
        self.read_global().write(address, bytes)
    }

    /// Copies device memory at `address` to `bytes`. Bytes that were not written read as 0.
    ///
    /// # Errors
    /// If the bytes do not lie in one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.take_last();
        self.read_global().read(address, bytes)
    }

    /// Creates a module's variables on the device, with their initial values. Loading a module
    /// again has no effect.
    ///
    /// # Errors
    /// [`LoadError::Target`] if the device is older than the module's `.target`, or, for a target
    /// with suffix `a`, if the device has any other compute capability. [`LoadError::Undefined`] if
    /// the module uses a name that nothing defines.
    pub fn load(&self, program: &Program) -> Result<(), LoadError> {
        let image = &program.image;
        let (target, device) = (image.target, self.config.compute_capability);
        let wanted = (target.major, target.minor);
        let fits = match target.suffix {
            Some('a') => wanted == device,
            Some(_) => wanted.0 == device.0 && wanted <= device,
            None => wanted <= device,
        };
        if !fits {
            return Err(LoadError::Target {
                target,
                device,
                exact: target.suffix == Some('a'),
            });
        }
        if let Some(name) = image.undefined.first() {
            return Err(LoadError::Undefined(name.clone()));
        }
        let mut modules = self.lock_modules();
        if modules.contains_key(&image.id) {
            return Ok(());
        }
        let mut global = self.write_global();
        let mut addresses = Vec::with_capacity(image.variables.len());
        for variable in &image.variables {
            let kind = match variable.kind {
                VariableKind::Global => Kind::Variable,
                VariableKind::Const => Kind::Constant,
                VariableKind::Shared | VariableKind::DynamicShared => {
                    addresses.push(0);
                    continue;
                }
            };
            // A variable without bytes still has an address.
            let size = variable.size.max(1);
            let allocation = global.allocate(size, variable.align, kind, self.config.memory)?;
            // Bytes that the initial value leaves out are 0.
            allocation.complete();
            addresses.push(allocation.base);
        }
        for (variable, &address) in image
            .variables
            .iter()
            .zip(&addresses)
            .filter(|(_, address)| **address != 0)
        {
            for run in &variable.runs {
                global.write(address + run.offset as u64, &run.bytes)?;
            }
            for relocation in &variable.relocations {
                let target = match relocation.to {
                    Symbol::Variable(to) => addresses[to as usize],
                    Symbol::Function(to) => FUNCTION_START + u64::from(to) * FUNCTION_STEP,
                };
                let value = target.wrapping_add(relocation.addend as u64) >> relocation.shift;
                let bytes = &value.to_le_bytes()[..relocation.width.min(8)];
                global.write(address + relocation.offset as u64, bytes)?;
            }
        }
        let uses_heap = image
            .functions
            .iter()
            .any(|f| f.builtin == Some(Builtin::Malloc));
        if uses_heap && self.heap.get().is_none() {
            let (size, total) = (self.config.heap.next_multiple_of(32), self.config.memory);
            let heap = Heap::new(global.allocate(size, 16, Kind::Heap, total)?);
            // The lock on the memory is held, so that no other thread can initialise the heap.
            self.heap.get_or_init(|| Arc::new(heap));
        }
        modules.insert(image.id, addresses);
        Ok(())
    }

    /// Returns address and bytes of a `.global` or `.const` variable of a loaded module, by its
    /// name in the PTX or in the C++ or Rust source. [`write`](Self::write) writes constants too,
    /// between launches.
    pub fn variable(&self, program: &Program, name: &str) -> Option<(u64, usize)> {
        let modules = self.lock_modules();
        let addresses = modules.get(&program.image.id)?;
        let named = || program.image.variables.iter().zip(addresses);
        let mut found = named().find(|(variable, _)| variable.name == name);
        if found.is_none() {
            found = named().find(|(variable, _)| demangle(&variable.name) == name);
        }
        let (variable, &address) = found?;
        (address != 0).then_some((address, variable.size))
    }

    /// Runs a kernel to its end. `params` are the bytes of its parameters. `progress` is called
    /// after each block, from any CPU thread, with the number of finished blocks and of all blocks.
    ///
    /// Memory that the host frees while the kernel runs stays valid for it.
    ///
    /// # Errors
    /// The problem with the arguments, before anything runs; or the [`Fault`](crate::Fault) that
    /// ended the kernel. Memory that the kernel wrote before the fault keeps its contents.
    pub fn launch(
        &self,
        program: &Program,
        kernel: &str,
        launch: &Launch,
        params: &[&[u8]],
        progress: Option<&(dyn Fn(u64, u64) + Sync)>,
    ) -> Result<Report, LaunchError> {
        self.launch_in_clusters(program, kernel, launch, None, params, progress)
    }

    /// Runs a kernel like [`launch`](Self::launch), in clusters of the given number of blocks in x,
    /// y, z. `None` means the kernel's own clusters (`.reqnctapercluster`), or one block if the
    /// kernel specifies none.
    ///
    /// # Errors
    /// The errors of `launch`, and [`LaunchError::Cluster`] for clusters that the kernel or the
    /// device does not permit, or that do not divide the grid.
    pub fn launch_in_clusters(
        &self,
        program: &Program,
        kernel: &str,
        launch: &Launch,
        cluster: Option<[u32; 3]>,
        params: &[&[u8]],
        progress: Option<&(dyn Fn(u64, u64) + Sync)>,
    ) -> Result<Report, LaunchError> {
        let attributes = LaunchAttributes {
            cluster,
            ..LaunchAttributes::default()
        };
        self.launch_with(program, kernel, launch, &attributes, params, progress)
    }

    /// Runs a kernel like [`launch`](Self::launch), with [attributes](LaunchAttributes): clusters,
    /// programmatic dependent launches.
    ///
    /// # Errors
    /// The errors of [`launch_in_clusters`](Self::launch_in_clusters).
    pub fn launch_with(
        &self,
        program: &Program,
        kernel: &str,
        launch: &Launch,
        attributes: &LaunchAttributes,
        params: &[&[u8]],
        progress: Option<&(dyn Fn(u64, u64) + Sync)>,
    ) -> Result<Report, LaunchError> {
        let mut state = self.check(program, kernel, launch, params)?;
        (state.cluster, state.ranks) = clusters(&state, attributes.cluster)?;
        state.explicit_cluster = attributes.cluster.or(state.kernel().cluster).is_some();
        if attributes.cooperative {
            state.workspace = self.workspace()?;
            state.global = self.read_global().launched();
        }
        state.dependence = self.dependence(&state, attributes);
        state.follows = state.config.check_global_races && state.config.check_races;
        state.published = state.publishes();
        state.races = state.record(true);
        state.non_coherent = state.read_only();
        if state.config.check_provenance {
            state.provenance = Provenance::new(&state);
        }
        let result = dispatch::launch(&mut state, self.pool.as_ref(), progress);
        if attributes.cooperative {
            self.write_global().free(state.workspace).ok();
        }
        if let Some(requested) = state.races.as_ref().and_then(Races::lacking) {
            let what = "the record of races in global memory (Config::check_global_races)";
            return Err(LaunchError::Host { requested, what });
        }
        if let Some(own) = state.dependence.own.take() {
            if let Some(requested) = own.lacking() {
                let what = "the record of what a launch uses of global memory";
                return Err(LaunchError::Host { requested, what });
            }
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = result.is_ok().then(|| own.ended());
        }
        result
    }

    /// Allocates memory for the barrier of a cooperative launch, which lasts as long as the launch.
    fn workspace(&self) -> Result<u64, LaunchError> {
        let mut global = self.write_global();
        let allocated = global.allocate(WORKSPACE, 16, Kind::Buffer, self.config.memory);
        let made = allocated.and_then(|allocation| {
            global.write(allocation.base, &[0; WORKSPACE])?;
            Ok(allocation.base)
        });
        let what = "the workspace of a cooperative launch";
        let requested = WORKSPACE;
        made.map_err(|_| LaunchError::Host { requested, what })
    }

    /// Returns how a launch may overlap with the previous launch, and forgets the previous launch.
    fn dependence(&self, state: &LaunchState, attributes: &LaunchAttributes) -> Dependence {
        let before = self.take_last().filter(|_| attributes.programmatic);
        let noted = attributes.has_dependents
            || attributes.programmatic
            || state.kernel().releases_dependents;
        let name = || state.image.kernels[state.kernel].0.name.clone();
        let own = noted.then(|| Footprint::new(name(), &state.global, before.clone()));
        Dependence { own, before }
    }

    /// Returns the number of threads of a block, if the device and the kernel permit the launch's
    /// grid and block.
    fn threads(&self, launch: &Launch, name: &str, kernel: &Kernel) -> Result<u32, LaunchError> {
        let within = |found: [u32; 3], limit: [u32; 3]| {
            found
                .iter()
                .zip(limit)
                .all(|(&n, most)| n >= 1 && n <= most)
        };
        if !within(launch.grid, self.config.max_grid) {
            return Err(LaunchError::Grid {
                found: launch.grid,
                limit: self.config.max_grid,
            });
        }
        let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
        if !within(launch.block, self.config.max_block)
            || threads > u64::from(self.config.max_threads_per_block)
        {
            return Err(LaunchError::Block {
                found: launch.block,
                limit: self.config.max_block,
                threads: self.config.max_threads_per_block,
            });
        }
        if let Some(required) = kernel.required_threads
            && required != launch.block
        {
            let what = format!("blocks of {required:?} threads (.reqntid)");
            return Err(LaunchError::KernelBlock {
                kernel: name.to_owned(),
                what,
                found: launch.block,
            });
        }
        if let Some(most) = kernel.max_threads
            && threads > most.iter().map(|&n| u64::from(n)).product()
        {
            let what = format!(
                "at most {} a block (.maxntid)",
                counted(most.iter().product::<u32>(), "thread")
            );
            return Err(LaunchError::KernelBlock {
                kernel: name.to_owned(),
                what,
                found: launch.block,
            });
        }
        Ok(threads as u32)
    }

    /// Returns the bytes of shared memory of a block, if the device has that much, and `local`
    /// bytes of local memory for each thread.
    fn memory(
        &self,
        launch: &Launch,
        signature: &Signature,
        local: usize,
    ) -> Result<usize, LaunchError> {
        if local > self.config.local_per_thread {
            return Err(LaunchError::LocalMemory {
                kernel: signature.name.clone(),
                found: local,
                limit: self.config.local_per_thread,
            });
        }
        let shared_bytes = signature
            .static_shared
            .saturating_add(launch.dynamic_shared);
        if shared_bytes > self.config.max_shared_per_block {
            return Err(LaunchError::SharedMemory {
                kernel: signature.name.clone(),
                fixed: signature.static_shared,
                dynamic: launch.dynamic_shared,
                limit: self.config.max_shared_per_block,
            });
        }
        Ok(shared_bytes)
    }

    /// Checks a launch's arguments.
    fn check(
        &self,
        program: &Program,
        kernel: &str,
        launch: &Launch,
        params: &[&[u8]],
    ) -> Result<LaunchState, LaunchError> {
        let image = &program.image;
        for (i, rule) in self.config.accept.iter().enumerate() {
            if let Some(problem) = rule.problem() {
                let number = i + 1;
                return Err(LaunchError::Acceptance { number, problem });
            }
        }
        let name = kernel.to_owned();
        let Some(index) = image
            .kernels
            .iter()
            .position(|(signature, _)| signature.name == kernel)
        else {
            let available = program
                .kernels()
                .map(|signature| signature.name.clone())
                .collect();
            return Err(LaunchError::NoSuchKernel { name, available });
        };
        let (signature, kernel) = &image.kernels[index];
        if let Some(refusal) = &kernel.not_emulated {
            return Err(LaunchError::NotEmulated(refusal.clone()));
        }
        let Some(variables) = self.lock_modules().get(&image.id).cloned() else {
            return Err(LaunchError::NotLoaded(name));
        };
        if params.len() != signature.params.len() {
            return Err(LaunchError::ParameterCount {
                kernel: name,
                expected: signature.params.len(),
                found: params.len(),
            });
        }
        let parameters = bytes_of(params, (signature, kernel))?;
        let threads = self.threads(launch, &name, kernel)?;
        let function = &image.functions[kernel.function as usize];
        let local = function.local.saturating_add(function.param_bytes);
        let shared_bytes = self.memory(launch, signature, local)?;
        Ok(LaunchState {
            image: image.clone(),
            kernel: index,
            config: self.config.clone(),
            global: self.read_global().launched(),
            textures: self.textures(),
            heap: self.heap.get().cloned(),
            races: None,
            follows: false,
            published: None,
            dependence: Dependence::default(),
            non_coherent: None,
            provenance: Provenance::default(),
            variables,
            parameters,
            grid: launch.grid,
            begun: AtomicU64::new(0),
            cluster: [1; 3],
            ranks: 1,
            explicit_cluster: false,
            block: launch.block,
            threads,
            warps: threads.div_ceil(32),
            shared_bytes,
            dynamic_shared: launch.dynamic_shared,
            grid_id: self.launches.fetch_add(1, Relaxed),
            workspace: 0,
            registers: registers(kernel),
            code_starts: grid::code_starts(image),
            tensors: self.lock_tensors().clone(),
        })
    }
}

/// Returns the arguments as the bytes of a kernel's parameters.
fn bytes_of(
    params: &[&[u8]],
    (signature, kernel): (&Signature, &Kernel),
) -> Result<Vec<u8>, LaunchError> {
    let mut parameters = vec![0; kernel.parameter_bytes];
    for (i, (given, wanted)) in params.iter().zip(&signature.params).enumerate() {
        if given.len() != wanted.size {
            return Err(LaunchError::ParameterSize {
                kernel: signature.name.clone(),
                index: i,
                name: wanted.name.clone(),
                ty: wanted.ty.clone(),
                expected: wanted.size,
                found: given.len(),
            });
        }
        let at = kernel.parameter_offsets[i];
        parameters[at..at + given.len()].copy_from_slice(given);
    }
    Ok(parameters)
}
