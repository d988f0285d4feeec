//! Lowers a module: its names, each of its functions, and what each kernel needs.
//!
//! ```text
//! kernel ─calls─► functions ─uses─► shared variables      laid out one after the other for this kernel:
//!                                                         | a | pad | b | dynamic ...
//! ```
//!
//! Law: a kernel's shared memory holds exactly the variables that the kernel, or a function that it
//! may call, names.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::body::{Body, Name};
use super::condemn::of_device_runtime;
use super::opcode::FamilyEntry;
use crate::error::{PtxError, PtxErrorKind};
use crate::ir::{
    Address, Asynchrony, Builtin, Constant, Function, Image, Inst, Kernel, Location, Op,
    ReleaseDependents, Symbol, Variable, VariableKind, Window,
};
use crate::reader::syntax::{self, VariableSpace};
use crate::signature::{Param, Signature, Target};
use crate::swizzles::Swizzles;

/// The most bytes of static shared memory that a kernel may use; more has to be dynamic. Source:
/// PTX ISA; ptxas refuses more.
const STATIC_SHARED: usize = 49_152;

/// The most bytes of all constant variables of a module.
const CONSTANT: usize = 65_536;

/// The names of a module while it is being lowered.
pub(crate) struct Module<'s> {
    pub source: &'s str,
    /// The instruction families whose files are outside of `lower`.
    pub families: &'static [FamilyEntry],
    line_starts: OnceCell<Vec<usize>>,
    names: HashMap<String, Symbol>,
    pub variables: Vec<Variable>,
    pub undefined: Vec<String>,
    /// The sizes of each function's results, then of its parameters.
    pub signatures: Vec<(Vec<usize>, Vec<usize>)>,
}

/// Lowers a module; `families` lower some of its instructions.
pub(crate) fn lower(
    source: &str,
    syntax: &syntax::Module,
    families: &'static [FamilyEntry],
) -> Result<Image, PtxError> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut module = Module {
        source,
        families,
        line_starts: OnceCell::new(),
        names: HashMap::new(),
        variables: Vec::new(),
        undefined: Vec::new(),
        signatures: Vec::new(),
    };
    let target = module.target(syntax)?;
    let definitions = module.declare(syntax)?;
    let mut functions = Vec::with_capacity(definitions.len());
    let mut undefined = Vec::new();
    for function in &definitions {
        functions.push(match &function.body {
            Some(statements) => module.function(function, statements)?,
            None => {
                let builtin = match function.name {
                    "vprintf" => Some(Builtin::Vprintf),
                    "__assertfail" => Some(Builtin::AssertFail),
                    "malloc" => Some(Builtin::Malloc),
                    "free" => Some(Builtin::Free),
                    _ => None,
                };
                let condemned = of_device_runtime(function.name).then(|| {
                    let what = format!("`{}` of the device runtime", function.name);
                    Box::new(module.error(function.offset, PtxErrorKind::Unsupported(what)))
                });
                if builtin.is_none() && condemned.is_none() {
                    undefined.push(function.name.to_owned());
                }
                let body = Body::new(&mut module, function)?;
                Function {
                    defined: false,
                    builtin,
                    condemned,
                    ..body.function
                }
            }
        });
    }
    undefined.extend(std::mem::take(&mut module.undefined));
    // A declaration that is not used needs no definition.
    undefined.retain(|name| {
        let symbol = module.names.get(name.as_str()).copied();
        functions.iter().any(|f| {
            f.uses.iter().any(|&used| Some(used) == symbol)
                || f.calls
                    .iter()
                    .any(|&callee| Some(Symbol::Function(callee)) == symbol)
        })
    });
    let mut kernels = Vec::new();
    for (index, function) in definitions.iter().enumerate() {
        if function.entry && function.body.is_some() {
            kernels.push(module.kernel(&functions, index, function)?);
        }
    }
    let of_instructions = functions.iter().flat_map(|function: &Function| {
        function
            .places
            .iter()
            .take(function.code.len())
            .map(|place| place.swizzle)
    });
    let swizzles = Swizzles::new(of_instructions);
    Ok(Image {
        swizzles,
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        target,
        functions,
        variables: module.variables,
        kernels,
        undefined,
        files: syntax
            .files
            .iter()
            .map(|&(number, name)| (number, name.to_owned()))
            .collect(),
        locations: syntax
            .locations
            .iter()
            .map(|location| Location {
                file: location.position.0,
                name: location.name.map(str::to_owned),
                line: location.position.1,
                column: location.position.2,
                function: location
                    .function
                    .and_then(|(label, offset)| syntax.strings.text(label, offset)),
                inlined_at: location.inlined_at,
            })
            .collect(),
        path: syntax.path.map(str::to_owned),
        lacks_lines: syntax.by_llvm && syntax.locations.is_empty(),
    })
}

impl<'s> Module<'s> {
    /// Returns the meaning of a name at module level.
    pub fn look_up(&self, name: &str) -> Option<Name<'s>> {
        Some(match self.symbol(name)? {
            Symbol::Variable(variable) => Name::Variable(variable),
            Symbol::Function(function) => Name::Function(function),
        })
    }

    /// Returns the symbol of that name at module level.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).copied()
    }

    /// Returns the address of a variable as a constant.
    pub fn variable_address(&self, variable: u32, offset: i64) -> Constant {
        match self.variables[variable as usize].kind {
            VariableKind::Shared | VariableKind::DynamicShared => {
                Constant::Shared(variable, offset)
            }
            VariableKind::Global | VariableKind::Const => {
                Constant::Address(Symbol::Variable(variable), offset)
            }
        }
    }

    /// Returns the line, counted from 1, of a byte of the text.
    pub fn line(&self, offset: usize) -> u32 {
        let starts = self.line_starts.get_or_init(|| {
            std::iter::once(0)
                .chain(self.source.match_indices('\n').map(|(i, _)| i + 1))
                .collect()
        });
        starts.partition_point(|&start| start <= offset) as u32
    }

    pub fn error(&self, offset: usize, kind: PtxErrorKind) -> PtxError {
        PtxError::at(self.source, offset, kind)
    }

    fn target(&self, syntax: &syntax::Module<'s>) -> Result<Target, PtxError> {
        let name = syntax.target[0];
        let parsed = name.strip_prefix("sm_").and_then(|rest| {
            let digits = rest.trim_end_matches(['a', 'f']);
            let suffix = rest[digits.len()..].chars().next();
            let number: u32 = digits.parse().ok()?;
            (rest.len() - digits.len() <= 1).then_some(Target {
                major: number / 10,
                minor: number % 10,
                suffix,
            })
        });
        parsed.ok_or_else(|| {
            let expected = "a target such as `sm_80`".to_owned();
            self.error(
                syntax.target_offset,
                PtxErrorKind::Expected {
                    expected,
                    found: format!("`{name}`"),
                },
            )
        })
    }

    /// Declares all variables and functions. Returns the functions to lower; a definition replaces
    /// its declarations.
    fn declare<'a>(
        &mut self,
        syntax: &'a syntax::Module<'s>,
    ) -> Result<Vec<&'a syntax::Function<'s>>, PtxError> {
        let mut definitions: Vec<&syntax::Function<'s>> = Vec::new();
        for function in &syntax.functions {
            match self.names.get(function.name) {
                None => {
                    self.names.insert(
                        function.name.to_owned(),
                        Symbol::Function(definitions.len() as u32),
                    );
                    definitions.push(function);
                }
                Some(&Symbol::Function(index)) => {
                    let slot = &mut definitions[index as usize];
                    if slot.body.is_some() && function.body.is_some() {
                        return Err(self.error(
                            function.offset,
                            PtxErrorKind::Redeclared(function.name.to_owned()),
                        ));
                    }
                    if function.body.is_some() {
                        *slot = function;
                    }
                }
                Some(_) => unreachable!("only functions are declared so far"),
            }
        }
        for function in &definitions {
            let sizes = |variables: &[syntax::Variable<'s>]| {
                variables
                    .iter()
                    .map(|v| Ok(self.size_and_align(v)?.0))
                    .collect::<Result<Vec<_>, PtxError>>()
            };
            let signature = (sizes(&function.returns)?, sizes(&function.parameters)?);
            self.signatures.push(signature);
        }
        for (alias, of) in &syntax.aliases {
            let Some(&symbol) = self.names.get(*of) else {
                return Err(self.error(0, PtxErrorKind::Undeclared((*of).to_owned())));
            };
            self.names.insert((*alias).to_owned(), symbol);
        }
        let kept = self.declare_variables(&syntax.variables)?;
        self.constants_fit(&kept)?;
        for variable in kept {
            let index = self.module_variable(variable)? as usize;
            debug_assert_eq!(self.names[variable.name], Symbol::Variable(index as u32));
        }
        self.values_are_known(syntax)?;
        Ok(definitions)
    }

    /// Declares the names of the variables. Returns the variables that are kept: for each name, its
    /// definition.
    fn declare_variables<'a>(
        &mut self,
        variables: &'a [syntax::Variable<'s>],
    ) -> Result<Vec<&'a syntax::Variable<'s>>, PtxError> {
        // A variable's value may name a variable that comes later, so declare all variables first,
        // with empty values.
        let mut last: HashMap<&str, usize> = HashMap::new();
        for (i, variable) in variables.iter().enumerate() {
            if let Some(&before) = last.get(variable.name)
                && variables[before].linkage != syntax::Linkage::Extern
                && variable.linkage != syntax::Linkage::Extern
            {
                return Err(self.error(
                    variable.offset,
                    PtxErrorKind::Redeclared(variable.name.to_owned()),
                ));
            }
            let defines = variable.linkage != syntax::Linkage::Extern;
            if defines || !last.contains_key(variable.name) {
                last.insert(variable.name, i);
            }
        }
        let kept: Vec<_> = variables
            .iter()
            .enumerate()
            .filter(|(i, v)| last[v.name] == *i)
            .map(|(_, v)| v)
            .collect();
        for (index, variable) in kept.iter().enumerate() {
            let symbol = Symbol::Variable(index as u32);
            if self
                .names
                .insert(variable.name.to_owned(), symbol)
                .is_some()
            {
                return Err(self.error(
                    variable.offset,
                    PtxErrorKind::Redeclared(variable.name.to_owned()),
                ));
            }
        }
        Ok(kept)
    }

    /// Refuses the module unless the constant variables fit into constant memory.
    fn constants_fit(&self, variables: &[&syntax::Variable<'s>]) -> Result<(), PtxError> {
        let mut constants = 0usize;
        for variable in variables.iter().filter(|v| v.space == VariableSpace::Const) {
            let (size, align) = self.size_and_align(variable)?;
            constants = constants.next_multiple_of(align).saturating_add(size);
            if constants > CONSTANT {
                let kind = PtxErrorKind::TooLarge {
                    what: format!("`{}` and the module's constants before it", variable.name),
                    bytes: constants,
                    limit: CONSTANT,
                };
                return Err(self.error(variable.offset, kind));
            }
        }
        Ok(())
    }

    /// Refuses the module if a variable's value is an address that is only known at a launch.
    fn values_are_known(&self, syntax: &syntax::Module<'s>) -> Result<(), PtxError> {
        for variable in &self.variables {
            for relocation in &variable.relocations {
                if let Symbol::Variable(to) = relocation.to
                    && matches!(
                        self.variables[to as usize].kind,
                        VariableKind::Shared | VariableKind::DynamicShared
                    )
                {
                    let to = &self.variables[to as usize].name;
                    let problem = format!(
                        "the address of `{to}` in shared memory is not known before a launch"
                    );
                    let kind = PtxErrorKind::Operand {
                        instruction: variable.name.clone(),
                        problem,
                    };
                    let place = syntax
                        .variables
                        .iter()
                        .find(|v| v.name == variable.name)
                        .map_or(0, |v| v.offset);
                    return Err(self.error(place, kind));
                }
            }
        }
        Ok(())
    }

    /// Returns the place in shared memory of each variable that a kernel uses, the offset at which
    /// dynamic shared memory begins, and whether the kernel has dynamic variables.
    fn lay_out_shared(
        &self,
        used: &[bool],
        syntax: &syntax::Function<'s>,
    ) -> Result<(Vec<Option<u32>>, usize, bool), PtxError> {
        let mut shared = vec![None; self.variables.len()];
        let (mut end, mut dynamic_align, mut dynamic) = (0, 16, false);
        for (i, variable) in self.variables.iter().enumerate().filter(|(i, _)| used[*i]) {
            match variable.kind {
                VariableKind::Shared => {
                    let at = usize::next_multiple_of(end, variable.align);
                    shared[i] = Some(at as u32);
                    end = at + variable.size;
                }
                VariableKind::DynamicShared => {
                    dynamic = true;
                    dynamic_align = dynamic_align.max(variable.align);
                }
                VariableKind::Global | VariableKind::Const => {}
            }
        }
        if end > STATIC_SHARED {
            let kind = PtxErrorKind::TooLarge {
                what: format!(
                    "the static shared memory that kernel `{}` uses",
                    syntax.name
                ),
                bytes: end,
                limit: STATIC_SHARED,
            };
            return Err(self.error(syntax.offset, kind));
        }
        let dynamic_shared = if dynamic {
            end.next_multiple_of(dynamic_align)
        } else {
            end
        };
        for (i, variable) in self.variables.iter().enumerate() {
            if variable.kind == VariableKind::DynamicShared {
                shared[i] = Some(dynamic_shared as u32);
            }
        }
        Ok((shared, dynamic_shared, dynamic))
    }

    fn kernel(
        &self,
        functions: &[Function],
        index: usize,
        syntax: &syntax::Function<'s>,
    ) -> Result<(Signature, Kernel), PtxError> {
        let reached = self.reached(functions, index);
        let mut used = vec![false; self.variables.len()];
        let (mut communicates, mut granule, mut global_granule) = (false, 4, 16);
        for &f in &reached {
            // The addresses that the heap returns depend on the order of the blocks.
            let heap = matches!(functions[f].builtin, Some(Builtin::Malloc | Builtin::Free));
            communicates |= functions[f].communicates || heap;
            granule = granule.min(functions[f].granule);
            global_granule = global_granule.min(functions[f].global_granule);
            for symbol in &functions[f].uses {
                if let Symbol::Variable(variable) = symbol {
                    used[*variable as usize] = true;
                }
            }
        }
        let system_shared = reached.iter().any(|&f| functions[f].system_shared);
        let scheduled = |inst: &Inst| inst.op.asynchrony() == Asynchrony::Scheduled;
        let non_coherent = |inst: &Inst| matches!(&inst.op, Op::Load(op) if op.non_coherent);
        let of_global =
            |address: &Address| matches!(address.window, Window::Global | Window::Generic);
        let writes = |inst: &Inst| match &inst.op {
            Op::Store(op) => of_global(&op.address),
            Op::Atomic(op) => of_global(&op.address),
            _ => false,
        };
        let releases = |inst: &Inst| inst.op.get::<ReleaseDependents>().is_some();
        let reaches = |what: &dyn Fn(&Inst) -> bool| {
            let mut functions = reached.iter().map(|&f| &functions[f]);
            functions.any(|function| function.code.iter().any(what))
        };
        let (asynchronous, releases_dependents) = (reaches(&scheduled), reaches(&releases));
        let non_coherent = reaches(&non_coherent) && reaches(&writes);
        let (shared, static_shared, uses_dynamic_shared) = self.lay_out_shared(&used, syntax)?;
        let not_emulated = self.not_emulated(functions, index, &reached, &used);
        let mut params = Vec::new();
        for variable in &syntax.parameters {
            let (size, align) = self.size_and_align(variable)?;
            let extents: String = variable
                .extents
                .iter()
                .map(|extent| format!("[{extent}]"))
                .collect();
            let ty = format!(".{}{extents}", variable.ty);
            params.push(Param {
                name: variable.name.to_owned(),
                size,
                align,
                ty,
            });
        }
        let product = |threads: [u32; 3]| threads.iter().fold(1u32, |a, &b| a.saturating_mul(b));
        let parameters = &functions[index].parameters;
        let signature = Signature {
            name: syntax.name.to_owned(),
            params,
            max_threads: syntax.required_threads.or(syntax.max_threads).map(product),
            static_shared,
            uses_dynamic_shared,
        };
        let kernel = Kernel {
            function: index as u32,
            max_threads: syntax.max_threads,
            required_threads: syntax.required_threads,
            cluster: syntax.cluster,
            max_registers: syntax.max_registers,
            min_blocks: syntax.min_blocks,
            not_emulated,
            asynchronous,
            releases_dependents,
            non_coherent,
            system_shared,
            shared,
            communicates,
            granule,
            global_granule,
            parameter_bytes: parameters
                .last()
                .map_or(0, |&(at, size)| (at + size) as usize),
            parameter_offsets: parameters.iter().map(|&(at, _)| at as usize).collect(),
        };
        Ok((signature, kernel))
    }
}
