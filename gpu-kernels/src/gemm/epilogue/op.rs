//! Epilogue operations, which are applied in f32 to the accumulator's values before they are stored
//! to D.
//!
//! ```text
//!   EpilogueOp::apply(values, params)      values.map(f)         x ─► f(x)
//!                                          values.with_c(f)      x ─► f(x, C at x's row and column)
//!                                          values.with_bias(f)   x ─► f(x, bias at x's column)
//! ```
//!
//! Law: the order of an operation's calls is the order of its arithmetic. Only `with_c` reads C,
//! and only `with_bias` reads the bias. If the operation calls them, the plan of a problem without
//! C or bias is refused ([`reads`](super::reads)).

use super::element::gelu;
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::algorithm::{transform, transform_with};
use layout_types::layout;
use layout_types::tensor::Fragment;

/// Neighbouring elements of a row of the accumulator, as f32.
pub trait EpilogueValues {
    /// Replaces each value by a function of it.
    fn map(&mut self, f: impl Fn(f32) -> f32);
    /// Replaces each value by a function of it and C's element at its place. In a problem with
    /// `ldc` 0 this is C's element at its column, so C is a second number per column, of D's type.
    fn with_c(&mut self, f: impl Fn(f32, f32) -> f32);
    /// Replaces each value by a function of it and the bias of its column.
    fn with_bias(&mut self, f: impl Fn(f32, f32) -> f32);
}

/// An epilogue operation.
///
/// ```
/// use gpu_kernels::gemm::epilogue::{element::gelu, op::{EpilogueOp, EpilogueValues}};
/// use kernel_abi::gemm::GemmParams;
///
/// /// gelu(accumulator + bias) + C.
/// struct BiasGeluResidual;
/// impl EpilogueOp for BiasGeluResidual {
///     fn is_identity(_: &GemmParams) -> bool {
///         false
///     }
///     fn apply(values: &mut impl EpilogueValues, _: &GemmParams) {
///         values.with_bias(|x, bias| x + bias);
///         values.map(gelu);
///         values.with_c(|x, c| x + c);
///     }
/// }
/// ```
pub trait EpilogueOp {
    /// Whether the operation changes nothing. Then the accumulator is rounded to D without a pass
    /// in f32.
    fn is_identity(params: &GemmParams) -> bool;
    /// Applies the operation. It makes the same calls for the same parameters.
    fn apply(values: &mut impl EpilogueValues, params: &GemmParams);
}

/// `act(alpha accumulator + beta C + bias)`, the operation that [`kernel_abi::gemm::Epilogue`]
/// describes. The parameters' flags select its terms.
pub struct LinearCombination;

impl EpilogueOp for LinearCombination {
    #[inline(always)]
    fn is_identity(params: &GemmParams) -> bool {
        params.epilogue & flags::GENERAL == 0
    }
    #[inline(always)]
    fn apply(values: &mut impl EpilogueValues, params: &GemmParams) {
        let set = params.epilogue;
        values.map(|x| x * params.alpha);
        if set & flags::C != 0 {
            values.with_c(|x, c| x + params.beta * c);
        }
        if set & flags::BIAS != 0 {
            values.with_bias(|x, bias| x + bias);
        }
        values.map(|x| {
            let x = if set & flags::RELU != 0 {
                x.max(0.0)
            } else {
                x
            };
            if set & flags::GELU != 0 { gelu(x) } else { x }
        });
    }
}

/// Eight neighbouring elements of a thread.
pub type Eight = layout!(((4,2)):((1,4)));

/// Eight values in registers, and functions that load their elements of C and of the bias.
pub struct VectorValues<LoadC, LoadBias> {
    /// The values.
    pub values: Fragment<f32, Eight>,
    /// Loads C's elements, as f32.
    pub load_c: LoadC,
    /// Loads the bias's elements, as the bits of f32.
    pub load_bias: LoadBias,
}

impl<LoadC, LoadBias> EpilogueValues for VectorValues<LoadC, LoadBias>
where
    LoadC: Fn() -> Fragment<f32, Eight>,
    LoadBias: Fn() -> Fragment<u32, Eight>,
{
    #[inline(always)]
    fn map(&mut self, f: impl Fn(f32) -> f32) {
        transform(&self.values.view(), &self.values.view(), f);
    }
    #[inline(always)]
    fn with_c(&mut self, f: impl Fn(f32, f32) -> f32) {
        let (values, c) = (self.values.view(), (self.load_c)());
        transform_with(&values, &c.view(), &values, f);
    }
    #[inline(always)]
    fn with_bias(&mut self, f: impl Fn(f32, f32) -> f32) {
        let (values, bias) = (self.values.view(), (self.load_bias)());
        transform_with(&values, &bias.view(), &values, |x, bias| {
            f(x, f32::from_bits(bias))
        });
    }
}

/// One value, and functions that load its elements of C and of the bias.
pub struct ElementValue<LoadC, LoadBias> {
    /// The value.
    pub value: f32,
    /// Loads C's element.
    pub load_c: LoadC,
    /// Loads the bias's element.
    pub load_bias: LoadBias,
}

impl<LoadC: Fn() -> f32, LoadBias: Fn() -> f32> EpilogueValues for ElementValue<LoadC, LoadBias> {
    #[inline(always)]
    fn map(&mut self, f: impl Fn(f32) -> f32) {
        self.value = f(self.value);
    }
    #[inline(always)]
    fn with_c(&mut self, f: impl Fn(f32, f32) -> f32) {
        self.value = f(self.value, (self.load_c)());
    }
    #[inline(always)]
    fn with_bias(&mut self, f: impl Fn(f32, f32) -> f32) {
        self.value = f(self.value, (self.load_bias)());
    }
}
