//! Module-level directives and variable declarations.
//!
//! ```text
//! .version 8.7  .target sm_90a  .address_size 64
//! .visible .global .align 8 .b64 names[2] = {generic(a), 5};
//! ```
//! Source: PTX ISA, "Directives", "State Spaces, Types, and Variables".

use std::ops::RangeInclusive;

use super::Reader;
use super::syntax::{Linkage, Module, Variable, VariableSpace};
use super::token::Kind;
use crate::error::PtxError;

/// The prefix of the line in which `cuda_builder` records the path of the text.
const PATH: &str = "//cutlet.path ";

/// The versions of the PTX ISA that are accepted. In a later version, instructions may have another
/// meaning.
const KNOWN_VERSIONS: RangeInclusive<(u32, u32)> = (1, 0)..=(9, 5);

impl<'s> Reader<'s> {
    pub(super) fn module(mut self) -> Result<Module<'s>, PtxError> {
        let mut module = Module::default();
        loop {
            if self.debug_directive(&mut module.files)? {
                continue;
            }
            match self.kind() {
                Kind::End => break,
                Kind::Mark(';') => {
                    self.advance();
                }
                Kind::Dot("version") => {
                    self.advance();
                    let Kind::F64(bits) = self.kind() else {
                        return self.fail("a version such as `8.0`");
                    };
                    // The token was read as a number; its text has the exact digits.
                    let text = &self.source[self.offset()..self.tokens[self.position].end];
                    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
                    let Ok(version) = major.parse().and_then(|major| Ok((major, minor.parse()?)))
                    else {
                        return self.fail(format!(
                            "a version such as `8.0`, not {}",
                            f64::from_bits(bits)
                        ));
                    };
                    if !KNOWN_VERSIONS.contains(&version) {
                        let ((a, b), (c, d)) = (KNOWN_VERSIONS.start(), KNOWN_VERSIONS.end());
                        return self.fail(format!(
                            "a version of the PTX ISA from {a}.{b} to {c}.{d}, the last that is known"
                        ));
                    }
                    self.advance();
                    module.version = version;
                }
                Kind::Dot("target") => {
                    self.advance();
                    module.target_offset = self.offset();
                    module.target =
                        self.separated(|reader| reader.name("a target such as `sm_80`"))?;
                }
                Kind::Dot("address_size") => {
                    self.advance();
                    if self.kind() != Kind::Int(64) {
                        return self.fail("64: other address sizes are not emulated");
                    }
                    self.advance();
                }
                Kind::Dot("alias") => {
                    self.advance();
                    let alias = self.name("a function")?;
                    self.expect(',')?;
                    module.aliases.push((alias, self.name("a function")?));
                    self.expect(';')?;
                }
                // A label, which marks the end of a debug section.
                Kind::Name(_) if self.kind_after(1) == Kind::Mark(':') => {
                    self.advance();
                    self.advance();
                }
                Kind::Dot(_) => self.declaration(&mut module)?,
                _ => return self.fail("a directive"),
            }
        }
        if module.target.is_empty() {
            return self.fail("`.target` before the end");
        }
        module.locations = self.locations.all;
        module.strings = self.strings;
        module.path = self
            .source
            .lines()
            .next_back()
            .and_then(|line| line.strip_prefix(PATH));
        module.by_llvm = self
            .source
            .lines()
            .take(4)
            .any(|line| line.contains("LLVM NVPTX"));
        Ok(module)
    }

    fn declaration(&mut self, module: &mut Module<'s>) -> Result<(), PtxError> {
        let mut linkage = Linkage::Private;
        loop {
            linkage = match self.kind() {
                Kind::Dot("visible") => Linkage::Visible,
                Kind::Dot("extern") => Linkage::Extern,
                Kind::Dot("weak" | "common") => Linkage::Weak,
                _ => break,
            };
            self.advance();
        }
        match self.kind() {
            Kind::Dot("entry" | "func") => {
                let function = self.function(linkage, &mut module.files)?;
                module.functions.push(function);
            }
            Kind::Dot("global" | "const" | "shared") => {
                let variables = self.variables(linkage)?;
                self.expect(';')?;
                module.variables.extend(variables);
            }
            _ => {
                return self.fail(
                    "`.global`, `.const`, `.shared`, `.func`, `.entry` or another directive",
                );
            }
        }
        Ok(())
    }

    /// Reads variables such as `.shared .align 16 .b8 x[64], y`, without the semicolon.
    pub(super) fn variables(&mut self, linkage: Linkage) -> Result<Vec<Variable<'s>>, PtxError> {
        let first = self.variable(linkage)?;
        let mut variables = vec![first.clone()];
        while self.eat(',') {
            let offset = self.offset();
            let name = self.name("a variable")?;
            let mut next = Variable {
                offset,
                name,
                extents: Vec::new(),
                initializer: None,
                ..first.clone()
            };
            self.extents_and_initializer(&mut next)?;
            variables.push(next);
        }
        Ok(variables)
    }

    /// Reads one variable or parameter with its space and type.
    pub(super) fn variable(&mut self, linkage: Linkage) -> Result<Variable<'s>, PtxError> {
        let space = match self.kind() {
            Kind::Dot("global") => VariableSpace::Global,
            Kind::Dot("const") => VariableSpace::Const,
            Kind::Dot("shared" | "shared::cta") => VariableSpace::Shared,
            Kind::Dot("local") => VariableSpace::Local,
            Kind::Dot("param") => VariableSpace::Param,
            Kind::Dot("reg") => return self.unsupported("a parameter in a register (`.reg`)"),
            _ => return self.fail("a state space"),
        };
        self.advance();
        let (mut align, mut vector, mut ty) = (None, 1, None);
        while let Kind::Dot(word) = self.kind() {
            self.advance();
            match word {
                "align" => align = Some(self.unsigned("an alignment")?),
                "v2" => vector = 2,
                "v4" => vector = 4,
                // `.ptr` and its attributes state the space and alignment of a pointer parameter:
                // hints to the optimiser.
                "ptr" => {
                    while let Kind::Dot(attribute) = self.kind() {
                        self.advance();
                        if attribute == "align" {
                            self.unsigned::<usize>("an alignment")?;
                        }
                    }
                }
                "attribute" => {
                    self.expect('(')?;
                    while !self.eat(')') {
                        if self.advance() == Kind::End {
                            return self.fail("`)`");
                        }
                    }
                }
                _ => ty = Some(word),
            }
        }
        let Some(ty) = ty else {
            return self.fail("a type such as `.b32`");
        };
        let offset = self.offset();
        let name = self.name("a variable")?;
        let mut variable = Variable {
            offset,
            space,
            linkage,
            align,
            vector,
            ty,
            name,
            extents: Vec::new(),
            initializer: None,
        };
        self.extents_and_initializer(&mut variable)?;
        Ok(variable)
    }

    fn extents_and_initializer(&mut self, variable: &mut Variable<'s>) -> Result<(), PtxError> {
        while self.eat('[') {
            let extent = if self.kind() == Kind::Mark(']') {
                0
            } else {
                self.integer()?
            };
            let Ok(extent) = usize::try_from(extent) else {
                return self.fail("an extent of at least 0");
            };
            variable.extents.push(extent);
            self.expect(']')?;
        }
        if self.eat('=') {
            variable.initializer = Some(self.initializer()?);
        }
        Ok(())
    }
}
