//! How much an expression may hold and take.
//!
//! ```text
//! text 16 KiB, nesting 48, 32 leaves a layout, 16 levels a layout, 2^20 cells looked at, 1 second
//! ```
//!
//! Law: whatever is typed ends within seconds and tens of megabytes, with a result or an error.

use layout_types::dynamic::{AnyLayout, Domain, rules};

/// The most cells of a layout that are looked at one by one.
pub const MAX_CELLS: i64 = 1 << 20;
/// The most leaves of a layout or tuple: those of every layout of Cutlet.
pub const MAX_LEAVES: usize = rules::MAX_MODES;
/// The deepest layout or tuple.
pub const MAX_DEPTH: usize = rules::MAX_DEPTH;
/// The longest that one evaluation takes, checked between operations, none of which takes long.
pub const MAX_TIME: std::time::Duration = std::time::Duration::from_millis(1000);

/// Whether a layout is small enough to go on with.
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
