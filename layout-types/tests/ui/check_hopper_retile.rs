use layout_types::{assert_retile_c_to_a, atom::mma::*};
assert_retile_c_to_a!(Sm90_64x128x32_F32E4M3E4M3_SS_TN, Sm90_64x128x32_F32E4M3E4M3_RS_TN);

fn main() {}
