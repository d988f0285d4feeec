//! Distributes the blocks of a launch over the CPU's threads, and returns the report or the first
//! fault.
//!
//! ```text
//! blocks 0 1 2 3 4 5 ...   each CPU thread takes the next one
//! a fault in block 3       blocks from 3 on are no longer started, 0 to 2 finish: their faults would come first
//! ```
//!
//! Law: results, counters and the reported fault do not depend on the number of CPU threads. Blocks
//! of a kernel that can communicate (atomics, volatile or ordered accesses of global memory) run on
//! one thread in grid order. The next block is only started early if all warps of the running
//! blocks wait for an action of another block.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::account::{self, Account};
use super::block::{Block, Progress};
use super::counters::Counters;
use super::grid::LaunchState;
use crate::error::LaunchError;
use crate::fault::Fault;
use crate::report::Report;

/// The number of blocks of a communicating kernel that may be under way at once, for each
/// multiprocessor.
const RESIDENT: u64 = 8;

/// The callback after each block, with the number of finished blocks and of all blocks.
pub(crate) type OnProgress<'a> = Option<&'a (dyn Fn(u64, u64) + Sync)>;

/// Runs all blocks.
pub(crate) fn launch(
    state: &mut LaunchState,
    pool: Option<&rayon::ThreadPool>,
    progress: OnProgress,
) -> Result<Report, LaunchError> {
    match attempt(state, pool, progress, state.kernel().communicates) {
        // Chance decided which of two accesses was the later one: the launch runs again, block
        // after block.
        Err(LaunchError::Fault(fault))
            if fault.what.is_by_chance()
                && state.races.is_some()
                && !state.kernel().communicates =>
        {
            state.non_coherent = state.read_only();
            if let Some(races) = &state.races {
                races.restore(&state.global);
            }
            state.races = state.record(false);
            attempt(state, pool, progress, true)
        }
        result => result,
    }
}

/// Runs all blocks, in order on this thread or over the CPU threads.
fn attempt(
    state: &LaunchState,
    pool: Option<&rayon::ThreadPool>,
    progress: OnProgress,
    one_by_one: bool,
) -> Result<Report, LaunchError> {
    let total = Mutex::new((Counters::new(state), Vec::new()));
    let failure: Mutex<Option<(u64, LaunchError)>> = Mutex::new(None);
    let raced: Mutex<Option<Box<Fault>>> = Mutex::new(None);
    let blocks = state.units();
    let ranks = u64::from(state.ranks);
    let (stop, done) = (AtomicU64::new(blocks), AtomicU64::new(0));
    state.begun.store(0, Relaxed);
    let account = Account::default();
    let failed = |linear: u64, found: LaunchError| {
        if let LaunchError::Fault(fault) = &found
            && fault.what.is_by_chance()
        {
            let mut raced = held(&raced);
            raced.get_or_insert(fault.clone());
        }
        stop.fetch_min(linear, Relaxed);
        let mut failure = held(&failure);
        if failure.as_ref().is_none_or(|(first, _)| linear < *first) {
            *failure = Some((linear, found));
        }
    };
    let finished = |linear: u64, block: &Block| {
        let done = done.fetch_add(1, Relaxed) + 1;
        if let Some(progress) = progress {
            progress(done * ranks, blocks * ranks);
        }
        if let Some((linear, error)) = account.add(state, linear, block) {
            failed(linear, error);
        }
    };
    let add = |counters: Counters, output: Vec<(u64, String)>| {
        let mut total = held(&total);
        total.0.add(counters);
        total.1.extend(output);
    };
    if one_by_one {
        let mut counters = Counters::new(state);
        let mut output = Vec::new();
        let halted = || stop.load(Relaxed) < blocks;
        let ran = in_order(state, &mut counters, &mut output, &finished, &halted);
        if let Err((linear, found)) = ran {
            failed(linear, found);
        }
        add(counters, output);
    } else {
        let worker = || {
            let mut counters = Counters::new(state);
            let (mut block, mut output) = (Block::default(), Vec::new());
            loop {
                let linear = state.begun.fetch_add(1, Relaxed);
                account.wait(linear, &stop);
                if linear >= stop.load(Relaxed) {
                    break;
                }
                block.start(state, linear);
                let result = loop {
                    match block.run(state, &mut counters) {
                        Ok(Progress::Done) => break Ok(()),
                        // No other block can cause what this block waits for: the block runs until
                        // its budget ends.
                        Ok(Progress::Spinning) => {}
                        Err(fault) => break Err(fault),
                    }
                };
                match result {
                    Ok(()) => finished(linear, &block),
                    Err(fault) => failed(linear, account::failure(state, linear, fault)),
                }
                if !block.output.is_empty() {
                    output.push((linear, std::mem::take(&mut block.output)));
                }
            }
            add(counters, output);
        };
        let spread = || {
            let workers = (rayon::current_num_threads() as u64).min(blocks);
            rayon::scope(|scope| {
                for _ in 1..workers {
                    scope.spawn(|_| worker());
                }
                worker();
            });
        };
        match pool {
            Some(pool) => pool.install(spread),
            None => spread(),
        }
    }
    if let Some(race) = taken(raced) {
        // The race is reported even if a lower block failed in another way: that block may have
        // read a value that the race left.
        return Err(race.into());
    }
    if let Some((_, error)) = taken(failure) {
        return Err(error);
    }
    let (counters, mut output) = taken(total);
    output.sort_by_key(|(linear, _)| *linear);
    let output = output.into_iter().map(|(_, text)| text).collect();
    // Without the cancelled ones.
    Ok(counters.report(state, done.into_inner() * ranks, output))
}

/// Locks a mutex, also if a thread panicked that held it.
fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the value of a mutex, also if a thread panicked that held it.
fn taken<T>(of: Mutex<T>) -> T {
    of.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the blocks of a kernel whose blocks may wait for each other, in order on this thread.
fn in_order(
    state: &LaunchState,
    counters: &mut Counters,
    output: &mut Vec<(u64, String)>,
    finished: &dyn Fn(u64, &Block),
    halted: &dyn Fn() -> bool,
) -> Result<(), (u64, LaunchError)> {
    let blocks = state.units();
    let limit = (u64::from(state.config.multiprocessors.max(1)) * RESIDENT) as usize;
    let (waits, mut spent) = (state.kernel().communicates, 0u64);
    let mut resident: VecDeque<(u64, Block)> = VecDeque::new();
    let mut spare: Vec<Block> = Vec::new();
    loop {
        // The oldest block comes first; a new one is started only if all others wait.
        for _ in 0..resident.len() {
            let Some((linear, mut block)) = resident.pop_front() else {
                break;
            };
            let before = block.executed(state);
            let progress = block
                .run(state, counters)
                .map_err(|fault| (linear, account::failure(state, linear, fault)))?;
            spent = spent.saturating_add(block.executed(state) - before);
            // Blocks that wait for each other may never finish, and then only this check counts
            // their instructions.
            if waits && spent > state.config.max_instructions_per_launch {
                let ended = state.begun.load(Relaxed) - 1 - resident.len() as u64;
                return Err((linear, account::budget(state, ended)));
            }
            match progress {
                Progress::Done => {
                    finished(linear, &block);
                    if !block.output.is_empty() {
                        output.push((linear, std::mem::take(&mut block.output)));
                    }
                    spare.push(block);
                }
                Progress::Spinning => resident.push_back((linear, block)),
            }
        }
        let next = state.begun.load(Relaxed);
        if halted() || next == blocks && resident.is_empty() {
            return Ok(());
        }
        if next < blocks && resident.len() < limit {
            let mut block = spare.pop().unwrap_or_default();
            block.start(state, next);
            resident.push_back((next, block));
            state.begun.store(next + 1, Relaxed);
        }
    }
}
