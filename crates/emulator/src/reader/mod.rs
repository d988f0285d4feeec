//! Reads PTX text into a syntax tree.
//!
//! ```text
//! text ──token──► tokens ──module, function, expression──► syntax::Module
//! ```
//!
//! Law: the reader accepts PTX's grammar and knows no instruction: an opcode is a word with
//! modifiers, so that a new instruction needs no change here. Text that it does not understand is
//! an error with its place and is never skipped, except debug sections and pragmas, which have no
//! effect on execution. Source: PTX ISA, "Syntax", "Directives".

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

/// The most nested brackets; compilers nest three or four.
const DEPTH: usize = 100;

/// The state of the reader: its position in the tokens.
struct Reader<'s> {
    source: &'s str,
    tokens: Vec<Token<'s>>,
    position: usize,
    /// The number of open brackets.
    depth: usize,
    locations: Locations<'s>,
    /// The strings to which the names in `.loc` refer.
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

    /// Returns the end of the token before this one.
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

    /// Reads the text inside of brackets or after a sign, by `inner`. The reader recurses for it,
    /// so the depth is limited.
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

    /// Reads a list `item, item, item` of at least one item.
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

    /// Skips the rest of the line of the last token: debug directives have no semicolon.
    fn skip_line(&mut self) {
        let end = self.previous_end();
        let line_end = self.source[end..]
            .find('\n')
            .map_or(self.source.len(), |i| end + i);
        while self.kind() != Kind::End && self.offset() < line_end {
            self.advance();
        }
    }

    /// Skips the rest of an instruction. No operand contains a semicolon.
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

    /// Reads a `.loc`, `.file`, `.section` or `.pragma`. Returns false if the next token is none of
    /// these.
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
