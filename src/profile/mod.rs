//! Profiles: the counts that the emulator made of a launch, instruction by instruction.
//!
//! ```text
//!   Report of a launch ─┐                 ┌─► table    for a terminal
//!   PTX, its source  ───┼─► LaunchProfile ┼─► JSON     for programs
//!   ptxas -v, a chip ───┘                 └─► page     HTML in one file: source, heat map of banks, roofline
//! ```
//!
//! Law: every number is a count, a published figure, or a number that `ptxas` printed; nothing is
//! timed. Without `ptxas` there are two numbers of registers: those that the PTX needs at once, and
//! an estimate, marked as one, of those that `ptxas` would use.

mod asynchronous;
mod heat;
mod page;
mod picture;
mod resources;
mod roofline;
mod rows;
mod table;

pub use page::page;
pub use resources::{Compiled, Ptxas, PtxasError};
pub use roofline::Roofline;
pub use rows::{Async, Costs, FindingRow, InstructionRow, NarrowRow, SourceRow};
pub use table::{SortKey, table};

use emulator::profile::{Chip, Flops, Limit, LiveRegisters, Occupancy, Resources};
use emulator::{Acceptance, Launch, Report, counted};
use serde::Serialize;

/// The profile of a launch.
#[derive(Clone, Debug, Serialize)]
pub struct LaunchProfile {
    /// The kernel.
    pub kernel: String,
    /// The problem that the launch computed, as text.
    pub problem: String,
    /// The extents of the grid, in blocks.
    pub grid: [u32; 3],
    /// The extents of a block, in threads.
    pub block: [u32; 3],
    /// The dynamic shared memory in bytes.
    pub dynamic_shared: usize,
    /// The shared memory of the kernel's own variables in bytes.
    pub static_shared: usize,
    /// The totals over all instructions.
    pub totals: Totals,
    /// The part of a chip that a block takes.
    pub occupancy: OccupancyReport,
    /// The place of the launch under the chip's roofline, if it has an arithmetic intensity.
    pub roofline: Option<Roofline>,
    /// Notes that explain these numbers.
    pub notes: Vec<String>,
    /// The findings after which the launch continued. The counters include what happened after
    /// them.
    pub findings: Vec<FindingRow>,
    /// Every instruction that was executed, in the order of the PTX.
    pub instructions: Vec<InstructionRow>,
    /// Every line of the source that was executed, or no line if the PTX has no `.loc`.
    pub sources: Vec<SourceRow>,
    /// The PTX of the kernel: the number of its first line, from 1, and its lines.
    #[serde(skip)]
    pub ptx: (usize, Vec<String>),
    /// The chip.
    #[serde(skip)]
    pub chip: &'static Chip,
}

/// The totals over a launch.
#[derive(Clone, Debug, Serialize)]
pub struct Totals {
    /// The number of blocks.
    pub blocks: u64,
    /// The number of warps of all blocks.
    pub warps: u64,
    /// The sums of all counters.
    #[serde(flatten)]
    pub costs: Costs,
    /// The floating-point operations of each unit.
    pub flops_by_unit: Vec<(&'static str, u64)>,
    /// The floating-point operations for each byte of global memory's sectors.
    pub arithmetic_intensity: Option<f64>,
}

/// The blocks of the kernel that fit on one multiprocessor of a chip.
#[derive(Clone, Debug, Serialize)]
pub struct OccupancyReport {
    /// The chip's name.
    pub chip: &'static str,
    /// The chip's target.
    pub target: &'static str,
    /// The registers of a thread, if `ptxas` ran.
    pub registers: Option<u32>,
    /// The largest number of registers that the PTX needs at once, and the line after which it
    /// needs them.
    pub live_registers: (u32, u32),
    /// The registers that `ptxas` may be expected to use.
    pub expected_registers: u32,
    /// The largest number of registers that a thread can have.
    pub most_registers: u32,
    /// The bytes that `ptxas` spilled: stores and loads.
    pub spilled: Option<(u32, u32)>,
    /// The registers in words, and why `ptxas` did not print them, if it did not.
    pub note: Option<String>,
    /// The blocks at once. Without `ptxas` they follow from the expected registers.
    pub blocks: u32,
    /// The warps at once.
    pub warps: u32,
    /// The warps at once, in percent of those that a multiprocessor holds.
    pub percent: f64,
    /// The resource that limits the blocks.
    pub limit: &'static str,
    /// The numbers of blocks that fit by warps, registers, shared memory and the limit of blocks.
    pub room: [u32; 4],
}

/// The inputs of a profile.
pub struct Subject<'a> {
    /// The module's text.
    pub ptx: &'a str,
    /// The kernel.
    pub kernel: &'a str,
    /// The problem that the launch computed, as text.
    pub problem: String,
    /// The launch.
    pub launch: Launch,
    /// The shared memory of the kernel's own variables.
    pub static_shared: usize,
    /// The emulator's counts, made with `Config::profile`.
    pub report: &'a Report,
    /// The rules by which findings were accepted.
    pub accept: &'a [Acceptance],
    /// The chip for which occupancy and roofline are computed.
    pub chip: &'static Chip,
    /// The numbers that `ptxas` printed about the kernel.
    pub compiled: Result<Compiled, PtxasError>,
    /// The registers that the kernel needs by its PTX.
    pub registers: LiveRegisters,
}

impl LaunchProfile {
    /// Makes the profile of a launch.
    #[must_use]
    pub fn new(subject: Subject<'_>) -> Self {
        let Subject {
            ptx,
            kernel,
            problem,
            launch,
            static_shared,
            report,
            accept,
            chip,
            compiled,
            registers,
        } = subject;
        let findings: Vec<_> = report
            .findings
            .iter()
            .map(|noted| FindingRow::new(noted, accept))
            .collect();
        let flops = report.flops();
        let bytes = report.memory.global_sectors * 32;
        let intensity =
            (bytes > 0 && flops.total() > 0).then(|| flops.total() as f64 / bytes as f64);
        let instructions: Vec<_> = report.lines.iter().map(InstructionRow::new).collect();
        let mut sources: Vec<_> = report.sources().iter().map(SourceRow::new).collect();
        read_texts(&mut sources);
        note_narrow(&mut sources, &instructions);
        let mut costs = Costs::default();
        for row in &instructions {
            costs.add(&row.costs);
        }
        let shared = static_shared + launch.dynamic_shared;
        let occupancy = occupancy(chip, launch.block, shared, &compiled, registers);
        let mut notes = vec![
            "Counted by the emulator: executions, lanes, wavefronts, conflicts, sectors and operations. No times."
                .to_owned(),
            "Instructions are those of the PTX; ptxas may join, split or drop some.".to_owned(),
            "Not modelled: the caches (which sectors L1 or L2 answer), DRAM, and what waits for what. Sectors are what the \
             instructions request."
                .to_owned(),
        ];
        if !findings.is_empty() {
            notes.push(
                "The checks found something, and the launch went on: the findings stand below the counters, `cutlet check` \
                 is about them."
                    .to_owned(),
            );
        }
        let unmatched = accept.iter().zip(&report.accepted);
        for (rule, _) in unmatched.filter(|(_, count)| **count == 0) {
            notes.push(format!("Accepted nothing: {rule} ({}).", rule.reason));
        }
        if sources.is_empty() {
            notes.push(
                "The PTX has no .loc directives, so counters are by lines of the PTX. For lines of the source build \
                 the kernels with line tables: cuda_builder's debug(DebugInfo::LineTables), nvcc's -lineinfo; this \
                 program's own kernels with CUTLET_LINE_TABLES=1 in the environment of its build."
                    .to_owned(),
            );
        }
        for row in &instructions {
            let Some(narrow) = &row.narrow else { continue };
            let place = match &row.source {
                Some((file, line)) => format!("{file}:{line}"),
                None => format!("PTX line {}", row.line),
            };
            notes.push(format!(
                "{place}: {narrow}, {}.",
                counted(narrow.times, "time")
            ));
        }
        Self {
            kernel: kernel.to_owned(),
            problem,
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            static_shared,
            totals: Totals {
                blocks: report.blocks,
                warps: report.blocks * u64::from(report.warps_per_block),
                costs,
                flops_by_unit: by_name(&flops),
                arithmetic_intensity: intensity,
            },
            occupancy,
            roofline: intensity.and_then(|at| Roofline::new(chip, &flops, at)),
            notes,
            findings,
            instructions,
            sources,
            ptx: kernel_text(ptx, kernel),
            chip,
        }
    }
}

/// Gives every line of the source the widest vector that is possible at one of its instructions.
fn note_narrow(rows: &mut [SourceRow], instructions: &[InstructionRow]) {
    for row in rows {
        let at = Some((row.file.as_str(), row.line));
        row.narrow = instructions
            .iter()
            .filter(|of| {
                of.source
                    .as_ref()
                    .map(|(file, line)| (file.as_str(), *line))
                    == at
            })
            .filter_map(|of| of.narrow)
            .max_by_key(|narrow| (narrow.possible, narrow.times));
    }
}

/// Gives every row the text of its line, if the file can be read.
fn read_texts(rows: &mut [SourceRow]) {
    // The rows are ordered by their files.
    for rows in rows.chunk_by_mut(|a, b| a.file == b.file) {
        let Ok(text) = files::read_to_string(&rows[0].file) else {
            continue;
        };
        let lines: Vec<&str> = text.lines().collect();
        for row in rows {
            // Compilers give line 0 to code that belongs to no line.
            row.text = match (row.line as usize).checked_sub(1) {
                Some(at) => lines.get(at).map(ToString::to_string),
                None => Some("(no line of the source)".to_owned()),
            };
        }
    }
}

fn by_name(flops: &Flops) -> Vec<(&'static str, u64)> {
    flops
        .units()
        .map(|(unit, count)| (unit.name(), count))
        .collect()
}

fn occupancy(
    chip: &'static Chip,
    block: [u32; 3],
    shared: usize,
    compiled: &Result<Compiled, PtxasError>,
    registers: LiveRegisters,
) -> OccupancyReport {
    let known = compiled.as_ref().ok();
    let resources = Resources {
        threads: block.iter().product(),
        registers: known.map_or(registers.expected(), |compiled| compiled.registers),
        shared: u32::try_from(shared).unwrap_or(u32::MAX),
    };
    let found = Occupancy::new(chip, &resources);
    OccupancyReport {
        chip: chip.name,
        target: chip.target,
        registers: known.map(|compiled| compiled.registers),
        spilled: known.map(|compiled| (compiled.spill_stores, compiled.spill_loads)),
        live_registers: (registers.live, registers.line),
        expected_registers: registers.expected(),
        most_registers: registers.most,
        note: (compiled.as_ref().err()).map(|error| format!("by the PTX {registers}; {error}")),
        blocks: found.blocks,
        warps: found.warps,
        percent: found.percent(),
        limit: match found.limit {
            Limit::Warps => "warps",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
            Limit::Blocks => "blocks",
        },
        room: found.room,
    }
}

/// Returns the number of a kernel's first line, and its lines from `.entry` to the closing brace.
fn kernel_text(ptx: &str, kernel: &str) -> (usize, Vec<String>) {
    let lines: Vec<&str> = ptx.lines().collect();
    let entry = |line: &&str| {
        line.split_once(".entry").is_some_and(|(_, rest)| {
            let name = rest.trim_start().split(['(', ' ', '\t', '{']).next();
            name == Some(kernel)
        })
    };
    let Some(first) = lines.iter().position(entry) else {
        return (1, lines.iter().map(ToString::to_string).collect());
    };
    let mut depth = 0_i64;
    let mut last = lines.len() - 1;
    for (i, line) in lines.iter().enumerate().skip(first) {
        let code = line.split("//").next().unwrap_or_default();
        let opened = code.matches('{').count() as i64;
        let closed = code.matches('}').count() as i64;
        depth += opened - closed;
        if closed > 0 && depth <= 0 {
            last = i;
            break;
        }
    }
    let text = lines[first..=last].iter().map(ToString::to_string);
    (first + 1, text.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    use emulator::{Config, Emulator, Program};

    /// A kernel with a conflict, with lines, and with a source whose name HTML must escape.
    const PTX: &str = ".version 7.8\n.target sm_90\n.address_size 64\n.file 1 \"no <such> file.rs\"\n\
        .visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %d<3>;\n\t.reg .f32 %f<2>;\n\
        \t.shared .align 4 .b8 memory[4096];\n\t.loc 1 3 0\n\tmov.u32 %r0, %tid.x;\n\tshl.b32 %r1, %r0, 3;\n\
        \tmov.u32 %r2, memory;\n\tadd.u32 %r2, %r2, %r1;\n\t.loc 1 4 0\n\tst.shared.b32 [%r2], %r0;\n\
        \tld.param.u64 %d0, [p];\n\tmul.wide.u32 %d1, %r0, 4;\n\tadd.u64 %d0, %d0, %d1;\n\
        \tld.global.f32 %f0, [%d0];\n\tfma.rn.f32 %f0, %f0, %f0, %f0;\n\tst.global.f32 [%d0], %f0;\n\tret;\n}\n";

    fn profile() -> LaunchProfile {
        let program = Program::parse(PTX).unwrap();
        let device = Emulator::new(Config {
            profile: true,
            ..Config::default()
        });
        device.load(&program).unwrap();
        let buffer = device.alloc(1024).unwrap();
        device.write(buffer, &[0; 1024]).unwrap();
        let launch = Launch {
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 0,
        };
        let report = device
            .launch(&program, "k", &launch, &[&buffer.to_le_bytes()], None)
            .unwrap();
        LaunchProfile::new(Subject {
            ptx: PTX,
            kernel: "k",
            problem: "a <test>".into(),
            launch,
            static_shared: 4096,
            report: &report,
            accept: &[],
            chip: Chip::of("sm_90").unwrap(),
            compiled: Ok(Compiled {
                registers: 40,
                spill_stores: 0,
                spill_loads: 0,
            }),
            registers: program.registers("k").unwrap(),
        })
    }

    #[test]
    fn totals_are_the_sums_of_the_rows() {
        let profile = profile();
        let sum = |of: &dyn Fn(&Costs) -> u64| -> u64 {
            profile.instructions.iter().map(|row| of(&row.costs)).sum()
        };
        let total = &profile.totals.costs;
        assert_eq!(total.executed, sum(&|costs| costs.executed));
        assert_eq!(total.global_sectors, sum(&|costs| costs.global_sectors));
        assert_eq!(total.bank_conflicts, sum(&|costs| costs.bank_conflicts));
        // Two warps run, and two lanes use each bank; 64 numbers are read and written, with two
        // operations on each.
        assert_eq!((total.bank_conflicts, total.shared_wavefronts), (2, 4));
        assert_eq!((total.global_sectors, total.flops), (16, 128));
        assert_eq!(profile.totals.arithmetic_intensity, Some(0.25));
        let lines: Vec<u32> = profile.sources.iter().map(|row| row.line).collect();
        assert_eq!(lines, [3, 4]);
        let of_sources: u64 = profile.sources.iter().map(|row| row.costs.executed).sum();
        assert_eq!(
            of_sources, total.executed,
            "every instruction has a line here"
        );
        assert_eq!(
            (profile.occupancy.blocks, profile.occupancy.limit),
            (24, "registers")
        );
        // The live registers are the thread, the value and an address of two words. The parameter
        // is uniform.
        let registers = &profile.occupancy;
        assert_eq!(
            (registers.live_registers, registers.most_registers),
            ((4, 19), 255)
        );
    }

    #[test]
    fn the_page_needs_nothing_else() {
        let profile = profile();
        let page = page(&profile);
        // The names of SVG's namespace are the only addresses, and the page loads nothing.
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http", "src=", "<script", "<link", "@import", "url("] {
            assert!(!rest.contains(outside), "{outside}");
        }
        assert!(rest.contains("a &lt;test&gt;") && !rest.contains("a <test>"));
        assert!(rest.contains("no &lt;such&gt; file.rs"));
        for tag in ["table", "details", "svg", "div", "body", "html"] {
            let opened = rest.matches(&format!("<{tag}")).count();
            let closed = rest.matches(&format!("</{tag}>")).count();
            assert_eq!(opened, closed, "{tag}");
        }
        // Each instruction that was executed has its line in the listing.
        for row in &profile.instructions {
            assert!(rest.contains(&format!("id=\"L{}\"", row.line)), "{row:?}");
        }
        assert_eq!(
            rest.matches("<rect").count(),
            32,
            "one instruction uses banks"
        );
    }

    #[test]
    fn tables_are_in_order_and_json_has_everything() {
        let profile = profile();
        let table = table(&profile, SortKey::Conflicts, 5);
        assert!(
            table.contains("st.shared.b32") && !table.contains("fma.rn.f32"),
            "{table}"
        );
        let json = serde_json::to_value(&profile).unwrap();
        let rows = json["instructions"].as_array().unwrap();
        assert_eq!(rows.len(), profile.instructions.len());
        assert_eq!(json["totals"]["bank_conflicts"], 2);
        assert!(json["roofline"]["ceiling"].as_f64().unwrap() > 0.0);
        assert!("nonsense".parse::<SortKey>().is_err());
    }

    #[test]
    fn a_kernel_is_its_text() {
        let ptx = ".version 7.0\n.visible .entry a(\n)\n{\n ret;\n}\n.entry ab() { // }\n { ret; }\n}\n// end\n";
        assert_eq!(kernel_text(ptx, "a").0, 2);
        assert_eq!(kernel_text(ptx, "a").1.len(), 5);
        let (first, lines) = kernel_text(ptx, "ab");
        assert_eq!((first, lines.len()), (7, 3));
        assert_eq!(lines[2], "}");
    }
}
