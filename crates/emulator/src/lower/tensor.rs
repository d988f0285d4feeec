//! Matrix instructions of a warp.
//! Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::{PtxError, PtxErrorKind};
use crate::ir::{Matrix, Mma, MoveMatrix, NONE, Window};
use crate::numerics::mma::{self, Accumulator, Element};
use crate::types::Type;

fn aligned(l: &mut Lowering) -> Lowered {
    if l.take("sync") && l.take("aligned") {
        Ok(())
    } else {
        Err(l.unknown())
    }
}

/// Returns the registers of operand `i`, as sources or results.
pub(crate) fn registers(
    l: &mut Lowering,
    i: usize,
    ty: Type,
    n: usize,
    result: bool,
) -> Result<Vec<u32>, PtxError> {
    let found = l.elements(i)?.len();
    if found != n {
        return Err(l.bad_operand(i, format!("{n} registers expected, {found} found")));
    }
    let mut slots = Vec::with_capacity(n);
    for k in 0..n {
        let element = &l.elements(i)?[k];
        let slot: Slot = if result {
            l.dest_of(i, element, ty)?
        } else {
            l.source_of(i, element, ty)?
        };
        if result {
            l.defs.push(slot)
        } else {
            l.uses.push(slot)
        }
        slots.push(slot.0);
    }
    Ok(slots)
}

fn matrix(l: &mut Lowering, load: bool) -> Lowered {
    aligned(l)?;
    l.need(&[("m8n8", ())], "`.m8n8`")?;
    let count = l.need(&[("x1", 1), ("x2", 2), ("x4", 4)], "a number of matrices")?;
    let transposed = l.take("trans");
    let window = match l.take("shared") || l.take("shared::cta") {
        true => Window::Shared,
        false => Window::Generic,
    };
    if l.only_type()? != Type::B16 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let (address, values) = if load { (1, 0) } else { (0, 1) };
    let address = l.address_of_any_width(address, window)?;
    let mut rows = [NONE; 4];
    rows[..count].copy_from_slice(&registers(l, values, Type::B32, count, load)?);
    let matrix = Matrix {
        stores: !load,
        address,
        count: count as u8,
        transposed,
        registers: rows,
    };
    l.emit(matrix, Flow::Next);
    Ok(())
}

pub(crate) fn load_matrix(l: &mut Lowering) -> Lowered {
    matrix(l, true)
}

pub(crate) fn store_matrix(l: &mut Lowering) -> Lowered {
    matrix(l, false)
}

pub(crate) fn move_matrix(l: &mut Lowering) -> Lowered {
    aligned(l)?;
    l.need(&[("m8n8", ())], "`.m8n8`")?;
    l.need(&[("trans", ())], "`.trans`")?;
    if l.only_type()? != Type::B16 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    let source = l.source(1, Type::B32)?;
    let result = l.dest(0, Type::B32)?;
    l.uses.push(source);
    l.defs.push(result);
    l.emit(
        MoveMatrix {
            result: result.0,
            source: source.0,
        },
        Flow::Next,
    );
    Ok(())
}

/// Returns the name of an `mma` with its modifiers in PTX's order: `.sync.aligned`, shape, layouts,
/// types and the others.
fn in_order(modifiers: &[&str]) -> String {
    let rank = |word: &str| match word {
        "sync" => 0,
        "aligned" => 1,
        "row" | "col" => 3,
        _ if word.starts_with('m') => 2,
        _ => 4,
    };
    let mut words = modifiers.to_vec();
    words.sort_by_key(|word| rank(word));
    format!("mma.{}", words.join("."))
}

/// Returns the type of a register with elements of A or B, as ptxas checks it.
pub(crate) fn of_elements(element: Element) -> Type {
    match element {
        Element::F16 => Type::F16x2,
        Element::Bf16 => Type::Bf16x2,
        Element::Tf32 => Type::Tf32,
        Element::F64 => Type::B64,
        _ => Type::U32,
    }
}

/// Returns the type of a register with elements of C or D.
pub(crate) fn of_sums(accumulator: Accumulator) -> Type {
    match accumulator {
        Accumulator::F16 => Type::F16x2,
        Accumulator::F32 => Type::F32,
        Accumulator::F64 => Type::B64,
        Accumulator::S32 => Type::S32,
    }
}

pub(crate) fn mma(l: &mut Lowering) -> Lowered {
    let name = l.name();
    let what = mma::Mma::parse(&in_order(&l.inst.modifiers)).map_err(|problem| {
        l.error(PtxErrorKind::Unsupported(format!(
            "unknown instruction `{name}`: {problem}"
        )))
    })?;
    let need = what.registers();
    let wide = need.bits == 64;
    l.count(4..=4)?;
    let a = registers(l, 1, of_elements(what.a), need.a, false)?;
    let b = registers(l, 2, of_elements(what.b), need.b, false)?;
    let c = registers(l, 3, of_sums(what.c), need.c, false)?;
    let d = registers(l, 0, of_sums(what.d), need.d, true)?;
    l.emit(
        Mma {
            what,
            wide,
            d,
            a,
            b,
            c,
        },
        Flow::Next,
    );
    Ok(())
}
