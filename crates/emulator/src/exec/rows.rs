//! The frame of a function call. The rows of constants and special registers are set; those of all
//! other registers are 0.

use super::grid::LaunchState;
use super::step::undefined::Undefined;
use super::warp::Activation;
use crate::address::{FUNCTION_START, FUNCTION_STEP, RANK_SHIFT, SHARED_START};
use crate::frame::{Frame, WARP};
use crate::ir::{Constant, Function, NONE, Special, Symbol};
use crate::memory::lanes::LaneMemory;

/// Creates a frame for `function`, whose local variables begin at `local`.
pub(crate) fn activation(
    launch: &LaunchState,
    block: [u32; 3],
    warp: u32,
    function: u32,
    local: u32,
) -> Activation {
    let code = &launch.image.functions[function as usize];
    let warp = warp % launch.warps;
    let mut registers = Frame {
        r32: vec![[0; WARP]; code.rows32 as usize],
        r64: vec![[0; WARP]; code.rows64 as usize],
        pred: vec![0; code.predicates as usize],
    };
    for (row, &constant) in registers.r32.iter_mut().zip(&code.constants32) {
        match value(launch, block, constant, local) {
            Value::Uniform(value) => row.fill(value as u32),
            Value::Special(special) => {
                for (lane, out) in row.iter_mut().enumerate() {
                    *out = self::special(launch, block, warp, lane as u32, special) as u32;
                }
            }
        }
    }
    for (row, &constant) in registers.r64.iter_mut().zip(&code.constants64) {
        match value(launch, block, constant, local) {
            Value::Uniform(value) => row.fill(value),
            Value::Special(special) => {
                for (lane, out) in row.iter_mut().enumerate() {
                    *out = self::special(launch, block, warp, lane as u32, special);
                }
            }
        }
    }
    Activation {
        registers,
        parameters: LaneMemory::new(code.param_bytes),
        function,
        return_pc: NONE,
        parent: NONE,
        join: NONE,
        local_end: local + code.local as u32,
        variables_end: local + code.local as u32,
        stack: frame_bytes(code),
        written: match &code.registers {
            Some(registers) if launch.config.check_registers => vec![0; registers.names.len()],
            _ => Vec::new(),
        },
        undefined: match &code.followed {
            Some(followed) if launch.config.follows_undefined() => {
                Some(Box::new(Undefined::new(followed)))
            }
            _ => None,
        },
    }
}

/// Returns the bytes per thread of a function's frame.
pub(crate) fn frame_bytes(code: &Function) -> usize {
    let registers = 4 * code.rows32 as usize + 8 * code.rows64 as usize;
    code.local + code.param_bytes + registers
}

enum Value {
    Uniform(u64),
    Special(Special),
}

/// Returns the shared address of the first byte of a block's memory.
fn shared_start(launch: &LaunchState, block: [u32; 3]) -> u32 {
    SHARED_START + (launch.rank_of(block) << RANK_SHIFT)
}

fn value(launch: &LaunchState, block: [u32; 3], constant: Constant, local: u32) -> Value {
    Value::Uniform(match constant {
        Constant::Value(value) => value,
        Constant::Address(symbol, offset) => address(launch, symbol).wrapping_add(offset as u64),
        Constant::Shared(variable, offset) => {
            let at = launch.kernel().shared[variable as usize].unwrap_or(0);
            u64::from(shared_start(launch, block) + at).wrapping_add(offset as u64)
        }
        Constant::Local(offset) => u64::from(local).wrapping_add(offset as u64),
        Constant::Special(special) => return Value::Special(special),
    })
}

/// Returns the generic address of a symbol.
fn address(launch: &LaunchState, symbol: Symbol) -> u64 {
    match symbol {
        Symbol::Function(function) => FUNCTION_START + u64::from(function) * FUNCTION_STEP,
        Symbol::Variable(variable) => launch.variables[variable as usize],
    }
}

fn special(launch: &LaunchState, block: [u32; 3], warp: u32, lane: u32, special: Special) -> u64 {
    let bit = 1u32 << lane;
    u64::from(match special {
        Special::Tid(axis) => launch.thread(warp * WARP as u32 + lane)[usize::from(axis)],
        Special::Ntid(axis) => launch.block[usize::from(axis)],
        Special::Ctaid(axis) => block[usize::from(axis)],
        Special::Nctaid(axis) => launch.grid[usize::from(axis)],
        Special::LaneId => lane,
        Special::WarpId => warp,
        Special::NWarpId => launch.warps,
        Special::SmId => {
            (launch.linear(block) % u64::from(launch.config.multiprocessors.max(1))) as u32
        }
        Special::NSmId => launch.config.multiprocessors,
        Special::GridId => return launch.grid_id,
        Special::LaneMaskEq => bit,
        Special::LaneMaskLt => bit - 1,
        Special::LaneMaskLe => bit | (bit - 1),
        Special::LaneMaskGe => !(bit - 1),
        Special::LaneMaskGt => !(bit | (bit - 1)),
        Special::DynamicSharedSize => launch.dynamic_shared as u32,
        Special::TotalSharedSize => launch.shared_bytes as u32,
        // The size includes the KiB that the system reserves.
        Special::AggregateSharedSize => launch.shared_bytes as u32 + SHARED_START,
        Special::ClusterCtaid(axis) => {
            let axis = usize::from(axis);
            block[axis] % launch.cluster[axis]
        }
        Special::ClusterNctaid(axis) => launch.cluster[usize::from(axis)],
        Special::ClusterId(axis) => {
            let axis = usize::from(axis);
            block[axis] / launch.cluster[axis]
        }
        Special::NClusterId(axis) => {
            let axis = usize::from(axis);
            launch.grid[axis] / launch.cluster[axis]
        }
        Special::ClusterRank => launch.rank_of(block),
        Special::ClusterRanks => launch.ranks,
        Special::LocalOwner => launch.local_owner(warp * WARP as u32 + lane),
        Special::ExplicitCluster => u32::from(launch.explicit_cluster),
        Special::GridWorkspace { upper: true } => (launch.workspace >> 32) as u32,
        Special::GridWorkspace { upper: false } => launch.workspace as u32,
        Special::Zero => 0,
        Special::Known(number) => number,
        Special::SystemShared(byte) => {
            let at = launch.system_shared().unwrap_or(launch.shared_bytes);
            shared_start(launch, block) + at as u32 + byte
        }
    })
}
