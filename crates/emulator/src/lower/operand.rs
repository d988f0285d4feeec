//! Lowers operands to rows.
//!
//! ```text
//! %r7            the register's row
//! 42, 0f3F800000 a constant row with the value in every lane
//! %tid.x         a constant row, filled when the warp starts
//! table+8        a constant row with the address
//! _              a row that no instruction reads
//! ```
//!
//! Law: a register's type fits the instruction's type ([`Type::takes`]). The `loose` functions
//! permit other sizes, as PTX does for `ld`, `st` and `cvt`.

use super::body::Name;
use super::instruction::Lowering;
use super::slot::Slot;
use super::special::{Source, looks_special, special};
use crate::error::{PtxError, PtxErrorKind};
use crate::frame::Frame;
use crate::ir::{Address, Constant, Special, Symbol, Window};
use crate::reader::syntax::{Constant as Literal, Operand};
use crate::types::{Class, Type};

impl<'b, 'm, 's> Lowering<'b, 'm, 's> {
    /// Lowers operand `i` to a source of type `ty`.
    pub fn source(&mut self, i: usize, ty: Type) -> Result<Slot, PtxError> {
        let operand = self.operand(i)?;
        self.source_of(i, operand, ty)
    }

    /// Lowers an operand inside operand `i` to a source.
    pub fn source_of(
        &mut self,
        i: usize,
        operand: &Operand<'s>,
        ty: Type,
    ) -> Result<Slot, PtxError> {
        match operand {
            Operand::Component(name, at) => {
                let (found, slot) = self.element(i, name, *at)?;
                self.sized(i, name, found, slot, ty, false)
            }
            Operand::Name(name, 0) if ty == Type::Pred => self.predicate_named(i, name),
            Operand::Not(name) if ty == Type::Pred => {
                let slot = self.predicate_named(i, name)?;
                let result = self.scratch(Class::Pred);
                self.helper(not_predicate, result, &[slot]);
                Ok(result)
            }
            Operand::Name(name, offset) => {
                if let Some(Name::Register(found, slot)) = self.body.look_up(name) {
                    if *offset != 0 {
                        return Err(
                            self.bad_operand(i, "a register with an offset outside of an address")
                        );
                    }
                    return self.sized(i, name, found, slot, ty, false);
                }
                self.named_constant(i, name, *offset, ty)
            }
            Operand::Constant(literal) => self.literal(i, *literal, ty),
            other => Err(self.bad_operand(
                i,
                format!("a .{} source expected, found {}", ty.name(), kind(other)),
            )),
        }
    }

    /// Lowers an operand inside operand `i` to a source whose register may be wider than `ty`.
    /// Returns its row and whether the row has 64 bits.
    pub fn loose_source_of(
        &mut self,
        i: usize,
        operand: &Operand<'s>,
        ty: Type,
    ) -> Result<(Slot, bool), PtxError> {
        if let Some((name, found, slot)) = self.register(operand) {
            let slot = self.sized(i, name, found, slot, ty, true)?;
            return Ok((slot, slot.class() == Class::R64));
        }
        let slot = self.source_of(i, operand, ty)?;
        Ok((slot, slot.class() == Class::R64))
    }

    /// Lowers operand `i` to the result of type `ty`.
    pub fn dest(&mut self, i: usize, ty: Type) -> Result<Slot, PtxError> {
        let operand = self.operand(i)?;
        self.dest_of(i, operand, ty)
    }

    /// Lowers an operand inside operand `i` to a result.
    pub fn dest_of(&mut self, i: usize, operand: &Operand<'s>, ty: Type) -> Result<Slot, PtxError> {
        self.loose_or_exact_dest(i, operand, ty, false)
    }

    /// Lowers an operand inside operand `i` to a result whose register may be wider than `ty`.
    /// Returns its row and the register's width in bits.
    pub fn loose_dest_of(
        &mut self,
        i: usize,
        operand: &Operand<'s>,
        ty: Type,
    ) -> Result<(Slot, u32), PtxError> {
        let slot = self.loose_or_exact_dest(i, operand, ty, true)?;
        let bits = match self.register(operand) {
            Some((_, found, _)) => found.bits(),
            None => ty.bits(),
        };
        Ok((slot, bits))
    }

    /// Returns the name, type and slot of the register that an operand names.
    pub fn register(&self, operand: &Operand<'s>) -> Option<(&'s str, Type, Slot)> {
        match operand {
            Operand::Name(name, 0) => match self.body.look_up(name) {
                Some(Name::Register(ty, slot)) => Some((name, ty, slot)),
                _ => None,
            },
            Operand::Component(name, at) => {
                let (ty, slot) = self.element(0, name, *at).ok()?;
                Some((name, ty, slot))
            }
            _ => None,
        }
    }

    /// Returns element `at` of a vector register.
    fn element(&self, i: usize, name: &str, at: usize) -> Result<(Type, Slot), PtxError> {
        match self.body.look_up(name) {
            Some(Name::Vector(ty, slots)) if at < slots.len() => Ok((ty, slots[at])),
            _ => Err(self.bad_operand(i, format!("`{name}` is not a vector register"))),
        }
    }

    fn loose_or_exact_dest(
        &mut self,
        i: usize,
        operand: &Operand<'s>,
        ty: Type,
        loose: bool,
    ) -> Result<Slot, PtxError> {
        match operand {
            Operand::Sink => {
                let class = ty.class().ok_or_else(|| self.wide(i))?;
                Ok(self.scratch(class))
            }
            Operand::Component(name, at) => {
                let (found, slot) = self.element(i, name, *at)?;
                self.sized(i, name, found, slot, ty, loose)
            }
            Operand::Name(name, 0) => match self.body.look_up(name) {
                Some(Name::Register(found, slot)) => self.sized(i, name, found, slot, ty, loose),
                Some(_) => Err(self.bad_operand(i, format!("`{name}` is not a register"))),
                None => Err(self.undeclared(i, name)),
            },
            other => Err(self.bad_operand(
                i,
                format!("a .{} register expected, found {}", ty.name(), kind(other)),
            )),
        }
    }

    fn wide(&self, i: usize) -> PtxError {
        self.bad_operand(i, "128-bit registers are not emulated")
    }

    fn sized(
        &self,
        i: usize,
        name: &str,
        found: Type,
        slot: Slot,
        ty: Type,
        loose: bool,
    ) -> Result<Slot, PtxError> {
        if ty.takes(found, loose) {
            Ok(slot)
        } else {
            let problem = format!(
                "`{name}` is a .{} register, the instruction needs .{}",
                found.name(),
                ty.name()
            );
            Err(self.bad_operand(i, problem))
        }
    }

    fn undeclared(&self, i: usize, name: &str) -> PtxError {
        let offset = self.inst.places.get(i).copied().unwrap_or(self.inst.offset);
        PtxError::at(self.body.module.source, offset, undeclared(name))
    }

    fn predicate_named(&mut self, i: usize, name: &str) -> Result<Slot, PtxError> {
        match self.body.look_up(name) {
            Some(Name::Register(found, slot)) => {
                self.sized(i, name, found, slot, Type::Pred, false)
            }
            Some(_) => Err(self.bad_operand(i, format!("`{name}` is not a predicate"))),
            None => {
                let special = self.body.special_predicate(name);
                special.ok_or_else(|| self.undeclared(i, name))
            }
        }
    }

    /// Lowers the name of a special register or variable to a constant row.
    fn named_constant(
        &mut self,
        i: usize,
        name: &str,
        offset: i64,
        ty: Type,
    ) -> Result<Slot, PtxError> {
        let class = ty.class().ok_or_else(|| self.wide(i))?;
        if let Some(source) = special(name) {
            return match source {
                // As in ptxas, the type has the register's size or 16 bits (truncated); `%gridid`
                // also fits 32 bits.
                Source::Fixed(what, bits)
                    if (bits == ty.bits()
                        || ty.bits() == 16
                        || what == Special::GridId && ty.bits() == 32)
                        && (ty.is_integer() || ty.is_bits()) =>
                {
                    self.body.function.system_shared |= matches!(what, Special::SystemShared(_));
                    Ok(self.body.constant(class, Constant::Special(what)))
                }
                Source::Fixed(_, bits) => Err(self.bad_operand(
                    i,
                    format!("`{name}` has {bits} bits, the instruction .{}", ty.name()),
                )),
                Source::Clock { .. } => {
                    Err(self.bad_operand(i, format!("`{name}` can be read by mov only")))
                }
                Source::Predicate(_) => {
                    let problem =
                        format!("`{name}` is a predicate, the instruction .{}", ty.name());
                    Err(self.bad_operand(i, problem))
                }
            };
        }
        let constant = self.address_of(i, name, offset)?;
        let narrow_allowed = !matches!(constant, Constant::Address(..));
        if class == Class::R64 || (class == Class::R32 && ty.bits() == 32 && narrow_allowed) {
            Ok(self.body.constant(class, constant))
        } else {
            Err(self.bad_operand(
                i,
                format!("the address of `{name}` does not fit into .{}", ty.name()),
            ))
        }
    }

    /// Returns the address of a variable, parameter or function, in its own space.
    fn address_of(&mut self, i: usize, name: &str, offset: i64) -> Result<Constant, PtxError> {
        Ok(match self.body.look_up(name) {
            Some(Name::Variable(variable)) => {
                self.body.use_symbol(Symbol::Variable(variable));
                self.body.module.variable_address(variable, offset)
            }
            Some(Name::Function(function)) => {
                self.body.use_symbol(Symbol::Function(function));
                Constant::Address(Symbol::Function(function), offset)
            }
            Some(Name::Local(at)) => Constant::Local(i64::from(at) + offset),
            Some(Name::Param { offset: at, .. }) => {
                Constant::Value((i64::from(at) + offset) as u64)
            }
            Some(_) => return Err(self.bad_operand(i, format!("`{name}` has no address"))),
            None => return Err(self.undeclared(i, name)),
        })
    }

    fn literal(&mut self, i: usize, literal: Literal, ty: Type) -> Result<Slot, PtxError> {
        let class = ty.class().ok_or_else(|| self.wide(i))?;
        let bits = match (literal, ty) {
            (Literal::Int(value), Type::Pred) => {
                // `1` and `0` are allowed as predicate sources.
                let result = self.scratch(Class::Pred);
                self.helper(
                    if value != 0 {
                        set_predicate
                    } else {
                        clear_predicate
                    },
                    result,
                    &[],
                );
                return Ok(result);
            }
            (Literal::Int(_), Type::F32 | Type::F64 | Type::F16 | Type::Bf16) => {
                return Err(self.bad_operand(i, format!("an integer constant for .{}", ty.name())));
            }
            (Literal::Int(value), _) => value as u64,
            (Literal::F32(_) | Literal::F64(_), _) if ty.is_integer() => {
                let problem = format!("a floating-point constant for .{}", ty.name());
                return Err(self.bad_operand(i, problem));
            }
            (Literal::F32(bits), _) if ty.bits() == 32 => u64::from(bits),
            (Literal::F64(bits), _) if ty.bits() == 64 => bits,
            (Literal::F64(bits), _) if ty.bits() == 32 => {
                u64::from((f64::from_bits(bits) as f32).to_bits())
            }
            (Literal::F32(bits), Type::F64) => f64::from(f32::from_bits(bits)).to_bits(),
            _ => {
                return Err(
                    self.bad_operand(i, format!("a floating-point constant for .{}", ty.name()))
                );
            }
        };
        let width = ty.bits().min(64);
        Ok(self.body.constant(
            class,
            Constant::Value(if width == 64 {
                bits
            } else {
                bits & ((1 << width) - 1)
            }),
        ))
    }

    /// Returns operand `i`, which must be an integer constant.
    pub fn immediate(&self, i: usize) -> Result<i64, PtxError> {
        match self.operand(i)? {
            Operand::Constant(Literal::Int(value)) => Ok(*value),
            _ => Err(self.bad_operand(i, "an integer constant expected")),
        }
    }

    /// Returns the elements of operand `i`: those of the vector, or the operand as the only
    /// element.
    pub fn elements(&self, i: usize) -> Result<&'b [Operand<'s>], PtxError> {
        Ok(match self.operand(i)? {
            Operand::Vector(elements) => elements,
            single => std::slice::from_ref(single),
        })
    }

    /// Lowers operand `i` to an address in `window`; `.param` becomes the window of the operand's
    /// name.
    pub fn address(&mut self, i: usize, window: Window) -> Result<Address, PtxError> {
        self.address_of_width(i, window, false)
    }

    /// Lowers operand `i` to an address like `address`, for instructions whose addresses may have
    /// 32 bits in every space, as in `ptxas`. A 32-bit address without a named space is an address
    /// of shared memory.
    pub fn address_of_any_width(&mut self, i: usize, window: Window) -> Result<Address, PtxError> {
        let address = self.address_of_width(i, window, true)?;
        Ok(match address.window {
            Window::Generic if !address.wide => Address {
                window: Window::Shared,
                ..address
            },
            _ => address,
        })
    }

    fn address_of_width(
        &mut self,
        i: usize,
        window: Window,
        any_width: bool,
    ) -> Result<Address, PtxError> {
        let Operand::Address { base, offset } = self.operand(i)? else {
            return Err(self.bad_operand(i, "an address in brackets expected"));
        };
        let mut window = window;
        let is_param = matches!(window, Window::EntryParam | Window::FrameParam);
        let slot = match &**base {
            Operand::Name(name, _) => match self.body.look_up(name) {
                Some(Name::Register(found, slot)) => {
                    if !Type::U8.takes(found, true) {
                        let problem = format!(
                            "`{name}` is a .{} register, an address is an integer",
                            found.name()
                        );
                        return Err(self.bad_operand(i, problem));
                    }
                    let narrow = found.bits() == 32
                        && (any_width || !matches!(window, Window::Generic | Window::Global));
                    if found.bits() != 64 && !narrow {
                        let problem = format!(
                            "`{name}` is a .{} register, this address has 64 bits",
                            found.name()
                        );
                        return Err(self.bad_operand(i, problem));
                    }
                    slot
                }
                Some(Name::Param { entry, .. }) => {
                    if !is_param {
                        return Err(
                            self.bad_operand(i, format!("`{name}` is a parameter: use .param"))
                        );
                    }
                    window = if entry {
                        Window::EntryParam
                    } else {
                        Window::FrameParam
                    };
                    self.named_constant(i, name, 0, Type::B64)?
                }
                Some(_) => self.named_constant(i, name, 0, Type::B64)?,
                None => return Err(self.undeclared(i, name)),
            },
            Operand::Constant(literal) => self.literal(i, *literal, Type::B64)?,
            other => {
                return Err(
                    self.bad_operand(i, format!("an address expected, found {}", kind(other)))
                );
            }
        };
        self.uses.push(slot);
        Ok(Address {
            base: slot.0,
            wide: slot.class() == Class::R64,
            offset: *offset,
            window,
            roots: crate::ir::NONE,
        })
    }
}

/// Describes an operand's kind in a message.
fn kind(operand: &Operand) -> &'static str {
    match operand {
        Operand::Name(..) => "a name",
        Operand::Not(_) => "a negated predicate",
        Operand::Constant(_) => "a constant",
        Operand::Vector(_) => "a vector",
        Operand::Address { .. } => "an address",
        Operand::Texel { .. } => "an address with coordinates",
        Operand::Pair(..) => "a pair",
        Operand::Component(..) => "an element of a vector register",
        Operand::List(_) => "a list",
        Operand::Part(..) => "a part of a register",
        Operand::Minus(_) => "a negated register",
        Operand::Sink => "`_`",
    }
}

/// Returns the error of an undeclared name. An unknown special register condemns only the function
/// that uses it.
pub(crate) fn undeclared(name: &str) -> PtxErrorKind {
    if looks_special(name) {
        PtxErrorKind::Unsupported(format!(
            "`{name}` is not declared, and is no special register that is known"
        ))
    } else {
        PtxErrorKind::Undeclared(name.to_owned())
    }
}

fn not_predicate(frame: &mut Frame, args: &crate::frame::Args, mask: u32) {
    let value = !frame.pred(args[1]);
    frame.write_pred(args[0], value, mask);
}

/// Sets a predicate in all lanes.
pub(crate) fn set_predicate(frame: &mut Frame, args: &crate::frame::Args, mask: u32) {
    frame.write_pred(args[0], u32::MAX, mask);
}

/// Clears a predicate in all lanes.
pub(crate) fn clear_predicate(frame: &mut Frame, args: &crate::frame::Args, mask: u32) {
    frame.write_pred(args[0], 0, mask);
}
