//! Compares composition with brute force.

use super::*;

/// Checks the composition of every pair of layouts.
///
/// The result for a pair depends on:
/// - the left side only through its coalesced form, in which all modes have at least 2 elements,
///   and no rule reads the number of elements of the last mode;
/// - the right side only through the set of its modes with more than one element and a stride other
///   than 0: the other modes add the same to both functions, and CuTe's own check of a mode's
///   stride looks at each mode separately;
/// - the left strides `D` linearly: if `x` are the true digits of an element and `y` are CuTe's,
///   the result is the composition exactly if `D . (x - y) = 0` for every element. The rule reads
///   `D` only where it is 0.
///
/// So for each left shape, each pattern of zero strides and each set of right modes, the difference
/// vectors decide for all `D` at once. Accepted must mean that no difference is left on the nonzero
/// digits. Refused must mean that some difference cannot vanish for any coalesced `D` of the
/// pattern: a single digit, or `s_j` against `-1` in two neighbours. The case that the rule decides
/// point by point depends on `D` itself, and is run with the strides 1 to 4 in every digit.
pub fn composition(limits: Limits) -> Report {
    let mut lefts: Vec<(Vec<i64>, u32)> = vec![(vec![2], 0)];
    for s0 in 2..=limits.shape {
        lefts.extend([0b00, 0b01, 0b10].map(|zeros| (vec![s0, 2], zeros)));
        for s1 in 2..=limits.shape {
            // Neighbouring zeros coalesce.
            lefts.extend([0b000, 0b001, 0b010, 0b100, 0b101].map(|zeros| (vec![s0, s1, 2], zeros)));
        }
    }
    let modes = modes(limits);
    parallel(&lefts, |(shape, zeros), report| {
        let rank = shape.len();
        let strides: Vec<i64> = (0..rank)
            .map(|j| if zeros >> j & 1 == 1 { 0 } else { UNIT[j] })
            .collect();
        let a = flat(&shape.iter().copied().zip(strides).collect::<Vec<_>>());
        // These are the right modes that CuTe accepts by themselves. The rule refuses the other
        // modes too, both by themselves and with further modes.
        let known: Vec<Mode> = modes
            .iter()
            .filter_map(|&mode| Mode::new(&a, mode, report))
            .collect();
        for (i, first) in known.iter().enumerate() {
            check(&a, *zeros, &[first], report);
            for (k, second) in known.iter().enumerate().skip(i) {
                check(&a, *zeros, &[first, second], report);
                for third in &known[k..] {
                    check(&a, *zeros, &[first, second, third], report);
                }
            }
        }
    })
}

/// A mode of the right side, with CuTe's digits for each element.
struct Mode {
    shape: i64,
    stride: i64,
    digits: Vec<i64>,
    uneven: bool,
}

impl Mode {
    fn new(a: &Flat, (shape, stride): (i64, i64), report: &mut Report) -> Option<Self> {
        let Ok(parts) = split_as_cute(a, shape, stride) else {
            report.cases += 1;
            if composition_rule(a, &flat(&[(shape, stride)])).is_ok() {
                report
                    .disagree(|| format!("{} o {shape}:{stride} accepted, CuTe rejects", show(a)));
            }
            report.both += 1;
            return None;
        };
        // With a stride in every digit, the offsets show the digits.
        let all = flat(
            &(0..a.len())
                .map(|j| (a.shape(j), UNIT[j]))
                .collect::<Vec<_>>(),
        );
        let uneven = split(&all, shape, stride).is_err();
        Some(Self {
            shape,
            stride,
            digits: offsets(&all, &parts, shape),
            uneven,
        })
    }
}

fn check(a: &Flat, zeros: u32, right: &[&Mode], report: &mut Report) {
    let b = flat(
        &right
            .iter()
            .map(|mode| (mode.shape, mode.stride))
            .collect::<Vec<_>>(),
    );
    let verdict = composition_rule(a, &b);
    report.cases += 1;
    let shape = |j: usize| a.shape(j);
    let (mut wrong, mut witness) = (false, false);
    let mut at = [0i64; 3];
    loop {
        let (mut index, mut cute) = (0, 0);
        for (mode, c) in right.iter().zip(at) {
            index += c * mode.stride;
            cute += mode.digits[c as usize];
        }
        report.points += 1;
        let cute = digits(cute);
        let mut difference = [0i64; 3];
        let mut rest = index;
        for j in 0..a.len() {
            let digit = if j + 1 == a.len() {
                rest
            } else {
                rest % shape(j)
            };
            rest /= shape(j);
            if zeros >> j & 1 == 0 {
                difference[j] = digit - cute[j];
            }
        }
        if difference != [0; 3] {
            wrong = true;
            let nonzero: Vec<usize> = (0..3).filter(|j| difference[*j] != 0).collect();
            witness |= match nonzero[..] {
                [_] => true,
                [j, k] => k == j + 1 && difference[j] == -difference[k] * shape(j),
                _ => false,
            };
            if witness && verdict.is_err() {
                break;
            }
        }
        // Steps to the next coordinate.
        let mut m = 0;
        while m < right.len() {
            at[m] += 1;
            if at[m] < right[m].shape {
                break;
            }
            at[m] = 0;
            m += 1;
        }
        if m == right.len() {
            break;
        }
    }
    // If the rule decides point by point, its verdict depends on the left strides, so small strides
    // are tried too; otherwise `a`'s own strides are as good as any.
    let by_points =
        right.iter().any(|mode| mode.uneven) && !matches!(verdict, Err(Rule::PrefixProduct { .. }));
    match verdict {
        Ok(()) if !wrong => report.accepted += 1,
        Err(_) if witness => report.refused += 1,
        Err(_) if wrong && by_points => report.refused += 1,
        verdict => {
            report.disagree(|| format!("{} o {}: {verdict:?}, wrong {wrong}", show(a), show(&b)))
        }
    }
    if by_points {
        small_strides(a, &b, report);
    }
}

/// Checks the same pair with every choice of small strides in the nonzero digits, compared by
/// offsets.
fn small_strides(a: &Flat, b: &Flat, report: &mut Report) {
    for choice in 0..64i64 {
        let strides = [1 + choice % 4, 1 + choice / 4 % 4, 1 + choice / 16];
        let modes: Vec<_> = (0..a.len())
            .map(|j| (a.shape(j), if a.stride(j) == 0 { 0 } else { strides[j] }))
            .collect();
        let a = flat(&modes);
        if a.coalesce(true).len() != a.len() {
            continue;
        }
        let parts: Vec<Vec<i64>> = (0..b.len())
            .map(|m| {
                offsets(
                    &a,
                    &split_as_cute(&a, b.shape(m), b.stride(m)).unwrap(),
                    b.shape(m),
                )
            })
            .collect();
        let right = (0..b.size().unwrap()).all(|c| {
            let (mut rest, mut sum) = (c, 0);
            for (m, offsets) in parts.iter().enumerate() {
                sum += offsets[(rest % b.shape(m)) as usize];
                rest /= b.shape(m);
            }
            i128::from(sum) == a.at(b.at(i128::from(c), 0), 0)
        });
        report.cases += 1;
        report.points += b.size().unwrap() as u64;
        match (composition_rule(&a, b), right) {
            (Ok(()), true) => report.accepted += 1,
            (Err(_), false) => report.refused += 1,
            (verdict, _) => report.disagree(|| format!("{} o {}: {verdict:?}", show(&a), show(b))),
        }
    }
}

/// Checks the composition of random pairs that the exhaustive walk leaves out: up to four modes on
/// the left and three on the right, with strides of either sign. Half of the strides are small,
/// where coincidences are likely.
pub fn random(seed: u64, pairs: u64) -> Report {
    let seeds: Vec<u64> = (0..64).map(|i| seed + i).collect();
    parallel(&seeds, |seed, report| {
        // The generator is xorshift, but any sequence would do.
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % n
        };
        for _ in 0..pairs / 64 {
            let small = next(2) == 0;
            let mut layout = |modes: u64, far: u64| {
                let list: Vec<(i64, i64)> = (0..=next(modes))
                    .map(|_| {
                        let stride = next(if small { 8 } else { far }) as i64;
                        (
                            1 + next(8) as i64,
                            if next(3) == 0 { -stride } else { stride },
                        )
                    })
                    .collect();
                flat(&list)
            };
            let (a, b) = (layout(4, 65), layout(3, 65));
            random_case(&a, &b, report);
        }
    })
}

fn random_case(a: &Flat, b: &Flat, report: &mut Report) {
    report.cases += 1;
    let verdict = composition_rule(a, b);
    let coalesced = a.coalesce(true);
    let modes: Option<Vec<Vec<i64>>> = (0..b.len())
        .map(|m| {
            Some(offsets(
                &coalesced,
                &split_as_cute(&coalesced, b.shape(m), b.stride(m)).ok()?,
                b.shape(m),
            ))
        })
        .collect();
    let Some(modes) = modes else {
        if verdict.is_ok() {
            report.disagree(|| format!("{} o {} accepted, CuTe rejects", show(a), show(b)));
        }
        report.both += 1;
        return;
    };
    let right = (0..b.size().unwrap()).all(|c| {
        report.points += 1;
        let (mut rest, mut sum) = (c, 0);
        for (m, offsets) in modes.iter().enumerate() {
            sum += offsets[(rest % b.shape(m)) as usize];
            rest /= b.shape(m);
        }
        // The left side is used as written, not coalesced.
        i128::from(sum) == a.at(b.at(i128::from(c), 0), 0)
    });
    match (verdict, right) {
        (Ok(()), true) => report.accepted += 1,
        (Err(_), false) => report.refused += 1,
        (verdict, right) => {
            report.disagree(|| format!("{} o {}: {verdict:?}, right {right}", show(a), show(b)))
        }
    }
}
