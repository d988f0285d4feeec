//! The layout algebra: one file per operation.

pub mod cast;
pub mod coalesce;
pub mod common;
pub mod complement;
pub mod compose_list;
pub mod composition;
pub mod divide;
pub mod flatten;
pub mod inverse;
pub mod make;
pub mod modes;
pub mod outcome;
pub mod points;
pub mod predicate;
pub mod product;
pub mod settle;
pub mod swizzle;
pub mod tile_to_shape;
