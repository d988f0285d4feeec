//! The code of the guide's pages, compiled and run as doc tests.

macro_rules! pages {
    ($($name:ident: $file:literal;)*) => {$(
        #[doc = include_str!(concat!("../docs/guide/", $file))]
        struct $name;
    )*};
}
pages! {
    Start: "start.md";
    FromCuda: "from-cuda.md";
    Algebra: "algebra.md";
    Tiled: "tiled.md";
    Kernel: "kernel.md";
    OwnGemm: "own-gemm.md";
    OwnAttention: "own-attention.md";
    Hopper: "hopper.md";
    Blackwell: "blackwell.md";
    Debugging: "debugging.md";
    SeveralGpus: "several-gpus.md";
    Launch: "launch.md";
    FromCute: "from-cute.md";
    FromRustCuda: "from-rust-cuda.md";
    Messages: "messages.md";
    Performance: "performance.md";
    Inside: "inside.md";
    Weights: "weights.md";
}
