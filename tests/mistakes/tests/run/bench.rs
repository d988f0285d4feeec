//! The shared parts of the catalogue's launches: a device with the kernels, and the verdict.

use host::{Buffer, Device, Error, FaultCause, Kernel, KernelArgs, Launch, Module};
use mistakes::Caught;
use std::fmt;

/// A device with the catalogue's kernels.
pub struct Bench {
    pub device: Device,
    pub module: Module,
}

/// The outcome of a mistake.
pub enum Failure {
    /// A typed error of the host, or a fault.
    Host(Error),
    /// A difference from plain code.
    Wrong(String),
}

/// The verdict on a launch.
pub type Outcome = Result<(), Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Host(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(error) => error.fmt(f),
            Self::Wrong(what) => f.write_str(what),
        }
    }
}

/// Returns the name of a variant, which is the first word of its `Debug`.
fn variant(value: &impl fmt::Debug) -> String {
    let text = format!("{value:?}");
    let end = text.find([' ', '(', '{']).unwrap_or(text.len());
    text[..end].to_owned()
}

impl Failure {
    /// Returns the moment at which it was caught, and the kind of the fault or of the error.
    pub fn kind(&self) -> (Caught, String) {
        let launch = |name: &str| (Caught::Launch, name.to_owned());
        match self {
            Self::Wrong(_) => (Caught::Test, String::from("wrong numbers")),
            Self::Host(Error::Refused { reason, .. }) => (Caught::Launch, variant(reason)),
            Self::Host(Error::Fault(fault)) => match &fault.cause {
                FaultCause::Emulator(error) => match error.as_ref() {
                    emulator::LaunchError::Fault(fault) => (Caught::Emulator, variant(&fault.what)),
                    other => (Caught::Emulator, variant(other)),
                },
                FaultCause::Gpu(error) => (Caught::Emulator, error.name.clone()),
                other => (Caught::Emulator, variant(other)),
            },
            Self::Host(Error::NoSuchKernel(_)) => launch("NoSuchKernel"),
            Self::Host(Error::Target { .. }) => launch("Target"),
            Self::Host(Error::Length { .. }) => launch("Length"),
            Self::Host(Error::Range { .. }) => launch("Range"),
            Self::Host(Error::TensorMap(_)) => launch("TensorMap"),
            Self::Host(Error::Ptx(_)) => launch("Ptx"),
            Self::Host(other) => (Caught::Launch, format!("another: {other}")),
        }
    }
}

/// Returns the sentence of a failure: its first line, without the kernel and the launch at its start.
pub fn sentence(failure: &Failure) -> String {
    let text = match failure {
        Failure::Host(Error::Fault(fault)) => match &fault.cause {
            FaultCause::Emulator(error) => error.to_string(),
            _ => failure.to_string(),
        },
        _ => failure.to_string(),
    };
    let line = text.lines().next().unwrap_or_default();
    // Lines of the PTX, addresses and numbers of shared arrays depend on the code before them.
    let line = without(line, "PTX line ", char::is_numeric);
    let line = without(
        &line,
        "cuda_std_shared_mistake_kernels_0_1_0_",
        char::is_numeric,
    );
    without(&line, "0x70", |c| c.is_ascii_hexdigit())
}

/// Returns `text` with `..` for the characters after each `start` that `left_out` accepts.
fn without(text: &str, start: &str, left_out: fn(char) -> bool) -> String {
    let mut parts = text.split(start);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        result += start;
        result += "..";
        result += rest.trim_start_matches(left_out);
    }
    result
}

impl Bench {
    pub fn new(device: Device) -> Result<Self, Error> {
        let module = device.load(mistakes::ptx().unwrap())?;
        Ok(Self { device, module })
    }

    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        self.module.kernel(name)
    }

    pub fn launch(&self, name: &str, launch: &Launch, args: impl KernelArgs) -> Outcome {
        self.kernel(name)?.launch(launch, args)?;
        Ok(())
    }

    /// Returns `n` small whole numbers of both signs, whose sums are exact.
    pub fn numbers(n: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 37 + 11) % 64) as f32 - 32.0).collect()
    }

    /// Returns a poisoned D.
    pub fn output<T: bytemuck::Pod>(&self, n: usize) -> Result<Buffer<T>, Error> {
        let mut d = self.device.alloc::<T>(n)?;
        d.fill_bytes(0xff)?;
        Ok(d)
    }

    /// Launches `name` on `(d, a, n)` with as many elements of d and a, and compares d with `expected` of a.
    pub fn map(
        &self,
        name: &str,
        launch: &Launch,
        n: usize,
        expected: impl Fn(&[f32], usize) -> f64,
    ) -> Outcome {
        self.map_to(name, launch, n, n, expected)
    }

    /// Does what [`map`](Self::map) does, with another number of elements of d.
    pub fn map_to(
        &self,
        name: &str,
        launch: &Launch,
        n: usize,
        results: usize,
        expected: impl Fn(&[f32], usize) -> f64,
    ) -> Outcome {
        let a = Self::numbers(n);
        let on_a = self.device.upload(&a)?;
        let mut d = self.output::<f32>(results)?;
        self.launch(name, launch, (&mut d, &on_a, n as u32))?;
        let found = d.to_vec()?;
        compare(&found, |i| expected(&a, i), 0.0)
    }
}

impl Bench {
    /// Does what [`map`](Self::map) does for a described d of rows, each of which `expected` computes from a.
    pub fn rows(
        &self,
        name: &str,
        launch: &Launch,
        [rows, columns]: [usize; 2],
        expected: impl Fn(&[f32], usize) -> f64,
    ) -> Outcome {
        let a = Self::numbers(columns);
        let on_a = self.device.upload(&a)?;
        let mut d = self.output::<f32>(rows * columns)?;
        d.describe([rows as u64, columns as u64], [columns as u64, 1]);
        self.launch(name, launch, (&mut d, &on_a, (rows * columns) as u32))?;
        let found = d.to_vec()?;
        compare(&found, |i| expected(&a, i % columns), 0.0)
    }
}

impl Bench {
    /// Does what [`map`](Self::map) does with a d that begins as `before` of a.
    fn update(
        &self,
        name: &str,
        launch: &Launch,
        n: usize,
        before: impl Fn(&[f32]) -> Vec<f32>,
        expected: impl Fn(&[f32], usize) -> f64,
        compared: usize,
    ) -> Outcome {
        let a = Self::numbers(n);
        let on_a = self.device.upload(&a)?;
        let mut d = self.device.upload(&before(&a))?;
        self.launch(name, launch, (&mut d, &on_a, n as u32))?;
        let found = d.to_vec()?;
        compare(&found[..compared], |i| expected(&a, i), 0.0)
    }

    /// Does what [`map_to`](Self::map_to) does for `a`, within 2^-12 of the exact results, one per thread.
    pub fn near(
        &self,
        name: &str,
        launch: &Launch,
        a: Vec<f32>,
        expected: impl Fn(&[f32], usize) -> f64,
    ) -> Outcome {
        let on_a = self.device.upload(&a)?;
        let mut d = self.output::<f32>(launch.block.count() as usize)?;
        self.launch(name, launch, (&mut d, &on_a, a.len() as u32))?;
        compare(&d.to_vec()?, |i| expected(&a, i), 1.0 / 4096.0)
    }

    /// Checks that `d[0] = 0` is increased by the sum of a.
    pub fn add_to(&self, name: &str, launch: &Launch, n: usize) -> Outcome {
        self.update(name, launch, n, |_| vec![0.0], |a, _| sum(a), 1)
    }

    /// Checks that `d[0]` becomes the sum of a, with 15 elements after it that begin with 0.
    pub fn ticket(&self, name: &str, launch: &Launch, n: usize) -> Outcome {
        self.update(name, launch, n, |_| vec![0.0; 16], |a, _| sum(a), 1)
    }

    /// Checks that d, a copy of a, becomes `a[i] + a[i + 1]`, except for the last element.
    pub fn in_place(&self, name: &str, launch: &Launch, n: usize) -> Outcome {
        let expected =
            |a: &[f32], i: usize| f64::from(a[i] + a.get(i + 1).copied().unwrap_or_default());
        self.update(name, launch, n, <[f32]>::to_vec, expected, n)
    }
}

fn sum(a: &[f32]) -> f64 {
    a.iter().map(|&x| f64::from(x)).sum()
}

/// Checks that each element is within `tolerance`, relative to its value; an error names the first.
pub fn compare(found: &[f32], expected: impl Fn(usize) -> f64, tolerance: f64) -> Outcome {
    let wrong = |i: &usize| {
        let (found, expected) = (f64::from(found[*i]), expected(*i));
        // A NaN is wrong, too.
        let error = (found - expected).abs();
        // A value that f32 represents as zero may be smaller.
        error.is_nan() || error > tolerance * expected.abs() + f64::from(f32::MIN_POSITIVE)
    };
    let all: Vec<usize> = (0..found.len()).filter(wrong).collect();
    let Some(&first) = all.first() else {
        return Ok(());
    };
    let (is, not) = (found[first], expected(first) as f32);
    Err(Failure::Wrong(format!(
        "{} of {} elements are wrong: element {first} is {is}, not {not}",
        all.len(),
        found.len()
    )))
}
