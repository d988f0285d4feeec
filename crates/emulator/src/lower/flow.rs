//! The points at which diverged lanes meet again.
//!
//! ```text
//!      branch            the nearest instruction that every path from the branch
//!      /    \            passes, a path that ends in a trap not counted:
//!    ...    ...          the branch's immediate post-dominator
//!      \    /
//!     meeting
//! ```
//!
//! Law: `meetings` maps an instruction to the start of the nearest block that post-dominates it,
//! and to `NONE` if no block does. Paths into `trap` do not count, nor do paths into `exit` if the
//! function also returns; a conditional exit counts only if no other end can be reached. Method:
//! Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.

use crate::ir::NONE;

/// The effect of an instruction on the control flow.
#[derive(Debug, Clone)]
pub(crate) enum Flow {
    /// Continues with the next instruction.
    Next,
    /// Continues at the target; if conditional, possibly with the next instruction.
    Jump { target: u32, conditional: bool },
    /// Continues at one of the targets; if conditional, possibly with the next instruction.
    Table {
        targets: Vec<u32>,
        conditional: bool,
    },
    /// Ends the function normally.
    Return,
    /// Ends the thread.
    Exit,
    /// Ends the threads for which its condition holds; the others continue.
    ConditionalExit,
    /// Ends the launch.
    Trap,
}

/// The basic blocks of a function: the start of each, and its successors.
pub(crate) struct Graph {
    pub starts: Vec<u32>,
    pub successors: Vec<Vec<usize>>,
    /// The block of each instruction.
    pub block_of: Vec<u32>,
    /// Blocks whose end counts as the end of the function for the meeting points.
    ends: Vec<usize>,
}

impl Graph {
    /// Builds the graph of a function from the flow of each instruction.
    pub fn new(flow: &[Flow]) -> Graph {
        let n = flow.len();
        let mut leader = vec![false; n + 1];
        leader[0] = true;
        for (i, f) in flow.iter().enumerate() {
            match f {
                Flow::Next | Flow::ConditionalExit => continue,
                Flow::Jump { target, .. } => leader[*target as usize] = true,
                Flow::Table { targets, .. } => {
                    targets.iter().for_each(|&t| leader[t as usize] = true)
                }
                Flow::Return | Flow::Exit | Flow::Trap => {}
            }
            leader[i + 1] = true;
        }
        let starts: Vec<u32> = (0..n).filter(|&i| leader[i]).map(|i| i as u32).collect();
        let mut block_of = vec![0; n];
        for (b, &start) in starts.iter().enumerate() {
            let end = starts.get(b + 1).map_or(n, |&e| e as usize);
            block_of[start as usize..end].fill(b as u32);
        }
        let mut graph = Graph {
            successors: vec![Vec::new(); starts.len()],
            starts,
            block_of,
            ends: Vec::new(),
        };
        let returns = flow.iter().any(|f| matches!(f, Flow::Return));
        for b in 0..graph.starts.len() {
            let last = graph.starts.get(b + 1).map_or(n, |&e| e as usize) - 1;
            let mut next = Vec::new();
            let fall = |next: &mut Vec<usize>| {
                if last + 1 < n {
                    next.push(graph.block_of[last + 1] as usize);
                }
            };
            match &flow[last] {
                Flow::Next | Flow::ConditionalExit => fall(&mut next),
                Flow::Jump {
                    target,
                    conditional,
                } => {
                    next.push(graph.block_of[*target as usize] as usize);
                    if *conditional {
                        fall(&mut next);
                    }
                }
                Flow::Table {
                    targets,
                    conditional,
                } => {
                    next.extend(targets.iter().map(|&t| graph.block_of[t as usize] as usize));
                    if *conditional {
                        fall(&mut next);
                    }
                }
                Flow::Return => graph.ends.push(b),
                Flow::Exit if !returns => graph.ends.push(b),
                Flow::Exit | Flow::Trap => {}
            }
            next.sort_unstable();
            next.dedup();
            graph.successors[b] = next;
        }
        if !returns {
            graph.end_at_conditional_exits(flow);
        }
        graph
    }

    /// Makes the conditional exits ends of the function if no other end can be reached: the
    /// function's last loop may have no other way out.
    fn end_at_conditional_exits(&mut self, flow: &[Flow]) {
        if !flow.iter().any(|f| matches!(f, Flow::ConditionalExit)) {
            return;
        }
        let mut ending = vec![false; self.starts.len()];
        self.ends.iter().for_each(|&b| ending[b] = true);
        let mut grown = true;
        while grown {
            grown = false;
            for (b, next) in self.successors.iter().enumerate().rev() {
                let reaches = ending[b] || next.iter().any(|&s| ending[s]);
                grown |= reaches != ending[b];
                ending[b] = reaches;
            }
        }
        for (i, f) in flow.iter().enumerate() {
            let b = self.block_of[i] as usize;
            if matches!(f, Flow::ConditionalExit) && !ending[b] && !self.ends.contains(&b) {
                self.ends.push(b);
            }
        }
    }

    /// Returns, for each block, the start of its immediate post-dominator, or `NONE`.
    pub fn meetings(&self) -> Vec<u32> {
        let n = self.starts.len();
        let exit = n;
        let mut predecessors = vec![Vec::new(); n + 1];
        for (b, next) in self.successors.iter().enumerate() {
            for &s in next {
                predecessors[s].push(b);
            }
        }
        predecessors[exit] = self.ends.clone();
        // Numbers the blocks in post-order of the reversed graph, from the exit. Blocks that never
        // reach an end get no number and do not count.
        let mut order = Vec::new();
        let mut number = vec![usize::MAX; n + 1];
        let mut seen = vec![false; n + 1];
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((node, k)) = stack.pop() {
            if let Some(&p) = predecessors[node].get(k) {
                stack.push((node, k + 1));
                if !seen[p] {
                    seen[p] = true;
                    stack.push((p, 0));
                }
            } else {
                number[node] = order.len();
                order.push(node);
            }
        }
        let mut dominator = vec![usize::MAX; n + 1];
        dominator[exit] = exit;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().filter(|&&node| node != exit) {
                let mut new = usize::MAX;
                let ends = self.ends.contains(&node).then_some(&exit);
                for &s in self.successors[node].iter().chain(ends) {
                    if dominator[s] == usize::MAX {
                        continue;
                    }
                    new = if new == usize::MAX {
                        s
                    } else {
                        intersect(&dominator, &number, new, s)
                    };
                }
                if new != dominator[node] {
                    dominator[node] = new;
                    changed = true;
                }
            }
        }
        (0..n)
            .map(|b| match dominator[b] {
                d if d == usize::MAX || d == exit => NONE,
                d => self.starts[d],
            })
            .collect()
    }
}

fn intersect(dominator: &[usize], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = dominator[a];
        }
        while number[b] < number[a] {
            b = dominator[b];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(target: u32) -> Flow {
        Flow::Jump {
            target,
            conditional: false,
        }
    }

    fn branch(target: u32) -> Flow {
        Flow::Jump {
            target,
            conditional: true,
        }
    }

    #[test]
    fn if_else_meets_behind() {
        // 0: branch 3; 1: x; 2: jump 4; 3: y; 4: return
        let graph = Graph::new(&[branch(3), Flow::Next, jump(4), Flow::Next, Flow::Return]);
        let meetings = graph.meetings();
        assert_eq!(meetings[graph.block_of[0] as usize], 4);
    }

    #[test]
    fn loop_meets_at_its_exit() {
        // 0: x; 1: y; 2: branch 1; 3: return
        let graph = Graph::new(&[Flow::Next, Flow::Next, branch(1), Flow::Return]);
        assert_eq!(graph.meetings()[graph.block_of[2] as usize], 3);
    }

    #[test]
    fn traps_do_not_count() {
        // 0: branch 4; 1: branch 3; 2: x; 3: return; 4: trap; 5: exit
        let flow = [
            branch(4),
            branch(3),
            Flow::Next,
            Flow::Return,
            Flow::Trap,
            Flow::Exit,
        ];
        let graph = Graph::new(&flow);
        let meetings = graph.meetings();
        assert_eq!(meetings[graph.block_of[0] as usize], 1);
        assert_eq!(meetings[graph.block_of[1] as usize], 3);
        assert_eq!(meetings[graph.block_of[4] as usize], NONE);
    }

    #[test]
    fn a_last_loop_that_only_exits_with_a_condition_ends() {
        // 0: branch 2; 1: x; 2: y; 3: conditional exit; 4: jump 2; 5: exit, which nothing reaches
        let flow = [
            branch(2),
            Flow::Next,
            Flow::Next,
            Flow::ConditionalExit,
            jump(2),
            Flow::Exit,
        ];
        let graph = Graph::new(&flow);
        assert_eq!(graph.meetings()[graph.block_of[0] as usize], 2);
    }

    /// Compares with the definition: d post-dominates b iff removing d cuts every path from b to
    /// the end.
    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        let mut seed = 7u64;
        let mut random = |n: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % n
        };
        for _ in 0..500 {
            let n = 2 + random(14);
            let mut flow: Vec<Flow> = (0..n)
                .map(|_| match random(4) {
                    0 => jump(random(n) as u32),
                    1 | 2 => branch(random(n) as u32),
                    _ => Flow::Next,
                })
                .collect();
            flow.push(Flow::Return);
            let graph = Graph::new(&flow);
            let meetings = graph.meetings();
            let blocks = graph.starts.len();
            let reaches = |from: usize, without: Option<usize>| {
                let (mut seen, mut stack) = (vec![false; blocks], vec![from]);
                while let Some(b) = stack.pop() {
                    if Some(b) != without && !seen[b] {
                        seen[b] = true;
                        stack.extend(&graph.successors[b]);
                    }
                }
                graph.ends.iter().any(|&e| seen[e])
            };
            for (b, &meeting) in meetings.iter().enumerate() {
                let strict: Vec<usize> = (0..blocks)
                    .filter(|&d| d != b && reaches(b, None) && !reaches(b, Some(d)))
                    .collect();
                // All other strict post-dominators post-dominate the nearest one.
                let nearest = strict
                    .iter()
                    .copied()
                    .find(|&d| strict.iter().all(|&e| e == d || !reaches(d, Some(e))));
                assert_eq!(
                    meeting,
                    nearest.map_or(NONE, |d| graph.starts[d]),
                    "block {b} of {flow:?}"
                );
            }
        }
    }
}
