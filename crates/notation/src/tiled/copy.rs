//! A tiled copy: a copy atom repeated over threads and values, and tensors partitioned among the
//! threads.
//!
//! ```text
//! (M,N)   by the tiler             ((TileM,TileN),(RestM,RestN))
//!         thread-value of the side ((thread,(atom_val,rest_val)),(RestM,RestN))
//!         tidfrg                   (thread,(atom_val,rest_val),(RestM,RestN))
//!         one thread               ((atom_val,rest_val),RestM,RestN)            partition
//! ```
//!
//! Law: the thread-value layout places the (thread, value) of the fragment, the atom's reference
//! layout. The layouts of source and destination follow from it by the atom's layouts, so the
//! element that a thread reads is the element that arrives. Source: CuTe `TiledCopy` and `ThrCopy`
//! in `cute/atom/copy_atom.hpp`.

use std::fmt;

use layout_types::dynamic::{
    AnyLayout, Domain, DynLayout, IntTuple, Nested, Tiler, coalesce, composition, filter_zeros,
    is_compact, logical_product, make_layout_left, right_inverse, upcast, zipped_divide,
};

use super::partition::Partition;
use super::{Result, TileError, mode, pair, product};
use crate::atoms::CopyAtom;
use crate::limits::MAX_CELLS;
use crate::thread_value::ThreadValue;

/// The source or the destination of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that the copy reads.
    Source,
    /// The side that the copy writes.
    Destination,
}

/// CuTe's `TiledCopy<Copy_Atom<Op, T>, LayoutCopy_TV, ShapeTiler_MN>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TiledCopy {
    atom: CopyAtom,
    layout_tv: DynLayout,
    tiler: Tiler,
    shape: IntTuple,
}

/// Returns the shape of the tile that a tiler cuts out.
fn tile_shape(tiler: &Tiler) -> Result<IntTuple> {
    Ok(match tiler {
        Tiler::Int(extent) if *extent >= 1 => Nested::Leaf(*extent),
        Tiler::Layout(layout) => layout.shape().clone(),
        Tiler::Tuple(modes) => Nested::Tuple(modes.iter().map(tile_shape).collect::<Result<_>>()?),
        other => {
            return Err(TileError::Atoms(format!(
                "`{other}` in the tiler of a tiled copy has no size"
            )));
        }
    })
}

impl TiledCopy {
    /// Repeats the atom over `layout_tv`, which maps (thread, value) of the fragment to the
    /// column-major index in the tile that `tiler` cuts.
    ///
    /// # Errors
    /// Returns an error if threads or values are not a multiple of the atom's, or if the
    /// thread-value layout does not cover the tile exactly once.
    pub fn new(atom: CopyAtom, layout_tv: DynLayout, tiler: Tiler) -> Result<Self> {
        let shape = tile_shape(&tiler)?;
        let (threads, values) = (mode(&layout_tv, 0)?, mode(&layout_tv, 1)?);
        let (have, need) = (threads.size()?, atom.threads());
        if have % need != 0 {
            return Err(TileError::Atoms(format!(
                "the tiled copy has {have} threads, but `{}` is done by {need} together",
                atom.operation()
            )));
        }
        let (have, need) = (values.size()?, CopyAtom::values_of(atom.reference()));
        if have % need != 0 {
            return Err(TileError::Atoms(format!(
                "the tiled copy gives a thread {have} values, but `{}` moves {need} at a time",
                atom.operation()
            )));
        }
        let copy = Self {
            atom,
            layout_tv,
            tiler,
            shape,
        };
        copy.covers(&threads, values)?;
        Ok(copy)
    }

    /// Checks that the values cover the tile. Threads along a mode of stride 0 read the same
    /// values, as for an operand of an MMA, and count as one thread.
    fn covers(&self, threads: &DynLayout, values: DynLayout) -> Result<()> {
        let cells = product(&self.shape)?;
        let once = DynLayout::from_modes(vec![filter_zeros(threads)?, values])?;
        if once.size()? == cells && !once.has_basis() && is_compact(&once)? {
            return Ok(());
        }
        let tv = ThreadValue::new(
            AnyLayout::Plain(once.clone()),
            self.shape.clone(),
            String::new(),
        );
        let which = if cells <= MAX_CELLS {
            tv.owners().and_then(|owners| {
                owners
                    .iter()
                    .enumerate()
                    .find_map(|(cell, owners)| match owners[..] {
                        [] => Some(format!("cell {cell} has no owner")),
                        [_] => None,
                        [a, b, ..] => Some(format!(
                            "cell {cell} has two owners: TV ({},{}) and TV ({},{})",
                            a.thread, a.value, b.thread, b.value
                        )),
                    })
            })
        } else {
            None
        };
        Err(TileError::Atoms(format!(
            "the thread-value layout {} does not cover the tile of {cells} cells exactly once{}",
            self.layout_tv,
            which.map_or(String::new(), |which| format!(": {which}"))
        )))
    }

    /// Returns the atom.
    pub fn atom(&self) -> &CopyAtom {
        &self.atom
    }

    /// Returns CuTe's `TiledLayout_TV`.
    pub fn layout_tv(&self) -> &DynLayout {
        &self.layout_tv
    }

    /// Returns CuTe's `Tiler_MN`.
    pub fn tiler(&self) -> &Tiler {
        &self.tiler
    }

    /// Returns the shape of the tile.
    pub fn tile(&self) -> &IntTuple {
        &self.shape
    }

    /// Returns CuTe's `size(copy)`: the number of threads.
    pub fn threads(&self) -> i64 {
        self.layout_tv
            .mode(0)
            .and_then(|threads| threads.size().ok())
            .unwrap_or(i64::MAX)
    }

    /// Maps a side's (thread, (atom_val, rest_val)) to the index in the tile.
    fn thr_val(&self, side: Side) -> Result<DynLayout> {
        let of_side = match side {
            Side::Source => self.atom.source(),
            Side::Destination => self.atom.destination(),
        };
        let reference = self.atom.reference();
        let to_reference = composition(&right_inverse(reference)?, of_side)?;
        let by = pair(
            Tiler::Int(self.atom.threads()),
            Tiler::Int(CopyAtom::values_of(reference)),
        );
        let by_atoms = zipped_divide(&self.layout_tv, by)?;
        let by_side = composition(
            &by_atoms,
            pair(Tiler::Layout(to_reference), Tiler::Underscore),
        )?;
        let (atom, rest) = (mode(&by_side, 0)?, mode(&by_side, 1)?);
        let threads = DynLayout::from_modes(vec![mode(&atom, 0)?, mode(&rest, 0)?])?;
        let values = DynLayout::from_modes(vec![
            coalesce(&mode(&atom, 1)?)?,
            coalesce(&mode(&rest, 1)?)?,
        ])?;
        Ok(DynLayout::from_modes(vec![coalesce(&threads)?, values])?)
    }

    /// Returns CuTe's `get_layoutS_TV` or `get_layoutD_TV`, which maps a side's (thread, value) to
    /// the column-major index in the tile.
    ///
    /// # Errors
    /// Returns an error if a step is not admissible.
    pub fn layout(&self, side: Side) -> Result<DynLayout> {
        Ok(composition(
            &make_layout_left(&self.shape)?,
            self.thr_val(side)?,
        )?)
    }

    /// Returns [`layout`](Self::layout) with its tile.
    ///
    /// # Errors
    /// Returns the errors of [`layout`](Self::layout).
    pub fn side(&self, side: Side) -> Result<ThreadValue> {
        let name = match side {
            Side::Source => "source",
            Side::Destination => "destination",
        };
        let layout = AnyLayout::Plain(self.layout(side)?);
        Ok(ThreadValue::new(layout, self.shape.clone(), name))
    }

    /// Returns CuTe's `TiledLayout_TV` with its tile: the values that each thread holds in
    /// registers.
    pub fn fragment(&self) -> ThreadValue {
        let layout = AnyLayout::Plain(self.layout_tv.clone());
        ThreadValue::new(layout, self.shape.clone(), "fragment")
    }

    /// Cuts a tensor into `((thread,(atom_val,rest_val)),(RestM,RestN,..))`.
    fn cut(&self, side: Side, tensor: &DynLayout) -> Result<DynLayout> {
        let tiles = zipped_divide(tensor, &self.tiler)?;
        let by = pair(Tiler::Layout(self.thr_val(side)?), Tiler::Underscore);
        Ok(composition(&tiles, by)?)
    }

    /// Cuts a tensor into `(thread,(atom_val,rest_val),(RestM,RestN,..))`, as CuTe's `tidfrg_S` and
    /// `tidfrg_D` do.
    ///
    /// # Errors
    /// Returns an error if the tiler does not divide the tensor, or if a thread-value layout is not
    /// admissible.
    pub fn tidfrg(&self, side: Side, tensor: &AnyLayout) -> Result<AnyLayout> {
        let cut = self.cut(side, tensor.domain())?;
        let tile = mode(&cut, 0)?;
        let modes = vec![mode(&tile, 0)?, mode(&tile, 1)?, mode(&cut, 1)?];
        Ok(tensor.map_domain("tidfrg", &[], |_| DynLayout::from_modes(modes))?)
    }

    /// Returns one thread's part of a tensor, `((atom_val,rest_val),RestM,RestN,..)`, as CuTe's
    /// `partition_S` and `partition_D` do.
    ///
    /// # Errors
    /// Returns the errors of [`tidfrg`](Self::tidfrg).
    pub fn partition(&self, side: Side, tensor: &AnyLayout) -> Result<Partition> {
        let cut = self.cut(side, tensor.domain())?;
        let tile = mode(&cut, 0)?;
        let mut modes = vec![mode(&tile, 1)?];
        modes.extend(mode(&cut, 1)?.modes());
        let part = tensor.map_domain("partition", &[], |_| DynLayout::from_modes(modes))?;
        Ok(Partition::new(part, mode(&tile, 0)?))
    }

    /// Groups the values of an MMA's fragment in the order in which the copy takes them, as CuTe's
    /// `retile_S` and `retile_D` do.
    ///
    /// # Errors
    /// Returns an error if the layout is not a fragment of the MMA for which the copy was made.
    pub fn retile(&self, fragment: &DynLayout) -> Result<DynLayout> {
        let values = mode(fragment, 0)?.size()?;
        let unit = values.checked_mul(self.threads()).ok_or_else(|| {
            TileError::Atoms("the values of the fragment do not fit in 64 bits".to_string())
        })?;
        let in_tile = composition(
            &right_inverse(&self.layout_tv)?,
            make_layout_left(&self.shape)?,
        )?;
        // Maps (m,n) to the index of the `values` values within a thread's values.
        let frg_mn = upcast(&in_tile, unit)?;
        let one = DynLayout::new(Nested::Leaf(values), Nested::Leaf(1.into()))?;
        let places = logical_product(&one, right_inverse(&frg_mn)?)?;
        // Maps (atom_vals, rest_vals) to (v,m,n).
        let frg_v = zipped_divide(&places, CopyAtom::values_of(self.atom.reference()))?;
        let mut tile = vec![Tiler::Int(values)];
        for extent in frg_mn.shape().modes() {
            tile.push(Tiler::Int(product(extent)?));
        }
        let by_tiles = zipped_divide(fragment, Tiler::Tuple(tile))?;
        let by_values = composition(&by_tiles, pair(Tiler::Layout(frg_v), Tiler::Underscore))?;
        let mut modes = vec![mode(&by_values, 0)?];
        modes.extend(mode(&by_values, 1)?.modes().into_iter().skip(1));
        Ok(DynLayout::from_modes(modes)?)
    }
}

impl fmt::Display for TiledCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "tiled_copy({}, {}, {})",
            self.atom, self.layout_tv, self.tiler
        )
    }
}
