//! Bank conflicts of a tiled copy: which addresses each thread accesses, from the copy's own
//! partition.
//!
//! ```text
//!   ldmatrix of (128,32) halfs by the A of a tiled MMA       phase: lanes 0..8 of a warp, 16 bytes each
//!   thread t, vector v  ->  swizzle(thread offset + part(8 v))
//! ```
//!
//! Law: the lanes of each phase access no two different words in one bank; a phase consists of as
//! many consecutive threads as access 128 bytes. The lanes of an `ldmatrix` are the addresses that
//! it takes, so one of its phases is an 8x8 matrix.
//!
//! Source: CUDA C++ Programming Guide, "Shared Memory"; PTX ISA, *Warp-level matrix load
//! instruction: ldmatrix*.

use super::admissible::Verdict;
use super::asserts::Reflect;
use super::banks::Phase;
use super::chooser::Function;
use super::text::Text;
use super::text::sentence;
use super::value::Value;
use crate::atom::Element;
use crate::tiled::{CopiesVectors, CopyPartitionOf, CopyThreadOf};
use typenum::Unsigned;

/// A tensor as the threads of a tiled copy partition it.
#[derive(Clone, Copy)]
pub struct Parts {
    /// The tensor's layout.
    pub layout: Value,
    /// The layout that maps a thread's index to the offset of its part.
    pub threads: Value,
    /// The layout of a thread's part.
    pub part: Value,
    /// The number of elements that a thread takes at a time.
    pub vector: i64,
    /// The number of bits of an element.
    pub element_bits: u32,
}
impl Parts {
    /// Returns the side `Side` of the tensor `L`, as the tiled copy `C` partitions it.
    #[must_use]
    pub const fn of<C, Side, L>() -> Self
    where
        C: CopiesVectors<Side, L>,
        L: Reflect,
        CopyThreadOf<C, Side, L>: Reflect,
        CopyPartitionOf<C, Side, L>: Reflect,
    {
        Self {
            layout: L::VALUE,
            threads: <CopyThreadOf<C, Side, L> as Reflect>::VALUE,
            part: <CopyPartitionOf<C, Side, L> as Reflect>::VALUE,
            vector: C::Vector::I64,
            element_bits: <C::Element as Element>::Bits::U32,
        }
    }
}

/// The largest number of counted offsets that are remembered. Later offsets are compared with
/// these, by the bits that banks and swizzles depend on.
const MOST_SEEN: usize = 64;

/// Checks that the lanes of each phase of the access `what` access distinct banks.
///
/// # Errors
/// Returns the sentence that names the first two threads that share a bank, the passes of the worst
/// phase, and a swizzle without conflicts.
///
/// ```
/// use layout_types::{check::{Parts, conflict_free_parts}, prelude::*};
/// use layout_types::atom::copy::UniversalCopy;
/// use layout_types::tiled::{Destination, MakeTiledCopy};
/// type Copy = MakeTiledCopy<UniversalCopy<u128>, half::f16, layout!((16,2):(1,16)), layout!((1,8))>;
/// type Smem = layout!((16,16):(16,1));
/// let parts = Parts::of::<Copy, Destination, Smem>();
/// assert_eq!(conflict_free_parts("write", &parts).unwrap_err().as_str(),
///     "write of (16,16):(16,1), 16 bits an element, has bank conflicts: threads 0 and 4 are at offsets 0 and 64 with \
///      value 0, in one bank; 2 passes for the worst phase; Swizzle<1, 3, 3> would have none (choose_swizzle!)");
/// ```
pub const fn conflict_free_parts(what: &str, parts: &Parts) -> Verdict {
    let mut text = Text::new();
    text.say(what).say(" of ").text(&parts.layout.notation());
    text.say(", ").number(parts.element_bits as i64);
    text.say(" bits an element, ");
    macro_rules! rule {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(rule) => return Err(*text.say("cannot be counted: ").text(&sentence(&rule))),
            }
        };
    }
    let mut access = Access {
        memory: rule!(Function::new(&parts.layout)),
        threads: rule!(Function::new(&parts.threads.domain())),
        part: rule!(Function::new(&parts.part.domain())),
        count: rule!(parts.threads.size()),
        size: rule!(parts.part.size()),
        vector: parts.vector,
        element_bits: parts.element_bits,
        other: None,
    };
    let Some(found) = access.conflict() else {
        return Ok(());
    };
    text.say("has bank conflicts: threads ").number(found.other);
    text.say(" and ")
        .number(found.thread)
        .say(" are at offsets ");
    text.number(access.place(access.threads.at(found.other) + found.from));
    text.say(" and ").number(found.offset).say(" with value ");
    text.number(found.value).say(", in one bank; ");
    text.number(found.ways).say(" passes for the worst phase");
    access.cure(&mut text, rule!(parts.layout.domain().size()));
    Err(text)
}

/// The addresses that the threads of a tiled copy access.
struct Access {
    memory: Function,
    threads: Function,
    part: Function,
    count: i64,
    size: i64,
    vector: i64,
    element_bits: u32,
    /// A swizzle to try in place of the layout's own.
    other: Option<(u32, u32, u32)>,
}
/// The first two threads that share a bank, with the value, and the passes of the worst phase.
#[derive(Clone, Copy)]
struct Conflict {
    other: i64,
    thread: i64,
    from: i64,
    value: i64,
    offset: i64,
    ways: i64,
}
impl Access {
    const fn place(&self, offset: i64) -> i64 {
        match self.other {
            None => self.memory.swizzled(offset),
            Some((bits, base, shift)) => {
                offset ^ (offset & (((1 << bits) - 1) << (base + shift))) >> shift
            }
        }
    }

    const fn conflict(&self) -> Option<Conflict> {
        let bytes = self.vector * self.element_bits as i64 / 8;
        let lanes = if bytes > 4 { 128 / bytes } else { 32 };
        // Two offsets that differ by whole periods of the swizzle and of the banks are on the same
        // banks.
        let mut period = 128 * 8 / self.element_bits as i64;
        if self.memory.period() > period {
            period = self.memory.period();
        }
        if let Some((bits, base, shift)) = self.other
            && 1 << (bits + base + shift) > period
        {
            period = 1 << (bits + base + shift);
        }
        let (mut seen, mut seen_len) = ([0; MOST_SEEN], 0);
        let (mut phase, mut found) = (Phase::new(self.element_bits, bytes), None);
        let (mut ways, mut value) = (1, 0);
        // If a value's offset has no bit that a thread reaches, it is exclusive-ored with the
        // offsets of the threads. A phase's offset is likewise exclusive-ored with the offsets
        // within the phase, and the same holds for the banks. So all such values have the conflicts
        // of the first phase of the first such value.
        let bits = if self.memory.adds_nothing() && self.element_bits.is_power_of_two() {
            self.threads.linear_bits()
        } else {
            None
        };
        let mut stood_for = false;
        'values: while value < self.size {
            let from = self.part.at(value);
            let mut i = 0;
            while i < seen_len {
                if (seen[i] - from) % period == 0 {
                    value += self.vector;
                    continue 'values;
                }
                i += 1;
            }
            if seen_len < MOST_SEEN {
                seen[seen_len] = from;
                seen_len += 1;
            }
            let alike = match bits {
                Some(bits) => from >= 0 && from & bits == 0,
                None => false,
            };
            if alike && stood_for {
                value += self.vector;
                continue;
            }
            stood_for |= alike;
            let most = if alike && self.count > lanes {
                lanes
            } else {
                self.count
            };
            let mut thread = 0;
            while thread < most {
                if thread % lanes == 0 {
                    phase.clear();
                }
                let offset = self.place(self.threads.at(thread) + from);
                if let Some(other) = phase.add(thread, offset) {
                    if phase.ways > ways {
                        ways = phase.ways;
                    }
                    if found.is_none() {
                        found = Some((other, thread, from, value, offset));
                    }
                    // While a swizzle is tried, one conflict is enough to reject it.
                    if self.other.is_some() {
                        break 'values;
                    }
                }
                thread += 1;
            }
            value += self.vector;
        }
        match found {
            None => None,
            Some((other, thread, from, value, offset)) => Some(Conflict {
                other,
                thread,
                from,
                value,
                offset,
                ways,
            }),
        }
    }

    /// Names the swizzle with the fewest bits that leaves no conflict. It must keep vectors whole
    /// and the tile's `elements` within the tile. Nothing is appended if there is no such swizzle.
    const fn cure(&mut self, text: &mut Text, elements: i64) {
        let base = (self.vector as u64).trailing_zeros();
        let mut bits = 1;
        while bits <= 3 && elements % (1 << (base + bits)) == 0 {
            let mut shift = bits;
            while shift <= 5 {
                self.other = Some((bits, base, shift));
                if self.conflict().is_none() {
                    text.say("; Swizzle<").count(bits as usize).say(", ");
                    text.count(base as usize).say(", ").count(shift as usize);
                    text.say("> would have none (choose_swizzle!)");
                    return;
                }
                shift += 1;
            }
            bits += 1;
        }
    }
}

/// The accesses that [`assert_bank_conflict_free!`](crate::assert_bank_conflict_free) derives from
/// tiled copies.
#[doc(hidden)]
#[macro_export]
macro_rules! __bank_conflict_free_parts {
    // All tokens up to `by` are the layout.
    (@layout [$($access:tt)*] [$($layout:tt)+] by $($by:tt)+) => {
        $crate::__bank_conflict_free_parts!(@by [$($access)*] [$($layout)+] $($by)+);
    };
    (@layout [$($access:tt)*] [$($layout:tt)*] $next:tt $($rest:tt)*) => {
        $crate::__bank_conflict_free_parts!(@layout [$($access)*] [$($layout)* $next] $($rest)*);
    };
    (@layout $($other:tt)*) => {
        ::core::compile_error!("write `ldmatrix of Smem by Mma`, `stmatrix of Smem by Mma`, `write of Smem by Copy` or `read of Smem by Copy`");
    };
    (@by [write] [$($layout:tt)+] $copy:ty $(,)?) => {
        $crate::__bank_conflict_free_parts!(@check "write", [$copy], Destination, [$($layout)+]);
    };
    (@by [read] [$($layout:tt)+] $copy:ty $(,)?) => {
        $crate::__bank_conflict_free_parts!(@check "read", [$copy], Source, [$($layout)+]);
    };
    (@by [stmatrix $($m:tt)*] [$($layout:tt)+] $mma:ty $(,)?) => {
        $crate::__bank_conflict_free_parts!(@check concat!("stmatrix", $(stringify!($m)),*),
            [$crate::tiled::MakeTiledCopyC<$crate::__matrix_atom!(stmatrix $($m)*), u16, $mma>], Destination, [$($layout)+]);
    };
    (@by [ldmatrix $($m:tt)*] [$($layout:tt)+] $mma:ty $(, operand A)? $(,)?) => {
        $crate::__bank_conflict_free_parts!(@check concat!("ldmatrix", $(stringify!($m)),*),
            [$crate::tiled::MakeTiledCopyA<$crate::__matrix_atom!(ldmatrix $($m)*), $crate::__operand!($mma, ValTypeA), $mma>],
            Source, [$($layout)+]);
    };
    (@by [ldmatrix $($m:tt)*] [$($layout:tt)+] $mma:ty, operand B $(,)?) => {
        $crate::__bank_conflict_free_parts!(@check concat!("ldmatrix", $(stringify!($m)),*),
            [$crate::tiled::MakeTiledCopyB<$crate::__matrix_atom!(ldmatrix $($m)*), $crate::__operand!($mma, ValTypeB), $mma>],
            Source, [$($layout)+]);
    };
    (@by $($other:tt)*) => {
        ::core::compile_error!("the operand of `ldmatrix` is `operand A` or `operand B`");
    };
    (@check $what:expr, [$copy:ty], $side:ident, [$layout:ty]) => {
        #[allow(long_running_const_eval)]
        const _: () = $crate::check::require($crate::check::conflict_free_parts(
            $what,
            &$crate::check::Parts::of::<$copy, $crate::tiled::$side, $layout>(),
        ));
    };
}

/// The element type of an operand.
#[doc(hidden)]
#[macro_export]
macro_rules! __operand {
    ($mma:ty, $type:ident) => {
        <<$mma as $crate::tiled::TiledMmaTraits>::Atom as $crate::atom::MmaAtom>::$type
    };
}

/// The copy atom that an instruction's name stands for.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __matrix_atom {
    (ldmatrix $(.x4)?) => { $crate::atom::copy::Sm75_U32x4_LDSM_N };
    (ldmatrix .x2) => { $crate::atom::copy::Sm75_U32x2_LDSM_N };
    (ldmatrix .x1) => { $crate::atom::copy::Sm75_U32x1_LDSM_N };
    (ldmatrix .trans) => { $crate::atom::copy::Sm75_U16x8_LDSM_T };
    (ldmatrix .x4.trans) => { $crate::atom::copy::Sm75_U16x8_LDSM_T };
    (ldmatrix .x2.trans) => { $crate::atom::copy::Sm75_U16x4_LDSM_T };
    (ldmatrix .x1.trans) => { $crate::atom::copy::Sm75_U16x2_LDSM_T };
    (stmatrix $(.x4)?) => { $crate::atom::copy::Sm90_U32x4_STSM_N };
    (stmatrix .x2) => { $crate::atom::copy::Sm90_U32x2_STSM_N };
    (stmatrix .x1) => { $crate::atom::copy::Sm90_U32x1_STSM_N };
    (stmatrix .trans) => { $crate::atom::copy::Sm90_U16x8_STSM_T };
    (stmatrix .x4.trans) => { $crate::atom::copy::Sm90_U16x8_STSM_T };
    (stmatrix .x2.trans) => { $crate::atom::copy::Sm90_U16x4_STSM_T };
    (stmatrix .x1.trans) => { $crate::atom::copy::Sm90_U16x2_STSM_T };
    ($($other:tt)*) => {
        ::core::compile_error!("the matrix instructions are `ldmatrix` and `stmatrix`, then `.x1`, `.x2` or `.x4`, then `.trans`")
    };
}
