#include "workflow/run/tool.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "plumbline-tool-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }
  void add_program(const std::string& name, bool is_executable = true) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << "#!/bin/sh\n";
    if (is_executable) fs::permissions(path_ / name, fs::perms::owner_all);
  }

 private:
  fs::path path_;
};

std::string error_of(const Tool& tool, const std::string& path) {
  try {
    find_tool(tool, path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tool, IsTakenFromTheFirstFolderOfPathThatHoldsItAsAProgram) {
  const Folder folder;
  folder.add_program("a/ncu", /*is_executable=*/false);
  folder.add_program("b/ncu");
  folder.add_program("c/ncu");
  const std::string path = (folder.path() / "none").string() +
                           "::" + (folder.path() / "a").string() + ":" +
                           (folder.path() / "b").string() + ":" + (folder.path() / "c").string();
  EXPECT_EQ(find_tool(tool_named("ncu"), path), (folder.path() / "b/ncu").string());
}

TEST(Tool, IsTakenFromTheNewestOfItsOwnFoldersWhereItIsNotInPath) {
  const Folder folder;
  folder.add_program("nsight/2024.1/bin/nsys");
  folder.add_program("nsight/2025.2/bin/nsys");
  folder.add_program("nsight/2025.3/other");
  const std::string pattern = (folder.path() / "nsight/*/bin").string();
  Tool tool = tool_named("nsys");
  tool.folders = {"/nowhere", pattern};
  EXPECT_EQ(find_tool(tool, "/none"), (folder.path() / "nsight/2025.2/bin/nsys").string());
}

TEST(Tool, ThatIsMissingIsNamedWithWhereItWasLookedForAndWhatToInstall) {
  Tool tool = tool_named("sanitizer");
  tool.folders = {"/nowhere/bin", "/opt/none-*"};
  EXPECT_EQ(error_of(tool, "/none:/also/none"),
            "the program 'compute-sanitizer' is missing; it was looked for in PATH, /nowhere/bin, "
            "/opt/none-*; install Compute Sanitizer (package cuda-sanitizer-* of NVIDIA's "
            "repository, the CUDA toolkit, or `pip install nvidia-cuda-sanitizer-api`, 13.2 or "
            "later, with its nvidia/cu13/bin in PATH)");
  tool.folders.clear();
  EXPECT_NE(error_of(tool, ""), "");
}

TEST(Tool, ThatIsUnknownIsAnErrorWithThoseThatThereAre) {
  try {
    tool_named("nvprof");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--tool nvprof: there is no such tool; there are: ncu, nsys, sanitizer");
  }
}

std::string line_of(const std::string& tool, const ToolCall& call) {
  std::string line;
  for (const std::string& word : tool_words(tool_named(tool), call)) line += word + "\n";
  return line;
}

TEST(Tool, NcuCapturesTheLaunchesOfTheCaseAlone) {
  EXPECT_EQ(line_of("ncu", {"/bin/ncu", "case.ncu-rep", "", {"--call-stack"}}),
            "/bin/ncu\n--target-processes\nall\n--nvtx\n--nvtx-include\nplumbline@launches]\n"
            "--set\nfull\n--import-source\nyes\n--force-overwrite\n--export\ncase.ncu-rep\n"
            "--call-stack\n");
}

TEST(Tool, NsysCapturesTheLaunchesOfTheCaseAlone) {
  EXPECT_EQ(line_of("nsys", {"/bin/nsys", "case.nsys-rep", "", {}}),
            "/bin/nsys\nprofile\n--trace=cuda,nvtx,cublas,cudnn\n--sample=none\n--cpuctxsw=none\n"
            "--capture-range=nvtx\n--nvtx-capture=launches@plumbline\n--capture-range-end=stop\n"
            "--env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0\n--force-overwrite=true\n"
            "--output=case.nsys-rep\n");
}

TEST(Tool, OnlyMemcheckIsToldOfPaddingAndCallsThatFail) {
  EXPECT_EQ(line_of("sanitizer", {"/bin/cs", "case.txt", "memcheck", {}}),
            "/bin/cs\n--tool\nmemcheck\n--log-file\ncase.txt\n--target-processes\nall\n"
            "--error-exitcode\n86\n--print-limit\n100\n--padding\n4096\n--report-api-errors\nno\n");
  EXPECT_EQ(line_of("sanitizer", {"/bin/cs", "case.txt", "racecheck", {}}),
            "/bin/cs\n--tool\nracecheck\n--log-file\ncase.txt\n--target-processes\nall\n"
            "--error-exitcode\n86\n--print-limit\n100\n");
}

TEST(Tool, APathWithAPercentSignIsNoPlaceholder) {
  for (const char* tool : {"ncu", "nsys", "sanitizer"})
    EXPECT_NE(line_of(tool, {"/bin/tool", "100%/case", "memcheck", {}}).find("100%%/case\n"),
              std::string::npos)
        << tool;
}

TEST(Tool, KnownObstaclesAreExplained) {
  EXPECT_NE(known_obstacle("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
                           "access NVIDIA GPU Performance Counters on the target device 0.")
                .find("NVreg_RestrictProfilingToAdminUsers=0"),
            std::string::npos);
  EXPECT_NE(known_obstacle("==WARNING== No kernels were profiled.").find("no kernel of the case"),
            std::string::npos);
  EXPECT_EQ(known_obstacle("==PROF== Disconnected from process 12"), "");
}

}  // namespace
}  // namespace plumbline
