#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  using SmemA = decltype(composition(Swizzle<2, 3, 3>{}, Layout<Shape<Int<80>, _32>, Stride<_32, _1>>{}));
};
#else
struct P : Setup {
  using SmemA = decltype(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_96, _32>, Stride<_32, _1>>{}));
};
#endif
int main() { return run_product<P>(); }
