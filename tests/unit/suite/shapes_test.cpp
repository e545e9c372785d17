#include "suite/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "core/run/case.h"
#include "suite/suite.h"
#include "support/small_catalogue.h"
#include "support/source_folder.h"

namespace plumbline {
namespace {

/// A folder with the suite s.yaml, whose `shapes:` is the given text, and other files.
class ShapesFrom : public testing::Test {
 protected:
  Suite load(const std::string& shapes, const std::string& axis) {
    files_.write("s.yaml", "suite: s\nshapes:\n" + shapes +
                               "\nbenchmarks:\n  - op: softmax\n    sweep: {shape: " + axis +
                               ", dtype: float32}\n");
    return load_suite(files_.path("s.yaml"), small_catalogue(), {});
  }

  std::vector<std::string> ids(const std::string& shapes, const std::string& axis) {
    std::vector<std::string> all;
    for (const Case& c : load(shapes, axis).cases) all.push_back(c.id);
    return all;
  }

  /// The message without the folder, "" if the suite loads.
  std::string mistake(const std::string& shapes) {
    try {
      load(shapes, "[{rows: 1, cols: 1}]");
    } catch (const Error& error) {
      std::string message = error.what();
      for (auto at = message.find(files_.path("")); at != std::string::npos;
           at = message.find(files_.path("")))
        message.erase(at, files_.path("").size());
      return message;
    }
    return "";
  }

  SourceFolder files_;
};

using Ids = std::vector<std::string>;

TEST_F(ShapesFrom, ListsOfAFileJoinTheSuitesOwn) {
  files_.write("networks/a.yaml", "shapes: {a: [{rows: 2, cols: 3}]}\n");
  EXPECT_EQ(ids("  from: networks/a.yaml\n  own: [{rows: 4, cols: 5}]", "[$own, $a]"),
            (Ids{"softmax/libtorch/cols=5/dtype=float32/rows=4",
                 "softmax/libtorch/cols=3/dtype=float32/rows=2"}));
}

TEST_F(ShapesFrom, AFileThatIsReadReadsOthersFromItsOwnFolder) {
  files_.write("networks/a.yaml", "shapes: {from: b.yaml, a: [{rows: 2, cols: 3}]}\n");
  files_.write("networks/b.yaml", "shapes: {b: [{rows: 6, cols: 7}]}\n");
  EXPECT_EQ(ids("  from: networks/a.yaml", "[$b]"),
            Ids{"softmax/libtorch/cols=7/dtype=float32/rows=6"});
}

TEST_F(ShapesFrom, AFileThatTwoOthersReadIsReadOnce) {
  files_.write("a.yaml", "shapes: {from: base.yaml, a: [{rows: 2, cols: 3}]}\n");
  files_.write("b.yaml", "shapes: {from: base.yaml, b: [{rows: 4, cols: 5}]}\n");
  files_.write("base.yaml", "shapes: {base: [{rows: 6, cols: 7}]}\n");
  const Suite suite = load("  from: [a.yaml, b.yaml]", "[$a, $b, $base]");
  EXPECT_EQ(suite.cases.size(), 3u);
  EXPECT_EQ(suite.shape_files.size(), 3u);
}

TEST_F(ShapesFrom, OnlyTheShapesOfAWholeSuiteCount) {
  files_.write("other.yaml",
               "suite: other\nmeasure: {rounds: 9}\nshapes: {a: [{rows: 2, cols: 3}]}\n"
               "benchmarks: [{op: softmax, sweep: {rows: 1, cols: 1, dtype: float32}}]\n");
  const Suite suite = load("  from: other.yaml", "[$a]");
  ASSERT_EQ(suite.cases.size(), 1u);
  EXPECT_EQ(suite.name, "s");
  EXPECT_NE(suite.cases.at(0).policy->rounds, 9);
}

TEST_F(ShapesFrom, FilesAreRecordedWithTheHashOfTheirText) {
  const std::string text = "shapes: {a: [{rows: 2, cols: 3}]}\n";
  const std::string path = files_.write("a.yaml", text);
  EXPECT_EQ(load("  from: a.yaml", "[$a]").shape_files,
            (std::vector<FileRef>{{path, stable_hash_text(text)}}));
}

TEST_F(ShapesFrom, ANameThatTwoFilesDefineNamesBothPlaces) {
  files_.write("a.yaml", "shapes:\n  x: [{rows: 2, cols: 3}]\n");
  EXPECT_EQ(
      mistake("  from: a.yaml\n  x: [{rows: 4, cols: 5}]"),
      "s.yaml:4:3: the shape 'x' is defined here and at a.yaml:2:3; each name may stand once");
}

TEST_F(ShapesFrom, AMissingFileIsToldWhereItIsNamed) {
  const std::string found = mistake("  from: [gone.yaml]");
  EXPECT_TRUE(
      found.starts_with("s.yaml:3:10: the file of shapes 'gone.yaml': gone.yaml: cannot be "
                        "opened: No such file or directory"))
      << found;
}

TEST_F(ShapesFrom, FilesThatReadEachOtherAreRefused) {
  files_.write("a.yaml", "shapes: {from: b.yaml}\n");
  files_.write("b.yaml", "shapes: {from: a.yaml}\n");
  EXPECT_EQ(mistake("  from: a.yaml"),
            "b.yaml:1:16: these files read each other's shapes: a.yaml -> b.yaml -> a.yaml; move "
            "what they share to a file of its own");
}

TEST_F(ShapesFrom, ASuiteThatReadsItselfIsRefused) {
  EXPECT_EQ(mistake("  from: ./s.yaml"),
            "s.yaml:3:9: these files read each other's shapes: s.yaml -> s.yaml; move what they "
            "share to a file of its own");
}

TEST_F(ShapesFrom, AFileNamedTwiceIsRefused) {
  files_.write("a.yaml", "shapes: {a: [{rows: 2, cols: 3}]}\n");
  EXPECT_EQ(mistake("  from: [a.yaml, ./a.yaml]"),
            "s.yaml:3:18: the file './a.yaml' is named twice; once is enough");
}

TEST_F(ShapesFrom, RowsUnderFromAreRefused) {
  EXPECT_EQ(mistake("  from: [{rows: 1, cols: 2}]"),
            "s.yaml:3:10: found a map; 'from' in 'shapes' is a file of shapes or a list of files: "
            "from: networks/llama.yaml; a list of rows needs another name");
}

TEST_F(ShapesFrom, ANumberIsNoFile) {
  EXPECT_TRUE(mistake("  from: 12").starts_with("s.yaml:3:9: found the integer 12"));
}

TEST_F(ShapesFrom, AFileWithoutShapesIsRefused) {
  files_.write("a.yaml", "suite: a\n");
  EXPECT_EQ(mistake("  from: a.yaml"),
            "a.yaml:1:1: this file, which 'from' at s.yaml:3:9 names, lacks 'shapes': shapes: "
            "{name: [{rows: 1, cols: 2}]}");
}

TEST_F(ShapesFrom, AMisspeltKeyOfTheFileIsRefused) {
  files_.write("a.yaml", "shape: {a: [{rows: 2, cols: 3}]}\n");
  EXPECT_TRUE(mistake("  from: a.yaml").starts_with("a.yaml:1:1: unknown key 'shape'"))
      << mistake("  from: a.yaml");
}

TEST_F(ShapesFrom, ANameThatNoFileCanHaveIsAMistake) {
  const std::string message = mistake("  from: " + std::string(300, 'a') + ".yaml");
  EXPECT_TRUE(message.starts_with("s.yaml:3:9: the file of shapes 'aaa")) << message;
}

TEST_F(ShapesFrom, AMistakeInARowHasThePlaceInItsFile) {
  files_.write("a.yaml", "shapes:\n  a: [{rows: 2, cols: x}]\n");
  try {
    load("  from: a.yaml", "[$a]");
    ADD_FAILURE() << "this suite was accepted";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(files_.path("a.yaml:2:23: ")))
        << error.what();
  }
}

TEST_F(ShapesFrom, AFileOfShapesIsNoSuite) {
  const std::string path = files_.write("a.yaml", "shapes: {a: [{rows: 2, cols: 3}]}\n");
  try {
    load_suite(path, small_catalogue(), {});
    ADD_FAILURE() << "this file was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              path +
                  ":1:1: this file has only shapes, so it is no suite; suites read it by shapes: "
                  "{from: FILE}, and it belongs in a folder of its own");
  }
}

}  // namespace
}  // namespace plumbline
