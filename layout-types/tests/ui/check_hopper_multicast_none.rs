layout_types::assert_multicast!(0, 2);

fn main() {}
