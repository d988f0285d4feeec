//! Which outcomes the model forbids: its axioms over every candidate execution of a program, and
//! the outcomes that the emulator has.
//!
//! ```text
//! SB   x = 1; r = y   ||   y = 1; s = x        r = s = 0   allowed
//!      with fence.sc between, in both               "       forbidden
//! ```
//!
//! Law: a candidate chooses for each read a write or the initial value, for each place an order of
//! its writes, and an order of the `fence.sc`; the model allows its outcome where it keeps the
//! axioms Coherence, FenceSC, Atomicity, SC-per-Location and Causality. The emulator executes one
//! operation after the other: each outcome that it has is allowed, whatever thread comes first, and
//! what is forbidden it never has. Source: PTX ISA, "Memory Consistency Model", "Axioms".

use std::collections::BTreeSet;

use super::*;

/// What the reads got, thread by thread, and what is left in [`X`] and [`Y`].
type Outcome = (Vec<u32>, [u32; 2]);

/// A relation between the steps of a program.
struct Relation {
    n: usize,
    has: Vec<bool>,
}

impl Relation {
    fn new(n: usize, has: impl Fn(usize, usize) -> bool) -> Relation {
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        let has = pairs.map(|(a, b)| has(a, b)).collect();
        Relation { n, has }
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.has[a * self.n + b]
    }

    fn closed(mut self) -> Relation {
        for k in 0..self.n {
            for a in 0..self.n {
                for b in 0..self.n {
                    self.has[a * self.n + b] |= self.has(a, k) && self.has(k, b);
                }
            }
        }
        self
    }

    fn has_no_cycle(self) -> bool {
        let closed = self.closed();
        (0..closed.n).all(|a| !closed.has(a, a))
    }
}

/// A candidate execution.
struct Candidate<'a> {
    steps: &'a [(usize, Step)],
    placement: Placement,
    /// The write that each read reads, none for the initial value.
    from: Vec<Option<usize>>,
    /// The number of each write among those of its place, of each `fence.sc` among these.
    rank: Vec<usize>,
}

impl Candidate<'_> {
    fn event(&self, e: usize) -> Event {
        let (thread, step) = self.steps[e];
        Event {
            thread,
            step,
            from: self.from[e],
        }
    }

    fn morally_strong(&self, a: usize, b: usize) -> bool {
        let reaches = |e: usize| {
            let scope = self.event(e).order().scope();
            scope.is_some_and(|scope| self.placement.reaches(scope))
        };
        self.steps[a].0 != self.steps[b].0 && reaches(a) && reaches(b)
    }

    fn is_allowed(&self) -> bool {
        let n = self.steps.len();
        let event = |e: usize| self.event(e);
        let before = |a: usize, b: usize| self.steps[a].0 == self.steps[b].0 && a < b;
        let place = |e: usize| event(e).place();
        let same_place = |a: usize, b: usize| place(a).is_some() && place(a) == place(b);
        let writes = |e: usize| event(e).writes();
        let reads = |e: usize| event(e).reads();
        let strong = |e: usize| event(e).order().scope().is_some();
        let is_fence = |e: usize| matches!(self.steps[e].1, Fence(..));
        let is_sc = |e: usize| matches!(self.steps[e].1, Fence(_, true));
        let own_or_strong =
            |a: usize, b: usize| self.steps[a].0 == self.steps[b].0 || self.morally_strong(a, b);
        let rf = |w: usize, r: usize| self.from[r] == Some(w);
        let co = |a: usize, b: usize| {
            writes(a) && writes(b) && same_place(a, b) && self.rank[a] < self.rank[b]
        };
        // A read before a write: of what it reads the write is a later one.
        let fr = |r: usize, w: usize| {
            let later = |from: Option<usize>| from.is_none_or(|from| co(from, w));
            reads(r) && writes(w) && r != w && same_place(r, w) && later(self.from[r])
        };
        let observed = Relation::new(n, |w, r| {
            let mut at = r;
            while let Some(from) = self.from[at] {
                if !strong(from) || !strong(at) || !own_or_strong(from, at) {
                    return false;
                }
                if from == w {
                    return true;
                }
                if !reads(from) {
                    return false;
                }
                at = from;
            }
            false
        });
        let releases = |a: usize, b: usize| {
            let write = |e: usize| writes(e) && strong(e);
            let first = is_fence(a) || event(a).order().releases() && writes(a);
            let own = a == b || before(a, b) && (is_fence(a) || same_place(a, b));
            first && own && write(b)
        };
        let acquires = |a: usize, b: usize| {
            let last = is_fence(b) || event(b).order().acquires() && reads(b);
            let own = a == b || before(a, b) && (is_fence(b) || same_place(a, b));
            last && own && reads(a) && strong(a)
        };
        let synchronizes = |a: usize, b: usize| {
            self.morally_strong(a, b)
                && (0..n)
                    .any(|w| releases(a, w) && (0..n).any(|r| observed.has(w, r) && acquires(r, b)))
        };
        let sc = |a: usize, b: usize| {
            is_sc(a) && is_sc(b) && self.rank[a] < self.rank[b] && self.morally_strong(a, b)
        };
        let base = Relation::new(n, |a, b| before(a, b) || sc(a, b) || synchronizes(a, b)).closed();
        let cause = Relation::new(n, |a, b| {
            base.has(a, b) || (0..n).any(|z| observed.has(a, z) && base.has(z, b))
        });
        let all = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        let coherence = all().all(|(a, b)| {
            let both = writes(a) && writes(b) && same_place(a, b);
            !(both && cause.has(a, b)) || co(a, b)
        });
        let fence_sc = all().all(|(a, b)| !(sc(a, b) && cause.has(b, a)));
        let atomicity = (0..n).filter(|&m| reads(m) && writes(m)).all(|m| {
            let between = |w: usize| fr(m, w) && co(w, m) && self.morally_strong(m, w);
            !(0..n).any(between)
        });
        let per_location = Relation::new(n, |a, b| {
            let communicates = rf(a, b) || co(a, b) || fr(a, b);
            before(a, b) && same_place(a, b) || communicates && own_or_strong(a, b)
        });
        let causality = all().all(|(a, b)| {
            let communicates = rf(a, b) || same_place(a, b) && fr(a, b);
            !(communicates && cause.has(b, a))
        });
        coherence && fence_sc && atomicity && causality && per_location.has_no_cycle()
    }

    fn outcome(&self) -> Outcome {
        let n = self.steps.len();
        let value = |w: Option<usize>| match w.map(|w| self.steps[w].1) {
            Some(Store(_, value, _)) => value,
            None => 0,
            other => unreachable!("{other:?}"),
        };
        let reads = (0..n).filter(|&e| self.event(e).reads());
        let last = |place: usize| {
            let writes = (0..n).filter(|&e| self.event(e).writes());
            let there = writes.filter(|&e| self.event(e).place() == Some(place));
            value(there.max_by_key(|&e| self.rank[e]))
        };
        let reads = reads.map(|e| value(self.from[e])).collect();
        (reads, [last(X), last(Y)])
    }
}

/// Returns every way to choose one element of each vector.
fn products<T: Clone>(choices: &[Vec<T>]) -> Vec<Vec<T>> {
    choices.iter().fold(vec![vec![]], |all, one| {
        let longer = |base: &Vec<T>| -> Vec<Vec<T>> {
            let with = |t: &T| [base.clone(), vec![t.clone()]].concat();
            one.iter().map(with).collect()
        };
        all.iter().flat_map(longer).collect()
    })
}

/// Returns the outcomes that the model allows.
pub(super) fn allowed(program: &Program, placement: Placement) -> BTreeSet<Outcome> {
    let of_thread = |(thread, steps): (usize, &Vec<Step>)| {
        let steps = steps.iter().map(move |&step| (thread, step));
        steps.collect::<Vec<_>>()
    };
    let steps: Vec<(usize, Step)> = program.iter().enumerate().flat_map(of_thread).collect();
    let n = steps.len();
    let event = |e: usize| Event {
        thread: steps[e].0,
        step: steps[e].1,
        from: None,
    };
    let writers = |place: usize| -> Vec<usize> {
        let there = |&e: &usize| event(e).writes() && event(e).place() == Some(place);
        (0..n).filter(there).collect()
    };
    let sources: Vec<Vec<Option<usize>>> = (0..n)
        .map(|e| match event(e).reads() {
            true => {
                let writes = writers(event(e).place().unwrap());
                let others = writes.into_iter().filter(|&w| w != e).map(Some);
                std::iter::once(None).chain(others).collect()
            }
            false => vec![None],
        })
        .collect();
    let fences: Vec<usize> = (0..n)
        .filter(|&e| matches!(steps[e].1, Fence(_, true)))
        .collect();
    let groups = [writers(X), writers(Y), writers(F), fences];
    let ranks: Vec<Vec<Vec<usize>>> = groups.iter().map(|group| orders(group.len())).collect();
    let mut outcomes = BTreeSet::new();
    for from in products(&sources) {
        for orders in products(&ranks) {
            let mut rank = vec![0; n];
            for (group, order) in groups.iter().zip(&orders) {
                for (at, &which) in order.iter().enumerate() {
                    rank[group[which]] = at;
                }
            }
            let candidate = Candidate {
                steps: &steps,
                placement,
                from: from.clone(),
                rank,
            };
            if candidate.is_allowed() {
                outcomes.insert(candidate.outcome());
            }
        }
    }
    outcomes
}

/// Returns the shapes, each with the outcome that no order of its operations has.
fn weak_outcomes() -> Vec<(&'static str, Outcome)> {
    vec![
        ("MP", (vec![1, 0], [1, 0])),
        ("SB", (vec![0, 0], [1, 1])),
        ("LB", (vec![1, 1], [1, 1])),
        ("2+2W", (vec![], [1, 1])),
        ("CoRR", (vec![1, 0], [1, 0])),
        ("IRIW", (vec![1, 0, 1, 0], [1, 1])),
    ]
}

/// Returns a shape with the same fence between the two operations of each thread that has two.
fn program_of(name: &str, write: Order, read: Order, fence: Option<Step>) -> Program {
    let between = |a: Step, b: Step| [&[a], fence.as_slice(), &[b]].concat();
    match name {
        "MP" => vec![
            between(Store(X, 1, write), Store(F, 1, write)),
            between(Read(F, read), Read(X, read)),
        ],
        _ => shape(name, write, read, fence),
    }
}

/// Returns `None`, for no fence, and a fence of each kind and scope.
fn fences() -> Vec<Option<Step>> {
    let kinds = [false, true].into_iter();
    let all = kinds.flat_map(|sc| SCOPES.map(|scope| Some(Fence(scope, sc))));
    std::iter::once(None).chain(all).collect()
}

/// Returns a phrase that says where an outcome is forbidden. Panics unless an outcome that is
/// forbidden in a grid is so in a cluster, and one that is forbidden in a cluster is so in a block.
fn forbidden_in(program: &Program, weak: &Outcome) -> &'static str {
    let forbidden = PLACEMENTS.map(|placement| !allowed(program, placement).contains(weak));
    match forbidden {
        [false, false, false] => "allowed",
        [true, false, false] => "forbidden in one block",
        [true, true, false] => "forbidden in one cluster",
        [true, true, true] => "forbidden",
        _ => panic!("{program:?}: {forbidden:?}"),
    }
}

/// Returns the table of `docs/emulator.md` that says where the outcome that no order of the
/// operations has is forbidden.
fn table() -> String {
    let columns = [
        None,
        Some(Fence(Gpu, false)),
        Some(Fence(Cta, true)),
        Some(Fence(Gpu, true)),
    ];
    let mut text = String::from(
        "| program | no fence | `fence.acq_rel.gpu` | `fence.sc.cta` | `fence.sc.gpu` |\n|---|---|---|---|---|\n",
    );
    for (name, weak) in weak_outcomes() {
        for (kind, write, read) in kinds() {
            if !["weak", "volatile", "relaxed.cluster"].contains(&kind.as_str()) {
                continue;
            }
            let said = columns.map(|step| {
                let program = program_of(name, write, read, step);
                forbidden_in(&program, &weak)
            });
            writeln!(text, "| {name}: {kind} | {} |", said.join(" | ")).unwrap();
        }
    }
    text
}

#[test]
fn the_page_has_the_outcomes() {
    let table = table();
    let page = include_str!("../../../../docs/emulator.md");
    assert!(
        page.contains(&table),
        "docs/emulator.md should have:\n{table}"
    );
}

/// The sources name these shapes, and say which of their outcomes are forbidden. This is the check
/// of the axioms above.
#[test]
fn the_axioms_forbid_what_the_sources_say() {
    let fence = |sc| Some(Fence(Gpu, sc));
    let relaxed = Relaxed(Gpu);
    let of = |name: &str, write, read, step| {
        let all = weak_outcomes();
        let (_, weak) = all.into_iter().find(|(known, _)| *known == name).unwrap();
        let program = program_of(name, write, read, step);
        !allowed(&program, Placement::Grid).contains(&weak)
    };
    for (name, write, read, step, forbidden) in [
        ("MP", relaxed, relaxed, None, false),
        ("MP", relaxed, relaxed, fence(false), true),
        ("MP", Release(Gpu), Acquire(Gpu), None, true),
        ("MP", Release(Cta), Acquire(Gpu), None, false),
        ("SB", relaxed, relaxed, None, false),
        ("SB", relaxed, relaxed, fence(false), false),
        ("SB", relaxed, relaxed, fence(true), true),
        ("SB", Release(Gpu), Acquire(Gpu), None, false),
        ("SB", relaxed, relaxed, Some(Fence(Cta, true)), false),
        ("LB", relaxed, relaxed, None, false),
        ("LB", relaxed, relaxed, fence(false), true),
        ("LB", Release(Gpu), Acquire(Gpu), None, true),
        ("2+2W", relaxed, relaxed, fence(false), false),
        ("2+2W", relaxed, relaxed, fence(true), true),
        ("CoRR", relaxed, relaxed, None, true),
        ("CoRR", Weak, Weak, None, false),
        ("IRIW", Release(Gpu), Acquire(Gpu), None, false),
        ("IRIW", relaxed, relaxed, fence(false), false),
        ("IRIW", relaxed, relaxed, fence(true), true),
    ] {
        assert_eq!(
            of(name, write, read, step),
            forbidden,
            "{name} {write:?} {read:?} {step:?}"
        );
    }
}

/// Returns the outcome of an execution: the values that its reads get, thread by thread, and the
/// last values of [`X`] and [`Y`].
fn of_execution(program: &Program, events: &[Event]) -> Outcome {
    let value = |from: Option<usize>| match from.map(|from| events[from].step) {
        Some(Store(_, value, _)) => value,
        _ => 0,
    };
    let reads = (0..program.len()).flat_map(|thread| {
        let own = events.iter().filter(move |event| event.thread == thread);
        own.filter(|event| event.reads())
            .map(|event| value(event.from))
    });
    let last = |place: usize| {
        let writes = events.iter().rev().filter(|event| event.writes());
        let mut there = writes.filter(|event| event.place() == Some(place));
        match there.next().map(|event| event.step) {
            Some(Store(_, value, _)) => value,
            _ => 0,
        }
    };
    (reads.collect(), [last(X), last(Y)])
}

#[test]
fn the_emulator_has_allowed_outcomes_alone_whatever_thread_comes_first() {
    let (mut forbidden, mut outcomes) = (0, 0);
    for (name, weak) in weak_outcomes() {
        for (_, write, read) in kinds() {
            for step in fences() {
                let program = program_of(name, write, read, step);
                for (placement, memory) in EVERYWHERE {
                    let allowed = allowed(&program, placement);
                    let is_forbidden = !allowed.contains(&weak);
                    forbidden += u32::from(is_forbidden);
                    // Of the rest there is enough in the table.
                    if name == "IRIW" && !is_forbidden {
                        continue;
                    }
                    for (order, in_turn, events) in executions(&program, placement) {
                        let wanted = of_execution(&program, &events);
                        assert!(
                            allowed.contains(&wanted),
                            "{program:?} {placement:?} {wanted:?}"
                        );
                        let Some(got) = outcome(&program, (placement, memory), &order, in_turn)
                        else {
                            continue;
                        };
                        assert_eq!(
                            got, wanted,
                            "{program:?} {placement:?} {memory:?} {order:?} {in_turn}"
                        );
                        outcomes += 1;
                    }
                }
            }
        }
    }
    assert!(
        forbidden > 100 && outcomes > 1000,
        "{forbidden} forbidden, {outcomes} outcomes"
    );
}

/// Runs a program in the emulator and returns its outcome, or `None` if the emulator finds a race.
fn outcome(
    program: &Program,
    place: (Placement, Memory),
    order: &[usize],
    in_turn: bool,
) -> Option<Outcome> {
    let words = run(program, place, order, in_turn)?;
    let reads = program.iter().enumerate().flat_map(|(thread, steps)| {
        let reads = steps.iter().enumerate();
        let reads = reads.filter(|(_, step)| matches!(step, Read(..)));
        reads.map(move |(nth, _)| RESULTS + thread * MOST_STEPS + nth)
    });
    Some((reads.map(|at| words[at]).collect(), [words[X], words[Y]]))
}
