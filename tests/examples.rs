//! Runs every example on the best device of this machine. Each example checks its own result.
#![allow(
    clippy::duplicate_mod,
    reason = "each example brings what the examples share"
)]

macro_rules! examples {
    ($($name:ident: $path:literal;)*) => {$(
        #[path = $path]
        mod $name;
        #[test]
        fn $name() {
            $name::main().unwrap();
        }
    )*};
}
examples! {
    layouts: "../examples/01_layouts.rs";
    copy: "../examples/02_copy.rs";
    transpose: "../examples/03_transpose.rs";
    reduction: "../examples/04_reduction.rs";
    softmax: "../examples/05_softmax.rs";
    hgemm: "../examples/06_hgemm.rs";
    batched_gemm: "../examples/07_batched_gemm.rs";
    convolution: "../examples/08_convolution.rs";
    hopper_gemm: "../examples/09_hopper_gemm.rs";
    attention_scores: "../examples/10_attention_scores.rs";
    weights_of_few_bits: "../examples/11_weights.rs";
    paged_prefill: "../examples/12_paged_prefill.rs";
}
