//! The table is what `cust_raw` declares.

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
