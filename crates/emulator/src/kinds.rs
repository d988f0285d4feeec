//! Every kind of finding, described for people: its meaning, its cause, and how it is accepted.
//!
//! ```text
//! race   two threads use one place of shared memory, one of them writes, nothing orders the two
//!        no bar.sync between the stores of a tile and its loads
//!        accepted: each access happens at its place in the emulator's order
//! ```
//!
//! Law: the list has the name of every [`FaultKind`](crate::FaultKind) once. `cutlet check --help`
//! prints the names and meanings, and a page of the guide has the whole list.

use crate::accept::{Acceptable, NEVER};

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindingKind {
    /// The kind's name in rules, launch files and reports.
    pub name: &'static str,
    /// The meaning of a finding of this kind.
    pub says: &'static str,
    /// An example of a cause.
    pub cause: &'static str,
}

/// How a kernel continues after an accepted finding, or why the finding cannot be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptability {
    /// A rule of this kind accepts the finding, and the kernel continues in this way.
    Rule(Acceptable, &'static str),
    /// No rule accepts the finding, for this reason.
    Never(&'static str),
}

const fn kind(name: &'static str, says: &'static str, cause: &'static str) -> FindingKind {
    FindingKind { name, says, cause }
}

impl FindingKind {
    /// Every kind: places, values, order, asynchronous operations, threads that meet, ends.
    pub const ALL: [FindingKind; 48] = [
        kind(
            "unmapped",
            "an access outside of every allocation",
            "an index that was never compared with the length",
        ),
        kind(
            "out-of-bounds",
            "an access beyond the memory that it begins in",
            "a row of a ragged tile read whole",
        ),
        kind(
            "use-after-free",
            "an access of memory that was freed",
            "a buffer that the host dropped before the launch",
        ),
        kind(
            "provenance",
            "an access of another variable or buffer than its address was computed from",
            "an index beyond one array that reaches the next one",
        ),
        kind(
            "others-local",
            "an access of another thread's local memory by its address",
            "a pointer to a local variable, stored for other threads",
        ),
        kind(
            "local-memory",
            "an access of local memory where the launch allows none",
            "an array that is indexed at run time, or registers that spill",
        ),
        kind(
            "misaligned",
            "an address that is no multiple of the access's size",
            "a vector load from an odd offset",
        ),
        kind(
            "read-only",
            "a write to constant memory or to a parameter",
            "a pointer to a parameter that is written through",
        ),
        kind(
            "no-texture",
            "a handle that is no texture or surface of the instruction's kind",
            "a handle of another shape",
        ),
        kind(
            "outside-surface",
            "a `.trap` access outside of its surface",
            "x in elements where it is in bytes",
        ),
        kind(
            "uninitialised",
            "a read of memory that nothing wrote",
            "a sum that begins without zeros",
        ),
        kind(
            "uninitialised-register",
            "an address, a branch or a value for memory that depends on a register that nothing wrote",
            "a value that one side of a branch sets alone",
        ),
        kind(
            "race",
            "two threads use one place of shared memory, one of them writes, nothing orders the two",
            "no bar.sync between the stores of a tile and its loads",
        ),
        kind(
            "global-race",
            "the same of two blocks and global memory, by fences and scopes too",
            "a flag set by a relaxed store, with no fence behind the data",
        ),
        kind(
            "thread-race",
            "the same of two threads of a block or cluster and global memory",
            "a scratch buffer that a block reads back without a barrier",
        ),
        kind(
            "warp-synchronous",
            "two lanes of one warp use one place, one of them writes, no bar.warp.sync orders the two",
            "the last steps of a reduction without __syncwarp()",
        ),
        kind(
            "write-conflict",
            "lanes of one store write different values to one place",
            "an index that two lanes have",
        ),
        kind(
            "non-coherent",
            "`ld.global.nc` of what the same launch writes",
            "`__ldg` of a buffer that is updated in place",
        ),
        kind(
            "dependent-unwaited",
            "a programmatic dependent launch uses what the launch before it uses, before its wait",
            "a read before griddepcontrol.wait",
        ),
        kind(
            "tensor-map-unfenced",
            "a tensor map that threads wrote is used without fence.proxy.tensormap",
            "a map changed in place for the next group",
        ),
        kind(
            "async-copy-pending",
            "bytes of a cp.async are used before its thread has waited for it",
            "wait_group 2 where 1 is meant",
        ),
        kind(
            "bulk-unwaited",
            "bytes of a bulk copy or st.async are used before a wait for their phase",
            "a wait for the other parity",
        ),
        kind(
            "being-read",
            "a write to what a bulk copy or wgmma reads, before it is waited for",
            "the next tile staged while the last one is stored",
        ),
        kind(
            "unfenced",
            "an asynchronous operation uses what threads wrote, in shared or in global memory, without fence.proxy.async",
            "a barrier alone between st.shared and a bulk store",
        ),
        kind(
            "left-behind",
            "a block ends while an asynchronous operation uses its shared memory",
            "no wait_group behind the last bulk store",
        ),
        kind(
            "peer-ended",
            "shared memory of a block of the cluster is used that may have ended",
            "no barrier of the cluster at the end",
        ),
        kind(
            "swizzle",
            "shared memory is read through another swizzle than it was written through",
            "a descriptor of 64 bytes where the tensor map has 128",
        ),
        kind(
            "wgmma-register",
            "a register of a wgmma is used before its wait, or without wgmma.fence",
            "accumulators stored behind wait_group 1",
        ),
        kind(
            "warpgroup",
            "the warps of a group, or the lanes of one, do not issue the same wgmma",
            "a descriptor that depends on the thread",
        ),
        kind(
            "tensor-memory",
            "tensor memory is used wrongly, or with nothing that orders two uses",
            "columns given back before tcgen05.wait::ld",
        ),
        kind(
            "tensor-fence",
            "threads synchronise between two uses of tensor memory, and a tcgen05.fence is missing",
            "a load behind the wait for a commit, without tcgen05.fence::after_thread_sync",
        ),
        kind(
            "mbarrier",
            "no mbarrier object lies there, or it is used wrongly",
            "mbarrier.init over one that lives",
        ),
        kind(
            "exited-thread",
            "a barrier for all threads of a block, of which some have exited",
            "if (i >= n) return; before __syncthreads()",
        ),
        kind(
            "barrier",
            "a barrier is used wrongly",
            "counts that differ, or are no multiple of a warp",
        ),
        kind(
            "deadlock",
            "no warp of the block can go on",
            "a phase that waits for an arrival nobody makes",
        ),
        kind(
            "divergent",
            "a part of a warp executes an `.aligned` instruction",
            "bar.sync in a branch on the thread's number",
        ),
        kind(
            "mask-without-self",
            "a `.sync` mask does not name the lane that executes",
            "a mask of the upper half in the lower one",
        ),
        kind(
            "missing-lanes",
            "a `.sync` mask names lanes that never come",
            "a full mask behind a return of some lanes",
        ),
        kind(
            "different-masks",
            "lanes that execute one `.sync` instruction have different masks",
            "a mask of each lane's own making",
        ),
        kind(
            "inactive-source",
            "a shfl reads a lane that does not take part",
            "a shuffle from lane 0 in a branch without it",
        ),
        kind(
            "operand",
            "an operand that the instruction does not allow, known at run time",
            "a size that is no multiple of 16 bytes",
        ),
        kind(
            "bad-call",
            "a call of what is no function, or not one of this signature",
            "a table of functions that is not filled",
        ),
        kind(
            "stack-overflow",
            "calls nested too deeply, or local variables too large",
            "a recursion without an end",
        ),
        kind(
            "budget",
            "more instructions than the block or launch may execute",
            "a loop without an end",
        ),
        kind(
            "output",
            "more printed than the launch may",
            "a printf in a loop",
        ),
        kind("trap", "`trap`", "a panic in Rust"),
        kind("breakpoint", "`brkpt`", "`__brkpt()` left in"),
        kind("assertion", "`__assertfail`", "`assert` in C++"),
    ];

    /// Returns the kind of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<FindingKind> {
        FindingKind::ALL.into_iter().find(|kind| kind.name == name)
    }

    /// Returns how a finding of the kind is accepted, or why it cannot be.
    #[must_use]
    pub fn acceptability(&self) -> Acceptability {
        let rule = Acceptable::ALL.into_iter().find(|a| a.name() == self.name);
        match rule {
            Some(rule) => Acceptability::Rule(rule, rule.goes_on()),
            None => {
                let mut never = NEVER.iter();
                let found = never.find(|(name, _)| *name == self.name);
                Acceptability::Never(found.map_or("", |(_, why)| why))
            }
        }
    }

    /// Returns the list as lines of a terminal: names and meanings, with a star for kinds that can
    /// be accepted.
    #[must_use]
    pub fn in_short() -> String {
        let line = |kind: &FindingKind| {
            let star = match kind.acceptability() {
                Acceptability::Rule(..) => '*',
                Acceptability::Never(_) => ' ',
            };
            format!("  {:<22}{star} {}\n", kind.name, kind.says)
        };
        let lines: String = FindingKind::ALL.iter().map(line).collect();
        format!("Kinds of findings; those with * can be accepted:\n{lines}")
    }

    /// Returns the list as a table in Markdown.
    #[must_use]
    pub fn table() -> String {
        let row = |kind: &FindingKind| {
            let end = match kind.acceptability() {
                Acceptability::Rule(_, goes_on) => format!("yes: {goes_on}"),
                Acceptability::Never(why) => format!("no: {why}"),
            };
            let FindingKind { name, says, cause } = kind;
            format!("| `{name}` | {says} | {cause} | {end} |\n")
        };
        let rows: String = FindingKind::ALL.iter().map(row).collect();
        format!("| kind | what it says | for example | accepted |\n|---|---|---|---|\n{rows}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_name_once_and_each_is_accepted_or_has_a_reason() {
        let mut listed = FindingKind::ALL.map(|kind| kind.name).to_vec();
        let mut known: Vec<&str> = Acceptable::ALL.map(Acceptable::name).to_vec();
        known.extend(NEVER.map(|(name, _)| name));
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
        for kind in FindingKind::ALL {
            assert_eq!(FindingKind::named(kind.name), Some(kind));
            match kind.acceptability() {
                Acceptability::Rule(rule, goes_on) => {
                    assert_eq!(kind.name.parse(), Ok(rule));
                    assert!(!goes_on.is_empty());
                }
                Acceptability::Never(why) => assert!(!why.is_empty(), "{}", kind.name),
            }
        }
    }
}
