//! `cutlet new`: creates a project of the user's own, by [`cutlet::new_project`].

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cutlet::new_project::{self, NewProject, NewProjectError, Origin};

use super::Failure;
use super::output::{self, Verdict};

/// Writes a new project with a kernel, its test on the emulator and its benchmark
#[derive(Args)]
pub struct NewArguments {
    /// The folder to make; its name is the package's
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// What the project begins with
    #[arg(long, value_enum, default_value = "kernel", value_name = "NAME")]
    template: TemplateChoice,
    /// Take Cutlet's packages from this folder [default: where this program was built]
    #[arg(long, value_name = "FOLDER", conflicts_with = "git")]
    cutlet: Option<PathBuf>,
    /// Take Cutlet's packages from this git repository, at the commit that this program was built
    /// of
    #[arg(long, value_name = "URL")]
    git: Option<String>,
    /// The commit or tag of the repository
    #[arg(long, value_name = "REV", requires = "git")]
    rev: Option<String>,
    /// Make no git repository of the folder
    #[arg(long)]
    no_git: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum TemplateChoice {
    /// A transpose through shared memory: layouts, assertions, kernel and launch
    Kernel,
    /// A GEMM with a configuration and an epilogue of its own
    Gemm,
    /// Attention with a score function of its own
    Attention,
}

/// Runs the command.
pub fn run(arguments: &NewArguments) -> Result<Verdict, Failure> {
    let folder = &arguments.folder;
    let NewArguments {
        cutlet, git, rev, ..
    } = arguments;
    let origin = Origin::of(cutlet.as_deref(), git.as_deref(), rev.as_deref())
        .map_err(|unknown| Failure::Usage(unknown.to_string()))?;
    let (template, holds, bench) = match arguments.template {
        TemplateChoice::Kernel => (
            new_project::Template::Kernel,
            "a transpose kernel, its layouts and assertions",
            "on a GPU, beside the device's own copy",
        ),
        TemplateChoice::Gemm => (
            new_project::Template::Gemm,
            "a GEMM with a configuration and an epilogue of its own",
            "on a GPU",
        ),
        TemplateChoice::Attention => (
            new_project::Template::Attention,
            "attention with a score function of its own",
            "on a GPU",
        ),
    };
    let from_folder = matches!(origin, Origin::Folder(_));
    let project = NewProject {
        folder,
        template,
        origin,
    };
    project.write().map_err(|error| match error {
        NewProjectError::Name(why) => Failure::Usage(why),
        other => Failure::Run(other.to_string()),
    })?;
    let repository = if !arguments.no_git && new_project::init_git(folder) {
        ", a git repository"
    } else {
        ""
    };
    let shown = folder.display();
    let mut text = format!(
        "{shown}: {holds}, a test, a benchmark, a workflow for CI{repository}\n\n  cd {shown}\n  cargo test      # on the emulator: no GPU \
         needed\n  cargo bench     # {bench}\n"
    );
    if from_folder {
        text += "\nIts manifests name Cutlet's folder on this machine. For others to build it: `cutlet new --git URL`, which pins this commit.\n";
    }
    output::write(&text)?;
    Ok(Verdict::Right)
}
