//! Explains a complement: the modes by stride, and the hole below each mode.
//!
//! ```text
//! complement((2,2):(1,6), 24)
//!   2:1 covers 2                      nothing below it is free
//!   2:6, 2 covered: 3 holes of 2      3:2
//!   then 12 are covered: 2 times to 24     2:12
//! ```

use layout_types::dynamic::rules::{ceil_div, complement as rule};
use layout_types::dynamic::{DynLayout, IntTuple, Nested, Stride, coalesce, filter};

use super::derivation::{Derivation, count, flat, of_modes};
use crate::value::Value;

/// Explains `complement(layout, target)`; without a target, the target is the layout's own cosize.
pub(super) fn tell(layout: &DynLayout, target: Option<&Value>) -> Derivation {
    let target = match target {
        Some(value) => match value {
            Value::Layout(_) => value.layout().map(|layout| layout.shape().clone()),
            other => other.int_tuple(),
        },
        None => filter(layout)
            .ok()
            .and_then(|layout| layout.cosize().ok())
            .map(Nested::Leaf),
    };
    match target {
        Some(target) => of(layout, &target, true),
        None => Derivation::new(),
    }
}

/// Explains the holes of a layout in a target; with `strict`, the holes must fill the target.
pub(super) fn of(layout: &DynLayout, target: &IntTuple, strict: bool) -> Derivation {
    let mut derivation = Derivation::new();
    // The operation refuses such a target; its error is printed next to the steps.
    if target.leaves().into_iter().any(|extent| *extent < 1) {
        return derivation;
    }
    let Some((flat, _)) = filter(layout)
        .ok()
        .filter(|l| !l.has_basis())
        .and_then(|l| flat(&l))
    else {
        return derivation;
    };
    let flat = flat.filter();
    let order = flat.sorted();
    let (mut covered, mut modes) = (1i64, Vec::new());
    for mode in order.iter().take(flat.len()) {
        let (extent, stride) = (flat.shape(*mode), flat.stride(*mode));
        if stride == 0 {
            continue;
        }
        if stride < covered {
            derivation.say(format!(
                "{extent}:{stride} begins below the {covered} that are covered"
            ));
            return derivation;
        }
        let holes = stride / covered;
        let Some(end) = stride.checked_mul(extent) else {
            return derivation;
        };
        if holes > 1 {
            derivation.say(format!(
                "below {extent}:{stride} only {covered} of {stride} are covered: {}, {holes}:{covered}",
                count(holes - 1, "hole")
            ));
        } else {
            derivation.say(format!("{extent}:{stride} leaves no hole below it"));
        }
        modes.push((holes, Stride::from(covered)));
        covered = end;
        derivation.say(format!("  up to {covered} all is accounted for"));
    }
    let (mut rest, mut divisor) = (1i64, covered);
    for extent in target.leaves() {
        match rest.checked_mul(ceil_div(*extent, divisor)) {
            Some(more) => rest = more,
            None => return derivation,
        }
        divisor = ceil_div(divisor, *extent);
    }
    derivation.say(format!(
        "to fill {target}: {rest} times {covered}, {rest}:{covered}"
    ));
    modes.push((rest, Stride::from(covered)));
    let wanted: Vec<i64> = target.leaves().into_iter().copied().collect();
    if strict && let Err(broken) = rule(&flat, &wanted) {
        derivation.say(format!("refused: {broken}"));
        return derivation;
    }
    match of_modes(modes).and_then(|all| coalesce(&all).ok()) {
        Some(result) => derivation.silently(result),
        None => derivation,
    }
}
