//! `cutlet ptx`: writes the kernels' PTX as the devices load it, and the data that a launch from
//! another program needs.

use super::Failure;
use super::output::{self, Verdict};
use clap::Args;
use cutlet::{kernels, manifest};
use emulator::Program;
use std::path::{Path, PathBuf};

/// Prints the PTX of a module of the program's kernels, or writes it to a file or a folder
///
/// In a folder lies beside it, as JSON, what a launch from any language has to know of each kernel:
/// parameters with names, types and meanings, CTA, cluster, shared memory, grid.
#[derive(Args)]
pub struct PtxArguments {
    /// The module for compute capability 9.0 alone, instead of that for 8.0 and newer
    #[arg(long)]
    sm90a: bool,
    /// The module for compute capability 10.0 alone, whose kernels no card has run
    #[arg(long, conflicts_with = "sm90a")]
    sm100a: bool,
    /// The file to write, or a folder, which gets kernels.ptx and kernels.json (with --sm90a
    /// kernels_sm90a, with --sm100a kernels_sm100a)
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Prints the names of all kernels instead, those that are built one by one too: a file that
    /// CUTLET_KERNELS names to a build that has them all
    #[arg(long, conflicts_with_all = ["sm90a", "sm100a", "out"])]
    list: bool,
    /// Prints for each kernel of the module the registers that ptxas may be expected to take, those
    /// that are live at once in the PTX, and the most that a thread can have, in place of the PTX
    #[arg(long, conflicts_with = "list")]
    registers: bool,
}

/// Runs the command.
pub fn run(arguments: &PtxArguments) -> Result<Verdict, Failure> {
    let write = |file: &Path, bytes: &[u8]| {
        files::write(file, bytes)
            .map_err(|error| Failure::Run(format!("{} cannot be written: {error}", file.display())))
    };
    if arguments.list {
        output::write(&kernels::listed()?)?;
        return Ok(Verdict::Right);
    }
    let (name, ptx) = match arguments {
        PtxArguments { sm90a: true, .. } => ("kernels_sm90a", kernels::sm90a()?),
        PtxArguments { sm100a: true, .. } => ("kernels_sm100a", kernels::sm100a()?),
        _ => ("kernels", kernels::ptx()?),
    };
    if arguments.registers {
        let text = registers(ptx)?;
        match &arguments.out {
            None => output::write(&text)?,
            Some(file) => write(file, text.as_bytes())?,
        }
        return Ok(Verdict::Right);
    }
    match &arguments.out {
        None => output::write(ptx)?,
        Some(file) if file.extension().is_some_and(|ending| ending == "ptx") => {
            write(file, ptx.as_bytes())?;
        }
        Some(folder) => {
            let manifest = manifest::manifest(&format!("{name}.ptx"), ptx)?;
            let text = serde_json::to_string_pretty(&manifest)
                .map_err(|error| Failure::Run(error.to_string()))?;
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::Run(format!("{} cannot be made: {error}", folder.display()))
            })?;
            write(&folder.join(format!("{name}.ptx")), ptx.as_bytes())?;
            write(
                &folder.join(format!("{name}.json")),
                (text + "\n").as_bytes(),
            )?;
        }
    }
    Ok(Verdict::Right)
}

/// Returns a line for each kernel: its name, the registers that `ptxas` is expected to use, the
/// registers that are live at once, the most that a thread can have, and whether the kernel has
/// `setmaxnreg`, which makes the first number exact.
fn registers(ptx: &str) -> Result<String, Failure> {
    let program = Program::parse(ptx).map_err(|error| Failure::Run(error.to_string()))?;
    let mut text = String::from("# kernel, registers expected, live, most, of setmaxnreg\n");
    for kernel in program.kernels() {
        if let Some(of) = program.registers(&kernel.name) {
            let exact = if of.at_start.is_some() { "yes" } else { "no" };
            let (name, expected) = (&kernel.name, of.expected());
            text += &format!("{name} {expected} {} {} {exact}\n", of.live, of.most);
        }
    }
    Ok(text)
}
