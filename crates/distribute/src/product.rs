//! Decides whether devices can multiply the blocks that they hold.
//!
//! ```text
//!   digit of the device   A (M,K)   B (K,N)   C (M,N)
//!   column parallel       replica   a part of N   a part of N
//!   row parallel          a part of K, both alike   partial sums
//!   data parallel         a part of M   replica   a part of M
//!   repeated              replica   replica   replica
//! ```
//!
//! Law: with these roles for each digit of the device's number, the product of the blocks of A and
//! B that a device holds is its block of C, or a summand of that block. Any other combination of
//! roles leaves products that no device can compute, or computes the same summand twice.

use crate::cuts::{Cuts, MOST};
use crate::distribution::Distribution;
use crate::parts::{Parts, Role};
use crate::redistribution::{MeshDigits, Redistribution, ok, on_one_mesh, two};
use layout_types::check::{Text, Verdict};

/// The extents of `C = A B`: A (m,k), B (k,n), C (m,n).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmShape {
    /// The number of rows of A and C.
    pub m: i64,
    /// The number of columns of B and C.
    pub n: i64,
    /// The number of columns of A, which is the number of rows of B.
    pub k: i64,
}

/// The meaning of a digit of the device's number for an operand: it selects a part of the operand's
/// first or second extent, a replica or a partial sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    First(i64),
    Second(i64),
    Replica,
    Partial,
}

const fn says(role: Role, first: i64) -> Says {
    match role {
        Role::At(at) if at < first => Says::First(at),
        Role::At(at) => Says::Second(at / first),
        Role::Replica => Says::Replica,
        Role::Partial => Says::Partial,
    }
}

const fn role(says: Says, first: i64) -> Role {
    match says {
        Says::First(at) => Role::At(at),
        Says::Second(at) => Role::At(at * first),
        Says::Replica => Role::Replica,
        Says::Partial => Role::Partial,
    }
}

/// Returns the meaning that a digit has for C, given its meanings for A and B, or `None` if these
/// do not fit.
const fn result(a: Says, b: Says) -> Option<Says> {
    match (a, b) {
        (Says::First(m), Says::Replica) => Some(Says::First(m)),
        (Says::Replica, Says::Second(n)) => Some(Says::Second(n)),
        (Says::Second(k), Says::First(l)) if k == l => Some(Says::Partial),
        (Says::Replica, Says::Replica) => Some(Says::Replica),
        _ => None,
    }
}

/// Returns the meanings that a digit must have for A and B so that it has the meaning `c` for C.
const fn needed(a: Says, b: Says, c: Says) -> (Says, Says) {
    match (c, a, b) {
        (Says::First(m), ..) => (Says::First(m), Says::Replica),
        (Says::Second(n), ..) => (Says::Replica, Says::Second(n)),
        (Says::Replica, ..) => (Says::Replica, Says::Replica),
        (Says::Partial, Says::Second(k), _) | (Says::Partial, _, Says::First(k)) => {
            (Says::Second(k), Says::First(k))
        }
        (Says::Partial, ..) => (a, b),
    }
}

/// Whether each device can compute its part of `C = A B`.
///
/// # Errors
/// Returns the sentence that names the operand to exchange and the exchange that makes the product
/// fit (the one by which devices receive the fewest elements), or that says what is wrong with a
/// distribution.
pub const fn product(
    a: &Distribution,
    b: &Distribution,
    c: &Distribution,
    shape: GemmShape,
) -> Verdict {
    let GemmShape { m, n, k } = shape;
    let all = [ok!(a.parts()), ok!(b.parts()), ok!(c.parts())];
    let (names, sizes, first) = (["A", "B", "C"], [m * k, k * n, m * n], [m, k, m]);
    let mut i = 0;
    while i < 3 {
        if all[i].elements != sizes[i] {
            let mut text = Text::new();
            text.say("operand ").say(names[i]);
            let wrong = two(
                " holds ",
                all[i].elements,
                " coordinates, its extents have ",
                sizes[i],
                "",
            );
            return Err(*text.text(&wrong));
        }
        if all[i].devices != all[0].devices {
            return Err(two(
                "the operands are on ",
                all[0].devices,
                " and on ",
                all[i].devices,
                " devices: a product needs one mesh",
            ));
        }
        i += 1;
    }
    match one_mesh(&all, first) {
        Ok(mesh) => compare(&all, &mesh, first),
        Err(why) => Err(gathered(&all, first, why)),
    }
}

/// Cuts the mesh wherever a digit of any operand begins.
const fn one_mesh(all: &[Parts; 3], first: [i64; 3]) -> Result<Cuts, Text> {
    let (mut tensors, mut i) = ([Cuts::new(1); 3], 0);
    let mut mesh = Cuts::new(all[0].devices);
    while i < 3 {
        tensors[i] = Cuts::new(all[i].elements);
        ok!(all[i].cut_tensor(&mut tensors[i]));
        ok!(tensors[i].insert(first[i]));
        ok!(all[i].cut_mesh(&mut mesh));
        i += 1;
    }
    let mut more = true;
    while more {
        more = false;
        i = 0;
        while i < 3 {
            more = ok!(all[i].carry(&mut tensors[i], &mut mesh)) || more;
            i += 1;
        }
    }
    i = 0;
    while i < 3 {
        ok!(tensors[i].nest("blocks and extents"));
        i += 1;
    }
    ok!(mesh.nest("meshes"));
    Ok(mesh)
}

/// Returns the message for operands whose meshes or blocks do not nest: `why`, and the operand, A
/// or B, with which the product fits once every device holds all of it.
const fn gathered(all: &[Parts; 3], first: [i64; 3], why: Text) -> Text {
    let mut text = Text::new();
    text.say("the product does not fit ").number(all[0].devices);
    text.say(" devices: ").text(&why);
    let (mut best, mut operand, mut i) = (Redistribution::none(), 2, 0);
    while i < 2 {
        let (mut changed, whole) = (*all, all[i].everywhere());
        changed[i] = whole;
        let fits = match one_mesh(&changed, first) {
            Ok(mesh) => compare(&changed, &mesh, first).is_ok(),
            Err(_) => false,
        };
        if fits
            && let Ok(plan) = on_one_mesh(&all[i], &whole)
            && (operand == 2 || plan.received() < best.received())
        {
            (best, operand) = (plan, i);
        }
        i += 1;
    }
    if operand < 2 {
        text.say("; to fit, redistribute ");
        tell(&mut text, ["A", "B"][operand], &best);
    }
    text
}

/// Checks each digit of the mesh.
const fn compare(all: &[Parts; 3], mesh: &Cuts, first: [i64; 3]) -> Verdict {
    let (mut to_a, mut to_b, mut to_c) = (MeshDigits::new(), MeshDigits::new(), MeshDigits::new());
    let mut held = [all[0].held, all[1].held, all[2].held];
    let (mut fits, mut multiplies, mut possible) = (true, true, true);
    let mut i = 1;
    while i < mesh.len() && i < MOST {
        let (at, radix) = (mesh.at(i - 1), mesh.at(i) / mesh.at(i - 1));
        let (a, b, c) = (
            says(all[0].role(at), first[0]),
            says(all[1].role(at), first[1]),
            says(all[2].role(at), first[2]),
        );
        let product = result(a, b);
        match product {
            Some(product) => fits = fits && same(product, c),
            None => (fits, multiplies) = (false, false),
        }
        let found = match product {
            Some(found) => found,
            None => c,
        };
        to_c.push(radix, role(found, first[2]), role(c, first[2]));
        held[2] = resized(held[2], radix, c, found);
        let (need_a, need_b) = needed(a, b, c);
        possible = possible && result(need_a, need_b).is_some();
        to_a.push(radix, role(a, first[0]), role(need_a, first[0]));
        to_b.push(radix, role(b, first[1]), role(need_b, first[1]));
        held[0] = resized(held[0], radix, a, need_a);
        held[1] = resized(held[1], radix, b, need_b);
        i += 1;
    }
    if fits {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("the product does not fit ")
        .number(all[0].devices)
        .say(" devices: ");
    let of_c = if multiplies {
        to_c.plan(held[2], all[2].held, true)
    } else {
        Err(Text::new())
    };
    let of_a = ok!(to_a.plan(all[0].held, held[0], true));
    let of_b = ok!(to_b.plan(all[1].held, held[1], true));
    if multiplies {
        text.say("what the devices can multiply is not C's distribution; to fit, redistribute ");
    } else {
        text.say("no device holds what it would multiply; to fit, redistribute ");
    }
    let operands = of_a.received() + of_b.received();
    match of_c {
        Ok(plan) if !possible || plan.received() <= operands => {
            tell(&mut text, "C", &plan);
        }
        _ if !possible => {
            return Err(*text.say("A and B along k, alike: C is asked for as partial sums"));
        }
        _ => {
            let a_moves = !of_a.is(crate::Exchange::Nothing);
            if a_moves {
                tell(&mut text, "A", &of_a);
            }
            if !of_b.is(crate::Exchange::Nothing) {
                if a_moves {
                    text.say(", and ");
                }
                tell(&mut text, "B", &of_b);
            }
        }
    }
    Err(text)
}

/// Writes an operand and its exchange: `A by all-gather in groups of 4, ..`.
const fn tell(text: &mut Text, operand: &str, plan: &Redistribution) {
    text.say(operand).say(" by ").text(&plan.text());
}

const fn same(one: Says, other: Says) -> bool {
    match (one, other) {
        (Says::First(a), Says::First(b)) | (Says::Second(a), Says::Second(b)) => a == b,
        (Says::Replica, Says::Replica) | (Says::Partial, Says::Partial) => true,
        _ => false,
    }
}

/// Returns the number of elements that a device holds once a digit means `to` in place of `from`.
const fn resized(held: i64, radix: i64, from: Says, to: Says) -> i64 {
    let held = match from {
        Says::First(_) | Says::Second(_) => held * radix,
        _ => held,
    };
    match to {
        Says::First(_) | Says::Second(_) => held / radix,
        _ => held,
    }
}
