//! Plants a defect of each kind that a memory checker looks for: a checker that does not report the
//! defect does not work.
//!
//! ```text
//!   memcheck    one row of D too many           racecheck   no barrier before the first ldmatrix
//!   initcheck   an A that nothing wrote         synccheck   nothing: such a kernel might not end
//! ```

use super::cases::Case;
use super::harness::{check, check_plan};
use cutlet::kernels::{self, Modules};
use gpu_kernels::gemm::CONFIGURATIONS;
use half::f16;
use host::{ByValue, Device, Error, Launch};
use kernel_abi::gemm::{GemmProblem, InputType, OutputType, Schedule};

/// Runs the defect that `checker` should report, in a kernel that is otherwise right. Returns the
/// result of the comparison.
pub fn run(device: &Device, checker: &str) -> Result<(), String> {
    let configuration = *CONFIGURATIONS.first().ok_or("there are no kernels")?;
    let mut gemm = GemmProblem::new(128, 128, 128, InputType::F16, OutputType::Same);
    gemm.accumulator = configuration.accumulator;
    let case = Case {
        configuration,
        gemm,
        schedule: Schedule::Tiles,
    };
    let mut plan = configuration
        .plan(&gemm, case.schedule)
        .map_err(|refused| refused.to_string())?;
    let ptx = kernels::alone(configuration.kernel).map_err(|error| error.to_string())?;
    let ptx = &*ptx.ok_or("the kernel is in no module")?;
    let load = |ptx: &str| {
        let module = device.load(ptx).map_err(|error| error.to_string())?;
        Ok::<Modules, String>(module.into())
    };
    match checker {
        "memcheck" => {
            plan.launch.grid[0] = 2;
            plan.params.m += 1;
            check_plan(&load(ptx)?, &case, &plan, 1, 1)?;
        }
        "initcheck" => unwritten(load(ptx)?.base(), &case).map_err(|error| error.to_string())?,
        "racecheck" => {
            check(&load(&without_barrier(ptx, &case)?)?, &case, 1, 1)?;
        }
        _ => return Err(format!("nothing is planted for `{checker}`")),
    }
    Ok(())
}

/// Returns the PTX without the kernel's first barrier.
fn without_barrier(ptx: &str, case: &Case) -> Result<String, String> {
    let kernel = ptx.find(&format!(".entry {}(", case.configuration.kernel));
    let barrier = |from: usize| Some(from + ptx[from..].find("bar.sync")?);
    let start = kernel.and_then(barrier);
    let start = start.ok_or("the kernel has no barrier")?;
    let end = start + ptx[start..].find(';').ok_or("the barrier has no end")?;
    Ok([&ptx[..start], &ptx[end + 1..]].concat())
}

/// Launches a kernel whose A was never written.
fn unwritten(module: &host::Module, case: &Case) -> Result<(), Error> {
    let device = module.device();
    let a = device.alloc::<f16>(128 * 128)?;
    let b = device.upload(&vec![f16::ONE; 128 * 128])?;
    let mut d = device.upload(&vec![f16::ZERO; 128 * 128])?;
    let c = device.alloc::<f16>(0)?;
    let bias = device.alloc::<f32>(0)?;
    let mut workspace = device.alloc::<u8>(0)?;
    let Ok(plan) = case.configuration.plan(&case.gemm, case.schedule) else {
        return Ok(());
    };
    let shape = Launch::new(plan.launch.grid, plan.launch.block).shared(plan.launch.shared_bytes);
    let words: [u32; 24] = bytemuck::cast(plan.params.to_u64s());
    let kernel = module.kernel(plan.launch.kernel)?;
    let words = ByValue(words);
    kernel.launch(&shape, (&mut d, &a, &b, &c, &bias, &mut workspace, words))?;
    Ok(())
}
