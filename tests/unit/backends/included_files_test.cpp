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

TEST(IncludedFiles, OfAnAbsolutePathAreThoseFilesWhateverTheFolders) {
  const SourceFolder folder;
  const std::string deep = folder.write("deep.cuh", "");
  const std::string there =
      folder.write("elsewhere/there.cuh", "#include <" + folder.path("deep.cuh") + ">\n");
  EXPECT_EQ(included_files("/somewhere/k.cu", "#include \"" + there + "\"\n", {}),
            (Paths{deep, there}));
}

TEST(IncludedFiles, AreFoundOverLinesThatTheCompilerJoins) {
  const SourceFolder folder;
  const std::string a = folder.write("a.cuh", "");
  for (const char* text :
       {"#inclu\\\nde \"a.cuh\"\n", "#include \\\r\n\"a.cuh\"\n", "#\\ \ninclude \"a.cuh\""})
    EXPECT_EQ(included_files(folder.path("k.cu"), text, {}), Paths{a}) << text;
}

TEST(IncludedFiles, InSpellingsThatAreNotReadHereCannotBeTold) {
  const SourceFolder folder;
  folder.write("a.cuh", "");
  for (const char* text :
       {"/* c */ #include \"a.cuh\"\n", "/* c\n */ #include \"a.cuh\"\n",
        "// c */ #include \"a.cuh\"\n", "# c */ #include \"a.cuh\"\n", "#/* */include \"a.cuh\"\n",
        "# /* c\n */ include \"a.cuh\"\n", "%:include \"a.cuh\"\n", "?\?=include \"a.cuh\"\n",
        "#include /* c */ \"a.cuh\"\n", "#import \"a.cuh\"\n", "#embed \"a.cuh\"\n",
        "#if __has_include(\"a.cuh\")\n#endif\n"})
    EXPECT_EQ(included_files(folder.path("k.cu"), text, {}), std::nullopt) << text;
}

TEST(IncludedFiles, InCommentsAndOtherDirectivesAreNone) {
  const SourceFolder folder;
  for (const char* text :
       {"// #include WHAT\n", " * as in #include \"a.cuh\"\n", "#ifndef included_h\n#endif\n",
        "#define LONG 1 /* goes\n on */\n", "int include = 1;\n", "#error include a.cuh first\n",
        "#define TWO \\\n  lines\n"})
    EXPECT_EQ(included_files(folder.path("k.cu"), text, {}), Paths{}) << text;
}

}  // namespace
}  // namespace plumbline::nvrtc
