//! The litmus tests of PTX's memory model: what the emulator says of each, against the model by its
//! definitions.
//!
//! ```text
//! MP   x = 1; st.release.gpu f, 1   ||   r = ld.acquire.gpu f; if r: read x   ordered in a grid
//!      x = 1; st.release.cta f, 1   ||   the same                             racy in a grid
//! ```
//!
//! Law: a program runs with its threads in every order, each in a warp of one block, in a block of
//! one cluster or in a block of a grid, and where they share a cluster also step by step in turn.
//! Its places are in global memory; where the threads share a cluster, in shared memory, too.
//! Of each execution the relations of the model are computed as the text defines them, on pairs of
//! operations: morally strong, observation, synchronizes, causality. The emulator must find a race
//! exactly where two operations conflict that are neither ordered nor morally strong.
//! `docs/emulator.md` has the table of verdicts. Which outcomes the model forbids is in
//! `outcomes.rs`, fences between the proxies are in `proxies.rs`. Source: PTX ISA, "Memory
//! Consistency Model"; Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX
//! Memory Consistency Model", 2019, for the shapes.

#[path = "../common/mod.rs"]
mod common;
mod outcomes;
mod proxies;

use std::fmt::Write;

use common::{Bench, entry};
use emulator::{FaultKind, Launch, LaunchAttributes, LaunchError};

/// How far an operation reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Cta,
    Cluster,
    Gpu,
}
use Scope::{Cluster, Cta, Gpu};

const SCOPES: [Scope; 3] = [Cta, Cluster, Gpu];

impl Scope {
    fn name(self) -> &'static str {
        ["cta", "cluster", "gpu"][self as usize]
    }
}

/// What an access says of order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Weak,
    Volatile,
    Relaxed(Scope),
    Acquire(Scope),
    Release(Scope),
    AcquireRelease(Scope),
}
use Order::{Acquire, AcquireRelease, Relaxed, Release, Volatile, Weak};

impl Order {
    /// Returns the scope of a strong access, or `None` if the access is weak.
    fn scope(self) -> Option<Scope> {
        match self {
            Weak => None,
            Volatile => Some(Gpu),
            Relaxed(s) | Acquire(s) | Release(s) | AcquireRelease(s) => Some(s),
        }
    }

    fn acquires(self) -> bool {
        matches!(self, Acquire(_) | AcquireRelease(_))
    }

    fn releases(self) -> bool {
        matches!(self, Release(_) | AcquireRelease(_))
    }

    fn modifiers(self) -> String {
        match self {
            Weak => String::new(),
            Volatile => ".volatile".to_owned(),
            Relaxed(s) => format!(".relaxed.{}", s.name()),
            Acquire(s) => format!(".acquire.{}", s.name()),
            Release(s) => format!(".release.{}", s.name()),
            AcquireRelease(s) => format!(".acq_rel.{}", s.name()),
        }
    }
}

/// A step of a thread. Places are words of one buffer of zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Read(usize, Order),
    /// A read of a flag, behind which the thread goes on only if it is not 0.
    Await(usize, Order),
    Write(usize, u32, Order),
    /// `atom.add` of a number.
    Add(usize, u32, Order),
    /// `fence.acq_rel`, or with `true` `fence.sc`.
    Fence(Scope, bool),
}
use Step::{Add, Await, Fence, Read, Write as Store};

impl Step {
    /// Returns the instructions of the step, whose result goes to `%r{nth}`. The step's place is a
    /// word of `memory`, counted from the address in the register `base`. If an awaited flag is not
    /// set, the thread goes to END.
    fn text(self, nth: usize, (memory, base): (&str, &str)) -> String {
        let at = |place: usize| format!("[{base}+{}]", 4 * place);
        match self {
            Read(place, order) => {
                format!(
                    "ld{}{memory}.u32 %r{nth}, {};",
                    order.modifiers(),
                    at(place)
                )
            }
            Await(place, order) => format!(
                "ld{}{memory}.u32 %r{nth}, {}; setp.eq.u32 %p1, %r{nth}, 0; @%p1 bra END;",
                order.modifiers(),
                at(place)
            ),
            Store(place, value, order) => {
                format!(
                    "st{}{memory}.u32 {}, {value};",
                    order.modifiers(),
                    at(place)
                )
            }
            Add(place, value, order) => format!(
                "atom{}{memory}.add.u32 %r{nth}, {}, {value};",
                order.modifiers(),
                at(place)
            ),
            Fence(scope, true) => format!("fence.sc.{};", scope.name()),
            Fence(scope, false) => format!("fence.acq_rel.{};", scope.name()),
        }
    }
}

type Program = Vec<Vec<Step>>;

/// Where the threads of a program are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Placement {
    Block,
    Cluster,
    Grid,
}

const PLACEMENTS: [Placement; 3] = [Placement::Block, Placement::Cluster, Placement::Grid];

impl Placement {
    /// Whether an operation of that scope reaches another thread of the program.
    fn reaches(self, scope: Scope) -> bool {
        match self {
            Placement::Block => true,
            Placement::Cluster => scope >= Cluster,
            Placement::Grid => scope == Gpu,
        }
    }
}

/// Where the places of a program are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Memory {
    Global,
    Shared,
}

/// Where threads and places are: a grid has no shared memory.
const EVERYWHERE: [(Placement, Memory); 5] = [
    (Placement::Block, Memory::Global),
    (Placement::Cluster, Memory::Global),
    (Placement::Grid, Memory::Global),
    (Placement::Block, Memory::Shared),
    (Placement::Cluster, Memory::Shared),
];

/// A step that was executed.
#[derive(Clone, Copy, Debug)]
struct Event {
    thread: usize,
    step: Step,
    /// The event whose value it reads, if it is one of these.
    from: Option<usize>,
}

impl Event {
    fn place(&self) -> Option<usize> {
        match self.step {
            Read(place, _) | Await(place, _) | Store(place, ..) | Add(place, ..) => Some(place),
            Fence(..) => None,
        }
    }

    fn order(&self) -> Order {
        match self.step {
            Read(_, order) | Await(_, order) | Store(_, _, order) | Add(_, _, order) => order,
            Fence(scope, _) => AcquireRelease(scope),
        }
    }

    fn writes(&self) -> bool {
        matches!(self.step, Store(..) | Add(..))
    }

    fn reads(&self) -> bool {
        matches!(self.step, Read(..) | Await(..) | Add(..))
    }
}

/// Executes steps in an order of threads, given by which thread is next; one that has ended is
/// passed over.
fn execute(program: &Program, turns: impl Iterator<Item = usize>) -> Vec<Event> {
    let mut next = vec![0; program.len()];
    let mut ended = vec![false; program.len()];
    let mut last: [Option<usize>; 8] = [None; 8];
    let mut events: Vec<Event> = Vec::new();
    for thread in turns {
        let Some(&step) = program[thread].get(next[thread]).filter(|_| !ended[thread]) else {
            continue;
        };
        next[thread] += 1;
        let mut event = Event {
            thread,
            step,
            from: None,
        };
        if let Some(place) = event.place() {
            event.from = event.reads().then(|| last[place]).flatten();
            if event.writes() {
                last[place] = Some(events.len());
            }
        }
        // Nobody writes 0 to a flag.
        ended[thread] = matches!(step, Await(..)) && event.from.is_none();
        events.push(event);
    }
    events
}

/// Whether an execution has a race, by the definitions of the model.
fn is_racy(events: &[Event], placement: Placement) -> bool {
    let n = events.len();
    let before = |a: usize, b: usize| events[a].thread == events[b].thread && a < b;
    let morally_strong = |a: usize, b: usize| {
        let reach = |e: usize| {
            let scope = events[e].order().scope();
            scope.is_some_and(|scope| placement.reaches(scope))
        };
        events[a].thread == events[b].thread || reach(a) && reach(b)
    };
    let strong = |e: usize| events[e].order().scope().is_some();
    // Observation order, from a write to a read, by way of read-modify-writes.
    let mut observed = vec![vec![false; n]; n];
    let reads: Vec<usize> = (0..n).collect();
    for r in reads {
        let mut at = r;
        while let Some(w) = events[at].from {
            if !strong(w) || !strong(at) || !morally_strong(w, at) {
                break;
            }
            observed[w][r] = true;
            if !matches!(events[w].step, Add(..)) {
                break;
            }
            at = w;
        }
    }
    let is_fence = |e: usize| matches!(events[e].step, Fence(..));
    let same_place = |a: usize, b: usize| events[a].place() == events[b].place();
    // The first operation and the write of each release pattern, the read and the last operation of
    // each acquire pattern.
    let mut releases = Vec::new();
    let mut acquires = Vec::new();
    for a in 0..n {
        if events[a].order().releases() && events[a].writes() {
            releases.push((a, a));
        }
        if events[a].order().acquires() && events[a].reads() {
            acquires.push((a, a));
        }
        for b in (0..n).filter(|&b| before(a, b)) {
            let releasing = is_fence(a)
                || events[a].order().releases() && events[a].writes() && same_place(a, b);
            if releasing && events[b].writes() && strong(b) {
                releases.push((a, b));
            }
            let acquiring = is_fence(b)
                || events[b].order().acquires() && events[b].reads() && same_place(a, b);
            if acquiring && events[a].reads() && strong(a) {
                acquires.push((a, b));
            }
        }
    }
    let mut causes = vec![vec![false; n]; n];
    for (a, row) in causes.iter_mut().enumerate() {
        for (b, cell) in row.iter_mut().enumerate() {
            *cell = before(a, b);
        }
    }
    for &(first, write) in &releases {
        for &(read, last) in &acquires {
            if observed[write][read] && morally_strong(first, last) {
                causes[first][last] = true;
            }
        }
    }
    for k in 0..n {
        for a in 0..n {
            for b in 0..n {
                causes[a][b] |= causes[a][k] && causes[k][b];
            }
        }
    }
    // Whoever is behind a read is behind the writes that it observes, too. Of a read-modify-write
    // that is not made use of.
    let reads = |e: usize| events[e].reads() && !events[e].writes();
    let ordered = |a: usize, b: usize| {
        causes[a][b] || (0..n).any(|e| reads(e) && observed[a][e] && causes[e][b])
    };
    (0..n).any(|a| {
        (0..a).any(|b| {
            let conflict = events[a].place().is_some()
                && same_place(a, b)
                && (events[a].writes() || events[b].writes());
            let both = strong(a) && strong(b) && morally_strong(a, b);
            conflict && !ordered(a, b) && !ordered(b, a) && !both
        })
    })
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for thread in 0..n {
        all = all
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(|at| {
                    let mut longer = order.clone();
                    longer.insert(at, thread);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Where the values of a thread's reads are stored, and how many words it has there.
const RESULTS: usize = 32;
const MOST_STEPS: usize = 8;

/// Returns the body of a program's kernel. Its threads run in `order`: step by step if `in_turn`,
/// otherwise one after the other.
fn body(
    program: &Program,
    (placement, memory): (Placement, Memory),
    order: &[usize],
    in_turn: bool,
) -> String {
    let mut body = String::new();
    match placement {
        Placement::Block => body += "shr.u32 %r40, %tid, 5; and.b32 %r41, %tid, 31;",
        _ => body += "mov.u32 %r40, %ctaid.x; mov.u32 %r41, %tid;",
    }
    let of_cluster = "barrier.cluster.arrive; barrier.cluster.wait;";
    let (space, base) = match (memory, placement) {
        (Memory::Global, _) => (".global", "%a0"),
        (Memory::Shared, Placement::Block) => (".shared", "%r42"),
        (Memory::Shared, _) => (".shared::cluster", "%r42"),
    };
    if memory == Memory::Shared {
        // The places are words of the first block, which thread 0 of it sets to 0.
        body += "mov.u32 %r42, dynamic; mov.u32 %r43, 0;\n";
        if placement != Placement::Block {
            body += "mapa.shared::cluster.u32 %r42, %r42, 0;\n";
        }
        body += "or.b32 %r44, %r40, %r41; setp.ne.u32 %p1, %r44, 0; @%p1 bra MADE;\n";
        for place in 0..8 {
            writeln!(body, "st{space}.u32 [%r42+{}], %r43;", 4 * place).unwrap();
        }
        let meet = match placement {
            Placement::Block => "bar.sync 0;",
            _ => of_cluster,
        };
        writeln!(body, "MADE: {meet}").unwrap();
    }
    body += "setp.ne.u32 %p1, %r41, 0; @%p1 exit;\n";
    for (at, thread) in order.iter().enumerate() {
        // Whoever comes to a barrier last goes on first.
        let warp = match memory {
            Memory::Global => at,
            Memory::Shared => (at + order.len() - 1) % order.len(),
        };
        writeln!(body, "setp.eq.u32 %p1, %r40, {warp}; @%p1 bra T{thread};").unwrap();
    }
    body += "bra END;\n";
    for (thread, steps) in program.iter().enumerate() {
        writeln!(body, "T{thread}:").unwrap();
        for (nth, step) in steps.iter().enumerate() {
            let sleep = if in_turn { " nanosleep.u32 1;" } else { "" };
            writeln!(body, "{}{sleep}", step.text(10 + nth, (space, base))).unwrap();
        }
        for (nth, step) in steps.iter().enumerate() {
            if let Read(..) = step {
                let at = 4 * (RESULTS + thread * MOST_STEPS + nth);
                writeln!(body, "st.global.u32 [%a0+{at}], %r{};", 10 + nth).unwrap();
            }
        }
        body += "bra END;\n";
    }
    body += "END:\n";
    if memory == Memory::Shared {
        // The threads meet before the first block ends, and one stores what is left.
        writeln!(body, "{of_cluster} setp.ne.u32 %p1, %r40, 0; @%p1 exit;").unwrap();
        for at in (0..8).map(|place| 4 * place) {
            writeln!(body, "ld{space}.u32 %r43, [%r42+{at}];").unwrap();
            writeln!(body, "st.global.u32 [%a0+{at}], %r43;").unwrap();
        }
    }
    body
}

/// Runs a program with its threads in `order`, step by step if `in_turn`, otherwise one after the
/// other. Returns the words of the buffer, which include the values of the reads, or `None` if the
/// emulator finds a race.
fn run(
    program: &Program,
    (placement, memory): (Placement, Memory),
    order: &[usize],
    in_turn: bool,
) -> Option<Vec<u32>> {
    let body = body(program, (placement, memory), order, in_turn);
    let bench = Bench::new(&entry(1, &body));
    let words = RESULTS + program.len() * MOST_STEPS;
    let buffer = bench.words(&vec![0; words]);
    let threads = program.len() as u32;
    let (grid, block) = match placement {
        Placement::Block => (1, 32 * threads),
        _ => (threads, 32),
    };
    let launch = Launch {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        dynamic_shared: 64,
    };
    let attributes = LaunchAttributes {
        cluster: (placement == Placement::Cluster).then_some([threads, 1, 1]),
        ..LaunchAttributes::default()
    };
    let parameter = buffer.to_le_bytes();
    let device = &bench.device;
    let result = device.launch_with(
        &bench.program,
        "k",
        &launch,
        &attributes,
        &[&parameter],
        None,
    );
    match result {
        Ok(_) => Some(bench.read_words(buffer, words)),
        Err(LaunchError::Fault(fault)) => {
            let race = match memory {
                Memory::Global => matches!(
                    fault.what,
                    FaultKind::GlobalRace { .. } | FaultKind::ThreadRace { .. }
                ),
                Memory::Shared => matches!(fault.what, FaultKind::Race { .. }),
            };
            assert!(race, "{fault}\n{body}");
            None
        }
        Err(other) => panic!("{other}\n{body}"),
    }
}

/// Returns the executions of a program in all orders of its threads: one after the other, and also
/// step by step if the threads share a block or a cluster. An execution is the order, whether it is
/// step by step, and the events.
fn executions(program: &Program, placement: Placement) -> Vec<(Vec<usize>, bool, Vec<Event>)> {
    let longest = program.iter().map(Vec::len).max().unwrap_or(0);
    let mut all = Vec::new();
    for order in orders(program.len()) {
        let whole = order
            .iter()
            .flat_map(|&thread| std::iter::repeat_n(thread, longest));
        let in_turn = (0..longest).flat_map(|_| order.iter().copied());
        let (whole, in_turn) = (execute(program, whole), execute(program, in_turn));
        all.push((order.clone(), false, whole));
        if placement != Placement::Grid {
            all.push((order, true, in_turn));
        }
    }
    all
}

/// Runs a program in all its orders, and returns whether one of them has a race. Checks that the
/// emulator finds a race exactly where the model has one.
fn verdict(program: &Program, (placement, memory): (Placement, Memory)) -> bool {
    let mut racy = false;
    for (order, in_turn, events) in executions(program, placement) {
        let expected = is_racy(&events, placement);
        let found = run(program, (placement, memory), &order, in_turn).is_none();
        assert_eq!(
            found, expected,
            "{program:#?} {placement:?} {memory:?}, order {order:?}, step by step: {in_turn}"
        );
        racy |= expected;
    }
    racy
}

/// Returns the patterns that set a flag and may release, each with its name. A pattern is a write;
/// some have a fence before it or a second write after it.
fn releases(flag: usize) -> Vec<(String, Vec<Step>)> {
    let mut all = vec![
        ("st".to_owned(), vec![Store(flag, 1, Weak)]),
        ("st.volatile".to_owned(), vec![Store(flag, 1, Volatile)]),
    ];
    for s in SCOPES {
        let name = s.name();
        all.extend([
            (
                format!("st.relaxed.{name}"),
                vec![Store(flag, 1, Relaxed(s))],
            ),
            (
                format!("st.release.{name}"),
                vec![Store(flag, 1, Release(s))],
            ),
            (
                format!("fence.acq_rel.{name}; st.relaxed.gpu"),
                vec![Fence(s, false), Store(flag, 1, Relaxed(Gpu))],
            ),
            (
                format!("fence.acq_rel.gpu; st.relaxed.{name}"),
                vec![Fence(Gpu, false), Store(flag, 1, Relaxed(s))],
            ),
            (
                format!("fence.sc.{name}; st.volatile"),
                vec![Fence(s, true), Store(flag, 1, Volatile)],
            ),
            (
                format!("fence.sc.{name}; st"),
                vec![Fence(s, true), Store(flag, 1, Weak)],
            ),
            (
                format!("atom.add.release.{name}"),
                vec![Add(flag, 1, Release(s))],
            ),
            (
                format!("st.release.{name}; st.relaxed.gpu"),
                vec![Store(flag, 1, Release(s)), Store(flag, 2, Relaxed(Gpu))],
            ),
        ]);
    }
    all
}

/// Returns the patterns that wait for a flag and may acquire, each with its name. A pattern is a
/// read after which the thread goes on only if the flag is set; some have a fence or a second read
/// after it.
fn acquires(flag: usize) -> Vec<(String, Vec<Step>)> {
    let mut all = vec![
        ("ld".to_owned(), vec![Await(flag, Weak)]),
        ("ld.volatile".to_owned(), vec![Await(flag, Volatile)]),
    ];
    for s in SCOPES {
        let name = s.name();
        all.extend([
            (format!("ld.relaxed.{name}"), vec![Await(flag, Relaxed(s))]),
            (format!("ld.acquire.{name}"), vec![Await(flag, Acquire(s))]),
            (
                format!("ld.relaxed.gpu; fence.acq_rel.{name}"),
                vec![Await(flag, Relaxed(Gpu)), Fence(s, false)],
            ),
            (
                format!("ld.relaxed.{name}; fence.acq_rel.gpu"),
                vec![Await(flag, Relaxed(s)), Fence(Gpu, false)],
            ),
            (
                format!("ld.volatile; fence.sc.{name}"),
                vec![Await(flag, Volatile), Fence(s, true)],
            ),
            (
                format!("ld.relaxed.gpu; ld.acquire.{name}"),
                vec![Await(flag, Relaxed(Gpu)), Read(flag, Acquire(s))],
            ),
        ]);
    }
    all
}

const X: usize = 0;
const Y: usize = 1;
const F: usize = 2;
const G: usize = 3;

/// Returns message passing: one thread writes data and then a flag, the other reads the flag and
/// then the data.
fn message_passing(release: &[Step], acquire: &[Step]) -> Program {
    let writer = [&[Store(X, 7, Weak)], release].concat();
    let reader = [acquire, &[Read(X, Weak)]].concat();
    vec![writer, reader]
}

/// Returns the verdicts of a program in global memory: in a block, a cluster and a grid.
fn verdicts_in_global(program: &Program) -> [bool; 3] {
    PLACEMENTS.map(|placement| verdict(program, (placement, Memory::Global)))
}

/// Returns the same as [`verdicts_in_global`], and checks that the verdicts in shared memory are
/// the same.
fn verdicts(program: &Program) -> [bool; 3] {
    let all = verdicts_in_global(program);
    assert_eq!(verdicts_in_shared(program), all[..2]);
    all
}

/// Returns the verdicts of a program in shared memory: in a block and a cluster.
fn verdicts_in_shared(program: &Program) -> [bool; 2] {
    [Placement::Block, Placement::Cluster].map(|of| verdict(program, (of, Memory::Shared)))
}

/// Accesses by pairs that are the same kind: of a program with two or four threads.
fn kinds() -> Vec<(String, Order, Order)> {
    let mut all = vec![
        ("weak".to_owned(), Weak, Weak),
        ("volatile".to_owned(), Volatile, Volatile),
    ];
    for s in SCOPES {
        all.push((format!("relaxed.{}", s.name()), Relaxed(s), Relaxed(s)));
        all.push((
            format!("release.{0} and acquire.{0}", s.name()),
            Release(s),
            Acquire(s),
        ));
    }
    all
}

/// Returns the program of the shape `name`, by this order of writes and of reads. The fence, if
/// there is one, comes between the two operations of a thread.
fn shape(name: &str, write: Order, read: Order, fence: Option<Step>) -> Program {
    let between = |a: Step, b: Step| [&[a], fence.as_slice(), &[b]].concat();
    match name {
        "SB" => vec![
            between(Store(X, 1, write), Read(Y, read)),
            between(Store(Y, 1, write), Read(X, read)),
        ],
        "LB" => vec![
            between(Read(X, read), Store(Y, 1, write)),
            between(Read(Y, read), Store(X, 1, write)),
        ],
        "2+2W" => vec![
            between(Store(X, 1, write), Store(Y, 2, write)),
            between(Store(Y, 1, write), Store(X, 2, write)),
        ],
        "CoRR" => vec![
            vec![Store(X, 1, write)],
            between(Read(X, read), Read(X, read)),
        ],
        "IRIW" => vec![
            vec![Store(X, 1, write)],
            vec![Store(Y, 1, write)],
            between(Read(X, read), Read(Y, read)),
            between(Read(Y, read), Read(X, read)),
        ],
        _ => unreachable!("{name}"),
    }
}

/// Returns write-to-read causality, in which the message reaches the reader through a third thread.
fn causality(first: (&[Step], &[Step]), second: (&[Step], &[Step])) -> Program {
    vec![
        [&[Store(X, 7, Weak)], first.0].concat(),
        [first.1, second.0].concat(),
        [second.1, &[Read(X, Weak)]].concat(),
    ]
}

/// Returns message passing in which a third thread modifies the flag between the write and the
/// read.
fn chain(release: &[Step], modify: Order, acquire: &[Step]) -> Program {
    vec![
        [&[Store(X, 7, Weak)], release].concat(),
        vec![Await(F, Relaxed(Gpu)), Add(F, 1, modify)],
        [acquire, &[Read(X, Weak)]].concat(),
    ]
}

#[test]
fn message_passing_by_every_pair_of_patterns() {
    let (mut racy, mut ordered) = (0, 0);
    for (_, release) in releases(F) {
        for (_, acquire) in acquires(F) {
            for one in verdicts(&message_passing(&release, &acquire)) {
                *(if one { &mut racy } else { &mut ordered }) += 1;
            }
        }
    }
    assert!(
        racy > 900 && ordered > 300,
        "{racy} racy, {ordered} ordered"
    );
}

#[test]
fn the_other_shapes_with_every_kind_of_access_and_fence() {
    let mut cases = 0;
    for name in ["SB", "LB", "2+2W", "CoRR", "IRIW"] {
        for (_, write, read) in kinds() {
            let fences = match name {
                "IRIW" => vec![None, Some(Fence(Gpu, true))],
                _ => std::iter::once(None)
                    .chain(SCOPES.map(|s| Some(Fence(s, true))))
                    .chain(SCOPES.map(|s| Some(Fence(s, false))))
                    .collect(),
            };
            for fence in fences {
                verdicts(&shape(name, write, read, fence));
                cases += EVERYWHERE.len();
            }
        }
    }
    assert_eq!(cases, 5 * 8 * (4 * 7 + 2));
}

#[test]
fn causality_and_chains_of_read_modify_writes() {
    for s in SCOPES {
        for t in SCOPES {
            let first = [
                (vec![Store(F, 1, Release(s))], vec![Await(F, Acquire(s))]),
                (
                    vec![Fence(s, false), Store(F, 1, Volatile)],
                    vec![Await(F, Volatile), Fence(s, false)],
                ),
                (vec![Store(F, 1, Relaxed(s))], vec![Await(F, Acquire(s))]),
            ];
            let second = [
                (vec![Store(G, 1, Release(t))], vec![Await(G, Acquire(t))]),
                (
                    vec![Fence(t, true), Store(G, 1, Relaxed(Gpu))],
                    vec![Await(G, Relaxed(Gpu)), Fence(t, true)],
                ),
            ];
            for a in &first {
                for b in &second {
                    verdicts(&causality((&a.0, &a.1), (&b.0, &b.1)));
                }
            }
            for modify in [Relaxed(s), Acquire(s), Release(s), AcquireRelease(s)] {
                let acquire = [Await(F, Acquire(t))];
                verdicts(&chain(&[Store(F, 1, Release(t))], modify, &acquire));
            }
        }
    }
}

/// Returns the program in which a thread observes another thread's write by the steps `behind`, and
/// then accesses the same place by `last`.
fn observation(write: &[Step], behind: &[Step], last: Step) -> Program {
    vec![write.to_vec(), [behind, &[last]].concat()]
}

/// Returns the program in which a thread observes a write and then releases, and a third thread
/// acquires and then accesses the same place by `last`.
fn observation_by_another(
    write: &[Step],
    (observe, release, acquire): (Step, Step, Step),
    last: Step,
) -> Program {
    vec![write.to_vec(), vec![observe, release], vec![acquire, last]]
}

#[test]
fn what_a_strong_read_observed_is_behind_those_who_are_behind_the_read() {
    let orders = [Weak, Volatile].into_iter();
    let orders: Vec<Order> = orders.chain(SCOPES.map(Relaxed)).collect();
    let (mut racy, mut ordered) = (0, 0);
    // The shadow of shared memory keeps one write of a place.
    let mut count = |program: Program| {
        for one in verdicts_in_global(&program) {
            *(if one { &mut racy } else { &mut ordered }) += 1;
        }
    };
    for &w in &orders {
        for &r in &orders {
            for last in [Read(X, Weak), Store(X, 9, Weak), Add(X, 9, Relaxed(Cta))] {
                count(observation(&[Store(X, 1, w)], &[Await(X, r)], last));
                // Of two writes the first is not observed.
                count(observation(
                    &[Store(X, 1, w), Store(X, 2, Volatile)],
                    &[Await(X, r)],
                    last,
                ));
                if w == Weak || r == Weak {
                    continue;
                }
                // There is no volatile atomic.
                let [w_atom, r_atom] = [w, r].map(|order| match order {
                    Volatile => Relaxed(Gpu),
                    order => order,
                });
                count(observation(&[Store(X, 1, w)], &[Add(X, 1, r_atom)], last));
                count(observation(&[Add(X, 1, w_atom)], &[Read(X, r)], last));
                for s in SCOPES {
                    let hop = (Await(X, r), Store(G, 1, Release(s)), Await(G, Acquire(s)));
                    count(observation_by_another(&[Store(X, 1, w)], hop, last));
                }
                // A chain of read-modify-writes.
                let mut chain = observation(&[Add(X, 1, w_atom)], &[Await(X, Volatile)], last);
                chain.push(vec![Add(X, 1, r_atom)]);
                count(chain);
            }
        }
    }
    assert!(
        racy > 300 && ordered > 100,
        "{racy} racy, {ordered} ordered"
    );
}

/// Returns the body of a kernel in which lane 0 of a warp acquires what another thread released,
/// the lanes execute `meet`, and lane 5 reads the data. With `hop`, lane 5 releases instead, and a
/// third thread acquires from it and reads the data.
fn lanes_program(placement: Placement, shared: bool, meet: &str, hop: bool) -> String {
    let number = match placement {
        Placement::Block => "shr.u32 %r40, %tid, 5; and.b32 %r41, %tid, 31;",
        _ => "mov.u32 %r40, %ctaid.x; mov.u32 %r41, %tid;",
    };
    let (space, place) = match (shared, placement) {
        (false, _) => (".global", "mov.u64 %d1, %a0;"),
        (true, Placement::Block) => (".shared", "mov.u32 %r42, dynamic; cvt.u64.u32 %d1, %r42;"),
        _ => (
            ".shared::cluster",
            "mov.u32 %r42, dynamic; mapa.shared::cluster.u32 %r42, %r42, 0; cvt.u64.u32 %d1, %r42;",
        ),
    };
    let (first, last) = match shared && placement == Placement::Block {
        true => ("bar.sync 0;", ""),
        false => match placement {
            Placement::Cluster => {
                let meet = "barrier.cluster.arrive; barrier.cluster.wait;";
                (meet, meet)
            }
            _ => ("", ""),
        },
    };
    let zero = |at: u32| format!("st{space}.u32 [%d1+{at}], 0;");
    let zeros = match shared {
        true => [0, 4, 8].map(zero).concat(),
        false => String::new(),
    };
    let access = match hop {
        false => format!("ld{space}.u32 %r3, [%d1];"),
        true => format!("st.release.gpu{space}.u32 [%d1+8], 1;"),
    };
    format!(
        "{number} {place}
         setp.eq.u32 %p5, %r40, 0; setp.eq.u32 %p6, %r41, 0; and.pred %p7, %p5, %p6;
         @!%p7 bra MADE;
         {zeros}
         MADE: {first}
         setp.eq.u32 %p1, %r40, 1; @%p1 bra READER;
         setp.eq.u32 %p1, %r40, 2; @%p1 bra THIRD;
         @!%p6 bra END;
         st{space}.u32 [%d1], 7;
         st.release.gpu{space}.u32 [%d1+4], 1;
         bra END;
         READER:
         mov.u32 %r1, 1;
         @!%p6 bra MEET;
         POLL: ld.acquire.gpu{space}.u32 %r1, [%d1+4];
         setp.eq.u32 %p2, %r1, 0; @%p2 bra POLL;
         MEET: {meet}
         setp.eq.u32 %p3, %r41, 5; @!%p3 bra END;
         {access}
         bra END;
         THIRD:
         @!%p6 bra END;
         AGAIN: ld.acquire.gpu{space}.u32 %r1, [%d1+8];
         setp.eq.u32 %p2, %r1, 0; @%p2 bra AGAIN;
         ld{space}.u32 %r3, [%d1];
         END: {last}"
    )
}

#[test]
fn what_a_lane_acquires_is_its_own_until_its_warp_meets() {
    let meetings = [
        ("", true),
        ("shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", true),
        ("vote.sync.any.pred %p4, %p2, -1;", true),
        (
            "and.b32 %r5, %r41, 31; setp.lt.u32 %p4, %r5, 5; @%p4 bar.warp.sync 0x1f;",
            true,
        ),
        ("bar.warp.sync -1;", false),
        ("setp.gt.u32 %p4, %r41, 5; @!%p4 bar.warp.sync 0x3f;", false),
        ("@%p6 fence.acq_rel.gpu; bar.warp.sync -1;", false),
    ];
    let mut named = 0;
    for placement in PLACEMENTS {
        for shared in [false, true] {
            for hop in [false, true] {
                if shared && placement == Placement::Grid {
                    continue;
                }
                for (meet, racy) in meetings {
                    let body = lanes_program(placement, shared, meet, hop);
                    let bench = Bench::new(&entry(1, &body));
                    let buffer = bench.words(&[0; 32]);
                    let threads = 2 + u32::from(hop);
                    let (grid, block) = match placement {
                        Placement::Block => (1, 32 * threads),
                        _ => (threads, 32),
                    };
                    let launch = Launch {
                        grid: [grid, 1, 1],
                        block: [block, 1, 1],
                        dynamic_shared: 64,
                    };
                    let attributes = LaunchAttributes {
                        cluster: (placement == Placement::Cluster).then_some([threads, 1, 1]),
                        ..LaunchAttributes::default()
                    };
                    let parameters: [&[u8]; 1] = [&buffer.to_le_bytes()];
                    let (device, program) = (&bench.device, &bench.program);
                    let result =
                        device.launch_with(program, "k", &launch, &attributes, &parameters, None);
                    let case = format!("{placement:?}, shared: {shared}, hop: {hop}, {meet}");
                    match (result, racy) {
                        (Ok(_), false) => {}
                        (Err(LaunchError::Fault(fault)), true) => {
                            let race = matches!(
                                fault.what,
                                FaultKind::GlobalRace { .. }
                                    | FaultKind::ThreadRace { .. }
                                    | FaultKind::Race { .. }
                            );
                            assert!(race, "{case}: {fault}");
                            named += u32::from(fault.what.to_string().contains("__syncwarp()"));
                        }
                        (other, _) => panic!("{case}: {other:?}"),
                    }
                }
            }
        }
    }
    assert!(named >= 8, "{named} findings name the barrier");
}

/// Returns the table of `docs/emulator.md`, with its rows in the order of the shapes.
fn table() -> String {
    let mut rows: Vec<(String, Program)> = Vec::new();
    let (write, read) = (releases(F), acquires(F));
    let by_name = |all: &[(String, Vec<Step>)], name: &str| {
        let found = all.iter().find(|(known, _)| known == name);
        found.map(|(_, steps)| steps.clone()).unwrap()
    };
    for (release, acquire) in [
        ("st", "ld"),
        ("st", "ld.acquire.gpu"),
        ("st.volatile", "ld.volatile"),
        ("st.relaxed.gpu", "ld.relaxed.gpu"),
        ("st.relaxed.gpu", "ld.acquire.gpu"),
        ("st.release.gpu", "ld.relaxed.gpu"),
        ("st.release.gpu", "ld.acquire.gpu"),
        ("st.release.cluster", "ld.acquire.cluster"),
        ("st.release.cta", "ld.acquire.cta"),
        ("st.release.cta", "ld.acquire.gpu"),
        ("st.release.gpu", "ld.acquire.cluster"),
        (
            "fence.acq_rel.gpu; st.relaxed.gpu",
            "ld.relaxed.gpu; fence.acq_rel.gpu",
        ),
        ("fence.acq_rel.gpu; st.relaxed.gpu", "ld.relaxed.gpu"),
        (
            "fence.acq_rel.cluster; st.relaxed.gpu",
            "ld.relaxed.gpu; fence.acq_rel.cluster",
        ),
        (
            "fence.acq_rel.cta; st.relaxed.gpu",
            "ld.relaxed.gpu; fence.acq_rel.gpu",
        ),
        (
            "fence.acq_rel.gpu; st.relaxed.cta",
            "ld.relaxed.cta; fence.acq_rel.gpu",
        ),
        ("fence.sc.gpu; st.volatile", "ld.volatile; fence.sc.gpu"),
        ("fence.sc.cta; st.volatile", "ld.volatile; fence.sc.cta"),
        ("fence.sc.gpu; st", "ld.volatile; fence.sc.gpu"),
        ("atom.add.release.gpu", "ld.acquire.gpu"),
        ("st.release.gpu; st.relaxed.gpu", "ld.acquire.gpu"),
        ("st.release.gpu", "ld.relaxed.gpu; ld.acquire.gpu"),
    ] {
        let program = message_passing(&by_name(&write, release), &by_name(&read, acquire));
        rows.push((format!("MP: `{release}`, `{acquire}`"), program));
    }
    for (name, fence) in [
        ("SB", Some(Fence(Gpu, true))),
        ("LB", None),
        ("2+2W", None),
        ("CoRR", None),
        ("IRIW", Some(Fence(Gpu, true))),
    ] {
        for (kind, write, read) in kinds() {
            let kept = [
                "weak",
                "volatile",
                "relaxed.gpu",
                "relaxed.cluster",
                "relaxed.cta",
            ];
            if kept.contains(&kind.as_str()) {
                let behind = fence.map_or("", |_| ", `fence.sc.gpu` between");
                let row = format!("{name}: {kind}{behind}");
                rows.push((row, shape(name, write, read, fence)));
            }
        }
    }
    for s in SCOPES {
        let hop = |flag| {
            (
                vec![Store(flag, 1, Release(s))],
                vec![Await(flag, Acquire(s))],
            )
        };
        let (a, b) = (hop(F), hop(G));
        let program = causality((&a.0, &a.1), (&b.0, &b.1));
        rows.push((
            format!("WRC: `st.release.{0}`, `ld.acquire.{0}` twice", s.name()),
            program,
        ));
        let program = chain(&a.0, Relaxed(s), &a.1);
        let row = format!(
            "MP with `atom.relaxed.{0}` between `st.release.{0}` and `ld.acquire.{0}`",
            s.name()
        );
        rows.push((row, program));
    }
    let mut text =
        String::from("| program | one block | one cluster | a grid |\n|---|---|---|---|\n");
    for (name, program) in rows {
        let said = verdicts(&program).map(|racy| if racy { "racy" } else { "ordered" });
        writeln!(text, "| {name} | {} |", said.join(" | ")).unwrap();
    }
    text
}

#[test]
fn the_page_has_the_verdicts() {
    let table = table();
    assert!(table.lines().count() >= 2 + 40, "{table}");
    let page = include_str!("../../../../docs/emulator.md");
    assert!(
        page.contains(&table),
        "docs/emulator.md should have:\n{table}"
    );
}
