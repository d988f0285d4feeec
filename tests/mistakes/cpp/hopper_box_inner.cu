#include "common.cuh"
#include <cute/atom/copy_traits_sm90_tma.hpp>
#ifdef MISTAKE
using SmemLayout = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag_bits<16>, Layout<Shape<_64, _128>, Stride<_128, _1>>>;
#else
using SmemLayout = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag_bits<16>, Layout<Shape<_64, _64>, Stride<_64, _1>>>;
#endif
using Global = Layout<Shape<_1024, _512>, Stride<_512, _1>>;
#include "tensor_map.cuh"
