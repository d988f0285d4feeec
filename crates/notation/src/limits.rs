//! Limits on the size and the run time of an expression.
//!
//! ```text
//! text 16 KiB, nesting 48, 32 leaves per layout, 16 levels per layout, 2^20 cells, 1 second
//! ```
//!
//! Law: every text ends within seconds and tens of megabytes, with a result or an error.

use layout_types::dynamic::{AnyLayout, Domain, rules};

/// The largest number of cells of a layout that are evaluated one by one.
pub const MAX_CELLS: i64 = 1 << 20;
/// The largest number of leaves of a layout or tuple, the same as for every layout of Cutlet.
pub const MAX_LEAVES: usize = rules::MAX_MODES;
/// The largest depth of a layout or tuple.
pub const MAX_DEPTH: usize = rules::MAX_DEPTH;
/// The longest time of one evaluation, checked between operations; no single operation takes long.
pub const MAX_TIME: std::time::Duration = std::time::Duration::from_millis(1000);

/// Whether a layout is small enough to continue with.
pub(crate) fn is_small(layout: &AnyLayout) -> bool {
    let swizzles = {
        let (mut count, mut at) = (0usize, layout);
        while let AnyLayout::Composed(outer) = at {
            count += 1;
            at = outer.inner();
        }
        count
    };
    let shape = layout.domain().shape();
    swizzles <= MAX_DEPTH && shape.leaves().len() <= MAX_LEAVES && shape.depth() <= MAX_DEPTH
}
