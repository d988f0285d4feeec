//! Cutlet's GPU kernels, built to PTX by cuda_builder.
