//! Chooses a kernel and its schedule for a matrix product: by the kernel's name, by a measured
//! point, or by the least estimated time. Also chooses a kernel for a product with weights of few
//! bits.
//!
//! ```text
//!   rows of kernel-abi's table ─┐
//!   KernelDevice: a GPU ────────┼─► select::choose ─► KernelChoice { configuration, schedule, plan }
//!   Table: points, models ──────┘
//!   rows of weights, Resources ───► weights::choose ─► WeightsChoice { configuration, plan }
//! ```
//!
//! Law: the chosen kernel has a plan, and fits the device that was passed. The same device, table
//! and problem give the same choice. Choosing compiles no kernel, unless the device needs its own
//! compiler to determine a number of registers.

mod device;
mod estimate;
pub mod model;
mod names;
pub mod select;
mod table;
pub mod weights;

pub use device::{ChoiceError, KernelDevice};
pub use names::{Named, ScheduleRequest, output_name, output_of};
pub use table::{Point, Table, TableError, cache_file};
