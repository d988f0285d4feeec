//! Tests each way in which a launch is refused, with its message: on the emulator, and on the GPU
//! if there is one.

mod common;

use common::{PTX, devices};
use host::{Contract, Device, Error, Launch};

/// The kernel `axpy`, with buffers of 8 elements.
struct Axpy {
    kernel: host::Kernel,
    x: host::Buffer<f32>,
    y: host::Buffer<f32>,
}

impl Axpy {
    fn new(device: &Device) -> Self {
        Self {
            kernel: device.load(PTX).unwrap().kernel("axpy").unwrap(),
            x: device.upload(&[1.0; 8]).unwrap(),
            y: device.upload(&[2.0; 8]).unwrap(),
        }
    }

    fn launch(&mut self, launch: &Launch) -> Result<(), Error> {
        let args = (&self.x, &mut self.y, 1.0_f32, 8_u32);
        self.kernel.launch(launch, args).map(drop)
    }

    /// Returns the message of a launch that must be refused, without the kernel's name. Checks that
    /// the buffer that the launch would have written did not change.
    fn refusal(&mut self, launch: &Launch) -> String {
        let error = self.launch(launch).unwrap_err();
        assert!(matches!(error, Error::Refused { .. }), "{error}");
        assert_eq!(self.y.to_vec().unwrap(), [2.0; 8], "the kernel did not run");
        message(&error)
    }
}

fn message(error: &Error) -> String {
    let text = error.to_string();
    let (kernel, reason) = text.split_once(": ").unwrap();
    assert!(kernel.starts_with("kernel `"), "{text}");
    reason.into()
}

#[test]
fn arguments() {
    for device in devices() {
        let Axpy { kernel, x, mut y } = Axpy::new(&device);
        let launch = Launch::new(1, 8);
        let refused = |result: Result<host::Run, Error>| message(&result.unwrap_err());
        assert_eq!(
            refused(kernel.launch(&launch, (&x, &mut y, 1.0_f32))),
            "3 arguments were given, it takes 4: (.u64, .u64, .f32, .u32)"
        );
        assert_eq!(
            refused(kernel.launch(&launch, ())),
            "0 arguments were given, it takes 4: (.u64, .u64, .f32, .u32)"
        );
        assert_eq!(
            refused(kernel.launch(&launch, (&x, &mut y, 1.0_f32, 8_u64))),
            "argument 3 is a u64 of 8 bytes; the kernel's parameter is .u32, 4 bytes"
        );
        assert_eq!(
            refused(kernel.launch(&launch, (&x, &mut y, 8_u32, 1.0_f32))),
            "argument 2 is a u32 of 4 bytes; the kernel's parameter is .f32, a floating-point number"
        );
        assert_eq!(
            refused(kernel.launch(&launch, (&x, &mut y, 1.0_f32, 8.0_f32))),
            "argument 3 is a f32 of 4 bytes; the kernel's parameter is .u32, an integer"
        );
        assert_eq!(
            refused(kernel.launch(&launch, (8_u64, &mut y, 1.0_f32, 8_u32))),
            "argument 0 is a u64 of 8 bytes; the kernel's parameter is .u64, a pointer: give a buffer"
        );
        assert_eq!(
            refused(kernel.launch(&launch, (&x, &mut y, 1.0_f32, &x))),
            "argument 3 is a read-only buffer of 8 elements (f32), 8 bytes; the kernel's parameter is .u32, 4 bytes"
        );
    }
}

#[test]
fn grids_and_blocks() {
    for device in devices() {
        let mut axpy = Axpy::new(&device);
        let limits = *device.limits();
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            for (extent, at) in [
                (0, [1; 3]),
                (limits.max_grid[axis].saturating_add(1), [1; 3]),
            ] {
                let mut grid = at;
                grid[axis] = extent;
                assert_eq!(
                    axpy.refusal(&Launch::new(grid, 8)),
                    format!(
                        "the grid is ({}, {}, {}): {name} must be from 1 to {}",
                        grid[0], grid[1], grid[2], limits.max_grid[axis]
                    )
                );
            }
            for extent in [0, limits.max_block[axis] + 1] {
                let mut block = [1; 3];
                block[axis] = extent;
                assert_eq!(
                    axpy.refusal(&Launch::new(1, block)),
                    format!(
                        "the block is ({}, {}, {}): {name} must be from 1 to {}",
                        block[0], block[1], block[2], limits.max_block[axis]
                    )
                );
            }
        }
        assert_eq!(
            axpy.refusal(&Launch::new(1, (32, 33))),
            "the block (32, 33, 1) has 1056 threads; the device's limit is 1024"
        );
        let narrow = device.load(PTX).unwrap().kernel("narrow").unwrap();
        let mut out = device.upload(&[0_u32; 65]).unwrap();
        let error = narrow.launch(&Launch::new(1, 65), (&mut out,)).unwrap_err();
        assert_eq!(
            message(&error),
            "the block (65, 1, 1) has 65 threads; the kernel's .maxntid or .reqntid is 64"
        );
        narrow.launch(&Launch::new(1, 64), (&mut out,)).unwrap();
        assert_eq!(out.to_vec().unwrap()[60..], [60, 61, 62, 63, 0]);
    }
}

#[test]
fn contracts() {
    for device in devices() {
        let mut axpy = Axpy::new(&device);
        let base = Launch::new(1, 8);
        let mut refusal = |contract: Contract| axpy.refusal(&base.clone().under(contract));
        let contract = Contract::new;
        assert_eq!(
            refusal(contract().of("reverse")),
            "the contract of this launch is that of `reverse`"
        );
        assert_eq!(
            refusal(contract().grid((2, 1))),
            "the grid is (1, 1, 1); the kernel's contract requires (2, 1, 1)"
        );
        assert_eq!(
            refusal(contract().block(16)),
            "the block is (8, 1, 1); the kernel's contract requires (16, 1, 1)"
        );
        assert_eq!(
            refusal(contract().shared(64)),
            "0 bytes of dynamic shared memory; the kernel's contract requires 64"
        );
        assert_eq!(
            refusal(contract().extent("k", 12, 1, 8)),
            "k is 12; the kernel's contract requires 1 or more and a multiple of 8"
        );
        assert_eq!(
            refusal(contract().extent("n", 0, 1, 1)),
            "n is 0; the kernel's contract requires 1 or more"
        );
        assert_eq!(
            refusal(contract().reads(0, "x", 9, 4)),
            "argument 0 (`x`) has 8 elements; the kernel needs 9"
        );
        assert_eq!(
            refusal(contract().reads_of::<u16>(0, "x", 8, 4)),
            "argument 0 (`x`) has elements of 4 bytes (f32); the kernel's have 2"
        );
        assert_eq!(
            refusal(contract().reads_of::<i32>(0, "x", 9, 4)),
            "argument 0 (`x`) has 8 elements; the kernel needs 9"
        );
        assert_eq!(
            refusal(contract().writes(0, "x", 8, 4)),
            "argument 0 (`x`) was given as `&`; the kernel writes to it, so it must be given as `&mut`"
        );
        assert_eq!(
            refusal(contract().reads(3, "n", 8, 4)),
            "the kernel's contract requires a buffer as argument 3 (`n`); it is a u32 of 4 bytes"
        );
        assert_eq!(
            refusal(contract().reads(4, "z", 8, 4)),
            "the kernel's contract requires a buffer as argument 4 (`z`); it is not there"
        );
        assert_eq!(
            refusal(contract().scalar(3, "n", 9_u32)),
            "argument 3 (`n`) is 8; the contract of this launch was made for 9"
        );
        // A contract that is satisfied is not refused.
        let kept = contract()
            .of("axpy")
            .grid(1)
            .block(8)
            .extent("n", 8, 1, 8)
            .reads_of::<f32>(0, "x", 8, 16)
            .writes_of::<f32>(1, "y", 8, 16)
            .scalar(3, "n", 8_u32);
        axpy.launch(&kept.launch()).unwrap();
        assert_eq!(axpy.y.to_vec().unwrap(), [3.0; 8]);
    }
}

#[test]
fn alignment() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("copy16").unwrap();
        let src = device.upload(&[5_u32; 9]).unwrap();
        let mut dst = device.upload(&[6_u32; 9]).unwrap();
        let contract = Contract::new()
            .writes(0, "dst", 8, 16)
            .reads(1, "src", 8, 16);
        let mut launch = contract.launch();
        launch.block = 2.into();
        let args = (dst.view_mut(0..8).unwrap(), src.view(1..9).unwrap());
        let address = args.1.address();
        let error = kernel.launch(&launch, args).unwrap_err();
        assert_eq!(
            message(&error),
            format!(
                "argument 1 (`src`) lies at {address:#x}, which is a multiple of 4 and not of 16 as the kernel needs"
            )
        );
        assert_eq!(dst.to_vec().unwrap(), [6; 9]);
        kernel
            .launch(&launch, (&mut dst, src.view(0..8).unwrap()))
            .unwrap();
        assert_eq!(dst.to_vec().unwrap(), [5, 5, 5, 5, 5, 5, 5, 5, 6]);
    }
}

#[test]
fn a_check_runs_nothing() {
    for device in devices() {
        let mut axpy = Axpy::new(&device);
        let args = (&axpy.x, &mut axpy.y, 1.0_f32, 8_u32);
        axpy.kernel.check(&Launch::new(1, 8), args).unwrap();
        assert_eq!(axpy.y.to_vec().unwrap(), [2.0; 8]);
    }
}

#[test]
fn an_instruction_that_the_emulator_does_not_know_is_refused_at_the_launch() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n\
               .entry new() {\n  frob.u32 %r1;\n}\n.entry old() { ret; }";
    let module = Device::emulator().load(ptx).unwrap();
    let launch = Launch::new(1, 1);
    module.kernel("old").unwrap().launch(&launch, ()).unwrap();
    let new = module.kernel("new").unwrap();
    let error = new.launch(&launch, ()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Refused { .. }), "{text}");
    assert!(
        text.contains("`new`") && text.contains("5:3: unknown instruction `frob.u32`"),
        "{text}"
    );
    assert!(new.check(&launch, ()).is_err());
}
