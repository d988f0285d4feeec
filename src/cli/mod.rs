//! The command line, with one file per command and one function that ends all of them.
//!
//! ```text
//!   arguments ─► Command ─► report ─► stdout: lines, or one JSON object      exit status 0: right
//!                       └─► failure ─► stderr: one message                               1: wrong, or failed
//!                                                                                        2: bad usage
//! ```

mod attention;
mod bench;
mod check;
mod completions;
mod decode;
mod device;
mod distributed;
mod doctor;
mod draw;
mod exact;
mod explain;
mod explore;
mod gemm;
mod gradients;
mod layout;
mod new;
mod output;
mod profile;
mod progress;
mod ptx;
mod random_shapes;
mod shape;
mod transpose;
mod tune;
mod vecadd;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use output::Verdict;
use std::io::Write;
use std::process::ExitCode;

/// CuTe's layout algebra in Rust's type system: runs and validates the kernels that are written
/// with it.
///
/// Without a command it is `gemm` at 512×512×512 on the best device: the first GPU where there is
/// one, otherwise the emulator. The exit status is 0 only where the result is right.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    gemm: gemm::GemmArguments,
}

#[derive(Subcommand)]
enum Command {
    Gemm(gemm::GemmArguments),
    Attention(attention::AttentionArguments),
    Decode(decode::DecodeArguments),
    Transpose(transpose::TransposeArguments),
    Vecadd(vecadd::VecaddArguments),
    Bench(bench::BenchArguments),
    Profile(profile::ProfileArguments),
    Check(check::CheckArguments),
    Tune(tune::TuneArguments),
    Doctor(doctor::DoctorArguments),
    Draw(draw::DrawArguments),
    Explore(explore::ExploreArguments),
    Layout(layout::LayoutArguments),
    Completions(completions::CompletionsArguments),
    Ptx(ptx::PtxArguments),
    New(new::NewArguments),
}

/// What every command that runs a kernel takes.
#[derive(Args)]
struct Common {
    /// Where to run: best, gpu, gpu:1, emulator
    #[arg(long, default_value = "best", value_name = "DEVICE")]
    device: device::DeviceChoice,
    /// The GPU that the emulator is, in place of --device: sm_80, sm_86, sm_89, sm_90a, or sm_100a,
    /// whose own kernels no card has run
    #[arg(long, value_name = "TARGET", conflicts_with = "device")]
    arch: Option<device::EmulatedArch>,
    /// What the data is made from
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = natural)]
    seed: u64,
    /// Timed runs on a GPU, after a warm-up
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: Option<u32>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The reason why a command has no report.
enum Failure {
    /// The command failed: exit status 1.
    Run(String),
    /// The arguments are not valid: exit status 2.
    Usage(String),
}

impl<E: Into<cutlet::CutletError>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let message = error.to_string();
        match error {
            // The user typed an extent that is 0, or that no launch covers.
            cutlet::CutletError::Problem(_) => Self::Usage(message),
            // The user typed a k at which the accumulators cannot be judged.
            cutlet::CutletError::NoVerdict { .. } => Self::Usage(message),
            _ => Self::Run(message),
        }
    }
}

/// Returns the command line. It accepts `-5` as a value, so that an error about the value names its
/// option.
fn command() -> clap::Command {
    fn numbers(command: clap::Command) -> clap::Command {
        command
            .mut_args(|argument| {
                let takes_a_value = argument.get_action().takes_values();
                if takes_a_value {
                    argument.allow_negative_numbers(true)
                } else {
                    argument
                }
            })
            .mut_subcommands(numbers)
    }
    numbers(Cli::command())
}

/// Parses an unsigned integer.
fn natural(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("it is an integer from 0 to {}", u64::MAX))
}

/// Runs the command line, and returns the exit status.
pub fn main() -> ExitCode {
    let parsed = command()
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version were requested and go to stdout; everything else is an error on
            // stderr. A reader that has gone away does not change the status.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let verdict = match cli.command.unwrap_or(Command::Gemm(cli.gemm)) {
        Command::Gemm(arguments) => gemm::run(&arguments),
        Command::Attention(arguments) => attention::run(&arguments),
        Command::Decode(arguments) => decode::run(&arguments),
        Command::Transpose(arguments) => transpose::run(&arguments),
        Command::Vecadd(arguments) => vecadd::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Draw(arguments) => draw::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Layout(arguments) => layout::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Ptx(arguments) => ptx::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
    };
    ExitCode::from(end(verdict))
}

/// Prints a command's message to stderr, and returns its exit status.
fn end(result: Result<Verdict, Failure>) -> u8 {
    match result {
        Ok(Verdict::Right) => 0,
        Ok(Verdict::Wrong | Verdict::NotCompared) => 1,
        Err(Failure::Run(message)) => {
            complain(&format!("error: {message}\n"));
            1
        }
        Err(Failure::Usage(message)) => {
            let usage = command().error(clap::error::ErrorKind::ValueValidation, message);
            let _ = usage.print();
            2
        }
    }
}

/// Writes to stderr, and ignores errors.
fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_right_ends_with_0() {
        assert_eq!(end(Ok(Verdict::of(true))), 0);
        assert_eq!(end(Ok(Verdict::of(false))), 1);
        assert_eq!(end(Ok(Verdict::NotCompared)), 1);
        assert_eq!(end(Err(Failure::Run("a test of this message".into()))), 1);
        assert_eq!(end(Err(Failure::Usage("a test of this message".into()))), 2);
    }

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }
}
