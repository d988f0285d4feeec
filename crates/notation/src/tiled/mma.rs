//! A tiled MMA: an atom repeated over threads, and the order of the tile's coordinates.
//!
//! ```text
//! (M,K)   permuted      ((PermM,RestM),(PermK,RestK))
//!         by atoms      ((AtomM,AtomK),(RestM,RestK))
//!         thread-value  ((ThrV,FrgV),(RestM,RestK))
//!         by threads    ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK)))          thrfrg
//!         one thread    (FrgV,RestM,RestK)                                 partition
//! ```
//!
//! Law: `layout(X)` maps (thread, value) to the column-major index in the tile of `X`. Source: CuTe
//! `TiledMMA` in `cute/atom/mma_atom.hpp`.

use std::fmt;

use layout_types::dynamic::{
    AnyLayout, Domain, DynLayout, IntTuple, Nested, Tiler, append_to, complement, composition,
    logical_divide, make_fragment_like, make_layout_left, right_inverse, tiled_product,
    zipped_divide,
};

use super::partition::Partition;
use super::{Result, TileError, left, mode, pair, product};
use crate::atoms::{MmaAtom, Operand};
use crate::thread_value::ThreadValue;

/// CuTe's `TiledMMA<Atom, AtomLayoutMNK, PermutationMNK>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledMma {
    atom: MmaAtom,
    atoms: DynLayout,
    permutation: [Tiler; 3],
    tile: [i64; 3],
    /// The number of atoms along M, N and K.
    threads: [i64; 3],
    thr_layout_vmnk: DynLayout,
}

impl TiledMma {
    /// Repeats the atom over the layout `atoms` of (M,N,K). `permutation` orders the tile's
    /// coordinates along each mode: a number, a layout, or `_` for the extent that the atoms cover.
    ///
    /// # Errors
    /// Returns an error if a permutation's size is not a multiple of the extent of the atoms along
    /// its mode, or if the atoms' threads do not form a layout.
    pub fn new(atom: MmaAtom, atoms: &DynLayout, permutation: [Tiler; 3]) -> Result<Self> {
        if atoms.rank() > 3 {
            let rank = atoms.rank();
            return Err(TileError::Atoms(format!(
                "the atoms' layout {atoms} has {rank} modes; a tiled MMA has M, N and K"
            )));
        }
        let atoms = match atoms.shape() {
            Nested::Leaf(_) => DynLayout::from_modes(vec![atoms.clone()])?,
            Nested::Tuple(_) => atoms.clone(),
        };
        let atoms = append_to(&atoms, 3, None)?;
        let mut threads = [1; 3];
        for (i, count) in threads.iter_mut().enumerate() {
            *count = mode(&atoms, i)?.size()?;
        }
        let mut tile = [0; 3];
        let mut orders = permutation;
        for (i, order) in orders.iter_mut().enumerate() {
            let name = ["M", "N", "K"][i];
            let held = atom.shape()[i].checked_mul(threads[i]).ok_or_else(|| {
                TileError::Atoms(format!("the tile's {name} does not fit in 64 bits"))
            })?;
            tile[i] = match order {
                Tiler::Underscore => {
                    *order = Tiler::Int(held);
                    held
                }
                Tiler::Int(extent) => *extent,
                Tiler::Layout(layout) => layout.size()?,
                Tiler::Tuple(_) => {
                    return Err(TileError::Atoms(format!(
                        "the permutation of {name} is {order}; it is `_`, a number or a layout"
                    )));
                }
            };
            if tile[i] < 1 || tile[i] % held != 0 {
                return Err(TileError::Atoms(format!(
                    "a permutation of {} does not hold a whole number of the tiled MMA's atoms, which cover {held} along {name}",
                    tile[i]
                )));
            }
        }
        let thr_layout_vmnk = tiled_product(atom.thr_id(), &atoms)?;
        Ok(Self {
            atom,
            atoms,
            permutation: orders,
            tile,
            threads,
            thr_layout_vmnk,
        })
    }

    /// Returns the atom.
    pub fn atom(&self) -> &MmaAtom {
        &self.atom
    }

    /// Returns CuTe's `tile_size`: M, N and K of the tile.
    pub fn tile(&self) -> [i64; 3] {
        self.tile
    }

    /// Returns CuTe's `permutation_mnk`: the order of the tile's coordinates along M, N and K.
    pub fn permutation(&self) -> &[Tiler; 3] {
        &self.permutation
    }

    /// Maps (v, m, n, k), the thread in the atom and the atom along M, N and K, to the thread.
    pub fn thr_layout_vmnk(&self) -> &DynLayout {
        &self.thr_layout_vmnk
    }

    /// Returns CuTe's `size(mma)`: the number of threads.
    pub fn threads(&self) -> i64 {
        self.thr_layout_vmnk.size().unwrap_or(i64::MAX)
    }

    /// Cuts a tensor into `((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,..)))`, as CuTe's `thrfrg_A`,
    /// `_B` and `_C` do.
    ///
    /// # Errors
    /// Returns an error if a step (permutation, atoms, thread-value layout or threads) is not
    /// admissible.
    pub fn thrfrg(&self, operand: Operand, tensor: &AnyLayout) -> Result<AnyLayout> {
        Ok(tensor.map_domain("thrfrg", &[], |tensor| self.cut(operand, tensor))?)
    }

    fn cut(
        &self,
        operand: Operand,
        tensor: &DynLayout,
    ) -> layout_types::dynamic::Result<DynLayout> {
        let [a, b] = {
            let [m, n, k] = &self.permutation;
            operand.of([m, n, k]).map(Clone::clone)
        };
        let permuted = logical_divide(tensor, pair(a, b))?;
        let [a, b] = operand.of(self.atom.shape()).map(Tiler::Int);
        let by_atoms = zipped_divide(&permuted, pair(a, b))?;
        let tv = Tiler::Layout(self.atom.layout(operand).clone());
        let by_values = composition(&by_atoms, pair(tv, Tiler::Underscore))?;
        let [a, b] = operand.of(self.threads).map(Tiler::Int);
        zipped_divide(&by_values, pair(Tiler::Underscore, pair(a, b)))
    }

    /// Maps a thread's index to its coordinate (v, m, n, k).
    fn place(&self) -> Result<Tiler> {
        let thr = &self.thr_layout_vmnk;
        let filled = DynLayout::from_modes(vec![thr.clone(), complement(thr, 1)?])?;
        Ok(Tiler::Layout(right_inverse(&filled)?))
    }

    /// Maps (ThrM,ThrN,ThrK) to the operand's two thread modes. Threads that differ only along the
    /// mode that the operand lacks map to the same coordinate.
    fn threads_of(&self, operand: Operand) -> Result<Tiler> {
        let [m, n, k] = self.threads;
        let keep = |size: i64, rest: i64, first: bool| -> Result<Tiler> {
            let step = i64::from(size > 1);
            let layout = |shape: [i64; 2], stride: [i64; 2]| {
                DynLayout::new(
                    IntTuple::from(shape),
                    Nested::Tuple(stride.map(|s| Nested::Leaf(s.into())).to_vec()),
                )
            };
            Ok(Tiler::Layout(if first {
                layout([size, rest], [step, 0])?
            } else {
                layout([rest, size], [0, step])?
            }))
        };
        let inner = match operand {
            Operand::A => pair(keep(m, n, true)?, Tiler::Underscore),
            Operand::B => pair(keep(n, m, false)?, Tiler::Underscore),
            Operand::C => pair(Tiler::Underscore, keep(n, k, true)?),
        };
        Ok(pair(pair(Tiler::Underscore, inner), Tiler::Underscore))
    }

    /// Returns CuTe's `get_layoutA_TV`, `_B_` or `_C_`, which maps (thread, value) to the
    /// column-major index in the operand's tile.
    ///
    /// # Errors
    /// Returns the errors of [`thrfrg`](Self::thrfrg).
    pub fn layout(&self, operand: Operand) -> Result<DynLayout> {
        let cut = self.cut(operand, &left(&operand.of(self.tile))?)?;
        let by_mode = match operand {
            // CuTe does the same: the threads along K remain at the end of the mode.
            Operand::C => cut,
            _ => composition(&cut, self.threads_of(operand)?)?,
        };
        Ok(composition(
            &by_mode,
            pair(self.place()?, Tiler::Underscore),
        )?)
    }

    /// Returns [`layout`](Self::layout) with the operand's tile.
    ///
    /// # Errors
    /// Returns the errors of [`layout`](Self::layout).
    pub fn operand(&self, operand: Operand) -> Result<ThreadValue> {
        let tile = IntTuple::from(operand.of(self.tile));
        let name = format!("{}.{operand}", self.atom.name());
        let layout = AnyLayout::Plain(self.layout(operand)?);
        Ok(ThreadValue::new(layout, tile, name)
            .with_modes(operand.modes().map(String::from).to_vec()))
    }

    /// Returns one thread's part of a tensor, `(FrgV,RestM,RestK,..)`, as CuTe's `partition_A`,
    /// `_B` and `_C` do.
    ///
    /// # Errors
    /// Returns the errors of [`thrfrg`](Self::thrfrg).
    pub fn partition(&self, operand: Operand, tensor: &AnyLayout) -> Result<Partition> {
        let thrfrg = self.cut(operand, tensor.domain())?;
        let threads = composition(&thrfrg, self.threads_of(operand)?)?;
        let by_index = composition(&threads, pair(self.place()?, Tiler::Underscore))?;
        let fragment = mode(&thrfrg, 1)?;
        let mut modes = vec![mode(&fragment, 0)?];
        modes.extend(mode(&fragment, 1)?.modes());
        let part = tensor.map_domain("partition", &[], |_| DynLayout::from_modes(modes))?;
        Ok(Partition::new(part, mode(&by_index, 0)?))
    }

    /// Returns the layout of the registers for one thread's part, as CuTe's `partition_fragment_A`,
    /// `_B` and `_C` do.
    ///
    /// # Errors
    /// Returns the errors of [`thrfrg`](Self::thrfrg).
    pub fn fragment(&self, operand: Operand, tensor: &AnyLayout) -> Result<DynLayout> {
        let part = self.partition(operand, tensor)?;
        let domain = part.part().domain();
        product(domain.shape())?;
        Ok(match operand {
            Operand::C => make_layout_left(domain.shape())?,
            _ => make_fragment_like(domain)?,
        })
    }
}

impl fmt::Display for TiledMma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n, k] = &self.permutation;
        write!(f, "tiled_mma({}, {}, ({m},{n},{k}))", self.atom, self.atoms)
    }
}
