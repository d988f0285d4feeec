//! Algorithms that process each element separately.
//!
//! ```text
//!   fill(t, v)    clear(t)    transform(f, x, y)    axpby(a, x, b, y)    convert_type(x)    reduce(f, x)    cooperative_copy    prefetch
//! ```
//!
//! Law: each algorithm is a loop over the elements in the order of their indices, unrolled.

use super::copy::SameCount;
use super::copy_widths::copy_auto::{ByVectors, CopyVectors, RunOf};
use super::{Vectors, Walk};
use crate::arch::prefetch::prefetch_global_l2;
use crate::atom::convert::{ConvertTo, convert, convert_pair};
use crate::layout::{LayoutFn, Size};
use crate::num::NatCmp;
use crate::tensor::{Engine, Global, GlobalAccess, KnownStrides, Plain, Read, Store, Tensor};
use crate::unroll::unroll_type;
use core::ops::{Add, Mul};
use typenum::{U128, Unsigned};

// -- `fill` and `clear` ---------------------------------------------------------------------------
//
// `fill` and `clear` set every element to the same value.
//
// ```text
//   fill(&accumulators, 1.0)        clear(&accumulators)
// ```
//
// Law: `t(i) == value` for every `i` afterwards.
//
// Source: CuTe `cute/algorithm/fill.hpp`, `clear.hpp`.

/// Sets every element to `value`: CuTe's `fill`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::fill, tensor::Fragment};
/// let fragment = Fragment::<f32, layout!((2,3))>::new();
/// fill(&fragment.view(), 1.5);
/// assert_eq!(fragment.get((1u32, 2)), 1.5);
/// ```
#[inline(always)]
pub fn fill<E: Store, L: Walk>(tensor: &Tensor<E, L>, value: E::Value) {
    unroll_type::<L::Count>(|i| tensor.set(i as u32, value));
}

/// Sets every element to zero: CuTe's `clear`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::Fragment;
/// use layout_types::algorithm::{clear, fill};
/// let sums = Fragment::<f32, layout!((4,2))>::new();
/// fill(&sums.view(), 1.0);
/// clear(&sums.view());
/// assert_eq!(sums.get((3u32, 1)), 0.0);
/// ```
#[inline(always)]
pub fn clear<E: Store<Value: Default>, L: Walk>(tensor: &Tensor<E, L>) {
    fill(tensor, E::Value::default());
}

// -- `axpby` --------------------------------------------------------------------------------------
//
// `axpby` computes a scaled sum of two tensors.
//
// ```text
//   y = alpha x + beta y
// ```
//
// Law: `y(i) == alpha * x(i) + beta * y(i)`, each operation rounded separately. If `beta` is zero,
// `y` is not read, so its earlier values, even NaN, do not matter.
//
// Source: CuTe `cute/algorithm/axpby.hpp`.

/// Computes `y = alpha x + beta y`: CuTe's `axpby(alpha, x, beta, y)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{axpby, fill}, tensor::Fragment};
/// let (x, y) = (Fragment::<f32, layout!(4)>::new(), Fragment::<f32, layout!(4)>::new());
/// (fill(&x.view(), 3.0), fill(&y.view(), f32::NAN));
/// axpby(2.0, &x.view(), 0.0, &y.view());
/// assert_eq!(y.get(1u32), 6.0);
/// axpby(1.0, &x.view(), 0.5, &y.view());
/// assert_eq!(y.get(1u32), 6.0);
/// ```
#[inline(always)]
pub fn axpby<E, L, F, M, T>(alpha: T, x: &Tensor<E, L>, beta: T, y: &Tensor<F, M>)
where
    T: Copy + PartialEq + Default + Add<Output = T> + Mul<Output = T>,
    E: Read<Value = T>,
    F: Store<Value = T>,
    L: Walk,
    M: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
{
    let reads = beta != T::default();
    unroll_type::<L::Count>(|i| {
        let scaled = alpha * x.get(i as u32);
        y.set(
            i as u32,
            if reads {
                scaled + beta * y.get(i as u32)
            } else {
                scaled
            },
        );
    });
}

// -- `transform` ----------------------------------------------------------------------------------
//
// `transform` applies a function to each element.
//
// ```text
//   transform(&sums, &halfs, f16::from_f32)         transform_with(&a, &b, &c, |x, y| x.max(y))
// ```
//
// Law: `out(i) == f(in(i))` for every `i`. `in` and `out` may be one tensor.
//
// Source: CuTe `cute/algorithm/tensor_algorithms.hpp`.

/// Computes `out(i) = f(in(i))`: CuTe's `transform(in, out, f)`. The element types may differ.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::transform, tensor::Fragment};
/// let sums = Fragment::<f32, layout!((2,3))>::new();
/// let bits = Fragment::<u32, layout!((2,3):(3,1))>::new();
/// sums.set((1u32, 2), 1.0);
/// transform(&sums.view(), &bits.view(), f32::to_bits);
/// assert_eq!(bits.get((1u32, 2)), 0x3f80_0000);
/// ```
#[inline(always)]
pub fn transform<E, L, F, M>(
    input: &Tensor<E, L>,
    output: &Tensor<F, M>,
    f: impl Fn(E::Value) -> F::Value,
) where
    E: Read,
    F: Store,
    L: Walk,
    M: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
{
    unroll_type::<L::Count>(|i| output.set(i as u32, f(input.get(i as u32))));
}

/// Computes `tensor(i) = f(tensor(i))`: CuTe's `transform(tensor, f)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{fill, transform_in_place}, tensor::Fragment};
/// let row = Fragment::<f32, layout!((2,3))>::new();
/// fill(&row.view(), 1.5);
/// transform_in_place(&row.view(), |x| 2.0 * x);
/// assert_eq!(row.get((1u32, 2)), 3.0);
/// ```
#[inline(always)]
pub fn transform_in_place<E: Store, L: Walk>(
    tensor: &Tensor<E, L>,
    f: impl Fn(E::Value) -> E::Value,
) {
    unroll_type::<L::Count>(|i| tensor.set(i as u32, f(tensor.get(i as u32))));
}

/// Computes `out(i) = f(in1(i), in2(i))`: CuTe's `transform(in1, in2, out, f)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::Fragment;
/// use layout_types::algorithm::{fill, transform_with};
/// let (x, y, sum) = (Fragment::<f32, layout!(4)>::new(), Fragment::<f32, layout!(4)>::new(), Fragment::<f32, layout!(4)>::new());
/// (fill(&x.view(), 3.0), fill(&y.view(), 0.5));
/// transform_with(&x.view(), &y.view(), &sum.view(), |x, y| x + y);
/// assert_eq!(sum.get(2u32), 3.5);
/// ```
#[inline(always)]
pub fn transform_with<E, L, F, M, G, N>(
    left: &Tensor<E, L>,
    right: &Tensor<F, M>,
    output: &Tensor<G, N>,
    f: impl Fn(E::Value, F::Value) -> G::Value,
) where
    E: Read,
    F: Read,
    G: Store,
    L: Walk,
    M: Walk,
    N: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
    <Size<L> as NatCmp>::Equals<Size<N>>: SameCount<Size<L>, Size<N>>,
{
    unroll_type::<L::Count>(|i| {
        output.set(i as u32, f(left.get(i as u32), right.get(i as u32)));
    });
}

// -- `convert_type` -------------------------------------------------------------------------------
//
// `convert_type` converts a tensor's elements to another type, two at a time.
//
// ```text
//   accumulators f32  a0 a1 a2 a3  ──convert_type──►  f16  [a0 a1] [a2 a3]      two conversions for four elements
// ```
//
// Law: `out(i) == convert(in(i))` for every `i`.
//
// Source: FlashAttention `hopper/utils.h` (`convert_type`); CUTLASS `cutlass/numeric_conversion.h`
// (`NumericArrayConverter`).

/// Converts each element of `input` to the element type of `output`. Two elements are converted by
/// one instruction if the GPU has one.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{convert_type, fill}, tensor::Fragment};
/// use half::bf16;
/// let sums = Fragment::<f32, layout!((2,3))>::new();
/// fill(&sums.view(), 1.5);
/// let rounded = sums.make_fragment_like::<bf16>();
/// convert_type(&sums.view(), &rounded.view());
/// assert_eq!(rounded.get((1u32, 2)), bf16::from_f32(1.5));
/// ```
#[inline(always)]
pub fn convert_type<E, L, F, M>(input: &Tensor<E, L>, output: &Tensor<F, M>)
where
    E: Read,
    E::Value: ConvertTo<F::Value>,
    F: Store,
    L: Walk,
    M: Walk,
    <Size<L> as NatCmp>::Equals<Size<M>>: SameCount<Size<L>, Size<M>>,
{
    // The compiler knows this state at each iteration once the loop is unrolled.
    let mut first = None;
    unroll_type::<L::Count>(|i| {
        let (i, value) = (i as u32, input.get(i as u32));
        match first.take() {
            None => first = Some((i, value)),
            Some((before, other)) => {
                let pair = convert_pair([other, value]);
                output.set(before, pair[0]);
                output.set(i, pair[1]);
            }
        }
    });
    if let Some((last, value)) = first {
        output.set(last, convert(value));
    }
}

// -- `reduce` -------------------------------------------------------------------------------------
//
// `reduce` combines all elements into one value.
//
// ```text
//   reduce(&row, 0.0, |sum, x| sum + x)        ((0 + t(0)) + t(1)) + ..
// ```
//
// Law: the function is applied in the order of the elements, so the result is the same every time.
// One thread reduces its own elements; a reduction between threads continues with shuffles
// (`cuda_std::warp`).
//
// Source: CuTe `fold` in `cute/algorithm/tuple_algorithms.hpp`, for tensors.

/// Computes `f(.. f(f(start, t(0)), t(1)) .., t(n - 1))`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::{algorithm::{fill, reduce}, tensor::Fragment};
/// let row = Fragment::<f32, layout!((4,2))>::new();
/// fill(&row.view(), 0.5);
/// row.set((2u32, 1), 3.0);
/// assert_eq!(reduce(&row.view(), 0.0, |sum, x| sum + x), 6.5);
/// assert_eq!(reduce(&row.view(), f32::MIN, f32::max), 3.0);
/// ```
#[inline(always)]
pub fn reduce<E: Read, L: Walk, A>(
    tensor: &Tensor<E, L>,
    start: A,
    f: impl Fn(A, E::Value) -> A,
) -> A {
    let mut sum = Some(start);
    unroll_type::<L::Count>(|i| {
        sum = sum.take().map(|sum| f(sum, tensor.get(i as u32)));
    });
    match sum {
        Some(sum) => sum,
        None => unreachable!("every step puts a value back"),
    }
}

// -- `cooperative_copy` ---------------------------------------------------------------------------
//
// `cooperative_copy` copies a whole tensor with a given number of threads.
//
// ```text
//   128 threads, 1000 vectors:     thread t copies vectors t, t + 128, t + 256, ..
// ```
//
// Law: afterwards, and after a barrier, `dst(i) == src(i)` for every `i`: vector `v` is copied by
// thread `v % THREADS`, once.
//
// Source: CuTe `cute/algorithm/cooperative_copy.hpp`.

/// Copies `src` to `dst`, which have the same shape, with `THREADS` threads. The accesses are as
/// wide as both layouts prove: CuTe's `cooperative_copy<THREADS>(thread, src, dst)`.
///
/// Each thread calls the function with its own index. The tensors are in memory, because an element
/// in registers cannot have a run-time index.
#[inline(always)]
pub fn cooperative_copy<const THREADS: u32, SE, SL, DE, DL>(
    thread: u32,
    src: &Tensor<SE, SL>,
    dst: &Tensor<DE, DL>,
) where
    SE: Engine,
    DE: Engine,
    SL: LayoutFn,
    DL: LayoutFn,
    ByVectors: CopyVectors<SE, SL, DE, DL, U128>,
{
    let (src, dst) = (src.engine(), dst.engine());
    let mut vector = thread;
    while vector < <ByVectors as CopyVectors<SE, SL, DE, DL, U128>>::Count::U32 {
        <ByVectors as CopyVectors<SE, SL, DE, DL, U128>>::access(vector, src, dst);
        vector += THREADS;
    }
}

// -- `prefetch` -----------------------------------------------------------------------------------
//
// `prefetch` starts to load global memory into L2.
//
// ```text
//   prefetch(&g_a.slice((__, __, next)))        a hint per vector, no register waits for it
// ```
//
// Law: no value changes. A prefetch of an address outside of allocated memory does nothing.
//
// Source: CuTe `cute/algorithm/prefetch.hpp`; PTX ISA, *prefetch*.

/// The elements of one access to the tensor `L`, whose static strides `K` knows.
type RunIn<K, L, T> =
    <<K as KnownStrides>::InMemory<L> as Vectors<<K as KnownStrides>::InMemory<L>, T, U128>>::Run;

/// Requests the cache lines of every element, once per vector of contiguous elements: CuTe's
/// `prefetch(tensor)`.
#[inline(always)]
pub fn prefetch<T, A, L, K, const R: usize>(tensor: &Tensor<Global<T, A, R, K>, L>)
where
    T: Plain,
    A: GlobalAccess,
    K: KnownStrides,
    L: LayoutFn,
    K::InMemory<L>: Vectors<K::InMemory<L>, T, U128, Run: RunOf<K::InMemory<L>, Wide: Walk>>,
{
    let place = tensor.engine();
    let run = RunIn::<K, L, T>::U32;
    unroll_type::<<<RunIn<K, L, T> as RunOf<K::InMemory<L>>>::Wide as Walk>::Count>(|i| {
        prefetch_global_l2(place.step::<L, u32>(i as u32 * run).address());
    });
}
