//! category: Hopper
//! mistake: `setmaxnreg` of 236, no multiple of 8.
//! cure: 232.
//! CuTe: ptxas refuses the immediate.
#[cfg(mistake)]
layout_types::assert_register_budget!(40, 236, 232);
#[cfg(not(mistake))]
layout_types::assert_register_budget!(40, 232, 232);
