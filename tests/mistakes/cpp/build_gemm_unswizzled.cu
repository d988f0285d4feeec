#include "product.cuh"
// Rows of 64 bytes: stages of (96,32).
#ifdef MISTAKE
struct P : Setup {
  using SmemA = Layout<Shape<_96, _32>, Stride<_32, _1>>;
};
#else
struct P : Setup {
  using SmemA = decltype(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_96, _32>, Stride<_32, _1>>{}));
};
#endif
int main() { return run_product<P>(); }
