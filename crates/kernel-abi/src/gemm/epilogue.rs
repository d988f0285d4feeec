//! The operations between the accumulator and D.
//!
//! ```text
//!   accumulator ──► alpha · accumulator + beta · C + bias ──► activation ──► rounded once ──► D
//! ```
//!
//! Law: the arithmetic is f32, and the result is rounded once, to D's type.

/// The activation, the epilogue's last operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// The identity.
    #[default]
    None,
    /// `max(x, 0)`.
    Relu,
    /// `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
    Gelu,
}

/// The epilogue's operations: `act(alpha accumulator + beta C + bias)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epilogue {
    /// The factor of the accumulator.
    pub alpha: f32,
    /// The factor of C. With 0, the kernel does not read C.
    pub beta: f32,
    /// Whether a bias, one f32 per column of D, is added.
    pub bias: bool,
    /// The last operation.
    pub activation: Activation,
}

impl Epilogue {
    /// The identity: D is the accumulator, rounded.
    pub const NONE: Self = Self {
        alpha: 1.0,
        beta: 0.0,
        bias: false,
        activation: Activation::None,
    };
}

impl Default for Epilogue {
    fn default() -> Self {
        Self::NONE
    }
}
