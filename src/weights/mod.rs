//! Products whose B is packed weights of few bits: D = act(alpha X · dequantised Wᵀ + beta C +
//! bias), on Hopper.
//!
//! ```text
//!   published codes, scales ──Weights::upload──► packed on a device ─┐
//!   X (tokens, k), a GemmProblem ────────────────────────────────────┴─ WeightsLibrary::choose ─► kernel, plan ─ prepare ─► D
//! ```
//!
//! ```
//! use cutlet::kernels::Modules;
//! use cutlet::weights::{InputType, WeightsLibrary, Weights, WeightsProblem, format};
//! use half::bf16;
//!
//! // 40 rows of 256 codes, each the number 1; every group's scale is 0.5.
//! let (m, n, k) = (3, 40, 256);
//! let int4 = format("int4:128", InputType::Bf16)?;
//! let device = host::Device::emulator();
//! let weights = Weights::upload(&device, int4, (n, k), |_, _| 9, |_, _| bf16::from_f32(0.5).to_bits().into(), |_, _| 0)?;
//! let library = WeightsLibrary::new(Modules::load(&device)?);
//! let problem = WeightsProblem::new((m, n, k), InputType::Bf16, weights.packed());
//! let choice = library.choose(&problem, None)?;
//! assert_eq!(choice.configuration.kernel, "weights_int4_g128_bf16_t8");
//! # Ok::<(), cutlet::CutletError>(())
//! ```
//!
//! Law: a kernel computes with weights that were packed for it, or refuses them: the plan compares
//! their names. Kernels of few rows multiply a group's sum by its scale; kernels of many rows round
//! each weight, scaled, to the activations' type.
//!
//! `docs/guide/weights.md` describes the kernels and how weights are packed.

mod gguf;

pub use gguf::{GgufTensor, GgufType};
pub use gpu_kernels::weights::pack::{FormatValue, Published, published};
pub use gpu_kernels_sm90::weights::configurations::{MENUS, Menu};
pub use kernel_abi::gemm::InputType;
pub use kernel_abi::weights::{
    Body, PackedLayout, Resources, WeightsConfiguration, WeightsPlan, WeightsProblem,
};
pub use kernel_choice::weights::{WeightsChoice, ranked};

use crate::CutletError;
use crate::gemm::Named;
use crate::kernels::Modules;
use bytemuck::Pod;
use host::{
    Argument, Buffer, ByValue, Contract, Device, Kernel, KernelArg, KernelArgs, PreparedLaunch,
    TensorMapSpec,
};
use kernel_abi::ArgumentName;
use kernel_abi::gemm::{MapBuffer, TensorMapPlan, flags};
use kernel_abi::weights::WeightsArgument;
use std::marker::PhantomData;

/// Returns the format of this name for activations of this type, such as `int4:128` or `q4_K`.
///
/// # Errors
/// Returns [`CutletError::Weights`] with the names of the formats if there is no such format.
pub fn format(name: &str, input: InputType) -> Result<&'static FormatValue, CutletError> {
    let of_input = || MENUS.iter().filter(|of| of.input() == input);
    match of_input().find(|of| of.name == name) {
        Some(menu) => Ok(&menu.format),
        None => Err(CutletError::Weights(match of_input().next() {
            None => format!(
                "weights of few bits are multiplied by f16 or bf16, not by {}",
                input.name()
            ),
            Some(_) => format!(
                "there are no weights {name}; there are: {}",
                of_input().map(|of| of.name).collect::<Vec<_>>().join(", ")
            ),
        })),
    }
}

/// Packed weights on a device, W (n, k).
#[derive(Debug)]
pub struct Weights {
    shape: (u32, u32),
    packed: &'static PackedLayout,
    codes: Buffer<u8>,
    groups: Buffer<u8>,
    /// The factor of all of W.
    tensor_scale: f32,
}

impl Weights {
    /// Packs codes, scales and offsets. `code` returns the code of (row, column). `scale` and
    /// `offset` return the bits of the scale and of the zero or minimum of (row, group); formats
    /// without zeros and minima do not call `offset`. A scale of a whole row is that of group 0, in
    /// f32. The bits are those of the scale's type; for [`Q4KGroups`] and [`Q6KGroups`] see there.
    ///
    /// [`Q4KGroups`]: gpu_kernels::weights::scaling::Q4KGroups
    /// [`Q6KGroups`]: gpu_kernels::weights::scaling::Q6KGroups
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] if an extent is 0, if k ends inside a group, if a code or a
    /// scale is not a number, such as NaN in e4m3 and e8m0, or if a zero is above 15. Also returns
    /// the device's errors.
    pub fn upload(
        device: &Device,
        format: &FormatValue,
        (n, k): (u32, u32),
        code: impl Fn(u32, u32) -> u32,
        scale: impl Fn(u32, u32) -> u32,
        offset: impl Fn(u32, u32) -> u32,
    ) -> Result<Self, CutletError> {
        let multiple = format.packed.k_multiple();
        if n == 0 || k == 0 || !k.is_multiple_of(multiple) {
            return Err(CutletError::Weights(format!(
                "weights of {n} rows and {k} columns of {}: both are at least 1, and the columns a multiple of {multiple}",
                format.packed
            )));
        }
        let is_code = format.is_code;
        if (0..1 << format.packed.bits).any(|code| !is_code(code)) {
            let all = (0..n).flat_map(|row| (0..k).map(move |column| (row, column)));
            if let Some((row, column)) = all.into_iter().find(|&(n, k)| !is_code(code(n, k))) {
                return Err(CutletError::Weights(format!(
                    "the code of row {row}, column {column} is {:#x}, NaN in {}",
                    code(row, column),
                    format.packed.format
                )));
            }
        }
        let groups = format.pack_groups(n, k, scale, offset);
        Ok(Self {
            shape: (n, k),
            packed: format.packed,
            codes: device.upload(&format.pack_codes(n, k, code))?,
            groups: device.upload(&groups.map_err(CutletError::Weights)?)?,
            tensor_scale: 1.0,
        })
    }

    /// Returns the weights with a scale of the whole tensor, such as NVFP4 has. A launch multiplies
    /// its alpha by this scale, in f32.
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] if the scale is not a finite number.
    pub fn with_tensor_scale(self, tensor_scale: f32) -> Result<Self, CutletError> {
        if !tensor_scale.is_finite() {
            return Err(CutletError::Weights(format!(
                "the tensor's scale is {tensor_scale}; it is a finite number"
            )));
        }
        Ok(Self {
            tensor_scale,
            ..self
        })
    }

    /// Makes weights from codes and scales that were packed before.
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] if a buffer does not have the number of bytes of (n, k).
    pub fn from_packed(
        packed: &'static PackedLayout,
        (n, k): (u32, u32),
        codes: Buffer<u8>,
        groups: Buffer<u8>,
    ) -> Result<Self, CutletError> {
        let expected = [packed.code_bytes(n, k), packed.group_bytes(n, k)];
        let found = [codes.len() as u64, groups.len() as u64];
        if found != expected {
            return Err(CutletError::Weights(format!(
                "the codes and scales of {n} rows and {k} columns of {packed} are {} and {} bytes; these are {} and {}",
                expected[0], expected[1], found[0], found[1]
            )));
        }
        Ok(Self {
            shape: (n, k),
            packed,
            codes,
            groups,
            tensor_scale: 1.0,
        })
    }

    /// Returns the numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (u32, u32) {
        self.shape
    }
    /// Returns the layout in which the weights are packed.
    #[must_use]
    pub fn packed(&self) -> &'static PackedLayout {
        self.packed
    }
    /// Returns the scale of the whole tensor.
    #[must_use]
    pub fn tensor_scale(&self) -> f32 {
        self.tensor_scale
    }
    /// Returns the number of bytes of codes and scales.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.codes.len() + self.groups.len()) as u64
    }
}

/// The operands of a product, on the device.
pub struct WeightsOperands<'a, I: Pod, O: Pod> {
    /// X, with the problem's leading dimension.
    pub x: &'a Buffer<I>,
    /// W.
    pub weights: &'a Weights,
    /// C, if the epilogue has a beta.
    pub c: Option<&'a Buffer<O>>,
    /// The bias, if the epilogue has one.
    pub bias: Option<&'a Buffer<f32>>,
    /// D.
    pub d: &'a mut Buffer<O>,
}

/// The arguments of a launch, which keep its operands borrowed.
pub struct WeightsArguments<'a> {
    arguments: Vec<Argument>,
    _workspace: Buffer<u8>,
    _operands: PhantomData<&'a mut ()>,
}

impl KernelArgs for WeightsArguments<'_> {
    fn lower(&self) -> Vec<Argument> {
        self.arguments.clone()
    }
}

/// The kernels for weights of few bits on a device.
#[derive(Clone, Debug)]
pub struct WeightsLibrary {
    modules: Modules,
}

impl WeightsLibrary {
    /// Makes a library of the kernels of these modules.
    #[must_use]
    pub fn new(modules: impl Into<Modules>) -> Self {
        Self {
            modules: modules.into(),
        }
    }
    /// Returns the modules.
    #[must_use]
    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// Chooses the kernel of this name, or by default the one that [`ranked`] puts first, with its
    /// launch.
    ///
    /// # Errors
    /// Returns [`CutletError::NoKernel`] if no kernel has the name, or if the library does not have
    /// the weights' format. Also returns [`CutletError::Problem`] if the plan refuses the problem.
    pub fn choose(
        &self,
        problem: &WeightsProblem,
        name: Option<&str>,
    ) -> Result<WeightsChoice, CutletError> {
        // For f16, q4_0 and q8_0 are packed in the same way as other formats.
        let rows = MENUS.iter().flat_map(|menu| menu.configurations);
        kernel_choice::weights::choose(rows, problem, &resources(self.modules.device()), name)
    }

    /// Loads and returns the kernel of this name.
    ///
    /// # Errors
    /// Returns [`CutletError::Weights`] if the device is no Hopper, and the errors of loading the
    /// kernel.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CutletError> {
        if !self.modules.has(name) {
            return Err(CutletError::Weights(format!(
                "{name} is for compute capability 9.0; the device has {}.{}",
                self.modules.device().compute_capability().0,
                self.modules.device().compute_capability().1
            )));
        }
        self.modules.kernel(name)
    }

    /// Prepares a launch as [`prepare`] does, with the choice's kernel.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`], and those of loading the kernel.
    pub fn prepare<'a, I: Pod, O: Pod>(
        &self,
        choice: &WeightsChoice,
        operands: WeightsOperands<'a, I, O>,
    ) -> Result<PreparedLaunch<WeightsArguments<'a>>, CutletError> {
        prepare(&self.kernel(choice.configuration.kernel)?, choice, operands)
    }
}

/// Returns the resources of a device that a launch may use: at most one CTA per multiprocessor.
#[must_use]
pub fn resources(device: &Device) -> Resources {
    let limits = device.limits();
    kernel_choice::weights::resources(limits.multiprocessors, limits.max_shared as u32)
}

/// Checks the operands against a choice's plan, and binds them to a launch of its kernel, which may
/// be from a crate of your own.
///
/// # Errors
/// Returns [`CutletError::Weights`] if the choice is for weights of another shape or order. Returns
/// [`CutletError::Host`] if a buffer is too short, or if TMA cannot address the rows of X.
pub fn prepare<'a, I: Pod, O: Pod>(
    kernel: &Kernel,
    choice: &WeightsChoice,
    operands: WeightsOperands<'a, I, O>,
) -> Result<PreparedLaunch<WeightsArguments<'a>>, CutletError> {
    let WeightsOperands {
        x,
        weights,
        c,
        bias,
        d,
    } = operands;
    let plan = &choice.plan;
    let WeightsPlan {
        product,
        launch,
        params,
        maps,
        ..
    } = plan;
    if (product.n, product.k) != weights.shape || choice.configuration.packed != weights.packed {
        return Err(CutletError::Weights(format!(
            "the launch is for weights of {} rows and {} columns packed as {}; these are {} and {}, packed as {}",
            product.n,
            product.k,
            choice.configuration.packed,
            weights.shape.0,
            weights.shape.1,
            weights.packed
        )));
    }
    let mut params = *params;
    params.alpha *= weights.tensor_scale;
    if params.alpha != 1.0 {
        params.epilogue |= flags::GENERAL;
    }
    let of_launch = Contract::from(launch).launch().programmatic();
    // Empty buffers replace operands that the epilogue does not read.
    let device = kernel.device();
    let (no_c, no_bias) = (device.alloc::<O>(0)?, device.alloc::<f32>(0)?);
    // The counters are zero before the first launch, and a launch leaves them zero.
    let mut workspace = device.alloc::<u8>(plan.workspace_bytes() as usize)?;
    workspace.fill_bytes(0)?;
    let unbound = |argument: WeightsArgument| {
        let name = argument.name();
        CutletError::Weights(format!("no operand is the kernel's argument `{name}`"))
    };
    let map = |argument, of: Option<&TensorMapPlan>| {
        let map = of.ok_or_else(|| unbound(argument))?;
        let spec = TensorMapSpec::of_plan(map, product.input);
        let map = match map.buffer {
            MapBuffer::A => x.tensor_map(&spec)?,
            MapBuffer::Codes => weights.codes.tensor_map(&spec)?,
            MapBuffer::Records => weights.groups.tensor_map(&spec)?,
            MapBuffer::D | MapBuffer::B | MapBuffer::Workspace => return Err(unbound(argument)),
        };
        Ok(KernelArg::lower(&&map))
    };
    let maps = maps.as_ref();
    let of_workspace = KernelArg::lower(&&mut workspace);
    let value = |argument| {
        Ok(match argument {
            WeightsArgument::D => KernelArg::lower(&d),
            WeightsArgument::X => KernelArg::lower(&x),
            WeightsArgument::Codes => KernelArg::lower(&&weights.codes),
            WeightsArgument::Groups => KernelArg::lower(&&weights.groups),
            WeightsArgument::C => KernelArg::lower(&c.unwrap_or(&no_c)),
            WeightsArgument::Bias => KernelArg::lower(&bias.unwrap_or(&no_bias)),
            WeightsArgument::Workspace => of_workspace.clone(),
            WeightsArgument::Params => ByValue(params.to_u64s()).lower(),
            WeightsArgument::MapX => map(argument, maps.map(|[x, _, _]| x))?,
            WeightsArgument::MapCodes => map(argument, maps.map(|[_, codes, _]| codes))?,
            WeightsArgument::MapRecords => map(argument, maps.map(|[_, _, records]| records))?,
            other => return Err(unbound(other)),
        })
    };
    let all = plan.arguments().iter().map(|of| value(of.name));
    let arguments = all.collect::<Result<_, CutletError>>()?;
    let arguments = WeightsArguments {
        arguments,
        _workspace: workspace,
        _operands: PhantomData,
    };
    Ok(kernel.prepare(&of_launch, arguments)?)
}
