//! Checks that all threads of a group reach every `.aligned` instruction together.
//!
//! ```text
//!   @%p1 bra L1            %p1 = lane == 0: differs within a warp
//!     wgmma.wait_group     in one arm: only some threads of the warp reach it
//!   L1: ...                after the join: all threads reach it
//! ```
//!
//! Law: [`check`] finds an instruction that is control-dependent, directly or through other
//! branches, on a branch whose predicate may differ within the threads that must execute the
//! instruction together: a warp, or for `wgmma` and `setmaxnreg` a warp group. rustc does not mark
//! `asm!` as convergent for LLVM, so LLVM may copy the code after a divergent branch into both of
//! its arms. The kernel then hangs, and ptxas does not report it.
//!
//! To find out which threads have equal values in a register, the check follows the values from
//! their definitions (`uniformity.rs`). `%ctaid` is equal in all threads of a block, and `%tid.x >>
//! 5` is equal in a warp. A value that several threads load from the same address is equal in these
//! threads. Blocks are assumed to be one-dimensional, or to have an x extent that is a multiple of
//! the group.
//!
//! Source: PTX ISA, *`.aligned`* of *bar*, *mma*, *wgmma*, *setmaxnreg*; J. Ferrante et al., *The
//! program dependence graph and its use in optimization*.

mod flow;
pub(crate) mod place;
pub(crate) mod program;
mod uniformity;

use flow::Flow;
use program::{Program, Statement};
use std::fmt;

/// An `.aligned` instruction that possibly only some threads of its group reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergent {
    /// The name of the kernel or function.
    pub kernel: String,
    /// The line in the PTX, counted from 1.
    pub line: usize,
    /// The instruction with its qualifiers.
    pub instruction: String,
    /// The number of threads that must execute the instruction together.
    pub threads: u32,
    /// The line of the branch at which the threads may diverge, or of the instruction itself if its
    /// own predicate makes them diverge.
    pub branch: usize,
    /// The branch's predicate.
    pub predicate: String,
    /// The source line of the instruction, such as `src/lib.rs:12`: the innermost line in the
    /// kernel's own crate. It is `None` without line tables.
    pub source: Option<String>,
    /// The source line of the branch, or `None` without line tables.
    pub branch_source: Option<String>,
}

impl fmt::Display for Divergent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |source: &Option<String>, line| match source {
            Some(source) => format!("{source} (PTX line {line})"),
            None => format!("PTX line {line}"),
        };
        write!(
            f,
            "{}, {}: {} has to be executed by {} threads together, and the branch on {} at {} may part them",
            self.kernel,
            place(&self.source, self.line),
            self.instruction,
            self.threads,
            self.predicate,
            place(&self.branch_source, self.branch),
        )
    }
}

/// Finds the `.aligned` instructions that some threads of their group may not reach, in the order
/// of the PTX.
///
/// ```
/// use cuda_builder::convergence::check;
/// let kernel = |value: &str| format!(
///     ".visible .entry k()\n{{\nmov.u32 %r1, {value};\nsetp.ne.b32 %p1, %r1, 0;\n@%p1 bra L1;\nbar.sync 0;\nL1:\nret;\n}}\n"
/// );
/// assert_eq!(check(&kernel("%ctaid.x")), []);
/// assert_eq!(check(&kernel("%tid.x"))[0].line, 6);
/// ```
#[must_use]
pub fn check(ptx: &str) -> Vec<Divergent> {
    within(&Program::read(ptx), ptx)
}

/// Implements [`check`] for a module whose bodies are parsed already.
pub(crate) fn within(programs: &[Program], ptx: &str) -> Vec<Divergent> {
    let mut found: Vec<Divergent> = programs.iter().flat_map(check_one).collect();
    if found.is_empty() {
        return found;
    }
    let lines: Vec<&str> = ptx.lines().collect();
    for one in &mut found {
        one.source = place::of(&lines, one.line);
        one.branch_source = place::of(&lines, one.branch);
    }
    found
}

/// Returns the binary logarithm of the number of threads that must execute an instruction together,
/// or `None` if no threads have to execute it together.
fn group(instruction: &str) -> Option<u32> {
    let wide = ["wgmma.", "setmaxnreg."];
    if wide.iter().any(|start| instruction.starts_with(start)) {
        return Some(7);
    }
    let barrier = instruction.starts_with("bar.") && !instruction.starts_with("bar.warp");
    (barrier || instruction.split('.').any(|part| part == "aligned")).then_some(5)
}

fn check_one(program: &Program) -> Vec<Divergent> {
    let aligned = |s: &Statement| group(&s.name).is_some();
    if !program.statements.iter().any(aligned) {
        return Vec::new();
    }
    let flow = Flow::of(program);
    let levels = uniformity::levels(program, &flow);
    let mut found = Vec::new();
    for (block, range) in flow.blocks.iter().enumerate() {
        for statement in &program.statements[range.clone()] {
            let Some(needed) = group(&statement.name) else {
                continue;
            };
            let own = (statement.guard.as_ref())
                .map(|guard| (levels.of(guard), statement.line, guard.clone()));
            let around = levels.around[block].clone();
            let worst = own
                .into_iter()
                .chain(around)
                .min_by_key(|(level, ..)| *level);
            if let Some((level, branch, predicate)) = worst
                && level < needed
            {
                found.push(Divergent {
                    kernel: program.name.clone(),
                    line: statement.line,
                    instruction: statement.name.clone(),
                    threads: 1 << needed,
                    branch,
                    predicate,
                    source: None,
                    branch_source: None,
                });
            }
        }
    }
    found.sort_by_key(|divergent| divergent.line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a kernel with these lines. Line 1 of the list is line 3 of the text.
    fn kernel(lines: &[&str]) -> String {
        format!(".visible .entry k()\n{{\n{}\nret;\n}}\n", lines.join("\n"))
    }

    fn lines(list: &[&str]) -> Vec<usize> {
        check(&kernel(list))
            .iter()
            .map(|found| found.line)
            .collect()
    }

    const LANE: &str = "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.ne.b32 %p1, %r2, 0;";

    #[test]
    fn an_instruction_copied_into_both_arms_is_found_twice() {
        let copied = [
            LANE,
            "@%p1 bra $L1;",
            "mbarrier.arrive.shared::cta.b64 _, [%r3];",
            "wgmma.wait_group.sync.aligned 0;",
            "bra.uni $L2;",
            "$L1:",
            "wgmma.wait_group.sync.aligned 0;",
            "$L2:",
        ];
        assert_eq!(lines(&copied), [6, 9]);
        let found = &check(&kernel(&copied))[0];
        assert_eq!(
            (found.branch, &*found.predicate, found.threads),
            (4, "%p1", 128)
        );
        let behind = [
            LANE,
            "@%p1 bra $L1;",
            "st.shared.b32 [%r3], %r1;",
            "$L1:",
            "wgmma.wait_group.sync.aligned 0;",
        ];
        assert_eq!(lines(&behind), [0usize; 0]);
    }

    #[test]
    fn roles_of_warps_and_warp_groups_are_no_divergence_for_their_own() {
        let role = |condition: &str, instruction: &str| {
            let condition = format!("mov.u32 %r1, %tid.x; {condition}");
            lines(&[&condition, "@%p1 bra $L1;", instruction, "$L1:"])
        };
        let (warp, group) = (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r4}, {%r5}, {%r6}, {%r4};",
            "setmaxnreg.dec.sync.aligned.u32 40;",
        );
        let none = [0usize; 0];
        for condition in [
            "setp.gt.u32 %p1, %r1, 127;",
            "setp.lt.u32 %p1, %r1, 256;",
            "shr.u32 %r2, %r1, 7; shfl.sync.idx.b32 %r3, %r2, 0, 31, -1; setp.eq.b32 %p1, %r3, 0;",
            "and.b32 %r2, %r1, 896; setp.eq.b32 %p1, %r2, 128;",
            "mov.u32 %r2, %ctaid.x; setp.eq.b32 %p1, %r2, 128;",
        ] {
            assert_eq!(role(condition, group), none, "{condition}");
            assert_eq!(role(condition, warp), none, "{condition}");
        }
        for condition in [
            "setp.gt.u32 %p1, %r1, 95;",
            "shr.u32 %r2, %r1, 5; setp.eq.b32 %p1, %r2, 0;",
            "shr.u32 %r2, %r1, 2; shfl.sync.idx.b32 %r3, %r2, 0, 31, -1; setp.eq.b32 %p1, %r3, 0;",
        ] {
            assert_eq!(role(condition, group), [5], "{condition}");
            assert_eq!(role(condition, warp), none, "{condition}");
        }
        for condition in [
            "setp.gt.u32 %p1, %r1, 16;",
            "elect.sync %r2|%p1, -1;",
            "ld.shared.b32 %r2, [%r1]; setp.eq.b32 %p1, %r2, 0;",
            "atom.shared.add.u32 %r2, [%r3], 1; setp.eq.b32 %p1, %r2, 0;",
        ] {
            assert_eq!(role(condition, warp), [5], "{condition}");
        }
    }

    #[test]
    fn a_loop_that_waits_parts_nobody_behind_it() {
        let wait = [
            "$L1:",
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], %r2; selp.b32 %r3, 1, 0, p; }",
            "setp.eq.b32 %p1, %r3, 0;",
            "@%p1 bra $L1;",
            "wgmma.fence.sync.aligned;",
        ];
        assert_eq!(lines(&wait), [0usize; 0]);
    }

    #[test]
    fn how_often_a_divergent_loop_ran_is_divergent() {
        let counted = [
            "mov.u32 %r1, %tid.x;",
            "mov.b32 %r2, 0;",
            "$L1:",
            "add.s32 %r2, %r2, 1;",
            "setp.lt.u32 %p1, %r2, %r1;",
            "@%p1 bra $L1;",
            "setp.eq.b32 %p2, %r2, 3;",
            "@%p2 bra $L2;",
            "bar.sync 0;",
            "$L2:",
        ];
        assert_eq!(lines(&counted), [11]);
        // With a bound that all threads share, all threads make the same number of iterations.
        let uniform: Vec<_> = counted
            .iter()
            .map(|line| line.replace("%tid.x", "%ctaid.x"))
            .collect();
        let uniform: Vec<_> = uniform.iter().map(String::as_str).collect();
        assert_eq!(lines(&uniform), [0usize; 0]);
    }

    #[test]
    fn a_branch_within_a_divergent_one_parts_as_the_outer_does() {
        let nested = [
            LANE,
            "mov.u32 %r9, %ctaid.x; setp.eq.b32 %p2, %r9, 0;",
            "@%p1 bra $L2;",
            "@%p2 bra $L1;",
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r6];",
            "$L1:",
            "mov.b32 %r7, 0;",
            "$L2:",
        ];
        assert_eq!(lines(&nested), [7]);
    }

    #[test]
    fn a_register_is_what_was_written_before_in_its_block() {
        // The zero of the counter is in the register into which the products are written.
        let counted = [
            "mov.b32 %r1, 0;",
            "mov.b32 %r2, %r1;",
            "$L1:",
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1}, {%r5}, {%r6}, {%r1};",
            "add.s32 %r2, %r2, 1;",
            "setp.ne.b32 %p1, %r2, 8;",
            "@%p1 bra $L1;",
        ];
        assert_eq!(lines(&counted), [0usize; 0]);
        // With a guard, only some of the threads write the value.
        let guarded = [
            LANE,
            "mov.u32 %r3, %ctaid.x;",
            "@%p1 mov.u32 %r3, %nctaid.x;",
            "setp.eq.b32 %p2, %r3, 0;",
            "@%p2 bra $L1;",
            "bar.sync 0;",
            "$L1:",
        ];
        assert_eq!(lines(&guarded), [8]);
    }

    #[test]
    fn a_panic_parts_nobody() {
        let checked = [
            LANE,
            "@%p1 bra $L2;",
            "bar.sync 0;",
            "bra.uni $L3;",
            "$L2:",
            "call.uni panic, (%r1);",
            "bra.uni $L4;",
            "$L4:",
            "trap;",
            "$L3:",
        ];
        assert_eq!(lines(&checked), [0usize; 0]);
        let exits = checked.map(|line| line.replace("trap;", "exit;"));
        let exits = kernel(&exits.each_ref().map(String::as_str));
        assert_eq!(check(&exits)[0].line, 5);
        let endless = format!(".func panic\n(\n.param .b32 p\n)\n.noreturn;\n{exits}");
        assert_eq!(check(&endless), []);
    }

    #[test]
    fn rows_of_a_block_are_whole_warps() {
        let row = [
            "mov.u32 %r1, %tid.y; setp.eq.b32 %p1, %r1, 0;",
            "@%p1 bra $L1;",
            "bar.sync 1, 32;",
            "$L1:",
        ];
        assert_eq!(lines(&row), [0usize; 0]);
        assert_eq!(
            lines(
                &row.map(|line| line.replace("bar.sync 1, 32", "wgmma.fence.sync.aligned"))
                    .each_ref()
                    .map(String::as_str)
            ),
            [5]
        );
    }

    #[test]
    fn the_mask_of_a_barrier_is_no_result() {
        let masked = [
            LANE,
            "@%p1 bra $L1;",
            "bar.warp.sync -1;",
            "$L1:",
            "mov.b32 %r3, -1;",
            "setp.eq.b32 %p2, %r3, 0;",
            "@%p2 bra $L2;",
            "bar.sync 0;",
            "$L2:",
        ];
        assert_eq!(lines(&masked), [0usize; 0]);
    }

    #[test]
    fn names_of_a_block_in_braces_are_its_own() {
        // `p` is equal in all threads the first time, and differs the second time.
        let twice = [
            "{ .reg .pred p; mov.u32 %r1, %ctaid.x; setp.eq.b32 p, %r1, 0; selp.b32 %r2, 1, 0, p; }",
            "{ .reg .pred p; mov.u32 %r3, %tid.x; setp.eq.b32 p, %r3, 0; selp.b32 %r4, 1, 0, p; }",
            "setp.eq.b32 %p1, %r2, 0;",
            "@%p1 bra $L1;",
            "bar.sync 0;",
            "$L1:",
            "{ .reg .pred p; setp.ne.b32 p, %r4, 0; @p barrier.sync.aligned 0; }",
        ];
        assert_eq!(lines(&twice), [9]);
    }
}
