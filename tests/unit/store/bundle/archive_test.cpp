#include "store/bundle/archive.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/error.h"
#include "store/bundle/archive_names.h"
#include "store/file.h"
#include "support/odd_archive.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

class Archives : public testing::Test {
 protected:
  std::string path() const { return folder_ / "x.tar.zst"; }

  ArchiveFiles read(const ArchiveLimits& limits = {}) const {
    ArchiveFiles files;
    read_archive(path(), limits, [&](const std::string& name, std::string content) {
      files.emplace(name, std::move(content));
    });
    return files;
  }

  /// The message for these bytes; "" if they are read.
  std::string refusal(const std::string& bytes, const ArchiveLimits& limits = {}) const {
    write_atomically(path(), bytes);
    try {
      read(limits);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

const ArchiveFiles kFiles{{"a/b/c.txt", "one"},
                          {"a/empty", ""},
                          {"b", std::string(100'000, 'x') + '\0' + "y"},
                          {"höhe/日本.cu", "in other letters"},
                          {std::string(200, 'd') + "/" + std::string(200, 'n'), "a long name"}};

TEST_F(Archives, AreReadAsTheyWereWritten) {
  write_archive(path(), kFiles);
  EXPECT_EQ(read(), kFiles);
}

TEST_F(Archives, OfTheSameFilesAreTheSameBytes) {
  write_archive(path(), kFiles);
  const std::string first = read_text(path());
  write_archive(folder_ / "other.tar.zst", kFiles);
  EXPECT_EQ(read_text(folder_ / "other.tar.zst"), first);
}

TEST_F(Archives, RefuseNamesThatLeadElsewhere) {
  const std::map<std::string, std::string> mistakes{{"/etc/passwd", "an absolute path"},
                                                    {"../out", "lead elsewhere"},
                                                    {"a/../../out", "lead elsewhere"},
                                                    {"a/./b", "lead elsewhere"},
                                                    {"a//b", "an empty part"},
                                                    {"a/", "an empty part"},
                                                    {"a\\b", "a backslash"},
                                                    {"a\nb", "not seen"},
                                                    {"a\x1b[2Jb", "not seen"},
                                                    {"a\u202eb", "not seen"},
                                                    {"a/.git/config", "no repository"},
                                                    {"a/.GIT/config", "no repository"},
                                                    {std::string(300, 'a'), "255 bytes"},
                                                    {std::string(2000, 'a'), "1024 bytes"}};
  for (const auto& [name, said] : mistakes) {
    EXPECT_NE(name_mistake(name).find(said), std::string::npos) << name;
    const std::string refused = refusal(odd_archive({{"good", "1"}, {name, "2"}}));
    EXPECT_NE(refused.find("is refused: "), std::string::npos) << name << ": " << refused;
    EXPECT_THROW(write_archive(path(), {{name, ""}}), Error);
  }
  EXPECT_EQ(name_mistake("a/..b/c..d/.gitignore"), "");
}

TEST_F(Archives, RefuseLinksFoldersAndDevices) {
  EXPECT_NE(refusal(odd_archive({{"a", "", AE_IFLNK, "/etc/passwd"}})).find("a link"),
            std::string::npos);
  EXPECT_NE(refusal(odd_archive({{"a", "1"}, {"b", "", AE_IFREG, "", "a"}})).find("a link"),
            std::string::npos);
  EXPECT_NE(refusal(odd_archive({{"a", "", AE_IFDIR}})).find("refused"), std::string::npos);
  for (const unsigned type : {AE_IFCHR, AE_IFBLK, AE_IFIFO})
    EXPECT_NE(refusal(odd_archive({{"a", "", type}})).find("a device"), std::string::npos);
}

TEST_F(Archives, RefuseNamesThatOccurTwice) {
  EXPECT_NE(refusal(odd_archive({{"a", "1"}, {"a", "2"}})).find("same name"), std::string::npos);
  EXPECT_NE(refusal(odd_archive({{"d/File", "1"}, {"D/file", "2"}})).find("capital letters"),
            std::string::npos);
  EXPECT_NE(refusal(odd_archive({{"a", "1"}, {"a/b", "2"}})).find("name of its folder"),
            std::string::npos);
  EXPECT_NE(refusal(odd_archive({{"a/b", "1"}, {"A", "2"}})).find("a folder has"),
            std::string::npos);
}

TEST_F(Archives, RefuseMoreThanTheyMayHold) {
  const std::string three = odd_archive({{"a", "12345"}, {"b", "12345"}, {"c", "12345"}});
  EXPECT_EQ(refusal(three, {3, 15}), "");
  EXPECT_NE(refusal(three, {2, 15}).find("more than 2 files"), std::string::npos);
  EXPECT_NE(refusal(three, {3, 14}).find("more than 14 bytes"), std::string::npos);
  // A thousandth of its content.
  const std::string bomb = odd_archive({{"zeros", std::string(50'000'000, '\0')}});
  EXPECT_LT(bomb.size(), 50'000u);
  EXPECT_NE(refusal(bomb, {10, 1'000'000}).find("'zeros'"), std::string::npos);
  EXPECT_THROW(write_archive(path(), {{"a", "12"}, {"b", "12"}}, {1, 4}), Error);
  EXPECT_THROW(write_archive(path(), {{"a", "12"}, {"b", "12"}}, {2, 3}), Error);
}

TEST_F(Archives, RefuseWhatIsNone) {
  for (const std::string& bytes :
       {std::string(), std::string("no archive"), odd_archive({{"a", "1"}}, {0}),
        odd_archive({{"a", "1"}}, {2}), odd_archive({{"a", "1"}}, {3})})
    EXPECT_NE(refusal(bytes).find("this is no bundle"), std::string::npos) << refusal(bytes);
}

TEST_F(Archives, RefuseWhatIsDamaged) {
  write_archive(path(), kFiles);
  const std::string whole = read_text(path());
  for (const std::size_t size : {whole.size() / 4, whole.size() / 2, whole.size() - 1})
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  EXPECT_THROW(read_archive(folder_ / "gone", {}, {}), Error);
  EXPECT_THROW(read_archive(folder_.path(), {}, {}), Error);
}

TEST_F(Archives, UnpackOnlyNewFiles) {
  unpack_file(folder_.path(), "a/b", "text");
  EXPECT_EQ(read_text(folder_ / "a/b"), "text");
  EXPECT_THROW(unpack_file(folder_.path(), "a/b", "other"), Error);
  EXPECT_THROW(unpack_file(folder_.path(), "../b", "other"), Error);
  std::filesystem::create_symlink("/tmp", folder_ / "link");
  std::filesystem::create_symlink(folder_ / "elsewhere", folder_ / "dangling");
  EXPECT_THROW(unpack_file(folder_.path(), "dangling", "other"), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace plumbline
