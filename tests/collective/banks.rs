//! Checks that the main loops' accesses have no bank conflicts in shared memory, in any kernel, as
//! the emulator counts them.
//!
//! ```text
//!   global ─ cp.async, st.shared ─► stages ─ ldmatrix ─► registers                0 conflicts
//!   the same, word by word, of rows that lie across                                one wavefront for each line of global memory
//!   sums ─ st.shared ─► chunks ─ ld.shared ─► D of 16 bits, only rounded           0 conflicts
//!   sums ─ st.shared ─► chunks ─ ld.shared ─► D of 32 bits, or with an epilogue    0 in writes; in reads, 2 rows share a bank
//! ```

use super::cases::Case;
use super::kernels;
use super::right;
use cutlet::kernels::Modules;
use gpu_kernels::gemm::CONFIGURATIONS;
use host::Device;
use kernel_abi::gemm::{GemmProblem, Majors, OutputType, Schedule};
use std::collections::BTreeMap;

#[test]
fn the_main_loops_have_no_bank_conflicts() {
    let module = Modules::load(&Device::emulator()).unwrap();
    for orders in kernels(CONFIGURATIONS) {
        for of in orders {
            // The problem has one tile and some steps, without remainders.
            let [m, n, k] = of.tile;
            let mut gemm =
                GemmProblem::new(m, n, 3 * k, of.input, OutputType::Same).with_majors(of.majors);
            gemm.accumulator = of.accumulator;
            let case = Case {
                configuration: of,
                gemm,
                schedule: Schedule::Tiles,
            };
            let report = right(&module, &case, 1).report.unwrap();
            // For each opcode: executed instructions, requests of shared memory, conflicts.
            let mut by_opcode: BTreeMap<String, [u64; 3]> = BTreeMap::new();
            for line in &report.lines {
                let name = line.opcode.split('.').take(2).collect::<Vec<_>>().join(".");
                let counts = by_opcode.entry(name).or_default();
                for (count, more) in counts.iter_mut().zip([
                    line.executed,
                    line.memory.shared_requests,
                    line.memory.bank_conflicts,
                ]) {
                    *count += more;
                }
            }
            by_opcode.retain(|_, counts| counts[1] > 0);
            println!("{case}: {by_opcode:?}");
            assert!(by_opcode.contains_key("ldmatrix.sync"), "{by_opcode:?}");
            for (opcode, [_, requests, conflicts]) in by_opcode {
                // These loads read vectors of 32-bit sums. The swizzle is the one of the stores,
                // and two rows of a phase's eight vectors conflict.
                let of_words = opcode == "ld.shared" && of.input.bytes() != 2;
                // Words that are a row apart in global memory arrive row by row, whatever the banks
                // are.
                let scattered =
                    opcode == "cp.async" && of.load_bytes < 16 && of.majors != Majors::Tn;
                let most = match (of_words, scattered) {
                    (true, _) => 4 * requests,
                    (_, true) => 31 * requests,
                    _ => 0,
                };
                assert!(
                    conflicts <= most,
                    "{case}: {opcode}: {conflicts}, of {requests}"
                );
            }
        }
    }
}
