#include "common.cuh"
#ifdef MISTAKE
using Written = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64, _4>{}));
using Read = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64, _4>{}));
#else
using Written = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<tfloat32_t>{}, Shape<_64, _64, _4>{}));
using Read = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<tfloat32_t>{}, Shape<_64, _64, _4>{}));
#endif
using Element = tfloat32_t;
using Instruction = SM90_64x64x8_F32TF32TF32_SS_TN<>;
constexpr bool WAIT = true;
#include "written_product.cuh"
