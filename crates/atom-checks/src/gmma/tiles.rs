//! The tiles in which an operand may lie: every canonical atom, for every size of elements and
//! every width.
//!
//! ```text
//!   TileToShape<LayoutKSw64Atom<f16>, shape!((40,32))>     rows 40, two k blocks of 16
//! ```

use half::f16;
use layout_types::atom::Element;
use layout_types::atom::gmma::*;
use layout_types::atom::mma::{FrgType, Major, MajorK, MajorMn, SmemDesc};
use layout_types::atom::smem_operand::Operand;
use layout_types::check::Reflect;
use layout_types::num::{Bool, Nat};
use layout_types::prelude::*;
use layout_types::typenum::{self, Unsigned};

/// One operand's tile (M or N, K), as its type describes it.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The layout in CuTe's notation.
    pub notation: String,
    /// The number of bytes of an element.
    pub bytes: u32,
    /// Whether K is contiguous.
    pub k_major: bool,
    /// The number of the instruction's operands along K.
    pub blocks: u32,
    rows: u32,
    size: u32,
    index: fn(u32) -> u32,
    descriptor: fn(u32, u32) -> u64,
}

impl Tile {
    fn of<L, T, Tnsp, Rows>() -> Self
    where
        L: LayoutFn + Reflect,
        T: Element,
        Tnsp: Major,
        Rows: Nat,
        SmemDesc<Tnsp>: FrgType,
    {
        let layout = Operand::<L, T, Tnsp, Rows>::LAYOUT;
        assert_eq!(layout.blocks.0, 1);
        Self {
            notation: L::default().to_string(),
            bytes: T::Bits::U32 / 8,
            k_major: Tnsp::IsK::VALUE,
            blocks: layout.blocks.1,
            rows: Rows::U32,
            size: L::SIZE as u32 * T::Bits::U32 / 8,
            index: L::index::<u32>,
            descriptor: |base, block| {
                Operand::<L, T, Tnsp, Rows>::descriptor(base, (0, block), 0).bits()
            },
        }
    }

    /// Returns the number of bytes of the whole tile.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns the byte offset of an element.
    #[must_use]
    pub fn byte(&self, row: u32, column: u32) -> u32 {
        (self.index)(row + self.rows * column) * self.bytes
    }

    /// Returns the descriptor of a k block of a tile at `base`.
    #[must_use]
    pub fn descriptor(&self, base: u32, block: u32) -> u64 {
        (self.descriptor)(base, block)
    }
}

macro_rules! tiles {
    ($rows:ident $n:literal $($mn:ident)*) => {
        vec![
            Tile::of::<TileToShape<LayoutKInterAtom<u8>, shape!(($n, 64))>, u8, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw32Atom<u8>, shape!(($n, 32))>, u8, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw64Atom<u8>, shape!(($n, 64))>, u8, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw128Atom<u8>, shape!(($n, 128))>, u8, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKInterAtom<f16>, shape!(($n, 32))>, f16, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw32Atom<f16>, shape!(($n, 16))>, f16, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw64Atom<f16>, shape!(($n, 32))>, f16, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw128Atom<f16>, shape!(($n, 64))>, f16, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKInterAtom<f32>, shape!(($n, 16))>, f32, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw32Atom<f32>, shape!(($n, 8))>, f32, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw64Atom<f32>, shape!(($n, 16))>, f32, MajorK, typenum::$rows>(),
            Tile::of::<TileToShape<LayoutKSw128Atom<f32>, shape!(($n, 32))>, f32, MajorK, typenum::$rows>(),
            $(Tile::of::<TileToShape<$mn<f16>, shape!(($n, 32))>, f16, MajorMn, typenum::$rows>(),)*
        ]
    };
}

fn of_rows(rows: u32) -> Vec<Tile> {
    macro_rules! rows {
        ($($name:ident $n:literal $($mn:ident)*;)*) => {
            match rows {
                $($n => tiles!($name $n $($mn)*),)*
                _ => panic!("no tile of {rows} rows"),
            }
        };
    }
    // If M or N is contiguous, an operand holds whole rows of its swizzle atom.
    rows! {
        U8 8 LayoutMnInterAtom;
        U16 16 LayoutMnInterAtom LayoutMnSw32Atom;
        U24 24 LayoutMnInterAtom;
        U32 32 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom;
        U40 40 LayoutMnInterAtom;
        U48 48 LayoutMnInterAtom LayoutMnSw32Atom;
        U56 56 LayoutMnInterAtom;
        U64 64 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom;
        U72 72 LayoutMnInterAtom;
        U80 80 LayoutMnInterAtom LayoutMnSw32Atom;
        U88 88 LayoutMnInterAtom;
        U96 96 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom;
        U104 104 LayoutMnInterAtom;
        U112 112 LayoutMnInterAtom LayoutMnSw32Atom;
        U120 120 LayoutMnInterAtom;
        U128 128 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom;
        U136 136 LayoutMnInterAtom;
        U144 144 LayoutMnInterAtom LayoutMnSw32Atom;
        U152 152 LayoutMnInterAtom;
        U160 160 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom;
        U168 168 LayoutMnInterAtom;
        U176 176 LayoutMnInterAtom LayoutMnSw32Atom;
        U184 184 LayoutMnInterAtom;
        U192 192 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom;
        U200 200 LayoutMnInterAtom;
        U208 208 LayoutMnInterAtom LayoutMnSw32Atom;
        U216 216 LayoutMnInterAtom;
        U224 224 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom;
        U232 232 LayoutMnInterAtom;
        U240 240 LayoutMnInterAtom LayoutMnSw32Atom;
        U248 248 LayoutMnInterAtom;
        U256 256 LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom;
    }
}

fn of(rows: u32, bytes: u32, k_major: bool) -> Vec<Tile> {
    let mut tiles = of_rows(rows);
    tiles.retain(|tile| (tile.bytes, tile.k_major) == (bytes, k_major));
    tiles
}

/// Returns the tiles in which A may lie.
#[must_use]
pub fn left_tiles(bytes: u32, k_major: bool) -> Vec<Tile> {
    of(64, bytes, k_major)
}

/// Returns the tiles in which B of `n` columns may lie.
///
/// ```
/// use atom_checks::gmma::right_tiles;
/// // A line of the 128-byte swizzle has 64 columns of f16.
/// assert_eq!(right_tiles(64, 2, false).len(), 4);
/// assert_eq!(right_tiles(96, 2, false).len(), 3);
/// assert_eq!(right_tiles(40, 1, true).len(), 4);
/// ```
#[must_use]
pub fn right_tiles(n: u32, bytes: u32, k_major: bool) -> Vec<Tile> {
    of(n, bytes, k_major)
}
