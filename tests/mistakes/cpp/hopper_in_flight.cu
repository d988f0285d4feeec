#include "common.cuh"
using Written = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64, _4>{}));
using Read = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64, _4>{}));
using Element = half_t;
using Instruction = SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>;
constexpr bool WAIT = RIGHT;
#include "written_product.cuh"
