#include "worker/session/process_state.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cfenv>
#include <cstdlib>
#include <functional>

namespace plumbline {
namespace {

struct Change {
  const char* name;  // in the words of what changed
  std::function<void()> make, take_back;
};

const Change kChanges[] = {
    {"environment variables", [] { setenv("PLANTED", "1", 1); }, [] { unsetenv("PLANTED"); }},
    {"signal handlers", [] { signal(SIGUSR2, SIG_IGN); }, [] { signal(SIGUSR2, SIG_DFL); }},
    {"rounding mode", [] { std::fesetround(FE_UPWARD); }, [] { std::fesetround(FE_TONEAREST); }},
    {"LibTorch's numerics", [] { at::globalContext().setDeterministicAlgorithms(true, false); },
     [] { at::globalContext().setDeterministicAlgorithms(false, false); }},
};

TEST(ProcessState, NamesWhatChangedAndNothingElse) {
  const ProcessState before = process_state(nullptr);
  EXPECT_EQ(changes(before, process_state(nullptr)), "");
  for (const Change& change : kChanges) {
    change.make();
    const std::string told = changes(before, process_state(nullptr));
    change.take_back();
    EXPECT_NE(told.find(std::string(change.name) + ": "), std::string::npos) << told;
    EXPECT_EQ(changes(before, process_state(nullptr)), "") << change.name;
  }
}

}  // namespace
}  // namespace plumbline
