#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  using SmemA = Layout<Shape<_64, _32>, Stride<_1, _64>>;
};
#else
struct P : Setup {
  using SmemA = Layout<Shape<_64, _32>, Stride<_1, _64>>;
  template <class M>
  CUTE_HOST_DEVICE static auto s2r_a(M const& m) { return make_tiled_copy_A(Copy_Atom<SM75_U16x8_LDSM_T, half_t>{}, m); }
};
#endif
int main() { return run_product<P>(); }
