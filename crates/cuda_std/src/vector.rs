//! Vectors of two and three `u32`, which the index functions return.
//!
//! ```text
//!   thread::block_dim()  ──►  Vec3 { x, y, z }      x fastest, as the hardware numbers threads
//! ```
//!
//! Law: the vectors are plain data. `product` is the number of points in a box with these extents,
//! modulo 2^32.
//!
//! Source: Rust-CUDA's functions return `vek::Vec2<u32>` and `vek::Vec3<u32>`. The types of this
//! module have the same fields and the few operations that index code uses.

/// A pair of `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Vec2<T> {
    /// First component, the fastest to vary.
    pub x: T,
    /// Second component.
    pub y: T,
}

/// A triple of `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Vec3<T> {
    /// First component, the fastest to vary.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

impl<T> Vec2<T> {
    /// Returns the pair `(x, y)`.
    #[inline(always)]
    pub const fn new(x: T, y: T) -> Self {
        Self { x, y }
    }

    /// Returns the components in order.
    #[inline(always)]
    pub fn into_tuple(self) -> (T, T) {
        (self.x, self.y)
    }
}

impl<T> Vec3<T> {
    /// Returns the triple `(x, y, z)`.
    #[inline(always)]
    pub const fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }

    /// Returns the components in order.
    #[inline(always)]
    pub fn into_tuple(self) -> (T, T, T) {
        (self.x, self.y, self.z)
    }
}

impl Vec2<u32> {
    /// Returns `x · y`, wrapping.
    ///
    /// ```
    /// assert_eq!(cuda_std::Vec2::new(3, 4).product(), 12);
    /// ```
    #[inline(always)]
    pub const fn product(self) -> u32 {
        self.x.wrapping_mul(self.y)
    }

    /// Returns `(0, 0)`.
    #[inline(always)]
    pub const fn zero() -> Self {
        Self::new(0, 0)
    }
}

impl Vec3<u32> {
    /// Returns `x · y · z`, wrapping.
    ///
    /// ```
    /// assert_eq!(cuda_std::Vec3::new(3, 4, 5).product(), 60);
    /// ```
    #[inline(always)]
    pub const fn product(self) -> u32 {
        self.x.wrapping_mul(self.y).wrapping_mul(self.z)
    }

    /// Returns `(0, 0, 0)`.
    #[inline(always)]
    pub const fn zero() -> Self {
        Self::new(0, 0, 0)
    }
}

impl<T> From<Vec2<T>> for (T, T) {
    #[inline(always)]
    fn from(v: Vec2<T>) -> Self {
        v.into_tuple()
    }
}

impl<T> From<Vec3<T>> for (T, T, T) {
    #[inline(always)]
    fn from(v: Vec3<T>) -> Self {
        v.into_tuple()
    }
}

impl<T> From<Vec2<T>> for [T; 2] {
    #[inline(always)]
    fn from(v: Vec2<T>) -> Self {
        [v.x, v.y]
    }
}

impl<T> From<Vec3<T>> for [T; 3] {
    #[inline(always)]
    fn from(v: Vec3<T>) -> Self {
        [v.x, v.y, v.z]
    }
}
