//! The tests' common parts: a device with one module, buffers of numbers, a small random generator.
#![allow(dead_code, reason = "each test file uses a part of it")]

use emulator::{Config, Emulator, FaultKind, Launch, LaunchError, Program, Report};

/// A device with one module on it.
pub struct Bench {
    pub device: Emulator,
    pub program: Program,
}

/// A kernel's argument.
pub enum Arg {
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    Bytes(Vec<u8>),
}

impl Bench {
    pub fn new(ptx: &str) -> Bench {
        Bench::with(ptx, Config::default())
    }

    pub fn with(ptx: &str, config: Config) -> Bench {
        let program = Program::parse(ptx).unwrap_or_else(|error| panic!("{error}"));
        let device = Emulator::new(config);
        device.load(&program).unwrap();
        Bench { device, program }
    }

    /// Allocates a buffer with these words.
    pub fn words(&self, words: &[u32]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    pub fn longs(&self, longs: &[u64]) -> u64 {
        let bytes: Vec<u8> = longs.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    pub fn bytes(&self, bytes: &[u8]) -> u64 {
        let address = self.device.alloc(bytes.len()).unwrap();
        self.device.write(address, bytes).unwrap();
        address
    }

    pub fn read_words(&self, address: u64, n: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * n];
        self.device.read(address, &mut bytes).unwrap();
        bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    pub fn read_longs(&self, address: u64, n: usize) -> Vec<u64> {
        self.read_words(address, 2 * n)
            .chunks_exact(2)
            .map(|w| u64::from(w[0]) | u64::from(w[1]) << 32)
            .collect()
    }

    pub fn launch(
        &self,
        kernel: &str,
        grid: u32,
        block: u32,
        args: &[Arg],
    ) -> Result<Report, LaunchError> {
        self.launch_with(
            kernel,
            Launch {
                grid: [grid, 1, 1],
                block: [block, 1, 1],
                dynamic_shared: 0,
            },
            args,
        )
    }

    pub fn launch_with(
        &self,
        kernel: &str,
        launch: Launch,
        args: &[Arg],
    ) -> Result<Report, LaunchError> {
        let bytes: Vec<Vec<u8>> = args
            .iter()
            .map(|arg| match arg {
                Arg::U32(value) => value.to_le_bytes().to_vec(),
                Arg::U64(value) => value.to_le_bytes().to_vec(),
                Arg::F32(value) => value.to_le_bytes().to_vec(),
                Arg::F64(value) => value.to_le_bytes().to_vec(),
                Arg::Bytes(bytes) => bytes.clone(),
            })
            .collect();
        let params: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        self.device
            .launch(&self.program, kernel, &launch, &params, None)
    }

    /// Launches a kernel and expects no fault.
    pub fn run(&self, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> Report {
        self.launch(kernel, grid, block, args)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Launches a kernel and expects a fault.
    pub fn fault(&self, kernel: &str, grid: u32, block: u32, args: &[Arg]) -> Box<emulator::Fault> {
        match self.launch(kernel, grid, block, args) {
            Err(LaunchError::Fault(fault)) => fault,
            other => panic!("a fault expected, got {other:?}"),
        }
    }
}

/// Checks that a finding of a launch can be accepted by its kind alone, and that the kernel then
/// continues, or that the finding says why it cannot be accepted. `launched` launches again, with
/// the given configuration.
#[track_caller]
pub fn accepts(
    fault: &emulator::Fault,
    config: Config,
    launched: impl Fn(Config) -> Result<Report, LaunchError>,
) {
    use emulator::{Acceptable, Acceptance};
    let advice = fault.acceptance();
    let Some(kind) = Acceptable::of(&fault.what) else {
        assert!(advice.contains(" cannot be accepted: "), "{advice}");
        return;
    };
    assert!(advice.contains(&format!("--accept {kind}")), "{advice}");
    let mut by_line = Acceptance::new("because");
    by_line.line = Some(emulator::AcceptedLine::Ptx(fault.line));
    let mut by_instruction = Acceptance::new("because");
    by_instruction.instruction = Some(fault.instruction.clone());
    let rules = [kind.to_string().parse().unwrap(), by_line, by_instruction];
    for rule in rules {
        let config = Config {
            accept: vec![rule],
            ..config.clone()
        };
        match launched(config) {
            Ok(report) => assert!(report.accepted[0] > 0, "{fault}"),
            // A launch that continues may end in another finding, or in one at another place.
            Err(LaunchError::Fault(next)) => {
                let same = next.instruction == fault.instruction && next.what == fault.what;
                assert!(!same, "{next}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// Returns the kind of fault with which a launch ends.
pub fn kind(result: Result<Report, LaunchError>) -> FaultKind {
    match result {
        Err(LaunchError::Fault(fault)) => fault.what,
        other => panic!("a fault expected, got {other:?}"),
    }
}

/// Writes a module with `.entry k` around a body. The entry has 64-bit parameters `p0`, `p1`, ...,
/// which are already in the registers `%a0`, `%a1`, ..., and declares the usual registers.
pub fn entry(parameters: usize, body: &str) -> String {
    let list: Vec<String> = (0..parameters)
        .map(|i| format!(".param .u64 p{i}"))
        .collect();
    let loads: String = (0..parameters)
        .map(|i| format!("ld.param.u64 %a{i}, [p{i}];\n"))
        .collect();
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .extern .shared .align 16 .b8 dynamic[];\n\
         .visible .entry k({}) {{\n\
         .reg .pred %p<16>; .reg .b16 %h<32>; .reg .b32 %r<64>; .reg .b64 %d<64>; .reg .b64 %a<{}>; .reg .b32 %tid;\n\
         mov.u32 %tid, %tid.x;\n{loads}{body}\n}}\n",
        list.join(", "),
        parameters.max(1),
    )
}

/// xorshift64*, good enough for operands.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.word() as usize % n
    }

    /// Returns a word that is often special: small, all ones, a power of two, a float's edge.
    pub fn edgy(&mut self) -> u32 {
        match self.next() % 8 {
            0 => (self.next() % 4) as u32,
            1 => u32::MAX - (self.next() % 4) as u32,
            2 => 1 << (self.next() % 32),
            3 => 0x7fff_ffff + (self.next() % 3) as u32,
            4 => [
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0x0080_0000,
                0x007f_ffff,
                0x8000_0000,
                0x3f80_0000,
                1,
            ][(self.next() % 8) as usize],
            _ => self.word(),
        }
    }
}

pub mod lanewise;
pub mod operand;
