layout_types::assert_register_budget!(40, 236, 232);

fn main() {}
