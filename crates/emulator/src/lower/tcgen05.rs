//! `tcgen05`: tensor memory, and matrix products that a single thread issues.
//!
//! ```text
//! tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 256;
//! tcgen05.mma.cta_group::1.kind::f16 [%r2], a-desc, b-desc, i-desc, p;
//! tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r3];
//! tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r4, .., %r11}, [%r2];
//! ```
//!
//! Law: all instructions of a function have the same `.cta_group`, as in `ptxas`. Not emulated,
//! each refused by its name: `.ws`, `.sp`, `.ashift`, the scale of D, `shift` and `ld.red`. A mask
//! of lanes that excludes a lane is refused when the product is issued.
//!
//! Source: PTX ISA, "TensorCore 5th Generation Family Instructions".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::tensor::registers;
use crate::error::{PtxError, PtxErrorKind};
use crate::ir::{
    CopyShape, ProductKind, ProductLeft, ProductScales, Tcgen05, TensorAccess, TensorCopy,
    TensorProduct, TensorShape, Window,
};
use crate::reader::syntax::Operand;
use crate::types::Type;

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    const WORDS: [&str; 14] = [
        "alloc",
        "dealloc",
        "relinquish_alloc_permit",
        "ld",
        "st",
        "wait::ld",
        "wait::st",
        "fence::before_thread_sync",
        "fence::after_thread_sync",
        "mma",
        "commit",
        "cp",
        "shift",
        "red",
    ];
    let word = l.need_lead(&WORDS.map(|word| (word, word)), "what it does")?;
    match word {
        "alloc" => allocate(l),
        "dealloc" => deallocate(l),
        "relinquish_alloc_permit" => {
            let pair = is_pair(l)?;
            aligned(l)?;
            alone(l, Tcgen05::Relinquish { pair })
        }
        "ld" => access(l, true),
        "st" => access(l, false),
        "wait::ld" => {
            aligned(l)?;
            alone(l, Tcgen05::WaitLoads)
        }
        "wait::st" => {
            aligned(l)?;
            alone(l, Tcgen05::WaitStores)
        }
        "fence::before_thread_sync" => alone(l, Tcgen05::FenceBefore),
        "fence::after_thread_sync" => alone(l, Tcgen05::FenceAfter),
        "mma" => multiply(l),
        "commit" => commit(l),
        "cp" => copy(l),
        other => Err(not_emulated(l, &format!("tcgen05.{other}"))),
    }
}

fn emit(l: &mut Lowering, op: Tcgen05) -> Lowered {
    l.emit(op, Flow::Next);
    Ok(())
}

fn alone(l: &mut Lowering, op: Tcgen05) -> Lowered {
    l.end()?;
    l.count(0..=0)?;
    emit(l, op)
}

fn not_emulated(l: &Lowering, what: &str) -> PtxError {
    let name = l.name();
    l.error(PtxErrorKind::Unsupported(format!(
        "unknown instruction `{name}`: {what} is not emulated"
    )))
}

fn aligned(l: &mut Lowering) -> Lowered {
    l.need(&[("sync", ())], "`.sync`")?;
    l.need(&[("aligned", ())], "`.aligned`")
}

/// Takes `.cta_group` and returns whether it means a pair of blocks. A function uses only one of
/// the two groups.
fn is_pair(l: &mut Lowering) -> Result<bool, PtxError> {
    let groups = [("cta_group::1", false), ("cta_group::2", true)];
    let pair = l.need(&groups, "`.cta_group`")?;
    match l.body.function.pairs.replace(pair) {
        Some(before) if before != pair => {
            let name = l.name();
            Err(l.error(PtxErrorKind::Unsupported(format!(
                "`{name}`: `.cta_group::1` and `.cta_group::2` in one function"
            ))))
        }
        _ => Ok(pair),
    }
}

fn allocate(l: &mut Lowering) -> Lowered {
    let pair = is_pair(l)?;
    aligned(l)?;
    let window = match l.take("shared::cta") || l.take("shared") {
        true => Window::Shared,
        false => Window::Generic,
    };
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let to = l.address_of_any_width(0, window)?;
    let columns = columns(l, 1)?;
    emit(l, Tcgen05::Allocate { to, columns, pair })
}

/// Returns the row of operand `i`, a number of columns. Checks the number if it is a constant, as
/// `ptxas` does.
fn columns(l: &mut Lowering, i: usize) -> Result<u32, PtxError> {
    if let Ok(number) = l.immediate(i) {
        let is_one = matches!(number, 32 | 64 | 128 | 256 | 512);
        if !is_one {
            let problem = format!("32, 64, 128, 256 or 512 columns, not {number}");
            return Err(l.bad_operand(i, problem));
        }
    }
    let slot = l.source(i, Type::B32)?;
    l.uses.push(slot);
    Ok(slot.0)
}

fn deallocate(l: &mut Lowering) -> Lowered {
    let pair = is_pair(l)?;
    aligned(l)?;
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let slot = l.source(0, Type::B32)?;
    l.uses.push(slot);
    let columns = columns(l, 1)?;
    let address = slot.0;
    let op = Tcgen05::Deallocate {
        address,
        columns,
        pair,
    };
    emit(l, op)
}

/// Returns the number of registers that a thread has for `.x1`.
fn registers_of(shape: TensorShape) -> usize {
    match shape {
        TensorShape::L16x128b => 2,
        TensorShape::L16x256b => 4,
        _ => 1,
    }
}

fn access(l: &mut Lowering, loads: bool) -> Lowered {
    if l.take("red") {
        return Err(not_emulated(l, "tcgen05.ld.red"));
    }
    aligned(l)?;
    let shapes = [
        ("32x32b", TensorShape::L32x32b),
        ("16x64b", TensorShape::L16x64b),
        ("16x128b", TensorShape::L16x128b),
        ("16x256b", TensorShape::L16x256b),
        ("16x32bx2", TensorShape::L16x32bx2),
    ];
    let shape = l.need(&shapes, "a shape")?;
    let times = l.take_map(|word| word.strip_prefix('x')?.parse::<usize>().ok());
    let Some(times) = times else {
        return Err(l.unknown());
    };
    let packs = l.take(if loads { "pack::16b" } else { "unpack::16b" });
    if l.only_type()? != Type::B32 {
        return Err(l.unknown());
    }
    let count = registers_of(shape) * times;
    if !times.is_power_of_two() || count > 128 {
        return Err(l.unknown());
    }
    let split = shape == TensorShape::L16x32bx2;
    l.count(2 + usize::from(split)..=2 + usize::from(split))?;
    let (at, values) = match (loads, split) {
        (true, _) => (1, 0),
        (false, false) => (0, 1),
        (false, true) => (0, 2),
    };
    let second = match split {
        false => 0,
        true => {
            let i = if loads { 2 } else { 1 };
            let columns = l.immediate(i)?;
            u32::try_from(columns).map_err(|_| l.bad_operand(i, "a number of columns expected"))?
        }
    };
    let address = l.address_of_any_width(at, Window::Shared)?;
    let rows = registers(l, values, Type::B32, count, loads)?;
    let op = TensorAccess {
        shape,
        address,
        second,
        packs,
        registers: rows,
    };
    match loads {
        true => emit(l, Tcgen05::Load(op)),
        false => emit(l, Tcgen05::Store(op)),
    }
}

fn multiply(l: &mut Lowering) -> Lowered {
    for word in ["ws", "sp", "ashift"] {
        if l.inst.modifiers.contains(&word) {
            return Err(not_emulated(l, &format!(".{word}")));
        }
    }
    let pair = is_pair(l)?;
    let kinds = [
        ("kind::f16", ProductKind::F16),
        ("kind::tf32", ProductKind::Tf32),
        ("kind::f8f6f4", ProductKind::F8f6f4),
        ("kind::i8", ProductKind::I8),
        ("kind::mxf8f6f4", ProductKind::Mxf8f6f4),
        ("kind::mxf4", ProductKind::Mxf4),
        ("kind::mxf4nvf4", ProductKind::Mxf4nvf4),
    ];
    let kind = l.need(&kinds, "`.kind`")?;
    let factors = match kind.is_scaled() {
        true => Some(factors(l, kind)?),
        false => None,
    };
    // The collector modifier, which names an operand to keep, is a hint.
    l.take_map(|word| word.starts_with("collector::a::").then_some(()));
    l.end()?;
    let masks = factors.is_none() && matches!(l.operand(4)?, Operand::Vector(_));
    let count = if factors.is_some() { 7 } else { 5 } + usize::from(masks);
    if factors.is_none() && l.inst.operands.len() > count {
        return Err(not_emulated(l, "the scale of D"));
    }
    l.count(count..=count)?;
    let mask = if masks {
        self::mask(l, pair)?
    } else {
        Vec::new()
    };
    let d = l.address_of_any_width(0, Window::Shared)?;
    let left = match l.operand(1)? {
        Operand::Address { .. } => ProductLeft::Tensor(l.address_of_any_width(1, Window::Shared)?),
        _ => ProductLeft::Shared(row(l, 1, Type::B64)?),
    };
    let right = row(l, 2, Type::B64)?;
    let instruction = row(l, 3, Type::B32)?;
    let scales = match factors {
        None => None,
        Some(factors) => Some(ProductScales {
            a: l.address_of_any_width(4, Window::Shared)?,
            b: l.address_of_any_width(5, Window::Shared)?,
            factors,
        }),
    };
    let accumulates = row(l, count - 1, Type::Pred)?;
    // A unit of 16 elements has 8 bytes (4-bit elements) or 12 bytes (6-bit elements).
    let unit = match kind {
        ProductKind::F8f6f4 | ProductKind::Mxf8f6f4 => 4,
        _ => 16,
    };
    l.body.function.granule = l.body.function.granule.min(unit);
    let op = TensorProduct {
        pair,
        kind,
        d,
        left,
        right,
        instruction,
        accumulates,
        mask,
        scales,
    };
    emit(l, Tcgen05::Multiply(Box::new(op)))
}

/// Returns the rows of operand 4, the mask of lanes, which has a bit for each lane of D in the
/// blocks.
fn mask(l: &mut Lowering, pair: bool) -> Result<Vec<u32>, PtxError> {
    let (elements, count) = (l.elements(4)?, if pair { 8 } else { 4 });
    if elements.len() != count {
        let found = elements.len();
        return Err(l.bad_operand(4, format!("{count} registers expected, {found} found")));
    }
    let mut rows = Vec::new();
    for element in elements {
        let slot = l.source_of(4, element, Type::B32)?;
        l.uses.push(slot);
        rows.push(slot.0);
    }
    Ok(rows)
}

/// Returns the row of operand `i`, which is a source of type `ty`.
fn row(l: &mut Lowering, i: usize, ty: Type) -> Result<u32, PtxError> {
    let slot = l.source(i, ty)?;
    l.uses.push(slot);
    Ok(slot.0)
}

/// Takes `.block_scale` and `.scale_vec`, whose aliases are `.block16` and `.block32`. Returns the
/// number of scale factors per row.
fn factors(l: &mut Lowering, kind: ProductKind) -> Result<usize, PtxError> {
    l.need(&[("block_scale", ())], "`.block_scale`")?;
    let all: &[(&str, usize)] = match kind {
        ProductKind::Mxf8f6f4 => &[("scale_vec::1X", 1), ("block32", 1)],
        ProductKind::Mxf4 => &[("scale_vec::2X", 2), ("block32", 2)],
        _ => &[
            ("scale_vec::2X", 2),
            ("block32", 2),
            ("scale_vec::4X", 4),
            ("block16", 4),
        ],
    };
    match (l.one_of(all), kind) {
        (Some(factors), _) => Ok(factors),
        (None, ProductKind::Mxf8f6f4) => Ok(1),
        (None, ProductKind::Mxf4) => Ok(2),
        (None, _) => l.need(all, "`.scale_vec`"),
    }
}

fn copy(l: &mut Lowering) -> Lowered {
    let pair = is_pair(l)?;
    let shapes = [
        ("128x256b", CopyShape::L128x256b),
        ("4x256b", CopyShape::L4x256b),
        ("128x128b", CopyShape::L128x128b),
        ("64x128b", CopyShape::L64x128b02And13),
        ("32x128b", CopyShape::L32x128b),
    ];
    let shape = match l.need(&shapes, "a shape")? {
        CopyShape::L64x128b02And13 => l.need(
            &[
                ("warpx2::02_13", CopyShape::L64x128b02And13),
                ("warpx2::01_23", CopyShape::L64x128b01And23),
            ],
            "`.warpx2`",
        )?,
        CopyShape::L32x128b => l.need(&[("warpx4", CopyShape::L32x128b)], "`.warpx4`")?,
        shape => shape,
    };
    let unpacks = match l.take("b8x16") {
        false => None,
        true => Some(l.need(
            &[("b4x16_p64", 4), ("b6x16_p32", 6)],
            "the format of the source",
        )?),
    };
    l.end()?;
    l.count(2..=2)?;
    let to = l.address_of_any_width(0, Window::Shared)?;
    let from = row(l, 1, Type::B64)?;
    l.body.function.granule = l.body.function.granule.min(4);
    let op = TensorCopy {
        pair,
        shape,
        unpacks,
        to,
        from,
    };
    emit(l, Tcgen05::Copy(op))
}

fn commit(l: &mut Lowering) -> Lowered {
    let pair = is_pair(l)?;
    l.need(&[("mbarrier::arrive::one", ())], "`.mbarrier::arrive::one`")?;
    let several = l.take("multicast::cluster");
    let spaces = [
        ("shared::cluster", Window::Cluster),
        ("shared::cta", Window::Shared),
        ("shared", Window::Shared),
    ];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    if l.only_type()? != Type::B64 {
        return Err(l.unknown());
    }
    let count = 1 + usize::from(several);
    l.count(count..=count)?;
    let object = l.address_of_any_width(0, window)?;
    let ranks = match several {
        true => Some(row(l, 1, Type::B16)?),
        false => None,
    };
    // An mbarrier object has 8 bytes.
    l.body.function.granule = l.body.function.granule.min(8);
    let op = Tcgen05::Commit {
        object,
        pair,
        ranks,
    };
    emit(l, op)
}
