//! Compares the name of the exchange with brute force over every element, for random distributions
//! on meshes of 2 to 8 devices.

use distribute::{Distribution, Exchange, Moves, Ragged, Stage, redistribution, stages};
use layout_types::check::covers_by;
use layout_types::dynamic::DynLayout;
use std::collections::BTreeSet;

mod chance;
#[path = "../../../tests/common/sample.rs"]
mod sample;

use chance::{Chance, along, digits, primes};
use sample::count;

fn holds(layout: &DynLayout, device: i64, devices: i64) -> Vec<i64> {
    let size = layout.size().unwrap();
    (device..size)
        .step_by(devices as usize)
        .map(|i| layout.offset(i).unwrap())
        .collect()
}

/// Returns the exchange by its definition.
fn by_definition(from: &DynLayout, to: &DynLayout, devices: i64) -> Exchange {
    let (mut local, mut whole, mut same) = (true, true, true);
    for device in 0..devices {
        let (s, t) = (holds(from, device, devices), holds(to, device, devices));
        same &= s == t;
        let (s, t) = (BTreeSet::from_iter(s), BTreeSet::from_iter(t));
        local &= t.is_subset(&s);
        whole &= s.is_subset(&t);
    }
    match (same, local, whole) {
        (true, ..) => Exchange::Nothing,
        (_, true, _) => Exchange::LocalCopy,
        (_, _, true) => Exchange::AllGather,
        _ => Exchange::AllToAll,
    }
}

fn value(layout: &DynLayout, partial: u32) -> Distribution {
    Distribution::of_layout(layout, partial).unwrap()
}

/// Checks that the redistribution between two distributions of `size` elements has the name of its
/// definition, and counts the elements that move. Returns the name.
fn named(from: &DynLayout, to: &DynLayout, (devices, size): (i64, i64)) -> Exchange {
    let found = redistribution(&value(from, 0), &value(to, 0))
        .unwrap_or_else(|text| panic!("{from} to {to}: {}", text.as_str()));
    let expected = by_definition(from, to, devices);
    assert!(
        found.is(expected),
        "{from} to {to}: {} and not {}",
        found.text().as_str(),
        expected.name()
    );
    let moves = Moves::between((from, 0), (to, 0), &Ragged::whole(&[size])).unwrap();
    assert_eq!(found.received(), moves.most_received(), "{from} to {to}");
    expected
}

#[test]
fn every_name_is_what_the_elements_say() {
    let mut random = Chance(1);
    let mut seen = [0; 7];
    for _ in 0..count("by chance", 4, 4000) {
        let devices = 2 + random.below(7) as i64;
        let mut radices = primes(devices);
        for _ in 0..1 + random.below(4) {
            radices.push([2, 2, 3, 5][random.below(4)]);
        }
        random.shuffle(&mut radices);
        let tensor = digits(&radices);
        let size: i64 = radices.iter().product();
        let (from, _) = along(&tensor, primes(devices), false, &mut random);
        let (to, _) = along(&tensor, primes(devices), false, &mut random);
        let expected = named(&from, &to, (devices, size));
        seen[expected as usize] += 1;
    }
    for exchange in [
        Exchange::Nothing,
        Exchange::LocalCopy,
        Exchange::AllGather,
        Exchange::AllToAll,
    ] {
        assert!(
            seen[exchange as usize] >= 20,
            "{}: {seen:?}",
            exchange.name()
        );
    }
}

/// Checks that every summand of every element is added once, and nothing else.
#[test]
fn sums_end_by_the_named_exchanges() {
    let mut random = Chance(2);
    let mut seen = [0; 7];
    for _ in 0..count("by chance", 4, 4000) {
        let devices = 2 + random.below(7) as i64;
        let mut radices = primes(devices);
        radices.extend([2, 3]);
        random.shuffle(&mut radices);
        let tensor = digits(&radices);
        let size: i64 = radices.iter().product();
        let (from, partial) = along(&tensor, primes(devices), true, &mut random);
        let (to, _) = along(&tensor, primes(devices), false, &mut random);
        if partial == 0 {
            continue;
        }
        let found = redistribution(&value(&from, partial), &value(&to, 0))
            .unwrap_or_else(|text| panic!("{from} to {to}: {}", text.as_str()));
        let first = found.steps()[0];
        let moves = Moves::between((&from, partial), (&to, 0), &Ragged::whole(&[size])).unwrap();
        assert!(matches!(
            first.exchange,
            Exchange::AllReduce | Exchange::ReduceScatter
        ));
        if found.is(Exchange::ReduceScatter) {
            // Each device has a part of the elements for which it had a summand, and receives the
            // other summands of this part.
            assert_eq!(
                first.received,
                moves.most_received(),
                "{from} {partial:b} to {to}"
            );
            let held = (from.size().unwrap() / devices, to.size().unwrap() / devices);
            assert_eq!(held.0 % (held.1 * first.group), 0);
        } else if found.is(Exchange::AllReduce) {
            for device in 0..devices {
                let (s, t) = (holds(&from, device, devices), holds(&to, device, devices));
                assert!(
                    BTreeSet::from_iter(t).is_subset(&BTreeSet::from_iter(s)),
                    "{from} to {to}"
                );
            }
        }
        for step in found.steps() {
            seen[step.exchange as usize] += 1;
        }
    }
    assert!(
        seen[Exchange::ReduceScatter as usize] >= 100 && seen[Exchange::AllReduce as usize] >= 100,
        "{seen:?}"
    );
}

/// Checks meshes in any order, 2 by 3 and 3 by 2 among them, and tensors cut in any order: blocks
/// of 2 and blocks of 3 do not nest.
#[test]
fn what_does_not_nest_is_what_the_elements_say_too() {
    let mut random = Chance(3);
    let (mut seen, mut crossed) = ([0; 7], 0);
    let cases = count("by chance", 4, 4000);
    for _ in 0..cases {
        let devices = 2 + random.below(11) as i64;
        let mut radices = primes(devices);
        for _ in 0..1 + random.below(3) {
            radices.push([2, 3, 5][random.below(3)]);
        }
        let size: i64 = radices.iter().product();
        let [from, to] = [(); 2].map(|()| {
            random.shuffle(&mut radices);
            let mut mesh = primes(devices);
            random.shuffle(&mut mesh);
            along(&digits(&radices), mesh, false, &mut random).0
        });
        let expected = named(&from, &to, (devices, size));
        seen[expected as usize] += 1;
        crossed += usize::from(devices == 6 && expected == Exchange::AllToAll);
    }
    for exchange in [
        Exchange::Nothing,
        Exchange::LocalCopy,
        Exchange::AllGather,
        Exchange::AllToAll,
    ] {
        assert!(seen[exchange as usize] >= 20, "{exchange:?}: {seen:?}");
    }
    assert!(crossed >= cases / 40, "{crossed}");
}

/// Checks that sums along a mode of a mesh that does not nest with the other mesh are added on the
/// same devices first, then moved.
#[test]
fn sums_of_meshes_that_do_not_nest_are_added_first() {
    // There are 2 summands of 3 blocks, then the same number of blocks on 3 by 2 devices, or blocks
    // of 1.
    let from: DynLayout = "((2,3),2):((0,2),1)".parse().unwrap();
    for (to, expected) in [
        (
            "((3,2),2):((2,0),1)",
            "all-reduce in groups of 2, each device receives 2 elements, then all-to-all in groups of 6, each device receives 2 elements",
        ),
        (
            "((3,2),1):((1,3),0)",
            "reduce-scatter in groups of 2, each device receives 1 element",
        ),
    ] {
        let found = redistribution(&value(&from, 1), &value(&to.parse().unwrap(), 0));
        let found = found.unwrap_or_else(|text| panic!("{}", text.as_str()));
        assert_eq!(found.text().as_str(), expected, "{to}");
    }
}

/// Checks, in each group of the stage, that the elements that each device holds before and after
/// fit the exchange.
fn stage_is_right(stage: &Stage, from: &DynLayout, devices: i64) {
    let set = |layout: &DynLayout, device| BTreeSet::from_iter(holds(layout, device, devices));
    let group = |device: i64| {
        (0..devices)
            .filter(move |&other| stage.group[other as usize] == stage.group[device as usize])
    };
    for device in 0..devices {
        let (s, t) = (set(from, device), set(&stage.after, device));
        let others: Vec<_> = group(device).filter(|&other| other != device).collect();
        let right = match stage.exchange {
            Exchange::Nothing => {
                holds(from, device, devices) == holds(&stage.after, device, devices)
            }
            Exchange::LocalCopy => t.is_subset(&s),
            Exchange::AllGather => s.is_subset(&t),
            Exchange::AllToAll | Exchange::Broadcast => true,
            Exchange::AllReduce => {
                let order = holds(&stage.after, device, devices);
                t.is_subset(&s)
                    && others
                        .iter()
                        .all(|&other| holds(&stage.after, other, devices) == order)
            }
            Exchange::ReduceScatter => {
                t.is_subset(&s)
                    && others.iter().all(|&other| set(from, other) == s)
                    && others
                        .iter()
                        .all(|&other| set(&stage.after, other).is_disjoint(&t))
            }
        };
        let there: BTreeSet<i64> = group(device)
            .flat_map(|other| holds(from, other, devices))
            .collect();
        assert!(
            right && t.is_subset(&there),
            "{} of {device} in {:?}, {from} to {}",
            stage.exchange.name(),
            stage.group,
            stage.after
        );
    }
}

#[test]
fn every_stage_is_what_its_exchange_says() {
    let mut random = Chance(5);
    let mut longest = 0;
    for i in 0..count("by chance", 4, 2000) {
        let devices = 2 + random.below(7) as i64;
        let mut radices = primes(devices);
        radices.extend([2, 3, 2].iter().take(random.below(4)));
        let sides = [0, 1].map(|side| {
            if side == 0 || i % 2 == 1 {
                random.shuffle(&mut radices);
            }
            let mut mesh = primes(devices);
            if i % 2 == 1 {
                random.shuffle(&mut mesh);
            }
            along(&digits(&radices), mesh, side == 0, &mut random)
        });
        let [(from, partial), (to, _)] = sides;
        let (before, after) = (value(&from, partial), value(&to, 0));
        let (Ok(found), Ok(way)) = (redistribution(&before, &after), stages(&before, &after))
        else {
            panic!("{from} {partial:b} to {to}");
        };
        let mut at = &from;
        for stage in &way {
            stage_is_right(stage, at, devices);
            at = &stage.after;
        }
        for device in 0..devices {
            assert_eq!(
                holds(at, device, devices),
                holds(&to, device, devices),
                "{from} to {to}"
            );
        }
        // The exchanges are those of the redistribution, in their order and in groups of their
        // size.
        let moving = |exchange| !matches!(exchange, Exchange::Nothing | Exchange::LocalCopy);
        let named = found.steps().iter().filter(|step| moving(step.exchange));
        let named: Vec<_> = named.map(|step| (step.exchange, step.group)).collect();
        let size = |stage: &Stage| {
            let mut sizes: Vec<_> = stage
                .group
                .iter()
                .map(|group| stage.group.iter().filter(|other| *other == group).count())
                .collect();
            sizes.dedup();
            assert_eq!(sizes.len(), 1, "{:?}", stage.group);
            sizes[0] as i64
        };
        let carried: Vec<_> = way
            .iter()
            .filter(|stage| moving(stage.exchange))
            .map(|stage| (stage.exchange, size(stage)))
            .collect();
        assert_eq!(carried, named, "{from} {partial:b} to {to}");
        longest = longest.max(way.len());
    }
    assert!(longest >= 3, "{longest}");
}

/// Checks that a constant counts as many values as the compiler allows; for more values the message
/// says what does not nest.
#[test]
fn too_many_values_are_refused() {
    let from: DynLayout = "((1024,729),1):((1,1024),0)".parse().unwrap();
    let to: DynLayout = "((729,1024),1):((1,729),0)".parse().unwrap();
    let found = redistribution(&value(&from, 0), &value(&to, 0));
    let text = found.err().map(|text| text.as_str().to_string());
    assert_eq!(
        text.as_deref(),
        Some("blocks of 729 and of 1024 do not nest: 729 does not divide 1024")
    );
}

/// Checks that the decision by strides agrees with a check of every element.
#[test]
fn covers_as_assert_covers_does() {
    let mut random = Chance(4);
    let (mut right, mut wrong) = (0, 0);
    let cases = count("by chance", 4, 4000);
    for _ in 0..cases {
        let mode = |random: &mut Chance| {
            let shape = [1, 2, 3, 4][random.below(4)];
            (shape, [0, 1, 2, 3, 4, 6, 8, 12][random.below(8)])
        };
        let [a, b, c] = [(); 3].map(|()| mode(&mut random));
        let text = format!("(({},{}),{}):(({},{}),{})", a.0, b.0, c.0, a.1, b.1, c.1);
        let layout: DynLayout = text.parse().unwrap();
        let d = value(&layout, 0);
        let cosize = layout.cosize().unwrap();
        let shape = layout_types::check::Value::of(layout_types::check::Node::Int(cosize));
        let cells = layout_types::check::cells(&shape);
        if cells > 64 {
            continue;
        }
        macro_rules! by_looking {
            ($($cells:literal)*) => {
                match cells { $($cells => Some(covers_by::<$cells>(d.layout(), &shape, true).is_ok()),)* _ => None }
            };
        }
        let by_looking = by_looking!(1 2 3 4 6 8 9 12 16 18 24 32 36 48 64);
        let mut owners = vec![BTreeSet::new(); cells];
        let devices = i64::from(a.0) * i64::from(b.0);
        for i in 0..layout.size().unwrap() {
            let replica = |mode: (i32, i32), digit: i64| if mode.1 == 0 { 0 } else { digit };
            let device = i % devices;
            let (x, y) = (device % i64::from(a.0), device / i64::from(a.0));
            owners[layout.offset(i).unwrap() as usize].insert((
                replica(a, x),
                replica(b, y),
                i / devices,
            ));
        }
        let expected = owners.iter().all(|owners| owners.len() == 1);
        // `covers_by` takes a whole thread as a reader, so the comparison needs a mesh without
        // repeated modes.
        if a.1 != 0
            && b.1 != 0
            && let Some(by_looking) = by_looking
        {
            assert_eq!(by_looking, expected, "{text}");
        }
        assert_eq!(
            d.covers(cosize).is_ok(),
            expected,
            "{text}: {:?}",
            d.covers(cosize).map_err(|t| t.as_str().to_string())
        );
        if expected { right += 1 } else { wrong += 1 }
    }
    assert!(right > cases / 20 && wrong > cases / 20, "{right} {wrong}");
}

/// Checks rows along the first axis of a mesh of 2 by 3: each device receives from its neighbour
/// along that axis, which is the same replica.
#[test]
fn replicas_do_not_all_come_from_the_first() {
    let rows: DynLayout = "((2,3),(2,6)):((2,0),(1,4))".parse().unwrap();
    let columns: DynLayout = "((2,3),(4,2)):((0,8),(1,4))".parse().unwrap();
    let moves = Moves::between((&rows, 0), (&columns, 0), &Ragged::whole(&[24])).unwrap();
    for (to, from) in [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)] {
        assert_eq!(
            (moves.between[to][from], moves.received(to)),
            (4, 4),
            "{to}"
        );
    }
}

/// Checks 10 rows on 4 devices: three rows each, except for the last device. The two rows of
/// padding never move.
#[test]
fn a_ragged_rest_does_not_move() {
    let tensor = Ragged {
        padded: vec![12, 4],
        shape: vec![10, 4],
    };
    let rows: DynLayout = "(4,(3,4)):(3,(1,12))".parse().unwrap();
    let all: DynLayout = "(4,(12,4)):(0,(1,12))".parse().unwrap();
    let moves = Moves::between((&rows, 0), (&all, 0), &tensor).unwrap();
    assert_eq!(moves.between[0], [0, 12, 12, 4]);
    assert_eq!(moves.kept, [12, 12, 12, 4]);
    let planted = Moves::between((&rows, 0), (&all, 0), &Ragged::whole(&[12, 4])).unwrap();
    assert_eq!(planted.between[0], [0, 12, 12, 12]);
}
