//! The redistribution of a tensor: the elements that move between two distributions.
//!
//! ```text
//! redistribution(distribution((4,2):(2,1), 8), distribution((4,2):(1,4), 8))
//!     all-to-all in groups of 4, each device receives 2 elements
//! ```
//!
//! Law: the name of the exchange is the one that `distribute` derives; the counts come from a walk
//! over every element.

use std::fmt;

use distribute::{Distribution, Moves};
use layout_types::dynamic::{AnyLayout, DynLayout};

use crate::limits::MAX_CELLS;
use crate::thread_value::ThreadValue;

/// Two distributions of one tensor, and the elements that move from the first to the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redistribution {
    from: ThreadValue,
    to: ThreadValue,
    text: String,
    between: Vec<Vec<i64>>,
}

fn plain(tv: &ThreadValue) -> Result<&DynLayout, String> {
    match tv.layout() {
        AnyLayout::Plain(layout) => Ok(layout),
        AnyLayout::Composed(_) => Err("a distribution is no layout behind a swizzle".to_string()),
    }
}

/// Makes a distribution of a layout; each set bit of `partial` marks a mode of partial sums.
fn distribution(layout: &DynLayout, partial: u32) -> Result<Distribution, String> {
    Distribution::of_layout(layout, partial).ok_or_else(|| format!("{layout} has too many modes"))
}

/// Checks that a layout holds every coordinate of a tensor of `elements` elements.
pub(crate) fn covers(layout: &DynLayout, elements: i64) -> Result<(), String> {
    let found = distribution(layout, 0)?.covers(elements);
    found.map_err(|text| text.as_str().to_string())
}

impl Redistribution {
    /// Derives the elements that move between two distributions. Each set bit of `partial` marks a
    /// mode of the first distribution's mesh along which partial sums lie.
    pub(crate) fn new(from: &ThreadValue, to: &ThreadValue, partial: u32) -> Result<Self, String> {
        let (a, b) = (plain(from)?, plain(to)?);
        let tensor = from.tensor();
        let is_padded = from.extents().is_some() || to.extents().is_some();
        if is_padded && tensor != to.tensor() {
            return Err("both distributions have to be of one tensor with one padding".into());
        }
        let found = distribute::redistribution(&distribution(a, partial)?, &distribution(b, 0)?)
            .map_err(|text| text.as_str().to_string())?;
        let size = |layout: &DynLayout| layout.size().unwrap_or(i64::MAX);
        let between = if size(a).max(size(b)) <= MAX_CELLS {
            Moves::between((a, partial), (b, 0), &tensor)
                .map_or_else(Vec::new, |moves| moves.between)
        } else {
            Vec::new()
        };
        Ok(Self {
            from: from.clone(),
            to: to.clone(),
            text: found.text().as_str().to_string(),
            between,
        })
    }

    /// Returns the distribution before the exchange.
    pub fn from(&self) -> &ThreadValue {
        &self.from
    }

    /// Returns the distribution after the exchange.
    pub fn to(&self) -> &ThreadValue {
        &self.to
    }

    /// Returns at `[to][from]` the number of elements that each device receives from each other
    /// device. The result is empty if there are too many elements to count one by one.
    pub fn between(&self) -> &[Vec<i64>] {
        &self.between
    }

    /// Formats the two distributions, and the number of elements that each device receives from
    /// each other device.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("from {}", self.from), format!("to {}", self.to)];
        for (device, from) in self.between.iter().enumerate() {
            let received: Vec<String> = from
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
                .map(|(peer, count)| format!("{count} from device {peer}"))
                .collect();
            if !received.is_empty() {
                lines.push(format!("device {device} receives {}", received.join(", ")));
            }
        }
        lines
    }
}

impl fmt::Display for Redistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
