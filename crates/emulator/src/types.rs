//! Scalar types and register classes.
//!
//! ```text
//! type   .pred   .b8 .u16 .f16 .s32 .f32 .b32 .f16x2   .b64 .u64 .f64
//! class  Pred    R32 (32 lanes of 32 bits)             R64 (32 lanes of 64 bits)
//! ```
//!
//! Law: a value narrower than its register's lane is zero-extended in it, and every operation
//! preserves this. Source: PTX ISA, "Fundamental Types", "Packed Data Types", "Operand Size
//! Exceeding Instruction-Type Size".

/// A PTX type of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    Tf32,
    F32,
    F64,
    U16x2,
    S16x2,
    E4m3x2,
    E5m2x2,
    E2m1x2,
    E2m3x2,
    E3m2x2,
    Ue8m0x2,
}

/// The kind of register that holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// Up to 32 bits per lane.
    R32,
    /// 64 bits per lane.
    R64,
    /// One bit per lane.
    Pred,
}

impl Type {
    /// Returns the type that a modifier names, without its dot.
    pub fn parse(word: &str) -> Option<Type> {
        use Type::*;
        Some(match word {
            "pred" => Pred,
            "b8" => B8,
            "b16" => B16,
            "b32" => B32,
            "b64" => B64,
            "b128" => B128,
            "u8" => U8,
            "u16" => U16,
            "u32" => U32,
            "u64" => U64,
            "s8" => S8,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "f16" => F16,
            "bf16" => Bf16,
            "f16x2" => F16x2,
            "bf16x2" => Bf16x2,
            "tf32" => Tf32,
            "f32" => F32,
            "f64" => F64,
            "u16x2" => U16x2,
            "s16x2" => S16x2,
            "e4m3x2" => E4m3x2,
            "e5m2x2" => E5m2x2,
            "e2m1x2" => E2m1x2,
            "e2m3x2" => E2m3x2,
            "e3m2x2" => E3m2x2,
            "ue8m0x2" => Ue8m0x2,
            _ => return None,
        })
    }

    /// Returns the modifier that names the type, without its dot.
    pub fn name(self) -> &'static str {
        use Type::*;
        match self {
            Pred => "pred",
            B8 => "b8",
            B16 => "b16",
            B32 => "b32",
            B64 => "b64",
            B128 => "b128",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            S8 => "s8",
            S16 => "s16",
            S32 => "s32",
            S64 => "s64",
            F16 => "f16",
            Bf16 => "bf16",
            F16x2 => "f16x2",
            Bf16x2 => "bf16x2",
            Tf32 => "tf32",
            F32 => "f32",
            F64 => "f64",
            U16x2 => "u16x2",
            S16x2 => "s16x2",
            E4m3x2 => "e4m3x2",
            E5m2x2 => "e5m2x2",
            E2m1x2 => "e2m1x2",
            E2m3x2 => "e2m3x2",
            E3m2x2 => "e3m2x2",
            Ue8m0x2 => "ue8m0x2",
        }
    }

    /// Returns the size in bits; a predicate counts as 1.
    pub fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 | E2m1x2 => 8,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 | E2m3x2 | E3m2x2 | Ue8m0x2 => 16,
            B32 | U32 | S32 | F16x2 | Bf16x2 | Tf32 | F32 | U16x2 | S16x2 => 32,
            B64 | U64 | S64 | F64 => 64,
            B128 => 128,
        }
    }

    /// Returns the size in bytes, or 0 for a predicate, which has no place in memory.
    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// Returns the class of register that holds the type, or `None` for 128 bits, which no register
    /// of the emulator holds.
    pub fn class(self) -> Option<Class> {
        match self.bits() {
            1 => Some(Class::Pred),
            64 => Some(Class::R64),
            128 => None,
            _ => Some(Class::R32),
        }
    }

    /// Whether the type is a two's complement integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Whether the type is an integer, signed or unsigned.
    pub fn is_integer(self) -> bool {
        use Type::*;
        matches!(self, U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
    }

    /// Whether a register of the type `register` may be an operand of this type in an instruction:
    /// it must have the same size, or with `wider` (`ld`, `st`, `cvt`) at least that size.
    ///
    /// ```text
    /// instruction    registers
    /// .b32           .b32 .u32 .s32 .f32 .f16x2       any of the size
    /// .u32 .s32      .b32 .u32 .s32 .f16x2            any but a float
    /// .f32           .b32 .f32                        bits, or the same float
    /// ```
    /// Source: PTX ISA, "Operand Type Checking", and the behaviour of ptxas 13.0, which treats
    /// `.f16x2` as an integer.
    pub fn takes(self, register: Type, wider: bool) -> bool {
        // Only registers of its own size fit bfloat16.
        let fits = if wider && self != Type::Bf16 {
            register.bits() >= self.bits()
        } else {
            register.bits() == self.bits()
        };
        if !fits || self == Type::Pred || register == Type::Pred {
            return self == register;
        }
        let is_float = |ty: Type| matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64);
        self.is_bits()
            || register.is_bits()
            || if self.is_integer() {
                !is_float(register)
            } else {
                self == register
            }
    }

    /// Whether the type is an untyped bit type.
    pub fn is_bits(self) -> bool {
        matches!(
            self,
            Type::B8 | Type::B16 | Type::B32 | Type::B64 | Type::B128
        )
    }
}
