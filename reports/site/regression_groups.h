/// Regressions of all cases as the index and the feeds tell them: those of one cause together.
///
/// A cause is what began with one run, ended with one run or by one decision, and moved cases in
/// one way. Knows the runs by their places in the order of time.
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
  std::vector<Member> members;  // the largest change first; of a case its worst metric
  double lost_s = 0;            // in one launch of each case

  const Regression& first() const { return *members.front().found; }
};

/// Open ones first, of these the broken and then the most costly; then what is no longer measured
/// and what is settled, the latest first.
std::vector<RegressionGroup> regression_groups(const std::vector<CaseLine>& cases);

/// Those that began with one run, whatever became of them, by run; their names do not change when
/// one of them is settled.
std::vector<RegressionGroup> begun_groups(const std::vector<CaseLine>& cases);
/// Those that one run fixed, by that run.
std::vector<RegressionGroup> fixed_groups(const std::vector<CaseLine>& cases);

std::vector<const CaseLine*> lines_of(const RegressionGroup& group);

/// `+15 %`, `+4.1 % to +15 %`; "" of what fails.
std::string size_text(const RegressionGroup& group);
/// `7 days`, from its first run to where it ended or was last seen, or to the newest run of its
/// device class.
std::string age_text(const RegressionGroup& group, const std::vector<KeyedRun>& runs);
/// `since 3ce2bf4f54, 7 days ago`
std::string since_text(const RegressionGroup& group, const std::vector<KeyedRun>& runs);
/// `softmax dtype=float16 is 15 % slower in 6 cases`
std::string group_sentence(const RegressionGroup& group);
/// `softmax dtype=float16 (+15 %, 6 cases)`
std::string group_name(const RegressionGroup& group);
/// `acknowledged by Ada until 2026-03-31: it checks its bounds`; "" of what is open or fixed.
std::string decision_text(const RegressionGroup& group);

/// Of site/regressions.html, a table of that id; null for none.
PageData regression_table(const std::string& name, const std::vector<RegressionGroup>& groups,
                          const std::vector<KeyedRun>& runs);

}  // namespace plumbline
