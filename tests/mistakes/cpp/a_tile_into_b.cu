#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  template <class M>
  CUTE_HOST_DEVICE static auto s2r_b(M const& m) { return s2r_a(m); }
  template <class A, class B>
  CUTE_DEVICE static auto const& read_as_b(A const& s_a, B const&) { return s_a; }
};
#else
struct P : Setup {
};
#endif
int main() { return run_product<P>(); }
