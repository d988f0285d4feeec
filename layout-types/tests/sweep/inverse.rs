//! Compares complement and inverses with brute force.

use super::*;

/// Checks the complement of every set of up to three modes, in targets of many sizes.
///
/// Accepted must mean that CuTe's stated laws hold. Refused must mean that CuTe refuses too (a
/// stride inside the range that smaller strides cover) or that one of the laws fails. `nests` must
/// be equivalent to the statement that layout and complement together hit a full run of offsets
/// once each.
pub fn complement(limits: Limits) -> Report {
    let modes = modes(limits);
    let firsts: Vec<usize> = (0..modes.len()).collect();
    parallel(&firsts, |&i, report| {
        let mut case = |set: &[(i64, i64)]| {
            let layout = flat(set).filter();
            let cosize = layout.cosize().unwrap();
            for target in [1, 7, 16, 96, cosize, 2 * cosize] {
                complement_case(&layout, target, report);
            }
        };
        case(&modes[i..=i]);
        for (k, second) in modes.iter().enumerate().skip(i) {
            case(&[modes[i], *second]);
            modes[k..]
                .iter()
                .for_each(|third| case(&[modes[i], *second, *third]));
        }
    })
}

fn table(flat: &Flat) -> Vec<i64> {
    (0..flat.size().unwrap())
        .map(|i| flat.at(i128::from(i), 0) as i64)
        .collect()
}

fn complement_case(layout: &Flat, target: i64, report: &mut Report) {
    report.cases += 1;
    let verdict = complement_rule(layout, &[target]);
    let Ok(cute) = holes(layout, &[target]) else {
        // CuTe's own assertion refuses a stride below the range that the smaller strides cover.
        if verdict.is_ok() {
            report.disagree(|| {
                format!(
                    "complement {} in {target}: accepted, CuTe rejects",
                    show(layout)
                )
            });
        }
        report.both += 1;
        return;
    };
    let (ours, of) = (table(&cute), table(layout));
    let reached = ours.last().unwrap() + layout.cosize().unwrap();
    let mut sums: Vec<i64> = ours
        .iter()
        .flat_map(|place| of.iter().map(move |offset| place + offset))
        .collect();
    report.points += sums.len() as u64;
    sums.sort_unstable();
    let injective = sums.windows(2).all(|pair| pair[0] != pair[1]);
    let ascending = ours.windows(2).all(|pair| pair[0] < pair[1]);
    let lawful = ascending
        && injective
        && ours.len() as i64 >= target / of.len() as i64
        && reached >= target;
    let full = sums
        .iter()
        .enumerate()
        .all(|(i, offset)| *offset == i as i64);
    if nests(layout).is_ok() != full {
        report.disagree(|| {
            format!(
                "nests {}: {:?}, offsets full: {full}",
                show(layout),
                nests(layout)
            )
        });
    }
    match (&verdict, lawful) {
        (Ok(result), true) if *result == cute => report.accepted += 1,
        (Err(_), false) => report.refused += 1,
        _ => report.disagree(|| {
            format!(
                "complement {} in {target}: {:?}, lawful {lawful}",
                show(layout),
                verdict.map(|r| show(&r))
            )
        }),
    }
}

/// Checks both inverses of every layout of up to three modes in every order, with strides from 0.
pub fn inverses(limits: Limits) -> Report {
    let modes: Vec<(i64, i64)> = (2..=limits.shape)
        .flat_map(|shape| (0..=limits.stride).map(move |stride| (shape, stride)))
        .collect();
    let firsts: Vec<usize> = (0..modes.len()).collect();
    parallel(&firsts, |&i, report| {
        let mut case = |set: &[(i64, i64)]| inverse_case(&flat(set).coalesce(false), report);
        case(&modes[i..=i]);
        for second in &modes {
            case(&[modes[i], *second]);
            modes
                .iter()
                .for_each(|third| case(&[modes[i], *second, *third]));
        }
    })
}

fn inverse_case(layout: &Flat, report: &mut Report) {
    report.cases += 2;
    let at = |flat: &Flat, i: i64| flat.at(i128::from(i), 0) as i64;
    let size = layout.size().unwrap();
    let right = right_inverse(layout).unwrap();
    let run = right.size().unwrap();
    report.points += run as u64;
    // No stride continues the run: the next offset is reached only past the end.
    let longest =
        (0..layout.len()).all(|i| layout.stride(i) != run || right_uses(layout, &right, i));
    if (0..run).all(|i| at(layout, at(&right, i)) == i) && longest {
        report.accepted += 1;
    } else {
        report.disagree(|| format!("right_inverse {} = {}", show(layout), show(&right)));
    }
    let Ok(cute) = left_inverse_as_cute(layout) else {
        report.both += 1;
        return;
    };
    let mut lawful = true;
    for i in 0..size {
        report.points += 1;
        let offset = at(layout, i);
        if at(layout, at(&cute, offset)) != offset {
            lawful = false;
            break;
        }
    }
    match (left_inverse(layout), lawful) {
        (Ok(result), true) if result == cute => report.accepted += 1,
        (Err(Rule::NotQuasiInverse { .. }), false) => report.refused += 1,
        (verdict, _) => report.disagree(|| {
            format!(
                "left_inverse {}: {:?}, lawful {lawful}",
                show(layout),
                verdict.map(|r| show(&r))
            )
        }),
    }
}

/// Whether the inverse steps through mode `i` of the layout.
fn right_uses(layout: &Flat, inverse: &Flat, i: usize) -> bool {
    let first: i64 = (0..i).map(|k| layout.shape(k)).product();
    (0..inverse.len()).any(|k| inverse.stride(k) == first && inverse.shape(k) > 1)
}
