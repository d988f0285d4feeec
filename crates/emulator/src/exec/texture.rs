//! `tex`, `suld`, `sust`.
//!
//! Law: the lanes act one after the other, the lowest first. The kernel ends if a handle is no
//! object of the instruction's kind and shape, or, with `.trap`, if a place is outside of the
//! surface. Source: PTX ISA, "Texture Instructions", "Surface Instructions".

use super::global::{load_texel, store_texel};
use super::instruction::{Instruction, LaneStep, Stop};
use super::run::Context;
use super::{Outcome, Trap, lanes};
use crate::fault::{Access, FaultKind, Reached, Space};
use crate::frame::{Frame, Row32, Row64, WARP};
use crate::ir::{NamedRow, Outside, Role, Texel, TexelAct, values};
use crate::memory::texture::{Array, Coordinates, Object, float, integer, taps};
use crate::texture::TextureDesc;

/// Executes the instruction for the lanes of `mask`.
pub(crate) fn execute(cx: &mut Context, frame: &mut Frame, op: &Texel, mask: u32) -> Outcome {
    let handles = frame.r64[op.object as usize];
    let coordinates: [Row32; 4] = op.coordinates.map(|row| frame.r32[row as usize]);
    let mut found: [Row64; 4] = [[0; WARP]; 4];
    for lane in lanes(mask) {
        let object = object(cx, op, lane, handles[lane])?;
        let at = coordinates.map(|row| row[lane]);
        let (layer, at) = match op.shape.is_layered() {
            true => (at[0], [at[1], at[2], 0]),
            false => (0, [at[0], at[1], at[2]]),
        };
        match (op.act, &object.sampler) {
            (TexelAct::Fetch { floats, integers }, Some(sampler)) => {
                let at = match integers {
                    true => Coordinates::Integer(at.map(|x| x as i32)),
                    false => Coordinates::Float(at.map(f32::from_bits)),
                };
                let texel = fetch(cx, lane, (object, sampler), (layer, at), floats)?;
                for (row, value) in found.iter_mut().zip(texel) {
                    row[lane] = u64::from(value);
                }
            }
            _ => {
                let place = surface(op, lane, handles[lane], &object.array, (layer, at))?;
                let (bytes, count) = (usize::from(op.bytes), usize::from(op.count));
                let Some(place) = place else { continue };
                if op.act == TexelAct::Load {
                    let loaded = load_texel(cx, lane, &object.array, place, bytes * count)?;
                    for (i, row) in found.iter_mut().enumerate().take(count) {
                        row[lane] = loaded.element(i, bytes);
                    }
                    continue;
                }
                for (i, &register) in op.registers[..count].iter().enumerate() {
                    let value = match bytes {
                        8 => frame.r64[register as usize][lane],
                        _ => u64::from(frame.r32[register as usize][lane]),
                    };
                    store_texel(&object.array, place + i * bytes, bytes, value);
                }
            }
        }
    }
    if op.act != TexelAct::Store {
        for (row, &register) in found.iter().zip(&op.registers[..usize::from(op.count)]) {
            match op.bytes {
                8 => frame.write::<u64>(register, row, mask),
                _ => frame.write::<u32>(register, &row.map(|value| value as u32), mask),
            }
        }
    }
    Ok(())
}

/// Returns the object of a handle.
fn object<'a>(cx: &Context<'a>, op: &Texel, lane: usize, handle: u64) -> Outcome<&'a Object> {
    let textures = &cx.launch.textures;
    let fetch = matches!(op.act, TexelAct::Fetch { .. });
    let wrong = |problem: String| {
        Trap::lane(
            lane,
            FaultKind::NoTexture {
                wanted: if fetch { "texture" } else { "surface" },
                handle,
                problem,
            },
        )
    };
    let Some(object) = textures.find(handle) else {
        return wrong(match textures.was(handle) {
            true => "its array was freed".to_owned(),
            false => "no object has this handle".to_owned(),
        });
    };
    let desc = &object.array.desc;
    match &object.sampler {
        None if fetch => return wrong("it is a surface".to_owned()),
        Some(_) if !fetch => return wrong("it is a texture".to_owned()),
        _ => {}
    }
    if desc.shape != op.shape {
        let (found, wanted) = (desc.shape.name(), op.shape.name());
        return wrong(format!(
            "its array is .{found}, the instruction is .{wanted}"
        ));
    }
    if let (TexelAct::Fetch { floats, .. }, Some(sampler)) = (op.act, &object.sampler)
        && floats != float(desc.format, sampler.read, 0).is_some()
    {
        let (format, read) = (desc.format, sampler.read);
        let wanted = if floats { "floats" } else { "integers" };
        return wrong(format!(
            "{format:?} read as {read:?} does not give the {wanted} that the instruction fetches"
        ));
    }
    Ok(object)
}

/// Returns the four channels of a fetch, as bits.
fn fetch(
    cx: &mut Context,
    lane: usize,
    (object, sampler): (&Object, &TextureDesc),
    (layer, at): (u32, Coordinates),
    floats: bool,
) -> Outcome<[u32; 4]> {
    let (array, desc) = (&object.array, &object.array.desc);
    let taps = taps(desc, sampler, layer, at);
    let (size, channels) = (desc.format.bytes(), desc.channels as usize);
    let mut found = [0; 4];
    let mut sums = [0f64; 4];
    for (texel, weight) in taps.all[..taps.count].iter() {
        let Some(texel) = texel.filter(|_| *weight != 0.0) else {
            continue;
        };
        let place = texel * desc.texel_bytes();
        let loaded = load_texel(cx, lane, array, place, desc.texel_bytes())?;
        for c in 0..channels {
            let bits = loaded.element(c, size) as u32;
            match float(desc.format, sampler.read, bits).filter(|_| floats) {
                // A single texel is returned unchanged, with the bits of its NaN.
                Some(value) if taps.count == 1 => found[c] = value.to_bits(),
                Some(value) => sums[c] += weight * f64::from(value),
                None => found[c] = integer(desc.format, bits),
            }
        }
    }
    if taps.count > 1 {
        found = sums.map(|sum| (sum as f32).to_bits());
    }
    Ok(found)
}

/// Returns the first byte of a surface access, or `None` if `.zero` leaves the access out.
fn surface(
    op: &Texel,
    lane: usize,
    handle: u64,
    array: &Array,
    (layer, at): (u32, [u32; 3]),
) -> Outcome<Option<usize>> {
    let desc = &array.desc;
    let total = i64::from(op.bytes) * i64::from(op.count);
    let row = i64::from(desc.extents[0]) * desc.texel_bytes() as i64;
    let dimensions = desc.shape.dimensions();
    let mut place = [0i64; 3];
    for (axis, place) in place.iter_mut().enumerate().take(dimensions) {
        *place = i64::from(at[axis] as i32);
    }
    if op.shape.is_layered() {
        place[2] = i64::from(layer);
    }
    if place[0] % total != 0 {
        let what = FaultKind::Misaligned {
            space: Space::Array,
            alignment: total as usize,
        };
        return Trap::lane(lane, what);
    }
    // The last valid place of each axis.
    let last = [
        row - total,
        i64::from(desc.extents[1]) - 1,
        i64::from(desc.extents[2]) - 1,
    ];
    let outside = place
        .iter()
        .zip(last)
        .any(|(x, last)| !(0..=last).contains(x));
    if outside {
        match op.outside {
            Outside::Zero => return Ok(None),
            Outside::Clamp if last[0] >= 0 => {
                for (x, last) in place.iter_mut().zip(last) {
                    *x = (*x).clamp(0, last);
                }
                // The row is not a whole number of accesses.
                place[0] -= place[0] % total;
            }
            _ => {
                let access = match op.act {
                    TexelAct::Store => Access::Write,
                    _ => Access::Read,
                };
                let what = FaultKind::OutsideSurface {
                    handle,
                    access,
                    size: total as usize,
                    coordinates: place,
                    extents: [row as u64, desc.extents[1].into(), desc.extents[2].into()],
                };
                return Trap::lane(lane, what);
            }
        }
    }
    let [x, y, z] = place;
    Ok(Some(
        ((z * i64::from(desc.extents[1]) + y) * row + x) as usize,
    ))
}

impl Instruction for Texel {
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        f(NamedRow::Value(&mut self.object));
        values(&mut self.coordinates, f);
        values(&mut self.registers[..usize::from(self.count)], f);
    }

    fn role(&self) -> Role {
        Role::Reaches(Reached::Memory)
    }

    fn execute(&self, step: &mut LaneStep) -> Result<(), Stop> {
        step.begin();
        Ok(execute(
            step.cx,
            &mut step.frame.registers,
            self,
            step.mask,
        )?)
    }
}
