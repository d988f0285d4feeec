layout_types::assert_register_budget!(40, 240, 240);

fn main() {}
