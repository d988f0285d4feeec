#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  using SmemA = decltype(composition(Swizzle<2, 2, 3>{}, Layout<Shape<_64, _32>, Stride<_32, _1>>{}));
};
#else
struct P : Setup {
};
#endif
int main() { return run_product<P>(); }
