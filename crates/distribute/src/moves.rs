//! What moves between two distributions, element by element: the definition that the names are held
//! to.
//!
//! ```text
//!   From, To, extents ─► for each (device, element) of To: have it, or receive it from which device
//! ```
//!
//! Law: of an element that the device has nothing moves; of any other, one copy from one device
//! that has it, and of a sum one summand from every device of the group; of replicas, from the one
//! whose digits along their modes are the receiver's. Elements of the padding do not move.

use crate::distribution::Distribution;
use alloc::vec;
use alloc::vec::Vec;
use layout_types::dynamic::DynLayout;

/// A tensor whose extents are padded so that devices hold equally much: the padding is predicated,
/// and never moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged {
    /// The extents that the distribution covers.
    pub padded: Vec<i64>,
    /// The tensor's.
    pub shape: Vec<i64>,
}

impl Ragged {
    /// A tensor without padding.
    #[must_use]
    pub fn whole(shape: &[i64]) -> Self {
        Self {
            padded: shape.to_vec(),
            shape: shape.to_vec(),
        }
    }

    /// Whether the coordinate of this number is the tensor's.
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

/// What moves: counts of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// `[to][from]`: elements, or summands of them, that a device receives from another.
    pub between: Vec<Vec<i64>>,
    /// Elements that a device has already, by device.
    pub kept: Vec<i64>,
    /// Of those that it keeps, how many are in another place.
    pub displaced: Vec<i64>,
}

/// A distribution by element: which coordinate each (device, element) is, and the number of a
/// device's summand group.
struct Table {
    devices: i64,
    held: i64,
    coordinate: Vec<i64>,
    /// For each device, the device's number without its digits along modes of sums, and whether
    /// there are any.
    summand: Vec<i64>,
    /// The same of modes of replicas.
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
    /// Counts what moves from `from` to `to`, each a layout (device, element) to coordinate with
    /// the bits of its modes of partial sums; none where a layout has not two modes, or the number
    /// of summands differs on both sides and neither is 1.
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
        // By coordinate: the (device, element) that hold it.
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
                // Each summand that the device needs: its own where both sides have summands, else
                // all.
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

    /// Elements that a device receives from others.
    #[must_use]
    pub fn received(&self, device: usize) -> i64 {
        self.between[device].iter().sum()
    }

    /// The most that any device receives.
    #[must_use]
    pub fn most_received(&self) -> i64 {
        (0..self.between.len())
            .map(|device| self.received(device))
            .max()
            .unwrap_or(0)
    }
}

impl Distribution {
    /// What moves from this distribution of a tensor to another; none where one of them has no such
    /// layout of values.
    ///
    /// As [`Moves::between`], which takes layouts.
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
