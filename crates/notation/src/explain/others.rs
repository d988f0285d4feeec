//! Explains operations with few steps: coalesce, `with_shape`, tiled MMAs and copies, bank
//! conflicts.

use layout_types::dynamic::{DynLayout, Nested, coalesce, make_layout_left};

use super::composition;
use super::derivation::{Derivation, flat, stride_of};
use crate::evaluate::Application;
use crate::tiled::{TiledCopy, TiledMma};
use crate::value::Value;

/// Explains `with_shape(a, shape)`: composition with the column-major layout of the shape.
pub(super) fn with_shape(a: &DynLayout, shape: &Value) -> Derivation {
    let mut derivation = Derivation::new();
    let Some(left) = shape
        .int_tuple()
        .and_then(|shape| make_layout_left(&shape).ok())
    else {
        return derivation;
    };
    derivation.say(format!("{a} o {left}:"));
    let inner = composition::tell(a, &left);
    let result = inner.result().cloned();
    derivation.nest(inner);
    match result {
        Some(result) => derivation.silently(result),
        None => derivation,
    }
}

/// Explains any other operation.
pub(super) fn tell(application: &Application) -> Derivation {
    let layout = || application.operands.first().and_then(super::domain);
    match (application.operation.as_str(), &application.outcome) {
        ("coalesce", _) if application.operands.len() == 1 => match layout() {
            Some((layout, false)) => coalesced(&layout),
            _ => Derivation::new(),
        },
        ("tile_to_shape", Ok(_)) => match (layout(), application.operands.get(1)) {
            (Some((block, _)), Some(shape)) => fill(&block, shape),
            _ => Derivation::new(),
        },
        (_, Ok(Value::TiledMma(mma))) => tiled_mma(mma),
        (_, Ok(Value::TiledCopy(copy))) => tiled_copy(copy),
        _ => Derivation::new(),
    }
}

/// Explains `coalesce`: for each mode, whether it continues where the mode before it ends.
fn coalesced(layout: &DynLayout) -> Derivation {
    let mut derivation = Derivation::new();
    let Some((modes, bases)) = flat(layout) else {
        return derivation;
    };
    let mut run: Option<(i64, i64, u8)> = None;
    for i in 0..modes.len() {
        let (extent, stride) = (modes.shape(i), modes.stride(i));
        let shown = format!("{extent}:{}", stride_of(&modes, &bases, i));
        run = match run {
            _ if extent == 1 => {
                derivation.say(format!("{shown} is one element: it is left out"));
                run
            }
            Some((length, step, basis))
                if basis == modes.basis(i) && length.checked_mul(step) == Some(stride) =>
            {
                derivation.say(format!("{shown} goes on where {length}:{step} ends"));
                length
                    .checked_mul(extent)
                    .map(|length| (length, step, basis))
            }
            Some((length, step, _)) => {
                derivation.say(format!(
                    "{shown} does not go on at {}, where {length}:{step} ends",
                    i128::from(length) * i128::from(step)
                ));
                Some((extent, stride, modes.basis(i)))
            }
            None => {
                derivation.say(format!("{shown} begins"));
                Some((extent, stride, modes.basis(i)))
            }
        };
    }
    match coalesce(layout) {
        Ok(result) => derivation.silently(result),
        Err(_) => derivation,
    }
}

fn fill(block: &DynLayout, shape: &Value) -> Derivation {
    let mut derivation = Derivation::new();
    let Some(Nested::Tuple(wanted)) = shape.int_tuple() else {
        return derivation;
    };
    for (i, wanted) in wanted.iter().enumerate() {
        let have = block.mode(i).map_or(Some(1), |mode| mode.size().ok());
        if let (Ok(wanted), Some(have)) = (wanted.product(), have) {
            derivation.say(format!(
                "mode {i}: {wanted} is {} blocks of {have}",
                wanted / have
            ));
        }
    }
    derivation.say("a blocked product of the block with the column-major layout of these counts");
    derivation
}

fn tiled_mma(mma: &TiledMma) -> Derivation {
    let mut derivation = Derivation::new();
    let ([m, n, k], [tile_m, tile_n, tile_k]) = (mma.atom().shape(), mma.tile());
    derivation.say(format!(
        "one atom is {m} x {n} x {k}, done by {} threads",
        threads_of(mma)
    ));
    derivation.say(format!("(v,m,n,k) to thread: {}", mma.thr_layout_vmnk()));
    derivation.say(format!(
        "{} threads, a tile of {tile_m} x {tile_n} x {tile_k}",
        mma.threads()
    ));
    for operand in crate::atoms::Operand::ALL {
        if let Ok(tv) = mma.operand(operand) {
            derivation.say(format!(
                "{operand}: {} values a thread in {}, (thread, value) to cell: {tv}",
                tv.values(),
                tv.tile()
            ));
        }
    }
    derivation
}

fn threads_of(mma: &TiledMma) -> i64 {
    mma.atom().thr_id().size().unwrap_or(1)
}

fn tiled_copy(copy: &TiledCopy) -> Derivation {
    let mut derivation = Derivation::new();
    let fragment = copy.fragment();
    derivation.say(format!(
        "{} threads of {} values, a tile of {}",
        copy.threads(),
        fragment.values(),
        copy.tile()
    ));
    derivation.say(format!("registers, (thread, value) to cell: {fragment}"));
    for (what, side) in [
        ("reads", crate::Side::Source),
        ("writes", crate::Side::Destination),
    ] {
        if let Ok(tv) = copy.side(side) {
            derivation.say(format!("{what}, (thread, value) to cell: {tv}"));
        }
    }
    derivation
}
