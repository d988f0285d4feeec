//! Selects the function that lowers an instruction: the one of its family, or otherwise one of this
//! folder.

use super::instruction::{Lowered, Lowering};
use super::{
    arithmetic, atomic, bits, bulk, cluster, compare, control, convert, float, half, hints,
    mbarrier, memory, moves, multimem, pack, store_async, tcgen05, tensor, tensor_map, texture,
    video, warp, wgmma, wmma,
};
use crate::types::Type;

/// An instruction family whose file is outside of this folder: the opcode and the modifiers with
/// which its instructions begin, and the function that lowers them.
pub(crate) type FamilyEntry = (&'static [&'static str], fn(&mut Lowering) -> Lowered);

/// Returns the function that lowers the instruction's family, or `None` if the instruction is in no
/// family.
fn family(l: &Lowering) -> Option<fn(&mut Lowering) -> Lowered> {
    let begins = |words: &[&str]| {
        words.first() == Some(&l.inst.opcode) && l.inst.modifiers.starts_with(&words[1..])
    };
    let mut families = l.body.module.families.iter();
    Some(families.find(|(words, _)| begins(words))?.1)
}

/// Lowers one instruction.
pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    use Type::*;
    if let Some(lower) = family(l) {
        return lower(l);
    }
    let ty = l.last_type();
    match l.inst.opcode {
        "add" | "sub" | "mul" | "mad" | "fma" | "neg" | "abs" | "min" | "max" | "div" => match ty {
            Some(F32 | F64) => float::lower(l),
            Some(F16 | F16x2 | Bf16 | Bf16x2) => half::lower(l),
            Some(_) => arithmetic::lower(l),
            None if l.take("f32x2") => float::pairs(l),
            None => Err(l.unknown()),
        },
        "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "copysign" => float::lower(l),
        "ex2" | "tanh" => match ty {
            Some(F32) => float::lower(l),
            _ => half::lower(l),
        },
        "testp" => float::testp(l),
        "rem" | "sad" | "mul24" | "mad24" | "dp4a" | "dp2a" | "addc" | "subc" | "madc" => {
            arithmetic::lower(l)
        }
        "and" | "or" | "xor" | "not" | "cnot" | "lop3" | "shl" | "shr" | "shf" | "bfe" | "bfi"
        | "bfind" | "brev" | "popc" | "clz" | "fns" | "bmsk" | "szext" | "prmt" => bits::lower(l),
        "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vshl" | "vshr" | "vset" => {
            video::scalar(l)
        }
        "vmad" => video::multiply(l),
        "vadd2" | "vsub2" | "vavrg2" | "vabsdiff2" | "vmin2" | "vmax2" | "vset2" | "vadd4"
        | "vsub4" | "vavrg4" | "vabsdiff4" | "vmin4" | "vmax4" | "vset4" => video::simd(l),
        "setp" => compare::setp(l),
        "set" => compare::set(l),
        "selp" => compare::selp(l),
        "slct" => compare::slct(l),
        "cvt" if l.inst.modifiers.first() == Some(&"pack") => pack::lower(l),
        "cvt" => convert::lower(l),
        "mov" => moves::mov(l),
        "cvta" => moves::cvta(l),
        "isspacep" => moves::isspacep(l),
        "ld" | "ldu" => memory::load(l),
        "st" | "red" if l.inst.modifiers.first() == Some(&"async") => store_async::lower(l),
        "st" => memory::store(l),
        "prefetch" | "prefetchu" => hints::prefetch(l),
        "cp" if l.inst.modifiers.contains(&"bulk") => bulk::lower(l),
        "cp" => memory::copy(l),
        "membar" | "fence" => hints::fence(l),
        "applypriority" => hints::priority(l),
        "discard" => hints::discard(l),
        "griddepcontrol" => hints::dependents(l),
        "atom" | "red" => atomic::lower(l),
        "bra" => control::branch(l),
        "brx" => control::table(l),
        "call" => control::call(l),
        "ret" => control::ret(l),
        "exit" => control::exit(l),
        "trap" => control::trap(l),
        "brkpt" => control::breakpoint(l),
        "nanosleep" => control::sleep(l),
        "pmevent" => control::event(l),
        "createpolicy" => hints::policy(l),
        "barrier" if l.inst.modifiers.first() == Some(&"cluster") => cluster::barrier(l),
        "mapa" => cluster::map(l),
        "getctarank" => cluster::rank(l),
        "bar" | "barrier" => warp::barrier(l),
        "mbarrier" => mbarrier::lower(l),
        "setmaxnreg" => warp::set_registers(l),
        "shfl" => warp::shuffle(l),
        "vote" => warp::vote(l),
        "match" => warp::matching(l),
        "redux" => warp::reduce(l),
        "elect" => warp::elect(l),
        "activemask" => warp::active_mask(l),
        "ldmatrix" => tensor::load_matrix(l),
        "stmatrix" => tensor::store_matrix(l),
        "movmatrix" => tensor::move_matrix(l),
        "mma" => tensor::mma(l),
        "wmma" => wmma::lower(l),
        "wgmma" => wgmma::lower(l),
        "tcgen05" => tcgen05::lower(l),
        "multimem" => multimem::lower(l),
        "tensormap" => tensor_map::lower(l),
        "tex" => texture::fetch(l),
        "suld" => texture::load(l),
        "sust" => texture::store(l),
        _ => Err(l.unknown()),
    }
}
