//! Compares divides with brute force.

use super::*;

use layout_types::dynamic::{DynLayout, LayoutError, logical_divide};

/// Checks the divide of every coalesced left by every tiler whose modes do not overlap. CuTe
/// rejects the other tilers, and the sweep of the complement checks that.
///
/// [`UNIT`] makes the left's digits visible. Accepted must mean that the tile is the composition
/// and that every element of the left is in exactly one place. Refused, where CuTe gives a result,
/// must mean that one of the two fails.
pub fn divide(limits: Limits) -> Report {
    let range = || 2..=limits.shape;
    let mut lefts: Vec<Vec<i64>> = range().map(|s| vec![s]).collect();
    lefts.extend(range().flat_map(|s| range().map(move |t| vec![s, t])));
    lefts.extend(
        range().flat_map(|s| range().flat_map(move |t| range().map(move |u| vec![s, t, u]))),
    );
    let modes = modes(limits);
    let mut tilers: Vec<Vec<(i64, i64)>> = Vec::new();
    for (i, first) in modes.iter().enumerate() {
        tilers.push(vec![*first]);
        for (k, second) in modes.iter().enumerate().skip(i) {
            tilers.push(vec![*first, *second]);
            tilers.extend(modes[k..].iter().map(|third| vec![*first, *second, *third]));
        }
    }
    tilers.retain(|tiler| holes(&flat(tiler).filter(), &[1]).is_ok());
    parallel(&lefts, |shape, report| {
        let a = flat(&shape.iter().copied().zip(UNIT).collect::<Vec<_>>());
        tilers
            .iter()
            .for_each(|tiler| divide_case(&a, &flat(tiler), report));
    })
}

fn divide_case(a: &Flat, tile: &Flat, report: &mut Report) {
    report.cases += 1;
    let extents: Vec<i64> = (0..a.len()).map(|j| a.shape(j)).collect();
    let rest = holes(&tile.filter(), &extents).unwrap();
    let all = |b: &Flat| -> Option<Vec<Vec<i64>>> {
        (0..b.len())
            .map(|m| {
                Some(offsets(
                    a,
                    &split_as_cute(a, b.shape(m), b.stride(m)).ok()?,
                    b.shape(m),
                ))
            })
            .collect()
    };
    let result: Result<DynLayout, LayoutError> = logical_divide(&value(a), value(tile));
    let (Some(tile_modes), Some(rest_modes)) = (all(tile), all(&rest)) else {
        if result.is_ok() {
            report.disagree(|| format!("{} / {} accepted, CuTe rejects", show(a), show(tile)));
        }
        report.both += 1;
        return;
    };
    let sums = |modes: &[Vec<i64>]| {
        modes.iter().fold(vec![0], |sums: Vec<i64>, mode| {
            mode.iter()
                .flat_map(|step| sums.iter().map(move |sum| sum + step))
                .collect()
        })
    };
    let tile_offsets = sums(&tile_modes);
    let tile_right = tile_offsets
        .iter()
        .enumerate()
        .all(|(c, offset)| i128::from(*offset) == a.at(tile.at(c as i128, 0), 0));
    let rest_offsets = sums(&rest_modes);
    let mut seen = vec![0u8; a.size().unwrap() as usize];
    let mut padding = Vec::new();
    for offset in rest_offsets
        .iter()
        .flat_map(|rest| tile_offsets.iter().map(move |tile| tile + rest))
    {
        report.points += 1;
        let digits = digits(offset);
        if (0..a.len()).all(|j| digits[j] < a.shape(j)) {
            let index = (0..a.len())
                .rev()
                .fold(0, |index, j| index * a.shape(j) + digits[j]);
            seen[index as usize] += 1;
        } else {
            padding.push(offset);
        }
    }
    padding.sort_unstable();
    let once =
        seen.iter().all(|times| *times == 1) && padding.windows(2).all(|pair| pair[0] != pair[1]);
    match (result.is_ok(), tile_right && once) {
        (true, true) => report.accepted += 1,
        (false, false) => report.refused += 1,
        _ => report.disagree(|| {
            format!(
                "{} / {}: {result:?}, tile {tile_right}, once {once}",
                show(a),
                show(tile)
            )
        }),
    }
}

/// Converts the layout to a value, which is a leaf if the layout has one mode.
fn value(flat: &Flat) -> DynLayout {
    show(flat).parse().unwrap()
}
