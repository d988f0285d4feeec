//! Lines, indented by depth, and the layout that they come to.

use layout_types::dynamic::rules::Flat;
use layout_types::dynamic::{DynLayout, IntTuple, Nested, Stride};

/// A part of an explanation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derivation {
    lines: Vec<String>,
    result: Option<DynLayout>,
}

/// An explanation stops growing here; a layout of many modes would fill pages.
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

    /// Another part, one level deeper.
    pub fn nest(&mut self, other: Self) {
        for line in other.lines {
            self.say(format!("  {line}"));
        }
    }

    /// The result, which a line says.
    pub fn come_to(mut self, result: DynLayout) -> Self {
        self.say(format!("= {result}"));
        self.result = Some(result);
        self
    }

    /// The result, which no line needs to say.
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

/// A layout as the rules see it, and the modes that its strides name, numbered from 1.
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

/// One mode of a flat layout, as a layout.
pub(super) fn stride_of(flat: &Flat, bases: &[Vec<usize>], i: usize) -> Stride {
    let path = match flat.basis(i) {
        0 => &[][..],
        basis => &bases[usize::from(basis) - 1],
    };
    Stride::new(flat.stride(i), path)
}

/// The layout of a flat one: an integer for one mode, a tuple for more.
pub(super) fn layout(flat: &Flat, bases: &[Vec<usize>]) -> Option<DynLayout> {
    let modes: Vec<(i64, Stride)> = (0..flat.len())
        .map(|i| (flat.shape(i), stride_of(flat, bases, i)))
        .collect();
    of_modes(modes)
}

/// A layout of these extents and strides: an integer for one, a tuple for more.
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

/// `1 step`, `3 steps`.
pub(super) fn count(n: i64, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// `0.1`: the mode of a mode.
pub(super) fn place(at: &[usize]) -> String {
    let parts: Vec<String> = at.iter().map(usize::to_string).collect();
    parts.join(".")
}
