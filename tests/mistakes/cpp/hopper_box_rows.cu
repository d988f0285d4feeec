#include "common.cuh"
#include <cute/atom/copy_traits_sm90_tma.hpp>
#ifdef MISTAKE
using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_512, _64>{}));
#else
using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_256, _64>{}));
#endif
using Global = Layout<Shape<_1024, _512>, Stride<_512, _1>>;
#include "tensor_map.cuh"
