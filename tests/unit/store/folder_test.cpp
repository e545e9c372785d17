#include "store/folder.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/run_files.h"

namespace plumbline {
namespace {

TEST(EntriesOf, NamesWhatIsThereAndNothingWhereThereIsNoFolder) {
  const TemporaryFolder folder;
  write_file(folder / "one", "");
  EXPECT_EQ(entries_of(folder.path()), std::vector<std::filesystem::path>{folder / "one"});
  EXPECT_TRUE(entries_of(folder / "missing").empty());
}

TEST(EntriesOf, AFolderThatCannotBeReadIsNoEmptyOne) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  try {
    entries_of(folder / "file");
    FAIL() << "it is no folder";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), folder / "file: cannot be listed: Not a directory");
  }
}

}  // namespace
}  // namespace plumbline
