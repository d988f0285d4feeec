//! The #[kernel] and #[address_space] attributes of cuda_std.
