//! `cutlet draw '(8,8):(8,1)' --svg layout.svg`: draws the picture of an expression, into files or
//! in the terminal.

use super::Failure;
use super::output::{self, Verdict};
use clap::{Args, ValueEnum};
use pictures::{ColourBy, Format, Options, Picture, Theme, draw_expression, render};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Draw an expression in CuTe's notation: layouts, thread-value layouts, atoms, tilings, swizzles,
/// divides
///
/// Without a file the picture is drawn in the terminal. `pipeline(3, 8)` draws the timeline of 3
/// stages and 8 tiles.
#[derive(Args)]
pub struct DrawArguments {
    /// What is drawn, in CuTe's notation
    expression: String,
    #[command(flatten)]
    files: Files,
    /// Another title than the expression
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

/// Where pictures go.
#[derive(Args)]
pub struct OutputFiles {
    /// Write an SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write a LaTeX document (TikZ)
    #[arg(long, value_name = "FILE")]
    latex: Option<PathBuf>,
}

/// Where pictures go, and what they look like.
#[derive(Args)]
pub struct Files {
    #[command(flatten)]
    outputs: OutputFiles,
    /// Light or dark; an SVG follows its reader's system otherwise
    #[arg(long, value_enum, default_value_t)]
    theme: ThemeChoice,
    /// What colours say
    #[arg(long, value_enum, default_value_t)]
    colour: ColourChoice,
    /// Bits of an element, for banks
    #[arg(long, value_name = "BITS", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=128))]
    bits: u32,
    /// Bytes of one thread's access to shared memory, for banks: 4, 8 or 16
    #[arg(long, value_name = "BYTES", default_value_t = 16)]
    access: u32,
    /// Pixels of a PNG per unit
    #[arg(long, value_name = "NUMBER", default_value_t = 2.0)]
    scale: f32,
}

/// Light or dark.
#[derive(Clone, Copy, Default, ValueEnum)]
enum ThemeChoice {
    #[default]
    Auto,
    Light,
    Dark,
}

/// What colours say.
#[derive(Clone, Copy, Default, ValueEnum)]
enum ColourChoice {
    #[default]
    Auto,
    Offset,
    Bank,
    None,
}

impl OutputFiles {
    /// Whether a file is requested.
    pub fn any(&self) -> bool {
        self.svg.is_some() || self.png.is_some() || self.latex.is_some()
    }

    /// Writes the requested files; returns a line for each.
    ///
    /// # Errors
    /// Returns an error if a picture has too many pixels, or if a file cannot be written.
    pub fn write(&self, picture: &Picture, options: &Options) -> Result<Vec<String>, Failure> {
        let files = [
            (&self.svg, Format::Svg),
            (&self.png, Format::Png),
            (&self.latex, Format::Latex),
        ];
        let mut lines = Vec::new();
        for (path, format) in files {
            let Some(path) = path else { continue };
            let bytes = render(picture, format, options)
                .map_err(|error| Failure::Run(error.to_string()))?;
            files::write(path, &bytes)
                .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
            lines.push(format!("{} ({} bytes)", path.display(), bytes.len()));
        }
        Ok(lines)
    }

    /// Draws an expression to the requested files; returns a line for each.
    ///
    /// # Errors
    /// Returns an error if the expression has no picture, and the errors of [`write`](Self::write).
    pub fn draw(&self, expression: &str) -> Result<Vec<String>, Failure> {
        if !self.any() {
            return Ok(Vec::new());
        }
        let options = Options::default();
        let picture = draw_expression(expression, &options)
            .map_err(|error| Failure::Run(error.to_string()))?;
        self.write(&picture, &options)
    }
}

impl Files {
    /// Returns the options of pictures that the arguments select.
    pub fn options(&self) -> Options {
        Options {
            theme: match self.theme {
                ThemeChoice::Auto => Theme::Auto,
                ThemeChoice::Light => Theme::Light,
                ThemeChoice::Dark => Theme::Dark,
            },
            colour: match self.colour {
                ColourChoice::Auto => ColourBy::Auto,
                ColourChoice::Offset => ColourBy::Offset,
                ColourChoice::Bank => ColourBy::Bank,
                ColourChoice::None => ColourBy::None,
            },
            element_bits: self.bits,
            access_bytes: self.access,
            scale: self.scale,
            // NO_COLOR is the convention by which users turn colours off.
            terminal_colour: std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none(),
            terminal_columns: columns(),
            ..Options::default()
        }
    }
}

/// Returns the terminal's width if the shell states it, or else 120 columns.
fn columns() -> usize {
    let said = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    said.filter(|columns| (20..=1000).contains(columns))
        .unwrap_or(120)
}

/// Draws the expression.
pub fn run(arguments: &DrawArguments) -> Result<Verdict, Failure> {
    let options = Options {
        title: arguments.title.clone(),
        ..arguments.files.options()
    };
    let picture = draw_expression(&arguments.expression, &options)
        .map_err(|error| Failure::Run(error.to_string()))?;
    if arguments.files.outputs.any() {
        for line in arguments.files.outputs.write(&picture, &options)? {
            output::write(&format!("{line}\n"))?;
        }
    } else {
        output::write(&pictures::terminal::render(&picture, &options))?;
    }
    Ok(Verdict::Right)
}
