//! Writes the planted faults as files for other tools: if `EMULATOR_WRITE_PLANTED` is set to a
//! folder, each faulty kernel is written there under the name of its fault, with a line about its
//! launch.
//!
//! ```text
//!   fault ──► 07.ptx           the module
//!        └──► launches.tsv     number, fault, parameters, blocks, threads, instruction
//! ```

use std::io::Write as _;
use std::sync::Mutex;

static COUNT: Mutex<usize> = Mutex::new(0);

/// The parameters of a kernel: a tensor map of the tile and a buffer; an image, A's registers and
/// D; or a tensor map and a buffer for each kernel of a module. The kernels of such a module are
/// launched one after the other, and each but the first is a programmatic dependent.
#[derive(Clone, Copy, Debug)]
pub enum Parameters {
    Tensor,
    Product,
    Dependents,
}

/// Counts a fault, and writes it if the environment variable is set.
pub fn note(what: &str, text: &str, parameters: Parameters, grid: u32, at: &str) {
    let mut count = COUNT.lock().unwrap();
    *count += 1;
    let Some(folder) = std::env::var_os("EMULATOR_WRITE_PLANTED") else {
        return;
    };
    let folder = std::path::Path::new(&folder);
    // ptxas does not accept a register with a special register's name.
    let text = text
        .replace("%tid.x", "%\0")
        .replace("%tid", "%thread")
        .replace("%\0", "%tid.x");
    std::fs::write(folder.join(format!("{count:02}.ptx")), text).unwrap();
    let table = folder.join("launches.tsv");
    let mut table = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(table)
        .unwrap();
    let threads = match parameters {
        Parameters::Tensor => 32,
        Parameters::Dependents => 64,
        Parameters::Product => 128,
    };
    writeln!(
        table,
        "{count:02}\t{what}\t{parameters:?}\t{grid}\t{threads}\t{at}"
    )
    .unwrap();
}
