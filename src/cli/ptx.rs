//! `cutlet ptx`: the kernels as the devices get them.

use super::Failure;
use super::output::{self, Verdict};
use clap::Args;
use cutlet::kernels;
use std::path::PathBuf;

/// Prints the PTX of a module of the program's kernels, or writes it to a file
#[derive(Args)]
pub struct PtxArguments {
    /// The module for compute capability 9.0 alone, instead of that for 8.0 and newer
    #[arg(long)]
    sm90a: bool,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &PtxArguments) -> Result<Verdict, Failure> {
    let ptx = match arguments.sm90a {
        true => kernels::sm90a()?,
        false => kernels::ptx()?,
    };
    match &arguments.out {
        None => output::write(ptx)?,
        Some(file) => std::fs::write(file, ptx).map_err(|error| {
            Failure::Run(format!("{} cannot be written: {error}", file.display()))
        })?,
    }
    Ok(Verdict::Right)
}
