//! FP4 of bitsandbytes, as a format of this crate: a table of 16 numbers.
//!
//! ```text
//!   code   0  1       2       3  4       5    6       7       8 .. 15
//!          0  0.0052  0.6667  1  0.3333  0.5  0.1667  0.25    the same, negative
//! ```
//!
//! Law: the law of [`Codebook`] holds.
//!
//! Source: bitsandbytes `kernels.cu`, `dDequantizeFP4Tree`.

use gpu_kernels::weights::codebook::Codebook;

/// The numbers of bitsandbytes' FP4, which are not those of e2m1.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeFloat4;

impl Codebook for TreeFloat4 {
    const NAME: &'static str = "fp4";
    const NUMBERS: [f32; 16] = {
        let positive = [
            0.0,
            0.005_208_333_3,
            0.666_666_7,
            1.0,
            0.333_333_34,
            0.5,
            0.166_666_67,
            0.25,
        ];
        let mut numbers = [0.0; 16];
        let mut i = 0;
        while i < 8 {
            numbers[i] = positive[i];
            numbers[8 + i] = -positive[i];
            i += 1;
        }
        numbers
    };
}
