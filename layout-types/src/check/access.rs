//! Whether the values of a copy lie in memory as whole vectors.
//!
//! ```text
//!   thread t:  values 0..8  ->  8 neighbouring halfs, the first at a multiple of 16 bytes  ->  one 16-byte access
//! ```
//!
//! Law: every vector of an access lies side by side in memory and starts at a multiple of its size, through the swizzle.

use super::admissible::Verdict;
use super::function::Function;
use super::sentence::sentence;
use super::text::Text;
use super::value::Value;

macro_rules! rule {
    ($text:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(rule) => return Err(*$text.text(&sentence(&rule))),
        }
    };
}

/// `bytes` an access of `elements` each; what no instruction moves is refused.
const fn vector(elements: i64, bytes: i64) -> Result<(), Text> {
    if elements >= 1 && bytes >= 1 && matches!(elements * bytes, 1 | 2 | 4 | 8 | 16) {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("no instruction moves ").number(elements);
    text.say(" elements of ").number(bytes);
    Err(*text.say(" bytes at once; it is 1, 2, 4, 8 or 16 bytes together"))
}

/// Whether each run of `elements` values lies side by side in memory and starts at a multiple of its size. The runs are
/// those of `layout` in the order of its coordinates or, with a thread-value layout `tv` in front, those of each thread's
/// values.
///
/// # Errors
/// The sentence that names the first value that lies elsewhere.
///
/// ```
/// use layout_types::{check::{Reflect, contiguous}, prelude::*};
/// type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
/// type Tv = layout!(((4,8),8):((64,1),8)); // 32 threads, 8 halfs of a row each
/// assert!(contiguous(&Smem::VALUE, Some(&Tv::VALUE), 8, 2).is_ok());
/// assert!(contiguous(&Smem::VALUE, None, 8, 2).is_err());
/// ```
pub const fn contiguous(layout: &Value, tv: Option<&Value>, elements: i64, bytes: i64) -> Verdict {
    if let Err(text) = vector(elements, bytes) {
        return Err(text);
    }
    let mut text = Text::new();
    if let Some(tv) = tv {
        text.text(&tv.notation()).say(" into ");
    }
    text.text(&layout.notation())
        .say(" has no vectors of ")
        .number(elements)
        .say(" elements: ");
    let memory = rule!(text, Function::new(layout));
    let (order, threads, values) = match tv {
        None => (None, 1, rule!(text, layout.size())),
        Some(tv) => {
            let threads = rule!(text, tv.mode(0).size());
            let size = rule!(text, tv.size());
            (
                Some(rule!(text, Function::new(tv))),
                threads,
                size / threads,
            )
        }
    };
    if values % elements != 0 {
        text.number(values).say(" values");
        if threads > 1 {
            text.say(" of a thread");
        }
        return Err(*text.say(" are no whole number of vectors"));
    }
    if elements == 1 {
        return Ok(());
    }
    let mut thread = 0;
    while thread < threads {
        let (mut first, mut value) = (0, 0);
        while value < values {
            let at = thread + value * threads;
            let offset = match &order {
                None => memory.at(at),
                Some(order) => memory.at(order.at(at)),
            };
            let in_vector = value % elements;
            if in_vector == 0 {
                first = offset;
            }
            if in_vector == 0 && offset % elements != 0 {
                text.say("value ").number(value);
                by_thread(&mut text, &order, thread);
                text.say(" is at offset ").number(offset);
                text.say(", byte ").number(offset * bytes);
                text.say(", which is no multiple of ");
                return Err(*text.number(elements * bytes).say(" bytes"));
            }
            if offset != first + in_vector {
                text.say("values ").number(value - in_vector).say(" and ");
                text.number(value);
                by_thread(&mut text, &order, thread);
                text.say(" are at offsets ")
                    .number(first)
                    .say(" and ")
                    .number(offset);
                return Err(*text
                    .say(", and the vector has ")
                    .number(first + in_vector)
                    .say(" there"));
            }
            value += 1;
        }
        thread += 1;
    }
    Ok(())
}

const fn by_thread(text: &mut Text, order: &Option<Function>, thread: i64) {
    if order.is_some() {
        text.say(" of thread ").number(thread);
    }
}
