//! Functions for atoms, tiled MMAs and tiled copies, and for partitioning tensors among threads.

use layout_types::dynamic::*;

use super::{Call, functions};
use crate::atoms::{CopyOperation, MmaAtom, Operand};
use crate::error::Result;
use crate::thread_value::ThreadValue;
use crate::tiled::{Side, TiledCopy, TiledMma};
use crate::value::Value;

fn mma(call: &Call) -> Result<Value> {
    let atoms = match call.len() {
        1 => IntTuple::from([1, 1, 1]),
        _ => Nested::Leaf(0),
    };
    let atoms = match call.len() {
        1 => make_layout_left(&atoms).map_err(|error| call.refused(error))?,
        _ => call.plain(1)?,
    };
    let mut permutation = [Tiler::Underscore, Tiler::Underscore, Tiler::Underscore];
    if call.len() > 2 {
        match call.tiler(2)? {
            Tiler::Underscore => {}
            Tiler::Tuple(modes) if modes.len() <= 3 => {
                for (place, mode) in permutation.iter_mut().zip(modes) {
                    *place = mode;
                }
            }
            _ => return Err(call.wrong(2, "a permutation has up to three modes: M, N and K")),
        }
    }
    let mma = TiledMma::new(call.mma_atom(0)?, &atoms, permutation);
    Ok(Value::TiledMma(call.tiled(mma)?))
}

fn copy_atom(call: &Call) -> Result<Value> {
    let (atom, used) = call.copy_atom()?;
    call.at_most(used)?;
    Ok(Value::CopyAtom(atom))
}

fn copy(call: &Call) -> Result<Value> {
    let (atom, at) = call.copy_atom()?;
    call.need(at + 1)?;
    call.at_most(at + 2)?;
    let copy = TiledCopy::new(atom, call.plain(at)?, call.tiler(at + 1)?);
    Ok(Value::TiledCopy(call.tiled(copy)?))
}

fn make_copy(call: &Call) -> Result<Value> {
    let (atom, at) = call.copy_atom()?;
    call.need(at)?;
    call.at_most(at + 2)?;
    let values = if call.len() > at + 1 {
        call.plain(at + 1)?
    } else {
        "1:0".parse().expect("CuTe's notation")
    };
    let copy = TiledCopy::of_threads(atom, &call.plain(at)?, &values);
    Ok(Value::TiledCopy(call.tiled(copy)?))
}

fn copy_of(call: &Call, operand: Operand) -> Result<Value> {
    let (atom, at) = call.copy_atom()?;
    call.need(at)?;
    call.at_most(at + 1)?;
    let copy = TiledCopy::of_operand(atom, call.tiled_mma(at)?, operand);
    Ok(Value::TiledCopy(call.tiled(copy)?))
}

fn copy_of_accumulator(call: &Call) -> Result<Value> {
    let (atom, at) = call.copy_atom()?;
    call.need(at)?;
    call.at_most(at + 1)?;
    let copy = TiledCopy::of_accumulator_atom(atom, call.tiled_mma(at)?);
    Ok(Value::TiledCopy(call.tiled(copy)?))
}

fn partition_of_copy(call: &Call, side: Side) -> Result<Value> {
    let part = call.tiled_copy(0)?.partition(side, &call.layout(1)?);
    Ok(Value::Partition(call.tiled(part)?))
}

fn tidfrg(call: &Call, side: Side) -> Result<Value> {
    let cut = call.tiled_copy(0)?.tidfrg(side, &call.layout(1)?);
    Ok(call.tiled(cut)?.into())
}

fn retile(call: &Call) -> Result<Value> {
    let tiled = call.tiled_copy(0)?.retile(&call.plain(1)?);
    Ok(call.tiled(tiled)?.into())
}

fn partition_of_mma(call: &Call, operand: Operand) -> Result<Value> {
    let part = call.tiled_mma(0)?.partition(operand, &call.layout(1)?);
    Ok(Value::Partition(call.tiled(part)?))
}

fn thrfrg(call: &Call, operand: Operand) -> Result<Value> {
    let cut = call.tiled_mma(0)?.thrfrg(operand, &call.layout(1)?);
    Ok(call.tiled(cut)?.into())
}

fn fragment(call: &Call, operand: Operand) -> Result<Value> {
    let fragment = call.tiled_mma(0)?.fragment(operand, &call.layout(1)?);
    Ok(call.tiled(fragment)?.into())
}

fn part_shape(call: &Call, operand: Operand) -> Result<Value> {
    let part = call.tiled_mma(0)?.partition(operand, &call.layout(1)?);
    Ok(call.tiled(part)?.part().shape().clone().into())
}

fn of_thread(call: &Call, name: &str, widths: &str) -> Result<Value> {
    let bits = call.bits(0)?;
    match CopyOperation::of_thread(name, bits) {
        Some(operation) => {
            let shown = format!("{name}<{}>", call.value(0));
            Ok(Value::CopyOperation(operation.renamed(shown)))
        }
        None => Err(call.wrong(0, format!("`{name}` moves {widths} bits, not {bits}"))),
    }
}

fn universal_fma(call: &Call) -> Result<Value> {
    let types = (0..call.len())
        .map(|i| match call.value(i) {
            Value::Element(element) => Ok(element.name()),
            other => Err(call.wrong(
                i,
                format!("an element type is expected here, not {}", other.kind()),
            )),
        })
        .collect::<Result<Vec<_>>>()?;
    let name = format!("UniversalFMA<{}>", types.join(","));
    Ok(Value::MmaAtom(MmaAtom::universal().renamed(name)))
}

fn thread_value(call: &Call) -> Result<Value> {
    let (layout, tile) = (call.layout(0)?, call.shape(1)?);
    if layout.domain().rank() != 2 || layout.domain().has_basis() {
        return Err(call.wrong(
            0,
            "a thread-value layout has two modes, threads and values, to indices",
        ));
    }
    Ok(Value::ThreadValue(ThreadValue::new(layout, tile, "")))
}

fn cell(call: &Call) -> Result<Value> {
    let tv = call.thread_value(0)?;
    let (thread, value) = (call.integer(1)?, call.integer(2)?);
    if !(0..tv.threads()).contains(&thread) || !(0..tv.values()).contains(&value) {
        return Err(call.fail(format!(
            "there are {} threads of {} values",
            tv.threads(),
            tv.values()
        )));
    }
    match tv.cell(thread, value) {
        Some(cell) => Ok(cell.into()),
        None => Err(call.fail("it is at no cell")),
    }
}

functions! {
    "tiled_mma" | "make_tiled_mma" | "TiledMMA", 1..=3, "tiled_mma(atom, atoms, permutation)",
        "an MMA atom laid over threads", mma;
    "copy_atom" | "Copy_Atom", 1..=2, "Copy_Atom<operation, type>",
        "a copy operation that moves elements of a type", copy_atom;
    "tiled_copy" | "TiledCopy", 3..=4, "tiled_copy(operation, type, thread-value layout, tiler)",
        "a copy atom laid over threads and values", copy;
    "make_tiled_copy", 2..=4, "make_tiled_copy(operation, type, threads, values)",
        "each thread takes values that lie together", make_copy;
    "make_tiled_copy_a" | "make_tiled_copy_A", 2..=3, "make_tiled_copy_a(operation, type, tiled MMA)",
        "with the threads and values of the MMA's A", |call| copy_of(call, Operand::A);
    "make_tiled_copy_b" | "make_tiled_copy_B", 2..=3, "make_tiled_copy_b(operation, type, tiled MMA)",
        "with the threads and values of the MMA's B", |call| copy_of(call, Operand::B);
    "make_tiled_copy_c" | "make_tiled_copy_C", 2..=3, "make_tiled_copy_c(operation, type, tiled MMA)",
        "with the threads and values of the MMA's C", |call| copy_of(call, Operand::C);
    "make_tiled_copy_c_atom" | "make_tiled_copy_C_atom", 2..=3, "make_tiled_copy_c_atom(operation, type, tiled MMA)",
        "the smallest copy of C that the atom can do", copy_of_accumulator;
    "partition_s" | "partition_S", 2..=2, "partition_s(tiled copy, tensor)",
        "one thread's part of a source", |call| partition_of_copy(call, Side::Source);
    "partition_d" | "partition_D", 2..=2, "partition_d(tiled copy, tensor)",
        "one thread's part of a destination", |call| partition_of_copy(call, Side::Destination);
    "tidfrg_s" | "tidfrg_S", 2..=2, "tidfrg_s(tiled copy, tensor)",
        "(thread, values, rest) of a source", |call| tidfrg(call, Side::Source);
    "tidfrg_d" | "tidfrg_D", 2..=2, "tidfrg_d(tiled copy, tensor)",
        "(thread, values, rest) of a destination", |call| tidfrg(call, Side::Destination);
    "retile" | "retile_s" | "retile_S" | "retile_d" | "retile_D", 2..=2, "retile(tiled copy, fragment)",
        "a fragment of the MMA, grouped as the copy takes it", retile;
    "partition_a" | "partition_A", 2..=2, "partition_a(tiled MMA, tensor)",
        "one thread's part of A", |call| partition_of_mma(call, Operand::A);
    "partition_b" | "partition_B", 2..=2, "partition_b(tiled MMA, tensor)",
        "one thread's part of B", |call| partition_of_mma(call, Operand::B);
    "partition_c" | "partition_C", 2..=2, "partition_c(tiled MMA, tensor)",
        "one thread's part of C", |call| partition_of_mma(call, Operand::C);
    "thrfrg_a" | "thrfrg_A", 2..=2, "thrfrg_a(tiled MMA, tensor)",
        "((thread), (values, rest)) of A", |call| thrfrg(call, Operand::A);
    "thrfrg_b" | "thrfrg_B", 2..=2, "thrfrg_b(tiled MMA, tensor)",
        "((thread), (values, rest)) of B", |call| thrfrg(call, Operand::B);
    "thrfrg_c" | "thrfrg_C", 2..=2, "thrfrg_c(tiled MMA, tensor)",
        "((thread), (values, rest)) of C", |call| thrfrg(call, Operand::C);
    "partition_fragment_a" | "partition_fragment_A", 2..=2, "partition_fragment_a(tiled MMA, tensor)",
        "the registers of one thread's part of A", |call| fragment(call, Operand::A);
    "partition_fragment_b" | "partition_fragment_B", 2..=2, "partition_fragment_b(tiled MMA, tensor)",
        "the registers of one thread's part of B", |call| fragment(call, Operand::B);
    "partition_fragment_c" | "partition_fragment_C", 2..=2, "partition_fragment_c(tiled MMA, tensor)",
        "the registers of one thread's part of C", |call| fragment(call, Operand::C);
    "partition_shape_a" | "partition_shape_A", 2..=2, "partition_shape_a(tiled MMA, shape)",
        "the shape of one thread's part of A", |call| part_shape(call, Operand::A);
    "partition_shape_b" | "partition_shape_B", 2..=2, "partition_shape_b(tiled MMA, shape)",
        "the shape of one thread's part of B", |call| part_shape(call, Operand::B);
    "partition_shape_c" | "partition_shape_C", 2..=2, "partition_shape_c(tiled MMA, shape)",
        "the shape of one thread's part of C", |call| part_shape(call, Operand::C);
    "tv" | "thread_value", 2..=2, "tv(layout, tile)",
        "a layout of (thread, value) over the cells of a tile", thread_value;
    "cell", 3..=3, "cell(thread-value layout, thread, value)",
        "the cell that a thread's value is", cell;
    "UniversalCopy", 1..=1, "UniversalCopy<u128>",
        "a plain load and store", |call| of_thread(call, "UniversalCopy", "1, 4, 8, 16, 32, 64 or 128");
    "SM80_CP_ASYNC_CACHEALWAYS", 1..=2, "SM80_CP_ASYNC_CACHEALWAYS<u64>",
        "cp.async.ca", |call| of_thread(call, "SM80_CP_ASYNC_CACHEALWAYS", "32, 64 or 128");
    "SM80_CP_ASYNC_CACHEALWAYS_ZFILL", 1..=2, "SM80_CP_ASYNC_CACHEALWAYS_ZFILL<u64>",
        "cp.async.ca with zeros", |call| of_thread(call, "SM80_CP_ASYNC_CACHEALWAYS_ZFILL", "32, 64 or 128");
    "SM80_CP_ASYNC_CACHEGLOBAL", 1..=2, "SM80_CP_ASYNC_CACHEGLOBAL<u128>",
        "cp.async.cg", |call| of_thread(call, "SM80_CP_ASYNC_CACHEGLOBAL", "128");
    "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", 1..=2, "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>",
        "cp.async.cg with zeros", |call| of_thread(call, "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL", "128");
    "AutoVectorizingCopyWithAssumedAlignment", 1..=1, "AutoVectorizingCopyWithAssumedAlignment<128>",
        "the widest access up to so many bits",
        |call| of_thread(call, "AutoVectorizingCopyWithAssumedAlignment", "8, 16, 32, 64 or 128");
    "UniversalFMA", 1..=4, "UniversalFMA<f32>",
        "one thread multiplies and adds", universal_fma;
}
