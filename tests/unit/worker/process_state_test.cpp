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
  const char* told;
  std::function<void()> make, take_back;
};

const Change kChanges[] = {
    {"environment variable PLANTED: unset -> set", [] { setenv("PLANTED", "1", 1); },
     [] { unsetenv("PLANTED"); }},
    {"handler of SIGUSR2: default -> ignored", [] { signal(SIGUSR2, SIG_IGN); },
     [] { signal(SIGUSR2, SIG_DFL); }},
    {"rounding mode: ", [] { std::fesetround(FE_UPWARD); }, [] { std::fesetround(FE_TONEAREST); }},
    {"LibTorch's numerics: ", [] { at::globalContext().setDeterministicAlgorithms(true, false); },
     [] { at::globalContext().setDeterministicAlgorithms(false, false); }},
};

TEST(ProcessState, NamesWhatChangedAndNothingElse) {
  const ProcessState before = process_state(nullptr);
  EXPECT_EQ(changes(before, process_state(nullptr)), "");
  for (const Change& change : kChanges) {
    change.make();
    const std::string told = changes(before, process_state(nullptr));
    change.take_back();
    EXPECT_NE(told.find(change.told), std::string::npos) << told;
    EXPECT_EQ(changes(before, process_state(nullptr)), "") << change.told;
  }
}

TEST(ProcessState, PutsSignalHandlersBackButThoseOfMemoryFaults) {
  const SignalHandlers handlers;
  const ProcessState before = process_state(nullptr);
  const auto fault_handler = signal(SIGBUS, SIG_IGN);
  signal(SIGUSR2, SIG_IGN);
  handlers.put_back();
  EXPECT_EQ(changes(before, process_state(nullptr)).find("SIGUSR2"), std::string::npos);
  EXPECT_NE(changes(before, process_state(nullptr)).find("SIGBUS"), std::string::npos);
  signal(SIGBUS, fault_handler);
}

}  // namespace
}  // namespace plumbline
