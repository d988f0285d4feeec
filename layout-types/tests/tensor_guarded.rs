//! Checks ragged tiles at the very end of memory: a predicate keeps the copy from touching elements
//! out of bounds.
//!
//! ```text
//!   ... the matrix's last row | a page without access
//! ```
//!
//! A single access beyond the last element ends the test's process.

#![cfg(unix)]

use layout_types::algorithm::{copy, copy_if};
use layout_types::atom::copy::{AutoVectorizingCopy, UniversalCopy};
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Plain, identity_tensor, make_fragment_like};
use layout_types::tiled::MakeTiledCopy;
use std::ptr::null_mut;

/// Two pages; an access to the second one is a fault.
struct Guarded {
    start: *mut libc::c_void,
    page: usize,
}
impl Guarded {
    fn new() -> Self {
        // SAFETY: these are fresh pages of this process, which only this value uses.
        unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let (access, kind) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
            );
            let start = libc::mmap(null_mut(), 2 * page, access, kind, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(
                libc::mprotect(start.byte_add(page), page, libc::PROT_NONE),
                0
            );
            Self { start, page }
        }
    }
    /// Returns space for the elements that ends right before the page that must not be touched.
    fn last<T: Plain>(&self, count: usize) -> *mut T {
        let bytes = count * size_of::<T>();
        assert!(bytes <= self.page);
        self.start.wrapping_byte_add(self.page - bytes).cast()
    }
}
impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: `new` mapped these pages.
        unsafe { libc::munmap(self.start, 2 * self.page) };
    }
}

/// Copies an (m,n) matrix tile by tile through registers, one thread at a time, from guarded memory
/// to guarded memory.
macro_rules! check {
    ($($t:ty, $copy:ty, ($rows:literal, $columns:literal), [$m:expr, $n:expr];)*) => {$({
        type C = $copy;
        let (m, n): (u32, u32) = ($m, $n);
        let count = (m * n) as usize;
        let (from, to) = (Guarded::new(), Guarded::new());
        let (src, dst) = (from.last::<$t>(count), to.last::<$t>(count));
        let value = |i: usize| (i * 7 + 1) as $t;
        for i in 0..count {
            // SAFETY: the memory has space for `count` elements.
            unsafe { src.add(i).write(value(i)) };
        }
        // SAFETY: both arrays hold the matrix; the predicates below leave out elements out of
        // bounds.
        let (g_src, g_dst) = unsafe {
            (Tensor::global(src, [m, n], (n.into(), Int::<1>)), Tensor::global_mut(dst, [m, n], (n.into(), Int::<1>)))
        };
        let identity = identity_tensor::<layout!((1024,1024):(1@0,1@1)), 2>();
        for (x, y) in (0..m.div_ceil($rows)).flat_map(|x| (0..n.div_ceil($columns)).map(move |y| (x, y))) {
            type Tile = tile!($rows, $columns);
            let (src, dst) = (g_src.local_tile::<Tile, _>((x, y)), g_dst.local_tile::<Tile, _>((x, y)));
            let coordinates = identity.local_tile::<Tile, _>((x, y));
            for thread in 0..<C as layout_types::tiled::TiledCopyTraits>::THREADS as u32 {
                let thr = C::get_slice(thread);
                let (part, target) = (thr.partition_s(&src), thr.partition_d(&dst));
                let where_from = thr.partition_s(&coordinates);
                // SAFETY: nothing is read.
                let whole = unsafe { Tensor::<_, layout!(($rows, $columns):($columns,1))>::global_static(&(0 as $t)) };
                let held = make_fragment_like(&thr.partition_s(&whole));
                // SAFETY: only the test's thread uses the tensors; the predicates leave out
                // elements out of bounds.
                unsafe {
                    copy_if(C::default(), part.atoms_inside(), &part, &held.view());
                    for i in 0..where_from.size::<0>() * where_from.size::<1>() * where_from.size::<2>() {
                        let [row, column] = where_from.get(i as u32);
                        let expected = if row < m && column < n { value((row * n + column) as usize) } else { 0 };
                        assert_eq!(held.get(i as u32), expected, "({row},{column})");
                    }
                    // This predicate is the same, but comes from the coordinates of an identity
                    // tensor.
                    copy_if(C::default(), where_from.atoms_inside([m, n]), &held.view(), &target);
                }
            }
        }
        for i in 0..count {
            // SAFETY: the memory holds `count` elements.
            assert_eq!(unsafe { dst.add(i).read() }, value(i), "{i} of ({m},{n})");
        }
    })*};
}

#[test]
fn nothing_outside_is_read_or_written() {
    type Single = MakeTiledCopy<UniversalCopy<u16>, u16, layout!((8,4):(4,1)), layout!((1, 8))>;
    type Wide = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((8,4):(4,1)), layout!((1, 8))>;
    type Pairs = MakeTiledCopy<UniversalCopy<u64>, u32, layout!((8,4):(4,1)), layout!((1, 2))>;
    check! {
        u16, Single, (16, 32), [1, 1];
        u16, Single, (16, 32), [16, 32];
        u16, Single, (16, 32), [17, 33];
        u16, Single, (16, 32), [35, 7];
        u16, Single, (8, 64), [9, 65];
        u16, Wide, (16, 32), [1, 8];
        u16, Wide, (16, 32), [17, 40];
        u16, Wide, (16, 32), [31, 24];
        u16, Wide, (16, 64), [15, 72];
        u32, Pairs, (16, 16), [5, 2];
        u32, Pairs, (16, 16), [17, 18];
        u32, Pairs, (8, 16), [8, 30];
    }
}

#[test]
fn one_mode_at_a_time_is_both_at_once() {
    type C = MakeTiledCopy<UniversalCopy<u16>, u16, layout!((8,4):(4,1)), layout!((1, 8))>;
    let memory = [0_u16; 1];
    // SAFETY: nothing is read.
    let tensor = unsafe { Tensor::global(memory.as_ptr(), [37, 50], (50, Int::<1>)) };
    let mut counts = [0; 4];
    for (x, y) in (0..3).flat_map(|x| (0..2).map(move |y| (x, y))) {
        let tile = tensor.local_tile::<tile!(16, 32), _>((x, y));
        for thread in 0..32 {
            let part = C::get_slice(thread).partition_s(&tile);
            let all = part.atoms_inside();
            let (rows, columns) = (
                part.atoms_inside_along::<0>(),
                part.atoms_inside_along::<1>(),
            );
            for i in 0..16 {
                let (row, column) = (
                    16 * x + thread / 4 + 8 * (i / 8),
                    32 * y + 8 * (thread % 4) + i % 8,
                );
                let i = i as usize;
                assert_eq!(rows(i), row < 37);
                assert_eq!(columns(i), column < 50);
                assert_eq!(all(i), row < 37 && column < 50);
                counts[usize::from(row < 37) + 2 * usize::from(column < 50)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 0));
}

#[test]
fn an_automatic_copy_reads_its_elements_and_no_more() {
    macro_rules! check {
        ($($t:ty, $l:ty;)*) => {$({
            let guarded = Guarded::new();
            let memory = guarded.last::<$t>(<$l>::COSIZE);
            for i in 0..<$l>::COSIZE {
                // SAFETY: the memory has space for this element.
                unsafe { memory.add(i).write(i as $t) };
            }
            // SAFETY: the memory holds the layout's elements.
            let tensor = unsafe { Tensor::<_, $l>::global_static_mut(memory) };
            let held = Fragment::<$t, LayoutLeft<ShapeOf<$l>>>::new();
            // SAFETY: only the test's thread uses the tensors.
            unsafe { copy(AutoVectorizingCopy::default(), &tensor, &held.view()) };
            for i in 0..<$l>::SIZE {
                assert_eq!(held.get(i as u32), <$l>::index(i) as $t);
            }
            // SAFETY: only the test's thread uses the tensors.
            unsafe { copy(AutoVectorizingCopy::default(), &held.view(), &tensor) };
        })*};
    }
    check! {
        u8, layout!((16,3):(1,16));
        u8, layout!((5,3):(1,5));
        u8, layout!((5,2):(1,5));
        u16, layout!((6,4):(1,6));
        u16, layout!((8,4):(1,24));
        u16, layout!((3,5):(5,1));
        u32, layout!((4,4):(1,8));
        u64, layout!((2,3):(1,4));
    }
}
