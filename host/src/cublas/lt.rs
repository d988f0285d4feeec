//! cublasLt. It computes products that `cublasGemmEx` does not have (8-bit integers to 8-bit
//! integers, and 8-bit floats), and any product for which a benchmark selects it.
//!
//! ```text
//!   Call ──► descriptors ──► heuristic: algorithms, workspace ──► Planned ──choose, enqueue──► cublasLtMatmul
//! ```
//!
//! Source: cuBLAS library reference, "Using the cuBLASLt API" (`cublasLtMatmul`,
//! `cublasLtMatmulAlgoGetHeuristic`, `cublasLtMatmulDescAttributes_t`,
//! `cublasLtMatmulPreferenceAttributes_t`, `cublasLtMatmulHeuristicResult_t`).

use super::call::Call;
use super::{CublasError, CublasHandle, Status, check};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::ptr;

type Object = *mut c_void;
type CreateLtHandle = unsafe extern "C" fn(*mut CublasHandle) -> Status;
type DestroyObject = unsafe extern "C" fn(Object) -> Status;
type DescCreate = unsafe extern "C" fn(*mut Object, c_int, c_int) -> Status;
type SetAttribute = unsafe extern "C" fn(Object, c_int, *const c_void, usize) -> Status;
type LayoutCreate = unsafe extern "C" fn(*mut Object, c_int, u64, u64, i64) -> Status;
type PreferenceCreate = unsafe extern "C" fn(*mut Object) -> Status;
#[rustfmt::skip]
type Heuristic = unsafe extern "C" fn(
    CublasHandle, Object, Object, Object, Object, Object, Object, c_int, *mut HeuristicResult, *mut c_int,
) -> Status;
#[rustfmt::skip]
type Matmul = unsafe extern "C" fn(
    CublasHandle, Object, *const c_void, *const c_void, Object, *const c_void, Object,
    *const c_void, *const c_void, Object, *mut c_void, Object, *const Algorithm,
    *mut c_void, usize, *mut c_void,
) -> Status;

/// `cublasLtMatmulAlgo_t`, which is opaque and has this size.
type Algorithm = [u64; 8];

/// `cublasLtMatmulHeuristicResult_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct HeuristicResult {
    algorithm: Algorithm,
    workspace: usize,
    state: Status,
    waves: f32,
    reserved: [c_int; 4],
}

/// `CUBLASLT_MATMUL_DESC_TRANSA` and `_TRANSB`.
const TRANSPOSES: [c_int; 2] = [3, 4];
/// `CUBLASLT_MATMUL_DESC_FAST_ACCUM`.
const FAST_ACCUMULATION: c_int = 25;
/// `CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES`.
const MAX_WORKSPACE: c_int = 1;
/// The workspace that NVIDIA recommends on compute capability 9.0.
static WORKSPACE_BYTES: u64 = 32 << 20;

/// The library, with a handle.
pub(super) struct Lt {
    handle: CublasHandle,
    destroy: DestroyObject,
    desc_create: DescCreate,
    desc_set: SetAttribute,
    desc_destroy: DestroyObject,
    layout_create: LayoutCreate,
    layout_destroy: DestroyObject,
    preference_create: PreferenceCreate,
    preference_set: SetAttribute,
    preference_destroy: DestroyObject,
    heuristic: Heuristic,
    matmul: Matmul,
    // This is the last field, so that it is dropped last: the functions above are in the library.
    _library: Library,
}

impl Lt {
    /// Opens cublasLt for the cuBLAS that was found as `cublas`. It looks in the folder of cuBLAS,
    /// and then for the name under which cuBLAS has loaded cublasLt.
    ///
    /// # Errors
    /// Returns the loader's message, or the call that failed.
    pub(super) fn open(cublas: &str) -> Result<Self, CublasError> {
        let beside = cublas.replace("libcublas.", "libcublasLt.");
        let name = Path::new(&beside)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let not_usable = |error: libloading::Error| CublasError::NotUsable {
            path: beside.clone(),
            reason: error.to_string(),
        };
        // SAFETY: this is NVIDIA's library, which is already loaded as a dependency of cuBLAS, so
        // its initialisers have run.
        let library = unsafe { Library::new(&beside) }
            // SAFETY: this is NVIDIA's library, which is already loaded under the name by which
            // cuBLAS loads it, so its initialisers have run.
            .or_else(|error| name.map_or(Err(error), |name| unsafe { Library::new(name) }))
            .map_err(not_usable)?;
        macro_rules! symbol {
            ($name:literal as $ty:ty) => {
                // SAFETY: the field has the function's type in the cuBLAS reference, which is the
                // same in CUDA 12 and 13.
                *unsafe { library.get::<$ty>($name) }.map_err(not_usable)?
            };
        }
        let create = symbol!(b"cublasLtCreate\0" as CreateLtHandle);
        let mut lt = Self {
            handle: ptr::null_mut(),
            destroy: symbol!(b"cublasLtDestroy\0" as DestroyObject),
            desc_create: symbol!(b"cublasLtMatmulDescCreate\0" as DescCreate),
            desc_set: symbol!(b"cublasLtMatmulDescSetAttribute\0" as SetAttribute),
            desc_destroy: symbol!(b"cublasLtMatmulDescDestroy\0" as DestroyObject),
            layout_create: symbol!(b"cublasLtMatrixLayoutCreate\0" as LayoutCreate),
            layout_destroy: symbol!(b"cublasLtMatrixLayoutDestroy\0" as DestroyObject),
            preference_create: symbol!(b"cublasLtMatmulPreferenceCreate\0" as PreferenceCreate),
            preference_set: symbol!(b"cublasLtMatmulPreferenceSetAttribute\0" as SetAttribute),
            preference_destroy: symbol!(b"cublasLtMatmulPreferenceDestroy\0" as DestroyObject),
            heuristic: symbol!(b"cublasLtMatmulAlgoGetHeuristic\0" as Heuristic),
            matmul: symbol!(b"cublasLtMatmul\0" as Matmul),
            _library: library,
        };
        // SAFETY: `lt.handle` outlives the call; `Cublas::prepare` made the GPU's context current.
        check("cublasLtCreate", unsafe { create(&raw mut lt.handle) })?;
        Ok(lt)
    }

    /// Returns the description of a column-major matrix with these extents.
    fn layout(&self, ty: c_int, extents: [c_int; 2], leading: c_int) -> Result<Owned, CublasError> {
        let mut object = ptr::null_mut();
        let [rows, columns] = extents.map(i64::from).map(i64::unsigned_abs);
        // SAFETY: `object` is a local that outlives the call; the rest is passed by value.
        check("cublasLtMatrixLayoutCreate", unsafe {
            (self.layout_create)(&raw mut object, ty, rows, columns, leading.into())
        })?;
        Ok(Owned(object, self.layout_destroy))
    }

    /// Makes the objects for `call` and the first `most` algorithms that the heuristic suggests,
    /// with a workspace on `device`. The context must be current.
    ///
    /// # Errors
    /// Returns [`CublasError::Call`] if cublasLt has no algorithm, and the errors of an allocation.
    pub(super) fn plan(&self, device: &Device, call: &Call, most: usize) -> Result<Planned, Error> {
        let mut object = ptr::null_mut();
        // SAFETY: `object` is a local that outlives the call; the types are passed by value.
        check("cublasLtMatmulDescCreate", unsafe {
            (self.desc_create)(&raw mut object, call.compute, call.scale)
        })?;
        let desc = Owned(object, self.desc_destroy);
        for (attribute, operation) in TRANSPOSES.into_iter().zip(&call.operations) {
            // SAFETY: `desc` was created above and lives; the attribute is a `cublasOperation_t`,
            // an int as `operation` is.
            check("cublasLtMatmulDescSetAttribute", unsafe {
                (self.desc_set)(
                    desc.0,
                    attribute,
                    ptr::from_ref(operation).cast(),
                    size_of::<c_int>(),
                )
            })?;
        }
        if call.fast_accumulation {
            let on = 1_i8;
            // SAFETY: `desc` was created above and lives; the attribute is an `int8_t`, as `on` is.
            check("cublasLtMatmulDescSetAttribute", unsafe {
                (self.desc_set)(desc.0, FAST_ACCUMULATION, (&raw const on).cast(), 1)
            })?;
        }
        let [m, n, k] = call.extents;
        let [ld_b, ld_a, ld_d] = call.leading;
        let [input, output] = call.types;
        let stored = |operation: c_int, rows: c_int, columns: c_int| {
            if operation == super::call::OP_N {
                [rows, columns]
            } else {
                [columns, rows]
            }
        };
        let layouts = [
            self.layout(input, stored(call.operations[0], m, k), ld_b)?,
            self.layout(input, stored(call.operations[1], k, n), ld_a)?,
            self.layout(output, [m, n], ld_d)?,
            self.layout(call.type_of_c, [m, n], ld_d)?,
        ];
        let mut object = ptr::null_mut();
        // SAFETY: `object` is a local that outlives the call.
        check("cublasLtMatmulPreferenceCreate", unsafe {
            (self.preference_create)(&raw mut object)
        })?;
        let preference = Owned(object, self.preference_destroy);
        // SAFETY: `preference` was created above and lives; the attribute is a `uint64_t`, as the
        // constant is.
        check("cublasLtMatmulPreferenceSetAttribute", unsafe {
            (self.preference_set)(
                preference.0,
                MAX_WORKSPACE,
                (&raw const WORKSPACE_BYTES).cast(),
                size_of::<u64>(),
            )
        })?;
        let mut results = vec![HeuristicResult::default(); most.max(1)];
        let mut found: c_int = 0;
        let [b, a, d, c] = &layouts;
        // SAFETY: every object was created above and lives. `results` has as many elements as are
        // requested, and the number of results is written to a local that outlives the call.
        let status = unsafe {
            (self.heuristic)(
                self.handle,
                desc.0,
                b.0,
                a.0,
                c.0,
                d.0,
                preference.0,
                results.len() as c_int,
                results.as_mut_ptr(),
                &raw mut found,
            )
        };
        check("cublasLtMatmulAlgoGetHeuristic", status)?;
        results.truncate(found.max(0) as usize);
        results.retain(|result| result.state == 0);
        if results.is_empty() {
            return Err(CublasError::Call {
                call: "cublasLtMatmulAlgoGetHeuristic",
                name: "no algorithm for this product".into(),
            }
            .into());
        }
        let workspace = results.iter().map(|result| result.workspace).max();
        Ok(Planned {
            desc,
            layouts,
            algorithms: results.iter().map(|result| result.algorithm).collect(),
            chosen: 0,
            workspace: device.alloc(workspace.unwrap_or(0))?,
        })
    }

    /// Enqueues `planned` on `stream`. The context must be current.
    ///
    /// # Errors
    /// Returns [`CublasError::Call`] if cublasLt refuses the product.
    ///
    /// # Safety
    /// This library made `planned` for `call`. `b`, `a` and `d` are device addresses of matrices
    /// with the call's extents, which outlive the work. `stream` is a stream of the current
    /// context.
    pub(super) unsafe fn run(
        &self,
        planned: &Planned,
        call: &Call,
        [b, a, d]: [*mut c_void; 3],
        stream: *mut c_void,
    ) -> Result<(), CublasError> {
        let [b_layout, a_layout, d_layout, c_layout] = &planned.layouts;
        let workspace = &planned.workspace;
        // SAFETY: the objects live as long as `planned`. The factors have the call's scale type,
        // and are read on the host before the call returns. The workspace is as large as any of the
        // algorithms requires, and lives in `planned`. C is not read, since beta is 0. The caller
        // guarantees the matrices and the stream (`# Safety`).
        let status = unsafe {
            (self.matmul)(
                self.handle,
                planned.desc.0,
                call.alpha.as_ptr().cast(),
                b,
                b_layout.0,
                a,
                a_layout.0,
                call.beta.as_ptr().cast(),
                // C and D are the same matrix only if they have the same type.
                if call.type_of_c == call.types[1] {
                    d
                } else {
                    b
                },
                c_layout.0,
                d,
                d_layout.0,
                &raw const planned.algorithms[planned.chosen],
                ptr::with_exposed_provenance_mut(workspace.address() as usize),
                workspace.len(),
                stream,
            )
        };
        check("cublasLtMatmul", status)
    }
}

impl Drop for Lt {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: `open` created the handle. It is destroyed only here, before its library is
            // closed. `Cublas::drop` made the context current.
            let _ = unsafe { (self.destroy)(self.handle) };
        }
    }
}

/// An object of cublasLt, which is destroyed when this value is dropped.
struct Owned(Object, DestroyObject);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the code that constructs an `Owned` created its object with the library that
        // contains the function. `CublasGemm` borrows the library as long as it holds such an
        // object.
        let _ = unsafe { (self.1)(self.0) };
    }
}

/// The arguments of a call of cublasLt.
pub(super) struct Planned {
    desc: Owned,
    /// The layouts of B, A, D and C.
    layouts: [Owned; 4],
    /// The suggested algorithms, at least one.
    algorithms: Vec<Algorithm>,
    /// The index of the algorithm that runs.
    chosen: usize,
    workspace: Buffer<u8>,
}

impl Planned {
    /// Returns the number of algorithms that the heuristic suggested.
    pub(super) fn suggested(&self) -> usize {
        self.algorithms.len()
    }

    /// Selects the algorithm with this index, or the last one if there are fewer.
    pub(super) fn choose(&mut self, number: usize) {
        self.chosen = number.min(self.algorithms.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_has_the_size_of_nvidias_header() {
        // In cublasLt.h the fields are uint64_t[8], size_t, int, float and int[4].
        assert_eq!(size_of::<HeuristicResult>(), 64 + 8 + 4 + 4 + 16);
    }
}
