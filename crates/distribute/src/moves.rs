//! Counts the elements that move between two distributions, one by one: the definition that the
//! names of exchanges are tested against.
//!
//! ```text
//!   From, To, extents ─► for each (device, element) of To: held already, or received from which device
//! ```
//!
//! Law: an element that the device already holds does not move. For any other element, one copy
//! moves from one device that holds it; for a sum, one summand moves from every device of the
//! group. Among replicas, the sender is the replica whose digits along the modes of replicas equal
//! the receiver's digits. Elements of the padding do not move.

use crate::distribution::Distribution;
use alloc::vec;
use alloc::vec::Vec;
use layout_types::dynamic::DynLayout;

/// A tensor with extents padded so that all devices hold the same number of elements. The padding
/// is predicated, and never moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged {
    /// The extents that the distribution covers.
    pub padded: Vec<i64>,
    /// The extents of the tensor itself.
    pub shape: Vec<i64>,
}

impl Ragged {
    /// Makes a tensor without padding.
    #[must_use]
    pub fn whole(shape: &[i64]) -> Self {
        Self {
            padded: shape.to_vec(),
            shape: shape.to_vec(),
        }
    }

    /// Whether the coordinate with this index lies in the tensor, not in the padding.
    ///
    /// ```
    /// use distribute::Ragged;
    /// let rows = Ragged { padded: vec![12, 2], shape: vec![10, 2] };
    /// assert!(rows.holds(9) && !rows.holds(10) && rows.holds(12));
    /// ```
    #[must_use]
    pub fn holds(&self, coordinate: i64) -> bool {
        let mut rest = coordinate;
        self.padded.iter().zip(&self.shape).all(|(padded, extent)| {
            let here = rest % padded;
            rest /= padded;
            here < *extent
        })
    }
}

/// Counts of the elements that move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// At `[to][from]`, the number of elements, or summands of elements, that device `to` receives
    /// from device `from`.
    pub between: Vec<Vec<i64>>,
    /// For each device, the number of needed elements that it already has.
    pub kept: Vec<i64>,
    /// For each device, the number of kept elements that move to another position within the
    /// device.
    pub displaced: Vec<i64>,
}

/// A distribution by element: the coordinate of each (device, element), and for each device the
/// index of its summand group.
struct Table {
    devices: i64,
    held: i64,
    coordinate: Vec<i64>,
    /// For each device, the digits of its number along modes of sums, at their weights. The entry
    /// is 0 if the mesh has no such mode.
    summand: Vec<i64>,
    /// For each device, the digits of its number along modes of replicas, at their weights.
    replica: Vec<i64>,
}

impl Table {
    fn new(layout: &DynLayout, partial: u32) -> Option<Self> {
        let (mesh, element) = (layout.mode(0)?, layout.mode(1)?);
        let (devices, held) = (mesh.size().ok()?, element.size().ok()?);
        let coordinate = (0..devices * held)
            .map(|i| layout.offset(i).ok())
            .collect::<Option<Vec<_>>>()?;
        let flat = layout_types::dynamic::flatten(&mesh).ok()?;
        let digits = |device: i64, sums: bool| {
            let (mut rest, mut weight, mut digits) = (device, 1, 0);
            for (i, mode) in flat.modes().iter().enumerate() {
                let radix = mode.size().unwrap_or(1);
                let repeats = mode.offset(1.min(radix - 1)).unwrap_or(1) == 0 && radix > 1;
                if repeats && (partial >> i & 1 == 1) == sums {
                    digits += rest % radix * weight;
                }
                (rest, weight) = (rest / radix, weight * radix);
            }
            digits
        };
        Some(Self {
            devices,
            held,
            coordinate,
            summand: (0..devices).map(|device| digits(device, true)).collect(),
            replica: (0..devices).map(|device| digits(device, false)).collect(),
        })
    }
}

impl Moves {
    /// Counts the elements that move from `from` to `to`. Each is given as a layout that maps
    /// (device, element) to the coordinate, and the bits of its modes of partial sums. Returns
    /// `None` if a layout does not have two modes, or if the number of summands differs between the
    /// two and neither number is 1.
    ///
    /// ```
    /// use distribute::{Moves, Ragged};
    /// let block = "(4,2):(2,1)".parse().unwrap();
    /// let all = "(4,8):(0,1)".parse().unwrap();
    /// let moves = Moves::between((&block, 0), (&all, 0), &Ragged::whole(&[8])).unwrap();
    /// assert_eq!(moves.received(0), 6);
    /// assert_eq!(moves.between[0], [0, 2, 2, 2]);
    /// ```
    #[must_use]
    pub fn between(
        (from, from_partial): (&DynLayout, u32),
        (to, to_partial): (&DynLayout, u32),
        tensor: &Ragged,
    ) -> Option<Self> {
        let (f, t) = (Table::new(from, from_partial)?, Table::new(to, to_partial)?);
        let size = tensor.padded.iter().product::<i64>();
        // For each coordinate, the (device, element) pairs that hold it.
        let mut owners = vec![Vec::new(); usize::try_from(size).ok()?];
        for element in 0..f.held {
            for device in 0..f.devices {
                let at = f.coordinate[(element * f.devices + device) as usize];
                owners
                    .get_mut(usize::try_from(at).ok()?)?
                    .push((device, element));
            }
        }
        let (devices, receivers) = (f.devices.max(t.devices) as usize, t.devices as usize);
        let mut out = Self {
            between: vec![vec![0; devices]; receivers],
            kept: vec![0; receivers],
            displaced: vec![0; receivers],
        };
        for element in 0..t.held {
            for device in 0..t.devices {
                let at = t.coordinate[(element * t.devices + device) as usize];
                if !tensor.holds(at) {
                    continue;
                }
                let owners = owners.get(usize::try_from(at).ok()?)?;
                // The summands that the device needs: its own if both sides have summands, else all
                // of them.
                let mut summands: Vec<i64> = owners
                    .iter()
                    .map(|(owner, _)| f.summand[*owner as usize])
                    .collect();
                summands.sort_unstable();
                summands.dedup();
                let own = t.summand[device as usize];
                if t.summand.iter().any(|&summand| summand != 0) {
                    summands.retain(|&summand| summand == own);
                }
                if summands.is_empty() {
                    return None;
                }
                for summand in summands {
                    let with = |owner: &&(i64, i64)| f.summand[owner.0 as usize] == summand;
                    let mine = |owner: &&(i64, i64)| owner.0 == device;
                    if let Some((_, place)) = owners.iter().filter(with).find(mine) {
                        out.kept[device as usize] += 1;
                        out.displaced[device as usize] += i64::from(*place != element);
                        continue;
                    }
                    let near = |owner: &&(i64, i64)| {
                        f.replica.get(device as usize) == Some(&f.replica[owner.0 as usize])
                    };
                    let nearest = owners.iter().filter(with).find(near);
                    if let Some((owner, _)) = nearest.or_else(|| owners.iter().find(with)) {
                        out.between[device as usize][*owner as usize] += 1;
                    }
                }
            }
        }
        Some(out)
    }

    /// Returns the number of elements that a device receives from others.
    #[must_use]
    pub fn received(&self, device: usize) -> i64 {
        self.between[device].iter().sum()
    }

    /// Returns the largest number of elements that any device receives.
    #[must_use]
    pub fn most_received(&self) -> i64 {
        (0..self.between.len())
            .map(|device| self.received(device))
            .max()
            .unwrap_or(0)
    }
}

impl Distribution {
    /// Counts the elements that move from this distribution of a tensor to another. Returns `None`
    /// if one of the two is not a layout of static integers.
    ///
    /// Works as [`Moves::between`], which takes layouts.
    #[must_use]
    pub fn moves_to(&self, to: &Self, tensor: &Ragged) -> Option<Moves> {
        let layout = |d: &Self| d.layout().notation().as_str().parse::<DynLayout>().ok();
        Moves::between(
            (&layout(self)?, self.partial()),
            (&layout(to)?, to.partial()),
            tensor,
        )
    }
}
