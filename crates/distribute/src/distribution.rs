//! A distribution as a constant value: a layout that maps (device, element) to the coordinate, and
//! the modes of the mesh whose replicas are partial sums.

use crate::parts::Parts;
use layout_types::check::{Text, Value, Verdict};

/// The distribution of a tensor over devices.
///
/// The layout has two modes: the mesh, whose indices are devices, and the elements that a device
/// holds. The layout gives the index of the coordinate, column-major in the tensor's extents. A
/// mode of the mesh with stride 0 has replicas along it, or partial sums if its bit in `partial` is
/// set: the tensor is then the sum over the devices along that mode.
#[derive(Clone, Copy)]
pub struct Distribution {
    layout: Value,
    partial: u32,
}

impl Distribution {
    /// Makes a distribution by this layout. If bit `i` of `partial` is set, partial sums lie along
    /// mode `i` of the mesh, counted through nested modes. Bits of modes with a stride other than 0
    /// have no effect.
    ///
    /// ```
    /// use distribute::{Distribution, prelude::*};
    /// use layout_types::check::Reflect;
    /// const ROWS: Distribution = Distribution::new(<layout!((4,2):(2,1))>::VALUE, 0);
    /// assert_eq!((ROWS.devices(), ROWS.held(), ROWS.elements()), (4, 2, 8));
    /// ```
    #[must_use]
    pub const fn new(layout: Value, partial: u32) -> Self {
        Self { layout, partial }
    }

    /// Makes a distribution from a layout of `layout_types::dynamic`, or returns `None` if the
    /// layout has more nodes than a constant can hold.
    #[cfg(feature = "dynamic")]
    #[must_use]
    pub fn of_layout(layout: &layout_types::dynamic::DynLayout, partial: u32) -> Option<Self> {
        let layout = layout_types::dynamic::AnyLayout::Plain(layout.clone());
        Some(Self::new(Value::of_layout(&layout)?, partial))
    }

    /// Returns the layout, which maps (device, element) to the index of the coordinate.
    #[must_use]
    pub const fn layout(&self) -> &Value {
        &self.layout
    }

    /// Returns the bits of the modes with partial sums.
    #[must_use]
    pub const fn partial(&self) -> u32 {
        self.partial
    }

    pub(crate) const fn parts(&self) -> Result<Parts, Text> {
        Parts::of(&self.layout, self.partial)
    }

    /// Checks that each coordinate of a tensor of `elements` elements is held, by one device or by
    /// replicas.
    ///
    /// # Errors
    /// Returns the sentence that names a coordinate without an owner, strides that overlap, or the
    /// tensor's size.
    pub const fn covers(&self, elements: i64) -> Verdict {
        let parts = match self.parts() {
            Ok(parts) => parts,
            Err(text) => return Err(text),
        };
        if parts.elements == elements {
            return Ok(());
        }
        let mut text = Text::new();
        text.say("distribution ").text(&self.layout.notation());
        text.say(" holds ").number(parts.elements);
        text.say(" coordinates, the tensor has ").number(elements);
        if parts.elements > elements {
            text.say(": pad it, and predicate the rest");
        }
        Err(text)
    }

    /// Returns the number of devices of the mesh, or 0 if the layout is not a distribution.
    #[must_use]
    pub const fn devices(&self) -> i64 {
        match self.parts() {
            Ok(parts) => parts.devices,
            Err(_) => 0,
        }
    }

    /// Returns the number of elements that a device holds, or 0 if the layout is not a
    /// distribution.
    #[must_use]
    pub const fn held(&self) -> i64 {
        match self.parts() {
            Ok(parts) => parts.held,
            Err(_) => 0,
        }
    }

    /// Returns the number of elements of the tensor, or 0 if the layout is not a distribution.
    #[must_use]
    pub const fn elements(&self) -> i64 {
        match self.parts() {
            Ok(parts) => parts.elements,
            Err(_) => 0,
        }
    }

    /// Returns the layout as CuTe prints it, with `partial` before it if there are partial sums.
    #[must_use]
    pub const fn notation(&self) -> Text {
        let mut text = Text::new();
        let partial = match self.parts() {
            Ok(parts) => {
                let (mut any, mut i) = (false, 0);
                while i < parts.modes {
                    any = any || parts.mesh[i].partial;
                    i += 1;
                }
                any
            }
            Err(_) => false,
        };
        if partial {
            text.say("partial ");
        }
        *text.text(&self.layout.notation())
    }
}
