//! The numbers that `ptxas -v` prints about a kernel: its registers and the bytes that it spills.
//!
//! ```text
//! ptxas info : Compiling entry function 'gemm' for 'sm_90'
//! ptxas info : Function properties for gemm
//!     0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
//! ptxas info : Used 128 registers, used 1 barriers, 1024 bytes smem
//! ```
//!
//! Law: the numbers are those of the named kernel for the named target. If there are no numbers,
//! the error has the reason.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use thiserror::Error;

/// The resources of a kernel, as `ptxas` compiled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The registers of a thread.
    pub registers: u32,
    /// The bytes of registers that are stored to local memory.
    pub spill_stores: u32,
    /// The bytes that are loaded back.
    pub spill_loads: u32,
}

/// The program `ptxas`, by its path, or as found in `PATH`.
#[derive(Clone, Debug, Default)]
pub struct Ptxas(pub Option<PathBuf>);

/// The reason why there are no numbers.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PtxasError {
    /// The program did not start.
    #[error(
        "no ptxas: `{program}` does not start ({why}); it comes with the CUDA toolkit, name it with --ptxas"
    )]
    Missing {
        /// The program's name or path.
        program: String,
        /// The system's message.
        why: String,
    },
    /// The program refused the module.
    #[error("ptxas refused the module for {target}: {message}")]
    Refused {
        /// The target.
        target: String,
        /// The first message of the program.
        message: String,
    },
    /// The program printed nothing about the kernel.
    #[error("ptxas said nothing about kernel `{0}`")]
    Silent(String),
}

impl Ptxas {
    /// Compiles one kernel of a module for a target such as `sm_90`.
    ///
    /// # Errors
    /// Returns a [`PtxasError`], the reason why there are no numbers.
    pub fn compile(&self, ptx: &str, kernel: &str, target: &str) -> Result<Compiled, PtxasError> {
        let program = self.0.clone().unwrap_or_else(|| PathBuf::from("ptxas"));
        let missing = |why: std::io::Error| PtxasError::Missing {
            program: program.display().to_string(),
            why: why.to_string(),
        };
        let folder = std::env::temp_dir().join(format!("cutlet-ptxas-{}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(missing)?;
        let (module, object) = (folder.join("module.ptx"), folder.join("module.cubin"));
        let ran = files::write(&module, ptx).and_then(|()| {
            Command::new(&program)
                .arg("-v")
                .arg(format!("-arch={target}"))
                .args(["-e", kernel, "-o"])
                .arg(&object)
                .arg(&module)
                .stdin(Stdio::null())
                .output()
        });
        // If this fails, a few hundred kilobytes stay in the system's temporary folder.
        let _ = std::fs::remove_dir_all(&folder);
        let ran = ran.map_err(missing)?;
        let said = String::from_utf8_lossy(&ran.stderr) + String::from_utf8_lossy(&ran.stdout);
        if !ran.status.success() {
            let message = said.lines().next().unwrap_or("no message").to_owned();
            let target = target.to_owned();
            return Err(PtxasError::Refused { target, message });
        }
        read(&said, kernel).ok_or_else(|| PtxasError::Silent(kernel.to_owned()))
    }
}

/// Finds the numbers of a kernel in the output of `ptxas -v`.
fn read(said: &str, kernel: &str) -> Option<Compiled> {
    let name = format!("'{kernel}'");
    let mut lines = said
        .lines()
        .skip_while(|line| !(line.contains("Compiling entry function") && line.contains(&name)))
        .skip(1)
        .take_while(|line| !line.contains("Compiling entry function"));
    let before = |line: &str, label: &str| -> Option<u32> {
        let (head, _) = line.split_once(label)?;
        head.split_whitespace().next_back()?.parse().ok()
    };
    let (mut stores, mut loads) = (0, 0);
    lines.find_map(|line| {
        stores = before(line, " bytes spill stores").unwrap_or(stores);
        loads = before(line, " bytes spill loads").unwrap_or(loads);
        let registers = before(line, " registers")?;
        Some(Compiled {
            registers,
            spill_stores: stores,
            spill_loads: loads,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
        ptxas info    : Function properties for a\n    \
            8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n\
        ptxas info    : Used 40 registers, used 1 barriers, 8 bytes cumulative stack size\n\
        ptxas info    : Compile time = 1.0 ms\n\
        ptxas info    : Compiling entry function 'ab' for 'sm_90'\n\
        ptxas info    : Function properties for ab\n    \
            0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 255 registers, used 0 barriers, 1024 bytes smem\n";

    #[test]
    fn numbers_are_the_kernels_own() {
        let of = |kernel| read(SAID, kernel).map(|c| (c.registers, c.spill_stores, c.spill_loads));
        assert_eq!(of("a"), Some((40, 12, 16)));
        assert_eq!(of("ab"), Some((255, 0, 0)));
        assert_eq!(of("b"), None);
    }

    #[test]
    fn without_ptxas_there_is_a_reason() {
        let ptxas = Ptxas(Some(PathBuf::from("no-such-program-as-this")));
        let error = ptxas.compile("", "k", "sm_90").unwrap_err();
        assert!(matches!(error, PtxasError::Missing { .. }));
        assert!(error.to_string().contains("--ptxas"), "{error}");
    }
}
