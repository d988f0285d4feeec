//! Explains a composition: walks each mode of the right side through the shape of the left side.
//!
//! ```text
//! mode 0: 4:3, 4 steps of 3 through (6,2)
//!   2 steps of 3 in 6:8, 24 apart            the 6 is used up after two steps of 3
//!   2 steps of 1 in 2:2, 2 apart
//! ```

use layout_types::dynamic::rules::{Flat, split, split_as_cute};
use layout_types::dynamic::{DynLayout, IntTuple, Nested, Stride, Tiler, composition};

use super::derivation::{Derivation, count, flat, layout, of_modes, place, stride_of};

/// Explains `a o tiler`.
pub(super) fn by_tiler(a: &DynLayout, tiler: &Tiler) -> Derivation {
    match tiler {
        Tiler::Underscore => {
            let mut derivation = Derivation::new();
            derivation.say("`_` leaves the mode as it is");
            derivation.come_to(a.clone())
        }
        Tiler::Int(elements) => match of_modes(vec![(*elements, Stride::from(1))]) {
            Some(first) => {
                let mut derivation = Derivation::new();
                derivation.say(format!(
                    "the first {}, {first}",
                    count(*elements, "element")
                ));
                let inner = tell(a, &first);
                let result = inner.result().cloned();
                derivation.nest(inner);
                finish(derivation, result)
            }
            None => Derivation::new(),
        },
        Tiler::Layout(b) => tell(a, b),
        Tiler::Tuple(parts) => {
            let mut derivation = Derivation::new();
            let mut modes = Vec::new();
            for (i, (mode, part)) in a.modes().iter().zip(parts).enumerate() {
                derivation.say(format!("mode {i}: {mode} o {part}"));
                let inner = by_tiler(mode, part);
                modes.extend(inner.result().cloned());
                derivation.nest(inner);
            }
            let whole = modes.len() == parts.len();
            let result = whole.then(|| DynLayout::from_modes(modes).ok()).flatten();
            finish(derivation, result)
        }
    }
}

fn finish(derivation: Derivation, result: Option<DynLayout>) -> Derivation {
    match result {
        Some(result) => derivation.silently(result),
        None => derivation,
    }
}

/// A left side, reduced to the part that the strides of the right side name, and coalesced.
struct Left {
    path: Vec<usize>,
    flat: Flat,
    bases: Vec<Vec<usize>>,
    right: Flat,
}

fn left(a: &DynLayout, path: &[usize]) -> Option<Left> {
    let mut part = a.clone();
    for mode in path {
        part = part.mode(*mode)?;
    }
    let (flat, bases) = flat(&part)?;
    Some(Left {
        path: path.to_vec(),
        flat: flat.coalesce(true),
        bases,
        right: Flat::new(),
    })
}

/// Explains `a o b` by the definition of composition.
pub(super) fn tell(a: &DynLayout, b: &DynLayout) -> Derivation {
    derivation(a, b, true)
}

/// Explains `a o b` as CuTe splits it when tiles extend past the layout.
pub(super) fn as_cute(a: &DynLayout, b: &DynLayout) -> Derivation {
    derivation(a, b, false)
}

fn derivation(a: &DynLayout, b: &DynLayout, exact: bool) -> Derivation {
    let mut derivation = Derivation::new();
    let mut lefts: Vec<Left> = Vec::new();
    for stride in b.stride().leaves() {
        if stride.value() != 0 && lefts.iter().all(|left| left.path != stride.path()) {
            let Some(left) = left(a, stride.path()) else {
                return derivation;
            };
            lefts.push(left);
        }
    }
    for left in &lefts {
        if let Some(coalesced) = layout(&left.flat, &left.bases) {
            let which = if left.path.is_empty() {
                "the left side".to_string()
            } else {
                format!("mode {} of the left side", place(&left.path))
            };
            if coalesced != *a {
                derivation.say(format!("{which}, coalesced: {coalesced}"));
            }
        }
    }
    let mut at = Vec::new();
    let Some(result) = walk(
        b.shape(),
        b.stride(),
        &mut lefts,
        &mut at,
        &mut derivation,
        exact,
    ) else {
        return derivation;
    };
    if exact {
        for left in &lefts {
            if !together(left, &mut derivation) {
                return derivation;
            }
        }
    }
    derivation.silently(result)
}

fn walk(
    shape: &IntTuple,
    stride: &Nested<Stride>,
    lefts: &mut [Left],
    at: &mut Vec<usize>,
    derivation: &mut Derivation,
    exact: bool,
) -> Option<DynLayout> {
    match (shape, stride) {
        (Nested::Leaf(extent), Nested::Leaf(stride)) => {
            leaf(*extent, stride, lefts, at, derivation, exact)
        }
        (Nested::Tuple(shapes), Nested::Tuple(strides)) => {
            let mut modes = Vec::with_capacity(shapes.len());
            for (i, (shape, stride)) in shapes.iter().zip(strides).enumerate() {
                at.push(i);
                modes.push(walk(shape, stride, lefts, at, derivation, exact)?);
                at.pop();
            }
            DynLayout::from_modes(modes).ok()
        }
        _ => None,
    }
}

fn leaf(
    extent: i64,
    stride: &Stride,
    lefts: &mut [Left],
    at: &[usize],
    derivation: &mut Derivation,
    exact: bool,
) -> Option<DynLayout> {
    let head = if at.is_empty() {
        String::new()
    } else {
        format!("mode {}: ", place(at))
    };
    if stride.value() == 0 {
        derivation.say(format!("{head}{extent}:0 stays where it is"));
        return of_modes(vec![(extent, Stride::from(0))]);
    }
    let left = lefts.iter_mut().find(|left| left.path == stride.path())?;
    let shape = layout(&left.flat, &left.bases)?.shape().clone();
    derivation.say(format!(
        "{head}{extent}:{stride}, {} of {} through {shape}",
        count(extent, "step"),
        stride.value()
    ));
    let found = if exact {
        split(&left.flat, extent, stride.value())
    } else {
        split_as_cute(&left.flat, extent, stride.value())
    };
    let parts = match found {
        Ok(parts) => parts,
        Err(rule) => {
            derivation.say(format!("  refused: {rule}"));
            return None;
        }
    };
    left.right.push(extent, stride.value(), 0).ok()?;
    let mut modes = Vec::new();
    for i in 0..parts.len() {
        let part = parts.part(i);
        let of = stride_of(&left.flat, &left.bases, part.left);
        let step = of.times(part.step).ok()?;
        derivation.say(format!(
            "  {} of {} in {}:{of}, {step} apart",
            count(part.shape, "step"),
            part.step,
            left.flat.shape(part.left),
        ));
        modes.push((part.shape, step));
    }
    let result = of_modes(modes)?;
    derivation.say(format!("  = {result}"));
    Some(result)
}

/// Whether the modes of the right side together stay inside each mode of the left side.
fn together(left: &Left, derivation: &mut Derivation) -> bool {
    let digits = left.flat.len().saturating_sub(1);
    let several = left.right.len() > 1;
    for digit in 0..digits {
        let mut reaches = Vec::new();
        for mode in 0..left.right.len() {
            let Ok(parts) = split(&left.flat, left.right.shape(mode), left.right.stride(mode))
            else {
                return false;
            };
            for i in 0..parts.len() {
                let part = parts.part(i);
                let reach = (part.shape - 1).saturating_mul(part.step);
                if part.left == digit && reach != 0 {
                    reaches.push(reach);
                }
            }
        }
        if several && reaches.len() > 1 {
            let sum: i64 = reaches
                .iter()
                .fold(0, |sum, reach| sum.saturating_add(*reach));
            let terms: Vec<String> = reaches.iter().map(i64::to_string).collect();
            let extent = left.flat.shape(digit);
            let fits = if sum.abs() < extent {
                "below"
            } else {
                "not below"
            };
            derivation.say(format!(
                "together in mode {digit} of the left side: {} = {sum}, {fits} its {extent}",
                terms.join(" + ")
            ));
        }
    }
    let sides = layout(&left.flat, &left.bases).zip(layout(&left.right, &[]));
    match sides.map(|(a, b)| composition(&a, b)) {
        Some(Err(error)) => {
            derivation.say(format!("refused: {}", error.rule()));
            false
        }
        _ => true,
    }
}
