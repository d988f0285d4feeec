#include "product.cuh"
#ifdef MISTAKE
struct P : Setup {
  using SmemB = decltype(composition(Swizzle<1, 3, 3>{}, Layout<Shape<_64, _16>, Stride<_16, _1>>{}));
};
#else
struct P : Setup {
};
#endif
int main() { return run_product<P>(); }
