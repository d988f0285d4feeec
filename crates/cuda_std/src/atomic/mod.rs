//! Atomic numbers, which many threads may change at the same time, and the instructions for this.
//!
//! ```text
//!   AtomicF32        one value ◄── all threads of the GPU        fetch_add(x, Relaxed) ──► atom.relaxed.gpu.add.f32
//!   BlockAtomicF32   one value ◄── the threads of one block      ... .cta
//!   SystemAtomicF32  one value ◄── GPU, other GPUs, host         ... .sys
//! ```
//!
//! Law: operations on one value by threads within the value's scope happen one after the other, in
//! an order on which all these threads agree. Orderings mean what they mean in
//! [`core::sync::atomic`]. On the host the same types use the CPU's atomics.
//!
//! The integers of [`core::sync::atomic`] work in kernels too, at device scope (LLVM writes no
//! scope, which PTX reads as `.gpu`). The types of this module add floats and the other scopes. The
//! methods of the `Block` types are unsafe, because two blocks that share such a value race.
//!
//! Source: Rust-CUDA's `cuda_std::atomic` (floats; the integers, `swap`, `compare_exchange`,
//! `fetch_min` and `fetch_max` are added here); PTX ISA, *Memory Consistency Model*.

pub mod intrinsics;
pub mod mid;

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;
use pastey::paste;

/// Returns the ordering of the load in a read-modify-write that fails.
#[cfg(not(target_arch = "nvptx64"))]
fn load_part(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::Release | Ordering::Relaxed => Ordering::Relaxed,
        Ordering::Acquire | Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}

macro_rules! update {
    ($(#[$doc:meta])* $method:ident = $op:ident, $type:ident, $scope:ident, ($($unsafety:ident)?), $old:ident, $value:ident => $new:expr) => { paste! {
        $(#[$doc])*
        ///
        /// Returns the value before the operation.
        $(#[doc = concat!("\n# Safety\nThis method is ", stringify!($unsafety), ": only threads of one block may use the value.")])?
        #[inline(always)]
        pub $($unsafety)? fn $method(&self, $value: $type, ordering: Ordering) -> $type {
            // SAFETY: the pointer comes from a reference.
            #[cfg(target_arch = "nvptx64")]
            return unsafe { mid::[<atomic_fetch_ $op _ $type _ $scope>](self.value.get(), ordering, $value) };
            #[cfg(not(target_arch = "nvptx64"))]
            self.update(ordering, |$old| $new)
        }
    }};
}

macro_rules! atomic {
    ($name:ident: $type:ident, $bits:literal, $scope:ident, $who:literal, ($($unsafety:ident)?), $to:expr, $from:expr, { $($more:tt)* }) => { paste! {
        #[doc = concat!("A `", stringify!($type), "` that ", $who, " may change at once.")]
        ///
        #[doc = concat!("Same size, alignment and bits as `", stringify!($type), "`.")]
        #[repr(transparent)]
        #[derive(Debug)]
        pub struct $name {
            value: UnsafeCell<$type>,
        }

        // SAFETY: every access through a shared reference is one atomic instruction.
        unsafe impl Sync for $name {}

        impl $name {
            /// Returns an atomic that holds `value`.
            #[inline(always)]
            #[must_use]
            pub const fn new(value: $type) -> Self {
                Self { value: UnsafeCell::new(value) }
            }

            /// Returns the value, and consumes the atomic.
            #[inline(always)]
            #[must_use]
            pub fn into_inner(self) -> $type {
                self.value.into_inner()
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn bits(&self) -> &core::sync::atomic::[<AtomicU $bits>] {
                // SAFETY: the types have the same size and alignment, any bits are valid, and all
                // accesses through a shared reference use this atomic.
                unsafe { core::sync::atomic::[<AtomicU $bits>]::from_ptr(self.value.get().cast()) }
            }

            #[cfg(not(target_arch = "nvptx64"))]
            fn update(&self, ordering: Ordering, new: impl Fn($type) -> $type) -> $type {
                let change = |old: [<u $bits>]| Some($to(new($from(old))));
                match self.bits().fetch_update(ordering, load_part(ordering), change) {
                    Ok(old) | Err(old) => $from(old),
                }
            }

            /// Returns the current value.
            ///
            /// # Panics
            /// Panics if `ordering` is `Release` or `AcqRel`.
            $(#[doc = concat!("\n# Safety\nThis method is ", stringify!($unsafety), ": only threads of one block may use the value.")])?
            #[inline(always)]
            #[must_use]
            pub $($unsafety)? fn load(&self, ordering: Ordering) -> $type {
                // SAFETY: the pointer comes from a reference.
                #[cfg(target_arch = "nvptx64")]
                return $from(unsafe { mid::[<atomic_load_ $bits _ $scope>](self.value.get().cast(), ordering) });
                #[cfg(not(target_arch = "nvptx64"))]
                $from(self.bits().load(ordering))
            }

            /// Replaces the value.
            ///
            /// # Panics
            /// Panics if `ordering` is `Acquire` or `AcqRel`.
            $(#[doc = concat!("\n# Safety\nThis method is ", stringify!($unsafety), ": only threads of one block may use the value.")])?
            #[inline(always)]
            pub $($unsafety)? fn store(&self, value: $type, ordering: Ordering) {
                // SAFETY: the pointer comes from a reference.
                #[cfg(target_arch = "nvptx64")]
                return unsafe { mid::[<atomic_store_ $bits _ $scope>](self.value.get().cast(), ordering, $to(value)) };
                #[cfg(not(target_arch = "nvptx64"))]
                self.bits().store($to(value), ordering)
            }

            /// Replaces the value by `new` if its bits equal those of `current`.
            ///
            /// # Errors
            /// Returns the value that was found, if its bits differ from those of `current`. The
            /// ordering holds in both cases.
            $(#[doc = concat!("\n# Safety\nThis method is ", stringify!($unsafety), ": only threads of one block may use the value.")])?
            #[inline(always)]
            pub $($unsafety)? fn compare_exchange(&self, current: $type, new: $type, ordering: Ordering) -> Result<$type, $type> {
                #[cfg(target_arch = "nvptx64")]
                {
                    // SAFETY: the pointer comes from a reference.
                    let found = unsafe { mid::[<atomic_fetch_cas_ $type _ $scope>](self.value.get(), ordering, current, new) };
                    if $to(found) == $to(current) { Ok(found) } else { Err(found) }
                }
                #[cfg(not(target_arch = "nvptx64"))]
                self.bits()
                    .compare_exchange($to(current), $to(new), ordering, load_part(ordering))
                    .map($from)
                    .map_err($from)
            }

            update!(
                /// Replaces the value.
                swap = exch, $type, $scope, ($($unsafety)?), _old, value => value);
            $($more)*
        }
    }};
}

macro_rules! atomic_float {
    ($name:ident: $type:ident, $bits:literal, $scope:ident, $who:literal, ($($unsafety:ident)?)) => {
        atomic!($name: $type, $bits, $scope, $who, ($($unsafety)?), $type::to_bits, $type::from_bits, {
            update!(
                /// Adds to the value.
                fetch_add = add, $type, $scope, ($($unsafety)?), old, value => old + value);
            update!(
                /// Subtracts from the value, by adding the negated argument.
                fetch_sub = sub, $type, $scope, ($($unsafety)?), old, value => old - value);
            update!(
                /// Replaces the value's bits by their bitwise "and" with those of the argument.
                fetch_and = and, $type, $scope, ($($unsafety)?), old, value => $type::from_bits(old.to_bits() & value.to_bits()));
            update!(
                /// Replaces the value's bits by their bitwise "or" with those of the argument.
                fetch_or = or, $type, $scope, ($($unsafety)?), old, value => $type::from_bits(old.to_bits() | value.to_bits()));
            update!(
                /// Replaces the value's bits by their bitwise "exclusive or" with those of the
                /// argument.
                fetch_xor = xor, $type, $scope, ($($unsafety)?), old, value => $type::from_bits(old.to_bits() ^ value.to_bits()));
        });
    };
}

macro_rules! atomic_integer {
    ($name:ident: $type:ident, $bits:literal, $scope:ident, $who:literal, ($($unsafety:ident)?)) => {
        atomic!($name: $type, $bits, $scope, $who, ($($unsafety)?), (|value: $type| paste!(value as [<u $bits>])), (|bits| bits as $type), {
            update!(
                /// Adds to the value, wrapping.
                fetch_add = add, $type, $scope, ($($unsafety)?), old, value => old.wrapping_add(value));
            update!(
                /// Subtracts from the value, wrapping.
                fetch_sub = sub, $type, $scope, ($($unsafety)?), old, value => old.wrapping_sub(value));
            update!(
                /// Replaces the value by its bitwise "and" with the argument.
                fetch_and = and, $type, $scope, ($($unsafety)?), old, value => old & value);
            update!(
                /// Replaces the value by its bitwise "or" with the argument.
                fetch_or = or, $type, $scope, ($($unsafety)?), old, value => old | value);
            update!(
                /// Replaces the value by its bitwise "exclusive or" with the argument.
                fetch_xor = xor, $type, $scope, ($($unsafety)?), old, value => old ^ value);
            update!(
                /// Replaces the value by the argument if the argument is smaller.
                fetch_min = min, $type, $scope, ($($unsafety)?), old, value => old.min(value));
            update!(
                /// Replaces the value by the argument if the argument is larger.
                fetch_max = max, $type, $scope, ($($unsafety)?), old, value => old.max(value));
        });
    };
}

macro_rules! scopes {
    ($kind:ident: $($type:ident $bits:literal $suffix:ident),+ $(,)?) => { paste! {$(
        $kind!([<Atomic $suffix>]: $type, $bits, device, "all threads of the GPU", ());
        $kind!([<BlockAtomic $suffix>]: $type, $bits, block, "the threads of one block", (unsafe));
        $kind!([<SystemAtomic $suffix>]: $type, $bits, system, "all threads of the system, the host's too,", ());
    )+}};
}

scopes!(atomic_float: f32 32 F32, f64 64 F64);
scopes!(atomic_integer: u32 32 U32, u64 64 U64, i32 32 I32, i64 64 I64);
