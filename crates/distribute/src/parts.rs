//! Splits a distribution's layout into digits: the device selects some digits of a coordinate, and
//! the element the others.
//!
//! ```text
//!   ((2,2),(4,8)):((0,16),(1,32))       mesh       2 replicas at weight 1, 2 blocks at weight 2
//!                                       coordinate 4 elements at 1, 2 devices at 4 .. of the block
//! ```
//!
//! Law: the digits with strides other than 0, in the order of their strides, cover the tensor: each
//! digit starts where the digits before it end. [`assert_covers!`](layout_types::assert_covers)
//! requires the same, but looks at every element; this module looks at the strides.

use crate::cuts::Cuts;
use layout_types::check::{Node, Text, Value, sentence};
use layout_types::dynamic::rules::MAX_MODES;

/// A digit of the tensor's coordinate.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// The digit's weight in the coordinate.
    pub at: i64,
    /// The number of values of the digit.
    pub radix: i64,
    /// Whether the device selects the digit (`true`) or the element.
    pub device: bool,
    /// The digit's weight in the number of the device or of the element that selects it.
    pub weight: i64,
}

/// A mode of the mesh.
#[derive(Clone, Copy)]
pub(crate) struct MeshMode {
    /// The mode's weight in the device's number.
    pub weight: i64,
    /// The number of devices along the mode.
    pub radix: i64,
    /// The mode's weight in the coordinate, or 0 if all devices along the mode hold the same
    /// elements.
    pub at: i64,
    /// Whether the devices along the mode hold partial sums.
    pub partial: bool,
}

/// The role of a digit of the device's number: what the digit selects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The digit of the coordinate at this weight.
    At(i64),
    /// A replica.
    Replica,
    /// A partial sum.
    Partial,
}

/// A distribution split into digits.
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    pub parts: [Part; MAX_MODES],
    pub len: usize,
    pub mesh: [MeshMode; MAX_MODES],
    pub modes: usize,
    /// The number of devices.
    pub devices: i64,
    /// The number of elements that a device holds.
    pub held: i64,
    /// The number of elements of the tensor.
    pub elements: i64,
}

const fn refuse(layout: &Value, why: &str) -> Text {
    let mut text = Text::new();
    text.say("distribution ").text(&layout.notation());
    *text.say(": ").say(why)
}

impl Parts {
    /// Splits a layout into digits; `partial` has one bit for each mode of the mesh.
    pub const fn of(layout: &Value, partial: u32) -> Result<Self, Text> {
        if !matches!(layout.root(), Node::Layout) || layout.rank() != 2 {
            return Err(refuse(
                layout,
                "it has to be a layout of two modes, (device, element)",
            ));
        }
        let (mesh, element) = match (layout.mode(0).flat(), layout.mode(1).flat()) {
            (Ok(mesh), Ok(element)) => (mesh, element),
            (Err(rule), _) | (_, Err(rule)) => {
                return Err(refuse(layout, sentence(&rule).as_str()));
            }
        };
        let none = Part {
            at: 0,
            radix: 1,
            device: false,
            weight: 1,
        };
        let mode = MeshMode {
            weight: 1,
            radix: 1,
            at: 0,
            partial: false,
        };
        let mut out = Self {
            parts: [none; MAX_MODES],
            len: 0,
            mesh: [mode; MAX_MODES],
            modes: 0,
            devices: 1,
            held: 1,
            elements: 1,
        };
        let mut i = 0;
        while i < mesh.len() + element.len() {
            let device = i < mesh.len();
            let (radix, at, basis) = if device {
                (mesh.shape(i), mesh.stride(i), mesh.basis(i))
            } else {
                let k = i - mesh.len();
                (element.shape(k), element.stride(k), element.basis(k))
            };
            if basis != 0 || at < 0 {
                return Err(refuse(layout, "strides have to be numbers from 0 on"));
            }
            let weight = if device { out.devices } else { out.held };
            if radix > 1 && at > 0 {
                out.insert(Part {
                    at,
                    radix,
                    device,
                    weight,
                });
            }
            if radix > 1 && at == 0 && !device {
                return Err(refuse(
                    layout,
                    "an element of a device has two numbers: a stride of mode 1 is 0",
                ));
            }
            if device {
                if radix > 1 {
                    out.mesh[out.modes] = MeshMode {
                        weight,
                        radix,
                        at,
                        partial: at == 0 && partial >> i & 1 == 1,
                    };
                    out.modes += 1;
                }
                out.devices *= radix;
            } else {
                out.held *= radix;
            }
            i += 1;
        }
        i = 0;
        while i < out.len {
            let part = out.parts[i];
            if part.at != out.elements {
                let mut text = refuse(layout, "");
                if part.at < out.elements {
                    text.say("stride ").number(part.at);
                    text.say(" lies inside the ").number(out.elements);
                    text.say(" elements of the smaller strides, so two devices or elements share a coordinate");
                } else {
                    text.say("coordinate ").number(out.elements);
                    text.say(" has no owner: the next stride is ")
                        .number(part.at);
                }
                return Err(text);
            }
            out.elements *= part.radix;
            i += 1;
        }
        Ok(out)
    }

    /// Returns the distribution with the whole tensor on every device.
    pub const fn everywhere(&self) -> Self {
        let mut out = *self;
        out.parts[0] = Part {
            at: 1,
            radix: self.elements,
            device: false,
            weight: 1,
        };
        out.len = (self.elements > 1) as usize;
        out.mesh[0] = MeshMode {
            weight: 1,
            radix: self.devices,
            at: 0,
            partial: false,
        };
        out.modes = (self.devices > 1) as usize;
        out.held = self.elements;
        out
    }

    /// Inserts a part in the order of weights.
    const fn insert(&mut self, part: Part) {
        let mut k = self.len;
        while k > 0 && self.parts[k - 1].at > part.at {
            self.parts[k] = self.parts[k - 1];
            k -= 1;
        }
        self.parts[k] = part;
        self.len += 1;
    }

    /// Cuts the mesh where its modes end.
    pub const fn cut_mesh(&self, mesh: &mut Cuts) -> Result<(), Text> {
        let mut i = 0;
        while i < self.modes {
            let mode = self.mesh[i];
            if let Err(text) = mesh.insert(mode.weight) {
                return Err(text);
            }
            if let Err(text) = mesh.insert(mode.weight * mode.radix) {
                return Err(text);
            }
            i += 1;
        }
        Ok(())
    }

    /// Cuts the tensor where its parts end.
    pub const fn cut_tensor(&self, tensor: &mut Cuts) -> Result<(), Text> {
        let mut i = 0;
        while i < self.len {
            if let Err(text) = tensor.insert(self.parts[i].at) {
                return Err(text);
            }
            i += 1;
        }
        Ok(())
    }

    /// Carries over the cuts inside the devices' parts: adds the tensor's cuts to the mesh, and the
    /// mesh's cuts to the tensor. Returns whether this added a cut.
    ///
    /// # Errors
    /// Returns an error if blocks or meshes do not nest.
    pub const fn carry(&self, tensor: &mut Cuts, mesh: &mut Cuts) -> Result<bool, Text> {
        let (mut new, mut i) = (false, 0);
        while i < self.len {
            let part = self.parts[i];
            i += 1;
            if !part.device {
                continue;
            }
            let (cuts, meshes) = (*tensor, *mesh);
            let mut k = 0;
            while k < cuts.len() {
                let cut = cuts.at(k);
                if cut > part.at && cut < part.at * part.radix {
                    if cut % part.at != 0 {
                        return Err(not_nested("blocks", part.at, cut));
                    }
                    match mesh.insert(part.weight * (cut / part.at)) {
                        Ok(added) => new = new || added,
                        Err(text) => return Err(text),
                    }
                }
                k += 1;
            }
            k = 0;
            while k < meshes.len() {
                let cut = meshes.at(k);
                if cut > part.weight && cut < part.weight * part.radix {
                    if cut % part.weight != 0 {
                        return Err(not_nested("meshes", part.weight, cut));
                    }
                    match tensor.insert(part.at * (cut / part.weight)) {
                        Ok(added) => new = new || added,
                        Err(text) => return Err(text),
                    }
                }
                k += 1;
            }
        }
        Ok(new)
    }

    /// Returns the role of the digit at `weight` in the device's number.
    pub const fn role(&self, weight: i64) -> Role {
        let mut i = 0;
        while i < self.modes {
            let mode = self.mesh[i];
            if mode.weight <= weight && weight < mode.weight * mode.radix {
                return if mode.at > 0 {
                    Role::At(mode.at * (weight / mode.weight))
                } else if mode.partial {
                    Role::Partial
                } else {
                    Role::Replica
                };
            }
            i += 1;
        }
        Role::Replica
    }

    /// Whether no mode of the mesh begins or ends between these weights of the device's number.
    pub const fn unbroken(&self, start: i64, end: i64) -> bool {
        let mut i = 0;
        while i < self.modes {
            let (first, last) = (
                self.mesh[i].weight,
                self.mesh[i].weight * self.mesh[i].radix,
            );
            if (first > start && first < end) || (last > start && last < end) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Returns the weight, in the element's number, of the coordinate's digit at `at`, or `None` if
    /// the device selects that digit.
    pub const fn slot(&self, at: i64) -> Option<i64> {
        let mut i = 0;
        while i < self.len {
            let part = self.parts[i];
            if part.at <= at && at < part.at * part.radix {
                return if part.device {
                    None
                } else {
                    Some(part.weight * (at / part.at))
                };
            }
            i += 1;
        }
        None
    }
}

const fn not_nested(what: &str, one: i64, other: i64) -> Text {
    let mut text = Text::new();
    text.say(what).say(" of ").number(one);
    text.say(" and of ").number(other);
    text.say(" do not nest: ").number(one);
    *text.say(" does not divide ").number(other)
}
