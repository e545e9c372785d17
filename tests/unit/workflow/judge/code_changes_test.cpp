#include "workflow/judge/code_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/run_files.h"
#include "workflow/machine/disassembler.h"
#include "workflow/setup/cache_folder.h"
#include "workflow/setup/python_environment.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// For compute capability 9.0, by NVRTC 13.0: `y[i] = 2 * x[i]`, and the same with
// `for (int k = 0; k < 4; ++k) v = fmaf(v, 1.0f, x[0] * 0.0f)` behind it.
constexpr const char* kTwice =
    "827b01ff000a00000008000000e20f00197900000000000000210000002e0e00"
    "c3790400000000000025000000300e00827b07ff000000000008000000240e00"
    "247c07070400000000028e0f00e21f00b97a0400008800000008000000c80f00"
    "0c7c0007040000007062f00b00da0f004d090000000000000000800300ea0f00"
    "827b02ff00840000000a000000220e00b97a040000820000000a000000ce0f00"
    "827b04ff00860000000a000000620e00257802070400000002028e0700cc1f00"
    "817902020400000000191e0c00a20e00257804070400000004028e0700c82f00"
    "21720702020000000000000000ca4f0086790004070000000419100c00e20f00"
    "4d790000000000000000800300ea0f004779fc00fcffffffffff830300c00f00";
constexpr const char* kTwiceAndFour =
    "827b01ff000a00000008000000e20f0019790900000000000025000000220e00"
    "b97a0400000000000008000000e20f0019790000000000000021000000240e00"
    "247c09090400000000028e0f00e21f00b97a0400008800000008000000c80f00"
    "0c7c0009040000007062f00b00da0f004d090000000000000000800300ea0f00"
    "827b02ff00840000000a000000220e00b97a040000820000000a000000ce0f00"
    "827b04ff00840000000a000000700e00827b06ff00860000000a000000a20e00"
    "257802090400000002028e0700cc1f00817902020400000000191e0c00e80e00"
    "817904040400000000191e0c00222f00257806090400000006028e0700c84f00"
    "21720b02020000000000000000e28f00207200ff040000000000400000c80f01"
    "23780b0b0000803f0000000000c80f0023780b0b0000803f0000000000c80f00"
    "23780b0b0000803f0000000000c80f0023780b0b0000803f0000000000ca0f00"
    "867900060b0000000419100c00e20f004d790000000000000000800300ea0f00"
    "4779fc00fcffffffffff830300c00f00";

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
    bytes += char(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  return bytes;
}

/// A real one: as users have it, or in the environment that scripts/setup makes.
std::string real_nvdisasm() {
  std::vector<std::string> packages;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cache_folder(), none))
    if (entry.path().filename().string().starts_with("venv-"))
      for (const fs::path& folder : package_folders(entry.path()))
        packages.push_back(folder.string());
  return find_nvdisasm(packages);
}

/// Pairs of one case, whose kernel has code "aa…" on side a and "bb…" on side b, in files that
/// hold a disassembly. A fake nvdisasm prints them.
class CodeChanges : public testing::Test {
 protected:
  CodeChanges() {
    for (std::size_t i = 0; i < 2; ++i) {
      runs_[i].path = folder_ / std::string(1, "ab"[i]);
      add_case(i, "slower", kHashes[i]);
      keep(i, kHashes[i],
           i == 0 ? "/*0000*/ FADD R1, R1, R1;\n"
                  : "/*0000*/ FFMA R1, R1, R1, R1;\n/*0010*/ EXIT;\n");
      keep(i, "00000000000000ff", "/*0000*/ EXIT;\n");
    }
    finding("slower", Verdict::slower);
    nvdisasm("cat \"$3\"");
    sides_ = {&side_, &side_};
  }
  ~CodeChanges() override { unsetenv("PLUMBLINE_NVDISASM"); }

  void add_case(std::size_t side, const std::string& id, const std::string& hash) {
    ResultRow& row = runs_[side].rows.emplace_back();
    row.suite = "s";
    row.case_id = id;
    row.kernels = R"([{"name":"k","grid":[1,1,1],"code":")" + hash + R"("}])";
  }
  void finding(const std::string& id, Verdict verdict) {
    Finding& made = comparison_.findings.emplace_back();
    made.suite = "s";
    made.case_id = id;
    made.metric = "kernel_time_hot";
    made.unit = "s";
    made.change = 0.1;
    made.verdict = verdict;
  }
  std::string file(std::size_t side, const std::string& hash) {
    return runs_[side].path + "/code/" + hash + ".sm_90.bin";
  }
  void keep(std::size_t side, const std::string& hash, const std::string& text) {
    fs::create_directories(runs_[side].path + "/code");
    std::ofstream(file(side, hash)) << text;
  }
  void nvdisasm(const std::string& text) {
    std::ofstream(folder_ / "nvdisasm") << "#!/bin/sh\n" << text << '\n';
    fs::permissions(folder_ / "nvdisasm", fs::perms::owner_all);
    setenv("PLUMBLINE_NVDISASM", (folder_ / "nvdisasm").c_str(), 1);
  }
  const CodeChange& looked_at() {
    add_code_changes(runs_, sides_, comparison_);
    EXPECT_EQ(comparison_.code_changes.size(), 1U);
    return comparison_.code_changes.at(0);
  }

  static constexpr std::array kHashes{"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"};
  TemporaryFolder folder_;
  std::array<plumbline::Run, 2> runs_;
  Side side_;
  std::array<const Side*, 2> sides_{};
  Comparison comparison_;
};

TEST_F(CodeChanges, AreReadFromWhatTheWorkersKept) {
  const CodeChange& change = looked_at();
  EXPECT_EQ(change.unknown, "");
  EXPECT_EQ(change.before.instructions, 1U);
  EXPECT_EQ(change.after.instructions, 2U);
  EXPECT_EQ(change.mix.size(), 3U);
  EXPECT_EQ(change.diff.at(1), "-  FADD R1, R1, R1");
}

TEST_F(CodeChanges, OfARealNvdisasm) {
  unsetenv("PLUMBLINE_NVDISASM");
  const std::string program = real_nvdisasm();
  if (program.empty()) GTEST_SKIP() << "there is no nvdisasm on this machine";
  setenv("PLUMBLINE_NVDISASM", program.c_str(), 1);
  keep(0, kHashes[0], bytes_of(kTwice));
  keep(1, kHashes[1], bytes_of(kTwiceAndFour));
  const CodeChange& change = looked_at();
  ASSERT_EQ(change.unknown, "");
  EXPECT_EQ(change.before.instructions, std::string(kTwice).size() / 32);
  EXPECT_EQ(change.after.instructions, std::string(kTwiceAndFour).size() / 32);
  ASSERT_FALSE(change.mix.empty());
  EXPECT_EQ(change.mix[0].opcode, "FFMA");
  EXPECT_EQ(change.mix[0].before, 0U);
  EXPECT_EQ(change.mix[0].after, 4U);
  EXPECT_EQ(std::ranges::count_if(
                change.diff, [](const std::string& line) { return line.starts_with("+  FFMA R"); }),
            4);
}

TEST_F(CodeChanges, OnlyTheirFilesStay) {
  looked_at();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(fs::exists(file(i, kHashes[i])));
    EXPECT_FALSE(fs::exists(file(i, "00000000000000ff")));
  }
}

TEST_F(CodeChanges, WithoutAnyNothingStays) {
  comparison_.findings[0].verdict = Verdict::same;
  add_code_changes(runs_, sides_, comparison_);
  EXPECT_TRUE(comparison_.code_changes.empty());
  for (const plumbline::Run& run : runs_) EXPECT_FALSE(fs::exists(run.path + "/code"));
}

TEST_F(CodeChanges, WithoutNvdisasmASentenceSaysWhatToDo) {
  setenv("PLUMBLINE_NVDISASM", (folder_ / "gone").c_str(), 1);
  EXPECT_NE(looked_at().unknown.find("which is no program"), std::string::npos);
  ASSERT_EQ(comparison_.notes.size(), 1U);
  EXPECT_NE(comparison_.notes[0].find("The machine code of 1 kernel changed"), std::string::npos);
  EXPECT_NE(comparison_.notes[0].find("CUDA toolkit"), std::string::npos);
  EXPECT_TRUE(fs::exists(file(0, kHashes[0]))) << "it can be looked at later";
}

TEST_F(CodeChanges, ThatNvdisasmCannotReadSayWhy) {
  nvdisasm("echo 'nvdisasm fatal : no' >&2; exit 3");
  const CodeChange& change = looked_at();
  EXPECT_NE(change.unknown.find("exited with code 3: nvdisasm fatal : no"), std::string::npos);
  EXPECT_TRUE(change.mix.empty());
}

TEST_F(CodeChanges, WhoseCodeWasNotKeptSaySo) {
  fs::remove(file(1, kHashes[1]));
  EXPECT_EQ(looked_at().unknown, "its code was not kept");
}

TEST_F(CodeChanges, CasesOfEqualCodeAreControls) {
  for (int n = 0; n < 30; ++n)
    for (std::size_t i = 0; i < 2; ++i) add_case(i, "equal" + std::to_string(n), "cc");
  for (int n = 0; n < 30; ++n)
    finding("equal" + std::to_string(n), n == 0 ? Verdict::faster : Verdict::same);
  comparison_.is_ab = true;
  looked_at();
  ASSERT_EQ(comparison_.notes.size(), 1U);
  EXPECT_NE(comparison_.notes[0].find("1 of 30 cases"), std::string::npos) << comparison_.notes[0];
}

}  // namespace
}  // namespace plumbline
