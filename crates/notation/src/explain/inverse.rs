//! Explains the inverses: the modes by stride, and the index at which each mode takes its first
//! step.
//!
//! ```text
//! right_inverse((4,8):(8,1))
//!   8:1 begins at offset 1, its steps are 4 indices apart: 8:4
//!   4:8 begins at offset 8, its steps are 1 index apart: 4:1
//! ```

use layout_types::dynamic::rules::{Flat, left_inverse};
use layout_types::dynamic::{DynLayout, Stride, coalesce};

use super::derivation::{Derivation, count, flat, of_modes};

/// Coalesces the layout. Also returns the index at which each mode takes its first step.
fn prepared(layout: &DynLayout, derivation: &mut Derivation) -> Option<(Flat, Vec<i64>)> {
    let coalesced = coalesce(layout).ok()?;
    if coalesced != *layout {
        derivation.say(format!("coalesced: {coalesced}"));
    }
    let (flat, _) = flat(&coalesced).filter(|_| !coalesced.has_basis())?;
    let mut first = vec![1i64];
    for i in 1..flat.len() {
        first.push(first[i - 1].checked_mul(flat.shape(i - 1))?);
    }
    Some((flat, first))
}

fn come_to(derivation: Derivation, modes: Vec<(i64, Stride)>) -> Derivation {
    let modes = if modes.is_empty() {
        vec![(1, Stride::from(0))]
    } else {
        modes
    };
    match of_modes(modes).and_then(|all| coalesce(&all).ok()) {
        Some(result) => derivation.silently(result),
        None => derivation,
    }
}

/// Explains `right_inverse(layout)`.
pub(super) fn right(layout: &DynLayout) -> Derivation {
    let mut derivation = Derivation::new();
    let Some((flat, first)) = prepared(layout, &mut derivation) else {
        return derivation;
    };
    let (mut next, mut modes) = (1i64, Vec::new());
    for mode in flat.sorted().iter().take(flat.len()) {
        let (extent, stride, step) = (flat.shape(*mode), flat.stride(*mode), first[*mode]);
        if stride != next {
            derivation.say(format!(
                "{extent}:{stride} does not go on at offset {next}: it is left out"
            ));
            continue;
        }
        derivation.say(format!(
            "{extent}:{stride} goes on at offset {next}, {step} apart in the index: {extent}:{step}"
        ));
        modes.push((extent, Stride::from(step)));
        match next.checked_mul(extent) {
            Some(end) => next = end,
            None => return derivation,
        }
    }
    derivation.say(format!("offsets 0 to {} are reached, each once", next - 1));
    come_to(derivation, modes)
}

/// Explains `left_inverse(layout)`.
pub(super) fn left(layout: &DynLayout) -> Derivation {
    let mut derivation = Derivation::new();
    let Some((flat, first)) = prepared(layout, &mut derivation) else {
        return derivation;
    };
    let (mut before, mut modes): (Option<usize>, Vec<(i64, Stride)>) = (None, Vec::new());
    for mode in flat.sorted().iter().take(flat.len()) {
        let (extent, stride) = (flat.shape(*mode), flat.stride(*mode));
        if stride == 0 {
            derivation.say(format!("{extent}:0 moves no offset: it is left out"));
            continue;
        }
        let covered = before.map_or(1, |i| flat.stride(i));
        if stride < 0 || stride % covered != 0 {
            derivation.say(format!(
                "{extent}:{stride}: its stride is no multiple of {covered}"
            ));
            return derivation;
        }
        let (ratio, step) = (stride / covered, before.map_or(0, |i| first[i]));
        match before {
            Some(_) => derivation.say(format!(
                "up to offset {stride} go {} of {covered}, {step} apart in the index: {ratio}:{step}",
                count(ratio, "step")
            )),
            None if ratio > 1 => {
                derivation.say(format!("no offset from 1 to {} is reached: {ratio}:0", stride - 1));
            }
            None => {}
        }
        modes.push((ratio, Stride::from(step)));
        before = Some(*mode);
    }
    if before.is_none() {
        // Every offset is 0. As in CuTe, the result has the same shape with stride 0.
        let extent = flat.shape(flat.sorted()[flat.len() - 1]);
        modes.push((extent, Stride::from(0)));
    }
    if let Some(last) = before {
        let (extent, step) = (flat.shape(last), first[last]);
        derivation.say(format!(
            "the last mode {extent}:{} is {step} apart in the index: {extent}:{step}",
            flat.stride(last)
        ));
        modes.push((extent, Stride::from(step)));
    }
    if let Err(broken) = left_inverse(&flat) {
        derivation.say(format!("refused: {broken}"));
        return derivation;
    }
    come_to(derivation, modes)
}
