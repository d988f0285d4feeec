//! A kernel's basic blocks: the successors of each block, and the branches on which each block
//! depends.
//!
//! ```text
//!   A: @p bra C        B depends on A's branch; C and D, where all paths join, do not
//!   B: ..
//!   C: ..
//! ```
//!
//! Law: block `b` depends on the branch of block `a` exactly if `b` is on every path from one
//! successor of `a` to the end, and not on every path from `a` to the end. A path that ends in a
//! `trap` is ignored, because a `trap` ends the grid.
//!
//! Source: J. Ferrante, K. Ottenstein, J. Warren, *The program dependence graph and its use in
//! optimization*.

use super::program::Program;
use std::collections::HashMap;
use std::ops::Range;

/// The blocks of a kernel.
pub(super) struct Flow {
    /// The statements of each block.
    pub blocks: Vec<Range<usize>>,
    /// For each block, the blocks on whose branch it depends.
    pub depends: Vec<Vec<usize>>,
}

impl Flow {
    /// Splits a body into blocks, and finds the branches on which they depend.
    pub fn of(program: &Program) -> Self {
        let statements = &program.statements;
        let mut blocks = Vec::new();
        let mut start = 0;
        for (i, statement) in statements.iter().enumerate() {
            if statement.label.is_some() && start < i {
                blocks.push(start..i);
                start = i;
            }
            if ends(&statement.name) {
                blocks.push(start..i + 1);
                start = i + 1;
            }
        }
        if start < statements.len() {
            blocks.push(start..statements.len());
        }
        let mut labels = HashMap::new();
        for (block, range) in blocks.iter().enumerate() {
            for statement in &statements[range.clone()] {
                if let Some(label) = &statement.label {
                    labels.insert(label.as_str(), block);
                }
            }
        }
        let mut successors: Vec<Vec<usize>> = (blocks.iter().enumerate())
            .map(|(block, range)| {
                let next = Some(block + 1).filter(|next| *next < blocks.len());
                let last = &statements[range.end - 1];
                if !ends(&last.name) {
                    return next.into_iter().collect();
                }
                let targets = last.reads.iter().filter_map(|word| labels.get(&**word));
                let falls = last.guard.is_some();
                let mut all: Vec<usize> = targets.copied().chain(next.filter(|_| falls)).collect();
                all.dedup();
                all
            })
            .collect();
        let traps = |block: usize| {
            let last = &statements[blocks[block].end - 1];
            last.name == "trap" && last.guard.is_none()
        };
        leave_out_traps(&mut successors, traps);
        let depends = dependences(&successors);
        Self { blocks, depends }
    }
}

/// Whether a block ends after this instruction.
fn ends(name: &str) -> bool {
    ["bra", "brx", "ret", "exit", "trap"].contains(&name.split('.').next().unwrap_or_default())
}

/// Removes the paths that only end in a `trap`, as a panic does: after a trap no threads remain
/// that could wait for other threads.
fn leave_out_traps(successors: &mut [Vec<usize>], traps: impl Fn(usize) -> bool) {
    let mut dies: Vec<bool> = (0..successors.len()).map(traps).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..successors.len()).rev() {
            let next = &successors[block];
            if !dies[block] && !next.is_empty() && next.iter().all(|&next| dies[next]) {
                dies[block] = true;
                changed = true;
            }
        }
    }
    for next in successors.iter_mut() {
        next.retain(|&next| !dies[next]);
    }
}

/// Returns, for each block, the blocks on whose branch it depends.
fn dependences(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let count = successors.len();
    let words = count.div_ceil(64);
    let has = |set: &[u64], i: usize| set[i / 64] >> (i % 64) & 1 == 1;
    // For each block, the set of blocks that are on every path from it to the end. Initially each
    // set has all blocks, even for blocks that end the kernel.
    let mut behind = vec![vec![u64::MAX; words]; count];
    let only = |i: usize| {
        let mut set = vec![0; words];
        set[i / 64] |= 1u64 << (i % 64);
        set
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..count).rev() {
            let mut set = match successors[block].split_first() {
                Some((first, rest)) => {
                    let mut set = behind[*first].clone();
                    for other in rest {
                        set.iter_mut()
                            .zip(&behind[*other])
                            .for_each(|(a, b)| *a &= b);
                    }
                    set
                }
                None => vec![0; words],
            };
            set.iter_mut().zip(only(block)).for_each(|(a, b)| *a |= b);
            if set != behind[block] {
                behind[block] = set;
                changed = true;
            }
        }
    }
    let mut depends = vec![Vec::new(); count];
    for (branch, next) in successors.iter().enumerate() {
        if next.len() < 2 {
            continue;
        }
        for (block, on) in depends.iter_mut().enumerate() {
            let from_one = next.iter().any(|one| has(&behind[*one], block));
            let from_all = block != branch && has(&behind[branch], block);
            if from_one && !from_all {
                on.push(branch);
            }
        }
    }
    depends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependences_are_those_of_the_definition() {
        // 0 branches to 1 and 2, 1 and 2 join in 3, 3 loops to itself or goes to 4, the end.
        let successors = [vec![1, 2], vec![3], vec![3], vec![3, 4], vec![]];
        assert_eq!(
            dependences(&successors),
            [vec![], vec![0], vec![0], vec![3], vec![]]
        );
        // Block 0 may return early, so every block after it depends on its branch.
        let successors = [vec![1, 2], vec![], vec![3], vec![]];
        assert_eq!(
            dependences(&successors),
            [vec![], vec![0], vec![0], vec![0]]
        );
    }
}
