#include "workflow/setup/known_contexts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "workflow/scratch_folder.h"

namespace plumbline {
namespace {

class KnownContexts : public ::testing::Test {
 protected:
  KnownContexts() { setenv("PLUMBLINE_CACHE", folder_.path().c_str(), 1); }
  ~KnownContexts() override { unsetenv("PLUMBLINE_CACHE"); }

  static Environment gpu(const std::string& uuid) {
    Environment environment;
    environment.device_kind = "cuda";
    environment.device_uuids = {uuid};
    environment.driver = "580.1";
    return environment;
  }
  std::string file() const { return folder_.path() + "/contexts/GPU-1-580.1"; }

  ScratchFolder folder_;
};

TEST_F(KnownContexts, TheNextCommandBeginsWithWhatThisOneFoundOnThatGpu) {
  EXPECT_TRUE(std::isinf(fastest_chain_of(gpu("GPU-1"))->seconds()));
  fastest_chain_of(gpu("GPU-1"))->learn(28.25e-6);
  EXPECT_EQ(fastest_chain_of(gpu("GPU-1"))->seconds(), 28.25e-6);
  EXPECT_TRUE(std::isinf(fastest_chain_of(gpu("GPU-2"))->seconds()));
}

TEST_F(KnownContexts, AFileWithoutATimeCountsAsNone) {
  std::filesystem::create_directories(folder_.path() + "/contexts");
  for (const char* const text : {"", "fast", "-1e-6", "0", "nan", "1e999"}) {
    std::ofstream(file()) << text;
    EXPECT_TRUE(std::isinf(fastest_chain_of(gpu("GPU-1"))->seconds())) << text;
  }
}

TEST_F(KnownContexts, ACacheThatCannotBeWrittenLosesNothingElse) {
  std::ofstream(folder_.path() + "/contexts") << "a file where the folder should be";
  const auto chain = fastest_chain_of(gpu("GPU-1"));
  chain->learn(28e-6);
  EXPECT_EQ(chain->seconds(), 28e-6);
}

TEST_F(KnownContexts, OfACpuNothingIsKept) {
  Environment cpu;
  cpu.device_kind = "cpu";
  fastest_chain_of(cpu)->learn(28e-6);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/contexts"));
}

}  // namespace
}  // namespace plumbline
