//! Compares the results of the approximate instructions on a GPU with the emulator's, over all
//! inputs or over every n-th input.
//!
//! ```text
//!   cargo run --release -p atom-checks --example approx_sweep -- [step of the inputs' bits, 1 for all 2^32]
//! ```
//!
//! It prints a line for each instruction: the number of inputs; the number of results whose bits
//! differ; the greatest distance from the emulator's result, in units in its last place, with its
//! input; the greatest absolute difference; and the number of results of another kind (NaN,
//! infinite, zero, or of another sign), with the first of them.

use emulator::numerics::approx::Function;
use emulator::numerics::half_math::HalfKind;
use host::{Device, Launch};
use rayon::prelude::*;
use std::error::Error;

/// A sweep: an instruction, its function, the kind of half if the elements are halves, and whether
/// subnormal numbers are flushed.
struct Case {
    name: &'static str,
    function: Function,
    half: Option<HalfKind>,
    ftz: bool,
}

const fn single(name: &'static str, function: Function, ftz: bool) -> Case {
    Case {
        name,
        function,
        half: None,
        ftz,
    }
}

const fn half(name: &'static str, function: Function, kind: HalfKind, ftz: bool) -> Case {
    Case {
        name,
        function,
        half: Some(kind),
        ftz,
    }
}

const CASES: [Case; 19] = [
    single("rcp.approx.f32", Function::Rcp, false),
    single("rcp.approx.ftz.f32", Function::Rcp, true),
    single("sqrt.approx.f32", Function::Sqrt, false),
    single("sqrt.approx.ftz.f32", Function::Sqrt, true),
    single("rsqrt.approx.f32", Function::Rsqrt, false),
    single("rsqrt.approx.ftz.f32", Function::Rsqrt, true),
    single("sin.approx.f32", Function::Sin, false),
    single("sin.approx.ftz.f32", Function::Sin, true),
    single("cos.approx.f32", Function::Cos, false),
    single("cos.approx.ftz.f32", Function::Cos, true),
    single("lg2.approx.f32", Function::Lg2, false),
    single("lg2.approx.ftz.f32", Function::Lg2, true),
    single("ex2.approx.f32", Function::Ex2, false),
    single("ex2.approx.ftz.f32", Function::Ex2, true),
    single("tanh.approx.f32", Function::Tanh, false),
    half("ex2.approx.f16", Function::Ex2, HalfKind::F16, false),
    half("tanh.approx.f16", Function::Tanh, HalfKind::F16, false),
    half("ex2.approx.ftz.bf16", Function::Ex2, HalfKind::Bf16, true),
    half("tanh.approx.bf16", Function::Tanh, HalfKind::Bf16, false),
];

fn ptx(case: &Case) -> String {
    let body = if case.half.is_some() {
        format!(
            "cvt.u16.u32 %h0, %r5;\n{} %h1, %h0;\ncvt.u32.u16 %r6, %h1;",
            case.name
        )
    } else {
        format!(
            "mov.b32 %f0, %r5;\n{} %f1, %f0;\nmov.b32 %r6, %f1;",
            case.name
        )
    };
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry approx(.param .u64 out, .param .u32 first, .param .u32 step, .param .u32 count)\n{{\n\
         .reg .pred %p;\n.reg .b16 %h<2>;\n.reg .b32 %r<8>;\n.reg .f32 %f<2>;\n.reg .b64 %d<3>;\n\
         ld.param.u64 %d0, [out];\nld.param.u32 %r0, [first];\nld.param.u32 %r1, [step];\nld.param.u32 %r2, [count];\n\
         mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r7, %tid.x;\nmad.lo.u32 %r3, %r3, %r4, %r7;\n\
         setp.ge.u32 %p, %r3, %r2;\n@%p ret;\nmad.lo.u32 %r5, %r3, %r1, %r0;\n{body}\n\
         cvta.to.global.u64 %d0, %d0;\nmul.wide.u32 %d1, %r3, 4;\nadd.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r6;\nret;\n}}\n"
    )
}

/// The counts and differences that a sweep has found.
#[derive(Clone, Copy, Default)]
struct Seen {
    inputs: u64,
    other: u64,
    worst: (u64, u32),
    absolute: f64,
    kinds: u64,
    first: Option<(u32, u32, u32)>,
}

impl Seen {
    fn join(self, other: Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            other: self.other + other.other,
            worst: self.worst.max(other.worst),
            absolute: self.absolute.max(other.absolute),
            kinds: self.kinds + other.kinds,
            first: self.first.or(other.first),
        }
    }

    fn of(case: &Case, input: u32, device: u32) -> Self {
        let (ours, value): (u32, fn(u32) -> f32) = match case.half {
            None => (case.function.f32(input, case.ftz), f32::from_bits),
            Some(kind) => (
                case.function.half(kind, input as u16, case.ftz).into(),
                match kind {
                    HalfKind::F16 => |bits| half::f16::from_bits(bits as u16).to_f32(),
                    HalfKind::Bf16 => |bits| half::bf16::from_bits(bits as u16).to_f32(),
                },
            ),
        };
        let mut seen = Self {
            inputs: 1,
            other: u64::from(ours != device),
            ..Self::default()
        };
        if ours == device {
            return seen;
        }
        let (a, b) = (value(ours), value(device));
        let kind = |x: f32| (x.is_nan(), x.is_infinite(), x == 0.0, x.is_sign_negative());
        if kind(a) != kind(b) {
            seen.kinds = 1;
            seen.first = Some((input, ours, device));
        }
        if a.is_finite() && b.is_finite() {
            seen.absolute = (f64::from(a) - f64::from(b)).abs();
            if kind(a) == kind(b) {
                seen.worst = (u64::from(ours.abs_diff(device)), input);
            }
        }
        seen
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let step: u32 = match std::env::args().nth(1) {
        Some(word) => word.parse()?,
        None => 1,
    };
    let device = Device::best();
    println!("{}", device.where_it_ran());
    let chunk = 1u64 << 26;
    let mut results = vec![0u32; chunk as usize];
    for case in &CASES {
        let kernel = device.load(&ptx(case))?.kernel("approx")?;
        let (all, step) = match case.half {
            Some(_) => (1u64 << 16, 1),
            None => ((1u64 << 32).div_ceil(step.into()), step),
        };
        let mut out = device.alloc::<u32>(chunk.min(all) as usize)?;
        let (mut seen, mut done) = (Seen::default(), 0);
        while done < all {
            let count = chunk.min(all - done) as u32;
            let first = (done * u64::from(step)) as u32;
            let launch = Launch::new(count.div_ceil(256), 256);
            kernel.launch(&launch, (&mut out, first, step, count))?;
            let results = &mut results[..chunk.min(all) as usize];
            out.copy_to(results)?;
            seen = results[..count as usize]
                .par_iter()
                .enumerate()
                .map(|(i, &device)| Seen::of(case, first + i as u32 * step, device))
                .reduce(Seen::default, Seen::join)
                .join(seen);
            done += u64::from(count);
        }
        let Seen {
            inputs,
            other,
            worst,
            absolute,
            kinds,
            first,
        } = seen;
        println!(
            "{} inputs {inputs} other bits {other} most units {} at {:#010x} most absolute {absolute:e} other kind {kinds} first {first:x?}",
            case.name, worst.0, worst.1
        );
    }
    Ok(())
}
