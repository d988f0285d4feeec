// One block computes D (m,n) = A (m,k) B (n,k)^T in f16 with f32 accumulators, by way of shared memory and `ldmatrix`. A mistake
// derives from `Setup` and hides what it gets wrong.
#pragma once
#include "common.cuh"

struct Setup {
  using Element = half_t;
  using SmemA = decltype(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_64, _32>, Stride<_32, _1>>{}));
  using SmemB = SmemA;
  CUTE_HOST_DEVICE static auto mma() {
    return make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{}, Tile<_32, _32, _16>{});
  }
  template <class M>
  CUTE_HOST_DEVICE static auto s2r_a(M const& m) { return make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, m); }
  template <class M>
  CUTE_HOST_DEVICE static auto s2r_b(M const& m) { return make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, m); }
  template <class R, class T>
  CUTE_DEVICE static auto accumulator(T const& thr, R const& g_d) { return thr.partition_fragment_C(g_d); }
  template <class A, class B>
  CUTE_DEVICE static auto const& read_as_b(A const&, B const& s_b) { return s_b; }
  template <class M, class A, class B, class C>
  CUTE_DEVICE static void product(M const& mma, A const& r_a, B const& r_b, C& r_c) { gemm(mma, r_a, r_b, r_c); }
};

template <class P>
__global__ void small_product(float* d, float const*, int) {
  using Element = typename P::Element;
  typename P::SmemA layout_a;
  typename P::SmemB layout_b;
  __shared__ alignas(128) Element memory_a[cosize_v<decltype(layout_a)>], memory_b[cosize_v<decltype(layout_b)>];
  Tensor s_a = make_tensor(make_smem_ptr(memory_a), layout_a);
  Tensor s_b = make_tensor(make_smem_ptr(memory_b), layout_b);
  for (int i = threadIdx.x; i < size<0>(s_a) * size<1>(s_a); i += blockDim.x)
    s_a(i % size<0>(s_a), i / size<0>(s_a)) = Element(element(i % size<0>(s_a), i / size<0>(s_a)));
  for (int i = threadIdx.x; i < size<0>(s_b) * size<1>(s_b); i += blockDim.x)
    s_b(i % size<0>(s_b), i / size<0>(s_b)) = Element(element(i % size<0>(s_b) + 1, i / size<0>(s_b)));
  __syncthreads();
  auto mma = P::mma();
  auto thr = mma.get_slice(threadIdx.x);
  Tensor r_a = thr.partition_fragment_A(s_a);
  Tensor r_b = thr.partition_fragment_B(s_b);
  Tensor g_d = make_tensor(make_gmem_ptr(d), make_layout(make_shape(size<0>(layout_a), size<0>(layout_b)), LayoutRight{}));
  Tensor r_c = P::accumulator(thr, g_d);
  clear(r_c);
  auto s2r_a = P::s2r_a(mma);
  auto s2r_b = P::s2r_b(mma);
  auto thr_a = s2r_a.get_slice(threadIdx.x);
  auto thr_b = s2r_b.get_slice(threadIdx.x);
  copy(s2r_a, thr_a.partition_S(s_a), thr_a.retile_D(r_a));
  copy(s2r_b, thr_b.partition_S(P::read_as_b(s_a, s_b)), thr_b.retile_D(r_b));
  P::product(mma, r_a, r_b, r_c);
  copy(r_c, thr.partition_C(g_d));
}

template <class P>
int run_product() {
  int const m = size<0>(typename P::SmemA{}), n = size<0>(typename P::SmemB{}), k = size<1>(typename P::SmemA{});
  auto const expected = [=](Numbers const&, int i) {
    float sum = 0;
    for (int j = 0; j < k; ++j) sum += element(i / n, j) * element(i % n + 1, j);
    return sum;
  };
  return map(small_product<P>, {1, int(size(P::mma()))}, 1, m * n, expected);
}
