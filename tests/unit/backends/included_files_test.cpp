#include "backends/nvrtc/included_files.h"

#include <gtest/gtest.h>

#include "support/source_folder.h"

namespace plumbline::nvrtc {
namespace {

using Paths = std::vector<std::string>;

TEST(IncludedFiles, AreFoundThroughOthersEachOnceAndInACircle) {
  const SourceFolder folder;
  const std::string a = folder.write("a.cuh", "#include \"deep/b.cuh\"\n");
  const std::string b = folder.write("deep/b.cuh", "#pragma once\n # include \"../a.cuh\"\n");
  EXPECT_EQ(
      included_files(folder.path("k.cu"), "#include \"a.cuh\"\n#include \"deep/b.cuh\"\n", {}),
      (Paths{a, b}));
}

TEST(IncludedFiles, InAngleBracketsAreLookedForInTheGivenFoldersAlone) {
  const SourceFolder folder;
  folder.write("ours.cuh", "");
  const std::string theirs = folder.write("inc/theirs.cuh", "");
  const std::string text = "#include <ours.cuh>\n#include <theirs.cuh>\n#include <cuda_fp16.h>\n";
  EXPECT_EQ(included_files(folder.path("k.cu"), text, {folder.path("inc")}), Paths{theirs});
  EXPECT_EQ(included_files(folder.path("k.cu"), text, {}), Paths{});
}

TEST(IncludedFiles, ThatAMacroNamesCannotBeToldAlsoWhereAnotherFileHasIt) {
  const SourceFolder folder;
  folder.write("a.cuh", "#define WHICH \"b.cuh\"\n#include WHICH\n");
  EXPECT_EQ(included_files(folder.path("k.cu"), "#include \"a.cuh\"\n", {}), std::nullopt);
  EXPECT_EQ(included_files(folder.path("k.cu"), "#include\n", {}), std::nullopt);
  EXPECT_EQ(included_files(folder.path("k.cu"), "// none\n#if 0\n#endif\n", {}), Paths{});
}

}  // namespace
}  // namespace plumbline::nvrtc
