/// Regressions of all cases for the index and the feeds, grouped by cause.
///
/// Regressions have one cause if they began with the same run, ended with the same run or decision,
/// and moved in the same direction. Runs are identified by their indexes in order of time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/site/site.h"
#include "reports/template.h"

namespace plumbline {

struct RegressionGroup {
  struct Member {
    const CaseLine* line = nullptr;
    const Regression* found = nullptr;
  };
  std::vector<Member> members;  // largest change first; for each case its worst metric
  double lost_s = 0;            // sum over one launch of each case

  const Regression& first() const { return *members.front().found; }
};

/// Open ones first: broken, then most costly. Then unmeasured and settled ones, latest first.
std::vector<RegressionGroup> regression_groups(const std::vector<CaseLine>& cases);

/// Regressions that began with one run, whatever their state, by run. Their names do not change
/// when one of them is settled.
std::vector<RegressionGroup> begun_groups(const std::vector<CaseLine>& cases);
/// Regressions that one run fixed, by that run.
std::vector<RegressionGroup> fixed_groups(const std::vector<CaseLine>& cases);

std::vector<const CaseLine*> lines_of(const RegressionGroup& group);

/// `+15 %`, `+4.1 % to +15 %`; "" for failures.
std::string size_text(const RegressionGroup& group);
/// `7 days`: from its first run to its end, to its last measurement, or to the newest run of its
/// device class.
std::string age_text(const RegressionGroup& group, const std::vector<KeyedRun>& runs);
/// `since 3ce2bf4f54, 7 days ago`
std::string since_text(const RegressionGroup& group, const std::vector<KeyedRun>& runs);
/// `softmax dtype=float16 is 15 % slower in 6 cases`
std::string group_sentence(const RegressionGroup& group);
/// `softmax dtype=float16 (+15 %, 6 cases)`
std::string group_name(const RegressionGroup& group);
/// `acknowledged by Ada until 2026-03-31: it checks its bounds`; "" if open or fixed.
std::string decision_text(const RegressionGroup& group);

/// For site/regressions.html: a table with the id `name`; null for none.
PageData regression_table(const std::string& name, const std::vector<RegressionGroup>& groups,
                          const std::vector<KeyedRun>& runs);

}  // namespace plumbline
