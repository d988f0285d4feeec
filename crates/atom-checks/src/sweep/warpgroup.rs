//! A kernel around one `wgmma`: each of four warps processes its own tile.
//!
//! ```text
//!            columns of B   0..8  8..16 16..24 24..32
//!   warp 0   rows  0..16   [tile]                        A from registers, B in shared memory,
//!   warp 1   rows 16..32         [tile]                  the other blocks of D are ignored
//!   ...
//! ```
//!
//! Law: D of a tile depends only on its A, B and C, whose words are those of the `mma.sync` with 16
//! rows and 8 columns.

use emulator::numerics::mma::{Accumulator, Combine, Element, Mma};
use std::fmt::Write;

/// The variant of a `wgmma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Adds C.
    Accumulate,
    /// Does not add C (`scale-d` is 0).
    Multiply,
    /// Negates A, and adds C.
    Negate,
}

/// Returns the `mma.sync` instructions that have, for 8 columns, the registers of one warp of a
/// `wgmma`. There is one for every type of `wgmma`.
#[must_use]
pub fn warpgroup_instructions() -> Vec<Mma> {
    let has = |mma: &Mma| {
        let k = match mma.a {
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 => 8,
            Element::B1 => 256,
            _ => 32,
        };
        let byte = matches!(
            mma.a,
            Element::E4m3 | Element::E5m2 | Element::S8 | Element::U8
        );
        let float = matches!(mma.a, Element::F16 | Element::Bf16 | Element::Tf32);
        (byte || float || mma.a == Element::B1 && mma.combine == Combine::AndPopc)
            && mma.c == mma.d
            && (mma.shape.m, mma.shape.n, mma.shape.k) == (16, 8, k)
    };
    Mma::all().into_iter().filter(has).collect()
}

/// Returns the PTX of `sweep(d, a, b, c, tiles)` for blocks of four warps. `tiles` is a multiple of
/// 4.
///
/// ```
/// use atom_checks::sweep::{Variant, warpgroup_ptx};
/// use emulator::numerics::mma::Mma;
/// let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32").unwrap();
/// let text = warpgroup_ptx(&mma, Variant::Accumulate);
/// assert!(text.contains("wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 {"));
/// assert!(host::Device::emulator().load(&text).is_ok());
/// ```
#[must_use]
pub fn warpgroup_ptx(mma: &Mma, variant: Variant) -> String {
    let need = mma.registers();
    let mut text = String::from(
        ".version 8.4\n.target sm_90a\n.address_size 64\n\
         .visible .entry sweep(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 tiles)\n{\n\
         .shared .align 1024 .b8 columns[1024];\n\
         .reg .pred %p<8>;\n.reg .b32 %t<16>;\n.reg .b64 %x<16>;\n.reg .b32 %a<4>;\n.reg .b32 %b<4>;\n.reg .b32 %c<4>;\n.reg .b32 %r<16>;\n",
    );
    for (register, name) in ["d", "a", "b", "c"].iter().enumerate() {
        let _ = writeln!(text, "ld.param.u64 %x{register}, [{name}];");
        let _ = writeln!(text, "cvta.to.global.u64 %x{register}, %x{register};");
    }
    // Each of 8 columns has 16 bytes, one column after the other. The second 16 bytes along k are
    // 128 bytes further, and the next 8 columns are 256 bytes further.
    text.push_str(
        "ld.param.u32 %t0, [tiles];\nmov.u32 %t3, %tid.x;\nshr.u32 %t1, %t3, 5;\nand.b32 %t6, %t3, 31;\n\
         mov.u32 %t4, %ctaid.x;\nshl.b32 %t4, %t4, 2;\nadd.u32 %t4, %t4, %t1;\nmov.u32 %t5, %nctaid.x;\nshl.b32 %t5, %t5, 2;\n\
         mov.u32 %t8, columns;\nshl.b32 %t9, %t1, 8;\nadd.u32 %t9, %t9, %t8;\nshl.b32 %t10, %t6, 2;\nadd.u32 %t9, %t9, %t10;\n\
         and.b32 %t8, %t8, 0x3ffff;\nshr.u32 %t8, %t8, 4;\ncvt.u64.u32 %x9, %t8;\nor.b64 %x9, %x9, 0x1000080000;\n",
    );
    for warp in 0..4 {
        let _ = writeln!(text, "setp.eq.u32 %p{warp}, %t1, {warp};");
    }
    text.push_str("$next:\nsetp.ge.u32 %p4, %t4, %t0;\n@%p4 bra $end;\n");
    let counts = [need.d, need.a, need.b, need.c];
    for (operand, &count) in counts.iter().enumerate() {
        let at = 4 + operand;
        let _ = writeln!(text, "mad.lo.u32 %t7, %t4, {}, %t6;", count * 32);
        let _ = writeln!(text, "mul.wide.u32 %x8, %t7, 4;");
        let _ = writeln!(text, "add.u64 %x{at}, %x{operand}, %x8;");
    }
    for (operand, letter) in [(1, "a"), (2, "b"), (3, "c")] {
        for i in 0..counts[operand] {
            let at = 4 + operand;
            let _ = writeln!(text, "ld.global.u32 %{letter}{i}, [%x{at}+{}];", i * 128);
        }
    }
    for i in 0..need.b {
        let _ = writeln!(text, "st.shared.u32 [%t9+{}], %b{i};", i * 128);
    }
    for (warp, i) in (0..4).flat_map(|warp| (0..need.d).map(move |i| (warp, i))) {
        let _ = writeln!(
            text,
            "selp.b32 %r{}, %c{i}, 0, %p{warp};",
            warp * need.d + i
        );
    }
    text.push_str("fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n");
    let list = |letter: &str, n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("%{letter}{i}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let integer = mma.d == Accumulator::S32;
    let scales = match (integer, variant, mma.a) {
        (true, ..) => "",
        (_, Variant::Negate, Element::F16 | Element::Bf16) => ", -1, 1, 0",
        (_, _, Element::F16 | Element::Bf16) => ", 1, 1, 0",
        (_, Variant::Negate, _) => ", -1, 1",
        _ => ", 1, 1",
    };
    let _ = writeln!(
        text,
        "{} {}, {}, %x9, {}{scales};",
        name(mma),
        list("r", 4 * need.d),
        list("a", need.a),
        i32::from(variant != Variant::Multiply),
    );
    text.push_str("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (warp, i) in (0..4).flat_map(|warp| (0..need.d).map(move |i| (warp, i))) {
        let _ = writeln!(
            text,
            "@%p{warp} st.global.u32 [%x4+{}], %r{};",
            i * 128,
            warp * need.d + i
        );
    }
    text.push_str("bar.sync 0;\nadd.u32 %t4, %t4, %t5;\nbra $next;\n$end:\nret;\n}\n");
    text
}

/// Returns the name of the instruction with 32 columns.
fn name(mma: &Mma) -> String {
    let text = mma.to_string();
    let (satfinite, popc) = (text.contains("satfinite"), text.contains(".popc"));
    // The types of D, A and B follow the layouts.
    let types: Vec<&str> = text
        .split('.')
        .skip_while(|word| *word != "col")
        .skip(1)
        .filter(|word| *word != "satfinite")
        .take(3)
        .collect();
    let tail = match (popc, satfinite) {
        (true, _) => ".and.popc",
        (_, true) => ".satfinite",
        _ => "",
    };
    format!(
        "wgmma.mma_async.sync.aligned.m64n32k{}.{}{tail}",
        mma.shape.k,
        types.join(".")
    )
}
