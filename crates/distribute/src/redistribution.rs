//! The data that must move from one distribution of a tensor to another, and the name of that
//! exchange.
//!
//! ```text
//!   digit of the device    block -> replica          all-gather along it
//!                          partial -> block          reduce-scatter          partial -> replica   all-reduce
//!                          replica -> block          local copy              block -> other block all-to-all
//! ```
//!
//! If digits of meshes or blocks do not nest, such as 2 by 3 and 3 by 2, `shared.rs` counts the
//! values of digits one by one.
//!
//! Law: S(d) is the set of elements that device d holds, T(d) the set that it needs. Nothing: S =
//! T, in the same order. Local copy: T is within S. All-gather: T contains S. All-to-all: neither
//! contains the other. Broadcast: one device holds the tensor, and all devices need it. For partial
//! sums: all-reduce if every device of the sum needs the whole sum, reduce-scatter if each device
//! needs a part of it.

use crate::cuts::{Cuts, MOST};
use crate::distribution::Distribution;
use crate::parts::{Parts, Role};
use crate::shared::counted;
use layout_types::check::Text;

/// The exchange between devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// Nothing moves: both distributions are the same function.
    Nothing,
    /// Every device already has the elements that it needs, but at other positions or among other
    /// elements.
    LocalCopy,
    /// Devices of a group receive each other's blocks.
    AllGather,
    /// Each device of a group receives its block of the sum.
    ReduceScatter,
    /// Each device receives elements from other devices, and keeps only some of its own.
    AllToAll,
    /// All devices receive the tensor of one device.
    Broadcast,
    /// Each device of a group receives the whole sum.
    AllReduce,
}

impl Exchange {
    /// Returns the name as it appears in a sentence: `all-gather`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::LocalCopy => "local copy",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::Broadcast => "broadcast",
            Self::AllReduce => "all-reduce",
        }
    }

    const fn same(self, other: Self) -> bool {
        self as u8 == other as u8
    }
}

/// One exchange of a redistribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The exchange.
    pub exchange: Exchange,
    /// The number of devices that exchange with each other.
    pub group: i64,
    /// The largest number of elements that a device receives from others. For a sum, this is the
    /// smallest number with which the sum can be computed, each partial sum of each element counted
    /// once.
    pub received: i64,
}

/// The exchanges that turn one distribution into another, in their order. The exchanges of sums
/// come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redistribution {
    steps: [Step; 3],
    len: usize,
}

impl Redistribution {
    pub(crate) const fn none() -> Self {
        let step = Step {
            exchange: Exchange::Nothing,
            group: 1,
            received: 0,
        };
        Self {
            steps: [step; 3],
            len: 0,
        }
    }

    pub(crate) const fn push(mut self, exchange: Exchange, group: i64, received: i64) -> Self {
        self.steps[self.len] = Step {
            exchange,
            group,
            received,
        };
        self.len += 1;
        self
    }

    /// Returns the exchanges. There is at least one, which may be [`Exchange::Nothing`].
    #[must_use]
    pub const fn steps(&self) -> &[Step] {
        self.steps.split_at(self.len).0
    }

    /// Whether the redistribution is only this exchange.
    #[must_use]
    pub const fn is(&self, exchange: Exchange) -> bool {
        self.len == 1 && self.steps[0].exchange.same(exchange)
    }

    /// Returns the number of elements that a device receives in all steps.
    #[must_use]
    pub const fn received(&self) -> i64 {
        let (mut sum, mut i) = (0, 0);
        while i < self.len {
            sum += self.steps[i].received;
            i += 1;
        }
        sum
    }

    /// Describes the exchanges: `all-gather in groups of 4, each device receives 48 elements`.
    #[must_use]
    pub const fn text(&self) -> Text {
        let mut text = Text::new();
        let mut i = 0;
        while i < self.len {
            let step = self.steps[i];
            if i > 0 {
                text.say(", then ");
            }
            text.say(step.exchange.name());
            if step.group > 1 {
                text.say(" in groups of ").number(step.group);
                text.say(", each device receives ").number(step.received);
                text.say(if step.received == 1 {
                    " element"
                } else {
                    " elements"
                });
            }
            i += 1;
        }
        text
    }
}

macro_rules! ok {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(text) => return Err(text),
        }
    };
}
pub(crate) use ok;

/// A digit of the device's number, with its roles before and after the redistribution.
#[derive(Clone, Copy)]
pub(crate) struct MeshDigit {
    pub radix: i64,
    pub from: Role,
    pub to: Role,
}

impl MeshDigit {
    /// Whether devices that differ only in this digit exchange with each other. Replicas need not
    /// exchange: they hold the same elements.
    pub const fn exchanges(&self) -> bool {
        !matches!(self.from, Role::Replica) && !same_role(self.from, self.to)
    }
}

/// The digits into which both distributions cut the device's number.
#[derive(Clone, Copy)]
pub(crate) struct MeshDigits {
    digits: [MeshDigit; MOST],
    len: usize,
}

impl MeshDigits {
    pub const fn new() -> Self {
        let none = MeshDigit {
            radix: 1,
            from: Role::Replica,
            to: Role::Replica,
        };
        Self {
            digits: [none; MOST],
            len: 0,
        }
    }

    /// Adds a digit. There are at most as many digits as cuts.
    pub const fn push(&mut self, radix: i64, from: Role, to: Role) {
        self.digits[self.len] = MeshDigit { radix, from, to };
        self.len += 1;
    }

    /// Returns the digits. The digit of weight 1 comes first.
    #[cfg(feature = "dynamic")]
    pub fn all(&self) -> &[MeshDigit] {
        &self.digits[..self.len]
    }

    /// Whether some digit of the device's number selects the coordinate's digit at weight `at`,
    /// before (`after` is `false`) or after the redistribution.
    const fn say(&self, at: i64, after: bool) -> bool {
        let mut i = 0;
        while i < self.len {
            let digit = self.digits[i];
            let role = if after { digit.to } else { digit.from };
            if let Role::At(there) = role
                && there == at
            {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Plans the exchanges between two distributions. A device holds `held_before` elements in the
    /// first distribution and `held` elements in the second; `same` says whether the elements
    /// within a device have the same order in both.
    pub const fn plan(
        mut self,
        held_before: i64,
        held: i64,
        same: bool,
    ) -> Result<Redistribution, Text> {
        let mut out = ok!(self.end_sums(held_before));
        let (mut local, mut whole, mut same) = (true, true, same);
        let (mut group, mut shared, mut apart, mut i) = (1i64, held, false, 0);
        while i < self.len {
            let MeshDigit { radix, from, to } = self.digits[i];
            if let Role::At(at) = from
                && !same_role(from, to)
            {
                local = false;
                // The part of the result that this device already has: its own value of the digit,
                // unless another digit selects that digit of the coordinate afterwards.
                if self.say(at, true) {
                    apart = true;
                } else {
                    shared /= radix;
                }
            }
            if let Role::At(_) = to {
                whole = whole && same_role(from, to);
            }
            if self.digits[i].exchanges() {
                group *= radix;
            }
            same = same && same_role(from, to);
            i += 1;
        }
        if !local {
            let exchange = if whole {
                Exchange::AllGather
            } else {
                Exchange::AllToAll
            };
            let received = if apart { held } else { held - shared };
            out = out.push(exchange, group, received);
        } else if out.len == 0 {
            let exchange = if same {
                Exchange::Nothing
            } else {
                Exchange::LocalCopy
            };
            out = out.push(exchange, 1, 0);
        }
        Ok(out)
    }

    /// Returns the steps that complete partial sums. Afterwards, the digits of the sums are
    /// replicas or blocks.
    const fn end_sums(&mut self, held: i64) -> Result<Redistribution, Text> {
        let (mut scattered, mut reduced, mut sliced, mut i) = (1i64, 1i64, 1i64, 0);
        while i < self.len {
            let MeshDigit { radix, from, to } = self.digits[i];
            match (from, to) {
                (Role::Partial, Role::Partial) => {
                    // Each summand moves like a replica.
                    self.digits[i].from = Role::Replica;
                    self.digits[i].to = Role::Replica;
                }
                (Role::Partial, Role::At(at)) if !self.say(at, false) => {
                    scattered *= radix;
                    self.digits[i].from = Role::At(at);
                }
                (Role::Partial, _) => {
                    reduced *= radix;
                    self.digits[i].from = Role::Replica;
                }
                (_, Role::Partial) => {
                    let mut text = Text::new();
                    return Err(*text.say(
                        "a tensor does not become partial sums: the result has them along a mode where the source has none",
                    ));
                }
                // Replicas keep only their own part before any sum is computed.
                (Role::Replica, Role::At(at)) if !self.say(at, false) => sliced *= radix,
                _ => {}
            }
            i += 1;
        }
        let mut out = Redistribution::none();
        let part = held / scattered / sliced;
        if scattered > 1 {
            out = out.push(Exchange::ReduceScatter, scattered, (scattered - 1) * part);
        }
        if reduced > 1 {
            // A reduce-scatter followed by an all-gather moves the fewest elements.
            let share = (part + reduced - 1) / reduced;
            out = out.push(Exchange::AllReduce, reduced, 2 * (reduced - 1) * share);
        }
        Ok(out)
    }
}

/// Returns the digits of both distributions, and the cuts of the tensor's coordinate.
pub(crate) const fn digits(from: &Parts, to: &Parts) -> Result<(MeshDigits, Cuts), Text> {
    let (mut tensor, mut mesh) = (Cuts::new(from.elements), Cuts::new(from.devices));
    ok!(from.cut_tensor(&mut tensor));
    ok!(to.cut_tensor(&mut tensor));
    ok!(from.cut_mesh(&mut mesh));
    ok!(to.cut_mesh(&mut mesh));
    let mut more = true;
    while more {
        more = ok!(from.carry(&mut tensor, &mut mesh));
        more = ok!(to.carry(&mut tensor, &mut mesh)) || more;
    }
    ok!(tensor.nest("blocks"));
    ok!(mesh.nest("meshes"));
    let (mut out, mut i) = (MeshDigits::new(), 1);
    while i < mesh.len() {
        let at = mesh.at(i - 1);
        out.push(mesh.at(i) / at, from.role(at), to.role(at));
        i += 1;
    }
    Ok((out, tensor))
}

/// Derives the exchanges from one distribution to another.
///
/// # Errors
/// Returns the sentence that says why the two are not distributions of one tensor on the same
/// number of devices; one of the two may also have a single device. If meshes or blocks do not
/// nest, such as 2 by 3 and 3 by 2, the values of digits are counted. If there are too many values
/// for a constant, the sentence says which extents do not nest.
///
/// ```
/// use distribute::{Distributed, Exchange, prelude::*, redistribution};
/// type Rows = layout!((4,(16,64)):(16,(1,64)));
/// type All = layout!((4,(64,64)):(0,(1,64)));
/// let Ok(found) = redistribution(&Rows::DISTRIBUTION, &All::DISTRIBUTION) else { unreachable!() };
/// assert_eq!(found.text().as_str(), "all-gather in groups of 4, each device receives 3072 elements");
/// ```
pub const fn redistribution(
    from: &Distribution,
    to: &Distribution,
) -> Result<Redistribution, Text> {
    let (f, t) = (ok!(from.parts()), ok!(to.parts()));
    if f.elements != t.elements {
        return Err(two(
            "the distributions hold ",
            f.elements,
            " and ",
            t.elements,
            " coordinates: they are of different tensors",
        ));
    }
    if f.devices != t.devices {
        return one_device(&f, &t);
    }
    on_one_mesh(&f, &t)
}

/// Derives the exchanges between distributions of one tensor on the same number of devices.
pub(crate) const fn on_one_mesh(f: &Parts, t: &Parts) -> Result<Redistribution, Text> {
    let (digits, tensor) = match digits(f, t) {
        Ok(found) => found,
        Err(why) => return counted(f, t, why),
    };
    let (mut same, mut i) = (true, 0);
    while i + 1 < tensor.len() {
        let at = tensor.at(i);
        if let (Some(one), Some(other)) = (f.slot(at), t.slot(at))
            && one != other
        {
            same = false;
        }
        i += 1;
    }
    digits.plan(f.held, t.held, same)
}

pub(crate) const fn same_role(one: Role, other: Role) -> bool {
    match (one, other) {
        (Role::At(a), Role::At(b)) => a == b,
        (Role::Replica, Role::Replica) | (Role::Partial, Role::Partial) => true,
        _ => false,
    }
}

/// Derives the exchanges from one device to many, or from many to one.
const fn one_device(from: &Parts, to: &Parts) -> Result<Redistribution, Text> {
    let out = Redistribution::none();
    let (mut replicas, mut i) = (true, 0);
    while i < to.modes {
        replicas = replicas && to.mesh[i].at == 0;
        if to.mesh[i].partial {
            return Err(two(
                "from ",
                from.devices,
                " to ",
                to.devices,
                " devices: a tensor does not become partial sums",
            ));
        }
        i += 1;
    }
    i = 0;
    while i < from.modes {
        if from.mesh[i].partial {
            return Err(two(
                "from ",
                from.devices,
                " to ",
                to.devices,
                " devices: end the partial sums first, by a reduce-scatter or an all-reduce",
            ));
        }
        i += 1;
    }
    if from.devices == 1 && replicas {
        Ok(out.push(Exchange::Broadcast, to.devices, to.held))
    } else if from.devices == 1 {
        Ok(out.push(Exchange::AllToAll, to.devices, to.held))
    } else if to.devices == 1 {
        let received = to.held - from.held;
        if received == 0 {
            return Ok(out.push(Exchange::LocalCopy, 1, 0));
        }
        Ok(out.push(Exchange::AllToAll, from.devices, received))
    } else {
        Err(two(
            "the distributions are on ",
            from.devices,
            " and on ",
            to.devices,
            " devices: they have to be on one mesh, or one of them on a single device",
        ))
    }
}

pub(crate) const fn two(one: &str, a: i64, between: &str, b: i64, end: &str) -> Text {
    let mut text = Text::new();
    text.say(one).number(a).say(between).number(b);
    *text.say(end)
}
