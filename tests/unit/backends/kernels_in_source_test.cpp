#include "backends/nvrtc/kernels_in_source.h"

#include <gtest/gtest.h>

namespace plumbline::nvrtc {
namespace {

using Names = std::vector<std::string>;

TEST(KernelsInSource, AreNamedOnceWithTheirNamespacesInTheirOrder) {
  EXPECT_EQ(
      kernels_in_source("__global__ void first(float* x);\n"
                        "namespace ours::inner {\n"
                        "template <class T, int kTimes = (1 + 1)>\n"
                        "__global__ void scale(const T* x, T* y) { if (x) { y[0] = x[0]; } }\n"
                        "namespace { __global__ void hidden() {} }\n"
                        "}\n"
                        "extern \"C\" { __global__ void plain(int n) {} }\n"
                        "namespace alias = ours::inner;\n"
                        "__global__ void first(float* x) {}\n"
                        "static __global__ void last() {}\n"),
      (Names{"first", "ours::inner::scale", "ours::inner::hidden", "plain", "last"}));
}

TEST(KernelsInSource, StandBehindAttributes) {
  EXPECT_EQ(
      kernels_in_source("__global__ void __launch_bounds__(kThreads * (1 + 1), 2) a(int n) {}\n"
                        "__global__ __cluster_dims__(2, 1, 1) void b() {}\n"
                        "extern \"C\" __global__ void __launch_bounds__(256)\nc(int n) {}\n"),
      (Names{"a", "b", "c"}));
}

TEST(KernelsInSource, AreNotWhatStandsInCommentsTextsAndMacros) {
  EXPECT_EQ(kernels_in_source("// __global__ void a();\n"
                              "/* __global__ void b();\n */\n"
                              "const char* text = \"__global__ \\\" void c()\";\n"
                              "#define KERNEL(name) \\\n  __global__ void name() {}\n"
                              "const char brace = '{';\n"
                              "__device__ void d() {}\n"),
            Names{});
}

TEST(KernelsInSource, AreNotTheirInstantiations) {
  EXPECT_EQ(kernels_in_source("template <class T> __global__ void f(T* x) {}\n"
                              "template __global__ void f<float>(float* x);\n"),
            (Names{"f"}));
}

}  // namespace
}  // namespace plumbline::nvrtc
