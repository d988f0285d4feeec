//! `cutlet completions bash`: prints the script by which a shell completes commands, options and
//! values.

use super::output::{self, Verdict};
use super::{Cli, Failure};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print the completions of a shell: `cutlet completions zsh > ~/.zfunc/_cutlet`
#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &CompletionsArguments) -> Result<Verdict, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "cutlet", &mut script);
    output::write(&String::from_utf8_lossy(&script)).map(|()| Verdict::Right)
}
