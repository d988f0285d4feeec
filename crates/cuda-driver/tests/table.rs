//! Compares the table with the declarations of `cust_raw`, and the arguments of the functions in
//! `calls` with theirs.

#[path = "../examples/generate_symbols.rs"]
mod generate_symbols;

#[test]
fn the_tables_are_what_the_generator_writes() {
    let (symbols, error_names) = generate_symbols::tables();
    let again = "run `cargo run -p cutlet-cuda-driver --example generate_symbols`";
    assert!(
        symbols == include_str!("../src/symbols.rs"),
        "src/symbols.rs: {again}"
    );
    assert!(
        error_names == include_str!("../src/error_names.rs"),
        "src/error_names.rs: {again}"
    );
    assert!(symbols.contains(" cuLaunchKernel;") && symbols.contains(" cuMemAlloc_v2;"));
}

/// Returns a declaration's arguments as a calling convention sees them: `*` for an address or a
/// handle, otherwise the type of an integer or float.
fn arguments(declarations: &str, name: &str) -> Option<Vec<&'static str>> {
    let (_, rest) = declarations.split_once(&format!("fn {name}("))?;
    let (list, _) = rest.split_once(')')?;
    let types = list.split(',').filter_map(|of| of.split_once(": "));
    let kind = |(_, of): (&str, &str)| match of.trim().rsplit("::").next() {
        _ if of.contains('*') => "*",
        Some("c_uint" | "u32") => "u32",
        // These types are the enumerations in C, the number of a device and the result of a call.
        Some("c_int" | "Code" | "CUdevice" | "CUresult") => "i32",
        Some("CUdevice_attribute" | "CUfunction_attribute" | "CUstreamCaptureMode") => "i32",
        Some("c_ulonglong" | "u64" | "CUdeviceptr") => "u64",
        Some("c_uchar" | "u8") => "u8",
        Some("usize") => "usize",
        Some("CUcontext" | "CUstream" | "CUevent" | "CUmodule" | "CUfunction") => "*",
        Some("CUgraph" | "CUgraphExec" | "Handle") => "*",
        other => panic!("{name}: what is {other:?}?"),
    };
    Some(types.map(kind).collect())
}

#[test]
fn calls_have_the_arguments_that_cust_raw_declares() {
    let ours = include_str!("../src/calls.rs");
    let theirs = std::fs::read_to_string(generate_symbols::bindings()).unwrap();
    let mut unknown = Vec::new();
    for name in cuda_driver::calls::NAMES {
        assert!(cuda_driver::SYMBOLS.contains(name), "{name:?}");
        let name = name.to_str().unwrap();
        match arguments(&theirs, name) {
            Some(declared) => assert_eq!(arguments(ours, name), Some(declared), "{name}"),
            None => unknown.push(name),
        }
    }
    // These functions are newer than `cust_raw`: their source is `cuda.h` of CUDA 12.
    let newer = [
        "cuLaunchKernelEx",
        "cuOccupancyMaxActiveClusters",
        "cuTensorMapEncodeTiled",
    ];
    assert_eq!(unknown, newer);
    // The test plants a difference, and the comparison finds it.
    let planted = ours.replace(
        "cuMemAlloc_v2(address: *mut u64, bytes: usize)",
        "cuMemAlloc_v2(address: u64, bytes: usize)",
    );
    assert_ne!(
        arguments(&planted, "cuMemAlloc_v2"),
        arguments(&theirs, "cuMemAlloc_v2")
    );
}
