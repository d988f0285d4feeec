//! The element types of a product's operands, as types of Rust.
//!
//! ```text
//!   A, B    f16    bf16    f32 (as TF32)    i8    FloatE4M3    FloatE5M2
//!   C, D    f16    bf16    f32              i8    FloatE4M3    FloatE5M2    f32 for all, i32 for i8, bf16 for 8-bit floats
//! ```

use bytemuck::Pod;
use half::{bf16, f16};
use kernel_abi::gemm::{InputType, OutputType};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};

/// A type of A's and B's elements.
pub trait InputElement: Pod {
    /// The kernels' name for the type.
    const TYPE: InputType;
}
impl InputElement for f16 {
    const TYPE: InputType = InputType::F16;
}
impl InputElement for bf16 {
    const TYPE: InputType = InputType::Bf16;
}
/// `f32` elements, multiplied as TF32: rounded to 10 bits of fraction.
impl InputElement for f32 {
    const TYPE: InputType = InputType::Tf32;
}
impl InputElement for i8 {
    const TYPE: InputType = InputType::S8;
}
impl InputElement for FloatE4M3 {
    const TYPE: InputType = InputType::E4m3;
}
impl InputElement for FloatE5M2 {
    const TYPE: InputType = InputType::E5m2;
}

/// A type of C's and D's elements, for products of `I`.
pub trait OutputElement<I: InputElement>: Pod {
    /// The kernels' name for the type.
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
impl OutputElement<FloatE4M3> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl OutputElement<FloatE5M2> for f32 {
    const TYPE: OutputType = OutputType::F32;
}
impl OutputElement<FloatE4M3> for bf16 {
    const TYPE: OutputType = OutputType::Bf16;
}
impl OutputElement<FloatE5M2> for bf16 {
    const TYPE: OutputType = OutputType::Bf16;
}
impl OutputElement<i8> for i32 {
    const TYPE: OutputType = OutputType::S32;
}
