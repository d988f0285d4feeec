//! Finds the constructs that the emulator does not know, and the kernels that reach them.
//!
//! ```text
//! kernel ─calls─► function with tex.2d        the function is condemned, the kernel refused at its launch
//!        ─uses──► .global .texref image       so is a kernel that uses such a variable
//! other kernel                                runs
//! ```
//!
//! Law: a kernel that can be launched reaches only what was lowered.

use super::body::Body;
use super::module::Module;
use crate::error::{NotEmulated, PtxError};
use crate::ir::{Function, Symbol, Variable, VariableKind};
use crate::reader::syntax;

/// Whether a function is defined by CUDA's library for kernels (launches from kernels, graphs). A
/// module that declares such a function can still be loaded; only the kernels that call it are
/// refused.
pub(crate) fn of_device_runtime(name: &str) -> bool {
    name.starts_with("cuda") || name.starts_with("__cuda")
}

/// The types of PTX that are not emulated: references to textures, samplers, surfaces.
const OPAQUE: [&str; 3] = ["texref", "samplerref", "surfref"];

impl<'s> Module<'s> {
    /// Lowers a function; marks it as condemned if it contains something that the emulator does not
    /// know.
    pub fn function(
        &mut self,
        function: &syntax::Function<'s>,
        statements: &[syntax::Statement<'s>],
    ) -> Result<Function, PtxError> {
        let lowered = match &function.unknown {
            Some(error) => Err(error.clone()),
            None => Body::new(self, function).and_then(|mut body| {
                body.statements(statements)?;
                body.finish()
            }),
        };
        match lowered {
            Err(error) if error.kind.is_unknown() => Ok(Function {
                name: function.name.to_owned(),
                entry: function.entry,
                defined: true,
                condemned: Some(Box::new(error)),
                granule: 4,
                global_granule: 16,
                ..Function::default()
            }),
            other => other,
        }
    }

    /// Adds a variable as `add_variable` does; a variable of an opaque type is condemned.
    pub fn module_variable(&mut self, variable: &syntax::Variable<'s>) -> Result<u32, PtxError> {
        match self.add_variable(variable) {
            Err(error) if OPAQUE.contains(&variable.ty) => {
                self.variables.push(Variable {
                    name: variable.name.to_owned(),
                    kind: VariableKind::Global,
                    size: 1,
                    align: 1,
                    runs: Vec::new(),
                    condemned: Some(Box::new(error)),
                    relocations: Vec::new(),
                });
                Ok(self.variables.len() as u32 - 1)
            }
            other => other,
        }
    }

    /// Returns the first construct that a kernel reaches and the emulator does not know: first in
    /// the kernel itself, then in the functions and variables that it reaches.
    pub fn not_emulated(
        &self,
        functions: &[Function],
        kernel: usize,
        reached: &[usize],
        used: &[bool],
    ) -> Option<Box<NotEmulated>> {
        let condemned = |name: &str, error: &PtxError| {
            Box::new(NotEmulated {
                kernel: functions[kernel].name.clone(),
                holder: name.to_owned(),
                error: error.clone(),
            })
        };
        std::iter::once(kernel)
            .chain(reached.iter().copied())
            .find_map(|f| {
                let error = functions[f].condemned.as_deref()?;
                Some(condemned(&functions[f].name, error))
            })
            .or_else(|| {
                let mut variables = self.variables.iter().zip(used).filter(|(_, used)| **used);
                variables.find_map(|(v, _)| Some(condemned(&v.name, v.condemned.as_deref()?)))
            })
    }

    /// Returns the functions that `start` may call, including itself. A call through a pointer may
    /// reach any function whose address is taken by a function or by the value of a variable of the
    /// module.
    pub fn reached(&self, functions: &[Function], start: usize) -> Vec<usize> {
        let function = |symbol: &Symbol| match symbol {
            Symbol::Function(f) => Some(*f as usize),
            Symbol::Variable(_) => None,
        };
        let in_values = self.variables.iter().flat_map(|v| &v.relocations);
        let taken: Vec<usize> = functions
            .iter()
            .flat_map(|f| &f.uses)
            .chain(in_values.map(|relocation| &relocation.to))
            .filter_map(function)
            .collect();
        let (mut seen, mut stack) = (vec![false; functions.len()], vec![start]);
        while let Some(f) = stack.pop() {
            if std::mem::replace(&mut seen[f], true) {
                continue;
            }
            stack.extend(functions[f].calls.iter().map(|&callee| callee as usize));
            if functions[f].calls_indirectly {
                stack.extend(taken.iter().copied().filter(|&g| !functions[g].entry));
            }
        }
        (0..functions.len()).filter(|&f| seen[f]).collect()
    }
}
