//! Checks where a tensor's elements are: addresses in shared memory through the swizzle, views, and
//! other element types.
//!
//! ```text
//!   address of element c == base + size * swizzle(layout(c))       the swizzle written out here, bit by bit
//! ```

use layout_types::prelude::*;
use layout_types::tensor::{
    Engine, Fragment, LocalPartition, LocalTile, Plain, Shared, identity_tensor, make_fragment_like,
};

/// Returns the address of element `i`.
fn address<T: Plain, L: LayoutFn>(tensor: &Tensor<Shared<T>, L>, i: u32) -> u32 {
    tensor.engine().step::<L, u32>(i).address::<L>()
}

/// Applies `Sw<B,M,S>` by its definition: bit `M + S + b` (or, with S negative, `M + b`) is
/// exclusive-ored into the bit |S| below (or above).
fn swizzle([bits, base, shift]: [i32; 3], offset: u32) -> u32 {
    let mut result = offset;
    for bit in 0..bits {
        let (read, written) = if shift >= 0 {
            (base + shift + bit, base + bit)
        } else {
            (base + bit, base - shift + bit)
        };
        result ^= (offset >> read & 1) << written;
    }
    result
}

/// Checks that every element of a swizzled tensor of `T` at `base` is where `offset` of its row and
/// column says. Also checks the elements in all (8,8) tiles, taken one by one and by rows, and in
/// all threads' parts.
fn check_addresses<T, L>(base: u32, outer: [i32; 3], added: u32, offset: impl Fn(u32, u32) -> u32)
where
    T: Plain,
    L: LayoutFn
        + LocalTile<tile!(8, 8), (u32, u32)>
        + LocalTile<tile!(8, 8), (u32, Underscore)>
        + LocalPartition<layout!((4,8):(8,1))>,
    Output<L, (u32, u32)>: LayoutFn,
    Output<L, (u32, Underscore)>: LayoutFn,
    (u32, u32): layout_types::Coord<Modes<L, (u32, u32)>, u32>,
    (u32, Underscore): layout_types::Coord<Modes<L, (u32, Underscore)>, u32>,
{
    // SAFETY: only addresses are computed.
    let tensor = unsafe { Tensor::<Shared<T>, L>::shared(base) };
    let size = size_of::<T>() as u32;
    let expected =
        |row: u32, column: u32| base + size * swizzle(outer, added + offset(row, column));
    for i in 0..32 * 64 {
        let (row, column) = (i % 32, i / 32);
        assert_eq!(
            address(&tensor, i),
            expected(row, column),
            "({row},{column})"
        );
    }
    for x in 0..4 {
        let tiles = tensor.local_tile::<tile!(8, 8), _>((x, __));
        for y in 0..8 {
            let tile = tensor.local_tile::<tile!(8, 8), _>((x, y));
            for i in 0..64 {
                let expected = expected(8 * x + i % 8, 8 * y + i / 8);
                assert_eq!(address(&tile, i), expected);
                assert_eq!(address(&tiles, i + 64 * y), expected);
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    for thread in 0..32 {
        let part = tensor.local_partition::<layout!((4,8):(8,1))>(thread);
        for i in 0..64 {
            let (row, column) = (thread / 8 + 4 * (i % 8), thread % 8 + 8 * (i / 8));
            assert_eq!(address(&part, i), expected(row, column));
            seen.insert(address(&part, i));
        }
    }
    assert_eq!(seen.len(), 32 * 64, "no two elements in one place");
}
type Output<L, C> = <L as LocalTile<tile!(8, 8), C>>::Output;
type Modes<L, C> = <<L as LocalTile<tile!(8, 8), C>>::Rests as LayoutFn>::Modes;

type Sw<const B: usize, const M: usize, const S: i32, L> = Composition<Swizzle<B, M, S>, L>;

#[test]
fn tiles_and_parts_are_where_the_swizzle_has_them() {
    /// Rows that follow each other.
    type Rows = layout!((32,64):(64,1));
    /// Blocks of 16 columns: some strides are below every swizzle's period, and some above.
    type Blocks = layout!((32,(16,4)):(16,(1,512)));
    /// Rows with a hole after each.
    type Spread = layout!(((8,4),64):((64,2048),1));
    fn rows(row: u32, column: u32) -> u32 {
        64 * row + column
    }
    fn blocks(row: u32, column: u32) -> u32 {
        16 * row + column % 16 + 512 * (column / 16)
    }
    fn spread(row: u32, column: u32) -> u32 {
        64 * (row % 8) + 2048 * (row / 8) + column
    }
    macro_rules! every_size {
        ($($l:ty, $outer:expr, $added:literal, $offset:expr;)*) => {$(
            check_addresses::<u8, $l>(0, $outer, $added, $offset);
            check_addresses::<u16, $l>(0x400, $outer, $added, $offset);
            check_addresses::<f32, $l>(0x1c00, $outer, $added, $offset);
            check_addresses::<u64, $l>(0x80, $outer, $added, $offset);
            check_addresses::<u128, $l>(0x2010, $outer, $added, $offset);
        )*};
    }
    every_size! {
        Rows, [0, 0, 0], 0, rows;
        Blocks, [0, 0, 0], 0, blocks;
        Sw<3, 3, 3, Rows>, [3, 3, 3], 0, rows;
        Sw<2, 3, 3, Rows>, [2, 3, 3], 0, rows;
        Sw<1, 4, 2, Rows>, [1, 4, 2], 0, rows;
        Sw<5, 0, 6, Rows>, [5, 0, 6], 0, rows;
        Sw<3, 4, 3, Rows>, [3, 4, 3], 0, rows;
        Sw<2, 0, 2, Blocks>, [2, 0, 2], 0, blocks;
        Sw<3, 1, 3, Blocks>, [3, 1, 3], 0, blocks;
        Sw<3, 3, 3, Spread>, [3, 3, 3], 0, spread;
        Sw<2, 1, -3, Rows>, [2, 1, -3], 0, rows;
        ComposedLayout<Swizzle<2, 3, 3>, int!(24), Rows>, [2, 3, 3], 24, rows;
        ComposedLayout<Swizzle<3, 2, 3>, int!(1000), Blocks>, [3, 2, 3], 1000, blocks;
    }
}

#[test]
fn stages_are_periods_apart() {
    type Atom = Sw<2, 3, 3, layout!((8,32):(32,1))>;
    type Stages = TileToShape<Atom, shape!((16, 32, 3))>;
    // SAFETY: only addresses are computed.
    let tensor = unsafe { Tensor::<Shared<u16>, Stages>::shared(0x600) };
    for stage in 0..3 {
        let tile = tensor.slice((__, __, stage));
        for (row, column) in (0..16).flat_map(|row| (0..32).map(move |column| (row, column))) {
            let offset = swizzle([2, 3, 3], 32 * row + column) + 512 * stage;
            assert_eq!(address(&tile, row + 16 * column), 0x600 + 2 * offset);
        }
    }
}

/// Makes a fragment with `0, 1, 2, ..` in registers.
macro_rules! counted {
    ($t:ty, $l:ty) => {{
        let fragment = Fragment::<$t, $l>::new();
        let flat = fragment
            .view()
            .compose::<Coalesce<LayoutLeft<ShapeOf<$l>>>>();
        for i in 0..<$l>::SIZE {
            flat.set(i as u32, i as $t);
        }
        fragment
    }};
}

#[test]
fn a_composition_is_the_tensor_at_what_the_tiler_says() {
    let fragment = counted!(u32, layout!((8,6):(6,1)));
    let tensor = fragment.view();
    // Composes with a layout, by the index.
    let whole = tensor.compose::<layout!((4,3):(2,16))>();
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        assert_eq!(whole.get((i, j)), 2 * i + 16 * j);
    }
    // Composes by mode.
    let by_mode = tensor.compose::<tile!((2,2):(4,1), 3:2)>();
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let row = 4 * (i % 2) + i / 2;
        assert_eq!(by_mode.get((i, j)), row + 8 * (2 * j));
    }
    // Composes a tensor of coordinates in the same way.
    let identity = identity_tensor::<layout!((8,6):(1@0,1@1)), 2>();
    let by_mode = identity.compose::<tile!((2,2):(4,1), 3:2)>();
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        assert_eq!(by_mode.get((i, j)), [4 * (i % 2) + i / 2, 2 * j]);
    }
}

#[test]
fn grouped_modes_are_one_mode_of_the_same_elements() {
    let fragment = counted!(u16, layout!((2,3,4,5):(60,20,5,1)));
    let tensor = fragment.view();
    let middle = tensor.group_modes::<int!(1), int!(3)>();
    assert_eq!(middle.layout().to_string(), "(2,(3,4),5):(60,(20,5),1)");
    let behind = tensor.group_modes::<int!(2), int!(4)>();
    assert_eq!(behind.layout().to_string(), "(2,3,(4,5)):(60,20,(5,1))");
    assert_eq!((middle.size::<1>(), behind.size::<2>()), (12, 20));
    for i in 0..120 {
        let (a, b, c, d) = (i % 2, i / 2 % 3, i / 6 % 4, i / 24);
        assert_eq!(tensor.get((a, b, c, d)), i as u16);
        assert_eq!(middle.get((a, b + 3 * c, d)), i as u16);
        assert_eq!(middle.get((a, (b, c), d)), i as u16);
        assert_eq!(behind.get((a, b, c + 4 * d)), i as u16);
    }
}

/// Returns the bits of `bytes[from..]` as a number, the lowest byte first.
fn bits(bytes: &[u8], from: usize, count: usize) -> u128 {
    (0..count).fold(0, |sum, i| sum | u128::from(bytes[from + i]) << (8 * i))
}

#[test]
fn elements_of_another_type_are_the_same_bits() {
    #[repr(align(16))]
    struct Bytes([u8; 256]);
    let mut bytes = Bytes([0; 256]);
    for (i, byte) in bytes.0.iter_mut().enumerate() {
        *byte = (i * 73 + 11) as u8;
    }
    fn size<E, L: LayoutFn>(_: &Tensor<E, L>) -> usize {
        L::SIZE
    }
    macro_rules! check {
        ($($from:ty => $to:ty, $l:ty, |$i:ident| $place:expr;)*) => {$(
            // SAFETY: 256 bytes, aligned for 16.
            let tensor = unsafe { Tensor::<_, $l>::global_static(bytes.0.as_ptr().cast::<$from>()) };
            let wide = tensor.recast::<$to>();
            assert_eq!(size(&wide) * size_of::<$to>(), <$l>::SIZE * size_of::<$from>());
            for $i in 0..size(&wide) {
                let expected = bits(&bytes.0, $place, size_of::<$to>()) as $to;
                assert_eq!(wide.get($i as u32), expected, "{}", stringify!($from => $to));
            }
        )*};
    }
    check! {
        // Converts to wider elements: four rows of 8.
        u8 => u16, layout!((8,4):(1,16)), |i| 2 * (i % 4) + 16 * (i / 4);
        u8 => u64, layout!((8,4):(1,16)), |i| 16 * i;
        u16 => u64, layout!((8,4):(1,32)), |i| 8 * (i % 2) + 64 * (i / 2);
        u16 => u128, layout!((4,8):(16,1)), |i| 32 * i;
        u32 => u64, layout!(((2,2),3):((1,8),20)), |i| 32 * (i % 2) + 80 * (i / 2);
        // Converts to narrower elements.
        u64 => u16, layout!((2,3):(1,6)), |i| 2 * (i % 8) + 48 * (i / 8);
        u64 => u32, layout!((3,2):(5,1)), |i| 40 * (i % 3) + 4 * (i / 3);
        u32 => u8, layout!((2,3):(1,4)), |i| i % 8 + 16 * (i / 8);
        u128 => u32, layout!((2,4):(4,1)), |i| 64 * (i % 2) + 4 * (i / 2);
        // Converts to elements of the same size.
        u16 => i16, layout!((2,5):(7,2)), |i| 14 * (i % 2) + 4 * (i / 2);
    }
}

#[test]
fn recast_fragments_name_the_same_registers() {
    let fragment = Fragment::<u16, layout!(((2,2),4):((1,2),4))>::new();
    let pairs = fragment.view().recast::<u32>();
    assert_eq!(pairs.layout().to_string(), "((1,2),4):((1,1),2)");
    for i in 0..8 {
        pairs.set(i, (2 * i + 1) << 16 | (2 * i));
    }
    for i in 0..16 {
        assert_eq!(fragment.get(i), i as u16);
    }
    let bytes = fragment.view().compose::<layout!(16:1)>().recast::<u8>();
    for i in 0..16_u32 {
        assert_eq!(bytes.get(2 * i), i as u8);
        assert_eq!(bytes.get(2 * i + 1), 0);
    }
}

#[test]
fn recast_swizzled_memory_has_the_same_bytes() {
    type Tile = Sw<3, 3, 3, layout!((64,(8,4)):(1,(64,512)))>;
    // SAFETY: only addresses are computed.
    let tensor = unsafe { Tensor::<Shared<u16>, Tile>::shared(0x800) };
    for stage in 0..4 {
        let slice = tensor.slice((__, (__, stage)));
        let quads = slice.recast::<u128>();
        let pairs = slice.recast::<u32>();
        for i in 0..512 {
            let expected = 0x800 + 2 * (swizzle([3, 3, 3], i) + 512 * stage);
            assert_eq!(address(&slice, i), expected);
            if i.is_multiple_of(8) {
                assert_eq!(address(&quads, i / 8), expected);
            }
            if i.is_multiple_of(2) {
                assert_eq!(address(&pairs, i / 2), expected);
            }
        }
    }
}

#[test]
fn a_fragment_like_a_tensor_has_its_shape_and_no_holes() {
    fn check<L>(expected: &str)
    where
        L: LayoutFn + layout_types::FragmentLike<Output: layout_types::tensor::FragmentLayout>,
    {
        let data = [0_u32; 1];
        // SAFETY: nothing is read.
        let tensor = unsafe { Tensor::<_, L>::global_static(data.as_ptr()) };
        let like = make_fragment_like(&tensor);
        let view = like.view();
        let mut places: Vec<_> = (0..L::SIZE)
            .map(<L as layout_types::FragmentLike>::Output::index)
            .collect();
        // All elements are in different registers.
        for i in 0..L::SIZE as u32 {
            view.set(i, i);
        }
        for i in 0..L::SIZE as u32 {
            assert_eq!(view.get(i), i);
        }
        places.sort_unstable();
        assert_eq!(places, (0..L::SIZE).collect::<Vec<_>>());
        assert_eq!(view.layout().to_string(), expected);
    }
    // As in CuTe, a mode after the first is a tuple even if there is only one.
    check::<layout!((4,3):(1,100))>("(4,(3)):(1,(4))");
    check::<layout!((4,(2,3)):(50,(7,1)))>("(4,((2,3))):(1,((12,4)))");
    check::<layout!(((2,2),4,3):((1,64),256,8))>("((2,2),4,3):((1,2),12,4)");
    check::<layout!((8,4,2):(1,24,8))>("(8,4,2):(1,16,8)");
}

#[test]
fn views_of_swizzled_memory_are_behind_the_swizzle() {
    type Tile = Sw<3, 3, 3, layout!((16,64,3):(64,1,1024))>;
    // SAFETY: only addresses are computed.
    let tensor = unsafe { Tensor::<Shared<u16>, Tile>::shared(0x200) };
    let at = |row: u32, column: u32, stage: u32| {
        0x200 + 2 * swizzle([3, 3, 3], 64 * row + column + 1024 * stage)
    };
    let grouped = tensor.group_modes::<int!(0), int!(2)>();
    let transposed = tensor
        .slice((__, __, 2u32))
        .compose::<layout!((64,16):(16,1))>();
    let (even, like) = (
        tensor.compose::<tile!(8:2, 16:4, _)>(),
        make_fragment_like(&tensor.slice((__, __, 1u32))),
    );
    for (row, column) in (0..16).flat_map(|row| (0..64).map(move |column| (row, column))) {
        for stage in 0..3 {
            let i = row + 16 * column + 1024 * stage;
            assert_eq!(address(&tensor, i), at(row, column, stage));
            assert_eq!(address(&grouped, i), at(row, column, stage));
        }
        assert_eq!(address(&transposed, column + 64 * row), at(row, column, 2));
        if row < 8 && column < 16 {
            let i = row + 8 * column + 128;
            assert_eq!(address(&even, i), at(2 * row, 4 * column, 1));
        }
    }
    assert_eq!(like.view().size::<0>() * like.view().size::<1>(), 1024);
}
