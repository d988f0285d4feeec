//! The body of a function: scopes, labels, statements, and the drafts of its instructions.
//!
//! ```text
//! { .reg .b32 a;  L: ...  { .reg .b32 a;  bra L; } }
//!   scope 0: a, L            scope 1: another a; L is found outside
//! ```
//!
//! Law: a name refers to its innermost declaration; registers, variables and labels of a block go
//! out of scope at its end.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::module::Module;
use super::scope::Scope;
use super::slot::Slot;
use super::special::{Source, special};
use crate::error::{PtxError, PtxErrorKind};
use crate::frame::Alu;
use crate::ir::{Constant, Function, Op, Place, Symbol};
use crate::reader::expression::COMPONENTS;
use crate::reader::syntax::{self, Instruction, Operand, Statement, VariableSpace};
use crate::types::{Class, Type};

/// The entity that a name refers to.
#[derive(Debug, Clone)]
pub(crate) enum Name<'s> {
    Register(Type, Slot),
    /// A vector register, as its elements.
    Vector(Type, Vec<Slot>),
    Variable(u32),
    Function(u32),
    /// A `.local` variable at an offset of the frame's local memory.
    Local(u32),
    /// A parameter, result or call variable.
    Param {
        offset: u32,
        size: u32,
        entry: bool,
    },
    Label(u32),
    Targets(Vec<&'s str>),
    /// A call prototype, which an indirect call names.
    Prototype,
}

/// An instruction before registers are allocated and branches are resolved. Its operands are slots,
/// not yet rows of the frame; its branches name labels, not yet indices of instructions.
#[derive(Debug)]
pub(crate) struct Draft {
    pub op: Op,
    pub guard: Option<(Slot, bool)>,
    pub flow: Flow,
    pub defs: Vec<Slot>,
    pub uses: Vec<Slot>,
    /// The index in [`Body::places`] of the PTX instruction, or `None` if the draft belongs to no
    /// PTX instruction.
    pub inst: Option<u32>,
    /// Whether this draft is left out of the count of instructions: it is a further part of a PTX
    /// instruction, a helper operation, or the end of the function.
    pub hidden: bool,
}

/// A function while it is being lowered.
pub(crate) struct Body<'m, 's> {
    pub module: &'m mut Module<'s>,
    pub function: Function,
    scopes: Vec<Scope<'s>>,
    pub drafts: Vec<Draft>,
    pub places: Vec<Place>,
    /// The position of each label: the index of a draft, or `None` before the label is reached.
    pub labels: Vec<Option<u32>>,
    registers: Cell<[u32; 3]>,
    /// The name of each register that the text names.
    register_names: RefCell<HashMap<Slot, String>>,
    constants: HashMap<(Class, Constant), Slot>,
    /// The guard of the instruction that is being lowered; `current` is the instruction's index in
    /// `places`.
    pub guard: Option<(Slot, bool)>,
    pub current: u32,
    carry: Option<Slot>,
    /// The number of vector registers declared so far.
    vectors: u32,
}

/// The most vector registers that a function may declare.
const MOST_VECTORS: u32 = 1 << 12;
/// The largest size in bytes of a kernel's parameters, for sm_70 and later since PTX ISA 8.1. The
/// limit is in the section "Kernel Function Parameters" of the PTX ISA.
const MOST_KERNEL_PARAMETERS: usize = 32_764;
/// The most bytes of a function's local variables; also the most bytes of the parameters of the
/// function and of its calls. A launch refuses a frame that is too large for the device; this limit
/// keeps offsets within 32 bits.
const MOST_FRAME: usize = 1 << 30;

/// The label after the last statement, which `ret` of a function jumps to.
pub(crate) const EPILOGUE: u32 = 0;

impl<'m, 's> Body<'m, 's> {
    pub fn new(
        module: &'m mut Module<'s>,
        syntax: &syntax::Function<'s>,
    ) -> Result<Self, PtxError> {
        let function = Function {
            name: syntax.name.to_owned(),
            entry: syntax.entry,
            defined: true,
            granule: 4,
            global_granule: 16,
            ..Function::default()
        };
        let mut body = Body {
            module,
            function,
            scopes: vec![Scope::default()],
            drafts: Vec::new(),
            places: Vec::new(),
            labels: vec![None],
            registers: Cell::new([0; 3]),
            register_names: RefCell::default(),
            constants: HashMap::new(),
            guard: None,
            current: 0,
            carry: None,
            vectors: 0,
        };
        let mut offset = 0;
        for parameter in &syntax.parameters {
            let (at, size) = body.declare_param(parameter, syntax.entry, &mut offset)?;
            body.function.parameters.push((at, size));
        }
        if !syntax.entry {
            body.function.param_bytes = offset as usize;
        }
        for result in &syntax.returns {
            let mut offset = body.function.param_bytes as u32;
            let (at, size) = body.declare_param(result, false, &mut offset)?;
            body.function.param_bytes = offset as usize;
            body.function.results.push((at, size));
        }
        Ok(body)
    }

    fn declare_param(
        &mut self,
        variable: &syntax::Variable<'s>,
        entry: bool,
        end: &mut u32,
    ) -> Result<(u32, u32), PtxError> {
        let (size, align) = self.module.size_and_align(variable)?;
        let offset = (*end as usize).next_multiple_of(align);
        let limit = if entry {
            MOST_KERNEL_PARAMETERS
        } else {
            MOST_FRAME
        };
        if offset + size > limit {
            let what = if entry { "a kernel" } else { "a function" };
            let problem = format!(
                "the parameters up to here have {} bytes, those of {what} have {limit} at most",
                offset + size
            );
            return Err(self.module.wrong(variable, problem));
        }
        let (offset, size) = (offset as u32, size as u32);
        *end = offset + size;
        self.declare(
            variable.offset,
            variable.name,
            Name::Param {
                offset,
                size,
                entry,
            },
        )?;
        Ok((offset, size))
    }

    fn error(&self, offset: usize, kind: PtxErrorKind) -> PtxError {
        PtxError::at(self.module.source, offset, kind)
    }

    fn declare(&mut self, offset: usize, name: impl Into<Cow<'s, str>>, what: Name<'s>) -> Lowered {
        let name = name.into();
        let scope = self.scopes.last_mut().expect("a body always has a scope");
        if !scope.declare(name.clone(), what) {
            return Err(self.error(offset, PtxErrorKind::Redeclared(name.into_owned())));
        }
        Ok(())
    }

    /// Returns the meaning of a name in the innermost scope that declares it.
    pub fn look_up(&self, name: &str) -> Option<Name<'s>> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| {
                scope.look_up(name, |ty| {
                    let class = ty.class().expect("declared with a class");
                    let slot = self.register(class);
                    self.register_names
                        .borrow_mut()
                        .insert(slot, name.to_owned());
                    Name::Register(ty, slot)
                })
            })
            .or_else(|| self.module.look_up(name))
    }

    /// Returns the name of a register, or an empty string if the text does not name it.
    pub fn register_name(&self, slot: Slot) -> String {
        let names = self.register_names.borrow();
        names.get(&slot).cloned().unwrap_or_default()
    }

    /// Creates a register.
    pub fn register(&self, class: Class) -> Slot {
        let mut registers = self.registers.get();
        let number = registers[class as usize];
        registers[class as usize] += 1;
        self.registers.set(registers);
        Slot::register(class, number)
    }

    /// Returns the carry flag of `add.cc` and the other extended-precision instructions; the first
    /// call creates it.
    pub fn carry(&mut self) -> Slot {
        match self.carry {
            Some(slot) => slot,
            None => {
                let slot = self.register(Class::Pred);
                *self.carry.insert(slot)
            }
        }
    }

    /// Returns the number of registers of each class declared so far.
    pub fn registers(&self) -> [u32; 3] {
        self.registers.get()
    }

    /// Returns the slot of a constant; equal constants share a slot.
    pub fn constant(&mut self, class: Class, constant: Constant) -> Slot {
        if let Some(&slot) = self.constants.get(&(class, constant)) {
            return slot;
        }
        let file = match class {
            Class::R64 => &mut self.function.constants64,
            _ => &mut self.function.constants32,
        };
        let slot = Slot::constant(class, file.len() as u32);
        file.push(constant);
        self.constants.insert((class, constant), slot);
        slot
    }

    /// Notes that the function takes the address of `symbol`.
    pub fn use_symbol(&mut self, symbol: Symbol) {
        if !self.function.uses.contains(&symbol) {
            self.function.uses.push(symbol);
        }
    }

    pub fn push(&mut self, draft: Draft) {
        self.drafts.push(draft);
    }

    /// Returns the label of that name, which a branch may target.
    pub fn label(&self, name: &str) -> Option<u32> {
        match self.look_up(name) {
            Some(Name::Label(label)) => Some(label),
            _ => None,
        }
    }

    /// Lowers a block's statements. The block's labels are declared before any statement is
    /// lowered.
    pub fn statements(&mut self, statements: &[Statement<'s>]) -> Lowered {
        for statement in statements {
            match statement {
                Statement::Label { offset, name } => {
                    let label = self.labels.len() as u32;
                    self.labels.push(None);
                    self.declare(*offset, *name, Name::Label(label))?;
                }
                Statement::Targets {
                    offset,
                    name,
                    targets,
                } => {
                    self.declare(*offset, *name, Name::Targets(targets.clone()))?;
                }
                Statement::Prototype { offset, name, .. } => {
                    self.declare(*offset, *name, Name::Prototype)?
                }
                _ => {}
            }
        }
        for statement in statements {
            match statement {
                Statement::Registers(registers) => self.declare_registers(registers)?,
                Statement::Variable(variable) => self.declare_variable(variable)?,
                Statement::Label { name, .. } => {
                    if let Some(Name::Label(label)) = self.look_up(name) {
                        self.labels[label as usize] = Some(self.drafts.len() as u32);
                    }
                }
                Statement::Targets { .. } | Statement::Prototype { .. } => {}
                Statement::Block(inner) => {
                    self.scopes.push(Scope::default());
                    self.statements(inner)?;
                    self.scopes.pop();
                }
                Statement::Instruction(instruction) => self.instruction(instruction)?,
            }
        }
        Ok(())
    }

    fn declare_registers(&mut self, registers: &syntax::Registers<'s>) -> Lowered {
        let ty = self.module.ty(registers.offset, registers.ty)?;
        let Some(class) = ty.class() else {
            if registers.vector > 1 {
                return Err(self.too_wide(registers, ty));
            }
            // A 128-bit register is a vector of its two 64-bit halves, the low half first.
            return self.declare_vectors(registers, Type::B64, 2, &[]);
        };
        if registers.vector > 1 {
            if ty == Type::Pred || ty.bits() as usize * registers.vector > 128 {
                return Err(self.too_wide(registers, ty));
            }
            return self.declare_vectors(registers, ty, registers.vector, &COMPONENTS);
        }
        let Some(range) = registers.range else {
            let slot = self.register(class);
            self.register_names
                .borrow_mut()
                .insert(slot, registers.name.to_owned());
            return self.declare(registers.offset, registers.name, Name::Register(ty, slot));
        };
        let scope = self.scopes.last_mut().expect("a body always has a scope");
        match scope.declare_range(registers.name, ty, range) {
            None => Ok(()),
            Some(taken) => Err(self.error(registers.offset, PtxErrorKind::Redeclared(taken))),
        }
    }

    /// Returns the error for a vector of more than 128 bits, or of predicates.
    fn too_wide(&self, registers: &syntax::Registers<'s>, ty: Type) -> PtxError {
        let problem = format!(
            "a vector of {} .{} is not one of up to 128 bits",
            registers.vector,
            ty.name()
        );
        let kind = PtxErrorKind::Operand {
            instruction: registers.name.to_owned(),
            problem,
        };
        self.error(registers.offset, kind)
    }

    /// Declares vector registers: after `.reg .v4 .f32 v;`, `v` is `{v.x, v.y, v.z, v.w}`. A
    /// `.b128` register is a vector of two `.b64` without component names.
    fn declare_vectors(
        &mut self,
        registers: &syntax::Registers<'s>,
        ty: Type,
        vector: usize,
        components: &[&str],
    ) -> Lowered {
        let syntax::Registers {
            offset,
            name,
            range,
            ..
        } = *registers;
        let class = ty.class().unwrap_or(Class::R64);
        // Each vector has its own names, so the number of vectors is bounded.
        self.vectors = self.vectors.saturating_add(range.unwrap_or(1));
        if self.vectors > MOST_VECTORS {
            let kind =
                PtxErrorKind::Unsupported(format!("more than {MOST_VECTORS} vector registers"));
            return Err(self.error(offset, kind));
        }
        let names: Vec<Cow<'s, str>> = match range {
            None => vec![name.into()],
            Some(count) => (0..count).map(|i| format!("{name}{i}").into()).collect(),
        };
        for name in names {
            let elements: Vec<Slot> = (0..vector).map(|_| self.register(class)).collect();
            for (i, component) in components.iter().enumerate() {
                if let Some(&slot) = elements.get(i % 4) {
                    let of_element = format!("{name}.{component}");
                    self.declare(offset, of_element, Name::Register(ty, slot))?;
                }
            }
            self.declare(offset, name, Name::Vector(ty, elements))?;
        }
        Ok(())
    }

    /// Returns the instruction with each vector register replaced by its elements, or `None` if it
    /// has no vector register.
    fn spread(&self, instruction: &Instruction<'s>) -> Option<Instruction<'s>> {
        let elements = |operand: &Operand<'s>| match operand {
            Operand::Name(name, 0) if self.vectors > 0 => match self.look_up(name) {
                Some(Name::Vector(_, slots)) => {
                    let elements = (0..slots.len()).map(|i| Operand::Component(name, i));
                    Some(Operand::Vector(elements.collect()))
                }
                _ => None,
            },
            _ => None,
        };
        let mut operands = instruction.operands.iter();
        operands.find(|operand| elements(operand).is_some())?;
        let mut spread = instruction.clone();
        for operand in &mut spread.operands {
            if let Some(vector) = elements(operand) {
                *operand = vector;
            }
        }
        Some(spread)
    }

    fn declare_variable(&mut self, variable: &syntax::Variable<'s>) -> Lowered {
        match variable.space {
            VariableSpace::Local => {
                let (size, align) = self.module.size_and_align(variable)?;
                let at = self.function.local.next_multiple_of(align);
                if at + size > MOST_FRAME {
                    let problem = format!(
                        "the local variables up to here have {} bytes, those of a function have {MOST_FRAME} at most",
                        at + size
                    );
                    return Err(self.module.wrong(variable, problem));
                }
                self.function.local = at + size;
                self.declare(variable.offset, variable.name, Name::Local(at as u32))
            }
            VariableSpace::Param => {
                let mut end = self.function.param_bytes as u32;
                self.declare_param(variable, false, &mut end)?;
                self.function.param_bytes = end as usize;
                Ok(())
            }
            VariableSpace::Global | VariableSpace::Const | VariableSpace::Shared => {
                let index = self.module.add_variable(variable)?;
                self.declare(variable.offset, variable.name, Name::Variable(index))
            }
        }
    }

    /// Reads a special register that is a predicate into a new register.
    pub fn special_predicate(&mut self, name: &str) -> Option<Slot> {
        let Some(Source::Predicate(what)) = special(name) else {
            return None;
        };
        let value = self.constant(Class::R32, Constant::Special(what));
        let result = self.register(Class::Pred);
        let run: Alu = |frame, args, mask| {
            let value = frame.test1(args[1], |value: u32| value != 0);
            frame.write_pred(args[0], value, mask);
        };
        let mut args = [crate::ir::NONE; 6];
        (args[0], args[1]) = (result.0, value.0);
        self.push(Draft {
            op: Op::Alu { run, args },
            guard: None,
            flow: Flow::Next,
            defs: vec![result],
            uses: vec![value],
            inst: None,
            hidden: true,
        });
        Some(result)
    }

    fn instruction(&mut self, instruction: &Instruction<'s>) -> Lowered {
        let spread = self.spread(instruction);
        let instruction = spread.as_ref().unwrap_or(instruction);
        self.guard = match instruction.guard {
            None => None,
            Some(guard) => match self.look_up(guard.predicate) {
                Some(Name::Register(Type::Pred, slot)) => Some((slot, guard.negated)),
                Some(_) => {
                    let problem = format!("`{}` is not a predicate", guard.predicate);
                    let kind = PtxErrorKind::Operand {
                        instruction: instruction.opcode.to_owned(),
                        problem,
                    };
                    return Err(self.error(instruction.start, kind));
                }
                None => match self.special_predicate(guard.predicate) {
                    Some(slot) => Some((slot, guard.negated)),
                    None => {
                        let kind = super::operand::undeclared(guard.predicate);
                        return Err(self.error(instruction.start, kind));
                    }
                },
            },
        };
        let text = self.module.source[instruction.start..instruction.end]
            .split_whitespace()
            .collect::<Vec<_>>();
        let mut lowering = Lowering::new(self, instruction);
        let place = Place {
            line: lowering.body.module.line(instruction.start),
            text: text.join(" ").into(),
            opcode: lowering.name().into(),
            source: instruction.location,
            swizzle: instruction.swizzle,
        };
        lowering.body.current = lowering.body.places.len() as u32;
        lowering.body.places.push(place);
        if let Some(error) = &instruction.unknown {
            return Err(error.clone());
        }
        super::opcode::lower(&mut lowering)
    }
}
