//! The element types of a product's operands, as types of Rust.
//!
//! ```text
//!   A, B    f16    bf16    f32 (as TF32)    i8
//!   C, D    f16    bf16    f32              i8     or f32 of f16, bf16 and i8, or i32 of i8
//! ```

use bytemuck::Pod;
use half::{bf16, f16};
use kernel_abi::gemm::{InputType, OutputType};

/// A type of A's and B's elements.
pub trait InputElement: Pod {
    /// The type as kernels name it.
    const TYPE: InputType;
}
impl InputElement for f16 {
    const TYPE: InputType = InputType::F16;
}
impl InputElement for bf16 {
    const TYPE: InputType = InputType::Bf16;
}
/// Multiplied as TF32: rounded to 10 bits of fraction.
impl InputElement for f32 {
    const TYPE: InputType = InputType::Tf32;
}
impl InputElement for i8 {
    const TYPE: InputType = InputType::S8;
}

/// A type of C's and D's elements, for products of `I`.
pub trait OutputElement<I: InputElement>: Pod {
    /// The type as kernels name it.
    const TYPE: OutputType;
}
impl<I: InputElement> OutputElement<I> for I {
    const TYPE: OutputType = OutputType::Same;
}
impl OutputElement<f16> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl OutputElement<bf16> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl OutputElement<i8> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl OutputElement<i8> for i32 {
    const TYPE: OutputType = OutputType::S32;
}
