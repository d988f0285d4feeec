//! Loops that the type system unrolls, independently of the optimiser.
//!
//! ```text
//!   unroll::<6>(f)      6 = 0b110:   U3 twice, U3 = U1 twice + 1, U1 = one call
//!   f(0) f(1) f(2) f(3) f(4) f(5)
//! ```
//!
//! Law: `unroll::<N>(f)` calls `f(0)`, `f(1)`, … `f(N - 1)`, in this order, and the code contains
//! no loop.
//!
//! A fragment lives in registers only while every index into it is a constant. LLVM keeps a plain
//! `for` over 48 steps or more (or a nested one) as a loop, and the fragment then moves to `.local`
//! memory. Here the recursion is over the binary digits of `N`, so its depth is log₂ N, and each
//! call is inlined with a constant.

use typenum::{B0, B1, Const, ToUInt, UInt, UTerm, Unsigned};

/// A number that can count an unrolled loop: every typenum unsigned integer.
pub trait Unroll {
    /// Calls `body(base)`, `body(base + 1)`, … `body(base + Self - 1)`, without a loop.
    fn run(base: usize, body: &mut impl FnMut(usize));
}

impl Unroll for UTerm {
    #[inline(always)]
    fn run(_base: usize, _body: &mut impl FnMut(usize)) {}
}

impl Unroll for UInt<UTerm, B1> {
    #[inline(always)]
    fn run(base: usize, body: &mut impl FnMut(usize)) {
        body(base);
    }
}

/// Runs `2h + b` steps as `h` steps, `h` steps and `b` steps.
impl<H, B, C> Unroll for UInt<UInt<H, B>, C>
where
    C: LastStep,
    UInt<H, B>: Unroll + Unsigned,
{
    #[inline(always)]
    fn run(base: usize, body: &mut impl FnMut(usize)) {
        let half = <UInt<H, B> as Unsigned>::USIZE;
        <UInt<H, B> as Unroll>::run(base, body);
        <UInt<H, B> as Unroll>::run(base + half, body);
        C::last(base + 2 * half, body);
    }
}

/// The last step of an odd count.
pub trait LastStep {
    /// Calls `body(at)` for `B1`, and does nothing for `B0`.
    fn last(at: usize, body: &mut impl FnMut(usize));
}

impl LastStep for B0 {
    #[inline(always)]
    fn last(_at: usize, _body: &mut impl FnMut(usize)) {}
}

impl LastStep for B1 {
    #[inline(always)]
    fn last(at: usize, body: &mut impl FnMut(usize)) {
        body(at);
    }
}

/// Calls `body` with 0, 1, … `N - 1`, unrolled.
///
/// `N` may be any number for which typenum has a constant (0 to 1024). For a count that is already
/// a type, such as the size of a layout, use [`unroll_type`].
///
/// ```
/// let mut seen = Vec::new();
/// layout_types::unroll::unroll::<6>(|i| seen.push(i));
/// assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
/// ```
#[inline(always)]
pub fn unroll<const N: usize>(mut body: impl FnMut(usize))
where
    Const<N>: ToUInt<Output: Unroll>,
{
    <<Const<N> as ToUInt>::Output as Unroll>::run(0, &mut body);
}

/// Calls `body` with 0, 1, … `N - 1`, unrolled, for a typenum count.
///
/// ```
/// use typenum::U5;
/// let mut sum = 0;
/// layout_types::unroll::unroll_type::<U5>(|i| sum += i);
/// assert_eq!(sum, 10);
/// ```
#[inline(always)]
pub fn unroll_type<N: Unroll>(mut body: impl FnMut(usize)) {
    N::run(0, &mut body);
}
