#include "common.cuh"
#include <cute/atom/copy_traits_sm90_tma.hpp>
using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64>{}));
#ifdef MISTAKE
using Global = Layout<Shape<Int<1000>, Int<300>>, Stride<Int<300>, _1>>;
#else
using Global = Layout<Shape<Int<1000>, Int<300>>, Stride<Int<304>, _1>>;
#endif
#include "tensor_map.cuh"
