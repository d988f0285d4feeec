//! Products, told: the places for copies of the block, and which of them the tiler takes.
//!
//! ```text
//! logical_product((2,2):(4,1), 6:1)
//!   room for 6 copies in 24 = 4 * 6:
//!     2:1 leaves no hole below it, ..
//!     = (2,3):(2,8)
//!   (2,3):(2,8) o 6:1 = (2,3):(2,8)
//! ```

use layout_types::dynamic::{DynLayout, Nested, Stride, Tiler};

use super::divide::gather;
use super::told::{Told, of_modes};
use super::{complement, composition};

/// A product in one of its six forms.
pub(super) fn tell(operation: &str, block: &DynLayout, tiler: &Tiler) -> Told {
    let mut told = Told::new();
    match (operation, tiler) {
        ("blocked_product" | "raked_product", tiler) => {
            let Tiler::Layout(tiler) = tiler else {
                return told;
            };
            ranked(block, tiler, operation == "raked_product")
        }
        ("logical_product", _) => by_tiler(block, tiler),
        _ => {
            let logical = by_tiler(block, tiler);
            let result = logical.result().cloned();
            told.nest(logical);
            let Some(logical) = result else {
                return told;
            };
            told.say(format!("logical_product = {logical}"));
            gather(
                told,
                operation.trim_end_matches("_product"),
                &logical,
                tiler,
            )
        }
    }
}

fn by_tiler(block: &DynLayout, tiler: &Tiler) -> Told {
    let mut told = Told::new();
    match tiler {
        Tiler::Underscore => {
            told.say("`_` leaves the mode as it is");
            told.silently(block.clone())
        }
        Tiler::Int(copies) => {
            let step = Stride::from(i64::from(*copies > 1));
            match of_modes(vec![(*copies, step)]) {
                Some(tiler) => by_layout(block, &tiler),
                None => told,
            }
        }
        Tiler::Layout(tiler) => by_layout(block, tiler),
        Tiler::Tuple(parts) => {
            let mut modes = block.modes();
            for (i, part) in parts.iter().enumerate() {
                let Some(mode) = modes.get_mut(i) else {
                    told.say(format!("there is no mode {i} to repeat over {part}"));
                    return told;
                };
                told.say(format!("mode {i}: {mode} x {part}"));
                let inner = by_tiler(mode, part);
                let result = inner.result().cloned();
                told.nest(inner);
                match result {
                    Some(result) => *mode = result,
                    None => return told,
                }
            }
            match DynLayout::from_modes(modes) {
                Ok(result) => told.silently(result),
                Err(_) => told,
            }
        }
    }
}

fn by_layout(block: &DynLayout, tiler: &DynLayout) -> Told {
    let mut told = Told::new();
    let (Ok(size), Ok(copies)) = (block.size(), tiler.cosize()) else {
        return told;
    };
    let Some(target) = size.checked_mul(copies) else {
        return told;
    };
    told.say(format!(
        "room for {copies} copies of {size} elements, {target}; the holes of {block}:"
    ));
    let holes = complement::of(block, &Nested::Leaf(target), false);
    let places = holes.result().cloned();
    told.nest(holes);
    let Some(places) = places else {
        return told;
    };
    told.say(format!("  = {places}"));
    told.say(format!("{places} o {tiler}:"));
    let inner = composition::tell(&places, tiler);
    let copies = inner.result().cloned();
    told.nest(inner);
    let Some(copies) = copies else {
        return told;
    };
    told.say(format!("  = {copies}"));
    match DynLayout::from_modes(vec![block.clone(), copies]) {
        Ok(result) => told.silently(result),
        Err(_) => told,
    }
}

/// A layout padded with modes of one element to a rank.
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

fn ranked(block: &DynLayout, tiler: &DynLayout, raked: bool) -> Told {
    let mut told = Told::new();
    let rank = block.rank().max(tiler.rank());
    let (Some(block), Some(tiler)) = (padded(block, rank), padded(tiler, rank)) else {
        return told;
    };
    let product = by_layout(&block, &tiler);
    let result = product.result().cloned();
    told.nest(product);
    let Some(product) = result else {
        return told;
    };
    told.say(format!("logical_product = {product}"));
    told.say(if raked {
        "mode by mode the places first, then the block"
    } else {
        "mode by mode the block first, then the places"
    });
    let (Some(block), Some(places)) = (product.mode(0), product.mode(1)) else {
        return told;
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
        Ok(result) => told.silently(result),
        Err(_) => told,
    }
}
