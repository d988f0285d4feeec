//! Functions, their bodies and statements.
//!
//! ```text
//! .visible .entry k(.param .u64 k_param_0) .maxntid 128, 1, 1
//! { .reg .b32 %r<4>; $L: @%p add.s32 %r1, %r2, 4; { .reg .pred p; ... } ret; }
//! ```
//! Source: PTX ISA, "Instruction Statements", "Performance-Tuning Directives", "Control Flow
//! Directives".

use super::Reader;
use super::syntax::{
    Function, Guard, Instruction, Linkage, Operand, Registers, Statement, Variable,
};
use super::token::Kind;
use crate::error::PtxError;
use crate::swizzles::SmemSwizzle;

impl<'s> Reader<'s> {
    /// Reads a `.entry` or `.func`, with or without a body.
    pub(super) fn function(
        &mut self,
        linkage: Linkage,
        files: &mut Vec<(u32, &'s str)>,
    ) -> Result<Function<'s>, PtxError> {
        let entry = self.kind() == Kind::Dot("entry");
        self.advance();
        let returns = if self.kind() == Kind::Mark('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let offset = self.offset();
        let name = self.name("a function")?;
        let parameters = if self.kind() == Kind::Mark('(') {
            self.parameters()?
        } else {
            Vec::new()
        };
        let mut function = Function {
            offset,
            entry,
            linkage,
            name,
            returns,
            parameters,
            max_threads: None,
            required_threads: None,
            cluster: None,
            max_registers: None,
            min_blocks: None,
            unknown: None,
            body: None,
        };
        loop {
            if self.debug_directive(files)? {
                continue;
            }
            match self.kind() {
                Kind::Mark(';') => {
                    self.advance();
                    return Ok(function);
                }
                Kind::Mark('{') => {
                    self.locations.begin();
                    self.advance();
                    function.body = Some(self.statements(files)?);
                    return Ok(function);
                }
                Kind::Dot("maxntid") => {
                    self.advance();
                    function.max_threads = Some(self.three()?);
                }
                Kind::Dot("reqntid") => {
                    self.advance();
                    function.required_threads = Some(self.three()?);
                }
                Kind::Dot(which @ ("maxnreg" | "minnctapersm")) => {
                    self.advance();
                    let number = Some(self.unsigned("a number")?);
                    if which == "maxnreg" {
                        function.max_registers = number;
                    } else {
                        function.min_blocks = number;
                    }
                }
                // These guide register allocation and scheduling on a real device only.
                Kind::Dot("maxnctapersm" | "noreturn" | "abi_preserve") => {
                    self.advance();
                    if matches!(self.kind(), Kind::Int(_)) {
                        self.advance();
                    }
                }
                Kind::Dot("reqnctapercluster") => {
                    self.advance();
                    function.cluster = Some(self.three()?);
                }
                // These directives limit or announce the cluster, whose size the launch specifies;
                // without a size in the launch there is no cluster.
                Kind::Dot("explicitcluster" | "maxclusterrank") => {
                    self.advance();
                    if matches!(self.kind(), Kind::Int(_)) {
                        self.advance();
                    }
                }
                Kind::Dot("blocksareclusters") => {
                    let what = "`.blocksareclusters`, a grid counted in clusters";
                    let unknown = self.unsupported::<()>(what).err();
                    function.unknown = function.unknown.or(unknown);
                    self.advance();
                }
                _ => return self.fail("`{`, `;` or a directive such as `.maxntid`"),
            }
        }
    }

    /// Reads extents such as `128`, `16, 16` or `8, 8, 8`. Missing extents are 1.
    fn three(&mut self) -> Result<[u32; 3], PtxError> {
        let mut extents = [1; 3];
        for (i, extent) in self
            .separated(|reader| reader.unsigned("an extent"))?
            .into_iter()
            .enumerate()
        {
            match extents.get_mut(i) {
                Some(slot) => *slot = extent,
                None => return self.fail("at most 3 extents"),
            }
        }
        Ok(extents)
    }

    fn parameters(&mut self) -> Result<Vec<Variable<'s>>, PtxError> {
        self.expect('(')?;
        if self.eat(')') {
            return Ok(Vec::new());
        }
        let parameters = self.separated(|reader| reader.variable(Linkage::Private))?;
        self.expect(')')?;
        Ok(parameters)
    }

    /// Reads statements up to the closing brace, which is taken too.
    fn statements(
        &mut self,
        files: &mut Vec<(u32, &'s str)>,
    ) -> Result<Vec<Statement<'s>>, PtxError> {
        let mut statements = Vec::new();
        loop {
            if self.debug_directive(files)? {
                continue;
            }
            match self.kind() {
                Kind::Mark('}') => {
                    self.advance();
                    return Ok(statements);
                }
                Kind::Mark('{') => {
                    self.advance();
                    let inner = self.nested(|reader| reader.statements(files))?;
                    statements.push(Statement::Block(inner));
                }
                Kind::Mark(';') => {
                    self.advance();
                }
                Kind::Dot("reg") => self.registers(&mut statements)?,
                Kind::Dot(_) => {
                    let linkage = if self.eat_dot("extern") {
                        Linkage::Extern
                    } else {
                        Linkage::Private
                    };
                    statements.extend(
                        self.variables(linkage)?
                            .into_iter()
                            .map(Statement::Variable),
                    );
                    self.expect(';')?;
                }
                Kind::Name(name) if self.kind_after(1) == Kind::Mark(':') => {
                    let offset = self.offset();
                    self.advance();
                    self.advance();
                    statements.push(self.labelled(offset, name)?);
                }
                Kind::Name(_) | Kind::Mark('@') => statements.push(self.instruction()?),
                _ => return self.fail("a statement"),
            }
        }
    }

    /// Reads what follows `name:`.
    fn labelled(&mut self, offset: usize, name: &'s str) -> Result<Statement<'s>, PtxError> {
        match self.kind() {
            Kind::Dot("branchtargets" | "calltargets") => {
                self.advance();
                let targets = self.separated(|reader| reader.name("a label or function"))?;
                self.expect(';')?;
                Ok(Statement::Targets {
                    offset,
                    name,
                    targets,
                })
            }
            Kind::Dot("callprototype") => {
                self.advance();
                let returns = if self.kind() == Kind::Mark('(') {
                    self.parameters()?
                } else {
                    Vec::new()
                };
                self.name("`_`")?;
                let parameters = if self.kind() == Kind::Mark('(') {
                    self.parameters()?
                } else {
                    Vec::new()
                };
                self.eat_dot("noreturn");
                self.expect(';')?;
                Ok(Statement::Prototype {
                    offset,
                    name,
                    returns,
                    parameters,
                })
            }
            _ => Ok(Statement::Label { offset, name }),
        }
    }

    /// Reads register declarations, such as `.reg .b32 %r<12>, x;`.
    fn registers(&mut self, statements: &mut Vec<Statement<'s>>) -> Result<(), PtxError> {
        self.advance();
        let vector = match (self.eat_dot("v2"), self.eat_dot("v4")) {
            (true, _) => 2,
            (_, true) => 4,
            _ => 1,
        };
        let ty = self.dot("a type such as `.b32`")?;
        let names = self.separated(|reader| {
            let offset = reader.offset();
            let name = reader.name("a register")?;
            let range = if reader.eat('<') {
                let count = reader.unsigned("a count")?;
                reader.expect('>')?;
                Some(count)
            } else {
                None
            };
            Ok(Registers {
                offset,
                vector,
                ty,
                name,
                range,
            })
        })?;
        self.expect(';')?;
        statements.extend(names.into_iter().map(Statement::Registers));
        Ok(())
    }

    fn instruction(&mut self) -> Result<Statement<'s>, PtxError> {
        let start = self.offset();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some(Guard {
                predicate: self.name("a predicate")?,
                negated,
            })
        } else {
            None
        };
        let offset = self.offset();
        let opcode = self.name("an instruction")?;
        let mut modifiers = Vec::new();
        while let Kind::Dot(word) = self.kind() {
            self.advance();
            modifiers.push(word);
        }
        let mut operands: Vec<Operand> = Vec::new();
        let mut places = Vec::new();
        let mut unknown = None;
        if self.kind() != Kind::Mark(';') {
            loop {
                places.push(self.offset());
                let operand = match self.operand() {
                    Ok(Operand::Texel { .. })
                        if !matches!(opcode, "tex" | "suld" | "sust" | "cp") =>
                    {
                        self.unsupported("an address with tensor coordinates")
                    }
                    other => other,
                };
                match operand {
                    Ok(operand) => operands.push(operand),
                    Err(error) if error.kind.is_unknown() => {
                        unknown = Some(error);
                        self.skip_to_semicolon();
                        break;
                    }
                    Err(error) => return Err(error),
                }
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.expect(';')?;
        let end = self.previous_end();
        Ok(Statement::Instruction(Instruction {
            start,
            offset,
            end,
            guard,
            opcode,
            modifiers,
            operands,
            places,
            unknown,
            location: self.locations.current,
            swizzle: match opcode {
                "ld" | "st" | "ldmatrix" | "stmatrix" | "cp" => {
                    self.comment().and_then(SmemSwizzle::parse)
                }
                _ => None,
            },
        }))
    }
}
