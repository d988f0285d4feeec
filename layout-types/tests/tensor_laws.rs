//! Compares tensors with plain index arithmetic: slices, tiles with run-time extents, and the
//! extents themselves.
//!
//! ```text
//!   t.slice(c).get(rest) == t.get(c with rest for _)        for every coordinate, in every memory
//!   all tiles of all coordinates == the tensor, once        whatever the extents
//! ```

use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tensor::{Engine, Fragment, Global, Read, ReadOnly, Shared, identity_tensor};

/// Returns `0, 1, 2, ..`: an element's value is its offset.
fn places(count: usize) -> Vec<u32> {
    (0..count as u32).collect()
}

/// Checks all slices of `(A,(B,C))`; `at(i, j, k)` gives the expected value without a layout.
macro_rules! slices_of_two_modes {
    ($tensor:expr, ($a:literal, ($b:literal, $c:literal)), $at:expr) => {{
        let (tensor, at) = ($tensor, $at);
        let mut seen = 0;
        for i in 0..$a {
            for j in 0..$b {
                for k in 0..$c {
                    let expected = at(i, j, k);
                    let jk = j + $b * k;
                    assert_eq!(tensor.get((i, (j, k))), expected);
                    assert_eq!(tensor.get((i, jk)), expected);
                    assert_eq!(tensor.get(i + $a * jk), expected);
                    assert_eq!(tensor.slice((i, __)).get(((j, k),)), expected);
                    assert_eq!(tensor.slice((i, __)).get((jk,)), expected);
                    assert_eq!(tensor.slice((__, (j, k))).get((i,)), expected);
                    assert_eq!(tensor.slice((__, jk)).get((i,)), expected);
                    assert_eq!(tensor.slice((__, (j, __))).get(i + $a * k), expected);
                    assert_eq!(tensor.slice((__, (__, k))).get(i + $a * j), expected);
                    assert_eq!(tensor.slice((i, (__, k))).get(j), expected);
                    assert_eq!(tensor.slice((i, (j, __))).get(k), expected);
                    assert_eq!(tensor.slice((__, __)).get((i, (j, k))), expected);
                    // Slicing in two steps equals slicing at once.
                    assert_eq!(tensor.slice((__, (__, k))).slice((i, __)).get(j), expected);
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, tensor.size::<0>() * tensor.size::<1>());
    }};
}

#[test]
fn a_slice_is_the_tensor_at_the_coordinates_that_are_left() {
    let data = places(1000);
    // SAFETY: no offset of the layouts below leaves the vector.
    unsafe {
        type Hierarchical = layout!((4,(2,3)):(6,(3,1)));
        let tensor = Tensor::<_, Hierarchical>::global_static(data.as_ptr());
        slices_of_two_modes!(tensor, (4, (2, 3)), |i, j, k| 6 * i + 3 * j + k);

        type Back = layout!((5,(3,4)):(-20,(7,-2)));
        let tensor = Tensor::<_, Back>::global_static(data.as_ptr().add(500));
        slices_of_two_modes!(tensor, (5, (3, 4)), |i, j, k| 500 - 20 * i + 7 * j - 2 * k);

        type Broadcast = layout!((3,(2,5)):(0,(100,11)));
        let tensor = Tensor::<_, Broadcast>::global_static(data.as_ptr());
        slices_of_two_modes!(tensor, (3, (2, 5)), |_, j, k| 100 * j + 11 * k);
    }
    let basis = identity_tensor::<layout!((4,(2,3)):(3@1,(1@0,5@0))), 2>();
    slices_of_two_modes!(basis, (4, (2, 3)), |i, j, k| [j + 5 * k, 3 * i]);
    let mixed = identity_tensor::<layout!((3,(4,2)):(7@2,(2@0,1@1))), 3>();
    slices_of_two_modes!(mixed, (3, (4, 2)), |i, j, k| [2 * j, k, 7 * i]);
    let back = identity_tensor::<layout!((3,(2,2)):(-1@0,(1@1,-2@1))), 2>();
    slices_of_two_modes!(back, (3, (2, 2)), |i: u32, j: u32, k: u32| [
        0_u32.wrapping_sub(i),
        j.wrapping_sub(2 * k)
    ]);

    let fragment = Fragment::<u32, layout!((4,(2,3)):(1,(12,4)))>::new();
    for i in 0..24 {
        fragment.view().compose::<layout!(24:1)>().set(i, i);
    }
    slices_of_two_modes!(fragment.view(), (4, (2, 3)), |i, j, k| i + 4 * (j + 2 * k));
}

#[test]
fn a_slice_of_swizzled_shared_memory_has_the_addresses_of_the_whole() {
    type Tile = Composition<Swizzle<3, 3, 3>, layout!((16,(64,3)):(64,(1,1024)))>;
    // SAFETY: only addresses are computed.
    let tensor = unsafe { Tensor::<Shared<u16>, Tile>::shared(0x1800) };
    let at = |row: u32, column: u32, stage: u32| {
        0x1800 + 2 * (1024 * stage + 64 * row + (column ^ (8 * (row % 8))))
    };
    fn address<L: LayoutFn>(tensor: &Tensor<Shared<u16>, L>, i: u32) -> u32 {
        tensor.engine().step::<L, u32>(i).address::<L>()
    }
    for row in 0..16 {
        for stage in 0..3 {
            let line = tensor.slice((row, (__, stage)));
            let columns = tensor.slice((__, (__, stage)));
            let stages = tensor.slice((row, __));
            for column in 0..64 {
                let expected = at(row, column, stage);
                assert_eq!(address(&line, column), expected);
                assert_eq!(address(&columns, row + 16 * column), expected);
                assert_eq!(address(&stages, column + 64 * stage), expected);
                assert_eq!(
                    address(&tensor.slice((__, (column, __))), row + 16 * stage),
                    expected
                );
            }
        }
    }
}

/// A matrix whose elements are where its strides place them, with `u32::MAX` between them.
struct Memory {
    data: Vec<u32>,
    extents: Vec<u32>,
    strides: Vec<u64>,
}
impl Memory {
    /// Makes a matrix whose modes are in the order of `order`, the first of which has stride 1.
    /// After each mode there is a gap of `pad` elements.
    fn new(extents: &[u32], order: &[usize], pad: u64) -> Self {
        let mut strides = vec![0; extents.len()];
        let mut size = 1;
        for &mode in order {
            strides[mode] = size;
            size = size * u64::from(extents[mode]) + pad;
        }
        let mut memory = Self {
            data: vec![u32::MAX; size as usize],
            extents: extents.to_vec(),
            strides,
        };
        let count: u32 = extents.iter().product();
        for i in 0..count {
            let at = memory.place(&memory.split(i));
            memory.data[at] = i;
        }
        memory
    }
    /// Converts an index to its coordinate, column-major.
    fn split(&self, mut i: u32) -> Vec<u32> {
        let mut coordinate = Vec::new();
        for extent in &self.extents {
            coordinate.push(i % extent);
            i /= extent;
        }
        coordinate
    }
    fn place(&self, coordinate: &[u32]) -> usize {
        coordinate
            .iter()
            .zip(&self.strides)
            .map(|(&c, &s)| (u64::from(c) * s) as usize)
            .sum()
    }
    /// Returns the value at a coordinate, or `None` if the coordinate is out of bounds.
    fn value(&self, coordinate: &[u32]) -> Option<u32> {
        let inside = coordinate.iter().zip(&self.extents).all(|(c, e)| c < e);
        inside.then(|| self.data[self.place(coordinate)])
    }
    fn whole<const R: usize>(&self) -> ([u32; R], [u64; R]) {
        (
            self.extents.clone().try_into().unwrap(),
            self.strides.clone().try_into().unwrap(),
        )
    }
}

/// Checks that element `i` of a tile is at `coordinate`, that it is in bounds exactly if the
/// coordinate is, and that it then has the expected value. Counts the element.
fn check_element<L: LayoutFn, const R: usize>(
    memory: &Memory,
    tile: &Tensor<Global<u32, ReadOnly, R>, L>,
    i: u32,
    coordinate: [u32; R],
    seen: &mut [u32],
) {
    let place = tile.engine().step::<L, u32>(i);
    assert_eq!(place.coordinate(), coordinate);
    let expected = memory.value(&coordinate);
    assert_eq!(tile.inside(i), expected.is_some(), "{coordinate:?}");
    for (mode, &component) in coordinate.iter().enumerate() {
        assert_eq!(place.inside_along(mode), component < memory.extents[mode]);
    }
    if let Some(value) = expected {
        assert_eq!(tile.get(i), value, "{coordinate:?}");
        assert_eq!(place.load::<L>(), value);
        seen[value as usize] += 1;
    }
}

/// Returns the coordinate of element `i` of a tile.
fn at<L: LayoutFn, const R: usize>(tile: &Tensor<Global<u32, ReadOnly, R>, L>, i: u32) -> [u32; R] {
    tile.engine().step::<L, u32>(i).coordinate()
}

#[test]
fn ragged_tiles_of_a_vector_are_the_vector() {
    for extent in [1, 7, 8, 9, 31, 32, 33, 100] {
        let memory = Memory::new(&[extent], &[0], 0);
        let (extents, strides) = memory.whole();
        // SAFETY: elements out of bounds are not read.
        let tensor = unsafe { Tensor::global(memory.data.as_ptr(), extents, strides) };
        let mut seen = vec![0; extent as usize];
        let tiles = tensor.local_tile::<tile!(8), _>((__,));
        for block in 0..extent.div_ceil(8) {
            let tile = tensor.local_tile::<tile!(8), _>((block,));
            for i in 0..8 {
                check_element(&memory, &tile, i, [8 * block + i], &mut seen);
                assert_eq!(tiles.inside((i, block)), tile.inside(i));
            }
        }
        assert!(seen.iter().all(|&count| count == 1));
    }
}

#[test]
fn ragged_tiles_of_a_matrix_are_the_matrix() {
    let mut checked = 0;
    for [m, n] in [
        [1, 1],
        [16, 8],
        [17, 8],
        [16, 9],
        [15, 7],
        [33, 25],
        [5, 40],
        [48, 3],
    ] {
        for (order, pad) in [([0, 1], 0), ([1, 0], 0), ([0, 1], 5), ([1, 0], 3)] {
            let memory = Memory::new(&[m, n], &order, pad);
            let (extents, strides) = memory.whole();
            // SAFETY: elements out of bounds are not read.
            let tensor = unsafe { Tensor::global(memory.data.as_ptr(), extents, strides) };
            assert_eq!(tensor.engine().extents(), [m, n]);
            type Identity = layout!((1024,1024):(1@0,1@1));
            let identity = identity_tensor::<Identity, 2>();
            let mut seen = [vec![0; (m * n) as usize], vec![0; (m * n) as usize]];
            let all = tensor.local_tile::<tile!(16, 8), _>((__, __));
            for x in 0..m.div_ceil(16) {
                let row = tensor.local_tile::<tile!(16, 8), _>((x, __));
                for y in 0..n.div_ceil(8) {
                    let tile = tensor.local_tile::<tile!(16, 8), _>((x, y));
                    let of_row = row.slice((__, __, y));
                    let of_all = all.slice((__, __, x, y));
                    let coordinates = identity.local_tile::<tile!(16, 8), _>((x, y));
                    for i in 0..16 * 8 {
                        let c = coordinates.get(i);
                        assert_eq!(c, [16 * x + i % 16, 8 * y + i / 16]);
                        check_element(&memory, &tile, i, c, &mut seen[0]);
                        check_element(&memory, &of_row, i, c, &mut seen[1]);
                        assert_eq!(at(&of_all, i), c);
                        assert_eq!(row.inside((i % 16, i / 16, y)), tile.inside(i));
                        assert_eq!(all.inside((i % 16, i / 16, x, y)), tile.inside(i));
                        checked += 1;
                    }
                }
            }
            assert!(seen.iter().flatten().all(|&count| count == 1));
        }
    }
    assert!(checked > 10_000);
}

#[test]
fn ragged_tiles_of_three_modes_are_the_tensor() {
    for [m, n, b] in [[4, 6, 2], [5, 7, 3], [9, 1, 5], [3, 13, 1]] {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let memory = Memory::new(&[m, n, b], &order, 1);
            let (extents, strides) = memory.whole();
            // SAFETY: elements out of bounds are not read.
            let tensor = unsafe { Tensor::global(memory.data.as_ptr(), extents, strides) };
            let mut seen = vec![0; (m * n * b) as usize];
            for x in 0..m.div_ceil(4) {
                for y in 0..n.div_ceil(6) {
                    // Cuts tile (x, y) with all its tiles along the batch, and takes each in turn.
                    let tiles = tensor.local_tile::<tile!(4, 6, 2), _>((x, y, __));
                    for z in 0..b.div_ceil(2) {
                        let tile = tiles.slice((__, __, __, z));
                        for i in 0..48 {
                            let c = [4 * x + i % 4, 6 * y + i / 4 % 6, 2 * z + i / 24];
                            check_element(&memory, &tile, i, c, &mut seen);
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&count| count == 1), "{seen:?}");
        }
    }
}

#[test]
fn what_is_written_through_tiles_is_inside_and_nowhere_else() {
    let (m, n) = (21, 13);
    // A row is 16 long, and the space after its 13 elements does not belong to the tensor.
    let mut data = vec![u32::MAX; (m * 16) as usize];
    // SAFETY: elements out of bounds are not written.
    let tensor = unsafe { Tensor::global_mut(data.as_mut_ptr(), [m, n], [16, 1]) };
    for x in 0..m.div_ceil(8) {
        for y in 0..n.div_ceil(8) {
            let tile = tensor.local_tile::<tile!(8, 8), _>((x, y));
            for c in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
                if tile.inside(c) {
                    tile.set(c, 100 * (8 * x + c.0) + 8 * y + c.1);
                }
            }
        }
    }
    for (i, &value) in data.iter().enumerate() {
        let (row, column) = (i as u32 / 16, i as u32 % 16);
        let expected = if column < n {
            100 * row + column
        } else {
            u32::MAX
        };
        assert_eq!(value, expected);
    }
}

fn print<T: Default + std::fmt::Display>() -> String {
    T::default().to_string()
}
/// The tiles of `B` tiles each, where each of these tiles has `A` elements.
type Twice<X, A, B> = <<X as Extent>::Tiles<A> as Extent>::Tiles<B>;

#[test]
fn division_by_tiles_twice_is_division_by_their_product() {
    type First = Ext<int!(0)>;
    type Second = Ext<int!(1)>;
    fn check<A: Nat, B: Nat>() {
        for x in (0..200).chain([u32::MAX / 2, u32::MAX - 1, u32::MAX]) {
            let (a, b) = (u64::from(A::U32), u64::from(B::U32));
            let expected = u64::from(x).div_ceil(a).div_ceil(b);
            assert_eq!(u64::from(x).div_ceil(a * b), expected);
            let found = [
                <Twice<First, A, B> as Extent>::of(&[x, 3]),
                <Twice<Second, A, B> as Extent>::of(&[3, x]),
            ];
            assert_eq!(found.map(u64::from), [expected; 2], "{x} by {a} by {b}");
        }
    }
    check::<int!(1), int!(1)>();
    check::<int!(8), int!(4)>();
    check::<int!(3), int!(7)>();
    check::<int!(128), int!(1)>();
    check::<int!(5), int!(32)>();
    assert_eq!(
        print::<Twice<Second, int!(8), int!(4)>>(),
        "ceil_div(ext1,32)"
    );
    assert_eq!(
        print::<Twice<First, int!(3), int!(7)>>(),
        "ceil_div(ext0,21)"
    );
    assert_eq!(print::<First>(), "ext0");
}

#[test]
fn layouts_with_extents_print_what_they_are() {
    let data = [0_u8; 1];
    // SAFETY: nothing is read.
    let three = unsafe { Tensor::global(data.as_ptr(), [1, 1, 1], [1, 1, 1]) };
    assert_eq!(three.layout().to_string(), "(ext0,ext1,ext2):(1@0,1@1,1@2)");
    let all = three.local_tile::<tile!(4, 6, 2), _>((__, 0u32, __));
    assert_eq!(
        all.layout().to_string(),
        "(4,6,2,ceil_div(ext0,4),ceil_div(ext2,2)):(1@0,1@1,1@2,4@0,2@2)"
    );
    // A mode that a slice of the whole tensor keeps also keeps its extent's number.
    assert_eq!(
        three.slice((0u32, __, 0u32)).layout().to_string(),
        "(ext1):(1@1)"
    );
    let tile = all.slice((__, 1u32, __, 0u32, 0u32));
    assert_eq!(tile.layout().to_string(), "(4,2):(1@0,1@2)");
    assert_eq!(tile.engine().coordinate(), [0, 1, 0]);
}

#[test]
#[should_panic(expected = "behind the end of a fragment")]
fn an_element_behind_a_fragment_is_refused() {
    let fragment = Fragment::<u32, layout!((4,2):(2,1))>::new();
    let _ = fragment.get((3u32, 2));
}

#[test]
#[should_panic(expected = "behind the end of a fragment")]
fn an_element_before_a_fragment_is_refused() {
    let fragment = Fragment::<u32, layout!((4,2):(2,1))>::new();
    let back = fragment.view().slice((__, 0u32)).compose::<layout!(2:1)>();
    back.set(u32::MAX, 1);
}

#[test]
#[should_panic(expected = "behind the end of a fragment")]
fn a_wide_element_that_ends_behind_a_fragment_is_refused() {
    let fragment = Fragment::<u16, layout!(6:1)>::new();
    let wide = fragment.view().recast::<u32>();
    wide.set(2u32, 7);
    let _ = wide.get(3u32);
}
