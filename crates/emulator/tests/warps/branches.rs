//! Checks branches, loops, and the places where lanes converge.

use super::*;

/// Compares loops and branches in random nests with a plain interpreter of one thread at a time.
#[test]
fn random_nests_of_branches_and_loops() {
    for seed in 1..60 {
        let mut random = Random(seed * 977);
        let program = Nest::random(&mut random, 4);
        let mut labels = 0;
        let body = program
            .iter()
            .map(|n| n.ptx(&mut labels, 0))
            .collect::<String>();
        let input = random_words(64, seed);
        // Every value of %r0 that decides comes from the input, so that lanes take different
        // branches.
        let found = results(&body, 64, &input);
        for (i, &word) in input.iter().enumerate() {
            let mut state = word;
            let mut result = 0u32;
            for nest in &program {
                nest.run(&mut state, &mut result);
            }
            assert_eq!(found[i], result, "seed {seed}, lane {i}\n{body}");
        }
    }
}

enum Nest {
    Mix(u32),
    If(u32, Vec<Nest>, Vec<Nest>),
    Loop(u32, Vec<Nest>),
    Switch(Vec<Vec<Nest>>),
    /// Skips the rest of this round of the innermost loop.
    Break(u32),
}

impl Nest {
    fn random(random: &mut Random, depth: u32) -> Vec<Nest> {
        let n = 1 + random.next() % 3;
        (0..n)
            .map(|_| match if depth == 0 { 0 } else { random.next() % 5 } {
                1 => Nest::If(
                    random.next() as u32 % 32,
                    Nest::random(random, depth - 1),
                    Nest::random(random, depth - 1),
                ),
                2 => Nest::Loop(
                    1 + random.next() as u32 % 7,
                    Nest::random(random, depth - 1),
                ),
                3 => Nest::Switch(
                    (0..2 + random.next() % 3)
                        .map(|_| Nest::random(random, depth - 1))
                        .collect(),
                ),
                4 => Nest::Break(random.next() as u32 % 32),
                _ => Nest::Mix(random.next() as u32),
            })
            .collect()
    }

    /// Writes the PTX. %r0 is the state, %r1 is the result, and loop counters are %r(10 + depth).
    fn ptx(&self, labels: &mut u32, depth: u32) -> String {
        *labels += 1;
        let id = *labels;
        let all = |nests: &[Nest], labels: &mut u32, depth: u32| {
            nests
                .iter()
                .map(|n| n.ptx(labels, depth))
                .collect::<String>()
        };
        match self {
            Nest::Mix(by) => {
                format!("mad.lo.u32 %r1, %r1, 31, %r0; mad.lo.u32 %r0, %r0, 1664525, {by};\n")
            }
            Nest::If(bit, then, other) => {
                let (then, other) = (all(then, labels, depth), all(other, labels, depth));
                format!(
                    "shr.u32 %r2, %r0, {bit}; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra ELSE{id};\n\
                     {then}bra END{id};\nELSE{id}: {other}END{id}:\n"
                )
            }
            Nest::Loop(most, body) => {
                let counter = 10 + depth;
                let body = all(body, labels, depth + 1);
                format!(
                    "rem.u32 %r{counter}, %r0, {most};\n\
                     HEAD{id}: setp.eq.u32 %p1, %r{counter}, 0; @%p1 bra OUT{id};\n\
                     sub.u32 %r{counter}, %r{counter}, 1;\n{{ {body} }}\nbra HEAD{id};\nOUT{id}:\n"
                )
            }
            Nest::Switch(cases) => {
                let n = cases.len();
                let list: Vec<String> = (0..n).map(|k| format!("CASE{id}_{k}")).collect();
                let mut text = format!(
                    "rem.u32 %r2, %r0, {n};\nLIST{id}: .branchtargets {};\nbrx.idx %r2, LIST{id};\n",
                    list.join(", ")
                );
                for (k, case) in cases.iter().enumerate() {
                    text += &format!("CASE{id}_{k}: {}bra DONE{id};\n", all(case, labels, depth));
                }
                text + &format!("DONE{id}:\n")
            }
            Nest::Break(bit) => format!(
                "shr.u32 %r2, %r0, {bit}; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 1; @%p1 add.u32 %r1, %r1, 5;\n"
            ),
        }
    }

    fn run(&self, state: &mut u32, result: &mut u32) {
        match self {
            Nest::Mix(by) => {
                *result = result.wrapping_mul(31).wrapping_add(*state);
                *state = state.wrapping_mul(1664525).wrapping_add(*by);
            }
            Nest::If(bit, then, other) => {
                let nests = if *state >> bit & 1 == 1 { then } else { other };
                nests.iter().for_each(|n| n.run(state, result));
            }
            Nest::Loop(most, body) => {
                for _ in 0..*state % most {
                    body.iter().for_each(|n| n.run(state, result));
                }
            }
            Nest::Switch(cases) => {
                let case = &cases[*state as usize % cases.len()];
                case.iter().for_each(|n| n.run(state, result));
            }
            Nest::Break(bit) => {
                if *state >> bit & 1 == 1 {
                    *result = result.wrapping_add(5);
                }
            }
        }
    }
}

#[test]
fn lanes_meet_again_behind_a_branch() {
    // An .aligned instruction after branches and loops that lanes leave at different times is right
    // where the lanes converge.
    let input: Vec<u32> = (0..32).collect();
    let found = results(
        "and.b32 %r3, %tid, 3;\n\
         H: setp.eq.u32 %p1, %r3, 0; @%p1 bra OUT; sub.u32 %r3, %r3, 1; add.u32 %r1, %r1, 1; bra H;\n\
         OUT: setp.lt.u32 %p2, %tid, 5; @%p2 bra A; add.u32 %r1, %r1, 10; bra B; A: add.u32 %r1, %r1, 20; B:\n\
         movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r0; activemask.b32 %r5; setp.ne.u32 %p3, %r5, -1;\n\
         @%p3 mov.u32 %r1, 0;",
        32,
        &input,
    );
    let expected: Vec<u32> = (0..32)
        .map(|i| i % 4 + if i < 5 { 20 } else { 10 })
        .collect();
    assert_eq!(found, expected);
}
