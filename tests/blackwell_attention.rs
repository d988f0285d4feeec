//! Blackwell's attention on the emulator, under every schedule of its asynchronous operations, and
//! with mistakes that each schedule finds. No card has run these kernels.
//!
//! ```text
//!   early        copies and products as soon as they are issued
//!   late         as late as a wait allows: what nobody waits for is not there
//!   seeded       in an order by chance
//! ```

mod common;

use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::is_pushed;
use cutlet::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionProblem, UMMA_CONFIGURATIONS,
    configuration, default_scale,
};
use cutlet::kernels::Modules;
use cutlet::run::{AttentionRun, RunOptions, ScoreRun, attention};
use emulator::Schedule;
use host::reference::Random;
use host::{Device, EmulatorConfig};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

/// Configures an emulated Blackwell with so few multiprocessors that a CTA has several tiles.
fn config(schedule: Schedule) -> EmulatorConfig {
    EmulatorConfig {
        compute_capability: (10, 0),
        multiprocessors: 2,
        schedule,
        ..EmulatorConfig::default()
    }
}

fn device(schedule: Schedule) -> Device {
    Device::emulator_with(config(schedule))
}

/// Returns the device on which products and copies of a thread are ordered only as PTX states it.
fn strict(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        strict_tensor_order: true,
        ..config(schedule)
    })
}

/// Returns the kernels that are tested.
fn kernels() -> impl Iterator<Item = &'static AttentionConfiguration> {
    UMMA_CONFIGURATIONS.iter().filter(|of| is_pushed(of.kernel))
}

fn right(
    modules: &Modules,
    problem: AttentionProblem,
    by: Option<&'static AttentionConfiguration>,
) -> Result<(), String> {
    let run = AttentionRun {
        problem,
        score: ScoreRun::default(),
        configuration: by,
        seed: u64::from(problem.queries) << 20 | u64::from(problem.keys),
        rows: 64,
    };
    match attention(modules, &run, &RunOptions::default()) {
        Ok(outcome) if outcome.right() => Ok(()),
        Ok(outcome) => Err(format!(
            "{problem:?}: {:?}, {:?}, {:?}",
            outcome.difference, outcome.agreement, outcome.lse
        )),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns a problem with grouped heads. Most extents in the tests leave the last tile of 256
/// queries and the last block of keys partly empty.
fn problem(
    of: &AttentionConfiguration,
    (queries, keys): (u32, u32),
    (heads, key_heads): (u32, u32),
    mask: AttentionMask,
) -> AttentionProblem {
    let extents = (1, heads, queries, of.dim);
    AttentionProblem::new(of.element, extents, mask, default_scale(of.dim))
        .with_keys(keys, key_heads)
        .with_lse()
}

/// Returns a problem of three tiles, so that one of two CTAs has two tiles. Each tile has three
/// blocks of keys. The scores are so large that maxima grow by more than they may lag.
fn several_tiles(of: &AttentionConfiguration) -> AttentionProblem {
    let of = problem(of, (200, 300), (3, 1), AttentionMask::Causal);
    AttentionProblem {
        scale: 30.0 * of.scale,
        ..of
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut tested = 0;
    for of in kernels() {
        for schedule in SCHEDULES {
            let modules = Modules::load(&device(schedule)).unwrap();
            let found = right(&modules, several_tiles(of), Some(of));
            assert_eq!(found, Ok(()), "{} {schedule:?}", of.kernel);
        }
        tested += 1;
    }
    assert!(tested > 0);
}

/// The kernels write scores over the probabilities that a product still reads, as FlashAttention-4
/// does: that takes the order of issue, which PTX does not state for two accumulators.
#[test]
fn strict_order_finds_the_scores_over_probabilities() {
    for (of, schedule) in kernels().take(1).zip(SCHEDULES) {
        let modules = Modules::load(&strict(schedule)).unwrap();
        let found = right(&modules, several_tiles(of), Some(of)).unwrap_err();
        let said = "it was read, and nothing orders the two";
        assert!(found.contains(said), "{} {schedule:?}: {found}", of.kernel);
    }
}

/// Extents by chance, of every mask, with scores of several magnitudes, so that maxima grow.
#[test]
fn attention_by_chance_is_right() {
    let mut random = Random::new(57);
    let mut below = |most: u32| random.below(u64::from(most)) as u32;
    let all: Vec<_> = kernels().collect();
    for (index, of) in all.iter().cycle().take(12).enumerate() {
        let (queries, keys) = (1 + below(300), 1 + below(500));
        let mask = match index % 3 {
            0 => AttentionMask::Full,
            1 => AttentionMask::Causal,
            _ => AttentionMask::Window {
                before: below(200),
                after: below(40),
            },
        };
        let heads = [(2, 2), (4, 2), (3, 1)][index % 3];
        let of_problem = problem(of, (queries, keys), heads, mask);
        let scale = of_problem.scale * [1.0, 30.0, 0.1][below(3) as usize];
        let problem = AttentionProblem {
            scale,
            ..of_problem
        };
        let schedule = SCHEDULES[index / 3 % 3];
        let modules = Modules::load(&device(schedule)).unwrap();
        let found = right(&modules, problem, Some(of));
        assert_eq!(found, Ok(()), "{} {schedule:?}", of.kernel);
    }
}

/// Without a name an emulated Blackwell runs its own kernels, and those of Ampere where it has
/// none.
#[test]
fn an_emulated_blackwell_runs_its_own_kernels() {
    let device = device(Schedule::Early);
    let of = kernels().next().unwrap();
    let own = several_tiles(of);
    let chosen = configuration(&device, &own).unwrap();
    assert_eq!(
        (chosen.loads, chosen.dim),
        (AttentionLoads::TmaUmma, of.dim)
    );
    let wide = AttentionProblem::new(of.element, (1, 1, 20, 256), AttentionMask::Full, 0.1);
    assert_eq!(
        configuration(&device, &wide).unwrap().loads,
        AttentionLoads::CpAsync
    );
}

const KERNEL: &str = "attention_bf16_d64_256x128_s4_umma";

/// What is done to a kernel's text.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Every line with the word goes.
    Without(&'static str),
    /// The line that has the word for the n-th time goes.
    WithoutNth(&'static str, usize),
    /// The wait so many waits ahead of the first line with both words does not wait.
    WithoutWait([&'static str; 2], usize),
    /// That wait is for the other parity.
    WrongParity([&'static str; 2], usize),
}
use Change::{Without, WithoutNth, WithoutWait, WrongParity};

/// The softmax group's first load of S.
const S: [&str; 2] = ["tcgen05.ld", ".32x32b.x32."];
/// The first product with P, which is A in tensor memory.
const P: [&str; 2] = ["tcgen05.mma", "], [%r"];
/// The first load of O for its store.
const O: [&str; 2] = ["tcgen05.ld", ".16x256b."];

impl Change {
    fn of(self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let with = |lines: &[String], words: &[&str]| -> Vec<usize> {
            let has = |line: &String| words.iter().all(|word| line.contains(word));
            (0..lines.len()).filter(|&i| has(&lines[i])).collect()
        };
        let wait = |lines: &[String], words: &[&str], back: usize| {
            let line = with(lines, words)[0];
            let waits = with(&lines[..line], &["try_wait.parity"]);
            waits[waits.len() - back]
        };
        match self {
            Without(word) => lines.retain(|line| !line.contains(word)),
            WithoutNth(word, nth) => {
                let line = with(&lines, &[word])[nth];
                lines[line].clear();
            }
            WithoutWait(words, back) => {
                // `selp.b32 done, 1, 0, p` behind the wait.
                let wait = wait(&lines, &words, back);
                let (_, done) = lines[wait].split_once("selp.b32 ").unwrap();
                let (done, _) = done.split_once(',').unwrap();
                lines[wait] = format!("mov.u32 {done}, 1;");
            }
            WrongParity(words, back) => {
                let wait = wait(&lines, &words, back);
                let (before, parity) = lines[wait].split_once("p, [").unwrap();
                let (barrier, parity) = parity.split_once("], ").unwrap();
                let (parity, after) = parity.split_once(';').unwrap();
                let (before, wait_for) = before.split_once("mbarrier").unwrap();
                let other = format!(
                    "{before}.reg .b32 other; xor.b32 other, {parity}, 1; mbarrier{wait_for}p, [{barrier}], other;{after}"
                );
                lines[wait] = other;
            }
        }
        lines.join("\n")
    }
}

/// What is missing or wrong, and parts of the findings.
const MISTAKES: [(Change, &str); 18] = [
    // S is read before it is there, or a phase ahead.
    (WithoutWait(S, 1), "never written"),
    (WrongParity(S, 1), "never written"),
    // P is multiplied before it is there, or a phase behind; so is O before it is corrected.
    (
        WithoutWait(P, 2),
        "phases behind|no tcgen05.commit behind it has completed|nothing orders",
    ),
    (
        WrongParity(P, 2),
        "phases behind|no tcgen05.commit behind it has completed|nothing orders",
    ),
    (WithoutWait(P, 1), "nothing orders"),
    (WrongParity(P, 1), "deadlock"),
    // O is stored before its last product is done.
    (
        WithoutWait(O, 1),
        "no tcgen05.commit behind it has completed|nothing orders",
    ),
    (
        WrongParity(O, 1),
        "no tcgen05.commit behind it has completed|deadlock",
    ),
    // P lies over scores that are still loaded; P, and O's correction, are still stored.
    (Without("tcgen05.wait::ld"), "no tcgen05.wait::ld follows"),
    (Without("tcgen05.wait::st"), "no tcgen05.wait::st follows"),
    // The fences of tensor memory, on either side of the barriers.
    (
        Without("tcgen05.fence::after_thread_sync"),
        "no tcgen05.fence::after_thread_sync stands between",
    ),
    (
        Without("tcgen05.fence::before_thread_sync"),
        "no tcgen05.fence::before_thread_sync stands between",
    ),
    // S, O, a stage of Q, K or V that nobody hears of.
    (WithoutNth("tcgen05.commit", 0), "deadlock"),
    (WithoutNth("tcgen05.commit", 2), "deadlock"),
    (WithoutNth("tcgen05.commit", 4), "deadlock"),
    (WithoutNth("tcgen05.commit", 5), "deadlock"),
    (WithoutNth("tcgen05.commit", 9), "deadlock"),
    // Columns.
    (Without("tcgen05.dealloc"), "no tcgen05.dealloc gave back"),
];

/// Each mistake is found, and the kernel without it is silent.
#[test]
fn mistakes_are_found_under_every_schedule() {
    let whole = alone(KERNEL);
    let of = UMMA_CONFIGURATIONS
        .iter()
        .find(|of| of.kernel == KERNEL)
        .unwrap();
    let found = |ptx: &str, schedule| {
        let module = device(schedule).load(ptx).unwrap();
        right(&Modules::from(module), several_tiles(of), Some(of))
    };
    for schedule in SCHEDULES {
        assert_eq!(found(&whole, schedule), Ok(()), "{schedule:?}");
    }
    let text = entry(&whole, KERNEL);
    for (change, said) in MISTAKES {
        let changed = change.of(text);
        let same = text.lines().collect::<Vec<_>>().join("\n");
        assert_ne!(changed, same, "{change:?}");
        let changed = with_one_entry(&whole, KERNEL, &changed);
        for schedule in SCHEDULES {
            let message =
                found(&changed, schedule).expect_err(&format!("{change:?} passes in silence"));
            let is_said = said.split('|').any(|said| message.contains(said));
            assert!(is_said, "{change:?} {schedule:?}: {message}");
        }
    }
}
