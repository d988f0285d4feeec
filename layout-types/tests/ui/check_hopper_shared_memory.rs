layout_types::assert_shared_memory!(5 * 49152 + 64);

fn main() {}
