//! `cutlet explore`: serves a page on this machine that evaluates expressions and draws them while
//! one types.

use super::Failure;
use super::output::{self, Verdict};
use clap::Args;
use explorer::Explorer;
use std::process::{Command, Stdio};

/// Serve a page on this machine that evaluates and draws CuTe's notation while one types
///
/// Only this machine can reach it, and only its own page is answered. It runs until Ctrl+C.
#[derive(Args)]
pub struct ExploreArguments {
    /// The port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 7326)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// The expression to begin with
    #[arg(value_name = "EXPRESSION")]
    expression: Option<String>,
}

/// Serves the page until Ctrl+C.
pub fn run(arguments: &ExploreArguments) -> Result<Verdict, Failure> {
    let explorer = Explorer::bind(arguments.port).map_err(|error| {
        Failure::Run(format!(
            "port {} of this machine cannot be had: {error} (--port 0 takes a free one)",
            arguments.port
        ))
    })?;
    let url = match &arguments.expression {
        Some(expression) => format!("{}#e={}", explorer.url(), encoded(expression)),
        None => explorer.url(),
    };
    output::write(&format!("{url}\nCtrl+C ends it\n"))?;
    if arguments.open {
        open(&url)?;
    }
    explorer.serve();
    Ok(Verdict::Right)
}

/// Encodes text for an address: all characters except letters, digits and `-._~` as bytes.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// Asks the desktop to open an address.
fn open(url: &str) -> Result<(), Failure> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(|_| ())
        .map_err(|error| Failure::Run(format!("{program}: {error}; open {url} in a browser")))
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn expressions_survive_an_address() {
        assert_eq!(encoded("Sw<2,3,3> o 4:1"), "Sw%3C2%2C3%2C3%3E%20o%204%3A1");
        assert_eq!(encoded("a-b._~"), "a-b._~");
    }
}
