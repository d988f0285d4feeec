//! The kernels that a build for the GPU selects.
//!
//! ```text
//!   CudaBuilder::kernels(["a", "b"])  ──CUDA_BUILDER_KERNELS=a,b──►  #[kernel] fn a, #[kernel] fn b, and no other kernels
//! ```
//!
//! Law: in the crate that cargo was told to build, the build selects the named kernels, or all
//! kernels if none is named. In a dependency it selects all kernels, because cargo keeps a compiled
//! dependency for later builds and does not know that the variable has an effect.

/// Whether the build selects this kernel, or with `None`, whether it selects all kernels.
pub(crate) fn is_selected(kernel: Option<&str>) -> bool {
    selects(kernel, |variable| std::env::var(variable).ok())
}

fn selects(kernel: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> bool {
    match (
        variable("CARGO_PRIMARY_PACKAGE"),
        variable("CUDA_BUILDER_KERNELS"),
    ) {
        (Some(_), Some(names)) => names.split(',').any(|name| Some(name) == kernel),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_of_some_kernels_is_of_those_of_the_crate_asked_for() {
        let set = |primary: bool, names: Option<&'static str>| {
            move |variable: &str| match variable {
                "CARGO_PRIMARY_PACKAGE" => primary.then(|| "1".to_owned()),
                _ => names.map(str::to_owned),
            }
        };
        assert!(selects(Some("a"), set(true, None)));
        assert!(selects(Some("a"), set(true, Some("b,a"))));
        assert!(!selects(Some("a"), set(true, Some("b,aa"))));
        assert!(selects(Some("a"), set(false, Some("b"))));
        assert!(selects(None, set(true, None)));
        assert!(!selects(None, set(true, Some("a"))));
    }
}
