//! category: Hopper
//! mistake: `setmaxnreg` of 40, 240 and 240: more registers than a multiprocessor has.
//! cure: 40, 232, 232.
//! CuTe: hangs: the warp group waits for registers that never come.
#[cfg(mistake)]
layout_types::assert_register_budget!(40, 240, 240);
#[cfg(not(mistake))]
layout_types::assert_register_budget!(40, 232, 232);
