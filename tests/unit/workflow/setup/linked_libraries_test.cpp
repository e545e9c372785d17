#include "workflow/setup/linked_libraries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "store/file.h"
#include "support/places.h"
#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

TEST(LinkedLibraries, AScriptAndAFileThatEndsEarlyHaveNone) {
  const ScratchFolder folder;
  const std::string file = folder.path() + "/program";
  const std::string own = read_text("/proc/self/exe");
  for (const std::string& text : {std::string("#!/bin/sh\n"), std::string(), own.substr(0, 4),
                                  own.substr(0, 70), own.substr(0, 1000)}) {
    write_atomically(file, text);
    const LinkedLibraries linked = linked_libraries(file);
    EXPECT_TRUE(linked.folders.empty() && linked.names.empty()) << text.size();
  }
}

TEST(LinkedLibraries, OfTheWorkerOfThisBuildAreItsOwnAndThoseThatTorchNeeds) {
  const fs::path worker = build_dir() / "bin/plumbline-worker";
  if (!fs::exists(worker)) GTEST_SKIP() << "no worker is built";
  const LinkedLibraries linked = linked_libraries(worker.string());
  const auto folders_with = [&](const std::string& name) {
    return std::ranges::count_if(
        linked.folders, [&](const auto& folder) { return fs::exists(folder + "/" + name); });
  };
  for (const std::string name : {"libplumbline-worker.so", "libtorch_cuda.so", "libcudnn.so.9"}) {
    EXPECT_EQ(std::ranges::count(linked.names, name), 1) << name;
    EXPECT_GE(folders_with(name), 1) << name;
  }
  // The worker does not name it; a library of torch does.
  EXPECT_EQ(std::ranges::count(linked.names, "libcublasLt.so.13"), 1);
}

}  // namespace
}  // namespace plumbline
