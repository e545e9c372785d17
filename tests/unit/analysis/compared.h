/// Fixture for tests of compare(): two runs that a test changes, and the result of comparing them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/compare/compare.h"
#include "core/error.h"
#include "unit/analysis/planted.h"

namespace plumbline {

/// Two runs of ten unchanged cases, to which a test adds its own.
class Compared : public testing::Test {
 protected:
  Compared() {
    for (int i = 0; i < 10; ++i)
      for (auto* run : {&before, &after})
        planted::add_case(*run, "softmax/libtorch/n=" + std::to_string(i), 1e-5 * (i + 1));
  }

  Comparison compared(const CompareOptions& options = {}) const {
    return compare(before, after, default_rule("cuda"), options);
  }

  static const Finding& finding(const Comparison& in, const std::string& case_id,
                                const std::string& metric = "") {
    const auto found = std::ranges::find_if(in.findings, [&](const Finding& f) {
      return f.case_id == case_id && (metric.empty() || f.metric == metric);
    });
    if (found == in.findings.end()) throw Error("no finding of " + case_id);
    return *found;
  }

  plumbline::Run before = planted::run_on("NVIDIA H200"), after = planted::run_on("NVIDIA H200");
};

}  // namespace plumbline
