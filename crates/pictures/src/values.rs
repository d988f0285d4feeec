//! Draws a value of the notation: each kind of value has its picture.
//!
//! ```text
//!   layout ─ grid of offsets        behind a swizzle ─ before and after, banks coloured
//!   thread-value layout ─ owners    MMA ─ A, B and C    copy ─ source beside destination
//! ```

use crate::error::{DrawError, Result};
use crate::grid::{Cell, Picture};
use crate::kinds::{self, MmaOperands};
use crate::options::{ColourBy, Options};
use layout_types::dynamic::{AnyLayout, IntTuple, Swizzle, make_layout_right, swizzled};
use notation::{
    CopyAtom, Element, MmaAtom, Operand, Side, ThreadValue, TiledCopy, TiledMma, Value,
};

/// Draws the picture that shows a value best.
///
/// # Errors
/// Returns [`DrawError::NotDrawable`] for a value of a kind without a picture (truth values, names,
/// numbers that are not shapes), and the errors of the kind of picture for any other value.
///
/// ```
/// use pictures::{Options, draw, svg};
/// let value = notation::eval("SM80_16x8x16_F32F16F16F32_TN").unwrap();
/// let picture = draw(&value, &Options::default()).unwrap();
/// assert_eq!(picture.grids().map(|grid| grid.cells.len()).sum::<usize>(), 16 * 16 + 8 * 16 + 16 * 8);
/// ```
pub fn draw(value: &Value, options: &Options) -> Result<Picture> {
    match value {
        Value::Layout(layout) => any_layout(layout, options),
        Value::Slice(slice) => {
            let mut picture = any_layout(&slice.layout, options)?;
            picture.notes.push(format!(
                "a slice; its first element is at offset {}",
                slice.offset
            ));
            Ok(picture)
        }
        Value::Partition(partition) => {
            let mut picture = any_layout(partition.part(), options)?;
            picture.notes.push(format!(
                "one thread's part; threads 0 to {} begin at the offsets of {}",
                partition.threads() - 1,
                partition.thread()
            ));
            Ok(picture)
        }
        Value::Swizzle(swizzle) => any_layout(&domain_of(*swizzle, value)?, options),
        Value::ThreadValue(tv) => thread_value(tv, options),
        Value::Redistribution(redistribution) => {
            let side = |name: &str, tv: &ThreadValue| kinds::Side {
                name: name.to_string(),
                tv: tv.layout().clone(),
            };
            let (from, to) = (redistribution.from(), redistribution.to());
            let mut picture = kinds::tiled_copy(
                &value.to_string(),
                from.tile(),
                &side("from", from),
                &side("to", to),
                options,
            )?;
            of_devices(&mut picture, from);
            picture.notes.insert(0, value.to_string());
            Ok(picture)
        }
        Value::MmaAtom(atom) => mma_atom(atom, options),
        Value::TiledMma(mma) => tiled_mma(mma, options),
        Value::CopyAtom(atom) => copy_atom(atom, options),
        Value::CopyOperation(operation) => {
            // Elements of 16 bits, or of 8 bits if the operation moves fewer than 16 bits.
            let atom = ["f16", "u8"]
                .into_iter()
                .filter_map(Element::named)
                .map(|element| CopyAtom::new(operation.clone(), element))
                .reduce(Result::or)
                .ok_or_else(|| not_drawable(value))?
                .map_err(|error| DrawError::NotTileable(error.to_string()))?;
            copy_atom(&atom, options)
        }
        Value::TiledCopy(copy) => tiled_copy(copy, options),
        Value::TmaTile(tile) => {
            let blocks = kinds::Blocks {
                what: "box",
                extents: tile.tma.extents.map(i64::from),
            };
            hopper(&tile.tile, tile.bits, &blocks, value, options)
        }
        Value::WgmmaOperand(operand) => {
            let blocks = kinds::Blocks {
                what: "operand",
                extents: [operand.rows, operand.columns],
            };
            hopper(&operand.tile, operand.bits, &blocks, value, options)
        }
        Value::Tuple(_) => match value.layout() {
            Some(layout) => any_layout(&layout, options),
            None => Err(not_drawable(value)),
        },
        _ => Err(not_drawable(value)),
    }
}

/// Replaces threads and values by devices and elements in the key, and removes the owners of the
/// padding of `tv`.
fn of_devices(picture: &mut Picture, tv: &ThreadValue) {
    for cell in picture
        .panels
        .iter_mut()
        .flatten()
        .flatten()
        .flat_map(|grid| &mut grid.cells)
    {
        let index = cell.facts.offset.as_ref().and_then(|at| at.parse().ok());
        if index.is_some_and(|index| tv.is_padding(index)) {
            *cell = Cell::void();
        }
    }
    if let Some(extents) = tv.extents() {
        picture.notes.push(format!("tensor {extents}, padded"));
    }
    for note in &mut picture.notes {
        if note.contains("T thread") {
            *note = note
                .replace("T thread, V value", "T device, V element")
                .replace("colour: thread", "colour: device")
                .replace("tile ", "tensor ");
        }
    }
}

fn not_drawable(value: &Value) -> DrawError {
    DrawError::NotDrawable {
        kind: value.kind(),
        value: value.to_string(),
    }
}

fn any_layout(layout: &AnyLayout, options: &Options) -> Result<Picture> {
    match (layout, options.colour) {
        (AnyLayout::Composed(_), ColourBy::Auto | ColourBy::Bank) => {
            kinds::swizzle(layout, options)
        }
        _ => kinds::layout(layout, options),
    }
}

/// Draws a tile of shared memory with its banks; the notes below the title state what is derived
/// from the tile.
fn hopper(
    tile: &AnyLayout,
    bits: u32,
    blocks: &kinds::Blocks,
    value: &Value,
    options: &Options,
) -> Result<Picture> {
    let options = Options {
        element_bits: bits,
        ..options.clone()
    };
    let mut picture = kinds::blocks(tile, blocks, &options)?;
    picture.notes.insert(0, value.to_string());
    Ok(picture)
}

/// Returns the layout of one period of a swizzle: `2^B` rows of `2^(M + |S|)` elements.
fn domain_of(swizzle: Swizzle, value: &Value) -> Result<AnyLayout> {
    let columns = swizzle.base() + swizzle.shift().unsigned_abs();
    if columns + swizzle.bits() > 16 {
        return Err(DrawError::TooLarge {
            what: value.to_string(),
            cells: 1i64
                .checked_shl(columns + swizzle.bits())
                .unwrap_or(i64::MAX),
            most: kinds::MOST_CELLS,
        });
    }
    let (rows, columns) = (1i64 << swizzle.bits(), 1i64 << columns);
    let row_major = make_layout_right(&IntTuple::from([rows, columns]))?;
    Ok(swizzled(swizzle, row_major))
}

/// Returns the names of the axes, such as `M` and `K`.
fn names(tv: &ThreadValue) -> [String; 2] {
    let name = |i: usize| {
        tv.modes()
            .get(i)
            .map_or_else(|| format!("mode {i}"), |name| name.to_lowercase())
    };
    [name(0), name(1)]
}

fn thread_value(tv: &ThreadValue, options: &Options) -> Result<Picture> {
    let [rows, columns] = names(tv);
    let mut picture =
        kinds::named_thread_value(tv.layout(), tv.tile(), [&rows, &columns], options)?;
    if tv.is_of_devices() {
        of_devices(&mut picture, tv);
    }
    if !tv.name().is_empty() && options.title.is_none() {
        picture.notes.insert(0, tv.name().to_string());
    }
    Ok(picture)
}

fn mma_atom(atom: &MmaAtom, options: &Options) -> Result<Picture> {
    let layout = |operand| AnyLayout::Plain(atom.layout(operand).clone());
    let operands = MmaOperands {
        name: atom.name().to_string(),
        shape: atom.shape(),
        a: layout(Operand::A),
        b: layout(Operand::B),
        c: layout(Operand::C),
    };
    kinds::mma(&operands, options)
}

fn tiled_mma(mma: &TiledMma, options: &Options) -> Result<Picture> {
    let layout = |operand| {
        let tv = mma
            .operand(operand)
            .map_err(|error| DrawError::NotTileable(error.to_string()))?;
        Ok::<_, DrawError>(tv.layout().clone())
    };
    let operands = MmaOperands {
        name: format!("{} over {} threads", mma.atom().name(), mma.threads()),
        shape: mma.tile(),
        a: layout(Operand::A)?,
        b: layout(Operand::B)?,
        c: layout(Operand::C)?,
    };
    kinds::mma(&operands, options)
}

fn copy_atom(atom: &CopyAtom, options: &Options) -> Result<Picture> {
    // The copy moves a single row of elements. A tile of eight elements per column shows the rows
    // of ldmatrix's matrices.
    let elements = atom.source().cosize()?.max(atom.destination().cosize()?);
    let tile = if elements % 8 == 0 {
        [8, elements / 8]
    } else {
        [1, elements]
    };
    let side = |name: &str, layout: &layout_types::dynamic::DynLayout| kinds::Side {
        name: name.to_string(),
        tv: AnyLayout::Plain(layout.clone()),
    };
    let name = format!("{} of {}", atom.operation().name(), atom.element().name());
    kinds::tiled_copy(
        &name,
        &IntTuple::from(tile),
        &side("source", atom.source()),
        &side("destination", atom.destination()),
        options,
    )
}

fn tiled_copy(copy: &TiledCopy, options: &Options) -> Result<Picture> {
    let side = |which, name: &str| {
        let tv = copy
            .side(which)
            .map_err(|error| DrawError::NotTileable(error.to_string()))?;
        Ok::<_, DrawError>(kinds::Side {
            name: name.to_string(),
            tv: tv.layout().clone(),
        })
    };
    let name = format!(
        "{} by {} threads",
        copy.atom().operation().name(),
        copy.threads()
    );
    kinds::tiled_copy(
        &name,
        copy.tile(),
        &side(Side::Source, "source")?,
        &side(Side::Destination, "destination")?,
        options,
    )
}
