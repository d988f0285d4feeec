//! Reads PTX files as the emulator does and says what is in them, or what it does not know.
//!
//! `cargo run -p cutlet-emulator --example check -- kernels.ptx`

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let result = std::fs::read_to_string(&path)
            .map_err(|error| error.to_string())
            .and_then(|text| emulator::Program::parse(&text).map_err(|error| error.to_string()));
        match result {
            Ok(program) => {
                println!("{path}: {}", program.target());
                for kernel in program.kernels() {
                    println!(
                        "  {}({}) shared {}{}",
                        kernel.name,
                        kernel
                            .params
                            .iter()
                            .map(|p| p.ty.as_str())
                            .collect::<Vec<_>>()
                            .join(", "),
                        kernel.static_shared,
                        if kernel.uses_dynamic_shared {
                            " + dynamic"
                        } else {
                            ""
                        }
                    );
                }
            }
            Err(error) => {
                failed = true;
                println!("{path}:{error}");
            }
        }
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
