/// NVRTC and its cache: needs no GPU.

#include <gtest/gtest.h>

#include "backends/files.h"
#include "backends/nvrtc/compile_cache.h"
#include "core/error.h"
#include "support/source_folder.h"

namespace plumbline::nvrtc {
namespace {

constexpr const char* kScale =
    "#include <cuda_fp16.h>\n"
    "#include \"factor.cuh\"\n"
    "namespace ours {\n"
    "template <class T, int kTimes>\n"
    "__global__ void scale(const T* x, T* y) { y[0] = x[0] * T(FACTOR * kTimes); }\n"
    "}\n";

class Compile : public testing::Test {
 protected:
  Compile() { folder_.write("factor.cuh", "#define FACTOR 2\n"); }

  Job job(const std::string& text, const std::string& kernel,
          const std::string& architecture = "sm_90a") const {
    Job job{folder_.path("scale.cu"), text, {"-arch=" + architecture}, kernel};
    for (const std::string& folder : compiler_.toolkit_folders())
      job.options.push_back("-I" + folder);
    return job;
  }

  std::string mistake(const Job& job) const {
    try {
      compiler_.compile(job);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::string cache() const { return folder_.path("cache"); }

  SourceFolder folder_;
  Compiler compiler_;
};

TEST_F(Compile, GivesTheMangledNameOfATemplateWithMachineCodeAndPtx) {
  const Compiled compiled = compiler_.compile(job(kScale, "ours::scale<__half, 3>"));
  EXPECT_EQ(compiled.symbol, "_ZN4ours5scaleI6__halfLi3EEEvPKT_PS2_");
  EXPECT_NE(compiled.ptx.find(".entry " + compiled.symbol), std::string::npos);
  EXPECT_EQ(compiled.image.substr(0, 4),
            "\x7f"
            "ELF");
}

TEST_F(Compile, WorksForAnArchitectureThatNoGpuOfThisMachineHas) {
  for (const char* architecture : {"sm_80", "sm_100a"})
    EXPECT_NE(compiler_.compile(job(kScale, "ours::scale<float, 1>", architecture))
                  .ptx.find(std::string(".target ") + architecture),
              std::string::npos);
  EXPECT_NE(mistake(job(kScale, "ours::scale<float, 1>", "sm_12")).find("-arch"),
            std::string::npos);
}

TEST_F(Compile, AMistakeIsToldWithTheFileAndItsLine) {
  const std::string text = std::string(kScale) + "__global__ void broken() { undefined(); }\n";
  const std::string said = mistake(job(text, "broken"));
  EXPECT_NE(said.find(folder_.path("scale.cu") + "(7): error: identifier \"undefined\""),
            std::string::npos)
      << said;
}

TEST_F(Compile, AMistakeInAnIncludedFileIsToldWithThatFile) {
  folder_.write("factor.cuh", "#define FACTOR 2\n\nint broken = ;\n");
  const std::string said = mistake(job(kScale, "ours::scale<float, 1>"));
  EXPECT_NE(said.find("factor.cuh(3): error"), std::string::npos) << said;
}

TEST_F(Compile, AKernelThatIsNotThereIsNamedWithTheSource) {
  const std::string said = mistake(job(kScale, "ours::scael<float, 1>"));
  EXPECT_EQ(said.substr(0, said.find(" (")),
            "'ours::scael<float, 1>' is no kernel of " + folder_.path("scale.cu"));
  EXPECT_NE(said.find("; the file has: ours::scale)"), std::string::npos) << said;
  EXPECT_NE(mistake(job("__device__ void f() {}\n", "f<3>"))
                .find("the file itself has no __global__ function"),
            std::string::npos);
}

TEST_F(Compile, ASuccessWithoutAKernelIsAMistake) {
  // UTF-16 text: NVRTC stops reading at once, and reports success.
  EXPECT_NE(
      mistake(job("\xff\xfe_", "k")).find("found no 'k'; is it, with all that it includes, UTF-8"),
      std::string::npos);
}

TEST_F(Compile, AHeaderThatTheTypeOfTheSuiteNeedsIsNamed) {
  const char* const text = "template <class T> __global__ void f(T* x) {}\n";
  EXPECT_NE(mistake(job(text, "f<__half>")).find("lacks #include <cuda_fp16.h>"),
            std::string::npos);
  EXPECT_NE(mistake(job(text, "f<__nv_bfloat16>")).find("lacks #include <cuda_bf16.h>"),
            std::string::npos);
  EXPECT_NE(mistake(job(text, "f<__nv_fp8_e5m2>")).find("lacks #include <cuda_fp8.h>"),
            std::string::npos);
  EXPECT_EQ(mistake(job(text, "g<float>")).find("#include"), std::string::npos);
}

TEST_F(Compile, TheCacheGivesWhatWasCompiledWithoutCompiling) {
  const Job fits = job(kScale, "ours::scale<float, 1>");
  const Compiled first = compile_cached(compiler_, fits, cache());
  const std::string path = cache_path(compiler_, fits, cache());
  ASSERT_TRUE(is_file(path)) << path;
  EXPECT_EQ(compile_cached(compiler_, fits, cache()), first);
  // Another kernel's file in its place shows that the file is read.
  const Job other = job(kScale, "ours::scale<float, 2>");
  const Compiled second = compile_cached(compiler_, other, cache());
  ASSERT_TRUE(write_whole(path, read_file(cache_path(compiler_, other, cache()))));
  EXPECT_EQ(compile_cached(compiler_, fits, cache()), second);
}

TEST_F(Compile, ADamagedFileOfTheCacheIsCompiledAndWrittenAnew) {
  const Job fits = job(kScale, "ours::scale<float, 1>");
  const Compiled right = compile_cached(compiler_, fits, cache());
  const std::string path = cache_path(compiler_, fits, cache());
  const std::string whole = read_file(path);
  std::string other = whole;
  other.back() ^= 1;
  for (const std::string& damaged :
       {whole.substr(0, whole.size() - 1), whole.substr(0, 20), std::string(), other}) {
    ASSERT_TRUE(write_whole(path, damaged));
    EXPECT_EQ(compile_cached(compiler_, fits, cache()), right) << damaged.size();
    EXPECT_EQ(read_file(path), whole);
  }
}

TEST_F(Compile, TheCacheNoticesWhateverTheResultFollowsFrom) {
  const Job fits = job(kScale, "ours::scale<float, 1>");
  const std::string path = cache_path(compiler_, fits, cache());
  EXPECT_NE(path, cache_path(compiler_, job(kScale, "ours::scale<float, 2>"), cache()));
  EXPECT_NE(path, cache_path(compiler_, job(kScale, fits.kernel, "sm_80"), cache()));
  EXPECT_NE(path, cache_path(compiler_, job(std::string(kScale) + "\n", fits.kernel), cache()));
  folder_.write("factor.cuh", "#define FACTOR 3\n");
  EXPECT_NE(path, cache_path(compiler_, fits, cache()));
  folder_.write("factor.cuh", "#define FACTOR 2\n");
  EXPECT_EQ(path, cache_path(compiler_, fits, cache()));
  const std::string far = folder_.write("far/far.cuh", "");
  const Job absolute = job("#include \"" + far + "\"\n" + kScale, fits.kernel);
  const std::string before = cache_path(compiler_, absolute, cache());
  folder_.write("far/far.cuh", "#define FAR\n");
  EXPECT_NE(before, cache_path(compiler_, absolute, cache()));
}

TEST_F(Compile, AFolderInThePlaceOfAKeptKernelIsCompiledPast) {
  const Job fits = job(kScale, "ours::scale<float, 1>");
  ASSERT_TRUE(make_folder(cache_path(compiler_, fits, cache())));
  EXPECT_EQ(compile_cached(compiler_, fits, cache()).symbol, "_ZN4ours5scaleIfLi1EEEvPKT_PS1_");
}

TEST_F(Compile, NothingIsKeptWhereIncludesCannotBeToldAndCompilingGoesOnWhereNothingCanBeKept) {
  const Job unclear =
      job("#define WHICH <cuda_fp16.h>\n#include WHICH\n"
          "extern \"C\" __global__ void empty() {}\n",
          "empty");
  EXPECT_EQ(cache_path(compiler_, unclear, cache()), "");
  EXPECT_EQ(compile_cached(compiler_, unclear, cache()).symbol, "empty");
  EXPECT_FALSE(is_folder(cache()));
  const std::string file = folder_.write("file", "");  // no folder can be made inside a file
  EXPECT_EQ(compile_cached(compiler_, job(kScale, "ours::scale<float, 1>"), file + "/cache").symbol,
            "_ZN4ours5scaleIfLi1EEEvPKT_PS1_");
}

}  // namespace
}  // namespace plumbline::nvrtc
