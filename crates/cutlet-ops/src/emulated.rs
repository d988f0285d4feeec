//! Runs a launch sequence on the CPU. The emulator executes the same launches as a GPU, and checks
//! them.
//!
//! ```text
//!   bytes of inputs ──► emulator's memory ──► clear, launch, launch ──► bytes of outputs
//! ```
//!
//! Law: if the emulator finds a race or an access outside a buffer in a launch, the result is an
//! error. A CTA takes milliseconds, so this is for tests and for problems of some thousand
//! elements.

use crate::OpsError;
use crate::sequence::{BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use emulator::{
    Config, Emulator, Launch, LaunchAttributes, Program, TensorElement, TensorMap, TensorSwizzle,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the kernel's program, which is parsed at its first use.
fn program(kernel: &'static str) -> Result<Arc<Program>, OpsError> {
    static PROGRAMS: Mutex<Option<HashMap<&str, Arc<Program>>>> = Mutex::new(None);
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let programs = programs.get_or_insert_default();
    if let Some(known) = programs.get(kernel) {
        return Ok(Arc::clone(known));
    }
    let packed = cutlet_kernels::kernel(kernel)?;
    let ptx = packed.map(|of| of.ptx()).transpose();
    let ptx = ptx.map_err(cutlet_kernels::ShippedError::from)?;
    let program = Program::parse(&ptx.unwrap_or_default()).map_err(said)?;
    let program = Arc::new(program);
    programs.insert(kernel, Arc::clone(&program));
    Ok(program)
}

fn said(error: impl std::fmt::Display) -> OpsError {
    OpsError::Emulator(error.to_string())
}

/// Encodes the emulator's tensor map as the bytes of a kernel argument.
fn encode(map: &MapValue, address: u64) -> Result<Vec<u8>, OpsError> {
    const FORMATS: [TensorElement; 5] = [
        TensorElement::U8,
        TensorElement::F16,
        TensorElement::F32,
        TensorElement::Bf16,
        TensorElement::Tf32,
    ];
    const SWIZZLES: [TensorSwizzle; 2] = [TensorSwizzle::B64, TensorSwizzle::B128];
    let element = FORMATS.into_iter().find(|of| of.number() == map.format);
    let swizzle = SWIZZLES.into_iter().find(|of| *of as u32 == map.swizzle);
    let map = TensorMap {
        element: element.unwrap_or(TensorElement::U8),
        address: address + map.offset,
        extents: map.extents.clone(),
        strides: map.strides.clone(),
        box_extents: map.box_extents.clone(),
        element_strides: vec![1; map.extents.len()],
        swizzle: swizzle.unwrap_or_default(),
        fill_nan: false,
        im2col: None,
    };
    Ok(map.encode().map_err(said)?.to_vec())
}

/// Runs a launch.
fn run(device: &Emulator, launch: &KernelLaunch, addresses: &[u64]) -> Result<(), OpsError> {
    let program = program(launch.kernel)?;
    device.load(&program).map_err(said)?;
    let arguments: Result<Vec<Vec<u8>>, OpsError> = (launch.arguments.iter())
        .map(|argument| match argument {
            LaunchValue::Address { buffer, offset } => {
                Ok((addresses[*buffer] + offset).to_le_bytes().to_vec())
            }
            LaunchValue::Null => Ok(vec![0; 8]),
            LaunchValue::Bytes(bytes) => Ok(bytes.clone()),
            LaunchValue::Map(map) => encode(map, addresses[map.buffer]),
        })
        .collect();
    let arguments = arguments?;
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let shape = Launch {
        grid: launch.grid,
        block: launch.block,
        dynamic_shared: launch.shared_bytes,
    };
    let attributes = LaunchAttributes {
        cluster: (launch.cluster != [1; 3]).then_some(launch.cluster),
        programmatic: launch.programmatic,
        ..LaunchAttributes::default()
    };
    let kernel = launch.kernel;
    let result = device.launch_with(&program, kernel, &shape, &attributes, &arguments, None);
    result.map(drop).map_err(said)
}

/// Runs the steps of a sequence: see [`LaunchSequence::emulate`].
pub(crate) fn emulate(
    sequence: &LaunchSequence,
    compute_capability: (u32, u32),
    buffers: &mut [Vec<u8>],
) -> Result<(), OpsError> {
    if buffers.len() != sequence.buffers.len() {
        return Err(OpsError::Buffers {
            found: buffers.len(),
            expected: sequence.buffers.len(),
        });
    }
    let device = Emulator::new(Config {
        compute_capability,
        ..Config::default()
    });
    let mut addresses = Vec::with_capacity(buffers.len());
    for (of, bytes) in sequence.buffers.iter().zip(&*buffers) {
        let needed = usize::try_from(of.bytes).unwrap_or(usize::MAX);
        if of.role != BufferRole::Scratch && bytes.len() < needed {
            return Err(OpsError::Short {
                name: of.name,
                found: bytes.len(),
                needed: of.bytes,
            });
        }
        // A buffer without bytes gets an address too, so at least one byte is allocated.
        let address = device.alloc(needed.max(1)).map_err(said)?;
        if of.role != BufferRole::Scratch && needed > 0 {
            device.write(address, &bytes[..needed]).map_err(said)?;
        }
        addresses.push(address);
    }
    for step in &sequence.steps {
        match step {
            Step::Clear { buffer, bytes } => {
                let zeros = vec![0; usize::try_from(*bytes).unwrap_or(usize::MAX)];
                device.write(addresses[*buffer], &zeros).map_err(said)?;
            }
            Step::Launch(launch) => run(&device, launch, &addresses)?,
        }
    }
    for ((of, bytes), address) in sequence.buffers.iter().zip(buffers).zip(addresses) {
        if of.role == BufferRole::Output && of.bytes > 0 {
            let needed = of.bytes as usize;
            device.read(address, &mut bytes[..needed]).map_err(said)?;
        }
    }
    Ok(())
}
