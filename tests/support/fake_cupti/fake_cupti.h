/// The answers of the fake CUPTI, whose range profiler counts what a test says. A test in the same
/// process changes them through fake_cupti().
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace plumbline::testing_support {

struct FakeCupti {
  std::string chip = "GH100";
  std::set<std::string> lacking;         // counters that the chip does not have
  std::map<std::string, double> values;  // others count 1
  int passes = 3;
  int ranges = 1;                       // in the data, when they are decoded
  bool is_virtual = false;              // a virtual GPU whose profiling is switched off
  std::map<std::string, int> refusals;  // function -> CUptiResult that it answers
  std::vector<std::string> calls;       // of the range profiler, in their order
  int pass = 0;                         // of the present session
  bool is_enabled = false, is_started = false;
};

}  // namespace plumbline::testing_support

extern "C" plumbline::testing_support::FakeCupti* fake_cupti();
