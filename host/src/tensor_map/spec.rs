//! The description of a tensor and of the box that one copy moves, in plain numbers, and the rules
//! for both.
//!
//! ```text
//!   TensorMapSpec::tile::<SmemA, f16>(&[m, k], &[k, 1])      box and swizzle of the tile's type
//!   TensorMapSpec::new(F16, &[k, m], &[2 * k], &[64, 128])   every field by hand, 1 to 5 dimensions, innermost first
//! ```
//!
//! Law: `cuTensorMapEncodeTiled` and the emulator accept every specification that
//! [`check`](TensorMapSpec::check) accepts.
//!
//! Source: CUDA driver API, *Tensor Map Object Management*; CuTe
//! `cute/atom/copy_traits_sm90_tma.hpp`, `make_tma_copy_desc`.

use super::TensorMapError;
use emulator::{TensorElement, TensorSwizzle};
use half::{bf16, f16};
use kernel_abi::gemm::{InputType, MapElement, TensorMapPlan};
use layout_types::atom::Element;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::atom::smem_operand::TmaTile;
use layout_types::check::{Reflect, Swizzling};
use layout_types::layout::LayoutFn;

/// An element type that has a format in tensor maps.
///
/// [`TFloat32`] is [`TensorElement::Tf32`], as in CuTe: a load rounds to nearest. With
/// [`TensorElement::F32`] a load does not change the bits, and the instruction that reads them
/// truncates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tensor map's format",
    label = "tensor maps are of integers of 8 to 64 bits, `f16`, `bf16`, `f32`, `f64`, `TFloat32` and the 8-bit floats"
)]
pub trait TmaElement: Element {
    /// The format of the elements.
    const ELEMENT: TensorElement;
}
macro_rules! formats {
    ($($ty:ty => $format:ident),* $(,)?) => {$(
        impl TmaElement for $ty {
            const ELEMENT: TensorElement = TensorElement::$format;
        }
    )*};
}
formats! {
    u8 => U8, i8 => U8, FloatE4M3 => U8, FloatE5M2 => U8, u16 => U16, i16 => U16, u32 => U32, i32 => S32, u64 => U64, i64 => S64,
    f16 => F16, bf16 => Bf16, f32 => F32, TFloat32 => Tf32, f64 => F64,
}

/// A tensor in global memory and the box that one copy moves: the arguments of CUDA's
/// `cuTensorMapEncodeTiled`.
///
/// ```
/// use host::{TensorElement, TensorMapSpec, TensorSwizzle};
/// // 1000 rows of 520 halves, in boxes of 64 columns and 128 rows.
/// let spec = TensorMapSpec::new(TensorElement::F16, &[520, 1000], &[1040], &[64, 128]).swizzle(TensorSwizzle::B128);
/// assert_eq!(spec.box_bytes(), 16384);
/// assert!(spec.check().is_ok());
/// let wide = TensorMapSpec::new(TensorElement::F16, &[520, 1000], &[1042], &[64, 128]);
/// assert_eq!(
///     wide.check().unwrap_err().to_string(),
///     "stride 1 of the tensor is 1042 bytes; it must be a multiple of 16 below 2^40"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMapSpec {
    /// The format of the elements.
    pub element: TensorElement,
    /// The number of elements along each dimension, the innermost first.
    pub extents: Vec<u64>,
    /// The distance in bytes between neighbours along each dimension except the innermost one,
    /// whose elements are contiguous.
    pub strides: Vec<u64>,
    /// The number of elements that the box spans along each dimension.
    pub box_extents: Vec<u32>,
    /// The element strides: the box contains every n-th of the spanned elements along each
    /// dimension.
    pub element_strides: Vec<u32>,
    /// The swizzle of the box in shared memory.
    pub swizzle: TensorSwizzle,
    /// Whether elements outside the tensor read as NaN. Otherwise they read as zero.
    pub fill_nan: bool,
}

impl TensorMapSpec {
    /// Returns the specification of a tensor of `extents` elements, innermost first, in boxes of
    /// `box_extents`. `strides` has the strides in bytes of all dimensions except the innermost
    /// one. There is no swizzle, and elements outside the tensor are zero.
    #[must_use]
    pub fn new(
        element: TensorElement,
        extents: &[u64],
        strides: &[u64],
        box_extents: &[u32],
    ) -> Self {
        Self {
            element,
            extents: extents.to_vec(),
            strides: strides.to_vec(),
            box_extents: box_extents.to_vec(),
            element_strides: vec![1; extents.len()],
            swizzle: TensorSwizzle::None,
            fill_nan: false,
        }
    }

    /// Returns the specification of a tensor of `shape`, with `strides` in elements, that is copied
    /// in boxes of the shared-memory tile `Tile`, whose elements are `T`. CuTe's counterpart is
    /// `make_tma_copy(SM90_TMA_LOAD{}, gtensor, slayout)`.
    ///
    /// Modes 0 and 1 are the modes of the tile. Along further modes, such as a batch, a box has one
    /// element. The map's innermost dimension is the mode that is contiguous in the tile, as in
    /// `TmaTile::coordinate`. The box and the swizzle are those of [`TmaTile::BOX`]: a tile without
    /// a box does not compile.
    ///
    /// ```
    /// use host::{TensorMapSpec, TensorSwizzle};
    /// use layout_types::{atom::gmma::*, prelude::*};
    /// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
    /// let spec = TensorMapSpec::tile::<SmemA, half::f16>(&[1000, 520], &[520, 1])?;
    /// assert_eq!((&spec.extents[..], &spec.strides[..]), (&[520, 1000][..], &[1040][..]));
    /// assert_eq!((&spec.box_extents[..], spec.swizzle), (&[64, 128][..], TensorSwizzle::B128));
    /// # Ok::<(), host::TensorMapError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`TensorMapError::Rank`] and [`Length`](TensorMapError::Length). Returns
    /// [`Major`](TensorMapError::Major) if the tile's contiguous mode is not contiguous in the
    /// tensor.
    pub fn tile<Tile: LayoutFn + Reflect, T: TmaElement>(
        shape: &[u64],
        strides: &[u64],
    ) -> Result<Self, TensorMapError> {
        let tma = const { TmaTile::<Tile, T>::BOX };
        let rank = shape.len();
        if !(2..=5).contains(&rank) {
            return Err(TensorMapError::Rank { found: rank });
        }
        if strides.len() != rank {
            return Err(TensorMapError::Length {
                what: "strides",
                found: strides.len(),
                wanted: rank,
                rank,
            });
        }
        let (inner, outer) = (tma.inner, 1 - tma.inner);
        if strides[inner] != 1 {
            return Err(TensorMapError::Major {
                mode: inner,
                found: strides[inner],
            });
        }
        let order: Vec<usize> = [inner, outer].into_iter().chain(2..rank).collect();
        let size = T::ELEMENT.bytes() as u64;
        Ok(Self {
            element: T::ELEMENT,
            extents: order.iter().map(|&mode| shape[mode]).collect(),
            strides: order[1..]
                .iter()
                .map(|&mode| strides[mode].saturating_mul(size))
                .collect(),
            box_extents: order
                .iter()
                .map(|&mode| tma.extents.get(mode).copied().unwrap_or(1))
                .collect(),
            element_strides: vec![1; rank],
            swizzle: match tma.swizzle {
                Swizzling::None => TensorSwizzle::None,
                Swizzling::B32 => TensorSwizzle::B32,
                Swizzling::B64 => TensorSwizzle::B64,
                Swizzling::B128 => TensorSwizzle::B128,
            },
            fill_nan: false,
        })
    }

    /// Returns the specification of an operand's tensor map, for inputs of type `input`. The map is
    /// an argument of a kernel of Hopper's collective.
    ///
    /// ```
    /// use host::{TensorMapSpec, TensorSwizzle};
    /// use kernel_abi::gemm::{InputType, MapBuffer, MapElement, TensorMapPlan};
    /// let plan = TensorMapPlan {
    ///     buffer: MapBuffer::A,
    ///     offset: 0,
    ///     extents: [520, 1000, 1],
    ///     strides: [520, 520_000],
    ///     box_extents: [64, 128, 1],
    ///     element: MapElement::Input,
    ///     swizzled: true,
    /// };
    /// let spec = TensorMapSpec::of_plan(&plan, InputType::F16);
    /// assert_eq!((&spec.strides[..], spec.swizzle), (&[1040, 1_040_000][..], TensorSwizzle::B128));
    /// ```
    #[must_use]
    pub fn of_plan(plan: &TensorMapPlan, input: InputType) -> Self {
        let element = match (plan.element, input) {
            (MapElement::Word, _) => TensorElement::F32,
            (MapElement::Bf16, _) | (_, InputType::Bf16) => TensorElement::Bf16,
            (_, InputType::Tf32) => TensorElement::Tf32,
            (_, InputType::F16) => TensorElement::F16,
            (_, InputType::S8 | InputType::E4m3 | InputType::E5m2) => TensorElement::U8,
        };
        let bytes = element.bytes() as u64;
        let strides = plan.strides.map(|stride| stride.saturating_mul(bytes));
        let swizzle = if plan.swizzled {
            TensorSwizzle::B128
        } else {
            TensorSwizzle::None
        };
        Self::new(element, &plan.extents, &strides, &plan.box_extents).swizzle(swizzle)
    }

    /// Sets the swizzle of the box in shared memory.
    #[must_use]
    pub fn swizzle(mut self, swizzle: TensorSwizzle) -> Self {
        self.swizzle = swizzle;
        self
    }

    /// Sets the element strides: every `strides[d]`-th element along dimension d is moved. The
    /// innermost dimension accepts only 1.
    #[must_use]
    pub fn element_strides(mut self, strides: &[u32]) -> Self {
        self.element_strides = strides.to_vec();
        self
    }

    /// Makes elements outside the tensor read as NaN.
    #[must_use]
    pub fn fill_nan(mut self) -> Self {
        self.fill_nan = true;
        self
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Returns the size of a box in bytes: the number of bytes that a barrier expects from one
    /// copy. In shared memory, rows are the swizzle's span apart, so a box with narrower rows spans
    /// more bytes.
    #[must_use]
    pub fn box_bytes(&self) -> usize {
        let moved = self.box_extents.iter().zip(&self.element_strides);
        let elements: usize = moved
            .map(|(&extent, &step)| extent.div_ceil(step.max(1)) as usize)
            .product();
        elements * self.element.bytes()
    }

    /// Returns the size in bytes of a row of a box, along the innermost dimension.
    fn row_bytes(&self) -> usize {
        self.box_extents[0] as usize * self.element.bytes()
    }

    /// Returns the number of bytes from the tensor's first byte to its last, with the last row
    /// rounded up to a multiple of `piece` bytes.
    pub(crate) fn reach(&self, piece: u64) -> u128 {
        let row = u128::from(self.extents[0]) * self.element.bytes() as u128;
        let rows = self.extents[1..].iter().zip(&self.strides);
        let last: u128 = rows
            .map(|(&extent, &stride)| u128::from(extent - 1) * u128::from(stride))
            .sum();
        last + row.next_multiple_of(u128::from(piece))
    }

    /// Returns the emulator's map of the tensor at `address`. [`emulator::TensorMap::encode`] makes
    /// a kernel's argument from it.
    ///
    /// ```
    /// use host::{TensorElement, TensorMapSpec};
    /// let spec = TensorMapSpec::new(TensorElement::F16, &[64, 8], &[128], &[64, 8]);
    /// assert_eq!(spec.emulated(4096).encode()?.len(), 128);
    /// # Ok::<(), emulator::TensorMapError>(())
    /// ```
    #[must_use]
    pub fn emulated(&self, address: u64) -> emulator::TensorMap {
        emulator::TensorMap {
            element: self.element,
            address,
            extents: self.extents.clone(),
            strides: self.strides.clone(),
            box_extents: self.box_extents.clone(),
            element_strides: self.element_strides.clone(),
            swizzle: self.swizzle,
            fill_nan: self.fill_nan,
            im2col: None,
        }
    }

    /// Checks that the tensor lies within the first `bytes` of a buffer. Through a map that is
    /// `written`, the last 16 bytes of a row are written as a whole (measured on an H200).
    /// [`check`](Self::check) must accept the specification.
    ///
    /// ```
    /// use host::{TensorElement, TensorMapSpec};
    /// let spec = TensorMapSpec::new(TensorElement::F16, &[60, 8], &[128], &[64, 8]);
    /// assert!(spec.check_reach(7 * 128 + 120, false).is_ok());
    /// assert!(spec.check_reach(7 * 128 + 120, true).is_err());
    /// ```
    ///
    /// # Errors
    /// Returns [`TensorMapError::Reach`] if the tensor does not fit.
    pub fn check_reach(&self, bytes: usize, written: bool) -> Result<(), TensorMapError> {
        let needed = self.reach(if written { 16 } else { 1 });
        if needed > bytes as u128 {
            let found = bytes;
            return Err(TensorMapError::Reach {
                needed,
                found,
                written,
            });
        }
        Ok(())
    }

    /// Checks the rules that every tensor map must satisfy, whatever its address.
    ///
    /// # Errors
    /// Returns the first [`TensorMapError`], in the order of the fields.
    pub fn check(&self) -> Result<(), TensorMapError> {
        use TensorMapError as E;
        let rank = self.rank();
        if !(1..=5).contains(&rank) {
            return Err(E::Rank { found: rank });
        }
        let lists = [
            ("strides", self.strides.len(), rank - 1),
            ("extents of the box", self.box_extents.len(), rank),
            ("element strides", self.element_strides.len(), rank),
        ];
        for (what, found, wanted) in lists {
            if found != wanted {
                return Err(E::Length {
                    what,
                    found,
                    wanted,
                    rank,
                });
            }
        }
        for (dimension, &found) in self.extents.iter().enumerate() {
            if !(1..=1 << 32).contains(&found) {
                return Err(E::Extent { dimension, found });
            }
        }
        for (dimension, &found) in (1..).zip(&self.strides) {
            if !found.is_multiple_of(16) || found >= 1 << 40 {
                return Err(E::Stride { dimension, found });
            }
        }
        for (dimension, &found) in self.box_extents.iter().enumerate() {
            if !(1..=256).contains(&found) {
                return Err(E::Box { dimension, found });
            }
        }
        for (dimension, &found) in self.element_strides.iter().enumerate() {
            // The driver ignores the innermost element stride: a row is copied as a whole.
            let most = if dimension == 0 { 1 } else { 8 };
            if !(1..=most).contains(&found) {
                return Err(E::ElementStride { dimension, found });
            }
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(16) {
            return Err(E::BoxRow { found: row });
        }
        if self.swizzle != TensorSwizzle::None {
            let max = 16 << self.swizzle as usize;
            if row > max {
                return Err(E::SwizzleRow { found: row, max });
            }
        }
        if self.fill_nan && !self.element.is_float() {
            let element = format!("{:?}", self.element).to_lowercase();
            return Err(E::Fill { element });
        }
        Ok(())
    }
}
