//! The names that a program needs to write and launch kernels, in one `use`.
//!
//! ```
//! use cutlet::prelude::*;
//! type Tile = layout!((128,32):(32,1));
//! let device: Device = Device::emulator();
//! assert_eq!(device.kind(), Kind::Emulator);
//! ```

pub use half::{bf16, f16};
pub use host::{
    Buffer, ByValue, Contract, Device, Dim3, Kernel, KernelArg, KernelArgs, Kind, Launch, Module,
    Timing,
};
pub use layout_types::prelude::*;
