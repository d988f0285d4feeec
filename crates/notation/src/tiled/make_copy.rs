//! Constructors of tiled copies: from threads and values, and for the operands of a tiled MMA.
//!
//! ```text
//! make_tiled_copy(UniversalCopy<u128>, f16, (16,8):(8,1), (1,8))     threads in rows of 8, 8 values along N each
//! make_tiled_copy_a(SM75_U32x4_LDSM_N, f16, mma)                     the threads and values of the MMA's A
//! make_tiled_copy_c_atom(UniversalCopy<u32>, f16, mma)               the smallest copy of C that the atom can do
//! ```
//!
//! Law: a copy made for an operand has the operand's thread-value layout. Source: CuTe
//! `make_tiled_copy` and the related functions in `cute/atom/copy_atom.hpp`.

use layout_types::dynamic::{
    DynLayout, IntTuple, Nested, Tiler, composition, filter, left_inverse, raked_product,
    right_inverse, with_shape,
};

use super::copy::TiledCopy;
use super::mma::TiledMma;
use super::{Result, TileError, left, mode};
use crate::atoms::{CopyAtom, Operand};

impl TiledCopy {
    /// Makes CuTe's `make_tiled_copy`: each thread in `threads` copies one block of neighbouring
    /// values with the shape of `values`.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new), and an error if threads and values do not form a
    /// tile.
    pub fn of_threads(atom: CopyAtom, threads: &DynLayout, values: &DynLayout) -> Result<Self> {
        let tile = raked_product(threads, values)?;
        let sizes = IntTuple::from([threads.size()?, values.size()?]);
        let layout_tv = with_shape(&right_inverse(&tile)?, &sizes)?;
        let tiler = tile
            .shape()
            .product_each()
            .map_err(|rule| TileError::Atoms(rule.to_string()))?;
        Self::new(atom, layout_tv, Tiler::from(tiler))
    }

    /// Makes CuTe's `make_tiled_copy_A`, `_B` or `_C`, which copies with the threads and values of
    /// an operand of a tiled MMA.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new), and an error if the operand has no thread-value
    /// layout.
    pub fn of_operand(atom: CopyAtom, mma: &TiledMma, operand: Operand) -> Result<Self> {
        let tiler = Tiler::from(IntTuple::from(operand.of(mma.tile())));
        Self::new(atom, mma.layout(operand)?, tiler)
    }

    /// Makes CuTe's `make_tiled_copy_C_atom`: the smallest tiled copy that can retile the
    /// accumulator of `mma`.
    ///
    /// # Errors
    /// Returns the errors of [`of_operand`](Self::of_operand).
    pub fn of_accumulator_atom(atom: CopyAtom, mma: &TiledMma) -> Result<Self> {
        let tv = mma.layout(Operand::C)?;
        let tile = Operand::C.of(mma.tile());
        let values = CopyAtom::values_of(atom.source());
        let first = composition(&tv, left(&[mode(&tv, 0)?.size()?, values])?)?;
        // The coordinates of these values along M or N, selected by `stride`.
        let along = |stride: [i64; 2]| -> Result<DynLayout> {
            let stride = Nested::Tuple(stride.map(|s| Nested::Leaf(s.into())).to_vec());
            let coordinate = DynLayout::new(IntTuple::from(tile), stride)?;
            Ok(filter(&composition(&coordinate, &first)?)?)
        };
        let active = Tiler::Tuple(vec![
            Tiler::Layout(along([1, 0])?),
            Tiler::Layout(along([0, 1])?),
        ]);
        let in_tile = composition(&left(&tile)?, &active)?;
        Self::new(atom, composition(&left_inverse(&in_tile)?, &first)?, active)
    }
}
