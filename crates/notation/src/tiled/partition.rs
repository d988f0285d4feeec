//! One thread's part of a tensor.
//!
//! ```text
//! partition_a of (128,32):(32,1)     part ((2,2,2),4,2):((1,256,8),1024,16)     thread 37 begins at 548
//! ```
//!
//! Law: element `i` of thread `t`'s part is at `swizzled(thread(t) + part(i))`: neither term
//! contains a swizzle, and any swizzle is applied to the sum.

use std::fmt;

use layout_types::dynamic::{AnyLayout, Composed, Domain, DynLayout, IntTuple};

/// The part of each thread, and the offset at which it begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
    part: AnyLayout,
    thread: DynLayout,
}

impl Partition {
    pub(super) fn new(part: AnyLayout, thread: DynLayout) -> Self {
        Self { part, thread }
    }

    /// Returns the part's layout, the same for every thread: `(values, rest, rest, ..)`.
    pub fn part(&self) -> &AnyLayout {
        &self.part
    }

    /// Maps a thread to the offset at which its part begins, before any swizzle.
    pub fn thread(&self) -> &DynLayout {
        &self.thread
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> i64 {
        self.thread.size().unwrap_or(i64::MAX)
    }

    /// Returns the offset at which the part of `thread` begins, before any swizzle: an integer, or
    /// a coordinate of an identity tensor.
    pub fn start(&self, thread: i64) -> Option<IntTuple> {
        self.thread.eval(thread).ok()
    }

    /// Returns the offset in memory of element `i` of a thread's part, or `None` if the offset is
    /// not an integer.
    pub fn offset(&self, thread: i64, i: i64) -> Option<i64> {
        let start = self.thread.offset(thread).ok()?;
        let step = self.part.domain().offset(i).ok()?;
        swizzled(&self.part, start.checked_add(step)?)
    }
}

/// Applies the swizzles around the innermost layout to an offset of that layout.
fn swizzled(layout: &AnyLayout, offset: i64) -> Option<i64> {
    match layout {
        AnyLayout::Plain(_) => Some(offset),
        AnyLayout::Composed(outer) => through(outer, offset),
    }
}

fn through(outer: &Composed, offset: i64) -> Option<i64> {
    let inner = swizzled(outer.inner(), offset)?;
    Some(outer.swizzle().apply(inner.checked_add(outer.offset())?))
}

impl fmt::Display for Partition {
    /// Prints the part as CuTe does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.part.fmt(f)
    }
}
