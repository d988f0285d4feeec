#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  template <class M>
  CUTE_HOST_DEVICE static auto s2r_b(M const& m) { return make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, m); }
};
#else
struct P : Setup {
};
#endif
int main() { return run_product<P>(); }
