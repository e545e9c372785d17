#include "backends/kernel/kernel_build.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"

namespace plumbline {
namespace {

const Params kParams{
    {"block", std::int64_t{128}}, {"dtype", "bfloat16"}, {"fast", true}, {"n", std::int64_t{1000}}};

KernelCode scale() {
  KernelCode kernel;
  kernel.source = "/suites/kernels/scale.cu";
  kernel.entry = "ours::scale";
  kernel.grid = {"ceil_div(n, block)", "2"};
  kernel.block = {"block"};
  return kernel;
}

template <class Function>
std::string error_of(Function function) {
  try {
    function();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(KernelBuild, TemplateArgumentsAreValuesAndADtypeIsItsType) {
  KernelCode kernel = scale();
  kernel.template_args = {"dtype", "block * 2", "fast", "'float32'", "'Policy<3>'", "0.5", "4.0"};
  EXPECT_EQ(compile_job(kernel, kParams, "", "sm_90a", {}).kernel,
            "ours::scale<__nv_bfloat16, 256, true, float, Policy<3>, 0.5, 4.0>");
  EXPECT_EQ(compile_job(scale(), kParams, "", "sm_90a", {}).kernel, "ours::scale");
}

TEST(KernelBuild, EveryDtypeHasItsTypeOfCudaCpp) {
  std::string types;
  for (const DTypeInfo& row : kDTypes) types += std::string(cpp_type(row.dtype)) + ", ";
  EXPECT_EQ(types,
            "double, float, __half, __nv_bfloat16, long long, int, short, signed char, unsigned "
            "char, bool, __nv_fp8_e4m3, __nv_fp8_e5m2, ");
}

TEST(KernelBuild, OptionsComeLastAndFoldersOfIncludesAreFromTheSource) {
  KernelCode kernel = scale();
  kernel.defines = {{"TILE", "block / 4"}, {"T", "dtype"}};
  kernel.options = {"--use_fast_math", "-I../include", "--include-path=/usr/include"};
  const nvrtc::Job job = compile_job(kernel, kParams, "text", "sm_80", {"/cuda"});
  EXPECT_EQ(job.options,
            (std::vector<std::string>{
                "-arch=sm_80", "-lineinfo", "-I/cuda", "-DTILE=32", "-DT=__nv_bfloat16",
                "--use_fast_math", "-I/suites/kernels/../include", "--include-path=/usr/include"}));
  EXPECT_EQ(job.text, "text");
  EXPECT_EQ(job.path, "/suites/kernels/scale.cu");
}

TEST(KernelBuild, ALaunchHasThreeSizesEachOneUnlessSaid) {
  KernelCode kernel = scale();
  kernel.shared = "metadata.shared + 1";
  kernel.constants = {{"metadata.shared", std::int64_t{1023}}};
  const LaunchShape shape = launch_shape(kernel, kParams);
  EXPECT_EQ(shape.grid, (std::array<std::int64_t, 3>{8, 2, 1}));
  EXPECT_EQ(shape.block, (std::array<std::int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(shape.shared_bytes, 1024);
}

TEST(KernelBuild, ClustersAndKindsOfLaunchesAreExpressions) {
  KernelCode kernel = scale();
  EXPECT_EQ(launch_shape(kernel, kParams).blocks_of_cluster(), 1);
  kernel.cluster = {"block / 64", "2"};
  kernel.cooperative = "n > 5";
  kernel.dependent = "0";
  const LaunchShape shape = launch_shape(kernel, kParams);
  EXPECT_EQ(shape.cluster, (std::array<std::int64_t, 3>{2, 2, 1}));
  EXPECT_TRUE(shape.is_cooperative);
  EXPECT_FALSE(shape.is_dependent);
  kernel.dependent = "n";
  EXPECT_EQ(error_of([&] { launch_shape(kernel, kParams); }), "'dependent' is 1000; it is 0 or 1");
}

TEST(KernelBuild, SizesThatNoLaunchCanHaveAreRefused) {
  KernelCode kernel = scale();
  kernel.block = {"block - 128"};
  EXPECT_EQ(error_of([&] { launch_shape(kernel, kParams); }),
            "'block' is 0; it is an integer of at least 1");
  kernel.block = {"n / 7"};
  EXPECT_EQ(error_of([&] { launch_shape(kernel, kParams); }),
            "'block' is 142.85714285714286; it is an integer of at least 1");
}

template <class T>
T read_back(const std::string& type, const std::string& expression) {
  const auto bytes = scalar_bytes({"a", expression, Argument::Role::scalar, type}, kParams);
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(KernelBuild, ScalarsHaveTheBytesOfTheirType) {
  EXPECT_EQ(read_back<std::int32_t>("int32", "n - 1001"), -1);
  EXPECT_EQ(read_back<std::int64_t>("int64", "n * 10 ** 9"), 1000000000000);
  EXPECT_EQ(read_back<std::uint8_t>("uint8", "255"), 255);
  EXPECT_EQ(read_back<float>("float32", "1"), 1.0F);
  EXPECT_EQ(read_back<double>("float64", "0.1"), 0.1);
  EXPECT_EQ(read_back<bool>("bool", "fast"), true);
  EXPECT_EQ(read_back<std::uint16_t>("float16", "0 - 2"), 0xc000);
  EXPECT_EQ(read_back<std::uint16_t>("dtype", "0.1"), 0x3dcd);  // bfloat16, the case's dtype
}

TEST(KernelBuild, ScalarsThatDoNotFitAreRefused) {
  const auto mistake = [](const std::string& type, const std::string& expression) {
    return error_of([&] {
      scalar_bytes({"a", expression, Argument::Role::scalar, type}, kParams);
    });
  };
  EXPECT_EQ(mistake("int8", "128"),
            "args.a is 128, an integer; int8 is an integer from -128 to 127");
  EXPECT_EQ(mistake("int8", "-128"), "");
  EXPECT_EQ(mistake("uint32", "0 - 1"),
            "args.a is -1, an integer; uint32 is an integer from 0 to 4294967295");
  EXPECT_EQ(mistake("uint64", "n"), "");
  EXPECT_EQ(mistake("int32", "2 ** 31"),
            "args.a is 2147483648, an integer; int32 is an integer from -2147483648 to 2147483647");
  EXPECT_EQ(mistake("int32", "0.5"),
            "args.a is 0.5, a number; int32 is an integer from -2147483648 to 2147483647");
  EXPECT_EQ(mistake("bool", "1"), "args.a is 1, an integer; bool is true or false");
  EXPECT_EQ(mistake("float32", "1e39"),
            "args.a is 1e+39, a number; float32 is a number from -3.4028235e38 to 3.4028235e38");
  EXPECT_EQ(mistake("float64", "1e39"), "");
  EXPECT_EQ(mistake("float64", "1e308 * n - 1e308 * n"),
            "args.a is nan, a number; float64 is a finite number");
  EXPECT_EQ(mistake("float32", "dtype"),
            "args.a is bfloat16, a string; float32 is a number from -3.4028235e38 to 3.4028235e38");
}

}  // namespace
}  // namespace plumbline
