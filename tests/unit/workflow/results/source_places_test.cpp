/// Places of changed sources, in a repository of git with planted changes.
#include "workflow/results/source_places.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/run/case.h"
#include "support/run_files.h"
#include "workflow/setup/git.h"

namespace plumbline {
namespace {

constexpr const char* kSuite = R"(suite: ours
benchmarks:
  - op: kernel
    name: first
    source: ../kernels/first.cu
  - op: python
    name: second
    source: ../kernels/second.py
  - op: plugin
    name: built
    library: ../build/libbuilt.so
)";

class SourcePlacesOfAChange : public testing::Test {
 protected:
  void SetUp() override {
    git({"init", "--quiet"});
    write("bench/ours.yaml", kSuite);
    write(".gitignore", "build/\n");
    write("kernels/first.cu", "1\n2\n3\n");
    write("kernels/second.py", "1\n2\n3\n");
    write("kernels/shared.h", "1\n2\n3\n");
    write("src/built.c", "1\n2\n3\n");
    write("README.md", "1\n");
    write("build/libbuilt.so", "old");
    before_ = commit();
  }

  std::string git(std::vector<std::string> words) {
    std::vector<std::string> all{"-c", "user.name=A",         "-c", "user.email=a@b",
                                 "-c", "commit.gpgsign=false"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(run_git(folder_.path(), all), "");
    return git_text(folder_.path(), {"rev-parse", "--verify", "--quiet", "HEAD"}).substr(0, 40);
  }

  std::string commit() {
    git({"add", "--all"});
    return git({"commit", "--quiet", "--allow-empty", "--message", "one"});
  }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path(folder_ / name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  /// A comparison of the first commit and the present one; sources by their content.
  Comparison compared(bool is_dirty = false) {
    Comparison made;
    made.baseline.environment.commit = before_;
    made.candidate.environment.commit = is_dirty ? before_ : commit();
    made.candidate.environment.dirty = is_dirty;
    made.candidate.asked.emplace();
    made.candidate.asked->suites = {folder_ / "bench/ours.yaml"};
    for (RunInfo* info : {&made.baseline, &made.candidate}) {
      SuiteRef suite{"ours", "bench/ours.yaml", "", {}};
      for (const char* name :
           {"kernels/first.cu", "kernels/second.py", "kernels/shared.h", "build/libbuilt.so"}) {
        const bool is_before = info == &made.baseline && name != std::string("build/libbuilt.so");
        const std::string text =
            is_before ? "1\n2\n3\n" : (info == &made.baseline ? "old" : file_text(folder_ / name));
        suite.sources.push_back({name, stable_hash_text(text)});
      }
      info->suites.push_back(suite);
    }
    for (const char* name : {"first", "second", "built"}) {
      Finding finding;
      finding.suite = "ours";
      finding.case_id = std::string(name) + "/custom/n=1";
      finding.op = name;
      made.findings.push_back(finding);
    }
    return made;
  }

  static SourcePlace place(const SourcePlaces& places, const std::string& name) {
    const auto found = places.find({"ours", name + "/custom/n=1"});
    return found == places.end() ? SourcePlace{"nowhere"} : found->second;
  }

  TemporaryFolder folder_;
  std::string before_;
};

TEST_F(SourcePlacesOfAChange, AreTheFirstChangedLinesOfTheDeclaredSource) {
  write("kernels/first.cu", "1\ntwo\nthree\nfour\n");
  write("kernels/second.py", "2\n3\n");
  const SourcePlaces places = source_places(compared());
  EXPECT_EQ(place(places, "first"), (SourcePlace{"kernels/first.cu", 2, 4}));
  EXPECT_EQ(place(places, "second"), (SourcePlace{"kernels/second.py", 1, 1}))
      << "removed lines have the place where they were";
}

TEST_F(SourcePlacesOfAChange, OfAHeaderAreTheHeaders) {
  write("kernels/shared.h", "1\n2\n3\n4\n");
  const SourcePlaces places = source_places(compared());
  EXPECT_EQ(place(places, "first"), (SourcePlace{"kernels/shared.h", 4, 4}));
}

TEST_F(SourcePlacesOfAChange, OfABuiltLibraryAreItsSourcesAndNotThoseOfOthers) {
  write("kernels/second.py", "1\n2\nthree\n");
  write("README.md", "changed\n");
  write("src/built.c", "1\ntwo\n3\n");
  write("build/libbuilt.so", "new");
  const SourcePlaces places = source_places(compared());
  EXPECT_EQ(place(places, "built"), (SourcePlace{"src/built.c", 2, 2}));
}

TEST_F(SourcePlacesOfAChange, WithoutAChangedSourceAreTheBenchmarksOfTheSuite) {
  write("README.md", "changed\n");
  const SourcePlaces places = source_places(compared());
  EXPECT_EQ(place(places, "first"), (SourcePlace{"bench/ours.yaml", 3, 3}));
  EXPECT_EQ(place(places, "second"), (SourcePlace{"bench/ours.yaml", 6, 6}));
  EXPECT_EQ(place(places, "built"), (SourcePlace{"bench/ours.yaml", 9, 9}));
}

TEST_F(SourcePlacesOfAChange, OfAChangedDeclarationAreItsLines) {
  std::string suite(kSuite);
  suite.replace(suite.find("second.py"), 9, "other.py ");
  write("bench/ours.yaml", suite);
  const SourcePlaces places = source_places(compared());
  EXPECT_EQ(place(places, "second"), (SourcePlace{"bench/ours.yaml", 8, 8}));
  EXPECT_EQ(place(places, "first"), (SourcePlace{"bench/ours.yaml", 3, 3}));
}

TEST_F(SourcePlacesOfAChange, SeeWhatIsNotCommitted) {
  write("kernels/first.cu", "1\n2\n3\n4\n5\n");
  EXPECT_EQ(place(source_places(compared(true)), "first"), (SourcePlace{"kernels/first.cu", 4, 5}));
}

TEST_F(SourcePlacesOfAChange, OfACommitThatGitDoesNotKnowAreTheSuites) {
  write("kernels/first.cu", "1\n");
  Comparison made = compared();
  made.baseline.environment.commit = std::string(40, 'a');
  EXPECT_EQ(place(source_places(made), "first"), (SourcePlace{"bench/ours.yaml", 3, 3}));
}

}  // namespace
}  // namespace plumbline
