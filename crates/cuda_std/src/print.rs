//! `print!` and `println!` in kernels: one call of the driver's `vprintf`, whose C format is made
//! at compile time.
//!
//! ```text
//!   println!("row {} of {}: {:.3}", row, rows, x)
//!                 │      │      └── f64   "%.3f"
//!                 │      └───────── u32   "%llu"      each argument 8 bytes, one after the other
//!                 └──────────────── u32   "%llu"
//!   vprintf("row %llu of %llu: %.3f\n", arguments)
//! ```
//!
//! Law: the output is what `std`'s macro prints for the same arguments, except that floats without
//! a precision have C's `%g` with six significant digits. The text of one call is not interleaved
//! with the output of other threads. The order of the texts of different threads is not defined.
//!
//! On the host a kernel prints nothing, but types and format are checked. The driver writes the
//! output of a GPU to the process's standard output the next time the host waits for the GPU. The
//! emulator puts the output into its report, and the crate `host` prints it.
//!
//! Source: CUDA C++ Programming Guide, *Formatted Output*; PTX Writer's Guide to Interoperability,
//! *System Calls: vprintf*.

use core::marker::PhantomData;

/// The largest number of bytes of a format.
const CAPACITY: usize = 512;

/// The conversion by which C's `printf` reads a value. Each value has 8 bytes.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    Signed,
    Unsigned,
    Float,
    Pointer,
}

/// A value that [`print!`](crate::print!) accepts.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot print `{Self}`",
    label = "`print!` takes integers up to 64 bits, `f32`, `f64`, `bool` and pointers",
    note = "convert 16- and 8-bit floats to f32 first; layouts and tensors are printed by `layout_types::print`"
)]
pub trait Printable: Copy {
    #[doc(hidden)]
    const CONVERSION: Conversion;
    #[doc(hidden)]
    fn bits(self) -> u64;
}

macro_rules! printable {
    ($($type:ty, $conversion:ident, $value:ident => $bits:expr;)*) => {$(
        impl Printable for $type {
            const CONVERSION: Conversion = Conversion::$conversion;
            #[inline(always)]
            fn bits(self) -> u64 {
                let $value = self;
                $bits
            }
        }
    )*};
}
printable! {
    i8, Signed, x => i64::from(x) as u64;
    i16, Signed, x => i64::from(x) as u64;
    i32, Signed, x => i64::from(x) as u64;
    i64, Signed, x => x as u64;
    isize, Signed, x => x as u64;
    u8, Unsigned, x => x.into();
    u16, Unsigned, x => x.into();
    u32, Unsigned, x => x.into();
    u64, Unsigned, x => x;
    usize, Unsigned, x => x as u64;
    bool, Unsigned, x => x.into();
    f32, Float, x => f64::from(x).to_bits();
    f64, Float, x => x.to_bits();
}
impl<T> Printable for *const T {
    const CONVERSION: Conversion = Conversion::Pointer;
    #[inline(always)]
    fn bits(self) -> u64 {
        self as usize as u64
    }
}
impl<T> Printable for *mut T {
    const CONVERSION: Conversion = Conversion::Pointer;
    #[inline(always)]
    fn bits(self) -> u64 {
        self as usize as u64
    }
}

/// A tuple of the arguments of one call.
#[doc(hidden)]
pub trait Arguments {
    const CONVERSIONS: &'static [Conversion];
    type Bits;
    fn bits(self) -> Self::Bits;
}

macro_rules! arguments {
    ($($n:literal: $($a:ident)*;)*) => {$(
        impl<$($a: Printable),*> Arguments for ($($a,)*) {
            const CONVERSIONS: &'static [Conversion] = &[$($a::CONVERSION),*];
            type Bits = [u64; $n];
            #[inline(always)]
            #[allow(non_snake_case)]
            fn bits(self) -> [u64; $n] {
                let ($($a,)*) = self;
                [$($a.bits()),*]
            }
        }
    )*};
}
arguments! {
    0: ;
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
}

/// A format string of the source, as a type.
#[doc(hidden)]
pub trait Format {
    const TEXT: &'static str;
}

/// The C format of `F` for arguments of the types in `A`.
struct CFormat<F, A>(PhantomData<(F, A)>);

impl<F: Format, A: Arguments> CFormat<F, A> {
    const BYTES: [u8; CAPACITY] = c_format(F::TEXT.as_bytes(), A::CONVERSIONS);
}

/// Appends a byte, and keeps one byte free for the final NUL.
const fn push(to: &mut [u8; CAPACITY], at: usize, byte: u8) -> usize {
    assert!(at + 1 < CAPACITY, "a format of more than 511 bytes");
    to[at] = byte;
    at + 1
}

/// Converts `{}`, `{:5}`, `{:05}`, `{:8.3}`, `{:.3}`, `{:x}`, `{:e}`, `{{` and `}}` to C's format.
const fn c_format(text: &[u8], conversions: &[Conversion]) -> [u8; CAPACITY] {
    let mut out = [0; CAPACITY];
    let (mut at, mut i, mut argument) = (0, 0, 0);
    while i < text.len() {
        let byte = text[i];
        let next = if i + 1 < text.len() { text[i + 1] } else { 0 };
        i += 1;
        match byte {
            b'%' => {
                at = push(&mut out, at, b'%');
                at = push(&mut out, at, b'%');
            }
            b'{' | b'}' if next == byte => {
                at = push(&mut out, at, byte);
                i += 1;
            }
            b'}' => panic!("a }} without its {{: write }}}} for the character"),
            b'{' => {
                assert!(
                    argument < conversions.len(),
                    "the format has more {{}} than there are arguments"
                );
                let conversion = conversions[argument];
                argument += 1;
                at = push(&mut out, at, b'%');
                let mut letter = 0;
                let mut precise = false;
                if i < text.len() && text[i] == b':' {
                    i += 1;
                    while i < text.len() && text[i] != b'}' {
                        match text[i] {
                            digit @ (b'0'..=b'9' | b'.' | b'+') => {
                                precise |= digit == b'.';
                                at = push(&mut out, at, digit);
                            }
                            flag @ (b'x' | b'X' | b'e') if letter == 0 => letter = flag,
                            _ => panic!(
                                "print! knows {{}}, {{:5}}, {{:05}}, {{:.3}}, {{:8.3}}, {{:+}}, {{:x}}, {{:X}} and {{:e}}"
                            ),
                        }
                        i += 1;
                    }
                }
                assert!(
                    i < text.len() && text[i] == b'}',
                    "print! takes its arguments behind the format, in order: {{}} without a name or a number"
                );
                i += 1;
                let letter = match (conversion, letter) {
                    (Conversion::Float, 0) if precise => b'f',
                    (Conversion::Float, 0) => b'g',
                    (Conversion::Float, b'e') => b'e',
                    (Conversion::Signed, 0) => b'd',
                    (Conversion::Unsigned, 0) => b'u',
                    (Conversion::Pointer, 0) => b'p',
                    (Conversion::Signed | Conversion::Unsigned, b'x' | b'X') => letter,
                    _ => panic!("{{:x}} is for integers, {{:e}} for floats"),
                };
                if matches!(letter, b'd' | b'u' | b'x' | b'X') {
                    at = push(&mut out, at, b'l');
                    at = push(&mut out, at, b'l');
                }
                at = push(&mut out, at, letter);
            }
            _ => at = push(&mut out, at, byte),
        }
    }
    assert!(
        argument == conversions.len(),
        "the format has fewer {{}} than there are arguments"
    );
    out
}

/// Prints `arguments` with the format `F`.
#[doc(hidden)]
#[inline(always)]
pub fn print<F: Format, A: Arguments>(_format: F, arguments: A) {
    let format = const { &CFormat::<F, A>::BYTES };
    let bits = arguments.bits();
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the format ends in NUL, since `push` leaves space for it. It has a conversion of 8
    // bytes for each argument.
    unsafe {
        crate::io::vprintf(format.as_ptr(), (&raw const bits).cast());
    }
    #[cfg(not(target_arch = "nvptx64"))]
    let _ = (format, bits);
}

/// Prints from a kernel, as `std`'s `print!` does. There are at most eight arguments, which the
/// format uses in order.
///
/// Accepts `{}`, `{:5}`, `{:05}`, `{:.3}`, `{:8.3}`, `{:+}`, `{:x}` and `{:e}`, for integers,
/// `f32`, `f64`, `bool` (0 or 1) and pointers; any other argument or format does not compile. Each
/// thread that reaches the call prints, so put the call under a condition, such as `if
/// thread::first()`.
///
/// ```
/// use cuda_std::prelude::*;
///
/// #[kernel]
/// pub unsafe fn show(x: *const f32, n: u32) {
///     if thread::first() {
///         cuda_std::println!("{} numbers, the first {:.3}", n, unsafe { *x });
///     }
/// }
/// ```
#[macro_export]
macro_rules! print {
    ($format:literal $(, $argument:expr)* $(,)?) => { $crate::__print!($format, $format $(, $argument)*) };
}

/// Does the same as [`print!`](crate::print!), and ends the line.
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($format:literal $(, $argument:expr)* $(,)?) => { $crate::__print!(concat!($format, "\n"), $format $(, $argument)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __print {
    ($text:expr, $format:literal $(, $argument:expr)*) => {{
        struct Text;
        impl $crate::print::Format for Text {
            const TEXT: &'static str = $text;
        }
        // This call checks the types, the number of arguments and the format on a host too.
        $crate::print::print(Text, ($($argument,)*));
    }};
}

#[cfg(test)]
mod tests {
    use super::Conversion::*;
    use super::*;

    fn made(text: &str, conversions: &[Conversion]) -> String {
        let bytes = c_format(text.as_bytes(), conversions);
        let end = bytes.iter().position(|&byte| byte == 0).unwrap();
        String::from_utf8(bytes[..end].to_vec()).unwrap()
    }

    #[test]
    fn formats_become_c_s() {
        assert_eq!(made("100% {{}}", &[]), "100%% {}");
        assert_eq!(
            made("{} {:5} {:x}", &[Signed, Unsigned, Unsigned]),
            "%lld %5llu %llx"
        );
        assert_eq!(
            made("{} {:.3} {:8.2} {:e}", &[Float; 4]),
            "%g %.3f %8.2f %e"
        );
        assert_eq!(made("{}{:+}", &[Pointer, Signed]), "%p%+lld");
    }

    #[test]
    #[should_panic = "more {} than there are arguments"]
    fn an_argument_that_is_missing_is_said() {
        made("{} {}", &[Signed]);
    }

    #[test]
    #[should_panic = "fewer {} than there are arguments"]
    fn an_argument_too_many_is_said() {
        made("none", &[Signed]);
    }
}
