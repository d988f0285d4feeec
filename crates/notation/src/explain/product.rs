//! Explains a product: the places for copies of the block, and which of these places the tiler
//! selects.
//!
//! ```text
//! logical_product((2,2):(4,1), 6:1)
//!   room for 6 copies in 24 = 4 * 6:
//!     2:1 leaves no hole below it, ..
//!     = (2,3):(2,8)
//!   (2,3):(2,8) o 6:1 = (2,3):(2,8)
//! ```

use layout_types::dynamic::{DynLayout, Nested, Stride, Tiler};

use super::derivation::{Derivation, of_modes};
use super::divide::gather;
use super::{complement, composition};

/// Explains a product in one of its six forms.
pub(super) fn tell(operation: &str, block: &DynLayout, tiler: &Tiler) -> Derivation {
    let mut derivation = Derivation::new();
    match (operation, tiler) {
        ("blocked_product" | "raked_product", tiler) => {
            let Tiler::Layout(tiler) = tiler else {
                return derivation;
            };
            ranked(block, tiler, operation == "raked_product")
        }
        ("logical_product", _) => by_tiler(block, tiler),
        _ => {
            let logical = by_tiler(block, tiler);
            let result = logical.result().cloned();
            derivation.nest(logical);
            let Some(logical) = result else {
                return derivation;
            };
            derivation.say(format!("logical_product = {logical}"));
            gather(
                derivation,
                operation.trim_end_matches("_product"),
                &logical,
                tiler,
            )
        }
    }
}

fn by_tiler(block: &DynLayout, tiler: &Tiler) -> Derivation {
    let mut derivation = Derivation::new();
    match tiler {
        Tiler::Underscore => {
            derivation.say("`_` leaves the mode as it is");
            derivation.silently(block.clone())
        }
        Tiler::Int(copies) => {
            let step = Stride::from(i64::from(*copies > 1));
            match of_modes(vec![(*copies, step)]) {
                Some(tiler) => by_layout(block, &tiler),
                None => derivation,
            }
        }
        Tiler::Layout(tiler) => by_layout(block, tiler),
        Tiler::Tuple(parts) => {
            let mut modes = block.modes();
            for (i, part) in parts.iter().enumerate() {
                let Some(mode) = modes.get_mut(i) else {
                    derivation.say(format!("there is no mode {i} to repeat over {part}"));
                    return derivation;
                };
                derivation.say(format!("mode {i}: {mode} x {part}"));
                let inner = by_tiler(mode, part);
                let result = inner.result().cloned();
                derivation.nest(inner);
                match result {
                    Some(result) => *mode = result,
                    None => return derivation,
                }
            }
            match DynLayout::from_modes(modes) {
                Ok(result) => derivation.silently(result),
                Err(_) => derivation,
            }
        }
    }
}

fn by_layout(block: &DynLayout, tiler: &DynLayout) -> Derivation {
    let mut derivation = Derivation::new();
    let (Ok(size), Ok(copies)) = (block.size(), tiler.cosize()) else {
        return derivation;
    };
    let Some(target) = size.checked_mul(copies) else {
        return derivation;
    };
    derivation.say(format!(
        "room for {copies} copies of {size} elements, {target}; the holes of {block}:"
    ));
    let holes = complement::of(block, &Nested::Leaf(target), false);
    let places = holes.result().cloned();
    derivation.nest(holes);
    let Some(places) = places else {
        return derivation;
    };
    derivation.say(format!("  = {places}"));
    derivation.say(format!("{places} o {tiler}:"));
    let inner = composition::tell(&places, tiler);
    let copies = inner.result().cloned();
    derivation.nest(inner);
    let Some(copies) = copies else {
        return derivation;
    };
    derivation.say(format!("  = {copies}"));
    match DynLayout::from_modes(vec![block.clone(), copies]) {
        Ok(result) => derivation.silently(result),
        Err(_) => derivation,
    }
}

/// Pads a layout to a rank with modes of one element.
fn padded(layout: &DynLayout, rank: usize) -> Option<DynLayout> {
    let mut modes = layout.modes();
    if matches!(layout.shape(), Nested::Leaf(_)) && rank == 1 {
        return DynLayout::from_modes(modes).ok();
    }
    while modes.len() < rank {
        modes.push(of_modes(vec![(1, Stride::from(0))])?);
    }
    DynLayout::from_modes(modes).ok()
}

fn ranked(block: &DynLayout, tiler: &DynLayout, raked: bool) -> Derivation {
    let mut derivation = Derivation::new();
    let rank = block.rank().max(tiler.rank());
    let (Some(block), Some(tiler)) = (padded(block, rank), padded(tiler, rank)) else {
        return derivation;
    };
    let product = by_layout(&block, &tiler);
    let result = product.result().cloned();
    derivation.nest(product);
    let Some(product) = result else {
        return derivation;
    };
    derivation.say(format!("logical_product = {product}"));
    derivation.say(if raked {
        "mode by mode the places first, then the block"
    } else {
        "mode by mode the block first, then the places"
    });
    let (Some(block), Some(places)) = (product.mode(0), product.mode(1)) else {
        return derivation;
    };
    let pairs: Result<Vec<DynLayout>, _> = block
        .modes()
        .into_iter()
        .zip(places.modes())
        .map(|(block, place)| {
            DynLayout::from_modes(if raked {
                vec![place, block]
            } else {
                vec![block, place]
            })
        })
        .collect();
    match pairs.and_then(DynLayout::from_modes) {
        Ok(result) => derivation.silently(result),
        Err(_) => derivation,
    }
}
