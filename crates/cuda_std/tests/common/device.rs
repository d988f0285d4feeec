//! The device on which the fixture's kernels run: a GPU, used through the driver, or the emulator.
//!
//! ```text
//!   upload ──► launch(kernel, grid, block, shared, arguments) ──► download        the same calls on both
//! ```

use super::build;
use cuda_builder::NvvmArch;
use cust::error::CudaError;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use emulator::{Config, Emulator, FaultKind, Launch, LaunchError, Program};
use std::ffi::c_void;
use std::marker::PhantomData;

/// A device on which the fixture's kernels are loaded.
pub enum Device {
    Gpu {
        module: Module,
        stream: Stream,
    },
    Emulator {
        device: Box<Emulator>,
        program: Program,
    },
}

/// The way in which a launch failed.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// An assertion of the kernel failed. The text is what the assertion printed, if the device
    /// returns its output.
    Assertion(Option<String>),
    Other(String),
}

/// The three extents of a grid or block.
pub struct Extents([u32; 3]);

impl From<u32> for Extents {
    fn from(x: u32) -> Self {
        Extents([x, 1, 1])
    }
}

impl From<(u32, u32, u32)> for Extents {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Extents([x, y, z])
    }
}

/// A kernel's argument: the bytes of one parameter.
pub struct Argument(Vec<u8>);

pub fn value<T: Copy>(value: T) -> Argument {
    Argument(bytes_of(&[value]).to_vec())
}

fn bytes_of<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the tests use only plain values, which have all of their bytes initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Numbers on a device.
pub struct Buffer<T> {
    memory: Memory,
    len: usize,
    of: PhantomData<T>,
}

enum Memory {
    Gpu(DeviceBuffer<u8>),
    Emulated(u64),
}

impl<T> Buffer<T> {
    pub fn raw(&self) -> u64 {
        match &self.memory {
            Memory::Gpu(buffer) => buffer.as_device_ptr().as_raw(),
            Memory::Emulated(address) => *address,
        }
    }

    pub fn address(&self) -> Argument {
        value(self.raw())
    }

    /// Returns the address and the length, the two arguments of a slice.
    pub fn slice(&self) -> [Argument; 2] {
        [self.address(), value(self.len as u64)]
    }
}

impl Device {
    /// Returns the emulator with every check on.
    pub fn emulator() -> Self {
        println!("on the emulator");
        let ptx = build("kernels", NvvmArch::Compute80);
        let program = Program::parse(&ptx).expect("the PTX is read");
        let device = Box::new(Emulator::new(Config::default()));
        device.load(&program).expect("the module loads");
        Device::Emulator { device, program }
    }

    /// Calls `run` with GPU 0. If there is no GPU, prints the reason and returns `None`. A context
    /// that an assertion has ended cannot be replaced in the same process.
    pub fn with_gpu(run: impl FnOnce(&Device)) -> Option<()> {
        if let Err(error) = cust::init(cust::CudaFlags::empty()) {
            println!("not run: {} (cuInit: {error:?})", cuda_driver::status());
            return None;
        }
        let device = cust::device::Device::get_device(0).expect("a device");
        println!("on {}, {}", device.name().unwrap(), cuda_driver::status());
        let ptx = build("kernels", NvvmArch::Compute80);
        let _context = cust::quick_init().expect("a context");
        let device = Device::Gpu {
            module: Module::from_ptx(&ptx, &[]).expect("the PTX loads"),
            stream: Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream"),
        };
        run(&device);
        // After a failed launch the driver refuses to free memory, so the device is not dropped.
        std::mem::forget(device);
        Some(())
    }

    pub fn launch(
        &self,
        kernel: &str,
        grid: impl Into<Extents>,
        block: impl Into<Extents>,
        shared: u32,
        mut arguments: Vec<Argument>,
    ) -> Result<(), Failure> {
        let (Extents(grid), Extents(block)) = (grid.into(), block.into());
        match self {
            Device::Gpu { module, stream } => {
                let pointers: Vec<*mut c_void> = arguments
                    .iter_mut()
                    .map(|argument| argument.0.as_mut_ptr().cast())
                    .collect();
                let launched = module.get_function(kernel).and_then(|function| {
                    let (grid, block): ((u32, u32, u32), (u32, u32, u32)) =
                        (grid.into(), block.into());
                    // SAFETY: the tests pass the arguments that the kernels' signatures require.
                    unsafe { stream.launch(&function, grid, block, shared, &pointers)? };
                    stream.synchronize()
                });
                launched.map_err(|error| match error {
                    CudaError::AssertError => Failure::Assertion(None),
                    other => Failure::Other(other.to_string()),
                })
            }
            Device::Emulator { device, program } => {
                let launch = Launch {
                    grid,
                    block,
                    dynamic_shared: shared as usize,
                };
                let parameters: Vec<&[u8]> = arguments.iter().map(|a| a.0.as_slice()).collect();
                match device.launch(program, kernel, &launch, &parameters, None) {
                    Ok(_) => Ok(()),
                    Err(LaunchError::Fault(fault))
                        if matches!(fault.what, FaultKind::Assertion { .. }) =>
                    {
                        Err(Failure::Assertion(Some(fault.to_string())))
                    }
                    Err(other) => Err(Failure::Other(other.to_string())),
                }
            }
        }
    }

    /// Returns what a kernel prints on the emulator.
    pub fn printed(&self, kernel: &str, grid: u32, block: u32, arguments: Vec<Argument>) -> String {
        let Device::Emulator { device, program } = self else {
            panic!("a GPU prints to the process's output");
        };
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
        };
        let parameters: Vec<&[u8]> = arguments.iter().map(|a| a.0.as_slice()).collect();
        let run = device.launch(program, kernel, &launch, &parameters, None);
        run.unwrap_or_else(|error| panic!("{kernel}: {error}"))
            .output
    }

    /// Runs a kernel, and expects success.
    pub fn run(
        &self,
        kernel: &str,
        grid: impl Into<Extents>,
        block: impl Into<Extents>,
        shared: u32,
        arguments: Vec<Argument>,
    ) {
        if let Err(failure) = self.launch(kernel, grid, block, shared, arguments) {
            match failure {
                Failure::Other(said) | Failure::Assertion(Some(said)) => panic!("{kernel}: {said}"),
                Failure::Assertion(None) => panic!("{kernel}: an assertion of the kernel failed"),
            }
        }
    }

    pub fn upload<T: Copy>(&self, data: &[T]) -> Buffer<T> {
        let bytes = bytes_of(data);
        let memory = match self {
            Device::Gpu { .. } => Memory::Gpu(DeviceBuffer::from_slice(bytes).expect("memory")),
            Device::Emulator { device, .. } => {
                let address = device.alloc(bytes.len()).expect("memory");
                device.write(address, bytes).expect("a copy");
                Memory::Emulated(address)
            }
        };
        Buffer {
            memory,
            len: data.len(),
            of: PhantomData,
        }
    }

    pub fn download<T: Copy + Default>(&self, buffer: &Buffer<T>) -> Vec<T> {
        let mut bytes = vec![0; buffer.len * size_of::<T>()];
        match (self, &buffer.memory) {
            (Device::Emulator { device, .. }, Memory::Emulated(address)) => {
                device.read(*address, &mut bytes).expect("a copy");
            }
            (_, Memory::Gpu(memory)) => memory.copy_to(&mut bytes).expect("a copy"),
            (Device::Gpu { .. }, Memory::Emulated(_)) => panic!("a buffer of another device"),
        }
        bytes
            .chunks_exact(size_of::<T>())
            // SAFETY: each chunk has as many bytes as the number, which is plain data.
            .map(|bytes| unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
            .collect()
    }
}
