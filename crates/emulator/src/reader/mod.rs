//! PTX text to a syntax tree.
//!
//! ```text
//! text ──token──► tokens ──module, function, expression──► syntax::Module
//! ```
//!
//! Law: the reader accepts PTX's grammar and knows no instruction: an opcode is a word with
//! modifiers, so that a new instruction needs no change here. What it does not understand is an
//! error with its place, never skipped, but for debug sections and pragmas, which have no effect on
//! execution. Source: PTX ISA, "Syntax", "Directives".

mod debug;
pub(crate) mod expression;
mod function;
mod module;
pub(crate) mod syntax;
mod token;

use crate::error::{PtxError, PtxErrorKind};
use debug::Locations;
use syntax::DebugStrings;
use token::{Kind, Token};

/// Reads a whole module.
pub(crate) fn read(source: &str) -> Result<syntax::Module<'_>, PtxError> {
    Reader {
        source,
        tokens: token::tokens(source)?,
        position: 0,
        depth: 0,
        locations: Locations::default(),
        strings: DebugStrings::default(),
    }
    .module()
}

/// Brackets within each other, at most: compilers nest three or four.
const DEPTH: usize = 100;

/// A place in the tokens.
struct Reader<'s> {
    source: &'s str,
    tokens: Vec<Token<'s>>,
    position: usize,
    /// Brackets that are open.
    depth: usize,
    locations: Locations<'s>,
    /// What the names in `.loc` are.
    strings: DebugStrings<'s>,
}

impl<'s> Reader<'s> {
    fn kind(&self) -> Kind<'s> {
        self.tokens[self.position].kind
    }

    fn kind_after(&self, n: usize) -> Kind<'s> {
        self.tokens[(self.position + n).min(self.tokens.len() - 1)].kind
    }

    fn offset(&self) -> usize {
        self.tokens[self.position].offset
    }

    /// Where the token before this one ended.
    fn previous_end(&self) -> usize {
        self.tokens[self.position.saturating_sub(1)].end
    }

    fn advance(&mut self) -> Kind<'s> {
        let kind = self.kind();
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        kind
    }

    fn fail<T>(&self, expected: impl Into<String>) -> Result<T, PtxError> {
        let kind = PtxErrorKind::Expected {
            expected: expected.into(),
            found: self.kind().describe(),
        };
        Err(PtxError::at(self.source, self.offset(), kind))
    }

    fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, PtxError> {
        Err(PtxError::at(
            self.source,
            self.offset(),
            PtxErrorKind::Unsupported(what.into()),
        ))
    }

    /// What stands between two brackets, or behind a sign. The reader calls itself for it, so there
    /// is an end to it.
    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, PtxError>,
    ) -> Result<T, PtxError> {
        if self.depth == DEPTH {
            return self.unsupported(format!("more than {DEPTH} brackets within each other"));
        }
        self.depth += 1;
        let found = inner(self);
        self.depth -= 1;
        found
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.kind() == Kind::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, mark: char) -> Result<(), PtxError> {
        if self.eat(mark) {
            Ok(())
        } else {
            self.fail(format!("`{mark}`"))
        }
    }

    fn eat_dot(&mut self, word: &str) -> bool {
        let found = self.kind() == Kind::Dot(word);
        if found {
            self.advance();
        }
        found
    }

    fn name(&mut self, what: &str) -> Result<&'s str, PtxError> {
        match self.kind() {
            Kind::Name(name) => {
                self.advance();
                Ok(name)
            }
            _ => self.fail(what),
        }
    }

    fn dot(&mut self, what: &str) -> Result<&'s str, PtxError> {
        match self.kind() {
            Kind::Dot(word) => {
                self.advance();
                Ok(word)
            }
            _ => self.fail(what),
        }
    }

    fn unsigned<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, PtxError> {
        match self.kind() {
            Kind::Int(value) if T::try_from(value).is_ok() => {
                self.advance();
                T::try_from(value).or_else(|_| self.fail(what))
            }
            _ => self.fail(what),
        }
    }

    /// `item, item, item`, at least one.
    fn separated<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, PtxError>,
    ) -> Result<Vec<T>, PtxError> {
        let mut items = vec![item(self)?];
        while self.eat(',') {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Skips the rest of the line on which the last token stood: debug directives have no
    /// semicolon.
    fn skip_line(&mut self) {
        let end = self.previous_end();
        let line_end = self.source[end..]
            .find('\n')
            .map_or(self.source.len(), |i| end + i);
        while self.kind() != Kind::End && self.offset() < line_end {
            self.advance();
        }
    }

    /// Skips what is left of an instruction. No operand holds a semicolon.
    fn skip_to_semicolon(&mut self) {
        while !matches!(self.kind(), Kind::Mark(';') | Kind::End) {
            self.advance();
        }
    }

    /// Skips `{ ... }` with everything in it.
    fn skip_braces(&mut self) -> Result<(), PtxError> {
        self.expect('{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.advance() {
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') => depth -= 1,
                Kind::End => return self.fail("`}`"),
                _ => {}
            }
        }
        Ok(())
    }

    /// `.loc`, `.file`, `.section`, `.pragma`: true where one stood here and was taken.
    fn debug_directive(&mut self, files: &mut Vec<(u32, &'s str)>) -> Result<bool, PtxError> {
        match self.kind() {
            Kind::Dot("loc") => {
                self.advance();
                self.loc()?;
            }
            Kind::Dot("file") => {
                self.advance();
                let number = self.unsigned("a file number")?;
                let Kind::Text(name) = self.kind() else {
                    return self.fail("a file name");
                };
                self.advance();
                files.push((number, name));
                self.skip_line();
            }
            Kind::Dot("section") => {
                self.advance();
                // The section's name, one or two words (`.debug_str`).
                let mut names = false;
                while self.kind() != Kind::Mark('{') {
                    match self.advance() {
                        Kind::End => return self.fail("`{`"),
                        Kind::Dot("debug_str") => names = true,
                        _ => {}
                    }
                }
                if names {
                    self.strings = self.debug_strings()?;
                } else {
                    self.skip_braces()?;
                }
            }
            Kind::Dot("pragma") => {
                self.advance();
                while !self.eat(';') {
                    if self.advance() == Kind::End {
                        return self.fail("`;`");
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
