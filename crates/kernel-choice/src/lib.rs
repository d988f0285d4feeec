//! From a matrix product to a kernel and its schedule: by name, by a measured point, or by the
//! least estimate.
//!
//! ```text
//!   rows of kernel-abi's table ─┐
//!   KernelDevice: a GPU ────────┼─► select::choose ─► KernelChoice { configuration, schedule, plan }
//!   Table: points, models ──────┘
//! ```
//!
//! Law: what is chosen has a plan, and fits the device that was asked about; the same device, table
//! and problem give the same choice. No kernel is compiled for it, but where the device's own
//! compiler says how many registers one takes.

mod device;
mod estimate;
pub mod model;
mod names;
pub mod select;
mod table;

pub use device::{ChoiceError, KernelDevice};
pub use names::{Named, ScheduleRequest, output_name, output_of};
pub use table::{Point, Table, TableError, cache_file};
