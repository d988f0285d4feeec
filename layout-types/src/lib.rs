//! CuTe's layout algebra solved by the compiler: shapes, strides, layouts, tensors and atoms as types.
