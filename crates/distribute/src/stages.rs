//! The sequence of exchanges from one distribution to another: the elements that each device holds
//! after each exchange, and the devices that take part in it.
//!
//! ```text
//!   partial ((2,3),2):((0,2),1)  ─ all-reduce, devices 01 23 45 ─►  ((2,3),2):((0,2),1)  ─ all-gather, devices 024 135 ─►  (6,6):(0,1)
//! ```
//!
//! Law: the exchanges are those of [`redistribution`], in the same order, with local copies between
//! them. Devices exchange only within their group, and the elements that a device needs lie within
//! its group before the exchange.

use crate::cuts::Cuts;
use crate::distribution::Distribution;
use crate::parts::{Parts, Role};
use crate::redistribution::{Exchange, MeshDigit, MeshDigits, Step, digits, redistribution};
use crate::shared::{apart, mesh_digits, without_sums};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use layout_types::check::Text;
use layout_types::dynamic::DynLayout;

/// An exchange, and the distribution after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The exchange.
    pub exchange: Exchange,
    /// For each device, the number of the group in which it exchanges: the number of the group's
    /// first device.
    pub group: Vec<i64>,
    /// Maps (device, element) to the coordinate after the exchange.
    pub after: DynLayout,
}

/// Derives the exchanges from one distribution to another, and the distribution after each. The
/// distribution after the last exchange is `to`.
///
/// # Errors
/// Returns the errors of [`redistribution`].
///
/// ```
/// use distribute::{Distributed, Exchange, prelude::*, stages};
/// // Sums over the first axis of a mesh of 2 by 3, blocks along the second.
/// type From = PartialIn<layout!(((2,3),2):((0,2),1)), 1>;
/// let Ok(way) = stages(&From::DISTRIBUTION, &<layout!((6,6):(0,1))>::DISTRIBUTION) else { unreachable!() };
/// assert_eq!((way[0].exchange, &way[0].group[..]), (Exchange::AllReduce, &[0, 0, 2, 2, 4, 4][..]));
/// assert_eq!((way[1].exchange, &way[1].group[..]), (Exchange::AllGather, &[0, 1, 0, 1, 0, 1][..]));
/// ```
pub fn stages(from: &Distribution, to: &Distribution) -> Result<Vec<Stage>, Text> {
    let found = redistribution(from, to)?;
    let (f, t) = (from.parts()?, to.parts()?);
    let layout = |of: &Distribution| parsed(of.layout().notation().as_str());
    let (before, after) = (layout(from)?, layout(to)?);
    if f.devices != t.devices {
        return Ok(vec![Stage {
            exchange: found.steps()[0].exchange,
            group: vec![0; f.devices.max(t.devices) as usize],
            after,
        }]);
    }
    match digits(&f, &t) {
        Ok((digits, tensor)) => nested(found.steps(), digits, &tensor, (before, after)),
        Err(_) => crossed(found.steps(), (&f, &t), (before, after)),
    }
}

fn parsed(text: &str) -> Result<DynLayout, Text> {
    text.parse().map_err(|_| {
        let mut why = Text::new();
        *why.say(text).say(" is no layout of numbers")
    })
}

/// Adds the last stage: the exchange that remains once sums are complete. If only the order of the
/// elements differs, no stage is added, and the sums are written in the order of `to`.
fn finish(
    stages: &mut Vec<Stage>,
    steps: &[Step],
    group: Vec<i64>,
    at: &DynLayout,
    after: DynLayout,
) {
    let sums = |exchange| matches!(exchange, Exchange::ReduceScatter | Exchange::AllReduce);
    let mut exchange = steps[steps.len() - 1].exchange;
    if sums(exchange) {
        exchange = Exchange::LocalCopy;
        if at.size() == after.size()
            && let Some(last) = stages.last_mut()
        {
            last.after = after;
            return;
        }
    }
    stages.push(Stage {
        exchange,
        group,
        after,
    });
}

/// Derives the stages if digits do not nest: first the exchanges of sums, if there are any, then
/// the others.
fn crossed(
    steps: &[Step],
    (f, t): (&Parts, &Parts),
    (before, after): (DynLayout, DynLayout),
) -> Result<Vec<Stage>, Text> {
    let mut out = Vec::new();
    if let Exchange::AllReduce | Exchange::ReduceScatter = steps[0].exchange {
        let group = (0..f.devices)
            .map(|device| without_sums(f, device))
            .collect();
        let scatters = steps[0].exchange == Exchange::ReduceScatter;
        out.push(Stage {
            exchange: steps[0].exchange,
            group,
            after: if scatters {
                after.clone()
            } else {
                before.clone()
            },
        });
        if scatters {
            return Ok(out);
        }
    }
    let own_digits = mesh_digits(f, t)?;
    let own = |device: i64| {
        (1..own_digits.len())
            .filter(|&i| apart(f, t, own_digits.at(i - 1), own_digits.at(i)))
            .map(|i| {
                let (start, end) = (own_digits.at(i - 1), own_digits.at(i));
                device / start % (end / start) * start
            })
            .sum()
    };
    finish(
        &mut out,
        steps,
        (0..f.devices).map(own).collect(),
        &before,
        after,
    );
    Ok(out)
}

/// Derives the stages if digits nest: replicas keep their parts, sums are completed, then the other
/// exchanges follow.
fn nested(
    steps: &[Step],
    digits: MeshDigits,
    tensor: &Cuts,
    (before, after): (DynLayout, DynLayout),
) -> Result<Vec<Stage>, Text> {
    let mut now: Vec<MeshDigit> = digits.all().to_vec();
    let (mut out, mut at) = (Vec::new(), before);
    let said: Vec<Role> = now.iter().map(|digit| digit.from).collect();
    let new = |role: Role| matches!(role, Role::At(_)) && !said.contains(&role);
    let ends = |digit: &MeshDigit| digit.from == Role::Partial && digit.to != Role::Partial;
    if now.iter().any(ends) {
        let kept = |digit: &MeshDigit| digit.from == Role::Replica && new(digit.to);
        let scattered = |digit: &MeshDigit| ends(digit) && new(digit.to);
        let reduced = |digit: &MeshDigit| ends(digit) && !new(digit.to);
        type Which<'a> = &'a dyn Fn(&MeshDigit) -> bool;
        let all: [(Which<'_>, Exchange); 3] = [
            (&kept, Exchange::LocalCopy),
            (&scattered, Exchange::ReduceScatter),
            (&reduced, Exchange::AllReduce),
        ];
        for (changes, exchange) in all {
            let changed: Vec<bool> = now.iter().map(changes).collect();
            if !changed.contains(&true) {
                continue;
            }
            let group = grouped(&now, &changed);
            for (digit, _) in now
                .iter_mut()
                .zip(&changed)
                .filter(|(_, changes)| **changes)
            {
                digit.from = match exchange {
                    Exchange::AllReduce => Role::Replica,
                    _ => digit.to,
                };
            }
            at = written(&now, tensor)?;
            out.push(Stage {
                exchange,
                group,
                after: at.clone(),
            });
        }
    }
    let changed: Vec<bool> = now.iter().map(|digit| digit.exchanges()).collect();
    finish(&mut out, steps, grouped(&now, &changed), &at, after);
    Ok(out)
}

/// Returns, for each device, its number without the digits that change.
fn grouped(digits: &[MeshDigit], changed: &[bool]) -> Vec<i64> {
    let devices: i64 = digits.iter().map(|digit| digit.radix).product();
    (0..devices)
        .map(|device| {
            let (mut rest, mut weight, mut group) = (device, 1, 0);
            for (digit, changed) in digits.iter().zip(changed) {
                if !changed {
                    group += rest % digit.radix * weight;
                }
                (rest, weight) = (rest / digit.radix, weight * digit.radix);
            }
            group
        })
        .collect()
}

/// Returns the layout of the distribution in which the digits have the roles `from`, with the
/// elements in the order of the coordinate.
fn written(digits: &[MeshDigit], tensor: &Cuts) -> Result<DynLayout, Text> {
    let stride = |digit: &MeshDigit| match digit.from {
        Role::At(at) => at,
        Role::Replica | Role::Partial => 0,
    };
    let mesh: Vec<(i64, i64)> = digits
        .iter()
        .map(|digit| (digit.radix, stride(digit)))
        .collect();
    let elements: Vec<(i64, i64)> = (1..tensor.len())
        .map(|i| (tensor.at(i) / tensor.at(i - 1), tensor.at(i - 1)))
        .filter(|(_, at)| mesh.iter().all(|(_, said)| said != at))
        .collect();
    let mode = |modes: &[(i64, i64)], part: fn(&(i64, i64)) -> i64, none: i64| {
        let numbers: Vec<String> = modes.iter().map(|mode| part(mode).to_string()).collect();
        match numbers.is_empty() {
            true => none.to_string(),
            false => format!("({})", numbers.join(",")),
        }
    };
    parsed(&format!(
        "({},{}):({},{})",
        mode(&mesh, |mode| mode.0, 1),
        mode(&elements, |mode| mode.0, 1),
        mode(&mesh, |mode| mode.1, 0),
        mode(&elements, |mode| mode.1, 0),
    ))
}
