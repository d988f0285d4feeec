//! The layout algebra: one file per operation.

pub mod coalesce;
pub mod complement;
pub mod compose_list;
pub mod composition;
pub mod divide;
pub mod outcome;
pub mod points;
pub mod product;
pub mod settle;
pub mod swizzle;
pub mod tile_to_shape;
