//! Products are nested 17 deep.
use layout_types::prelude::*;
fn refused(_: LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<LogicalProduct<layout!(2:1), layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>, layout!(2:1)>) {}
fn main() {}
