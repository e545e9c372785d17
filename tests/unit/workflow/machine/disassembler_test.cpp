#include "workflow/machine/disassembler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& text, bool is_program = false) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
  if (is_program) fs::permissions(path, fs::perms::owner_all);
}

/// Sets variables and restores them at its end.
class Variables {
 public:
  void set(const std::string& name, const std::string& value) {
    const char* const before = std::getenv(name.c_str());
    if (!before_.contains(name)) before_[name] = before ? std::optional(before) : std::nullopt;
    setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

class DisassemblerTest : public testing::Test {
 protected:
  DisassemblerTest() {
    for (const char* name : {"PLUMBLINE_NVDISASM", "CUDA_HOME"}) variables_.set(name, "");
    write(code_, "code");
  }
  std::string program(const std::string& text) {
    write(folder_ / "fake/nvdisasm", "#!/bin/sh\n" + text, true);
    return folder_ / "fake/nvdisasm";
  }

  TemporaryFolder folder_;
  std::string code_ = folder_ / "0123456789abcdef.sm_90a.bin";
  Variables variables_;
};

TEST_F(DisassemblerTest, IsTheNamedOneThenInPathThenOfTheToolkitThenOfTriton) {
  const std::string packages = folder_ / "site-packages";
  const std::string of_triton = packages + "/triton/backends/nvidia/bin/nvdisasm";
  write(of_triton, "x", true);
  variables_.set("PATH", "/nowhere:relative");
  if (!fs::exists("/usr/local/cuda/bin/nvdisasm")) {
    EXPECT_EQ(find_nvdisasm(std::vector{packages}), of_triton);
  }
  const std::string of_toolkit = folder_ / "cuda/bin/nvdisasm";
  write(of_toolkit, "x", true);
  variables_.set("CUDA_HOME", folder_ / "cuda");
  EXPECT_EQ(find_nvdisasm(std::vector{packages}), of_toolkit);
  const std::string in_path = folder_ / "bin/nvdisasm";
  write(in_path, "x", true);
  variables_.set("PATH", "/nowhere:" + (folder_ / "bin"));
  EXPECT_EQ(find_nvdisasm(std::vector{packages}), in_path);
  const std::string named = folder_ / "mine";
  variables_.set("PLUMBLINE_NVDISASM", named);
  EXPECT_THROW(find_nvdisasm(std::vector{packages}), Error);
  write(named, "x", true);
  EXPECT_EQ(find_nvdisasm(std::vector{packages}), named);
}

TEST_F(DisassemblerTest, IsAskedForTheArchitectureInTheName) {
  const Disassembled made = disassembled(program("echo \"$1 $2 $3\""), code_);
  EXPECT_EQ(made.failure, "");
  EXPECT_EQ(made.text, "-b SM90a " + code_ + "\n");
}

TEST_F(DisassemblerTest, SaysWhatTheProgramSaidLast) {
  const Disassembled made =
      disassembled(program("echo 'nvdisasm warning : w' >&2; printf 'nvdisasm fatal : "
                           "\\033[31mSM90a\\n\\n' >&2; exit 1"),
                   code_);
  EXPECT_EQ(made.failure,
            (folder_ / "fake/nvdisasm") + " exited with code 1: nvdisasm fatal : [31mSM90a");
  EXPECT_FALSE(made.is_late);
  EXPECT_NE(disassembled(folder_ / "gone", code_).failure, "");
}

TEST_F(DisassemblerTest, EndsAProgramThatHangs) {
  const auto begin = std::chrono::steady_clock::now();
  const Disassembled made = disassembled(program("sleep 100"), code_, 0.3);
  EXPECT_TRUE(made.is_late);
  EXPECT_NE(made.failure.find("did not end within 0.3 s"), std::string::npos) << made.failure;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(DisassemblerTest, ReadsNoLinkNoLargeFileAndNoOtherName) {
  const std::string echo = program("echo read");
  EXPECT_EQ(disassembled(echo, code_).text, "read\n");
  EXPECT_EQ(disassembled(echo, "").failure, "its code was not kept");
  EXPECT_EQ(disassembled(echo, folder_ / "gone.sm_90.bin").failure, "its code was not kept");
  fs::create_symlink("/etc/passwd", folder_ / "link.sm_90.bin");
  EXPECT_EQ(disassembled(echo, folder_ / "link.sm_90.bin").failure, "its code was not kept");
  fs::resize_file(code_, (1 << 20) + 16);
  EXPECT_EQ(disassembled(echo, code_).failure, "it has more than 65536 instructions");
}

}  // namespace
}  // namespace plumbline
