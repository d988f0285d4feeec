//! The `wgmma` instructions, and a kernel around each.
//!
//! ```text
//!   block i:  image i ─► shared memory   accumulators i, A's registers i ─► registers   descriptors i ─► wgmma ─► D over C
//! ```

use crate::format::Format;
use layout_types::atom::mma::MmaAtom;
use layout_types::atom::mma::sm90::*;
use layout_types::layout::LayoutFn;
use layout_types::prelude::*;
use std::fmt::Write;

/// A layout: maps an index to an index.
pub type Index = fn(u32) -> u32;

/// The place of A, and the mode of A that is contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// A is in registers.
    Registers,
    /// A is in shared memory, and K is contiguous.
    MajorK,
    /// A is in shared memory, and M is contiguous.
    MajorMn,
}

/// One `wgmma`: its types, its width, and the places of its operands.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The instruction's name in PTX, without operands.
    pub name: String,
    /// The number of columns of D.
    pub n: u32,
    /// The place of A, with its contiguous mode.
    pub left: Left,
    /// Whether K is contiguous in B.
    pub right_is_k_major: bool,
    /// The format of C and D.
    pub accumulator: Format,
    /// The formats of A and B.
    pub operands: [Format; 2],
    /// Maps (thread, value) to the element of D, column by column.
    pub accumulator_layout: Index,
    /// Maps (thread, value) to the element of A, column by column, if A is in registers.
    pub left_layout: Index,
}

/// The widths of `wgmma`. PTX has each of them for floats.
pub const WIDTHS: [u32; 32] = {
    let mut all = [0; 32];
    let mut i = 0;
    while i < 32 {
        all[i] = 8 * (i as u32 + 1);
        i += 1;
    }
    all
};

/// Returns the layout of D for a width. It does not depend on the types.
fn accumulator_layout(n: u32) -> Index {
    macro_rules! widths {
        ($($n:literal)*) => {
            match n {
                $($n => <<Wgmma<F32F16F16, int!($n), Shared> as MmaAtom>::CLayout as LayoutFn>::index::<u32>,)*
                _ => panic!("no width {n}"),
            }
        };
    }
    widths!(8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256)
}

/// Returns, for each kind, its PTX name with `N` in place of the width, and the layout of A in
/// registers.
fn kinds() -> Vec<(&'static str, Index)> {
    macro_rules! kinds {
        ($($kind:ident)*) => {
            vec![$((
                <$kind as WgmmaKind>::PTX,
                <<$kind as WgmmaKind>::ARegisters as LayoutFn>::index::<u32>,
            )),*]
        };
    }
    kinds! {
        F16F16F16 F32F16F16 F32BF16BF16 F32TF32TF32 F16E4M3E4M3 F16E4M3E5M2 F16E5M2E4M3 F16E5M2E5M2 F32E4M3E4M3
        F32E4M3E5M2 F32E5M2E4M3 F32E5M2E5M2 S32S8S8 S32S8U8 S32U8S8 S32U8U8 S32S8S8_SATURATE S32S8U8_SATURATE
        S32U8S8_SATURATE S32U8U8_SATURATE
    }
}

impl Instruction {
    /// Returns all instructions except those for single bits.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (ptx, left_layout) in kinds() {
            let types: Vec<&str> = ptx
                .split('.')
                .skip_while(|word| !word.starts_with("m64"))
                .collect();
            let [accumulator, a, b] =
                [1, 2, 3].map(|i| Format::named(types[i]).expect("a type of PTX"));
            let halves = a.bytes() == 2;
            for n in WIDTHS {
                // PTX ISA, wgmma.mma_async, Matrix shape: 8-bit integers have fewer widths.
                if !a.is_float() && n > 32 && !n.is_multiple_of(16) {
                    continue;
                }
                for (left, right_is_k_major) in [
                    (Left::MajorK, true),
                    (Left::Registers, true),
                    (Left::MajorMn, true),
                    (Left::MajorK, false),
                    (Left::MajorMn, false),
                    (Left::Registers, false),
                ] {
                    if !halves && (left == Left::MajorMn || !right_is_k_major) {
                        continue;
                    }
                    all.push(Self {
                        name: ptx.replace("nN", &format!("n{n}")),
                        n,
                        left,
                        right_is_k_major,
                        accumulator,
                        operands: [a, b],
                        accumulator_layout: accumulator_layout(n),
                        left_layout,
                    });
                }
            }
        }
        all
    }

    /// Returns the number of elements along K.
    #[must_use]
    pub fn k(&self) -> u32 {
        32 / self.operands[0].bytes() as u32
    }

    /// Returns the number of registers per thread for C and D.
    #[must_use]
    pub fn registers(&self) -> u32 {
        self.n / 2 * self.accumulator.bytes() as u32 / 4
    }

    /// Returns the PTX of `run(d, image, left, descriptors)` with 128 threads per block. `bytes` is
    /// the size of an image in shared memory, a multiple of 512. The descriptors are for a tile at
    /// address 0 of the image.
    #[must_use]
    pub fn ptx(&self, bytes: u32) -> String {
        let count = self.registers();
        let mut text = format!(
            ".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 image[];\n\
             .visible .entry run(.param .u64 d, .param .u64 images, .param .u64 left, .param .u64 descriptors)\n{{\n\
             .reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %x<16>;\n.reg .b32 %a<4>;\n.reg .b32 %c<{count}>;\n"
        );
        for (register, name) in ["d", "images", "left", "descriptors"].iter().enumerate() {
            let _ = writeln!(text, "ld.param.u64 %x{register}, [{name}];");
            let _ = writeln!(text, "cvta.to.global.u64 %x{register}, %x{register};");
        }
        let _ = write!(
            text,
            "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, image;\nmad.lo.u32 %r3, %r1, 128, %r0;\n\
             mul.wide.u32 %x4, %r3, {};\nadd.u64 %x0, %x0, %x4;\nmul.wide.u32 %x4, %r3, 16;\nadd.u64 %x2, %x2, %x4;\n\
             mul.wide.u32 %x4, %r1, 16;\nadd.u64 %x3, %x3, %x4;\nmul.wide.u32 %x4, %r1, {bytes};\nadd.u64 %x1, %x1, %x4;\n\
             ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%x2];\nld.global.v2.u64 {{%x5, %x6}}, [%x3];\n\
             mul.wide.u32 %x4, %r0, 4;\nadd.u64 %x1, %x1, %x4;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r5, %r2, %r4;\n\
             $fill:\nld.global.u32 %r6, [%x1];\nst.shared.u32 [%r5], %r6;\nadd.u64 %x1, %x1, 512;\nadd.u32 %r5, %r5, 512;\n\
             add.u32 %r4, %r4, 512;\nsetp.lt.u32 %p0, %r4, {bytes};\n@%p0 bra $fill;\n\
             and.b32 %r2, %r2, 0x3ffff;\nshr.u32 %r2, %r2, 4;\ncvt.u64.u32 %x4, %r2;\nadd.u64 %x5, %x5, %x4;\nadd.u64 %x6, %x6, %x4;\n",
            4 * count
        );
        for i in 0..count {
            let _ = writeln!(text, "ld.global.u32 %c{i}, [%x0+{}];", 4 * i);
        }
        let list: Vec<String> = (0..count).map(|i| format!("%c{i}")).collect();
        let left = match self.left {
            Left::Registers => "{%a0, %a1, %a2, %a3}",
            _ => "%x5",
        };
        let mut tail = String::from(if self.accumulator.is_float() {
            ", 1, 1"
        } else {
            ""
        });
        if self.operands[0].bytes() == 2 {
            if self.left != Left::Registers {
                let _ = write!(tail, ", {}", u8::from(self.left == Left::MajorMn));
            }
            let _ = write!(tail, ", {}", u8::from(!self.right_is_k_major));
        }
        let _ = write!(
            text,
            "fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n{} {{{}}}, {left}, %x6, 1{tail};\n\
             wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
            self.name,
            list.join(", ")
        );
        for i in 0..count {
            let _ = writeln!(text, "st.global.u32 [%x0+{}], %c{i};", 4 * i);
        }
        text.push_str("ret;\n}\n");
        text
    }
}

impl std::fmt::Display for Instruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let right = if self.right_is_k_major {
            "MajorK"
        } else {
            "MajorMn"
        };
        write!(f, "{}, A {:?}, B {right}", self.name, self.left)
    }
}
