//! Tests maps that are derived from tiles of shared memory. Copies of the maps' boxes must put
//! every element at the place that the tile's layout assigns to it.

use host::{TensorMapSpec, TmaElement};
use layout_types::atom::gmma::*;
use layout_types::atom::smem_operand::TmaTile;
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::prelude::*;

use half::{bf16, f16};

/// Returns the number of elements for which the tile's layout and copies through the derived map
/// disagree about the place.
fn misplaced<Tile: LayoutFn + Reflect, T: TmaElement>(
    rows: u32,
    columns: u32,
    stages: u32,
) -> usize {
    let shape = [4 * u64::from(rows) + 16, 4 * u64::from(columns) + 16];
    let major = TmaTile::<Tile, T>::BOX.inner;
    let strides = if major == 0 {
        [1, shape[0]]
    } else {
        [shape[1], 1]
    };
    let spec = TensorMapSpec::tile::<Tile, T>(&shape, &strides).unwrap();
    spec.check().unwrap();
    assert_eq!(spec.extents, [shape[major], shape[1 - major]]);
    let size = T::ELEMENT.bytes();
    assert_eq!(spec.strides, [shape[major] * size as u64]);
    let [down, across] = TmaTile::<Tile, T>::BOX.boxes;
    let copies = u64::from(down * across);
    assert_eq!(
        spec.box_bytes() as u64 * copies,
        u64::from(TmaTile::<Tile, T>::BYTES)
    );
    let mut wrong = 0;
    for stage in 0..stages {
        for (i, j) in (0..across).flat_map(|j| (0..down).map(move |i| (i, j))) {
            let base = TmaTile::<Tile, T>::offset((i, j), stage) as usize;
            let first = TmaTile::<Tile, T>::coordinate((i, j), 0, 0);
            for n in 0..spec.box_bytes() / size {
                let inner = spec.box_extents[0] as usize;
                let place = spec.swizzle.apply(base + n * size);
                let at = [
                    first[0] as u32 + (n % inner) as u32,
                    first[1] as u32 + (n / inner) as u32,
                ];
                let (row, column) = if major == 0 {
                    (at[0], at[1])
                } else {
                    (at[1], at[0])
                };
                let index = row + rows * (column + columns * stage);
                wrong += usize::from(place != Tile::index(index) as usize * size);
            }
        }
    }
    wrong
}

#[test]
fn a_derived_map_puts_every_element_where_its_tile_has_it() {
    let mut tiles = 0;
    macro_rules! tiles {
        ($($atom:ident $ty:ty, ($m:literal, $k:literal, $s:literal);)*) => {$({
            type Tile = TileToShape<$atom<$ty>, shape!(($m, $k, $s))>;
            assert_eq!(misplaced::<Tile, $ty>($m, $k, $s), 0, "{}", Tile::default());
            tiles += 1;
        })*};
    }
    tiles! {
        LayoutKInterAtom f16, (64, 8, 2);
        LayoutKSw32Atom f16, (128, 32, 2); LayoutKSw64Atom f16, (64, 64, 3); LayoutKSw128Atom f16, (128, 64, 4);
        LayoutKSw128Atom bf16, (64, 128, 2); LayoutKSw128Atom u8, (64, 128, 2); LayoutKSw32Atom u8, (64, 64, 1);
        LayoutKSw64Atom f32, (128, 32, 2); LayoutKSw128Atom f32, (64, 64, 1); LayoutKSw128Atom f64, (64, 16, 2);
        LayoutMnSw32Atom f16, (64, 32, 2); LayoutMnSw64Atom f16, (64, 32, 2); LayoutMnSw128Atom f16, (128, 64, 2);
        LayoutMnSw128Atom bf16, (64, 32, 3);
    }
    assert_eq!(tiles, 14);
}
