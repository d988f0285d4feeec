//! Explanations: lines indented by depth, and the layout that the lines derive.

use layout_types::dynamic::rules::Flat;
use layout_types::dynamic::{DynLayout, IntTuple, Nested, Stride};

/// A part of an explanation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derivation {
    lines: Vec<String>,
    result: Option<DynLayout>,
}

/// The largest number of lines of an explanation; a layout of many modes would fill pages.
const MOST_LINES: usize = 400;

impl Derivation {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn say(&mut self, line: impl Into<String>) {
        if self.lines.len() < MOST_LINES {
            self.lines.push(line.into());
        }
    }

    /// Adds another part, one level deeper.
    pub fn nest(&mut self, other: Self) {
        for line in other.lines {
            self.say(format!("  {line}"));
        }
    }

    /// Sets the result, and adds a line that states it.
    pub fn come_to(mut self, result: DynLayout) -> Self {
        self.say(format!("= {result}"));
        self.result = Some(result);
        self
    }

    /// Sets the result without a line.
    pub fn silently(mut self, result: DynLayout) -> Self {
        self.result = Some(result);
        self
    }

    pub fn without_result(mut self) -> Self {
        self.result = None;
        self
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    pub fn result(&self) -> Option<&DynLayout> {
        self.result.as_ref()
    }
}

/// Converts a layout to the form that the rules use. Also returns the modes that its strides name,
/// numbered from 1.
pub(super) fn flat(layout: &DynLayout) -> Option<(Flat, Vec<Vec<usize>>)> {
    let (mut out, mut bases) = (Flat::new(), Vec::<Vec<usize>>::new());
    for (extent, stride) in layout
        .shape()
        .leaves()
        .into_iter()
        .zip(layout.stride().leaves())
    {
        let basis = if stride.is_basis() {
            let known = bases.iter().position(|path| path == stride.path());
            let known = known.unwrap_or_else(|| {
                bases.push(stride.path().to_vec());
                bases.len() - 1
            });
            u8::try_from(known + 1).ok()?
        } else {
            0
        };
        out.push(*extent, stride.value(), basis).ok()?;
    }
    Some((out, bases))
}

/// Returns the stride of one mode of a flat layout.
pub(super) fn stride_of(flat: &Flat, bases: &[Vec<usize>], i: usize) -> Stride {
    let path = match flat.basis(i) {
        0 => &[][..],
        basis => &bases[usize::from(basis) - 1],
    };
    Stride::new(flat.stride(i), path)
}

/// Converts a flat layout back to a layout: an integer for one mode, a tuple for several.
pub(super) fn layout(flat: &Flat, bases: &[Vec<usize>]) -> Option<DynLayout> {
    let modes: Vec<(i64, Stride)> = (0..flat.len())
        .map(|i| (flat.shape(i), stride_of(flat, bases, i)))
        .collect();
    of_modes(modes)
}

/// Makes a layout with these extents and strides: an integer for one mode, a tuple for several.
pub(super) fn of_modes(mut modes: Vec<(i64, Stride)>) -> Option<DynLayout> {
    if modes.len() == 1 {
        let (extent, stride) = modes.remove(0);
        return DynLayout::new(Nested::Leaf(extent), Nested::Leaf(stride)).ok();
    }
    let (shape, stride): (Vec<IntTuple>, Vec<Nested<Stride>>) = modes
        .into_iter()
        .map(|(extent, stride)| (Nested::Leaf(extent), Nested::Leaf(stride)))
        .unzip();
    DynLayout::new(Nested::Tuple(shape), Nested::Tuple(stride)).ok()
}

/// Formats a count: `1 step`, `3 steps`.
pub(super) fn count(n: i64, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// Formats the path of a mode: `0.1` is mode 1 of mode 0.
pub(super) fn place(at: &[usize]) -> String {
    let parts: Vec<String> = at.iter().map(usize::to_string).collect();
    parts.join(".")
}
