//! Loads, stores and atomics of a warp, and copies that it issues.
//!
//! Law: each access is checked first and then executed. Lanes act in order: a lane of a store is
//! checked against the bytes that the lanes before it have written, since writing the value that is
//! already there is not a conflict.

use super::super::access::Addresses;
use super::super::banks::Cost;
use super::super::run::Context;
use super::super::values::Values;
use super::super::{Outcome, lanes};
use super::bytes::Shared;
use super::object::ObjectPlace;
use super::place::{Request, offsets};
use crate::frame::{FULL, Row32, WARP};
use crate::ir::Strength;
use crate::memory::releases::Does;
use crate::memory::shadow::Shadow;

/// The bytes that a warp has read.
pub(crate) struct Loaded<'a> {
    shared: &'a Shared,
    offsets: &'a Addresses,
    bytes: usize,
}

/// Reads shared memory; with a strength, as an atomic or ordered access. Writes the lanes' offsets
/// to `at`.
#[inline(always)]
pub(crate) fn load<'c>(
    cx: &'c mut Context,
    request: &Request,
    strength: Option<Strength>,
    at: &'c mut Addresses,
) -> Outcome<Loaded<'c>> {
    offsets(cx, request, at)?;
    let offsets = &*at;
    let Request {
        all, mask, bytes, ..
    } = *request;
    if strength.is_some() || !cx.shadow_reads(offsets, mask, bytes) {
        for lane in lanes(mask) {
            let place = (offsets[lane] as usize, bytes);
            cx.shadow_scope(strength);
            cx.shadow_read(lane, all[lane], place, strength.is_some())?;
            if let Some(strength) = strength {
                cx.shadow_strong(lane, place, (Does::Read, strength));
            }
        }
    }
    cx.swizzled_alike(all, offsets, mask, bytes)?;
    Ok(Loaded {
        shared: cx.shared,
        offsets,
        bytes,
    })
}

impl Loaded<'_> {
    /// Writes word `k` of each lane to `row`.
    #[inline(always)]
    pub fn words(&self, k: usize, row: &mut Row32) {
        assert!(4 * k + 4 <= self.bytes);
        for (out, &at) in row.iter_mut().zip(self.offsets) {
            *out = self.shared.word(at as usize + 4 * k);
        }
    }

    /// Returns element `k` of a lane, where elements have 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub fn element(&self, lane: usize, k: usize, bytes: usize) -> u64 {
        assert!(k * bytes + bytes <= self.bytes);
        self.shared
            .load(self.offsets[lane] as usize + k * bytes, bytes)
    }

    /// Returns the first 16 bytes of a lane as four words.
    #[inline(always)]
    pub fn row(&self, lane: usize) -> [u32; 4] {
        assert!(self.bytes >= 16);
        self.shared.row(self.offsets[lane] as usize)
    }
}

/// Writes shared memory; with a strength, as an atomic or ordered access. For rows of a matrix each
/// lane is reported by itself.
#[inline(always)]
pub(crate) fn store(
    cx: &mut Context,
    request: &Request,
    strength: Option<Strength>,
    new: &impl Values,
) -> Outcome {
    let mut at = [0; WARP];
    offsets(cx, request, &mut at)?;
    let offsets = &at;
    let Request {
        all,
        mask,
        bytes: total,
        cost,
        ..
    } = *request;
    let (bytes, rows) = (new.bytes(), cost == Cost::Rows);
    let count = total / bytes;
    let ordered = strength.is_some();
    if !ordered && !rows && cx.shadow_writes(offsets, mask, total) {
        if mask == FULL && bytes == 4 && new.words(0).is_some() {
            for (k, row) in (0..count).filter_map(|k| Some((k, new.words(k)?))) {
                cx.shared.set_words(offsets, k, row);
            }
            return Ok(());
        }
        for lane in lanes(mask) {
            write_lane(cx.shared, offsets[lane] as usize, count, lane, new);
        }
        return Ok(());
    }
    for lane in lanes(mask) {
        let at = offsets[lane] as usize;
        // The byte that this lane is about to write.
        let byte = |byte: usize| new.byte(lane, byte - at);
        let others = (!rows).then_some((offsets, mask));
        cx.shadow_scope(strength);
        cx.shadow_write(lane, all[lane], (at, total), ordered, others, byte)?;
        if let Some(strength) = strength {
            cx.shadow_strong(lane, (at, total), (Does::Write, strength));
        }
        write_lane(cx.shared, at, count, lane, new);
    }
    Ok(())
}

#[inline(always)]
fn write_lane(shared: &mut Shared, at: usize, count: usize, lane: usize, new: &impl Values) {
    let bytes = new.bytes();
    for k in 0..count {
        shared.store(at + k * bytes, bytes, new.element(lane, k));
    }
}

/// Executes atomic operations, lane after lane: `by` computes the new value from the old one. With
/// `overwrites` the old value need not be initialised.
#[inline(always)]
pub(crate) fn update(
    cx: &mut Context,
    request: &Request,
    (overwrites, strength): (bool, Strength),
    mut by: impl FnMut(usize, u64) -> u64,
) -> Outcome {
    let mut at = [0; WARP];
    offsets(cx, request, &mut at)?;
    let offsets = &at;
    let Request {
        all, mask, bytes, ..
    } = *request;
    for lane in lanes(mask) {
        let at = offsets[lane] as usize;
        let written = |shadow: &&mut Shadow| shadow.is_written(at, bytes);
        cx.shadow_scope(Some(strength));
        if !overwrites || cx.shadow.as_ref().is_some_and(written) {
            cx.shadow_read(lane, all[lane], (at, bytes), true)?;
        }
        cx.shadow_write(lane, all[lane], (at, bytes), true, None, |_| 0)?;
        cx.shadow_strong(lane, (at, bytes), (Does::Modify, strength));
        let old = cx.shared.load(at, bytes);
        cx.shared.store(at, bytes, by(lane, old));
    }
    Ok(())
}

/// Places of an access that the shadow does not know yet.
pub(crate) struct Placed<'a> {
    request: Request<'a>,
    offsets: Addresses,
}

/// Finds the places of an access that is completed later.
#[inline(always)]
pub(crate) fn place<'a>(cx: &mut Context, request: Request<'a>) -> Outcome<Placed<'a>> {
    let mut at = [0; WARP];
    offsets(cx, &request, &mut at)?;
    Ok(Placed {
        request,
        offsets: at,
    })
}

impl Placed<'_> {
    /// Returns each lane's offset in the cluster's shared memory.
    pub fn offsets(&self) -> &Addresses {
        &self.offsets
    }

    /// Returns the place of a lane's mbarrier object.
    pub fn object(&self, lane: usize) -> ObjectPlace {
        ObjectPlace::new(
            self.request.all[lane],
            self.offsets[lane] as usize,
            self.request.bytes,
        )
    }

    /// Issues a `cp.async` of these values and writes their bytes at once. The shadow refuses any
    /// access to the bytes until the copy has been waited for.
    pub fn issue(&self, cx: &mut Context, values: &[[u32; 4]; WARP]) -> Outcome {
        let Request {
            all, mask, bytes, ..
        } = self.request;
        for lane in lanes(mask) {
            let at = self.offsets[lane] as usize;
            cx.shadow_issue(lane, all[lane], (at, bytes))?;
            for (word, &value) in values[lane][..bytes / 4].iter().enumerate() {
                cx.shared.set_word(at + 4 * word, value);
            }
        }
        Ok(())
    }
}
