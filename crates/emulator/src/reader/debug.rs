//! `.loc` and `.section .debug_str`: the line of the source from which an instruction comes, and
//! the functions that were inlined there.
//!
//! ```text
//! .loc 1 20 7                                                       kernel.cu:20
//! .loc 2 5 3, function_name $L__info_string0, inlined_at 1 20 7     helper.h:5, in what `$L__info_string0` names,
//! ...                                                               which was inlined at kernel.cu:20
//! .section .debug_str { $L__info_string0: .b8 95, 90, 53, 0 }
//! .loc 2 5 3  // src/a.rs:5:3 @[ src/lib.rs:20:7 ]                  the same by LLVM, which has no `inlined_at` for PTX: in a comment
//! //cutlet.path /out/kernels.ptx                                    where the text is, by `cuda_builder`
//! ```
//!
//! Law: debug information has no effect on execution. Therefore anything in it that is not
//! understood is left out, and is never an error. The place of `inlined_at` is the last `.loc` of
//! the function at this file, line and column, together with the place at which the function of
//! that `.loc` is inlined; PTX requires such a `.loc` to precede. Source: PTX ISA, "Debugging
//! Directives: .loc", "Debugging Directives: .section".

use std::collections::HashMap;

use super::Reader;
use super::syntax::{DebugStrings, Location};
use super::token::Kind;
use crate::error::PtxError;

/// The `.loc` directives read so far.
#[derive(Default)]
pub(super) struct Locations<'s> {
    pub all: Vec<Location<'s>>,
    /// The last location of the function at each file, line and column.
    last: HashMap<(u32, u32, u32), u32>,
    /// The locations that a comment names, by file, line, column and the location at which they are
    /// inlined.
    named: HashMap<Named<'s>, u32>,
    /// The location in force.
    pub current: Option<u32>,
}

/// A location that a comment names.
type Named<'s> = (&'s str, u32, u32, Option<u32>);

/// The number of a file that only comments name.
const NO_FILE: u32 = u32::MAX;

impl<'s> Locations<'s> {
    /// Begins a function.
    pub fn begin(&mut self) {
        self.last.clear();
        self.current = None;
    }

    fn add(&mut self, location: Location<'s>) -> u32 {
        let index = self.all.len() as u32;
        self.last.insert(location.position, index);
        self.all.push(location);
        index
    }

    fn at(&mut self, position: (u32, u32, u32)) -> u32 {
        match self.last.get(&position) {
            Some(&index) => index,
            None => self.add(Location {
                position,
                name: None,
                function: None,
                inlined_at: None,
            }),
        }
    }

    /// Returns the location that the `@[ .. ]` of a comment names. The innermost call comes first:
    /// `b.rs:1:2 @[ a.rs:3:4 ] ]`.
    fn calls(&mut self, text: &'s str) -> Option<u32> {
        let mut outer = None;
        for call in text.rsplit(" @[ ") {
            let (name, line, column) = named_place(call.trim_end_matches([' ', ']']))?;
            let key = (name, line, column, outer);
            outer = Some(match self.named.get(&key) {
                Some(&index) => index,
                None => {
                    let index = self.all.len() as u32;
                    self.all.push(Location {
                        position: (NO_FILE, line, column),
                        name: Some(name),
                        function: None,
                        inlined_at: outer,
                    });
                    self.named.insert(key, index);
                    index
                }
            });
        }
        outer
    }
}

/// Parses `src/a.rs:5:3` or `src/a.rs:5`, whose column is 0.
fn named_place(text: &str) -> Option<(&str, u32, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    match rest.rsplit_once(':') {
        Some((name, line)) if line.parse::<u32>().is_ok() => Some((name, line.parse().ok()?, last)),
        _ => Some((rest, last, 0)),
    }
}

impl<'s> Reader<'s> {
    /// Reads the rest of a `.loc` directive.
    pub(super) fn loc(&mut self) -> Result<(), PtxError> {
        let file = self.unsigned("a file number")?;
        let line = self.unsigned("a line number")?;
        let column = self.number().unwrap_or(0);
        let (mut function, mut inlined_at) = (None, None);
        while self.eat(',') {
            match self.advance() {
                Kind::Name("function_name") => function = self.label(),
                Kind::Name("inlined_at") => {
                    let (Some(file), Some(line)) = (self.number(), self.number()) else {
                        break;
                    };
                    let place = (file, line, self.number().unwrap_or(0));
                    inlined_at = Some(self.locations.at(place));
                }
                _ => break,
            }
        }
        let mut name = None;
        if let Some(comment) = self.comment() {
            let (own, calls) = comment
                .split_once(" @[ ")
                .map_or((comment, None), |(own, calls)| (own, Some(calls)));
            name = named_place(own).map(|place| place.0);
            if let Some(calls) = calls.filter(|_| inlined_at.is_none()) {
                inlined_at = self.locations.calls(calls);
            }
        }
        let location = Location {
            position: (file, line, column),
            name,
            function,
            inlined_at,
        };
        let current = self.locations.add(location);
        self.locations.current = Some(current);
        self.skip_line();
        Ok(())
    }

    /// Returns the comment after the last token, up to the end of its line.
    pub(super) fn comment(&self) -> Option<&'s str> {
        let line = self.source[self.previous_end()..].lines().next()?;
        line.split_once("// ").map(|(_, comment)| comment.trim())
    }

    /// Reads a number, if the next token is one.
    fn number(&mut self) -> Option<u32> {
        let Kind::Int(number) = self.kind() else {
            return None;
        };
        self.advance();
        u32::try_from(number).ok()
    }

    /// Reads `label` or `label+8`.
    fn label(&mut self) -> Option<(&'s str, u64)> {
        let Kind::Name(label) = self.kind() else {
            return None;
        };
        self.advance();
        if !self.eat('+') {
            return Some((label, 0));
        }
        match self.advance() {
            Kind::Int(offset) => Some((label, offset)),
            _ => None,
        }
    }

    /// Reads the inside of `.section .debug_str { ... }`, with its braces.
    pub(super) fn debug_strings(&mut self) -> Result<DebugStrings<'s>, PtxError> {
        let mut strings = DebugStrings::default();
        self.expect('{')?;
        loop {
            match self.advance() {
                Kind::Mark('}') => return Ok(strings),
                Kind::End => return self.fail("`}`"),
                Kind::Name(label) => {
                    strings.labels.insert(label, strings.bytes.len());
                }
                // A list of bytes; sections of strings have no other data.
                Kind::Int(byte) => strings.bytes.push(byte as u8),
                _ => {}
            }
        }
    }
}
