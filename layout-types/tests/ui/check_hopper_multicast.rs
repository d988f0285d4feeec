layout_types::assert_multicast!(0b101, 2);

fn main() {}
