//! Thread-value layouts, which state the thread that owns each cell of a tile.
//!
//! ```text
//! ((4,8),(2,2)):((32,1),(16,8)) over (16,8)      (thread 5, value 1) -> 49 -> cell (1,3)
//! ```
//!
//! Law: the layout maps (thread, value) to the cell's column-major index in the tile, and `cell`
//! returns the coordinate at that index. Source: `cute/atom/mma_traits.hpp`.

use std::fmt;

use distribute::Ragged;
use layout_types::dynamic::{AnyLayout, Domain, IntTuple, Nested, idx2crd};

use crate::limits::MAX_CELLS;

/// A layout from (thread, value) to the cells of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadValue {
    layout: AnyLayout,
    tile: IntTuple,
    name: String,
    modes: Vec<String>,
    /// Whether owners are devices. The tile is then a tensor.
    devices: bool,
    /// The tensor's extents, if the tile is padded.
    extents: Option<IntTuple>,
}

/// A (thread, value) that owns a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// The thread.
    pub thread: i64,
    /// The index of the value within the thread's values.
    pub value: i64,
}

impl ThreadValue {
    /// Makes a thread-value layout from a layout of two modes, threads and values, over a tile of
    /// the given shape.
    pub fn new(layout: AnyLayout, tile: IntTuple, name: impl Into<String>) -> Self {
        let modes = match tile.rank() {
            2 => vec!["M".to_string(), "N".to_string()],
            rank => (0..rank).map(|i| i.to_string()).collect(),
        };
        Self {
            layout,
            tile,
            name: name.into(),
            modes,
            devices: false,
            extents: None,
        }
    }

    /// Turns the layout into a distribution: devices in place of threads, elements in place of
    /// values.
    #[must_use]
    pub fn of_devices(mut self) -> Self {
        self.devices = true;
        self
    }

    /// Restricts the layout to a tensor with these extents, each at most the tile's extent in the
    /// same mode: cells beyond them are padding.
    #[must_use]
    pub fn of_extents(mut self, extents: IntTuple) -> Self {
        self.extents = Some(extents);
        self
    }

    /// Returns the extents within the tile, or `None` if the tile is not padded.
    pub fn extents(&self) -> Option<&IntTuple> {
        self.extents.as_ref()
    }

    /// Returns the tensor of a distribution, with its padding.
    pub(crate) fn tensor(&self) -> Ragged {
        let leaves = |shape: &IntTuple| shape.leaves().into_iter().copied().collect();
        Ragged {
            padded: leaves(&self.tile),
            shape: leaves(self.extents.as_ref().unwrap_or(&self.tile)),
        }
    }

    /// Whether the cell with this column-major index is padding.
    ///
    /// ```
    /// let value = notation::eval("distribution((4,3):(3,1), 12, 10)").unwrap();
    /// let notation::Value::ThreadValue(rows) = value else { panic!() };
    /// assert!(rows.is_padding(11) && !rows.is_padding(9));
    /// ```
    pub fn is_padding(&self, index: i64) -> bool {
        self.extents.is_some() && !self.tensor().holds(index)
    }

    /// Whether the layout is a distribution over devices.
    pub fn is_of_devices(&self) -> bool {
        self.devices
    }

    /// Names the tile's modes.
    #[must_use]
    pub fn with_modes(mut self, modes: Vec<String>) -> Self {
        self.modes = modes;
        self
    }

    /// Maps (thread, value) to the column-major index of the cell.
    pub fn layout(&self) -> &AnyLayout {
        &self.layout
    }

    /// Returns the shape of the tile.
    pub fn tile(&self) -> &IntTuple {
        &self.tile
    }

    /// Returns the name of the operand that the layout belongs to, such as
    /// `SM80_16x8x16_F32F16F16F32_TN.C`. The name is empty for a layout that was written out.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the tile's modes: M and K for an operand A.
    pub fn modes(&self) -> &[String] {
        &self.modes
    }

    fn mode_size(&self, i: usize) -> i64 {
        self.layout
            .domain()
            .mode(i)
            .map_or(1, |mode| mode.size().unwrap_or(i64::MAX))
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> i64 {
        self.mode_size(0)
    }

    /// Returns the number of values that each thread has.
    pub fn values(&self) -> i64 {
        self.mode_size(1)
    }

    /// Returns the column-major index of the cell that (thread, value) owns, or `None` if the
    /// offset is not an integer.
    pub fn index(&self, thread: i64, value: i64) -> Option<i64> {
        let index = value.checked_mul(self.threads())?.checked_add(thread)?;
        self.layout.offset(index).ok()
    }

    /// Returns the cell of (thread, value) as a coordinate of the tile.
    ///
    /// ```
    /// use notation::{MmaAtom, Operand};
    /// let c = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap().operand(Operand::C);
    /// assert_eq!(c.cell(5, 1).unwrap().to_string(), "(1,3)");
    /// ```
    pub fn cell(&self, thread: i64, value: i64) -> Option<IntTuple> {
        idx2crd(self.index(thread, value)?, &self.tile).ok()
    }

    /// Returns the owners of every cell by column-major index, in the order of threads within
    /// values, or `None` if there are more than 2^20 cells or (thread, value) pairs. Cells outside
    /// the tile are skipped, and a cell of the padding has no owner.
    ///
    /// ```
    /// use notation::{MmaAtom, Operand, Owner};
    /// let c = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap().operand(Operand::C);
    /// let owners = c.owners().unwrap();
    /// assert_eq!(owners[1 + 16 * 3], [Owner { thread: 5, value: 1 }]); // row 1, column 3
    /// ```
    pub fn owners(&self) -> Option<Vec<Vec<Owner>>> {
        let cells = self
            .tile
            .product()
            .ok()
            .filter(|cells| *cells <= MAX_CELLS)?;
        let (threads, values) = (self.threads(), self.values());
        threads
            .checked_mul(values)
            .filter(|pairs| *pairs <= MAX_CELLS)?;
        let tensor = self.extents.as_ref().map(|_| self.tensor());
        let mut owners = vec![Vec::new(); cells as usize];
        for value in 0..values {
            for thread in 0..threads {
                let index = self.index(thread, value)?;
                if tensor.as_ref().is_some_and(|tensor| !tensor.holds(index)) {
                    continue;
                }
                let cell = usize::try_from(index).ok();
                if let Some(cell) = cell.and_then(|cell| owners.get_mut(cell)) {
                    cell.push(Owner { thread, value });
                }
            }
        }
        Some(owners)
    }

    /// Returns the tile's shape as rows and columns: the size of mode 0, and the size of all other
    /// modes together.
    pub fn rows_columns(&self) -> Option<(i64, i64)> {
        let modes = self.tile.modes();
        let rows = modes.first().map_or(Ok(1), Nested::product).ok()?;
        let mut columns = 1i64;
        for mode in modes.iter().skip(1) {
            columns = columns.checked_mul(mode.product().ok()?)?;
        }
        Some((rows, columns))
    }
}

impl fmt::Display for ThreadValue {
    /// Prints the layout as CuTe does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.layout.fmt(f)
    }
}
