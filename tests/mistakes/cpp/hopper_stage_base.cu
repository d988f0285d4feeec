#include "common.cuh"
#ifdef MISTAKE
using Written = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag_bits<16>, Layout<Shape<_64, _64, _4>, Stride<_64, _1, Int<4160>>>>;
using Read = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag_bits<16>, Layout<Shape<_64, _64, _4>, Stride<_64, _1, Int<4160>>>>;
#else
using Written = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag_bits<16>, Layout<Shape<_64, _64, _4>, Stride<_64, _1, Int<4096>>>>;
using Read = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag_bits<16>, Layout<Shape<_64, _64, _4>, Stride<_64, _1, Int<4096>>>>;
#endif
using Element = half_t;
using Instruction = SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>;
constexpr bool WAIT = true;
#include "written_product.cuh"
