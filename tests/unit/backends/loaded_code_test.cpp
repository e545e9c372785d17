/// Machine code of this build's NVRTC: equal code has equal hashes, wherever it lies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "backends/nvrtc/nvrtc.h"
#include "core/error.h"
#include "device/cuda/code/code_hash.h"
#include "device/cuda/code/code_index.h"
#include "device/cuda/code/cubin.h"
#include "device/cuda/code/kept_code.h"

namespace plumbline::cuda {
namespace {

constexpr const char* kAdd = "extern \"C\" __global__ void add(float* x) { x[0] += 1; }\n";
/// Reads `counter` through the module's table of addresses.
constexpr const char* kCount =
    "__device__ int counter;\n"
    "extern \"C\" __global__ void count(int* x) { x[0] = atomicAdd(&counter, x[1]); }\n";

/// The last kernel of the source is its entry.
std::string compiled(const std::string& source, const std::string& architecture = "sm_90",
                     std::vector<std::string> more = {}) {
  const std::size_t begin = source.find(' ', source.rfind("void ")) + 1;
  const std::string entry = source.substr(begin, source.find('(', begin) - begin);
  const nvrtc::Compiler compiler;
  more.push_back("-arch=" + architecture);
  return compiler.compile({"k.cu", source, more, entry}).image;
}

std::string hash_in(const std::string& image, std::string_view function) {
  const Cubin cubin = read_cubin("k.cubin", image);
  const CubinFunction* const found = cubin.find(function);
  EXPECT_NE(found, nullptr) << function;
  return found == nullptr ? "" : code_hash(cubin, *found);
}

TEST(CodeHash, IsThatOfTheInstructionsAndNotOfTheirPlace) {
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    const std::string alone = hash_in(compiled(kAdd, architecture), "add");
    const std::string before =
        "__device__ int other[9];\n"
        "extern \"C\" __global__ void before(int* x) { other[1] = *x; }\n";
    EXPECT_EQ(hash_in(compiled(before + kAdd, architecture), "add"), alone) << architecture;
    EXPECT_EQ(hash_in(compiled(std::string("\n\n") + kAdd, architecture, {"-lineinfo"}), "add"),
              alone)
        << architecture;
    const std::string two = "extern \"C\" __global__ void add(float* x) { x[0] += 2; }\n";
    EXPECT_NE(hash_in(compiled(two, architecture), "add"), alone) << architecture;
  }
}

TEST(CodeHash, DoesNotCountPlacesInTheTableOfAddresses) {
  const std::string others =
      "__device__ int first[3], second[5];\n"
      "extern \"C\" __global__ void before(int* x) { first[x[0]] = second[x[1]] = x[2]; }\n";
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    const std::string alone = compiled(kCount, architecture);
    const std::string among = compiled(others + kCount, architecture);
    EXPECT_EQ(hash_in(among, "count"), hash_in(alone, "count")) << architecture;
    const Cubin one = read_cubin("k", alone), many = read_cubin("k", among);
    EXPECT_NE(one.find("count")->code, many.find("count")->code)
        << architecture << ": the places differ, else this tests nothing";
  }
}

TEST(CodeHash, CountsConstantsAndInitialisedVariables) {
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    const auto repeats = [&](const std::string& where, const char* value) {
      return hash_in(compiled(where + " int repeats = " + value +
                                  ";\nextern \"C\" __global__ void work(int* x) {"
                                  " for (int i = 0; i < repeats; ++i) x[i] *= x[i + 1]; }\n",
                              architecture),
                     "work");
    };
    for (const char* where : {"__constant__", "__device__"}) {
      EXPECT_NE(repeats(where, "1"), repeats(where, "30")) << architecture << ' ' << where;
      EXPECT_EQ(repeats(where, "30"), repeats(where, "30")) << architecture << ' ' << where;
    }
  }
}

TEST(CodeHash, CountsLiteralsAndCalledFunctions) {
  const auto with = [](const char* body) {
    return std::string("__noinline__ __device__ float inner(float x) { ") + body +
           " }\nextern \"C\" __global__ void outer(float* x) { x[0] = inner(x[0]); }\n";
  };
  EXPECT_NE(hash_in(compiled(with("return x * 1.5f;")), "outer"),
            hash_in(compiled(with("return x * 1.25f;")), "outer"));
  // Linked from separate compilation, the called function is one of its own.
  const std::vector<std::string> separate{"-rdc=true"};
  EXPECT_NE(hash_in(compiled(with("return x * 1.5f;"), "sm_90", separate), "outer"),
            hash_in(compiled(with("return x * 1.25f;"), "sm_90", separate), "outer"));
}

TEST(Cubins, TellRegistersAndSharedMemory) {
  for (const char* architecture : {"sm_80", "sm_90a", "sm_100a", "sm_120"}) {
    const std::string image = compiled(
        "extern \"C\" __global__ void small(float* x) { x[0] = 1; }\n"
        "extern \"C\" __global__ void shared(float* x) {\n"
        "  __shared__ float s[100]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
        "  x[threadIdx.x] = s[99 - threadIdx.x]; }\n",
        architecture);
    const Cubin cubin = read_cubin("k.cubin", image);
    EXPECT_GT(cubin.find("small")->registers, 0) << architecture;
    EXPECT_LT(cubin.find("small")->registers, 64) << architecture;
    EXPECT_EQ(cubin.find("small")->shared_bytes, 0) << architecture;
    EXPECT_EQ(cubin.find("shared")->shared_bytes, 400) << architecture;
  }
}

/// What CUPTI shows: on an H200, 16 registers of kernels that need 4 and 12.
LaunchedKernel launched(const std::string& image, const std::string& name) {
  const Cubin cubin = read_cubin("k", image);
  const CubinFunction& function = *cubin.find(name);
  return {name, std::max(function.registers, 16), function.shared_bytes, function.block};
}

TEST(CodeIndex, KnowsKernelsWithFewerRegistersThanCuptiNames) {
  const std::string image =
      compiled("extern \"C\" __global__ void small(float* x) { x[0] = 1; }\n");
  ASSERT_LT(read_cubin("k", image).find("small")->registers, 16);
  CodeIndex index;
  index.add(image);
  EXPECT_EQ(index.hash_of({"small", 16, 0, {32, 1, 1}}), hash_in(image, "small"));
  EXPECT_EQ(index.hash_of({"small", 24, 0, {32, 1, 1}}), "");
}

TEST(CodeIndex, FindsAKernelInOneOfItsModules) {
  const std::string add = compiled(kAdd), count = compiled(kCount);
  CodeIndex index;
  index.add(add);
  index.add("no module at all");
  index.add(count);
  index.add(add);
  EXPECT_EQ(index.hash_of(launched(add, "add")), hash_in(add, "add"));
  EXPECT_EQ(index.hash_of(launched(count, "count")), hash_in(count, "count"));
  EXPECT_EQ(index.hash_of({"absent", 8, 0, {}}), "");
  LaunchedKernel other = launched(add, "add");
  other.registers += 8;
  EXPECT_EQ(index.hash_of(other), "") << "the module that ran is another one";
}

TEST(CodeIndex, TellsKernelsOfOneNameApartByWhatTheLaunchShows) {
  const std::string plain = compiled(kAdd);
  const std::string shared = compiled(
      "extern \"C\" __global__ void add(float* x) {\n"
      "  __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
      "  x[threadIdx.x] = s[63 - threadIdx.x]; }\n");
  const std::string twin = compiled("extern \"C\" __global__ void add(float* x) { x[0] += 3; }\n");
  CodeIndex index;
  index.add(plain);
  index.add(shared);
  EXPECT_EQ(index.hash_of(launched(shared, "add")), hash_in(shared, "add"));
  EXPECT_EQ(index.hash_of(launched(plain, "add")), hash_in(plain, "add"));
  ASSERT_EQ(launched(twin, "add").registers, launched(plain, "add").registers);
  index.add(twin);
  EXPECT_EQ(index.hash_of(launched(plain, "add")), "") << "nobody can tell which of two it was";
  EXPECT_EQ(index.hash_of(launched(shared, "add")), hash_in(shared, "add"));
}

/// As Triton's: one name, one number of registers, and a block of its own for each.
TEST(CodeIndex, TellsKernelsApartByTheBlockThatTheyNeed) {
  CodeIndex index;
  std::vector<std::string> hashes;
  for (const char* threads : {"128", "256"}) {
    const std::string image =
        compiled(std::string("extern \"C\" __global__ __block_size__((") + threads +
                 ", 1, 1)) void add(float* x) { x[0] += " + threads + "; }\n");
    const Cubin cubin = read_cubin("k", image);
    ASSERT_EQ(cubin.find("add")->block, (std::array{std::stoi(threads), 1, 1}));
    hashes.push_back(hash_in(image, "add"));
    index.add(image);
  }
  LaunchedKernel kernel = launched(compiled(kAdd), "add");
  kernel.block = {128, 1, 1};
  EXPECT_EQ(index.hash_of(kernel), hashes[0]);
  kernel.block = {256, 1, 1};
  EXPECT_EQ(index.hash_of(kernel), hashes[1]);
  kernel.block = {64, 1, 1};
  EXPECT_EQ(index.hash_of(kernel), "");
}

TEST(KeptCode, IsThatOfTheKernelAndOfWhatItCalls) {
  const std::string source =
      "__noinline__ __device__ float inner(float x) { return x * 1.5f; }\n"
      "extern \"C\" __global__ void outer(float* x) { x[0] = inner(x[0]); }\n";
  const std::string image = compiled(source, "sm_90", {"-rdc=true"});
  const Cubin cubin = read_cubin("k", image);
  EXPECT_EQ(cubin.architecture, "sm_90");
  ASSERT_EQ(cubin.functions.size(), 2U);
  const std::string code = called_code(cubin, *cubin.find("outer"));
  EXPECT_EQ(code.size(), cubin.functions[0].code.size() + cubin.functions[1].code.size());
  EXPECT_EQ(code.substr(0, cubin.find("outer")->code.size()),
            without_addresses(cubin.find("outer")->code));
}

std::size_t size_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  return file ? std::size_t(file.tellg()) : 0;
}

TEST(KeptCode, IsWrittenOnceAndNeverFails) {
  std::string folder = testing::TempDir() + "kept-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string image = compiled(kAdd);
  CodeIndex index;
  index.add(image);
  const auto found = index.find(launched(image, "add"));
  ASSERT_TRUE(found);
  const std::string code = folder + "/code";
  keep_code(*found, code);
  const std::string path = code + '/' + hash_in(image, "add") + ".sm_90.bin";
  EXPECT_EQ(size_of(path), called_code(*found->cubin, *found->function).size()) << path;
  std::ofstream(path) << "mine";
  keep_code(*found, code);
  EXPECT_EQ(size_of(path), 4U) << "it is written once";
  keep_code(*found, path + "/below a file");
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(::rmdir(code.c_str()), 0) << "nothing else is left in it";
  ::rmdir(folder.c_str());
}

TEST(CodeIndex, KeepsNoMoreThanItsLimit) {
  const std::string add = compiled(kAdd), count = compiled(kCount);
  CodeIndex index(add.size());
  index.add(add);
  index.add(count);
  EXPECT_NE(index.hash_of(launched(add, "add")), "");
  EXPECT_EQ(index.hash_of(launched(count, "count")), "");
}

TEST(Cubins, DamagedOnesAreErrorsAndNothingWorse) {
  const std::string image = compiled(kCount);
  for (std::size_t size = 0; size < image.size(); size += 97)
    EXPECT_THROW(read_cubin("k.cubin", image.substr(0, size)), Error) << size;
  for (std::size_t at = 0; at < image.size(); ++at) {
    std::string damaged = image;
    damaged[at] = char(~damaged[at]);
    try {
      const Cubin cubin = read_cubin("k.cubin", damaged);
      for (const CubinFunction& function : cubin.functions) code_hash(cubin, function);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace plumbline::cuda
