#include "store/bundle/bundle_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/error.h"
#include "store/file.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

/// A small bundle: a suite and a kernel in both sides.
struct Parts {
  Parts() {
    for (const std::size_t i : {0, 1}) {
      bundle.sides[i].commit = std::string(40, "ab"[i]);
      bundle.sides[i].suites = {"k/perf.yaml"};
      bundle.sides[i].sources = {{"k/perf.yaml", "tree", "1"}, {"k/scale.cu", "commit", "2"}};
      for (const char* path : {"k/perf.yaml", "k/scale.cu"})
        files[std::string(kBundledSides[i]) + "/" + path] = path;
    }
    bundle.cases = {{"perf", "scale/custom/n=1"}};
    files[kBundledComparison] = "{}";
    files[kBundledPage] = "<html>";
    list();
  }
  void list() {
    bundle.files.clear();
    for (const auto& [name, content] : files)
      bundle.files.push_back({name, std::int64_t(content.size()), content_hash_of(content)});
  }

  Bundle bundle;
  ArchiveFiles files;
};

class Bundles : public testing::Test {
 protected:
  Bundle written(const Parts& parts, const std::string& folder = "") const {
    ArchiveFiles files = parts.files;
    files[kBundleFile] = bundle_json_text(parts.bundle);
    write_archive(folder_ / "x.tar.zst", files);
    return read_bundle(folder_ / "x.tar.zst", folder);
  }

  std::string refusal(const std::function<void(Parts&)>& change) const {
    Parts parts;
    change(parts);
    try {
      written(parts);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(Bundles, AreReadAsTheyWereWritten) {
  const Parts parts;
  std::filesystem::create_directory(folder_ / "out");
  const Bundle read = written(parts, folder_ / "out");
  EXPECT_EQ(bundle_json_text(read), bundle_json_text(parts.bundle));
  EXPECT_EQ(read_text(folder_ / "out/sides/b/k/scale.cu"), "k/scale.cu");
  EXPECT_THROW(written(parts, folder_ / "out"), Error);  // not empty
}

TEST_F(Bundles, HoldWhatTheyListAndNothingElse) {
  EXPECT_NE(refusal([](Parts& p) { p.files["sides/a/more"] = ""; }).find("not in the list"),
            std::string::npos);
  EXPECT_NE(
      refusal([](Parts& p) { p.files["sides/a/k/scale.cu"] = "changed"; }).find("another content"),
      std::string::npos);
  EXPECT_NE(refusal([](Parts& p) { p.files.erase("page.html"); }).find("missing"),
            std::string::npos);
  EXPECT_NE(refusal([](Parts& p) {
              p.files["sides/a/more"] = "";
              p.list();
            }).find("not those that bundle.json names"),
            std::string::npos);
  EXPECT_NE(refusal([](Parts& p) {
              p.bundle.sides[1].suites.push_back("gone.yaml");
            }).find("named in bundle.json and missing"),
            std::string::npos);
}

TEST_F(Bundles, HaveNoFilesAtOtherPlaces) {
  for (const char* name : {"run.sh", "sides/c/x", "results/candidate/worker.log", "sides/a"})
    EXPECT_NE(refusal([&](Parts& p) {
                p.files = {{name, ""}};
                p.list();
              }).find("no such file"),
              std::string::npos)
        << name;
}

TEST_F(Bundles, NameNoProgramsForTheirSides) {
  for (const char* name : {"plumbline.yaml", "k/plumbline.yaml"})
    EXPECT_NE(refusal([&](Parts& p) {
                p.files[std::string("sides/a/") + name] = "build: rm -rf /\n";
                p.bundle.sides[0].sources.push_back({name, "tree", ""});
                p.list();
              }).find("has no plumbline.yaml"),
              std::string::npos);
}

TEST_F(Bundles, NamePathsInTheirSides) {
  for (const char* path : {"../x.yaml", "/etc/passwd", ""})
    EXPECT_NE(refusal([&](Parts& p) { p.bundle.sides[0].suites = {path}; }).find("is refused"),
              std::string::npos);
}

TEST_F(Bundles, OfANewerFormatAreRefused) {
  EXPECT_NE(refusal([](Parts& p) { p.bundle.format = kFormatVersion + 1; }).find("found format"),
            std::string::npos);
  write_archive(folder_ / "none.tar.zst", {{"page.html", ""}});
  EXPECT_THROW(read_bundle(folder_ / "none.tar.zst"), Error);
}

}  // namespace
}  // namespace plumbline
