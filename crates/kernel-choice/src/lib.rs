//! From a matrix product to a kernel and its schedule: by name, by a measured point, or by the
//! least estimate; and from a product with weights of few bits to a kernel.
//!
//! ```text
//!   rows of kernel-abi's table ─┐
//!   KernelDevice: a GPU ────────┼─► select::choose ─► KernelChoice { configuration, schedule, plan }
//!   Table: points, models ──────┘
//!   rows of weights, Resources ───► weights::choose ─► WeightsChoice { configuration, plan }
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
pub mod weights;

pub use device::{ChoiceError, KernelDevice};
pub use names::{Named, ScheduleRequest, output_name, output_of};
pub use table::{Point, Table, TableError, cache_file};
