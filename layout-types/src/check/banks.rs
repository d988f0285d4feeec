//! Checks that the lanes of a warp access distinct banks.
//!
//! ```text
//!   (8,32):(32,1) of halfs, ldmatrix: 8 rows, 16 bytes of each
//!   row     0  1  2  3  4  5  6  7          32 banks of 4 bytes; a row of 64 bytes takes 16 of them
//!   banks   0 16  0 16  0 16  0 16 ..       row 0 and row 2 share theirs: conflicts, 4 ways
//! ```
//!
//! Law: in a phase of a warp, no two lanes access different words in one bank. Source: CUDA C++
//! Programming Guide, "Shared Memory".

use super::admissible::Verdict;
use super::chooser::Function;
use super::chooser::{ChosenSwizzle, choose};
use super::covers::coordinate;
use super::lanes::contiguous;
use super::lanes::{Lanes, shared};
use super::text::Text;
use super::text::sentence;
use super::value::Value;
use crate::dynamic::rules;

macro_rules! rule {
    ($text:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(rule) => return Err(*$text.text(&sentence(&rule))),
        }
    };
}

/// Checks that the lanes of each phase of an access to `layout` access distinct banks. The rows of
/// the tile run along mode 1, or along mode 0 if mode 0 is contiguous; further modes are stages.
///
/// # Errors
/// Returns the sentence that names the first two lanes that share a bank.
///
/// ```
/// use layout_types::{check::{Lanes, Reflect, conflict_free}, prelude::*};
/// type Plain = layout!((8,32):(32,1));
/// type Swizzled = Composition<Swizzle<2, 3, 3>, Plain>;
/// assert!(conflict_free(&Swizzled::VALUE, 16, &Lanes::Ldmatrix).is_ok());
/// assert_eq!(conflict_free(&Plain::VALUE, 16, &Lanes::Ldmatrix).unwrap_err().as_str(),
///     "ldmatrix of (8,32):(32,1), 16 bits an element, has bank conflicts: elements (0,0) and (2,0) of one phase, at \
///      offsets 0 and 64, share a bank; 4 passes for the worst phase, 12 extra in all; choose_swizzle! has Swizzle<2, 3, 3> with none");
/// ```
pub const fn conflict_free(layout: &Value, element_bits: u32, lanes: &Lanes) -> Verdict {
    let mut text = Text::new();
    lanes.name(&mut text);
    text.say(" of ").text(&layout.notation());
    text.say(", ")
        .number(element_bits as i64)
        .say(" bits an element, ");
    let mut refused = text;
    refused.say("cannot be counted: ");
    let memory = rule!(refused, shared(layout, element_bits));
    let access = rule!(refused, lanes.access(&rule!(refused, memory.tile())));
    // The whole tile has to fit, even if only a part of it is examined.
    rule!(refused, memory.fits(lanes));
    let (part, parts) = rule!(refused, memory.part(&[*lanes]));
    let found = rule!(refused, rules::conflicts(&part, &[access], &memory.swizzle));
    if found.extra == 0 {
        return Ok(());
    }
    let turned = memory.turned;
    text.say("has bank conflicts: ");
    first_conflict(&mut text, layout, element_bits, lanes, turned);
    text.number(found.ways).say(" passes for the worst phase, ");
    let extra = found.extra * parts;
    text.number(extra).say(" extra in all");
    cure(&mut text, choose(layout, element_bits, &[*lanes]), extra);
    Err(text)
}

/// Names the swizzle that has fewer extra passes, if there is one.
const fn cure(text: &mut Text, choice: Result<ChosenSwizzle, Text>, extra: i64) {
    let Ok(choice) = choice else { return };
    if choice.b == 0 || choice.extra as i64 >= extra {
        return;
    }
    text.say("; choose_swizzle! has Swizzle<").count(choice.b);
    text.say(", ").count(choice.m).say(", ");
    text.number(choice.s as i64).say("> with ");
    match choice.extra {
        0 => text.say("none"),
        extra => text.count(extra),
    };
}

/// Names the first two elements that share a bank. The search visits the phases in the order in
/// which [`conflict_free`] counts them.
const fn first_conflict(
    text: &mut Text,
    layout: &Value,
    element_bits: u32,
    lanes: &Lanes,
    turned: bool,
) {
    let function = match Function::new(layout) {
        Ok(function) => function,
        Err(_) => return,
    };
    let (first, second) = match (
        layout.domain().mode(0).size(),
        layout.domain().mode(1).size(),
    ) {
        (Ok(first), Ok(second)) => (first, second),
        _ => return,
    };
    let (rows, columns) = if turned {
        (second, first)
    } else {
        (first, second)
    };
    let bytes = lanes.bytes();
    let (down, across, elements) = lanes.block(columns, element_bits);
    let most = down * across;
    let mut phase = Phase::new(element_bits, bytes);
    let (blocks_across, blocks) = (
        columns / (across * elements),
        rows / down * (columns / (across * elements)),
    );
    let mut block = 0;
    while block < blocks {
        phase.clear();
        let (row, column) = (
            block / blocks_across * down,
            block % blocks_across * across * elements,
        );
        let mut lane = 0;
        while lane < most {
            let (r, c) = (row + lane / across, column + lane % across * elements);
            let at = if turned { c + r * first } else { r + c * first };
            if let Some(other) = phase.add(at, function.at(at)) {
                text.say("elements ");
                coordinate(text, layout, other);
                text.say(" and ");
                coordinate(text, layout, at);
                text.say(" of one phase, at offsets ");
                text.number(function.at(other))
                    .say(" and ")
                    .number(function.at(at));
                text.say(", share a bank; ");
                return;
            }
            lane += 1;
        }
        block += 1;
    }
}

/// The words that the lanes of one phase have touched.
pub(super) struct Phase {
    bits: i64,
    unit: i64,
    len: usize,
    lanes: [(i64, i64); 32],
    /// For each bank, whether a lane accesses it.
    taken: [bool; 32],
    /// The number of words in the last lane's bank, which is its number of passes.
    pub(super) ways: i64,
}

impl Phase {
    pub(super) const fn new(element_bits: u32, bytes: i64) -> Self {
        Self {
            bits: element_bits as i64,
            unit: if bytes > 4 { bytes } else { 4 },
            len: 0,
            lanes: [(0, 0); 32],
            taken: [false; 32],
            ways: 1,
        }
    }

    pub(super) const fn clear(&mut self) {
        self.len = 0;
        self.taken = [false; 32];
    }

    /// Adds a lane called `name`. Returns the earlier lane that accesses another word in the same
    /// bank, if there is one.
    pub(super) const fn add(&mut self, name: i64, offset: i64) -> Option<i64> {
        let word = offset * self.bits / (self.unit * 8);
        let banks = 128 / self.unit;
        let (mut first, mut i) = (None, 0);
        self.ways = 1;
        // Most lanes have a bank that no other lane accesses, so no other lane has to be compared.
        let bank = word.rem_euclid(banks) as usize;
        if !self.taken[bank] {
            self.taken[bank] = true;
            i = self.len;
        }
        while i < self.len {
            let (other, seen) = self.lanes[i];
            if seen == word {
                return None;
            }
            if seen % banks == word % banks {
                self.ways += 1;
                if first.is_none() {
                    first = Some(other);
                }
            }
            i += 1;
        }
        if self.len < self.lanes.len() {
            self.lanes[self.len] = (name, word);
            self.len += 1;
        }
        first
    }
}

/// Checks that the threads of a warp access distinct banks in each phase. Each thread takes `bytes`
/// bytes at a time of its values in the thread-value layout `tv`. The vectors must be
/// [`contiguous`].
///
/// # Errors
/// Returns the sentence that names the first two threads that share a bank, or says why the values
/// are no vectors.
///
/// ```
/// use layout_types::{check::{Reflect, conflict_free_by}, prelude::*};
/// type Tv = layout!(((4,8),8):((64,1),8)); // a warp: 4 threads a row, 8 rows, 8 halfs each
/// type Smem = layout!((8,32):(32,1));
/// assert!(conflict_free_by(&Smem::VALUE, 16, &Tv::VALUE, 16).is_ok());
/// ```
pub const fn conflict_free_by(
    layout: &Value,
    element_bits: u32,
    tv: &Value,
    bytes: i64,
) -> Verdict {
    let element_bytes = element_bits as i64 / 8;
    let elements = if element_bytes > 0 {
        bytes / element_bytes
    } else {
        0
    };
    let vectors = contiguous(layout, Some(tv), elements, element_bytes);
    if vectors.is_err() {
        return vectors;
    }
    let mut text = Text::new();
    text.number(bytes).say(" bytes a thread by ");
    text.text(&tv.notation())
        .say(" of ")
        .text(&layout.notation());
    text.say(", ").number(element_bits as i64);
    text.say(" bits an element, has bank conflicts: ");
    let memory = rule!(text, Function::new(layout));
    let order = rule!(text, Function::new(tv));
    let threads = rule!(text, tv.mode(0).size());
    let values = rule!(text, tv.size()) / threads;
    let lanes = if bytes > 4 { 128 / bytes } else { 32 };
    // If the layout and the thread-value layout are linear over exclusive or, the offset of a phase
    // is exclusive-ored with the offsets within it, and the phase's bank with their banks. Then all
    // phases have the conflicts of the first one.
    let one = memory.is_linear() && order.is_linear() && element_bits.is_power_of_two();
    let (most, last) = if one && threads > lanes {
        (lanes, elements)
    } else if one {
        (threads, elements)
    } else {
        (threads, values)
    };
    let mut phase = Phase::new(element_bits, bytes);
    let mut value = 0;
    while value < last {
        let mut thread = 0;
        while thread < most {
            if thread % lanes == 0 {
                phase.clear();
            }
            let offset = memory.at(order.at(thread + value * threads));
            if let Some(other) = phase.add(thread, offset) {
                text.say("threads ").number(other).say(" and ");
                text.number(thread).say(" are at offsets ");
                text.number(memory.at(order.at(other + value * threads)))
                    .say(" and ")
                    .number(offset);
                return Err(*text.say(" with value ").number(value).say(", in one bank"));
            }
            thread += 1;
        }
        value += elements;
    }
    Ok(())
}

/// Checks [`conflict_free`] for each of the accesses.
///
/// # Errors
/// Returns the sentence of the first access with a conflict.
pub const fn all_conflict_free(layout: &Value, element_bits: u32, accesses: &[Lanes]) -> Verdict {
    let mut i = 0;
    while i < accesses.len() {
        let verdict = conflict_free(layout, element_bits, &accesses[i]);
        if verdict.is_err() {
            return verdict;
        }
        i += 1;
    }
    Ok(())
}
