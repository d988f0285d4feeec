//! Divides attention with `mm_prefix_ranges` into runs with one window each. The queries of a
//! range, such as the tokens of an image in a prompt, see all keys of the range.
//!
//! ```text
//!   range 2..5 of a causal sequence      a query's keys           runs: queries by one window of the same keys
//!     0  x                                0..1   diagonal          0..2   keys 0..2, causal
//!     1  x x                              0..2
//!     2  x x x x x                        0..5   one end            2..5   keys 0..5, all
//!     3  x x x x x                        0..5
//!     4  x x x x x                        0..5
//!     5  x x x x x x                      0..6   diagonal          5..6   keys 0..6, causal
//! ```
//!
//! Law: a query sees the keys of its window and of the ranges that contain its position. The window
//! and these ranges all contain the query's position, so their union is one interval. A run is
//! attention with a window: its queries see the keys from the start of its first query's interval
//! to the end of its last query's interval.

/// The queries of one sequence that a single launch computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first query of the run, and the first query after it.
    pub queries: [usize; 2],
    /// The first key of the run, and the first key after it.
    pub keys: [usize; 2],
    /// The number of keys that a query sees before its position, or `None` for all. The last query
    /// has the position of the last key, and the positions of the other queries precede it without
    /// gaps.
    pub before: Option<usize>,
    /// The number of keys that a query sees after its position, or `None` for all.
    pub after: Option<usize>,
}

/// Returns the start and the end of the interval of keys that a query at `place` sees among `keys`
/// keys. If there are more queries than keys, the first queries have negative positions.
fn interval(
    place: i64,
    keys: i64,
    [before, after]: [Option<usize>; 2],
    ranges: &[[usize; 2]],
) -> [i64; 2] {
    let side = |of: Option<usize>| of.and_then(|count| i64::try_from(count).ok());
    let from = side(before).map_or(0, |count| place.saturating_sub(count).max(0));
    let to = side(after).map_or(keys, |count| place.saturating_add(count).saturating_add(1));
    let ranges = ranges.iter().map(|of| of.map(|end| end as i64));
    let around = ranges.filter(|[start, end]| (*start..*end).contains(&place));
    let [from, to] = around.fold([from, to], |[from, to], [start, end]| {
        [from.min(start), to.max(end)]
    });
    [from, to.clamp(from, keys)]
}

/// Divides a sequence of `queries` queries and `keys` keys into runs, in order. The last query has
/// the position of the last key, and a query's window has `window` keys before and after its
/// position.
pub fn runs(
    [queries, keys]: [usize; 2],
    window: [Option<usize>; 2],
    ranges: &[[usize; 2]],
) -> Vec<Run> {
    let place = |query: usize| query as i64 + keys as i64 - queries as i64;
    let of = |query| interval(place(query), keys as i64, window, ranges);
    let mut all = Vec::new();
    let mut first = 0;
    while first < queries {
        // The number of keys by which each end of the interval moves from one query to the next: 0
        // or 1.
        let mut steps = None;
        let mut last = first;
        while last + 1 < queries {
            let ([from, to], [next_from, next_to]) = (of(last), of(last + 1));
            let step = [next_from - from, next_to - to];
            let moves = step.iter().all(|by| matches!(by, 0 | 1));
            if !moves || steps.is_some_and(|of| of != step) {
                break;
            }
            steps = Some(step);
            last += 1;
        }
        let (from, [last_from, to]) = (of(first)[0], of(last));
        let [from_moves, to_moves] = steps.map_or([false; 2], |of| of.map(|by| by == 1));
        // `before` counts from a query's position in the run, and the last query has the position
        // of the last key.
        let before = (to - 1 - last_from).max(0) as usize;
        all.push(Run {
            queries: [first, last + 1],
            keys: [from, to].map(|end| end as usize),
            before: from_moves.then_some(before),
            after: to_moves.then_some(0),
        });
        first = last + 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a query of the run sees a key through the run's window.
    fn sees(run: &Run, query: usize, key: usize) -> bool {
        let ([_, end], [from, to]) = (run.queries, run.keys);
        let place = (to + query) as i64 - end as i64;
        let key_place = key as i64;
        let before = run.before.is_none_or(|by| key_place >= place - by as i64);
        let after = run.after.is_none_or(|by| key_place <= place + by as i64);
        (from..to).contains(&key) && before && after
    }

    #[test]
    fn runs_see_the_window_and_the_ranges() {
        let mut state = 1_u32;
        let mut below = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % n
        };
        for _ in 0..3000 {
            let extents = [1 + below(24), 1 + below(24)];
            let [queries, keys] = extents;
            let mut side = || (below(3) > 0).then(|| below(9));
            let window = [side(), side()];
            let ranges: Vec<[usize; 2]> = (0..below(4)).map(|_| [below(26), below(26)]).collect();
            let all = runs(extents, window, &ranges);
            let mut next = 0;
            for run in &all {
                assert_eq!(run.queries[0], next, "{all:?}");
                next = run.queries[1];
                for (query, key) in
                    (run.queries[0]..next).flat_map(|i| (0..keys).map(move |j| (i, j)))
                {
                    let place = (query + keys) as i64 - queries as i64;
                    let by = key as i64 - place;
                    let [before, after] = window.map(|of| of.map_or(1000, |of| of as i64));
                    let in_range = |of: &[usize; 2]| {
                        let holds = |at: i64| (of[0] as i64..of[1] as i64).contains(&at);
                        holds(place) && holds(key as i64)
                    };
                    let expected = (-before <= by && by <= after) || ranges.iter().any(in_range);
                    assert_eq!(
                        sees(run, query, key),
                        expected,
                        "{query} {key} {window:?} {ranges:?} {all:?}"
                    );
                }
            }
            assert_eq!(next, queries);
        }
    }

    #[test]
    fn a_range_of_a_causal_sequence_is_one_run() {
        let of = |queries: [usize; 2], keys: [usize; 2], after| Run {
            queries,
            keys,
            before: None,
            after,
        };
        let found = runs([6, 6], [None, Some(0)], &[[2, 5]]);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], of([0, 2], [0, 2], Some(0)));
        assert_eq!(found[1], of([2, 5], [0, 5], None));
        assert_eq!(found[2], of([5, 6], [0, 6], None));
    }
}
