//! Prints layouts, tensors and their elements from a kernel, on the GPU and in the emulator.
//!
//! ```text
//!   if thread0() {
//!       print(&tile);              smem 0x0 o (4,2):(2,1)
//!       print_tensor(&tile);       smem 0x0 o (4,2):(2,1):
//!   }                                      0        1
//!                                          2        3          mode 0 downwards, the others from left to right
//! ```
//!
//! Law: the output is a value's `Display`, and each element is printed in the row of its coordinate
//! in mode 0. Code compiled for a host prints nothing, because kernels do not run there.
//!
//! Every thread that reaches the call prints: use [`thread0`] or a condition of your own to select
//! threads. Printing a fragment accesses it by run-time indices, so the fragment lies in local
//! memory in any kernel that contains the call.
//!
//! Source: CuTe `cute/util/print.hpp`, `cute/util/print_tensor.hpp`, `cute/util/debug.hpp`.

use crate::algorithm::Walk;
use crate::arch::printf::{printf_f64, printf_i64, printf_text};
use crate::atom::convert::{ConvertTo, convert};
use crate::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use crate::layout::LayoutFn;
use crate::tensor::{Engine, Read, Tensor};
use core::fmt::{Debug, Display, Write};
use half::{bf16, f16};

/// Writes text to the driver's output.
struct Output;

impl Write for Output {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        printf_text(text);
        Ok(())
    }
}

/// Prints a layout, a tensor, a shape or a number, and a line end: CuTe's `print(x)`.
#[inline(never)]
#[doc(alias = "print_layout")]
#[doc(alias = "print_latex")]
pub fn print(value: &impl Display) {
    // The sink never fails.
    let _ = writeln!(Output, "{value}");
}

/// Prints a tensor's place, its layout, and its elements, with mode 0 downwards and all other modes
/// from left to right: CuTe's `print_tensor(tensor)`.
///
/// The layout is static: slice or tile a tensor with run-time extents first.
#[inline(never)]
#[doc(alias = "print_tensor_latex")]
pub fn print_tensor<E, L>(tensor: &Tensor<E, L>)
where
    E: Read + Engine + Debug,
    E::Value: PrintElement,
    L: Walk,
{
    let _ = writeln!(Output, "{tensor}:");
    table::<L>(|i| tensor.get(i).print());
}

/// Prints a layout and its offsets, with mode 0 downwards and all other modes from left to right:
/// CuTe's `print_layout(layout)`.
#[inline(never)]
pub fn print_layout<L: Walk>(layout: &L) {
    let _ = writeln!(Output, "{layout}");
    table::<L>(|i| printf_i64(c"%6lld", L::index(u64::from(i)) as i64));
}

/// Calls `element` with the numbers of the elements, row by row, and ends each row.
fn table<L: LayoutFn>(mut element: impl FnMut(u32)) {
    let rows = crate::tensor::mode_size::<L>(0).max(1);
    let columns = L::SIZE / rows;
    for row in 0..rows {
        for column in 0..columns {
            element((row + rows * column) as u32);
        }
        printf_text("\n");
    }
}

/// An element that [`print_tensor`] prints, nine characters wide.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` cannot be printed",
    label = "`print_tensor` takes integers up to 64 bits, floats of 8 to 64 bits and coordinates"
)]
pub trait PrintElement: Copy {
    /// Prints the element.
    fn print(self);
}

macro_rules! print_elements {
    ($($type:ty, $value:ident => $call:expr;)*) => {$(
        impl PrintElement for $type {
            #[inline(always)]
            fn print(self) {
                let $value = self;
                $call
            }
        }
    )*};
}
print_elements! {
    f64, x => printf_f64(c"%9g", x);
    f32, x => printf_f64(c"%9g", x.into());
    f16, x => float(x);
    bf16, x => float(x);
    FloatE4M3, x => float(x);
    FloatE5M2, x => float(x);
    TFloat32, x => float(x);
    u8, x => printf_i64(c"%9lld", x.into());
    u16, x => printf_i64(c"%9lld", x.into());
    u32, x => printf_i64(c"%9lld", x.into());
    u64, x => printf_i64(c"%9llu", x as i64);
    i8, x => printf_i64(c"%9lld", x.into());
    i16, x => printf_i64(c"%9lld", x.into());
    i32, x => printf_i64(c"%9lld", x.into());
    i64, x => printf_i64(c"%9lld", x);
}
impl<const N: usize> PrintElement for [u32; N] {
    #[inline(always)]
    fn print(self) {
        printf_text("  (");
        for (i, x) in self.into_iter().enumerate() {
            if i > 0 {
                printf_text(",");
            }
            printf_i64(c"%lld", x.into());
        }
        printf_text(")");
    }
}

#[inline(always)]
fn float(value: impl ConvertTo<f32>) {
    printf_f64(c"%9g", convert::<_, f32>(value).into());
}

macro_rules! special {
    ($name:literal) => {{
        let value: u32;
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the instruction reads a special register.
        unsafe {
            core::arch::asm!(concat!("mov.u32 {0}, %", $name, ";"), out(reg32) value, options(pure, nomem, nostack, preserves_flags));
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            value = 0;
        }
        value
    }};
}

/// Whether this is thread number `thread` in block number `block`, both counted by x, then y, then
/// z: CuTe's `thread(tid, bid)`.
#[inline(always)]
#[must_use]
pub fn thread(thread: u32, block: u32) -> bool {
    let rank = |[x, y, z]: [u32; 3], [width, height]: [u32; 2]| (z * height + y) * width + x;
    let tid = [special!("tid.x"), special!("tid.y"), special!("tid.z")];
    let ctaid = [
        special!("ctaid.x"),
        special!("ctaid.y"),
        special!("ctaid.z"),
    ];
    rank(tid, [special!("ntid.x"), special!("ntid.y")]) == thread
        && rank(ctaid, [special!("nctaid.x"), special!("nctaid.y")]) == block
}

/// Whether this is the first thread of the first block: CuTe's `thread0()`. This is true for one
/// thread of a launch.
#[inline(always)]
#[must_use]
pub fn thread0() -> bool {
    thread(0, 0)
}

/// Whether this is a thread of the first block: CuTe's `block0()`.
#[inline(always)]
#[must_use]
pub fn block0() -> bool {
    special!("ctaid.x") | special!("ctaid.y") | special!("ctaid.z") == 0
}
