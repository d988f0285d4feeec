//! Variables of a module: sizes and initial values.
//!
//! ```text
//! .global .align 8 .u64 names[2] = {generic(a)+1, 5};
//!   bytes 00 00 00 00 00 00 00 00 05 00 ..    relocation at 0: address of a, plus 1
//! ```

use super::module::Module;
use crate::error::{PtxError, PtxErrorKind};
use crate::ir::{Relocation, Run, Variable, VariableKind};
use crate::reader::syntax::{self, Constant, Initializer, Linkage, VariableSpace};
use crate::types::Type;

/// The most bytes of a variable. This limit exceeds any device's memory, and the sum over all
/// variables of a module still fits into 64 bits.
const MOST_BYTES: usize = 1 << 40;

impl<'s> Module<'s> {
    /// Parses the name of a type; `offset` is its position in the text.
    pub fn ty(&self, offset: usize, name: &str) -> Result<Type, PtxError> {
        Type::parse(name).ok_or_else(|| {
            let kind = PtxErrorKind::Unsupported(format!("type `.{name}`"));
            PtxError::at(self.source, offset, kind)
        })
    }

    /// Returns the size and alignment in bytes of a variable or parameter.
    pub fn size_and_align(
        &self,
        variable: &syntax::Variable<'s>,
    ) -> Result<(usize, usize), PtxError> {
        let size = self.size_of(variable, &variable.extents)?;
        let element = self.ty(variable.offset, variable.ty)?.bytes() * variable.vector;
        let align = variable.align.unwrap_or(element);
        if !align.is_power_of_two() || align > 1 << 20 {
            let problem = format!("alignment {align} is not a power of two up to 2^20");
            return Err(self.wrong(variable, problem));
        }
        Ok((size, align))
    }

    /// Returns the size in bytes of an array of a variable's elements. The product of any subset of
    /// the extents is within the limit too.
    fn size_of(
        &self,
        variable: &syntax::Variable<'s>,
        extents: &[usize],
    ) -> Result<usize, PtxError> {
        let ty = self.ty(variable.offset, variable.ty)?;
        if ty == Type::Pred {
            return Err(self.wrong(variable, "a predicate has no place in memory".to_owned()));
        }
        let element = ty.bytes() * variable.vector;
        // An extent of 0 must not hide the product of the other extents.
        let most = extents.iter().try_fold(element, |size, &extent| {
            size.checked_mul(extent.max(1))
                .filter(|&size| size <= MOST_BYTES)
        });
        if most.is_none() {
            let problem =
                format!("it is too large: a variable has 2^40 = {MOST_BYTES} bytes at most");
            return Err(self.wrong(variable, problem));
        }
        Ok(extents.iter().product::<usize>() * element)
    }

    /// Creates an error about a variable.
    pub fn wrong(&self, variable: &syntax::Variable<'s>, problem: String) -> PtxError {
        let kind = PtxErrorKind::Operand {
            instruction: variable.name.to_owned(),
            problem,
        };
        PtxError::at(self.source, variable.offset, kind)
    }

    /// Declares a variable of the module; its value is added by `initialise` once all names are
    /// known.
    pub fn add_variable(&mut self, variable: &syntax::Variable<'s>) -> Result<u32, PtxError> {
        let (mut size, align) = self.size_and_align(variable)?;
        let open = variable.extents.first() == Some(&0);
        let kind = match variable.space {
            VariableSpace::Const => VariableKind::Const,
            VariableSpace::Shared if open => VariableKind::DynamicShared,
            VariableSpace::Shared => VariableKind::Shared,
            _ => VariableKind::Global,
        };
        let fail = |problem: &str| {
            let kind = PtxErrorKind::Operand {
                instruction: variable.name.to_owned(),
                problem: problem.to_owned(),
            };
            Err(PtxError::at(self.source, variable.offset, kind))
        };
        let is_shared = matches!(kind, VariableKind::Shared | VariableKind::DynamicShared);
        if is_shared && variable.initializer.is_some() {
            return fail("shared memory cannot have an initial value");
        }
        let mut extents = variable.extents.clone();
        if open && !is_shared {
            let Some(Initializer::Aggregate(elements)) = &variable.initializer else {
                return fail("an array without an extent needs an initial value");
            };
            extents[0] = elements.len();
            size = self.size_of(variable, &extents)?;
        }
        if variable.linkage == Linkage::Extern && !is_shared {
            self.undefined.push(variable.name.to_owned());
        }
        let mut lowered = Variable {
            name: variable.name.to_owned(),
            kind,
            size,
            align,
            runs: Vec::new(),
            condemned: None,
            relocations: Vec::new(),
        };
        if let (false, Some(initializer)) = (is_shared, &variable.initializer) {
            if variable.vector > 1 {
                extents.push(variable.vector);
            }
            let ty = self.ty(variable.offset, variable.ty)?;
            self.fill(variable, ty, &extents, initializer, 0, &mut lowered)?;
        }
        self.variables.push(lowered);
        Ok(self.variables.len() as u32 - 1)
    }

    /// Writes the initial values of the elements from byte `at` on into a variable.
    fn fill(
        &mut self,
        variable: &syntax::Variable<'s>,
        ty: Type,
        extents: &[usize],
        initializer: &Initializer<'s>,
        at: usize,
        into: &mut Variable,
    ) -> Result<(), PtxError> {
        let width = ty.bytes();
        let source = self.source;
        let fail = |problem: String| {
            let kind = PtxErrorKind::Operand {
                instruction: variable.name.to_owned(),
                problem,
            };
            Err(PtxError::at(source, variable.offset, kind))
        };
        let mut address = |module: &Self, name: &str, addend: i64, shift: u32| {
            let Some(to) = module.symbol(name) else {
                return Err(PtxError::at(
                    source,
                    variable.offset,
                    PtxErrorKind::Undeclared(name.to_owned()),
                ));
            };
            if at + width > into.size {
                return fail("more initial values than elements".to_owned());
            }
            into.relocations.push(Relocation {
                offset: at,
                width,
                addend,
                to,
                shift,
            });
            Ok(())
        };
        match initializer {
            Initializer::Aggregate(elements) => {
                let Some((&extent, inner)) = extents.split_first() else {
                    // PTX allows braces around a single value.
                    return match &elements[..] {
                        [single] => self.fill(variable, ty, extents, single, at, into),
                        _ => fail("a list of values for a single one".to_owned()),
                    };
                };
                if elements.len() > extent {
                    let problem = format!(
                        "more initial values than elements: {} for {extent}",
                        elements.len()
                    );
                    return fail(problem);
                }
                // The offset is within the variable's size, which fits.
                let step = width * inner.iter().product::<usize>();
                for (i, element) in elements.iter().enumerate() {
                    self.fill(variable, ty, inner, element, at + i * step, into)?;
                }
                Ok(())
            }
            // A global address is its own generic address.
            Initializer::Address { name, offset, .. } => address(self, name, *offset, 0),
            Initializer::AddressByte {
                name, offset, mask, ..
            } => {
                let shift = mask.trailing_zeros();
                if *mask >> shift.min(63) != 0xff || width != 1 {
                    return fail(format!("mask {mask:#x} does not take one byte"));
                }
                address(self, name, *offset, shift)
            }
            Initializer::Constant(constant) => {
                let value = match (*constant, ty) {
                    (Constant::Int(value), Type::F32) => u64::from((value as f32).to_bits()),
                    (Constant::Int(value), Type::F64) => (value as f64).to_bits(),
                    (Constant::Int(value), _) => value as u64,
                    (Constant::F32(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
                    (Constant::F32(bits), _) => u64::from(bits),
                    (Constant::F64(bits), _) if width == 4 => {
                        u64::from((f64::from_bits(bits) as f32).to_bits())
                    }
                    (Constant::F64(bits), _) => bits,
                };
                if width > 8 {
                    return fail("a 128-bit constant".to_owned());
                }
                if at + width > into.size {
                    return fail("more initial values than elements".to_owned());
                }
                let bytes = &value.to_le_bytes()[..width];
                match into.runs.last_mut() {
                    Some(run) if run.offset + run.bytes.len() == at => run.bytes.extend(bytes),
                    _ if value == 0 => {}
                    _ => into.runs.push(Run {
                        offset: at,
                        bytes: bytes.to_vec(),
                    }),
                }
                Ok(())
            }
        }
    }
}
