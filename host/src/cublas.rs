//! cuBLAS, with which the benchmarks compare. It is opened at run time, if it is installed.
//!
//! ```text
//!   CUTLET_CUBLAS ─► libcublas.so.13, .12 by name ─► CUDA's folder ─► Python's site-packages
//! ```
//!
//! No part of this crate links to cuBLAS or needs it. If it is missing, [`Cublas::open`] returns
//! the places that were searched.
//!
//! Source: cuBLAS library reference (`cublasGemmEx`, `cublasSetStream`, `cublasGetVersion`).

mod call;
mod lt;

use crate::buffer::Buffer;
use crate::device::{Backend, Device};
use crate::enqueue::Enqueue;
use crate::error::Error;
use crate::gpu::Gpu;
use crate::reference::Element;
use crate::timing::{Clock, Time, Timing};
use call::{Call, Route};
use half::{bf16, f16};
use layout_types::atom::element::{FloatE4M3, FloatE5M2};
use libloading::Library;
use lt::{Lt, Planned};
use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// Why cuBLAS computed no product.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CublasError {
    /// The library was not found.
    #[error(
        "cuBLAS was not found; set CUTLET_CUBLAS to the path of libcublas.so, or install it with `pip install nvidia-cublas`. Looked for: {}",
        .tried.join(", ")
    )]
    NotFound {
        /// The names and files that were tried, with the loader's message if it returned one.
        tried: Vec<String>,
    },
    /// `CUTLET_CUBLAS` names a file that is not cuBLAS.
    #[error("CUTLET_CUBLAS names {path}, which cannot be used: {reason}")]
    NotUsable {
        /// The file.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// cuBLAS runs on a GPU, and the device is not a GPU.
    #[error("cuBLAS needs a GPU; this device is the {device}")]
    NotAGpu {
        /// The device's name.
        device: String,
    },
    /// A call failed.
    #[error("{call} returned {name}")]
    Call {
        /// The call.
        call: &'static str,
        /// The status, with its name.
        name: String,
    },
    /// A matrix is shorter than its shape, or an extent is beyond what cuBLAS counts.
    #[error("{what}")]
    Shape {
        /// What is wrong, with the values.
        what: String,
    },
}

/// An element type that cuBLAS multiplies, with its `cudaDataType`.
pub trait CublasElement: Element {
    /// `CUDA_R_16F`, `CUDA_R_16BF`, `CUDA_R_32F`, `CUDA_R_8I`, `CUDA_R_32I`, `CUDA_R_8F_E4M3` or
    /// `CUDA_R_8F_E5M2`.
    #[doc(hidden)]
    const DATA_TYPE: c_int;
}

impl CublasElement for f16 {
    const DATA_TYPE: c_int = 2;
}
impl CublasElement for bf16 {
    const DATA_TYPE: c_int = 14;
}
impl CublasElement for f32 {
    const DATA_TYPE: c_int = 0;
}
impl CublasElement for i8 {
    const DATA_TYPE: c_int = 3;
}
impl CublasElement for i32 {
    const DATA_TYPE: c_int = 10;
}
impl CublasElement for FloatE4M3 {
    const DATA_TYPE: c_int = 28;
}
impl CublasElement for FloatE5M2 {
    const DATA_TYPE: c_int = 29;
}

/// The library that computes a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CublasApi {
    /// cuBLAS, which chooses the algorithm. If cuBLAS does not have such a product, cublasLt
    /// computes it by the first algorithm that it suggests.
    GemmEx,
    /// cublasLt, by the fastest of the first 8 algorithms that its heuristic suggests.
    Lt,
}

/// cuBLAS's compute type, the type of products and of the accumulator: `cublasComputeType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compute {
    /// `CUBLAS_COMPUTE_32F`: f32 accumulator. f32 inputs are multiplied without rounding.
    F32,
    /// `CUBLAS_COMPUTE_16F`: f16 accumulator, for f16.
    F16,
    /// `CUBLAS_COMPUTE_32F_FAST_TF32`: f32 inputs rounded to TF32, f32 accumulator.
    Tf32,
    /// `CUBLAS_COMPUTE_32I`: 8-bit integer inputs, 32-bit integer accumulator.
    I32,
}

impl Compute {
    fn code(self) -> c_int {
        match self {
            Self::F32 => 68,
            Self::F16 => 64,
            Self::Tf32 => 77,
            Self::I32 => 72,
        }
    }
}

/// A product for cuBLAS to compute: `D = A B`, D `(m, n)` row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CublasProduct {
    /// The number of rows of A and D.
    pub m: u32,
    /// The number of columns of B and D.
    pub n: u32,
    /// The number of columns of A and of rows of B.
    pub k: u32,
    /// Whether A `(m, k)` is row-major.
    pub a_rows: bool,
    /// Whether B `(k, n)` is row-major.
    pub b_rows: bool,
    /// The compute type.
    pub compute: Compute,
    /// The library.
    pub api: CublasApi,
}

impl CublasProduct {
    /// Returns a product with A row-major and B column-major: k is the contiguous mode of both.
    #[must_use]
    pub fn new((m, n, k): (u32, u32, u32), compute: Compute) -> Self {
        Self {
            m,
            n,
            k,
            a_rows: true,
            b_rows: false,
            compute,
            api: CublasApi::GemmEx,
        }
    }
}

const GEMM_DEFAULT: c_int = -1;

type Status = c_int;
type CublasHandle = *mut c_void;
type CreateHandle = unsafe extern "C" fn(*mut CublasHandle) -> Status;
type DestroyHandle = unsafe extern "C" fn(CublasHandle) -> Status;
type SetStream = unsafe extern "C" fn(CublasHandle, *mut c_void) -> Status;
type GetVersion = unsafe extern "C" fn(CublasHandle, *mut c_int) -> Status;
#[rustfmt::skip]
type GemmEx = unsafe extern "C" fn(
    CublasHandle, c_int, c_int, c_int, c_int, c_int,
    *const c_void, *const c_void, c_int, c_int, *const c_void, c_int, c_int,
    *const c_void, *mut c_void, c_int, c_int, c_int, c_int,
) -> Status;

/// cuBLAS on a GPU's stream, which is also the stream of the kernels.
pub struct Cublas {
    handle: CublasHandle,
    gpu: Arc<Gpu>,
    device: Device,
    path: String,
    version: i32,
    gemm_ex: GemmEx,
    destroy: DestroyHandle,
    /// cublasLt, which the first product that needs it opens.
    lt: OnceLock<Result<Lt, CublasError>>,
    // This is the last field, so that it is dropped last: the functions above are in the library.
    _library: Library,
}

impl Cublas {
    /// Finds the library and opens it on `device`.
    ///
    /// # Errors
    /// Returns [`CublasError::NotAGpu`] on the emulator, [`CublasError::NotFound`] with the names
    /// that were tried, and [`CublasError::NotUsable`] if `CUTLET_CUBLAS` names something else.
    pub fn open(device: &Device) -> Result<Self, Error> {
        let Backend::Gpu(gpu) = device.backend() else {
            return Err(CublasError::NotAGpu {
                device: device.name().into(),
            }
            .into());
        };
        let (library, path) = find()?;
        let _entered = gpu.enter()?;
        let missing = |error: libloading::Error| CublasError::NotUsable {
            path: path.clone(),
            reason: error.to_string(),
        };
        macro_rules! symbol {
            ($name:literal as $ty:ty) => {
                // SAFETY: the field has the function's type in the cuBLAS reference, which is the
                // same in CUDA 11 to 13.
                *unsafe { library.get::<$ty>($name) }.map_err(missing)?
            };
        }
        let create = symbol!(b"cublasCreate_v2\0" as CreateHandle);
        let destroy = symbol!(b"cublasDestroy_v2\0" as DestroyHandle);
        let set_stream = symbol!(b"cublasSetStream_v2\0" as SetStream);
        let get_version = symbol!(b"cublasGetVersion_v2\0" as GetVersion);
        let gemm_ex = symbol!(b"cublasGemmEx\0" as GemmEx);
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a local that outlives the call; `gpu.enter()` above made the context
        // current.
        check("cublasCreate", unsafe { create(&raw mut handle) })?;
        let mut cublas = Self {
            handle,
            gpu: Arc::clone(gpu),
            device: device.clone(),
            path,
            version: 0,
            gemm_ex,
            destroy,
            lt: OnceLock::new(),
            _library: library,
        };
        // SAFETY: `cublasCreate` returned the handle above; the stream lives as long as
        // `cublas.gpu`.
        check("cublasSetStream", unsafe {
            set_stream(handle, gpu.stream())
        })?;
        // SAFETY: `cublasCreate` returned the handle above; `cublas.version` is an int that
        // outlives the call.
        check("cublasGetVersion", unsafe {
            get_version(handle, &raw mut cublas.version)
        })?;
        Ok(cublas)
    }

    /// Returns the library's file, or the name by which the loader found it.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the version as `major.minor.patch`.
    #[must_use]
    pub fn version(&self) -> String {
        let (major, rest) = (self.version / 10_000, self.version % 10_000);
        format!("{major}.{}.{}", rest / 100, rest % 100)
    }

    /// Computes D = A·Bᵀ with a float32 accumulator, and waits for the end. `a` is `(m, k)`, `b` is
    /// `(n, k)` and `d` is `(m, n)`, all row-major.
    ///
    /// # Errors
    /// Returns [`CublasError::Shape`] for buffers that are shorter than their shapes or on another
    /// device, and [`CublasError::Call`] if cuBLAS refuses the product.
    pub fn gemm_ex<I: CublasElement, O: CublasElement>(
        &self,
        d: &mut Buffer<O>,
        a: &Buffer<I>,
        b: &Buffer<I>,
        shape: (u32, u32, u32),
    ) -> Result<(), Error> {
        self.once(d, a, b, CublasProduct::new(shape, Compute::F32))
    }

    /// Computes any product once, and waits for the end.
    ///
    /// # Errors
    /// Returns the errors of [`gemm_ex`](Self::gemm_ex).
    pub fn once<I: CublasElement, O: CublasElement>(
        &self,
        d: &mut Buffer<O>,
        a: &Buffer<I>,
        b: &Buffer<I>,
        product: CublasProduct,
    ) -> Result<(), Error> {
        self.prepare(d, a, b, product)?.enqueue()?;
        Ok(self.gpu.synchronize()?)
    }

    /// Runs and times the product of [`gemm_ex`](Self::gemm_ex), as
    /// [`Kernel::time`](crate::Kernel::time) does.
    ///
    /// # Errors
    /// Returns the errors of [`gemm_ex`](Self::gemm_ex).
    pub fn time_gemm_ex<I: CublasElement, O: CublasElement>(
        &self,
        d: &mut Buffer<O>,
        a: &Buffer<I>,
        b: &Buffer<I>,
        shape: (u32, u32, u32),
        timing: Timing,
    ) -> Result<Time, Error> {
        let call = self.prepare(d, a, b, CublasProduct::new(shape, Compute::F32))?;
        let seconds = self
            .gpu
            .time::<Error>(timing.warmup, timing.runs.max(1), || call.enqueue())??;
        Ok(Time::from_samples(Clock::CudaEvents, seconds))
    }

    /// Prepares a product of packed matrices, which can be [interleaved](crate::time_interleaved)
    /// with other launches.
    ///
    /// # Errors
    /// Returns [`CublasError::Shape`] for buffers that are shorter than their shapes or on another
    /// device. If cuBLAS itself refuses the product, for instance because it does not combine these
    /// types, the first run returns the error.
    pub fn prepare<'a, I: CublasElement, O: CublasElement>(
        &'a self,
        d: &'a mut Buffer<O>,
        a: &'a Buffer<I>,
        b: &'a Buffer<I>,
        product: CublasProduct,
    ) -> Result<CublasGemm<'a>, Error> {
        let CublasProduct { m, n, k, .. } = product;
        let needed = |name: &str, given: usize, device: &Device, rows: u32, columns: u32| {
            let needed = u64::from(rows) * u64::from(columns);
            if device.id() != self.device.id() {
                return Err(CublasError::Shape {
                    what: format!(
                        "{name} is a buffer of {device}, cuBLAS runs on {}",
                        self.device
                    ),
                });
            }
            if (given as u64) < needed {
                return Err(CublasError::Shape {
                    what: format!(
                        "{name} has {given} elements; its shape ({rows}, {columns}) needs {needed}"
                    ),
                });
            }
            Ok(())
        };
        needed("A", a.len(), a.device(), m, k)?;
        needed("B", b.len(), b.device(), n, k)?;
        needed("D", d.len(), d.device(), m, n)?;
        let call = Call::of(&product, I::DATA_TYPE, O::DATA_TYPE)?;
        let planned = match call.route {
            Route::GemmEx => None,
            Route::LtMatmul => {
                let _entered = self.gpu.enter()?;
                let lt = self.lt.get_or_init(|| Lt::open(&self.path));
                let lt = lt.as_ref().map_err(Clone::clone)?;
                let most = match product.api {
                    CublasApi::GemmEx => 1,
                    CublasApi::Lt => ALGORITHMS,
                };
                Some((lt, lt.plan(&self.device, &call, most)?))
            }
        };
        let mut gemm = CublasGemm {
            cublas: self,
            call,
            planned,
            addresses: [b.address(), a.address(), d.address()],
        };
        gemm.keep_the_fastest()?;
        Ok(gemm)
    }
}

/// The largest number of cublasLt's algorithms that are tried.
const ALGORITHMS: usize = 8;
/// How each algorithm is timed.
const TRIAL: Timing = Timing { warmup: 2, runs: 9 };

/// A product whose buffers are large enough, and stay borrowed as long as this value exists.
pub struct CublasGemm<'a> {
    cublas: &'a Cublas,
    call: Call,
    /// The objects of cublasLt, if cublasLt computes the product.
    planned: Option<(&'a Lt, Planned)>,
    /// The addresses of B, A and D.
    addresses: [u64; 3],
}

impl Enqueue for CublasGemm<'_> {
    fn enqueue(&self) -> Result<(), Error> {
        let _entered = self.cublas.gpu.enter()?;
        Ok(self.run()?)
    }
    fn device(&self) -> &Device {
        &self.cublas.device
    }
}

impl CublasGemm<'_> {
    /// Runs every algorithm that cublasLt suggested, if there are several, and keeps the one with
    /// the least median time.
    fn keep_the_fastest(&mut self) -> Result<(), Error> {
        let suggested = self
            .planned
            .as_ref()
            .map_or(1, |(_, planned)| planned.suggested());
        if suggested < 2 {
            return Ok(());
        }
        let mut least: Option<(f64, usize)> = None;
        let mut refusal = None;
        for number in 0..suggested {
            if let Some((_, planned)) = &mut self.planned {
                planned.choose(number);
            }
            // A suggestion that fails to run is skipped.
            if let Err(error) = self.run() {
                refusal = Some(error);
                continue;
            }
            let gpu = &self.cublas.gpu;
            let seconds = gpu.time::<Error>(TRIAL.warmup, TRIAL.runs, || Ok(self.run()?))??;
            let median = Time::from_samples(Clock::CudaEvents, seconds).median;
            if least.is_none_or(|(time, _)| median < time) {
                least = Some((median, number));
            }
        }
        match (least, refusal, &mut self.planned) {
            (Some((_, number)), _, Some((_, planned))) => planned.choose(number),
            (None, Some(error), _) => return Err(error.into()),
            _ => {}
        }
        Ok(())
    }

    /// Enqueues the product. The context must be current.
    fn run(&self) -> Result<(), CublasError> {
        let call = &self.call;
        let [b, a, d] = self
            .addresses
            .map(|address| ptr::with_exposed_provenance_mut::<c_void>(address as usize));
        if let Some((lt, planned)) = &self.planned {
            // SAFETY: `prepare` planned this call with this library, proved that the buffers are as
            // large as their shapes, and keeps the buffers borrowed. The stream belongs to the GPU,
            // whose context the caller made current.
            return unsafe { lt.run(planned, call, [b, a, d], self.cublas.gpu.stream()) };
        }
        let [op_b, op_a] = call.operations;
        let [m, n, k] = call.extents;
        let [ld_b, ld_a, ld_d] = call.leading;
        let [input, output] = call.types;
        // SAFETY: the handle is alive until `drop`. `prepare` proved that the buffers are as large
        // as their shapes, and keeps the buffers borrowed. alpha and beta have the call's scaling
        // type, are on the host, and are read before the call returns.
        let status = unsafe {
            (self.cublas.gemm_ex)(
                self.cublas.handle,
                op_b,
                op_a,
                m,
                n,
                k,
                call.alpha.as_ptr().cast(),
                b,
                input,
                ld_b,
                a,
                input,
                ld_a,
                call.beta.as_ptr().cast(),
                d,
                output,
                ld_d,
                call.compute,
                GEMM_DEFAULT,
            )
        };
        check("cublasGemmEx", status)
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        if let Ok(_entered) = self.gpu.enter() {
            // cublasLt's handle belongs to the GPU's context, which must be current while the
            // handle is destroyed.
            drop(self.lt.take());
            // SAFETY: `open` created the handle. It is destroyed only here, before its library is
            // closed.
            let _ = unsafe { (self.destroy)(self.handle) };
        }
    }
}

fn check(call: &'static str, status: Status) -> Result<(), CublasError> {
    let name = match status {
        0 => return Ok(()),
        1 => "CUBLAS_STATUS_NOT_INITIALIZED: the library was not initialised",
        3 => "CUBLAS_STATUS_ALLOC_FAILED: it could not allocate memory",
        7 => "CUBLAS_STATUS_INVALID_VALUE: an argument is out of range",
        8 => "CUBLAS_STATUS_ARCH_MISMATCH: the device lacks a feature that this needs",
        11 => "CUBLAS_STATUS_MAPPING_ERROR: memory could not be reached",
        13 => "CUBLAS_STATUS_EXECUTION_FAILED: the kernel could not be run",
        14 => "CUBLAS_STATUS_INTERNAL_ERROR: an operation of cuBLAS itself failed",
        15 => "CUBLAS_STATUS_NOT_SUPPORTED: this combination of types is not supported",
        16 => "CUBLAS_STATUS_LICENSE_ERROR: a licence is missing",
        other => {
            return Err(CublasError::Call {
                call,
                name: format!("the status {other}, which the cuBLAS reference does not list"),
            });
        }
    };
    Err(CublasError::Call {
        call,
        name: name.into(),
    })
}

/// Finds and opens the library. Also returns the name or path by which it was found.
fn find() -> Result<(Library, String), CublasError> {
    if let Some(named) = std::env::var_os("CUTLET_CUBLAS") {
        let path = PathBuf::from(named);
        return load(&path)
            .map(|library| (library, path.display().to_string()))
            .map_err(|error| CublasError::NotUsable {
                path: path.display().to_string(),
                reason: error.to_string(),
            });
    }
    let mut tried = Vec::new();
    for name in NAMES {
        match load(Path::new(name)) {
            Ok(library) => return Ok((library, name.into())),
            Err(_) => tried.push(name.to_string()),
        }
    }
    for folder in folders("cublas") {
        for name in NAMES {
            let path = folder.join(name);
            if !path.is_file() {
                continue;
            }
            match load(&path) {
                Ok(library) => return Ok((library, path.display().to_string())),
                Err(error) => tried.push(format!("{} ({error})", path.display())),
            }
        }
        tried.push(folder.display().to_string());
    }
    Err(CublasError::NotFound { tried })
}

const NAMES: [&str; 2] = ["libcublas.so.13", "libcublas.so.12"];

fn load(path: &Path) -> Result<Library, libloading::Error> {
    // cuBLAS loads cublasLt by name. If both lie in a folder that the loader does not search,
    // cuBLAS finds cublasLt only if cublasLt is loaded already.
    let companion = path
        .to_str()
        .map(|path| PathBuf::from(path.replace("libcublas.", "libcublasLt.")))
        .filter(|companion| companion != path && companion.is_file());
    if let Some(companion) = companion {
        // SAFETY: the file has cublasLt's name, and lies in the folder of a file that the caller
        // names as cuBLAS. NVIDIA's initialisers may run in any program.
        if let Ok(library) = unsafe { Library::new(companion) } {
            // cublasLt must outlive cuBLAS, however long cuBLAS is open, so cublasLt is never
            // closed.
            std::mem::forget(library);
        }
    }
    // SAFETY: the user names the file as cuBLAS, or the file has cuBLAS's name in a folder of
    // libraries. NVIDIA's initialisers may run in any program.
    unsafe { Library::new(path) }
}

/// Returns the folders to which CUDA's installer and Python's packages install a library of
/// NVIDIA's.
pub(crate) fn folders(library: &str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(root) = std::env::var_os(variable) {
            folders.push(Path::new(&root).join("lib64"));
        }
    }
    folders.push("/usr/local/cuda/lib64".into());
    for site in site_packages() {
        folders.push(site.join("nvidia/cu13/lib"));
        folders.push(site.join("nvidia").join(library).join("lib"));
    }
    folders
}

/// Returns the folders of Python's packages: first the usual ones, and then those that Python
/// reports.
fn site_packages() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(|root| Path::new(&root).join("lib"))
        .collect();
    if let Some(home) = std::env::var_os("HOME") {
        roots.push(Path::new(&home).join(".local/lib"));
    }
    roots.extend(["/usr/local/lib".into(), "/usr/lib".into()]);
    let mut found = Vec::new();
    for root in roots {
        let Ok(entries) = std::fs::read_dir(&root) else {
            continue;
        };
        let mut pythons: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("python3"))
            })
            .collect();
        pythons.sort();
        for python in pythons {
            found.push(python.join("site-packages"));
            found.push(python.join("dist-packages"));
        }
    }
    let listed = std::process::Command::new("python3")
        .args(["-c", "import sys; print('\\n'.join(sys.path))"])
        .output();
    if let Ok(output) = listed {
        let text = String::from_utf8_lossy(&output.stdout);
        found.extend(
            text.lines()
                .filter(|line| !line.is_empty())
                .map(PathBuf::from),
        );
    }
    found.retain(|folder| folder.is_dir());
    let mut unique = Vec::new();
    for folder in found {
        if !unique.contains(&folder) {
            unique.push(folder);
        }
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulator_has_no_cublas() {
        let error = Cublas::open(&Device::emulator()).err().unwrap();
        assert_eq!(
            error.to_string(),
            "cuBLAS needs a GPU; this device is the emulated sm_90"
        );
    }

    #[test]
    fn statuses_have_names() {
        assert_eq!(check("cublasCreate", 0), Ok(()));
        let error = check("cublasGemmEx", 15).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("cublasGemmEx returned CUBLAS_STATUS_NOT_SUPPORTED")
        );
        assert!(
            check("cublasGemmEx", 77)
                .unwrap_err()
                .to_string()
                .contains("77")
        );
    }
}
