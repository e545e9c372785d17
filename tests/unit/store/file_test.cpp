#include "store/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(WriteAtomically, ReplacesAFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  write_file(folder / "page", "a long old text");
  write_atomically(folder / "page", "new");
  EXPECT_EQ(file_text(folder / "page"), "new");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(WriteAtomically, APipeGetsTheTextAndStaysAPipe) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  // Open at both ends, so that neither side waits for the other if the pipe is replaced.
  const OpenFile reader(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_GE(reader.get(), 0);
  write_atomically(path, "text");
  EXPECT_TRUE(fs::is_fifo(path));
  char got[16];
  EXPECT_EQ(::read(reader.get(), got, sizeof got), 4);
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(WriteAtomically, ALinkStaysAndTheFileBehindItIsReplaced) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "there");
  write_file(folder / "there/page", "old");
  fs::create_symlink("there/page", folder / "link");
  fs::create_symlink(folder / "link", folder / "link to link");
  write_atomically(folder / "link to link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link to link"));
  EXPECT_FALSE(fs::is_symlink(folder / "there/page"));
  EXPECT_EQ(file_text(folder / "there/page"), "new");
  EXPECT_EQ(files_in(folder), 3u);
}

TEST(WriteAtomically, ALinkToNothingMakesTheFileThatItNames) {
  const TemporaryFolder folder;
  fs::create_symlink("page", folder / "link");
  write_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(file_text(folder / "page"), "new");
}

TEST(WriteAtomically, ALinkToAPipeGetsTheText) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const OpenFile reader(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  fs::create_symlink("pipe", folder / "link");
  write_atomically(folder / "link", "text");
  char got[16];
  EXPECT_EQ(::read(reader.get(), got, sizeof got), 4);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
}

TEST(WriteAtomically, AFolderOrLinksInACircleAreErrorsThatNameThem) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "folder");
  fs::create_symlink("a", folder / "b");
  fs::create_symlink("b", folder / "a");
  for (const char* name : {"folder", "a"}) {
    try {
      write_atomically(folder / name, "text");
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(folder / name), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(files_in(folder), 3u);
}

TEST(MakeFolders, MakesAllThatAreMissingAndSaysWhyItCannot) {
  const TemporaryFolder folder;
  make_folders(folder / "a/b/c", "the folder");
  make_folders(folder / "a/b/c", "the folder");
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
  write_file(folder / "file", "");
  try {
    make_folders(folder / "file/b", "the folder of runs");
    FAIL() << "a file holds no folder";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              folder / "file/b: cannot create the folder of runs: Not a directory");
  }
}

TEST(RequireWritable, SaysAheadWhatWritingWouldSayAndLeavesNothing) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "folder");
  write_atomically(folder / "file", "text");
  for (const std::string& path : {folder / "folder", folder / "no folder/file"}) {
    std::string ahead;
    std::string then;
    try {
      require_writable(path);
    } catch (const Error& error) {
      ahead = error.what();
    }
    try {
      write_atomically(path, "text");
    } catch (const Error& error) {
      then = error.what();
    }
    EXPECT_NE(ahead.find(path), std::string::npos) << ahead;
    EXPECT_EQ(ahead, then);
  }
  require_writable(folder / "file");
  require_writable(folder / "new");
  require_writable("/dev/null");
  EXPECT_EQ(read_text(folder / "file"), "text");
  EXPECT_EQ(files_in(folder), 2u);
}

std::string mistake_in(const std::string& path) {
  try {
    read_text(path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ReadText, RefusesWhatHasNoEndBeforeItIsOpened) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe",
                    allowed =
                        "; expected a file, or what a command prints: <(command), "
                        "/dev/stdin";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  fs::create_symlink(path, folder / "link");
  EXPECT_EQ(mistake_in(path), path + ": found a pipe" + allowed);
  EXPECT_EQ(mistake_in(folder / "link"), folder / "link" + ": found a pipe" + allowed);
  EXPECT_EQ(mistake_in(folder.path()), folder.path() + ": found a directory" + allowed);
  EXPECT_EQ(mistake_in("/dev/zero"), "/dev/zero: found a device" + allowed);
  EXPECT_EQ(mistake_in(folder / "nothing"),
            folder / "nothing" + ": cannot open it: No such file or directory");
}

TEST(ReadText, TakesWhatACommandPrints) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const OpenFile reader(ends[0]);
  {
    const OpenFile writer(ends[1]);
    ASSERT_TRUE(write_all(writer.get(), "1\n2\n"));
  }
  EXPECT_EQ(read_text("/dev/fd/" + std::to_string(ends[0])), "1\n2\n");
}

}  // namespace
}  // namespace plumbline
