//! The mainloop loads k tiles of A and B from global to shared memory, then fragments to registers,
//! and adds their products to the accumulator by MMAs.
//!
//! ```text
//!   operand      how a k tile of A or B is copied to its stage        cp.async, or through registers
//!   multistage   the pipeline of stages, and the loop over k tiles
//! ```

mod multistage;
pub mod operand;

pub use layout_types::algorithm::global_matrix::GlobalMatrix;
pub use multistage::{KTileLoader, SmemPipe, drain, issue_prologue, mainloop, wait_prologue};
pub use operand::{
    Bits, CpAsync, CpAsyncMask, CpAsyncRows, CpAsyncRowsRecompute, LoadedOperand, Loader, MatrixOf,
    Operand, OperandLoader, StagesOf, ThroughRegisters, unit_mode,
};
