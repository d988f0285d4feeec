//! Compares the algorithms on the host with loops.
//!
//! ```text
//!   copy, copy_if, cooperative_copy      dst(i) == src(i), whatever the widths     every place else is as it was
//!   fill .. reduce, axpby, gemm          the same sums as plain loops have, in the same order
//! ```

use layout_types::algorithm::{
    axpby, clear, cooperative_copy, copy, copy_if, fill, gemm, reduce, transform, transform_with,
};
use layout_types::atom::copy::{
    AutoVectorizingCopy, AutoVectorizingCopyWithAssumedAlignment as Assumed, Mask, UniversalCopy,
};
use layout_types::atom::mma::UniversalFma;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Global, Plain, ReadWrite, make_fragment_like};
use layout_types::tiled::{MakeTiledCopy, TiledMma};

/// Memory that is aligned for every access, in which each byte differs from its neighbours.
struct Memory(Vec<u128>);
impl Memory {
    fn new(bytes: usize, seed: u64) -> Self {
        let mut state = seed | 1;
        let mut word = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            u128::from(state ^ state >> 29) << 64 | u128::from(state.rotate_left(17))
        };
        Self((0..bytes.div_ceil(16)).map(|_| word()).collect())
    }
    fn tensor<T: Plain, L: LayoutFn>(&mut self) -> Tensor<Global<T, ReadWrite, 0>, L> {
        assert!(L::COSIZE * size_of::<T>() <= 16 * self.0.len());
        // SAFETY: the memory holds the tensor, and nothing else uses the memory meanwhile.
        unsafe { Tensor::global_static_mut(self.0.as_mut_ptr().cast()) }
    }
    fn elements<T: Plain>(&self) -> Vec<T> {
        let count = 16 * self.0.len() / size_of::<T>();
        // SAFETY: the memory holds `count` elements, and `T` is plain bits.
        (0..count)
            .map(|i| unsafe { self.0.as_ptr().cast::<T>().add(i).read() })
            .collect()
    }
}

/// Returns the bytes of elements, so that NaNs are compared too.
fn bytes<T: Plain>(elements: &[T]) -> Vec<u8> {
    // SAFETY: the slice holds these bytes, and `T` is plain bits.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }.to_vec()
}

/// Returns the bytes of `dst` after `dst(i) = src(i)` for tensors of layouts `S` and `D`, by plain
/// loops over offsets.
fn copied<T: Plain, S: LayoutFn, D: LayoutFn>(src: &Memory, dst: &Memory) -> Vec<u8> {
    let (src, mut dst) = (src.elements::<T>(), dst.elements::<T>());
    for i in 0..S::SIZE {
        dst[D::index(i)] = src[S::index(i)];
    }
    bytes(&dst)
}

#[test]
fn tiled_copies_of_every_width_move_every_element() {
    macro_rules! check {
        ($($t:ty, $word:ty, $threads:ty, $values:ty, $count:literal, $src:ty => $dst:ty;)*) => {$({
            type C = MakeTiledCopy<UniversalCopy<$word>, $t, $threads, $values>;
            let (mut a, mut b) = (Memory::new(8192, 3), Memory::new(8192, 5));
            let expected = copied::<$t, $src, $dst>(&a, &b);
            let (src, dst) = (a.tensor::<$t, $src>(), b.tensor::<$t, $dst>());
            for thread in 0..$count {
                let thr = C::get_slice(thread);
                let (from, to) = (thr.partition_s(&src), thr.partition_d(&dst));
                let held = make_fragment_like(&from);
                // SAFETY: only the test's thread uses the tensors.
                unsafe {
                    copy(C::default(), &from, &held.view());
                    copy(C::default(), &held.view(), &to);
                }
            }
            assert!(b.elements::<u8>() == expected, "{}", stringify!($word of $t));
        })*};
    }
    check! {
        u8, u8, layout!((4,8):(8,1)), layout!((1,1)), 32, layout!((16,32):(32,1)) => layout!((16,32):(1,16));
        u8, u16, layout!((4,8):(8,1)), layout!((1,2)), 32, layout!((16,32):(40,1)) => layout!((16,32):(64,1));
        u8, u32, layout!((4,8):(8,1)), layout!((1,4)), 32, layout!((16,32):(32,1)) => layout!((16,32):(36,1));
        u8, u64, layout!((8,4)), layout!((8,1)), 32, layout!((64,8):(1,64)) => layout!((64,8):(1,72));
        u8, u128, layout!((8,4):(4,1)), layout!((1,16)), 32, layout!((16,64):(64,1)) => layout!((16,64):(80,1));
        u16, u16, layout!((4,8):(8,1)), layout!((2,1)), 32, layout!((16,32):(32,1)) => layout!((16,32):(1,18));
        u16, u32, layout!((8,4)), layout!((2,2)), 32, layout!((32,16):(1,40)) => layout!((32,16):(1,34));
        u16, u64, layout!((32,4):(4,1)), layout!((1,8)), 128, layout!((32,64):(64,1)) => layout!((32,64):(68,1));
        u16, u128, layout!((32,4):(4,1)), layout!((1,8)), 128, layout!((32,64):(72,1)) => layout!((32,64):(64,1));
        f32, u32, layout!((16,2)), layout!((1,1)), 32, layout!((32,4):(1,32)) => layout!((32,4):(5,1));
        f32, u64, layout!((4,4):(4,1)), layout!((1,2)), 16, layout!((16,16):(16,1)) => layout!((16,16):(18,1));
        f32, u128, layout!((4,4):(4,1)), layout!((1,4)), 16, layout!((16,16):(20,1)) => layout!((16,16):(16,1));
        u64, u64, layout!((4,2)), layout!((2,1)), 8, layout!((16,6):(1,16)) => layout!((16,6):(7,1));
        u64, u128, layout!((4,2)), layout!((2,1)), 8, layout!((16,6):(1,18)) => layout!((16,6):(1,16));
        u128, u128, layout!((4,2)), layout!((1,1)), 8, layout!((8,6):(6,1)) => layout!((8,6):(1,9));
    }
}

#[test]
fn automatic_copies_of_every_width_are_the_copy_element_by_element() {
    let mut checked = 0;
    macro_rules! check {
        ($($t:ty, $src:ty => $dst:ty;)*) => {$(
            check!(@by $t, $src => $dst, AutoVectorizingCopy);
            check!(@by $t, $src => $dst, Assumed<8>);
            check!(@by $t, $src => $dst, Assumed<16>);
            check!(@by $t, $src => $dst, Assumed<32>);
            check!(@by $t, $src => $dst, Assumed<64>);
            check!(@by $t, $src => $dst, Assumed<128>);
        )*};
        (@by $t:ty, $src:ty => $dst:ty, $by:ty) => {{
            let (mut a, mut b) = (Memory::new(4096, 7), Memory::new(4096, 9));
            let expected = copied::<$t, $src, $dst>(&a, &b);
            let (src, dst) = (a.tensor::<$t, $src>(), b.tensor::<$t, $dst>());
            // SAFETY: only the test's thread uses the tensors.
            unsafe { copy(<$by>::default(), &src, &dst) };
            assert!(b.elements::<u8>() == expected, "{}", stringify!($t: $src => $dst, $by));

            // Copies through registers: from memory and back.
            let (mut a, mut b) = (Memory::new(4096, 7), Memory::new(4096, 9));
            let (src, dst) = (a.tensor::<$t, $src>(), b.tensor::<$t, $dst>());
            let held = make_fragment_like(&src);
            // SAFETY: only the test's thread uses the tensors.
            unsafe {
                copy(<$by>::default(), &src, &held.view());
                copy(<$by>::default(), &held.view(), &dst);
            }
            assert!(b.elements::<u8>() == expected, "registers, {}", stringify!($t: $src => $dst, $by));
            checked += 2;
        }};
    }
    check! {
        u8, layout!(64:1) => layout!(64:1);
        u8, layout!((16,3):(1,16)) => layout!((16,3):(1,48));
        u8, layout!((8,6):(1,8)) => layout!((8,6):(1,24));
        u8, layout!((12,3):(1,12)) => layout!((12,3):(1,20));
        u8, layout!((6,3):(1,10)) => layout!((6,3):(1,6));
        u8, layout!((4,8):(8,1)) => layout!((4,8):(16,1));
        u8, layout!((4,8):(8,1)) => layout!((4,8):(1,4));
        u16, layout!((8,4):(1,8)) => layout!((8,4):(1,64));
        u16, layout!((8,4):(1,9)) => layout!((8,4):(1,8));
        u16, layout!(((2,4),3):((1,2),8)) => layout!(((2,4),3):((1,2),16));
        u16, layout!(((2,4),3):((1,4),16)) => layout!(((2,4),3):((1,2),16));
        u32, layout!((2,3,4):(1,8,2)) => layout!((2,3,4):(1,2,6));
        u32, layout!((4,5):(5,1)) => layout!((4,5):(6,1));
        u32, layout!((4,5):(5,1)) => layout!((4,5):(5,1));
        u32, layout!((5,4):(1,5)) => layout!(20:1);
        u16, layout!((6,4,3):(1,6,24)) => layout!((6,4,3):(1,6,32));
        u16, layout!((2,3,4):(1,2,6)) => layout!((2,3,4):(1,2,6));
        u8, layout!((2,6):(1,2)) => layout!((2,6):(1,2));
        u8, layout!((4,3,4):(3,1,12)) => layout!((4,3,4):(3,1,12));
        f32, layout!(24:1) => layout!((4,6):(1,4));
        u64, layout!((2,5):(1,2)) => layout!((2,5):(1,6));
        u64, layout!((2,4):(1,2)) => layout!((2,4):(1,3));
        u128, layout!((3,4):(1,3)) => layout!((3,4):(4,1));
    }
    assert_eq!(checked, 23 * 6 * 2);
}

#[test]
fn predicates_choose_atoms_one_by_one() {
    type C = MakeTiledCopy<UniversalCopy<u64>, u16, layout!(1), layout!(4)>;
    for mask in 0..64_u32 {
        let (mut a, mut b) = (Memory::new(64, 1), Memory::new(64, 2));
        let (source, mut expected) = (a.elements::<u16>(), b.elements::<u16>());
        for i in (0..24).filter(|i| mask >> (i / 4) & 1 == 1) {
            expected[i] = source[i];
        }
        let (src, dst) = (
            a.tensor::<u16, layout!(24)>(),
            b.tensor::<u16, layout!(24)>(),
        );
        let thr = C::get_slice(0);
        let (from, to) = (thr.partition_s(&src), thr.partition_d(&dst));
        // SAFETY: only the test's thread uses the tensors.
        unsafe { copy_if(C::default(), |i| mask >> i & 1 == 1, &from, &to) };
        assert_eq!(b.elements::<u16>(), expected, "{mask:b}");

        // A kept mask evaluates the predicate once.
        let kept = Mask::new::<6>(|i| mask >> i & 1 == 1);
        for (condition, expected) in [(true, &expected), (false, &Memory::new(64, 2).elements())] {
            let mut b = Memory::new(64, 2);
            let to = thr.partition_d(&b.tensor::<u16, layout!(24)>());
            // SAFETY: only the test's thread uses the tensors.
            unsafe {
                copy_if(
                    C::default(),
                    |i| kept.only_if(condition).atom(i),
                    &from,
                    &to,
                )
            };
            assert_eq!(&b.elements::<u16>(), expected, "{mask:b} if {condition}");
        }

        // An automatic copy of three vectors evaluates the predicate for each element: some vectors
        // are copied whole, and some in part.
        let mut b = Memory::new(64, 2);
        let mut expected = b.elements::<u16>();
        let second = if mask & 2 == 0 { 0 } else { 0xff00 };
        let elements = mask | second | (mask & 0x3e) << 16;
        for i in (0..24).filter(|i| elements >> i & 1 == 1) {
            expected[i] = source[i];
        }
        let dst = b.tensor::<u16, layout!(24)>();
        // SAFETY: only the test's thread uses the tensors.
        unsafe {
            copy_if(
                AutoVectorizingCopy::default(),
                |i| elements >> i & 1 == 1,
                &src,
                &dst,
            )
        };
        assert_eq!(b.elements::<u16>(), expected, "{mask:b}");
    }
}

#[test]
fn cooperating_threads_copy_each_vector_once() {
    fn check<const THREADS: u32>() {
        macro_rules! pair {
            ($($t:ty, $vector:literal, $src:ty => $dst:ty;)*) => {$({
                let (mut a, mut b) = (Memory::new(4096, 7), Memory::new(4096, 9));
                let (before, expected) = (b.elements::<$t>(), copied::<$t, $src, $dst>(&a, &b));
                let source = a.elements::<$t>();
                let (src, dst) = (a.tensor::<$t, $src>(), b.tensor::<$t, $dst>());
                for thread in 0..THREADS {
                    // The call of one thread writes only this thread's vectors over the old bytes.
                    let mut alone = Memory::new(4096, 9);
                    cooperative_copy::<THREADS, _, _, _, _>(thread, &src, &alone.tensor::<$t, $dst>());
                    let mut own = before.clone();
                    for i in (0..<$src>::SIZE).filter(|i| (i / $vector) as u32 % THREADS == thread) {
                        own[<$dst>::index(i)] = source[<$src>::index(i)];
                    }
                    assert_eq!(alone.elements::<$t>(), own, "thread {thread} of {THREADS}");
                    cooperative_copy::<THREADS, _, _, _, _>(thread, &src, &dst);
                }
                assert_eq!(b.elements::<u8>(), expected, "{THREADS}");
            })*};
        }
        pair! {
            u16, 8, layout!((64,9):(1,64)) => layout!((64,9):(1,72));
            u16, 4, layout!((36,7):(1,36)) => layout!((36,7):(1,40));
            u32, 1, layout!((10,11):(11,1)) => layout!((10,11):(1,10));
            u8, 16, layout!(1008) => layout!(1008);
        }
    }
    check::<1>();
    check::<7>();
    check::<32>();
    check::<100>();
    check::<128>();
}

/// Makes a fragment of this layout that holds `f(0), f(1), ..`.
macro_rules! fragment {
    ($t:ty, $l:ty, $f:expr) => {{
        let fragment = Fragment::<$t, $l>::new();
        let f = $f;
        for i in 0..<$l>::SIZE {
            fragment.set(i as u32, f(i as u32));
        }
        fragment
    }};
}

#[test]
fn fill_and_clear_reach_every_element_and_no_other() {
    let mut memory = Memory::new(256, 5);
    let mut expected = memory.elements::<u16>();
    type L = layout!((5,(2,3)):(2,(1,20)));
    for i in 0..L::SIZE {
        expected[L::index(i)] = 0x5a5a;
    }
    let tensor = memory.tensor::<u16, L>();
    fill(&tensor, 0x5a5a);
    assert_eq!(memory.elements::<u16>(), expected);
    for i in 0..L::SIZE {
        expected[L::index(i)] = 0;
    }
    clear(&tensor);
    assert_eq!(memory.elements::<u16>(), expected);
}

#[test]
fn transforms_are_functions_of_elements() {
    let x = fragment!(f32, layout!((3,(2,2)):(4,(2,1))), |i| i as f32 - 4.5);
    let bits = Fragment::<u32, layout!((3, (2, 2)))>::new();
    transform(&x.view(), &bits.view(), f32::to_bits);
    for i in 0..12 {
        assert_eq!(bits.get(i), (i as f32 - 4.5).to_bits());
    }
    // The result overwrites the operand.
    transform(&x.view(), &x.view(), |x| x * x);
    let y = fragment!(u8, layout!(12:1), |i| 3 * i as u8);
    let sums = Fragment::<f64, layout!((4,3):(3,1))>::new();
    transform_with(&x.view(), &y.view(), &sums.view(), |x, y| {
        f64::from(x) - f64::from(y)
    });
    for i in 0..12 {
        let x = f64::from(i) - 4.5;
        assert_eq!(sums.get(i), x * x - f64::from(3 * i));
    }
}

#[test]
fn a_reduction_goes_in_order() {
    let text = fragment!(u8, layout!((3,(2,2)):(4,(2,1))), |i| b'a' + i as u8);
    let all = reduce(&text.view(), String::new(), |mut all, x| {
        all.push(x.into());
        all
    });
    assert_eq!(all, "abcdefghijkl");
    // The sum of the floats in another order would differ.
    let value = |i: u32| (1.0 + i as f32).recip() * if i.is_multiple_of(2) { 1e6 } else { -1e6 };
    let floats = fragment!(f32, layout!((8,5):(5,1)), value);
    let expected = (0..40).fold(0.0, |sum: f32, i| sum + value(i));
    let found = reduce(&floats.view(), 0.0, |sum: f32, x| sum + x);
    assert_eq!(found.to_bits(), expected.to_bits());
}

#[test]
fn a_scaled_sum_is_rounded_step_by_step_and_reads_y_only_if_it_counts() {
    let x = |i: u32| 0.1 + i as f32 / 3.0;
    let y = |i: u32| 1.0 / (i as f32 + 0.7);
    type X = layout!((4,3):(3,1));
    type Y = layout!((4,3):(1,8));
    let xs = fragment!(f32, X, x);
    for (alpha, beta) in [(1.0, 1.0), (0.3, -1.7), (0.0, 2.5), (7.1, 0.0), (2.0, -0.0)] {
        let ys = fragment!(f32, Y, y);
        axpby(alpha, &xs.view(), beta, &ys.view());
        for i in 0..12 {
            let (scaled, kept): (f32, f32) = (alpha * x(i), beta * y(i));
            let expected = if beta == 0.0 { scaled } else { scaled + kept };
            assert_eq!(ys.get(i).to_bits(), expected.to_bits(), "{alpha} {beta}");
        }
    }
    let unknown = fragment!(f32, Y, |i: u32| if i.is_multiple_of(2) {
        f32::NAN
    } else {
        f32::INFINITY
    });
    axpby(3.0, &xs.view(), 0.0, &unknown.view());
    assert!((0..12).all(|i| unknown.get(i) == 3.0 * x(i)));
    let unknown = fragment!(f32, Y, |_| f32::NAN);
    axpby(3.0, &xs.view(), 1.0, &unknown.view());
    assert!((0..12).all(|i| unknown.get(i).is_nan()));
}

/// Checks products of integers: the multiply-add of floats is an instruction, which a kernel's test
/// checks.
#[test]
fn products_of_fragments_are_sums_over_k() {
    macro_rules! check {
        ($($d:ty, $f:ty, ($m:literal, $n:literal, $k:literal), $a:ty, $b:ty, $c:ty;)*) => {$({
            let (rows, columns): (u32, u32) = ($m, $n);
            type Mma = TiledMma<UniversalFma<$d, $f, $f>, layout!((1,1,1))>;
            let a = |m: u32, k: u32| (7 * m + 3 * k + 1) as $f;
            let b = |n: u32, k: u32| (5 * n + k * k + 2) as $f;
            let c = |m: u32, n: u32| (100 * m + 20 * n) as $d;
            let fa = fragment!($f, $a, |i| a(i % rows, i / rows));
            let fb = fragment!($f, $b, |i| b(i % columns, i / columns));
            let fc = fragment!($d, $c, |i| c(i % rows, i / rows));
            // SAFETY: an atom is one thread.
            unsafe { gemm(Mma::default(), &fa.view(), &fb.view(), &fc.view()) };
            for (m, n) in (0..rows).flat_map(|m| (0..columns).map(move |n| (m, n))) {
                let sum = |sum: f64, k| sum + f64::from(a(m, k)) * f64::from(b(n, k));
                let expected = (0..$k).fold(c(m, n) as f64, sum);
                assert_eq!(fc.get((0u32, m, n)) as f64, expected, "({m},{n})");
            }
        })*};
    }
    check! {
        i32, i32, (4, 3, 5), layout!((1,4,5):(0,1,4)), layout!((1,3,5):(0,1,3)), layout!((1,4,3):(0,1,4));
        i32, i32, (4, 3, 5), layout!((1,4,5):(0,5,1)), layout!((1,3,5):(0,5,1)), layout!((1,4,3):(0,3,1));
        i32, i32, (1, 6, 2), layout!((1,1,2):(0,0,1)), layout!((1,6,2):(0,2,1)), layout!((1,1,6):(0,0,2));
        u32, u32, (4, 6, 4), layout!((1,(2,2),4):(0,(8,1),2)), layout!((1,(3,2),(2,2)):(0,(1,12),(6,3))),
            layout!((1,(2,2),6):(0,(2,1),4));
        i32, i8, (2, 4, 3), layout!((1,2,3):(0,1,2)), layout!((1,4,3):(0,1,4)), layout!((1,2,4):(0,1,2));
        u32, u16, (5, 2, 6), layout!((1,5,6):(0,6,1)), layout!((1,2,6):(0,1,2)), layout!((1,5,2):(0,2,1));
        i32, i16, (3, 3, 1), layout!((1,3,1):(0,1,0)), layout!((1,3,1):(0,2,0)), layout!((1,3,3):(0,4,1));
    }
}
