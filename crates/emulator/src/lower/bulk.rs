//! Bulk copies, also of tensors: `cp.async.bulk`, `cp.reduce.async.bulk`, their groups and
//! prefetches.
//!
//! ```text
//! cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], size, [mbar]
//! cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [src]
//! ```
//! Not emulated: `im2col::w`, byte masks (`.cp_mask`, `.ignore_oob`).
//! Source: PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk", "cp.async.bulk.tensor",
//! "cp.async.bulk.prefetch".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use crate::error::{PtxError, PtxErrorKind};
use crate::ir::{
    Address, Bulk, BulkKind, BulkReduction, CommitBulk, NONE, NoEffect, TensorMode, WaitBulk,
    Window,
};
use crate::reader::syntax::Operand;
use crate::types::Type;

/// The source or destination space of a copy.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    Cta,
    Cluster,
    Global,
}

const SPACES: [(&str, Space); 3] = [
    ("shared::cta", Space::Cta),
    ("shared::cluster", Space::Cluster),
    ("global", Space::Global),
];

const DIMENSIONS: [(&str, u8); 5] = [("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)];

const REDUCTIONS: [(&str, &str); 8] = [
    ("add", "add"),
    ("min", "min"),
    ("max", "max"),
    ("inc", "inc"),
    ("dec", "dec"),
    ("and", "and"),
    ("or", "or"),
    ("xor", "xor"),
];

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let reduces = l.lead("reduce");
    if !l.lead("async") || !l.lead("bulk") {
        return Err(l.unknown());
    }
    if !reduces {
        if l.lead("commit_group") {
            l.end()?;
            l.count(0..=0)?;
            l.emit(CommitBulk, Flow::Next);
            return Ok(());
        }
        if l.lead("wait_group") {
            return wait(l);
        }
    }
    let prefetch = !reduces && l.lead("prefetch");
    let dimensions = match l.lead("tensor") {
        true => l.need_lead(&DIMENSIONS, "a number of dimensions")?,
        false => 0,
    };
    if prefetch {
        return self::prefetch(l, dimensions);
    }
    let copy = modifiers(l, reduces, dimensions)?;
    l.end()?;
    operands(l, copy)
}

/// The modifiers of a copy.
struct Copied {
    what: BulkKind,
    to: Space,
    dimensions: u8,
    mode: Mode,
    multicast: bool,
    pair: bool,
    /// Whether the last operand is a cache policy.
    hint: bool,
    reduction: Option<BulkReduction>,
}

/// The load mode of a tensor copy.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Tile,
    FourRows,
    Im2col,
    /// Im2col without offsets, for stores and reductions.
    Im2colPlain,
}

/// Takes the load mode of a tensor copy, which is a load if `loads`.
fn mode(l: &mut Lowering, dimensions: u8, loads: bool) -> Result<Mode, PtxError> {
    if dimensions == 0 || l.take("tile") {
        return Ok(Mode::Tile);
    }
    let modes = match loads {
        true => [("tile::gather4", Mode::FourRows), ("im2col", Mode::Im2col)],
        false => [
            ("tile::scatter4", Mode::FourRows),
            ("im2col_no_offs", Mode::Im2colPlain),
        ],
    };
    let mode = l.one_of(&modes).unwrap_or(Mode::Tile);
    if loads && (l.take("im2col::w") || l.take("im2col::w::128")) {
        let name = l.name();
        return Err(l.error(PtxErrorKind::Unsupported(format!(
            "unknown instruction `{name}`: im2col::w is not emulated"
        ))));
    }
    match mode {
        Mode::FourRows if dimensions != 2 => Err(l.unknown()),
        Mode::Im2col | Mode::Im2colPlain if dimensions < 3 => Err(l.unknown()),
        mode => Ok(mode),
    }
}

/// Takes the offsets of an im2col copy, operand `i`.
fn offsets(l: &mut Lowering, i: usize, dimensions: u8) -> Result<[u32; 3], PtxError> {
    let mut rows = [NONE; 3];
    let Operand::Vector(list) = l.operand(i)? else {
        return Err(l.bad_operand(i, "a vector of offsets expected"));
    };
    let (found, wanted) = (list.len(), usize::from(dimensions) - 2);
    if found != wanted {
        return Err(l.bad_operand(i, format!("{wanted} offsets expected, {found} found")));
    }
    for (row, element) in rows.iter_mut().zip(list) {
        let slot = l.source_of(i, element, Type::B16)?;
        l.uses.push(slot);
        *row = slot.0;
    }
    Ok(rows)
}

fn modifiers(l: &mut Lowering, reduces: bool, dimensions: u8) -> Result<Copied, PtxError> {
    let (to, from) = (
        l.need(&SPACES, "the state space of the destination")?,
        l.need(&SPACES, "the state space of the source")?,
    );
    let what = match (to, from) {
        (Space::Cta | Space::Cluster, Space::Global) if !reduces => BulkKind::Load,
        (Space::Global, Space::Cta) => BulkKind::Store,
        (Space::Cluster, Space::Cta) if dimensions == 0 => BulkKind::Copy,
        _ => return Err(l.unknown()),
    };
    let completion = match what {
        BulkKind::Store => "bulk_group",
        _ => "mbarrier::complete_tx::bytes",
    };
    l.need(&[(completion, ())], "the mechanism of completion")?;
    let multicast = what == BulkKind::Load && to == Space::Cluster && l.take("multicast::cluster");
    let groups = [("cta_group::1", false), ("cta_group::2", true)];
    let loads_tensor = what == BulkKind::Load && dimensions > 0;
    let pair = loads_tensor && l.one_of(&groups).unwrap_or(false);
    let hint = what != BulkKind::Copy && l.take("L2::cache_hint");
    let mode = mode(l, dimensions, what == BulkKind::Load)?;
    let reduction = match reduces {
        false => None,
        true => Some(reduction(l, dimensions, what)?),
    };
    Ok(Copied {
        what,
        to,
        dimensions,
        mode,
        multicast,
        pair,
        hint,
        reduction,
    })
}

fn operands(l: &mut Lowering, copy: Copied) -> Lowered {
    let Copied {
        what, dimensions, ..
    } = copy;
    let (mut next, tensor) = (0, dimensions > 0);
    let mut operand = || {
        next += 1;
        next - 1
    };
    let (first, second) = (operand(), operand());
    let size = match tensor {
        true => NONE,
        false => {
            let slot = l.source(operand(), Type::U32)?;
            l.uses.push(slot);
            slot.0
        }
    };
    let in_shared = match copy.to {
        Space::Cluster => Window::Cluster,
        _ => Window::Shared,
    };
    let (shared, other) = match what {
        BulkKind::Load => (first, second),
        _ => (second, first),
    };
    let shared = l.address(
        shared,
        if what == BulkKind::Load {
            in_shared
        } else {
            Window::Shared
        },
    )?;
    let mut coordinates = [NONE; 5];
    let other = match (tensor, what) {
        (true, _) => map(l, other, (dimensions, copy.mode), &mut coordinates)?,
        (false, BulkKind::Copy) => l.address(other, Window::Cluster)?,
        (false, _) => l.address_of_any_width(other, Window::Global)?,
    };
    let barrier = match what {
        BulkKind::Store => None,
        _ => Some(l.address(operand(), in_shared)?),
    };
    let mode = match copy.mode {
        Mode::Tile => TensorMode::Tile,
        Mode::FourRows => TensorMode::FourRows,
        Mode::Im2col => TensorMode::Im2col(offsets(l, operand(), dimensions)?),
        Mode::Im2colPlain => TensorMode::Im2col([NONE; 3]),
    };
    let blocks = match copy.multicast {
        true => {
            let slot = l.source(operand(), Type::U16)?;
            l.uses.push(slot);
            slot.0
        }
        false => NONE,
    };
    if copy.hint {
        let policy = l.source(operand(), Type::B64)?;
        l.uses.push(policy);
    }
    let count = operand();
    l.count(count..=count)?;
    if what != BulkKind::Copy {
        l.note_access(Window::Global, (16, 1), false);
    }
    if copy.reduction.is_some() && what == BulkKind::Store {
        l.body.function.communicates = true;
    }
    let bulk = Bulk {
        what,
        shared,
        other,
        size,
        coordinates,
        dimensions,
        mode,
        barrier,
        blocks,
        pair: copy.pair,
        reduction: copy.reduction,
    };
    // An mbarrier object has 8 bytes.
    l.body.function.granule = l.body.function.granule.min(8);
    l.emit(bulk, Flow::Next);
    Ok(())
}

/// Takes the operation and type of a reduction.
fn reduction(l: &mut Lowering, dimensions: u8, what: BulkKind) -> Result<BulkReduction, PtxError> {
    let name = l.need(&REDUCTIONS, "an operation")?;
    if dimensions > 0 {
        return Ok(BulkReduction { name, ty: None });
    }
    let noftz = l.take("noftz");
    let ty = l.ty()?;
    let half = matches!(ty, Type::F16 | Type::Bf16);
    if noftz != (half && name == "add")
        || what == BulkKind::Copy && (half || matches!(ty, Type::F32 | Type::F64))
    {
        return Err(l.unknown());
    }
    if crate::ir::reduction(name, ty, false).is_none() {
        return Err(l.unknown());
    }
    Ok(BulkReduction { name, ty: Some(ty) })
}

fn wait(l: &mut Lowering) -> Lowered {
    let reads = l.take("read");
    l.end()?;
    l.count(1..=1)?;
    let keep = l.immediate(0)?;
    let Ok(keep) = u32::try_from(keep) else {
        return Err(l.bad_operand(0, format!("a number of groups, not {keep}")));
    };
    l.emit(WaitBulk { keep, reads }, Flow::Next);
    Ok(())
}

/// Lowers a prefetch, which has no effect in an emulator without caches.
fn prefetch(l: &mut Lowering, dimensions: u8) -> Lowered {
    l.need(&[("L2", ())], "`.L2`")?;
    l.need(&[("global", ())], "`.global`")?;
    let hint = usize::from(l.take("L2::cache_hint"));
    let mode = mode(l, dimensions, true)?;
    l.end()?;
    let has_offsets = usize::from(mode == Mode::Im2col);
    let count = hint + has_offsets + if dimensions > 0 { 1 } else { 2 };
    l.count(count..=count)?;
    if dimensions > 0 {
        map(l, 0, (dimensions, mode), &mut [NONE; 5])?;
        if has_offsets == 1 {
            offsets(l, 1, dimensions)?;
        }
    } else {
        l.address_of_any_width(0, Window::Global)?;
        let size = l.source(1, Type::U32)?;
        l.uses.push(size);
    }
    if hint == 1 {
        let policy = l.source(count - 1, Type::B64)?;
        l.uses.push(policy);
    }
    l.emit(NoEffect, Flow::Next);
    Ok(())
}

/// Returns the generic address of the tensor map in operand `i`, and stores the coordinates.
fn map(
    l: &mut Lowering,
    i: usize,
    (dimensions, mode): (u8, Mode),
    coordinates: &mut [u32; 5],
) -> Result<Address, PtxError> {
    let Operand::Texel {
        object,
        coordinates: list,
    } = l.operand(i)?
    else {
        return Err(l.bad_operand(i, "a tensor map with coordinates expected"));
    };
    // Like `ptxas`, accepts a 32-bit address too.
    let narrow = l.register(object).is_some_and(|(_, ty, _)| ty.bits() == 32);
    let base = l.source_of(i, object, if narrow { Type::U32 } else { Type::U64 })?;
    l.uses.push(base);
    let list = match &**list {
        Operand::Vector(list) => list,
        single => std::slice::from_ref(single),
    };
    let wanted = match mode {
        Mode::FourRows => 5,
        _ => usize::from(dimensions),
    };
    if list.len() != wanted {
        let found = list.len();
        return Err(l.bad_operand(i, format!("{wanted} coordinates expected, {found} found")));
    }
    for (row, element) in coordinates.iter_mut().zip(list) {
        let slot = l.source_of(i, element, Type::S32)?;
        l.uses.push(slot);
        *row = slot.0;
    }
    Ok(Address {
        base: base.0,
        wide: !narrow,
        offset: 0,
        window: Window::Generic,
        roots: NONE,
    })
}
