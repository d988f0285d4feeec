#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  CUTE_HOST_DEVICE static auto mma() {
    return make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>, Stride<_1, _1, _1>>{}, Tile<_32, _32, _16>{});
  }
};
#else
struct P : Setup {
};
#endif
int main() { return run_product<P>(); }
