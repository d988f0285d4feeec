//! One safe API over two devices: a GPU through the CUDA driver, and the emulator, which runs the
//! same PTX on the processor.
//!
//! ```text
//!   Device ──upload──► Buffer<T> ─────────────┐
//!      └────load(ptx)──► Module ──kernel("…")─┴─► Kernel::launch(&Launch, (&a, &mut c, n))
//!                                                    │ refused here with the values found and allowed,
//!                                                    ▼ or passed to the driver or the emulator
//! ```
//!
//! A program that runs on any machine:
//!
//! ```
//! use host::{Contract, Device};
//!
//! let ptx = r"
//! .version 7.0
//! .target sm_80
//! .address_size 64
//! .visible .entry double(.param .u64 data, .param .u32 n)
//! {
//!     .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<5>;
//!     ld.param.u64 %rd1, [data];
//!     ld.param.u32 %r1, [n];
//!     mov.u32 %r2, %ctaid.x;
//!     mov.u32 %r3, %ntid.x;
//!     mov.u32 %r4, %tid.x;
//!     mad.lo.s32 %r5, %r2, %r3, %r4;
//!     setp.ge.u32 %p1, %r5, %r1;
//!     @%p1 ret;
//!     cvta.to.global.u64 %rd2, %rd1;
//!     mul.wide.u32 %rd3, %r5, 4;
//!     add.s64 %rd4, %rd2, %rd3;
//!     ld.global.u32 %r6, [%rd4];
//!     add.s32 %r7, %r6, %r6;
//!     st.global.u32 [%rd4], %r7;
//!     ret;
//! }";
//! let device = Device::best();
//! println!("{}", device.where_it_ran());
//! let kernel = device.load(ptx)?.kernel("double")?;
//! let mut data = device.upload(&[1_u32, 2, 3])?;
//! let contract = Contract::new().grid(1).block(64).writes_of::<u32>(0, "data", 3, 4).scalar(1, "n", 3_u32);
//! kernel.launch(&contract.launch(), (&mut data, 3_u32))?;
//! assert_eq!(data.to_vec()?, [2, 4, 6]);
//! # Ok::<(), host::Error>(())
//! ```
//!
//! With its default feature `cust`, the library opens GPUs through `cust`. The linker must then
//! find the driver's functions, so the program defines them. Without the feature, the library uses
//! only the driver, on any system, and defines nothing for the linker. The API is the same in both
//! cases.
//!
//! [`reference`](mod@reference) computes the expected results of kernels in float64; [`cublas`]
//! computes products by cuBLAS, for comparisons.

mod args;
pub mod attention;
mod buffer;
mod check;
pub mod collective;
mod contract;
pub mod cublas;
mod device;
mod enqueue;
mod error;
pub mod gemm;
mod gpu;
mod interleaved;
mod kernel;
mod launch;
mod module;
mod named;
mod queue;
pub mod reference;
mod refusal;
mod signature;
mod target;
mod tensor_map;
mod timing;
mod transfer;
mod workspace;

pub use args::{Argument, ArgumentKind, ByValue, KernelArg, KernelArgs, Pointer};
pub use buffer::{Buffer, View, ViewMut};
pub use contract::{BufferRule, Contract, ExtentRule, ScalarRule};
pub use device::{Device, Kind, Limits};
pub use enqueue::{Enqueue, EnqueueOn, PreparedLaunch};
pub use error::{Error, Fault, FaultCause, NoGpu, NoSuchKernel};
pub use interleaved::{launch_in_order, time_interleaved};
pub use kernel::{Kernel, Progress, Resources, Run};
pub use launch::{Dim3, Launch};
pub use module::Module;
pub use named::{BoundArguments, NamedArguments};
pub use queue::{CopiedRows, Queue, QueueEvent, enable_peer_access};
pub use refusal::Refusal;
pub use signature::{Interface, Parameter, ParameterKind, Signature, entry_texts, head_text};
pub use target::{Reach, Target};
pub use tensor_map::{TensorMap, TensorMapError, TensorMapSpec, TmaElement};
pub use timing::{Clock, Time, Timing};
pub use workspace::Workspace;

pub use cuda_driver::DriverError;
pub use emulator::profile::LiveRegisters;
pub use emulator::{Config as EmulatorConfig, Report as EmulatorReport};
pub use emulator::{TensorElement, TensorSwizzle};
