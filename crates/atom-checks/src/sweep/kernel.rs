//! A kernel around one instruction: each warp processes one tile after the other.
//!
//! ```text
//!   warp w: for tile in (w..tiles).step_by(warps) { load A, B, C; mma; store D }      word = register * 32 + lane
//! ```
//!
//! Law: D of a tile depends only on its A, B and C.

use emulator::numerics::mma::Mma;
use std::fmt::Write;

/// A register's word in memory: 32 bits, or 64 for `.f64`.
pub trait Words: bytemuck::Pod + Send + Sync + PartialEq + std::fmt::LowerHex {
    /// Makes a word of the lowest bits of `bits`.
    fn from_bits(bits: u64) -> Self;
    /// Returns the word's bits.
    fn to_bits(self) -> u64;
    /// Computes D of a tile with `arithmetic`.
    ///
    /// # Panics
    /// Panics if the slices do not have the lengths of the instruction's registers.
    fn execute(
        mma: &Mma,
        arithmetic: emulator::numerics::mma::Arithmetic,
        operands: [&[Self]; 3],
        d: &mut [Self],
    );
}

impl Words for u32 {
    fn from_bits(bits: u64) -> Self {
        bits as u32
    }
    fn to_bits(self) -> u64 {
        self.into()
    }
    fn execute(
        mma: &Mma,
        arithmetic: emulator::numerics::mma::Arithmetic,
        operands: [&[Self]; 3],
        d: &mut [Self],
    ) {
        let [a, b, c] = operands.map(|words| words.as_chunks::<32>().0);
        mma.execute_in(arithmetic, a, b, c, d.as_chunks_mut::<32>().0)
            .expect("the registers are as many as the instruction's");
    }
}

impl Words for u64 {
    fn from_bits(bits: u64) -> Self {
        bits
    }
    fn to_bits(self) -> u64 {
        self
    }
    fn execute(
        mma: &Mma,
        _: emulator::numerics::mma::Arithmetic,
        operands: [&[Self]; 3],
        d: &mut [Self],
    ) {
        let [a, b, c] = operands.map(|words| words.as_chunks::<32>().0);
        mma.execute_wide(a, b, c, d.as_chunks_mut::<32>().0)
            .expect("the registers are as many as the instruction's");
    }
}

/// Returns the PTX of `sweep(d, a, b, c, tiles)` for the instruction's registers, word by word.
///
/// Each block has a whole number of warps.
///
/// ```
/// use atom_checks::sweep::ptx;
/// use emulator::numerics::mma::Mma;
/// let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32").unwrap();
/// let text = ptx(&mma, 80);
/// assert!(text.contains("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {"));
/// assert!(host::Device::emulator().load(&text).is_ok());
/// ```
#[must_use]
pub fn ptx(mma: &Mma, sm: u32) -> String {
    let need = mma.registers();
    let (bytes, letter) = if need.bits == 64 { (8, "d") } else { (4, "r") };
    let float = |word: &str| match (need.bits, word) {
        (64, _) => "f64",
        _ => "b32",
    };
    let mut text = format!(
        ".version 8.7\n.target sm_{sm}\n.address_size 64\n\
         .visible .entry sweep(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 tiles)\n{{\n\
         .reg .pred %p<2>;\n.reg .b32 %t<10>;\n.reg .b64 %x<12>;\n.reg .{} %{letter}<64>;\n",
        float("r")
    );
    for (register, name) in ["d", "a", "b", "c"].iter().enumerate() {
        let _ = writeln!(text, "ld.param.u64 %x{register}, [{name}];");
        let _ = writeln!(text, "cvta.to.global.u64 %x{register}, %x{register};");
    }
    text.push_str(
        "ld.param.u32 %t0, [tiles];\nmov.u32 %t1, %ctaid.x;\nmov.u32 %t2, %ntid.x;\nmov.u32 %t3, %tid.x;\n\
         mad.lo.u32 %t1, %t1, %t2, %t3;\nshr.u32 %t4, %t1, 5;\nmov.u32 %t5, %nctaid.x;\nmul.lo.u32 %t5, %t5, %t2;\n\
         shr.u32 %t5, %t5, 5;\nand.b32 %t6, %t3, 31;\n$next:\nsetp.ge.u32 %p1, %t4, %t0;\n@%p1 bra $end;\n",
    );
    let counts = [need.d, need.a, need.b, need.c];
    for (operand, &count) in counts.iter().enumerate() {
        // The lane's first word of the tile.
        let at = 4 + operand;
        let _ = writeln!(text, "mad.lo.u32 %t7, %t4, {}, %t6;", count * 32);
        let _ = writeln!(text, "mul.wide.u32 %x8, %t7, {bytes};");
        let _ = writeln!(text, "add.u64 %x{at}, %x{operand}, %x8;");
    }
    let first = |operand: usize| counts[..operand].iter().sum::<usize>();
    let kind = if need.bits == 64 { "f64" } else { "u32" };
    for (operand, &count) in counts.iter().enumerate().skip(1) {
        for i in 0..count {
            let _ = writeln!(
                text,
                "ld.global.{kind} %{letter}{}, [%x{}+{}];",
                first(operand) + i,
                4 + operand,
                i * 32 * bytes
            );
        }
    }
    let list = |operand: usize| {
        let names: Vec<String> = (0..counts[operand])
            .map(|i| format!("%{letter}{}", first(operand) + i))
            .collect();
        format!("{{{}}}", names.join(", "))
    };
    let _ = writeln!(
        text,
        "{mma} {}, {}, {}, {};",
        list(0),
        list(1),
        list(2),
        list(3)
    );
    for i in 0..counts[0] {
        let _ = writeln!(
            text,
            "st.global.{kind} [%x4+{}], %{letter}{i};",
            i * 32 * bytes
        );
    }
    text.push_str("add.u32 %t4, %t4, %t5;\nbra $next;\n$end:\nret;\n}\n");
    text
}
