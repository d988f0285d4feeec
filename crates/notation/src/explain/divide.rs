//! Explains a divide: the tile, the layout that places the tile's copies, the composition with
//! these two, and how the modes are gathered.
//!
//! ```text
//! zipped_divide((8,6):(1,8), (4,3))
//!   mode 0: 8:1 / 4
//!     the tile 4:1, its copies in 8: 2:4
//!     8:1 o (4,2):(1,4) = (4,2):(1,4)
//!   ..
//!   logical_divide = ((4,2),(3,2)):((1,4),(8,24))
//!   the tiles (4,3):(1,8), from tile to tile (2,2):(4,24)
//! ```

use layout_types::dynamic::{DynLayout, IntTuple, Nested, Stride, Tiler, coalesce};

use super::complement;
use super::composition;
use super::derivation::{Derivation, of_modes};

/// Explains a divide in one of its four forms, exact or not.
pub(super) fn tell(operation: &str, a: &DynLayout, tiler: &Tiler) -> Derivation {
    let exact = operation.starts_with("exact_");
    let form = operation.trim_start_matches("exact_");
    let mut derivation = Derivation::new();
    let logical = by_tiler(a, tiler, exact);
    let result = logical.result().cloned();
    if form == "logical_divide" {
        return logical;
    }
    derivation.nest(logical);
    let Some(logical) = result else {
        return derivation;
    };
    derivation.say(format!("logical_divide = {logical}"));
    gather(
        derivation,
        form.trim_end_matches("_divide"),
        &logical,
        tiler,
    )
}

fn by_tiler(a: &DynLayout, tiler: &Tiler, exact: bool) -> Derivation {
    let mut derivation = Derivation::new();
    match tiler {
        Tiler::Underscore => {
            derivation.say("`_` leaves the mode as it is");
            derivation.silently(a.clone())
        }
        Tiler::Int(elements) => {
            let step = Stride::from(i64::from(*elements > 1));
            match of_modes(vec![(*elements, step)]) {
                Some(b) => by_layout(a, &b, exact),
                None => derivation,
            }
        }
        Tiler::Layout(b) => by_layout(a, b, exact),
        Tiler::Tuple(parts) => {
            let mut modes = a.modes();
            for (i, part) in parts.iter().enumerate() {
                let Some(mode) = modes.get_mut(i) else {
                    derivation.say(format!("there is no mode {i} to divide by {part}"));
                    return derivation;
                };
                derivation.say(format!("mode {i}: {mode} / {part}"));
                let inner = by_tiler(mode, part, exact);
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

fn by_layout(a: &DynLayout, b: &DynLayout, exact: bool) -> Derivation {
    let mut derivation = Derivation::new();
    let Some(extents) = coalesce(a).ok().map(|a| a.shape().flatten()) else {
        return derivation;
    };
    derivation.say(format!("the tile {b}; where its copies go in {extents}:"));
    let holes = complement::of(b, &extents, false);
    let rest = holes.result().cloned();
    derivation.nest(holes);
    let Some(rest) = rest else {
        return derivation;
    };
    derivation.say(format!("  = {rest}"));
    let sizes = (a.size().ok(), b.size().ok(), rest.size().ok());
    if let (Some(size), Some(tile), Some(copies)) = sizes {
        match tile.checked_mul(copies) {
            Some(tiled) if tiled > size => {
                derivation.say(format!(
                    "{copies} tiles of {tile} hold {tiled}, the layout {size}: the last stick out"
                ));
            }
            Some(tiled) if tiled < size => {
                derivation.say(format!("{copies} tiles of {tile} hold {tiled} of {size}"));
                if exact {
                    return derivation;
                }
            }
            _ => {}
        }
        if exact && tile.checked_mul(copies) != Some(size) {
            derivation.say("refused: an exact divide leaves nothing over");
            return derivation;
        }
    }
    let Ok(both) = DynLayout::from_modes(vec![b.clone(), rest]) else {
        return derivation;
    };
    derivation.say(format!("{a} o {both}:"));
    let strict = composition::tell(a, &both);
    let inner = match (strict.result().is_some(), exact) {
        (true, _) | (_, true) => strict,
        // If tiles stick out, the composition with the tile alone must be admissible.
        _ => {
            let tile = composition::tell(a, b);
            if tile.result().is_some() {
                composition::as_cute(a, &both)
            } else {
                tile
            }
        }
    };
    let result = inner.result().cloned();
    derivation.nest(inner);
    match result {
        Some(result) => derivation.come_to(result),
        None => derivation,
    }
}

/// Splits each pair that a tiler made into its first and second element. The second result also has
/// the modes that the tiler does not name.
fn unzip<T: Clone>(of: &Nested<T>, tiler: &Tiler) -> Option<(Nested<T>, Nested<T>)> {
    match (tiler, of) {
        (Tiler::Tuple(parts), _) => {
            let modes = of.modes();
            let (mut tiles, mut rests) = (Vec::new(), Vec::new());
            for (mode, part) in modes.iter().zip(parts) {
                let (tile, rest) = unzip(mode, part)?;
                tiles.push(tile);
                rests.push(rest);
            }
            rests.extend_from_slice(modes.get(parts.len()..)?);
            Some((Nested::Tuple(tiles), Nested::Tuple(rests)))
        }
        (_, Nested::Tuple(pair)) => match &pair[..] {
            [tile, rest] => Some((tile.clone(), rest.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Gathers the modes of a logical divide or product as `zipped`, `tiled` or `flat` does.
pub(super) fn gather(
    mut derivation: Derivation,
    form: &str,
    logical: &DynLayout,
    tiler: &Tiler,
) -> Derivation {
    let shapes: Option<(IntTuple, IntTuple)> = unzip(logical.shape(), tiler);
    let strides = unzip(logical.stride(), tiler);
    let (Some((tile, rest)), Some((tile_stride, rest_stride))) = (shapes, strides) else {
        derivation.say("refused: a mode is no pair of tile and rest");
        return derivation;
    };
    let (Ok(tile), Ok(rest)) = (
        DynLayout::new(tile, tile_stride),
        DynLayout::new(rest, rest_stride),
    ) else {
        return derivation;
    };
    derivation.say(format!("the first of each pair {tile}, the second {rest}"));
    // A mode of rank 1 stays as it is, whether it is a 1-tuple or not.
    let spread = |layout: &DynLayout| match layout.rank() {
        1 => vec![layout.clone()],
        _ => layout.modes(),
    };
    let modes = match form {
        "zipped" => vec![tile, rest],
        "tiled" => [vec![tile], spread(&rest)].concat(),
        _ => [spread(&tile), spread(&rest)].concat(),
    };
    match DynLayout::from_modes(modes) {
        Ok(result) => derivation.silently(result),
        Err(_) => derivation,
    }
}
